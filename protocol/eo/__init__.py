"""Endless Online: the classic client 0.0.28 and eoweb, over TCP and WebSocket.

`GAME` is all that is known of it elsewhere; `seam.py` puts everything together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.eo.listener import EoListener
from protocol.game import Game

if TYPE_CHECKING:
    from protocol.family import Family
    from world.content import Content


def family(content: Content) -> Family:
    """The game for one world's content. Raises LookError for mistakes in its tables."""
    from protocol.eo.seam import family as make

    return make(content)


GAME: Final = Game(name="eo", title="Endless Online", listener=EoListener, family=family)
