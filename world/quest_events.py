"""Events of quests: what changed in a player's journal, the journal when its player opens it, and that there
is something to do again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from world.errands import Change
from world.thing import Event

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.errands import Entry, Quest
    from world.mobile import Mobile, Viewport


@attrs.define
class QuestChanged(Event):
    """A quest of a player's got on, or ended. `entry` is how it stands then. `gained` is told of a finished
    one: the reward in words."""

    thing: Mobile
    entry: Entry
    what: Change
    viewers: Sequence[Viewport]
    gained: str = ""

    @property
    def anywhere(self) -> bool:
        """True: it concerns one player."""
        return True

    def words(self, *, own: bool) -> str | None:
        """Line with the name of the quest and what is to be done now."""
        name = self.entry.quest.name
        match self.what:
            case Change.BEGUN:
                return f"New quest: {name}. {self.entry.line}"
            case Change.FINISHED:
                return f"{name}: done. You receive {self.gained}." if self.gained else f"{name}: done."
            case Change.GIVEN_UP:
                return f"You give up: {name}."
            case _:
                return f"{name}: {self.entry.line}"


@attrs.define
class JournalOpened(Event):
    """A player opened its journal: its open quests, in the order in which they were begun, then those that it
    has finished. Only players of games that show one natively receive this."""

    thing: Mobile
    entries: Sequence[Entry]
    viewers: Sequence[Viewport]

    @property
    def anywhere(self) -> bool:
        """True: it concerns one player."""
        return True

    def words(self, *, own: bool) -> str | None:
        """Line of what is to be done in each open quest."""
        open_ones = [f"{entry.quest.name}: {entry.line}" for entry in self.entries if entry.times == 0]
        return " ".join(open_ones) or "You have no quests."


@attrs.define
class QuestsRenewed(Event):
    """Residents may have other quests for a player than a moment ago, without its doing: the time is over
    after which `quests` can be begun anew, or, without any, content has changed."""

    thing: Mobile
    quests: Sequence[Quest]
    viewers: Sequence[Viewport]

    @property
    def anywhere(self) -> bool:
        """True: it concerns one player."""
        return True

    def words(self, *, own: bool) -> str | None:
        """Line with the names of those quests, and whom to ask for them."""
        known = self.thing.world.content.mobiles
        lines = []
        for quest in self.quests:
            giver = known.get(quest.giver)
            asks = f" Ask {giver.name}." if giver is not None else ""
            lines.append(f"{quest.name} can be done again.{asks}")
        return " ".join(lines) or None
