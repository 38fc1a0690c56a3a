"""Clients of an edge, in place of what a whole server has for them: sessions that know no game, no turns, and
doors behind which a world is told of everything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

import attrs
import trio

from protocol.session import Session
from server.edge.words import Frame, Heard, Learnt, Stale
from server.net.gateway import Gateway
from server.turn.lobby import Lobby

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from protocol.endings import Ending
    from protocol.outgoing import Outgoing
    from server.edge.twin import Again
    from server.edge.words import Value, Word
    from world.world import World as NoWorld


class World(Protocol):
    """A world in another process."""

    def say(self, word: Word) -> None:
        """Say something to it, if it is there."""

    def add(self, word: Word) -> None:
        """The same, of what has time until it takes something in."""


class Taker(Protocol):
    """The intake of a client."""

    def took(self, frames: int) -> None:
        """The world has taken so many frames in all."""

    def hold(self) -> None:
        """Hand on nothing more."""

    def go_on(self, frames: int) -> None:
        """Hand on again, to a world that has so many frames to take already."""

    async def opened(self) -> None:
        """Until the world listens."""


@attrs.define(eq=False)
class Kept:
    """State with which another process can go on with a client, put together of all that its world told of it
    (`server.edge.words.Kept`)."""

    told_by: object
    """The line by which that came: by none other it can be told what has changed."""
    realm: str
    parts: dict[str, bytes]


class EdgeSession(Session):
    """A client at an edge: its codec, its queue, and how far the world says it is."""

    __slots__ = ("again", "born", "frames", "kept", "learnt", "line", "moving", "says", "told_heard")

    again: Again
    """What its codec draws from."""
    born: Sequence[bytes]
    """What that drew when it was made."""
    learnt: object
    """What the world was last told of the codec."""
    line: World | None
    """The world where it plays; None before there is one, and when that knows that it is gone."""
    told_heard: float
    moving: World | None
    """The world that is asked to take it in."""
    frames: int
    """That go there with it."""
    kept: Kept | None
    """What another process needs to go on with it; None: nobody can."""
    says: Sequence[Sequence[bytes]]
    """See `server.edge.words.Kept`."""

    def begin(self) -> None:
        """See Session."""
        self.line = self.moving = None
        self.frames = 0
        self.kept = None
        self.says = ()
        self.learnt = None
        self.told_heard = 0.0

    def finished(self, messages: Sequence[Outgoing]) -> list[bytes]:
        """See Session. A world has finished all there is."""
        return [message.raw for message in messages]  # type: ignore[union-attr] # they are bodies


class EdgeLoop(Lobby):
    """In place of the world's loop: there are no turns, and what connections tell it goes to a world."""

    intakes: dict[int, Taker]
    """Of all sessions."""

    def send(self, first: Iterable[Session], now: float, *, others: bool = True) -> None:
        """Send what worlds said, but for what waits for more; to these first, and to `others` if anything was
        said to them."""
        self.coalescer.answer(first, now)
        if not others:
            return
        self.coalescer.send(self.sessions.values(), now)
        if self.coalescer.due is not None:
            self.wake()

    async def send_later(self) -> None:
        """Send what has waited; for ever."""
        while True:
            await self._wake.wait()
            self._wake = trio.Event()
            if (due := self.coalescer.due) is not None:
                await trio.sleep_until(due)
                self.send((), trio.current_time())

    def refresh(self, session: Session) -> None:
        """See Loop: the world has to tell it all anew."""
        line = cast("EdgeSession", session).line
        if line is not None:
            line.say(Stale(session.id))

    def hand(self, session: Session, frame: bytes, *, waits: bool) -> None:
        """A frame for the world. What its codec knows goes first. `waits`: whether it is one that waits there
        for a turn."""
        session = cast("EdgeSession", session)
        line = session.line
        if line is None:
            return
        learnt = session.codec.learnt()
        if learnt != session.learnt:
            session.learnt = learnt
            line.say(Learnt(session.id, cast("list[Value]", learnt)))
        if waits:
            line.add(Frame(session.id, frame))
        else:
            line.say(Frame(session.id, frame))
        session.told_heard = session.last_heard


class EdgeGateway(Gateway):
    """The doors of an edge."""

    gone: Callable[[EdgeSession, Ending], None]
    """Told of each client that is."""

    def _departs(self, world: NoWorld, session: Session, ending: Ending) -> None:
        super()._departs(world, session, ending)
        self.gone(cast("EdgeSession", session), ending)

    async def sweep(self) -> None:
        """As of any server; and tell the worlds who is silent but there."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(super().sweep)
            while True:
                await trio.sleep(1)
                for connection in list(self.connections.values()):
                    session = cast("EdgeSession", connection.session)
                    if session.line is not None and session.last_heard - session.told_heard > 1:
                        session.told_heard = session.last_heard
                        session.line.add(Heard(session.id))
