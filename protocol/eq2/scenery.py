"""Walls, fences, trees, lamps and signs of a realm as things of EverQuest II's own: `protocol.landmarks`.

Each is a ghost: a `Figure` whose structs are made once for a version of the client and never change; what a
client has of it is kept among its other ghosts. They have ids above all serials of the world, no name and no
menu, and cannot be aimed at or bumped into: what a client says about one is about nothing. Only signs can be
clicked, and are read so.

A client has 65533 numbers for ghosts, of which landmarks take `protocol.landmarks.MOST`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from protocol.eq2.ghosts import Hide, Show
from protocol.eq2.looks import NO_RACE, PropLook
from protocol.eq2.packets import NOBODY, GhostInfo, GhostPosition, GhostVisible
from protocol.eq2.structs import WHITE, Figure
from protocol.eq2.versions import Eq2Version
from protocol.landmarks import Run, Scenery
from world.heading import EAST, SOUTH

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from protocol.eq2.figures import Rendering
    from protocol.eq2.places import Place, Places
    from protocol.landmarks import Landmark
    from world.content import Chart

FIRST_NUMBER: Final = 0x7E00_0000
"""The id of landmark 0, for all clients: the world's serials end below (`world.serials`)."""

STATIC: Final = 4
NO_ICON: Final = 256
NO_TARGET: Final = 1024
"""Activity bits (emagi/eq2emu: Spawn.h, of clients up to 561)."""

LIES: Final = 16
"""Kind of movement: see `figures`."""

SIZE_UNIT: Final = 32


class Eq2Scenery(Scenery[PropLook, Eq2Version]):
    """The landmarks of all realms. `radius`: tiles that this game's clients see."""

    def __init__(
        self,
        charts: Iterable[Chart],
        props: Mapping[str, PropLook],
        places: Places,
        radius: int,
        rendering: Rendering,
    ) -> None:
        super().__init__("eq2", charts, props, radius, FIRST_NUMBER)
        self._places = places
        self._rendering = rendering

    def make(self, landmark: Landmark[PropLook], version: Eq2Version) -> tuple[Show, Hide]:
        """See Scenery: the messages by which a client makes a ghost, and destroys it."""
        return Show(self.figure(landmark, version)), Hide(self.number(landmark))

    def figure(self, landmark: Landmark[PropLook], version: Eq2Version) -> Figure:
        """The structs of one."""
        look = landmark.look
        figure = blank(self.number(landmark), version, look.of(landmark.run, landmark.span), landmark.signed)
        # What goes on to the north and the south looks to the east, so that it stands across.
        facing = EAST if landmark.run is Run.NORTH_SOUTH else SOUTH
        place = self._places.on(landmark.realm, landmark.x, landmark.y, facing)
        figure.position.become(self.position(place, version, look.size))
        return figure

    def position(self, place: Place, version: Eq2Version, size: int = 100) -> bytes:
        """The struct of what only stands at a place; `size` in percent."""
        heading = self._rendering.heading(place)
        size = size * SIZE_UNIT // 100
        return version.pack_struct(
            GhostPosition(
                heading1=heading, heading2=heading, x=place.x, y=place.y, z=place.z, size=size, move_type=LIES
            )
        )


def blank(spawn_id: int, version: Eq2Version, model: int = 0, clicked: bool = False) -> Figure:
    """A figure that is nothing for its viewers but a model, or not even that; it stands nowhere yet.
    `clicked`: the client lets its player click it."""
    figure = Figure(spawn_id, reverse=version.reverse)
    figure.visible.become(version.pack_struct(_VISIBLE))
    info = attrs.evolve(_INFO, model=model, soga_model=model)
    if clicked:
        info = attrs.evolve(info, activity=STATIC | NO_ICON, no_arrow_or_highlight=0)
    figure.info.become(version.pack_struct(info))
    return figure


_VISIBLE: Final = GhostVisible(arrow=WHITE)
"""Neither to be aimed at nor with a name."""
_INFO: Final = GhostInfo(
    target_id=NOBODY,
    npc=1,
    no_arrow_or_highlight=1,
    no_arrow_or_health=1,
    hide_health=1,
    activity=STATIC | NO_ICON | NO_TARGET,
    race=NO_RACE,
)
