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
from protocol.co.packets import Action, ActionType, NpcInfo, NpcKind
from protocol.landmarks import Landmarks
from protocol.wire.body import Body

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from protocol.co.looks import PropLook
    from protocol.co.places import Places
    from protocol.co.session import CoSession
    from protocol.co.versions import CoVersion
    from protocol.landmarks import Landmark
    from world.content import Chart

FIRST_NUMBER: Final = LANDMARKS.start


class CoScenery:
    """The landmarks of all realms. `radius`: tiles that this game's clients see."""

    def __init__(
        self, charts: Iterable[Chart], props: Mapping[str, PropLook], places: Places, radius: int
    ) -> None:
        self.landmarks: Landmarks[PropLook] = Landmarks("co", charts, props, radius, len(LANDMARKS))
        self._places = places
        self._shown: dict[tuple[CoVersion, int], Body] = {}
        self._gone: dict[tuple[CoVersion, int], Body] = {}
        """By version and number."""

    def find(self, number: int) -> Landmark[PropLook] | None:
        """The landmark with that number of an NPC."""
        return self.landmarks.find(number - FIRST_NUMBER)

    def follow(self, session: CoSession) -> None:
        """The player came to another tile: queue what is new and what goes."""
        before = session.landmarks or self.landmarks.nothing
        now = self.landmarks.around(session.mobile, before)
        if now is before:
            return
        session.landmarks, version = now, session.dialect
        session.queue(
            *(self._gone_body(landmark, version) for landmark in before.beyond(now)),
            *(self._shown_body(landmark, version) for landmark in now.beyond(before)),
        )

    def message(self, landmark: Landmark[PropLook]) -> NpcInfo:
        """The packet that shows one of them."""
        place = self._places.named(landmark.realm, landmark.x, landmark.y)
        return NpcInfo(
            id=FIRST_NUMBER + landmark.number,
            x=place.x,
            y=place.y,
            look=landmark.look.npc,
            kind=NpcKind.DIALOG,
            names=(landmark.name[:LONGEST_NAME],),
        )

    def _shown_body(self, landmark: Landmark[PropLook], version: CoVersion) -> Body:
        key = version, landmark.number
        body = self._shown.get(key)
        if body is None:
            body = self._shown[key] = Body(self.message(landmark).encode(version))
        return body

    def _gone_body(self, landmark: Landmark[PropLook], version: CoVersion) -> Body:
        key = version, landmark.number
        body = self._gone.get(key)
        if body is None:
            gone = Action.of(ActionType.REMOVE, FIRST_NUMBER + landmark.number)
            body = self._gone[key] = Body(gone.encode(version))
        return body
