"""EverQuest II: the client of version 546 (2006), over EQStream.

`GAME` is all that is known of it elsewhere. The stream is in `stream`, the layouts of a version's messages
are data (data/eq2/<version>), and what stands in the world becomes ghosts in `view.py`; `seam.py` puts
everything together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.eq2.listener import Eq2Listener
from protocol.game import Game

if TYPE_CHECKING:
    from collections.abc import Iterator

    from protocol.family import Family
    from world.content import Content


def family(content: Content) -> Family:
    """The game for one world's content. Raises LookError for mistakes in its tables."""
    from protocol.eq2.seam import family as make

    return make(content)


def documents(content: Content) -> Iterator[str]:
    """Describe its messages, in sections of Markdown."""
    from protocol.eq2 import versions
    from protocol.eq2.packets import CATALOGUE

    yield "# Messages of EverQuest II"
    yield from versions.documents(versions.Eq2Versions.from_content(content, CATALOGUE).newest)


GAME: Final = Game(
    name="eq2",
    title="EverQuest II",
    listener=Eq2Listener,
    family=family,
    documents=documents,
)
