"""Friends, those of whom one hears nothing, duels, and reports. What may be done is decided by
`world.friends`, `world.ignoring`, `world.duels` and `world.conduct`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.dispatch import Interval
from protocol.web import acquaintances
from protocol.web.handlers.looking import find_player
from protocol.web.handlers.table import TABLE
from protocol.web.packets.social import (
    AskDuel,
    AskFriends,
    Befriend,
    Heed,
    Ignore,
    ReportPlayer,
    Unfriend,
    YieldDuel,
)
from world import conduct, duels, friends, ignoring

if TYPE_CHECKING:
    from protocol.web.session import WebSession
    from world.mobile import Mobile


@TABLE.while_playing(AskFriends, every=Interval(0.2, burst=3))
def show(session: WebSession, mobile: Mobile, message: AskFriends) -> None:
    """friends: both lists."""
    session.send(acquaintances.lists(mobile))


@TABLE.while_playing(Befriend, every=Interval(0.2, burst=3))
def befriend(session: WebSession, mobile: Mobile, message: Befriend) -> None:
    """befriend: put somebody on one's list. Raises Cannot as `friends.befriend`."""
    friends.befriend(mobile, message.name)


@TABLE.while_playing(Unfriend, every=Interval(0.2, burst=3))
def unfriend(session: WebSession, mobile: Mobile, message: Unfriend) -> None:
    """unfriend: take somebody off it. Raises Cannot as `friends.unfriend`."""
    friends.unfriend(mobile, message.name)


@TABLE.while_playing(Ignore, every=Interval(0.2, burst=3))
def ignore(session: WebSession, mobile: Mobile, message: Ignore) -> None:
    """ignore: hear of somebody no more. Raises Cannot as `ignoring.ignore`."""
    ignoring.ignore(mobile, message.name)


@TABLE.while_playing(Heed, every=Interval(0.2, burst=3))
def heed(session: WebSession, mobile: Mobile, message: Heed) -> None:
    """heed: hear of somebody again. Raises Cannot as `ignoring.heed`."""
    ignoring.heed(mobile, message.name)


@TABLE.while_playing(ReportPlayer, every=Interval(0.2, burst=3))
def report(session: WebSession, mobile: Mobile, message: ReportPlayer) -> None:
    """report: to the staff. Raises Cannot as `conduct.report`."""
    conduct.report(mobile, message.name, message.text)


@TABLE.while_playing(AskDuel, every=Interval(0.2, burst=3))
def duel(session: WebSession, mobile: Mobile, message: AskDuel) -> None:
    """duel: ask somebody in sight. Raises Cannot as `find_player` and `duels.ask`."""
    duels.ask(mobile, find_player(session, mobile, message.id))


@TABLE.while_playing(YieldDuel, every=Interval(0.2, burst=3))
def give_up(session: WebSession, mobile: Mobile, message: YieldDuel) -> None:
    """yield: end one's duel. Raises Cannot as `duels.give_up`."""
    duels.give_up(mobile)
