"""Many bots in one loop over non-blocking sockets.

The loop must cost less than the server it measures, so bots that are in the world are only skimmed; a few
probes decode everything. Between two handfuls of the others the probes are looked after first: what they
measure is the server, not the queue in here.

The problem: whatever drives the bots takes part of the machine that the server is measured on, and a bot that
waits for its turn in this loop measures this loop. A process or a task for each bot was not used for the
first reason: a thousand of them cost more than the server.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
from collections import deque
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Final

import attrs

from server.bots.bot import LoginFailed
from server.bots.bundle import unbundle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from server.bots.bot import Bot

BUFFER: Final = 1 << 18
"""Bytes received at a time."""

HANDFUL: Final = 64
"""Sockets between two looks at the probes."""

AT_ONCE: Final = 32
"""Bots that are logging in at the same time."""

PROBES: Final = 8

CONNECT_SECONDS: Final = 10.0

LARGEST: Final = 2048
"""Bytes of a datagram at most, and more than any game sends."""

AT_A_TIME: Final = 100
"""Datagrams taken from one socket before the next one's turn comes."""

RECEIVE_BUFFER: Final = 1 << 20
"""Bytes that the kernel is asked to keep of what comes to a bot by datagrams while the others are served."""

LOOK_AGAIN: Final = 0.1
"""Seconds between two looks at what bots over datagrams have to repeat or acknowledge."""

NOWHERE: Final[Mapping[str, tuple[str, int]]] = {}

_READ: Final = selectors.EVENT_READ


class SwarmError(Exception):
    """The bots did not get in, or were thrown out."""


@attrs.define(eq=False)
class _Client:
    """A bot and its socket."""

    bot: Bot
    probe: bool
    socket: socket.socket
    unsent: bytes = b""
    """What the kernel did not take."""
    sent: deque[float] = attrs.field(factory=deque)
    """When the moves without an answer were sent, oldest first."""
    answered: int = 0
    refused: int = 0
    turned: deque[float] = attrs.field(factory=deque)
    """When the moves were sent that its witness has not seen."""
    witness: int = -1
    """Number of the probe that looks when this one turns."""


@attrs.define
class Tally:
    """Sums of a stretch of time. Times are in seconds."""

    seconds: float = 0.0
    moves: int = 0
    received: int = 0
    """Bytes, by all."""
    probe_bytes: int = 0
    probe_packets: int = 0
    answers: list[float] = attrs.field(factory=list)
    """From sending a move to its answer, by probes."""
    sights: list[float] = attrs.field(factory=list)
    """From sending a turn until another probe saw it."""
    refused: int = 0
    """Moves of probes that the server did not allow."""
    late: float = 0.0
    """The latest that a move was sent after its time: large if this process, not the server, is the
    bottleneck."""
    cpu: float = 0.0
    """Of this process."""

    @property
    def packets(self) -> float:
        """Packets delivered to all, estimated from what the probes received: all are sent the same kinds."""
        return self.received * self.probe_packets / self.probe_bytes if self.probe_bytes else 0.0


def probe_places(count: int, probes: int) -> set[int]:
    """Numbers of those of `count` bots that are probes, spread evenly: bots move one after another, and a
    probe right behind another would measure the same moment again."""
    return {number * count // probes for number in range(probes)} if count > probes else set(range(count))


class Swarm:
    """Bots at one address. `move` is what each does every `interval` seconds; some `probes` decode. With
    `pairs` each probe is also watched by another, which is in its sight and tells when it saw it turn; then
    every move has to be a turn. `others`: addresses for bots of some games, by game."""

    def __init__(
        self,
        address: tuple[str, int],
        bots: Sequence[Bot],
        move: Callable[[Bot], bytes],
        *,
        probes: int = PROBES,
        pairs: bool = False,
        interval: float = 0.4,
        at_once: int = AT_ONCE,
        others: Mapping[str, tuple[str, int]] = NOWHERE,
    ) -> None:
        self.tally = Tally()
        self._address = address
        self._others = others
        self._move = move
        self._interval = interval
        self._at_once = at_once
        self._pairs = pairs
        places = probe_places(len(bots), probes)
        self._waiting = deque((bot, number in places) for number, bot in enumerate(bots))
        self._count = len(bots)
        self._entering: set[_Client] = set()
        self._inside: list[_Client] = []
        self._probes: dict[int, _Client] = {}
        """By the bot's number."""
        self._all = selectors.DefaultSelector()
        self._near = selectors.DefaultSelector()
        """The probes alone."""
        self._buffer = bytearray(BUFFER)
        self._view = memoryview(self._buffer)
        self._look_at = 0.0
        """When bots over datagrams are asked again what is due."""
        self._next = 0
        """Whose turn it is to move."""
        self._next_at = 0.0

    def enter(self, within: float = 120.0) -> None:
        """Log everybody in. Raises SwarmError if that takes longer."""
        deadline = perf_counter() + within
        while len(self._inside) < self._count:
            while self._waiting and len(self._entering) < self._at_once:
                self._start(*self._waiting.popleft())
            if perf_counter() > deadline:
                raise SwarmError(
                    f"only {len(self._inside)} of {self._count} bots got in within {within:.0f} s"
                )
            self._receive(0.05)
        chain = list(self._probes.values())
        if self._pairs and len(chain) > 1:
            for client, witness in zip(chain, [*chain[1:], *chain[:1]], strict=True):
                client.witness = witness.bot.number

    def run(self, seconds: float, *, moving: bool = True) -> Tally:
        """Move and receive for so long; what happened."""
        tally = self.tally = Tally()
        began, cpu = perf_counter(), process_time()
        packets = sum(client.bot.packets for client in self._probes.values())
        until = began + seconds
        self._next_at = began
        while (now := perf_counter()) < until:
            if moving:
                self._move_all(now)
            self._receive(min(self._next_at if moving else until, until) - perf_counter())
        tally.seconds = perf_counter() - began
        tally.cpu = process_time() - cpu
        tally.probe_packets = sum(client.bot.packets for client in self._probes.values()) - packets
        return tally

    def say(self, number: int, text: str) -> None:
        """Have one of those who are in the world say something."""
        client = self._inside[number]
        client.bot.now = perf_counter()
        self._send(client, client.bot.say(text))

    def heard(self) -> int:
        """Number of lines that the probes have heard since the last call."""
        count = 0
        for client in self._probes.values():
            count += len(client.bot.heard)
            client.bot.heard.clear()
        return count

    def close(self) -> None:
        """Hang up."""
        for client in (*self._entering, *self._inside):
            client.bot.now = perf_counter()
            with contextlib.suppress(SwarmError):
                self._send(client, client.bot.goodbye())
            client.socket.close()
        self._all.close()
        self._near.close()

    # Logging in

    def _start(self, bot: Bot, probe: bool) -> None:
        client = _Client(bot, probe, socket.socket())
        self._connect(client)
        if bot.in_world:
            self._arrived(client)

    def _connect(self, client: _Client) -> None:
        client.socket.close()
        client.socket = open_line(client.bot, self._others.get(client.bot.game, self._address))
        client.socket.setblocking(False)
        self._all.register(client.socket, _READ, client)
        self._entering.add(client)
        client.bot.now = perf_counter()
        self._send(client, client.bot.connect())

    def _arrived(self, client: _Client) -> None:
        self._entering.discard(client)
        if client not in self._inside:  # or it comes from another connection
            self._inside.append(client)
        if client.probe:
            self._probes[client.bot.number] = client
            self._near.register(client.socket, _READ, client)

    # Moving

    def _move_all(self, now: float) -> None:
        """Whoever's time has come. The moves of all are spread evenly over the interval."""
        inside = self._inside
        if now - self._next_at > self.tally.late:
            self.tally.late = now - self._next_at
        while self._next_at <= now:
            self._next_at += self._interval / len(inside)
            self._next = (self._next + 1) % len(inside)
            client = inside[self._next]
            bot = client.bot
            if not bot.in_world:
                continue
            expected = bot.expected
            bot.now = perf_counter()
            frame = self._move(bot)
            self.tally.moves += 1
            if client.probe:
                sent = perf_counter()
                if bot.expected > expected:
                    client.sent.append(sent)
                if client.witness >= 0:
                    client.turned.append(sent)
            self._send(client, frame)

    def _send(self, client: _Client, data: bytes) -> None:
        if client.bot.datagrams:
            self._send_each(client, unbundle(data))
            return
        if client.unsent:
            data = client.unsent + data
        try:
            sent = client.socket.send(data)
        except BlockingIOError:
            sent = 0
        except OSError as error:
            raise SwarmError(f"{client.bot.name} was thrown out: {error}") from error
        client.unsent = data[sent:]

    def _send_each(self, client: _Client, datagrams: Sequence[bytes]) -> None:
        try:
            for datagram in datagrams:
                client.socket.send(datagram)
        except BlockingIOError:
            return  # the rest is lost, as on any line that is too thin: what matters is sent again
        except OSError as error:
            raise SwarmError(f"{client.bot.name} was thrown out: {error}") from error

    # Receiving

    def _take(self, client: _Client) -> int:
        """Read into the buffer: what there is of a stream, or a bundle of datagrams. How many bytes it is
        then. Raises BlockingIOError if nothing came, another OSError if the other side is gone."""
        if not client.bot.datagrams:
            size = client.socket.recv_into(self._buffer)
            if not size:
                raise ConnectionResetError("the server hung up")
            return size
        end = 0
        try:
            for _ in range(AT_A_TIME):
                size = client.socket.recv_into(self._view[end + 2 : end + 2 + LARGEST])
                self._buffer[end : end + 2] = size.to_bytes(2, "big")
                end += 2 + size
        except BlockingIOError:
            if not end:
                raise
        return end

    def _look(self) -> None:
        """Ask those over datagrams what is due: nothing else reminds them while nothing comes."""
        now = perf_counter()
        if now < self._look_at:
            return
        self._look_at = now + LOOK_AGAIN
        for client in (*self._entering, *self._inside):
            if client.bot.datagrams:
                client.bot.now = now
                data = client.bot.due()
                if data:
                    self._send(client, data)

    def _receive(self, timeout: float) -> None:
        self._look()
        events = self._all.select(max(0.0, timeout))
        for start in range(0, len(events), HANDFUL):
            if self._probes:
                for key, _ in self._near.select(0):
                    self._decode(key.data)
            for key, _ in events[start : start + HANDFUL]:
                client: _Client = key.data
                if not client.probe and client.bot.in_world:
                    self._skim(client)
                elif client.socket is key.fileobj:
                    self._decode(client)

    def _skim(self, client: _Client) -> None:
        try:
            size = self._take(client)
        except BlockingIOError:
            return
        except OSError as error:
            raise SwarmError(f"{client.bot.name} was thrown out: {error}") from error
        self.tally.received += size
        client.bot.now = perf_counter()
        answer = client.bot.skim(self._buffer, size)
        if answer or client.unsent:
            self._send(client, answer)

    def _decode(self, client: _Client) -> None:
        """Everything that has come to a probe, or to somebody who is logging in."""
        bot = client.bot
        try:
            size = self._take(client)
        except BlockingIOError:
            return
        except OSError as error:
            where = "" if bot.in_world else " before it was in the world"
            raise SwarmError(f"{bot.name} was thrown out{where}: {error}") from error
        bot.now = now = perf_counter()
        inside = bot.in_world
        try:
            answer = bot.receive(bytes(self._view[:size]))
        except LoginFailed as error:
            raise SwarmError(str(error)) from error
        if answer or client.unsent:
            self._send(client, answer)
        if bot.reconnect:
            self._all.unregister(client.socket)
            if inside and client.probe:
                self._near.unregister(client.socket)
            client.sent.clear()
            self._connect(client)
        elif inside:
            self.tally.received += size
            self.tally.probe_bytes += size
            self._account(client, now)
        elif bot.in_world:
            self._arrived(client)
            client.answered, client.refused = bot.answered, bot.refused

    def _account(self, client: _Client, now: float) -> None:
        """What a probe has just learned."""
        bot, tally = client.bot, self.tally
        while client.answered < bot.answered and client.sent:
            tally.answers.append(now - client.sent.popleft())
            client.answered += 1
        client.answered = bot.answered
        if client.refused != bot.refused:
            tally.refused += bot.refused - client.refused
            client.refused = bot.refused
            if not bot.answers_refusals:
                client.sent.clear()
        for number in bot.seen:
            other = self._probes.get(number)
            if other is not None and other.witness == bot.number and other.turned:
                tally.sights.append(now - other.turned.popleft())
        bot.seen.clear()


def open_line(bot: Bot, address: tuple[str, int]) -> socket.socket:
    """A socket to where the bot wants to go, else to that address."""
    host, port = bot.address or address
    if not bot.datagrams:
        # Over the loopback interface this is done at once, or the server's backlog is full.
        stream = socket.create_connection((host, port), timeout=CONNECT_SECONDS)
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return stream
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
    made.connect((host, port))
    return made
