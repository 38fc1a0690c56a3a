"""Shops and the bank as this game's own windows.

A merchant's window has two lists, and each comes in a message of its own (UpdateMerchant). What the player
chooses there comes back as a slash command with the numbers of the row: of a ware that of its kind, which is
the same for all clients and as long as the server runs; of a thing of one's own its serial, too. What a
client may do with what it names the world decides. So the wares are encoded once for all who are shown them,
but for the merchant's number, which is each client's own.

This game counts in copper, a hundred of which are a silver coin, and a hundred of these a gold coin; that one
is the world's (see the sheet). The bank's window (UpdateBank) takes and gives coins; the things on its
shelves are part of what a client has (`belongings.py`), and what is moved there comes as such
(`handlers.inventory`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import attrs

from protocol.eq2.packets import COUNTLESS, SALES, WARES, MerchantRow, UpdateBank, UpdateMerchant
from protocol.eq2.stream.messages import Tail, Tailed
from protocol.eq2.words import NARRATIVE, texts
from world import holding, safes, shops
from world.containers import MOST_IN_STACK, counted
from world.offers import Catalogue
from world.service_events import CounterClosed, ShopOpened, Traded, VaultOpened
from world.wording import listed

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from protocol.eq2.session import Eq2Session
    from protocol.eq2.sheets import OwnSheet
    from protocol.eq2.versions import Eq2Version
    from protocol.outgoing import Outgoing
    from protocol.rendering import Renderings
    from world.item import Item
    from world.mobile import Mobile
    from world.offers import Priced

COPPER: Final = 10_000
"""Copper in a gold coin."""

MOST_ROWS: Final = 1000
"""Rows of one list: with some 60 bytes each well below what a client inflates."""

MOST_PRICE: Final = (2**63 - 1) // COPPER
"""Gold that the field of a price holds, whose top bit a client may take for a sign."""

MOST_SHOWN: Final = COUNTLESS - 1
MOST_STACK: Final = 0xFFFF
LONGEST: Final = 200
"""Letters of a row: its length is a byte."""

ANY: Final = 0xFFFF_FFFF
"""A number of a merchant's that has no byte in common with 0."""

MOST_NAMED: Final = 40

BY_WORDS: Final = "In the bank: {}. Type /deposit or /withdraw, a name and a number, for things."
UNLISTED: Final = "There is more than the window shows. Type /causeway buy, a name and a number, for that."


class Teller(Protocol):
    """A view, as far as counters go."""

    belongings: Sequence[Outgoing]
    """What tells a client what it has, the shelves of the bank among that; nothing where that is switched
    off."""

    def sheet(self, mobile: Mobile, version: Eq2Version) -> OwnSheet:
        """The character sheet, on which its gold is."""


V = TypeVar("V", bound=Teller)


def declare(events: Renderings[V, Eq2Version]) -> None:
    """Register how the counters are shown."""
    events.renders(ShopOpened)(shop_opened)
    events.renders(Traded)(traded)
    events.renders(VaultOpened)(vault_opened)
    events.renders(CounterClosed)(counter_closed)


def shop_opened(
    view: Teller, event: ShopOpened, audience: Hashable, version: Eq2Version
) -> Sequence[Outgoing]:
    """UpdateMerchant, one for what is sold and one for what is bought."""
    sales = _saleable(event.thing, event.catalogue)
    whole = _shown(event.catalogue).whole and len(sales) <= MOST_ROWS
    more = () if whole else texts(version, NARRATIVE, UNLISTED)
    lists = WareList(event.host, event.catalogue), SaleList(event.host, sales[:MOST_ROWS])
    # Who comes from the bank's counter has left that.
    return *lists, *more, *view.belongings


def traded(view: Teller, event: Traded, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
    """UpdateMerchant with what is left, and the sheet with one's gold."""
    sheet, visit = view.sheet(event.thing, version), event.thing.visit
    if visit is None or not visit.at(event.host.serial, shops.SHOP):
        return (sheet,)
    return *_lists(event.thing, event.host, shops.catalogue(event.host)), sheet


def vault_opened(
    view: Teller, event: VaultOpened, audience: Hashable, version: Eq2Version
) -> Sequence[Outgoing]:
    """Inventory with the things on the shelves, and UpdateBank with the coins."""
    window: list[Outgoing] = [BankWindow(event.host, event.thing), view.sheet(event.thing, version)]
    told = [*view.belongings, *window]
    if not event.anew and not view.belongings:
        names = [counted(item) for item in event.things[:MOST_NAMED]]
        more = [f"{len(event.things) - MOST_NAMED} more"] if len(event.things) > MOST_NAMED else []
        told += texts(version, NARRATIVE, BY_WORDS.format(listed([*names, *more])))
    return told


def counter_closed(
    view: Teller, event: CounterClosed, audience: Hashable, version: Eq2Version
) -> Sequence[Outgoing]:
    """UpdateMerchant without rows; UpdateBank that closes it, and Inventory without what is in it."""
    if event.service == safes.VAULT:
        return BankWindow(event.host, event.thing, display=0), *view.belongings
    return WareList(event.host, Catalogue()), SaleList(event.host, ())


def _saleable(mobile: Mobile, catalogue: Catalogue) -> list[tuple[Item, int]]:
    """Things that a mobile carries and a merchant buys, with the price of one that a window can show."""
    return [(item, price) for item, price in shops.saleable(mobile, catalogue) if price <= MOST_PRICE]


@attrs.frozen
class Shown:
    """Rows of a merchant that a window can show; `whole`: and there are no others."""

    rows: Sequence[Priced]
    whole: bool


def _shown(catalogue: Catalogue) -> Shown:
    def make() -> Shown:
        there = [row for row in catalogue.sells if row.left != 0]
        rows = [row for row in there if row.price <= MOST_PRICE][:MOST_ROWS]
        return Shown(rows, len(rows) == len(there))

    return catalogue.kept("eq2 rows", make)


def _lists(mobile: Mobile, host: Mobile, catalogue: Catalogue) -> tuple[Outgoing, ...]:
    return WareList(host, catalogue), SaleList(host, _saleable(mobile, catalogue)[:MOST_ROWS])


class WareList:
    """Everything that a merchant sells."""

    __slots__ = ("_catalogue", "_host")
    droppable = False

    def __init__(self, host: Mobile, catalogue: Catalogue) -> None:
        self._host = host
        self._catalogue = catalogue

    def bind(self, session: Eq2Session) -> bytes:
        """UpdateMerchant, which is the same for all but for the merchant's number."""
        version = session.dialect
        before, behind = self._catalogue.kept(
            ("eq2", self._host.serial, version.name), lambda: self._encoded(session)
        )
        return Tailed.of(before + session.ghosts.called(self._host.serial).to_bytes(4, "little"), behind)

    def _encoded(self, session: Eq2Session) -> tuple[bytes, Tail]:
        """The message in front of the merchant's number and behind it."""
        rows = tuple(self._row(session, row) for row in _shown(self._catalogue).rows)
        raw, other = (session.dialect.encode(UpdateMerchant(number, rows, WARES)) for number in (0, ANY))
        at = next(at for at, byte in enumerate(raw) if byte != other[at])
        return raw[:at], Tail(raw[at + 4 :])

    def _row(self, session: Eq2Session, row: Priced) -> MerchantRow:
        template = self._host.world.content.items[row.item]
        stack = min(MOST_IN_STACK, MOST_STACK) if template.stackable else 1
        number = session.number_of_kind(row.item)
        return MerchantRow(
            name=template.name[:LONGEST],
            price=row.price * COPPER,
            item=number,
            stack=stack,
            icon=session.icon(template),
            quantity=COUNTLESS if row.left is None else min(row.left, MOST_SHOWN),
            item_again=number,
            stack_again=stack,
        )


class SaleList:
    """Things of a player's that a merchant buys."""

    __slots__ = ("_host", "_rows")
    droppable = False

    def __init__(self, host: Mobile, rows: Sequence[tuple[Item, int]]) -> None:
        self._host = host
        self._rows = rows

    def bind(self, session: Eq2Session) -> bytes:
        """UpdateMerchant."""
        rows = tuple(self._row(session, item, price) for item, price in self._rows)
        return session.dialect.encode(UpdateMerchant(session.ghosts.called(self._host.serial), rows, SALES))

    def _row(self, session: Eq2Session, item: Item, price: int) -> MerchantRow:
        number, stack = session.number_of_kind(item.template.key), min(item.amount, MOST_STACK)
        return MerchantRow(
            name=item.template.name[:LONGEST],
            price=price * COPPER,
            item=number,
            unique=item.serial,
            stack=stack,
            icon=session.icon(item.template),
            quantity=min(item.amount, MOST_SHOWN),
            item_again=number,
            stack_again=stack,
        )


class BankWindow:
    """The bank, with the coins in it and in the purse."""

    __slots__ = ("_display", "_host", "_mobile")
    droppable = False

    def __init__(self, host: Mobile, mobile: Mobile, *, display: int = 1) -> None:
        self._host = host
        self._mobile = mobile
        self._display = display

    def bind(self, session: Eq2Session) -> bytes:
        """UpdateBank as it is when it leaves."""
        return session.dialect.encode(
            UpdateBank(
                spawn_id=session.ghosts.called(self._host.serial),
                coins=safes.gold(self._mobile) * COPPER,
                gold=min(holding.gold(self._mobile), 0xFFFF_FFFF),
                display=self._display,
            )
        )
