"""Clients of EverQuest II that run, and what others see of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.kit.eq2_desk import Desk
    from world.events import Event

RUN = 5.0
"""Tiles a second: the pace of the view."""


class Diary:
    """What a world is told to show, turn by turn."""

    def __init__(self, desk: Desk) -> None:
        self.events: list[Event] = []
        take = desk.world.take_changes

        def taking() -> object:
            changes = take()
            self.events += changes.events
            return changes

        desk.world.take_changes = taking  # type: ignore[method-assign, assignment]

    def of(self, *kinds: type) -> list[Event]:
        """What was recorded of some kinds; it is forgotten."""
        found = [event for event in self.events if isinstance(event, kinds)]
        self.events.clear()
        return found
