"""The table of what the web client may say. The modules of this package fill it when they are imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar, cast

from protocol.dispatch import Table
from protocol.web.packets.base import Message, name_of_line, opcode_of_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.web.session import WebSession

M = TypeVar("M", bound=Message)


def _opcode(kind: type) -> int:
    return cast("type[Message]", kind).opcode


def _decoder(kind: type) -> Callable[[bytes], object]:
    return cast("type[Message]", kind).decode


TABLE: Final[Table[WebSession]] = Table(
    opcode_of_frame=lambda frame: opcode_of_name(name_of_line(frame)),
    opcode_of_class=_opcode,
    decode=_decoder,
    name_of_frame=lambda frame: ascii(name_of_line(frame)[:32]),
)
