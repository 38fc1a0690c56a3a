"""The login door: from the first word of the server to the keys for the game door.

The server speaks first: Init has the modulus for the password and the key of the cipher. The client has its
GameGuard's question answered, logs in, reads the list of servers and asks the way to one. PlayOk then has
keys that it shows at the game door. These messages have one opcode for ever, so no version is needed to
read them.
"""

import enum
import struct
from typing import Annotated, ClassVar, Final, cast

from protocol.l2.packets.base import (
    C8,
    D,
    H,
    Key,
    LoginMessage,
    counted,
    element,
    login_packet,
    number,
    numbers,
    zeros,
)
from protocol.wire.declare import Struct
from protocol.wire.fields import Blob, Constant, Tail

REVISION: Final = 0xC621
"""The version of this protocol, as Init names it."""

BLOCK_SIZE: Final = 128
"""Bytes of one encrypted block of credentials."""

SKIP_AUTHORISATION: Final = 0x0B
"""The response of GGAuth that tells the client to go on whatever GameGuard says."""


class LoginFailReason(enum.IntEnum):
    """Why a login, or (PlayFail) the way to a game server, is refused."""

    SYSTEM_ERROR = 0x01
    WRONG_PASSWORD = 0x02
    USER_OR_PASSWORD_WRONG = 0x03
    ACCESS_FAILED_TRY_LATER = 0x04
    ACCOUNT_INFO_INCORRECT = 0x05
    ACCOUNT_IN_USE = 0x07
    BANNED = 0x09
    UNDER_AGE = 0x0C
    SERVER_OVERLOADED = 0x0F
    MAINTENANCE = 0x10
    TEMPORARY_PASSWORD_EXPIRED = 0x11
    GAME_TIME_EXPIRED = 0x12
    NO_TIME_LEFT = 0x13
    SYSTEM_ERROR_2 = 0x14
    ACCESS_FAILED = 0x15
    RESTRICTED_IP = 0x16
    WEEKLY_TIME_USED_UP = 0x1E
    SECURITY_CARD = 0x1F
    DUAL_BOX = 0x23
    INACTIVE = 0x24
    SUSPENDED = 0x28


class KickReason(enum.IntEnum):
    """Why an account is kicked at the login door."""

    DATA_STEALER = 0x01
    GENERIC_VIOLATION = 0x08
    SEVEN_DAYS_SUSPENSION = 0x10
    PERMANENT_BAN = 0x20


class ServerType(enum.IntFlag):
    """The kind of a game server."""

    NORMAL = 1
    RELAX = 2
    TEST = 4
    NO_LABEL = 8
    CREATION_RESTRICTED = 16
    EVENT = 32
    FREE = 64


# --- server ---


@login_packet(0x00)
class Init(LoginMessage):
    """The server speaks first: the modulus for the password and the key for all that follows."""

    secret: ClassVar[bool] = True

    session_id: Key
    _revision: ClassVar[Constant] = number(REVISION)
    modulus: Annotated[bytes, Blob(BLOCK_SIZE), "scrambled"]
    # What the original servers send here belongs to GameGuard; the four numbers never vary.
    _gameguard_1: ClassVar[Constant] = number(0x29DD954E)
    _gameguard_2: ClassVar[Constant] = number(0x77C39CFC)
    _gameguard_3: ClassVar[Constant] = number(0x97ADB620)
    _gameguard_4: ClassVar[Constant] = number(0x07BDE0F7)
    key: Annotated[bytes, Blob(16)]
    _end: ClassVar[Constant] = zeros(1)


@login_packet(0x01)
class LoginFail(LoginMessage):
    """The login is refused; the connection ends."""

    reason: Annotated[C8, "LoginFailReason"]


@login_packet(0x02)
class AccountKicked(LoginMessage):
    """The account may not play."""

    reason: Annotated[D, "KickReason"]


@login_packet(0x03)
class LoginOk(LoginMessage):
    """The password is right; the client shows the licence."""

    secret: ClassVar[bool] = True

    login_key1: Key
    login_key2: Key
    _unused_1: ClassVar[Constant] = zeros(8)
    _unused_2: ClassVar[Constant] = number(0x3EA)
    _unused_3: ClassVar[Constant] = zeros(12 + 16)


@element
class ServerEntry(Struct):
    """One game server."""

    server_id: C8
    address: Annotated[bytes, Blob(4), "IPv4, in the order it is written"]
    port: D
    age_limit: Annotated[C8, "0, 15 or 18"] = 0
    pvp: C8 = 0
    online: H = 0
    maximum: H = 0
    up: Annotated[C8, "0 or 1"] = 1
    type: Annotated[D, "ServerType"] = int(ServerType.NORMAL)
    brackets: Annotated[C8, "whether the name stands in brackets"] = 0


@element
class ServerCharacters(Struct):
    """The number of characters the account has on one server, and in how many seconds each doomed one is
    gone."""

    server_id: C8
    characters: C8
    deletions: Annotated[tuple[int, ...], numbers(4, 1, limit=0xFF)] = ()


@login_packet(0x04)
class ServerList(LoginMessage):
    """The game servers, and what the account has there."""

    servers: Annotated[tuple[ServerEntry, ...], counted(ServerEntry, 1)]
    last_server_id: Annotated[C8, "between the count and the servers"] = 0
    _unused: ClassVar[Constant] = zeros(2)
    characters: Annotated[tuple[ServerCharacters, ...], counted(ServerCharacters, 1)] = ()

    @classmethod
    def read(cls, data: bytes, at: int) -> "tuple[ServerList, int]":
        """The list at `at`, and the offset behind it. The characters may be missing: padding and checksum
        follow then, which need not be zeros."""
        count, last_server_id = struct.unpack_from("<2B", data, at)
        at += 2
        servers: list[ServerEntry] = []
        for _ in range(count):
            one, at = ServerEntry.read(data, at)
            servers.append(one)
        if data[at : at + 2] != b"\0\0" or at + 3 > len(data):
            return cls(tuple(servers), last_server_id), at
        characters, at = _CHARACTERS.read(data, at + 2)
        return cls(tuple(servers), last_server_id, cast("tuple[ServerCharacters, ...]", characters)), at

    def write(self, out: bytearray) -> None:
        """Append the list."""
        out += bytes((len(self.servers), self.last_server_id))
        for server in self.servers:
            server.write(out)
        out += bytes(2)
        _CHARACTERS.write(out, self.characters)


_CHARACTERS: Final = counted(ServerCharacters, 1)


@login_packet(0x06)
class PlayFail(LoginMessage):
    """The way to that game server is closed."""

    reason: Annotated[C8, "LoginFailReason"]


@login_packet(0x07)
class PlayOk(LoginMessage):
    """The keys for the game door."""

    secret: ClassVar[bool] = True

    play_key1: Key
    play_key2: Key


@login_packet(0x0B)
class GGAuth(LoginMessage):
    """The answer to GameGuard's question."""

    response: Annotated[Key, "the session id, or 0x0B: skip it"]
    _unused: ClassVar[Constant] = zeros(16)


# --- client ---


@login_packet(0x07)
class AuthGameGuard(LoginMessage):
    """GameGuard's question; it also shows that the client could read Init."""

    session_id: Key


@login_packet(0x00)
class RequestAuthLogin(LoginMessage):
    """Account and password, encrypted with the modulus of Init; newer clients send two blocks."""

    secret: ClassVar[bool] = True

    block: Annotated[bytes, Blob(BLOCK_SIZE)]
    tail: Annotated[Tail, "a second block, or GameGuard's answer and padding"] = b""

    @property
    def second_block(self) -> bytes | None:
        """The second block of credentials, if there is room for one."""
        return self.tail[:BLOCK_SIZE] if len(self.tail) >= BLOCK_SIZE else None


@login_packet(0x05)
class RequestServerList(LoginMessage):
    """Asks for the game servers."""

    secret: ClassVar[bool] = True

    login_key1: Key
    login_key2: Key


@login_packet(0x02)
class RequestServerLogin(LoginMessage):
    """Asks for a way to one of them."""

    secret: ClassVar[bool] = True

    login_key1: Key
    login_key2: Key
    server_id: C8


LOGIN_CLIENT_MESSAGES: Final[tuple[type[LoginMessage], ...]] = (
    RequestAuthLogin,
    RequestServerLogin,
    RequestServerList,
    AuthGameGuard,
)
"""What clients send at the login door."""

LOGIN_SERVER_MESSAGES: Final[tuple[type[LoginMessage], ...]] = (
    Init,
    LoginFail,
    AccountKicked,
    LoginOk,
    ServerList,
    PlayFail,
    PlayOk,
    GGAuth,
)
"""What servers send at the login door."""
