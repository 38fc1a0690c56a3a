"""Ultima Online on the wire: seed, framing, encryption and compression of one connection, without I/O.

A connection opens with a seed, four raw bytes or the packet 0xEF. The first packet decides what it is: 0x80 a
login connection, plain towards the client; 0x91 a game connection, on which every packet to the client is
Huffman compressed, and enciphered if the client enciphers. Towards the server nothing is compressed. Nothing
announces encryption either; the first packet tells (`protocol.uo.ciphers`). Both kinds come in at the same
port.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, cast

from protocol.endings import WireError
from protocol.uo.ciphers import (
    GAME_LOGIN_SIZE,
    LOGIN_SIZE,
    GameCipher,
    LoginCipher,
    UnknownCipherError,
    detect_game,
    detect_login,
    login_keys,
)
from protocol.uo.huffman import Decompressor, compress
from protocol.uo.versions import (
    ASSUMED,
    VARIABLE,
    VersionNumber,
    client_lengths,
    format_version,
    server_lengths,
)
from protocol.wire.args import CodecArgs, Plain, Role
from protocol.wire.body import forms
from protocol.wire.stream import StreamCodec

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from protocol.wire.body import Body

SEED_PACKET: Final = 0xEF
SEED_PACKET_SIZE: Final = 21
"""0xEF: opcode, seed, and the version's four numbers, u32 each. As a raw seed 0xEF would be a multicast
address."""

LARGEST_PACKET: Final = 0x2000
"""Bytes a client's packet may take. What means anything here stays far below; speech, the longest, has 1
KiB."""

_LOGIN, _GAME_LOGIN = 0x80, 0x91
_OTHER_FIRST: Final = frozenset({0xA4, 0xCF, 0xD9})
"""Opcodes that a plain client may send before, or (0xCF) instead of, its 0x80."""

_FOREIGN: Final = (
    (
        re.compile(rb"(?:GET|HEAD|POST|PUT|OPTIONS|CONNECT) [ -~]{3}"),
        "speaks HTTP: this is not the web page's port",
    ),
    (re.compile(rb"\x16\x03[\0-\4]..\x01\0", re.DOTALL), "speaks TLS: clients connect here without it"),
    (re.compile(rb"SSH-[12]\.\d"), "speaks SSH"),
    (
        re.compile(rb"PROXY (?:TCP|UNK)|\r\n\r\n\0\r\nQUIT\n"),
        "sends a PROXY protocol header: turn that off in the proxy",
    ),
)
"""Beginnings of other protocols. All of them are longer than a seed, so that no raw seed is taken for one."""


def make_codec(args: CodecArgs) -> UoCodec | UoClientCodec:
    """The codec of that end of the wire. A client's needs `settings`: see `UoClientCodec`."""
    return UoCodec(args) if args.role is Role.SERVER else UoClientCodec(args)


def _version(numbers: Sequence[int]) -> VersionNumber:
    """A version, from whatever sequence it came as."""
    first, second, third, fourth = numbers
    return first, second, third, fourth


class _Codec(StreamCodec):
    """Base of both ends: a queue, and no deadlines."""

    def __init__(self) -> None:
        self._queue: list[bytes] = []

    @property
    def peer_closed(self) -> bool:
        """Never: the end of the stream is all the notice there is."""
        return False


class UoCodec(_Codec):
    """The server's end. Frames are whole packets, plain and uncompressed; a 0xEF seed is one, a raw seed is
    not."""

    def __init__(self, args: CodecArgs) -> None:
        super().__init__()
        self.seed = 0
        """The connection's seed; 0 before it has arrived."""
        self.version: VersionNumber | None = None
        """The version that the client claims; None until it has."""
        self.encrypted = False
        """Whether the client enciphers."""
        self._only_plain = args.settings.get("encryption") == "plain"
        self._compressed = False
        self._lengths: Mapping[int, int] = client_lengths(ASSUMED)
        self._login_cipher: LoginCipher | None = None
        self._game_cipher: GameCipher | None = None
        self._recognised = False
        self._raw = bytearray()
        """Everything from the first byte on, until the first packet is recognised; empty from then on."""
        self._clear = bytearray()
        """Deciphered bytes that are not yet a whole packet."""

    controls = frozenset({"know_version"})

    def know_version(self, version: VersionNumber) -> None:
        """The client's version has become known (a ticket, 0xBD): its packets have that version's sizes from
        here on."""
        self.version = version = _version(version)
        self._lengths = client_lengths(version)

    def learnt(self) -> Plain:
        """Its seed, its version, and whether it enciphers."""
        return self.seed, self.version, self.encrypted

    def learn(self, learnt: Plain) -> None:
        """Take that over."""
        seed, version, encrypted = cast("tuple[int, Sequence[int] | None, bool]", learnt)
        self.seed, self.encrypted = seed, encrypted
        self.version = None if version is None else _version(version)

    # The codec contract

    def receive(self, data: bytes | memoryview, now: float) -> None:
        """Take bytes of the stream."""
        if not self._recognised:
            self._raw += data
        elif self._game_cipher is not None:
            self._clear += self._game_cipher.decrypt(bytes(data))
        elif self._login_cipher is not None:
            self._clear += self._login_cipher.apply(bytes(data))
        else:
            self._clear += data

    def next_frame(self) -> bytes | None:
        """The next whole packet, plain; None if it is not all there yet. Raises WireError: no seed, another
        protocol, undecipherable, unknown opcode, bad length."""
        if not self.seed:
            self._refuse_foreign()
            return self._read_seed()
        if not self._recognised and not self._recognise():
            return None
        return self._cut()

    def send(self, body: Body) -> None:
        """Queue a packet."""
        form = body.form(self)
        self._queue.append(form if self._game_cipher is None else self._game_cipher.encrypt(form))

    def send_many(self, bodies: Iterable[Body]) -> None:
        """Queue packets. The cipher is one stream, so that they pass it in one piece."""
        prepared = forms(bodies, self)
        if self._game_cipher is None:
            self._queue += prepared
        else:
            self._queue.append(self._game_cipher.encrypt(b"".join(prepared)))

    @property
    def share_key(self) -> Hashable | None:
        """Compressed or not: nothing else differs before the cipher."""
        return "uo-h" if self._compressed else "uo-plain"

    def prepare(self, body: bytes) -> bytes:
        """Huffman on a game connection, nothing before."""
        return compress(body) if self._compressed else body

    # How a connection begins

    def _read_seed(self) -> bytes | None:
        raw = self._raw
        if len(raw) < 4:
            return None
        if raw[0] != SEED_PACKET:
            self._take_seed(bytes(raw[:4]))
            del raw[:4]
            return self.next_frame()
        if len(raw) < SEED_PACKET_SIZE:
            return None
        frame = bytes(raw[:SEED_PACKET_SIZE])
        del raw[:SEED_PACKET_SIZE]
        self._take_seed(frame[1:5])
        major, minor, revision, patch = (int.from_bytes(frame[at : at + 4], "big") for at in range(5, 21, 4))
        self.know_version((major, minor, revision, patch))
        return frame

    def _take_seed(self, seed: bytes) -> None:
        self.seed = int.from_bytes(seed, "big")
        if not self.seed:
            raise WireError("bad_seed: the seed is 0")

    def _refuse_foreign(self) -> None:
        head = bytes(self._raw[:16])
        for pattern, what in _FOREIGN:
            if pattern.match(head):
                raise WireError(f"foreign_protocol: the peer {what}")

    def _recognise(self) -> bool:
        """Find out from the first packet whether, and how, the client enciphers. False: it is not all there
        yet."""
        raw = self._raw
        if len(raw) < LOGIN_SIZE:
            self._refuse_foreign_behind_seed()
            return False
        packet = bytes(raw[:GAME_LOGIN_SIZE])
        version = self.version[:3] if self.version else None
        try:
            self._login_cipher = detect_login(packet, self.seed, version)
        except UnknownCipherError:
            if len(raw) < GAME_LOGIN_SIZE:
                return False
            try:
                self._game_cipher = detect_game(packet, self.seed)
            except UnknownCipherError:
                self._refuse_foreign_behind_seed()
                if raw[0] not in _OTHER_FIRST:
                    raise WireError(self._unknown_cipher()) from None
        self.encrypted = self._login_cipher is not None or self._game_cipher is not None
        if self.encrypted and self._only_plain:
            raise WireError("encryption_off: the client enciphers, and the configuration does not allow that")
        self._recognised = True
        self._raw = bytearray()
        self.receive(bytes(raw), 0.0)
        return True

    def _refuse_foreign_behind_seed(self) -> None:
        # What came in too small pieces to be told from a seed at first.
        if self.seed and self.version is None:
            self._raw[:0] = self.seed.to_bytes(4, "big")
            try:
                self._refuse_foreign()
            finally:
                del self._raw[:4]

    def _unknown_cipher(self) -> str:
        return (
            "unknown_encryption: the first packet is no login, neither plain nor with the keys of version "
            f"{format_version(self.version)}; clients 2.0.4 and later are understood, encrypted or not"
        )

    # Framing

    def _cut(self) -> bytes | None:
        clear = self._clear
        if not clear:
            return None
        opcode = clear[0]
        size = self._lengths.get(opcode)
        if size is None:
            raise WireError(f"unknown_opcode: {opcode:#04x}, client {format_version(self.version)}")
        if size == VARIABLE:
            if len(clear) < 3:
                return None
            size = int.from_bytes(clear[1:3], "big")
            if not 3 <= size <= LARGEST_PACKET:
                raise WireError(f"bad_length: {size} bytes in {opcode:#04x}")
        if len(clear) < size:
            return None
        frame = bytes(clear[:size])
        del clear[:size]
        if opcode == _GAME_LOGIN:
            self._compressed = True
        return frame


class UoClientCodec(_Codec):
    """The client's end, for tests and bots. Frames are whole packets of the server.

    `args.settings`: `version` (four numbers, default 7.0.102.3) and `encrypted` (default False). A connection
    is opened by `open_login` or `open_game` before anything is sent.
    """

    def __init__(self, args: CodecArgs) -> None:
        super().__init__()
        version = args.settings.get("version", (7, 0, 102, 3))
        if not isinstance(version, tuple):
            raise TypeError(f"a version is four numbers, not {version!r}")
        self.version: VersionNumber = version
        self.encrypted = bool(args.settings.get("encrypted", False))
        self._entropy = args.entropy
        self._lengths = server_lengths(self.version)
        self._login_cipher: LoginCipher | None = None
        self._game_cipher: GameCipher | None = None
        self._inflate: Decompressor | None = None
        self._buffer = bytearray()

    @property
    def new_seed(self) -> bool:
        """Whether this version opens a login connection with 0xEF."""
        return self.version >= (6, 0, 5, 0)

    def open_login(self, seed: int = 0) -> None:
        """Queue the seed of a login connection; 0: a random one."""
        while not seed or (seed >> 24 == SEED_PACKET and not self.new_seed):
            seed = int.from_bytes(self._entropy(4), "big")
        raw = seed.to_bytes(4, "big")
        if self.new_seed:
            raw = bytes([SEED_PACKET]) + raw + b"".join(number.to_bytes(4, "big") for number in self.version)
        self._queue.append(raw)
        if self.encrypted:
            self._login_cipher = LoginCipher(seed, *login_keys(*self.version[:3]))

    def open_game(self, key: bytes) -> None:
        """Queue the seed of a game connection: the key of the relay. What the server says is compressed from
        here on."""
        self._queue.append(key)
        self._inflate = Decompressor()
        if self.encrypted:
            self._game_cipher = GameCipher(int.from_bytes(key, "big"))

    def receive(self, data: bytes | memoryview, now: float) -> None:
        """Take bytes of the stream."""
        raw = bytes(data)
        if self._inflate is not None:
            self._inflate.feed(raw if self._game_cipher is None else self._game_cipher.client_decrypt(raw))
        else:
            self._buffer += raw

    def next_frame(self) -> bytes | None:
        """The next whole packet; None if it is not all there yet. Raises WireError if its size is not what
        this version reads."""
        if self._inflate is not None:
            frame = self._inflate.next_packet()
            if frame is not None and self._size(frame) != len(frame):
                raise WireError(f"bad_length: {len(frame)} bytes of {frame[:1].hex()}")
            return frame
        size = self._size(self._buffer)
        if size is None or len(self._buffer) < size:
            return None
        frame = bytes(self._buffer[:size])
        del self._buffer[:size]
        return frame

    def _size(self, data: bytes | bytearray) -> int | None:
        """Bytes of the packet that begins here, None if there are too few to tell."""
        if not data:
            return None
        size = self._lengths.get(data[0])
        if size is None:
            raise WireError(f"unknown_opcode: {data[0]:#04x}")
        if size != VARIABLE:
            return size
        if len(data) < 3:
            return None
        size = int.from_bytes(data[1:3], "big")
        if size < 3:
            raise WireError(f"bad_length: {size} bytes in {data[0]:#04x}")
        return size

    def send(self, body: Body) -> None:
        """Queue a packet."""
        if self._game_cipher is not None:
            self._queue.append(self._game_cipher.client_encrypt(body.raw))
        elif self._login_cipher is not None:
            self._queue.append(self._login_cipher.apply(body.raw))
        else:
            self._queue.append(body.raw)

    def send_many(self, bodies: Iterable[Body]) -> None:
        """Queue packets."""
        for body in bodies:
            self.send(body)

    @property
    def share_key(self) -> Hashable | None:
        """A client has nobody to share with."""
        return None

    def prepare(self, body: bytes) -> bytes:
        """As it is."""
        return body
