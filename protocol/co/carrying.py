"""Declares what a session of this game takes along into another world, and what begins anew there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from protocol.carriers import PLAIN, Carrying, listed, mapped, named, optional, record
from protocol.co.handlers.entering import tell_time
from protocol.co.packets import Action, ActionType, ItemInfo
from protocol.co.session import GuildShown, TeamShown
from protocol.co.versions import CoVersion
from protocol.co.view import CoView
from protocol.hours import every_hour
from world.companions import LootRule
from world.guild import Bond, Rank
from world.item import Item

if TYPE_CHECKING:
    from protocol.carriers import Plain
    from protocol.co.session import CoSession
    from world.mobile import Mobile


def _leave(session: CoSession) -> None:
    session.queue(*CoView.of(session).scenery.leave(session))


def _spoken(session: CoSession, version: Plain) -> None:
    session.dialect = CoVersion(cast("int", version))


def _build(session: CoSession) -> Plain:
    """Body and profession of its character, which only this game knows."""
    return None if session.mobile is None else list(CoView.of(session).figures.build(session.mobile))


def _sees(session: CoSession) -> Plain:
    """Numbers of what it draws, those of things negative."""
    view = CoView.of(session)
    ids, known = view.figures.ids, session.known.values()
    numbers = [-ids.of(thing) if isinstance(thing, Item) else ids.of(thing) for thing in known]
    return numbers + view.scenery.shown(session)


def _lost(session: CoSession, saw: Plain) -> None:
    for number in cast("list[int]", saw):
        gone = CoView.gone(-number) if number < 0 else Action.of(ActionType.REMOVE, number)
        session.send(gone)


def _arrive(session: CoSession, mobile: Mobile, beside: Plain) -> None:
    figures = CoView.of(session).figures
    figures.enters(mobile, *cast("list[int]", beside))
    if session.team is not None and len(session.team.members) == 1:
        figures.heads(mobile)
    every_hour(session, tell_time)


CARRYING: Final = Carrying.of(
    "co 1",
    speaks=lambda session: int(session.dialect),
    spoken=_spoken,
    goes={
        "complete": PLAIN,
        "friends_listed": PLAIN,
        "guild": optional(record(GuildShown, ties=mapped(value=named(Bond)), rank=optional(named(Rank)))),
        "owns": optional(mapped(value=record(ItemInfo))),
        "pk_mode": PLAIN,
        "strange_actions": listed(into=set),
        "team": optional(record(TeamShown, members=listed(into=tuple), loot=named(LootRule))),
    },
    anew={
        "answers": "its dialogs were closed",
        "bargain": "ended before",
        "corrections": "it is put elsewhere",
        "errand": "what it walked up to stays behind",
        "landmarks": "they were taken away",
        "menu": "whose it was stays behind",
        "question": "its dialogs were closed",
        "selected": "before the world only",
    },
    leave=_leave,
    beside=_build,
    sees=_sees,
    lost=_lost,
    arrive=_arrive,
)
