"""Declares what a session of this game takes along into another world, and what begins anew there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from protocol.carriers import PLAIN, Carrier, Carrying, listed, named, optional, record
from protocol.hours import every_hour
from protocol.uo.handlers.entering import tell_light
from protocol.uo.packets import bodies
from protocol.uo.packets.entering import MapChange
from protocol.uo.session import Chat, Covered, Steps
from protocol.uo.versions import version_of
from protocol.uo.view import UoView

if TYPE_CHECKING:
    from protocol.carriers import Plain
    from protocol.uo.session import UoSession
    from world.mobile import Mobile


def _numbering(steps: object) -> Plain:
    counted = cast("Steps", steps)
    return [counted.expected, counted.epoch, counted.facing, counted.settled]


def _steps(numbering: Plain) -> Steps:
    expected, epoch, facing, settled = cast("list[int]", numbering)
    return Steps(expected, epoch, facing, bool(settled))


def _leave(session: UoSession) -> None:
    """Keep of what was opened for it only what it carries: all else is taken away."""
    items, mobile = session.world.items, session.mobile
    session.opened = {serial for serial in session.opened if serial in items and items[serial].root is mobile}


def _spoken(session: UoSession, version: Plain) -> None:
    if version is not None:
        session.dialect = version_of(cast("tuple[int, int, int, int]", tuple(cast("list[int]", version))))


def _lost(session: UoSession, saw: Plain) -> None:
    """Show it another map and then its own: a client that changes the map forgets all but its own character
    and what that has (ClassicUO's `World.MapIndex`)."""
    mobile = session.mobile
    if mobile is not None and mobile.realm is not None:
        here = UoView.of(session).places.atlas(mobile.realm).map
        session.queue(*bodies(MapChange(int(here == 0))), *bodies(MapChange(here)))


def _arrive(session: UoSession, mobile: Mobile, beside: Plain) -> None:
    tell_light(session)
    every_hour(session, tell_light)


CARRYING: Final = Carrying.of(
    "uo 1",
    speaks=lambda session: None if session.version is None else list(session.version),
    spoken=_spoken,
    goes={
        "chat": named(Chat),
        "covered": optional(record(Covered)),
        "cursor": PLAIN,
        "opened": listed(into=set),
        "pointing": PLAIN,
        "steps": Carrier(_numbering, _steps),
        "tracks": PLAIN,
        "version": optional(listed(into=tuple)),
    },
    anew={
        "characters": "before the world only",
        "once_known": "before the world only",
        "password": "before the world only",
        "selling": "the merchant stays behind",
        "told_at_entry": "it was told",
        "trade": "ended before",
    },
    leave=_leave,
    lost=_lost,
    arrive=_arrive,
)
