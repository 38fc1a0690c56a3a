"""Looking at things: clicks, names, tooltips, paperdolls, containers. Moving them is refused as long as it
means nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.uo import appearance as look
from protocol.uo.handlers.table import while_playing
from protocol.uo.packets.things import (
    DoubleClick,
    Drop,
    DropOld,
    Equip,
    Lift,
    LiftRefusal,
    LiftRefused,
    NameAnswer,
    NameRequest,
    Profile,
    ProfileRequest,
    PropertiesRequest,
    PropertiesRequestOld,
    SingleClick,
)
from world.item import Item
from world.mobile import Mobile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from protocol.uo.session import UoSession

PAPERDOLL_BIT: Final = 0x80000000
"""In the serial of a double click: only the paperdoll is wanted, not what using a mobile does."""

SHOW_PROFILE: Final = 0

MOST_ASKED: Final = 64
"""Tooltips told for one request. ClassicUO asks for 15 at a time (Network/OutgoingPackets.cs,
Send_MegaClilocRequest)."""


def find(session: UoSession, serial: int) -> Mobile | Item | None:
    """A thing this client may ask about: its player, what it sees, and what either wears or (its own)
    carries."""
    player = session.player
    if serial == player.serial:
        return player
    thing = session.known.get(serial)
    if isinstance(thing, Mobile | Item):
        return thing
    item = session.world.items.get(serial)
    if item is None:
        return None
    if item.root is player or (item.parent is not None and item.parent.serial in session.known):
        return item
    return None


@while_playing(SingleClick)
def single_click(session: UoSession, packet: SingleClick) -> None:
    """Show its name over it."""
    thing = find(session, packet.serial)
    if isinstance(thing, Mobile):
        session.send(look.name_label(thing, session.view.appearance.body(thing)))
    elif thing is not None:
        session.send(
            look.thing_label(thing.serial, session.view.appearance.art(thing), look.item_label(thing))
        )
    else:
        static = session.view.scenery.find(packet.serial)
        if static is not None:
            session.send(look.thing_label(static.serial, static.art, static.name))


@while_playing(DoubleClick)
def double_click(session: UoSession, packet: DoubleClick) -> None:
    """Open a paperdoll, or a container of one's own."""
    thing = find(session, packet.serial & ~PAPERDOLL_BIT)
    appearance = session.view.appearance
    if isinstance(thing, Mobile):
        paperdoll = appearance.paperdoll(thing, own=thing is session.mobile)
        if paperdoll is not None:
            session.send(paperdoll)
    elif thing is not None and thing.template.container and thing.root is session.mobile:
        session.send(appearance.opened(thing, session.dialect), appearance.content(thing, session.dialect))
        if session.dialect.tooltips:
            session.send(*(look.revision(item) for item in thing.contents.values()))


@while_playing(NameRequest)
def name_request(session: UoSession, packet: NameRequest) -> None:
    """Tell a mobile's name."""
    thing = find(session, packet.serial)
    if isinstance(thing, Mobile):
        session.send(NameAnswer(thing.serial, thing.name))


@while_playing(PropertiesRequest)
def properties_request(session: UoSession, packet: PropertiesRequest) -> None:
    """Tell tooltips."""
    _send_properties(session, packet.serials)


@while_playing(PropertiesRequestOld)
def properties_request_old(session: UoSession, packet: PropertiesRequestOld) -> None:
    """Tell a tooltip."""
    _send_properties(session, (packet.serial,))


def _send_properties(session: UoSession, serials: Iterable[int]) -> None:
    for serial in list(dict.fromkeys(serials))[:MOST_ASKED]:
        thing = find(session, serial)
        if thing is not None:
            session.send(look.properties(thing))
            continue
        static = session.view.scenery.find(serial)
        if static is not None:
            session.send(look.property_list(serial, look.ANY_TEXT, static.name))


@while_playing(ProfileRequest)
def profile_request(session: UoSession, packet: ProfileRequest) -> None:
    """Nobody has written about himself."""
    thing = find(session, packet.serial)
    if packet.mode == SHOW_PROFILE and isinstance(thing, Mobile):
        session.send(Profile(thing.serial, look.full_name(thing), "", ""))


@while_playing(Lift)
def lift(session: UoSession, packet: Lift) -> None:
    """Things stay where they are."""
    session.send(LiftRefused(LiftRefusal.CANNOT_LIFT))


@while_playing(Drop)
def drop(session: UoSession, packet: Drop) -> None:
    """There is nothing in the hand: the lift was refused, and the client knows."""


@while_playing(DropOld)
def drop_old(session: UoSession, packet: DropOld) -> None:
    """There is nothing in the hand: the lift was refused, and the client knows."""


@while_playing(Equip)
def equip(session: UoSession, packet: Equip) -> None:
    """There is nothing in the hand: the lift was refused, and the client knows."""
