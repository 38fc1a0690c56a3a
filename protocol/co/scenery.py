"""Walls, fences, trees, lamps and signs of a realm as things of Conquer Online's own: `protocol.landmarks`.

Each is an NPC with the look of a stake, a flag or a box, under the name of what it stands for. Its kind is
that of a resident who talks, so that a click only asks the server, and never strikes. Each is encoded once
for all clients of a version.

The client drops by itself what is farther away than its screen reaches. All that is shown in a sector is
within its screen from every tile of it, so nothing is dropped that is not told to be gone. After every map
that it loads it has forgotten all, and asks (`handlers/entering.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.co.figures import LANDMARKS, LONGEST_NAME
from protocol.co.looks import PropLook
from protocol.co.packets import Action, ActionType, NpcInfo, NpcKind
from protocol.co.versions import CoVersion
from protocol.landmarks import Scenery
from protocol.wire.body import Body

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from protocol.co.places import Places
    from protocol.landmarks import Landmark
    from world.content import Chart

FIRST_NUMBER: Final = LANDMARKS.start
"""Number of the first landmark among the NPCs."""


class CoScenery(Scenery[PropLook, CoVersion]):
    """The landmarks of all realms. `radius`: tiles that this game's clients see."""

    def __init__(
        self, charts: Iterable[Chart], props: Mapping[str, PropLook], places: Places, radius: int
    ) -> None:
        super().__init__("co", charts, props, radius, FIRST_NUMBER, len(LANDMARKS))
        self._places = places

    def make(self, landmark: Landmark[PropLook], version: CoVersion) -> tuple[Body, Body]:
        """See Scenery: NpcInfo, and the action that removes."""
        gone = Action.of(ActionType.REMOVE, self.number(landmark))
        return Body(self.message(landmark).encode(version)), Body(gone.encode(version))

    def message(self, landmark: Landmark[PropLook]) -> NpcInfo:
        """The packet that shows one of them."""
        place = self._places.named(landmark.realm, landmark.x, landmark.y)
        return NpcInfo(
            id=self.number(landmark),
            x=place.x,
            y=place.y,
            look=landmark.look.npc,
            kind=NpcKind.DIALOG,
            names=(landmark.name[:LONGEST_NAME],),
        )
