"""Striking somebody, and what the dead may do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.l2.handlers.aiming import aim, thing_of
from protocol.l2.handlers.hunting import hunt
from protocol.l2.handlers.scenery import click_landmark
from protocol.l2.handlers.table import PLAYER_ACTION, ROWS
from protocol.l2.packets import AttackRequest, RequestRestartPoint, Revive
from protocol.refusals import refused_in_words
from world import life
from world.mobile import Mobile
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.l2.session import L2Session


@ROWS.while_acting(AttackRequest, every=PLAYER_ACTION.interval())
def attack(session: L2Session, mobile: Mobile, packet: AttackRequest) -> None:
    """AttackRequest: strike somebody, who becomes the target; with shift only from where one stands. Raises
    Cannot(UNSEEN) if there is nobody of that number, and as `hunt` does."""
    if click_landmark(session, mobile, packet.object_id, walks=not packet.shift):
        return
    thing = thing_of(session, packet.object_id)
    if not isinstance(thing, Mobile):
        raise Cannot(Refusal.UNSEEN)
    aim(session, mobile, thing)
    hunt(session, mobile, thing, walks=not packet.shift)


@ROWS.while_acting(RequestRestartPoint)
def to_village(session: L2Session, mobile: Mobile, packet: RequestRestartPoint) -> None:
    """RequestRestartPoint: the button that the client shows the dead. It leads to the healer's house,
    whatever place it names; what the client takes for its revival lets its ghost walk there."""
    with refused_in_words(mobile):
        life.to_healer(mobile)
    if mobile.dead:
        session.send(Revive(mobile.serial))
