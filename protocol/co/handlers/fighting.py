"""Blows, what else one does to another, and what the client says when it has died.

A client has a button for whom of the other players its own player means to hit. The world knows no such
thing: whoever is spared by it is not attacked in the first place.
"""

from __future__ import annotations

from functools import partial
from math import inf
from typing import TYPE_CHECKING, Final

from protocol.co.handlers.approaching import do_there
from protocol.co.handlers.looking import seen
from protocol.co.handlers.table import TABLE, action
from protocol.co.packets import Action, ActionType, Interact, InteractType, PkMode
from protocol.co.view import CoView
from protocol.dispatch import Interval
from protocol.wishes import Wish, tell
from world import arms, fighting, law
from world.audience import Relation, relation
from world.delta import MobileDelta
from world.reach import Cannot, Refusal
from world.speech import notice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.co.session import CoSession
    from world.mobile import Mobile

BLOWS: Final = frozenset({InteractType.MELEE, InteractType.SHOOT})

SPARED: Final = "You mean to spare them: change whom you fight first."

MODES: Final[Mapping[int, str]] = {
    PkMode.FREE: "You fight whoever you attack.",
    PkMode.PEACE: "You spare all players.",
    PkMode.TEAM: "You spare your party and your guild.",
    PkMode.CAPTURE: "You spare all players but criminals and murderers.",
}
"""Lines to whoever presses the button (PK_MODE)."""

NOTHING: Final = {
    InteractType.COURT: "Nobody marries here yet.",
    InteractType.MARRY: "Nobody marries here yet.",
    InteractType.MAGIC: "Nobody casts spells here yet.",
    InteractType.JOIN_GUILD: "Ask them by the window of your guild, or give the order guild.",
}


@TABLE.while_playing(Interact, every=Interval(0.2, burst=5))
def interact(session: CoSession, mobile: Mobile, packet: Interact) -> None:
    """Interact: strike at somebody, blow after blow, cast a spell, propose. The client says so once, and the
    world goes on until its character does something else; from afar it walks up first. Raises Cannot(UNKNOWN)
    for what is none of these here, Cannot(UNSEEN) without a target, and as `fighting.attack` does."""
    if packet.sender != CoView.of(session).figures.ids.of(mobile):
        tell(session, Wish.FORGED)
        return
    if packet.kind not in BLOWS:
        known = packet.kind in NOTHING
        raise Cannot(Refusal.UNKNOWN, NOTHING[InteractType(packet.kind)] if known else "")
    target = seen(session, mobile, packet.target)
    if target is None:
        raise Cannot(Refusal.UNSEEN)
    if _spares(session.pk_mode, mobile, target):
        raise Cannot(Refusal.PEACE, SPARED)
    do_there(
        session,
        mobile,
        target,
        arms.weapon_of(mobile).reach,
        partial(fighting.attack, mobile, target),
        partial(law.check_enemy, mobile, target),
        tries=inf,  # as long as it is seen
    )


@action(ActionType.PK_MODE, every=Interval(0.5, burst=3, coalesced=True))
def pk_mode(session: CoSession, mobile: Mobile, packet: Action) -> None:
    """PK_MODE: whom its player means to hit; the client's button follows the answer."""
    session.pk_mode = packet.data
    session.send(packet)
    notice(mobile, MODES.get(packet.data, MODES[PkMode.FREE]))


def _spares(mode: int, mobile: Mobile, target: Mobile) -> bool:
    """Whether a player does not mean to hit somebody."""
    if not target.is_character or target is mobile:
        return False
    match mode:
        case PkMode.PEACE:
            return True
        case PkMode.TEAM:
            return relation(mobile, target) in (Relation.PARTY, Relation.GUILD)
        case PkMode.CAPTURE:
            return not law.is_fair_game(target)
    return False


@action(ActionType.GHOST, every=Interval(0.5, burst=2, coalesced=True))
def fallen(session: CoSession, mobile: Mobile, packet: Action) -> None:
    """GHOST: the client has shown how its character fell. What that looks like now it is told once more."""
    session.send(*CoView.of(session).sheet(mobile, MobileDelta.BODY))
