"""The two ciphers of Ultima Online's clients, and how a server finds out whether a connection uses them.

Nothing announces encryption: the seed is plain, and the first packet after it either reads as a login packet,
or becomes one under the right cipher. So a server waits for that whole packet (0x80, 62 bytes, on a login
connection; 0x91, 65 bytes, on a game connection) and calls `detect_login` or `detect_game`.
A packet that fits nothing costs the first 0.02 ms and the second 0.25 ms (`bench/uo_wire.py`).

Both ciphers XOR the stream with a keystream: enciphering and deciphering are the same operation, and any way
of cutting the stream into calls gives the same bytes.

Served are clients from 2.0.4 on (Twofish and MD5 in the game). The login cipher here is older (1.26), but
clients 1.26 to 2.0.3 use Blowfish on the game connection; `detect_game` does not recognise them.

Sources: ClassicUO `src/ClassicUO.Client/Network/Encryption/` for the ciphers and keys, Sphere Source-X
`src/common/crypto/` for the rules of detection; the test vectors are output of the former.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import md5
from typing import Final

from protocol.uo.twofish import Twofish

Version = tuple[int, int, int]
"""Major, minor and revision; the patch number has no part in the keys."""

LOGIN_SIZE: Final = 62
"""Bytes of 0x80, account login: opcode, name in 30, password in 30, one more."""
GAME_LOGIN_SIZE: Final = 65
"""Bytes of 0x91, game login: opcode, authorisation key in 4, name in 30, password in 30."""

_LOGIN_OPCODE: Final = 0x80
_GAME_LOGIN_OPCODE: Final = 0x91
_TEXT: Final = bytes([0, *range(0x20, 0x7F)])
_MASK: Final = 0xFFFFFFFF


class UnknownCipherError(ValueError):
    """The first packet is no login packet, neither plain nor under any cipher tried."""


def _xor(data: bytes, keystream: bytes | bytearray) -> bytes:
    """Return the XOR of two byte strings of equal length."""
    size = len(data)
    return (int.from_bytes(data, "little") ^ int.from_bytes(keystream, "little")).to_bytes(size, "little")


# --- login connection ---


def login_keys(major: int, minor: int, revision: int) -> tuple[int, int]:
    """Return the two 32-bit login keys (k1, k2) of a client version.

    ClassicUO (`Encryption.cs`) calls them key2 and key3; its key1 is always k1 - 1. Any numbers are taken, as
    a 0xEF seed may hold any.
    """
    square = revision * revision
    k1 = (major << 23 | minor << 14 | revision << 4) ^ square << 9 ^ minor * minor
    k1 ^= minor * 11 << 24 ^ revision * 7 << 19 ^ 0x2C13A5FD
    k2 = (major << 22 | revision << 13 | minor << 3) ^ square * 3 << 10 ^ minor * minor
    k2 ^= minor * 13 << 23 ^ revision * 7 << 18 ^ 0xA31D527F
    return k1 & _MASK, k2 & _MASK


class LoginCipher:
    """The client -> server stream of a login connection, from 0x80 on (a 0xEF seed before it is plain).

    What the server sends there is plain. The keystream is the low byte of two coupled 32-bit shift registers,
    computed byte by byte: a login connection carries about 65 enciphered bytes.
    """

    def __init__(self, seed: int, k1: int, k2: int) -> None:
        """Start the stream for the connection's `seed` (u32) and a version's `login_keys`."""
        self._registers = _login_registers(seed)
        self._keys = _register_keys(k1, k2)

    def apply(self, data: bytes) -> bytes:
        """Encipher or decipher the next bytes of the stream."""
        keystream, self._registers = _login_keystream(self._registers, self._keys, len(data))
        return _xor(data, keystream)


def _register_keys(k1: int, k2: int) -> tuple[int, int, int]:
    return k1 - 1 & _MASK, k1, k2


def _login_registers(seed: int) -> tuple[int, int]:
    a = (~seed ^ 0x1357) << 16 | (seed ^ 0xFFFFAAAA) & 0xFFFF
    b = (seed ^ 0x43210000) >> 16 | (~seed ^ 0xABCDFFFF) & 0xFFFF0000
    return a & _MASK, b & _MASK


def _login_keystream(
    registers: tuple[int, int], keys: tuple[int, int, int], size: int
) -> tuple[bytes, tuple[int, int]]:
    """Return the next `size` bytes of keystream, and the registers after them."""
    a, b = registers
    b_key_1, b_key_2, a_key = keys
    keystream = bytearray()
    for _ in range(size):
        keystream.append(a & 0xFF)
        once = (b >> 1 | a << 31 & _MASK) ^ b_key_1
        a, b = (a >> 1 | b << 31 & _MASK) ^ a_key, (once >> 1 | a << 31 & _MASK) ^ b_key_2
    return bytes(keystream), (a, b)


def known_versions() -> Iterator[Version]:
    """Give the versions tried for a client that does not say which it is.

    That is one older than 6.0.5.0, without 0xEF. These are ranges around everything published from 2.0.0 to
    7.0.110 and a little beyond; the minor number of all of them is 0.
    """
    for major, revisions in ((2, 32), (3, 32), (4, 32), (5, 32), (6, 32), (7, 128)):
        for revision in range(revisions):
            yield major, 0, revision


class LoginKeySearch:
    """Finds which of many key pairs a login packet is enciphered with, in the time one of them would take.

    The registers are shifted and XORed only, so the keystream is the XOR of one that depends on the seed
    alone (keys zero) and one that depends on the keys alone (registers zero). At places where the plain text
    is known to be zero, packet XOR seed keystream *is* the keys' keystream, and a dict says whose it is.

    Those places are the last ten bytes of name and password: no official client lets a person type more than
    20 characters (Source-X relies on the same). Twenty bytes leave no room for a wrong key pair, whereas the
    two bytes which `detect_login` checks when the version is known would let one in for every 65,536 tried.
    """

    def __init__(self, versions: Iterable[Version]) -> None:
        """Prepare the keys of `versions`; of versions with equal keys one is kept."""
        self._keys: dict[bytes, tuple[int, int]] = {}
        for version in versions:
            k1, k2 = login_keys(*version)
            keystream, _ = _login_keystream((0, 0), _register_keys(k1, k2), LOGIN_SIZE)
            self._keys.setdefault(_last_ten(keystream), (k1, k2))

    def __len__(self) -> int:
        return len(self._keys)

    def find(self, packet: bytes, seed: int) -> tuple[int, int] | None:
        """Return the login keys of an enciphered 0x80 (62 bytes), or None if none of the known ones fits."""
        seed_keystream, _ = _login_keystream(_login_registers(seed), (0, 0, 0), LOGIN_SIZE)
        mixed = _xor(packet[:LOGIN_SIZE], seed_keystream)
        # The first byte of a keystream does not depend on the keys.
        return self._keys.get(_last_ten(mixed)) if mixed[0] == _LOGIN_OPCODE else None


def _last_ten(packet: bytes) -> bytes:
    """Return the last ten bytes of 0x80's name and password fields."""
    return packet[21:31] + packet[51:61]


@cache
def known_login_keys() -> LoginKeySearch:
    """Return the search over all `known_versions`, made once."""
    return LoginKeySearch(known_versions())


def detect_login(
    packet: bytes, seed: int, version: Version | None, known: LoginKeySearch | None = None
) -> LoginCipher | None:
    """Tell how the 0x80 that begins a login connection is enciphered; None means that it is plain.

    `packet` is the stream after the seed, at least its first 62 bytes. `version` comes with a 0xEF seed; it
    is None after an old one of 4 bytes, and the keys in `known` are tried instead (default:
    `known_login_keys`). The cipher returned is fresh: it has yet to decipher `packet` itself.

    In this order: plain if byte 0 is 0x80 and bytes 30 and 60, the ends of name and password, are 0;
    enciphered if that holds under the version's keys (without a version: what `LoginKeySearch` asks for);
    plain if byte 0 is 0x80 and name and password are all printable ASCII and zeros, so that an overlong name
    is properly refused. A game login, plain or enciphered, passes for none of these: on a port that serves
    both, try this first, and `detect_game` when it raised and three more bytes have come.

    Raises UnknownCipherError if nothing fits, and ValueError if there are too few bytes to tell.
    """
    if len(packet) < LOGIN_SIZE:
        raise ValueError(f"detection needs {LOGIN_SIZE} bytes, not {len(packet)}")
    if _is_login(packet):
        return None
    if version is not None:
        keys = login_keys(*version)
        if _is_login(LoginCipher(seed, *keys).apply(packet[:LOGIN_SIZE])):
            return LoginCipher(seed, *keys)
    else:
        found = (known or known_login_keys()).find(packet, seed)
        if found:
            return LoginCipher(seed, *found)
    if packet[0] == _LOGIN_OPCODE and not packet[1:61].translate(None, _TEXT):
        return None
    raise UnknownCipherError("the first packet is no account login, neither plain nor under the login cipher")


def _is_login(packet: bytes) -> bool:
    return packet[0] == _LOGIN_OPCODE and packet[30] == 0 and packet[60] == 0


# --- game connection ---


class GameCipher:
    """Both directions of a game connection after the 4 plain seed bytes, for clients from 2.0.4 on.

    Client -> server: a table of 256 bytes is the keystream; when it is used up, the table is encrypted in
    place (Twofish, 16 blocks each by itself) and is the keystream again. It starts as the bytes 0..255,
    encrypted. Server -> client: the MD5 sum of that first table, repeated; it is applied after Huffman
    compression.
    """

    def __init__(self, seed: int) -> None:
        """Start both streams for the connection's `seed` (u32; the authorisation key of 0x8C)."""
        self._twofish = Twofish(seed.to_bytes(4, "big") * 4)
        self._table = self._twofish.encrypt_blocks(bytes(range(256)))
        self._used = 0  # bytes of the table
        self._sum = md5(self._table, usedforsecurity=False).digest()
        self._phase = 0  # where in the sum the server's next byte falls

    def decrypt(self, data: bytes) -> bytes:
        """Decipher the next bytes from the client (server's role)."""
        used, size = self._used, len(data)
        if used + size <= len(self._table):
            self._used = used + size
            return _xor(data, self._table[used : used + size])
        keystream = bytearray(self._table[used:])
        while len(keystream) < size:
            self._table = self._twofish.encrypt_blocks(self._table)
            keystream += self._table
        self._used = len(self._table) - (len(keystream) - size)
        return _xor(data, keystream[:size])

    def peek(self, data: bytes) -> bytes:
        """Return what `decrypt` would of a few bytes (within the table), but leave the stream where it is."""
        return _xor(data, self._table[self._used : self._used + len(data)])

    def encrypt(self, data: bytes) -> bytes:
        """Encipher the next bytes to the client (server's role): compressed packets, or parts of them."""
        phase, size = self._phase, len(data)
        keystream = self._sum * ((phase + size) // 16 + 1)
        self._phase = (phase + size) % 16
        return _xor(data, keystream[phase : phase + size])

    # The client's role. XOR is its own inverse: the same stream, run at the other end.
    client_encrypt = decrypt
    client_decrypt = encrypt


def detect_game(packet: bytes, seed: int) -> GameCipher | None:
    """Tell how the 0x91 that begins a game connection is enciphered; None means that it is plain.

    `packet` is the stream after the seed, at least its first 65 bytes. The cipher returned is fresh: it has
    yet to decipher `packet` itself.

    In this order: plain if byte 0 is 0x91 and the authorisation key in bytes 1..4 equals the seed; enciphered
    if that holds under the game cipher; plain if byte 0 is 0x91, whatever the key says (it is the login's
    business to check it; a 0xEF seed, say, may differ from it).

    Raises UnknownCipherError if nothing fits, and ValueError if there are too few bytes to tell.
    """
    if len(packet) < GAME_LOGIN_SIZE:
        raise ValueError(f"detection needs {GAME_LOGIN_SIZE} bytes, not {len(packet)}")
    start = bytes([_GAME_LOGIN_OPCODE]) + seed.to_bytes(4, "big")
    if packet.startswith(start):
        return None
    cipher = GameCipher(seed)
    if cipher.peek(packet[: len(start)]) == start:
        return cipher
    if packet[0] == _GAME_LOGIN_OPCODE:
        return None
    raise UnknownCipherError("the first packet is no game login, neither plain nor under the game cipher")
