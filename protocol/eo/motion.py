"""Steps and turns as this game's packets, and NPCs that go out of sight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eolib import (
    ChairPlayerServerPacket,
    Coords,
    Direction,
    FacePlayerServerPacket,
    NpcKilledData,
    NpcPlayerServerPacket,
    NpcSpecServerPacket,
    NpcUpdatePosition,
    SitPlayerServerPacket,
    SitRemoveServerPacket,
    WalkPlayerServerPacket,
)

from protocol.eo.looks import to_direction
from protocol.eo.packets import bodies
from world.events import Stepped, Why
from world.heading import OFFSETS
from world.mobile import Posture

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eolib import Packet

    from protocol.eo.figures import Figures
    from protocol.wire.body import Body
    from world.events import Turned
    from world.mobile import Mobile

NOWHERE: Final = Coords(x=252, y=252)
"""The tile to which an NPC is sent that is not seen any more, as eoserv does. There the client forgets it."""


def placed(figures: Figures, event: Stepped | Turned) -> Sequence[Body]:
    """A mobile on its new tile or facing its new way. A diagonal step shows as one along the nearest
    direction.

    Who goes another way than it faces sits down or stands up: its new posture says where.
    """
    mobile, direction = event.thing, to_direction(event.heading)
    there = Coords(x=event.x, y=event.y)
    if figures.is_npc(mobile):
        return bodies(_npc_at(figures.npc_index(mobile), there, direction))
    number = figures.player_id(mobile)
    if isinstance(event, Stepped):
        if (event.x - event.from_x, event.y - event.from_y) != OFFSETS[event.heading]:
            return ()
        return bodies(WalkPlayerServerPacket(player_id=number, direction=direction, coords=there))
    return bodies(FacePlayerServerPacket(player_id=number, direction=direction))


def posture(figures: Figures, mobile: Mobile) -> Packet:
    """A mobile sitting, or standing up, for others."""
    number, place = figures.player_id(mobile), Coords(x=mobile.x, y=mobile.y)
    direction = to_direction(mobile.heading)
    if mobile.posture == Posture.FLOOR:
        return SitPlayerServerPacket(player_id=number, coords=place, direction=direction)
    if mobile.posture == Posture.CHAIR:
        return ChairPlayerServerPacket(player_id=number, coords=place, direction=direction)
    return SitRemoveServerPacket(player_id=number, coords=place)


def npc_gone(figures: Figures, npc: Mobile, why: Why) -> Sequence[Body]:
    """An NPC that is not seen any more; nothing if it never was."""
    index = figures.ids.last_npc_index(npc)
    if index is None:
        return ()
    away = _npc_at(index, NOWHERE, Direction.Down)
    if why in {Why.WALKED, Why.HIDDEN}:
        # It may be back soon, and eoweb takes away what it was told is dead some time after it was told.
        return bodies(away)
    gone = NpcSpecServerPacket(
        npc_killed_data=NpcKilledData(
            killer_id=0,
            killer_direction=Direction.Down,
            npc_index=index,
            drop_index=0,
            drop_id=0,
            drop_coords=Coords(x=0, y=0),
            drop_amount=0,
            damage=0,
        )
    )
    return bodies(away, gone)


def _npc_at(index: int, place: Coords, direction: Direction) -> NpcPlayerServerPacket:
    position = NpcUpdatePosition(npc_index=index, coords=place, direction=direction)
    return NpcPlayerServerPacket(positions=[position], attacks=[], chats=[])
