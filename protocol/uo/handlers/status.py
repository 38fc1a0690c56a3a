"""Status bars, skills, war mode, answers to gumps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.refusals import refused_in_words, tell_refusal
from protocol.uo import appearance as look
from protocol.uo.handlers.table import while_playing
from protocol.uo.handlers.things import find
from protocol.uo.packets.combat import (
    Attacking,
    AttackRequest,
    DeathAnswer,
    Skills,
    TargetAnswer,
    WarMode,
    WarModeRequest,
)
from protocol.uo.packets.gumps import GumpAnswer
from protocol.uo.packets.things import StatusRequest
from world import dialogs, fighting
from world.mobile import Mobile
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.uo.session import UoSession

STATUS_BAR, SKILLS = 4, 5

NOBODY: Final = 0


@while_playing(StatusRequest)
def status_request(session: UoSession, packet: StatusRequest) -> None:
    """Tell a status bar, the player's own in full; or the player's skills, of which there are none."""
    thing = find(session, packet.serial)
    if not isinstance(thing, Mobile):
        return
    own = thing is session.mobile
    if packet.kind == SKILLS and own:
        session.send(Skills(()))
    elif packet.kind == STATUS_BAR:
        session.send(look.full_status(thing, session.dialect) if own else look.compact_status(thing))


@while_playing(WarModeRequest)
def war_mode(session: UoSession, packet: WarModeRequest) -> None:
    """Draw or sheathe. Ghosts do not."""
    mobile = session.player
    with refused_in_words(mobile):
        fighting.set_war(mobile, packet.war)
    session.send(WarMode(mobile.war))
    if not mobile.war:
        session.send(Attacking(NOBODY))


@while_playing(AttackRequest)
def attack(session: UoSession, packet: AttackRequest) -> None:
    """Strike somebody. Whom the client means to fight it forgets again, if it may not."""
    target = find(session, packet.serial)
    try:
        if not isinstance(target, Mobile):
            raise Cannot(Refusal.UNSEEN)
        fighting.attack(session.player, target)
    except Cannot as cannot:
        tell_refusal(session.player, cannot)
        session.send(Attacking(NOBODY))


@while_playing(DeathAnswer)
def death_answer(session: UoSession, packet: DeathAnswer) -> None:
    """The client answers "you are dead" by itself; the world knows already."""


@while_playing(TargetAnswer)
def target_answer(session: UoSession, packet: TargetAnswer) -> None:
    """Nothing asked for a target."""


@while_playing(GumpAnswer)
def gump_answer(session: UoSession, packet: GumpAnswer) -> None:
    """Hand the answer to its dialog, which takes it only if it asked for it."""
    try:
        dialogs.answer(session.player, packet.serial, packet.kind, packet.button)
    except Cannot as cannot:
        # The client has closed its window.
        tell_refusal(session.player, cannot)
        dialogs.remind(session.player, packet.serial)
