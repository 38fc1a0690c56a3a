"""Moves of one turn, sorted by what they can have changed in anybody's sight.

Steps are nearly all that happens, and a step changes little. So those that took a single one are kept apart
from whatever came, went, hid or went farther, which has to be compared as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from world.audience import in_sight, of_tile
from world.delta import MobileDelta
from world.events import Entered, Jumped, Left, Stepped, Warped, Why
from world.mobile import Mobile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from protocol.session import Session
    from world.mobile import Viewport
    from world.thing import Thing
    from world.world import Changes


@attrs.define(eq=False)
class Mover:
    """A thing that came, went, hid or took several steps: who has to be asked, and what they saw of it."""

    viewports: dict[int, Viewport] = attrs.field(factory=dict)
    steps: int = 0
    steps_seen: dict[int, int] = attrs.field(factory=dict)
    jumps: bool = False
    """Whether a jump is among its steps."""
    jumped: bool = False
    """Whether it came to where it is otherwise than by steps."""
    why: Why = Why.WALKED

    def ask(self, viewers: Iterable[Viewport]) -> None:
        """Note viewports that have to be asked."""
        for viewport in viewers:
            self.viewports[viewport.key] = viewport

    def step(self, event: Stepped | Jumped) -> None:
        """Note one of its steps or jumps."""
        self.ask(event.viewers)
        self.ask(event.lost)
        self.steps += 1
        self.jumps |= isinstance(event, Jumped)
        for viewport in event.viewers:
            self.steps_seen[viewport.key] = self.steps_seen.get(viewport.key, 0) + 1

    def is_astray(self, key: int) -> bool:
        """Whether this viewer did not follow it all the way, so that it has to be placed anew for it."""
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
        self.led: list[Stepped] = []
        """Steps of journeys, in order: their own players learn of them before what came into sight by
        them."""
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

        for event in changes.events:
            if isinstance(event, Stepped):
                if event.thing.serial in steps or event.thing in movers:
                    mover_of(event.thing).step(event)
                else:
                    steps[event.thing.serial] = event
                if event.journey:
                    self.led.append(event)
                self._look_from(event.thing, event)
            elif isinstance(event, Jumped):
                mover_of(event.thing).step(event)
                self._look_from(event.thing)
            elif isinstance(event, Entered):
                mover_of(event.thing).jumped = True
                self._look_from(event.thing)
            elif isinstance(event, Left):
                mover = mover_of(event.thing)
                mover.ask(event.viewers)
                mover.why, mover.jumped = event.why, True
            elif isinstance(event, Warped):
                mover = mover_of(event.thing)
                mover.ask(event.lost)
                mover.why, mover.jumped = Why.WARPED, True
                session = self._look_from(event.thing)
                if session is not None:
                    # Of several, what counts is where the first began and the last ended.
                    first = self.warps.get(session.id, event)
                    self.warps[session.id] = attrs.evolve(
                        event, from_realm=first.from_realm, from_x=first.from_x, from_y=first.from_y
                    )
        for thing, flags in changes.dirty:
            # To hide and to show oneself are matters of sight, too.
            if isinstance(thing, Mobile) and flags & MobileDelta.FLAGS and thing not in movers:
                mover_of(thing).why = Why.HIDDEN
        for thing, mover in movers.items():
            if thing.realm is not None:
                in_crowd = isinstance(thing, Mobile)  # those who do not know it look for themselves
                mover.ask(in_sight(thing) if in_crowd else of_tile(thing.realm, thing.x, thing.y))
        self.moved.update(steps, (thing.serial for thing in movers))

    def _look_from(self, thing: Thing, step: Stepped | None = None) -> Session | None:
        """The session that plays this mobile, which now sees something else."""
        if not isinstance(thing, Mobile) or thing.viewport is None:
            return None
        session = self._sessions.get(thing.viewport.key)
        if session is None or session.loading or session.viewport is None:
            return None
        if step is not None and session.id not in self.looking:
            self.strides[session.id] = step
        else:
            self.strides.pop(session.id, None)
        self.looking[session.id] = session
        return session
