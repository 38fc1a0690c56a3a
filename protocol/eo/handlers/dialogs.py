"""Talking with NPCs, and the answers to their questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias, get_args

from eolib import (
    BankOpenClientPacket,
    BarberOpenClientPacket,
    CitizenOpenClientPacket,
    MarriageOpenClientPacket,
    PriestOpenClientPacket,
    QuestAcceptClientPacket,
    QuestUseClientPacket,
    ShopOpenClientPacket,
    StatSkillOpenClientPacket,
)

from protocol.dispatch import Interval
from protocol.eo import dialogs
from protocol.eo.handlers.looking import ASKING_SECONDS, known_npc
from protocol.eo.handlers.table import TABLE
from protocol.wishes import Wish, tell
from world import residents
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.eo.session import EoSession
    from world.mobile import Mobile

Click: TypeAlias = (
    QuestUseClientPacket
    | BankOpenClientPacket
    | BarberOpenClientPacket
    | CitizenOpenClientPacket
    | MarriageOpenClientPacket
    | PriestOpenClientPacket
    | ShopOpenClientPacket
    | StatSkillOpenClientPacket
)
CLICKS: Final[tuple[type[Click], ...]] = get_args(Click)
"""Packets for a click on an NPC, by its type in the NPC list (sorokya/eoweb: npc-controller)."""


def talk_to(session: EoSession, mobile: Mobile, packet: Click) -> None:
    """Quest_Use, Bank_Open, Shop_Open and so on: a click on an NPC, by its type in the NPC list. Who is there
    talks, as to the players of the other games. Raises Cannot(UNSEEN) for an NPC out of sight."""
    npc = known_npc(session, packet.npc_index)
    if npc is None:
        raise Cannot(Refusal.UNSEEN)
    residents.talk_to(mobile, npc)


for _click in CLICKS:
    TABLE.while_playing(_click, every=Interval(ASKING_SECONDS, burst=3))(talk_to)


@TABLE.while_playing(QuestAcceptClientPacket)
def answer_dialog(session: EoSession, mobile: Mobile, packet: QuestAcceptClientPacket) -> None:
    """Quest_Accept: a link or the OK of a dialog. Who answers what is asked no more is told so."""
    if not dialogs.answer(mobile, packet):
        tell(session, Wish.UNASKED)
