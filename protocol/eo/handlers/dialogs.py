"""Dealing with NPCs, and blows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias, get_args

from eolib import (
    AttackUseClientPacket,
    BankOpenClientPacket,
    BarberOpenClientPacket,
    CitizenOpenClientPacket,
    GuildOpenClientPacket,
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
from protocol.eo.handlers.motion import DIRECTIONS
from protocol.eo.handlers.table import on, playing
from protocol.eo.looks import to_heading
from protocol.refusals import refused_in_words
from protocol.session import Phase
from protocol.wishes import Wish, tell
from world import fighting, residents
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.eo.session import EoSession

Click: TypeAlias = (
    QuestUseClientPacket
    | BankOpenClientPacket
    | BarberOpenClientPacket
    | CitizenOpenClientPacket
    | GuildOpenClientPacket
    | MarriageOpenClientPacket
    | PriestOpenClientPacket
    | ShopOpenClientPacket
    | StatSkillOpenClientPacket
)
CLICKS: Final[tuple[type[Click], ...]] = get_args(Click)
"""What a client sends for a click on an NPC, by its type in the NPC list (sorokya/eoweb: npc-controller)."""

BLOW_SECONDS: Final = 0.48
"""Between two blows: what the original server lets pass by the client's clock. Here the others wait, as in
eoserv; a second one may come early because the way delayed the first."""


def talk_to(session: EoSession, packet: Click) -> None:
    """A click on an NPC: Quest_Use, Bank_Open, Shop_Open and so on, by its type in the NPC list. Who is there
    talks, as to the players of the other games."""
    mobile, npc = playing(session), known_npc(session, packet.npc_index)
    if mobile is None:
        return
    with refused_in_words(mobile):
        if npc is None:
            raise Cannot(Refusal.UNSEEN)
        residents.talk_to(mobile, npc)


for _click in CLICKS:
    on(_click, during=Phase.IN_WORLD, every=Interval(ASKING_SECONDS, burst=3))(talk_to)


@on(QuestAcceptClientPacket, during=Phase.IN_WORLD)
def answer_dialog(session: EoSession, packet: QuestAcceptClientPacket) -> None:
    """Quest_Accept: a link or the OK of a dialog. Who answers what is asked no more is told so."""
    mobile = playing(session)
    if mobile is not None:
        with refused_in_words(mobile):
            if not dialogs.answer(mobile, packet):
                tell(session, Wish.UNASKED)


@on(AttackUseClientPacket, during=Phase.IN_WORLD, every=Interval(BLOW_SECONDS, burst=2))
def strike(session: EoSession, packet: AttackUseClientPacket) -> None:
    """Attack_Use: a blow into the air; the clients of this game show it."""
    mobile = playing(session)
    if mobile is None or packet.direction not in DIRECTIONS:
        return
    with refused_in_words(mobile):
        fighting.strike(mobile, to_heading(packet.direction))
