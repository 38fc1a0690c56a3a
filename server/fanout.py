"""From what happened in one turn to what each client is told.

Order within a viewer's turn: (the handlers' own answers are queued already,) things that came into sight,
moments in the order they happened, changed state, things that went out of sight. Records are netted per
viewer and thing before anything is rendered: a thing shown in this turn is shown in its end state and its
earlier steps are not sent; one that left and returned is placed anew; one that came and went is nothing.

A view is asked once per (game, dialect, audience) and its messages are shared by all such viewers. A view
that raises loses that one thing for that group, and the world goes on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import attrs

from world.delta import MobileDelta
from world.item import Item
from world.mobile import Mobile
from world.moments import (
    Asked,
    Closed,
    Entered,
    Left,
    Moment,
    Said,
    Speech,
    Stepped,
    Taken,
    Turned,
    Warped,
    Why,
)

if TYPE_CHECKING:
    from protocol.family import View
    from protocol.session import Outgoing, Session
    from world.space import Eyes
    from world.thing import Thing
    from world.world import Changes

log = logging.getLogger("world.view")

Group: TypeAlias = tuple[str, Hashable, Hashable]
"""Game, dialect and audience: all that a rendering may depend on."""

Make: TypeAlias = "Callable[[View, Hashable, Hashable], Sequence[Outgoing]]"


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
        group = (session.family.name, session.dialect, audience)
        messages = self.by_group.get(group)
        if messages is None:
            try:
                messages = self.make(view, audience, session.dialect)
            except Exception:
                log.exception("the %s view failed for %r", session.family.name, self.thing)
                messages = ()
            self.by_group[group] = messages
        session.outbox.extend(messages)


@attrs.define(eq=False)
class Mover:
    """A thing whose visibility may have changed: who has to be asked, and who lost sight of it meanwhile."""

    eyes: dict[int, Eyes] = attrs.field(factory=dict)
    lost: set[int] = attrs.field(factory=set)
    why: Why = Why.WALKED

    def ask(self, viewers: Iterable[Eyes], *, lost: bool = False) -> None:
        """Note eyes that have to be asked."""
        for eyes in viewers:
            self.eyes[eyes.key] = eyes
            if lost:
                self.lost.add(eyes.key)


class Fanout:
    """One turn's rendering. Made, run once and thrown away."""

    def __init__(self, sessions: Mapping[int, Session], changes: Changes) -> None:
        self._sessions = sessions
        self._changes = changes
        self._looking: dict[int, Session] = {}
        """Sessions whose own field of view moved: their whole sight is compared with what they know."""
        self._warps: dict[int, Warped] = {}
        """By session: that its own mobile was put elsewhere."""
        self._shown: dict[int, set[int]] = {}
        """By session: serials shown in this turn."""
        self._leaving: list[tuple[Session, Thing, Why]] = []
        self._lost: set[tuple[int, int]] = set()
        """Sessions and the serials they knew until this turn."""
        self._shows: dict[int, Rendering] = {}
        self._hides: dict[tuple[int, Why], Rendering] = {}

    def run(self, woken: Iterable[Session]) -> None:
        """Queue everything for everybody. `woken`: sessions that see the world for the first time, or
        again."""
        for session in woken:
            self._looking[session.id] = session
        movers = self._movers()
        for session in self._looking.values():
            try:
                self._look_around(session)
            except Exception:
                log.exception("the %s view failed for the sight of %r", session.family.name, session)
        for thing, mover in movers.items():
            self._look_at(thing, mover)
        for session in self._looking.values():
            while session.postponed and not session.loading:
                self._render_moment(session.postponed.popleft()).queue(session)
        for moment in self._changes.moments:
            self._tell(moment)
        # What was lifted is taken away before it is told where it is now: a client removes it by serial,
        # wherever
        # it is.
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
        movers: dict[Thing, Mover] = {}
        for moment in self._changes.moments:
            if isinstance(moment, Stepped):
                mover = movers.setdefault(moment.thing, Mover())
                mover.ask(moment.viewers)
                mover.ask(moment.lost, lost=True)
                self._look_from(moment.thing)
            elif isinstance(moment, Entered):
                movers.setdefault(moment.thing, Mover())
                self._look_from(moment.thing)
            elif isinstance(moment, Left):
                mover = movers.setdefault(moment.thing, Mover())
                mover.ask(moment.viewers, lost=True)
                mover.why = moment.why
            elif isinstance(moment, Warped):
                mover = movers.setdefault(moment.thing, Mover())
                mover.ask(moment.lost, lost=True)
                mover.why = Why.WARPED
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
                movers[thing] = Mover(why=Why.HIDDEN)
        for thing, mover in movers.items():
            if thing.realm is not None:
                mover.ask(thing.realm.space.watching(thing.x, thing.y))
        return movers

    def _look_from(self, thing: Thing) -> Session | None:
        """The session that plays this mobile, which now sees something else."""
        if not isinstance(thing, Mobile) or thing.eyes is None:
            return None
        session = self._sessions.get(thing.eyes.key)
        if session is None or session.loading or session.eyes is None:
            return None
        self._looking[session.id] = session
        return session

    def _look_around(self, session: Session) -> None:
        """Compare the whole sight of a session that moved with what it knows."""
        eyes, known = session.eyes, session.known
        if eyes is None or eyes.mobile.realm is None:
            return
        warp = self._warps.get(session.id)
        if warp is not None and session.family.view.loads_on_warp:
            # It forgets everything by loading; the end of that shows it all anew.
            Rendering(eyes.mobile, lambda view, *group: view.effect(warp, *group)).queue(session)
            session.loading = True
            known.clear()
            return
        seen = eyes.mobile.realm.space.seen_by(eyes)
        for serial in [serial for serial in known if serial not in seen]:
            thing = known.pop(serial)
            self._lost.add((session.id, serial))
            if warp is not None:
                self._hide(session, thing, Why.WARPED)
            else:
                self._leaving.append((session, thing, Why.LEFT if thing.realm is None else Why.WALKED))
        if warp is not None:
            Rendering(eyes.mobile, lambda view, *group: view.effect(warp, *group)).queue(session)
        session.blind = False
        for serial, thing in seen.items():
            if serial not in known:
                self._show(session, thing)

    def _look_at(self, thing: Thing, mover: Mover) -> None:
        """Ask the eyes near a thing that moved whether they see it now, and whether they did before."""
        serial = thing.serial
        for key, eyes in mover.eyes.items():
            session = self._session_of(eyes)
            if session is None or session.loading or thing is eyes.mobile:
                continue
            try:
                sees = eyes.sees(thing)
            except Exception:
                log.exception("the %s view failed for the sight of %r", session.family.name, session)
                continue
            if serial not in session.known:
                if sees:
                    self._show(session, thing)
            elif not sees:
                del session.known[serial]
                self._leaving.append((session, thing, mover.why))
                self._lost.add((key, serial))
            elif key in mover.lost and serial not in self._shown.get(key, ()):
                self._show(session, thing)

    def _show(self, session: Session, thing: Thing) -> None:
        session.known[thing.serial] = thing
        self._shown.setdefault(session.id, set()).add(thing.serial)
        rendering = self._shows.get(thing.serial)
        if rendering is None:
            rendering = Rendering(thing, lambda view, *group: view.show(thing, *group))
            self._shows[thing.serial] = rendering
        rendering.queue(session)

    def _hide(self, session: Session, thing: Thing, why: Why) -> None:
        rendering = self._hides.get((thing.serial, why))
        if rendering is None:
            rendering = Rendering(thing, lambda view, *group: view.hide(thing, why, *group))
            self._hides[thing.serial, why] = rendering
        rendering.queue(session)

    def _tell(self, moment: Moment) -> None:
        """One moment to those who saw it happen."""
        if isinstance(moment, Entered | Left | Warped):
            return
        if isinstance(moment, Taken):
            self._tell_taken(moment)
            return
        thing = moment.thing
        motion = isinstance(moment, Stepped | Turned)
        personal = _is_personal(moment)
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
            if not (personal or thing is None or thing is eyes.mobile or thing.serial in session.known) and (
                motion or (eyes.key, thing.serial) not in self._lost
            ):
                continue
            # A step means nothing to a client that does not know the thing, or was just shown where it
            # stands.
            if (
                motion
                and thing is not None
                and thing is not eyes.mobile
                and thing.serial in self._shown.get(eyes.key, ())
            ):
                continue
            rendering.queue(session)

    def _tell_taken(self, moment: Taken) -> None:
        """An item left its holder, to those who know that one; but not if it lies in their sight by now,
        which they were just shown."""
        rendering = self._render_moment(moment)
        for eyes in moment.viewers:
            session = self._session_of(eyes)
            if session is None or session.loading or moment.thing.serial in session.known:
                continue
            holder = moment.holder
            if holder is eyes.mobile or holder.serial in session.known:
                rendering.queue(session)

    def _session_of(self, eyes: Eyes) -> Session | None:
        """The session that sees through these eyes; None if another plays the mobile by now."""
        session = self._sessions.get(eyes.key)
        return session if session is not None and session.eyes is eyes else None

    @staticmethod
    def _render_moment(moment: Moment) -> Rendering:
        return Rendering(moment.thing, lambda view, *group: view.effect(moment, *group))

    def _change(self, thing: Thing, flags: int) -> None:
        """Changed state of one thing to those who know it, or its holder; what lies in a pack, to its owner
        alone."""
        holder = thing.root if isinstance(thing, Item) else thing
        candidates = holder.realm.space.watching(holder.x, holder.y) if holder.realm is not None else []
        packed = isinstance(thing, Item) and isinstance(thing.parent, Item) and isinstance(holder, Mobile)
        rendering = Rendering(thing, lambda view, *group: view.changed(thing, flags, *group))
        for eyes in candidates:
            session = self._session_of(eyes)
            if session is None or session.loading:
                continue
            if holder is not eyes.mobile:
                serial = holder.serial
                if packed or serial not in session.known or serial in self._shown.get(eyes.key, ()):
                    continue
            rendering.queue(session)


def _is_held(thing: Thing) -> bool:
    """Whether it is an item that somebody or something holds by now."""
    return isinstance(thing, Item) and thing.parent is not None


def _is_personal(moment: Moment) -> bool:
    """Whether a client that is loading must hear of it afterwards: questions to its player, and words for it
    alone or for everybody."""
    if isinstance(moment, Said):
        return moment.how in (Speech.TELL, Speech.SYSTEM, Speech.GLOBAL, Speech.ANNOUNCE)
    return isinstance(moment, Asked | Closed)
