"""What one does to another: so far it comes to nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.co.handlers.looking import seen
from protocol.co.handlers.table import GAME, playing
from protocol.co.packets import Interact
from protocol.co.packets.fighting import InteractType
from protocol.dispatch import Interval
from protocol.refusals import refused_in_words
from protocol.session import Phase
from world import fighting
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.co.session import CoSession

BLOWS: Final = frozenset({InteractType.MELEE, InteractType.SHOOT})

NOTHING: Final = {
    InteractType.COURT: "Nobody marries here yet.",
    InteractType.MARRY: "Nobody marries here yet.",
    InteractType.MAGIC: "Nobody casts spells here yet.",
    InteractType.JOIN_GUILD: "There are no guilds here yet.",
}


@GAME.on(Interact, during=Phase.IN_WORLD, every=Interval(1.0, burst=3))
def interact(session: CoSession, packet: Interact) -> None:
    """Interact: strike at somebody, cast a spell, propose."""
    mobile = playing(session)
    if mobile is None:
        return
    with refused_in_words(mobile):
        if packet.kind not in BLOWS:
            known = packet.kind in NOTHING
            raise Cannot(Refusal.UNKNOWN, NOTHING[InteractType(packet.kind)] if known else "")
        target = seen(session, mobile, packet.target)
        if target is None:
            raise Cannot(Refusal.UNSEEN)
        fighting.attack(mobile, target)
