"""How often one client may do what: the flood protectors of the public servers, with their default intervals
(L2JMobius/L2Jmobius_Interlude: dist/game/config/FloodProtector.ini, in ticks of 100 ms).

There a packet that comes too soon is lost. Here it waits in its place (`protocol.dispatch.Interval`), so that
a client is always answered that waits for it, and a few at once after a pause do not wait. The one for global
chat is not here, because the world counts everybody's words (`world.speech`), and neither are those for what
the world does not have (dice, pets, mail, shops, crafting, enchanting, subclasses, auctions).
"""

from __future__ import annotations

from typing import Final

import attrs

from protocol.dispatch import Interval

TICK_SECONDS: Final = 0.1


@attrs.frozen
class Protector:
    """A protector: its name as in FloodProtector<name>Interval, its ticks, and how many may come at once."""

    name: str
    ticks: int
    burst: int = 1

    @property
    def seconds(self) -> float:
        """Between two of one client; 0: as often as it likes."""
        return self.ticks * TICK_SECONDS

    def interval(self, *, coalesced: bool = False) -> Interval:
        """That of one kind of packet, which does not count those of the others."""
        return Interval(self.seconds, self.burst, coalesced)


PLAYER_ACTION: Final = Protector("PlayerAction", 1, burst=3)
"""Clicks on the ground, on things and on buttons, and gestures."""
USE_ITEM: Final = Protector("UseItem", 0)
"""As often as one likes: no packet has it."""
SERVER_BYPASS: Final = Protector("ServerBypass", 5, burst=3)
"""Links of windows, and the client's own commands."""
DROP_ITEM: Final = Protector("DropItem", 10, burst=3)
TRANSACTION: Final = Protector("Transaction", 10, burst=3)
"""Destroying things; trade, once there is any."""
CHARACTER_SELECT: Final = Protector("CharacterSelect", 30)
"""Choosing a character, and taking back that one is to be deleted."""

PROTECTORS: Final = (
    PLAYER_ACTION,
    USE_ITEM,
    SERVER_BYPASS,
    DROP_ITEM,
    TRANSACTION,
    CHARACTER_SELECT,
)
