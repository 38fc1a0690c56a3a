"""Puts a client to where its character is, now or in its time, and ends its journeys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.co.view import CoView
from protocol.corrections import put_right
from world import journeys, motion

if TYPE_CHECKING:
    from protocol.co.session import CoSession
    from world.mobile import Mobile


def correct(session: CoSession, mobile: Mobile) -> None:
    """The client has gone where its character cannot go: put it back, now or in its time."""
    motion.halt(mobile)
    put_right(session, mobile, kick_back)


def come_back(session: CoSession, mobile: Mobile) -> None:
    """Put a client back that waits for that: what it is told next begins where its character stands."""
    if session.corrections.astray:
        session.corrections.astray = False
        kick_back(session, mobile)


def kick_back(session: CoSession, mobile: Mobile) -> None:
    """Put the client where its character is. What it had sent before it learns that is void."""
    motion.halt(mobile)
    session.send(CoView.of(session).placed(mobile))


def leave_off(session: CoSession, mobile: Mobile) -> bool:
    """End a journey, and what was to be done at its end. Returns whether it was on its way; steps that its
    player took are not touched."""
    session.errand = None
    return journeys.leave_off(mobile)
