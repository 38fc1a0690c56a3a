"""Blows, and what else one does to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.co.handlers.looking import seen
from protocol.co.handlers.table import TABLE
from protocol.co.packets import Interact, InteractType
from protocol.dispatch import Interval
from world import fighting
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.co.session import CoSession
    from world.mobile import Mobile

BLOWS: Final = frozenset({InteractType.MELEE, InteractType.SHOOT})

NOTHING: Final = {
    InteractType.COURT: "Nobody marries here yet.",
    InteractType.MARRY: "Nobody marries here yet.",
    InteractType.MAGIC: "Nobody casts spells here yet.",
    InteractType.JOIN_GUILD: "There are no guilds here yet.",
}


@TABLE.while_playing(Interact, every=Interval(1.0, burst=3))
def interact(session: CoSession, mobile: Mobile, packet: Interact) -> None:
    """Interact: strike at somebody, cast a spell, propose. Raises Cannot(UNKNOWN) for what is none of these
    here, Cannot(UNSEEN) without a target."""
    if packet.kind not in BLOWS:
        known = packet.kind in NOTHING
        raise Cannot(Refusal.UNKNOWN, NOTHING[InteractType(packet.kind)] if known else "")
    target = seen(session, mobile, packet.target)
    if target is None:
        raise Cannot(Refusal.UNSEEN)
    fighting.attack(mobile, target)
