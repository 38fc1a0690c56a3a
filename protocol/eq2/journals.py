"""Quests as this game's own windows: what is offered, the journal, and the page of each quest.

A quest has a number that follows from its key, so that what a client keeps about it holds for the next time
it is here, too. Its page has one heading with what is to be done now.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Protocol, TypeVar
from zlib import crc32

import attrs

from protocol.eq2.counters import COPPER
from protocol.eq2.describing import paid
from protocol.eq2.figures import NAMING
from protocol.eq2.packets import (
    HelpPathClear,
    JournalRow,
    OfferQuest,
    QuestJournalReply,
    QuestJournalUpdate,
    QuestProgress,
    QuestTask,
    QuestTaskGroup,
    RewardData,
    RewardPack,
)
from protocol.eq2.words import LONGEST_TEXT, NARRATIVE, bodies, texts
from world import journals, quests
from world.errands import Change, State
from world.quest_events import JournalOpened, QuestChanged, QuestsRenewed
from world.wording import amount_of, listed

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from protocol.eq2.figures import Figures
    from protocol.eq2.session import Eq2Session
    from protocol.eq2.versions import Eq2Version
    from protocol.outgoing import Outgoing
    from protocol.rendering import Renderings
    from world.dialogs import Dialog
    from world.errands import Entry, Quest
    from world.mobile import Mobile
    from world.thing import Surroundings

MOST_ROWS: Final = 500
LONGEST_COMMAND: Final = 200
LONGEST_NAME: Final = 200

KIND: Final = "Errand"
"""Heading under which the journal has them."""
HEADER: Final = "To complete this quest, one has to:"
ACCEPT: Final = "q_accept_pending_quest"
DECLINE: Final = "q_deny_pending_quest"
"""Commands of the window of an offer, as public servers call them; behind them the number of the dialog."""

PAID: Final = "Quest complete!"
"""Title of the window with what was got for a quest."""


class Clerk(Protocol):
    """A view, as far as quests go."""

    figures: Figures


V = TypeVar("V", bound=Clerk)


def declare(events: Renderings[V, Eq2Version]) -> None:
    """Register how quests are shown."""
    events.renders(QuestChanged)(changed)
    events.renders(JournalOpened)(opened)
    events.tells(QuestsRenewed)


def changed(view: Clerk, event: QuestChanged, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
    """QuestJournalUpdate and QuestJournalReply, which says so on the screen; RewardPack at its end; and a
    line of text."""
    mobile, entry, line = event.thing, event.entry, event.words(own=True) or ""
    told: list[Outgoing] = []
    if event.what is Change.GIVEN_UP:
        # As public servers do: once as one that goes, and then without it.
        told.append(JournalList(mobile, [*journals.entries(mobile), entry]))
    told.append(JournalList(mobile, journals.entries(mobile), entry.quest.key))
    if event.what is not Change.GIVEN_UP:
        told.append(QuestPage(view.figures, mobile, entry, line))
    if event.what is not Change.ADVANCED:
        told.append(PathEnd(number_of(entry.quest.key)))
    if event.what is Change.FINISHED and view.figures.rendering.reward_window:
        pay = reward_of(view.figures, mobile.world, entry.quest)
        told += bodies(version, RewardPack(attrs.evolve(pay, title=PAID, text=line[:LONGEST_TEXT])))
    return *told, *texts(version, NARRATIVE, line)


def opened(view: Clerk, event: JournalOpened, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
    """QuestJournalUpdate, and QuestJournalReply for each open quest; without any a line of text."""
    if not event.entries:
        return texts(version, NARRATIVE, event.words(own=True) or "")
    return whole(view.figures, event.thing, event.entries)


def whole(figures: Figures, mobile: Mobile, entries: Sequence[Entry]) -> Sequence[Outgoing]:
    """The list, and the page of each quest that is open."""
    pages = (QuestPage(figures, mobile, entry) for entry in entries[:MOST_ROWS] if entry.state is State.OPEN)
    return JournalList(mobile, entries), *pages


def number_of(key: str) -> int:
    """The number of a quest; never 0, which is none."""
    return crc32(key.encode()) or 1


def quest_of(world: Surroundings, number: int) -> Quest | None:
    """The quest of a number."""
    return next((known for key, known in world.content.quests.items() if number_of(key) == number), None)


def offered(
    dialog: Dialog, mobile: Mobile, figures: Figures, version: Eq2Version
) -> Sequence[Outgoing] | None:
    """The window of an offer, if a dialog is that of a single quest; else None."""
    known = mobile.world.content.quests.get(dialog.about) if dialog.name == quests.OFFER else None
    if known is None:
        return None
    window = OfferQuest(
        reward=reward_of(figures, mobile.world, known),
        title=dialog.title[:LONGEST_NAME],
        difficulty=3,
        level=min(known.level, 0xFF),
        accept=f"{ACCEPT} {dialog.serial}",
        decline=f"{DECLINE} {dialog.serial}",
        text=dialog.text[:LONGEST_TEXT],
    )
    return bodies(version, window)


def reward_of(figures: Figures, world: Surroundings, known: Quest) -> RewardData:
    """Pay for a quest; experience in words, and things, too, where the windows are not to show them."""
    pay, things = known.reward, figures.rendering.reward_things
    words = [f"{pay.experience} experience"] if pay.experience else []
    if not things:
        words += [amount_of(world, item, amount) for item, amount in pay.items]
    coins = pay.gold * COPPER
    text = f"{listed(words)}."[:LONGEST_TEXT] if words else ""
    shown = paid(pay.items, world.content.items, figures) if things else ()
    return RewardData("", coins, coins, text, shown)


def _date(mobile: Mobile, entry: Entry) -> tuple[int, int, int, int]:
    """Day, month and year (counted from 2000) of a quest's beginning, and that moment in seconds UTC."""
    progress = journals.progress_of(mobile, entry.quest.key)
    begun = progress.begun_at if progress is not None else 0.0
    day = datetime.fromtimestamp(begun, UTC)
    return day.day, day.month, max(0, min(0xFF, day.year - 2000)), max(0, min(0xFFFF_FFFF, int(begun)))


class JournalList:
    """The list of the journal, with what its player wants to be shown on the screen."""

    __slots__ = ("_changed", "_entries", "_mobile")
    droppable = False

    def __init__(self, mobile: Mobile, entries: Sequence[Entry], changed: str = "") -> None:
        self._mobile = mobile
        self._entries = entries[:MOST_ROWS]
        self._changed = changed

    def bind(self, session: Eq2Session) -> bytes:
        """QuestJournalUpdate."""
        rows = tuple(self._row(session, entry) for entry in self._entries)
        here = any(entry.quest.key == self._changed for entry in self._entries)
        return session.dialect.encode(
            QuestJournalUpdate(
                rows=rows,
                owner=self._mobile.serial,
                player=NAMING.of(self._mobile)[:LONGEST_NAME],
                visible_quest=number_of(self._changed) if here else 0,
                updated=int(here),
                used=sum(row.active for row in rows),
            )
        )

    def _row(self, session: Eq2Session, entry: Entry) -> JournalRow:
        known, number = entry.quest, number_of(entry.quest.key)
        day, month, year, _ = _date(self._mobile, entry)
        done = entry.state is State.DONE
        return JournalRow(
            name=known.name[:LONGEST_NAME],
            kind=KIND,
            zone=_zone_of(self._mobile, entry),
            quest_id=number,
            active=int(entry.state is State.OPEN),
            updated=int(known.key == self._changed),
            turned_in=int(done),
            repeatable=int(known.again is not None),
            completed=int(done),
            day=day,
            month=month,
            year=year,
            level=min(known.level, 0xFF),
            visible=int(number not in session.untracked),
        )


class QuestPage:
    """The page of one quest; with a line, also words on the screen."""

    __slots__ = ("_entry", "_figures", "_line", "_mobile")
    droppable = False

    def __init__(self, figures: Figures, mobile: Mobile, entry: Entry, line: str = "") -> None:
        self._figures = figures
        self._mobile = mobile
        self._entry = entry
        self._line = line[:LONGEST_TEXT]

    def bind(self, session: Eq2Session) -> bytes:
        """QuestJournalReply."""
        mobile, entry, known = self._mobile, self._entry, self._entry.quest
        day, month, year, begun = _date(mobile, entry)
        done = int(entry.state is State.DONE)
        reward = b"" if done else session.dialect.pack_struct(reward_of(self._figures, mobile.world, known))
        return session.dialect.encode(
            QuestJournalReply(
                quest_id=number_of(known.key),
                owner=mobile.serial,
                name=known.name[:LONGEST_NAME],
                description=known.text.format(name=mobile.name)[:LONGEST_TEXT],
                kind=KIND,
                header=HEADER,
                level=min(known.level, 0xFF),
                complete=done,
                turned_in=done,
                finished=done,
                deletable=1 - done,
                day=day,
                month=month,
                year=year,
                obtained=begun,
                groups=(_group(mobile, entry),),
                updated=int(bool(self._line)),
                on_screen=int(bool(self._line)),
                on_screen_count=min(entry.count, 0xFFFF),
                on_screen_text=self._line,
                tail=reward + b"\0",
            )
        )


class PathEnd:
    """The way to where a quest went on glows no more."""

    __slots__ = ("_number",)
    droppable = False

    def __init__(self, number: int) -> None:
        self._number = number

    def bind(self, session: Eq2Session) -> bytes:
        """HelpPathClear, if the client was led there."""
        if session.led_by != self._number:
            return b""
        session.led_by = 0
        return session.dialect.encode(HelpPathClear())


def _group(mobile: Mobile, entry: Entry) -> QuestTaskGroup:
    line, step = entry.line[:LONGEST_TEXT], entry.step
    if step is None:
        return QuestTaskGroup(line)
    target = mobile.world.content.items[step.item].name if step.item else ""
    count = QuestProgress(min(entry.count, 0xFFFF), min(step.amount, 0xFFFF), target=target[:LONGEST_NAME])
    return QuestTaskGroup(line, (QuestTask(step.text[:LONGEST_TEXT]),), (count,))


def _zone_of(mobile: Mobile, entry: Entry) -> str:
    """The name of the realm where it goes on, or else where one is."""
    realm = mobile.world.realms.get(entry.place[0]) if entry.place is not None else None
    realm = realm if realm is not None else mobile.realm
    return realm.name[:LONGEST_NAME] if realm is not None else ""
