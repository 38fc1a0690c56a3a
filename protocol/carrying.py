"""A session goes on in another world: what of it goes along, as plain values.

The problem: a client stays connected while the world behind it changes, and believes in a hundred things that
only its session knows. The idea: everything around it is taken away as by a warp while it still is in the old
world, so that what is left is itself, its windows and its numbers; of these each attribute of its session
either goes along or begins anew, and each game says which (`Carrying`, in `protocol/<game>/carrying.py`).
What all games have in common is said here.

The connection does not move: its codec, with ciphers and compression, is handed to the new session by
whoever holds it, and so are packets that wait (`frames_waiting`, `put_back`).

To write the whole object down (pickle) was not taken: it holds the world, timers and functions, and two
releases of the program would have to agree on all of it. Here they have to agree on a word (`schema`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from protocol.carriers import PLAIN, Carrier, Plain, named, optional, record, tokens
from protocol.endings import Ending
from protocol.services import AccountInfo
from protocol.session import Phase

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from protocol.carriers import Carrying
    from protocol.family import Family
    from protocol.session import Session
    from world.mobile import Mobile

GOES: Final[Mapping[str, Carrier]] = {
    "account": optional(record(AccountInfo)),
    "claimed": PLAIN,
    "door": PLAIN,
    "forwarded": PLAIN,
    "hang_up_means": named(Ending),
    "ignored": PLAIN,
    "listener": PLAIN,
    "local": PLAIN,
    "peer": PLAIN,
    "phase": named(Phase),
}
"""Attributes of every session that go along. `paced` goes, too, by the names of packets."""

_COMMON: Final = tokens(GOES)

OWN: Final = "own "
"""Before the names of those parts of a diary that only a game's sessions have."""

ANEW: Final[Mapping[str, str]] = {
    "blind": "it is shown what is around it there",
    "client": "the connection's matter",
    "clock": "set again by the game",
    "codec": "it stays where the socket is",
    "dialect": "each game says it of its own",
    "family": "the other world's",
    "id": "the other world's",
    "inbox": "the frames in it go apart (`frames_waiting`)",
    "known": "all of it was taken away",
    "last_heard": "the connection's matter",
    "link": "the connection's matter",
    "loading": "nobody leaves while it loads",
    "mobile": "its rows go",
    "multicast": "the connection's matter",
    "outbox": "it was sent",
    "paced": "in a form of its own",
    "postponed": "nobody leaves while it loads",
    "recent": "a crash there is not explained by what was said here",
    "sent_at": "what waits to be sent together leaves before",
    "services": "the other world's",
    "unmet": "at worst a line is read once more",
    "unsent": "it was sent",
    "urgent": "it was sent",
    "viewport": "made anew",
}


class Unknown(ValueError):
    """State of a session that this world does not know how to take."""


def carrying_of(family: Family) -> Carrying:
    """The declaration of what a game's sessions take along. Raises Unknown where these stay where they
    are."""
    if family.carrying is None:
        raise Unknown(f"sessions of {family.name} stay in their world")
    return family.carrying


def carried(session: Session) -> dict[str, Plain]:
    """The state of a session whose client believes in nothing but itself. Raises Unknown, or NotPlain for a
    value that its declaration does not expect."""
    carrying = carrying_of(session.family)
    return {
        "game": session.family.name,
        "schema": carrying.schema,
        "common": _common(session),
        "paced": _paced(session),
        "dialect": carrying.speaks(session),
        "beside": carrying.beside(session),
        "own": {name: carrier.pack(getattr(session, name)) for name, carrier in carrying.goes.items()},
    }


def _common(session: Session) -> Plain:
    return {name: carrier.pack(getattr(session, name)) for name, carrier in GOES.items()}


def _paced(session: Session) -> Plain:
    """Seconds until what may not be done too often would be due. What has been due for long is as if it had
    never been done."""
    names, now = session.family.doors[session.door].table.intervals, session.world.now
    return {
        names[interval]: at - now for interval, at in session.paced.items() if at > now and interval in names
    }


class Diary:
    """The state of one session, written again and again as one that may be lost (`lost`): each time only what
    has changed. What is put together of all that was written (`whole`) is what `carried` writes, without what
    a game does without then (`Carrying.light`)."""

    __slots__ = ("_session", "_tokens")

    def __init__(self, session: Session) -> None:
        self._session = session
        self._tokens: dict[str, object] = {}

    def write(self) -> dict[str, Plain]:
        """Write those parts that have changed since this was asked last, by name; all of them the first time.
        Raises as `carried`."""
        session, last = self._session, self._tokens
        carrying = carrying_of(session.family)
        written: dict[str, Plain] = {}
        for name, carrier in carrying.kept.items():
            value = getattr(session, name)
            token = carrier.token(value)
            if name not in last or last[name] != token:
                written[OWN + name] = carrier.pack(value)
                last[name] = token
        token = _COMMON(session)
        if last.get("common") != token:
            written["common"] = _common(session)
            last["common"] = token
        parts: dict[str, Plain] = {
            "kind": [session.family.name, carrying.schema],
            "paced": _paced(session),
            "dialect": carrying.speaks(session),
            "beside": carrying.beside(session),
        }
        for name, part in parts.items():
            if name not in last or last[name] != part:
                written[name] = last[name] = part
        return written


def whole(parts: Mapping[str, Plain]) -> dict[str, Plain]:
    """All that diaries of one session wrote, as `carried` writes it; of each part the last one. Raises
    KeyError if one is missing."""
    game, schema = cast("list[Plain]", parts["kind"])
    state = {name: parts[name] for name in ("common", "paced", "dialect", "beside")}
    own = {name.removeprefix(OWN): part for name, part in parts.items() if name.startswith(OWN)}
    return {"game": game, "schema": schema, **state, "own": own}


def refused(family: Family, state: Mapping[str, Plain]) -> str:
    """Why this world's game cannot take that session; empty if it can."""
    if family.carrying is None or (state.get("game"), state.get("schema")) != (
        family.name,
        family.carrying.schema,
    ):
        return f"{state.get('schema')!r} is not known here"
    return family.carrying.refused(family.view, cast("dict[str, Plain]", state["own"]))


def resume(session: Session, state: Mapping[str, Plain]) -> None:
    """Set a new session of the same game to the state of another. Raises Unknown for another game, or for a
    schema that is not known here."""
    carrying = carrying_of(session.family)
    if why := refused(session.family, state):
        raise Unknown(f"a session cannot go on: {why}")
    carrying.spoken(session, state["dialect"])
    for table, part in ((GOES, "common"), (carrying.goes, "own")):
        values = cast("dict[str, Plain]", state[part])
        for name, carrier in table.items():
            if name in values:
                setattr(session, name, carrier.unpack(values[name]))
    paced, now = cast("dict[str, float]", state["paced"]), session.world.now
    for interval, name in session.family.doors[session.door].table.intervals.items():
        if name in paced:
            session.paced[interval] = now + paced[name]


def account_of(state: Mapping[str, Plain]) -> AccountInfo | None:
    """The account that a session had, by its state."""
    common = cast("Mapping[str, Plain]", state["common"])
    return cast("AccountInfo | None", GOES["account"].unpack(common["account"]))


def with_account(state: Mapping[str, Plain], account: AccountInfo) -> dict[str, Plain]:
    """State of a session, but with that account."""
    common = cast("Mapping[str, Plain]", state["common"])
    return {**state, "common": {**common, "account": GOES["account"].pack(account)}}


def leave(session: Session) -> None:
    """Queue what tells a client that its windows and what else stays behind is gone."""
    carrying_of(session.family).leave(session)


def gone(session: Session) -> None:
    """Forget a session that goes on in another world: nothing here means it any more."""
    carrying_of(session.family).gone(session)


def sees(session: Session) -> Plain:
    """Write what its client sees, for the case that its world is gone (`lost`)."""
    return carrying_of(session.family).sees(session)


def lost(session: Session, saw: Plain) -> None:
    """Queue what takes away from a client its windows, and all that it saw in a world that is gone, as `sees`
    wrote it last."""
    declared = carrying_of(session.family)
    declared.leave(session)
    declared.lost(session, saw)


def arrive(session: Session, mobile: Mobile, state: Mapping[str, Plain]) -> None:
    """Bind a resumed session to this world; its character stands there and is played by it."""
    carrying_of(session.family).arrive(session, mobile, state["beside"])


def divide(family: Family, number: int, of: int) -> None:
    """Have a game hand out, of numbers that clients have for themselves, only this world's share: it is
    `number` (from 0) of `of` worlds. For the start, before anybody comes."""
    if family.carrying is not None:
        family.carrying.divide(family.view, number, of)


def frames_waiting(session: Session) -> list[bytes]:
    """Take the frames of all packets that wait in an inbox, in order."""
    frames = [frame for _, _, frame in session.inbox]
    session.inbox.clear()
    return frames


def put_back(session: Session, frames: Iterable[bytes]) -> None:
    """Let packets wait again, by their frames, before all that comes after. Raises WireError for one that is
    none of the door's."""
    table = session.family.doors[session.door].table
    for frame in frames:
        entry = table.entry(table.opcode_of_frame(frame))
        if entry is not None:
            session.inbox.append((entry, entry.decode(frame), frame))


__all__ = [
    "ANEW",
    "GOES",
    "Diary",
    "Plain",
    "Unknown",
    "account_of",
    "arrive",
    "carried",
    "carrying_of",
    "divide",
    "frames_waiting",
    "gone",
    "leave",
    "put_back",
    "refused",
    "resume",
    "sees",
    "whole",
    "with_account",
]
