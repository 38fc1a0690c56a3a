"""Boards as this game's own window.

    click on a board  ->  Board_Open    ->  Board_Open     the notes, the newest first
    click on a note   ->  Board_Take    ->  Board_Player   its words
    Board_Create, Board_Remove          ->  Board_Open     the list anew

A map knows eight boards, by the tile specs Board1 to Board8: the first of a realm, in the order in which its
chart names them. A client says again with each wish on which board it is, but not all by the same number
(facts/eo.md, section 7): so the one that it was shown last counts. Notes are numbered as they were shown
there, whatever was pinned meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from eolib import BoardOpenServerPacket, BoardPlayerServerPacket, BoardPostListing
from eolib.protocol.map import MapTileSpec

from protocol.eo.packets import bodies
from protocol.eo.session import ShownBoard
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence

    from protocol.eo.session import EoSession
    from protocol.outgoing import Outgoing
    from world.content import Chart, Content
    from world.events import BoardOpened
    from world.item import Item
    from world.mobile import Mobile

SPECS: Final = (
    MapTileSpec.Board1,
    MapTileSpec.Board2,
    MapTileSpec.Board3,
    MapTileSpec.Board4,
    MapTileSpec.Board5,
    MapTileSpec.Board6,
    MapTileSpec.Board7,
    MapTileSpec.Board8,
)

BREAK: Final = "\r"
"""Ends a line of a note (eoweb, board dialog)."""


class Draws(Protocol):
    """A view, as far as it is asked here."""

    def session_of(self, mobile: Mobile) -> EoSession | None:
        """The client of this game that plays it."""


def places(chart: Chart, templates: Collection[str]) -> list[tuple[int, int]]:
    """The tiles of those boards of a realm that its map can name; `templates`: of boards."""
    return [(one.x, one.y) for one in chart.fixtures if one.template in templates][: len(SPECS)]


def tiles(chart: Chart, content: Content) -> dict[tuple[int, int], MapTileSpec]:
    """Specs of the tiles on which boards stand."""
    return dict(zip(places(chart, templates(content)), SPECS, strict=False))


def templates(content: Content) -> frozenset[str]:
    """The item templates that are boards."""
    return frozenset(key for key, kind in content.items.items() if kind.board)


def opened(view: Draws, event: BoardOpened, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
    """Board_Open: the list of the notes on a board."""
    session = view.session_of(event.thing)
    if session is None:
        return ()
    session.board = ShownBoard(event.board, tuple(event.notes))
    posts = [
        BoardPostListing(post_id=number, author=note.note.signed, subject=note.name or "")
        for number, note in enumerate(event.notes, 1)
        if note.note is not None
    ]
    return bodies(BoardOpenServerPacket(board_id=_number(event.board), posts=posts))


def post(shown: ShownBoard, number: int) -> BoardPlayerServerPacket:
    """Board_Player: the words of a note. Raises Cannot(NO_NOTE) if it is not there any more."""
    words = noted(shown, number).note
    assert words is not None
    return BoardPlayerServerPacket(post_id=number, post_body=words.text.replace("\n", BREAK))


def noted(shown: ShownBoard, number: int) -> Item:
    """The note that has a number. Raises Cannot(NO_NOTE) if it is not there any more."""
    if not 1 <= number <= len(shown.notes) or shown.notes[number - 1].parent is not shown.board:
        raise Cannot(Refusal.NO_NOTE)
    return shown.notes[number - 1]


def _number(board: Item) -> int:
    """From 1 on; of a board that the map does not name the last there is, and no wish goes by it."""
    realm = board.realm
    there = [] if realm is None else places(realm.chart, templates(board.world.content))
    return there.index((board.x, board.y)) + 1 if (board.x, board.y) in there else len(SPECS)
