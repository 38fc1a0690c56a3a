"""Blows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eolib import AttackUseClientPacket

from protocol.dispatch import Interval
from protocol.eo.handlers.motion import DIRECTIONS
from protocol.eo.handlers.table import TABLE
from protocol.eo.looks import to_heading
from world import fighting

if TYPE_CHECKING:
    from protocol.eo.session import EoSession
    from world.mobile import Mobile

BLOW_SECONDS: Final = 0.48
"""Between two blows: what the original server lets pass by the client's clock. Here the others wait, as in
eoserv; a second one may come early because the way delayed the first."""


@TABLE.while_playing(AttackUseClientPacket, every=Interval(BLOW_SECONDS, burst=2))
def strike(session: EoSession, mobile: Mobile, packet: AttackUseClientPacket) -> None:
    """Attack_Use: a blow into the air; the clients of this game show it."""
    if packet.direction in DIRECTIONS:
        fighting.strike(mobile, to_heading(packet.direction))
