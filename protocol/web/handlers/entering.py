"""Into the world: `Entered`, then all about one's own character; the turn shows what it sees."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from weakref import ref

from protocol.services import Denied
from protocol.session import Phase
from protocol.web.handlers.refusals import refusal
from protocol.web.handlers.table import on
from protocol.web.messages import Enter, Entered
from protocol.web.view import SIGHT, Audience, Owned, OwnSheet
from world import motion, speech
from world.daytime import until_next_hour
from world.timers import Priority

if TYPE_CHECKING:
    from protocol.web.session import WebSession
    from world.mobile import Mobile


@on(Enter, during=Phase.MENU, every=0.5)
async def enter(session: WebSession, message: Enter) -> None:
    """enter: with a character of the account, which may stand there still."""
    try:
        await session.services.characters.enter(session, message.id, partial(welcome, session))
    except Denied as denied:
        session.send(refusal(denied, Enter))


def welcome(session: WebSession, mobile: Mobile) -> None:
    """The character stands in the world: tell its client who and where it is, and what it has."""
    motion.halt(mobile)
    session.plays_anew()
    session.phase = Phase.IN_WORLD
    session.steps.begin(mobile)
    view = session.view
    session.send(
        Entered(
            id=mobile.serial,
            name=mobile.name,
            sight=SIGHT.radius,
            walk_ms=mobile.gait.walk_ms,
            run_ms=mobile.gait.run_ms,
            access=mobile.access,
        ),
        view.realm(mobile),
    )
    session.queue(*view.show(mobile, Audience.SELF, session.dialect))
    session.queue(OwnSheet(view.figures.sheet(mobile).encode()))
    session.queue(Owned(view.figures.belongings(mobile).encode()))
    session.send(view.time(mobile.world))
    _keep_time(session)
    speech.notice(mobile, f"Welcome to {session.services.server_name}, {mobile.name}.")


def _keep_time(session: WebSession) -> None:
    world = session.world
    session.clock = world.timers.after(
        until_next_hour(world), _tell_time, ref(session), priority=Priority.MS250
    )


def _tell_time(reference: ref[WebSession]) -> None:
    """The hour is over: tell its client. And again after the next."""
    session = reference()
    if session is None or session.mobile is None:
        return
    session.send(session.view.time(session.world))
    _keep_time(session)
