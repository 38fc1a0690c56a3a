"""Refusals and unmet wishes for which the client has a text of its own, in its player's language.

A text is here only if it says the same as the world's words. These stay words for want of that:

- GONE and NOBODY: the client speaks of a "target", or of a player, and both are said of other things, too;
- PEACEFUL: its "peaceful zone" sends one to look for another;
- GUILD: "you are not a clan member" sends one to look for a clan;
- FLOODING: "try again later" does not say why;
- DEFEATED, GUARDED, YOUNG and NOT_YOUR_KILL: "invalid target" does not say why;
- NEAR: its texts about distance all say that something is too far away;
- FARMING: the manor is not "under maintenance".

What a line says beyond the reason is never lost: then it has no meaning but its words (`Said.means`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.l2.packets import SystemMessageId
from protocol.wishes import Wish
from world.reach import Refusal

if TYPE_CHECKING:
    import enum
    from collections.abc import Mapping

OWN_TEXTS: Final[Mapping[enum.Enum, SystemMessageId]] = {
    Refusal.AMOUNT: SystemMessageId.MORE_THAN_YOU_HAVE,
    Refusal.BLOCKED: SystemMessageId.CANNOT_DISCARD_HERE,  # only what is put down is ever refused so
    Refusal.DRAINED: SystemMessageId.NOT_ENOUGH_MP,
    Refusal.FAR: SystemMessageId.TARGET_OUT_OF_RANGE,
    Refusal.FIXED: SystemMessageId.CANNOT_BE_MOVED,
    Refusal.FULL: SystemMessageId.INVENTORY_FULL,
    Refusal.GAGGED: SystemMessageId.CHAT_PROHIBITED,
    Refusal.HEAVY: SystemMessageId.WEIGHT_LIMIT_EXCEEDED,
    Refusal.NO_ALLIANCE: SystemMessageId.NOT_ALLIED,
    Refusal.NO_AMMUNITION: SystemMessageId.OUT_OF_ARROWS,
    Refusal.NO_GUILD: SystemMessageId.NOT_A_CLAN_MEMBER,
    Refusal.ONESELF: SystemMessageId.CANNOT_USE_ON_YOURSELF,
    Refusal.PEACE: SystemMessageId.NO_ATTACK_IN_PEACEFUL_ZONE,
    Refusal.POOR: SystemMessageId.NOT_ENOUGH_ADENA,
    Refusal.SITTING: SystemMessageId.CANNOT_MOVE_WHILE_SITTING,  # public servers say it of skills, too
    Refusal.UNSEEN: SystemMessageId.CANNOT_SEE_TARGET,
    Wish.ANIMALS: SystemMessageId.PETS_NOT_AVAILABLE,
    Wish.OLYMPIAD: SystemMessageId.OLYMPIAD_NOT_IN_PROGRESS,
}
"""None of them has parameters."""
