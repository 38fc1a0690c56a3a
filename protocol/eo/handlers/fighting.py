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
"""Between two requests: what the original server lets pass by the client's clock. Here the others wait, as in
eoserv; a second one may come early because the way delayed the first."""


@TABLE.while_playing(AttackUseClientPacket, every=Interval(BLOW_SECONDS, burst=2))
def strike(session: EoSession, mobile: Mobile, packet: AttackUseClientPacket) -> None:
    """Attack_Use: a blow at the tile ahead, or at what a bow reaches in that direction. Who holds the key
    asks more often than a weapon is ready: one request waits for that, the others are one with it. Raises
    Cannot: DEAD, SITTING."""
    if packet.direction in DIRECTIONS:
        fighting.strike(mobile, to_heading(packet.direction))
