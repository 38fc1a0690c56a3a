"""The way into the world: the first packets about it, in the order that the strictest client insists on."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from protocol.denials import Denial, Denied
from protocol.hours import every_hour
from protocol.session import Phase
from protocol.uo import sky
from protocol.uo.figures import health_bar, revision
from protocol.uo.packets.entering import (
    LoginComplete,
    LoginConfirm,
    MapChange,
    MapPatch,
    MapPatches,
    Season,
)
from protocol.uo.packets.fighting import WarMode
from protocol.uo.packets.login import Popup, PopupReason
from protocol.uo.places import MAP_SIZES
from protocol.uo.session import Chat, Steps, UoSession
from protocol.uo.sheets import full_status, stat_locks
from protocol.uo.view import UoView
from protocol.uo.words import system_message
from world import furniture

if TYPE_CHECKING:
    from world.mobile import Mobile


PATCHED_MAPS: Final = 4

SPRING: Final = 0


async def enter(session: UoSession, serial: int) -> None:
    """Enter the world with a character of the account; if that may not be, the client is told why on its
    character screen."""
    session.phase = Phase.ENTERING
    try:
        await session.services.characters.enter(session, serial, partial(welcome, session))
    except Denied as denied:
        session.phase = Phase.MENU
        reasons = {Denial.NO_CHARACTER: PopupReason.NO_CHARACTER, Denial.IN_USE: PopupReason.IN_WORLD}
        session.send(Popup(reasons.get(denied.why, PopupReason.SYNC)))


def welcome(session: UoSession, mobile: Mobile) -> None:
    """The character stands in its realm: tell the client who and where it is, and let it in.

    The first packet about the world is 0x1B, and 0x55 comes once. Whatever is drawn comes behind it, the
    player's own appearance too: POL's order, which the strictest client insists on (polserver: pol-core/pol,
    start_client_char; testsuite/testclient/pyuo). What else is in sight the turn shows. Raises ValueError if
    the character is in no realm.
    """
    view, version = UoView.of(session), session.dialect
    figures = view.figures
    furniture.stay_on_feet(mobile)
    session.steps = Steps(facing=mobile.heading)
    session.covered = None
    session.opened.clear()
    session.chat = Chat.CLOSED
    if mobile.realm is None:
        raise ValueError(f"{mobile.name} is nowhere")
    there = view.places.atlas(mobile.realm).map
    width, height = MAP_SIZES[there] if there < len(MAP_SIZES) else MAP_SIZES[0]
    x, y, z = view.places.of(mobile)
    session.send(
        LoginConfirm(mobile.serial, figures.body(mobile), x, y, z, mobile.heading, width, height),
        MapChange(there),
        MapPatches((MapPatch(0, 0),) * PATCHED_MAPS),
    )
    session.send(Season(SPRING, 1))
    session.queue(view.place_player(mobile, version))
    session.send(
        sky.light(mobile.world),
        WarMode(mobile.war),
        LoginComplete(),
        figures.incoming(mobile, version, mobile.notoriety),
        full_status(mobile, version),
        stat_locks(mobile),
    )
    if mobile.poisoned and version.coloured_bars:
        session.send(health_bar(mobile))
    _send_belongings(session, mobile)
    session.send(system_message(f"Welcome to {session.services.server_name}, {mobile.name}."))
    if session.told_at_entry:
        session.send(system_message(session.told_at_entry))
        session.told_at_entry = ""
    session.phase = Phase.IN_WORLD
    every_hour(session, tell_light)


def tell_light(session: UoSession) -> None:
    """The hour is over: let it become light or dark."""
    session.send(sky.light(session.world))


def _send_belongings(session: UoSession, mobile: Mobile) -> None:
    """Send the content of the pack, which the client counts from the start, and the tooltips of
    everything."""
    figures, version = UoView.of(session).figures, session.dialect
    if version.tooltips:
        session.send(revision(mobile), *(revision(item) for item in mobile.worn.values()))
    pack = mobile.backpack
    if pack is None:
        return
    for item in pack.contents.values():
        session.send(figures.contained(item, pack, version))
        if version.tooltips:
            session.send(revision(item))
