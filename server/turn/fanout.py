"""From what happened in one turn to what each client is told.

Order within a viewer's turn: (the handlers' own answers are queued already,) things that came into sight,
moments in the order they happened, changed state, things that went out of sight. Records are netted per
viewer and thing before anything is rendered: a thing shown in this turn is shown in its end state and its
earlier steps are not sent; one that left and returned, or of whose steps the viewer missed one, is placed
anew; one that came and went is nothing. A client that lost messages because it was slow, and has caught up,
has everybody it knows placed anew.

Steps are nearly all that happens, and a step changes little: of what its mobile sees, the row of tiles ahead
and the one behind; of who sees it, those at the edge of whose sight it is. So those that took one step in the
turn are looked at by what can have changed, and all others as a whole.

A view is asked once per (game, dialect, audience) and its messages are shared by all such viewers. A view
that raises loses that one thing for that group, and the world goes on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import attrs

from world.audience import in_sight, of_tile, stands_apart
from world.delta import MobileDelta
from world.item import Item
from world.mobile import Mobile
from world.moments import (
    Entered,
    Event,
    Halted,
    Jumped,
    Left,
    Motion,
    SetOut,
    Stepped,
    Taken,
    Warped,
    Why,
)

if TYPE_CHECKING:
    from protocol.family import AnyView
    from protocol.session import Outgoing, Session
    from world.space import Eyes
    from world.thing import Thing
    from world.world import Changes

log = logging.getLogger("world.view")

Group: TypeAlias = tuple[str, Hashable, Hashable]
"""Game, dialect and audience: all that a rendering may depend on."""

Make: TypeAlias = "Callable[[AnyView, Hashable, Hashable], Sequence[Outgoing]]"


@attrs.define(eq=False)
class Rendering:
    """One subject (a thing to show, a moment, a change), rendered once per group of viewers."""

    thing: Thing | None
    make: Make
    by_group: dict[Group, Sequence[Outgoing]] = attrs.field(factory=dict)

    def queue(self, session: Session) -> None:
        """Queue it for one viewer."""
        view = session.family.view
        try:
            audience = view.audience(session, self.thing) if self.thing is not None else None
        except Exception:
            log.exception("the %s view failed for %r", session.family.name, self.thing)
            return
        session.outbox.extend(self.messages(session, audience))

    def messages(self, session: Session, audience: Hashable) -> Sequence[Outgoing]:
        """What all viewers of one session's group are sent."""
        family, dialect = session.family, session.dialect
        messages = self.by_group.get((family.name, dialect, audience))
        if messages is None:
            try:
                messages = self.make(family.view, audience, dialect)
            except Exception:
                log.exception("the %s view failed for %r", family.name, self.thing)
                messages = ()
            self.by_group[family.name, dialect, audience] = messages
        return messages


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


class Fanout:
    """One turn's rendering. Made, run once and thrown away."""

    def __init__(self, sessions: Mapping[int, Session], changes: Changes) -> None:
        self._sessions = sessions
        self._changes = changes
        self._looking: dict[int, Session] = {}
        """Sessions whose own field of view changed: their sight is compared with what they know."""
        self._strides: dict[int, Stepped] = {}
        """By session: the one step that is all that happened to its field of view."""
        self._warps: dict[int, Warped] = {}
        """By session: that its own mobile was put elsewhere."""
        self._shown: dict[int, set[int]] = {}
        """By serial: the sessions that it was shown to in this turn."""
        self._moved: set[int] = set()
        """Serials of all that moved, came or went."""
        self._steps: dict[int, Stepped] = {}
        """By serial of a mobile: the one step that is all it did."""
        self._knowing: dict[int, list[Session]] = {}
        """By serial of a mobile that took one step: the sessions that see it and knew it before."""
        self._leaving: list[tuple[Session, Thing, Why]] = []
        self._lost: set[tuple[int, int]] = set()
        """Sessions and the serials they knew until this turn."""
        self._shows: dict[int, Rendering] = {}
        self._hides: dict[tuple[int, Why], Rendering] = {}
        self._hits: dict[int, Rendering] = {}

    def run(self, woken: Iterable[Session], stale: Iterable[Session] = ()) -> None:
        """Queue everything for everybody. `woken`: sessions that see the world for the first time, or again.
        `stale`: those that have lost messages."""
        for session in woken:
            self._looking[session.id] = session
        movers = self._movers()
        self._moved = {*self._steps, *(thing.serial for thing in movers)}
        for session in self._looking.values():
            try:
                self._look_around(session)
            except Exception:
                log.exception("the %s view failed for the sight of %r", session.family.name, session)
        for step in self._steps.values():
            self._look_at_step(step)
        for thing, mover in movers.items():
            self._look_at(thing, mover)
        for session in stale:
            self._refresh(session)
        for session in self._looking.values():
            while session.postponed and not session.loading:
                self._render_moment(session.postponed.popleft()).queue(session)
        for moment in self._changes.moments:
            self._tell(moment)
        # What was lifted is taken away before it is told where it is now: a client removes it by serial,
        # wherever it is.
        for session, thing, why in self._leaving:
            if _is_held(thing):
                self._hide(session, thing, why)
        for mobiles in (True, False):
            for thing, flags in self._changes.dirty:
                if isinstance(thing, Mobile) is mobiles:
                    self._change(thing, flags)
        for session, thing, why in self._leaving:
            if not _is_held(thing):
                self._hide(session, thing, why)
        for session in self._looking.values():
            try:
                session.family.view.moved(session)
            except Exception:
                log.exception("the %s view failed for the surroundings of %r", session.family.name, session)

    def _movers(self) -> dict[Thing, Mover]:
        """Sort out whose visibility may have changed: `_steps` of those that took a single one, which is
        nearly all there are, and whatever came, went, hid or went farther."""
        steps = self._steps
        movers: dict[Thing, Mover] = {}

        def mover_of(thing: Thing) -> Mover:
            mover = movers.get(thing)
            if mover is None:
                mover = movers[thing] = Mover()
                step = steps.pop(thing.serial, None)
                if step is not None:
                    mover.step(step)
            return mover

        for moment in self._changes.moments:
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
                    first = self._warps.get(session.id, moment)
                    self._warps[session.id] = attrs.evolve(
                        moment, from_realm=first.from_realm, from_x=first.from_x, from_y=first.from_y
                    )
        for thing, flags in self._changes.dirty:
            # To hide and to show oneself are matters of sight, too.
            if isinstance(thing, Mobile) and flags & MobileDelta.FLAGS and thing not in movers:
                mover_of(thing).why = Why.HIDDEN
        for thing, mover in movers.items():
            if thing.realm is not None:
                mover.ask(of_tile(thing.realm, thing.x, thing.y))
        return movers

    def _look_from(self, thing: Thing, step: Stepped | None = None) -> Session | None:
        """The session that plays this mobile, which now sees something else."""
        if not isinstance(thing, Mobile) or thing.eyes is None:
            return None
        session = self._sessions.get(thing.eyes.key)
        if session is None or session.loading or session.eyes is None:
            return None
        if step is not None and session.id not in self._looking:
            self._strides[session.id] = step
        else:
            self._strides.pop(session.id, None)
        self._looking[session.id] = session
        return session

    def _look_around(self, session: Session) -> None:
        """Compare the sight of a session whose field of view changed with what it knows."""
        eyes, known = session.eyes, session.known
        if eyes is None or eyes.mobile.realm is None:
            return
        step = self._strides.get(session.id)
        if step is not None and not session.blind:
            self._look_ahead(session, eyes, step)
            return
        warp = self._warps.get(session.id)
        if warp is not None and session.family.view.loads_on_warp:
            # The end of loading shows it all anew. Until then the client draws nothing, so it is told that it
            # has to load before it is told what is gone by that.
            Rendering(eyes.mobile, lambda view, *group: view.effect(warp, *group)).queue(session)
            if not session.family.view.forgets_by_loading:
                for thing in known.values():
                    self._hide(session, thing, Why.WARPED)
            session.loading = True
            known.clear()
            return
        seen = eyes.mobile.realm.space.seen_by(eyes)
        for serial in [serial for serial in known if serial not in seen]:
            thing = known[serial]
            if warp is not None:
                del known[serial]
                self._lost.add((session.id, serial))
                self._forget(session, thing)
                self._hide(session, thing, Why.WARPED)
            else:
                self._lose(session, thing, Why.LEFT if thing.realm is None else Why.WALKED)
        if warp is not None:
            Rendering(eyes.mobile, lambda view, *group: view.effect(warp, *group)).queue(session)
        session.blind = False
        for serial in known.keys() & self._steps.keys():
            # It may have been looking elsewhere while that step was taken.
            if eyes not in self._steps[serial].viewers:
                self._show(session, known[serial])
        for serial, thing in seen.items():
            if serial not in known:
                self._show(session, thing)

    def _look_ahead(self, session: Session, eyes: Eyes, step: Stepped) -> None:
        """A session took one step: what it left behind, and what lies on the tiles that came into sight.

        That is what stood still. Those that moved as well are looked at one by one if they were known; if
        not, they stepped into sight, so that `_look_at_step` finds these eyes among their viewers.
        """
        known, mobile = session.known, eyes.mobile
        realm = mobile.realm
        if realm is None:
            return
        x, y, from_x, from_y = mobile.x, mobile.y, step.from_x, step.from_y
        ahead: Iterable[Thing]
        behind: Iterable[Thing]
        if eyes.sight.shape is None:
            radius = eyes.sight.radius
            ahead = realm.space.fringe(x, y, from_x, from_y, radius)
            behind = realm.space.fringe(from_x, from_y, x, y, radius)
            behind = [thing for thing in behind if thing.serial in known]
            for serial in known.keys() & self._moved:
                thing = known[serial]
                if thing.realm is not realm or not eyes.covers(thing.x, thing.y):
                    behind.append(thing)
        else:
            ahead = realm.space.seen_by(eyes).values()
            behind = [
                thing
                for thing in known.values()
                if thing.realm is not realm or not eyes.covers(thing.x, thing.y)
            ]
        for thing in behind:
            if thing.serial in known:  # who moved and stands there now was found twice
                self._lose(session, thing, Why.LEFT if thing.realm is None else Why.WALKED)
        for thing in ahead:
            if thing.serial not in known and thing is not mobile and not thing.hidden:
                self._show(session, thing)

    def _look_at_step(self, step: Stepped) -> None:
        """Somebody took one step: those who do not know it may see it now, those who lost sight of it may
        have followed. All the others are going to be told of the step and no more."""
        sessions, thing = self._sessions, step.thing
        serial = thing.serial
        knowing = self._knowing[serial] = []
        for eyes in step.viewers:
            session = sessions.get(eyes.key)
            if session is None:
                continue
            if serial not in session.known:
                self._ask(eyes, thing)
            elif session.eyes is not eyes or session.loading:
                continue
            elif session.id in self._looking and not eyes.covers(step.from_x, step.from_y):
                # It went away from where this one was, so that its client may have dropped it meanwhile.
                self._show(session, thing)
            else:
                knowing.append(session)
        for eyes in step.lost:
            self._ask(eyes, thing, astray=True)

    def _look_at(self, thing: Thing, mover: Mover) -> None:
        """All eyes near a thing that came, went, hid or went farther than a step. Who moved as well may have
        dropped it on the way."""
        for key, eyes in mover.eyes.items():
            astray = key in self._looking or mover.is_astray(key)
            self._ask(eyes, thing, astray=astray, why=mover.why)

    def _ask(self, eyes: Eyes, thing: Thing, *, astray: bool = False, why: Why = Why.WALKED) -> None:
        """Whether these eyes see a thing now, and did before. `astray`: if both, it has to be placed anew."""
        session = self._session_of(eyes)
        if session is None or session.loading or thing is eyes.mobile:
            return
        try:
            sees = eyes.sees(thing)
        except Exception:
            log.exception("the %s view failed for the sight of %r", session.family.name, session)
            return
        if thing.serial not in session.known:
            if sees:
                self._show(session, thing)
        elif not sees:
            self._lose(session, thing, why)
        elif astray and eyes.key not in self._shown.get(thing.serial, ()):
            self._show(session, thing)

    def _refresh(self, session: Session) -> None:
        """Tell a client of all that the messages it lost may have told it: of everybody in sight where it is,
        where it goes and how it fares, and the same of its own mobile. What lies about is not told by
        messages that may be lost."""
        eyes = session.eyes
        if eyes is None or session.loading or session.id not in self._sessions:
            return  # what it does not see it will be shown as a whole
        mobile = eyes.mobile
        for thing in list(session.known.values()):
            if not isinstance(thing, Mobile):
                continue
            if session.id not in self._shown.get(thing.serial, ()):
                self._show(session, thing)
            hits = self._hits.get(thing.serial)
            if hits is None:
                hits = self._hits[thing.serial] = _state(thing, MobileDelta.HITS)
            hits.queue(session)
        x, y, journey = mobile.x, mobile.y, mobile.gait.journey
        self._render_moment(Halted(mobile, x, y, mobile.heading, (eyes,))).queue(session)
        if journey is not None:
            way = SetOut(mobile, x, y, journey.x, journey.y, journey.run, (eyes,))
            self._render_moment(way).queue(session)
        _state(mobile, MobileDelta.ATTRIBUTES | MobileDelta.WEIGHT).queue(session)

    def _lose(self, session: Session, thing: Thing, why: Why) -> None:
        """Out of sight: the client is told at the end of its turn."""
        del session.known[thing.serial]
        self._lost.add((session.id, thing.serial))
        self._leaving.append((session, thing, why))
        self._forget(session, thing)

    def _show(self, session: Session, thing: Thing) -> None:
        if self._forget(session, thing):
            # It was taken away and is back already, and what is in it may have changed meanwhile.
            self._hide(session, thing, Why.WALKED)
        session.known[thing.serial] = thing
        self._shown.setdefault(thing.serial, set()).add(session.id)
        rendering = self._shows.get(thing.serial)
        if rendering is None:
            rendering = Rendering(thing, lambda view, *group: view.show(thing, *group))
            self._shows[thing.serial] = rendering
        rendering.queue(session)

    def _forget(self, session: Session, thing: Thing) -> bool:
        """What a client knew of what is in a thing counts no more; whether it knew anything."""
        if not isinstance(thing, Item):
            return False
        try:
            return session.family.view.forget(session, thing)
        except Exception:
            log.exception("the %s view failed for %r", session.family.name, thing)
            return False

    def _hide(self, session: Session, thing: Thing, why: Why) -> None:
        rendering = self._hides.get((thing.serial, why))
        if rendering is None:
            rendering = Rendering(thing, lambda view, *group: view.hide(thing, why, *group))
            self._hides[thing.serial, why] = rendering
        rendering.queue(session)

    def _tell(self, moment: Event) -> None:
        """One moment to those who saw it happen."""
        if isinstance(moment, Entered | Left | Warped):
            return
        if isinstance(moment, Motion):
            self._tell_motion(moment)
            return
        if isinstance(moment, Taken):
            self._tell_taken(moment)
            return
        thing = moment.thing
        personal = moment.anywhere
        rendering = self._render_moment(moment)
        for eyes in moment.viewers:
            session = self._session_of(eyes)
            if session is None:
                continue
            if session.loading:
                if personal:
                    session.postponed.append(moment)
                continue
            # What an unknown mobile does (a hidden one, say) is not told; its last words on leaving are.
            if (
                personal
                or thing is None
                or thing is eyes.mobile
                or thing.serial in session.known
                or (eyes.key, thing.serial) in self._lost
            ):
                rendering.queue(session)

    def _tell_motion(self, moment: Motion) -> None:
        """A step, jump or turn, or a way's beginning or end, to those who know its mobile and were not just
        shown where it stands and goes.

        Nearly all messages of a busy world pass this loop, one viewer at a time.
        """
        thing = moment.thing
        shown = self._shown.get(thing.serial, ())
        rendering = self._render_moment(moment)
        player = self._session_of(thing.eyes) if thing.eyes is not None else None
        if player is not None and not player.loading:
            rendering.queue(player)
        family = dialect = audience = None
        messages: Sequence[Outgoing] = ()
        knowing = self._knowing.get(thing.serial) if isinstance(moment, Stepped) else None
        for session in self._who_know(moment) if knowing is None else knowing:
            if shown and session.id in shown:
                continue
            # Neighbours mostly are of one group.
            if session.dialect is not dialect or session.family is not family:
                family, dialect = session.family, session.dialect
                view = family.view
                audience = view.bystander
                if view.apart and stands_apart(thing):
                    audience = None  # it is not the same to all of them
                if audience is not None:
                    messages = rendering.messages(session, audience)
            if audience is None:
                rendering.queue(session)
            else:
                session.outbox.extend(messages)

    def _who_know(self, moment: Motion) -> list[Session]:
        """Those of a motion's viewers that know its mobile."""
        sessions, serial = self._sessions, moment.thing.serial
        knowing = []
        for eyes in moment.viewers:
            session = sessions.get(eyes.key)
            if (
                session is not None
                and serial in session.known
                and session.eyes is eyes
                and not session.loading
            ):
                knowing.append(session)
        return knowing

    def _tell_taken(self, moment: Taken) -> None:
        """An item left its holder, to those who know that one and saw the item there; but not if it lies in
        their sight by now, which they were just shown."""
        rendering = self._render_moment(moment)
        holder, container = moment.holder, moment.container
        for eyes in moment.viewers:
            session = self._session_of(eyes)
            if session is None or session.loading or moment.thing.serial in session.known:
                continue
            self._forget(session, moment.thing)
            if holder is eyes.mobile or (
                holder.serial in session.known
                and (container is None or session.family.view.knows_content(session, container))
            ):
                rendering.queue(session)

    def _session_of(self, eyes: Eyes) -> Session | None:
        """The session that sees through these eyes; None if another plays the mobile by now."""
        session = self._sessions.get(eyes.key)
        return session if session is not None and session.eyes is eyes else None

    @staticmethod
    def _render_moment(moment: Event) -> Rendering:
        return Rendering(moment.thing, lambda view, *group: view.effect(moment, *group))

    def _change(self, thing: Thing, flags: int) -> None:
        """Changed state of one thing to those who know it, or its holder; what lies in a pack, to its owner
        alone."""
        holder = thing.root if isinstance(thing, Item) else thing
        candidates = in_sight(holder)
        inside = isinstance(thing, Item) and isinstance(thing.parent, Item)
        packed = inside and isinstance(holder, Mobile)
        # What is worn was shown with its mobile, what is in a container was not shown with that.
        shown = () if inside else self._shown.get(holder.serial, ())
        rendering = _state(thing, flags)
        for eyes in candidates:
            session = self._session_of(eyes)
            if session is None or session.loading:
                continue
            if holder is not eyes.mobile:
                serial = holder.serial
                if packed or serial not in session.known or eyes.key in shown:
                    continue
            rendering.queue(session)


def _state(thing: Thing, flags: int) -> Rendering:
    """What is so of a thing, as far as `flags` of `world.delta` say."""
    return Rendering(thing, lambda view, *group: view.changed(thing, flags, *group))


def _is_held(thing: Thing) -> bool:
    """Whether it is an item that somebody or something holds by now."""
    return isinstance(thing, Item) and thing.parent is not None
