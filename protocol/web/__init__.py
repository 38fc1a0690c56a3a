"""The game in the browser: JSON lines over WebSocket.

`GAME` is all that is known of it elsewhere; `seam.py` puts everything together. Everything the two say to
each other is in `packets`; what the lines travel in is the server's business (`server.web.play`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.game import Game
from protocol.web.listener import WebListener

if TYPE_CHECKING:
    from collections.abc import Iterator

    from protocol.family import Family
    from world.content import Content


def family(content: Content) -> Family:
    """The game for one world's content. Raises LookError for mistakes in its tables."""
    from protocol.web.seam import family as make

    return make(content)


def documents(_: Content) -> Iterator[str]:
    """Descriptions of its messages, in sections of Markdown."""
    from protocol.web.packets import describe

    yield "# Messages of the web client"
    yield from describe.documents()


GAME: Final = Game(
    name="web",
    title="the browser",
    listener=WebListener,
    family=family,
    documents=documents,
    draws_ground=True,
)
