"""Guilds as state: the guild, its members, what it is to other guilds, and what its log says.

The rules are in `world.guilds`. Each of these is a record (`world.records`): a row of its own.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final

import attrs

from world import records
from world.records import Record
from world.stored import stored

if TYPE_CHECKING:
    from collections.abc import Mapping


class Rank(enum.IntEnum):
    """Place of a member in its guild; who is more may do more. The numbers are on disk."""

    RECRUIT = 0
    MEMBER = 1
    OFFICER = 2
    LEADER = 3


class Right(enum.Flag):
    """Deeds for a guild that not every rank may do."""

    INVITE = enum.auto()
    PROMOTE = enum.auto()
    """Promote and demote those below, as far as below oneself."""
    EXPEL = enum.auto()
    """Those below."""
    NOTICE = enum.auto()
    WITHDRAW = enum.auto()
    """Take out of the bank; everybody may put into it."""
    TIES = enum.auto()
    """Declare wars, make peace and alliances."""
    LEAD = enum.auto()
    """Hand the guild over, or dissolve it."""


RIGHTS: Final[Mapping[Rank, Right]] = {
    Rank.RECRUIT: Right(0),
    Rank.MEMBER: Right.INVITE,
    Rank.OFFICER: Right.INVITE | Right.PROMOTE | Right.EXPEL | Right.NOTICE | Right.WITHDRAW,
    Rank.LEADER: ~Right(0),
}


@records.kind("guild_member")
class Member(Record):
    """One member, who may be away: what the others read of it is kept here."""

    guild: int = attrs.field(default=0, metadata=stored(refers="guild"))
    character: int = attrs.field(default=0, metadata=stored(refers="character"))
    name: str = attrs.field(default="", metadata=stored())
    rank: int = attrs.field(default=Rank.RECRUIT, metadata=stored())
    """A `Rank`."""
    level: int = attrs.field(default=1, metadata=stored())
    """When it was last here."""
    given: int = attrs.field(default=0, metadata=stored(wide=True))
    """Gold that it has put into the bank, in all."""
    joined_at: float = attrs.field(default=0.0, metadata=stored())
    seen_at: float = attrs.field(default=0.0, metadata=stored())
    """When it was last here. Both in seconds UTC."""

    here: bool = attrs.field(default=False, init=False, repr=False)
    """Whether the others were told that it has come. Never stored."""

    @property
    def rights(self) -> Right:
        """All that it may do."""
        return RIGHTS[Rank(self.rank)]


class Bond(enum.StrEnum):
    """Relation of two guilds. The words are on disk."""

    ALLIED = "allied"
    WAR = "war"


@records.kind("guild_tie")
class Tie(Record):
    """An alliance or a war of two guilds."""

    guild: int = attrs.field(default=0, metadata=stored(refers="guild"))
    """Who proposed or declared it."""
    other: int = attrs.field(default=0, metadata=stored(refers="guild"))
    bond: str = attrs.field(default=Bond.WAR.value, metadata=stored())
    """A `Bond`."""
    since: float = attrs.field(default=0.0, metadata=stored())
    """Seconds UTC."""


@records.kind("guild_entry")
class Entry(Record):
    """One line of a guild's log."""

    guild: int = attrs.field(default=0, metadata=stored(refers="guild"))
    at: float = attrs.field(default=0.0, metadata=stored())
    """Seconds UTC."""
    who: str = attrs.field(default="", metadata=stored())
    deed: str = attrs.field(default="", metadata=stored())
    """What was done, behind the name: `put 50 gold coins into the bank`."""


@records.kind("guild")
class Guild(Record):
    """A guild. All members who are in the world hold it (`Mobile.guild`)."""

    name: str = attrs.field(default="", metadata=stored())
    tag: str = attrs.field(default="", metadata=stored())
    """Two or three capital letters, which stand beside its members' names."""
    notice: str = attrs.field(default="", metadata=stored())
    """What its members read when they come in."""
    founded_at: float = attrs.field(default=0.0, metadata=stored())
    """Seconds UTC."""
    box: int = attrs.field(default=0, metadata=stored(refers="item"))
    """Serial of the box that its bank is in; 0 before anything was put there."""

    members: dict[int, Member] = attrs.field(factory=dict, init=False, repr=False)
    """By the character's serial, in the order of joining."""
    ties: dict[int, Tie] = attrs.field(factory=dict, init=False, repr=False)
    """By the other guild's number."""
    log: list[Entry] = attrs.field(factory=list, init=False, repr=False)
    """Oldest first."""
    copied_gold: int = attrs.field(default=0, init=False, repr=False)
    """Coins in its bank, as they were told to a world that does not keep it."""

    def rank_of(self, serial: int) -> Rank | None:
        """The rank of a character; None of one who is no member."""
        member = self.members.get(serial)
        return None if member is None else Rank(member.rank)

    def bond(self, other: Guild | None) -> Bond | None:
        """Relation of another guild to this one; None: nothing."""
        tie = None if other is None else self.ties.get(other.number)
        return None if tie is None else Bond(tie.bond)
