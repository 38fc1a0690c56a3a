"""From the game's door to the own character: the token, a new character, who one is."""

import enum
from typing import Annotated, ClassVar, Final

from protocol.co.packets.base import (
    ENCODING,
    U8,
    U16,
    U32,
    U64,
    Before,
    Gap,
    Message,
    Name,
    Since,
    Strings,
    from_client,
    from_server,
    message,
)
from protocol.co.versions import CoVersion
from protocol.wire.fields import Blob, FixedText

NEW_ROLE: Final = "NEW_ROLE"
"""On channel LOGIN: the account has no character, the client opens the creation screen."""

ANSWER_OK: Final = "ANSWER_OK"
"""On channel LOGIN: the character follows. On channel REGISTER: it was made, the client logs in anew."""

NOBODY: Final = "None"
"""The name of the spouse of who has none."""

FACE: Final = 10_000
"""What a face counts in a look: look = body + face * FACE + transformation * TRANSFORMATION."""

TRANSFORMATION: Final = 10_000_000
"""What a transformation counts in a look."""

GHOST_MAN: Final = 98
GHOST_WOMAN: Final = 99
"""Transformations of the dead."""


class Body(enum.IntEnum):
    """What characters may be made of."""

    SLIM_MAN = 1003
    BIG_MAN = 1004
    SLIM_WOMAN = 2001
    BIG_WOMAN = 2002


class Profession(enum.IntEnum):
    """What new characters may be."""

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


@from_server(1006)
class UserInfo(Message):
    """The own character, after ANSWER_OK. MsgUserInfo."""

    id: U32
    look: Annotated[U32, "body + face * 10000"]
    hair: Annotated[U16, "colour (3..8) * 100 + style"]
    silver: U32
    conquer_points: U32
    experience: U64
    _unused: ClassVar[Gap] = Gap(bytes(16), Before(CoVersion.V5065))
    _unused_5065: ClassVar[Gap] = Gap(bytes(20), Since(CoVersion.V5065))
    strength: U16
    agility: U16
    vitality: U16
    spirit: U16
    free_points: U16
    life: U16
    mana: U16
    pk_points: U16
    level: U8
    profession: Annotated[U8, "Profession"]
    previous_profession: U8 = 0
    rebirths: U8 = 0
    shows_name: Annotated[U8, "1"] = 1
    names: Annotated[Strings, "its own, its spouse's"] = ("", NOBODY)


@message(1012)
class Tick(Message):
    """Whether the client's clock runs right. MsgTick."""

    id: Annotated[U32, "the hero"]
    time: Annotated[U32, "the client's, XOR id; 0 from servers"] = 0
    noise: Annotated[bytes, Blob(16), "random"] = bytes(16)
    checksum: Annotated[U32, "the client's; 0 from servers"] = 0
