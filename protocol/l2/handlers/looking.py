"""Aiming at things and dealing with them: a click selects, another one talks, takes or opens. Who is too far
away for that walks there first, and fights nobody on the way.

Every click is answered with ActionFailed in the end, whatever came of it: the client takes no other until it
is.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final
from weakref import ref

from protocol.l2.handlers import motion as moving
from protocol.l2.handlers import things
from protocol.l2.handlers.aiming import aim, thing_of
from protocol.l2.handlers.hunting import hunt
from protocol.l2.handlers.scenery import click_landmark
from protocol.l2.handlers.table import PLAYER_ACTION, ROWS, SERVER_BYPASS
from protocol.l2.packets import (
    Action,
    ActionFailed,
    RequestShowMiniMap,
    RequestTargetCancel,
    ShowMiniMap,
    TargetUnselected,
)
from protocol.l2.view import L2View
from protocol.refusals import refused_in_words, tell_refusal
from world import journeys, law, residents
from world.heading import apart
from world.item import Item
from world.mobile import Mobile, Posture
from world.reach import REACH, TALKING, Cannot, Refusal
from world.targets import target

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.l2.session import L2Session
    from world.thing import Thing

WHOLE_MAP: Final = 1665
"""The map of the world, by the number of the item that shows it (L2J servers, RequestShowMiniMap)."""

COMES_WITHIN: Final = 2
"""Tiles from somebody at which one stops who walks up to talk."""


@ROWS.while_acting(Action, every=PLAYER_ACTION.interval())
def click(session: L2Session, mobile: Mobile, packet: Action) -> None:
    """Action: a click on something."""
    if click_landmark(session, mobile, packet.object_id, walks=not packet.shift):
        return
    _click(session, mobile, packet.object_id, walks=not packet.shift)


def _click(session: L2Session, mobile: Mobile, serial: int, *, walks: bool) -> None:
    """`walks`: it may walk up to what is too far away."""
    thing = thing_of(session, serial)
    if isinstance(thing, Item):
        act = things.open_container if thing.template.container else things.pick_up
        act_on = partial(act, session, mobile, thing)
        approach(session, mobile, thing, REACH, 0 if walks else None, act_on)
    elif isinstance(thing, Mobile):
        if session.target != thing.serial:
            aim(session, mobile, thing)
        elif thing is not mobile and law.invites_blows(mobile, thing):
            with refused_in_words(mobile):
                hunt(session, mobile, thing, walks=walks)
        elif thing.is_character:
            if walks and thing is not mobile:
                walk_up(session, mobile, thing)
        else:
            talk = partial(_talk_to, mobile, thing)
            approach(session, mobile, thing, TALKING, COMES_WITHIN if walks else None, talk)
    else:
        tell_refusal(mobile, Cannot(Refusal.UNSEEN))


def _talk_to(mobile: Mobile, resident: Mobile) -> None:
    with refused_in_words(mobile):
        residents.talk_to(mobile, resident)


@ROWS.while_acting(RequestTargetCancel, answered=False)
def cancel_target(session: L2Session, mobile: Mobile, packet: RequestTargetCancel) -> None:
    """RequestTargetCancel: Esc. Whoever fights strikes no more."""
    view = L2View.of(session)
    place = view.places.of(mobile)
    if place is None:
        return
    moving.leave_off(session, mobile)
    if session.target:
        session.target = 0
        target(mobile, None)
        unselected = TargetUnselected(mobile.serial, place.x, place.y, place.z)
        session.send(unselected)
        view.players.tell_watching(mobile, unselected)
    session.send(ActionFailed())


def within(mobile: Mobile, thing: Thing, tiles: int) -> bool:
    """Whether a thing is no farther away than that."""
    return apart(thing, mobile) <= tiles


def approach(
    session: L2Session,
    mobile: Mobile,
    thing: Thing,
    reach: int,
    distance: int | None,
    act: Callable[[], None],
) -> None:
    """Do what needs one to be within `reach` tiles of a thing; walk up to `distance` tiles from it first, if
    one is too far away. None: do not walk."""
    if within(mobile, thing, reach):
        act()
        return
    if distance is None or mobile.posture != Posture.STANDING or mobile.dead:
        stuck = Refusal.DEAD if mobile.dead else Refusal.SITTING
        free = mobile.posture == Posture.STANDING and not mobile.dead
        tell_refusal(mobile, Cannot(Refusal.FAR if free else stuck))
        return
    moving.leave_off(session, mobile)
    journeys.approach(
        mobile,
        thing,
        distance,
        partial(_arrived, ref(session), mobile, thing, reach, act),
        partial(_refused, ref(session), mobile),
        run=session.running,
    )


def walk_up(session: L2Session, mobile: Mobile, other: Mobile) -> None:
    """Go to where another player stands now; who sits or is there already stays."""
    near = within(mobile, other, COMES_WITHIN)
    if not near and mobile.posture == Posture.STANDING and not mobile.dead:
        approach(session, mobile, other, COMES_WITHIN, COMES_WITHIN, _stand_there)


def _stand_there() -> None:
    """Coming there was all."""


def _arrived(
    reference: ref[L2Session], mobile: Mobile, thing: Thing, reach: int, act: Callable[[], None]
) -> None:
    """It came there, or as near as it could. Raises Cannot if that is not near enough, and as `act` does."""
    session = reference()
    if session is None or session.playing is not mobile:
        return
    if thing_of(session, thing.serial) is not thing:
        raise Cannot(Refusal.GONE)
    if not within(mobile, thing, reach):
        raise Cannot(Refusal.NO_PATH)
    act()
    session.send(ActionFailed())


def _refused(reference: ref[L2Session], mobile: Mobile, cannot: Cannot) -> None:
    session = reference()
    if session is not None and session.playing is mobile:
        tell_refusal(mobile, cannot)
        moving.stay(session, mobile)


@ROWS.while_playing(RequestShowMiniMap, every=SERVER_BYPASS.interval(coalesced=True))
def show_map(session: L2Session, mobile: Mobile, packet: RequestShowMiniMap) -> None:
    """RequestShowMiniMap: the map is the client's own, and opens when it is told so."""
    session.send(ShowMiniMap(WHOLE_MAP))
