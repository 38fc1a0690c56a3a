"""The bus: one line to a server for messages, on which worlds hear one another, at most once.

The theory: the world must never wait for it. So whoever says something appends to a queue that holds so many
and drops its oldest (`say`), and what comes in is handed on by a callback; one task (`run`) holds the line,
and opens it anew for as long as there is none. Nothing is sent twice and nothing is acknowledged: a message
that is lost is one that was not heard. What must not be lost goes through the database and not through here.

Whether the line is good is known by one thing alone: that this world hears its own beat, once a second. A
server that is stopped, a link that is cut one way, a subscription that was forgotten look all the same then,
and all are mended by a new line.

Rejected: streams and acknowledgements, which would make of a server for fleeting words a second database.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from typing import TYPE_CHECKING, Final, Protocol

import attrs
import trio

from server.cluster.messages import BadMessage, Beat, Roster, decode, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractAsyncContextManager

    from server.cluster.messages import Body, Message

log = logging.getLogger("cluster")

BEAT_SECONDS: Final = 1.0
"""Between two signs of life, each with what has changed of who is there."""

TTL_SECONDS: Final = 5
"""How long a world's roster outlives its last sign of life; Redis counts whole seconds."""

PATIENCE: Final = 2.0
"""Seconds that the server may take for anything."""

SILENCE: Final = 3.0
"""Seconds without having heard oneself after which the line is given up."""

FIRST_WAIT: Final = 0.1
LONGEST_WAIT: Final = 1.0
"""Seconds before a new attempt, doubled from the first to the longest: there is one server and a handful of
worlds, so nobody is overrun, and chat is back a second after it is."""

MOST_QUEUED: Final = 500
"""Messages that wait to be sent: those of some seconds of a busy world."""

LATE_SECONDS: Final = 5.0
"""Age of a message that is not sent any more: nobody wants to hear the talk of the last outage."""

RATE: Final = 200.0
BURST: Final = 400
"""Messages a second of one world, in the long run and at once, beats not counted. A world of 2,000 players
who each say something to everybody or to one elsewhere every ten seconds stays within it."""


REASONS: Final = ("rate", "full", "late", "too_long", "cut", "bad", "flood", "held")
"""Why messages are lost here. Of those to be sent: there were too many in a short time, or too many that
waited; they had waited too long; they were too long; the line was cut while one was sent. Of those that came:
they were none; their world sends too many; there was no room for them before the next turn."""


class Connection(Protocol):
    """An open line."""

    async def publish(self, channel: str, data: bytes) -> None:
        """Say something to all who hear a channel."""

    async def put(self, key: str, data: bytes, seconds: int) -> None:
        """Set a key that vanishes after so many seconds."""

    async def get(self, key: str) -> bytes | None:
        """The value of a key."""

    async def heard(self) -> bytes:
        """The next message of the channels; waits for it."""


class Line(Protocol):
    """The way to the server. All raise OSError, or what derives from it, when it is cut."""

    def open(self, channels: Sequence[str]) -> AbstractAsyncContextManager[Connection]:
        """A new connection that hears these channels."""


class Cut(OSError):
    """The line is no good any more."""


class Allowance:
    """So many messages a second, and some more at once."""

    def __init__(self, rate: float = RATE, burst: int = BURST) -> None:
        self._rate, self.burst = rate, burst
        self._left, self._at = float(burst), 0.0

    def left(self, now: float) -> float:
        """The messages that may be said at once now."""
        self._left = min(self.burst, self._left + (now - self._at) * self._rate)
        self._at = now
        return self._left

    def take(self, now: float) -> bool:
        """Take one, if there is one."""
        if self.left(now) < 1:
            return False
        self._left -= 1
        return True


@attrs.define
class BusCounts:
    """Numbers of one bus, since the start."""

    sent: int = 0
    received: int = 0
    lines: int = 0
    """Lines that were opened."""
    dropped: Counter[str] = attrs.field(factory=Counter)
    """Messages that were lost here, by one of `REASONS`."""


class Bus:
    """One world's end of it. `prefix` begins the names of all channels and keys, so that several servers may
    share one Valkey. `heard` is called with every message that came, in the bus's own task; it must not
    wait."""

    def __init__(
        self,
        line: Line,
        world: int,
        *,
        heard: Callable[[Message], None],
        prefix: str = "causeway:",
        clock: Callable[[], float] = trio.current_time,
    ) -> None:
        self.world = world
        self.counts = BusCounts()
        self._up = False
        self._line = line
        self._heard = heard
        self._prefix = prefix
        self._clock = clock
        self._queue: deque[tuple[float, str, Body]] = deque()
        self._wake = trio.Event()
        self._allowance = Allowance()
        self._others: dict[int, Allowance] = {}
        self._roster = Roster("", [])
        self._packed: tuple[str, bytes] = ("", b"")
        """Mark and bytes of the roster that was put last."""
        self._wanted: dict[int, None] = {}
        """Worlds whose roster is to be read."""
        self._echo_at = 0.0
        """When this world heard its own beat last."""
        self._told = False
        """Whether the log has a line about this outage."""

    @property
    def up(self) -> bool:
        """Whether the line is good, as far as is known."""
        return self._up

    # For the world: nothing waits here

    def say(self, body: Body, to: int | None = None) -> bool:
        """Have a message sent to all other worlds, or to one. Returns False if it is lost already."""
        now = self._clock()
        if not self._allowance.take(now):
            self.counts.dropped["rate"] += 1
            return False
        if len(self._queue) >= MOST_QUEUED:
            self._queue.popleft()
            self.counts.dropped["full"] += 1
        self._queue.append((now, self._channel(to), body))
        self._wake.set()
        return True

    def show(self, roster: Roster) -> None:
        """Let this be who is here; others read it from the next beat on."""
        self._roster = roster

    def fetch(self, world: int) -> None:
        """Read the roster of a world; it comes as a message."""
        self._wanted[world] = None
        self._wake.set()

    @property
    def waiting(self) -> int:
        """Messages that wait to be sent."""
        return len(self._queue)

    @property
    def busy(self) -> bool:
        """Whether half of what may wait does, or half of what may be said at once was: what can be said later
        should be."""
        return (
            len(self._queue) > MOST_QUEUED // 2
            or self._allowance.left(self._clock()) < self._allowance.burst / 2
        )

    # The line

    async def run(self) -> None:
        """Hold the line, for ever."""
        wait = FIRST_WAIT
        while True:
            began = self._clock()
            try:
                await self._hold()
            except* Exception as error:
                # A line that we tear down ourselves says something, too, beside that it was cancelled.
                if trio.current_effective_deadline() > float("-inf"):
                    self._say_cut(error)
            finally:
                self._up = False
            if self._clock() - began > SILENCE:
                wait = FIRST_WAIT
            await trio.sleep(wait)
            wait = min(2 * wait, LONGEST_WAIT)

    def _say_cut(self, error: BaseException) -> None:
        """Once for each outage. What is no matter of the line is a fault of ours, and said each time."""
        if not all(isinstance(one, OSError | trio.TooSlowError) for one in _leaves(error)):
            log.exception("the bus failed")
        elif not self._told:
            log.warning("the line to the other worlds is cut: %s", _words(error))
        self._told = True

    async def _hold(self) -> None:
        """One line, from its opening until it is cut. Raises what cut it."""
        channels = [self._channel(None), self._channel(self.world)]
        with trio.CancelScope(deadline=trio.current_time() + PATIENCE) as opening:
            async with self._line.open(channels) as connection:
                opening.deadline = float("inf")
                self.counts.lines += 1
                self._echo_at = self._clock()
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._listen, connection)
                    nursery.start_soon(self._send, connection)
                    nursery.start_soon(self._beat, connection)
        if opening.cancelled_caught:
            raise Cut("no answer")

    async def _beat(self, connection: Connection) -> None:
        while True:
            with trio.fail_after(PATIENCE):
                mark = self._roster.mark
                if self._packed[0] != mark or not self._packed[1]:
                    self._packed = (mark, encode(self.world, self._roster))
                await connection.put(self._key(self.world), self._packed[1], TTL_SECONDS)
                await connection.publish(self._channel(None), encode(self.world, Beat(mark)))
            if self._clock() - self._echo_at > SILENCE:
                raise Cut("this world does not hear itself")
            await trio.sleep(BEAT_SECONDS)

    async def _send(self, connection: Connection) -> None:
        while True:
            await self._wake.wait()
            self._wake = trio.Event()
            while self._queue:
                at, channel, body = self._queue.popleft()
                if self._clock() - at > LATE_SECONDS:
                    self.counts.dropped["late"] += 1
                    continue
                try:
                    data = encode(self.world, body)
                except BadMessage as bad:
                    self.counts.dropped["too_long"] += 1
                    log.error("a message to other worlds is too long: %s", bad)
                    continue
                try:
                    with trio.fail_after(PATIENCE):
                        await connection.publish(channel, data)
                except BaseException:
                    self.counts.dropped["cut"] += 1  # or it was heard: nobody knows, and it is not repeated
                    raise
                self.counts.sent += 1
            while self._wanted:
                world = next(iter(self._wanted))
                del self._wanted[world]
                with trio.fail_after(PATIENCE):
                    data_or_none = await connection.get(self._key(world))
                if data_or_none is not None:
                    self._take(data_or_none)

    async def _listen(self, connection: Connection) -> None:
        while True:
            self._take(await connection.heard())

    def _take(self, data: bytes) -> None:
        """Hand on what came, if it is a message."""
        try:
            message = decode(data)
        except BadMessage as bad:
            self.counts.dropped["bad"] += 1
            log.debug("no message: %s", bad)
            return
        if message.world == self.world:
            if isinstance(message.body, Beat):
                self._hear_oneself()
            return
        if not isinstance(message.body, Beat | Roster):
            # Twice what it may say: after an outage it says at once what has waited.
            others = self._others.setdefault(message.world, Allowance(2 * RATE, 2 * BURST))
            if not others.take(self._clock()):
                self.counts.dropped["flood"] += 1
                return
            if len(self._others) > MOST_WORLDS:
                self._others.clear()
        self.counts.received += 1
        self._heard(message)

    def _hear_oneself(self) -> None:
        self._echo_at = self._clock()
        self._up = True
        if self._told:
            self._told = False
            log.warning("the line to the other worlds is good again")

    def _channel(self, to: int | None) -> str:
        return f"{self._prefix}{'all' if to is None else f'to:{to}'}"

    def _key(self, world: int) -> str:
        return f"{self._prefix}world:{world}"


MOST_WORLDS: Final = 10_000
"""Worlds of which it is remembered how much they said."""


def _leaves(error: BaseException) -> list[BaseException]:
    """What a group of errors is made of."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in _leaves(inner)]
    return [error]


def _words(error: BaseException) -> str:
    return "; ".join(sorted({str(one) or "it does not answer" for one in _leaves(error)}))
