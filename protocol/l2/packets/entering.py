"""Messages from the first word of a client at the game door until it is in the world, and out again.

The client names its version and gets the key of the cipher, shows the keys from the login door, then makes,
deletes and chooses characters. After EnterWorld it is in the world; RequestRestart leads back to the list,
Logout away. What may come at which of these steps is not said here: the handlers know.
"""

import enum
from typing import Annotated, ClassVar, Final

from protocol.l2.packets.base import (
    C8,
    EMPTY_PAPERDOLL,
    D,
    F,
    Key,
    Paperdoll,
    Q,
    S,
    counted,
    element,
    from_client,
    from_server,
    number,
    zeros,
)
from protocol.l2.versions import Message
from protocol.wire.declare import Struct
from protocol.wire.fields import Blob, Constant, Tail

KEY_SIZE: Final = 8
"""Bytes of the cipher's key that KeyPacket carries."""

PING_VERSION: Final = -2
"""The version in ProtocolVersion of a client that only wants to know whether anybody is there."""


class AuthLoginFailReason(enum.IntEnum):
    """Why the game door lets nobody in."""

    NONE = 0
    SYSTEM_ERROR_LOGIN_LATER = 1
    PASSWORD_WRONG = 2
    PASSWORD_WRONG_2 = 3
    ACCESS_FAILED_TRY_LATER = 4
    ACCOUNT_INFO_INCORRECT = 5
    ACCESS_FAILED_TRY_LATER_2 = 6
    ACCOUNT_IN_USE = 7
    ACCESS_FAILED_TRY_LATER_3 = 8
    ACCESS_FAILED_TRY_LATER_4 = 9
    ACCESS_FAILED_TRY_LATER_5 = 10


class CharCreateFailReason(enum.IntEnum):
    """Why a character was not made."""

    CREATION_FAILED = 0
    TOO_MANY_CHARACTERS = 1
    NAME_EXISTS = 2
    NAME_TOO_LONG = 3
    NAME_NOT_ALLOWED = 4
    NOT_ALLOWED = 5


class CharDeleteFailReason(enum.IntEnum):
    """Why a character was not deleted."""

    DELETION_FAILED = 1
    CLAN_MEMBER = 2
    CLAN_LEADER = 3


# --- client ---


@from_client
class ProtocolVersion(Message):
    """The client speaks first: which version it is."""

    version: Annotated[D, "-2: it only wants to know whether anybody is there"]
    rest: Annotated[Tail, "of no use here"] = b""


@from_client
class AuthLogin(Message):
    """The account, and the keys from the login door. The keys of PlayOk come in the other order."""

    secret: ClassVar[bool] = True

    account: S
    play_key2: Key
    play_key1: Key
    login_key1: Key
    login_key2: Key
    language: D = 0


@from_client
class NewCharacter(Message):
    """Asks what characters can be made of."""


@from_client
class CharacterCreate(Message):
    """Make this character. The client's opinion of its attributes counts for nothing."""

    name: S
    race: D
    sex: D
    class_id: D
    intelligence: D = 0
    strength: D = 0
    constitution: D = 0
    mentality: D = 0
    dexterity: D = 0
    wit: D = 0
    hair_style: D = 0
    hair_color: D = 0
    face: D = 0


@from_client
class CharacterDelete(Message):
    """Delete the character in this slot."""

    slot: D


@from_client
class CharacterRestore(Message):
    """Do not delete it after all."""

    slot: D


@from_client
class CharacterSelect(Message):
    """Play the character in this slot."""

    slot: D


@from_client
class EnterWorld(Message):
    """The client has loaded. What else it may say here nobody needs."""


@from_client
class RequestManorList(Message):
    """Asks which castles have manors; original clients ask before they enter."""


@from_client
class RequestSkillCoolTime(Message):
    """Asks which skills are not ready yet; original clients ask before they enter."""


@from_client
class RequestRestart(Message):
    """Back to the list of characters."""


@from_client
class Logout(Message):
    """Goodbye."""


@from_client
class RequestShowMiniMap(Message):
    """The button of the map: the client waits for ShowMiniMap."""


@from_client
class NetPingReply(Message):
    """The answer to NetPing."""

    ping_id: D
    milliseconds: D = 0
    mtu: D = 0


@from_client
class GameGuardReply(Message):
    """The words of GameGuard."""

    rest: Tail = b""


# --- server ---


@from_server
class KeyPacket(Message):
    """Whether this version may play, and the key of the cipher."""

    secret: ClassVar[bool] = True

    result: Annotated[C8, "1: it may"]
    key: Annotated[bytes, Blob(KEY_SIZE)]
    cipher: Annotated[D, "0: nothing is enciphered"]
    server_id: D = 1
    _one: ClassVar[Constant] = Constant(b"\1")
    _unused: ClassVar[Constant] = zeros(4)


@from_server
class AuthLoginFail(Message):
    """The game door lets nobody in; the connection ends. (L2J calls it LoginFail.)"""

    reason: Annotated[D, "AuthLoginFailReason"]


@element
class CharSelectEntry(Struct):
    """One line of the list of characters."""

    name: S
    object_id: D
    account: S
    session_id: Annotated[Key, "play_key1"]
    clan_id: D
    _unused_1: ClassVar[Constant] = zeros(4)
    sex: D
    race: D
    base_class: D
    _active: ClassVar[Constant] = number(1)
    x: D
    y: D
    z: D
    hp: F
    mp: F
    sp: D
    exp: Q
    level: D
    karma: D = 0
    _unused_2: ClassVar[Constant] = zeros(36)
    paperdoll_objects: Paperdoll = EMPTY_PAPERDOLL
    paperdoll_items: Paperdoll = EMPTY_PAPERDOLL
    hair_style: D = 0
    hair_color: D = 0
    face: D = 0
    max_hp: F = 1.0
    max_mp: F = 1.0
    deleted_in: Annotated[D, "seconds; 0: not to be deleted, -1: banned"] = 0
    class_id: D = 0
    last_used: Annotated[D, "1: the one played last"] = 0
    weapon_enchant: Annotated[C8, "at most 127"] = 0
    augmentation_id: D = 0


@from_server
class CharSelectInfo(Message):
    """The characters of the account."""

    characters: Annotated[tuple[CharSelectEntry, ...], counted(CharSelectEntry, 4, limit=7)]


@element
class CharTemplate(Struct):
    """A class one can begin with. Each attribute has its highest and lowest value around it."""

    race: D
    class_id: D
    _highest_1: ClassVar[Constant] = number(0x46)
    strength: D
    _lowest_1: ClassVar[Constant] = number(0x0A)
    _highest_2: ClassVar[Constant] = number(0x46)
    dexterity: D
    _lowest_2: ClassVar[Constant] = number(0x0A)
    _highest_3: ClassVar[Constant] = number(0x46)
    constitution: D
    _lowest_3: ClassVar[Constant] = number(0x0A)
    _highest_4: ClassVar[Constant] = number(0x46)
    intelligence: D
    _lowest_4: ClassVar[Constant] = number(0x0A)
    _highest_5: ClassVar[Constant] = number(0x46)
    wit: D
    _lowest_5: ClassVar[Constant] = number(0x0A)
    _highest_6: ClassVar[Constant] = number(0x46)
    mentality: D
    _lowest_6: ClassVar[Constant] = number(0x0A)


@from_server
class CharTemplates(Message):
    """The classes that characters can be made of."""

    templates: Annotated[tuple[CharTemplate, ...], counted(CharTemplate, 4, limit=64)]


@from_server
class CharCreateOk(Message):
    """The character is made."""

    _one: ClassVar[Constant] = number(1)


@from_server
class CharCreateFail(Message):
    """The character is not made."""

    reason: Annotated[D, "CharCreateFailReason"]


@from_server
class CharDeleteOk(Message):
    """The character is deleted, or will be."""


@from_server
class CharDeleteFail(Message):
    """The character stays."""

    reason: Annotated[D, "CharDeleteFailReason"]


@from_server
class CharSelected(Message):
    """The character that will be played; the client loads the land around it."""

    name: S
    object_id: D
    title: S
    session_id: Annotated[Key, "play_key1"]
    clan_id: D
    _unused_1: ClassVar[Constant] = zeros(4)
    sex: D
    race: D
    class_id: D
    _active: ClassVar[Constant] = number(1)
    x: D
    y: D
    z: D
    hp: F
    mp: F
    sp: D
    exp: Q
    level: D
    karma: D
    pk_kills: D
    intelligence: D
    strength: D
    constitution: D
    mentality: D
    dexterity: D
    wit: D
    _unused_2: ClassVar[Constant] = zeros(128)
    game_time: Annotated[D, "minutes since midnight"]
    _unused_3: ClassVar[Constant] = zeros(4)
    class_id_again: D
    _unused_4: ClassVar[Constant] = zeros(48)


@from_server
class ClientSetTime(Message):
    """The time of day."""

    minutes: Annotated[D, "since midnight"]
    speed: Annotated[D, "how often this day goes into a real one"] = 6


@from_server
class SunRise(Message):
    """It becomes day."""


@from_server
class SunSet(Message):
    """It becomes night."""


@from_server
class RestartResponse(Message):
    """Whether the client may go back to the list of characters, which follows."""

    ok: Annotated[D, "0 or 1"]
    text: S = ""


@from_server
class LeaveWorld(Message):
    """Goodbye."""


@from_server
class ServerClose(Message):
    """The server ends the connection."""


@from_server
class ShowMiniMap(Message):
    """Opens the map. L2J servers, ShowMiniMap; some write one byte for the period."""

    map_id: D
    period: D = 0
    """Of the Seven Signs."""


@from_server
class NetPing(Message):
    """Are you there?"""

    ping_id: D
