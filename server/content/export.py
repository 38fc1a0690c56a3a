"""`causeway export`: a realm as the map files of a game, for the folder of that game's clients.

What is written, and where in a client's folder it belongs, is the game's business (`Game.export`); what holds
for all of them is checked here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.export import ExportError
from protocol.games import GAMES
from protocol.tables import LookError
from server.operate.check import DATA

if TYPE_CHECKING:
    from pathlib import Path

    from protocol.export import Order
    from world.content import Content


def export(game: str, content: Content, order: Order, data: Path = DATA) -> list[str]:
    """Write a realm's files for a game; what was written and what to do with it, in lines. `data` is where
    the content is from. Raises ExportError and OSError."""
    if order.realm not in content.charts:
        raise ExportError(f"there is no realm {order.realm}; there are: {', '.join(sorted(content.charts))}")
    if order.client is not None:
        if not order.client.is_dir():
            raise ExportError(f"{order.client} is not a folder")
        if order.to.resolve() == order.client.resolve():
            raise ExportError(
                f"{order.to} is the client's own folder: write to another one, and copy it from there"
            )
    writer = GAMES[game].export
    if writer is None:
        raise ExportError(f"no realm can be written for {GAMES[game].title}")
    try:
        return writer(content, order, data)
    except LookError as error:
        raise ExportError("\n".join(error.problems)) from error
