"""Points spent on attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eolib import StatSkillAddClientPacket

from protocol.eo.handlers.table import TABLE
from protocol.eo.status import ATTRIBUTES
from protocol.wishes import Wish, tell
from world import learning
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.eo.session import EoSession
    from world.mobile import Mobile


@TABLE.while_playing(StatSkillAddClientPacket)
def spend(session: EoSession, mobile: Mobile, packet: StatSkillAddClientPacket) -> None:
    """StatSkill_Add: a click on an arrow of the sheet, which is one point; the turn tells what came of it.
    Raises Cannot: UNKNOWN attribute, AMOUNT. Spells have no points yet."""
    wanted = packet.action_type_data
    if isinstance(wanted, StatSkillAddClientPacket.ActionTypeDataSkill):
        tell(session, Wish.LEARNING)
        return
    attribute = None
    if isinstance(wanted, StatSkillAddClientPacket.ActionTypeDataStat):
        attribute = ATTRIBUTES.get(wanted.stat_id)
    if attribute is None:
        raise Cannot(Refusal.UNKNOWN)
    learning.spend(mobile, attribute)
