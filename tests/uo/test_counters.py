"""Shops and the bank as windows: the bytes (facts/uo-play.md, sections 7 and 8; facts/uo.md for the client's
packets), what clients may say to them, and whether what they believe then is so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs
import pytest

from protocol.uo.counters import FIRST_WARE, NO_WARES, wares
from protocol.uo.figures import GROWTH_SERIALS
from protocol.uo.packets.counters import BuyOrder, Offered, SellOrder, Wanted
from protocol.uo.packets.dialogs import MenuChoice, MenuRequest
from protocol.uo.packets.talk import ENCODED, UnicodeSpeech
from protocol.uo.packets.things import DoubleClick, Drop, Lift, PropertiesRequest
from protocol.uo.scenery import LAST_SERIAL
from protocol.uo.view import Viewer
from tests.kit.uo_stage import NEWEST, Scene, lines, numbers, uo_content, written
from world import hands, holding, residents, safes, shops, visits
from world.content import Resident
from world.events import CounterClosed, Said, ShopOpened, Traded, VaultOpened
from world.offers import Offers, Priced, Shop, Ware
from world.reach import Refusal

if TYPE_CHECKING:
    from protocol.uo.session import UoSession
    from protocol.uo.versions import VersionNumber
    from world.content import Content
    from world.item import Item
    from world.mobile import Mobile

BUY, SELL, BANK = 5, 6, 4
"""Lines of the context menu."""

AT_COUNTERS: Final = (ShopOpened, Traded, VaultOpened, CounterClosed)


@attrs.frozen
class Counter:
    """A merchant or a banker, and a customer with 100 gold in front of it."""

    scene: Scene
    session: UoSession
    mobile: Mobile
    host: Mobile
    read: list[str] = attrs.field(factory=list)
    """Lines of the world to the customer."""

    def does(self, *packets: object) -> list[bytes]:
        """Let the client send packets; what it reads of its counter by the end of the turn."""
        told = self.scene.send(self.session, *packets)  # type: ignore[arg-type] # client packets
        return told + self.turn()

    def turn(self) -> list[bytes]:
        """What the turn says of the counter."""
        told: list[bytes] = []
        for event in self.scene.world.take_changes().events:
            if isinstance(event, Said):
                self.read.append(event.text)
            if isinstance(event, AT_COUNTERS):
                shown = self.scene.view.event(event, Viewer.SELF, self.session.dialect)
                told += written(shown, self.session)
        return told

    def says(self, text: str, *keywords: int) -> list[bytes]:
        kind = ENCODED if keywords else 0
        told = self.does(UnicodeSpeech(kind, 0x34, 3, "DEU", keywords, text))
        self.scene.pass_time(1)
        return told + self.turn()

    def refused(self, why: Refusal, *packets: object) -> list[bytes]:
        """That is refused, and nothing changes hands by it; what the client reads."""
        before = hands.carried(self.mobile), safes.gold(self.mobile)
        self.scene.pass_time(1.5)  # within a second the same line does not come again
        self.turn()
        self.read.clear()
        told = self.does(*packets)
        assert self.read == [why.value]
        assert (hands.carried(self.mobile), safes.gold(self.mobile)) == before
        return told

    def goes_away(self) -> None:
        """The host is still in sight, and too far to talk to."""
        self.scene.world.warp(self.host, self.scene.world.realms["plain"], 25, 10)
        self.session.known[self.host.serial] = self.host

    def ware(self, key: str) -> int:
        """The serial that a client knows a ware by."""
        found = wares(self.host, shops.catalogue(self.host))
        return next(serial for serial, row in found.items() if row.item == key)

    def bought(self, *rows: tuple[str, int]) -> BuyOrder:
        return BuyOrder(self.host.serial, 2, tuple(Wanted(0x1A, self.ware(key), many) for key, many in rows))

    def own(self, key: str) -> Item:
        return next(item for item in hands.carried_items(self.mobile) if item.template.key == key)


def at(kind: str, version: VersionNumber = NEWEST, content: Content | None = None) -> Counter:
    scene = Scene(content or uo_content())
    mobile = scene.person()
    assert mobile.realm is not None
    host = residents.move_in(scene.world, mobile.realm, Resident(kind, 11, 10))
    session = scene.session(mobile, version)
    session.known[host.serial] = host
    scene.world.take_changes()
    return Counter(scene, session, mobile, host)


def selling(shop: Shop) -> Content:
    """A baker with that shop."""
    content = uo_content()
    baker = attrs.evolve(content.mobiles["baker"], offers=Offers(shop))
    return attrs.evolve(content, mobiles={**content.mobiles, "baker": baker})


def u32(number: int) -> bytes:
    return number.to_bytes(4, "big")


# Shops


@pytest.mark.parametrize("version", [NEWEST, (5, 0, 9, 1)])
def test_what_a_merchant_sells_comes_in_the_order_that_clients_need(version: VersionNumber) -> None:
    counter = at("baker", version)
    frames = counter.does(MenuChoice(counter.host.serial, BUY))
    assert numbers(frames) == [0x2E, 0x2E, 0x3C, 0x74, 0x24, 0x11]
    host = u32(counter.host.serial)
    shelf, resale = frames[0][1:5], frames[1][1:5]
    assert frames[0] == b"\x2e" + shelf + bytes.fromhex("0e75 00 1a") + host + bytes(2)
    assert frames[1] == b"\x2e" + resale + bytes.fromhex("0e75 00 1b") + host + bytes(2)
    rows = [("sack", 0x0E76, 60_000), ("dagger", 0x0F52, 60_000), ("bread", 0x103B, 20)]
    new = version == NEWEST
    content = b"".join(
        u32(counter.ware(key))
        + art.to_bytes(2, "big")
        + bytes(1)
        + amount.to_bytes(2, "big")
        + bytes((0, 3 - place, 0, 1))
        + (bytes([place]) if new else b"")
        + shelf
        + bytes(2)
        for place, (key, art, amount) in enumerate(rows)
    )
    assert frames[2] == b"\x3c" + (5 + len(content)).to_bytes(2, "big") + b"\0\3" + content, "backwards"
    prices = bytes.fromhex("00000004 0e") + b"loaf of bread\0"
    prices += bytes.fromhex("0000001e 07") + b"dagger\0" + bytes.fromhex("00000005 05") + b"sack\0"
    assert frames[3] == b"\x74" + (8 + len(prices)).to_bytes(2, "big") + shelf + b"\3" + prices
    assert frames[4] == b"\x24" + host + bytes.fromhex("0030 0000" if new else "0030")


def test_what_is_bought_closes_the_window_and_rings() -> None:
    counter = at("baker")
    shown = counter.does(MenuChoice(counter.host.serial, BUY))
    order = b"\x3b\0\x16" + u32(counter.host.serial) + b"\2"
    order += b"\x1a" + u32(counter.ware("bread")) + b"\0\3" + b"\x1a" + u32(counter.ware("sack")) + b"\0\1"
    assert counter.bought(("bread", 3), ("sack", 1)).encode() == order
    frames = counter.does(BuyOrder.decode(order))
    assert frames[0] == b"\x3b\0\x08" + u32(counter.host.serial) + b"\0"
    assert frames[1][:4] == bytes.fromhex("54 01 0032")
    assert hands.carried(counter.mobile)["gold"] == 100 - 3 * 4 - 5
    assert hands.carried(counter.mobile)["bread"] == 2 + 3
    assert counter.scene.world.promises[-1][1] == "You buy 3 loaf of bread and 1 sack for 17 gold coins."
    again = counter.does(DoubleClick(counter.host.serial))
    assert numbers(again)[1:] == numbers(shown), "behind the paperdoll"


def test_an_order_is_refused_whole() -> None:
    counter = at("baker")
    counter.does(MenuChoice(counter.host.serial, BUY))
    for why, order in (
        (Refusal.POOR, counter.bought(("dagger", 4))),
        (Refusal.SOLD_OUT, counter.bought(("bread", 21))),
        (Refusal.AMOUNT, counter.bought(("bread", 0))),
        (Refusal.AMOUNT, counter.bought(("bread", 60_001))),
        (Refusal.UNSEEN, BuyOrder(77, 2, (Wanted(0x1A, counter.ware("bread"), 1),))),
        (Refusal.NO_SHOP, BuyOrder(counter.mobile.serial, 2, (Wanted(0x1A, 5, 1),))),
    ):
        assert counter.refused(why, order) == []
    bread = counter.bought(("bread", 1))
    counter.mobile.dead = True
    counter.refused(Refusal.DEAD, bread)
    counter.mobile.dead = False
    counter.goes_away()
    counter.refused(Refusal.FAR, bread)


def test_what_was_not_shown_is_not_bought_and_the_list_comes_anew() -> None:
    """A ware's serial holds its price: one that has changed, and one that never was, are both unknown."""
    counter = at("baker")
    old = counter.ware("bread")
    shop = attrs.evolve(shops.shop_of(counter.host), sells=(Ware("bread", 5), Ware("dagger", 30)))
    counter.host.template = attrs.evolve(counter.host.template, offers=Offers(shop))
    for serial in (old, FIRST_WARE, counter.own("bread").serial):
        order = BuyOrder(counter.host.serial, 2, (Wanted(0x1A, serial, 1),))
        assert 0x74 in numbers(counter.refused(Refusal.PRICE, order))
    assert counter.ware("bread") != old


def test_a_shop_is_left_by_its_window() -> None:
    counter = at("baker")
    shut = b"\x3b\0\x08" + u32(counter.host.serial) + b"\0"
    for leaving in (BuyOrder.decode(shut), SellOrder(counter.host.serial, ())):
        counter.does(MenuChoice(counter.host.serial, BUY))
        assert counter.mobile.visit is not None
        assert counter.does(leaving) == [shut]
        assert counter.mobile.visit is None
    counter.does(MenuChoice(counter.host.serial, BUY))
    visits.dismiss(counter.mobile)
    assert counter.turn() == [shut]


def test_what_one_has_is_offered_and_bought() -> None:
    counter = at("baker")
    frames = counter.does(MenuChoice(counter.host.serial, SELL))
    assert numbers(frames) == [0x9E, 0x11]
    dagger, bread = counter.own("dagger"), counter.own("bread")
    rows = u32(dagger.serial) + bytes.fromhex("0f52 0000 0001 000f 0006") + b"dagger"
    rows += u32(bread.serial) + bytes.fromhex("103b 0000 0002 0002 000d") + b"loaf of bread"
    head = b"\x9e" + (9 + len(rows)).to_bytes(2, "big") + u32(counter.host.serial)
    assert frames[0] == head + b"\0\2" + rows
    order = b"\x9f\0\x15" + u32(counter.host.serial) + b"\0\2"
    order += u32(dagger.serial) + b"\0\1" + u32(bread.serial) + b"\0\1"
    frames = counter.does(SellOrder.decode(order))
    assert numbers(frames) == [0x3B, 0x54]
    carried = hands.carried(counter.mobile)
    assert (carried["gold"], carried["bread"], "dagger" in carried) == (117, 1, False)


def test_a_sale_is_refused_whole() -> None:
    counter = at("baker")
    host, dagger, bread = counter.host.serial, counter.own("dagger"), counter.own("bread")
    unseen = SellOrder(host, (Offered(dagger.serial, 1),))
    assert 0x9E in numbers(counter.refused(Refusal.PRICE, unseen)), "nobody has shown a price yet"
    for why, *rows in (
        (Refusal.AMOUNT, (dagger.serial, 1), (bread.serial, 3)),
        (Refusal.AMOUNT, (bread.serial, 0)),
        (Refusal.NOT_BOUGHT, (dagger.serial, 1), (counter.own("candle").serial, 1)),
        (Refusal.NOT_YOURS, (dagger.serial, 1), (0x7DFFFFFF, 1)),
    ):
        assert counter.refused(why, SellOrder(host, tuple(Offered(*row) for row in rows))) == []


def test_what_a_list_cannot_show_is_said() -> None:
    counter = at("baker", content=selling(Shop((), {"dagger": 0x10000, "bread": 0xFFFF})))
    frames = counter.does(MenuChoice(counter.host.serial, SELL))
    assert (numbers(frames), frames[0][7:9]) == ([0x9E, 0xAE, 0x11], b"\0\1")
    assert "dagger (65536)" in lines(frames)[0]
    assert lines(counter.does(MenuChoice(counter.host.serial, BUY))) == [NO_WARES]
    counter = at("baker", content=selling(Shop((Ware("bread", 4, stock=0),), {"apple": 1})))
    assert lines(counter.does(MenuChoice(counter.host.serial, SELL))) == ["You have nothing that Greta buys."]
    assert lines(counter.does(MenuChoice(counter.host.serial, BUY))) == [NO_WARES]


def test_wares_have_serials_of_their_own() -> None:
    counter = at("baker")
    rows = tuple(Priced("bread", price) for price in range(1, 3000))
    catalogue = attrs.evolve(shops.catalogue(counter.host), sells=rows)
    found = wares(counter.host, catalogue)
    assert len(found) == len(rows), "two with one sum have two"
    assert LAST_SERIAL < min(found) <= max(found) < GROWTH_SERIALS
    counter.does(MenuChoice(counter.host.serial, BUY))
    [tooltip] = counter.does(PropertiesRequest((counter.ware("dagger"), FIRST_WARE)))
    assert "dagger".encode("utf-16-le") in tooltip


def test_menus_say_what_is_done_for_one() -> None:
    for kind, more in (("baker", [3006103, 3006104]), ("banker", [3006105])):
        counter = at(kind)
        [menu] = counter.does(MenuRequest(counter.host.serial))
        texts = [int.from_bytes(menu[at : at + 4], "big") for at in range(12, len(menu), 8)]
        assert texts == [3006123, 3006146, *more]


def test_the_words_of_a_trade_open_its_window_in_any_language() -> None:
    """Keywords by facts/uo.md: 0x3C and 0x14D for vendors, 0x02 for the bank."""
    counter = at("baker")
    for said, window in (
        (("I want to buy",), 0x24),
        (("vendor sell",), 0x9E),
        (("Haendler kaufen", 0x3C), 0x24),
        (("Haendler verkaufen", 0x14D), 0x9E),
    ):
        assert window in numbers(counter.says(*said)), said
    assert counter.says("Haendler kaufen") == []
    counter = at("banker")
    assert 0x24 in numbers(counter.says("Tresor", 0x02))
    counter.read.clear()
    counter.says("Guthaben", 0x01)
    assert any("in your vault" in line for line in counter.read)


# The bank


def test_the_bank_is_a_container_and_its_gold_a_line() -> None:
    counter = at("banker")
    frames = counter.does(MenuChoice(counter.host.serial, BANK))
    box = counter.mobile.vault
    assert box is not None
    assert numbers(frames) == [0x2E, 0x24, 0x3C, 0xAE]
    me = u32(counter.mobile.serial)
    assert frames[0] == b"\x2e" + u32(box.serial) + bytes.fromhex("0e7c 00 1d") + me + bytes(2)
    assert frames[1] == b"\x24" + u32(box.serial) + bytes.fromhex("004a 007d")
    assert frames[2] == bytes.fromhex("3c 0005 0000")
    assert "keeps 0 gold coins" in lines(frames)[0]
    visits.dismiss(counter.mobile)
    assert counter.turn() == [b"\x1d" + u32(box.serial)]


def test_things_are_dragged_in_and_out_and_gold_becomes_a_number() -> None:
    counter = at("banker")
    counter.does(MenuChoice(counter.host.serial, BANK))
    box, pack = counter.mobile.vault, counter.mobile.backpack
    assert box is not None
    assert pack is not None
    bread, gold = counter.own("bread"), counter.own("gold")
    before = holding.gold(counter.mobile)
    put = Drop(bread.serial, 5, 5, 0, 0, box.serial)
    frames = counter.does(Lift(bread.serial, 2), put)
    assert bread.parent is box
    told = next(frame for frame in frames if frame[0] == 0x25)
    # Into the rectangle that the window has room in: left 18, top 105.
    where = bytes.fromhex("0012 0069 00")
    assert (
        told
        == b"\x25" + u32(bread.serial) + bytes.fromhex("103b 00 0002") + where + u32(box.serial) + b"\0\0"
    )
    frames = counter.does(Lift(gold.serial, 60), Drop(gold.serial, 0xFFFF, 0xFFFF, 0, 0, box.serial))
    assert b"\x1d" + u32(gold.serial) in frames, "it is no thing any more"
    assert gold.serial not in [int.from_bytes(frame[1:5], "big") for frame in frames if frame[0] == 0x25]
    assert (safes.gold(counter.mobile), holding.gold(counter.mobile)) == (60, before - 60)
    line = "You put 60 gold coins into the bank; 60 gold coins lie there."
    assert counter.scene.world.promises[-1][1] == line
    stack = safes.gold_stack(counter.mobile)
    assert stack is not None
    frames = counter.does(Lift(stack.serial, 60))
    assert (numbers(frames)[0], counter.mobile.hand) == (0x27, None), "what is not shown is not there"
    frames = counter.does(Lift(bread.serial, 1))
    assert frames[0] == b"\x1d" + u32(bread.serial)
    counter.does(Drop(bread.serial, 50, 70, 0, 0, pack.serial))
    [rest] = safes.things(counter.mobile)
    assert (bread.parent, bread.amount, rest.amount) == (pack, 1, 1)
    assert numbers(counter.does(DoubleClick(box.serial)))[:2] == [0x24, 0x3C]


def test_no_hand_reaches_into_a_bank_that_is_far_or_another_s() -> None:
    counter = at("banker")
    counter.does(MenuChoice(counter.host.serial, BANK))
    box, bread = counter.mobile.vault, counter.own("bread")
    assert box is not None
    counter.does(Lift(bread.serial, 2), Drop(bread.serial, 50, 110, 0, 0, box.serial))
    other = counter.scene.session(counter.scene.person("Berta", 10, 11))
    frames = counter.scene.send(other, Lift(bread.serial, 1))
    assert (frames[0], bread.parent) == (b"\x27\0", box)
    dagger = counter.own("dagger")
    counter.does(Lift(dagger.serial, 1))
    counter.goes_away()
    frames = counter.does(Drop(dagger.serial, 50, 110, 0, 0, box.serial))
    assert lines(frames) == [Refusal.FAR.value]
    assert dagger.root is counter.mobile
    assert counter.does(Lift(bread.serial, 1))[0] == b"\x27\1", "out of range"
    assert bread.parent is box


def test_what_lies_in_a_bag_in_the_bank_is_told_while_that_is_open() -> None:
    counter = at("banker")
    counter.does(MenuChoice(counter.host.serial, BANK))
    box, dagger = counter.mobile.vault, counter.own("dagger")
    assert box is not None
    bag = holding.make(counter.scene.world, "sack")
    counter.scene.world.register(bag)
    holding.put(box, bag)
    into = [Lift(dagger.serial, 1), Drop(dagger.serial, 50, 70, 0, 0, bag.serial)]

    def told(frames: list[bytes]) -> bool:
        return any(frame[0] == 0x25 and frame[1:5] == u32(dagger.serial) for frame in frames)

    assert not told(counter.does(*into))
    assert numbers(counter.does(DoubleClick(bag.serial)))[:2] == [0x24, 0x3C]
    assert told(counter.does(*into))
    counter.does(MenuChoice(counter.host.serial, BANK))
    assert not told(counter.does(*into)), "with the bank's window it forgot the bag's"
