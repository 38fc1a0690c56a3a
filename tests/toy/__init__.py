"""A game of two packets: one enters by name and password, and one speaks.

`tests/test_toy_game.py` adds it to a copy of the program as ARCHITECTURE says, and proves that nothing else
is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.game import Game

from .listener import ToyListener

if TYPE_CHECKING:
    from protocol.family import Family
    from world.content import Content


def family(content: Content) -> Family:
    """The game for one world's content."""
    from .seam import family as make

    return make(content)


GAME: Final = Game(name="toy", title="the Toy", listener=ToyListener, family=family)
