"""Declares what a session of this game takes along into another world, and what begins anew there.

A client cannot be told another player id than that of its greeting, so it keeps it. Of worlds that belong
together each hands out numbers of its own (`divide`), so two clients have the same only after all numbers of
a world went round; then one of them stays where it is (`refused`). A character of another game has a number
as well, which no client takes for itself: that one is given another before everybody's eyes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from eolib.protocol.pub import NpcType

from protocol.carriers import PLAIN, Carrying, listed, mapped, named, optional, record
from protocol.eo.handlers.entering import lend_number
from protocol.eo.handlers.leaving import keep_pinging
from protocol.eo.looks import Lists
from protocol.eo.session import Belongings, Companion, Growth, ShownGuild
from protocol.eo.view import EoView
from protocol.session import NO_LINK
from world.guild import Rank

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.carriers import Plain
    from protocol.eo.session import EoSession
    from world.mobile import Mobile


def _leave(session: EoSession) -> None:
    """Nothing: whoever loads a map forgets all that it saw."""


def _lists(session: EoSession) -> Plain:
    known = session.dialect
    if not isinstance(known, Lists):
        return None
    return [known.items, {str(number): int(kind) for number, kind in known.npcs.items()}]


def _spoken(session: EoSession, lists: Plain) -> None:
    """Set the lists that it has: those of this world if they are the same."""
    here = EoView.of(session).downloads.lists
    if lists is None:
        return
    items, npcs = cast("tuple[int, dict[str, int]]", lists)
    known = Lists({int(number): NpcType(kind) for number, kind in npcs.items()}, items)
    session.dialect = here if (here.npcs, here.items) == (known.npcs, known.items) else known


def _gone(session: EoSession) -> None:
    EoView.of(session).figures.ids.players.sessions.pop(session.player_id, None)


def _refused(view: EoView, state: Mapping[str, Plain]) -> str:
    """Somebody whose connection has ended needs no number, however long it is remembered."""
    other = view.clients.get(cast("int", state["player_id"]))
    return "its number is another's" if other is not None and other.link is not NO_LINK else ""


def _arrive(session: EoSession, mobile: Mobile, beside: Plain) -> None:
    EoView.of(session).figures.ids.players.sessions[session.player_id] = session
    lend_number(session, mobile)
    keep_pinging(session.world, session)


def _divide(view: EoView, number: int, of: int) -> None:
    view.figures.ids.players.divide(number, of)


CARRYING: Final = Carrying.of(
    "eo 1",
    speaks=_lists,
    spoken=_spoken,
    goes={
        "_last_token": PLAIN,
        "banked": PLAIN,
        "belongings": record(Belongings, inventory=mapped(), worn=mapped()),
        "growth": record(Growth),
        "guild": optional(record(ShownGuild, rank=named(Rank))),
        "map_id": PLAIN,
        "map_rid": optional(listed(into=tuple)),
        "party": mapped(value=record(Companion)),
        "player_id": PLAIN,
    },
    anew={
        "_buried": "whom it was told of stays behind",
        "_drew": "of one turn only",
        "account_token": "before the world only",
        "board": "it stays behind",
        "character_token": "before the world only",
        "chest": "it stays behind",
        "counter": "whose it was stays behind",
        "doomed_character": "before the world only",
        "failed_logins": "before the world only",
        "locker": "it stays behind",
        "numbers": "told again: they are a few bytes",
        "on_chair": "who goes through a door stands",
        "registrar": "whose window it was stays behind",
        "resync_at": "it is shown everything anew",
        "resync_waits": "it is shown everything anew",
        "selected": "before the world only",
        "trade": "ended before",
        "warp": "nobody leaves while it loads",
    },
    leave=_leave,
    arrive=_arrive,
    gone=_gone,
    refused=_refused,
    divide=_divide,
)
