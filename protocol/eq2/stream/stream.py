"""One EQStream session: what `EqStream` promises its users, and when each part of it is asked.

    client                                   server
    01 session request    ----------------->            repeated until answered
                          <-----------------   02 session response, alone, no checksum
    07 stat request       ----------------->
                          <-----------------   08 stat response, and the key request: first reliable payload
    key reply             ----------------->            first reliable payload; from here on all is encrypted

Everything but 01, 02 and 1D carries the session's checksum; what does not fit it is counted and forgotten,
never answered, never held against the peer. What the peer can only have done wrong on purpose ends the
session: WireError is raised, and the disconnect with its reason is what `outgoing` then has last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from protocol.endings import PeerGone, PeerTooSlow, WireError
from protocol.eq2.stream.checksum import Checksum
from protocol.eq2.stream.ciphers import KEY_MESSAGE, KEY_REQUEST, KEY_SIZE, CipherPair, key_reply
from protocol.eq2.stream.combining import APP_COMBINED, DEEPEST, combine, split, split_messages
from protocol.eq2.stream.dump import describe, may_be_shown, numbered
from protocol.eq2.stream.frames import (
    KEEP_ALIVE,
    SessionDisconnect,
    SessionRequest,
    SessionResponse,
    StatRequest,
    StatResponse,
    new_seed,
    respond,
    session_length,
)
from protocol.eq2.stream.messages import Decoder, Encoder
from protocol.eq2.stream.opcodes import Op, Reason
from protocol.eq2.stream.receiving import Receiver
from protocol.eq2.stream.sending import Sender
from protocol.eq2.stream.settings import LARGEST_WINDOW
from protocol.eq2.stream.states import TRANSITIONS, Event, State
from protocol.eq2.stream.statistics import Statistics
from protocol.wire.args import Role
from protocol.wire.dump import hex_dump

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from protocol.eq2.stream.settings import StreamSettings

CONNECT_EVERY_SECONDS: Final = 1.0
CONNECT_SECONDS: Final = 10.0
"""How often a client repeats what is unanswered, and for how long. The original one asks four times."""

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
RECEIVED_AT_ONCE: Final = 2000.0
"""Datagrams with the right checksum that a server looks at. A client sends a tenth of that; one that floods
with containers would cost 0.2 ms for each. What is dropped it has to send again. (Those with a wrong checksum
cost nothing, and may be somebody else's.)"""

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


class EqStream:
    """Either end of a session. `now` is seconds of a monotonic clock, `entropy(n)` yields n random bytes.

    Reliable messages come in order, each once. Unreliable ones are decrypted as they arrive, in the same
    keystream: a lost one leaves everything after it unreadable (`messages` tells why), and nothing raises.
    """

    # Without slots each stream would own a dictionary (Python shares keys among at most thirty attributes).
    __slots__ = (
        "_allowed",
        "_allowed_at",
        "_alone",
        "_ask_again",
        "_checksum",
        "_closing",
        "_connect_ends",
        "_decoder",
        "_doubted",
        "_drain_ends",
        "_entropy",
        "_frames",
        "_heard",
        "_key_requested",
        "_last_ordered",
        "_last_secret",
        "_now",
        "_over",
        "_patience",
        "_receiver",
        "_sender",
        "_sent",
        "_waiting",
        "encoder",
        "keyed",
        "max_length",
        "peer_closed",
        "role",
        "seed",
        "session_id",
        "settings",
        "state",
        "statistics",
        "trace",
    )

    def __init__(self, role: Role, entropy: Callable[[int], bytes], settings: StreamSettings) -> None:
        self.role = role
        self.settings = settings
        self.trace: Callable[[str], None] | None = None
        """Takes a line for each stage of what comes and goes. What could hold the key, or is not encrypted,
        is named and not shown."""
        self.state = State.CLOSED
        self.peer_closed = False
        """Whether the peer's disconnect has come, or its word that it knows no such session."""
        self._patience = min(
            settings.rto_min_ms / 1000,
            settings.keep_alive_seconds,
            settings.idle_seconds,
            settings.unacknowledged_seconds,
        )
        self._entropy = entropy
        self._now = 0.0
        self.statistics = Statistics()
        self._waiting: list[bytes] = []  # messages from before the key
        self._begin(0, 0, settings.max_datagram, settings.crc_length, 0.0)

    def _begin(self, session_id: int, seed: int, max_length: int, crc_length: int, now: float) -> None:
        """Everything but the statistics as it is when a session begins."""
        self.session_id = session_id
        self.seed = seed
        """Of the checksum."""
        self.max_length = max_length
        """Bytes of the longest datagram, checksum included."""
        self.keyed = False
        """Whether the key is known: before that no message comes, and none leaves."""
        settings = attrs.evolve(self.settings, crc_length=crc_length)
        self.encoder = Encoder(self.role, settings, self.statistics)
        self._decoder = Decoder(self.role, self.statistics)
        self._checksum = Checksum(seed, crc_length)
        # The setting is for what we send: whoever sends more at a time must not be told that it arrived.
        self._receiver = Receiver(self.statistics, LARGEST_WINDOW)
        self._sender = Sender(settings, self.statistics)
        self._sender.max_length = max_length
        self._alone: list[bytes] = []  # whole datagrams, without checksum
        self._frames: list[bytes] = []  # ours that are not delivered reliably
        self._last_ordered: dict[int, int] = {}
        self._key_requested = False
        self._last_secret = 0  # reliable frames up to this number may hold the key
        self._heard = self._sent = self._allowed_at = now
        self._allowed = RECEIVED_AT_ONCE
        self._ask_again = self._connect_ends = now
        self._doubted: float | None = None  # when the peer was said to know no session
        self._closing = Reason.APPLICATION
        self._drain_ends: float | None = None
        self._over = False

    # Beginning and end

    def connect(self, now: float) -> None:
        """Client: begin a session, if there is none. The request is repeated while it is not answered."""
        if self.role is Role.CLIENT and self._moved(Event.CONNECT):
            self._now = now
            self.statistics = Statistics()
            alone = self._alone
            session_id = int.from_bytes(self._entropy(4), "big")
            self._begin(session_id, 0, self.settings.max_datagram, self.settings.crc_length, now)
            self._alone = alone
            self.peer_closed = False
            self._connect_ends = now + CONNECT_SECONDS
            self._request(now)

    def adopt(self, request: SessionRequest, seed: int, now: float, *, took: float | None = None) -> None:
        """Server: be connected, as if `request` had been answered with `seed` already. `took` are the seconds
        from that answer to the client's next word, the first round trip there is; None if it is not known."""
        if self.role is Role.SERVER and self._moved(Event.REQUEST):
            self._now = now
            length = session_length(request.max_length, self.settings.max_datagram)
            response = respond(request, seed, self.settings)
            self.statistics = Statistics(
                packets_in=1,
                bytes_in=len(request.encode()),
                packets_out=1,
                bytes_out=len(response),
            )
            self._begin(request.session_id, seed, length, self.settings.crc_length, now)
            if took is not None:
                self._sender.measured(1000 * took)

    def close(self, reason: Reason) -> None:
        """Say goodbye: at once if nobody listens any more, else when everything is acknowledged, and after
        two seconds at the latest."""
        if self._moved(Event.CLOSE):
            self._closing = reason
            self._waiting.clear()
            self._decoder.forget()
            if self.state is State.DISCONNECT:
                self._over = True

    @property
    def closed(self) -> bool:
        """Whether the session is over and everything that had to be said has been handed out."""
        return self._over and not self._frames and not self._alone

    def _moved(self, event: Event) -> bool:
        """Take the transition of an event; whether that changed the state."""
        before = self.state
        self.state = TRANSITIONS[before][event]
        return self.state is not before

    def _finish(self, event: Event, reason: Reason | None) -> None:
        """The session is over, if it is not already; `reason` is what the peer is told, None: nothing."""
        if self._over:
            return
        said = self.state in (State.CONNECTED, State.DISCONNECTING) and reason is not None
        self._moved(event)
        self._over = True
        self._frames = [SessionDisconnect(self.session_id, reason or 0).encode()] if said else []
        self._receiver.forget()
        self._waiting.clear()

    def _failed(self, error: WireError) -> bool:
        """The session is over because of an error. False if nobody needs to hear of it: it was ending."""
        ending = self.state is State.DISCONNECTING
        if isinstance(error, PeerTooSlow):
            reason = Reason.RELIABLE_OVERFLOW
        elif isinstance(error, PeerGone):
            reason = Reason.UNACKNOWLEDGED_TIMEOUT
        else:
            reason = Reason.CORRUPT_PACKET
        self._finish(Event.LOST, self._closing if ending else reason)
        self._decoder.forget()
        return not ending

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
            self._trace(f"in{self._standing(frame)}", frame)
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

    def _unsealed(self, datagram: bytes, now: float) -> None:
        """Request, response and out-of-session, which have no checksum."""
        op = datagram[1]
        if self.trace is not None:
            self._trace("in", datagram)
        if op == Op.SESSION_REQUEST and self.role is Role.SERVER:
            self._requested(datagram, now)
        elif op == Op.SESSION_RESPONSE and self.role is Role.CLIENT:
            self._responded(datagram, now)
        elif op == Op.OUT_OF_SESSION:
            if (
                self.role is Role.SERVER
                and self.state is State.CONNECTED
                and self._checksum.opened(datagram) is None
            ):
                self._doubted = self._doubted or now
            elif TRANSITIONS[self.state][Event.OUT_OF_SESSION] is not self.state:
                self.peer_closed = True
                self._finish(Event.OUT_OF_SESSION, None)
        else:
            self.statistics.drop("wrong role")

    def _requested(self, datagram: bytes, now: float) -> None:
        request = SessionRequest.decode(datagram)
        if request is None:
            self.statistics.drop("malformed")
        elif self.state is State.CLOSED:
            self.adopt(request, new_seed(self._entropy), now)
            self.statistics.packets_out = self.statistics.bytes_out = 0  # it leaves, and counts, below
            self._alone.append(respond(request, self.seed, self.settings))
        elif self.state is State.CONNECTED and request.session_id == self.session_id:
            if not self._alone:  # ours got lost: the same again, nothing else changes
                self._alone.append(respond(request, self.seed, self.settings))
        else:
            # Whoever begins anew at this address has to prove itself first, which is the doorman's business.
            self.statistics.drop("request")

    def _responded(self, datagram: bytes, now: float) -> None:
        response = SessionResponse.decode(datagram)
        if self.state is not State.WAIT_CONNECT:
            return  # one more answer to a repeated request
        if response is None or response.session_id != self.session_id:
            self.statistics.drop("response")
            return
        if response.first_pass or response.second_pass or response.crc_length not in (2, 4):
            self._finish(Event.LOST, None)
            raise WireError("bad_response: it wants an encoding of datagrams that EverQuest II does not use")
        self._moved(Event.RESPONSE)
        length = session_length(response.max_length, self.settings.max_datagram)
        self._begin(response.session_id, response.seed, length, response.crc_length, now)
        self._connect_ends = now + CONNECT_SECONDS
        self._ask(now)

    # Key exchange

    def _answer_statistics(self, request: StatRequest, now: float) -> None:
        """Server: our counters, and after the first question the key request."""
        self._frames.append(
            StatResponse(
                request.tick,
                int(now * 1000) & 0xFFFFFFFF,
                request.sent,
                request.received,
                self.statistics.packets_out,
                self.statistics.packets_in,
            ).encode()
        )
        if not self._key_requested and not self.keyed and self.state is State.CONNECTED:
            self._key_requested = True
            self._sender.push(KEY_REQUEST)

    def _handshake(self, payload: bytes) -> None:
        """A reliable payload from before the key: the key request at a client, the reply at a server."""
        parts = split_messages(payload) if payload.startswith(APP_COMBINED) else [payload]
        while parts and not self.keyed:
            part = parts.pop(0)
            if self.role is Role.SERVER:
                self._take_key(part)
            elif part[:1] == bytes((KEY_MESSAGE,)):
                reply = key_reply(self._entropy)
                self._sender.push(reply)
                self._key(reply[-KEY_SIZE:])
            else:
                self.statistics.drop("message before the key")
        if parts:
            self._decoder.feed_messages(parts)

    def _take_key(self, reply: bytes) -> None:
        """Server. What a client has in front of the key is not known, so nothing is asked of it."""
        if len(reply) < KEY_SIZE:
            self.statistics.drop("message before the key")
            return
        if not any(reply[-KEY_SIZE:]):
            raise WireError("bad_key: nothing but zeros")
        self._key(reply[-KEY_SIZE:])

    def _key(self, tail: bytes) -> None:
        self.encoder.cipher = self._decoder.cipher = CipherPair(tail, self.role)
        self.keyed = True
        if self.role is Role.SERVER:
            self._last_secret = self._receiver.newest
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._push(waiting)

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

    def _push(self, messages: Sequence[bytes]) -> None:
        push = self._sender.push
        for payload in self.encoder.encode(messages):
            push(payload)
        if self.trace is not None:
            for message in messages:
                self.trace(f"message out size={len(message)}")

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
                    self._trace(f"out{self._attempt(frame)}", frame)
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

    def _request(self, now: float) -> None:
        """Client: ask for a session."""
        request = SessionRequest(3, self.session_id, self.settings.max_datagram).encode()
        if request not in self._alone:
            self._alone.append(request)
        self._ask_again = now + CONNECT_EVERY_SECONDS

    def _ask(self, now: float) -> None:
        """Client: tell clock and counters; until the key request has come that is a question for it, too."""
        statistics = self.statistics
        self._frames.append(
            StatRequest(
                int(now * 1000) & 0xFFFF,
                round(statistics.rtt_last_ms),
                round(statistics.rtt_average_ms),
                round(statistics.rtt_shortest_ms),
                round(statistics.rtt_longest_ms),
                0,
                statistics.packets_out,
                statistics.packets_in,
            ).encode()
        )
        self._ask_again = now + CONNECT_EVERY_SECONDS

    # Time

    def deadline(self) -> float | None:
        """When `expire` has to be called even if nothing comes."""
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

    # For people

    def _standing(self, frame: bytes) -> str:
        """How a frame that came stands to those before it, where it is not the next one."""
        seq = numbered(frame)
        standing = self._receiver.standing(seq) if seq is not None else ""
        return f" ({standing})" if standing else ""

    def _attempt(self, frame: bytes) -> str:
        """The how manyth time a frame leaves, from the second on."""
        seq = numbered(frame)
        sends = self._sender.sends(seq) if seq is not None else 0
        return f" (attempt {sends})" if sends > 1 else ""

    def _trace(self, stage: str, frame: bytes) -> None:
        trace = self.trace
        if trace is None:
            return
        trace(describe(stage, frame))
        if may_be_shown(frame, self.keyed, self._last_secret):
            for line in hex_dump(frame):
                trace(line)
