"""Quests as messages of this game: the journal, and the marks over the heads of residents.

A mark is different for each player who sees its resident, and what a view makes of a thing is shared by all
who see it: so it is a message that is made when it is bound to one client. That costs something only with the
few residents that have to do with quests; and marks are told when a resident comes into sight and when a
quest of that player's has changed, never by the turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.web.packets.quests import Journal, Mark, Marks, Quest, Task
from world import journals
from world.errands import State

if TYPE_CHECKING:
    from collections.abc import Iterable

    from protocol.web.session import WebSession
    from world.content import Content
    from world.errands import Entry
    from world.events import QuestChanged
    from world.mobile import Mobile


def task(entry: Entry) -> Task:
    """A quest in a journal."""
    realm, x, y = entry.place or ("", 0, 0)
    return Task(
        entry.quest.key,
        entry.quest.name,
        entry.line,
        entry.state is State.OPEN,
        entry.count,
        entry.step.amount if entry.step is not None else 0,
        entry.times,
        realm,
        x,
        y,
    )


def journal(entries: Iterable[Entry], *, shown: bool) -> Journal:
    """A journal."""
    return Journal(tuple(map(task, entries)), shown)


def changed(event: QuestChanged) -> Quest:
    """A quest that got on."""
    return Quest(event.what.value, task(event.entry), event.gained)


class Interested:
    """Kinds of residents that have to do with quests."""

    def __init__(self) -> None:
        self._content: Content | None = None
        self._keys: frozenset[str] = frozenset()

    def has(self, mobile: Mobile) -> bool:
        """Whether a mobile may have a mark. What content says is looked through once."""
        content = mobile.world.content
        if content is not self._content:
            self._content = content
            quests = content.quests.values()
            givers = {quest.giver for quest in quests}
            asked = {step.whom for quest in quests for step in quest.steps if step.whom}
            offering = {key for key, template in content.mobiles.items() if template.offers.quests}
            self._keys = frozenset(givers | asked | offering)
        return mobile.template.key in self._keys


class Marked:
    """`Marks` of one resident, for whoever is shown it."""

    __slots__ = ("_resident",)
    droppable = False

    def __init__(self, resident: Mobile) -> None:
        self._resident = resident

    def bind(self, session: WebSession) -> bytes:
        """The message; nothing if it has no mark for that player."""
        mark = _mark(session.mobile, self._resident)
        return Marks((Mark(self._resident.serial, mark),)).encode() if mark else b""


class AllMarked:
    """`Marks` of all residents in sight, for a player whose quests have changed."""

    __slots__ = ("_interested",)
    droppable = False

    def __init__(self, interested: Interested) -> None:
        self._interested = interested

    def bind(self, session: WebSession) -> bytes:
        """The message; nothing if none of them has to do with quests."""
        mobile = session.mobile
        if mobile is None:
            return b""
        seen = map(mobile.world.mobiles.get, session.known)
        those = [one for one in seen if one is not None and self._interested.has(one)]
        marks = tuple(Mark(one.serial, _mark(mobile, one)) for one in those)
        return Marks(marks).encode() if marks else b""


def _mark(player: Mobile | None, resident: Mobile) -> str:
    if player is None:
        return ""
    if any(step.whom == resident.template.key for _, _, step in journals.ongoing(player)):
        return "awaits"
    return "offers" if journals.offered_by(player, resident) else ""
