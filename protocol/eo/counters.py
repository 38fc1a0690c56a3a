"""Shops, the bank and its vaults as this game's windows.

    click on a merchant  ->  Shop_Open     ->  Shop_Buy, Shop_Sell
    click on a banker    ->  Bank_Open     ->  Bank_Add, Bank_Take        gold
    click on a vault     ->  Locker_Open   ->  Locker_Add, Locker_Take    everything else

A shop and a bank have a session id, which the client says again with each wish; only that of the one shown
last counts. Nobody says when a window is closed, and none can be closed from here. So what changes in a vault
by others is shown when it is opened again, but for the gold, of which a packet tells that opens nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from eolib import (
    BankOpenServerPacket,
    BankReplyServerPacket,
    Coords,
    LockerOpenServerPacket,
    ShopOpenServerPacket,
    ShopTradeItem,
    ThreeItem,
)

from protocol.eo.belongings import GOLD
from protocol.eo.packets import bodies, encode
from protocol.eo.packets.base import CHAR_MAX, THREE_MAX, encode_short
from protocol.eo.words import line
from protocol.wire.body import Body
from world import safes

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from protocol.eo.figures import Figures
    from protocol.eo.session import EoSession
    from protocol.outgoing import Outgoing
    from world.events import ShopOpened, VaultOpened
    from world.mobile import Mobile
    from world.offers import Catalogue

UPGRADES: Final = 7
"""A vault does not grow, which clients believe of one that was made larger so often (sorokya/reoserv: at most
7 upgrades)."""

SESSION_ID_AT: Final = 2
"""Where the session id is in Shop_Open: behind action and family."""

TOO_DEAR: Final = '{} costs more than your list can show: say "$buy" and its name.'


class Draws(Protocol):
    """A view, as far as it is asked here."""

    figures: Figures

    def session_of(self, mobile: Mobile) -> EoSession | None:
        """The client of this game that plays it."""


def shop_opened(view: Draws, event: ShopOpened, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
    """Shop_Open, and words for what it has no room for."""
    session = view.session_of(event.thing)
    return () if session is None else shop(session, view.figures, event)


def vault_opened(
    view: Draws, event: VaultOpened, audience: Hashable, dialect: Hashable
) -> Sequence[Outgoing]:
    """Bank_Open, or Locker_Open where a vault stands; Bank_Reply if the gold has changed."""
    session = view.session_of(event.thing)
    return () if session is None else vault(session, view.figures, event)


def shop(session: EoSession, figures: Figures, event: ShopOpened) -> Sequence[Outgoing]:
    """A merchant's list. From here on a client trades by the session id of this one."""
    host, catalogue, female = event.host, event.catalogue, event.thing.female
    before, behind, words = catalogue.kept(
        ("eo", host.serial, host.name, female), lambda: _listed(figures, host, catalogue, female=female)
    )
    session.counter = session.new_token()
    return Body(before + encode_short(session.counter) + behind), *words


def _listed(
    figures: Figures, host: Mobile, catalogue: Catalogue, *, female: bool
) -> tuple[bytes, bytes, Sequence[Outgoing]]:
    """Shop_Open for players of a sex, in front of the session id and behind it: one row for each kind. Price
    0 says that it is not sold, or not bought; what there is none left of is not sold. And words for what it
    has no room for."""
    sells = {row.item: row for row in catalogue.sells if row.left != 0}
    buys = {row.item: row.price for row in catalogue.buys}
    rows, dear = [], []
    for key in {**sells, **buys}:
        sold = sells.get(key)
        price, pays = 0 if sold is None else sold.price, buys.get(key, 0)
        if max(price, pays) > THREE_MAX:
            dear.append(key)
            continue
        most = 0 if sold is None else CHAR_MAX if sold.left is None else min(sold.left, CHAR_MAX)
        number = figures.looks.item_id(key, female=female)
        rows.append(ShopTradeItem(item_id=number, buy_price=price, sell_price=pays, max_buy_amount=most))
    packet = ShopOpenServerPacket(session_id=0, shop_name=host.name, trade_items=rows, craft_items=[])
    raw = encode(packet)
    names = (host.world.content.items[key].name for key in dear)
    words = [each for name in names for each in line(TOO_DEAR.format(name))]
    return raw[:SESSION_ID_AT], raw[SESSION_ID_AT + 2 :], words


def vault(session: EoSession, figures: Figures, event: VaultOpened) -> Sequence[Outgoing]:
    """A vault that was opened: the window of what its player clicked on. If it stands open already, only the
    gold in it, unless the client knows."""
    if event.anew:
        return () if session.banked == event.gold else bodies(bank_reply(session, figures, event.thing))
    tile, session.locker = session.locker, None
    if tile is not None:
        return bodies(
            LockerOpenServerPacket(
                locker_coords=Coords(x=tile[0], y=tile[1]), locker_items=locker_items(figures, event.thing)
            )
        )
    session.counter, session.banked = session.new_token(), event.gold
    return bodies(
        BankOpenServerPacket(gold_bank=event.gold, session_id=session.counter, locker_upgrades=UPGRADES)
    )


def bank_reply(session: EoSession, figures: Figures, mobile: Mobile) -> BankReplyServerPacket:
    """Gold in the pack and in the vault; from here on both count as known."""
    carried, session.banked = figures.amounts(mobile).get(GOLD, 0), safes.gold(mobile)
    session.belongings.owns(GOLD, carried)
    return BankReplyServerPacket(gold_inventory=carried, gold_bank=session.banked)


def locker_items(figures: Figures, mobile: Mobile) -> list[ThreeItem]:
    """Amounts by kind of what lies in a vault beside the gold; what is in a bag there comes with the bag."""
    amounts: dict[int, int] = {}
    for item in safes.things(mobile):
        number = figures.item_id(mobile, item)
        amounts[number] = min(amounts.get(number, 0) + item.amount, THREE_MAX)
    return [ThreeItem(id=number, amount=amount) for number, amount in amounts.items()]
