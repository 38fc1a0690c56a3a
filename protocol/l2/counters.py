"""Counters as this game's client shows them: a page with links when somebody comes up to a merchant or a
banker, and behind the links a list in a window of the client's own.

    ShopOpened   ->  page (buy, sell)          ->  BuyList, SellList
    VaultOpened  ->  page (put in, take out)   ->  WarehouseDepositList, WarehouseWithdrawList

The world opens a counter in one way, whether the player just came or chose a link. So the handler of a link
notes which list it is for (`L2Session.opens`, for that turn), and what leaves is that list instead of the
page; a list that is shown anew because a price has changed comes by the same way. Each list of wares has a
number of its own, and an order counts only with the number of the last one (`L2Session.listing`). A list of
what may be sold has none: its second field is about leases, and no public server fills it.

An order names the client's kind of item, and two of ours may look alike there: the list has the first, and
the page a link for each of the others, which buys one of it; of more than a page holds another link leads on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import attrs

from protocol.l2.dialogs import Page, page
from protocol.l2.figures import MOST_COINS, stack_row
from protocol.l2.packets import (
    PRIVATE_WAREHOUSE,
    BuyList,
    SaleEntry,
    SellList,
    StoredEntry,
    WareEntry,
    WarehouseDepositList,
    WarehouseWithdrawList,
)
from protocol.l2.session import Listing, Side
from world import hands, holding, safes, shops
from world.containers import within
from world.events import CounterClosed, ShopOpened, Traded, VaultOpened
from world.wording import amount_of, coins

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from protocol.l2.looks import L2Looks
    from protocol.l2.packets import Message
    from protocol.l2.session import L2Session
    from protocol.l2.versions import L2Version
    from protocol.outgoing import Outgoing
    from protocol.rendering import Renderings
    from world.item import Item
    from world.mobile import Mobile
    from world.offers import Catalogue, Priced

BUY, SELL, WARE, OTHERS = "Buy", "Sell", "Ware", "Others"
DEPOSIT, WITHDRAW, LEAVE = "DepositP", "WithdrawP", "Leave"
"""The deeds that links name; those of public servers have the same words."""

MOST_LINKS: Final = 30
"""Wares on one page: with the longest names less than a page holds, of which the end would be left out."""

MOST_ROWS: Final = 1000
"""Rows of one list: more than fit a pack, and with 40 bytes each well below the longest message."""


COUNT_SIZE: Final = 2
"""Bytes of the number of rows, which is what a BuyList without any ends with."""


def link(host: Mobile, deed: str, more: str = "") -> str:
    """The bypass of a link at somebody's counter."""
    return f"npc_{host.serial}_{deed}{more and ' '}{more}"


class Drawing(Protocol):
    """This game's view, as far as it is needed here."""

    looks: L2Looks


V = TypeVar("V", bound=Drawing)


def shows_counters(events: Renderings[V, L2Version]) -> None:
    """Declare how this game's view shows counters."""
    events.renders(ShopOpened)(shop_opened)
    events.renders(VaultOpened)(vault_opened)
    events.leaves_out(Traded, because="its owner is told the difference of all it has, and a line says so")
    events.leaves_out(CounterClosed, because="a list cannot be taken back; an order from it counts no more")


def shop_opened(
    view: Drawing, event: ShopOpened, audience: Hashable, version: L2Version
) -> Sequence[Outgoing]:
    """NpcHtmlMessage: a page with links; BuyList or SellList once its player has chosen one."""
    return (ShopCounter(version, view.looks, event),)


def vault_opened(
    view: Drawing, event: VaultOpened, audience: Hashable, version: L2Version
) -> Sequence[Outgoing]:
    """NpcHtmlMessage with what the bank keeps; WarehouseDepositList or WarehouseWithdrawList once its player
    has chosen one. Its windows close with an order, so that none has to be filled anew."""
    return () if event.anew else (VaultCounter(version, view.looks, event),)


# What is in the lists


@attrs.frozen
class Wares:
    """Wares of a merchant now: `listed` by the client's kind of item, and `others` that have no row of
    their own in its list."""

    listed: Mapping[int, Priced]
    others: Sequence[Priced]
    names: Mapping[int, str]
    """Ours by the client's kind, of what is listed."""


def wares_of(looks: L2Looks, catalogue: Catalogue) -> Wares:
    """Sort out what a merchant has left."""
    return catalogue.kept("l2 wares", lambda: _sorted_out(looks, catalogue))


def _sorted_out(looks: L2Looks, catalogue: Catalogue) -> Wares:
    listed: dict[int, Priced] = {}
    others: list[Priced] = []
    for row in catalogue.sells:
        kind = looks.items[row.item].item
        if row.left == 0:
            continue
        if kind in listed or row.price > MOST_COINS or len(listed) >= MOST_ROWS:
            others.append(row)
        else:
            listed[kind] = row
    return Wares(listed, others, {kind: row.item for kind, row in listed.items()})


def saleable(mobile: Mobile, catalogue: Catalogue) -> list[tuple[Item, int]]:
    """Things that a mobile carries and a merchant buys, with the price of one: as many as a list holds."""
    found = shops.saleable(mobile, catalogue)
    return [(item, price) for item, price in found if price <= MOST_COINS][:MOST_ROWS]


def depositable(mobile: Mobile) -> list[Item]:
    """Things that a mobile carries and a banker keeps, bags and what is in them; gold is among them."""
    return [item for item in hands.carried_items(mobile) if item.template.movable][:MOST_ROWS]


def withdrawable(mobile: Mobile) -> list[Item]:
    """Everything in a mobile's vault, to any depth; its gold first, as one stack."""
    if mobile.vault is None:
        return []
    gold = safes.gold_stack(mobile)
    others = [item for item in within(mobile.vault) if item is not gold]
    return [*([gold] if gold is not None else []), *others][:MOST_ROWS]


def entries(looks: L2Looks, items: Sequence[Item]) -> tuple[StoredEntry, ...]:
    """Rows of a warehouse's list."""
    return tuple(_entry(looks, item) for item in items)


def _entry(looks: L2Looks, item: Item) -> StoredEntry:
    look = looks.items[item.template.key]
    return StoredEntry(
        type1=look.type1,
        object_id=item.serial,
        item_id=look.item,
        count=min(item.amount, MOST_COINS),
        type2=look.type2,
        body_part=look.part,
        object_id_again=item.serial,
    )


# What is sent


class ShopCounter:
    """A merchant's page, or the list that this client's player chose."""

    __slots__ = ("_event", "_looks", "_version")
    droppable = False

    def __init__(self, version: L2Version, looks: L2Looks, event: ShopOpened) -> None:
        self._version = version
        self._looks = looks
        self._event = event

    def bind(self, session: L2Session) -> bytes:
        """The message. Notes which list the client has, and its number."""
        side, event = _taken(session), self._event
        host, mobile, wares = event.host, event.thing, wares_of(self._looks, event.catalogue)
        money = min(holding.gold(mobile), MOST_COINS)
        message: Message
        if side is Side.BUY:
            session.lists += 1
            session.listing = Listing(side, host.serial, session.lists, wares.names)
            return self._version.encode(BuyList(money, session.lists, ()))[:-COUNT_SIZE] + self._rows(wares)
        elif side is Side.SELL:
            session.listing = Listing(side, host.serial)
            sales = (self._sale(item, price) for item, price in saleable(mobile, event.catalogue))
            message = SellList(money, 0, tuple(sales))
        else:
            session.listing = None
            first = session.others_from if side is Side.OTHERS else 0
            return self._page(wares, first).bind(session)
        return self._version.encode(message)

    def _rows(self, wares: Wares) -> bytes:
        """How many rows there are, and these: the same for all who have a version."""

        def make() -> bytes:
            rows = tuple(map(self._ware, wares.listed.values()))
            front = len(self._version.encode(BuyList(0, 0, ()))) - COUNT_SIZE
            return self._version.encode(BuyList(0, 0, rows))[front:]

        return self._event.catalogue.kept(("l2 rows", self._version.name), make)

    def _page(self, wares: Wares, first: int) -> Page:
        event = self._event
        host, world = event.host, event.thing.world
        links: list[tuple[str, str]] = []
        if wares.listed:
            links.append((link(host, BUY, "1"), "Show me your wares."))
        if event.catalogue.buys:
            links.append((link(host, SELL), "I have something to sell."))
        for row in wares.others[first : first + MOST_LINKS]:
            one = f"{amount_of(world, row.item, 1)} for {coins(world, row.price)}"
            links.append((link(host, WARE, row.item), one))
        if len(wares.others) > MOST_LINKS:
            behind = first + MOST_LINKS
            behind = behind if behind < len(wares.others) else 0
            links.append((link(host, OTHERS, str(behind)), "What else is there?"))
        links.append((link(host, LEAVE), "Nothing, thank you."))
        return _page_of(self._version, host, f"What can I do for you, {event.thing.name}?", links)

    def _ware(self, row: Priced) -> WareEntry:
        look = self._looks.items[row.item]
        stock = 0 if row.left is None else min(row.left, MOST_COINS)
        return WareEntry(look.type1, look.item, stock, look.type2, look.part, row.price)

    def _sale(self, item: Item, price: int) -> SaleEntry:
        return SaleEntry(stack_row(self._looks, item.template.key, item.serial, item.amount), price)


class VaultCounter:
    """A banker's page, or the list that this client's player chose."""

    __slots__ = ("_event", "_looks", "_version")
    droppable = False

    def __init__(self, version: L2Version, looks: L2Looks, event: VaultOpened) -> None:
        self._version = version
        self._looks = looks
        self._event = event

    def bind(self, session: L2Session) -> bytes:
        """The message. Notes which list the client has."""
        side, event = _taken(session), self._event
        host, mobile = event.host, event.thing
        money = min(holding.gold(mobile), MOST_COINS)
        looks = self._looks
        message: Message
        if side is Side.DEPOSIT:
            message = WarehouseDepositList(PRIVATE_WAREHOUSE, money, entries(looks, depositable(mobile)))
        elif side is Side.WITHDRAW:
            message = WarehouseWithdrawList(PRIVATE_WAREHOUSE, money, entries(looks, withdrawable(mobile)))
        else:
            session.listing = None
            return self._page().bind(session)
        session.listing = Listing(side, host.serial)
        return self._version.encode(message)

    def _page(self) -> Page:
        event = self._event
        kept = coins(event.thing.world, event.gold)
        things = len(event.things)
        more = f" and {things} other thing{'s' if things != 1 else ''}" if things else ""
        links = [
            (link(event.host, DEPOSIT), "Put something in."),
            (link(event.host, WITHDRAW), "Take something out."),
            (link(event.host, LEAVE), "Nothing, thank you."),
        ]
        return _page_of(self._version, event.host, f"I keep {kept}{more} for you.", links)


def _page_of(version: L2Version, host: Mobile, text: str, links: Sequence[tuple[str, str]]) -> Page:
    return Page(version, page(host.name, [text], links), [bypass for bypass, _ in links], host.serial)


def _taken(session: L2Session) -> Side | None:
    """Which list its player chose in this turn; None: none, so that it gets the page."""
    opens, session.opens = session.opens, None
    return opens[0] if opens is not None and opens[1] == session.world.now else None
