"""Quests: the journal, what becomes of it, and who has to do with it."""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 # cattrs reads the annotations

import attrs

from protocol.web.packets.base import Message, message, text


@message("quests")
class AskQuests(Message):
    """Read one's journal. Answer: `Journal`."""


@message("give_up")
class GiveUp(Message):
    """Give up a quest that is open (`Task.key`). Answer: `Quest`, or words."""

    key: str = text(64)


@attrs.frozen
class Task:
    """A quest as it stands in one's journal."""

    key: str
    name: str
    line: str
    """What is to be done now, with how much of it is."""
    open: bool = True
    count: int = 0
    """How much of the step is done, and of how much."""
    amount: int = 0
    times: int = 0
    """How often it was finished."""
    realm: str = ""
    """Where the step can be done: name of the realm, and a tile; empty: nowhere in particular."""
    x: int = 0
    y: int = 0


@message("journal")
class Journal(Message):
    """All one's quests: the open ones, then those that are done."""

    quests: Sequence[Task]
    shown: bool = True
    """Whether its player asked for it; else it only says where one has to go."""


@message("quest")
class Quest(Message):
    """A quest got on: `what` is begun, advanced, step, finished or given up. The last two are not open."""

    what: str
    task: Task
    gained: str = ""
    """The reward of a finished one, in words."""


@attrs.frozen
class Mark:
    """A resident's mark: `offers` a quest, `awaits` one who has a step to do there; empty: none any more."""

    id: int
    mark: str = ""


@message("marks")
class Marks(Message):
    """Marks over the heads of residents in sight. Whoever is shown (`Show`) has none before it is told."""

    marks: Sequence[Mark]
