"""Events of parties: who comes and goes, how the others fare, and what a kill gave to each.

They are told to one member each (`PartyChanged`, `PartyShared`) or to all alike (`PartyStirred`), wherever
these are, and carry all that a window needs: lists and bars are drawn from them alone.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

import attrs

from world.companions import LootRule, MemberState
from world.service_events import Served
from world.thing import Event

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.mobile import Mobile, Viewport


class PartyTurn(enum.Enum):
    """Changes of a party; the value is the line about it, in which {who} is a name."""

    JOINED = "{who} joins the party."
    LEFT = "{who} leaves the party."
    EXPELLED = "{who} is sent out of the party."
    LOST = "{who} has been away for too long and is of the party no more."
    OUT = "{who} is of the party no more."
    """It left, was sent out or was away for too long, in another world: which of these is not told there."""
    AWAY = "{who} is away; the party waits for five minutes."
    BACK = "{who} is back."
    LED = "{who} leads the party now."
    LOOT = "Loot of the party: {loot}."
    ENDED = "The party is no more."
    SHOWN = "Your party: {names}. Loot: {loot}."
    """Nothing changed: a client asked, or begins to be told."""


LOOT_WORDS = {
    LootRule.FINDER: "whoever finds it",
    LootRule.TURNS: "each in turn",
    LootRule.LEADER: "the leader",
}
"""How people say who takes what a creature leaves."""

OWN = {
    PartyTurn.JOINED: "You join the party of {leader}.",
    PartyTurn.LEFT: "You leave the party.",
    PartyTurn.EXPELLED: "You are sent out of the party.",
    PartyTurn.OUT: "You are of the party no more.",
    PartyTurn.LED: "You lead the party now.",
}
"""Lines for the one that a change is about."""


@attrs.define
class PartyChanged(Served):
    """A player's party changed, or it is in one, or in none any more. `who` is the member that it is about
    (None: all of them); `members` are all as they are now, the leader first: none, once its player is in no
    party."""

    thing: Mobile
    what: PartyTurn
    who: MemberState | None
    members: Sequence[MemberState]
    loot: LootRule
    viewers: Sequence[Viewport]
    begins: bool = False
    """Whether its player's client knows of no member yet, so that a window has to be made of all."""

    @property
    def leader(self) -> int:
        """Serial of the leader; 0 once its player is in no party."""
        return self.members[0].serial if self.members else 0

    def words(self, *, own: bool) -> str | None:
        """Line that says what became of the party."""
        about = self.who is not None and self.who.serial == self.thing.serial
        line = OWN.get(self.what, self.what.value) if about else self.what.value
        names = [member.name if member.online else f"{member.name} (away)" for member in self.members]
        return line.format(
            who=self.who.name if self.who is not None else "",
            leader=names[0] if names else "",
            names=", ".join(names),
            loot=LOOT_WORDS[self.loot],
        )


@attrs.frozen
class Stirred:
    """Hits, mana, stamina, level, place or life of a member changed: `what` are flags of
    `world.companions.Stir`."""

    member: MemberState
    what: int


@attrs.define
class PartyStirred(Event):
    """Members of a party fare otherwise than a second ago. All members receive it, those among them, at
    most once a second; of mana and stamina alone every two seconds. All that has changed is one event: what
    each kind of viewer is told of it is looked for once."""

    thing: None
    party: int
    """Number of the party."""
    stirred: Sequence[Stirred]
    viewers: Sequence[Viewport]

    @property
    def anywhere(self) -> bool:
        """True: it concerns a party, wherever its members are."""
        return True

    def replaces(self, older: Event) -> bool:
        """Whether an older one says nothing more than this one."""
        if not isinstance(older, PartyStirred) or older.party != self.party:
            return False
        told = {one.member.serial: one.what for one in self.stirred}
        return all(one.what & told.get(one.member.serial, 0) == one.what for one in older.stirred)

    def words(self, *, own: bool) -> str | None:
        """None: nobody wants to read every blow that another takes far away."""
        return None


@attrs.frozen
class Share:
    """Experience of one member for a kill, and the level that it reached by that; 0 if it reached none."""

    serial: int
    name: str
    experience: int
    level: int = 0


@attrs.define
class PartyShared(Served):
    """A party shared the experience of a kill, of the creature `of`. Each of those who had a share receives
    all shares; its own has come as `Gained` before."""

    thing: Mobile
    of: Mobile
    shares: Sequence[Share]
    viewers: Sequence[Viewport]
