"""War, blows, and what the dead choose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.refusals import refused_in_words
from protocol.uo.handlers.looking import find
from protocol.uo.handlers.table import TABLE
from protocol.uo.packets.fighting import (
    Attacking,
    AttackRequest,
    BandageRequest,
    DeathAnswer,
    ResourceRequest,
    WarMode,
    WarModeRequest,
)
from world import fighting, life, using
from world.item import Item
from world.mobile import Mobile
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.uo.session import UoSession


NOBODY: Final = 0

RISE: Final = 1
"""Choice of 0x2C: live again at once (POL's documentation of 0x2C)."""


@TABLE.while_playing(WarModeRequest)
def war_mode(session: UoSession, mobile: Mobile, packet: WarModeRequest) -> None:
    """Draw or sheathe. Ghosts do not."""
    with refused_in_words(mobile):
        fighting.set_war(mobile, packet.war)
    session.send(WarMode(mobile.war))
    if not mobile.war:
        session.send(Attacking(NOBODY))


@TABLE.while_playing(AttackRequest)
def attack(session: UoSession, mobile: Mobile, packet: AttackRequest) -> None:
    """Strike somebody. If it may not, the client is told again whom it fights, or that it fights nobody.
    Raises Cannot(UNSEEN) if there is nobody of that number, and as `fighting.attack` does."""
    target = find(session, packet.serial)
    try:
        if not isinstance(target, Mobile):
            raise Cannot(Refusal.UNSEEN)
        fighting.attack(mobile, target)
    except Cannot:
        session.send(Attacking(mobile.fighter.enemy if mobile.fighter is not None else NOBODY))
        raise


@TABLE.while_playing(BandageRequest)
def bandage(session: UoSession, mobile: Mobile, packet: BandageRequest) -> None:
    """Dress wounds, by the client's macro. Raises Cannot(UNSEEN or GONE) if there is no patient or no
    bandage, and as `using.use` does."""
    item, patient = find(session, packet.bandage), find(session, packet.patient)
    if not isinstance(item, Item):
        raise Cannot(Refusal.GONE)
    if not isinstance(patient, Mobile):
        raise Cannot(Refusal.UNSEEN)
    using.use(mobile, item, patient)


@TABLE.while_playing(ResourceRequest)
def gather(session: UoSession, mobile: Mobile, packet: ResourceRequest) -> None:
    """Use a tool, by the client's macro: what is gathered with it the tool says. Raises Cannot(GONE) if there
    is none, and as `using.use` does."""
    tool = find(session, packet.tool)
    if not isinstance(tool, Item):
        raise Cannot(Refusal.GONE)
    using.use(mobile, tool)


@TABLE.while_playing(DeathAnswer)
def death_answer(session: UoSession, mobile: Mobile, packet: DeathAnswer) -> None:
    """The client says by itself that it has read that it is dead; in the menu of the oldest clients its
    player may wish to live at once."""
    if packet.choice == RISE:
        life.to_healer(mobile)
