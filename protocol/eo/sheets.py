"""One's own sheet: experience, level, points and attributes, as far as a client does not know them.

How far a character has come is told in three ways: by the death of an NPC, by itself, and in answer to a
point that was spent; each says some of what the others do. So a session keeps what its client believes, and
each message, when it is finished, says what the client does not know by then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
from eolib import LevelUpStats, RecoverReplyServerPacket, StatSkillPlayerServerPacket

from protocol.eo.packets import encode
from protocol.eo.session import Growth
from protocol.eo.status import (
    NEUTRAL_KARMA,
    experience,
    level,
    points,
    recover_list,
    secondary,
    stat_points,
    stats_update,
)

if TYPE_CHECKING:
    from protocol.eo.session import EoSession
    from world.mobile import Mobile


def growth_of(mobile: Mobile) -> Growth:
    """Experience, level and points of a mobile, as far as EO can show them."""
    return Growth(experience(mobile.experience), level(mobile.level), stat_points(mobile))


def growth_reply(session: EoSession, mobile: Mobile) -> RecoverReplyServerPacket:
    """One's own experience, and one's level with the points for it if that is another; from here on it counts
    as known."""
    before, now = session.growth, growth_of(mobile)
    if now.level == before.level:
        session.growth = attrs.evolve(before, experience=now.experience)
        return RecoverReplyServerPacket(experience=now.experience, karma=NEUTRAL_KARMA)
    session.growth = now
    return RecoverReplyServerPacket(
        experience=now.experience,
        karma=NEUTRAL_KARMA,
        level_up=now.level,
        stat_points=now.points,
        skill_points=0,
    )


def level_up(session: EoSession, mobile: Mobile) -> LevelUpStats:
    """Level, points and bars of a mobile; from here on the first two, and its experience, count as known."""
    session.growth = now = growth_of(mobile)
    return LevelUpStats(
        level=now.level,
        stat_points=now.points,
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
        known, now = session.growth, growth_of(self._mobile)
        if (known.experience, known.level) == (now.experience, now.level):
            return b""
        return encode(growth_reply(session, self._mobile))


class OwnStats:
    """Tells one client its attributes: StatSkill_Player if it does not know how many points are left, else
    Recover_List."""

    droppable = False

    def __init__(self, mobile: Mobile) -> None:
        self._mobile = mobile

    def bind(self, session: EoSession) -> bytes:
        """The packet for this client; notes the points and numbers that it knows of then."""
        session.numbers = _numbers(session, self._mobile)
        left = stat_points(self._mobile)
        if session.growth.points == left:
            return encode(recover_list(self._mobile))
        session.growth = attrs.evolve(session.growth, points=left)
        return encode(StatSkillPlayerServerPacket(stat_points=left, stats=stats_update(self._mobile)))


class OwnNumbers:
    """Tells one client its damage, accuracy, evade and armour, if they have changed with its skills:
    Recover_List."""

    droppable = False

    def __init__(self, mobile: Mobile) -> None:
        self._mobile = mobile

    def bind(self, session: EoSession) -> bytes:
        """The packet for this client, none if it knows the numbers; notes them then."""
        known, session.numbers = session.numbers, _numbers(session, self._mobile)
        return b"" if known == session.numbers else encode(recover_list(self._mobile))


def _numbers(session: EoSession, mobile: Mobile) -> object:
    """A mobile's numbers of a fight, beside what its client believes that it wears: what was put on since has
    brought numbers of its own."""
    now = secondary(mobile)
    worn = tuple(sorted(session.belongings.worn.items()))
    return now.min_damage, now.max_damage, now.accuracy, now.evade, now.armor, worn
