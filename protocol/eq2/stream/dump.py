"""Datagrams for people: a line for each stage, the bytes below it, and which must not be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.eq2.stream.frames import Op
from protocol.wire.dump import hex_dump

if TYPE_CHECKING:
    from collections.abc import Iterator

    from protocol.eq2.stream.receiving import Receiver
    from protocol.eq2.stream.sending import Sender

_NAMES: Final = {int(op): op.name for op in Op}
_NUMBERED: Final = frozenset({Op.PACKET, Op.FRAGMENT, Op.OUT_OF_ORDER_ACK, Op.ACK, Op.ORDERED, Op.ORDERED_2})


def lines_of(stage: str, frame: bytes, keyed: bool, last_secret: int) -> Iterator[str]:
    """The line of a stage, and the bytes of the frame if they may be shown; see `may_be_shown`."""
    yield describe(stage, frame)
    if may_be_shown(frame, keyed, last_secret):
        yield from hex_dump(frame)


def standing(frame: bytes, receiver: Receiver) -> str:
    """The place of a frame that came among those before it, in brackets; empty where it is the next one."""
    seq = numbered(frame)
    found = receiver.standing(seq) if seq is not None else ""
    return f" ({found})" if found else ""


def attempt(frame: bytes, sender: Sender) -> str:
    """The number of times a frame has left, in brackets; empty the first time."""
    seq = numbered(frame)
    sends = sender.sends(seq) if seq is not None else 0
    return f" (attempt {sends})" if sends > 1 else ""


def describe(stage: str, frame: bytes) -> str:
    """One line: the stage a frame is in, its opcode, its number if it has one, its size."""
    if len(frame) < 2 or frame[0] or not frame[1]:
        return f"{stage} unreliable size={len(frame)}"
    op = frame[1]
    number = f" seq={int.from_bytes(frame[2:4], 'big')}" if op in _NUMBERED and len(frame) >= 4 else ""
    return f"{stage} opcode=0x{op:04x} {_NAMES.get(op, 'unknown')}{number} size={len(frame)}"


def numbered(frame: bytes) -> int | None:
    """The number of a frame with contents that is sent until it is acknowledged; None of others."""
    if len(frame) < 4 or frame[0] or frame[1] not in (Op.PACKET, Op.FRAGMENT):
        return None
    return int.from_bytes(frame[2:4], "big")


def may_be_shown(frame: bytes, keyed: bool, last_secret: int) -> bool:
    """Whether a frame may be dumped: not one that may hold the key (reliable, up to the number `last_secret`)
    or a message that is not encrypted (before the key), and no container, whose frames follow one by one."""
    op = frame[1] if len(frame) > 1 and not frame[0] else 0
    if op == Op.COMBINED:
        return False
    if op in (Op.PACKET, Op.FRAGMENT):
        return keyed and int.from_bytes(frame[2:4], "big") > last_secret
    return keyed or op not in (0, Op.ORDERED, Op.ORDERED_2)
