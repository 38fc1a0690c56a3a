"""Ways of characters of Lineage II."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from protocol.l2.packets import MoveToLocation


def way(message: MoveToLocation) -> tuple[int, int, int]:
    """Where somebody goes."""
    return message.to_x, message.to_y, message.to_z
