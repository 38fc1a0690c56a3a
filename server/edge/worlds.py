"""The streams from an edge to its worlds.

The problem: a turn of a world says something to hundreds of clients here, and each is to be sent all of it in
one go, after what was enciphered under older keys. The idea: a batch is read whole, in the order in which it
was said; what a client is sent is only put into its queue, and each of them is flushed once when all is read.
What changes keys flushes before it.

Not done: a task for each client that waits for its part of a batch; waking it costs more than what it does.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Final, Protocol, cast

import trio

from protocol.endings import Ending
from protocol.services import AccountInfo
from protocol.wire.body import Body
from server.edge.batches import FROM_WORLD
from server.edge.clients import Kept as KeptClient
from server.edge.line import Line, LineLost, reason
from server.edge.words import (
    Adopt,
    Adopted,
    Cast,
    Control,
    Done,
    Each,
    End,
    Given,
    Gone,
    Held,
    Hello,
    Hold,
    Kept,
    Move,
    Moved,
    Parted,
    Proof,
    Realms,
    Rest,
    Return,
    Ring,
    Rung,
    Sent,
    Shown,
    State,
    Taken,
    Told,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from protocol.address import Address
    from server.edge.batches import Shared
    from server.edge.clients import EdgeLoop, EdgeSession
    from server.edge.farmap import FarMap
    from server.edge.orphans import Orphans
    from server.edge.words import Value, Word, WorldWord

log = logging.getLogger("edge")

AGAIN_SECONDS: Final = 0.2
"""Between two tries to reach a world."""

CONNECT_SECONDS: Final = 5.0
"""For a connection to a world that does not even refuse: at an address that swallows what is sent there the
system would try for minutes, and the world may have come up meanwhile. In a private network an answer takes
milliseconds; this is what a packet and two that repeat it take on Linux (1 and 3 s later)."""

GATHERED, MOST_GATHERED = 0.1, 0.003
"""Part of the time between two turns, and seconds, for which what clients say is gathered: a world that has a
turn each 20 ms is not to be woken each millisecond."""


MOST_BUSY: Final = 0.05
"""Seconds that a world's next turn is taken to last at most, however long the last one took: one of seconds
is seldom followed by another, and what clients say is not held back for it."""


class Edge(Protocol):
    """The process, as far as its lines ask for it."""

    secret: str

    @property
    def server_name(self) -> str: ...
    @property
    def clients(self) -> EdgeLoop: ...
    @property
    def orphans(self) -> Orphans: ...
    @property
    def ports(self) -> Mapping[tuple[str, str], int]: ...
    @property
    def map(self) -> FarMap: ...

    def world_of(self, number: int) -> WorldLine | None:
        """The line to the world of that id, if it is reached."""

    def reaches(self) -> None:
        """A world is reached: whoever waits for one may go on."""

    def lost(self, line: WorldLine) -> None:
        """A world is gone, and with it whoever played there."""


class WorldLine:
    """The stream to one world, while there is one."""

    def __init__(self, edge: Edge, address: Address) -> None:
        self.address = address
        self.name = ""
        self._edge = edge
        self.world = 0
        """Its id in the database."""
        self.realms: frozenset[str] = frozenset()
        """Those that it has."""
        self._line: Line[WorldWord] | None = None
        self._answered: list[EdgeSession] = []
        """Those who were told something alone by the last batch that told anybody anything."""
        self._scope = trio.CancelScope()

    @property
    def open(self) -> bool:
        """Whether the world is reached."""
        return self._line is not None

    @property
    def label(self) -> str:
        """Its number in the database, or where it is."""
        return str(self.world or self.address)

    @property
    def clients(self) -> int:
        """Those of the edge that are in this world."""
        sessions = cast("Iterable[EdgeSession]", self._edge.clients.sessions.values())
        return sum(session.line is self for session in sessions)

    def say(self, word: Word) -> None:
        """Say something to the world, if it is there."""
        if self._line is not None:
            self._line.say(word)

    def add(self, word: Word) -> None:
        """The same, of what has time until the world takes something in."""
        if self._line is not None:
            self._line.add(word)

    def forget(self) -> None:
        """Try no more to reach it."""
        self._scope.cancel()

    async def keep(self) -> None:
        """Reach the world, again and again."""
        with self._scope:
            await self._keep()

    async def _keep(self) -> None:
        told = False
        while True:
            try:
                with trio.fail_after(CONNECT_SECONDS):
                    stream = await trio.open_tcp_stream(self.address.host, self.address.port)
            except (OSError, trio.TooSlowError) as error:
                if not told:
                    why = str(error) or "it does not answer"
                    log.warning("the world at %s is not reached: %s", self.address, why)
                told = True
                await trio.sleep(AGAIN_SECONDS)
                continue
            stream.setsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_NODELAY, 1)
            told = False
            await self.serve(stream)
            await trio.sleep(AGAIN_SECONDS)

    async def serve(self, stream: trio.abc.Stream) -> None:
        """Serve the stream until it is lost."""
        line = Line(stream, FROM_WORLD)
        edge = self._edge
        try:
            ports = [(table, door, port) for (table, door), port in edge.ports.items()]
            hello = await line.greet(edge.secret, edge.server_name, edge=True, ports=ports)
            self.name, self.world, self._line = hello.name, hello.world, line
            log.info("the world %s at %s is reached", self.name, self.address)
            edge.reaches()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(line.run)
                await self._hear(line)
        except* LineLost as group:
            log.error("the world at %s is lost: %s", self.address, reason(group))
        finally:
            self._line, self.realms = None, frozenset()
            edge.lost(self)
            await line.close()

    async def _hear(self, line: Line[WorldWord]) -> None:
        heard_at, clock = trio.current_time(), time.perf_counter

        def take(bodies: Sequence[Shared], words: Sequence[WorldWord]) -> None:
            nonlocal heard_at
            now, before = trio.current_time(), heard_at
            heard_at = now
            line.gather = min(GATHERED * (now - before), MOST_GATHERED)
            began = clock()
            self._take(line, bodies, words, now)
            owed = self._edge.clients.coalescer.owed if bodies else 0.0
            line.put(Done(int(1e6 * (clock() - began + owed))))

        await line.listen(take)

    def _take(
        self, line: Line[WorldWord], bodies: Sequence[Shared], words: Sequence[WorldWord], now: float
    ) -> None:
        """What the world says; then each of whom it spoke is sent what it is to be. Raises LineLost."""
        sessions: Mapping[int, EdgeSession] = self._edge.clients.sessions  # type: ignore[assignment]
        outboxes = _Outboxes(self, sessions)
        body = bodies.__getitem__
        alone: dict[int, None] = {}
        for word in words:
            # Nearly all are of the first three.
            try:
                if type(word) is Cast:
                    told = [body(place) for place in word.places]
                    for client in word.clients:
                        outboxes[client].extend(told)
                    if not word.waits:
                        outboxes.hurry(word.clients)
                    continue
                if type(word) is Each:
                    front, back = _gap(body(word.place))
                    for client, own in zip(word.clients, word.own, strict=True):
                        outboxes[client].append(Body(front + own + back))
                    if not word.waits:
                        outboxes.hurry(word.clients)
                    continue
                if type(word) is Sent:
                    alone[word.client] = None
                    outboxes[word.client].extend(
                        _filled(bodies, word) if word.own else map(body, word.places)
                    )
                    continue
            except (IndexError, StopIteration, ValueError):
                raise LineLost("it sends what it did not say") from None
            outboxes.clear()  # whatever this does, it may flush
            self._heed(line, word, now)
        # Who is told something alone mostly waits for an answer; then everybody who has to hear of it.
        if touched := outboxes.touched:
            first = [touched[client] for client in alone if client in touched]
            self._edge.clients.send(first, now, others=len(touched) > len(first))
            # The turn that answered these early was one with what it tells everybody: steps wait for as long.
            for session in self._answered:
                session.sent_at = now
            self._answered = first

    def _heed(self, line: Line[WorldWord], word: WorldWord, now: float) -> None:
        """Any other word than `Sent`. Raises LineLost."""
        match word:
            case Hello() | Proof():
                raise LineLost("it says hello twice")
            case Rest():
                ends = now + 1e-6 * word.rest
                line.rest(ends, ends + min(1e-6 * word.turn, MOST_BUSY))
            case Ring():
                line.rung(Rung())
            case Given() if (there := self._edge.world_of(word.world)) is not None:
                there.say(word)
            case Given():
                pass  # not reached: it looks by itself
            case Realms():
                self.realms = frozenset(word.realms)
                self._edge.reaches()
            case Shown():
                self._edge.map.shown(self, word)
            case Told():
                self._edge.map.told(self, word)
            case Sent() | Cast() | Each():
                pass  # `_take` heeds them
            case _:
                session = cast("EdgeSession | None", self._edge.clients.sessions.get(word.client))
                if session is not None and self in (session.line, session.moving):
                    self._about(session, word)
                elif isinstance(word, Adopted) and not word.why:
                    self.say(Gone(word.client, Ending.CONNECTION_LOST, "gone meanwhile"))

    def _about(
        self,
        session: EdgeSession,
        word: Control | Taken | State | End | Hold | Move | Adopted | Return | Kept | Parted,
    ) -> None:
        intake = self._edge.clients.intakes[session.id]
        match word:
            case Hold():
                intake.hold()
                self.say(Held(session.id))
            case Move():
                self._move(session, word)
            case Adopted():
                self._adopted(session, word.why, final=word.final)
            case Return():
                session.moving = None
                intake.go_on(word.frames)
            case Kept():
                self._remember(session, word)
            case Parted():
                if not self._edge.orphans.parted(session, word.frames):
                    session.link.end(Ending.SHUTDOWN, "its world is gone")
            case Taken():
                intake.took(word.frames)
            case State():
                session.phase, session.hang_up_means = word.phase, word.means
                session.account = AccountInfo(0, word.account) if word.account else None
            case Control():
                self._steer(session, word)
            case End():
                session.line = None  # it knows
                session.link.end(word.ending, word.detail)

    def _remember(self, session: EdgeSession, word: Kept) -> None:
        """Know how another process can go on with a client. Raises LineLost."""
        kept = session.kept
        if word.whole:
            session.kept, session.says = (
                KeptClient(self._line, word.realm, word.parts),
                word.says or session.says,
            )
        elif kept is None or kept.told_by is not self._line:
            raise LineLost("it says what has changed of what it did not say")
        else:
            kept.realm = word.realm
            kept.parts.update(word.parts)

    def _move(self, session: EdgeSession, word: Move) -> None:
        """The player goes to another world; here that one is asked to take it in."""
        there = self._edge.world_of(word.world)
        if there is None or there is self:
            self.say(Moved(session.id, "The way is closed now."))
            return
        session.moving, session.frames = there, len(word.frames)
        there.say(
            Adopt(
                session.id,
                session.family.name,
                session.door,
                session.listener,
                session.peer,
                session.local,
                session.forwarded,
                cast("list[Value]", session.codec.learnt()),
                word.frames,
                word.carried,
            )
        )

    def _adopted(self, session: EdgeSession, why: str, *, final: bool) -> None:
        """This world has taken a player in, or not."""
        if session.moving is not self:
            if not why:  # it was taken back before
                self.say(Gone(session.id, Ending.CONNECTION_LOST, "taken back"))
            return
        if why and self._edge.orphans.refused(session, why, final=final):
            return
        session.moving = None
        before = session.line
        if not why:
            if session.kept is not None and session.kept.told_by is not self._line:
                session.kept = None  # until this world says
            self._edge.orphans.over(session)
            session.line, session.learnt = self, session.codec.learnt()
            self._edge.clients.intakes[session.id].go_on(session.frames)
        if before is not None:
            before.say(Moved(session.id, why))
        elif why and not self._edge.orphans.lost(session):
            session.link.end(Ending.SHUTDOWN, "its world is gone")

    def _steer(self, session: EdgeSession, word: Control) -> None:
        codec = session.codec
        if word.method not in codec.controls:
            raise LineLost(f"{session.family.name} has no {word.method}")
        session.link.flush(force=True)
        session.again.like(word.drawn)
        try:
            getattr(codec, word.method)(*word.arguments)
        except (TypeError, ValueError) as error:
            raise LineLost(f"{word.method} of {session.family.name}: {error}") from error
        session.again.like(())
        session.learnt = codec.learnt()
        session.link.flush()


class _Outboxes(dict[int, "list[Shared]"]):
    """The outboxes of those of whom a world speaks, by client; of who is not of that world, one that nobody
    empties. To be cleared where they may be emptied."""

    __slots__ = ("_sessions", "_world", "touched")

    def __init__(self, world: WorldLine, sessions: Mapping[int, EdgeSession]) -> None:
        self._world = world
        self._sessions = sessions
        self.touched: dict[int, EdgeSession] = {}
        """Whoever was told something."""

    def __missing__(self, client: int) -> list[Shared]:
        session = self._sessions.get(client)
        if session is None or (session.line is not self._world and session.moving is not self._world):
            outbox: list[Shared] = []
        else:
            outbox = session.outbox  # type: ignore[assignment] # a world has finished all there is
            self.touched[client] = session
        self[client] = outbox
        return outbox

    def hurry(self, clients: Sequence[int]) -> None:
        """They are told what does not wait for more."""
        for client in clients:
            if client in self.touched:
                self.touched[client].urgent = True


def _gap(body: Shared) -> tuple[bytes, bytes]:
    """What is before a gap, and behind it. Raises ValueError if there is none."""
    if isinstance(body, Body):
        raise ValueError("a body without a gap")
    return body


def _filled(bodies: Sequence[Shared], word: Sent) -> list[Body]:
    """The bodies of a word, with the client's own in their gaps. Raises IndexError and StopIteration if there
    are not so many."""
    own = iter(word.own).__next__
    filled: list[Body] = []
    for place in word.places:
        body = bodies[place]
        filled.append(body if isinstance(body, Body) else Body(body[0] + own() + body[1]))
    return filled
