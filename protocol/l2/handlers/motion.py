"""Moving. The client names a place to go to and waits to be told; the world finds the way, goes there tile by
tile, and tells each straight part of it, which the client draws as one line.

The client says now and then where it is. The world never takes its word for that: who is too far from where
its character stands is put back there. Every click is answered, by motion or by ActionFailed: the client
takes no other until it is.
"""

from __future__ import annotations

from functools import partial
from math import hypot
from typing import TYPE_CHECKING, Final
from weakref import ref

from protocol.dispatch import Interval
from protocol.l2.handlers.table import PLAYER_ACTION, ROWS
from protocol.l2.handlers.talk import gesture_of
from protocol.l2.packets import (
    ActionFailed,
    BeginRotation,
    CannotMoveAnymore,
    ChangeMoveType,
    DeleteObject,
    FinishRotating,
    MoveBackwardToLocation,
    RequestActionUse,
    RequestChangeMoveType,
    RequestChangeWaitType,
    Social,
    StartRotating,
    StopMove,
    StopRotation,
    TeleportToLocation,
    ValidatePosition,
)
from protocol.l2.places import to_angle, to_heading
from protocol.l2.session import LOADING_SECONDS
from protocol.l2.view import SIGHT, L2View
from protocol.refusals import refused_in_words, tell_now_and_then
from protocol.wishes import Wish, tell
from world import fighting, furniture, journeys, motion, speech
from world.mobile import Posture
from world.reach import Cannot

if TYPE_CHECKING:
    from protocol.l2.places import Place
    from protocol.l2.session import L2Session
    from world.mobile import Mobile

FARTHEST: Final = 9900
"""Units that somebody can be sent with one click (L2J_Mobius: MoveToLocation)."""

SIT, RUN = 0, 1
"""Numbers of RequestActionUse: sit down or stand up; run or walk."""

SOCIAL_ACTIONS: Final = {
    12: Social.HELLO,
    13: Social.VICTORY,
    14: Social.CHARGE,
    24: Social.YES,
    25: Social.NO,
    26: Social.BOW,
    29: Social.UNAWARE,
    30: Social.WAITING,
    31: Social.LAUGH,
    33: Social.APPLAUSE,
    34: Social.DANCE,
    35: Social.SORROW,
}
"""Gestures by their buttons (L2J_Mobius, C6: actionname of the client, PlayerActionTable)."""

BEYOND_PICTURES: Final = {62: "love", 66: "embarrassed"}
"""Charm and Shyness: the client of this chronicle has the buttons, but no pictures."""

ACTION_WISHES: Final = {
    **dict.fromkeys((10, 28, 61), Wish.BOOTH),
    **dict.fromkeys((37, 51), Wish.CRAFTING),
    **dict.fromkeys((15, 16, 17, 19, 21, 22, 23, 38, 52, 53, 54), Wish.ANIMALS),
    **dict.fromkeys((7, 8, 9, 11, 50, 56, 57, 58, 59, 60), Wish.PARTY),
    3: Wish.TRADE,
}
"""What other buttons ask for. Those from 1000 on are skills of pets and servitors."""

SERVITOR_ACTIONS: Final = range(1000, 2000)

TOLERANCE: Final = 3
"""Tiles by which a client may be elsewhere than its character although that stands: the way of its words, and
that the world counts in whole tiles."""

ELSEWHERE: Final = 2 * SIGHT.radius
"""Tiles from its character at which a client shows nothing of what is around that."""


@ROWS.while_acting(
    MoveBackwardToLocation, answered=False, every=PLAYER_ACTION.interval(coalesced=True), prompt=True
)
def move(session: L2Session, mobile: Mobile, packet: MoveBackwardToLocation) -> None:
    """MoveBackwardToLocation: a click on the ground, or an arrow key, which ends a fight. The origin that it
    names does not count."""
    atlas = L2View.of(session).places.atlas(mobile.realm)
    if atlas is None or mobile.posture != Posture.STANDING:
        session.send(ActionFailed())
        return
    x, y = atlas.tile(packet.to_x, packet.to_y)
    here_x, here_y, _ = atlas.spot(mobile.x, mobile.y, mobile.z)
    if hypot(packet.to_x - here_x, packet.to_y - here_y) > FARTHEST:
        session.send(ActionFailed())
        return
    leave_off(session, mobile)
    go(session, mobile, x, y)


def leave_off(session: L2Session, mobile: Mobile) -> None:
    """Strike nobody any more, and go after nobody."""
    session.hunt = None
    fighting.stop(mobile)


def go(session: L2Session, mobile: Mobile, x: int, y: int) -> None:
    """Set out for a tile; who cannot stays, and its client is told so."""
    stays = partial(_stays, ref(session), mobile, (mobile.x, mobile.y))
    journeys.travel(mobile, x, y, run=session.running, ended=stays)


def _stays(reference: ref[L2Session], mobile: Mobile, before: tuple[int, int], reached: bool) -> None:
    session = reference()
    if session is not None and session.playing is mobile and before == (mobile.x, mobile.y):
        stay(session, mobile)


def stay(session: L2Session, mobile: Mobile) -> None:
    """The client did not set out, whatever it drew."""
    place = L2View.of(session).places.of(mobile)
    if place is not None:
        session.send(StopMove(mobile.serial, place.x, place.y, place.z, place.heading))
    session.send(ActionFailed())


@ROWS.while_playing(ValidatePosition, every=Interval(0.25, burst=3, coalesced=True), prompt=True)
def validate(session: L2Session, mobile: Mobile, packet: ValidatePosition) -> None:
    """ValidatePosition: where the client has its own character; about once a second while that moves."""
    view = L2View.of(session)
    place, atlas = view.places.of(mobile), view.places.atlas(mobile.realm)
    if place is None or atlas is None or not (packet.x or packet.y):
        return
    away = hypot(packet.x - place.x, packet.y - place.y) / atlas.scale
    if away > ELSEWHERE:
        # It was put elsewhere once more while it loaded, or it is not the game's own client.
        _teleport(session, mobile, place)
    elif away > _tolerance(mobile):
        session.queue(*view.placed(mobile, session.dialect))
    elif mobile.gait.journey is None:
        try:
            motion.face(mobile, to_heading(packet.heading))
        except Cannot:  # nobody wished for anything: the client says where it looks
            session.queue(*view.placed(mobile, session.dialect))


def _tolerance(mobile: Mobile) -> float:
    """Tiles by which a client may be elsewhere than its character: on the way as far as that goes in a
    second, too."""
    journey = mobile.gait.journey
    if journey is None:
        return TOLERANCE
    return TOLERANCE + 1 / motion.cost(mobile, mobile.heading, run=journey.run)


def _teleport(session: L2Session, mobile: Mobile, place: Place) -> None:
    """Let a client load where its character is, as after a warp."""
    motion.halt(mobile)
    session.send(TeleportToLocation(mobile.serial, place.x, place.y, place.z, place.heading))
    session.send(*(DeleteObject(serial) for serial in session.known))
    session.known.clear()
    session.queue(*L2View.of(session).scenery.leave(session))
    session.loading = True
    session.ready_at = mobile.world.now + LOADING_SECONDS


@ROWS.while_playing(CannotMoveAnymore)
def bump(session: L2Session, mobile: Mobile, packet: CannotMoveAnymore) -> None:
    """CannotMoveAnymore: something that the client knows of stands in the way; there its character stops."""
    motion.halt(mobile)


@ROWS.while_playing(StartRotating)
def start_rotating(session: L2Session, mobile: Mobile, packet: StartRotating) -> None:
    """StartRotating: an arrow key goes down. The client turns when it is told to."""
    try:
        motion.check_may_face(mobile)
    except Cannot as cannot:
        tell_now_and_then(session, mobile, cannot)
    else:
        session.send(BeginRotation(mobile.serial, packet.degree, packet.side))


@ROWS.while_playing(FinishRotating, every=PLAYER_ACTION.interval())
def finish_rotating(session: L2Session, mobile: Mobile, packet: FinishRotating) -> None:
    """FinishRotating: and up again, at that heading."""
    degree = packet.degree
    if mobile.gait.journey is None:
        try:
            motion.face(mobile, to_heading(degree))
        except Cannot as cannot:
            tell_now_and_then(session, mobile, cannot)
            degree = to_angle(mobile.heading)
    session.send(StopRotation(mobile.serial, degree))


@ROWS.while_acting(RequestActionUse, every=PLAYER_ACTION.interval())
def use_action(session: L2Session, mobile: Mobile, packet: RequestActionUse) -> None:
    """RequestActionUse: a button of the actions' window."""
    if packet.action == SIT:
        _sit_or_stand(session, mobile, sits=mobile.posture == Posture.STANDING)
    elif packet.action == RUN:
        _run_or_walk(session, mobile, runs=not session.running)
    elif packet.action in BEYOND_PICTURES:
        speech.gesture(mobile, BEYOND_PICTURES[packet.action])
    elif packet.action in SOCIAL_ACTIONS:
        gesture_of(mobile, SOCIAL_ACTIONS[packet.action])
    else:
        servant = packet.action in SERVITOR_ACTIONS
        tell(session, Wish.ANIMALS if servant else ACTION_WISHES.get(packet.action, Wish.UNKNOWN))


@ROWS.while_acting(RequestChangeWaitType, every=PLAYER_ACTION.interval())
def change_wait_type(session: L2Session, mobile: Mobile, packet: RequestChangeWaitType) -> None:
    """ChangeWaitType: sit down (0) or stand up."""
    _sit_or_stand(session, mobile, sits=not packet.stand)


@ROWS.while_acting(RequestChangeMoveType, every=PLAYER_ACTION.interval())
def change_move_type(session: L2Session, mobile: Mobile, packet: RequestChangeMoveType) -> None:
    """ChangeMoveType: walk (0) or run."""
    _run_or_walk(session, mobile, runs=bool(packet.run))


def _sit_or_stand(session: L2Session, mobile: Mobile, *, sits: bool) -> None:
    """On a seat before one, else on the ground; or up again."""
    with refused_in_words(mobile):
        if sits:
            furniture.sit(mobile)
            leave_off(session, mobile)
        else:
            furniture.stand(mobile)
    journeys.set_running(mobile, session.running)  # the step onto a seat or off it is walked


def _run_or_walk(session: L2Session, mobile: Mobile, *, runs: bool) -> None:
    """From now on, also on the rest of the way."""
    if session.running == runs:
        return
    session.running = runs
    session.send(ChangeMoveType(mobile.serial, int(runs)))
    journeys.set_running(mobile, runs)
