"""Moving. The client walks by itself, tile by tile, and says so; it jumps when it is told that it jumped.

The world decides. A step that it refuses, or a jump that comes from elsewhere than the character stands, is
answered by where that really is ("kick back"), and the client is put there. A client draws the ground of its
own map and sees none of our walls, so that happens to honest players as well. Therefore:

- it happens at most twice a second (`protocol.corrections`). What cannot be done before it may happen again
  is void, and so are the steps that follow, for nobody knows from which tile the client takes them. A jump
  says where the client believes itself to be: if that is right it need not be put anywhere any more. Nor
  need one that was put elsewhere meanwhile (`Placing`).
- a jump onto something that blocks, or behind a wall, ends before that (`world.leaps`): the client jumps
  where the echo says.
- a step that cuts a corner is refused as any other. To slide along the wall was not taken: the client has
  taken its step by itself, and only a kick back tells it of another one.
- the first time its player reads what is in the way.

Who goes, jumps or makes a gesture fights no more: this game's servers repeat the blows of who stands, and its
client attacks anew.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from protocol.co.handlers.placing import correct, kick_back, leave_off
from protocol.co.handlers.table import TABLE, action
from protocol.co.packets import Action, ActionType, Emotion, Pace, Walk, pack_xy, to_wire, to_world, unpack_xy
from protocol.co.view import CoView
from protocol.dispatch import Interval
from protocol.refusals import tell_now_and_then, tell_what_blocks
from protocol.wishes import Wish, tell
from world import fighting, furniture, leaps, motion, obstacles, speech
from world.mobile import Posture
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.co.session import CoSession
    from world.mobile import Mobile


@TABLE.while_playing(Walk, prompt=True)
def walk(session: CoSession, mobile: Mobile, packet: Walk) -> None:
    """Walk: one step. The direction may have multiples of eight on top, by which clients show that they are
    no bots."""
    if packet.id != CoView.of(session).figures.ids.of(mobile):
        tell(session, Wish.FORGED)
        return
    fighting.stop(mobile)
    led = leave_off(session, mobile)
    heading, run = to_world(packet.direction % 8), packet.mode == Pace.RUN
    if session.corrections.astray:
        return  # it is put right when that may be
    if not motion.paced(
        mobile,
        motion.cost(mobile, heading, run=run),
        partial(_step, session, mobile, heading, run=run, led=led),
    ):
        correct(session, mobile)


def _step(session: CoSession, mobile: Mobile, heading: int, *, run: bool, led: bool = False) -> bool:
    """A step's time has come. `led`: the world led its character until now, so that the client may have taken
    the step from another tile of the way: it is told where it ends."""
    sat, realm = mobile.posture != Posture.STANDING, mobile.realm
    if _gets_up(mobile) or realm is None:
        correct(session, mobile)
        return False
    tile = obstacles.blocking(realm, mobile.x, mobile.y, heading)
    if not motion.step(mobile, heading, run=run):
        correct(session, mobile)
        if tile is not None:
            tell_what_blocks(session, mobile, tile)
        return False
    if sat:
        CoView.of(session).figures.rises(mobile)
    if led:
        kick_back(session, mobile)
        return True
    mode = Pace.RUN if run else Pace.WALK
    session.send(Walk(CoView.of(session).figures.ids.of(mobile), to_wire(heading), mode))
    return True


@action(ActionType.JUMP, prompt=True)
def jump(session: CoSession, mobile: Mobile, packet: Action) -> None:
    """JUMP: data is where to, x and y where the client believes that it stands, which has to be right."""
    fighting.stop(mobile)
    leave_off(session, mobile)
    places = CoView.of(session).places
    to = places.tile(mobile.realm, *unpack_xy(packet.data))
    start = places.tile(mobile.realm, packet.x, packet.y)
    if to is None or start is None:
        correct(session, mobile)
        return
    if not motion.paced(mobile, leaps.JUMP_SECONDS, partial(_jump, session, mobile, packet, start, to)):
        correct(session, mobile)


def _jump(
    session: CoSession, mobile: Mobile, packet: Action, start: tuple[int, int], to: tuple[int, int]
) -> bool:
    """A jump's time has come. Where none ends that takes its time as well: to look for an end is dear."""
    sat, realm = mobile.posture != Posture.STANDING, mobile.realm
    if _gets_up(mobile) or realm is None or start != (mobile.x, mobile.y):
        correct(session, mobile)
        return False
    session.corrections.astray = False
    landed = leaps.jump_towards(mobile, *to)
    if landed != to:
        tell_what_blocks(session, mobile, leaps.in_the_way(realm, *start, *to))
    place = CoView.of(session).places.at(realm, *landed) if landed is not None else None
    if place is None:
        correct(session, mobile)
        return True
    if sat:
        CoView.of(session).figures.rises(mobile)
    packet.data, packet.direction = pack_xy(place.x, place.y), to_wire(mobile.heading)
    session.send(packet)
    return True


def _gets_up(mobile: Mobile) -> bool:
    """Stand up to go, if it sits. Whether that alone took it to another tile, as from a chair that it took in
    another game: its client does not know of that."""
    before = mobile.x, mobile.y
    if mobile.posture != Posture.STANDING:
        furniture.stand_up(mobile)
    return before != (mobile.x, mobile.y)


@action(ActionType.PORTAL, every=Interval(0.5, burst=2))
def enter_portal(session: CoSession, mobile: Mobile, packet: Action) -> None:
    """PORTAL: the client stands within a tile of where its own map has a way out, and waits. Whoever stands
    so near to one of the world's is led on; who does not is told where it is."""
    leave_off(session, mobile)
    try:
        motion.enter_portal(mobile)
    except Cannot as cannot:
        session.refuse_wish(mobile, cannot)
        kick_back(session, mobile)


@action(ActionType.TURN, every=Interval(0.1, burst=3))
def turn(session: CoSession, mobile: Mobile, packet: Action) -> None:
    """TURN: to face another way on the spot. The client has turned, so if it may not it is turned back."""
    leave_off(session, mobile)
    try:
        motion.face(mobile, to_world(packet.direction % 8))
    except Cannot as cannot:
        tell_now_and_then(session, mobile, cannot)
        packet.direction = to_wire(mobile.heading)
        session.send(packet)


@action(ActionType.EMOTION, every=Interval(0.2, burst=3))
def gesture(session: CoSession, mobile: Mobile, packet: Action) -> None:
    """EMOTION: a gesture; one is to sit down. Raises Cannot(UNKNOWN) for one that the game does not have."""
    fighting.stop(mobile)
    leave_off(session, mobile)
    if packet.data == Emotion.SIT:
        furniture.sit_on_floor(mobile)
    elif packet.data == Emotion.STAND:
        before = mobile.x, mobile.y
        furniture.stand(mobile)
        if before != (mobile.x, mobile.y):
            kick_back(session, mobile)  # its client knows of no chairs
    elif packet.data in GESTURES:
        speech.gesture(mobile, GESTURES[packet.data])
    else:
        raise Cannot(Refusal.UNKNOWN)


GESTURES = {
    **dict.fromkeys(range(Emotion.DANCE_1, Emotion.DANCE_8 + 1), "dance"),
    Emotion.LAUGH: "laugh",
    Emotion.GUFFAW: "laugh",
    Emotion.FURY: "angry",
    Emotion.SAD: "sad",
    Emotion.EXCITED: "surprised",
    Emotion.HELLO: "wave",
    Emotion.SALUTE: "salute",
    Emotion.GENUFLECT: "bow",
    Emotion.KNEEL: "kneel",
    Emotion.COOL: "pose",
    Emotion.FAINT: "suicidal",
}
"""The world's gesture for each of the client's."""
