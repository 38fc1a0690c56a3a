"""Meets whoever has no session at a door of datagrams.

Anybody can write any address on a datagram. So a session request is only answered, with a seed for the
checksum that nobody else sees, and noted for five seconds; whoever then sends a datagram with the right
checksum has read the answer, and only that begins a session. Until then:

* nothing is sent twice, and never more than one datagram for one datagram;
* the answers together are no longer than what came in from addresses without a session. A client's first
  request takes 14 bytes and its answer 21, so 30 answers a second are granted beyond that; with `prove_first`
  they are not, and an address is answered when it has sent as much as the answer takes: a client repeats its
  request anyway;
* a request from the address of a session leaves that session alone. It is replaced when the new one has
  proven itself.

Whoever sends what can only be a part of a session that is not there is told so (a client that was forgotten
begins anew then), seldom: once a second for an address, 30 times a second in all. Nothing else is answered.
Two bytes make a frame, and noise has them now and then, so a frame that anything could be behind is not
enough: it takes a second one whose number is near the first.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final, Protocol, cast

import attrs

from protocol.eq2.stream.combining import COMBINED, split
from protocol.eq2.stream.congestion import TokenBucket
from protocol.eq2.stream.frames import (
    KEEP_ALIVE,
    OUT_OF_SESSION,
    Checksum,
    Op,
    SessionRequest,
    StatRequest,
    new_seed,
    respond,
)
from protocol.eq2.stream.settings import LARGEST_WINDOW, StreamSettings
from protocol.eq2.stream.states import State
from protocol.family import Codec, Knock

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.eq2.stream.stream import EqStream
    from protocol.family import Address
    from protocol.wire.args import CodecArgs

HALF_OPEN_SECONDS: Final = 5.0
"""An address has so long to prove itself."""

GRACE_ANSWERS_PER_SECOND: Final = 30.0
"""Requests answered beyond what came in."""

MOST_CREDIT: Final = 64 * 1024
"""Bytes that came in and may still be answered."""

MOST_GUESSES: Final = 8
"""Datagrams with the wrong checksum after which an address is not listened to until its five seconds are
over: two bytes could be found by trying."""

REBUFF_EVERY_SECONDS: Final = 1.0
REBUFFS_PER_SECOND: Final = 30.0
"""How often one address is told that it has no session, and how often all are; no more than that are
remembered."""

MOST_SUSPECTED: Final = 256
"""Addresses of which one numbered frame is remembered."""

_ACKS: Final = frozenset({int(Op.ACK), int(Op.OUT_OF_ORDER_ACK)})
_DATA: Final = frozenset({int(Op.PACKET), int(Op.FRAGMENT)})
_NUMBERED_SIZE: Final = 4  # of opcode and number
_STAT_REQUEST_SIZE: Final = len(StatRequest(0).encode())

_MOST_COUNTED: Final = 1 << 32  # datagrams of a session; with more a question for statistics is none

_REQUEST: Final = bytes((0, Op.SESSION_REQUEST))


class StreamingCodec(Codec, Protocol):
    """A codec over an EQStream."""

    stream: EqStream


@attrs.define(eq=False)
class _HalfOpen:
    """An address that asked for a session."""

    request: SessionRequest
    """The last one."""
    seed: int
    checksum: Checksum
    ends: float
    received: int = 0
    sent: int = 0
    guesses: int = 0
    answers: int = 0
    answered: float = 0.0
    """The time at which the last answer left."""


class Eq2Doorman:
    """Implements `protocol.family.Doorman`."""

    def __init__(self, args: CodecArgs, make_codec: Callable[[], StreamingCodec]) -> None:
        """`make_codec` is called for whoever has proven itself.

        Raises:
            ValueError: a setting is out of range or no number; the message names the key.
        """
        self._make_codec = make_codec
        self._entropy = args.entropy
        self._settings = StreamSettings.from_table(args.settings)
        Checksum(0, self._settings.crc_length)  # a session without checksums would prove nothing
        self._prove_first = args.settings.get("prove_first", False) is True
        self._most_half_open = _whole(args.settings, "half_open", 256)
        rate = _whole(args.settings, "new_sessions_per_second", 30)
        self._new_sessions = TokenBucket(rate, rate)
        self._grace = TokenBucket(GRACE_ANSWERS_PER_SECOND, GRACE_ANSWERS_PER_SECOND)
        self._rebuffs = TokenBucket(REBUFFS_PER_SECOND, REBUFFS_PER_SECOND)
        self._credit = 0  # bytes
        # In the order in which they end, or in which they came.
        self._half_open: OrderedDict[Address, _HalfOpen] = OrderedDict()
        self._rebuffed: OrderedDict[Address, float] = OrderedDict()
        self._suspected: OrderedDict[Address, int] = OrderedDict()
        """The number in the last frame of an address, for those that have no session."""

    @property
    def half_open(self) -> int:
        """Addresses that asked and have not proven themselves yet."""
        return len(self._half_open)

    def concerns(self, address: Address, datagram: bytes) -> bool:
        """Whether a datagram from an address with a session may begin a new one."""
        return datagram.startswith(_REQUEST) or (bool(self._half_open) and address in self._half_open)

    def knock(self, address: Address, datagram: bytes, now: float, codec: Codec | None) -> Knock | None:
        """Decide about a datagram; `codec` is that of the session its address has. None: give it to that
        session, or to nobody."""
        self._clear(now)
        if datagram.startswith(_REQUEST):
            return self._requested(address, datagram, now, codec)
        if codec is None:
            self._earn(len(datagram))
        waiting = self._half_open.get(address)
        if waiting is not None:
            if codec is not None and _is_of(codec, datagram, self._settings.crc_length):
                return None
            return self._proven(address, waiting, datagram, now)
        return self._rebuff(address, datagram, now) if codec is None else None

    def _requested(self, address: Address, datagram: bytes, now: float, codec: Codec | None) -> Knock | None:
        request = SessionRequest.decode(datagram)
        if request is None or (codec is not None and _session_of(codec) == request.session_id):
            return None
        self._earn(len(datagram))
        waiting = self._half_open.get(address)
        if waiting is None:
            if len(self._half_open) >= self._most_half_open or not self._new_sessions.allows(1, now):
                return None
            self._new_sessions.charge(1, now)
            seed = new_seed(self._entropy)
            checksum = Checksum(seed, self._settings.crc_length)
            waiting = _HalfOpen(request, seed, checksum, now + HALF_OPEN_SECONDS)
            self._half_open[address] = waiting
        # With another id the seed stays: whoever was answered first can still prove itself.
        waiting.request = request
        waiting.received += len(datagram)
        answer = respond(request, waiting.seed, self._settings)
        if not self._afforded(waiting, len(answer), now):
            return None
        waiting.sent += len(answer)
        waiting.answers += 1
        waiting.answered = now
        return Knock(answer)

    def _proven(self, address: Address, waiting: _HalfOpen, datagram: bytes, now: float) -> Knock | None:
        waiting.received += len(datagram)
        if not waiting.sent or waiting.guesses >= MOST_GUESSES:
            return None
        if waiting.checksum.opened(datagram) is None:
            waiting.guesses += 1
            return None
        del self._half_open[address]
        codec = self._make_codec()
        # Which of several answers it has read one cannot tell, and so not how long that took.
        took = now - waiting.answered if waiting.answers == 1 else None
        codec.stream.adopt(waiting.request, waiting.seed, now, took=took)
        return Knock(codec=codec)

    def _rebuff(self, address: Address, datagram: bytes, now: float) -> Knock | None:
        if not self._is_forgotten(address, datagram):
            return None
        if address in self._rebuffed or not self._rebuffs.allows(1, now):
            return None
        self._rebuffs.charge(1, now)
        self._credit -= len(OUT_OF_SESSION)
        self._rebuffed[address] = now + REBUFF_EVERY_SECONDS
        return Knock(OUT_OF_SESSION)

    def _is_forgotten(self, address: Address, datagram: bytes) -> bool:
        """Whether an address seems to believe that it has a session."""
        number = _number_of(datagram, self._settings.crc_length)
        if number is None:
            return False
        if number < 0:
            return True
        before = self._suspected.pop(address, None)
        self._suspected[address] = number
        if len(self._suspected) > MOST_SUSPECTED:
            self._suspected.popitem(last=False)
        return before is not None and (number - before + LARGEST_WINDOW) & 0xFFFF <= 2 * LARGEST_WINDOW

    def _earn(self, size: int) -> None:
        self._credit = min(self._credit + size, MOST_CREDIT)

    def _afforded(self, waiting: _HalfOpen, size: int, now: float) -> bool:
        """Whether an answer of this size may go to an address that may be somebody else's; if so, it is paid
        for."""
        if self._prove_first and waiting.received < waiting.sent + size:
            return False
        if self._credit >= size:
            self._credit -= size
            return True
        if self._prove_first or not self._grace.allows(1, now):
            return False
        self._grace.charge(1, now)
        return True

    def _clear(self, now: float) -> None:
        half_open, rebuffed = self._half_open, self._rebuffed
        while half_open and next(iter(half_open.values())).ends <= now:
            half_open.popitem(last=False)
        while rebuffed and next(iter(rebuffed.values())) <= now:
            rebuffed.popitem(last=False)


def _session_of(codec: Codec) -> int | None:
    """The id of a session that is not over."""
    stream = cast("StreamingCodec", codec).stream
    return None if stream.state is State.DISCONNECT else stream.session_id


def _is_of(codec: Codec, datagram: bytes, crc_length: int) -> bool:
    """Whether a datagram carries the checksum of a session that is not over."""
    stream = cast("StreamingCodec", codec).stream
    if stream.state is State.DISCONNECT:
        return False
    return Checksum(stream.seed, crc_length).opened(datagram) is not None


def _number_of(datagram: bytes, crc_length: int) -> int | None:
    """The number of the first numbered frame of a datagram that has the shape of a client's part of a
    session, 0 for a keep-alive; -1 if there is a question for statistics in it, which hardly anything else
    looks like; None for anything else."""
    body = datagram[:-crc_length]
    if body == KEEP_ALIVE:
        return 0
    frames, whole = split(body) if body.startswith(COMBINED) else ([body], True)
    if not whole or not frames:
        return None
    found: int | None = None
    for frame in frames:
        if frame[:1] != b"\0" or len(frame) < _NUMBERED_SIZE:
            return None
        op, size = frame[1], len(frame)
        if op == Op.SESSION_STAT_REQUEST and _are_statistics(frame):
            found = -1
        elif (op in _ACKS and size == _NUMBERED_SIZE) or (op in _DATA and size > _NUMBERED_SIZE):
            if found is None:
                found = int.from_bytes(frame[2:_NUMBERED_SIZE], "big")
        else:
            return None
    return found


def _are_statistics(frame: bytes) -> bool:
    """Whether this is a client's question for statistics, with counters that can be."""
    request = StatRequest.decode(frame) if len(frame) == _STAT_REQUEST_SIZE else None
    return request is not None and max(request.sent, request.received) < _MOST_COUNTED


def _whole(table: Mapping[str, object], key: str, default: int) -> int:
    value = table.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{key} must be a whole number above 0: {value!r}")
    return value
