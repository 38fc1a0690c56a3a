"""Status bars, skills, war mode, answers to gumps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

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
from world import dialogs
from world.mobile import Mobile

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
    mobile.war = packet.war and not mobile.dead
    session.send(WarMode(mobile.war))
    if not mobile.war:
        session.send(Attacking(NOBODY))


@while_playing(AttackRequest)
def attack(session: UoSession, packet: AttackRequest) -> None:
    """Nobody is attacked here yet."""
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
    dialogs.answer(session.player, packet.serial, packet.kind, packet.button)
