"""Trades in the client's own window: what opens it, what is dragged into it and out of it, and what it is
told. Layouts by facts/uo.md (0x6F) and facts/uo-play.md, section 9."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.uo.counters import FIRST_SHELF, SHELVES
from protocol.uo.figures import GROWTH_SERIALS
from protocol.uo.packets.things import Drop, Lift, PropertiesRequest, SingleClick
from protocol.uo.packets.trading import TradeDeed, TradeRequest
from protocol.uo.trading import FIRST_BOX, FIRST_OFFER, SERIALS, boxes
from protocol.uo.view import Viewer
from tests.kit.traders import put
from tests.kit.uo_stage import ITEM_IDS, NEWEST, Scene, lines, numbers, written
from world import dealing, hands, trade
from world.reach import Refusal
from world.space import Sight
from world.trade_events import Off

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.uo.session import UoSession
    from protocol.uo.versions import VersionNumber
    from world.item import Item
    from world.mobile import Mobile

ANYWHERE, GROUND = 0xFFFF, 0xFFFFFFFF
OLDER: VersionNumber = (7, 0, 45, 64)
OLD: VersionNumber = (5, 0, 9, 1)


@attrs.define
class Trading:
    """Anna at a client, and Bert in another game, in a scene."""

    scene: Scene
    session: UoSession
    anna: Mobile
    bert: Mobile

    @property
    def own(self) -> int:
        return boxes(self.bert.serial)[0]

    @property
    def theirs(self) -> int:
        return boxes(self.bert.serial)[1]

    def told(self) -> list[bytes]:
        """What Anna's client is told of what happened, and of what changed of her things."""
        changes = self.scene.world.take_changes()
        found: list[bytes] = []
        for event in changes.events:
            if self.session.viewport in event.viewers:
                messages = self.scene.view.event(event, Viewer.SELF, self.session.dialect)
                found += written(messages, self.session)
        return found

    def does(self, *packets: object) -> list[bytes]:
        """Send; what the client is answered at once, and told."""
        answered = self.scene.send(self.session, *packets)  # type: ignore[arg-type] # all are packets
        return [*answered, *self.told()]

    def drops(self, key: str, target: int, amount: int | None = None) -> list[bytes]:
        """Drag something of her pack somewhere."""
        item = one(self.anna, key)
        lifted = self.does(Lift(item.serial, amount or item.amount))
        assert 0x27 not in numbers(lifted)
        return self.does(Drop(item.serial, ANYWHERE, ANYWHERE, 0, 0, target))

    def window(self, kind: int, rest: bytes = b"") -> list[bytes]:
        """Something in the window."""
        return self.does(TradeRequest(kind, self.own, rest))

    def offer(self) -> dict[str, int]:
        """What Anna offers."""
        assert self.anna.trade is not None
        side = self.anna.trade.side(self.anna)
        return {offered.template.key: offered.amount for offered in side.offers.values()}


def one(mobile: Mobile, key: str) -> Item:
    """The first thing of a kind in somebody's pack."""
    assert mobile.backpack is not None
    return next(item for item in mobile.backpack.contents.values() if item.template.key == key)


def trading(version: VersionNumber = NEWEST, *, opened: bool = True) -> Trading:
    scene = Scene()
    anna, bert = scene.person("Anna"), scene.person("Bert", 11, 10)
    session = scene.session(anna, version)
    scene.world.open_viewport(bert, 99, Sight(18))
    bert.windows = frozenset({trade.UNASKED})
    for mobile in (anna, bert):
        mobile.strength = 60
        put(mobile, "gold", 100)
        put(mobile, "apple", 5)
    session.known[bert.serial] = bert
    scene.world.take_changes()
    found = Trading(scene, session, anna, bert)
    if opened:
        trade.ask(bert, anna)
        found.told()
    return found


def boxed(frames: Sequence[bytes], version: VersionNumber = NEWEST) -> list[tuple[int, int, int, int]]:
    """Serial, item id, amount and container of each 0x25."""
    at = 15 if version >= (6, 0, 1, 7) else 14
    return [
        (
            int.from_bytes(frame[1:5], "big"),
            int.from_bytes(frame[5:7], "big"),
            int.from_bytes(frame[8:10], "big"),
            int.from_bytes(frame[at : at + 4], "big"),
        )
        for frame in frames
        if frame[0] == 0x25
    ]


def of(frames: Sequence[bytes], kind: int) -> list[bytes]:
    """The 0x6F of a kind."""
    return [frame for frame in frames if frame[0] == 0x6F and frame[3] == kind]


def test_the_serials_of_the_window_are_nobodys() -> None:
    assert FIRST_SHELF + SHELVES <= FIRST_BOX
    assert FIRST_BOX + SERIALS <= FIRST_OFFER
    assert FIRST_OFFER + SERIALS <= GROWTH_SERIALS
    assert boxes(0x3FFFFFFF)[1] < FIRST_OFFER


@pytest.mark.parametrize("version", [NEWEST, OLDER, OLD])
def test_the_window_opens_behind_its_containers(version: VersionNumber) -> None:
    """facts/uo-play.md, section 9: both containers (item 0x1E5E) hang on their owners, then 0x6F."""
    scene = trading(version, opened=False)
    trade.ask(scene.bert, scene.anna)
    frames = scene.told()
    held = [(scene.theirs, 0x1E5E, 1, scene.bert.serial), (scene.own, 0x1E5E, 1, scene.anna.serial)]
    assert boxed(frames, version) == held
    [window] = of(frames, 0)
    assert window.hex() == (
        f"6f002f00{scene.bert.serial:08x}{scene.own:08x}{scene.theirs:08x}01" + b"Bert".ljust(30, b"\0").hex()
    )
    order = [frame[0] for frame in frames]
    assert order.index(0x6F) > max(place for place, code in enumerate(order) if code == 0x25)
    assert of(frames, 2) == [bytes.fromhex(f"6f001002{scene.own:08x}0000000000000000")]
    gold = hands.carried(scene.anna)["gold"]
    ledger = [bytes.fromhex(f"6f001004{scene.own:08x}{gold:08x}00000000")] if version == NEWEST else []
    assert of(frames, 4) == ledger
    assert "You trade with Bert" in lines(frames)[0]


def test_a_partner_that_is_not_shown_hangs_its_container_on_the_player() -> None:
    scene = trading(opened=False)
    del scene.session.known[scene.bert.serial]
    trade.ask(scene.bert, scene.anna)
    assert boxed(scene.told())[0] == (scene.theirs, 0x1E5E, 1, scene.anna.serial)


def test_a_thing_dropped_on_a_player_begins_a_trade_and_is_offered() -> None:
    scene = trading(opened=False)
    frames = scene.drops("apple", scene.bert.serial, 2)
    assert scene.offer() == {"apple": 2}
    assert len(of(frames, 0)) == 1
    [shown] = [row for row in boxed(frames) if row[3] == scene.own]
    assert shown[1:3] == (ITEM_IDS["apple"], 2)
    assert scene.anna.held is None
    scene.drops("dagger", scene.bert.serial)
    assert scene.offer() == {"apple": 2, "dagger": 1}, "another one is offered as well"


def test_who_is_asked_first_is_asked_and_the_thing_waits_in_the_pack() -> None:
    scene = trading(opened=False)
    scene.bert.windows = frozenset()
    scene.drops("dagger", scene.bert.serial)
    assert scene.anna.trade is None
    assert one(scene.anna, "dagger").parent is scene.anna.backpack
    trade.accept(scene.bert)
    assert scene.offer() == {"dagger": 1}


def test_what_is_dropped_into_the_window_is_offered_and_what_is_lifted_out_is_not() -> None:
    scene = trading()
    dagger, apple = one(scene.anna, "dagger"), one(scene.anna, "apple")
    frames = scene.drops("dagger", scene.own)
    assert (scene.offer(), dagger.parent) == ({"dagger": 1}, scene.anna.backpack)
    [shown] = boxed(frames)
    assert shown[1:] == (ITEM_IDS["dagger"], 1, scene.own)
    frames = scene.drops("apple", shown[0])
    assert scene.offer() == {"dagger": 1, "apple": 5}, "onto something there is into it"
    serials = {row[1]: row[0] for row in boxed(frames)}
    assert set(serials) == {ITEM_IDS["dagger"], ITEM_IDS["apple"]}
    # Part of it out, and all of it.
    frames = scene.does(Lift(serials[ITEM_IDS["apple"]], 2))
    assert frames[0] == bytes((0x27, 5)), "the hand is empty: it lies in the pack"
    assert scene.offer() == {"dagger": 1, "apple": 3}
    assert scene.anna.held is None
    frames = scene.does(Lift(shown[0], 1))
    assert scene.offer() == {"apple": 3}
    assert bytes.fromhex(f"1d{shown[0]:08x}") in frames
    # The thing itself, out of the pack.
    frames = scene.does(Lift(apple.serial, 5))
    assert scene.offer() == {}
    assert bytes.fromhex(f"1d{serials[ITEM_IDS['apple']]:08x}") in frames


def test_what_the_other_offers_is_shown_and_stays() -> None:
    scene = trading()
    trade.offer(scene.bert, one(scene.bert, "apple"))
    [shown] = boxed(scene.told())
    assert shown[1:] == (ITEM_IDS["apple"], 5, scene.theirs)
    frames = scene.does(Lift(shown[0], 5))
    assert frames[0][0] == 0x27
    assert lines(frames) == [Refusal.NOT_YOURS.value]
    assert len(scene.bert.trade.side(scene.bert).offers if scene.bert.trade else ()) == 1
    [tip] = scene.does(PropertiesRequest((shown[0],)))
    assert "5 apples".encode("utf-16-le") in tip
    [label] = scene.does(SingleClick(shown[0]))
    assert b"5 apples" in label
    frames = scene.drops("dagger", scene.theirs)
    assert Refusal.NOT_YOURS.value in lines(frames)
    assert scene.offer() == {}
    assert scene.anna.held is None


@pytest.mark.parametrize("version", [NEWEST, OLDER, OLD])
def test_gold_that_is_a_number_is_shown_in_each_client(version: VersionNumber) -> None:
    """facts/uo-play.md, section 9: 0x6F kind 3 from 7.0.45.65 on; a heap for the others."""
    scene = trading(version)
    trade.set_gold(scene.bert, 70)
    frames = scene.told()
    gold = [bytes.fromhex(f"6f001003{scene.own:08x}0000004600000000")] if version == NEWEST else []
    assert of(frames, 3) == gold
    heaps = [row[1:] for row in boxed(frames, version)]
    assert heaps == ([] if version == NEWEST else [(ITEM_IDS["gold"], 70, scene.theirs)])
    trade.set_gold(scene.anna, 30)
    own = [row for row in boxed(scene.told(), version) if row[3] == scene.own]
    if version != NEWEST:
        frames = scene.does(Lift(own[0][0], 10))
        assert scene.anna.trade is not None
        assert scene.anna.trade.side(scene.anna).gold == 20


def test_gold_is_offered_by_the_fields_of_the_window() -> None:
    scene = trading()
    scene.window(TradeDeed.GOLD, bytes.fromhex("0000002800000000"))
    assert scene.anna.trade is not None
    side = scene.anna.trade.side(scene.anna)
    assert side.gold == 40
    for rest in ("ffffffff00000000", "0000000000000001", "ffffffffffffffff", "000f4240"):
        frames = scene.window(TradeDeed.GOLD, bytes.fromhex(rest))
        assert lines(frames) == [Refusal.POOR.value]
        assert len(of(frames, 4)) == 1, "how much there is"
        assert side.gold == 40
    scene.window(TradeDeed.GOLD)
    assert side.gold == 0, "fields that are not there are empty"


def test_both_agree_and_all_changes_hands() -> None:
    scene = trading()
    scene.drops("dagger", scene.own)
    frames = scene.window(TradeDeed.AGREE, b"\0\0\0\1")
    assert of(frames, 2) == [bytes.fromhex(f"6f001002{scene.own:08x}0000000100000000")]
    frames = scene.window(TradeDeed.AGREE, b"\0\0\0\0")
    assert of(frames, 2) == [bytes.fromhex(f"6f001002{scene.own:08x}0000000000000000")]
    scene.window(TradeDeed.AGREE, b"\0\0\0\1")
    trade.offer(scene.bert, one(scene.bert, "apple"))
    frames = scene.told()
    assert of(frames, 2)[-1][8:] == bytes(8), "what changes un-agrees"
    shown = {row[0] for row in boxed(frames)}
    trade.agree(scene.bert)
    assert of(scene.told(), 2)[-1][8:] == bytes.fromhex("0000000000000001")
    frames = scene.window(TradeDeed.AGREE, b"\0\0\0\1")
    assert of(frames, 1) == [bytes.fromhex(f"6f000801{scene.own:08x}")]
    gone = {int.from_bytes(frame[1:5], "big") for frame in frames if frame[0] == 0x1D}
    assert {*shown, scene.own, scene.theirs} <= gone
    assert one(scene.bert, "dagger")
    assert hands.carried(scene.anna)["apple"] == 10


def test_nobody_agrees_to_what_its_client_was_not_shown() -> None:
    scene = trading()
    trade.offer(scene.bert, one(scene.bert, "apple"))
    frames = scene.scene.send(scene.session, TradeRequest(TradeDeed.AGREE, scene.own, b"\0\0\0\1"))
    assert of(frames, 2) == [bytes.fromhex(f"6f001002{scene.own:08x}0000000000000000")], "the box is unticked"
    assert Refusal.ALTERED.value in lines([*frames, *scene.told()])
    assert scene.anna.trade is not None
    assert not scene.anna.trade.side(scene.anna).agreed


def test_a_window_that_is_over_is_closed_and_its_own_end_is_silent() -> None:
    scene = trading()
    box = scene.own
    dealing.end(scene.bert, Off.CLOSED)
    assert len(of(scene.told(), 1)) == 1
    assert scene.does(TradeRequest(TradeDeed.CLOSE, box, b"")) == []
    for kind in (TradeDeed.AGREE, TradeDeed.GOLD, 9):
        frames = scene.does(TradeRequest(kind, box, b"\0\0\0\1"))
        assert of(frames, 1) == [bytes.fromhex(f"6f000801{box:08x}")]
        assert lines(frames) == [Refusal.NO_TRADE.value]
    frames = scene.drops("dagger", box)
    assert Refusal.NO_TRADE.value in lines(frames)
    frames = scene.does(Lift(FIRST_OFFER + 7, 1))
    assert bytes.fromhex(f"1d{FIRST_OFFER + 7:08x}") in frames
    assert lines(frames) == [Refusal.NO_TRADE.value]


def test_closing_the_window_ends_the_trade() -> None:
    scene = trading()
    scene.drops("dagger", scene.own)
    frames = scene.window(TradeDeed.CLOSE)
    assert scene.anna.trade is scene.bert.trade is None
    assert lines(frames) == ["You end the trade."]
    assert one(scene.anna, "dagger").parent is scene.anna.backpack


def test_a_bag_says_what_is_in_it() -> None:
    scene = trading()
    bag = put(scene.bert, "sack")
    put(scene.bert, "candle", into=bag)
    trade.offer(scene.bert, bag)
    frames = scene.told()
    assert any("with candle" in line for line in lines(frames))
    [shown] = boxed(frames)
    [tip] = scene.does(PropertiesRequest((shown[0],)))
    assert "with candle".encode("utf-16-le") in tip
