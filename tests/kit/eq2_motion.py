"""Clients of EverQuest II that run, and what others see of it."""

from __future__ import annotations

from math import hypot
from typing import TYPE_CHECKING, Final

from protocol.eq2.packets import TeleportNoReload
from tests.kit.eq2_desk import CORNER

if TYPE_CHECKING:
    from tests.kit.eq2_desk import Desk, Player
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


class Blind:
    """A client that sees no walls: it runs straight to where its player points, and says so five times a
    second. It learns `late` messages later that it was put elsewhere, and goes on from there; past its goal
    or beside it, it gives up after a while."""

    EVERY: Final = 0.2
    """Seconds."""

    def __init__(self, player: Player, late: int = 0) -> None:
        self.player = player
        self.late = late
        self.x, self.y = (at + 0.5 for at in player.tile)
        self.put: list[float] = []
        """When the server put it elsewhere."""
        hears = player.hears

        def hearing(raw: bytes) -> None:
            before = len(player.got)
            hears(raw)
            moves = sum(isinstance(message, TeleportNoReload) for message in player.got[before:])
            self.put += [player.desk.now] * moves

        player.hears = hearing  # type: ignore[method-assign]

    async def runs_to(self, x: float, y: float, patience: int = 100) -> None:
        """Run there, stand still, and learn what the server makes of it."""
        waiting: list[list[TeleportNoReload]] = [[] for _ in range(self.late)]
        for _ in range(patience):
            left = hypot(x - self.x, y - self.y)
            if left < 0.01:
                break
            part = min(1.0, RUN * self.EVERY / left)
            self.x, self.y = self.x + (x - self.x) * part, self.y + (y - self.y) * part
            await self._says(waiting, RUN)
        for _ in range(10 + self.late):
            await self._says(waiting, 0.0)

    async def _says(self, waiting: list[list[TeleportNoReload]], speed: float) -> None:
        desk = self.player.desk
        await desk.wait(self.EVERY)
        await self.player.goes(self.x, self.y, forward_speed=speed)
        waiting.append(self.player.took(TeleportNoReload))
        for place in waiting.pop(0):
            self.x, self.y = place.x - CORNER[0], place.z - CORNER[2]

    @property
    def off(self) -> float:
        """How far from its character's tile the client is, in tiles."""
        x, y = self.player.tile
        return max(abs(self.x - x - 0.5), abs(self.y - y - 0.5)) - 0.5
