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
from protocol.eo.handlers.table import on, playing
from protocol.eo.looks import to_direction, to_heading
from protocol.refusals import refused_in_words, tell_now_and_then
from protocol.session import Phase
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


@on(WalkPlayerClientPacket, during=Phase.IN_WORLD)
def walk(session: EoSession, packet: WalkPlayerClientPacket) -> None:
    """Walk_Player: one step, to the tile that the client names, too."""
    _walk(session, packet.walk_action)


@on(WalkSpecClientPacket, during=Phase.IN_WORLD)
def walk_through(session: EoSession, packet: WalkSpecClientPacket) -> None:
    """Walk_Spec: through somebody who stands in the way. Nobody does here, so it is a step like any other."""
    _walk(session, packet.walk_action)


@on(WalkAdminClientPacket, during=Phase.IN_WORLD)
def walk_freely(session: EoSession, packet: WalkAdminClientPacket) -> None:
    """Walk_Admin: through walls, says the client; the world lets nobody."""
    _walk(session, packet.walk_action)


def _walk(session: EoSession, action: WalkAction) -> None:
    mobile = playing(session)
    if mobile is None or action.direction not in DIRECTIONS:
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
    if playing(session) is not mobile:
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
    view = session.view
    nearby, others = view.figures.surroundings(mobile, session.known.values())
    session.send(RefreshReplyServerPacket(nearby=nearby))
    for thing in others:
        session.queue(*view.show(thing, view.audience(session, thing), session.dialect))


def _resync_late(reference: ref[EoSession]) -> None:
    session = reference()
    if session is not None:
        session.resync_waits = False
        if playing(session) is not None:
            session.resync_at = session.world.now
            resync(session)


@on(FacePlayerClientPacket, during=Phase.IN_WORLD)
def face(session: EoSession, packet: FacePlayerClientPacket) -> None:
    """Face_Player: turn on the spot."""
    mobile = playing(session)
    if mobile is None or packet.direction not in DIRECTIONS:
        return
    try:
        motion.face(mobile, to_heading(packet.direction))
    except Cannot as cannot:
        tell_now_and_then(session, mobile, cannot)
        # Its client has turned already.
        number = session.view.figures.player_id(mobile)
        session.send(FacePlayerServerPacket(player_id=number, direction=to_direction(mobile.heading)))


@on(SitRequestClientPacket, during=Phase.IN_WORLD)
def sit(session: EoSession, packet: SitRequestClientPacket) -> None:
    """Sit_Request: on the floor, or up again."""
    mobile = playing(session)
    if mobile is None:
        return
    if packet.sit_action == SitAction.Stand:
        _stand_up(mobile)
    elif packet.sit_action == SitAction.Sit:
        with refused_in_words(mobile):
            furniture.sit_on_floor(mobile)


@on(ChairRequestClientPacket, during=Phase.IN_WORLD)
def sit_on_chair(session: EoSession, packet: ChairRequestClientPacket) -> None:
    """Chair_Request: on a chair, from any side, or up again."""
    mobile = playing(session)
    if mobile is None:
        return
    data = packet.sit_action_data
    if packet.sit_action == SitAction.Stand:
        _stand_up(mobile)
    elif isinstance(data, ChairRequestClientPacket.SitActionDataSit):
        with refused_in_words(mobile):
            furniture.sit_on_seat(mobile, data.coords.x, data.coords.y)


def _stand_up(mobile: Mobile) -> None:
    with refused_in_words(mobile):
        furniture.stand(mobile)


@on(DoorOpenClientPacket, during=Phase.IN_WORLD, every=Interval(0.5, burst=3))
def open_door(session: EoSession, packet: DoorOpenClientPacket) -> None:
    """Door_Open: a door beside the character opens before everybody's eyes, for a few seconds."""
    mobile = playing(session)
    if mobile is not None:
        with refused_in_words(mobile):
            doors.open_one(mobile, [(packet.coords.x, packet.coords.y)])
