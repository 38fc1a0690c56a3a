"""The login server: who are you, which world, which character.

All of this comes and goes before there is a world: a client names its version here, and with LoginRequest it
is known how everything after it is read. The enumerations are the client's words for why something cannot be;
what this server refuses is put into the one that comes nearest.
"""

from __future__ import annotations

import enum
from typing import ClassVar

import attrs

from protocol.eq2.packets.base import (
    BLACK,
    NO_MORPH,
    Color,
    Message,
    Morph,
    Record,
    from_client,
    from_server,
    record,
)


class LoginCode(enum.IntEnum):
    """The first byte of a LoginReply."""

    OK = 0
    BAD_PASSWORD = 1
    ALREADY_PLAYING = 2
    VERSION_MISMATCH = 6
    NO_PLAYTIME = 7
    MISSING_FEATURES = 8
    PASSWORD_MUST_CHANGE = 12


class CreateCode(enum.IntEnum):
    """The code of a CreateReply."""

    OK = 1
    TOO_MANY = 4
    BAD_RACE = 5
    BAD_CLASS = 6
    BAD_GENDER = 7
    NAME_LENGTH = 8
    NAME_LETTERS = 9
    NAME_RESERVED = 10
    NAME_TAKEN = 11
    OVERLOADED = 12
    UNKNOWN = 13


class DeleteCode(enum.IntEnum):
    """The code of a DeleteReply."""

    OK = 1
    NOT_FOUND = 3


class PlayCode(enum.IntEnum):
    """The code of a PlayReply."""

    OK = 1
    NO_WORLD = 2
    NO_ZONE = 3
    REJECTED = 4
    NOT_FOUND = 5
    IN_USE = 6
    TIMED_OUT = 7
    LOAD_TROUBLE = 9


@from_client
@attrs.define
class LoginRequest(Message):
    """Name, password, and the version of the client: it decides how everything after is read."""

    user: str
    password: str = attrs.field(repr=False)
    version: int


@from_server
@attrs.define
class LoginReply(Message):
    """Welcome, or why not. Also the answer to LoginByNum. What follows the account is ignored by clients of
    this age."""

    code: int
    account_id: int = 0
    tail: bytes = b""


@from_client
@attrs.define
class LogUpload(Message):
    """An old log of the client's, sent after login: packed and plain size in bytes, then a zlib stream."""

    packed_size: int
    plain_size: int
    data: bytes


@from_client
@attrs.define
class CrashLogUpload(LogUpload):
    """The client's last crash."""


@from_client
@attrs.define
class Eq2CrashLogUpload(LogUpload):
    """The launcher's last crash."""


@from_client
@attrs.define
class AlertLogUpload(LogUpload):
    """The client's alerts."""


@from_client
@attrs.define
class VerifyLogUpload(LogUpload):
    """The findings of the client when it verified its files."""


@from_client
@attrs.define
class WorldListRequest(Message):
    """Asks which worlds there are."""


@record
@attrs.define
class WorldEntry(Record):
    """One world of a WorldList; `load` 0 to 3, `races` a bit for each race that may be created there."""

    id: int
    name: str
    label: str
    locked: int = 0
    hidden: int = 0
    players: int = 0
    load: int = 0
    races: int = 0xFFFFFFFF


@from_server
@attrs.define
class WorldList(Message):
    """The worlds."""

    entries: tuple[WorldEntry, ...] = ()


@from_server
@attrs.define
class WorldStatusChange(Message):
    """A world came up, went down or was locked."""

    id: int
    up: int
    locked: int = 0


@from_client
@attrs.define
class CharactersRequest(Message):
    """Asks which characters the account has."""


@record
@attrs.define
class Worn(Record):
    """A piece of equipment, hair or cloth: the model's number, its color and its highlight."""

    model: int = 0
    color: Color = b"\xff\xff\xff"
    highlight: Color = b"\xff\xff\xff"


BARE = Worn(0, BLACK, BLACK)

EQUIPMENT = 23
"""Slots of equipment in an Appearance and in a GhostInfo."""


@record
@attrs.define
class Appearance(Record):
    """A character's looks in the list. The soga_ fields are the alternative models."""

    model: int = 0
    skin: Color = BLACK
    eyes: Color = BLACK
    equipment: tuple[Worn, ...] = (Worn(),) * EQUIPMENT
    hair: Worn = BARE
    facial_hair: Worn = BARE
    chest: Worn = BARE
    legs: Worn = BARE
    eye_morph: Morph = NO_MORPH
    ear_morph: Morph = NO_MORPH
    brow_morph: Morph = NO_MORPH
    cheek_morph: Morph = NO_MORPH
    lip_morph: Morph = NO_MORPH
    chin_morph: Morph = NO_MORPH
    nose_morph: Morph = NO_MORPH
    body_size: int = 0
    bump: int = 0
    mount: Worn = BARE
    hair_color1: Color = BLACK
    hair_color2: Color = BLACK
    hair_color3: Color = BLACK
    soga_model: int = 0
    soga_skin: Color = BLACK
    soga_eyes: Color = BLACK
    soga_eye_morph: Morph = NO_MORPH
    soga_ear_morph: Morph = NO_MORPH
    soga_brow_morph: Morph = NO_MORPH
    soga_cheek_morph: Morph = NO_MORPH
    soga_lip_morph: Morph = NO_MORPH
    soga_chin_morph: Morph = NO_MORPH
    soga_nose_morph: Morph = NO_MORPH
    soga_hair_color1: Color = BLACK
    soga_chest: int = 0
    soga_hair_color2: Color = BLACK
    soga_hair_color3: Color = BLACK
    soga_hair: Worn = BARE
    soga_facial_hair: Worn = BARE


@record
@attrs.define
class CharacterEntry(Record):
    """One character of a CharacterList; times are Unix seconds, `zone` is the zone's file.

    One that goes away while the list is shown stays in it, as "(deleted)" with both ids 0xFFFFFFFF: clients
    crash otherwise.
    """

    id: int
    server_id: int
    name: str
    race: int
    profession: int
    gender: int
    level: int
    zone: str
    created: int = 0
    last_played: int = 0
    zone_name: str = ""
    zone_description: str = ""
    appearance: Appearance = attrs.field(factory=Appearance)


@from_server
@attrs.define
class CharacterList(Message):
    """The account's characters."""

    entries: tuple[CharacterEntry, ...] = ()
    account_id: int = 0
    max_characters: int = 7


@from_client
@attrs.define
class CreateCharacter(Message):
    """A new character. Where the looks begin clients of one version differ, so they stay bytes: `rest`."""

    server_id: int
    name: str
    race: int
    gender: int
    deity: int = 0
    profession: int = 0
    level: int = 1
    starting_zone: int = 0
    rest: bytes = b""


@from_server
@attrs.define
class CreateReply(Message):
    """Created, or why not (CreateCode)."""

    account_id: int
    code: int
    name: str


@from_client
@attrs.define
class DeleteCharacter(Message):
    """Away with this character."""

    id: int
    server_id: int
    name: str = ""


@from_server
@attrs.define
class DeleteReply(Message):
    """Gone, or why not (DeleteCode)."""

    code: int
    server_id: int
    id: int
    name: str


@from_client
@attrs.define
class PlayCharacter(Message):
    """Let me in with this character."""

    id: int
    server_id: int
    name: str | None = None


@from_server
@attrs.define
class PlayReply(Message):
    """The address of the world and the one-time key to it; only the code (PlayCode) when there is none."""

    secret: ClassVar[bool] = True

    code: int
    address: str | None = None
    port: int | None = None
    account_id: int | None = None
    access_code: int | None = attrs.field(default=None, repr=False)
