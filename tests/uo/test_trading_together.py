"""Two at clients of the game who trade: what they see is what there is, whatever they drag where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
import trio

from protocol.uo.packets.trading import TradeDeed, TradeRequest
from tests.kit.dealings import Offer, Table
from tests.kit.town import Town
from tests.kit.uo_actor import UoActor
from tests.kit.uo_people import NEWEST, Person, act, check, clear, gather, pair
from tests.kit.uo_stage import ITEM_IDS
from world import hands

if TYPE_CHECKING:
    from trio.testing import MockClock

    from protocol.uo.versions import VersionNumber
    from tests.kit.uo_company import TradeWindow

VERSIONS: Final[list[VersionNumber]] = [NEWEST, (7, 0, 45, 64), (5, 0, 9, 1)]


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    """A running server over seeded chance and virtual time."""
    running = Town(nursery)
    running.change("limits", exempt=("127.0.0.0/8",), packets_per_second=100_000.0, packet_burst=100_000)
    await running.open()
    return running


def window(person: Person) -> TradeWindow:
    assert person.client.trade is not None
    return person.client.trade


def shows(person: Person) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Item ids and amounts in the own container and in the other's."""
    trade, inside = window(person), person.client.inside
    return sorted(inside(trade.own).values()), sorted(inside(trade.theirs).values())


async def clicks(person: Person, kind: int, rest: bytes = b"") -> None:
    await person.does(person.client.pack_bytes(TradeRequest(kind, window(person).own, rest)))


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: ".".join(map(str, version)))
async def test_two_trade_by_dragging(town: Town, version: VersionNumber, autojump_clock: MockClock) -> None:
    anna, bert = await pair(town, version)
    dagger, candle, gold = anna.has("dagger"), bert.has("candle"), bert.has("gold")
    coins = gold.amount
    # A drop on Bert opens both windows.
    await anna.lifts(dagger)
    await anna.puts(dagger, bert.mobile.serial)
    check(anna, bert)
    offered = (ITEM_IDS["dagger"], 1)
    assert (window(anna).name, window(bert).name) == ("Bert", "Anna")
    assert (shows(anna), shows(bert)) == (([offered], []), ([], [offered]))
    # Into the window, out of it, and into it again.
    await bert.lifts(candle)
    await bert.puts(candle, window(bert).own)
    await bert.lifts(gold, 5)
    await bert.puts(gold, window(bert).own)
    check(anna, bert)
    given = [(ITEM_IDS["candle"], 1), (ITEM_IDS["gold"], 5)]
    assert shows(anna)[1] == shows(bert)[0] == sorted(given)
    heap = next(serial for serial, one in bert.client.inside(window(bert).own).items() if one == given[1])
    await bert.does(bert.client.lift_bytes(heap, 3))
    check(anna, bert)
    assert shows(anna)[1] == shows(bert)[0] == sorted([given[0], (ITEM_IDS["gold"], 2)])
    # Anna may not take what Bert offers; nothing but a click ends it, and that moves nothing.
    theirs = next(iter(anna.client.inside(window(anna).theirs)))
    await anna.does(anna.client.lift_bytes(theirs))
    check(anna, bert)
    await clicks(bert, TradeDeed.CLOSE)
    assert anna.client.trade is bert.client.trade is None
    check(anna, bert)
    assert dagger.root is anna.mobile
    assert candle.root is bert.mobile
    # Once more, and both agree.
    await anna.lifts(dagger)
    await anna.puts(dagger, bert.mobile.serial)
    await bert.lifts(candle)
    await bert.puts(candle, window(bert).own)
    await clicks(anna, TradeDeed.AGREE, b"\0\0\0\1")
    assert (window(anna).agreed, window(bert).agreed) == ((True, False), (False, True))
    await clicks(bert, TradeDeed.AGREE, b"\0\0\0\1")
    assert anna.client.trade is bert.client.trade is None
    check(anna, bert)
    assert dagger.root is bert.mobile
    assert candle.root is anna.mobile
    assert hands.carried(bert.mobile)["gold"] == coins
    assert any(line.startswith("You give Bert") for line in anna.client.said())


@pytest.mark.parametrize("version", VERSIONS[:2], ids=lambda version: ".".join(map(str, version)))
async def test_two_deal_with_each_other_as_players_of_any_game_do(
    town: Town, version: VersionNumber, autojump_clock: MockClock
) -> None:
    """The verbs of the kit (`tests.kit.uo_trader`) do in the windows what their names say."""
    anna, bert = UoActor(town, version), UoActor(town)
    for actor in (anna, bert):
        await actor.enters(*(("anna", "Anna") if actor is anna else ("bert", "Bert")))
    await act(town, clear)
    await act(town, lambda world: gather(town.mobile("Anna"), town.mobile("Bert")))
    await anna.asks_to_trade("Bert")
    await bert.accepts_trade()
    await trio.sleep(0.5)
    assert anna.trade_shown() == bert.trade_shown() == Table()
    await anna.offers("dagger", 1)
    await anna.offers_gold(20)
    await bert.offers("bread", 1)
    await trio.sleep(0.5)
    table = Table(Offer({"dagger": 1}, 20), Offer({"bread": 1}))
    assert (anna.trade_shown(), bert.trade_shown()) == (table, table.turned)
    before = hands.carried(town.mobile("Bert"))["gold"]
    await anna.agrees()
    await bert.agrees()
    await trio.sleep(0.5)
    assert anna.trade_shown() is bert.trade_shown() is None
    assert hands.carried(town.mobile("Bert"))["gold"] == before + 20
    await bert.begins_to_trade(next(iter(bert.carries())), town.mobile("Anna").serial)
    await trio.sleep(0.5)
    assert anna.trade_shown() is not None
    await anna.ends_trade()
    await trio.sleep(0.5)
    assert anna.trade_shown() is bert.trade_shown() is None
    # By words a thing is given at once.
    handle = next(serial for serial, one in bert.carries().items() if one.kind == ITEM_IDS["dagger"])
    await bert.give(handle, town.mobile("Anna").serial)
    await trio.sleep(0.5)
    assert handle in anna.carries()
    await anna.invites("Bert")
    await trio.sleep(0.5)
    await bert.accepts_invite()
    await trio.sleep(0.5)
    assert (list(anna.party_shown()), list(bert.party_shown())) == (["Bert"], ["Anna"])
    await bert.leaves_party()
    await trio.sleep(0.5)
    assert anna.party_shown() == bert.party_shown() == {}
