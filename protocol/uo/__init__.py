"""Ultima Online, for clients from 5.0.9 to the newest of the 7.0.x line, encrypted or not.

`GAME` is all that is known of it elsewhere. Start reading at `packets/motion.py`, then `handlers/motion.py`,
then `view.py`; `seam.py` puts everything together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.game import Game
from protocol.uo.listener import UoListener

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from protocol.export import Order
    from protocol.family import Family
    from world.content import Content


def family(content: Content) -> Family:
    """The game for one world's content. Raises LookError for mistakes in its tables."""
    from protocol.uo.seam import family as make

    return make(content)


def documents(_: Content) -> Iterator[str]:
    """Describe its packets, in sections of Markdown."""
    from protocol.uo.packets import CLIENT_PACKETS, SERVER_PACKETS
    from protocol.wire.describe import describe

    yield "# Packets of Ultima Online"
    yield from (describe(cls, "from the client") for cls in CLIENT_PACKETS)
    yield from (describe(cls, "from the server") for cls in SERVER_PACKETS)


def export_realm(content: Content, order: Order, data: Path) -> list[str]:
    """Write a realm as files of its facet. See `protocol.export`."""
    from protocol.uo.export import export

    return export(content, order, data)


GAME: Final = Game(
    name="uo",
    title="Ultima Online",
    listener=UoListener,
    family=family,
    documents=documents,
    export=export_realm,
    draws_ground=True,
)
