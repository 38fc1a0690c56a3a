"""Events of a trade between two players. Each of both receives its own, in which its side comes first; they
hold copies, for by the time they are shown the trade may be another."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

import attrs

from world.service_events import Served

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.bargain import TradeSide
    from world.mobile import Mobile, Viewport


class Off(enum.Enum):
    """Reasons for which a trade comes to nothing: the line for whoever it is about, and the one for the
    other, with a place for the name."""

    CLOSED = "You end the trade.", "{} ends the trade."
    DIED = "You are dead: the trade is off.", "{} is dead: the trade is off."
    LEFT = "You are gone: the trade is off.", "{} is gone: the trade is off."
    WARPED = "You are elsewhere: the trade is off.", "{} is elsewhere: the trade is off."
    FOUGHT = "You are in a fight: the trade is off.", "{} is in a fight: the trade is off."
    FAR = "You are too far from each other: the trade is off.", "{} is too far away: the trade is off."
    UNSEEN = "You do not see each other any more: the trade is off.", "{} is out of sight: the trade is off."


@attrs.define
class TradeOpened(Served):
    """Two players begin to trade; nothing is offered yet."""

    thing: Mobile
    other: Mobile
    viewers: Sequence[Viewport]

    def words(self, *, own: bool) -> str | None:
        """Line with the other's name, and with what one can type."""
        return f"You trade with {self.other.name}: offer, retract, agree, or endtrade."


@attrs.define
class TradeChanged(Served):
    """An offer changed, or whether somebody agrees. `changes` goes up with each change of an offer; `line` is
    all of it in words."""

    thing: Mobile
    other: Mobile
    own: TradeSide
    theirs: TradeSide
    changes: int
    line: str
    viewers: Sequence[Viewport]

    def words(self, *, own: bool) -> str | None:
        """Line of what both offer, and who agrees."""
        return self.line


@attrs.define
class TradeEnded(Served):
    """A trade is over: `done`, and then what each gave is told as it was given, or off. What changes hands
    comes after this event. In words it is told apart, what was done when it is on disk."""

    thing: Mobile
    other: Mobile
    done: bool
    own: TradeSide
    theirs: TradeSide
    viewers: Sequence[Viewport]
    why: Off | None = None
    """The reason, if it is off."""
    mine: bool = False
    """Whether that is about `thing` and not about `other`."""
