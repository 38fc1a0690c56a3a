"""Endless Online on the wire: frames, encryption and sequence numbers of one client, without I/O.

    length (short, counts what follows) | action | family | [sequence, client to server only] | payload

Everything behind the length is encrypted with one of two multiples, one for each direction, both chosen by
the server in its answer to Init_Init. Init_Init itself (FF FF) is never encrypted and carries no sequence
number. What a server sends depends on the packet and its multiple alone, so clients with the same multiple
share the ciphertext: here all have the same.

Every packet of a client carries a running number, start + counter. The counter runs 0..9 and counts every
packet, Init_Init included although that one carries no number. The start is the server's choice and changes
three times: in its answer to Init_Init, in each ping (valid from the client's answer on), and in
Account_Reply, where we repeat what is in force. It is hidden in pairs of numbers: `seq1 * 7 + seq2 - 13` in
Init_Init, `seq1 - seq2` in a ping (eolib `packet/sequence_start.py`).

A start above 240 would give values that need two bytes, where client versions disagree; like the original
server we never choose one. (eolib's own generators go up to 1756.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from protocol.endings import WireError
from protocol.eo.ciphers import decrypt, encrypt
from protocol.eo.packets.base import CHAR_MAX, SHORT_MAX, decode_length, encode_short
from protocol.wire.args import CodecArgs, Plain, Role
from protocol.wire.body import forms
from protocol.wire.framer import LengthFramer
from protocol.wire.stream import StreamCodec

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from protocol.wire.body import Body

LARGEST_FRAME = 2 + SHORT_MAX
"""Bytes of the longest packet with its length prefix."""

_INIT = b"\xff\xff"
_PING_ANSWER = bytes((240, 1))  # Connection_Ping, action first

_SMALLEST_MULTIPLE, _LARGEST_MULTIPLE = 6, 12  # what the original server draws from

# Not drawn for each client, so that what many are told is encrypted once and not up to seven times; it hides
# nothing, for each client is told it in plain. The largest has the fewest bytes to turn around.
_SERVER_MULTIPLE = _LARGEST_MULTIPLE

# Strings, which remember their hash: with it every message of every client is looked up.
_SHARE_KEYS = tuple(f"eo-{multiple}" for multiple in range(_LARGEST_MULTIPLE + 1))

# Init_Init with the longest hdid its one-byte length can name is 264 bytes; nobody has more to say before our
# answer.
_LARGEST_GREETING = 512

# The longest honest packets are a board post of some 2,000 letters and a Range_Request that names everybody
# in sight. One of 64,000 bytes would hold up everybody else for 5 ms while it is taken apart.
_LARGEST_FROM_CLIENT = 8192

Entropy: TypeAlias = Callable[[int], bytes]
"""Gives as many unpredictable bytes as asked for."""

LARGEST_START = 240


class Greeting(NamedTuple):
    """The numbers in the answer to Init_Init on which both sides agree."""

    seq1: int
    seq2: int
    server_multiple: int
    client_multiple: int


class Sequence:
    """One connection's counter and start, the same on both sides of it."""

    __slots__ = ("counter", "start", "upcoming")

    def __init__(self) -> None:
        self.counter = 0
        self.start = 0
        self.upcoming: int | None = None
        """The start of a ping the client has not answered yet."""

    def next(self) -> int:
        """The value of the packet at hand; counts it."""
        value = self.start + self.counter
        self.counter = (self.counter + 1) % 10
        return value

    def switch(self) -> None:
        """The client answers the ping: its start is in force, from this answer on. No ping, no change."""
        if self.upcoming is not None:
            self.start, self.upcoming = self.upcoming, None


class EoCodec(StreamCodec):
    """Frames handed out and taken are action, family, payload: no length, no sequence number, not encrypted.

    Until `greet` (server) or `begin` (client) everything is plain.
    """

    controls = frozenset({"greet", "new_ping"})

    def __init__(self, args: CodecArgs) -> None:
        self.server_multiple = 0
        """Encrypts what the server says; 0 before the multiples are known."""
        self.client_multiple = 0
        """Encrypts what the client says; 0 before the multiples are known."""
        self.peer_closed = False
        """Whether the peer said goodbye in the wire's own words; plain TCP has none."""
        self.sequence = Sequence()
        self._entropy = args.entropy
        self._is_server = args.role is Role.SERVER
        self._framer = LengthFramer(
            width=2,
            extra=2,
            smallest=4,
            largest=2 + _LARGEST_GREETING if self._is_server else LARGEST_FRAME,
            read_length=decode_length,
        )
        self._queue: list[bytes] = []

    # What handlers decide

    def greet(self) -> Greeting:
        """Server: choose multiples and start, in force from the next frame on, to answer Init_Init."""
        choices = _LARGEST_MULTIPLE - _SMALLEST_MULTIPLE + 1
        client_multiple = _SMALLEST_MULTIPLE + below(choices, self._entropy)
        start = choose_start(self._entropy)
        self.begin(_SERVER_MULTIPLE, client_multiple, start)
        return Greeting(*init_values(start, self._entropy), _SERVER_MULTIPLE, client_multiple)

    def begin(self, server_multiple: int, client_multiple: int, start: int) -> None:
        """Both sides: encrypt from here on, Init_Init excepted, and count from this start."""
        self.server_multiple = server_multiple
        self.client_multiple = client_multiple
        self.sequence.start = start
        if self._is_server:
            self._framer.largest = 2 + _LARGEST_FROM_CLIENT

    @property
    def ping_unanswered(self) -> bool:
        """Server: the client still owes the answer to the last ping."""
        return self.sequence.upcoming is not None

    def new_ping(self) -> tuple[int, int]:
        """Server: `seq1`, `seq2` of the next ping; its start counts from the client's answer on.

        Raises ValueError while a ping is unanswered: the client would have switched twice before we learn of
        the first.
        """
        if self.ping_unanswered:
            raise ValueError("the last ping is still unanswered")
        self.sequence.upcoming = start = choose_start(self._entropy)
        return ping_values(start, self._entropy)

    def account_reply_start(self) -> int:
        """Server: what Account_Reply has to carry so that the client's sequence stays as it is.

        With a ping under way that is the ping's start: the client has switched when it reads the reply.
        """
        upcoming = self.sequence.upcoming
        return self.sequence.start if upcoming is None else upcoming

    # The codec contract

    def learnt(self) -> Plain:
        """The start in force, and the one that is from the client's next answer to a ping on."""
        return self.sequence.start, self.sequence.upcoming

    def learn(self, learnt: Plain) -> None:
        """Take that over."""
        self.sequence.start, self.sequence.upcoming = cast("tuple[int, int | None]", learnt)

    def receive(self, data: bytes | memoryview, now: float) -> None:
        """Take bytes of the stream."""
        self._framer.feed(data)

    def next_frame(self) -> bytes | None:
        """The next packet as action, family, payload. Raises WireError: bad length, wrong sequence number."""
        frame = self._framer.next()
        if frame is None:
            return None
        return self._from_client(frame[2:]) if self._is_server else self._from_server(frame[2:])

    def send(self, body: Body) -> None:
        """Queue action, family, payload."""
        self._queue.append(body.form(self) if self._is_server else self._numbered(body.raw))

    def send_many(self, bodies: Iterable[Body]) -> None:
        """Queue packets."""
        if self._is_server:
            self._queue += forms(bodies, self)
        else:
            self._queue += [self._numbered(body.raw) for body in bodies]

    @property
    def share_key(self) -> Hashable | None:
        """Server: the multiple. A client's packets are numbered, so it has nothing to share."""
        return _SHARE_KEYS[self.server_multiple] if self._is_server else None

    def prepare(self, body: bytes) -> bytes:
        """Server: the whole frame. Client: the packet, not yet numbered. Raises ValueError beyond 64,008
        bytes."""
        return _frame(body, self.server_multiple) if self._is_server else body

    # The two directions

    def _from_client(self, body: bytes) -> bytes:
        """Decrypt and check the sequence number, whatever becomes of the packet later."""
        if body.startswith(_INIT):
            self.sequence.next()
            return body
        if self.client_multiple:
            body = decrypt(body, self.client_multiple)
        if body.startswith(_PING_ANSWER):
            self.sequence.switch()
        expected = self.sequence.next()
        number = encode_sequence(expected)
        if not body.startswith(number, 2):
            got = body[2 : 2 + len(number)].hex() or "nothing"
            raise WireError(
                f"bad_sequence: {got} instead of {number.hex()} in action {body[0]}, family {body[1]}"
            )
        return body[:2] + body[2 + len(number) :]

    def _from_server(self, body: bytes) -> bytes:
        if self.server_multiple and not body.startswith(_INIT):
            return decrypt(body, self.server_multiple)
        return body

    def _numbered(self, body: bytes) -> bytes:
        """The frame of a client's packet, which uses up a sequence number."""
        number = encode_sequence(self.sequence.next())
        if body.startswith(_INIT):
            return _frame(body, 0)
        return _frame(body[:2] + number + body[2:], self.client_multiple)


def _frame(body: bytes, multiple: int) -> bytes:
    """Length prefix and, for anything but Init_Init, ciphertext. `multiple` 0: plain."""
    length = encode_short(len(body))
    if not multiple or body.startswith(_INIT):
        return length + body
    return length + encrypt(body, multiple)


def encode_sequence(value: int) -> bytes:
    """One byte below 253, else two."""
    return bytes((value + 1,)) if value <= CHAR_MAX else encode_short(value)


def below(limit: int, entropy: Entropy) -> int:
    """A number from 0 to `limit` - 1."""
    return int.from_bytes(entropy(4), "little") % limit


def choose_start(entropy: Entropy) -> int:
    """A start from 0 to 240."""
    return below(LARGEST_START + 1, entropy)


def init_values(start: int, entropy: Entropy) -> tuple[int, int]:
    """`seq1`, `seq2` of Init_Init for this start: bytes of 0..252 with seq1 * 7 + seq2 - 13 == start."""
    # seq2 = start + 13 - seq1 * 7 has to stay within 0..252: the first bound keeps it below 253, the second
    # above -1.
    lowest = max(0, (start + 13 - CHAR_MAX + 6) // 7)
    highest = (start + 13) // 7
    seq1 = lowest + below(highest - lowest + 1, entropy)
    return seq1, start + 13 - seq1 * 7


def init_start(seq1: int, seq2: int) -> int:
    """The start a client reads from Init_Init."""
    return seq1 * 7 + seq2 - 13


def ping_values(start: int, entropy: Entropy) -> tuple[int, int]:
    """`seq1` (short), `seq2` (char) of a ping for this start, with seq1 - seq2 == start."""
    seq2 = below(CHAR_MAX, entropy)
    return start + seq2, seq2


def ping_start(seq1: int, seq2: int) -> int:
    """The start a client reads from a ping (Connection_Player)."""
    return seq1 - seq2
