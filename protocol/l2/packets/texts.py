"""The client's own texts: which are used here, and what stands in them."""

import enum
from typing import Annotated, Final

import attrs

from protocol.endings import WireError
from protocol.l2.packets.base import D, Message, counted, from_server
from protocol.wire.fields import ZeroText


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
    EQUIPPED = 49
    TARGET_NOT_FOUND = 50
    CANNOT_USE_ON_YOURSELF = 51
    NOTHING_HAPPENED = 61
    LEVEL_INCREASED = 96
    CANNOT_BE_MOVED = 97
    CANNOT_BE_DISCARDED = 98
    CANNOT_BE_TRADED = 99
    CANNOT_EXIT_IN_COMBAT = 101
    CANNOT_RESTART_IN_COMBAT = 102
    INVALID_TARGET = 109
    UNSUITABLE_TERMS = 113
    INVENTORY_FULL = 129
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
    DROPPED = 298
    DISAPPEARED_SEVERAL = 301
    DISAPPEARED = 302
    CONFIRM = 365
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
    CANNOT_MOVE_IN_THIS_STATE = 556
    PETS_NOT_AVAILABLE = 574
    TEXT = 614
    MACRO_INVALID = 810
    MACRO_NAME_MISSING = 838
    COMMUNITY_SERVER_OFFLINE = 938
    MORE_THAN_YOU_HAVE = 973
    OLYMPIAD_NOT_IN_PROGRESS = 1651


class ParameterKind(enum.IntEnum):
    """What may stand in a text of the client's own."""

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


@from_server
class ConfirmDlg(Message):
    """A question with yes and no; DlgAnswer answers it."""

    message_id: Annotated[D, "system_messages.toml"]
    parameters: Annotated[tuple[Parameter, ...], counted(Parameter, 4, limit=32)] = ()
    milliseconds: Annotated[D, "until it closes; 0: never"] = 0
    requester_id: D = 0
