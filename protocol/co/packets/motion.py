"""Steps, and the eight directions."""

import enum
from typing import Annotated, ClassVar, Final

from protocol.co.packets.base import U8, U32, Gap, Message, Since, message
from protocol.co.versions import CoVersion

STEPS: Final = ((0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0), (1, 1))
"""Tile offset (dx, dy) of one step, by direction; y grows to the south."""

_TURNED: Final = 4
"""Directions count clockwise as the world's headings do, but from the south."""

_FLAT: Final = 41
_STEEP: Final = 241
"""Slopes in hundredths from which on a direction is a diagonal one, and up to which."""

_BY_STEP: Final = {step: direction for direction, step in enumerate(STEPS)}


def to_wire(heading: int) -> int:
    """The direction of a heading of the world."""
    return (heading + _TURNED) % 8


def to_world(direction: int) -> int:
    """The heading of a direction; clients add multiples of eight to it."""
    return (direction + _TURNED) % 8


def facing(dx: int, dy: int) -> int | None:
    """The direction in which the client looks along (dx, dy) in tiles; None for (0, 0)."""
    if dx == dy == 0:
        return None
    slope, unit = abs(dy) * 100, abs(dx)
    if slope < unit * _FLAT:
        dy = 0
    elif slope > unit * _STEEP:
        dx = 0
    return _BY_STEP[(dx > 0) - (dx < 0), (dy > 0) - (dy < 0)]


class Pace(enum.IntEnum):
    """Kinds of steps."""

    WALK = 0
    RUN = 1


@message(1005)
class Walk(Message):
    """Somebody makes a step. MsgWalk."""

    id: U32
    direction: Annotated[U8, "modulo 8"]
    mode: Annotated[U8, "Pace"] = Pace.WALK
    _unused: ClassVar[Gap] = Gap(bytes(2), Since(CoVersion.V5065))
