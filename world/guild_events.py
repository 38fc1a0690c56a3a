"""Events about guilds, each between the world and one member. Whatever changes is told in a line as well
(`world.guild_rolls`); games that have a window for guilds draw it of these, and the others ask by dialogs
(`world.guild_hall`).

What they carry is a copy: it stays true to the moment it was made at, and one is made for all members.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from world.service_events import Served

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.guild import Bond, Rank
    from world.mobile import Mobile, Viewport
    from world.thing import Event


@attrs.frozen
class MemberLine:
    """One member, here or away. Times are seconds UTC."""

    serial: int
    name: str
    short_name: str
    """For clients that cannot show the other; the same while it is away."""
    rank: Rank
    level: int
    online: bool
    game: str
    """Through which game it plays now; empty while it is away."""
    given: int
    joined_at: float
    seen_at: float


@attrs.frozen
class TieLine:
    """Another guild to which there is a bond; `ours`: who proposed or declared it is this guild."""

    number: int
    name: str
    tag: str
    bond: Bond
    ours: bool
    since: float


@attrs.frozen
class LogLine:
    """One line of the log: who did what, and when, in seconds UTC."""

    at: float
    who: str
    deed: str


@attrs.frozen
class GuildSheet:
    """All there is to know about a guild, for its members."""

    number: int
    name: str
    tag: str
    notice: str
    founded_at: float
    gold: int
    members: tuple[MemberLine, ...]
    """The leader first, then by rank, and those of one rank in the order of joining."""
    ties: tuple[TieLine, ...]
    log: tuple[LogLine, ...]
    """The newest first."""

    @property
    def leader(self) -> MemberLine:
        """The one who leads it."""
        return self.members[0]

    def member(self, serial: int) -> MemberLine | None:
        """The member of that serial."""
        return next((line for line in self.members if line.serial == serial), None)


@attrs.define
class GuildOpened(Served):
    """A player wants to see its guild."""

    thing: Mobile
    sheet: GuildSheet
    viewers: Sequence[Viewport]

    def words(self, *, own: bool) -> str | None:
        """Line that sums it up."""
        sheet = self.sheet
        return f"{sheet.name} [{sheet.tag}]: {len(sheet.members)} members, led by {sheet.leader.name}."


@attrs.define
class GuildChanged(Served):
    """Something about a player's guild is different, or it has joined one: what all members know now. None:
    it is in no guild any more."""

    thing: Mobile
    sheet: GuildSheet | None
    viewers: Sequence[Viewport]


@attrs.define
class GuildMemberChanged(Served):
    """A member of a player's guild has come or gone, or is of another rank or level."""

    thing: Mobile
    member: MemberLine
    viewers: Sequence[Viewport]

    def replaces(self, older: Event) -> bool:
        """Whether an older one is about the same member."""
        return (
            isinstance(older, GuildMemberChanged)
            and older.thing is self.thing
            and older.member.serial == self.member.serial
        )
