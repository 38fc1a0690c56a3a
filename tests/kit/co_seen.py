"""What a Conquer Online client keeps of what it was shown (`tests.kit.co_screen`)."""

from __future__ import annotations

from typing import Final, NamedTuple

import attrs

STAND: Final = 100
"""The pose of who stands."""

TRANSFORMED, GHOSTS = 10_000_000, (98, 99)
"""What a look has of a transformation, and those of dead men and women."""


@attrs.define(eq=False)
class Seen:
    """Somebody it draws."""

    id: int
    name: str
    look: int
    x: int
    y: int
    direction: int
    pose: int = STAND
    hair: int = 0
    status: int = 0
    wears: tuple[int, ...] = ()
    """Garment, helmet, armour, right hand, left hand: item types."""
    npc: bool = False
    values: dict[int, int] = attrs.field(factory=dict)
    """By attribute."""
    guild: tuple[int, int] = (0, 0)
    """Its guild's number, and its rank there."""

    @property
    def ghost(self) -> bool:
        """Whether it is drawn as a dead one."""
        return self.look // TRANSFORMED in GHOSTS


class Blow(NamedTuple):
    """Something that it saw somebody do to somebody."""

    sender: int
    target: int
    x: int
    y: int
    kind: int
    data: int


@attrs.define
class OnGround:
    """A thing that lies there."""

    kind: int
    x: int
    y: int


@attrs.define
class Owned:
    """A thing it carries, or wears at a position above 0."""

    kind: int
    amount: int
    position: int


@attrs.define
class Window:
    """The window of a dialog."""

    text: str = ""
    options: dict[int, str] = attrs.field(factory=dict)
    face: int = 0
    box: int = 0
    """The answer that takes typed words; 0: none."""
