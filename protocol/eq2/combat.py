"""Fights as this game's clients hear of them: blows, deaths, healing, levels.

A blow is one message (HearCombat), of which a client makes numbers, words and effects by itself. It names two
ghosts, and a client is sent it only if it has that of the one struck: who strikes out of its sight is nobody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.eq2.mentions import Between
from protocol.eq2.packets import (
    BLOCK,
    CRITICAL,
    CRUSHED,
    HIT,
    MISS,
    MOST_DAMAGE,
    NO_STEPS,
    NO_TURNS,
    NOBODY,
    PIERCED,
    SLASHED,
    HearCombat,
    HearDeath,
    HearHeal,
    ShowDeathWindow,
    UpdateClientPredFlags,
    WayBack,
)
from world.rules.combat import Manner, Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.eq2.versions import Eq2Version
    from world.events import Died, Mended, Struck

RESULTS: Final[Mapping[Outcome, int]] = {
    Outcome.HIT: HIT,
    Outcome.CRITICAL: HIT,
    Outcome.BLOCKED: BLOCK,
    Outcome.MISSED: MISS,
}
DAMAGES: Final[Mapping[Manner, int]] = {
    Manner.FIST: CRUSHED,
    Manner.SLASH: SLASHED,
    Manner.PIERCE: PIERCED,
    Manner.BASH: CRUSHED,
    Manner.SHOOT: PIERCED,
    Manner.BITE: PIERCED,
}
"""Kinds of damage by how a blow is struck."""

HEALING: Final = "healing"
"""What somebody is healed by, in the client's line."""

HEALERS_HOUSE: Final = 1
"""The number of the way back to the healer, which is the only one."""
DEATH_WINDOW: Final = ShowDeathWindow((WayBack(HEALERS_HOUSE, "", "The healer's house", "Go there"),))

STILL: Final = UpdateClientPredFlags(NO_STEPS, 1), UpdateClientPredFlags(NO_TURNS, 1)
FREE: Final = UpdateClientPredFlags(NO_STEPS, 0), UpdateClientPredFlags(NO_TURNS, 0)
"""What takes control of its character from a player, and what gives it back."""


def struck(event: Struck, version: Eq2Version, *, own: bool) -> Between:
    """HearCombat. Who looks on may lose it if its connection is slow."""
    target = event.target.serial

    def words(attacker: int) -> bytes:
        return version.encode(
            HearCombat(
                attacker=attacker,
                defender=target,
                proxy=target,
                result=RESULTS[event.outcome],
                kind=DAMAGES[event.manner],
                damage=max(0, min(event.damage, MOST_DAMAGE)),
                critical=CRITICAL if event.outcome is Outcome.CRITICAL else 0,
            )
        )

    return Between(event.thing.serial, target, words, droppable=not own)


def died(event: Died, version: Eq2Version) -> Between:
    """HearDeath."""
    dead = event.thing.serial

    def words(killer: int) -> bytes:
        return version.encode(HearDeath(attacker=killer, defender=dead))

    return Between(event.by.serial if event.by is not None else NOBODY, dead, words, droppable=False)


def mended(event: Mended, version: Eq2Version) -> Between:
    """HearHeal, of one who healed itself: the world does not say who did."""
    mobile = event.thing.serial
    amount = max(0, min(event.hits, MOST_DAMAGE))

    def words(healer: int) -> bytes:
        return version.encode(HearHeal(caster=healer, target=mobile, amount=amount, spell=HEALING))

    return Between(mobile, mobile, words, droppable=True)
