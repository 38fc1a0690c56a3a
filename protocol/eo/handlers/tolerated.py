"""What a 0.0.28 client may send for features the world does not have yet.

The client waits for an answer to each of these before it changes anything, so silence leaves it in the right
belief: the potion is still in its pack, the shop stays closed.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from protocol.eo.handlers.table import TABLE
from protocol.eo.packets import CLIENT_PACKETS, name_of
from protocol.session import Phase

if TYPE_CHECKING:
    from eolib import Packet

    from protocol.eo.session import EoSession

log = logging.getLogger("net.eo")


def ignore(session: EoSession, packet: Packet) -> None:
    """Note it and go on."""
    log.debug("%r: %s is not supported", session, name_of(type(packet)))


for opcode, kind in CLIENT_PACKETS.items():
    if TABLE.entry(opcode) is None:
        TABLE.on(kind, during=Phase.IN_WORLD)(ignore)
