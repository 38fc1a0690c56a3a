"""Endless Online: the classic client 0.0.28 and eoweb, over TCP and WebSocket.

`GAME` is all that is known of it elsewhere; `seam.py` puts everything together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.eo.listener import EoListener
from protocol.game import Game

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from protocol.export import Order
    from protocol.family import Family
    from world.content import Content


def family(content: Content) -> Family:
    """The game for one world's content. Raises LookError for mistakes in its tables."""
    from protocol.eo.seam import family as make

    return make(content)


def documents(_: Content) -> Iterator[str]:
    """Descriptions of its packets, in sections of Markdown."""
    from protocol.eo.packets import CLIENT_PACKETS, SERVER_PACKETS
    from protocol.eo.packets.describe import document

    yield "# Packets of Endless Online"
    yield from (document(cls, "from the client") for _, cls in sorted(CLIENT_PACKETS.items()))
    yield from (document(cls, "from the server") for _, cls in sorted(SERVER_PACKETS.items()))


def export_realm(content: Content, order: Order, data: Path) -> list[str]:
    """Write a realm as a map and the lists that it needs. See `protocol.export`."""
    from protocol.eo.export import export

    return export(content, order, data)


GAME: Final = Game(
    name="eo",
    title="Endless Online",
    listener=EoListener,
    family=family,
    documents=documents,
    export=export_realm,
    draws_ground=True,
)
