"""Trades in the browser's own panel, over a whole server: with another browser, and with other games."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
import trio

from tests.kit.dealings import Offer, Table
from tests.kit.players import UoPlayer
from tests.kit.traders import put
from tests.kit.web_actor import WebActor
from tests.kit.web_player import WebPlayer
from tests.kit.web_scene import anna_and, gather, settled
from world import hands, invites, life, trade

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town
    from tests.kit.web_panes import Bargain
    from world.mobile import Mobile

INT_MAX = 0x7FFF_FFFF


class Pair:
    """Anna and Bert, each in a browser, who trade."""

    def __init__(self, town: Town) -> None:
        self.town = town
        self.anna, self.bert = WebPlayer(town), WebPlayer(town)

    async def meet(self) -> None:
        """Side by side, with bread and gold."""
        for player, name in ((self.anna, "Anna"), (self.bert, "Bert")):
            await player.enters(name.lower(), name)
        gather(self.town, "Anna", "Bert")
        for mobile in self.mobiles:
            mobile.strength = 60
        await settled(self.town, self.anna, self.bert)

    async def begin(self) -> None:
        """Anna asks, and Bert presses the button."""
        await self.anna.says("trade", id=self.mobiles[1].serial)
        await self.bert.answers(invites.YES)
        await settled(self.town, self.anna, self.bert)

    @property
    def mobiles(self) -> tuple[Mobile, Mobile]:
        """Their characters."""
        return self.town.mobile("Anna"), self.town.mobile("Bert")

    async def asks(self, t: str, **fields: object) -> list[str]:
        """Anna wants something; what the server says to it."""
        self.anna.screen.forgets()
        await self.anna.says(t, **fields)
        await settled(self.town, self.anna, self.bert)
        return self.anna.screen.notices()

    def shown(self) -> tuple[Bargain, Bargain]:
        """What both panels show."""
        one, other = (player.screen.panes.bargain for player in (self.anna, self.bert))
        assert one is not None
        assert other is not None
        return one, other

    def owned(self, player: WebPlayer, kind: str) -> int:
        """The id of something that somebody has, by its kind."""
        return next(it.id for it in player.screen.owned.values() if it.kind == kind)


@pytest.fixture
async def pair(town: Town, autojump_clock: MockClock) -> Pair:
    """They stand side by side."""
    two = Pair(town)
    await two.meet()
    return two


async def test_a_trade_from_the_question_to_its_end(pair: Pair, autojump_clock: MockClock) -> None:
    anna, bert = pair.mobiles
    before = [Counter(hands.carried(mobile)) for mobile in (anna, bert)]
    told = await pair.asks("trade", id=bert.serial)
    assert told == ["You ask Bert to trade."]
    (question,) = pair.bert.screen.questions.values()
    assert (question.title, question.asker) == ("Trade", anna.serial)
    assert not pair.anna.of("bargain")
    await pair.bert.answers(invites.YES)
    await settled(pair.town, pair.anna, pair.bert)
    mine, theirs = pair.shown()
    assert (mine.id, mine.name, mine.game) == (bert.serial, "Bert", "web")
    assert (theirs.id, theirs.line) == (anna.serial, "You trade with Anna.")
    # What both offer, each from its own side.
    await pair.asks("offer", id=pair.owned(pair.anna, "bread"), amount=2)
    await pair.asks("offer_gold", amount=30)
    await pair.bert.says("offer", id=pair.owned(pair.bert, "dagger"))
    await settled(pair.town, pair.anna, pair.bert)
    mine, theirs = pair.shown()
    (loaves,), (dagger,) = mine.own.goods.values(), mine.theirs.goods.values()
    assert (loaves.name, loaves.amount, loaves.look["figure"]) == ("bread loaf", 2, "loaf")
    assert (dagger.name, dagger.amount, dagger.look["figure"]) == ("dagger", 1, "blade")
    assert (mine.own.gold, theirs.theirs.gold) == (30, 30)
    assert mine.own == theirs.theirs
    # Taken back is offered no more; agreeing is shown, and whatever changes undoes it.
    await pair.asks("agree", changes=mine.changes)
    assert pair.shown()[1].theirs.agreed
    await pair.asks("agree", changes=mine.changes, agreed=False)
    assert not pair.shown()[1].theirs.agreed
    await pair.asks("agree", changes=mine.changes)
    await pair.bert.says("retract", id=dagger.id)
    await settled(pair.town, pair.anna, pair.bert)
    stale = mine.changes
    mine, theirs = pair.shown()
    assert not mine.own.agreed
    assert not mine.theirs.goods
    assert await pair.asks("agree", changes=stale) == ["What is offered has changed: look at it again."]
    await pair.asks("agree", changes=mine.changes)
    await pair.bert.says("agree", changes=theirs.changes)
    await settled(pair.town, pair.anna, pair.bert)
    for player, other in ((pair.anna, bert), (pair.bert, anna)):
        assert player.screen.panes.bargain is None
        assert player.screen.panes.bargains == [(other.serial, True)]
    assert "You give Bert 2 bread loaves and 30 gold coins and receive nothing." in pair.anna.screen.notices()
    moved = Counter({"bread": 2, "gold": 30})
    assert Counter(hands.carried(anna)) == before[0] - moved
    assert Counter(hands.carried(bert)) == before[1] + moved
    assert pair.bert.screen.sheet["gold"] == before[1]["gold"] + 30
    # The panel that is closed late says so to nobody.
    assert await pair.asks("end_trade") == []


async def test_what_cannot_be_traded_is_refused_in_words(pair: Pair, autojump_clock: MockClock) -> None:
    anna, bert = pair.mobiles
    greta = next(it for it in pair.town.app.world.mobiles.values() if it.template.key == "greta")
    loaf, dagger = pair.owned(pair.anna, "bread"), pair.owned(pair.bert, "dagger")
    unseen = "You cannot see that."
    nobody = "That is nobody who could be asked."
    for number, words in ((greta.serial, nobody), (INT_MAX, unseen), (0, unseen), (loaf, unseen)):
        assert await pair.asks("trade", id=number) == [words]
    assert await pair.asks("trade", id=anna.serial) == ["You cannot do that to yourself."]
    for t, name, value in (("offer", "id", loaf), ("offer_gold", "amount", 1), ("retract", "id", loaf)):
        assert await pair.asks(t, **{name: value}) == ["You are trading with nobody."], t
    assert await pair.asks("agree", changes=0) == ["You are trading with nobody."]
    await pair.begin()
    shirt = next(it.id for it in pair.anna.screen.owned.values() if it.worn)
    gold = pair.anna.screen.sheet["gold"]
    refused: dict[str, list[tuple[str, dict[str, object]]]] = {
        "That is not there any more.": [
            ("offer", {"id": dagger}),
            ("offer", {"id": INT_MAX}),
            ("retract", {"id": dagger}),
        ],
        "There are not that many.": [("offer", {"id": loaf, "amount": INT_MAX})],
        "Take that into your pack first.": [("offer", {"id": shirt})],
        "You have not enough gold for that.": [
            ("offer_gold", {"amount": gold + 1}),
            ("offer_gold", {"amount": INT_MAX}),
        ],
        "You do not offer that.": [("retract", {"id": loaf})],
        "Nothing is offered yet.": [("agree", {"changes": 0})],
        "You are trading already: end that first.": [("trade", {"id": bert.serial})],
    }
    for words, asked in refused.items():
        for t, fields in asked:
            assert await pair.asks(t, **fields) == [words], (t, fields)
    mine, _ = pair.shown()
    assert not mine.own.goods
    assert mine.changes == 0


async def test_what_ends_a_trade_closes_both_panels(pair: Pair, autojump_clock: MockClock) -> None:
    anna, bert = pair.mobiles
    await pair.begin()
    await pair.bert.says("end_trade")
    await settled(pair.town, pair.anna, pair.bert)
    for player, other in ((pair.anna, bert), (pair.bert, anna)):
        assert player.screen.panes.bargain is None
        assert player.screen.panes.bargains == [(other.serial, False)]
    assert pair.anna.screen.notices()[-1] == "Bert ends the trade."
    await pair.begin()
    life.kill(bert)
    await settled(pair.town, pair.anna, pair.bert)
    assert pair.anna.screen.panes.bargain is None
    assert "Bert is dead: the trade is off." in pair.anna.screen.notices()


async def test_a_bag_is_offered_with_what_is_in_it(pair: Pair, autojump_clock: MockClock) -> None:
    _, bert = pair.mobiles
    bag = put(bert, "bag")
    put(bert, "bread", 2, into=bag)
    await pair.begin()
    trade.offer(bert, bag)
    await settled(pair.town, pair.anna, pair.bert)
    (shown,) = pair.shown()[0].theirs.goods.values()
    assert (shown.name, shown.inside) == ("bag", ["2 bread loaves"])


async def test_what_another_game_offers_is_shown(town: Town, autojump_clock: MockClock) -> None:
    """Ultima Online's clients open the window without a question."""
    bert = UoPlayer(town)
    anna = await anna_and(town, bert)
    other = town.mobile("Bert")
    await anna.says("trade", id=other.serial)
    if invites.pending(other, trade.TRADE) is not None:
        trade.accept(other)
    trade.set_gold(other, 5)
    await settled(town, anna)
    bargain = anna.screen.panes.bargain
    assert bargain is not None
    assert (bargain.game, bargain.theirs.gold) == ("uo", 5)


async def test_actors_trade_with_the_panel(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = WebActor(town), WebActor(town)
    await anna.enters("anna", "Anna")
    await bert.enters("bert", "Bert")
    gather(town, "Anna", "Bert")
    await trio.sleep(1)
    for deed in (
        anna.asks_to_trade("Bert"),
        bert.accepts_trade(),
        anna.offers("bread", 2),
        bert.offers_gold(9),
    ):
        await deed
        await trio.sleep(1)
    table = Table(Offer({"bread": 2}), Offer({}, 9))
    assert (anna.trade_shown(), bert.trade_shown()) == (table, table.turned)
    await anna.agrees()
    await trio.sleep(1)
    await bert.agrees()
    await trio.sleep(1)
    assert anna.trade_shown() is bert.trade_shown() is None
    await anna.ends_trade()
