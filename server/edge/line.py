"""The stream between an edge and a world: what is said in one go of the tasks leaves as one batch.

Whoever says something never waits. A task sends what has gathered; while it sends, more gathers. The world
task says all of a turn without a pause, so a turn is one batch for each edge by itself.

What the other side need not hear before it takes in anything again waits for that (`Line.rest`, `Line.rung`).

Whoever has nothing to say sends an empty batch now and then, so that silence means something: a network that
swallows what it is given breaks no connection, and TCP alone notices that after a quarter of an hour.
"""

from __future__ import annotations

import hmac
import math
import os
from secrets import token_bytes
from typing import TYPE_CHECKING, Final, Generic, Never, TypeVar

import trio

from server.edge.batches import LARGEST, Incoming, Outgoing, Unreadable
from server.edge.words import VERSION, Cast, Each, Hello, Proof, Sent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import msgspec

    from protocol.outgoing import Part, Share
    from server.edge.batches import Shared
    from server.edge.words import Word

W = TypeVar("W")
F = TypeVar("F", Hello, Proof)

HELLO_SECONDS: Final = 5.0
"""For the first word of the other side."""

BEAT_SECONDS: Final = 1.0
"""Without a word until an empty batch is sent."""

SILENT_SECONDS: Final = 5.0
"""Without a byte from the other side until it counts as lost. A world that is silent in the database for as
long is dead (`server.store.fence`), and whoever takes it over is where its clients should be then."""

LATE: Final = 0.01
"""Seconds after the end of its rest within which the other side is expected to ring, if it was told that
something waits."""

NONCE: Final = 32
"""Bytes."""

CHUNK: Final = 64 * 1024
"""Bytes that are received at once: a buffer for more is one that the system has to be asked for each time."""


class LineLost(Exception):
    """The stream ended, or the other side is not to be understood."""


class Line(Generic[W]):
    """One end of the stream; `W` is what the other says."""

    def __init__(
        self,
        stream: trio.abc.Stream,
        decoder: msgspec.msgpack.Decoder[tuple[list[tuple[bytes, int]], list[W]]],
    ) -> None:
        self.gather = 0.0
        """Seconds from one batch to the next, unless something has no time."""
        self._since = self._rings = self._busy = 0.0
        """Since when the other side rests, by when it is to ring, and until when it is busy then."""
        self.last: Callable[[], Word | None] | None = None
        """Asked for the last word of each batch when that leaves."""
        self._sent = -math.inf
        """When the last batch left."""
        self._out = Outgoing()
        self._left: bytes | memoryview = b""
        """Of a batch that leaves: what the socket had no room for."""
        self._stream = stream
        self._socket = stream.socket if isinstance(stream, trio.SocketStream) else None
        self._ears = trio.CancelScope()
        """Ends who waits for the other side in vain."""
        self._heard_at = -math.inf
        """When the last byte came."""
        self.holds = False
        """Whether all that is said leaves by the next `push`: nobody else need be woken for it."""
        self._failure: Exception | None = None
        self._incoming = Incoming(decoder)
        self._before: list[W] = []
        """Words that came before the line was greeted."""
        self._said = trio.Event()
        self._waits: trio.CancelScope | None = None
        """Where what was said waits until it leaves."""
        self._hurry = trio.Event()
        """Set when something was said that has no time."""
        self._idle = trio.Event()

    def say(self, word: Word) -> None:
        """Say something."""
        self._out.words.append(word)
        self._said.set()
        self._hurry.set()

    def put(self, word: Word) -> None:
        """Have something said with what is said next, for which nobody is woken (`push`, at the end of a
        turn)."""
        self._out.words.append(word)

    def add(self, word: Word) -> None:
        """Say something that the other side needs not hear before it takes in anything again."""
        self._out.words.append(word)
        self._noted()

    def _noted(self) -> None:
        if not self.holds:
            self._said.set()

    def send(self, client: int, parts: Sequence[Part], own: list[bytes]) -> None:
        """Say what a client is sent; `own` belongs into the gaps of the parts."""
        out = self._out
        out.words.append(Sent(client, list(map(out.place, parts)), own))  # `Outgoing.send`, a call less
        self._noted()

    def send_shared(self, client: int, messages: Sequence[object]) -> bool:
        """The same of a turn's messages as they are; False, with nothing said, if not all are bodies."""
        out = self._out
        try:
            places = list(map(out.place, messages))  # type: ignore[arg-type] # what is none is noticed there
        except TypeError:
            return False
        out.words.append(Sent(client, places))
        self._noted()
        return True

    def cast(self, clients: list[int], messages: Sequence[object], *, waits: bool) -> bool:
        """The same of messages for many clients."""
        out = self._out
        try:
            places = list(map(out.place, messages))  # type: ignore[arg-type] # see `send_shared`
        except TypeError:
            return False
        out.words.append(Cast(clients, places, waits))
        self._noted()
        return True

    def share(self, share: Share, *, waits: bool) -> None:
        """The same of a part that is each one's own by a number."""
        part, clients, own = share
        place = self._out.place(part)
        self._out.words.append(Each(clients, place, own, waits) if own else Cast(clients, [place], waits))
        self._noted()

    async def greet(
        self,
        secret: str,
        name: str,
        *,
        edge: bool,
        ports: Sequence[tuple[str, str, int]] = (),
        world: int = 0,
    ) -> Hello:
        """Say hello, hear it, and prove to each other to know the secret, which itself does not cross.
        `edge`: whether this is the edge's end. Raises LineLost: another version, another secret, or no
        hello."""
        mine = Hello(VERSION, token_bytes(NONCE), name, list(ports), world)
        try:
            with trio.fail_after(HELLO_SECONDS):
                theirs = await self._first(mine, Hello)
                if theirs.version != VERSION:
                    raise LineLost(f"it speaks version {theirs.version}, this program {VERSION}")
                proof = await self._first(Proof(_proof(secret, edge, mine, theirs)), Proof)
        except trio.TooSlowError:
            raise LineLost("it says nothing") from None
        except (trio.BrokenResourceError, trio.ClosedResourceError, Unreadable) as error:
            raise LineLost(str(error) or "it hung up") from error
        if not hmac.compare_digest(proof.proof, _proof(secret, not edge, theirs, mine)):
            raise LineLost("it has another secret")
        self._incoming.largest = LARGEST
        return theirs

    async def _first(self, mine: F, kind: type[F]) -> F:
        """Say one word, and hear one of its kind."""
        self._out.words.append(mine)
        await self._stream.send_all(self._out.packed())
        while not self._before:
            self._before += [word for _, words in self._incoming.batches() for word in words]
            if not self._before:
                await self._receive()
        word = self._before.pop(0)
        if not isinstance(word, kind):
            raise LineLost("it says no hello")
        return word

    async def listen(self, take: Callable[[list[Shared], list[W]], object]) -> Never:
        """Hand over each batch that comes, until the line is lost. Raises LineLost when the other side hangs
        up or says nothing, not even that it is there; what the line was given (`fail`), and what `take`
        raises."""
        self._heard_at = trio.current_time()
        while True:
            # Not moved with each batch that comes: when it is over is time enough to see what has come.
            with trio.CancelScope(deadline=self._heard_at + SILENT_SECONDS) as self._ears:
                while True:
                    for bodies, words in await self.heard():
                        take(bodies, words)
            if self._failure is not None:
                raise self._failure
            if trio.current_time() >= self._heard_at + SILENT_SECONDS:
                raise LineLost(f"it has said nothing for {SILENT_SECONDS:.0f} s")

    async def heard(self) -> list[tuple[list[Shared], list[W]]]:
        """The batches that came last, when there are any. Raises LineLost when the other side hangs up."""
        try:
            if self._before:
                before, self._before = self._before, []
                return [([], before)]
            while not (batches := list(self._incoming.batches())):
                await self._receive()
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError, Unreadable) as error:
            raise LineLost(str(error) or "it hung up") from error
        return batches

    def heard_by_now(self) -> list[tuple[list[Shared], list[W]]]:
        """The batches that have come and of which `heard` does not know yet, on a socket. Raises Unreadable;
        what else is wrong with the line `heard` finds."""
        if self._failure is not None or not (data := self._received()):
            return []
        self._incoming.feed(data)
        self._heard_at = trio.current_time()
        return list(self._incoming.batches())

    def fail(self, failure: Exception) -> None:
        """Have whoever listens to the line raise this."""
        self._failure = failure
        self._ears.cancel()

    async def _receive(self) -> None:
        """Feed what came. What was received is fed before anything is waited for, so that nothing that comes
        later can overtake it (`heard_by_now`)."""
        if self._failure is not None:
            raise self._failure
        if self._socket is None:
            data: bytes | bytearray | None = await self._stream.receive_some(CHUNK)
        else:
            data = None
            while data is None:
                await trio.lowlevel.wait_readable(self._socket)
                data = self._received()
        if not data:
            raise LineLost("it hung up")
        self._incoming.feed(data)
        self._heard_at = trio.current_time()

    def _received(self) -> bytes | None:
        """What a socket has now; empty at its end, None if nothing has come."""
        try:
            return os.read(self._socket.fileno(), CHUNK) if self._socket is not None else None
        except OSError as error:
            return None if isinstance(error, BlockingIOError) else b""

    async def run(self) -> None:
        """Send what is said, or that there is nothing, until the line is lost. Raises LineLost."""
        while True:
            beats = False
            if not self._said.is_set():
                self._idle.set()
                with trio.move_on_after(BEAT_SECONDS) as silence:
                    await self._said.wait()
                beats = silence.cancelled_caught
                self._idle = trio.Event()
            try:
                await self._drain()  # before anything else is waited for: half of a batch is none
                if self._out.words or beats:
                    await self._gather()
                if self._failure is not None:
                    raise self._failure
                self._said, self._hurry = trio.Event(), trio.Event()
                if self._out.words or beats:  # else all of it was pushed
                    await self._send()
                await self._drain()
            except (trio.BrokenResourceError, trio.ClosedResourceError, OSError) as error:
                raise LineLost(str(error) or "it hung up") from error

    async def _send(self) -> None:
        """Have the batch leave. Raises what is wrong with the stream."""
        self._add_last()
        self._sent = trio.current_time()
        if self._socket is None:
            await self._stream.send_all(self._out.packed())
        else:
            self._write(b"".join((self._left, self._out.packed())))
            await trio.lowlevel.checkpoint()

    async def _drain(self) -> None:
        """Send what the socket had no room for. Raises what is wrong with it."""
        while self._left and self._socket is not None:
            await trio.lowlevel.wait_writable(self._socket)
            self._write(self._left)

    def _add_last(self) -> None:
        if self.last is not None and (word := self.last()) is not None:
            self._out.words.append(word)

    def push(self, *, final: bool = True) -> None:
        """Have what was said leave now, on a socket that has room: `run` may have to wait until a turn is
        over. Unless this is `final` it takes along no last word."""
        if final:
            self.holds = False
        if not self._out.words:
            return
        if self._socket is None or self._failure is not None or self._left:
            self._said.set()  # it leaves by `run`, right behind what is left
            self._hurry.set()
            return
        if final:
            self._add_last()
        self._sent = trio.current_time()
        try:
            self._write(self._out.packed())
        except OSError as error:
            self.fail(LineLost(str(error)))
        if self._left and self._waits is not None:
            self._waits.cancel()  # half of a batch has no time, whatever is gathered

    def _write(self, data: bytes | memoryview) -> None:
        """Give the socket what it takes of that, and leave the rest to `run`. Raises OSError."""
        assert self._socket is not None
        try:
            taken = os.write(self._socket.fileno(), data)
        except BlockingIOError:
            taken = 0
        self._left = memoryview(data)[taken:]  # of some MiB, none of which is copied each time
        if self._left:
            self._said.set()

    def rest(self, until: float, busy: float) -> None:
        """The other side takes nothing in until some time, or until it rings if that is later (`rung`): it is
        told that something waits, and more may as well wait (`add`). Then it takes in nothing more until that
        other time."""
        self._since, self._rings, self._busy = trio.current_time(), until + LATE, busy
        self._hasten()

    def rung(self, word: Word) -> None:
        """The other side rests no more and wants to know what waits: say that, and behind it this."""
        now = trio.current_time()
        self._rings, self._busy = now, now + max(0.0, self._busy - self._rings + LATE)
        self.put(word)
        self.push()
        self._hasten()

    def _hasten(self) -> None:
        """What was said may be in time after all."""
        if self._waits is not None:
            self._waits.deadline = self._leaves()

    def _leaves(self) -> float:
        """When the next batch is to leave, if nothing in it has no time."""
        if trio.current_time() < self._rings:
            return self._since if self._sent < self._since else self._rings
        due = self._sent + self.gather
        return max(due, self._busy) if self._sent >= self._rings else due

    async def _gather(self) -> None:
        """Until the next batch may leave."""
        until = self._leaves()
        if self._hurry.is_set() or until <= trio.current_time():
            await trio.lowlevel.checkpoint()
            return
        with trio.move_on_at(until) as self._waits:
            await self._hurry.wait()
        self._waits = None

    async def settle(self) -> None:
        """Until nothing that was said waits, or the line is lost."""
        await trio.lowlevel.checkpoint()
        while self._failure is None and (self._said.is_set() or not self._idle.is_set()):
            await self._idle.wait()
            await trio.lowlevel.checkpoint()

    async def close(self) -> None:
        """Hang up."""
        self._failure = self._failure or LineLost("it hung up")
        await trio.aclose_forcefully(self._stream)


def _proof(secret: str, edge: bool, own: Hello, other: Hello) -> bytes:
    """What who has sent `own` says to who has sent `other`."""
    side = b"edge" if edge else b"world"
    return hmac.digest(secret.encode(), side + other.nonce + own.nonce, "sha256")


def reason(group: BaseExceptionGroup[BaseException]) -> str:
    """The words of what went wrong with a line."""
    first = group.exceptions[0]
    return reason(first) if isinstance(first, BaseExceptionGroup) else str(first)
