"""Steps, resynchronisation, view range."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Final

from protocol.dispatch import Interval
from protocol.refusals import tell_now_and_then
from protocol.session import Phase
from protocol.uo import combat
from protocol.uo.belongings import forget_content, knows_content
from protocol.uo.handlers.table import TABLE
from protocol.uo.packets.motion import (
    RUNNING,
    ResyncRequest,
    ViewRange,
    ViewRangeRequest,
    WalkAccepted,
    WalkRejected,
    WalkRequest,
)
from protocol.uo.scenery import forget_edge
from protocol.uo.session import Searched
from protocol.uo.view import LONGEST_RANGE, SHORTEST_RANGE, PlacePlayer, UoView
from protocol.wire.body import Body
from world import motion
from world.heading import apart
from world.item import Item
from world.reach import Cannot
from world.space import Sight

if TYPE_CHECKING:
    from protocol.uo.session import UoSession
    from world.mobile import Mobile
    from world.thing import Thing

AHEAD: Final = 5
"""Steps a client goes ahead of the answers: ClassicUO, src/ClassicUO.Client/Constants.cs, MAX_STEP_COUNT."""

SURROUNDINGS_SECONDS: Final = 0.5
"""Between two answers that may show everything anew. A client asks when it has lost track, which is rare, and
the first is answered at once; one that asks all the time would cost what two hundred in its sight do."""


@TABLE.while_playing(WalkRequest, prompt=True)
def walk(session: UoSession, mobile: Mobile, packet: WalkRequest) -> None:
    """Step, or turn if it faces another way, when the schedule allows; or put the client back where it
    stands.

    The client numbers its steps: 0 first and after the server has placed it, then 1 to 255 and 1 again. After
    a refusal it takes back all that are unanswered, so whatever still arrives of them is refused too, until a
    0 comes.
    """
    steps = session.steps
    if _is_put_elsewhere(session):
        return
    if steps.expected == 0 and packet.sequence != 0:
        _refuse(session, mobile, packet.sequence)
        return
    if steps.expected == 0:
        # What still waits are steps that it has forgotten: they must not delay this one.
        motion.halt(mobile)
    heading, run = packet.direction & 7, bool(packet.direction & RUNNING)
    facing = steps.facing if mobile.gait.queue else mobile.heading
    seconds = motion.cost(mobile, heading, run=run) if heading == facing else 0.0
    steps.facing = heading
    steps.expected = packet.sequence % 255 + 1
    steps.settled = False
    if not motion.paced(mobile, seconds, partial(_go, session, steps.epoch, heading, run, packet.sequence)):
        _refuse(session, mobile, packet.sequence)


def _go(session: UoSession, epoch: int, heading: int, run: bool, sequence: int) -> bool:
    """The step's time has come; False if the client has forgotten it meanwhile, or is gone."""
    mobile = session.mobile
    if mobile is None or session.steps.epoch != epoch or session.phase is not Phase.IN_WORLD:
        return False
    if _is_put_elsewhere(session):
        return False
    if mobile.heading != heading:
        try:
            motion.face(mobile, heading)
        except Cannot as cannot:
            tell_now_and_then(session, mobile, cannot)
            _refuse(session, mobile, sequence)
            return True
    elif not motion.step(mobile, heading, run=run):
        _refuse(session, mobile, sequence)
        return True
    session.queue(_accepted(sequence, mobile.notoriety))
    return True


def _is_put_elsewhere(session: UoSession) -> bool:
    """Whether a 0x20 waits to be sent (to a client that reads slowly, for long): reading it, the client
    forgets all steps it has not been answered, and it tells the place of now."""
    outbox, searched = session.outbox, session.steps.searched
    if not outbox:
        return False
    if searched.outbox is not outbox:
        searched = session.steps.searched = Searched(outbox)
    if not searched.found:
        searched.found = PlacePlayer in map(type, outbox[searched.length :])
        searched.length = len(outbox)
    return searched.found


@cache
def _accepted(sequence: int, notoriety: int) -> Body:
    """0x22: one message, with its prepared forms, for all who ever took a step of that number."""
    return Body(WalkAccepted(sequence, notoriety).encode())


def _refuse(session: UoSession, mobile: Mobile, sequence: int) -> None:
    motion.halt(mobile)
    session.steps.restart()
    x, y, z = UoView.of(session).places.of(mobile)
    session.send(WalkRejected(sequence, x, y, mobile.heading, z))
    if not session.steps.settled:
        session.steps.settled = True
        _show_edge(session, mobile)


def _show_edge(session: UoSession, mobile: Mobile) -> None:
    """A client that went ahead and comes back has forgotten what lay behind it, at the edge of its view."""
    if session.viewport is None:
        return
    view, near = UoView.of(session), session.viewport.sight.radius - AHEAD
    for thing in session.known.values():
        if apart(thing, mobile) > near:
            _show_anew(session, thing)
    forget_edge(session, AHEAD)
    view.moved(session)


def _show_anew(session: UoSession, thing: Thing) -> None:
    """Show what the client knows already.

    A corpse is shown with what it wears (0x3C), and a client takes out of it all that is not told there
    (ClassicUO, Network/PacketHandlers.cs, UpdateContainedItems): if it was opened, the rest is told as well.
    """
    view, version = UoView.of(session), session.dialect
    session.queue(*view.show(thing, view.audience(session, thing), version))
    if isinstance(thing, Item) and thing.remains is not None and knows_content(session, thing):
        for inner in thing.contents.values():
            forget_content(session, inner)
        session.send(view.figures.content(thing, version), *combat.corpse_wears(view.figures, thing))


@TABLE.while_playing(ResyncRequest, every=Interval(SURROUNDINGS_SECONDS, coalesced=True))
def resync(session: UoSession, mobile: Mobile, packet: ResyncRequest) -> None:
    """The client has lost track: everything around it again."""
    view = UoView.of(session)
    motion.halt(mobile)
    session.steps.restart()
    session.queue(view.place_player(mobile, session.dialect))
    session.send(view.figures.incoming(mobile, session.dialect, mobile.notoriety))
    for thing in session.known.values():
        _show_anew(session, thing)
    session.covered = None
    view.moved(session)


@TABLE.while_playing(ViewRangeRequest, every=Interval(SURROUNDINGS_SECONDS, coalesced=True))
def view_range(session: UoSession, mobile: Mobile, packet: ViewRangeRequest) -> None:
    """The client wants to see farther, or less far; it gets what is allowed, and the turn shows the
    difference."""
    granted = max(SHORTEST_RANGE, min(LONGEST_RANGE, packet.tiles))
    session.send(ViewRange(granted))
    session.world.set_sight(mobile, Sight(granted, arrivals=False))
    session.blind = True
