"""Conquer Online on the wire: the frames and ciphers of an account and of a game connection, without I/O.

    size (u16, little-endian, counts these four bytes) | type (u16) | fields

All of it is enciphered, sizes too, as one stream for each direction.

    account connection      the counter cipher (`tq`)
    game connection, 5017   the same; with its first packet, MsgConnect, the client's half changes keys
    game connection, 5065   an exchange of keys (`exchange`), then Blowfish, and behind every packet a footer
                            of eight bytes that its size does not count

Frames handed out and taken are whole packets: size, type and fields, never a footer.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from protocol.co import exchange
from protocol.co.blowfish import CfbDecryption, CfbEncryption
from protocol.co.ciphers import TqCipher
from protocol.co.exchange import CLIENT_FOOTER, FOOTER_SIZE, SERVER_FOOTER, ExchangeReply, Keys, Offer
from protocol.co.packets.base import HEADER_SIZE
from protocol.co.versions import CoVersion
from protocol.endings import WireError
from protocol.wire.args import CodecArgs, Role
from protocol.wire.framer import LengthFramer
from protocol.wire.stream import StreamCodec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from protocol.wire.body import Body

CONNECT: Final = 1052
CONNECT_SIZE: Final = 28
"""MsgConnect: what a client has to say first on a game connection."""

LARGEST_FIRST: Final = 512
"""Bytes of what a client may say before it has logged in. MsgAccount has 52; a reply in the exchange of keys
some 180."""

LARGEST_FROM_CLIENT: Final = 1024
"""Bytes of a client's packet in the world: what the game's own servers allow."""

_LARGEST_FROM_SERVER: Final = 0xFFFF
_LARGEST_REQUEST: Final = 1024
_SIZE_WIDTH: Final = 2

# Behind its first message a client says what it has to say first in the new keys, and then waits.
_LARGEST_AHEAD: Final = 16384

_CONNECT_HEADER: Final = CONNECT_SIZE.to_bytes(2, "little") + CONNECT.to_bytes(2, "little")

_CONNECT_OF_5017: Final = TqCipher(Role.CLIENT).encrypt(_CONNECT_HEADER)
"""First bytes of a client that exchanges no keys."""

_read_size = partial(int.from_bytes, byteorder="little")


class CoCodec(StreamCodec):
    """Base of the codecs of all kinds of connection."""

    peer_closed: ClassVar[bool] = False
    """Never: the end of the stream is all the notice there is."""

    share_key: ClassVar[None] = None
    """Nothing but a place in one's own stream decides how a packet looks."""

    def __init__(self, args: CodecArgs, *, footer: int = 0) -> None:
        self.settings: Final = args.settings
        """The listener's own keys."""
        self.version: Final = version_of(args)
        """Version of the listener's clients."""
        self._is_server = args.role is Role.SERVER
        self._footer_size = footer
        self._framer = LengthFramer(
            width=_SIZE_WIDTH,
            extra=footer,
            smallest=HEADER_SIZE + footer,
            largest=(LARGEST_FIRST if self._is_server else _LARGEST_FROM_SERVER) + footer,
            read_length=_read_size,
        )
        self._queue: list[bytes] = []

    def begin(self) -> None:
        """The connection is there: queue what a server says by itself."""

    # The codec contract

    @abstractmethod
    def receive(self, data: bytes | memoryview, now: float) -> None:
        """Take bytes of the stream. Raises WireError."""

    def next_frame(self) -> bytes | None:
        """The next packet. Raises WireError: bad size, bad type, bad footer."""
        frame = self._framer.next()
        if frame is not None and self._is_server and not (frame[2] or frame[3]):
            raise WireError("bad_type: 0")  # what the codec itself makes has it (ExchangeReply)
        return frame

    def send(self, body: Body) -> None:
        """Queue one packet."""
        self.send_raw((body.raw,))

    def send_many(self, bodies: Iterable[Body]) -> None:
        """Queue packets."""
        self.send_raw([body.raw for body in bodies])

    @abstractmethod
    def send_raw(self, messages: Sequence[bytes]) -> None:
        """Queue packets. The cipher is one stream, so that they pass it in one piece."""

    def prepare(self, body: bytes) -> bytes:
        """The packet as it is."""
        return body


class CoAccountCodec(CoCodec):
    """A connection to the account server: the same for all versions, and the keys stay."""

    def __init__(self, args: CodecArgs) -> None:
        super().__init__(args)
        self._cipher = TqCipher(args.role)

    def receive(self, data: bytes | memoryview, now: float) -> None:
        """Take bytes of the stream."""
        self._framer.feed(self._cipher.decrypt(bytes(data)))

    def send_raw(self, messages: Sequence[bytes]) -> None:
        """Queue packets."""
        self._queue.append(self._cipher.encrypt(b"".join(messages)))


class _Opening:
    """The first bytes of a stream, deciphered as far as they are asked for: behind them other keys begin."""

    __slots__ = ("_clear", "_decrypt", "_raw")

    def __init__(self, decrypt: Callable[[bytes], bytes]) -> None:
        self._decrypt = decrypt
        self._raw = bytearray()
        self._clear = b""

    def feed(self, data: bytes | memoryview) -> None:
        """Take bytes as they arrive. Raises WireError for more than belongs to any opening."""
        self._raw += data
        if len(self._raw) > _LARGEST_AHEAD:
            raise WireError(f"bad_length: {len(self._raw)} bytes before the keys")

    def up_to(self, size: int) -> bytes | None:
        """So many bytes from the first on; None if they are not all there."""
        missing = size - len(self._clear)
        if missing > 0:
            self._clear += self._decrypt(bytes(self._raw[:missing]))
            del self._raw[:missing]
        return self._clear[:size] if len(self._clear) >= size else None

    def begins(self, raw: bytes) -> bool:
        """Whether nothing was asked for yet, and it began with this as it came."""
        return not self._clear and self._raw.startswith(raw)

    def rest(self) -> bytes:
        """The bytes behind all that was asked for, as they came."""
        return bytes(self._raw)


class TqGameCodec(CoCodec):
    """A game connection up to version 5017."""

    def __init__(self, args: CodecArgs) -> None:
        super().__init__(args)
        self._cipher = TqCipher(args.role)
        self._opening: _Opening | None = _Opening(self._cipher.decrypt) if self._is_server else None
        """A server's, until MsgConnect is there."""
        self._connected = False
        """Whether MsgConnect has passed."""

    def receive(self, data: bytes | memoryview, now: float) -> None:
        """Take bytes of the stream."""
        if self._opening is None:
            self._framer.feed(self._cipher.decrypt(bytes(data)))
        else:
            self._opening.feed(data)

    def next_frame(self) -> bytes | None:
        """The next packet. A client's first has to be MsgConnect; the keys change behind it. Raises WireError
        if the first is another, or for a size out of bounds."""
        if self._opening is None:
            return super().next_frame()
        head = self._opening.up_to(HEADER_SIZE)
        if head is None:
            return None
        if not _is_connect(head):
            raise WireError(f"bad_connect: the first packet begins with {head.hex()}")
        frame = self._opening.up_to(CONNECT_SIZE)
        if frame is not None:
            self._change_keys(frame)
            self._framer.largest = LARGEST_FROM_CLIENT
            rest, self._opening = self._opening.rest(), None
            self.receive(rest, 0.0)
        return frame

    def send_raw(self, messages: Sequence[bytes]) -> None:
        """Queue packets. Raises ValueError if a client's first is not MsgConnect."""
        if not self._is_server and not self._connected and messages:
            connect, *messages = messages
            if not _is_connect(connect) or len(connect) != CONNECT_SIZE:
                raise ValueError("the first packet has to be MsgConnect")
            self._queue.append(self._cipher.encrypt(connect))
            self._change_keys(connect)
        self._queue.append(self._cipher.encrypt(b"".join(messages)))

    def _change_keys(self, connect: bytes) -> None:
        self._connected = True
        account, data = (int.from_bytes(connect[at : at + 4], "little") for at in (4, 8))
        self._cipher.rekey(account, data)


class CfbGameCodec(CoCodec):
    """A game connection of version 5065.

    A server's `begin` queues the request. The reply comes out of `next_frame` as an ExchangeReply, and no
    more frames come until `adopt` was given what `keys_of` made of it: that takes long enough to be a
    thread's work. A client answers a request when it is there. What is sent before the keys are known waits
    for them.
    """

    controls = frozenset({"begin", "adopt"})

    def __init__(self, args: CodecArgs) -> None:
        super().__init__(args, footer=FOOTER_SIZE)
        self._entropy = args.entropy
        footers = SERVER_FOOTER, CLIENT_FOOTER
        self._own_footer, self._peer_footer = footers if self._is_server else footers[::-1]
        self._opening = _Opening(exchange.start_decryption().apply)
        self._offer: Offer | None = None
        """A server's part of the exchange, once it was sent."""
        self._replied = False
        """Whether the reply was handed out."""
        self._waiting: list[bytes] = []
        self._encryption: CfbEncryption | None = None
        self._decryption: CfbDecryption | None = None

    @property
    def agreed(self) -> bool:
        """Whether both ends have their keys."""
        return self._decryption is not None

    def begin(self) -> None:
        """Queue the request, if this is the server."""
        if self._is_server and self._offer is None:
            self._offer = Offer.draw(self._entropy)
            self._queue.append(exchange.start_encryption().apply(self._offer.request(self._entropy)))

    def keys_of(self, reply: ExchangeReply) -> Keys:
        """The keys for `adopt`. Takes some milliseconds and changes nothing, so that a thread can do it.
        Raises WireError for a public key that gives the secret away, ValueError without `begin`."""
        if self._offer is None:
            raise ValueError("nothing was offered")
        return self._offer.keys(reply)

    def adopt(self, keys: Keys) -> None:
        """Go on with these keys, both ways, and with what has come or was sent in the meantime. Raises
        ValueError if that was done before."""
        if self._decryption is not None:
            raise ValueError("the connection has its keys")
        secret, *ivs = keys
        cipher = exchange.cipher_of(secret)
        own_iv, peer_iv = ivs if self._is_server else ivs[::-1]
        self._encryption = CfbEncryption(cipher, own_iv)
        self._decryption = CfbDecryption(cipher, peer_iv)
        self.receive(self._opening.rest(), 0.0)
        waiting, self._waiting = self._waiting, []
        self.send_raw(waiting)

    def receive(self, data: bytes | memoryview, now: float) -> None:
        """Take bytes of the stream. Raises WireError if a client is offered what is no exchange of keys."""
        if self._decryption is not None:
            self._framer.feed(self._decryption.apply(bytes(data)))
            return
        self._opening.feed(data)
        if not self._is_server:
            self._answer()

    def next_frame(self) -> bytes | None:
        """The next packet; a server's first is an ExchangeReply. Raises WireError for what is no reply, a
        size out of bounds or another footer."""
        if self._decryption is None:
            return self._reply() if self._is_server else None
        frame = super().next_frame()
        if frame is None:
            return None
        if not frame.endswith(self._peer_footer):
            raise WireError(f"bad_footer: {frame[-FOOTER_SIZE:].hex()}")
        if self._is_server:
            self._framer.largest = LARGEST_FROM_CLIENT + FOOTER_SIZE
        return frame[:-FOOTER_SIZE]

    def send_raw(self, messages: Sequence[bytes]) -> None:
        """Queue packets."""
        if self._encryption is None:
            self._waiting += messages
        elif messages:
            footer = self._own_footer
            self._queue.append(self._encryption.apply(footer.join(messages) + footer))

    def _reply(self) -> bytes | None:
        """A client's part of the exchange, once."""
        if self._replied:
            return None
        if self._opening.begins(_CONNECT_OF_5017):
            raise WireError("bad_exchange: a client of an older version, which belongs to a listener of that")
        data = self._exchanged(exchange.REPLY_PADDING, LARGEST_FIRST)
        if data is None:
            return None
        self._replied = True
        return exchange.read_reply(data).encode(self.version)

    def _answer(self) -> None:
        """Reply to a server's request when it is there."""
        data = self._exchanged(exchange.REQUEST_PADDING, _LARGEST_REQUEST)
        if data is not None:
            reply, keys = exchange.answer(data, self._entropy)
            self._queue.append(exchange.start_encryption().apply(reply))
            self.adopt(keys)

    def _exchanged(self, padding: int, largest: int) -> bytes | None:
        """The peer's whole message of the exchange, when it is there."""
        head = self._opening.up_to(padding + 4)
        if head is None:
            return None
        return self._opening.up_to(exchange.size_of(head, padding, largest))


def game_codec(args: CodecArgs) -> TqGameCodec | CfbGameCodec:
    """The codec of a game connection, by the listener's version."""
    return CfbGameCodec(args) if version_of(args) >= CoVersion.V5065 else TqGameCodec(args)


def version_of(args: CodecArgs) -> CoVersion:
    """The key `patch` of a listener. Raises ValueError for one that is not spoken here."""
    version = args.settings.get("patch", CoVersion.V5017)
    if not isinstance(version, int):
        raise ValueError(f"no version: {version!r}")
    return CoVersion(version)


def _is_connect(packet: bytes) -> bool:
    """Whether a packet begins as MsgConnect does."""
    return packet[:HEADER_SIZE] == _CONNECT_HEADER
