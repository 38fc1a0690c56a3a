"""Declares what a session of this game takes along into another world, and what begins anew there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from protocol.carriers import PLAIN, Carrying, listed, mapped, named, optional, record
from protocol.hours import every_hour
from protocol.l2.handlers.entering import set_calling, tell_time
from protocol.l2.handlers.leaving import keep_pinging, stop_timers
from protocol.l2.packets import AutoAttackStop, DeleteObject, ItemEntry, Macro, MacroCommand, ShortCutEntry
from protocol.l2.session import Notes, PartyShown, SessionKeys
from protocol.l2.view import L2View
from world import journeys
from world.companions import LootRule, MemberState
from world.guild import Bond, Rank
from world.guild_events import GuildSheet, LogLine, MemberLine, TieLine

if TYPE_CHECKING:
    from protocol.carriers import Plain
    from protocol.l2.session import L2Session
    from world.mobile import Mobile


def _leave(session: L2Session) -> None:
    view, mobile = L2View.of(session), session.mobile
    stop_timers(session)
    if mobile is not None and view.stances.ready(mobile):
        view.stances.end(mobile)
        session.send(AutoAttackStop(mobile.serial))  # what would end it is asked here
    session.queue(*view.scenery.leave(session))


def _spoken(session: L2Session, version: Plain) -> None:
    """Set its version, by name. Raises ValueError for one that is not served here."""
    found = next((one for one in L2View.of(session).versions.all if one.name == version), None)
    if found is None:
        raise ValueError(f"no version {version!r}")
    session.dialect = found


def _lost(session: L2Session, saw: Plain) -> None:
    for serial in cast("list[int]", saw):
        session.queue(*session.dialect.bodies(DeleteObject(serial)))


def _arrive(session: L2Session, mobile: Mobile, beside: Plain) -> None:
    L2View.of(session).players.add(session)
    set_calling(session, mobile, session.notes.class_id)
    journeys.set_running(mobile, session.running)
    keep_pinging(session)
    every_hour(session, tell_time)


_NOTES: Final = record(
    Notes,
    shortcuts=mapped(value=record(ShortCutEntry)),
    macros=mapped(value=record(Macro, commands=listed(record(MacroCommand), tuple))),
    friends=mapped(),
)
_PLEDGE: Final = record(
    GuildSheet,
    members=listed(record(MemberLine, rank=named(Rank)), tuple),
    ties=listed(record(TieLine, bond=named(Bond)), tuple),
    log=listed(record(LogLine), tuple),
)

CARRYING: Final = Carrying.of(
    "l2 1",
    speaks=lambda session: session.dialect.name,
    spoken=_spoken,
    goes={
        "account_name": PLAIN,
        "keys": optional(record(SessionKeys)),
        "last_played": PLAIN,
        "lists": PLAIN,
        "macro_revision": PLAIN,
        "notes": _NOTES,
        "owns": optional(mapped(value=record(ItemEntry))),
        "party": optional(record(PartyShown, loot=named(LootRule), others=mapped(value=record(MemberState)))),
        "pledge": optional(_PLEDGE),
        "running": PLAIN,
    },
    anew={
        "characters": "listed again before another is chosen",
        "html": "whose page it was stays behind",
        "hunt": "the prey stays behind",
        "landmarks": "they were taken away",
        "listing": "whose list it was stays behind",
        "opens": "whose counter it was stays behind",
        "others_from": "whose page it was stays behind",
        "ping": "set again",
        "ready_at": "nobody leaves while it loads",
        "selected": "before the world only",
        "sky_missed": "nobody leaves while it loads",
        "target": "what it aimed at stays behind",
        "trading": "ended before",
    },
    leave=_leave,
    sees=lambda session: [*session.known, *L2View.of(session).scenery.shown(session)],
    lost=_lost,
    arrive=_arrive,
)
