"""The connection of a client whose socket is at an edge.

The problem: everything in this process knows clients as connections, with limits, endings and a task of their
own. The idea: such a client is one, too. What is different is what lies under it: a transport that holds
whole frames in place of bytes (`Remote`), and a way to send that hands messages over as they are
(`RemoteConnection.flush`). Most frames come while the connection's task has nothing else to do, and are taken
without waking it.

Not done: a class of connections of its own for edges. It would have had to repeat all that may happen in a
client's life.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, cast

import trio

from protocol.endings import Ending
from protocol.session import NO_LINK, Phase
from protocol.wire.body import Body
from server.edge.words import Control, Hold, Kept, Move, Parted, State, Taken
from server.net.connection import LONGEST_KEPT
from server.net.stream_connection import StreamConnection
from server.people.keeping import GONE, SAID, Keeper
from server.people.presence import REPLACED
from server.turn.rendering import Rendering
from world.events import Said, Speech

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from protocol.outgoing import Outgoing, Share
    from protocol.services import AccountInfo
    from protocol.session import Session
    from server.counters import Counts
    from server.edge.line import Line
    from server.edge.twin import Twin
    from server.edge.words import Adopt, EdgeWord, Open, TakeUp, Value, Word
    from server.people.keeping import Kept as KeptPlayer
    from world.mobile import Mobile
    from world.realm import Realm

FAREWELLS: Final = frozenset({GONE, REPLACED})
"""What an edge says before it hangs up (`server.edge.orphans`)."""

TAKEN_EVERY: Final = 16
"""Frames after which the edge is told that they were taken, if nobody waits for that before."""

MOST_FRAMES: Final = 1024
"""Frames of a client that may wait here. An edge stops reading far below that."""


def _unsteered(method: str, arguments: Sequence[object], drawn: list[bytes]) -> None:
    """A handler may still change a codec that has no client any more."""


class Link(Protocol):
    """The edge at which a client is."""

    line: Line[EdgeWord]

    def say(self, word: Word) -> None:
        """Say something to the edge."""

    def forget(self, client: int, remote: Remote) -> None:
        """A client's session is over."""

    def multicast(self, game: str, counts: Counts) -> EdgeMulticast:
        """That of its clients of a game."""


class Remote:
    """A client at an edge. Implements `server.net.transport.Transport`: what there is to receive are the
    frames of its twin."""

    def __init__(self, link: Link, word: Open | Adopt | TakeUp, twin: Twin) -> None:
        self.peer = word.peer
        self.local = word.local
        self.session: Session | None = None
        """None before it was let in."""
        self.twin = twin
        twin.steered = self._steered
        self.link = self._link = link
        self.word = word
        """With which its client came, or was brought."""
        self.send, self.send_shared = link.line.send, link.line.send_shared
        self.client = word.client
        self._came = trio.Event()
        self._parked = False
        """Whether the connection's task waits for a frame."""
        self._told = -1
        """Frames that the edge knows to be taken; -1 before it knows that anybody listens."""
        self.told_state: tuple[Phase, Ending, AccountInfo | None] | None = None
        """What the edge knows of the session."""
        self._gone = False
        self._closed = False
        self.held = self.moved = trio.Event()
        """Set when the edge holds, and when it has asked the other world."""
        self.why = ""
        """The reason why the other world does not have it."""
        self.frames: list[bytes] = []
        """Those that went along."""
        self.left = False
        """Whether its client goes on elsewhere."""
        self._keeper: Keeper | None = None
        """Knows what the edge was told; None before it was told anything."""

    # A player that goes to another world

    @property
    def gone(self) -> bool:
        """Whether its client has hung up."""
        return self._gone

    async def hold(self) -> None:
        """Have the edge hand on nothing more, and wait until all that it did is here."""
        self.held = trio.Event()
        self._link.say(Hold(self.client))
        await self.held.wait()

    def unhandled(self) -> list[bytes]:
        """Take the frames for which the session had no time, oldest first."""
        twin = self.twin
        frames = ([] if twin.hand is None else [twin.hand]) + list(twin.frames)
        twin.frames.clear()
        return frames

    def move(self, world: int, frames: list[bytes], carried: bytes) -> None:
        """Ask the edge to have another world take it."""
        self.moved = trio.Event()
        self._link.say(Move(self.client, world, frames, carried))

    def keep(self, mobile: Mobile, realm: Realm, login: int) -> None:
        """Tell the edge how another process can go on with it, as far as it does not know. Its session plays
        `mobile`, which is in `realm`, by a login of that number."""
        session, keeper = self.session, self._keeper
        if keeper is not None:
            if changed := keeper.changed(mobile, realm, login):
                self._link.line.put(Kept(self.client, realm.name, [], changed))
        elif session is not None:
            keeper = Keeper(session)
            says = [cast("RemoteConnection", session.link).worded(text) for text in SAID]
            self._link.line.put(
                Kept(self.client, realm.name, says, keeper.changed(mobile, realm, login), whole=True)
            )
            self._keeper = keeper

    @property
    def kept(self) -> bool:
        """Whether the edge knows how another process can go on, and what to say until then."""
        return self._keeper is not None

    def part(self, one: KeptPlayer, frames: list[bytes]) -> None:
        """Let it go: another process goes on with it."""
        self._link.say(Kept(self.client, one.origin.realm, [], one.parts(), whole=True))
        self._link.say(Parted(self.client, frames))

    def leave(self) -> None:
        """The client goes on elsewhere, without this."""
        self.left = True
        self._link.forget(self.client, self)

    def over(self) -> None:
        """Let go of all that refers to it: nobody looks for rings while a world runs."""
        self.session = self._keeper = None
        self.twin.steered = _unsteered

    def begun(self, session: Session) -> None:
        """Its session is there."""
        self.session = session

    # What comes

    def frame(self, frame: bytes, now: float) -> None:
        """A frame came. While the connection's task has nothing else to do it needs not be woken for it."""
        if self._gone:
            return
        twin = self.twin
        if self._parked and self.session is not None and self.session.link is not NO_LINK:
            if cast("RemoteConnection", self.session.link).hear(frame, now):
                twin.taken += 1
                if twin.taken - self._told >= TAKEN_EVERY:
                    self._tell_taken(self._link.line.put)
                return
        elif len(twin.frames) >= MOST_FRAMES:
            self.end(Ending.OUR_BUG, "its edge sends what nobody takes")
            return
        twin.frames.append(frame)
        self._wake()

    def end(self, ending: Ending, detail: str) -> None:
        """Its connection ended at the edge."""
        if self.session is not None:
            self.session.link.end(ending, detail)
        self._gone = True
        self._wake()

    def _wake(self) -> None:
        self._parked = False
        self._came.set()

    # The transport

    def recv_nowait_into(self, buffer: bytearray) -> int | None:
        """As many bytes as the frames have that wait, none of which are in the buffer; 0 at the end."""
        if self.twin.frames:
            return sum(map(len, self.twin.frames))
        return 0 if self._gone else None

    def send_nowait(self, data: bytes | memoryview) -> int:
        """Never asked: a twin has nothing for a wire."""
        raise NotImplementedError

    async def wait_readable(self) -> None:
        """Until a frame has come, or the client has gone."""
        if self.twin.frames or self._gone:
            await trio.lowlevel.checkpoint()
            return
        # Whoever waits here has handled all that came; the edge may wait to hear that (of a HERE packet).
        session, untold = self.session, self.twin.taken - self._told
        if untold >= TAKEN_EVERY or self._told < 0 or (untold and not (session and session.inbox)):
            self._tell_taken(self._link.say)
        self._came = trio.Event()
        self._parked = True
        await self._came.wait()

    async def wait_writable(self) -> None:
        """At once."""
        await trio.lowlevel.checkpoint()

    def close(self) -> None:
        """The session is over."""
        if not self._closed:
            self._closed = self._gone = True
            self._wake()
            self.tell_state()
            self._link.forget(self.client, self)

    # What is said

    def _tell_taken(self, say: Callable[[Word], None]) -> None:
        self._told = self.twin.taken
        self.tell_state()
        say(Taken(self.client, self._told))

    def tell_state(self) -> None:
        """Say how far the client is, if that has changed."""
        session = self.session
        if session is None:
            return
        state = session.phase, session.hang_up_means, session.account
        if state != self.told_state:
            self.told_state = state
            account = session.account.name if session.account is not None else ""
            self._link.say(State(self.client, session.phase, session.hang_up_means, account))

    def _steered(self, method: str, arguments: Sequence[object], drawn: list[bytes]) -> None:
        self._link.say(Control(self.client, method, cast("list[Value]", list(arguments)), drawn))


class EdgeMulticast:
    """The way to many clients of one game who are at one edge. Implements `protocol.session.Multicast`."""

    __slots__ = ("_counts", "_game", "_line")

    def __init__(self, line: Line[EdgeWord], game: str, counts: Counts) -> None:
        self._line = line
        self._game = game
        self._counts = counts

    def cast(self, messages: Sequence[Outgoing], clients: list[int], *, waits: bool) -> bool:
        """See Multicast."""
        if not self._line.cast(clients, messages, waits=waits):
            return False
        self._counts.cast(self._game, len(messages) * len(clients))
        return True

    def share(self, share: Share, *, waits: bool) -> None:
        """See Multicast."""
        self._line.share(share, waits=waits)
        self._counts.cast(self._game, len(share[1]))

    def push(self) -> None:
        """See Multicast."""
        self._line.push(final=False)


class RemoteConnection(StreamConnection):
    """A stream of frames. What is queued goes to the edge as it is: nothing is encoded or shed here."""

    __slots__ = ()

    def drained(self) -> None:
        """See Connection. What it did may have changed how far its client is, or how it ends when it hangs
        up, and what others do is told it without a look at that (`Session.multicast`)."""
        super().drained()
        self.remote.tell_state()

    @property
    def remote(self) -> Remote:
        """Its transport."""
        return cast("Remote", self._transport)

    def hear(self, frame: bytes, now: float) -> bool:
        """Take a frame now, if nothing of it is to be waited for."""
        if not self._intake.take_at_once(frame):
            return False
        self.frames_in += 1
        self.bytes_in += len(frame)
        session = self.session
        session.recent.append(frame[:LONGEST_KEPT])
        session.last_heard = now
        return True

    def check(self, now: float) -> None:
        """See Connection. The edge, which has the same patience, hears how far a client is that waits for
        something here."""
        super().check(now)
        self.remote.tell_state()

    def worded(self, text: str) -> list[bytes]:
        """A line of the server's as its client reads it, or a farewell for that reason as its game says it;
        none if it cannot say it now."""
        if text in FAREWELLS:
            return self._worded_farewell(text)
        line = Said(None, Speech.SYSTEM, text, ())
        return self._parts(
            Rendering(None, lambda view, *group: view.event(line, *group)).messages_of(self.session)
        )

    def _worded_farewell(self, why: str) -> list[bytes]:
        session = self.session
        before, session.outbox = session.outbox, []
        try:
            session.family.goodbye(session, why)
            return self._parts(session.outbox)
        finally:
            session.outbox = before

    def _parts(self, messages: Sequence[Outgoing]) -> list[bytes]:
        parts = self.session.parted(messages, [])  # words have no gaps
        return [bytes(part.raw if isinstance(part, Body) else part[0]) for part in parts]

    def flush(self, *, force: bool = False) -> None:
        """Hand over what is queued. What needs its client's own ids is finished before, but for these."""
        session = self.session
        outbox = session.outbox
        queue = self._outbox
        if not outbox:
            return
        session.outbox = []
        session.urgent = False
        if queue.broken:
            return
        remote: Remote = self._transport  # type: ignore[assignment] # it has no other
        if (session.phase, session.hang_up_means, session.account) != remote.told_state:
            remote.tell_state()
        # Mostly all are bodies. Where the first is none, a game has its own way (`Session.parted`); where
        # another is none, it mostly is the last: what goes out of sight is told at the end.
        if type(outbox[0]) is Body and type(outbox[-1]) is Body and remote.send_shared(remote.client, outbox):
            queue.messages_out += len(outbox)
        else:
            own: list[bytes] = []
            try:
                parts = session.parted(outbox, own)
            except Exception as error:
                self._cannot_encode(error)
                return
            queue.messages_out += len(parts)
            remote.send(remote.client, parts, own)
        if session.unsent:
            session.unsent.clear()
        if session.multicast is None and session.phase is Phase.IN_WORLD:
            session.multicast = remote.link.multicast(session.family.name, self._loop.counts)
            session.client = remote.client
