"""Each game with each, through the packets of its own client: a trade that is done and one that is ended, and
a party, with what the windows of both show at each step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
import trio

from tests.kit.dealings import Offer, Table, percent
from tests.kit.pairs import SOON, gathered, pairs
from world import granting, hands

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.pairs import One

GIVEN, FOR, MORE, PRICE = "short_sword", "axe", "club", 2
"""What one offers, with so much gold; what the other does, and what that one adds. Each is a thing that every
client can tell from all others, and nobody has one."""


@pytest.fixture
async def people(nursery: trio.Nursery, autojump_clock: MockClock) -> list[One]:
    """Two of each game."""
    return await gathered(nursery)


async def test_each_game_trades_with_each(people: list[One], autojump_clock: MockClock) -> None:
    for asker, asked, pair in pairs(people):
        granting.make(asker.mobile, GIVEN)
        for kind in (FOR, MORE):
            granting.make(asked.mobile, kind)
        await trio.sleep(0.3)  # their clients are told
        await _calls_off(asker, asked, pair)
        await _exchanges(asker, asked, pair)
        for one in (asker, asked):
            for kind in (GIVEN, FOR, MORE):
                for item in list(hands.carried_items(one.mobile, kind)):
                    hands.consume(item, item.amount)
    await trio.sleep(1)
    assert [fault for one in people for fault in one.faults()] == []


async def _both_show(asker: One, asked: One, table: Table | None, when: str) -> None:
    """The same table from both sides, or none."""
    await asker.shows(asker.actor.trade_shown, table, when)
    await asked.shows(asked.actor.trade_shown, table.turned if table is not None else None, when)


async def _opens(asker: One, asked: One, pair: str) -> Table:
    """Ask, accept, and offer a thing; answers what is on the table."""
    await asker.actor.asks_to_trade(asked.name, GIVEN)
    await asked.sees(lambda: asked.actor.asked_to_trade() or asked.actor.trade_shown(), f"{pair}: a question")
    await asked.actor.accepts_trade()
    await asker.sees(asker.actor.trade_shown, f"{pair}: its window")
    assert asker.mobile.trade is asked.mobile.trade is not None, pair
    table = Table(Offer({GIVEN: 1}))
    if asker.actor.game != "uo":  # there one begins with the thing
        await _both_show(asker, asked, Table(), f"{pair}: it opens")
        await asker.actor.offers(GIVEN)
    await _both_show(asker, asked, table, f"{pair}: a thing is offered")
    return table


async def _calls_off(asker: One, asked: One, pair: str) -> None:
    """Ended by who is asked, when the other agrees already."""
    before = [hands.carried(one.mobile) for one in (asker, asked)]
    await _opens(asker, asked, pair)
    await asker.actor.agrees()
    await _both_show(asker, asked, Table(Offer({GIVEN: 1}, agrees=True)), f"{pair}: one agrees")
    await asked.actor.ends_trade()
    await _both_show(asker, asked, None, f"{pair}: it is off")
    assert [hands.carried(one.mobile) for one in (asker, asked)] == before, pair
    assert asker.mobile.trade is asked.mobile.trade is None, pair


async def _exchanges(asker: One, asked: One, pair: str) -> None:
    """From the question to what both have then; what is added to an offer takes back a yes."""
    before = [one.has("gold") for one in (asker, asked)]
    await _opens(asker, asked, pair)
    await asker.actor.offers_gold(PRICE)
    await asked.actor.offers(FOR)
    own, theirs = Offer({GIVEN: 1}, PRICE), Offer({FOR: 1})
    await _both_show(asker, asked, Table(own, theirs), f"{pair}: both offer")
    await asker.actor.agrees()
    await _both_show(asker, asked, Table(Offer({GIVEN: 1}, PRICE, True), theirs), f"{pair}: one agrees")
    await asked.actor.offers(MORE)
    theirs = Offer({FOR: 1, MORE: 1})
    await _both_show(asker, asked, Table(own, theirs), f"{pair}: nobody agrees to what has changed")
    await asked.actor.agrees()
    await _both_show(
        asker, asked, Table(own, Offer({FOR: 1, MORE: 1}, agrees=True)), f"{pair}: the other agrees"
    )
    await asker.actor.agrees()
    await _both_show(asker, asked, None, f"{pair}: it is done")
    gold, their_gold = before
    assert [asker.has(kind) for kind in ("gold", GIVEN, FOR, MORE)] == [gold - PRICE, 0, 1, 1], pair
    assert [asked.has(kind) for kind in ("gold", GIVEN, FOR, MORE)] == [their_gold + PRICE, 1, 0, 0], pair


HEALTH: Final = 1
"""Percent by which bars differ: each game rounds in its own way."""
NO_LEVELS: Final = ("uo", "co")
"""Games whose windows of a party show none."""


async def test_each_game_makes_a_party_with_each(people: list[One], autojump_clock: MockClock) -> None:
    for number, one in enumerate(people, 2):
        one.mobile.level = number
    for leader, other, pair in pairs(people):
        await _joins(leader, other, pair)
        other.mobile.hits //= 2
        leader.mobile.hits -= leader.mobile.hits // 3
        await _lists(leader, other, f"{pair}: both are hurt")
        await _lists(other, leader, f"{pair}: both are hurt")
        await other.actor.leaves_party()
        await _are_apart(leader, other, f"{pair}: one leaves")
        await _joins(leader, other, pair)
        await leader.actor.expels(other.name)
        await _are_apart(leader, other, f"{pair}: one is sent away")
        for one in (leader, other):
            one.mobile.hits = one.mobile.hits_max
    await trio.sleep(1)
    assert [fault for one in people for fault in one.faults()] == []


async def _joins(leader: One, other: One, pair: str) -> None:
    await leader.actor.invites(other.name)
    await other.sees(other.actor.asked_into_party, f"{pair}: a question")
    assert not other.actor.party_shown(), f"{pair}: it is in none yet"
    await other.actor.accepts_invite()
    await _lists(leader, other, f"{pair}: a member")
    await _lists(other, leader, f"{pair}: a member")
    assert not other.actor.asked_into_party(), f"{pair}: the question is closed"
    party = other.mobile.party
    assert party is leader.mobile.party, pair
    assert party is not None, pair
    assert party.leader == leader.mobile.serial, pair


async def _lists(one: One, other: One, when: str) -> None:
    """One's window shows the other as it is: its name, its bar and its level."""
    level = None if one.actor.game in NO_LEVELS else other.mobile.level

    def is_right() -> bool:
        shown, health = one.actor.party_shown(), percent(other.mobile.hits, other.mobile.hits_max)
        if list(shown) != [other.name]:
            return False
        bar = shown[other.name].health
        return shown[other.name].level == level and bar is not None and abs(bar - health) <= HEALTH

    await one.actor.until(is_right, SOON)
    hits = other.mobile.hits, other.mobile.hits_max
    assert is_right(), f"{when}: {one.actor.game} shows {one.actor.party_shown()} of {other.name}, {hits}"


async def _are_apart(leader: One, other: One, when: str) -> None:
    """One alone is no party."""
    for one in (leader, other):
        await one.shows(one.actor.party_shown, {}, when)
        assert one.mobile.party is None, when
