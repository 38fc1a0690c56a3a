"""The town crier knows where somebody is whose name one types: this game's windows have boxes for words."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final
from weakref import ref

from protocol.co.dialogs import LONGEST_INPUT, Field
from world import news
from world.mobile import Access
from world.speech import clean, notice

if TYPE_CHECKING:
    from protocol.co.session import CoSession
    from world.mobile import Mobile

WHOM: Final = "Whom are you looking for?"
NAME: Final = "Name"
NOBODY: Final = "You named nobody."


def topics(session: CoSession, crier: Mobile) -> tuple[news.Topic, ...]:
    """What the crier offers besides news."""
    return (news.Topic("I am looking for somebody.", partial(_ask, ref(session), crier)),)


def _ask(mine: ref[CoSession], crier: Mobile, mobile: Mobile) -> None:
    session = mine()
    if session is not None and session.mobile is mobile:
        session.queue(Field(crier, f"{news.name_of(crier)}: {WHOM}", NAME, _tell, session.patch))


def _tell(mobile: Mobile, typed: str) -> None:
    """Where that one is; of who hides only staff is told."""
    name = clean(typed, LONGEST_INPUT)
    sought = mobile.world.online_by_name(name)
    if not name:
        notice(mobile, NOBODY)
    elif sought is None or (sought.hidden and mobile.access < Access.COUNSELOR and sought is not mobile):
        notice(mobile, f"{name} is not here today.")
    elif sought.realm is not None:
        notice(mobile, f"{sought.name} is in {sought.realm.chart.title}.")
