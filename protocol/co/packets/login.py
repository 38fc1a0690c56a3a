"""From name and password at the account server to a character at the game's door, be it a new one."""

import enum
from typing import Annotated, Final

from protocol.co.packets.base import ENCODING, U16, U32, Message, Name, from_client, from_server
from protocol.wire.fields import Blob, FixedText

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
    """A login: name and password. MsgAccount."""

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
    """The content of the client's file Res.dat; asks for nothing, and some clients leave it out. MsgConnect
    as it comes to the account server."""

    account_id: Annotated[U32, "the token's lower half"]
    contents: U32
    file: Name


NEW_ROLE: Final = "NEW_ROLE"
"""On channel LOGIN: the account has no character, the client opens the creation screen."""

ANSWER_OK: Final = "ANSWER_OK"
"""On channel LOGIN: the character follows. On channel REGISTER: it was made, the client logs in anew."""


class Body(enum.IntEnum):
    """Bodies of characters."""

    SLIM_MAN = 1003
    BIG_MAN = 1004
    SLIM_WOMAN = 2001
    BIG_WOMAN = 2002


class Profession(enum.IntEnum):
    """Professions of new characters."""

    TROJAN = 10
    WARRIOR = 20
    ARCHER = 40
    TAOIST = 100


@from_client(1052, secret=True)
class Connect(Message):
    """The first packet at the game's door: the token of the account server. MsgConnect."""

    token_low: U32
    token_high: U32
    build: Annotated[U16, "123 or so"]
    language: Annotated[str, FixedText(encoding=ENCODING, size=2), "En"] = "En"
    mac: Annotated[bytes, Blob(8), "since 5065; before, the language goes on"] = bytes(8)
    contents: Annotated[U32, "of the file Res.dat"] = 0


@from_client(1001, secret=True)
class Register(Message):
    """A new character. MsgRegister."""

    account: Name
    name: Name
    password: Annotated[Name, "masked or blank in these versions"]
    body: Annotated[U16, "Body"]
    profession: Annotated[U16, "Profession"]
    account_id: Annotated[U32, "the token's lower half"] = 0
