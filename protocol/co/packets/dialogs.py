"""Talking with residents: the click, the window, the answer."""

import enum
from typing import Annotated, Final

from protocol.co.packets.base import U8, U16, U32, Message, Strings, message

LONGEST_TEXT: Final = 250
"""Bytes of one text or label of a dialog; longer texts are sent in pieces."""

NO_ANSWER: Final = 255
"""The option of what is none, and of an answer that closes the window."""


class NpcEvent(enum.IntEnum):
    """Deeds to a resident."""

    ACTIVATE = 0
    LEAVE = 2
    """From servers: it is gone."""
    DELETE = 3
    MOVE = 4
    LAY = 5
    CANCEL = 255


class DialogAction(enum.IntEnum):
    """Kinds of TaskDialog."""

    TEXT = 1
    OPTION = 2
    """option: number of the answer, NO_ANSWER closes the window."""
    INPUT = 3
    """value: longest input; option: number of the answer."""
    FACE = 4
    """value: number of the portrait."""
    SHOW = 100
    """Opens the window with what was sent before."""
    ANSWER = 101
    """From clients: option is the answer, the string what was typed."""
    TASK = 102
    """From clients: the task id is one of their own windows'."""


@message(2031)
class Npc(Message):
    """A resident is clicked, or is gone. MsgNpc."""

    id: U32
    data: U32 = 0
    event: Annotated[U16, "NpcEvent"] = NpcEvent.ACTIVATE
    kind: Annotated[U16, "NpcKind"] = 0


@message(2032)
class TaskDialog(Message):
    """A part of a dialog's window, or the answer to it. MsgTaskDialog."""

    task_id: U32
    value: Annotated[U16, "longest input, or portrait"]
    option: U8
    action: Annotated[U8, "DialogAction"]
    strings: Strings = ()
