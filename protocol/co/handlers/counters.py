"""Shops and the bank: answers of a merchant's window and of the journal, what the client's own windows of
shops and warehouses send, and the silver beside them.

A merchant's wares are a window of this game's own making (`protocol.co.counters`): each answer has the world
show the counter again, with the page that was chosen. A client's own window of a shop may be open as well,
where a resident has the number of one in the client's files; what that buys and sells, it does at our prices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from protocol.co.counters import WAREHOUSE_SIZE, warehouse, withdrawable
from protocol.co.handlers.looking import seen
from protocol.co.handlers.table import TABLE
from protocol.co.handlers.things import DEEDS, own
from protocol.co.packets import ItemActionType, Package, PackageAction, PackageKind
from protocol.co.session import Leads, Way
from protocol.co.view import CoView
from protocol.dispatch import Interval
from protocol.wishes import Wish, tell
from world import forms, hands, quests, safes, shops, vaults, visits
from world.delta import MobileDelta
from world.dialog import Number
from world.reach import Cannot, Refusal
from world.speech import notice

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.co.packets import ItemAction
    from protocol.co.session import CoSession
    from world.mobile import Mobile

LIKE_A_LIST: Final = Interval(0.2, burst=5)

MORE_THERE: Final = f"Your window shows {WAREHOUSE_SIZE} of your things; take some out to see the others."


# Answers


def choose(session: CoSession, mobile: Mobile, option: int) -> None:
    """Go where an answer of the menu leads. Each is good for one answer. Raises Cannot, as the deed does;
    then the list is shown once more."""
    menu = session.menu
    if menu is None or not 0 < option <= len(menu.ways):
        tell(session, Wish.UNASKED)
        return
    _go(session, mobile, menu.ways[option - 1])


def write(session: CoSession, mobile: Mobile, text: str) -> None:
    """Take the number that was typed into the box of the menu. Raises Cannot(UNFIT), and as `choose` does."""
    menu = session.menu
    if menu is None or menu.box is None:
        tell(session, Wish.UNASKED)
        return
    asked = menu.box
    try:
        amount = forms.taken(Number("amount", "How many?", 1, menu.most), text)
    except Cannot:
        _go(session, mobile, asked)
        raise
    assert isinstance(amount, int)
    _go(session, mobile, attrs.evolve(asked, amount=amount))


def close(session: CoSession, mobile: Mobile) -> None:
    """The window was closed."""
    menu, session.menu = session.menu, None
    if menu is not None and menu.host is not None:
        visits.leave(mobile)


def _go(session: CoSession, mobile: Mobile, way: Way) -> None:
    menu = session.menu
    if menu is None:
        return
    if way.leads is Leads.LEAVE:
        close(session, mobile)
        return
    deed = way.leads is Leads.GIVE_UP or (way.leads in (Leads.BUY, Leads.SELL) and way.amount)
    session.menu = attrs.evolve(menu, page=_list_of(way) if deed else way, ways=(), box=None)
    host = menu.host
    if host is None:
        try:
            if deed:
                quests.give_up(mobile, way.what)
        finally:
            quests.show_journal(mobile)
    elif deed:
        _trade(mobile, host, way)
    else:
        shops.browse(mobile, host)


def _list_of(way: Way) -> Way:
    """The list in which an answer was chosen."""
    lists = {Leads.BUY: Leads.WARES, Leads.SELL: Leads.GOODS}
    return Way(lists.get(way.leads, Leads.QUESTS), first=way.first)


def _trade(mobile: Mobile, host: Mobile, way: Way) -> None:
    """Buy or sell at the price that was shown. Whatever is refused, the list is shown again: its window has
    closed."""
    try:
        if way.leads is Leads.BUY:
            shops.buy(mobile, host, [shops.Order(way.what, way.amount, way.price)])
        else:
            item = mobile.world.items.get(way.serial)
            if item is None or item.root is not mobile:
                raise Cannot(Refusal.GONE)
            shops.sell(mobile, host, [shops.Sale(item, way.amount, way.price)])
    except Cannot as cannot:
        if cannot.why not in (Refusal.PRICE, Refusal.DEAD, Refusal.FAR, Refusal.UNSEEN, Refusal.NO_SHOP):
            shops.browse(mobile, host)
        raise


# The client's own window of a shop


def _buy(session: CoSession, mobile: Mobile, packet: ItemAction) -> None:
    """BUY: a kind of the client's, of which the first of the wares that look so is bought."""
    merchant, looks = _named(session, mobile, packet.id), CoView.of(session).figures.looks
    found = (row.item for row in shops.catalogue(merchant).sells if looks.items[row.item].item == packet.data)
    item = next(found, None)
    if item is None:
        raise Cannot(Refusal.NOT_SOLD)
    shops.buy(mobile, merchant, [shops.Order(item, packet.amount or 1)])


def _sell(session: CoSession, mobile: Mobile, packet: ItemAction) -> None:
    """SELL: all of a thing in the bag."""
    merchant, item = _named(session, mobile, packet.id), own(session, mobile, packet.data)
    shops.sell(mobile, merchant, [shops.Sale(item, item.amount)])


# The bank


def _at_warehouse(session: CoSession, mobile: Mobile, number: int, act: Callable[[Mobile], None]) -> None:
    """Do something at a banker's. What is refused is shown as it is, since the client may have shown it done.
    Raises Cannot, as `act` does."""
    banker = _banker(session, mobile, number)
    try:
        act(banker)
    except Cannot:
        view = CoView.of(session)
        session.send(*warehouse(view.figures, mobile, banker), *view.sheet(mobile, MobileDelta.WEIGHT))
        raise


def _banker(session: CoSession, mobile: Mobile, number: int) -> Mobile:
    """The banker that a client names; if that is none, the one who has opened the window. Coming to another
    one opens it anew. Raises Cannot, as `vaults.visit`, and GONE."""
    named = seen(session, mobile, number)
    if named is None or not named.has_role(vaults.BANKER):
        return visits.host(mobile, safes.VAULT)
    if mobile.visit is None or not mobile.visit.at(named.serial, safes.VAULT):
        vaults.visit(mobile, named)
    return named


@TABLE.while_playing(Package, every=LIKE_A_LIST)
def package(session: CoSession, mobile: Mobile, packet: Package) -> None:
    """Package: what lies in the warehouse; a thing into it or out of it. Of a stack that is too heavy as much
    as can be carried. Raises Cannot, as `vaults.deposit` and `vaults.withdraw` do."""
    if packet.kind != PackageKind.STORAGE:
        tell(session, Wish.HOUSES)
        return

    def list_all(banker: Mobile) -> None:
        session.send(*warehouse(CoView.of(session).figures, mobile, banker))
        if len(withdrawable(mobile)) > WAREHOUSE_SIZE:
            notice(mobile, MORE_THERE)

    def check_in(banker: Mobile) -> None:
        item = own(session, mobile, packet.item)
        vaults.deposit(mobile, banker, item, item.amount)

    def check_out(banker: Mobile) -> None:
        item = safes.kept(mobile, packet.item)
        vaults.withdraw(mobile, banker, item, hands.portable(mobile, item))

    acts = {
        PackageAction.LIST: list_all,
        PackageAction.CHECK_IN: check_in,
        PackageAction.CHECK_OUT: check_out,
    }
    if packet.action not in set(PackageAction):
        tell(session, Wish.UNKNOWN)
        return
    _at_warehouse(session, mobile, packet.npc, acts[PackageAction(packet.action)])


def _query(session: CoSession, mobile: Mobile, packet: ItemAction) -> None:
    """QUERY_MONEY: how much gold lies there."""
    banker = _banker(session, mobile, packet.id)
    session.send(warehouse(CoView.of(session).figures, mobile, banker)[-1])


def _deposit(session: CoSession, mobile: Mobile, packet: ItemAction) -> None:
    """DEPOSIT: `data` coins into the vault."""
    _at_warehouse(session, mobile, packet.id, lambda banker: vaults.deposit_gold(mobile, banker, packet.data))


def _withdraw(session: CoSession, mobile: Mobile, packet: ItemAction) -> None:
    """WITHDRAW: `data` coins out of the vault."""
    _at_warehouse(
        session, mobile, packet.id, lambda banker: vaults.withdraw_gold(mobile, banker, packet.data)
    )


def _named(session: CoSession, mobile: Mobile, number: int) -> Mobile:
    """The resident that a client names and sees. Raises Cannot(UNSEEN)."""
    found = seen(session, mobile, number)
    if found is None:
        raise Cannot(Refusal.UNSEEN)
    return found


DEEDS.update(
    {
        ItemActionType.BUY: _buy,
        ItemActionType.SELL: _sell,
        ItemActionType.QUERY_MONEY: _query,
        ItemActionType.DEPOSIT: _deposit,
        ItemActionType.WITHDRAW: _withdraw,
    }
)
