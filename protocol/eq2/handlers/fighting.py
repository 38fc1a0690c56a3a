"""Attacking, and where a ghost goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.eq2.handlers.looking import target_of
from protocol.eq2.handlers.table import command
from world import fighting, life
from world.mobile import Mobile
from world.reach import Cannot, Refusal
from world.speech import notice

if TYPE_CHECKING:
    from protocol.eq2.session import Eq2Session

NOT_FIGHTING: Final = "You strike at nobody."


@command("autoattack", "attack")
def attack(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Strike at the target, or stop (0). Raises Cannot(UNSEEN) if the target is no mobile, and as
    `fighting.attack` does."""
    if text == "0":
        notice(mobile, NOT_FIGHTING)
        return
    target = target_of(session)
    if not isinstance(target, Mobile):
        raise Cannot(Refusal.UNSEEN)
    fighting.attack(mobile, target)


@command("select_junction")
def to_healer(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Go to the healer's house, where a ghost wants to rise again."""
    life.to_healer(mobile)
