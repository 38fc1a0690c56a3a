"""Declares what a session of this game takes along into another world, and what begins anew there.

Its client is told of differences, so what it was sent last goes along byte by byte: its own ghost, its sheet,
its bags. Of all other ghosts it has none any more.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, cast
from weakref import ref

from protocol.carriers import PLAIN, Carrier, Carrying, listed, named, record
from protocol.eq2.ghosts import Ghosts
from protocol.eq2.handlers import following
from protocol.eq2.handlers.entering import rezone, tell_time
from protocol.eq2.handlers.leaving import abort_camp
from protocol.eq2.handlers.looking import aim_at
from protocol.eq2.session import GuildShown, ZoneStage
from protocol.eq2.stowed import Stowed
from protocol.eq2.view import Eq2View
from protocol.hours import every_hour
from world.audience import Relation
from world.companions import MemberState

if TYPE_CHECKING:
    from protocol.carriers import Plain
    from protocol.eq2.session import Eq2Session
    from world.mobile import Mobile

SOON: Final = 0.1
"""Seconds until the connection of a session that was made just now runs."""


def _leave(session: Eq2Session) -> None:
    view, mobile = Eq2View.of(session), session.mobile
    if mobile is not None:
        following.end(session, mobile)
        aim_at(session, mobile, None)
    abort_camp(session)
    session.queue(*view.scenery.leave(session))


def _spoken(session: Eq2Session, version: Plain) -> None:
    """Set its version, by name. Raises ValueError for one that is not served here."""
    found = next((one for one in Eq2View.of(session).versions.all if one.name == version), None)
    if found is None:
        raise ValueError(f"no version {version!r}")
    session.version = found


def _lost(session: Eq2Session, saw: Plain) -> None:
    """Have it load its zone anew: which numbers it has for what it draws is not known. Until its connection
    runs it is shown nothing."""
    reference = ref(session)

    def load() -> None:
        session = reference()
        if session is not None:
            session.loading = False
            rezone(reference)

    session.loading = True
    session.world.timers.after(SOON, load)


def _arrive(session: Eq2Session, mobile: Mobile, beside: Plain) -> None:
    view = Eq2View.of(session)
    view.places.forget(mobile)
    view.figures.lead(mobile, 0)
    session.rezone = partial(rezone, ref(session))
    session.queue(*view.changed(mobile, ~0, Relation.SELF, session.version))
    tell_time(session)
    every_hour(session, tell_time)


CARRYING: Final = Carrying.of(
    "eq2 1",
    speaks=lambda session: session.dialect.name,
    spoken=_spoken,
    goes={
        "access_code": PLAIN,
        "fellows": listed(record(MemberState)),
        "ghosts": Carrier(lambda ghosts: cast("Ghosts", ghosts).written(), Ghosts.read),
        "group": PLAIN,
        "group_leader": PLAIN,
        "guild": record(GuildShown, members=listed(into=tuple)),
        "led_by": PLAIN,
        "movement": PLAIN,
        "sheet": PLAIN,
        "stage": named(ZoneStage),
        "stowed": Carrier(lambda stowed: cast("Stowed", stowed).written(), Stowed.read),
        "untracked": listed(into=set),
        "zone": PLAIN,
    },
    anew={
        "asked_at": "at worst it asks once more",
        "camp": "given up before",
        "characters": "at the login door only",
        "corrections": "it is put elsewhere",
        "fallback": "nobody leaves while it loads",
        "following": "whom it followed stays behind",
        "landmarks": "they were taken away",
        "lines": "at the login door only",
        "loot_shown": "the corpse stays behind",
        "looting": "the corpse stays behind",
        "post": "the counter where letters are written stays behind",
        "rezone": "set again",
        "target": "what it aimed at stays behind",
        "trade_places": "ended before",
        "untidy": "nobody leaves while it loads",
        "walk": "it is put elsewhere",
        "watches_world": "at the login door only",
        "world_shown": "at the login door only",
    },
    leave=_leave,
    light=("fellows", "ghosts", "guild", "sheet", "stowed", "untracked"),  # it loads all of it anew
    lost=_lost,
    arrive=_arrive,
)
