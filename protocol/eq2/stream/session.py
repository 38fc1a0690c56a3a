"""A session's life: how it begins, gets its key, and ends.

    client                                   server
    01 session request    ----------------->            repeated until answered
                          <-----------------   02 session response, alone, no checksum
    07 stat request       ----------------->
                          <-----------------   08 stat response, and the key request: first reliable payload
    key reply             ----------------->            first reliable payload; from here on all is encrypted

All state of a session is here, because all of it begins anew when a session does. What comes and goes while
it lasts is `protocol.eq2.stream.stream`, which derives from this: a call more for each frame would cost more
than many of them do. An error ends a session once, whoever meets it: `_failed` finds the reason that the peer
is told, and what was ending already ends as it would have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from protocol.endings import PeerGone, PeerTooSlow, WireError
from protocol.eq2.stream.ciphers import KEY_MESSAGE, KEY_REQUEST, KEY_SIZE, CipherPair, key_reply
from protocol.eq2.stream.combining import APP_COMBINED, split_messages
from protocol.eq2.stream.dump import lines_of
from protocol.eq2.stream.frames import (
    Checksum,
    Op,
    Reason,
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
from protocol.eq2.stream.receiving import Receiver
from protocol.eq2.stream.sending import Sender
from protocol.eq2.stream.settings import LARGEST_WINDOW
from protocol.eq2.stream.states import TRANSITIONS, Event, State
from protocol.eq2.stream.statistics import Statistics
from protocol.wire.args import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from protocol.eq2.stream.settings import StreamSettings

CONNECT_EVERY_SECONDS: Final = 1.0
CONNECT_SECONDS: Final = 10.0
"""A client repeats what is unanswered so often, and for so long. The original one asks four times."""

RECEIVED_AT_ONCE: Final = 2000.0
"""Datagrams with the right checksum that a server looks at in one burst."""


class StreamSession:
    """Either end of a session. `now` is seconds of a monotonic clock, `entropy(n)` yields n random bytes."""

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

    # The handshake

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

    def _request(self, now: float) -> None:
        """Client: ask for a session."""
        request = SessionRequest(3, self.session_id, self.settings.max_datagram).encode()
        if request not in self._alone:
            self._alone.append(request)
        self._ask_again = now + CONNECT_EVERY_SECONDS

    def _ask(self, now: float) -> None:
        """Client: tell clock and counters; until the key request has come that is a question for it, too."""
        self._frames.append(StatRequest.of(self.statistics, now).encode())
        self._ask_again = now + CONNECT_EVERY_SECONDS

    def _answer_statistics(self, request: StatRequest, now: float) -> None:
        """Server: our counters, and after the first question the key request."""
        self._frames.append(StatResponse.to(request, self.statistics, now).encode())
        if not self._key_requested and not self.keyed and self.state is State.CONNECTED:
            self._key_requested = True
            self._sender.push(KEY_REQUEST)

    # The key

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

    def _push(self, messages: Sequence[bytes]) -> None:
        push = self._sender.push
        for payload in self.encoder.encode(messages):
            push(payload)
        if self.trace is not None:
            for message in messages:
                self.trace(f"message out size={len(message)}")

    # For people

    def _trace(self, stage: str, frame: bytes) -> None:
        if self.trace is not None:
            for line in lines_of(stage, frame, self.keyed, self._last_secret):
                self.trace(line)
