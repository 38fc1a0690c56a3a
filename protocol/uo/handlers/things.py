"""Moving things: the client takes an item into its hand and puts it down, in two packets.

What may be done is decided by `world.reach` and `world.hands`, which items a client can mean by
`protocol.uo.handlers.looking`. The client shows the result at once, without waiting for an answer: every
refusal has to put its picture right again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.uo import figures as look
from protocol.uo.belongings import forget_content, knows_content
from protocol.uo.handlers import trading
from protocol.uo.handlers.looking import find
from protocol.uo.handlers.table import TABLE
from protocol.uo.packets.misc import Sound
from protocol.uo.packets.things import (
    Drop,
    DropOld,
    Equip,
    EquipMacro,
    Lift,
    LiftRefusal,
    LiftRefused,
    Removed,
    UnequipMacro,
)
from protocol.uo.trading import is_offer
from protocol.uo.view import UoView
from protocol.uo.words import system_message
from world import hands
from world.item import Item
from world.mobile import Mobile
from world.reach import Cannot, Refusal, can_see
from world.serials import FIRST_ITEM, LAST_ITEM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.uo.session import UoSession


GROUND: Final = 0xFFFFFFFF
ANYWHERE: Final = 0xFFFF
"""Target, and x or y, of 0x08: the ground, and any place within a container."""

ONCE: Final = 1
LIFT_SOUND: Final = 0x57
"""ServUO, Server/Item.cs, GetLiftSound."""

_REASONS: Final = {
    Refusal.GONE: LiftRefusal.CANNOT_LIFT,
    Refusal.FIXED: LiftRefusal.CANNOT_LIFT,
    Refusal.FAR: LiftRefusal.OUT_OF_RANGE,
    Refusal.UNSEEN: LiftRefusal.OUT_OF_SIGHT,
    Refusal.NOT_YOURS: LiftRefusal.BELONGS_TO_ANOTHER,
    Refusal.BUSY: LiftRefusal.ARE_HOLDING,
}
"""Refusals that the client has words of its own for. It says nothing by itself for others."""


@TABLE.while_playing(Lift)
def lift(session: UoSession, mobile: Mobile, packet: Lift) -> None:
    """Take an item, or part of a stack, into the hand. The client shows it there already: 0x27 takes it out
    again, and whatever else it may hold. What lies in the window of a trade is offered no more by that.
    Raises Cannot, as `trading.lifted`."""
    if is_offer(packet.serial):
        trading.lifted(session, mobile, packet.serial, packet.amount)
        return
    try:
        item = _liftable(session, mobile, packet.serial)
        was_kept = item.root is mobile.vault
        # A client may count more than there are by now: all of them, then (ServUO, Server/Mobile.cs, Lift).
        hands.lift(mobile, item, min(packet.amount, item.amount))
    except Cannot as cannot:
        hands.bounce(mobile, let_go=True)
        session.send(LiftRefused(_REASONS.get(cannot.why, LiftRefusal.UNSPECIFIC)))
        if cannot.why not in _REASONS:
            session.send(system_message(cannot.why.value))
        _tell_again(session, mobile, packet.serial)
        return
    forget_content(session, item)
    if was_kept:
        session.send(Removed(item.serial))  # nobody but its owner sees a vault, so no event tells that
    x, y, z = UoView.of(session).places.of(mobile)
    session.send(Sound(ONCE, LIFT_SOUND, 0, x, y, z))


@TABLE.while_playing(Drop)
def drop(session: UoSession, mobile: Mobile, packet: Drop) -> None:
    """Put what is in the hand somewhere."""
    _put_down(session, mobile, packet)


@TABLE.while_playing(DropOld)
def drop_old(session: UoSession, mobile: Mobile, packet: DropOld) -> None:
    """Put what is in the hand somewhere."""
    _put_down(session, mobile, packet)


@TABLE.while_playing(Equip)
def equip(session: UoSession, mobile: Mobile, packet: Equip) -> None:
    """Put on what is in the hand. The client's opinion about the layer does not count. What raises Cannot
    here lets the item go back where it was."""
    if mobile.held is None or mobile.held.serial != packet.serial:
        return
    try:
        if packet.mobile != mobile.serial:
            raise Cannot(Refusal.NOT_YOURS)
        hands.wear(mobile)
    except Cannot as cannot:
        _bounce(session, mobile, cannot)


@TABLE.while_playing(EquipMacro)
def equip_macro(session: UoSession, mobile: Mobile, packet: EquipMacro) -> None:
    """Put on what is listed, piece by piece, until something stands against it. Raises Cannot(GONE) for what
    is not on the character, and as `hands.exchange` does."""
    for serial in _numbers(packet.rest, 4):
        item = session.world.items.get(serial)
        if item is None or item.root is not mobile:
            raise Cannot(Refusal.GONE)
        if item.parent is not mobile:
            hands.exchange(mobile, item)


@TABLE.while_playing(UnequipMacro)
def unequip_macro(session: UoSession, mobile: Mobile, packet: UnequipMacro) -> None:
    """Put what is worn there into the pack, piece by piece, until something stands against it."""
    for layer in _numbers(packet.rest, 2):
        hands.take_off(mobile, layer)


def _numbers(data: bytes, size: int) -> Sequence[int]:
    """A list that its number of elements precedes, in one byte, as far as it is there."""
    ends = range(1 + size, min(len(data), 1 + size * data[0]) + 1, size) if data else ()
    return [int.from_bytes(data[end - size : end], "big") for end in ends]


def _liftable(session: UoSession, mobile: Mobile, serial: int) -> Item:
    """An item that the client may know of: as in `find`, and what lies on the ground in sight, though it was
    laid there in this turn; or lay there until this turn, for then `hands` says what is the matter. What it
    cannot know of is to it as what does not exist."""
    item = session.world.items.get(serial)
    if item is not None:
        lies = item.realm is not None and can_see(mobile, item)
        if lies or serial in session.known or find(session, serial) is item:
            return item
        if item.root is mobile.vault:
            raise Cannot(Refusal.FAR)
    raise Cannot(Refusal.GONE)


def _put_down(session: UoSession, mobile: Mobile, packet: Drop | DropOld) -> None:
    """A client whose lift was refused drops all the same, if it was fast: that means nothing."""
    held = mobile.held
    if held is None or held.serial != packet.serial:
        return
    try:
        if packet.target == GROUND:
            _lay(session, mobile, packet.x, packet.y)
            return
        if trading.is_in_window(packet.target):
            trading.dropped(mobile, held, packet.target)
            return
        target = find(session, packet.target)
        if isinstance(target, Mobile) and target.is_character and target is not mobile:
            trading.given(mobile, target, held)
        elif isinstance(target, Mobile):
            hands.hand_over(mobile, target)
        elif target is not None:
            _put_onto(mobile, held, target, packet)
        else:
            kept = session.world.items.get(packet.target)
            raise Cannot(Refusal.FAR if kept is not None and kept.root is mobile.vault else Refusal.UNSEEN)
        if isinstance(target, Item) and target.root is mobile.vault and find(session, held.serial) is None:
            session.send(Removed(held.serial))  # gold, or part of another stack by now
    except Cannot as cannot:
        _bounce(session, mobile, cannot)


def _lay(session: UoSession, mobile: Mobile, x: int, y: int) -> None:
    if mobile.realm is None:
        raise Cannot(Refusal.BLOCKED)
    at = UoView.of(session).places.atlas(mobile.realm)
    hands.lay(mobile, x - at.x, y - at.y)


def _put_onto(mobile: Mobile, held: Item, target: Item, packet: Drop | DropOld) -> None:
    """Into a container; onto an equal stack; else beside whatever it was put on."""
    place = None if ANYWHERE in (packet.x, packet.y) else (packet.x, packet.y)
    if target.template.container:
        _stow(mobile, target, place)
    elif target.template is held.template and target.template.stackable:
        try:
            hands.stack(mobile, target)
        except Cannot as cannot:
            if cannot.why not in (Refusal.FULL, Refusal.NESTED):
                raise
            _put_beside(mobile, target, place)
    else:
        _put_beside(mobile, target, place)


def _put_beside(mobile: Mobile, target: Item, place: tuple[int, int] | None) -> None:
    if isinstance(target.parent, Item):
        _stow(mobile, target.parent, place)
    elif target.realm is not None:
        hands.lay(mobile, target.x, target.y)
    else:
        raise Cannot(Refusal.NESTED)


def _stow(mobile: Mobile, container: Item, place: tuple[int, int] | None) -> None:
    if place is None:
        hands.stow(mobile, container)
    else:
        hands.stow(mobile, container, *look.clamp_slot(container, *place))


def _bounce(session: UoSession, mobile: Mobile, cannot: Cannot) -> None:
    """The hand's item goes back where it was, and its player is told why. There is no packet for that: the
    client waits for news of the item, and gets them as of any change (recorded of ServUO)."""
    hands.bounce(mobile, let_go=True)
    session.send(system_message(cannot.why.value))


def _tell_again(session: UoSession, mobile: Mobile, serial: int) -> None:
    """Tell where an item is that the client has just put back where it believed it to be; or that it is
    nowhere in sight. Scenery and hair stay what they are."""
    if not FIRST_ITEM <= serial <= LAST_ITEM:
        return
    figures, version = UoView.of(session).figures, session.dialect
    item = find(session, serial)
    if not isinstance(item, Item):
        session.send(Removed(serial))
        return
    forget_content(session, item)
    if isinstance(item.parent, Mobile):
        session.send(figures.worn_item(item, item.parent))
        if item is mobile.backpack:
            session.send(figures.content(item, version))
    elif item.parent is None:
        session.send(figures.on_ground(item, version))
    elif knows_content(session, item.parent):
        session.send(figures.contained(item, item.parent, version))
    else:
        session.send(Removed(serial))
