"""Quests: the journal, and the way to where one has to go."""

from __future__ import annotations

import attrs

from protocol.eq2.packets.base import Message, Record, from_client, from_server, record

NO_WAYPOINT = 0xFFFFFFFF


@record
@attrs.define
class JournalRow(Record):
    """A quest in the list of the journal. `quest_id` is ours; the date is that on which it was begun, `year`
    counted from 2000."""

    name: str
    kind: str
    zone: str
    quest_id: int
    active: int = 1
    updated: int = 0
    turned_in: int = 0
    repeatable: int = 0
    completed: int = 0
    day: int = 0
    month: int = 0
    year: int = 0
    level: int = 1
    encounter_level: int = 4
    difficulty: int = 3
    visible: int = 1


@from_server
@attrs.define
class QuestJournalUpdate(Message):
    """The list of the journal. `visible_quest`: the one that is shown on the screen; `owner`: a number of the
    player's that comes with each quest, too."""

    rows: tuple[JournalRow, ...]
    owner: int
    player: str
    visible_quest: int = 0
    updated: int = 0
    collapsed: int = 0
    used: int = 0


@record
@attrs.define
class QuestTask(Record):
    """Something to do, in words."""

    text: str
    completed: int = 0


@record
@attrs.define
class QuestProgress(Record):
    """Amount of a task that is done, and of how much. `target`: of what."""

    current: int
    most: int
    index: int = 0
    icon: int = 0
    target: str = ""


@record
@attrs.define
class QuestTaskGroup(Record):
    """A heading of the page, and what is to be done below it."""

    text: str
    tasks: tuple[QuestTask, ...] = ()
    progress: tuple[QuestProgress, ...] = ()
    waypoint: int = NO_WAYPOINT


@from_server
@attrs.define
class QuestJournalReply(Message):
    """The page of one quest. `on_screen` 1: says so on the screen, too. `tail`: a RewardData unless it is
    complete, and a byte."""

    quest_id: int
    owner: int
    name: str
    description: str
    kind: str
    header: str
    level: int = 1
    encounter_level: int = 4
    difficulty: int = 3
    complete: int = 0
    turned_in: int = 0
    finished: int = 0
    deletable: int = 1
    day: int = 0
    month: int = 0
    year: int = 0
    obtained: int = 0
    groups_done: int = 0
    groups: tuple[QuestTaskGroup, ...] = ()
    updated: int = 0
    bullets: int = 1
    on_screen: int = 0
    on_screen_count: int = 0
    on_screen_text: str = ""
    tail: bytes = b"\0"


@from_client
@attrs.define
class QuestJournalOpen(Message):
    """The player opened its journal."""


@from_client
@attrs.define
class QuestJournalInspect(Message):
    """The player chose a quest of its journal, to read its page."""

    quest_id: int


@from_client
@attrs.define
class QuestJournalSetVisible(Message):
    """The player has some quests shown on its screen, or no longer."""

    quests: tuple[int, ...]
    visible: int


@from_client
@attrs.define
class QuestJournalWaypoint(Message):
    """The player wants to be led to where a quest goes on."""

    quest_id: int


@record
@attrs.define
class PathPoint(Record):
    """A point of a way, in units."""

    x: float
    y: float
    z: float


@from_server
@attrs.define
class HelpPath(Message):
    """A glowing way, and the mark at its end."""

    points: tuple[PathPoint, ...]
    x: float
    y: float
    z: float


@from_server
@attrs.define
class HelpPathClear(Message):
    """The way glows no more."""
