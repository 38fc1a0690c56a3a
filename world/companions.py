"""Companions: parties as state, and what the members of one know of one another.

The rules are in `world.party`. A party and each of its members is a record (`world.records`): a row of its
own, so that a party outlives the server. What members know of one another are values that stay as they were
told: one may be in another realm, in none at all for a while, and played through another game, so windows of
a party are drawn from these values alone.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final

import attrs

from world import records
from world.records import Record
from world.stored import stored

if TYPE_CHECKING:
    from world.timers import Timer


class LootRule(enum.Enum):
    """Rule of a party for what creatures leave that it killed. The words are typed, and on disk."""

    FINDER = "finder"
    """Whoever of the party takes of them first."""
    TURNS = "turns"
    """One member after the other, of those who are near."""
    LEADER = "leader"
    """The leader's, if near; the whole party's if not."""


class Stir:
    """Changes of a member since the others were told of it last. Single bits."""

    HITS: Final = 0x1
    MANA: Final = 0x2
    STAM: Final = 0x4
    LEVEL: Final = 0x8
    PLACE: Final = 0x10
    """It is on another tile, or in another realm."""
    LIFE: Final = 0x20
    """It died, or lives again."""
    GAME: Final = 0x40
    """It is played through another game."""


@attrs.frozen
class MemberState:
    """A member of a party as it was when it was told of. Of one that is away (`online` is False) that is what
    it was last; `realm` is the name of one, empty for one that nobody has seen since the server started."""

    serial: int
    name: str
    short_name: str = ""
    """For clients that cannot show the name."""
    female: bool = False
    level: int = 0
    hits: int = 0
    hits_max: int = 0
    mana: int = 0
    mana_max: int = 0
    stam: int = 0
    stam_max: int = 0
    dead: bool = False
    realm: str = ""
    x: int = 0
    y: int = 0
    game: str = ""
    """Through which game it is played, by name."""
    online: bool = False

    def differs(self, before: MemberState) -> int:
        """Flags of `Stir`: the changes since an earlier state."""
        what = 0
        if (self.hits, self.hits_max) != (before.hits, before.hits_max):
            what |= Stir.HITS
        if (self.mana, self.mana_max) != (before.mana, before.mana_max):
            what |= Stir.MANA
        if (self.stam, self.stam_max) != (before.stam, before.stam_max):
            what |= Stir.STAM
        if self.level != before.level:
            what |= Stir.LEVEL
        if (self.realm, self.x, self.y) != (before.realm, before.x, before.y):
            what |= Stir.PLACE
        if self.dead != before.dead:
            what |= Stir.LIFE
        if self.game != before.game:
            what |= Stir.GAME
        return what


UNKNOWN: Final = MemberState(0, "")
"""Nobody that was told of yet."""


@records.kind("party_member")
class Fellow(Record):
    """One member of a party, who may be away: what the others read of it is kept here."""

    party: int = attrs.field(default=0, metadata=stored(refers="party"))
    character: int = attrs.field(default=0, metadata=stored(refers="character"))
    name: str = attrs.field(default="", metadata=stored())
    short_name: str = attrs.field(default="", metadata=stored())
    female: bool = attrs.field(default=False, metadata=stored())
    level: int = attrs.field(default=0, metadata=stored())
    """When it was last here."""

    state: MemberState = attrs.field(default=UNKNOWN, init=False, repr=False)
    """What the members were told of it last."""
    wait: Timer | None = attrs.field(default=None, init=False, repr=False)
    """While it is away: runs when the party waits no longer."""
    missed: bool = attrs.field(default=False, init=False, repr=False)
    """Whether the members were told that it is away."""
    world: int = attrs.field(default=0, init=False, repr=False)
    """Number of the other world in which it was found last; 0 if in none."""
    left: tuple[int, float] | None = attrs.field(default=None, init=False, repr=False)
    """Number of the world that says that nobody plays it any more, though it still is there; and when it said
    so last."""
    sought: float | None = attrs.field(default=None, init=False, repr=False)
    """Since when it was found in no world, though nobody said that it is away."""
    told: tuple[MemberState, frozenset[int]] | None = attrs.field(default=None, init=False, repr=False)
    """Of who is here: what other worlds were told of it last, and which these were."""
    told_at: float = attrs.field(default=0.0, init=False, repr=False)
    """When that was, in the world's time."""

    def unseen(self, *, online: bool) -> MemberState:
        """Its state as far as that is told by the record alone."""
        return MemberState(self.character, self.name, self.short_name, self.female, self.level, online=online)


@records.kind("party")
class Party(Record):
    """Companions: one record that all its members hold (`Mobile.party`)."""

    members: list[int] = attrs.field(factory=list)
    """Serials, the leader's first, the others in the order of joining."""
    leader: int = attrs.field(default=0, metadata=stored(refers="character"))
    loot: str = attrs.field(default=LootRule.FINDER.value, metadata=stored())
    """A `LootRule`."""
    took: int = attrs.field(default=0, metadata=stored(late=True))
    """Serial of the member whose turn it was last to take what a creature left. It changes with each kill:
    not worth a row, nor that other worlds read the parties anew."""

    fellows: dict[int, Fellow] = attrs.field(factory=dict, init=False, repr=False)
    """By the character's serial, in the order of joining."""
    beats: int = attrs.field(default=0, init=False, repr=False)
    """How often members were told how the others fare."""
    pulse: Timer | None = attrs.field(default=None, init=False, repr=False)
    """Tells the members how the others fare, while anybody is there to be told."""

    @property
    def rule(self) -> LootRule:
        """Rule for what those leave that the party kills."""
        return LootRule(self.loot)
