"""Shops and the bank in the browser's own panels, over a whole server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.web_player import WebPlayer
from tests.kit.web_scene import settled
from world import hands, holding, life, safes

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town
    from tests.kit.web_panes import Counter
    from world.mobile import Mobile

INT_MAX = 0x7FFF_FFFF

Rows = list[dict[str, object]]


class Customer:
    """Anna, who goes to counters."""

    def __init__(self, town: Town) -> None:
        self.town = town
        self.player = WebPlayer(town)

    async def enters(self) -> None:
        """Into the world."""
        await self.player.enters("anna", "Anna")
        self.mobile = self.town.mobile("Anna")

    def host(self, template: str) -> Mobile:
        """A resident."""
        return next(it for it in self.town.app.world.mobiles.values() if it.template.key == template)

    async def goes_to(self, host: Mobile) -> None:
        """Before somebody's counter."""
        realm = host.realm
        assert realm is not None
        self.town.app.world.warp(self.mobile, realm, *next(realm.free_near(host.x, host.y + 1)))
        await settled(self.town, self.player)

    async def opens(self, host: Mobile, answer: str = "") -> Counter:
        """The counter, by talking to whoever stands behind it."""
        await self.player.does(self.player.client.use_bytes(host.serial))
        if answer:
            (question,) = self.player.screen.questions.values()
            await self.player.answers(next(n for n, label in question.buttons.items() if label == answer))
        return self.counter

    @property
    def counter(self) -> Counter:
        """What the page has open."""
        return self.player.screen.panes.counter

    async def asks(self, t: str, **fields: object) -> list[str]:
        """Say something; what the server says to it."""
        self.player.screen.forgets()
        await self.player.says(t, **fields)
        await settled(self.town, self.player)
        return self.player.screen.notices()

    def owned(self, kind: str) -> int:
        """The id of something it has, by its kind."""
        return next(it.id for it in self.player.screen.owned.values() if it.kind == kind)


@pytest.fixture
async def anna(town: Town, autojump_clock: MockClock) -> Customer:
    """She is in the world."""
    customer = Customer(town)
    await customer.enters()
    return customer


def fortune(mobile: Mobile) -> dict[str, int]:
    """Everything somebody has, in the pack and in the vault."""
    kept = hands.carried(mobile)
    for item in safes.things(mobile):
        kept[item.template.key] = kept.get(item.template.key, 0) + item.amount
    kept["gold"] = kept.get("gold", 0) + safes.gold(mobile)
    return {key: amount for key, amount in kept.items() if amount}


def order(item: str, amount: int, price: int) -> Rows:
    """One row of what is bought."""
    return [{"item": item, "amount": amount, "price": price}]


def sale(number: int, amount: int, price: int) -> Rows:
    """One row of what is sold."""
    return [{"id": number, "amount": amount, "price": price}]


async def test_what_is_bought_and_sold_adds_up(anna: Customer, autojump_clock: MockClock) -> None:
    greta, mobile = anna.host("greta"), anna.mobile
    await anna.goes_to(greta)
    before = fortune(mobile)
    counter = await anna.opens(greta, "Show me what you have.")
    assert (counter.service, counter.host, counter.name) == ("shop", greta.serial, "Greta")
    bread = counter.sells["bread"]
    assert (bread.name, bread.price, bread.left, bread.look["figure"]) == ("bread loaf", 4, 20, "loaf")
    orders = [*order("bread", 3, 4), *order("apple", 2, 2)]
    told = await anna.asks("buy", host=greta.serial, orders=orders)
    assert told == ["You buy 3 bread loaves and 2 apples for 16 gold coins."]
    assert anna.counter.sells["bread"].left == 17
    assert anna.player.screen.sheet["gold"] == before["gold"] - 16
    # Half of the price for what they sell; the page finds its own by their kind.
    loaf = anna.owned("bread")
    told = await anna.asks("sell", host=greta.serial, sales=[{"id": loaf, "amount": 2, "price": 2}])
    assert told == ["You sell 2 bread loaves for 4 gold coins."]
    after = fortune(mobile)
    assert after.pop("apple") - before.pop("apple", 0) == 2
    assert after.pop("bread") - before.pop("bread") == 1
    assert after.pop("gold") - before.pop("gold") == -12
    assert after == before
    # Whoever closed it is not shown it again by what is said aloud.
    await anna.player.says("depart")
    assert mobile.visit is None


async def test_what_cannot_be_bought_or_sold_is_refused_in_words(
    anna: Customer, autojump_clock: MockClock
) -> None:
    greta, mobile = anna.host("greta"), anna.mobile
    await anna.goes_to(greta)
    await anna.opens(greta, "Show me what you have.")
    before, loaf, dagger = fortune(mobile), anna.owned("bread"), anna.owned("dagger")
    stranger = holding.make(anna.town.app.world, "bread")
    anna.town.app.world.register(stranger)
    refused: dict[str, list[tuple[str, Rows]]] = {
        "There are not that many.": [
            ("buy", order("bread", 0, 4)),
            ("buy", []),
            ("buy", order("bread", INT_MAX, 4)),
            ("sell", sale(loaf, 0, 2)),
            ("sell", sale(loaf, 60, 2)),
            ("sell", [*sale(loaf, 2, 2), *sale(loaf, 2, 2)]),
        ],
        "There is not so much of it left.": [("buy", order("bread", 21, 4))],
        "They do not sell that.": [("buy", order("gold", 1, 1)), ("buy", order("<b>", 1, 1))],
        "The price has changed: look at it again.": [
            ("buy", order("bread", 1, 3)),
            ("sell", sale(loaf, 1, 3)),
        ],
        "You have not enough gold for that.": [("buy", order("healing_potion", 5, 25))],
        "They have no use for that.": [("sell", sale(dagger, 1, 1))],
        "That is not there any more.": [("sell", sale(stranger.serial, 1, 2)), ("sell", sale(INT_MAX, 1, 2))],
    }
    for words, asked in refused.items():
        for t, rows in asked:
            field = "orders" if t == "buy" else "sales"
            assert await anna.asks(t, host=greta.serial, **{field: rows}) == [words], (t, rows)
    # Only of somebody who sells, only near, only alive.
    bread = order("bread", 1, 4)
    assert await anna.asks("buy", host=mobile.serial, orders=bread) == ["They have nothing to sell."]
    assert await anna.asks("buy", host=INT_MAX, orders=bread) == ["You cannot see that."]
    realm = greta.realm
    assert realm is not None
    anna.town.app.world.warp(mobile, realm, *next(realm.free_near(greta.x + 12, greta.y, 5)))
    assert await anna.asks("buy", host=greta.serial, orders=bread) == ["That is too far away."]
    assert fortune(mobile) == before
    await anna.goes_to(greta)
    await anna.opens(greta, "Show me what you have.")
    assert anna.counter.service == "shop"
    life.kill(mobile)
    await settled(anna.town, anna.player)
    assert anna.counter.service == "", "the panel closes by itself"
    assert await anna.asks("buy", host=greta.serial, orders=bread) == ["You are dead and cannot do that."]


async def test_what_lies_in_the_bank_adds_up(anna: Customer, autojump_clock: MockClock) -> None:
    osric, mobile = anna.host("banker"), anna.mobile
    await anna.goes_to(osric)
    before = fortune(mobile)
    counter = await anna.opens(osric)
    assert (counter.service, counter.host, counter.gold, counter.things) == ("vault", osric.serial, 0, {})
    told = await anna.asks("deposit", host=osric.serial, amount=60)
    assert told == ["You put 60 gold coins into the bank; 60 gold coins lie there."]
    loaf, host = anna.owned("bread"), osric.serial
    await anna.asks("deposit", host=host, id=loaf, amount=2)
    assert anna.counter.gold == 60
    (kept,) = anna.counter.things.values()
    assert (kept.kind, kept.amount) == ("bread", 2)
    gold = before["gold"] - 60
    refused: dict[str, list[tuple[str, dict[str, int]]]] = {
        "You have not enough gold for that.": [
            ("deposit", {"amount": gold + 1}),
            ("deposit", {"amount": INT_MAX}),
            ("withdraw", {"amount": 61}),
            ("withdraw", {"amount": INT_MAX}),
        ],
        "There are not that many.": [
            ("deposit", {"amount": 0}),
            ("withdraw", {"amount": 0}),
            ("deposit", {"id": loaf, "amount": 9}),
            ("withdraw", {"id": kept.id, "amount": 3}),
            ("withdraw", {"id": kept.id, "amount": 0}),
        ],
        "That is not there any more.": [
            ("withdraw", {"id": loaf, "amount": 1}),
            ("deposit", {"id": kept.id, "amount": 1}),
            ("withdraw", {"id": INT_MAX, "amount": 1}),
        ],
    }
    for words, asked in refused.items():
        for t, fields in asked:
            assert await anna.asks(t, host=host, **fields) == [words], (t, fields)
    assert await anna.asks("withdraw", host=mobile.serial) == ["They keep nothing for anybody."]
    assert fortune(mobile) == before
    await anna.asks("withdraw", host=host, id=kept.id, amount=2)
    await anna.asks("withdraw", host=host, amount=60)
    assert (anna.counter.gold, anna.counter.things) == (0, {})
    assert hands.carried(mobile) == before
