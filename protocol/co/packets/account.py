"""What is said at the account server's door: name and password, and the way to the game."""

import enum
from typing import Annotated

from protocol.co.packets.base import U32, Message, Name, from_client, from_server
from protocol.wire.fields import Blob

PASSWORD_SIZE = 16
"""Bytes of an enciphered password: two blocks of RC5."""


class RejectCode(enum.IntEnum):
    """Why the account server lets nobody in; the client has a text for each."""

    BAD_PASSWORD = 1
    """No such account, or not its password."""
    SERVER_DOWN = 10
    TRY_LATER = 11
    BANNED = 12
    BUSY = 20
    FULL = 21
    LOCKED = 22
    NOT_ACTIVATED = 30
    ACTIVATION_FAILED = 31
    TIMED_OUT = 42
    TOO_MANY_ATTEMPTS = 51
    INVALID_ACCOUNT = 57
    SERVER_LOCKED = 70
    OLD_PROTOCOL = 73
    UNKNOWN = 999


@from_client(1051, secret=True)
class Account(Message):
    """Who wants in. MsgAccount."""

    account: Name
    password: Annotated[bytes, Blob(PASSWORD_SIZE), "RC5, NUL padded"]
    server: Annotated[Name, "the server's name in the client's list"] = ""


@from_server(1055)
class ConnectReject(Message):
    """Nobody gets in that way. MsgConnectEx."""

    zero: U32
    code: Annotated[U32, "RejectCode"]


@from_server(1055, secret=True)
class ConnectEx(Message):
    """The way to the game: where it is, and the token to show there. MsgConnectEx."""

    token_low: Annotated[U32, "not 0: that is a refusal"]
    token_high: U32
    address: Annotated[Name, "IPv4, dotted; the original client refuses 127.x.x.x"]
    port: U32


@from_client(1052, secret=True)
class FileReport(Message):
    """What the client's file Res.dat contains; asks for nothing, and some clients leave it out. MsgConnect as
    it comes to the account server."""

    account_id: Annotated[U32, "the token's lower half"]
    contents: U32
    file: Name
