"""The traffic of an EQStream session: what comes, what goes, and what is due after a time.

Everything but 01, 02 and 1D carries the session's checksum; what does not fit it is counted and forgotten,
never answered, never held against the peer. What the peer can only have done wrong on purpose ends the
session: WireError is raised, and the disconnect with its reason is what `outgoing` then has last.

Of what a server does for a crowd most is in here: `receive` for each datagram, `_frame` for each frame in it,
`outgoing` for each turn. So state is compared with names of the module, a frame is read in place, and nothing
is built for a trace that nobody wants to read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.endings import PeerGone, WireError
from protocol.eq2.stream.ciphers import KEY_REQUEST
from protocol.eq2.stream.combining import DEEPEST, combine, split
from protocol.eq2.stream.dump import attempt, describe, standing
from protocol.eq2.stream.frames import KEEP_ALIVE, Op, Reason, SessionDisconnect, StatRequest
from protocol.eq2.stream.session import CONNECT_SECONDS, RECEIVED_AT_ONCE, StreamSession
from protocol.eq2.stream.states import Event, State
from protocol.wire.args import Role

if TYPE_CHECKING:
    from collections.abc import Sequence

DRAIN_SECONDS: Final = 2.0
"""For what was sent before a close to be acknowledged."""

# Looked up for every frame, where the enumeration would cost more than the rest.
_CONNECTED, _DISCONNECTING, _SERVER = State.CONNECTED, State.DISCONNECTING, Role.SERVER
_PACKET, _FRAGMENT, _COMBINED = int(Op.PACKET), int(Op.FRAGMENT), int(Op.COMBINED)
_ACK, _OUT_OF_ORDER_ACK, _KEEP_ALIVE = int(Op.ACK), int(Op.OUT_OF_ORDER_ACK), int(Op.KEEP_ALIVE)
_ORDERED = frozenset({int(Op.ORDERED), int(Op.ORDERED_2)})
_UNSEALED = frozenset({int(Op.SESSION_REQUEST), int(Op.SESSION_RESPONSE), int(Op.OUT_OF_SESSION)})

_NUMBERED = frozenset({_PACKET, _FRAGMENT, _ACK, _OUT_OF_ORDER_ACK}) | _ORDERED

_NUMBERED_SIZE = 4  # of a frame's opcode and sequence number

RECEIVED_PER_SECOND: Final = 500.0
"""Datagrams with the right checksum that a server looks at in the long run. A client sends a tenth of that;
one that floods with containers would cost 0.2 ms for each. What is dropped it has to send again. (Those with
a wrong checksum cost nothing, and may be somebody else's.)"""

DOUBT_SECONDS: Final = 10.0
"""A server's peer that says without a checksum that it knows no session has so long to be heard of again:
anybody could have written that. A client that is there sends its clock, its keep-alive or an acknowledgement
sooner."""

_NO_DRAIN = frozenset(
    {
        Reason.TIMEOUT,
        Reason.UNREACHABLE,
        Reason.UNACKNOWLEDGED_TIMEOUT,
        Reason.RELIABLE_OVERFLOW,
        Reason.CORRUPT_PACKET,
    }
)
"""Nobody acknowledges anything any more, or nobody cares."""


class EqStream(StreamSession):
    """Either end of a session. `now` is seconds of a monotonic clock, `entropy(n)` yields n random bytes.

    Reliable messages come in order, each once. Unreliable ones are decrypted as they arrive, in the same
    keystream: a lost one leaves everything after it unreadable (`messages` tells why), and nothing raises.
    """

    __slots__ = ()

    # What comes

    def receive(self, datagram: bytes | memoryview, now: float) -> None:
        """Take one datagram. Garbage is counted and forgotten.

        Raises:
            WireError: the peer broke the protocol in a way that leaves nothing to go on with.
        """
        self._now = now
        statistics = self.statistics
        statistics.packets_in += 1
        statistics.bytes_in += len(datagram)
        if type(datagram) is not bytes:
            datagram = bytes(datagram)
        if len(datagram) > 1 and not datagram[0] and datagram[1] in _UNSEALED:
            self._unsealed(datagram, now)
            return
        if self.state is not _CONNECTED and self.state is not _DISCONNECTING:
            statistics.drop("no session")
            return
        frame = self._checksum.opened(datagram)
        if frame is None:
            statistics.crc_errors += 1
            if self.trace is not None:
                self.trace(describe("bad checksum", datagram))
            return
        self._heard = now
        if self.role is _SERVER:
            allowed = self._allowed + (now - self._allowed_at) * RECEIVED_PER_SECOND
            self._allowed_at = now
            if allowed < 1:
                self._allowed = allowed
                statistics.drop("too many")
                return
            self._allowed = min(allowed, RECEIVED_AT_ONCE) - 1
        try:
            self._frame(frame, now, 0)
        except WireError as error:
            if self._failed(error):
                raise

    def next_message(self) -> bytes | None:
        """The next message: type id and body.

        Raises:
            WireError: it cannot be inflated.
        """
        try:
            message = self._decoder.next()
        except WireError as error:
            if self._failed(error):
                raise
            return None
        if message is not None and self.trace is not None:
            self.trace(f"message in size={len(message)}")
        return message

    def _frame(self, frame: bytes, now: float, depth: int) -> None:
        """One frame, `depth` containers deep; it is not empty."""
        if self.trace is not None:
            self._trace(f"in{standing(frame, self._receiver)}", frame)
        if frame[0]:
            self._unreliable(frame)
            return
        size = len(frame)
        op = frame[1] if size > 1 else -1
        if op == _PACKET and size >= _NUMBERED_SIZE:
            self._receiver.packet(frame[2] << 8 | frame[3], frame[4:], now)
            self._deliver()
        elif op == _ACK and size >= _NUMBERED_SIZE:
            self._sender.acknowledge(frame[2] << 8 | frame[3], now)
        elif op == _COMBINED:
            self._combined(frame, now, depth + 1)
        elif op == _OUT_OF_ORDER_ACK and size >= _NUMBERED_SIZE:
            self._sender.acknowledge_one(frame[2] << 8 | frame[3], now)
        elif op == _FRAGMENT and size >= _NUMBERED_SIZE:
            self._receiver.fragment(frame[2] << 8 | frame[3], frame[4:], now)
            self._deliver()
        elif op == _KEEP_ALIVE:
            pass  # never echoed: two that echo would do nothing else
        elif op in _ORDERED and size > _NUMBERED_SIZE:
            self._ordered(op, frame)
        elif op == 0:
            self._unreliable(frame)
        else:
            self._rare(op, frame, now)

    def _rare(self, op: int, frame: bytes, now: float) -> None:
        if op == Op.SESSION_STAT_REQUEST:
            request = StatRequest.decode(frame)
            if request is not None:
                if self.role is Role.SERVER:
                    self._answer_statistics(request, now)
                return
        elif op == Op.SESSION_STAT_RESPONSE:
            return  # its arrival is all it is good for
        elif op == Op.SESSION_DISCONNECT:
            disconnect = SessionDisconnect.decode(frame)
            if disconnect is not None and disconnect.session_id == self.session_id:
                self.peer_closed = True
                self._finish(Event.DISCONNECT, self._closing)
                return
        elif op == Op.PORT_ALIVE:
            return
        elif op not in _NUMBERED and op >= 0:
            self.statistics.unknown_opcodes += 1
            self.statistics.drop("unknown opcode")
            return
        self.statistics.drop("malformed")

    def _combined(self, frame: bytes, now: float, depth: int) -> None:
        if depth > DEEPEST:
            self.statistics.drop("nested too deep")
            return
        frames, whole = split(frame)
        if not whole:
            self.statistics.drop("malformed")
        for inner in frames:
            self._frame(inner, now, depth)
            if self._over:
                return

    def _deliver(self) -> None:
        """Whatever is in order now goes on to the decoder."""
        while (payload := self._receiver.next()) is not None:
            if self.state is not _CONNECTED:
                self.statistics.drop("closing")
            elif self.keyed:
                if self.role is not _SERVER and payload == KEY_REQUEST:
                    # eq2emu answers each stat request with one; nothing encrypted looks like that.
                    self.statistics.drop("key request again")
                else:
                    self._decoder.feed(payload)
            else:
                self._handshake(payload)

    def _unreliable(self, payload: bytes) -> None:
        """A message that is decrypted here and now, in the stream of all the others; `messages` tells what a
        lost one does."""
        if self.state is State.CONNECTED and self.keyed:
            self._decoder.feed(payload)
        else:
            self.statistics.drop("unreliable without key")

    def _ordered(self, op: int, frame: bytes) -> None:
        """A numbered one; older than the last is dropped undecrypted, its bytes of the stream are gone."""
        seq = frame[2] << 8 | frame[3]
        last = self._last_ordered.get(op)
        if last is not None and not 0 < (seq - last) & 0xFFFF < 0x8000:
            self.statistics.drop("ordered too late")
            return
        self._last_ordered[op] = seq
        self._unreliable(frame[4:])

    # What goes

    def send_many(self, messages: Sequence[bytes]) -> None:
        """Messages, type id and body each. They get their place in the streams and their numbers here, in
        this order; before there is a key they wait as they are.

        Raises:
            PeerTooSlow: too much waits to be acknowledged.
        """
        if self.keyed and self.state is _CONNECTED:
            try:
                self._push(messages)
            except WireError as error:
                self._failed(error)
                raise
        elif not self._over and self.state is not _DISCONNECTING:
            self._waiting += messages

    def send_unreliable(self, message: bytes) -> None:
        """Client: a message that is not repeated. It has to leave, and arrive, between those that were
        encoded before and after it, or nothing can be read any more."""
        if self.keyed and self.state is State.CONNECTED:
            self._frames += self.encoder.encode([message])

    def outgoing(self, now: float) -> list[bytes]:
        """Datagrams that may leave now."""
        self._now = now
        datagrams: list[bytes] = []
        if self._alone:
            datagrams, self._alone = self._alone, datagrams
            if self.trace is not None:
                for datagram in datagrams:
                    self._trace("out", datagram)
        frames: list[bytes] = []
        if self._frames:
            frames, self._frames = self._frames, frames
        state = self.state
        if state is _CONNECTED or state is _DISCONNECTING:
            if self._receiver.acks_owed:
                frames += self._receiver.acks()
            if frames:
                self._sender.charge(sum(map(len, frames)), now)
            drained = state is _DISCONNECTING and self._drained(now)
            if taken := self._sender.take(now):
                frames += taken
            elif drained:
                self._finish(Event.DRAINED, self._closing)
                frames += self._frames
                self._frames = []
        if frames:
            if self.trace is not None:
                for frame in frames:
                    self._trace(f"out{attempt(frame, self._sender)}", frame)
            checksum = self._checksum
            if len(frames) > 1:
                frames = combine(frames, self.max_length - checksum.length)
            sealed = checksum.sealed
            datagrams += [sealed(frame) for frame in frames]
        if datagrams:
            self._sent = now
            statistics = self.statistics
            statistics.packets_out += len(datagrams)
            statistics.bytes_out += sum(map(len, datagrams))
        return datagrams

    @property
    def pending(self) -> bool:
        """Whether `outgoing` has something that may leave now."""
        if self._frames or self._alone:
            return True
        if self.state is _CONNECTED:
            return self._receiver.acks_owed or self._sender.ready(self._now)
        if self.state is _DISCONNECTING:
            ends = self._drain_ends
            if ends is None or ends <= self._now or self._sender.idle:
                return True
            return self._receiver.acks_owed or self._sender.ready(self._now)
        return False

    @property
    def settled(self) -> bool:
        """Whether the peer has acknowledged everything."""
        return self._sender.idle

    @property
    def clogged(self) -> bool:
        """Whether what was pushed still waits for the window or for tokens."""
        return self._sender.clogged

    @property
    def patience(self) -> float:
        """Seconds after `receive` or `outgoing` within which no deadline lies that was not there before: what
        left has its timeout, unless something waits for tokens or for the peer."""
        return 0.0 if self._sender.waits else self._patience

    def _drained(self, now: float) -> bool:
        if self._drain_ends is None:
            self._drain_ends = now if self._closing in _NO_DRAIN else now + DRAIN_SECONDS
        return self._sender.idle or now >= self._drain_ends

    # Time

    def deadline(self) -> float | None:
        """The time at which `expire` has to be called even if nothing comes."""
        if self.state is _CONNECTED:
            settings = self.settings
            soonest = min(self._heard + settings.idle_seconds, self._sent + settings.keep_alive_seconds)
            of_sender = self._sender.deadline()
            if of_sender is not None and of_sender < soonest:
                soonest = of_sender
            of_receiver = self._receiver.deadline()
            if of_receiver is not None and of_receiver < soonest:
                soonest = of_receiver
            if self._doubted is not None:
                soonest = min(soonest, self._doubted + DOUBT_SECONDS)
            if self.role is Role.CLIENT and not self.keyed:
                soonest = min(soonest, self._ask_again)
            return soonest
        if self.state is State.DISCONNECTING:
            of_sender = self._sender.deadline()
            if self._drain_ends is None or of_sender is None:
                return self._drain_ends
            return min(self._drain_ends, of_sender)
        return self._ask_again if self.state is State.WAIT_CONNECT else None

    def expire(self, now: float) -> None:
        """Do what is due; harmless when nothing is.

        Raises:
            PeerGone: the peer is silent, or acknowledges nothing.
            WireError: a payload stays unfinished.
        """
        self._now = now
        try:
            if self.state is State.CONNECTED:
                self._expire(now)
            elif self.state is State.DISCONNECTING:
                self._sender.expire(now)
            elif self.state is State.WAIT_CONNECT and now >= self._ask_again:
                if now >= self._connect_ends:
                    raise PeerGone(f"no answer for {CONNECT_SECONDS:.0f} s")
                self._request(now)
        except WireError as error:
            if self._failed(error):
                raise

    def _expire(self, now: float) -> None:
        settings = self.settings
        if now >= self._heard + settings.idle_seconds:
            self._finish(Event.LOST, Reason.TIMEOUT)
            raise PeerGone(f"silent for {now - self._heard:.0f} s")
        if self._doubted is not None and now >= self._doubted + DOUBT_SECONDS:
            if self._heard < self._doubted:
                self.peer_closed = True
                self._finish(Event.OUT_OF_SESSION, None)
                return
            self._doubted = None
        self._receiver.expire(now)
        self._sender.expire(now)
        if self.role is Role.CLIENT and not self.keyed and now >= self._ask_again:
            if now >= self._connect_ends:
                raise PeerGone(f"no key for {CONNECT_SECONDS:.0f} s")
            self._ask(now)
        elif now >= self._sent + settings.keep_alive_seconds and not self._frames:
            self._frames.append(KEEP_ALIVE)
