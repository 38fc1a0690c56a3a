"""Buying, selling, and what one keeps in the bank.

The client waits for the answer to each of these before it changes anything. The original is silent when it
refuses; here the player is told why. The counters themselves are opened by a click on who stands there
(`dialogs.py`) and, for things, on a vault near a banker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from eolib import (
    BankAddClientPacket,
    BankTakeClientPacket,
    Coords,
    ItemKickServerPacket,
    LockerAddClientPacket,
    LockerBuyClientPacket,
    LockerGetServerPacket,
    LockerOpenClientPacket,
    LockerReplyServerPacket,
    LockerSpecServerPacket,
    LockerTakeClientPacket,
    ShopBuyClientPacket,
    ShopBuyServerPacket,
    ShopSellClientPacket,
    ShopSellServerPacket,
    ShopSoldItem,
    ThreeItem,
)
from eolib import Item as EoItem
from eolib.protocol.map import MapTileSpec

from protocol.dispatch import Interval
from protocol.eo.belongings import GOLD
from protocol.eo.counters import bank_reply, locker_items
from protocol.eo.handlers.looking import ASKING_SECONDS
from protocol.eo.handlers.table import TABLE
from protocol.eo.status import weight
from protocol.eo.view import EoView
from world import hands, safes, shops, vaults, visits
from world.containers import MOST_IN_CONTAINER
from world.reach import Cannot, Refusal, can_reach_tile

if TYPE_CHECKING:
    from protocol.eo.session import EoSession
    from world.mobile import Mobile

NO_VAULT: Final = "There is no vault."
LARGE_ENOUGH: Final = "Your vault is as large as vaults are."

Counter: TypeAlias = ShopBuyClientPacket | ShopSellClientPacket | BankAddClientPacket | BankTakeClientPacket


@TABLE.while_playing(ShopBuyClientPacket)
def buy(session: EoSession, mobile: Mobile, packet: ShopBuyClientPacket) -> None:
    """Shop_Buy: so many of a kind. Raises Cannot, as `shops.buy`."""
    merchant = _host(session, mobile, packet, shops.SHOP)
    figures, item_id, amount = EoView.of(session).figures, packet.buy_item.id, packet.buy_item.amount
    shops.buy(mobile, merchant, [shops.Order(figures.kind(mobile, item_id), amount)])
    gold, stones = figures.amounts(mobile).get(GOLD, 0), weight(mobile)
    session.send(
        ShopBuyServerPacket(gold_amount=gold, bought_item=EoItem(id=item_id, amount=amount), weight=stones)
    )
    belongings = session.belongings
    belongings.owns(GOLD, gold)
    # The client adds what it bought to what it knows of.
    belongings.owns(item_id, belongings.inventory.get(item_id, 0) + amount, stones.current)


@TABLE.while_playing(ShopSellClientPacket)
def sell(session: EoSession, mobile: Mobile, packet: ShopSellClientPacket) -> None:
    """Shop_Sell: so many of a kind, out of all stacks. Raises Cannot, as `shops.sell_kind`."""
    merchant = _host(session, mobile, packet, shops.SHOP)
    figures, item_id, amount = EoView.of(session).figures, packet.sell_item.id, packet.sell_item.amount
    shops.sell_kind(mobile, merchant, [shops.Order(figures.kind(mobile, item_id), amount)])
    amounts, stones = figures.amounts(mobile), weight(mobile)
    gold, left = amounts.get(GOLD, 0), amounts.get(item_id, 0)
    session.send(
        ShopSellServerPacket(sold_item=ShopSoldItem(amount=left, id=item_id), gold_amount=gold, weight=stones)
    )
    session.belongings.owns(item_id, left)
    session.belongings.owns(GOLD, gold, stones.current)


@TABLE.while_playing(BankAddClientPacket)
def deposit_gold(session: EoSession, mobile: Mobile, packet: BankAddClientPacket) -> None:
    """Bank_Add: gold into the vault. Raises Cannot, as `vaults.deposit_gold`."""
    banker = _host(session, mobile, packet, safes.VAULT)
    vaults.deposit_gold(mobile, banker, packet.amount)
    session.send(bank_reply(session, EoView.of(session).figures, mobile))


@TABLE.while_playing(BankTakeClientPacket)
def withdraw_gold(session: EoSession, mobile: Mobile, packet: BankTakeClientPacket) -> None:
    """Bank_Take: gold out of the vault. Raises Cannot, as `vaults.withdraw_gold`."""
    banker = _host(session, mobile, packet, safes.VAULT)
    vaults.withdraw_gold(mobile, banker, packet.amount)
    session.send(bank_reply(session, EoView.of(session).figures, mobile))


@TABLE.while_playing(LockerOpenClientPacket, every=Interval(ASKING_SECONDS, burst=3))
def open_locker(session: EoSession, mobile: Mobile, packet: LockerOpenClientPacket) -> None:
    """Locker_Open: a click on a vault. The turn shows what lies there."""
    banker = _banker_at(session, mobile, packet.locker_coords)
    vaults.visit(mobile, banker)
    session.locker = packet.locker_coords.x, packet.locker_coords.y


@TABLE.while_playing(LockerAddClientPacket)
def deposit(session: EoSession, mobile: Mobile, packet: LockerAddClientPacket) -> None:
    """Locker_Add: so many of a kind into the vault; gold is added to the rest of it at the bank. Raises
    Cannot, as `vaults.deposit_kind`; of a vault that is full its client has words, too."""
    banker = _banker_at(session, mobile, packet.locker_coords)
    figures, item_id, amount = EoView.of(session).figures, packet.deposit_item.id, packet.deposit_item.amount
    try:
        vaults.deposit_kind(mobile, banker, figures.kind(mobile, item_id), amount)
    except Cannot as cannot:
        if cannot.why is Refusal.FULL:
            session.send(LockerSpecServerPacket(locker_max_items=MOST_IN_CONTAINER))
        raise
    left, stones = figures.amounts(mobile).get(item_id, 0), weight(mobile)
    session.send(
        LockerReplyServerPacket(
            deposited_item=EoItem(id=item_id, amount=left),
            weight=stones,
            locker_items=locker_items(figures, mobile),
        ),
        # Newer eoweb takes what is left for what was put in (sorokya/eoweb: src/controllers/
        # locker-controller.ts), which this puts right; for all others it says the same.
        ItemKickServerPacket(item=EoItem(id=item_id, amount=left), current_weight=stones.current),
    )
    session.belongings.owns(item_id, left, stones.current)


@TABLE.while_playing(LockerTakeClientPacket)
def withdraw(session: EoSession, mobile: Mobile, packet: LockerTakeClientPacket) -> None:
    """Locker_Take: one thing of a kind, or a stack of it, or as much of that as can be carried. Raises
    Cannot, as `vaults.withdraw`; GONE if there is none."""
    banker = _banker_at(session, mobile, packet.locker_coords)
    figures, item_id = EoView.of(session).figures, packet.take_item_id
    things = safes.things(mobile)
    item = next((item for item in things if figures.item_id(mobile, item) == item_id), None)
    if item is None:
        raise Cannot(Refusal.GONE)
    amount = hands.portable(mobile, item)
    vaults.withdraw(mobile, banker, item, amount)
    stones, belongings = weight(mobile), session.belongings
    session.send(
        LockerGetServerPacket(
            taken_item=ThreeItem(id=item_id, amount=amount),
            weight=stones,
            locker_items=locker_items(figures, mobile),
        )
    )
    belongings.owns(item_id, belongings.inventory.get(item_id, 0) + amount, stones.current)


@TABLE.while_playing(LockerBuyClientPacket)
def enlarge(session: EoSession, mobile: Mobile, packet: LockerBuyClientPacket) -> None:
    """Locker_Buy: a larger vault, which nobody sells. Raises Cannot(USELESS)."""
    raise Cannot(Refusal.USELESS, LARGE_ENOUGH)


def _host(session: EoSession, mobile: Mobile, packet: Counter, service: str) -> Mobile:
    """Who serves at the counter of a session id. Raises Cannot: DEAD; GONE if that is none, or another one
    by now."""
    host = visits.host(mobile, service)
    if not 0 < packet.session_id == session.counter:
        raise Cannot(Refusal.GONE, visits.CLOSED)
    return host


def _banker_at(session: EoSession, mobile: Mobile, place: Coords) -> Mobile:
    """The banker for the vault on a tile. Raises Cannot: GONE if there is no vault, FAR, NO_BANK."""
    tiles, realm = EoView.of(session).figures.looks.tiles, mobile.realm
    stands = realm is not None and any(
        (piece.x, piece.y) == (place.x, place.y) and tiles[piece.kind.key].spec == MapTileSpec.BankVault
        for piece in realm.chart.scenery
    )
    if not stands:
        raise Cannot(Refusal.GONE, NO_VAULT)
    if not can_reach_tile(mobile, place.x, place.y):
        raise Cannot(Refusal.FAR)
    return vaults.banker_near(mobile)
