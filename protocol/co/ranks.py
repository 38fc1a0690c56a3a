"""Places in guilds as this game's numbers: clients have 16 bits for a guild, and three ranks of members."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.co.packets import GuildRank
from world.guild import Rank

if TYPE_CHECKING:
    from collections.abc import Mapping

    from world.mobile import Mobile

RANKS: Final[Mapping[Rank, GuildRank]] = {
    Rank.RECRUIT: GuildRank.MEMBER,
    Rank.MEMBER: GuildRank.MEMBER,
    Rank.OFFICER: GuildRank.DEPUTY,
    Rank.LEADER: GuildRank.LEADER,
}

HIGHEST: Final = 0xFFFF
"""The highest number of a guild that is seen at figures."""


def place_of(mobile: Mobile) -> tuple[int, int]:
    """The number of somebody's guild and its rank there; zeros for none, and for one beyond HIGHEST."""
    guild = mobile.guild
    if guild is None or guild.number > HIGHEST:
        return 0, GuildRank.NONE
    rank = guild.rank_of(mobile.serial)
    return guild.number, GuildRank.NONE if rank is None else RANKS[rank]
