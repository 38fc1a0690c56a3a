"""The things that each viewer knows and sees, compared after one turn's movements.

The theory: a session keeps what it was shown (`Session.known`), the realm's sectors keep who sees each tile,
and the two may differ only where something moved. Records are netted per viewer and thing before anything is
rendered: a thing shown in this turn is shown in its end state and its earlier steps are not sent; one that
left and returned, or of whose steps the viewer missed one, is placed anew; one that came and went is nothing.

A step changes little: of what its mobile sees, the row of tiles ahead and the one behind; of who sees it,
those at the edge of whose sight it is. So those that took one step are looked at by what can have changed,
and all others as a whole. To compare everybody with everything each turn would be shorter and needs no cases,
but costs by the square of a crowd; to trust the steps alone loses whoever two movements bring together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from server.turn.crowds import COMPANY, EVERYBODY, MORE, choose, trades
from server.turn.rendering import Rendering, kinds_of, log, shown
from world.audience import relation
from world.events import Why
from world.item import Item
from world.mobile import Mobile
from world.serials import FIRST_ITEM

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from protocol.session import Session
    from server.turn.crowds import Crowds
    from server.turn.movements import Movements, Mover
    from world.events import Stepped
    from world.mobile import Viewport
    from world.thing import Thing


SEEN_BY: Final = 50
"""Sessions for which it costs as much to look them all up at once as to look up those who see one step, one
by one, about."""

FEW: Final = 30
"""Known things that are sooner asked, each of them, whether they are still in sight, than looked for on the
tiles that are not any more."""


class _Onlookers(dict["Viewport", "Session | None"]):
    """Sessions by the viewports through which they see, if these lie still: None for one that looks elsewhere
    now, that loads or that nobody sees through any more. Each is looked up once in a turn, and then asked for
    at each step that it sees."""

    __slots__ = ("_looking", "_sessions")

    def __init__(self, sessions: Mapping[int, Session], looking: Mapping[int, Session]) -> None:
        self._sessions = sessions
        self._looking = looking

    def __missing__(self, viewport: Viewport) -> Session | None:
        session = self._sessions.get(viewport.key)
        if session is not None and (
            session.viewport is not viewport or session.loading or viewport.key in self._looking
        ):
            session = None
        self[viewport] = session
        return session

    def fill(self) -> None:
        """Look up all who look where they looked, at once: a fifth of what it costs one by one."""
        looking = self._looking
        self.update(
            {
                viewport: session
                for key, session in self._sessions.items()
                if (viewport := session.viewport) is not None and key not in looking and not session.loading
            }
        )


class Sight:
    """One turn's comparison: what came into sight is queued at once, what went out of it is noted, so that it
    can be told at the end."""

    def __init__(
        self, sessions: Mapping[int, Session], movements: Movements, crowds: Crowds, crowd: int
    ) -> None:
        """`crowd`: others whom a session is shown; any number if it is 0."""
        self._sessions = sessions
        self._crowd = crowd
        self.crowds = crowds
        # Asked for each viewer of each step.
        self._steps, self._looking = movements.steps, movements.looking
        self._movements = movements
        self.onlookers = _Onlookers(sessions, movements.looking)
        """To be asked when all who look elsewhere are known."""
        self.shown: dict[int, set[Session]] = {}
        """By serial: the sessions that it was shown to in this turn."""
        self.knowing: dict[int, list[Session]] = {}
        """By serial of a mobile that took one step: the sessions that see it and knew it before."""
        self.leaving: list[tuple[Session, Thing, Why]] = []
        """Things that went out of sight, which is sent at the end."""
        self._making_room: dict[Mobile, list[Session]] = {}
        """Those who are out of sight for want of room, and for whom."""
        self.changes = 0
        """Others that those in crowds who looked around are shown from now on, or are not shown any more."""
        self.lost: set[tuple[int, int]] = set()
        """Sessions and the serials they knew until this turn."""
        self._shows: dict[tuple[int, bool], Rendering] = {}
        self._hides: dict[tuple[int, Why], Rendering] = {}
        self._comparing = False
        self._gathered: dict[Rendering, list[Session]] = {}
        """Mobiles that came into sight, and for whom."""

    def compare(self) -> None:
        """Compare the sight of all for whom something may have changed."""
        self._comparing = True
        for session in self._looking.values():
            try:
                self._look_around(session)
            except Exception:
                log.exception("the %s view failed for the sight of %r", session.family.name, session)
        if len(self._steps) * SEEN_BY > len(self._sessions):
            self.onlookers.fill()
        for step in self._steps.values():
            self._look_at_step(step)
        for thing, mover in self._movements.movers.items():
            self._look_at(thing, mover)
        self._comparing = False
        for rendering, sessions in self._gathered.items():
            rendering.queue_each(sessions)
        for sessions in self._gathered.values():
            for session in sessions:
                if session.outbox:  # what is said to it alone; what others do may then be told it with others
                    session.link.flush()

    def _look_around(self, session: Session) -> None:
        """Compare the sight of a session whose field of view changed with what it knows."""
        viewport, known = session.viewport, session.known
        if viewport is None or viewport.mobile.realm is None:
            return
        self.crowds.idle.pop(session.id, None)
        step = self._movements.strides.get(session.id)
        if step is not None and not session.blind:
            self._look_ahead(session, viewport, step)
            return
        warp = self._movements.warps.get(session.id)
        if warp is not None and session.family.view.loads_on_warp:
            # The end of loading shows it all anew. Until then the client draws nothing, so it is told that it
            # has to load before it is told what is gone by that.
            Rendering(viewport.mobile, lambda view, *group: view.event(warp, *group)).queue(session)
            if not session.family.view.forgets_by_loading:
                for thing in known.values():
                    self.hide(session, thing, Why.WARPED)
            session.loading = True
            known.clear()
            return
        seen = viewport.mobile.realm.space.seen_by(viewport)
        for serial in [serial for serial in known if serial not in seen]:
            thing = known[serial]
            if warp is not None:
                del known[serial]
                self.lost.add((session.id, serial))
                self.forget(session, thing)
                self.hide(session, thing, Why.WARPED)
            else:
                self.lose(session, thing, Why.LEFT if thing.realm is None else Why.WALKED)
        if warp is not None:
            Rendering(viewport.mobile, lambda view, *group: view.event(warp, *group)).queue(session)
        session.blind = False
        for serial in known.keys() & self._steps.keys():
            # It may have been looking elsewhere while that step was taken.
            if viewport not in self._steps[serial].viewers:
                self.show(session, known[serial])
        if 0 < self._crowd < len(seen):
            self.look_again(session)
            seen = {serial: thing for serial, thing in seen.items() if isinstance(thing, Item)}
        for serial, thing in seen.items():
            if serial not in known:
                self.show(session, thing)

    def _look_ahead(self, session: Session, viewport: Viewport, step: Stepped) -> None:
        """A session took one step: what it left behind, and what lies on the tiles that came into sight.

        That is what stood still. Those that moved as well are looked at one by one if they were known; if
        not, they stepped into sight, so that `_look_at_step` finds this viewer among theirs.
        """
        known, mobile = session.known, viewport.mobile
        realm = mobile.realm
        if realm is None:
            return
        ahead: Iterable[Thing]
        behind: Iterable[Thing]
        if viewport.sight.shape is None:
            ahead = realm.space.fringe(mobile.x, mobile.y, step.from_x, step.from_y, viewport.sight.radius)
            behind = self._left_behind(known, viewport, step)
        else:
            full = session.id in self.crowds.full  # for others it looks around by itself
            ahead = realm.space.seen_by(viewport, FIRST_ITEM if full else 0).values()
            behind = [
                thing
                for thing in known.values()
                if thing.realm is not realm or not viewport.covers(thing.x, thing.y)
            ]
        for thing in behind:
            if thing.serial in known:  # who moved and stands there now was found twice
                self.lose(session, thing, Why.LEFT if thing.realm is None else Why.WALKED)
        for thing in ahead:
            if thing.serial in known or thing is mobile or thing.hidden or self._has_no_room(session, thing):
                continue
            self.show(session, thing)

    def _left_behind(self, known: Mapping[int, Thing], viewport: Viewport, step: Stepped) -> list[Thing]:
        """Known things that are out of a square of sight, some of them twice."""
        mobile = viewport.mobile
        realm = mobile.realm
        assert realm is not None
        if len(known) <= FEW:
            left, right, top, bottom = viewport.left, viewport.right, viewport.top, viewport.bottom
            return [
                thing
                for thing in known.values()
                if not (left <= thing.x <= right and top <= thing.y <= bottom) or thing.realm is not realm
            ]
        stood = realm.space.fringe(step.from_x, step.from_y, mobile.x, mobile.y, viewport.sight.radius)
        behind = [thing for thing in stood if thing.serial in known]
        for serial in known.keys() & self._movements.moved:
            thing = known[serial]
            if thing.realm is not realm or not viewport.covers(thing.x, thing.y):
                behind.append(thing)
        return behind

    def _look_at_step(self, step: Stepped) -> None:
        """Somebody took one step: those who do not know it may see it now, those who lost sight of it may
        have followed. All the others receive the step and no more."""
        sessions, looking, thing = self._sessions, self._looking, step.thing
        still, known, own = self.onlookers, thing.onlookers, thing.viewport
        serial = thing.serial
        knowing = self.knowing[serial] = []
        for viewport in step.viewers:
            session = still[viewport]
            if session is not None and viewport.key in known:  # so it is with nearly all
                knowing.append(session)
                continue
            session = sessions.get(viewport.key)
            if session is None or viewport is own:
                continue
            if serial not in session.known:
                self._ask(viewport, thing)
            elif session.viewport is not viewport or session.loading:
                continue
            elif session.id in looking and not viewport.covers(step.from_x, step.from_y):
                # It went away from where this one was, so that its client may have dropped it meanwhile.
                self.show(session, thing)
            else:
                knowing.append(session)
        for viewport in step.lost:
            session = still[viewport]
            if session is None:
                self._ask(viewport, thing, astray=True)
            elif viewport.key in known:
                self.lose(session, thing)

    def _look_at(self, thing: Thing, mover: Mover) -> None:
        """All viewers near a thing that came, went, hid or went farther than a step. Who moved as well may
        have dropped it on the way."""
        for key, viewport in mover.viewports.items():
            astray = key in self._looking or mover.is_astray(key)
            self._ask(viewport, thing, astray=astray, why=mover.why)

    def _ask(self, viewport: Viewport, thing: Thing, *, astray: bool = False, why: Why = Why.WALKED) -> None:
        """Whether this viewer sees a thing now, and did before. `astray`: if both, it has to be placed
        anew."""
        session = session_of(self._sessions, viewport)
        if session is None or session.loading or thing is viewport.mobile:
            return
        try:
            sees = viewport.sees(thing)
        except Exception:
            log.exception("the %s view failed for the sight of %r", session.family.name, session)
            return
        if thing.serial not in session.known:
            if sees and not self._has_no_room(session, thing):
                self.show(session, thing)
        elif not sees:
            self.lose(session, thing, why)
        elif astray and session not in self.shown.get(thing.serial, ()):
            self.show(session, thing)

    def look_again(self, session: Session) -> None:
        """Take in those in a crowd who are near and were not shown, as far as there is room, and let go of
        who is far."""
        viewport = session.viewport
        if viewport is None or viewport.mobile.realm is None:
            return
        choice = choose(session, viewport, self._crowd or EVERYBODY)
        self.changes += len(choice.coming) + len(choice.going)
        session.known.forget(choice.going)
        self.lost.update([(session.id, thing.serial) for thing in choice.going])
        for thing in choice.going:
            self._making_room.setdefault(thing, []).append(session)
        for thing in choice.coming:
            self.show(session, thing)
        self.crowds.found(session, choice)

    def _has_no_room(self, session: Session, thing: Thing) -> bool:
        """Whether a session is shown so many others that this one waits."""
        if not 0 < self._crowd <= session.known.company or not isinstance(thing, Mobile):
            return False
        own = session.mobile
        if own is not None and relation(own, thing) in COMPANY and session.known.company < self._crowd * MORE:
            return False
        self.crowds.full.add(session.id)
        return True

    def insist(self, session: Session, thing: Mobile) -> bool:
        """Show somebody who has to be seen at once, if it can be seen; whether it is known then. If there are
        far too many already, the one who is known for the longest time makes room."""
        viewport = session.viewport
        if thing.serial in session.known:
            return True
        if viewport is None or not viewport.sees(thing):
            return False
        if self._crowd and session.known.company >= self._crowd * MORE:
            own = viewport.mobile
            others = (one for one in session.known.values() if isinstance(one, Mobile))
            oldest = next((one for one in others if not trades(own, one)), None)
            if oldest is not None:
                self.lose(session, oldest)
        self.show(session, thing)
        self.crowds.full.add(session.id)
        return True

    def lose(self, session: Session, thing: Thing, why: Why = Why.WALKED) -> None:
        """Out of sight: the client receives it at the end of its turn."""
        del session.known[thing.serial]
        self.lost.add((session.id, thing.serial))
        self.leaving.append((session, thing, why))
        if isinstance(thing, Item):
            self.forget(session, thing)

    def show(self, session: Session, thing: Thing) -> None:
        """Tell a session that a thing is in sight, and all of it."""
        serial = thing.serial
        known = serial in session.known or (session.id, serial) in self.lost
        # What is new may hold what was open elsewhere, as the corpse does of somebody who had a bag open.
        if isinstance(thing, Item) and self.forget(session, thing) and known:
            # It was taken away and is back already, and what is in it may have changed meanwhile.
            self.hide(session, thing, Why.WALKED)
        session.known[serial] = thing
        seeing = self.shown.get(serial)
        if seeing is None:
            seeing = self.shown[serial] = set()
        seeing.add(session)
        rendering = self._shows.get((serial, known))
        if rendering is None:
            rendering = self._shows[serial, known] = shown(thing, anew=known)
        if (
            self._comparing
            and session.multicast is not None
            and not session.outbox
            and isinstance(thing, Mobile)
        ):
            # Who comes into sight of one mostly comes into that of others as well.
            self._gathered.setdefault(rendering, []).append(session)
            return
        rendering.queue(session, waits=True)
        session.unsent.add(serial)

    def forget(self, session: Session, thing: Thing) -> bool:
        """Forget what a viewer knew of the contents of a thing; whether it knew anything."""
        if not isinstance(thing, Item):
            return False
        try:
            return session.family.view.forget(session, thing)
        except Exception:
            log.exception("the %s view failed for %r", session.family.name, thing)
            return False

    def hide(self, session: Session, thing: Thing, why: Why) -> None:
        """Tell a session that a thing is out of sight."""
        self._hiding(thing, why).queue(session, waits=True)

    def hide_all(self, leaving: Iterable[tuple[Session, Thing, Why]]) -> None:
        """Tell sessions what is out of sight for them. Who is is mostly out of that of others as well."""
        gathered: dict[Rendering, list[Session]] = {}
        for session, thing, why in leaving:
            gathered.setdefault(self._hiding(thing, why), []).append(session)
        for rendering, sessions in gathered.items():
            rendering.queue_each(sessions)

    def hide_the_far(self) -> None:
        """Tell all who looked again of whom they see no more; but not of who was shown again meanwhile, for
        what it said."""
        for mobile, sessions in self._making_room.items():
            blind = [session for session in sessions if mobile.serial not in session.known]
            self._hiding(mobile, Why.WALKED).queue_all(kinds_of(blind), mobile, waits=True)

    def _hiding(self, thing: Thing, why: Why) -> Rendering:
        rendering = self._hides.get((thing.serial, why))
        if rendering is None:
            rendering = Rendering(thing, lambda view, *group: view.hide(thing, why, *group))
            self._hides[thing.serial, why] = rendering
        return rendering


def session_of(sessions: Mapping[int, Session], viewport: Viewport) -> Session | None:
    """The session that sees through this viewport; None if another plays the mobile by now."""
    session = sessions.get(viewport.key)
    return session if session is not None and session.viewport is viewport else None
