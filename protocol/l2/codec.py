"""Lineage II on the wire: the frames and ciphers of a login and of a game connection, without I/O.

    length (u16, little-endian, counts itself) | body, its first byte the opcode

The length is never enciphered. A frame of two bytes has no body; public servers send one now and then, and it
means nothing. On a login connection every body is whole Blowfish blocks with a checksum inside; the server
speaks first, in a key that everybody knows, and says in which key to go on. On a game connection both sides
speak plainly until KeyPacket, and then, if that says so, with a rolling XOR.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from protocol.endings import WireError
from protocol.l2.blowfish import BLOCK_SIZE, Blowfish
from protocol.l2.ciphers import CHECKSUM_SIZE, RollingXor, guarded, is_intact, padded, unveil, veil
from protocol.wire.args import CodecArgs, Role
from protocol.wire.framer import LengthFramer
from protocol.wire.stream import StreamCodec

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from protocol.wire.body import Body

SESSION_KEY_SIZE: Final = 16

LARGEST_FRAME: Final = 0xFFFF
"""Bytes that the length can name, itself included."""

_HEADER_SIZE: Final = 2

# The longest honest ones: RequestAuthLogin with two RSA blocks is some 330 bytes, ProtocolVersion with the
# original client's key material 265. Whatever speaks HTTP, TLS or SSH here names a larger length at once.
_LARGEST_GREETING: Final = 512

# In the world: a board post in six texts, a shopping list, a macro of twelve lines. A few KiB.
_LARGEST_FROM_CLIENT: Final = 8192

# "Now and then" is what was seen of them. A stream of nothing else would keep the reader busy for ever.
_EMPTY_FRAMES_IN_A_ROW: Final = 64

_STATIC_KEY: Final = bytes.fromhex("6b60cb5b82ce90b1cc2b6c556c6c6c6c")
"""Of Init and nothing else; in every client."""

# Init: opcode, session id, revision, modulus of 128 bytes, four numbers; then the key and a zero.
_KEY_AT: Final = 153
_INIT_SIZE: Final = _KEY_AT + SESSION_KEY_SIZE + 1
_INIT_OPCODE: Final = 0

# For the checksum that Init does not have, and for the sum of its pass of XOR.
_INIT_RESERVED: Final = 2 * CHECKSUM_SIZE

_static = Blowfish(_STATIC_KEY)
_read_length = partial(int.from_bytes, byteorder="little")


class L2Codec(StreamCodec):
    """A connection of either kind: frames, and nothing to share between clients."""

    peer_closed: ClassVar[bool] = False
    """Never: the end of the stream is all the notice there is."""

    share_key: ClassVar[None] = None
    """Every client has keys of its own."""

    def __init__(self, args: CodecArgs) -> None:
        self.settings: Final = args.settings
        """The listener's own keys."""
        self._is_server = args.role is Role.SERVER
        self._framer = LengthFramer(
            width=_HEADER_SIZE,
            extra=0,
            smallest=_HEADER_SIZE,
            largest=_LARGEST_GREETING if self._is_server else LARGEST_FRAME,
            read_length=_read_length,
        )
        self._queue: list[bytes] = []

    # The codec contract

    def receive(self, data: bytes | memoryview, now: float) -> None:
        """Take bytes of the stream."""
        self._framer.feed(data)

    def next_frame(self) -> bytes | None:
        """The next message, opcode first. Raises WireError for a bad length or a bad checksum."""
        for _ in range(_EMPTY_FRAMES_IN_A_ROW):
            frame = self._framer.next()
            if frame is None:
                return None
            if len(frame) > _HEADER_SIZE:
                return self._opened(frame[_HEADER_SIZE:])
        raise WireError("bad_length: nothing but empty packets")

    def send(self, body: Body) -> None:
        """Queue one message. Raises ValueError if it is too long for a frame."""
        self.send_raw((body.raw,))

    def send_many(self, bodies: Iterable[Body]) -> None:
        """Queue messages. Raises ValueError if one is too long for a frame."""
        self.send_raw([body.raw for body in bodies])

    @abstractmethod
    def send_raw(self, messages: Sequence[bytes]) -> None:
        """Queue messages, enciphered as this moment has it. Raises ValueError if one is too long for a
        frame."""

    def prepare(self, body: bytes) -> bytes:
        """The message as it is."""
        return body

    @abstractmethod
    def _opened(self, body: bytes) -> bytes:
        """The message of a frame that is not empty."""


class L2LoginCodec(L2Codec):
    """Frames handed out and taken are opcode and body. Those handed out end with zeros, and with the checksum
    if the peer does as the original client does.

    `original` is a client's choice: whether its checksum stands where the original client puts it.
    """

    def __init__(self, args: CodecArgs, *, original: bool = False) -> None:
        super().__init__(args)
        self.session_key = args.entropy(SESSION_KEY_SIZE) if self._is_server else b""
        """What Init tells the client: the server's choice; a client has none before it got Init."""
        self._entropy = args.entropy
        self._original = original
        self._init_passed = False
        """Whether Init was sent, or came."""
        self._made: Blowfish | None = None

    def send_raw(self, messages: Sequence[bytes]) -> None:
        """Queue messages. A server's first has to be Init, with `session_key` in it."""
        for message in messages:
            if self._is_server and not self._init_passed:
                self._init_passed = True
                seed = int.from_bytes(self._entropy(4), "little")
                enciphered = _static.encrypt(veil(padded(message, _INIT_RESERVED), seed))
            else:
                enciphered = self._cipher.encrypt(guarded(message, original=self._original))
            self._queue.append(_header(enciphered) + enciphered)

    def _opened(self, body: bytes) -> bytes:
        if len(body) % BLOCK_SIZE:
            raise WireError(f"bad_length: {len(body)} bytes are no whole blocks")
        if not self._is_server and not self._init_passed:
            return self._opened_init(body)
        message = self._cipher.decrypt(body)
        if not is_intact(message):
            raise WireError("bad_checksum")
        return message[:-CHECKSUM_SIZE]

    def _opened_init(self, body: bytes) -> bytes:
        message = unveil(_static.decrypt(body))
        if len(message) < _INIT_SIZE + _INIT_RESERVED or message[0] != _INIT_OPCODE:
            raise WireError(f"bad_init: {len(message)} bytes, opcode {message[0]:#04x}")
        self._init_passed = True
        self.session_key = message[_KEY_AT : _KEY_AT + SESSION_KEY_SIZE]
        return message[:-_INIT_RESERVED]

    @property
    def _cipher(self) -> Blowfish:
        """Of all but Init. To make one takes a while, which somebody who never answers Init is not worth."""
        if self._made is None:
            if not self.session_key:
                raise ValueError("no key before Init")
            self._made = Blowfish(self.session_key)
        return self._made


class L2GameCodec(L2Codec):
    """Frames handed out and taken are opcode and body. Until `encipher` everything is plain."""

    controls = frozenset({"encipher"})

    def __init__(self, args: CodecArgs) -> None:
        super().__init__(args)
        self._encrypt: RollingXor | None = None
        self._decrypt: RollingXor | None = None

    def encipher(self, sent_key: bytes) -> None:
        """From the next message on, in both directions; `sent_key` are the 8 bytes in KeyPacket. What was
        given to `send` before stays plain. Raises ValueError for a key of another size."""
        self._encrypt = RollingXor(sent_key)
        self._decrypt = RollingXor(sent_key)

    @property
    def enciphered(self) -> bool:
        """Whether `encipher` was called."""
        return self._encrypt is not None

    def send_raw(self, messages: Sequence[bytes]) -> None:
        """Queue messages. Raises ValueError for one that does not fit a frame."""
        if self._encrypt is None:
            self._queue += [_header(message) + message for message in messages]
            return
        try:
            self._queue += self._encrypt.framed(messages)
        except OverflowError as error:
            raise ValueError("a message does not fit a frame") from error

    def _opened(self, body: bytes) -> bytes:
        if self._is_server:
            self._framer.largest = _LARGEST_FROM_CLIENT
        return body if self._decrypt is None else self._decrypt.decrypt(body)


def _header(body: bytes) -> bytes:
    """The length in front of a body. Raises ValueError beyond what it can name."""
    size = _HEADER_SIZE + len(body)
    if size > LARGEST_FRAME:
        raise ValueError(f"a message of {len(body)} bytes does not fit a frame")
    return size.to_bytes(_HEADER_SIZE, "little")
