"""Attacking, telling how strong somebody is, and where a ghost goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.eq2.combat import HEALERS_HOUSE
from protocol.eq2.handlers.looking import target_of
from protocol.eq2.handlers.table import command
from protocol.eq2.structs import BLUE, GREEN, GREY, RED, WHITE, YELLOW, arrow
from protocol.wishes import Wish, tell
from world import arms, fighting, life
from world.mobile import Mobile
from world.reach import Cannot, Refusal
from world.speech import notice

if TYPE_CHECKING:
    from protocol.eq2.session import Eq2Session

OFF: Final = "0"
"""Of the modes of `autoattack`; 1 strikes and 2 shoots, which here depends on what is in the hands."""

NOT_FIGHTING: Final = "You strike at nobody."
STOPPED: Final = "You strike no more."

STRENGTHS: Final = {
    GREY: "no match for you",
    GREEN: "easily beaten",
    BLUE: "weaker than you",
    WHITE: "as strong as you",
    YELLOW: "stronger than you",
    RED: "far stronger than you",
}


@command("attack")
def attack(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Strike at the target, blow after blow, or stop (0). Raises Cannot(UNSEEN) if the target is no mobile,
    and as `fighting.attack` does."""
    if text == OFF:
        stop(mobile)
        return
    target = target_of(session)
    if not isinstance(target, Mobile):
        raise Cannot(Refusal.UNSEEN)
    fighting.attack(mobile, target)


@command("autoattack")
def switch(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Strike or stop, by the mode that is typed; without one the other way round than now. Raises Cannot as
    `attack` does."""
    attack(session, mobile, OFF if not text and mobile.enemy else text)


def stop(mobile: Mobile) -> None:
    """Strike no more, and tell the player so."""
    notice(mobile, STOPPED if mobile.enemy else NOT_FIGHTING)
    fighting.stop(mobile)


@command("consider")
def consider(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Tell how strong the target is. Raises Cannot(UNSEEN) if the target is no mobile."""
    target = target_of(session)
    if not isinstance(target, Mobile):
        raise Cannot(Refusal.UNSEEN)
    level = arms.level_of(target)
    strength = STRENGTHS[arrow(level, arms.level_of(mobile))]
    notice(mobile, f"{target.label} is of level {level}: {strength}.")


@command("select_junction")
def to_healer(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Go to the healer's house, where a ghost wants to rise again; the number is that of the window of the
    dead. Raises Cannot as `life.to_healer` does."""
    if text not in ("", str(HEALERS_HOUSE)):
        tell(session, Wish.UNASKED)
    else:
        life.to_healer(mobile)
