"""Blows, what else one does to another, and what the client says when it has died."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.co.handlers.looking import seen
from protocol.co.handlers.table import TABLE, action
from protocol.co.packets import Action, ActionType, Interact, InteractType
from protocol.co.view import CoView
from protocol.dispatch import Interval
from protocol.wishes import Wish, tell
from world import fighting
from world.delta import MobileDelta
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


@TABLE.while_playing(Interact, every=Interval(0.2, burst=5))
def interact(session: CoSession, mobile: Mobile, packet: Interact) -> None:
    """Interact: strike at somebody, blow after blow, cast a spell, propose. The client says so once, and the
    world goes on until its character does something else. Raises Cannot(UNKNOWN) for what is none of these
    here, Cannot(UNSEEN) without a target, and as `fighting.attack` does."""
    if packet.sender != CoView.of(session).figures.ids.of(mobile):
        tell(session, Wish.FORGED)
        return
    if packet.kind not in BLOWS:
        known = packet.kind in NOTHING
        raise Cannot(Refusal.UNKNOWN, NOTHING[InteractType(packet.kind)] if known else "")
    target = seen(session, mobile, packet.target)
    if target is None:
        raise Cannot(Refusal.UNSEEN)
    fighting.attack(mobile, target)


@action(ActionType.GHOST, every=Interval(0.5, burst=2, coalesced=True))
def fallen(session: CoSession, mobile: Mobile, packet: Action) -> None:
    """GHOST: the client has shown how its character fell. What that looks like now it is told once more."""
    session.send(*CoView.of(session).sheet(mobile, MobileDelta.BODY))
