"""Attacking, stopping, spending points, which skills may change, and the way back of the dead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.dispatch import Interval
from protocol.web.handlers.looking import find
from protocol.web.handlers.table import TABLE
from protocol.web.packets.fighting import Attack, Lock, Spend, Stop, Town
from world import fighting, learning, life, training
from world.mobile import Mobile
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.web.session import WebSession


@TABLE.while_playing(Attack, every=Interval(0.1, burst=3))
def attack(session: WebSession, mobile: Mobile, message: Attack) -> None:
    """attack: blow after blow. Raises Cannot(UNSEEN) if it is out of sight, and as `fighting.attack`."""
    target = find(session, mobile, message.id)
    if not isinstance(target, Mobile):
        raise Cannot(Refusal.UNSEEN)
    fighting.attack(mobile, target)


@TABLE.while_playing(Stop)
def stop(session: WebSession, mobile: Mobile, message: Stop) -> None:
    """stop: keep the peace."""
    fighting.set_war(mobile, False)


@TABLE.while_playing(Spend)
def spend(session: WebSession, mobile: Mobile, message: Spend) -> None:
    """spend: points on an attribute. Raises Cannot as `learning.spend`."""
    learning.spend(mobile, message.attribute, message.points)


@TABLE.while_playing(Lock)
def lock(session: WebSession, mobile: Mobile, message: Lock) -> None:
    """lock: whether a skill may rise or fall. Raises Cannot as `training.lock`."""
    training.lock(mobile, message.skill, message.way)


@TABLE.while_playing(Town)
def town(session: WebSession, mobile: Mobile, message: Town) -> None:
    """town: to the healer's house. Raises Cannot as `life.to_healer`."""
    life.to_healer(mobile)
