"""Dealing with NPCs, and blows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eolib import (
    AttackUseClientPacket,
    BankOpenClientPacket,
    QuestAcceptClientPacket,
    QuestUseClientPacket,
)

from protocol.eo import dialogs
from protocol.eo.handlers.looking import ASKING_SECONDS, known_npc
from protocol.eo.handlers.motion import DIRECTIONS
from protocol.eo.handlers.table import on, playing
from protocol.eo.looks import to_heading
from protocol.family import Interval
from protocol.refusals import refused_in_words
from protocol.session import Phase
from world import fighting, residents
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.eo.session import EoSession

BLOW_SECONDS: Final = 0.48
"""Between two blows: what the original server lets pass by the client's clock. Here the others wait, as in
eoserv; a second one may come early because the way delayed the first."""


@on(QuestUseClientPacket, during=Phase.IN_WORLD, every=Interval(ASKING_SECONDS, burst=3))
def talk_to(session: EoSession, packet: QuestUseClientPacket) -> None:
    """Quest_Use: a click on somebody who has something to say."""
    _talk_to(session, packet.npc_index)


@on(BankOpenClientPacket, during=Phase.IN_WORLD, every=Interval(ASKING_SECONDS, burst=3))
def ask_banker(session: EoSession, packet: BankOpenClientPacket) -> None:
    """Bank_Open: a click on a banker, who tells the balance."""
    _talk_to(session, packet.npc_index)


def _talk_to(session: EoSession, index: int) -> None:
    mobile, npc = playing(session), known_npc(session, index)
    if mobile is None:
        return
    with refused_in_words(mobile):
        if npc is None:
            raise Cannot(Refusal.UNSEEN)
        residents.talk_to(mobile, npc)


@on(QuestAcceptClientPacket, during=Phase.IN_WORLD)
def answer_dialog(session: EoSession, packet: QuestAcceptClientPacket) -> None:
    """Quest_Accept: a link or the OK of a dialog. What fits no open dialog is silence."""
    mobile = playing(session)
    if mobile is not None:
        dialogs.answer(mobile, packet)


@on(AttackUseClientPacket, during=Phase.IN_WORLD, every=Interval(BLOW_SECONDS, burst=2))
def strike(session: EoSession, packet: AttackUseClientPacket) -> None:
    """Attack_Use: a blow into the air; the clients of this game show it."""
    mobile = playing(session)
    if mobile is None or packet.direction not in DIRECTIONS:
        return
    with refused_in_words(mobile):
        fighting.strike(mobile, to_heading(packet.direction))
