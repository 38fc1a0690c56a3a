"""Walking, turning and being carried elsewhere, as Lineage II's messages.

The client walks everybody to a point by itself, its own character included, which stands still until it is
told to go. Who goes by itself is told of once, with the end of the line (`SetOut`); whose game goes tile by
tile is sent to each tile at its own pace.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias
from weakref import WeakKeyDictionary

from protocol.l2.figures import runs
from protocol.l2.packets import (
    BeginRotation,
    ChangeMoveType,
    ChangeWaitType,
    MoveToLocation,
    StopMove,
    StopRotation,
    TeleportToLocation,
    ValidateLocation,
    Wait,
)
from world.mobile import Posture

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.l2.packets import Message
    from protocol.l2.places import Places
    from protocol.l2.versions import L2Version
    from protocol.outgoing import Outgoing
    from protocol.wire.body import Body
    from world.events import Halted, SetOut, Stepped, Turned
    from world.mobile import Mobile

Spot: TypeAlias = tuple[int, int, int]
"""In the client's units."""

TURN_SPEED: Final = 65_535
"""Of somebody who turns on the spot: at once (L2JMobius/L2Jmobius_Interlude: Bluff.java)."""
TURNS_RIGHT: Final = 1


@lru_cache(maxsize=1024)
def _walks(version: L2Version, serial: int, to: Spot, start: Spot) -> tuple[Body, ...]:
    """MoveToLocation, one for its own player, for those who know it, and for those who come to see it."""
    return version.bodies(MoveToLocation(serial, *to, *start))


class Motions:
    """Makes the messages. `own` says whether they are for the client of whoever moves."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self._running: defaultdict[str, WeakKeyDictionary[Mobile, bool]] = defaultdict(WeakKeyDictionary)
        """By version: who was told to run or walk, unless somebody who came since knows otherwise."""

    def stands(self, mobile: Mobile) -> tuple[Message, ...]:
        """Tell where somebody is, which stops it where a client draws it."""
        place = self.places.of(mobile)
        if place is None:
            return ()
        return (ValidateLocation(mobile.serial, place.x, place.y, place.z, place.heading),)

    def waits(self, mobile: Mobile) -> tuple[Message, ...]:
        """Whether somebody sits."""
        place = self.places.of(mobile)
        if place is None:
            return ()
        wait = Wait.STANDING if mobile.posture == Posture.STANDING else Wait.SITTING
        return (ChangeWaitType(mobile.serial, wait, place.x, place.y, place.z),)

    def goes(self, mobile: Mobile, version: L2Version) -> tuple[Body, ...]:
        """Tell where it is on its way to by itself, if it is not there yet."""
        journey = mobile.gait.journey
        if journey is None or (mobile.x, mobile.y) == (journey.x, journey.y):
            return ()
        return self._line(mobile, version, mobile.x, mobile.y, journey.x, journey.y)

    def _line(
        self, mobile: Mobile, version: L2Version, x: int, y: int, to_x: int, to_y: int
    ) -> tuple[Body, ...]:
        atlas = self.places.atlas(mobile.realm)
        if atlas is None:
            return ()
        return _walks(version, mobile.serial, atlas.spot(to_x, to_y, mobile.z), atlas.spot(x, y, mobile.z))

    def stepped(self, event: Stepped, version: L2Version, *, own: bool) -> Sequence[Outgoing]:
        """One tile; its own client is told, too, for it goes nowhere by itself."""
        if event.journey:
            return ()
        mobile = event.thing
        line = self._line(mobile, version, event.from_x, event.from_y, event.x, event.y)
        return *version.bodies(*self._pace(mobile, version, run=event.run, own=own)), *line

    def set_out(self, event: SetOut, version: L2Version, *, own: bool) -> Sequence[Outgoing]:
        """A whole way."""
        mobile, journey = event.thing, event.thing.gait.journey
        if journey is None or (journey.x, journey.y) != (event.to_x, event.to_y):
            return ()  # it was stopped or sent elsewhere in the same turn, and maybe shown there already
        line = self._line(mobile, version, event.x, event.y, event.to_x, event.to_y)
        return *version.bodies(*self._pace(mobile, version, run=event.run, own=own)), *line

    def halted(self, event: Halted, version: L2Version, *, own: bool) -> Sequence[Outgoing]:
        """The way ends sooner. Where it ends as it was told the others' clients have walked it there by
        themselves; its own is told, for it knows by that that it may go on."""
        if event.arrived and not own:
            return ()
        mobile = event.thing
        place = self.places.at(mobile.realm, event.x, event.y, mobile.z, event.heading)
        if place is None or (mobile.x, mobile.y) != (event.x, event.y):
            return ()  # it went on in the same turn, or was put elsewhere and is shown there already
        stop = StopMove(mobile.serial, place.x, place.y, place.z, place.heading)
        return version.bodies(*self._pace(mobile, version, run=runs(mobile), own=own), stop)

    def turned(self, event: Turned, version: L2Version, *, own: bool) -> Sequence[Outgoing]:
        """Another heading. Its own client knows, unless the world did it."""
        mobile = event.thing
        if own:
            return version.bodies(*self.stands(mobile)) if event.forced else ()
        place = self.places.at(mobile.realm, event.x, event.y, mobile.z, event.heading)
        if place is None:
            return ()
        return version.bodies(
            BeginRotation(mobile.serial, place.heading, TURNS_RIGHT, TURN_SPEED),
            StopRotation(mobile.serial, place.heading, TURN_SPEED),
        )

    def warped(self, mobile: Mobile, version: L2Version) -> Sequence[Outgoing]:
        """It is elsewhere, and its own client has to load that."""
        place = self.places.of(mobile)
        if place is None:
            return ()
        return version.bodies(TeleportToLocation(mobile.serial, place.x, place.y, place.z, place.heading))

    # Running and walking

    def told(self, mobile: Mobile, version: L2Version) -> ChangeMoveType:
        """Whether it runs, for all who know it."""
        running = runs(mobile)
        self._running[version.name][mobile] = running
        return ChangeMoveType(mobile.serial, int(running))

    def shown(self, mobile: Mobile, version: L2Version) -> None:
        """It was described anew to somebody, who may know now what others were not told."""
        told = self._running[version.name]
        if told.get(mobile) is not runs(mobile):
            told.pop(mobile, None)

    def _pace(self, mobile: Mobile, version: L2Version, *, run: bool, own: bool) -> tuple[Message, ...]:
        """Whether it runs, if that is not what everybody who knows it was told last. Its own client chose
        that, and was answered."""
        if own or (told := self._running[version.name]).get(mobile) is run:
            return ()
        told[mobile] = run
        return (ChangeMoveType(mobile.serial, int(run)),)
