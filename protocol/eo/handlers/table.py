"""The table that the handlers of this package fill."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.dispatch import Table
from protocol.eo.packets import decoder, opcode_of_class, opcode_of_frame

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.eo.session import EoSession


def _decoder(packet: type) -> Callable[[bytes], object]:
    return decoder(packet)


TABLE: Final[Table[EoSession]] = Table(
    opcode_of_frame=opcode_of_frame, opcode_of_class=opcode_of_class, decode=_decoder, tolerant=True
)
"""Unknown packets are logged and skipped: clients newer than 0.0.28 send some."""
