"""Dealing with NPCs, and blows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eolib import (
    AttackPlayerServerPacket,
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
from protocol.eo.packets import encode
from protocol.session import Phase
from protocol.wire.body import Body
from world import life, motion
from world.mobile import Posture

if TYPE_CHECKING:
    from protocol.eo.session import EoSession
    from world.mobile import Mobile

LEAST_BETWEEN_BLOWS: Final = 48
"""Centiseconds of the client's clock: what the original server lets pass."""

HEALER: Final = "healer"


@on(QuestUseClientPacket, during=Phase.IN_WORLD, every=ASKING_SECONDS)
def talk_to(session: EoSession, packet: QuestUseClientPacket) -> None:
    """Quest_Use: a click on somebody who has something to say. A click stands for a greeting."""
    mobile, npc = playing(session), known_npc(session, packet.npc_index)
    if mobile is None or npc is None:
        return
    if mobile.dead and npc.template.key == HEALER:
        life.offer_resurrection(mobile, npc)
    else:
        _address(mobile, npc, "hello")


@on(BankOpenClientPacket, during=Phase.IN_WORLD, every=ASKING_SECONDS)
def ask_banker(session: EoSession, packet: BankOpenClientPacket) -> None:
    """Bank_Open: a click on a banker, who tells the balance."""
    mobile, npc = playing(session), known_npc(session, packet.npc_index)
    if mobile is not None and npc is not None:
        _address(mobile, npc, "balance")


def _address(mobile: Mobile, npc: Mobile, words: str) -> None:
    """Let an NPC hear what was not said aloud, if it listens at all."""
    hears = mobile.world.listeners.get(npc.serial)
    if hears is not None:
        hears(mobile, words)


@on(QuestAcceptClientPacket, during=Phase.IN_WORLD)
def answer_dialog(session: EoSession, packet: QuestAcceptClientPacket) -> None:
    """Quest_Accept: a link or the OK of a dialog. What fits no open dialog is silence."""
    mobile = playing(session)
    if mobile is not None:
        dialogs.answer(mobile, packet)


@on(AttackUseClientPacket, during=Phase.IN_WORLD)
def strike(session: EoSession, packet: AttackUseClientPacket) -> None:
    """Attack_Use: a blow into the air; the clients of this game show it."""
    mobile = playing(session)
    if mobile is None or packet.direction not in DIRECTIONS or mobile.posture != Posture.STANDING:
        return
    if not session.in_time("attack", packet.timestamp, LEAST_BETWEEN_BLOWS):
        return
    motion.turn(mobile, to_heading(packet.direction))
    players = session.view.figures.ids.players
    swing = AttackPlayerServerPacket(player_id=session.player_id, direction=packet.direction)
    body = Body(encode(swing), droppable=True)
    for eyes in mobile.world.watching(mobile):
        viewer = players.sessions.get(players.number(eyes.mobile) or 0)
        if viewer is not None and viewer is not session and mobile.serial in viewer.known:
            viewer.queue(body)
