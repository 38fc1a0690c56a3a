"""Somebody at a client of Conquer Online whose map shows none of our walls: it walks and jumps wherever its
player wants, and believes to be there until it is told otherwise.

What it is told of itself: it is put somewhere (TELEPORT), its jump ends somewhere (JUMP), it has walked a
tile (Walk). It has taken its own steps when it says so; a Walk that confirms none of them leads it a tile on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.co.packets import STEPS, Action, ActionType, Pace, Walk, pack_xy, to_wire, unpack_xy

if TYPE_CHECKING:
    from tests.kit.co_desk import Player


class Blind:
    """See the module. Places are on the client's map."""

    GRAIN: Final = 0.1
    """Seconds by which it may be late to notice what came."""

    def __init__(self, player: Player) -> None:
        self.player = player
        me = player.screen.me
        assert me is not None
        self.believes = me.x, me.y
        self.put: list[float] = []
        """When it was put back."""
        self.landed: tuple[int, int] | None = None
        """End of its last jump, once it was told that."""
        self._unanswered = 0
        player.got.clear()

    async def runs(self, *headings: int) -> None:
        """Steps, all of them on their way before the first is answered."""
        desk, number = self.player.desk, self.player.number
        steps = [Walk(number, to_wire(heading), Pace.RUN) for heading in headings]
        for step in steps:
            self._goes(step.direction)
        self._unanswered += len(steps)
        await self.player.sends_at_once(*(step.encode(desk.version) for step in steps))
        self.reads()

    async def jumps(self, dx: int, dy: int) -> None:
        """A jump so many tiles away; it jumps when it is told so."""
        x, y = self.believes
        self.landed = None
        await self.player.acts(ActionType.JUMP, data=pack_xy(x + dx, y + dy), x=x, y=y)
        self.reads()

    async def waits(self, seconds: float) -> None:
        """It does nothing but listen."""
        for _ in range(round(seconds / self.GRAIN)):
            await self.player.desk.wait(self.GRAIN)
            self.reads()

    def reads(self) -> None:
        """Believe what came meanwhile."""
        for told in self.player.got:
            if isinstance(told, Walk) and told.id == self.player.number:
                if self._unanswered:
                    self._unanswered -= 1
                else:
                    self._goes(told.direction)
            elif isinstance(told, Action) and told.id == self.player.number:
                if told.action == ActionType.JUMP:
                    self.believes = self.landed = unpack_xy(told.data)
                elif told.action == ActionType.TELEPORT:
                    self.believes, self._unanswered = (told.x, told.y), 0
                    self.put.append(self.player.desk.now)
        self.player.got = [
            told for told in self.player.got if not isinstance(told, Walk) and not _moves(told)
        ]

    def _goes(self, direction: int) -> None:
        dx, dy = STEPS[direction % 8]
        self.believes = self.believes[0] + dx, self.believes[1] + dy


def _moves(told: object) -> bool:
    return isinstance(told, Action) and told.action in (ActionType.JUMP, ActionType.TELEPORT)
