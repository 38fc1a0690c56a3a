"""Moves of one turn, sorted by what they can have changed in anybody's sight.

Steps are nearly all that happens, and a step changes little. So those that took a single one are kept apart
from whatever came, went, hid or went farther, which has to be compared as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from world.audience import of_tile
from world.delta import MobileDelta
from world.mobile import Mobile
from world.moments import Entered, Jumped, Left, Stepped, Warped, Why

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from protocol.session import Session
    from world.mobile import Eyes
    from world.thing import Thing
    from world.world import Changes


@attrs.define(eq=False)
class Mover:
    """A thing that came, went, hid or took several steps: who has to be asked, and what they saw of it."""

    eyes: dict[int, Eyes] = attrs.field(factory=dict)
    steps: int = 0
    steps_seen: dict[int, int] = attrs.field(factory=dict)
    jumps: bool = False
    """Whether a jump is among its steps."""
    jumped: bool = False
    """Whether it came to where it is otherwise than by steps."""
    why: Why = Why.WALKED

    def ask(self, viewers: Iterable[Eyes]) -> None:
        """Note eyes that have to be asked."""
        for eyes in viewers:
            self.eyes[eyes.key] = eyes

    def step(self, moment: Stepped | Jumped) -> None:
        """Note one of its steps or jumps."""
        self.ask(moment.viewers)
        self.ask(moment.lost)
        self.steps += 1
        self.jumps |= isinstance(moment, Jumped)
        for eyes in moment.viewers:
            self.steps_seen[eyes.key] = self.steps_seen.get(eyes.key, 0) + 1

    def is_astray(self, key: int) -> bool:
        """Whether these eyes did not follow it all the way, so that it has to be placed anew for them."""
        # A view that cannot draw a jump shows its end, which with a step before or behind is another place.
        return self.jumped or (self.jumps and self.steps > 1) or self.steps_seen.get(key, 0) < self.steps


class Movements:
    """The movements of one turn."""

    def __init__(self, sessions: Mapping[int, Session]) -> None:
        self._sessions = sessions
        self.steps: dict[int, Stepped] = {}
        """By serial of a mobile: the one step that is all it did."""
        self.movers: dict[Thing, Mover] = {}
        """All others that came, went, hid or moved."""
        self.moved: set[int] = set()
        """Serials of both."""
        self.looking: dict[int, Session] = {}
        """Sessions whose own field of view changed: their sight is compared with what they know."""
        self.strides: dict[int, Stepped] = {}
        """By session: the one step that is all that happened to its field of view."""
        self.warps: dict[int, Warped] = {}
        """By session: that its own mobile was put elsewhere."""

    def sort(self, changes: Changes) -> None:
        """Sort out whose visibility may have changed."""
        steps, movers = self.steps, self.movers

        def mover_of(thing: Thing) -> Mover:
            mover = movers.get(thing)
            if mover is None:
                mover = movers[thing] = Mover()
                step = steps.pop(thing.serial, None)
                if step is not None:
                    mover.step(step)
            return mover

        for moment in changes.moments:
            if isinstance(moment, Stepped):
                if moment.thing.serial in steps or moment.thing in movers:
                    mover_of(moment.thing).step(moment)
                else:
                    steps[moment.thing.serial] = moment
                self._look_from(moment.thing, moment)
            elif isinstance(moment, Jumped):
                mover_of(moment.thing).step(moment)
                self._look_from(moment.thing)
            elif isinstance(moment, Entered):
                mover_of(moment.thing).jumped = True
                self._look_from(moment.thing)
            elif isinstance(moment, Left):
                mover = mover_of(moment.thing)
                mover.ask(moment.viewers)
                mover.why, mover.jumped = moment.why, True
            elif isinstance(moment, Warped):
                mover = mover_of(moment.thing)
                mover.ask(moment.lost)
                mover.why, mover.jumped = Why.WARPED, True
                session = self._look_from(moment.thing)
                if session is not None:
                    # Of several, what counts is where the first began and the last ended.
                    first = self.warps.get(session.id, moment)
                    self.warps[session.id] = attrs.evolve(
                        moment, from_realm=first.from_realm, from_x=first.from_x, from_y=first.from_y
                    )
        for thing, flags in changes.dirty:
            # To hide and to show oneself are matters of sight, too.
            if isinstance(thing, Mobile) and flags & MobileDelta.FLAGS and thing not in movers:
                mover_of(thing).why = Why.HIDDEN
        for thing, mover in movers.items():
            if thing.realm is not None:
                mover.ask(of_tile(thing.realm, thing.x, thing.y))
        self.moved.update(steps, (thing.serial for thing in movers))

    def _look_from(self, thing: Thing, step: Stepped | None = None) -> Session | None:
        """The session that plays this mobile, which now sees something else."""
        if not isinstance(thing, Mobile) or thing.eyes is None:
            return None
        session = self._sessions.get(thing.eyes.key)
        if session is None or session.loading or session.eyes is None:
            return None
        if step is not None and session.id not in self.looking:
            self.strides[session.id] = step
        else:
            self.strides.pop(session.id, None)
        self.looking[session.id] = session
        return session
