"""Declares what a session of this game takes along into another world, and what begins anew there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.carriers import Carrying, mapped
from protocol.hours import every_hour
from protocol.web.handlers.entering import tell_time

if TYPE_CHECKING:
    from protocol.carriers import Plain
    from protocol.web.session import WebSession
    from world.mobile import Mobile


def _leave(session: WebSession) -> None:
    """Keep of what is open only what it carries: all else is taken away."""
    items, mobile = session.world.items, session.mobile
    session.forget_way()
    session.opened = {
        serial: told
        for serial, told in session.opened.items()
        if serial in items and items[serial].root is mobile
    }


def _arrive(session: WebSession, mobile: Mobile, beside: Plain) -> None:
    tell_time(session)
    every_hour(session, tell_time)


CARRYING: Final = Carrying.of(
    "web 1",
    speaks=lambda session: None,
    spoken=lambda session, version: None,
    goes={"opened": mapped(), "told": mapped()},
    anew={
        "asked": "its dialogs were closed",
        "steps": "it is put elsewhere",
        "way": "it led to where it is no more",
    },
    leave=_leave,
    arrive=_arrive,
)
