"""The fan-out: from all that happened in one turn to the messages that each viewer receives.

Order within a viewer's turn: (the handlers' own answers are queued already, and in a turn that takes long the
motions of its own mobile, `tell_own_motions`,) the steps of its own mobile's journey, things that came into
sight, events in the order they happened, changed state, things that went out of sight. What moved is sorted
first (`server.turn.movements`), and what everybody sees is compared with what they know
(`server.turn.sight`), so that events are sent only to whoever was not just shown what came of them. A client
that lost messages because it was slow, and has caught up, has everybody it knows placed anew.

A view is asked once per (game, dialect, audience) and its messages are shared by all such viewers
(`server.turn.rendering`). Nothing is rendered while handlers run, though they could do it at once: what
is told would then depend on what had happened so far, and a thing that changes three times would be told
three times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from server.turn.crowds import MOST_CHANGES, Crowds
from server.turn.movements import Movements
from server.turn.rendering import Kind, Rendering, event_of, kinds_of, log, state_of
from server.turn.sight import Sight, session_of
from world.audience import in_sight
from world.delta import MobileDelta
from world.events import (
    Asked,
    Entered,
    Event,
    Halted,
    Left,
    Motion,
    Said,
    SetOut,
    Stepped,
    Struck,
    Taken,
    TradeOpened,
    Warped,
)
from world.item import Item
from world.mobile import Mobile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from protocol.session import Session
    from world.thing import Thing
    from world.world import Changes

_OF_A_WALK = (Stepped, SetOut, Halted)

_NOBODY: Final[AbstractSet[Session]] = frozenset()
_UNSORTED: Final[tuple[int, list[Kind]]] = (-1, [])

NOTHING: Final[AbstractSet[int]] = frozenset()


def tell_own_motions(sessions: Iterable[Session], events: Iterable[Event]) -> AbstractSet[int]:
    """Queue for each of these how its own mobile went so far, before anything that others did is told, up to
    whatever else befell it: a way that begins where it was put is told behind that. Which of the events those
    were, by `id`; the turn's `Fanout` leaves them out."""
    waiting = {session.id: session for session in sessions if not session.loading}
    told: set[int] = set()
    if not waiting:
        return told
    for event in events:
        viewport = event.thing.viewport if isinstance(event.thing, Mobile) else None
        if viewport is None or viewport.key not in waiting:
            continue
        if isinstance(event, Motion):
            player = waiting[viewport.key]
            if not _is_answered(event, player):
                event_of(event).queue(player)
            told.add(id(event))
        else:
            del waiting[viewport.key]
    return told


class Fanout:
    """One turn's rendering. Made, run once and thrown away."""

    def __init__(
        self,
        sessions: Mapping[int, Session],
        changes: Changes,
        crowds: Crowds | None = None,
        crowd: int = 0,
        told: AbstractSet[int] = NOTHING,
    ) -> None:
        """`crowd`: others whom a session is shown, and `crowds` what is known of those that see more; any
        number if it is 0. `told`: see `tell_own_motions`."""
        self._sessions = sessions
        self._changes = changes
        self._crowd = crowd
        self._told = told
        self._movements = Movements(sessions)
        self._sight = Sight(sessions, self._movements, crowds or Crowds(), crowd)
        self._shown = self._sight.shown  # asked for each event
        self._hits: dict[int, Rendering] = {}
        self._walks: dict[int, tuple[int, list[Kind]]] = {}
        """Who are told of the walk of a mobile, by its serial, and to how many it was shown by then."""

    def run(
        self, woken: Iterable[Session], stale: Iterable[Session] = (), again: Sequence[Session] = ()
    ) -> None:
        """Queue everything for everybody. `woken`: sessions that see the world for the first time, or again.
        `stale`: those that have lost messages. `again`: those in a crowd that look around now."""
        looking, leaving = self._movements.looking, self._sight.leaving
        for session in woken:
            looking[session.id] = session
        self._movements.sort(self._changes)
        self._lead()
        self._sight.compare()
        self._look_again(again)
        for session in stale:
            self._refresh(session)
        for session in looking.values():
            while session.postponed and not session.loading:
                event_of(session.postponed.popleft()).queue(session)
        for event in self._changes.events:
            self._tell(event)
        # What was lifted is taken away before it is told where it is now: a client removes it by serial,
        # wherever it is.
        for session, thing, why in leaving:
            if _is_held(thing):
                self._sight.hide(session, thing, why)
        for mobiles in (True, False):
            for thing, flags in self._changes.dirty:
                if isinstance(thing, Mobile) is mobiles:
                    self._change(thing, flags)
        # Who had to make room may have been shown again, for what it said.
        self._sight.hide_all(
            (session, thing, why)
            for session, thing, why in leaving
            if not _is_held(thing) and thing.serial not in session.known
        )
        self._sight.hide_the_far()
        for session in looking.values():
            try:
                session.family.view.moved(session)
            except Exception:
                log.exception("the %s view failed for the surroundings of %r", session.family.name, session)

    def _look_again(self, sessions: Sequence[Session]) -> None:
        """Let those in a crowd look around, as many as this turn has time for."""
        for number, session in enumerate(sessions):
            if self._sight.changes > MOST_CHANGES:
                self._sight.crowds.postpone(sessions[number:])
                break
            try:
                self._sight.look_again(session)
            except Exception:
                log.exception("the %s view failed for the sight of %r", session.family.name, session)

    def _lead(self) -> None:
        """Tell players where the world led their own mobiles, before all that they see there: some clients
        drop what is farther away from where they are than they show."""
        for event in self._movements.led:
            if id(event) in self._told:
                continue
            viewport = event.thing.viewport
            player = session_of(self._sessions, viewport) if viewport is not None else None
            if player is not None and not player.loading:
                event_of(event).queue(player)

    def _refresh(self, session: Session) -> None:
        """Tell a client of all that the messages it lost may have told it: of everybody in sight where it is,
        where it goes and how it fares, and the same of its own mobile. What lies about is not told by
        messages that may be lost."""
        viewport = session.viewport
        if viewport is None or session.loading or session.id not in self._sessions:
            return  # what it does not see it will be shown as a whole
        mobile = viewport.mobile
        for thing in list(session.known.values()):
            if not isinstance(thing, Mobile):
                continue
            if session not in self._shown.get(thing.serial, ()):
                self._sight.show(session, thing)
            hits = self._hits.get(thing.serial)
            if hits is None:
                hits = self._hits[thing.serial] = state_of(thing, MobileDelta.HITS)
            hits.queue(session)
        x, y, journey = mobile.x, mobile.y, mobile.gait.journey
        event_of(Halted(mobile, x, y, mobile.heading, (viewport,))).queue(session)
        if journey is not None:
            way = SetOut(mobile, x, y, journey.x, journey.y, journey.run, (viewport,))
            event_of(way).queue(session)
        state_of(mobile, MobileDelta.ATTRIBUTES | MobileDelta.WEIGHT).queue(session)

    def _tell(self, event: Event) -> None:
        """Send one event to those who saw it happen."""
        if isinstance(event, Motion):  # nearly all are
            self._tell_motion(event)
            return
        if isinstance(event, Entered | Left | Warped):
            return
        if isinstance(event, Taken):
            self._tell_taken(event)
            return
        thing = event.thing
        personal, other = event.anywhere, self._introduced(event)
        told: list[Session] = []
        for viewport in event.viewers:
            session = session_of(self._sessions, viewport)
            if session is None:
                continue
            if session.loading:
                if personal:
                    session.postponed.append(event)
                continue
            if other is not None:
                self._sight.insist(session, other)
            # What an unknown mobile does (a hidden one, say) is not told; its last words on leaving are.
            # In a crowd one may be unknown for want of room.
            if (
                personal
                or thing is None
                or thing is viewport.mobile
                or thing.serial in session.known
                or (viewport.key, thing.serial) in self._sight.lost
                or (self._crowd and self._has_to_be_seen(event, session))
            ):
                told.append(session)
        _queue(event_of(event), told, thing)

    def _introduced(self, event: Event) -> Mobile | None:
        """The one that a player in a crowd is shown before it is told of an event: who asks it something, and
        with whom it trades. Clients open no window with somebody that they do not know."""
        if not self._crowd:
            return None
        if isinstance(event, Asked):
            return event.dialog.asker
        return event.other if isinstance(event, TradeOpened) else None

    def _has_to_be_seen(self, event: Event, session: Session) -> bool:
        """Show those in a crowd whom a player has to see at once, if they can be seen: who speaks, and who
        strikes it. Whether they are known then."""
        thing = event.thing
        strikes = isinstance(event, Struck) and event.target is session.mobile
        if not isinstance(thing, Mobile) or not (strikes or isinstance(event, Said)):
            return False
        return self._sight.insist(session, thing)

    def _tell_motion(self, event: Motion) -> None:
        """A step, jump or turn, or a way's beginning or end, to those who know its mobile and were not just
        shown where it stands and goes."""
        thing = event.thing
        rendering = event_of(event)
        if id(event) not in self._told and not (isinstance(event, Stepped) and event.journey):
            player = session_of(self._sessions, thing.viewport) if thing.viewport is not None else None
            if player is not None and not player.loading and not _is_answered(event, player):
                rendering.queue(player)
        rendering.queue_all(self._who_are_told(event), thing, moves=True, waits=True)

    def _who_are_told(self, event: Motion) -> list[Kind]:
        """Those of a motion's viewers that know its mobile and were not just shown it."""
        serial = event.thing.serial
        shown = self._shown.get(serial, _NOBODY)
        # Who sees it take its one step of this turn sees it set out and arrive as well.
        knowing = self._sight.knowing.get(serial) if isinstance(event, _OF_A_WALK) else None
        if knowing is None:
            told = self._who_know(event)
        else:
            number, kinds = self._walks.get(serial, _UNSORTED)
            if number == len(shown):
                return kinds
            told = knowing
        if not shown.isdisjoint(told):
            told = [session for session in told if session not in shown]
        kinds = kinds_of(told)
        if knowing is not None:
            self._walks[serial] = (len(shown), kinds)
        return kinds

    def _who_know(self, event: Motion) -> list[Session]:
        """Those of a motion's viewers that know its mobile."""
        sessions, serial = self._sessions, event.thing.serial
        still, known = self._sight.onlookers, event.thing.onlookers
        knowing = []
        for viewport in event.viewers:
            session = still[viewport]
            if session is not None and viewport.key in known:
                knowing.append(session)
                continue
            session = sessions.get(viewport.key)
            if (
                session is not None
                and serial in session.known
                and session.viewport is viewport
                and not session.loading
            ):
                knowing.append(session)
        return knowing

    def _tell_taken(self, event: Taken) -> None:
        """An item left its holder, to those who know that one and saw the item there; but not if it lies in
        their sight by now, which they were just shown."""
        rendering = event_of(event)
        holder, container = event.holder, event.container
        for viewport in event.viewers:
            session = session_of(self._sessions, viewport)
            if session is None or session.loading or event.thing.serial in session.known:
                continue
            self._sight.forget(session, event.thing)
            if holder is viewport.mobile or (
                holder.serial in session.known
                and (container is None or session.family.view.knows_content(session, container))
            ):
                rendering.queue(session)

    def _change(self, thing: Thing, flags: int) -> None:
        """Changed state of one thing to those who know it, or its holder; what lies in a pack, to its owner
        alone."""
        holder = thing.root if isinstance(thing, Item) else thing
        candidates = in_sight(holder)
        inside = isinstance(thing, Item) and isinstance(thing.parent, Item)
        packed = inside and isinstance(holder, Mobile)
        # What is worn was shown with its mobile, what is in a container was not shown with that.
        shown = () if inside else self._shown.get(holder.serial, ())
        told: list[Session] = []
        still = self._sight.onlookers
        for viewport in candidates:
            session = still[viewport] or session_of(self._sessions, viewport)
            if session is None or session.loading:
                continue
            if holder is not viewport.mobile:
                serial = holder.serial
                if packed or serial not in session.known:
                    continue
                if session in shown and not flags & session.family.view.unshown:
                    continue
            told.append(session)
        _queue(state_of(thing, flags), told, thing)


def _is_answered(event: Motion, player: Session) -> bool:
    """Whether it is a step of a player's own mobile of which its view tells it nothing, as nearly all are."""
    return isinstance(event, Stepped) and not event.journey and not player.family.view.tells_own_steps


def _queue(rendering: Rendering, sessions: Sequence[Session], thing: Thing | None) -> None:
    """Queue what one thing did or became for those who are told of it."""
    if isinstance(thing, Mobile):
        rendering.queue_all(kinds_of(sessions), thing)
    else:
        for session in sessions:
            rendering.queue(session)


def _is_held(thing: Thing) -> bool:
    """Whether it is an item that somebody or something holds by now."""
    return isinstance(thing, Item) and thing.parent is not None
