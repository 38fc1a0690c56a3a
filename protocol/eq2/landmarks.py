"""Landmarks as ghosts: crates, barricades, trees and the like of this game, where the world's walls stand.

Which tiles they stand on is said in `protocol.landmarks`. Here each is a `Figure` whose structs are made once
for a version of the client and never change; what a client has of it is kept among its other ghosts. They
have ids above all serials of the world, no name and no menu, and cannot be aimed at or bumped into: what a
client says about one is about nothing.

A client has 65533 numbers for ghosts, of which landmarks take `protocol.landmarks.MOST`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from protocol.eq2.ghosts import Hide, Show
from protocol.eq2.looks import NO_RACE
from protocol.eq2.packets import NOBODY, GhostInfo, GhostPosition, GhostVisible
from protocol.eq2.structs import WHITE, Figure
from protocol.landmarks import Run
from world.heading import EAST, SOUTH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.eq2.figures import Figures
    from protocol.eq2.looks import TileLook
    from protocol.eq2.places import Place
    from protocol.eq2.session import Eq2Session
    from protocol.eq2.versions import Eq2Version
    from protocol.landmarks import Landmark, Landmarks
    from protocol.outgoing import Outgoing

FIRST_ID: Final = 0x7E00_0000
"""The id of landmark 0, for all clients: the world's serials end below (`world.serials`)."""

STATIC: Final = 4
NO_ICON: Final = 256
NO_TARGET: Final = 1024
"""Activity bits (emagi/eq2emu: Spawn.h, of clients up to 561)."""

LIES: Final = 16
"""Kind of movement: see `figures`."""

SIZE_UNIT: Final = 32


class Sites:
    """Shows the landmarks of all realms to clients."""

    def __init__(self, landmarks: Landmarks[TileLook], figures: Figures) -> None:
        self._landmarks = landmarks
        self._figures = figures
        self._made: dict[tuple[str, int], Figure] = {}
        """By version and number."""

    def moved(self, session: Eq2Session) -> Sequence[Outgoing]:
        """The messages for what came into the sight of a client and what went out of it, since it was shown
        some last. While it stays in one sector of a realm there are none."""
        before = session.landmarks or self._landmarks.nothing
        now = self._landmarks.around(session.mobile, session.landmarks)
        if now is before:
            return ()
        session.landmarks = now
        version = session.version
        gone = [Hide(FIRST_ID + landmark.number) for landmark in before.beyond(now)]
        return *gone, *(Show(self.figure(landmark, version)) for landmark in now.beyond(before))

    def shown(self, session: Eq2Session, spawn_id: int) -> bool:
        """Whether a client has a landmark of that id."""
        return session.landmarks is not None and spawn_id - FIRST_ID in session.landmarks.numbers

    def figure(self, landmark: Landmark[TileLook], version: Eq2Version) -> Figure:
        """The structs of one."""
        key = version.name, landmark.number
        figure = self._made.get(key)
        if figure is None:
            look = landmark.look
            model = look.of(landmark.run, landmark.span)
            figure = self._made[key] = blank(FIRST_ID + landmark.number, version, model)
            # What goes on to the north and the south looks to the east, so that it stands across.
            facing = EAST if landmark.run is Run.NORTH_SOUTH else SOUTH
            place = self._figures.places.on(landmark.realm, landmark.x, landmark.y, facing)
            figure.position.become(self.position(place, version, look.size))
        return figure

    def position(self, place: Place, version: Eq2Version, size: int = 100) -> bytes:
        """The struct of what only stands at a place; `size` in percent."""
        heading = self._figures.heading(place)
        size = size * SIZE_UNIT // 100
        return version.pack_struct(
            GhostPosition(
                heading1=heading, heading2=heading, x=place.x, y=place.y, z=place.z, size=size, move_type=LIES
            )
        )


def blank(spawn_id: int, version: Eq2Version, model: int = 0) -> Figure:
    """A figure that is nothing for its viewers but a model, or not even that; it stands nowhere yet."""
    figure = Figure(spawn_id, reverse=version.reverse)
    figure.visible.become(version.pack_struct(_VISIBLE))
    figure.info.become(version.pack_struct(attrs.evolve(_INFO, model=model, soga_model=model)))
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
