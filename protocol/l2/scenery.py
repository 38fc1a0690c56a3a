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

from protocol.l2.looks import PropLook
from protocol.l2.packets import NPC_ID_BASE, DeleteObject, ExColosseumFenceInfo, NpcInfo
from protocol.l2.versions import L2Version
from protocol.landmarks import Run, Scenery
from world.serials import LAST_ITEM

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from protocol.l2.places import Places
    from protocol.landmarks import Landmark
    from protocol.wire.body import Body
    from world.content import Chart

FIRST_NUMBER: Final = LAST_ITEM + 1
"""Object id of the first landmark: no mobile and no item has one from here on."""

NO_NAME: Final = " "
"""In place of an empty name, for which the client shows its own."""


class L2Scenery(Scenery[PropLook, L2Version]):
    """The landmarks of all realms. `radius`: tiles that this game's clients see."""

    def __init__(
        self, charts: Iterable[Chart], props: Mapping[str, PropLook], places: Places, radius: int
    ) -> None:
        super().__init__("l2", charts, props, radius, FIRST_NUMBER)
        self._places = places

    def make(self, landmark: Landmark[PropLook], version: L2Version) -> tuple[Body, Body]:
        """See Scenery: ExColosseumFenceInfo or NpcInfo, and DeleteObject."""
        shown, gone = version.bodies(self.message(landmark), DeleteObject(self.number(landmark)))
        return shown, gone

    def message(self, landmark: Landmark[PropLook]) -> ExColosseumFenceInfo | NpcInfo:
        """The message that shows one of them."""
        look, object_id = landmark.look, self.number(landmark)
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
