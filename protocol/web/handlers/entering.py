"""Into the world: `Entered`, then all about one's own character; the turn shows what it sees."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from protocol.denials import Denied
from protocol.hours import every_hour
from protocol.session import Phase
from protocol.web import quests
from protocol.web.belongings import Renewed
from protocol.web.handlers.table import TABLE
from protocol.web.packets.entering import Enter, Entered
from protocol.web.view import SIGHT, Arrival, WebView
from protocol.web.words import refusal
from world import journals, motion, speech
from world.audience import Relation

if TYPE_CHECKING:
    from protocol.web.session import WebSession
    from world.mobile import Mobile


@TABLE.on(Enter, during=Phase.MENU, every=0.5)
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
    view = WebView.of(session)
    entered = Entered(
        id=mobile.serial,
        name=mobile.name,
        sight=SIGHT.radius,
        walk_ms=mobile.gait.walk_ms,
        run_ms=mobile.gait.run_ms,
        access=mobile.access,
    )
    session.queue(Arrival(entered))
    session.send(view.realm(mobile))
    session.queue(*view.show(mobile, Relation.SELF, session.dialect))
    session.queue(Renewed(view.figures.sheet(mobile)))
    session.queue(Renewed(view.figures.skills(mobile)))
    session.queue(Renewed(view.possessions.belongings(mobile)))
    if tasks := journals.entries(mobile):
        session.send(quests.journal(tasks, shown=False))
    session.send(view.time(mobile.world))
    every_hour(session, tell_time)
    speech.notice(mobile, f"Welcome to {session.services.server_name}, {mobile.name}.")


def tell_time(session: WebSession) -> None:
    """The hour is over: tell its client."""
    session.send(WebView.of(session).time(session.world))
