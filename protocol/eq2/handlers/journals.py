"""Quests: the answers to an offer, and what the journal asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.dispatch import Interval
from protocol.eq2.handlers.table import ROWS, command
from protocol.eq2.journals import ACCEPT, DECLINE, JournalList, QuestPage, number_of, quest_of
from protocol.eq2.packets import (
    HelpPath,
    PathPoint,
    QuestJournalInspect,
    QuestJournalOpen,
    QuestJournalSetVisible,
    QuestJournalWaypoint,
)
from protocol.eq2.view import Eq2View
from protocol.wishes import Wish, tell
from world import dialogs, journals, quests
from world.errands import State
from world.reach import Cannot, Refusal
from world.speech import notice

if TYPE_CHECKING:
    from protocol.eq2.session import Eq2Session
    from world.errands import Entry
    from world.mobile import Mobile

YOURS: Final = "What you were given is yours."
NO_PLACE: Final = "That is nowhere in particular."
ELSEWHERE: Final = "That is in another realm: {}."


@ROWS.while_playing(QuestJournalOpen, every=Interval(0.5, burst=3))
def show(session: Eq2Session, mobile: Mobile, packet: QuestJournalOpen) -> None:
    """QuestJournalOpen: the player opened its journal."""
    quests.show_journal(mobile)


@command("journal")
def show_by_word(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Show the player its journal."""
    quests.show_journal(mobile)


@ROWS.while_playing(QuestJournalInspect, every=Interval(0.1, burst=10))
def show_page(session: Eq2Session, mobile: Mobile, packet: QuestJournalInspect) -> None:
    """QuestJournalInspect: the player wants to read about a quest. Raises Cannot(NO_QUEST) if it is not in
    its journal."""
    session.queue(QuestPage(Eq2View.of(session).figures, mobile, _entry(mobile, packet.quest_id)))


@ROWS.while_playing(QuestJournalSetVisible, every=Interval(0.2, burst=5))
def track(session: Eq2Session, mobile: Mobile, packet: QuestJournalSetVisible) -> None:
    """QuestJournalSetVisible: which quests are shown on the screen; for as long as the player is here. Raises
    Cannot(NO_QUEST) if one is not in its journal, and then changes nothing."""
    kept = journals.entries(mobile)
    known = {number_of(entry.quest.key) for entry in kept}
    if not known.issuperset(packet.quests):
        raise Cannot(Refusal.NO_QUEST)
    if packet.visible:
        session.untracked.difference_update(packet.quests)
    else:
        session.untracked.update(packet.quests)
    session.queue(JournalList(mobile, kept))


@ROWS.while_playing(QuestJournalWaypoint, every=Interval(0.2, burst=5))
def lead(session: Eq2Session, mobile: Mobile, packet: QuestJournalWaypoint) -> None:
    """QuestJournalWaypoint: a glowing line to where a quest goes on, if that is in the same realm. Raises
    Cannot(NO_QUEST) if it is not open."""
    entry = _entry(mobile, packet.quest_id)
    if entry.state is not State.OPEN:
        raise Cannot(Refusal.NO_QUEST)
    places, place = Eq2View.of(session).places, entry.place
    here = places.of(mobile)
    if place is None or here is None or mobile.realm is None:
        notice(mobile, NO_PLACE)
        return
    if place[0] != mobile.realm.name:
        notice(mobile, ELSEWHERE.format(place[0]))
        return
    there = places.on(*place, mobile.heading)
    session.led_by = packet.quest_id
    points = tuple(PathPoint(spot.x, spot.y, spot.z) for spot in (here, there))
    session.send(HelpPath(points, there.x, there.y, there.z))


@command(ACCEPT)
def accept(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Accept what is offered in the window with that number."""
    _answer(session, mobile, text, 1)


@command(DECLINE)
def decline(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Decline what is offered in the window with that number."""
    _answer(session, mobile, text, 0)


@command("accept_reward")
def take_pay(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """The window of what was got for a quest was closed: the world has given it."""
    notice(mobile, YOURS)


@command("deletequest")
def give_up(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Give up the quest of that number. Raises Cannot(NO_QUEST)."""
    known = quest_of(mobile.world, _number(text))
    if known is None:
        raise Cannot(Refusal.NO_QUEST)
    quests.give_up(mobile, known.key)


def _answer(session: Eq2Session, mobile: Mobile, text: str, button: int) -> None:
    dialog = mobile.dialogs.get(_number(text))
    if dialog is None or dialog.name != quests.OFFER or not dialog.about:
        tell(session, Wish.UNASKED)
        return
    dialogs.answer(mobile, dialog.serial, dialog.type_id, button)


def _entry(mobile: Mobile, number: int) -> Entry:
    """A quest of the journal. Raises Cannot(NO_QUEST)."""
    found = [entry for entry in journals.entries(mobile) if number_of(entry.quest.key) == number]
    if not found:
        raise Cannot(Refusal.NO_QUEST)
    return found[0]


def _number(text: str) -> int:
    """A number that is none of anything for what is no number."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 10 else -1
