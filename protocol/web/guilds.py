"""Guilds as messages of this game: a panel beside the map with all that their members know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.web.packets.guilds import (
    Guild,
    GuildEntry,
    GuildMember,
    GuildMemberChanged,
    GuildRank,
    GuildTie,
)
from protocol.wire.body import Body
from world.guild import RIGHTS, Rank
from world.guild_hall import RANK_NAMES

if TYPE_CHECKING:
    from world.guild_events import GuildSheet, MemberLine

RANKS: Final = tuple(
    GuildRank(RANK_NAMES[rank], tuple(str(right.name).lower() for right in RIGHTS[rank])) for rank in Rank
)
"""What each rank may do, by its number: the page offers nothing else."""


class Sheets:
    """Messages of guilds. What has changed is told to all members at once, and so it is encoded once."""

    def __init__(self) -> None:
        self._last: tuple[GuildSheet, bool, Body] | None = None
        self._member: tuple[MemberLine, Body] | None = None

    def told(self, sheet: GuildSheet | None, *, opened: bool = False) -> Body:
        """A guild as it is now, the same for all its members; of somebody who is in none, without a
        number."""
        if sheet is None:
            return Body(Guild().encode())
        if self._last is not None and self._last[0] is sheet and self._last[1] == opened:
            return self._last[2]
        body = Body(_guild(sheet, opened=opened).encode())
        self._last = sheet, opened, body
        return body

    def changed(self, line: MemberLine) -> Body:
        """A member as it is now, the same for all the others."""
        if self._member is None or self._member[0] is not line:
            self._member = line, Body(GuildMemberChanged(member(line)).encode())
        return self._member[1]


def member(line: MemberLine) -> GuildMember:
    """A member, as the others know it."""
    return GuildMember(
        line.serial,
        line.name,
        line.rank,
        line.level,
        line.online,
        line.game,
        line.given,
        int(line.joined_at),
        int(line.seen_at),
    )


def _guild(sheet: GuildSheet, *, opened: bool) -> Guild:
    return Guild(
        sheet.number,
        sheet.name,
        sheet.tag,
        sheet.notice,
        int(sheet.founded_at),
        sheet.gold,
        tuple(map(member, sheet.members)),
        tuple(GuildTie(tie.name, tie.tag, tie.bond.value, tie.ours, int(tie.since)) for tie in sheet.ties),
        tuple(GuildEntry(int(line.at), line.who, line.deed) for line in sheet.log),
        RANKS,
        opened,
    )
