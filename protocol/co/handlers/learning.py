"""Points spent on attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.co.handlers.table import TABLE
from protocol.co.packets import Allot
from protocol.co.view import CoView
from protocol.dispatch import Interval
from world import learning
from world.reach import Cannot

if TYPE_CHECKING:
    from protocol.co.session import CoSession
    from world.mobile import Mobile


@TABLE.while_playing(Allot, every=Interval(0.2, burst=5))
def spend(session: CoSession, mobile: Mobile, packet: Allot) -> None:
    """Allot: points for each attribute; nothing if there are fewer. Raises Cannot: UNKNOWN, AMOUNT."""
    wanted = {
        "strength": packet.strength,
        "dexterity": packet.agility,
        "vitality": packet.vitality,
        "intelligence": packet.spirit,
    }
    try:
        learning.spend_all(mobile, {name: points for name, points in wanted.items() if points})
    except Cannot:
        session.send(*CoView.of(session).sheet(mobile))  # its client may have counted them already
        raise
