"""Quests as a designer writes them: steps one after the other, and what they are worth.

The rules are in `world.quests`, the table in data/quests.toml. Places are in tiles, times in seconds,
residents and creatures are named by the key of their template.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence  # noqa: TC003 # rows of data/ are read into these
from typing import Final

import attrs

END: Final = "end"
"""What a step leads to that is the last of its quest."""

REWARD: Final = "reward"
"""The step of who has done everything and has no room for the reward yet. No step of a quest may be called
so."""


class Kind(enum.Enum):
    """Kinds of steps, by what they ask for."""

    GO = "go"
    """To be near a place."""
    TALK = "talk"
    """To talk to a resident; with `words`, to have the word of the letter for it."""
    BRING = "bring"
    """To bring things to a resident, who takes all of them or none."""
    HUNT = "hunt"
    """To have a share in the death of creatures."""
    CHOOSE = "choose"
    """To choose one of some answers of a resident's; each leads to a step."""
    WAIT = "wait"
    """To let time pass."""


@attrs.frozen
class Way:
    """An answer of a step to choose, and the step that it leads to."""

    text: str
    to: str


@attrs.frozen
class Step:
    """One step. Which of its fields count depends on its kind."""

    key: str
    kind: Kind
    text: str
    """What is to be done, as the journal says it."""
    done: str = ""
    """What `whom` says when it is done; `{name}` is the player."""
    to: str = ""
    """The step that follows; empty: the next one, or the end."""
    whom: str = ""
    """Resident of talk, bring and choose."""
    realm: str = ""
    x: int = 0
    y: int = 0
    radius: int = 4
    """Of go: how near one has to come (Chebyshev)."""
    item: str = ""
    """Item template of bring."""
    kinds: Sequence[str] = ()
    """Creatures of hunt, any of which counts."""
    amount: int = 1
    """How many items or creatures."""
    ways: Sequence[Way] = ()
    seconds: float = 0.0
    words: Sequence[str] = ()
    """Words of which each letter has one: see `world.letters`."""


@attrs.frozen
class Reward:
    """Pay for a quest: gold, experience, and items with their amounts."""

    gold: int = 0
    experience: int = 0
    items: Sequence[tuple[str, int]] = ()


@attrs.frozen
class Quest:
    """One quest. `text` is what its giver says when it offers it."""

    key: str
    name: str
    text: str
    giver: str
    steps: Sequence[Step]
    reward: Reward = Reward()
    level: int = 1
    """The least level of who may begin it."""
    again: float | None = None
    """Seconds after which it can be done anew; None: once only."""
    letter: str = ""
    """Item template of the letter that its giver hands over at the beginning; empty: there is none."""

    def step(self, key: str) -> Step | None:
        """The step of that key."""
        return next((step for step in self.steps if step.key == key), None)

    def after(self, step: Step) -> str:
        """Key of the step that follows one, or `END`."""
        if step.to:
            return step.to
        at = self.steps.index(step) + 1
        return self.steps[at].key if at < len(self.steps) else END


class State(enum.Enum):
    """State of a quest for one character."""

    NONE = "none"
    """Never done, and not begun."""
    OPEN = "open"
    DONE = "done"


class Change(enum.Enum):
    """Changes of a quest in a journal."""

    BEGUN = "begun"
    ADVANCED = "advanced"
    """One more of what the step asks for."""
    STEP = "step"
    """Another step is to be done now."""
    FINISHED = "finished"
    GIVEN_UP = "given up"


@attrs.frozen
class Entry:
    """One quest in a journal, as it stands at that moment. `step` is None if it is not open, or only waits
    for room for its reward."""

    quest: Quest
    state: State
    step: Step | None
    count: int
    """How much of the step is done."""
    line: str
    """What is to be done, with how much of it is."""
    times: int
    """How often it was finished."""
    place: tuple[str, int, int] | None = None
    """Where the step can be done: key of the realm, x, y; None if that is nowhere in particular."""
