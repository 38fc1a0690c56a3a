"""The nine classes that a character of Lineage II begins with: race and size of the body.

The numbers are those of L2JMobius/L2Jmobius_Interlude: dist/game/data/stats/chars/baseStats. Characters of
other games are human fighters. Whatever the class, all go at the world's own pace.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final

import attrs

if TYPE_CHECKING:
    from collections.abc import Mapping


class Race(enum.IntEnum):
    """The client's numbers."""

    HUMAN = 0
    ELF = 1
    DARK_ELF = 2
    ORC = 3
    DWARF = 4


@attrs.frozen
class Build:
    """The cylinder that is clicked on: its radius, and half of its height, in the client's units."""

    radius: float
    height: float


@attrs.frozen
class Calling:
    """One class, with what it begins with."""

    class_id: int
    race: Race
    man: Build
    woman: Build

    def build(self, *, female: bool) -> Build:
        """The body of one sex."""
        return self.woman if female else self.man


HUMAN_FIGHTER: Final = Calling(0, Race.HUMAN, Build(9.0, 23.0), Build(8.0, 23.5))

CALLINGS: Final[Mapping[int, Calling]] = {
    calling.class_id: calling
    for calling in (
        HUMAN_FIGHTER,
        Calling(10, Race.HUMAN, Build(7.5, 22.8), Build(6.5, 22.5)),
        Calling(18, Race.ELF, Build(7.5, 24.0), Build(7.5, 23.0)),
        Calling(25, Race.ELF, Build(7.5, 24.0), Build(7.5, 23.0)),
        Calling(31, Race.DARK_ELF, Build(7.5, 24.0), Build(7.0, 23.5)),
        Calling(38, Race.DARK_ELF, Build(7.5, 24.0), Build(7.0, 23.5)),
        Calling(44, Race.ORC, Build(11.0, 28.0), Build(7.0, 27.0)),
        Calling(49, Race.ORC, Build(7.0, 27.5), Build(8.0, 25.5)),
        Calling(53, Race.DWARF, Build(9.0, 18.0), Build(5.0, 19.0)),
    )
}
"""By the client's number of the class."""


def calling_of(class_id: int) -> Calling:
    """The class of that number; human fighter for one that nobody begins with."""
    return CALLINGS.get(class_id, HUMAN_FIGHTER)
