"""The journal, and giving up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.dispatch import Interval
from protocol.web.handlers.table import TABLE
from protocol.web.packets.quests import AskQuests, GiveUp
from world import quests

if TYPE_CHECKING:
    from protocol.web.session import WebSession
    from world.mobile import Mobile


@TABLE.while_playing(AskQuests, every=Interval(0.2, burst=3))
def read_journal(session: WebSession, mobile: Mobile, message: AskQuests) -> None:
    """quests: open the journal."""
    quests.show_journal(mobile)


@TABLE.while_playing(GiveUp, every=Interval(0.2, burst=3))
def give_up(session: WebSession, mobile: Mobile, message: GiveUp) -> None:
    """give_up: a quest is not done any more. Raises Cannot as `quests.give_up`."""
    quests.give_up(mobile, message.key)
