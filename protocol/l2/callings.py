"""The nine classes that a character of Lineage II begins with: race, attributes, size of the body.

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
    strength: int
    dexterity: int
    constitution: int
    intelligence: int
    wit: int
    mentality: int
    man: Build
    woman: Build

    def build(self, *, female: bool) -> Build:
        """The body of one sex."""
        return self.woman if female else self.man


HUMAN_FIGHTER: Final = Calling(0, Race.HUMAN, 40, 30, 43, 21, 11, 25, Build(9.0, 23.0), Build(8.0, 23.5))

CALLINGS: Final[Mapping[int, Calling]] = {
    calling.class_id: calling
    for calling in (
        HUMAN_FIGHTER,
        Calling(10, Race.HUMAN, 22, 21, 27, 41, 20, 39, Build(7.5, 22.8), Build(6.5, 22.5)),
        Calling(18, Race.ELF, 36, 35, 36, 23, 14, 26, Build(7.5, 24.0), Build(7.5, 23.0)),
        Calling(25, Race.ELF, 21, 24, 25, 37, 23, 40, Build(7.5, 24.0), Build(7.5, 23.0)),
        Calling(31, Race.DARK_ELF, 41, 34, 32, 25, 12, 26, Build(7.5, 24.0), Build(7.0, 23.5)),
        Calling(38, Race.DARK_ELF, 23, 23, 24, 44, 19, 37, Build(7.5, 24.0), Build(7.0, 23.5)),
        Calling(44, Race.ORC, 40, 26, 47, 18, 12, 27, Build(11.0, 28.0), Build(7.0, 27.0)),
        Calling(49, Race.ORC, 27, 24, 31, 31, 15, 42, Build(7.0, 27.5), Build(8.0, 25.5)),
        Calling(53, Race.DWARF, 39, 29, 45, 20, 10, 27, Build(9.0, 18.0), Build(5.0, 19.0)),
    )
}
"""By the client's number of the class."""


def calling_of(class_id: int) -> Calling:
    """The class of that number; human fighter for one that nobody begins with."""
    return CALLINGS.get(class_id, HUMAN_FIGHTER)
