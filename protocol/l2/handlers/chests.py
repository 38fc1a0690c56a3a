"""Chests: the links of their pages, and what is ordered from the lists behind them (`protocol.l2.chests`).

What may be taken and put is decided by `world.hands` and `world.stowing`, thing by thing: what is refused
ends an order, and what was done before that stays done, and is told.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

from protocol.l2.chests import ALL, IN, OUT, opened, shown
from protocol.l2.counters import depositable
from protocol.l2.handlers.ordering import chosen, own_item
from protocol.l2.packets import SystemMessage, SystemMessageId
from protocol.l2.session import Listing, Side
from protocol.l2.view import L2View
from protocol.refusals import tell_refusal
from world import chests, hands, looting, stowing
from world.reach import Cannot, Refusal
from world.speech import notice
from world.wording import amount_of, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from protocol.l2.packets import KeptEntry
    from protocol.l2.session import L2Session
    from world.item import Item
    from world.mobile import Mobile

_LINK: Final = re.compile(r"chest_(\d{1,10})_([A-Za-z]+)")
_SIDES: Final = {OUT: Side.TAKE_OUT, IN: Side.PUT_IN}


def show(session: L2Session, mobile: Mobile, chest: Item) -> None:
    """The page of a chest. Raises Cannot, as `looting.look_into`."""
    session.listing = None
    session.queue(shown(session.dialect, chest, looting.look_into(mobile, chest)))


def follow(session: L2Session, mobile: Mobile, bypass: str) -> bool:
    """Do what a link of a chest's page is for, which was offered; False if it is a link of something else.
    Raises Cannot, as `looting.look_into` and `looting.take_all`, and EMPTY if a list would have nothing."""
    found = _LINK.fullmatch(bypass)
    if found is None:
        return False
    chest, deed = _chest(mobile, int(found[1])), found[2]
    if deed == ALL:
        for refusal in looting.take_all(mobile, chest):
            tell_refusal(mobile, refusal)
        return True
    inside, side = looting.look_into(mobile, chest), _SIDES[deed]
    if side is Side.TAKE_OUT and not inside:
        raise Cannot(Refusal.GONE, looting.EMPTY)
    if side is Side.PUT_IN and not depositable(mobile):
        raise Cannot(Refusal.EMPTY, chests.NOTHING_TO_PUT)
    session.listing = Listing(side, chest.serial)
    session.send(opened(L2View.of(session).looks, mobile, side, inside))
    return True


def take_out(session: L2Session, mobile: Mobile, entries: Sequence[KeptEntry]) -> bool:
    """Take what was chosen from the list of a chest; False if that was not the list shown last. Raises
    Cannot, as `hands.take`, and GONE for what another has by now."""
    chest = _listed(session, mobile, Side.TAKE_OUT)
    if chest is None:
        return False

    def inside(serial: int) -> Item:
        item = mobile.world.items.get(serial)
        if item is None or item.parent is not chest:
            raise Cannot(Refusal.GONE)
        return item

    looting.look_into(mobile, chest)
    with _told(mobile, looting.TAKEN.format) as done:
        for item, count in chosen(entries, inside):
            label = amount_of(mobile.world, item.template.key, count)
            hands.take(mobile, item, count)
            done.append(label)
    return True


def put_in(session: L2Session, mobile: Mobile, entries: Sequence[KeptEntry]) -> bool:
    """Put what was chosen from the list of one's own things into a chest; False if that was not the list
    shown last. Raises Cannot, as `stowing.put`."""
    chest = _listed(session, mobile, Side.PUT_IN)
    if chest is None:
        return False
    looting.look_into(mobile, chest)
    try:
        with _told(mobile, lambda things: chests.PUT_IN.format(things, chest.label)) as done:
            for item, count in chosen(entries, partial(own_item, mobile)):
                label = amount_of(mobile.world, item.template.key, count)
                stowing.put(mobile, chest, item, count)
                done.append(label)
    except Cannot as cannot:
        if cannot.why is not Refusal.FULL:
            raise
        session.send(SystemMessage(SystemMessageId.WAREHOUSE_FULL))  # and not the pack
    return True


@contextmanager
def _told(mobile: Mobile, words: Callable[[str], str]) -> Iterator[list[str]]:
    """Tell what was done, also if something of it was refused in the end."""
    done: list[str] = []
    try:
        yield done
    finally:
        if done:
            notice(mobile, words(listed(done)))


def _listed(session: L2Session, mobile: Mobile, side: Side) -> Item | None:
    listing = session.listing
    return _chest(mobile, listing.host) if listing is not None and listing.side is side else None


def _chest(mobile: Mobile, serial: int) -> Item:
    chest = mobile.world.items.get(serial)
    if chest is None or chest.template.chest is None:
        raise Cannot(Refusal.GONE)
    return chest
