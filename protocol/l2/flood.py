"""How often one client may do what: the flood protectors of the public servers, with their default intervals
(L2JMobius/L2Jmobius_Interlude: dist/game/config/FloodProtector.ini, in ticks of 100 ms).

There a packet that comes too soon is lost. Here of clicks, links and questions the newest is handled when its
time comes (`every` of `protocol.family.Table.on`), so that a client is always answered that waits for it; a
deed of its own (`too_soon`) is refused in words. Those for what the world does not have (dice, pets, mail,
shops, crafting, enchanting, subclasses, auctions) are not here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from world.speech import notice

if TYPE_CHECKING:
    from protocol.l2.session import L2Session
    from world.mobile import Mobile

TICK_SECONDS: Final = 0.1


@attrs.frozen
class Protector:
    """One protector: its name as in FloodProtector<name>Interval, its ticks, and what is said to whoever is
    refused."""

    name: str
    ticks: int
    refusal: str = ""

    @property
    def seconds(self) -> float:
        """Between two of one client; 0: as often as it likes."""
        return self.ticks * TICK_SECONDS


PLAYER_ACTION: Final = Protector("PlayerAction", 1)
"""Clicks on the ground, on things and on buttons, and gestures."""
USE_ITEM: Final = Protector("UseItem", 0)
SERVER_BYPASS: Final = Protector("ServerBypass", 5)
"""Links of windows, and the client's own commands."""
DROP_ITEM: Final = Protector("DropItem", 10)
TRANSACTION: Final = Protector("Transaction", 10, "Not so fast: one thing after the other.")
"""Destroying things; trade, once there is any."""
GLOBAL_CHAT: Final = Protector("GlobalChat", 5, "Not so fast: everybody is listening.")
"""Shouts and the traders' chat."""
CHARACTER_SELECT: Final = Protector("CharacterSelect", 30)
"""Choosing a character, and taking back that one is to be deleted."""

PROTECTORS: Final = (
    PLAYER_ACTION,
    USE_ITEM,
    SERVER_BYPASS,
    DROP_ITEM,
    TRANSACTION,
    GLOBAL_CHAT,
    CHARACTER_SELECT,
)


def too_soon(session: L2Session, mobile: Mobile, protector: Protector) -> bool:
    """Whether a client may not do that yet, which it is told then; else it has done it now."""
    now = mobile.world.now
    if now < session.acted.get(protector, float("-inf")) + protector.seconds:
        notice(mobile, protector.refusal)
        return True
    session.acted[protector] = now
    return False
