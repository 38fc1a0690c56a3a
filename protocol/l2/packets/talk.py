"""Words: chat, friends, commands, and the client's own texts.

A client has thousands of texts in its player's language. A server sends the number of one and what stands in
it; which of them are used here is `SystemMessageId`. Which parameters each takes is data of the version
(system_messages.toml), and is checked before a text leaves: a client shows nothing, or ends, where they
differ.
"""

import enum
from typing import Annotated, ClassVar, Final

import attrs

from protocol.endings import WireError
from protocol.l2.packets.base import C8, D, S, counted, element, from_client, from_server, zeros
from protocol.l2.versions import GAME, L2Version, Message
from protocol.wire.declare import Struct
from protocol.wire.fields import Constant, ZeroText

SAY_LIMIT: Final = 105
"""Characters of what somebody says; 500 if links to items are in it."""


class ChatType(enum.IntEnum):
    """The kinds of chat: who hears it."""

    ALL = 0
    SHOUT = 1
    TELL = 2
    PARTY = 3
    CLAN = 4
    GM = 5
    PETITION_PLAYER = 6
    PETITION_GM = 7
    TRADE = 8
    ALLIANCE = 9
    ANNOUNCEMENT = 10
    COMMAND_CHANNEL_ALL = 15
    COMMAND_CHANNEL_LEADERS = 16
    HERO = 17
    CRITICAL_ANNOUNCEMENT = 18


# --- client ---


@from_client
class Say2(Message):
    """The client says something; `target` is who is told it."""

    text: S
    type: Annotated[D, "ChatType"] = 0
    target: S = ""


@from_client
class RequestSocialAction(Message):
    """Make a gesture."""

    action: Annotated[D, "Social, 2 to 13"]


@from_client
class RequestActionUse(Message):
    """A button of the action window: 0 sits or stands, 1 walks or runs, 10, 28 and 37 open shops."""

    action: D
    ctrl: D = 0
    shift: C8 = 0


@from_client
class SendBypassBuildCmd(Message):
    """A command of the staff: what was typed behind //."""

    command: S


@from_client
class BypassUserCmd(Message):
    """A command of the client: 0 is /loc, 52 /unstuck, 77 /time."""

    command: D


@from_client
class RequestFriendInvite(Message):
    """Be my friend."""

    name: S


@from_client
class RequestAnswerFriendInvite(Message):
    """Whether to be friends."""

    answer: D


@from_client
class RequestFriendList(Message):
    """Asks who the character's friends are."""


@from_client
class RequestFriendDel(Message):
    """Be my friend no more."""

    name: S


@from_client
class RequestSendFriendMsg(Message):
    """Say something to a friend."""

    text: S
    name: S = ""


@from_client
class RequestPetition(Message):
    """A call for the staff. L2J servers, RequestPetition: text and kind."""

    text: S
    kind: D = 0


@from_client
class RequestPetitionCancel(Message):
    """Take the call back."""


class BlockAction(enum.IntEnum):
    """Purposes of a RequestBlock. (eldarkg/lineage2wireshark: Blocks.ini.)"""

    BLOCK = 0
    UNBLOCK = 1
    LIST = 2
    BLOCK_ALL = 3
    UNBLOCK_ALL = 4


@from_client
class RequestBlock(Message):
    """Hear nothing more of somebody, or hear it again; or asks of whom one hears nothing."""

    action: Annotated[D, "BlockAction"]
    name: Annotated[S, "of whom; BLOCK and UNBLOCK only"] = ""


@from_client
class RequestGmList(Message):
    """Asks which of the staff are there."""


# --- server ---


@from_server
class CreatureSay(Message):
    """Somebody says something."""

    object_id: D
    type: Annotated[D, "ChatType"]
    name: S
    text: S


@from_server
class NpcSay(Message):
    """A mobile says something."""

    object_id: D
    type: Annotated[D, "ChatType"]
    npc_id: Annotated[D, "plus 1000000"]
    text: S


@from_server
class ActionFailed(Message):
    """The end of what the client wanted, refused or done: it may want something else."""


@element
class FriendEntry(Struct):
    """One friend."""

    character_id: D
    name: S
    online: Annotated[D, "0 or 1"]
    object_id: Annotated[D, "0 while offline"]


@from_server
class FriendList(Message):
    """All friends."""

    friends: Annotated[tuple[FriendEntry, ...], counted(FriendEntry, 4)]


@from_server
class FriendAddRequest(Message):
    """Somebody wants to be a friend; RequestAnswerFriendInvite answers it."""

    name: S
    _unused: ClassVar[Constant] = zeros(4)


@from_server
class FriendAddRequestResult(Message):
    """Whether somebody is a friend now."""

    accepted: Annotated[D, "0 or 1"]


@from_server
class FriendRecvMsg(Message):
    """A friend says something."""

    _unused: ClassVar[Constant] = zeros(4)
    receiver: S
    sender: S
    text: S


@from_server
class PlaySound(Message):
    """A sound or music."""

    type: D
    file: S
    positional: Annotated[D, "0: everywhere"] = 0
    object_id: D = 0
    x: D = 0
    y: D = 0
    z: D = 0
    _unused: ClassVar[Constant] = zeros(4)


# The client's own texts


class SystemMessageId(enum.IntEnum):
    """The client's own texts that are used here. What stands in them is in system_messages.toml."""

    DOES_NOT_EXIST = 2
    NOT_LOGGED_IN = 3
    TARGET_OUT_OF_RANGE = 22
    NOT_ENOUGH_MP = 24
    OBTAINED_ADENA = 28
    OBTAINED_SEVERAL = 29
    OBTAINED = 30
    CANNOT_MOVE_WHILE_SITTING = 31
    WELCOME = 34
    YOU_HIT = 35
    HIT_YOU = 36
    YOU_AVOIDED = 42
    YOU_MISSED = 43
    CRITICAL_HIT = 44
    EQUIPPED = 49
    TARGET_NOT_FOUND = 50
    CANNOT_USE_ON_YOURSELF = 51
    NOTHING_HAPPENED = 61
    NO_ATTACK_IN_PEACEFUL_ZONE = 85
    EARNED = 95
    LEVEL_INCREASED = 96
    CANNOT_BE_MOVED = 97
    CANNOT_BE_DISCARDED = 98
    CANNOT_BE_TRADED = 99
    CANNOT_EXIT_IN_COMBAT = 101
    CANNOT_RESTART_IN_COMBAT = 102
    INVALID_TARGET = 109
    SHIELD_DEFENSE = 111
    OUT_OF_ARROWS = 112
    UNSUITABLE_TERMS = 113
    INVENTORY_FULL = 129
    WAREHOUSE_FULL = 130
    FRIEND_ADDED = 132
    FRIEND_REMOVED = 133
    INCORRECT_TARGET = 144
    PLAYER_NOT_ONLINE = 145
    CHAT_PROHIBITED = 147
    CANNOT_DISCARD_THAT_FAR = 151
    WRONG_TARGET_INVITED = 152
    BUSY = 153
    NUMBER_INCORRECT = 163
    WAITING_FOR_ANOTHER_REPLY = 164
    CANNOT_BEFRIEND_YOURSELF = 165
    ALREADY_FRIEND = 167
    FRIEND_REQUEST_SENT = 168
    FRIEND_REQUESTER_NOT_FOUND = 170
    NOT_A_FRIEND = 171
    REFUSES_MESSAGES = 176
    CANNOT_DISCARD_HERE = 179
    CANNOT_SEE_TARGET = 181
    TRY_AGAIN_LATER = 184
    INCORRECT_NAME = 204
    NOT_A_CLAN_MEMBER = 212
    NOT_ENOUGH_ADENA = 279
    NO_ITEMS_TO_SELL = 280
    NO_ITEM_IN_WAREHOUSE = 282
    DROPPED = 298
    DISAPPEARED_SEVERAL = 301
    DISAPPEARED = 302
    CONFIRM = 365
    PETITION_ACCEPTED = 389
    PETITION_CANCELLED = 391
    DISARMED = 417
    LOGGED_IN_ELSEWHERE = 421
    WEIGHT_LIMIT_EXCEEDED = 422
    NOT_ALLIED = 465
    FRIEND_LIST_HEAD = 487
    FRIEND_ONLINE = 488
    FRIEND_OFFLINE = 489
    FRIEND_LIST_FOOT = 490
    FRIEND_LOGGED_IN = 503
    FRIEND_INVITATION = 516
    EXPERIENCE_DECREASED = 539
    CANNOT_MOVE_IN_THIS_STATE = 556
    PETS_NOT_AVAILABLE = 574
    IGNORE_LIST_HEAD = 613
    TEXT = 614
    IGNORED = 617
    HEEDED = 618
    NO_PETITION = 738
    MACRO_INVALID = 810
    MACRO_NAME_MISSING = 838
    MORE_THAN_YOU_HAVE = 973
    QUANTITY_EXCEEDED = 1036
    HP_RESTORED = 1066
    OLYMPIAD_NOT_IN_PROGRESS = 1651


class ParameterKind(enum.IntEnum):
    """The kinds of what may stand in a text of the client's own."""

    TEXT = 0
    NUMBER = 1
    NPC_NAME = 2
    ITEM_NAME = 3
    SKILL_NAME = 4
    CASTLE_NAME = 5
    LONG_NUMBER = 6
    ZONE_NAME = 7
    PLAYER_NAME = 12


@attrs.frozen
class Parameter:
    """One word in a text of the client's own. Make them with `text`, `number` and so on, below."""

    kind: ParameterKind
    value: str | tuple[int, ...]

    @classmethod
    def read(cls, data: bytes, at: int) -> "tuple[Parameter, int]":
        """The parameter at `at`, and the offset behind it. Raises WireError."""
        raw = int.from_bytes(data[at : at + 4], "little")
        at += 4
        if raw in _TEXTS:
            word, at = _TEXT.read(data, at)
            return cls(ParameterKind(raw), word), at
        sizes = _SIZES.get(raw)
        if sizes is None:
            raise WireError(f"parameter of kind {raw}")
        values = []
        for size in sizes:
            if at + size > len(data):
                raise WireError("parameter without its value")
            values.append(int.from_bytes(data[at : at + size], "little", signed=True))
            at += size
        return cls(ParameterKind(raw), tuple(values)), at

    def write(self, out: bytearray) -> None:
        """Append kind and value."""
        out += self.kind.to_bytes(4, "little")
        if isinstance(self.value, str):
            _TEXT.write(out, self.value)
            return
        for size, value in zip(_SIZES[self.kind], self.value, strict=True):
            out += value.to_bytes(size, "little", signed=True)


_TEXT: Final = ZeroText(encoding="utf-16-le", wide=True)
_TEXTS: Final = frozenset({ParameterKind.TEXT, ParameterKind.PLAYER_NAME})
_SIZES: Final[dict[int, tuple[int, ...]]] = {
    ParameterKind.NUMBER: (4,),
    ParameterKind.NPC_NAME: (4,),
    ParameterKind.ITEM_NAME: (4,),
    ParameterKind.SKILL_NAME: (4, 4),
    ParameterKind.CASTLE_NAME: (4,),
    ParameterKind.LONG_NUMBER: (8,),
    ParameterKind.ZONE_NAME: (4, 4, 4),
}


def text(word: str) -> Parameter:
    """Any text as a parameter."""
    return Parameter(ParameterKind.TEXT, word)


def number(value: int) -> Parameter:
    """A number as a parameter."""
    return Parameter(ParameterKind.NUMBER, (value,))


def npc_name(npc_id: int) -> Parameter:
    """The client's name of a kind of mobile (1000000 is added here)."""
    return Parameter(ParameterKind.NPC_NAME, (npc_id + 1_000_000,))


def item_name(item_id: int) -> Parameter:
    """The client's name of a kind of item."""
    return Parameter(ParameterKind.ITEM_NAME, (item_id,))


def player_name(name: str) -> Parameter:
    """The name of a player."""
    return Parameter(ParameterKind.PLAYER_NAME, name)


@from_server
class SystemMessage(Message):
    """A text of the client's own, by number, with parameters in it."""

    message_id: Annotated[D, "system_messages.toml"]
    parameters: Annotated[tuple[Parameter, ...], counted(Parameter, 4, limit=32)] = ()

    checked: ClassVar[bool] = True

    def check(self, version: L2Version) -> None:
        """Raises ValueError if the text gets other parameters than it has places for."""
        check_text(self, self.message_id, self.parameters, version)


def check_text(
    message: Message, message_id: int, parameters: tuple[Parameter, ...], version: L2Version
) -> None:
    """Raises ValueError for a text that no client of the version has, or with other parameters."""
    wanted = version.texts.get(message_id)
    if wanted is None:
        raise ValueError(f"{message!r}: no such text in {GAME}/{version.name}/system_messages.toml")
    given = tuple(parameter.kind for parameter in parameters)
    if given != wanted:
        raise ValueError(f"{message!r}: must have {[kind.name.lower() for kind in wanted]}")
