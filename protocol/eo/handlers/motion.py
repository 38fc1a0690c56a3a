"""Walking, turning, sitting, doors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final
from weakref import ref

from eolib import (
    ChairRequestClientPacket,
    Direction,
    DoorOpenClientPacket,
    FacePlayerClientPacket,
    FacePlayerServerPacket,
    RefreshReplyServerPacket,
    SitAction,
    SitRequestClientPacket,
    WalkAdminClientPacket,
    WalkPlayerClientPacket,
    WalkReplyServerPacket,
    WalkSpecClientPacket,
)

from protocol.dispatch import Interval
from protocol.eo.handlers.table import TABLE
from protocol.eo.looks import to_direction, to_heading
from protocol.eo.view import EoView
from protocol.refusals import tell_now_and_then
from world import doors, furniture, motion
from world.heading import OFFSETS
from world.reach import Cannot

if TYPE_CHECKING:
    from eolib import WalkAction

    from protocol.eo.session import EoSession
    from world.mobile import Mobile

RESYNC_SECONDS: Final = 0.48
"""Between two answers that show everything anew: the time of a step, so an honest client never waits."""

DIRECTIONS: Final = frozenset({Direction.Down, Direction.Left, Direction.Up, Direction.Right})


@TABLE.while_playing(WalkPlayerClientPacket, prompt=True)
def walk(session: EoSession, mobile: Mobile, packet: WalkPlayerClientPacket) -> None:
    """Walk_Player: one step, to the tile that the client names, too."""
    _walk(session, mobile, packet.walk_action)


@TABLE.while_playing(WalkSpecClientPacket, prompt=True)
def walk_through(session: EoSession, mobile: Mobile, packet: WalkSpecClientPacket) -> None:
    """Walk_Spec: through somebody who stands in the way. Nobody does here, so it is a step like any other."""
    _walk(session, mobile, packet.walk_action)


@TABLE.while_playing(WalkAdminClientPacket, prompt=True)
def walk_freely(session: EoSession, mobile: Mobile, packet: WalkAdminClientPacket) -> None:
    """Walk_Admin: through walls, says the client; the world lets nobody."""
    _walk(session, mobile, packet.walk_action)


def _walk(session: EoSession, mobile: Mobile, action: WalkAction) -> None:
    if action.direction not in DIRECTIONS:
        return
    # The original server passes over what comes within 36 centiseconds of the client's clock. Here it waits
    # for its time, as in eoserv: the schedule makes nobody faster, whatever that clock says.
    heading = to_heading(action.direction)
    act = partial(_step, session, mobile, heading, (action.coords.x, action.coords.y))
    if not motion.paced(mobile, motion.cost(mobile, heading, run=False), act):
        resync(session)


def _step(session: EoSession, mobile: Mobile, heading: int, expected: tuple[int, int]) -> bool:
    """The step when its time has come; False if the client plays nobody, or somebody else, by now. A client
    that is not where it thinks, or cannot go, is told where it is."""
    if session.playing is not mobile:
        return False
    dx, dy = OFFSETS[heading]
    if (mobile.x + dx, mobile.y + dy) == expected and motion.step(mobile, heading):
        # What came into sight is shown by the turn, so there is nothing to list here.
        session.send(WalkReplyServerPacket(player_ids=[], npc_indexes=[], items=[]))
    else:
        motion.halt(mobile)
        resync(session)
    return True


def resync(session: EoSession) -> None:
    """Refresh_Reply: the client forgets what it draws and takes this instead. What one packet cannot hold
    follows as if it came into sight.

    It costs by the crowd, so one that comes too soon after the last waits for its time; that one then speaks
    for all that were asked for meanwhile.
    """
    mobile = session.mobile
    if mobile is None or session.resync_waits:
        return
    now = session.world.now
    if now < session.resync_at:
        session.resync_waits = True
        session.world.timers.after(session.resync_at - now, _resync_late, ref(session))
        return
    session.resync_at = now + RESYNC_SECONDS
    motion.halt(mobile)  # the client forgets its unanswered steps
    view = EoView.of(session)
    nearby, others = view.figures.surroundings(mobile, session.known.values(), known=session.dialect)
    session.send(RefreshReplyServerPacket(nearby=nearby))
    for thing in others:
        session.queue(*view.show(thing, view.audience(session, thing), session.dialect))


def _resync_late(reference: ref[EoSession]) -> None:
    session = reference()
    if session is not None:
        session.resync_waits = False
        if session.playing is not None:
            session.resync_at = session.world.now
            resync(session)


@TABLE.while_playing(FacePlayerClientPacket)
def face(session: EoSession, mobile: Mobile, packet: FacePlayerClientPacket) -> None:
    """Face_Player: turn on the spot."""
    if packet.direction not in DIRECTIONS:
        return
    try:
        motion.face(mobile, to_heading(packet.direction))
    except Cannot as cannot:
        tell_now_and_then(session, mobile, cannot)
        # Its client has turned already.
        number = EoView.of(session).figures.player_id(mobile)
        session.send(FacePlayerServerPacket(player_id=number, direction=to_direction(mobile.heading)))


@TABLE.while_playing(SitRequestClientPacket)
def sit(session: EoSession, mobile: Mobile, packet: SitRequestClientPacket) -> None:
    """Sit_Request: on the floor, or up again."""
    if packet.sit_action == SitAction.Stand:
        furniture.stand(mobile)
    elif packet.sit_action == SitAction.Sit:
        furniture.sit_on_floor(mobile)


@TABLE.while_playing(ChairRequestClientPacket)
def sit_on_chair(session: EoSession, mobile: Mobile, packet: ChairRequestClientPacket) -> None:
    """Chair_Request: on a chair, from any side, or up again."""
    data = packet.sit_action_data
    if packet.sit_action == SitAction.Stand:
        furniture.stand(mobile)
    elif isinstance(data, ChairRequestClientPacket.SitActionDataSit):
        furniture.sit_on_seat(mobile, data.coords.x, data.coords.y)


@TABLE.while_playing(DoorOpenClientPacket, every=Interval(0.5, burst=3))
def open_door(session: EoSession, mobile: Mobile, packet: DoorOpenClientPacket) -> None:
    """Door_Open: a door beside the character opens before everybody's eyes, for a few seconds."""
    doors.open_one(mobile, [(packet.coords.x, packet.coords.y)])
