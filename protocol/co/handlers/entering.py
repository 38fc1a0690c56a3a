"""Into the world: from the first request for a map to a client that has loaded all about itself.

    client                       server
    Action ENTER_MAP             the same with the map and the place; its tint, MapInfo, Weather, UserAttrib
    Action SURROUNDINGS          all that is in sight
    Action ITEMS                 ItemInfo for each, and the same action
    Action FRIENDS               Friend for each (`handlers.friends`), and the same action
    Action GUILD                 one's guild (`handlers.guilds`), and the same action
    Action MAGIC ...             the same action: there is none
    Action LOGIN_COMPLETE        the same action, and a welcome

The client asks one thing after the other, and asks for the next only when the action came back: without that
it shows "loading" for ever. After each map that it loads it asks for its surroundings again.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from protocol.co import notes
from protocol.co.handlers.login import NO_PLACE, login_line, refused
from protocol.co.handlers.table import action, first_action
from protocol.co.packets import Action, ActionType
from protocol.co.view import CoView
from protocol.denials import Denied
from protocol.dispatch import Interval
from protocol.endings import Ending
from protocol.hours import every_hour
from protocol.session import Phase
from world import motion, speech

if TYPE_CHECKING:
    from protocol.co.session import CoSession
    from world.mobile import Mobile

log = logging.getLogger("net.co")


@first_action(ActionType.ENTER_MAP)
def begin(session: CoSession) -> None:
    """The client wants its first map: its character enters. What it says next waits for that."""
    if session.selected is not None and session.mobile is None:
        session.later(partial(_enter, session))


async def _enter(session: CoSession) -> None:
    info = session.selected
    if info is None or session.mobile is not None:
        return
    try:
        await notes.prefer(session, info.serial)
        body, profession = await notes.read(session, info)
        await session.services.characters.enter(
            session, info.serial, partial(welcome, session, body, profession)
        )
    except Denied as denied:
        raise refused(str(denied)) from None


def welcome(session: CoSession, body: int, profession: int, mobile: Mobile) -> None:
    """The character stands in the world: tell its client where. It shows nothing before it has loaded."""
    view = CoView.of(session)
    if mobile.realm is None or not view.places.has(mobile.realm.name):
        session.send(login_line(NO_PLACE))
        session.end(Ending.REFUSED, f"{mobile.name} stands where Conquer Online has no place")
        return
    motion.halt(mobile)
    session.phase = Phase.IN_WORLD
    session.loading = True
    if view.figures.enters(mobile, body, profession):
        session.world.redraw(mobile)
    session.send(*view.arrival(mobile, ActionType.ENTER_MAP), *view.sheet(mobile))
    every_hour(session, tell_time)


@action(ActionType.ENTER_MAP, loading=True, every=Interval(1.0, burst=2, coalesced=True))
def tell_map(session: CoSession, mobile: Mobile, packet: Action) -> None:
    """ENTER_MAP once more: where it is."""
    session.send(*CoView.of(session).arrival(mobile, ActionType.ENTER_MAP))


@action(ActionType.SURROUNDINGS, loading=True, every=Interval(0.25, coalesced=True))
def look_around(session: CoSession, mobile: Mobile, packet: Action) -> None:
    """SURROUNDINGS: the map is loaded. The turn shows what is in sight."""
    session.loading = False
    session.blind = True
    session.known.clear()
    session.landmarks = None


@action(ActionType.ITEMS, loading=True, every=Interval(0.25, coalesced=True))
def tell_items(session: CoSession, mobile: Mobile, packet: Action) -> None:
    """ITEMS: what it wears and carries, and the action again."""
    session.send(*CoView.of(session).item_list(session, mobile))
    session.send(packet)


def _send_back(session: CoSession, mobile: Mobile, packet: Action) -> None:
    """There is nothing to tell; the client waits for its action all the same."""
    session.send(packet)


for kind in (ActionType.WEAPON_SKILLS, ActionType.MAGIC):
    action(kind, loading=True, every=Interval(0.25, burst=3, coalesced=True))(_send_back)


@action(ActionType.LOGIN_COMPLETE, loading=True, every=Interval(1.0, coalesced=True))
def complete(session: CoSession, mobile: Mobile, packet: Action) -> None:
    """LOGIN_COMPLETE: the client plays. Some never ask for their surroundings by themselves."""
    session.send(packet)
    if session.loading and not session.complete:
        look_around(session, mobile, packet)
    if not session.complete:
        session.complete = True
        speech.notice(mobile, f"Welcome to {session.services.server_name}, {mobile.name}.")


# The time of day


def tell_time(session: CoSession) -> None:
    """The hour is over: colour its sky."""
    if session.mobile is not None and not session.loading:  # else it comes with the map
        figures = CoView.of(session).figures
        session.send(figures.tint(session.mobile), figures.weather(session.mobile))
