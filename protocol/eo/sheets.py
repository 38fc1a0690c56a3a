"""One's own sheet: experience, level, points and attributes, as far as a client does not know them.

How far a character has come is told in three ways: by the death of an NPC, by itself, and in answer to a
point that was spent; each says some of what the others do. So a session keeps what its client believes, and
each message, when it is finished, says what the client does not know by then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eolib import LevelUpStats, RecoverReplyServerPacket, StatSkillPlayerServerPacket

from protocol.eo.packets import encode
from protocol.eo.status import (
    NEUTRAL_KARMA,
    experience,
    level,
    points,
    recover_list,
    stat_points,
    stats_update,
)

if TYPE_CHECKING:
    from protocol.eo.session import EoSession, Growth
    from world.mobile import Mobile


def growth_reply(belief: Growth, mobile: Mobile) -> RecoverReplyServerPacket:
    """One's own experience, and one's level with the points for it if that is another; from here on it counts
    as known."""
    belief.experience = experience(mobile.experience)
    if belief.level == level(mobile.level):
        return RecoverReplyServerPacket(experience=belief.experience, karma=NEUTRAL_KARMA)
    belief.level, belief.points = level(mobile.level), stat_points(mobile)
    return RecoverReplyServerPacket(
        experience=belief.experience,
        karma=NEUTRAL_KARMA,
        level_up=belief.level,
        stat_points=belief.points,
        skill_points=0,
    )


def level_up(belief: Growth, mobile: Mobile) -> LevelUpStats:
    """What a new level brings; from here on it counts as known."""
    belief.level, belief.points = level(mobile.level), stat_points(mobile)
    return LevelUpStats(
        level=belief.level,
        stat_points=belief.points,
        skill_points=0,
        max_hp=points(mobile.hits_max),
        max_tp=points(mobile.mana_max),
        max_sp=points(mobile.stam_max),
    )


class OwnGrowth:
    """Tells one client the experience and level that it does not know of yet: Recover_Reply."""

    droppable = False

    def __init__(self, mobile: Mobile) -> None:
        self._mobile = mobile

    def bind(self, session: EoSession) -> bytes:
        """The packet for this client, none if it knows all that; notes what it knows then."""
        belief, mobile = session.growth, self._mobile
        if (belief.experience, belief.level) == (experience(mobile.experience), level(mobile.level)):
            return b""
        return encode(growth_reply(belief, mobile))


class OwnStats:
    """Tells one client its attributes: StatSkill_Player if it does not know how many points are left, else
    Recover_List."""

    droppable = False

    def __init__(self, mobile: Mobile) -> None:
        self._mobile = mobile

    def bind(self, session: EoSession) -> bytes:
        """The packet for this client; notes the points that it knows of then."""
        left = stat_points(self._mobile)
        if session.growth.points == left:
            return encode(recover_list(self._mobile))
        session.growth.points = left
        return encode(StatSkillPlayerServerPacket(stat_points=left, stats=stats_update(self._mobile)))
