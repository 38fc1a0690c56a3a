"""Walls, fences, trees, lamps and signs of a realm as things of Lineage II's own: `protocol.landmarks`.

A wall, a fence or a hedge is a fence (ExColosseumFenceInfo), which nobody can target: posts, and rails
between them, around the very tiles that block. What has a shape of its own is an NPC whose model does not
move. Nobody can attack it, it has no name above it but for signs, and a click on it means the ground there
(`handlers/scenery.py`). Each is encoded once for all clients of a version.

The client is told to forget them where it is told that of all else: when they are far behind, and when it has
to load elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.l2.packets import NPC_ID_BASE, DeleteObject, ExColosseumFenceInfo, NpcInfo
from protocol.landmarks import Landmarks, Run
from world.serials import LAST_ITEM

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from protocol.l2.looks import PropLook
    from protocol.l2.places import Places
    from protocol.l2.session import L2Session
    from protocol.l2.versions import L2Version
    from protocol.landmarks import Landmark
    from protocol.wire.body import Body
    from world.content import Chart

FIRST_NUMBER: Final = LAST_ITEM + 1
"""Object id of the first landmark: no mobile and no item has one from here on."""

NO_NAME: Final = " "
"""In place of an empty name, for which the client shows its own."""


class L2Scenery:
    """The landmarks of all realms. `radius`: tiles that this game's clients see."""

    def __init__(
        self, charts: Iterable[Chart], props: Mapping[str, PropLook], places: Places, radius: int
    ) -> None:
        self.landmarks: Landmarks[PropLook] = Landmarks("l2", charts, props, radius)
        self._places = places
        self._shown: dict[tuple[str, int], Body] = {}
        self._gone: dict[tuple[str, int], Body] = {}
        """By name of the version and number."""

    def find(self, object_id: int) -> Landmark[PropLook] | None:
        """The landmark with that object id."""
        return self.landmarks.find(object_id - FIRST_NUMBER)

    def follow(self, session: L2Session) -> None:
        """The player came to another tile, or is put elsewhere: queue what is new and what goes."""
        if session.loading:
            self.leave(session)
            return
        before = session.landmarks or self.landmarks.nothing
        now = self.landmarks.around(session.mobile, before)
        if now is before:
            return
        session.landmarks, version = now, session.dialect
        session.queue(
            *(self._gone_body(landmark, version) for landmark in before.beyond(now)),
            *(self._shown_body(landmark, version) for landmark in now.beyond(before)),
        )

    def leave(self, session: L2Session) -> None:
        """The client has to load: queue that all it has are gone."""
        before, session.landmarks = session.landmarks, None
        if before is not None:
            session.queue(*(self._gone_body(landmark, session.dialect) for landmark in before.landmarks))

    def message(self, landmark: Landmark[PropLook]) -> ExColosseumFenceInfo | NpcInfo:
        """The message that shows one of them."""
        look, object_id = landmark.look, FIRST_NUMBER + landmark.number
        atlas = self._places.named(landmark.realm)
        x, y, z = atlas.spot(landmark.x, landmark.y, 0)
        if look.fence:
            tile, along = atlas.scale, landmark.span * atlas.scale
            return ExColosseumFenceInfo(
                object_id,
                look.fence,
                x,
                y,
                z,
                width=along if landmark.run is Run.WEST_EAST else tile,
                length=along if landmark.run is Run.NORTH_SOUTH else tile,
            )
        return NpcInfo(
            object_id=object_id,
            npc_id=look.npc + NPC_ID_BASE,
            attackable=0,
            x=x,
            y=y,
            z=z,
            heading=0,
            collision_radius=look.radius,
            collision_height=look.height,
            name_above=int(landmark.signed),
            name=landmark.name if landmark.signed else NO_NAME,
            collision_radius_again=look.radius,
            collision_height_again=look.height,
        )

    def _shown_body(self, landmark: Landmark[PropLook], version: L2Version) -> Body:
        key = version.name, landmark.number
        body = self._shown.get(key)
        if body is None:
            (body,) = version.bodies(self.message(landmark))
            self._shown[key] = body
        return body

    def _gone_body(self, landmark: Landmark[PropLook], version: L2Version) -> Body:
        key = version.name, landmark.number
        body = self._gone.get(key)
        if body is None:
            (body,) = version.bodies(DeleteObject(FIRST_NUMBER + landmark.number))
            self._gone[key] = body
        return body
