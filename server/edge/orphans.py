"""Clients of an edge whose world is gone: they are kept until another process has their realm, for a while.

The problem: a world that crashes or is started anew is away for seconds, and its clients are connected here,
where nothing has happened. The idea: the edge has been told what another process needs to go on with each
(`server.edge.words.Kept`). It tells them in words that the world prepared that they wait, holds what they
say, and asks the first world that has their realm to take them up. Who was not in the world yet has nothing
that anybody could go on with, and is hung up on as ever.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, Protocol, cast

import trio

from protocol.endings import Ending
from protocol.wire.body import Body
from server.edge.clients import World as Hearer
from server.edge.words import TakeUp
from server.people.keeping import AWAY, GONE, SAID

if TYPE_CHECKING:
    from collections.abc import Sequence

    from server.edge.clients import EdgeLoop, EdgeSession
    from server.edge.words import Value

log = logging.getLogger("edge")

HOLD_SECONDS: Final = 10.0
"""For which a client without a world is kept."""

LOOK_SECONDS: Final = 0.1
"""From one look for somebody who has its realm to the next, while any waits and no world is reached."""

AGAIN_SECONDS: Final = 0.5
"""After a world has said no."""


class World(Hearer, Protocol):
    """The line to a world."""

    realms: frozenset[str]

    @property
    def open(self) -> bool:
        """Whether it is reached."""


class Edge(Protocol):
    """The process, as far as this asks for it."""

    @property
    def lines(self) -> Sequence[World]: ...

    @property
    def clients(self) -> EdgeLoop: ...


class _Orphan:
    """A client that waits."""

    def __init__(self, session: EdgeSession, frames: Sequence[bytes], now: float) -> None:
        self.session = session
        self.frames = list(frames)
        """For which its world had no time."""
        self.until = now + HOLD_SECONDS
        self.again_at = now


class Orphans:
    """All clients of an edge whose world is gone."""

    def __init__(self, edge: Edge) -> None:
        self._edge = edge
        self._waiting: dict[int, _Orphan] = {}
        self._some = trio.Event()
        self._reached = trio.Event()

    def __len__(self) -> int:
        return len(self._waiting)

    def lost(self, session: EdgeSession) -> bool:
        """A client's world is gone without a word, or does not take it in. False, with nothing done, if there
        is nothing to go on with."""
        return session.kept is not None and self.parted(session, ())

    def parted(self, session: EdgeSession, frames: Sequence[bytes]) -> bool:
        """A client's world has let it go, and had no time for these frames."""
        session.line = session.moving = None
        if session.kept is None:
            return False
        if session.id not in self._waiting:
            self._edge.clients.intakes[session.id].hold()
            _say(session, AWAY)
            self._waiting[session.id] = _Orphan(session, frames, trio.current_time())
            self._some.set()
        return True

    def refused(self, session: EdgeSession, why: str, *, final: bool) -> bool:
        """A world does not take it up: it is asked again, unless that is final. False if it was not asked."""
        orphan = self._waiting.get(session.id)
        if orphan is None:
            return False
        log.debug("%r is not taken up: %s", session, why)
        session.moving = None
        if final:
            self._end(session, Ending.REPLACED, why)
        orphan.again_at = trio.current_time() + AGAIN_SECONDS
        return True

    def reached(self) -> None:
        """A world is there, or has other realms."""
        self._reached.set()

    async def any(self) -> None:
        """Until somebody waits."""
        await self._some.wait()

    def over(self, session: EdgeSession) -> None:
        """It has a world again, or is gone."""
        self._waiting.pop(session.id, None)

    async def run(self) -> None:
        """Find worlds for all who wait, for ever."""
        while True:
            await self._some.wait()
            self._look(trio.current_time())
            if not self._waiting:
                self._some = trio.Event()
                continue
            self._reached = trio.Event()
            with trio.move_on_after(LOOK_SECONDS):
                await self._reached.wait()

    def _look(self, now: float) -> None:
        worlds = {realm: line for line in self._edge.lines if line.open for realm in line.realms}
        for orphan in list(self._waiting.values()):
            session = orphan.session
            kept = session.kept
            there = worlds.get(kept.realm) if kept is not None else None
            if session.moving is not None:
                continue
            if now >= orphan.until:
                self._end(session, Ending.SHUTDOWN, GONE)
            elif there is not None and now >= orphan.again_at:
                self._ask(orphan, there)

    def _end(self, session: EdgeSession, ending: Ending, why: str) -> None:
        self.over(session)
        _say(session, why)
        session.link.end(ending, why)

    def _ask(self, orphan: _Orphan, there: World) -> None:
        session = orphan.session
        if session.kept is None:
            return
        session.moving, session.frames = there, len(orphan.frames)
        there.say(
            TakeUp(
                session.id,
                session.family.name,
                session.door,
                session.listener,
                session.peer,
                session.local,
                session.forwarded,
                cast("list[Value]", session.codec.learnt()),
                orphan.frames,
                session.kept.parts,
            )
        )


def _say(session: EdgeSession, text: str) -> None:
    """Say it in its game's words, as its world prepared them."""
    said = dict(zip(SAID, session.says, strict=False))
    session.outbox += map(Body, said.get(text, ()))
    session.link.flush()
