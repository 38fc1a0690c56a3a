"""Ultima Online, for clients from 5.0.9 to the newest of the 7.0.x line, encrypted or not.

`GAME` is all that is known of it elsewhere. Start reading at `packets/motion.py`, then `handlers/motion.py`,
then `view.py`; `seam.py` puts everything together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.game import Game
from protocol.uo.listener import UoListener

if TYPE_CHECKING:
    from protocol.family import Family
    from world.content import Content


def family(content: Content) -> Family:
    """The game for one world's content. Raises LookError for mistakes in its tables."""
    from protocol.uo.seam import family as make

    return make(content)


GAME: Final = Game(name="uo", title="Ultima Online", listener=UoListener, family=family)
