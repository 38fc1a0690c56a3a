"""Shops and the bank as this game's own windows.

    merchant  ->  0x2E 0x3C 0x74 0x24  what it sells: 0x3B orders of it
              ->  0x9E                 what it buys of the player: 0x9F offers that
    banker    ->  0x2E 0x24 0x3C       a container on the player, which is dragged into and out of

A client has one window for a merchant: which of the two its player came for, its session knows (`Side`).
Wares are items to the client, in a container that the merchant seems to wear, though nothing of either exists
yet: their serials lie between those of scenery and of hair, where the world has no items. They follow from
merchant, ware and price, so that an order means what its player was shown and nothing else. Gold in the bank
is no thing: it is told in words, and taken by words.

Prices are matched to wares by their order: x counts it, and the items are sent backwards, as ServUO does
(facts: ClassicUO walks from the last to the first).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol
from zlib import crc32

from protocol.uo import figures as look
from protocol.uo import sheets
from protocol.uo.belongings import forget_content
from protocol.uo.packets import bodies
from protocol.uo.packets.counters import Price, PriceList, Saleable, SellList, ShopShut
from protocol.uo.packets.misc import Sound
from protocol.uo.packets.people import WornItem
from protocol.uo.packets.things import ContainerOpened, ContainerOpenedOld, Removed
from protocol.uo.words import system_message
from protocol.wire.body import Body
from world import safes, shops
from world.containers import within
from world.item import Item, Layer
from world.wording import coins, listed

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from protocol.outgoing import Encodable, Outgoing
    from protocol.uo.figures import Figures
    from protocol.uo.packets.base import ServerPacket
    from protocol.uo.session import UoSession
    from protocol.uo.versions import UoVersion
    from world.events import CounterClosed, ShopOpened, Traded, VaultOpened
    from world.mobile import Mobile
    from world.offers import Catalogue, Priced

FIRST_WARE: Final = 0x7E800000
FIRST_SHELF: Final = 0x7EC00000
SERIALS: Final = 0x400000
SHELVES: Final = 0x200000
"""Serials of wares, and of the containers they are in: so many of each. Behind them are those of trades
(`trading`)."""

WARES, RESALE = 0x1A, 0x1B
"""Layers of a merchant's two containers. ClassicUO's shop does not open without the second, in which nothing
is ever (facts/uo-play.md, section 7)."""

SHELF: Final = 0x0E75
"""Picture of such a container: a backpack, whose wares ClassicUO walks from the last to the first."""

SHOP_GUMP: Final = 0x30
MOST_ROWS: Final = 255
"""Rows of 0x74, which counts them in one byte."""
MOST_PRICE: Final = 0xFFFF
"""Price in 0x9E."""
AS_MANY: Final = 60_000
"""Shown of a ware that never runs out: as many as change hands at a time (`world.shops`)."""

COINS: Final = 0x32
"""Sound of coins: ServUO, Scripts/Mobiles/NPCs/BaseVendor.cs."""

NO_WARES: Final = "There is nothing left to buy here."
TOO_MANY: Final = 'There is more than your list can show: {}. Say ".buy", a name and a number, for that.'
NOTHING_TO_SELL: Final = "You have nothing that {} buys."
TOO_DEAR: Final = "{} pays more for this than your list can show: {}."
KEPT: Final = 'The bank keeps {} for you. Say "withdraw" and how many you want.'


class Draws(Protocol):
    """A view, as far as it is asked here."""

    figures: Figures


class Buying:
    """A packet of a merchant's window of wares, the same for all clients of a kind: bound, because a client's
    session knows which of the two windows its player wants."""

    __slots__ = ("_body",)
    droppable = False

    def __init__(self, packet: Encodable) -> None:
        self._body = Body(packet.encode())

    def bind(self, session: UoSession) -> bytes | Body:
        """The packet; nothing, if its player came for the other window."""
        return b"" if session.selling else self._body


class Selling:
    """The other window, of what this player has to sell: made only for who wants it. `part` is one of its
    packets."""

    __slots__ = ("_part", "_sales")
    droppable = False

    def __init__(self, sales: Sales, part: int) -> None:
        self._sales = sales
        self._part = part

    def bind(self, session: UoSession) -> bytes:
        """The packet; nothing, if its player came for the other window, or if there is no such part."""
        told = self._sales.told() if session.selling else []
        return told[self._part].encode() if self._part < len(told) else b""


class Opening:
    """0x24 of a vault: bound, because its client forgets by it what it knew of the bags in there."""

    __slots__ = ("_box", "_raw")
    droppable = False

    def __init__(self, box: Item, packet: ContainerOpened | ContainerOpenedOld) -> None:
        self._box = box
        self._raw = packet.encode()

    def bind(self, session: UoSession) -> bytes:
        """The packet."""
        forget_content(session, self._box)
        return self._raw


class Inside:
    """Something in a bag in a vault: bound, because it is told only to a client that has opened the bag."""

    __slots__ = ("_bag", "_raw")
    droppable = False

    def __init__(self, bag: int, packet: Encodable) -> None:
        self._bag = bag
        self._raw = packet.encode()

    def bind(self, session: UoSession) -> bytes:
        """The packet; nothing, if the bag is shut."""
        return self._raw if self._bag in session.opened else b""


# Shops


def wares(merchant: Mobile, catalogue: Catalogue) -> Mapping[int, Priced]:
    """Rows that can be bought, by the serials that their wares have for clients."""
    return catalogue.kept(("uo wares", merchant.serial), lambda: _numbered(merchant, catalogue))


def _numbered(merchant: Mobile, catalogue: Catalogue) -> Mapping[int, Priced]:
    found: dict[int, Priced] = {}
    for row in catalogue.sells:
        if row.left == 0:
            continue
        number = crc32(f"{merchant.serial} {row.item} {row.price}".encode()) % SERIALS
        while FIRST_WARE + number in found:
            number = (number + 1) % SERIALS
        found[FIRST_WARE + number] = row
    return found


def tooltip(merchant: Mobile, catalogue: Catalogue, serial: int) -> Body | None:
    """0xD6 of a ware, the same for all who ask; None if there is none of that serial."""
    row = wares(merchant, catalogue).get(serial)
    if row is None:
        return None
    name = merchant.world.content.items[row.item].name
    return catalogue.kept(
        ("uo tooltip", serial), lambda: Body(look.property_list(serial, look.ANY_TEXT, name).encode())
    )


def shop(view: Draws, event: ShopOpened, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
    """0x2E, 0x3C, 0x74 and 0x24: a list of what one can buy; 0x9E: one of what one can sell, as its player
    wants; and 0x11 for the gold."""
    figures, merchant, catalogue = view.figures, event.host, event.catalogue
    buying = catalogue.kept(
        ("uo", merchant.serial, version.grid, version.high_seas),
        lambda: [Buying(packet) for packet in _to_buy(figures, merchant, catalogue, version)],
    )
    sales = Sales(figures, event)
    return [
        *buying,
        *(Selling(sales, part) for part in range(Sales.PARTS)),
        *bodies(sheets.full_status(event.thing, version)),
    ]


def _to_buy(
    figures: Figures, merchant: Mobile, catalogue: Catalogue, version: UoVersion
) -> list[ServerPacket]:
    kinds = merchant.world.content.items
    found = list(wares(merchant, catalogue).items())
    if not found:
        return [system_message(NO_WARES)]
    rows, more = found[:MOST_ROWS], found[MOST_ROWS:]
    shelf, resale = _shelf(merchant, WARES), _shelf(merchant, RESALE)
    things = []
    for place, (serial, row) in enumerate(rows, 1):
        art, hue = figures.picture(kinds[row.item])
        left = AS_MANY if row.left is None else min(row.left, AS_MANY)
        things.append((serial, art, left, place, 1, hue))
    gump = ContainerOpened(merchant.serial, SHOP_GUMP, 0)
    told: list[ServerPacket] = [
        WornItem(shelf, SHELF, WARES, merchant.serial, 0),
        WornItem(resale, SHELF, RESALE, merchant.serial, 0),
        figures.contents(shelf, reversed(things), version),
        PriceList(shelf, tuple(Price(row.price, kinds[row.item].name) for _, row in rows)),
        gump if version.high_seas else ContainerOpenedOld(merchant.serial, SHOP_GUMP),
    ]
    if more:
        told.append(system_message(TOO_MANY.format(listed([kinds[row.item].name for _, row in more]))))
    return told


class Sales:
    """Things of a player that a merchant buys, as packets: made when its client wants them."""

    PARTS: Final = 2
    """Packets at most."""

    def __init__(self, figures: Figures, event: ShopOpened) -> None:
        self._figures = figures
        self._event = event
        self._told: list[ServerPacket] | None = None

    def told(self) -> list[ServerPacket]:
        """0x9E, and words for what it has no room for, or for there being nothing."""
        if self._told is None:
            self._told = _to_sell(self._figures, self._event)
        return self._told


def _to_sell(figures: Figures, event: ShopOpened) -> list[ServerPacket]:
    things, dear = [], []
    for item, price in shops.saleable(event.thing, event.catalogue):
        if price > MOST_PRICE:
            dear.append(f"{item.label} ({price})")
            continue
        art, hue = figures.art(item), figures.hue(item)
        things.append(Saleable(item.serial, art, hue, min(item.amount, AS_MANY), price, item.label))
    told: list[ServerPacket] = [SellList(event.host.serial, tuple(things))] if things else []
    if dear:
        told.append(system_message(TOO_DEAR.format(event.host.name, listed(dear))))
    return told or [system_message(NOTHING_TO_SELL.format(event.host.name))]


def _shelf(merchant: Mobile, layer: int) -> int:
    """Serial of one of the containers that a merchant seems to wear."""
    return FIRST_SHELF + (merchant.serial * 2 + layer - WARES) % SHELVES


def traded(view: Draws, event: Traded, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
    """0x3B closes the window, 0x54 lets the coins ring; what came and went is shown as any thing is."""
    x, y, z = view.figures.places.of(event.thing)
    return bodies(ShopShut(event.host.serial, 0), Sound(1, COINS, 0, x, y, z))


# The bank


def vault(view: Draws, event: VaultOpened, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
    """0x2E, 0x24 and 0x3C: a container, and a line for the gold; 0x25 for each thing when something has
    changed. It tells what lies there now, whatever else happened in the turn."""
    owner, figures = event.thing, view.figures
    box = owner.vault
    if box is None:
        return []
    told: list[Outgoing] = []
    things = safes.things(owner)
    if not event.anew:
        told += bodies(WornItem(box.serial, figures.art(box), Layer.BANK, owner.serial, figures.hue(box)))
        told += [Opening(box, figures.opened(box, version)), *bodies(figures.content(box, version))]
        gold = coins(owner.world, event.gold)
        told += bodies(system_message(KEPT.format(gold)))
    else:
        told += bodies(*(figures.contained(item, box, version) for item in things))
        for item in within(box):
            if isinstance(item.parent, Item) and item.parent is not box:
                told.append(Inside(item.parent.serial, figures.contained(item, item.parent, version)))
    if version.tooltips:
        told += bodies(*(look.revision(item) for item in things))
    return told


def closed(view: Draws, event: CounterClosed, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
    """0x3B closes a shop, 0x1D the bank, whose container goes."""
    if event.service != safes.VAULT:
        return bodies(ShopShut(event.host.serial, 0))
    box = event.thing.vault
    return [] if box is None else bodies(Removed(box.serial))
