"""The packets that login and game server send each other: L2J's, with its numbers.

Both directions have numbers of their own. A message is padded to whole blocks, so what follows the last field
means nothing; a message that ends too early is an error, other than at the clients' doors.
"""

import enum
import struct
from collections.abc import Callable, Mapping
from typing import Annotated, ClassVar, Final, TypeVar, dataclass_transform

import attrs

from protocol.endings import WireError
from protocol.l2.packets.base import C8, D, H, Key, S, counted, numbers
from protocol.wire import declare
from protocol.wire.declare import Header, Packet, Struct
from protocol.wire.fields import Field

REVISION: Final = 0x0106
"""The version of this protocol, as InitLS names it: that of the Mobius servers. Earlier ones (0x0102) have
another AuthRequest, and hear no other number."""

MOST_NAMES: Final = 500
"""Accounts in one PlayerInGame: some 20 KB at most, well within a frame."""

MOST_HOSTS: Final = 64
MOST_STATES: Final = 64

LONGEST_SECRET: Final = 256
"""Bytes of what a game server proves itself by; L2J's have 16."""

HEXID: Final = "hexid:"
"""How a secret begins that was copied from an L2J game server's hexid.txt."""

C = TypeVar("C", bound=type)


class FailReason(enum.IntEnum):
    """Why a game server is sent away."""

    IP_BANNED = 1
    IP_RESERVED = 2
    WRONG_SECRET = 3
    """L2J: wrong hexid. Also for an id that is not registered: strangers need not know which ones are."""
    ID_RESERVED = 4
    NO_FREE_ID = 5
    NOT_AUTHENTICATED = 6
    ALREADY_LOGGED_IN = 7


class StatusKind(enum.IntEnum):
    """The meaning of a number of ServerStatus."""

    STATE = 1
    TYPE = 2
    BRACKETS = 3
    MOST_PLAYERS = 4
    AGE_TOLD = 5
    """What L2J's game server says in place of AGE, which its login server reads."""
    AGE = 6
    SPEAKS_AGAIN = 0x57574346
    """Not L2J's: in how many seconds at the latest this is said again, as proof of life."""


class ServerState(enum.IntEnum):
    """The state of a game server; all but DOWN can be entered."""

    AUTO = 0
    GOOD = 1
    NORMAL = 2
    FULL = 3
    DOWN = 4
    STAFF_ONLY = 5


class BridgeRefused(WireError):
    """The peer is sent away, or was: LoginServerFail says so."""

    def __init__(self, reason: int, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


class BridgeMessage(Packet):
    """One message of the bridge: an opcode and fields."""

    __slots__ = ()


def proof_of(secret: str) -> bytes:
    """The bytes by which a game server shows a secret. What hexid.txt has is a signed number in hexadecimal,
    and its bytes are those of Java's BigInteger. Raises ValueError if it is none."""
    if not secret.startswith(HEXID):
        return secret.encode()[:LONGEST_SECRET]
    number = int(secret.removeprefix(HEXID), 16)
    bits = (number if number >= 0 else number + 1).bit_length()
    return number.to_bytes(bits // 8 + 1, "big", signed=True)


@attrs.frozen
class CountedBytes(Field):
    """Bytes after their number, an integer of four bytes."""

    limit: int

    @property
    def minimum(self) -> int:
        return 4

    def read(self, data: bytes, at: int) -> tuple[bytes, int]:
        """The bytes at `at`, and the offset behind them. Raises struct.error if there is no count of them,
        WireError if they do not fit."""
        if at + 4 > len(data):
            raise struct.error("bytes without their count")
        end = at + 4 + int.from_bytes(data[at : at + 4], "little")
        if end > at + 4 + self.limit or end > len(data):
            raise WireError(f"{end - at - 4} bytes do not fit their message")
        return data[at + 4 : end], end

    def write(self, out: bytearray, value: bytes) -> None:
        """Append count and bytes."""
        out += len(value).to_bytes(4, "little")
        out += value

    def describe(self) -> str:
        return "u32 LE count, bytes"


_FROM_LOGIN: dict[int, type[BridgeMessage]] = {}
_FROM_GAME: dict[int, type[BridgeMessage]] = {}

FROM_LOGIN: Final[Mapping[int, type[BridgeMessage]]] = _FROM_LOGIN
"""What a login server says, by opcode."""
FROM_GAME: Final[Mapping[int, type[BridgeMessage]]] = _FROM_GAME
"""What a game server says, by opcode."""


@dataclass_transform()
def _from_login(opcode: int) -> Callable[[C], C]:
    return _declare(opcode, _FROM_LOGIN)


@dataclass_transform()
def _from_game(opcode: int) -> Callable[[C], C]:
    return _declare(opcode, _FROM_GAME)


def _declare(opcode: int, direction: dict[int, type[BridgeMessage]]) -> Callable[[C], C]:
    def decorate(cls: C) -> C:
        declared = declare.packet(opcode, header=Header(bytes([opcode])), trailing=True)(cls)
        if not issubclass(declared, BridgeMessage):
            raise TypeError(f"{cls.__name__} is no BridgeMessage")
        direction[opcode] = declared
        return declared

    return decorate


def decode(frame: bytes, direction: Mapping[int, type[BridgeMessage]]) -> BridgeMessage | None:
    """The message of a frame; None for one that L2J has and this program does not need. WireError for what
    cannot be read."""
    cls = direction.get(frame[0])
    if cls is None:
        return None
    message: BridgeMessage = cls.decode(frame)
    return message


# --- login server ---


@_from_login(0x00)
class InitLS(BridgeMessage):
    """The login server speaks first: the modulus for the key of what follows."""

    revision: D
    modulus: Annotated[bytes, CountedBytes(129), "a zero in front, as Java writes positive numbers"]


@_from_login(0x01)
class LoginServerFail(BridgeMessage):
    """The game server is sent away."""

    reason: Annotated[C8, "FailReason"]


@_from_login(0x02)
class AuthResponse(BridgeMessage):
    """The game server is known."""

    server_id: C8
    name: S


@_from_login(0x03)
class PlayerAuthResponse(BridgeMessage):
    """Whether that was the login of an account, which now is used up."""

    account: S
    ok: Annotated[C8, "0 or 1"]


@_from_login(0x04)
class KickPlayer(BridgeMessage):
    """The account logs in anew: whoever plays it has to go."""

    account: S


@_from_login(0x05)
class RequestCharacters(BridgeMessage):
    """Asks how many characters the account has there."""

    account: S


# --- game server ---


@_from_game(0x00)
class BlowFishKey(BridgeMessage):
    """The key of all that follows, enciphered with the modulus of InitLS."""

    secret: ClassVar[bool] = True

    block: Annotated[bytes, CountedBytes(128)]


@declare.element
class HostEntry(Struct):
    """The host at which clients of a network find the game server."""

    subnet: Annotated[S, "as 10.0.0.0/8; 0.0.0.0/0 are all"]
    host: S


@_from_game(0x01)
class AuthRequest(BridgeMessage):
    """The game server says which one it is, and proves it."""

    secret: ClassVar[bool] = True

    wanted_id: C8
    accepts_other: C8
    reserves_host: C8
    port: H
    most_players: D
    proof: Annotated[bytes, CountedBytes(LONGEST_SECRET), "the secret; L2J: hexid"]
    hosts: Annotated[tuple[HostEntry, ...], counted(HostEntry, 4, limit=MOST_HOSTS)] = ()


@declare.element
class AccountName(Struct):
    """An account."""

    name: S


@_from_game(0x02)
class PlayerInGame(BridgeMessage):
    """These accounts are played there."""

    accounts: Annotated[tuple[AccountName, ...], counted(AccountName, 2, limit=MOST_NAMES)]


@_from_game(0x03)
class PlayerLogout(BridgeMessage):
    """This one is not any more."""

    account: S


@_from_game(0x05)
class PlayerAuthRequest(BridgeMessage):
    """Somebody came and showed these numbers."""

    secret: ClassVar[bool] = True

    account: S
    play_key1: Key
    play_key2: Key
    login_key1: Key
    login_key2: Key
    address: Annotated[S, "not L2J's: where the login has to have come from, if that matters"] = ""


@declare.element
class Status(Struct):
    """One number about a game server."""

    kind: Annotated[D, "StatusKind"]
    value: D


@_from_game(0x06)
class ServerStatus(BridgeMessage):
    """The state of the game server."""

    numbers: Annotated[tuple[Status, ...], counted(Status, 4, limit=MOST_STATES)]


@_from_game(0x08)
class ReplyCharacters(BridgeMessage):
    """The number of characters the account has there, and when the doomed ones are gone."""

    account: S
    characters: C8
    deletions: Annotated[tuple[int, ...], numbers(8, 1, limit=0xFF), "milliseconds since 1970, UTC"] = ()
