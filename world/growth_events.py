"""Events of growth: experience, levels and skills. `world.events` has all other kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from world.thing import Event, called

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.mobile import Mobile, Viewport


@attrs.define
class Gained(Event):
    """A mobile's player gained experience (lost it, below 0). `of`: the creature whose death gave it."""

    thing: Mobile
    experience: int
    viewers: Sequence[Viewport]
    of: Mobile | None = None

    def words(self, *, own: bool) -> str | None:
        """Line with the amount."""
        if self.experience < 0:
            return f"You lose {-self.experience} experience."
        return f"You gain {self.experience} experience."


@attrs.define
class Advanced(Event):
    """A mobile reached a level. All who see it receive this."""

    thing: Mobile
    level: int
    viewers: Sequence[Viewport]

    def words(self, *, own: bool) -> str | None:
        """Line with the level."""
        whose = "You are" if own else f"{called(self.thing)} is"
        return f"{whose} now of level {self.level}."


@attrs.define
class Practised(Event):
    """A skill of a mobile grew by use, to `value` tenths. Its player alone receives this."""

    thing: Mobile
    skill: str
    value: int
    viewers: Sequence[Viewport]

    def words(self, *, own: bool) -> str | None:
        """Line with the skill and its value."""
        return f"Your skill in {self.skill} is now {self.value / 10:.1f}."
