"""A player's quests as this game's own window: the quest list with its two pages, and the book.

    Quest_List, Progress   what is to be done, with a picture by its kind, and how much of it is
    Quest_List, History    names of what was done

The client asks for a page when its player opens the window, and eoweb after each answer to a dialog. Nothing
tells an open window that a quest got on, so that is a line of words, and the page is right when it is next
asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eolib import QuestListServerPacket, QuestPage, QuestProgressEntry, QuestRequirementIcon

from protocol.eo.packets import bodies
from protocol.eo.packets.base import SHORT_MAX
from protocol.eo.words import told
from world import journals
from world.errands import Kind, State

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from protocol.outgoing import Outgoing
    from world.errands import Entry
    from world.events import JournalOpened
    from world.mobile import Mobile

ICONS: Final = {
    Kind.GO: QuestRequirementIcon.Step,
    Kind.TALK: QuestRequirementIcon.Talk,
    Kind.BRING: QuestRequirementIcon.Item,
    Kind.HUNT: QuestRequirementIcon.Kill,
    Kind.CHOOSE: QuestRequirementIcon.Talk,
    Kind.WAIT: QuestRequirementIcon.Step,
}
"""Pictures by what a step asks for (eo-protocol: QuestRequirementIcon)."""

_COUNTED: Final = frozenset({Kind.BRING, Kind.HUNT})
"""Kinds of steps of which a number is to be done."""

_HEAD: Final = 16
"""More bytes than what stands before the first line of a page."""
_LINE: Final = 9
"""Bytes of a line of the page of open quests beside its texts: three numbers and three separators."""


def opened(view: object, event: JournalOpened, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
    """Quest_List with the page of open quests, and what is to be done as words (Talk_Server)."""
    return (*bodies(progress(event.entries)), *told(event))


def page(mobile: Mobile, wanted: QuestPage) -> QuestListServerPacket:
    """A page of the quest list; that of open quests unless the other one is asked for."""
    return history(mobile) if wanted == QuestPage.History else progress(journals.entries(mobile))


def progress(entries: Iterable[Entry]) -> QuestListServerPacket:
    """The page of open quests, the oldest first. Of more than one packet holds it leaves out the last."""
    lines, room = [], SHORT_MAX - _HEAD
    for entry in entries:
        if entry.state is not State.OPEN:
            continue
        room -= len(entry.quest.name) + len(entry.line) + _LINE
        if room < 0:
            break
        lines.append(_line(entry))
    data = QuestListServerPacket.PageDataProgress(quest_progress_entries=lines)
    return QuestListServerPacket(page=QuestPage.Progress, quests_count=len(lines), page_data=data)


def history(mobile: Mobile) -> QuestListServerPacket:
    """The page of finished quests."""
    names = finished(mobile)
    data = QuestListServerPacket.PageDataHistory(completed_quests=names)
    return QuestListServerPacket(page=QuestPage.History, quests_count=len(names), page_data=data)


def finished(mobile: Mobile) -> list[str]:
    """Names of the quests that somebody has done, with how often where that is more than once; as many as
    one packet holds."""
    names, room = [], SHORT_MAX // 2
    for entry in journals.entries(mobile):
        if entry.times:
            name = entry.quest.name if entry.times == 1 else f"{entry.quest.name} ({entry.times} times)"
            room -= len(name) + 1
            if room < 0:
                break
            names.append(name)
    return names


def _line(entry: Entry) -> QuestProgressEntry:
    step = entry.step  # None: it waits for room for the reward
    counted = step is not None and step.kind in _COUNTED
    return QuestProgressEntry(
        name=entry.quest.name,
        description=entry.line if step is None else step.text,
        icon=QuestRequirementIcon.Item if step is None else ICONS[step.kind],
        progress=min(entry.count, SHORT_MAX) if counted else 0,
        target=min(step.amount, SHORT_MAX) if counted and step is not None else 0,
    )
