"""MsgAction, the one packet for most of what players do (turns, jumps, gestures, loading, arriving), and what
a client tells of its clock.

What the other fields of an Action are depends on its `action`: each kind uses them for something else, so
they are plain numbers here, and `ActionType` tells what they mean. Servers answer with the same packet. There
is no class for each kind: most have the same fields, and a kind that nobody knows has to be read, too.
"""

import enum
from typing import Annotated, Self

from protocol.co.packets.base import U16, U32, Message, message
from protocol.wire.fields import Blob


class ActionType(enum.IntEnum):
    """Kinds of Action. The answer is told where clients only ask."""

    ENTER_MAP = 74
    """Asked by the client after UserInfo; the answer's data is the map's document, x and y the place."""
    ITEMS = 75
    """Asked; answered by the items, then by the same again, as the next five of those."""
    FRIENDS = 76
    WEAPON_SKILLS = 77
    MAGIC = 78
    TURN = 79
    EMOTION = 81
    """data: Emotion."""
    PORTAL = 85
    """The client stands at a portal; data: packed coordinates."""
    TELEPORT = 86
    """The hero is there; data is the map's document. Also what corrects a client's position."""
    LEVEL_UP = 92
    """An effect."""
    XP_LIST_CLOSED = 93
    REVIVE = 94
    DELETE_CHARACTER = 95
    PK_MODE = 96
    """data: PkMode."""
    GUILD = 97
    MINE = 99
    BOT_CHECK = 100
    QUERY_PLAYER = 102
    """Asks who that is: data or id."""
    MAP_COLOUR = 104
    """data: ARGB."""
    TEAM_MEMBER = 105
    TEAM_MEMBER_POSITION = 106
    NEW_COORDINATES = 108
    DROP_MAGIC = 109
    DROP_SKILL = 110
    CREATE_BOOTH = 111
    RESUME_BOOTH = 113
    SURROUNDINGS = 114
    """The client has loaded a map and has nobody on its screen (or leaves its booth)."""
    COMMAND = 116
    """Opens a window of the client; data: which."""
    LOOK_AT = 117
    """Asks what a player wears; data: who."""
    END_TRANSFORMATION = 118
    LAND = 120
    PICKED_MONEY = 121
    """data: amount."""
    ENEMY_INFO = 123
    DIALOG = 126
    """Opens a dialog of the client; data: 4 for the warehouse."""
    LOGIN_COMPLETE = 130
    """Asked last; answered by the same."""
    REMOVE = 132
    """id is not to be seen any more."""
    JUMP = 133
    """data: packed coordinates of the target; x and y: where the client believes to stand."""
    GHOST = 137
    """The client has shown its own death."""
    SYNCHRO = 138
    """Tells where the client believes to be: not to be trusted."""
    FRIEND_INFO = 140
    FACE = 142
    """data: the new face."""
    FIND_PATH = 162
    ABORT_MAGIC = 163


class Emotion(enum.IntEnum):
    """Gestures, and the pose of who is seen."""

    DANCE_1 = 1
    DANCE_2 = 2
    DANCE_3 = 3
    DANCE_4 = 4
    DANCE_5 = 5
    DANCE_6 = 6
    DANCE_7 = 7
    DANCE_8 = 8
    STAND = 100
    LAUGH = 150
    GUFFAW = 151
    FURY = 160
    SAD = 170
    EXCITED = 180
    HELLO = 190
    SALUTE = 200
    GENUFLECT = 210
    KNEEL = 220
    COOL = 230
    SWIM = 240
    SIT = 250
    MEDITATE = 260
    FAINT = 270
    LIE = 271


class PkMode(enum.IntEnum):
    """Choices of whom a player may hit."""

    FREE = 0
    PEACE = 1
    TEAM = 2
    CAPTURE = 3


@message(1010)
class Action(Message):
    """Somebody does something. MsgAction."""

    timestamp: Annotated[U32, "the sender's up-time in ms"]
    id: Annotated[U32, "who"]
    data: Annotated[U32, "what it is depends on the action"]
    x: U16
    y: U16
    direction: Annotated[U16, "0..7, or something else with some actions"]
    action: Annotated[U16, "ActionType"]

    @classmethod
    def of(
        cls,
        action: ActionType,
        id: int,  # noqa: A002 # as the field
        *,
        data: int = 0,
        x: int = 0,
        y: int = 0,
        direction: int = 0,
        timestamp: int = 0,
    ) -> Self:
        """An action with what it needs, the rest 0."""
        return cls(timestamp, id, data, x, y, direction, action)


def pack_xy(x: int, y: int) -> int:
    """Coordinates as one number."""
    return (y & 0xFFFF) << 16 | x & 0xFFFF


def unpack_xy(data: int) -> tuple[int, int]:
    """x and y of coordinates in one number."""
    return data & 0xFFFF, data >> 16


@message(1012)
class Tick(Message):
    """Whether the client's clock runs right. MsgTick."""

    id: Annotated[U32, "the hero"]
    time: Annotated[U32, "the client's, XOR id; 0 from servers"] = 0
    noise: Annotated[bytes, Blob(16), "random"] = bytes(16)
    checksum: Annotated[U32, "the client's; 0 from servers"] = 0
