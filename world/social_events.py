"""Events between one player and those it knows: friends, those it ignores, letters, duels. `world.events` has
all other kinds.

Each carries copies of what it tells, so that a window shows what was so when it happened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from world.service_events import Served

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.mobile import Mobile, Viewport
    from world.thing import Thing


@attrs.define
class FriendStirred(Served):
    """A friend of a player came into the world (`online`) or left it, through whatever game."""

    thing: Mobile
    serial: int
    name: str
    online: bool
    viewers: Sequence[Viewport]

    def words(self, *, own: bool) -> str | None:
        """Line that names the friend."""
        return f"Your friend {self.name} is here." if self.online else f"Your friend {self.name} has left."


@attrs.define
class FriendListed(Served):
    """A player put somebody on its list of friends (`listed`) or took somebody off it; `online`: that one is
    in the world."""

    thing: Mobile
    serial: int
    name: str
    online: bool
    listed: bool
    viewers: Sequence[Viewport]

    def words(self, *, own: bool) -> str | None:
        """Line that names the friend."""
        if not self.listed:
            return f"{self.name} is no friend of yours any more."
        return f"{self.name} is a friend of yours now."


@attrs.define
class IgnoreListed(Served):
    """A player ignores somebody from now on (`listed`), or hears of somebody again."""

    thing: Mobile
    serial: int
    name: str
    listed: bool
    viewers: Sequence[Viewport]

    def words(self, *, own: bool) -> str | None:
        """Line that names the other."""
        if self.listed:
            return f"You hear nothing of {self.name} any more."
        return f"You hear of {self.name} again."


@attrs.frozen
class Envelope:
    """A letter as its receiver sees it in a list."""

    number: int
    """Its place in the list, from 1 on, by which it is named in words."""
    serial: int
    sender: str
    subject: str
    text: str
    at: float
    """When it was sent, in seconds UTC."""
    until: float
    """When it goes back or is thrown away, in seconds UTC."""
    parcel: Sequence[tuple[str, int]]
    """What is in it: template keys and amounts, gold among them."""
    price: int
    """Gold that is to be paid for that."""
    read: bool


@attrs.define
class MailArrived(Served):
    """A letter has come for a player who is in the world."""

    thing: Mobile
    envelope: Envelope
    viewers: Sequence[Viewport]

    def words(self, *, own: bool) -> str | None:
        """Line that says who sent it, and where one gets it."""
        one = self.envelope
        what = "A parcel" if one.parcel else "A letter"
        return f"{what} from {one.sender} has come for you: {one.subject}."


@attrs.define
class MailListed(Served):
    """The letters that wait for a player, the oldest first; only a player whose game has a window for them
    receives this ("mail" in `Mobile.windows`)."""

    thing: Mobile
    envelopes: Sequence[Envelope]
    viewers: Sequence[Viewport]
    at: Thing | None = None
    """The banker or board to which it has come up for them; None: the letters have changed."""


@attrs.define
class DuelCounted(Served):
    """So many seconds until a duel begins; 0: it does."""

    thing: Mobile
    other: Mobile
    seconds: int
    viewers: Sequence[Viewport]

    def words(self, *, own: bool) -> str | None:
        """Line with the number."""
        return f"{self.seconds} ..." if self.seconds else f"Your duel with {self.other.name} begins: fight!"


@attrs.define
class DuelEnded(Served):
    """A duel is over. `won`: whether its player won it; None: nobody did. `why` says so in words."""

    thing: Mobile
    other: Mobile
    won: bool | None
    why: str
    viewers: Sequence[Viewport]

    def words(self, *, own: bool) -> str | None:
        """Line that says how it ended."""
        return self.why


TOLD: Final = (FriendStirred, FriendListed, IgnoreListed, MailArrived, DuelCounted, DuelEnded)
"""Kinds that have words, for games that have no picture of them."""
