"""Training: a player's decisions about its skills and attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from world.parts import Lock
from world.reach import Cannot, Refusal
from world.skills import ATTRIBUTES, SKILLS

if TYPE_CHECKING:
    from world.mobile import Mobile


def lock(mobile: Mobile, name: str, way: int) -> None:
    """Let a skill or an attribute rise or fall, or stay as it is (`Lock`). Raises Cannot(UNKNOWN) if there is
    none of that name, or no such direction."""
    if name not in (*ATTRIBUTES, *SKILLS) or mobile.learner is None:
        raise Cannot(Refusal.UNKNOWN, "That skill cannot be learned here yet.")
    if way not in (Lock.UP, Lock.DOWN, Lock.FIXED):
        raise Cannot(Refusal.UNKNOWN)
    mobile.learner.lock(name, way)
