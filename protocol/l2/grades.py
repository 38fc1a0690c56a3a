"""Ranks of guilds as the client's grades, and their rights as those that it has buttons for.

The client knows nine grades, of which this uses four, and lets each clan say what each of its grades may do;
here that is the same for all guilds (`world.guild.RIGHTS`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.l2.packets import PledgeRight
from world.guild import RIGHTS, Rank, Right

if TYPE_CHECKING:
    from collections.abc import Mapping

    from world.mobile import Mobile

GRADES: Final[Mapping[Rank, int]] = {Rank.LEADER: 1, Rank.OFFICER: 2, Rank.MEMBER: 5, Rank.RECRUIT: 6}
"""The client's grades by rank: its highest is its leader's, and public servers give the fifth to whoever
joins and can be raised or lowered from there."""

LEADS: Final = 0x40
"""The bit of `relation` in UserInfo that says that one leads one's clan (facts/l2.md, section 8)."""

_RIGHTS: Final[Mapping[Right, PledgeRight]] = {
    Right.INVITE: PledgeRight.INVITE,
    Right.PROMOTE: PledgeRight.GRADES,
    Right.EXPEL: PledgeRight.DISMISS,
    Right.WITHDRAW: PledgeRight.WAREHOUSE,
    Right.TIES: PledgeRight.WAR,
}


def rights(rank: Rank) -> PledgeRight:
    """Rights of a rank, as far as the client has buttons for them."""
    found = PledgeRight(0)
    for right, theirs in _RIGHTS.items():
        if right in RIGHTS[rank]:
            found |= theirs
    return found


def rank_of(grade: int) -> Rank:
    """The rank that has a grade, or the highest of those below."""
    return next((rank for rank in sorted(GRADES, reverse=True) if grade <= GRADES[rank]), Rank.RECRUIT)


def standing(mobile: Mobile) -> tuple[int, int, int]:
    """Tell what UserInfo says of one's own clan: its number, whether one leads it (`relation`), and one's
    rights; zeros for who is in none."""
    guild = mobile.guild
    rank = None if guild is None else guild.rank_of(mobile.serial)
    if guild is None or rank is None:
        return 0, 0, 0
    return guild.number, LEADS if rank is Rank.LEADER else 0, int(rights(rank))
