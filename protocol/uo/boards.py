"""Boards as this game's own window: 0x71.

    double click on a board  ->  0x71 00, 0x3C       the window, and the notes as items in it
    0x71 04                  ->  0x71 01             the line of one, which its client asks for by itself
    0x71 03                  ->  0x71 02             a note to read
    0x71 05, 0x71 06         ->  0x25, 0x1D          pinned and taken down: `world.boards`

From then on the board is a container that its client knows the content of, so what others pin and take down
is shown as things that come and go in any container.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Final, Protocol

from protocol.uo import figures as look
from protocol.uo.belongings import forget_content
from protocol.uo.packets import bodies
from protocol.uo.packets.boards import MOST_LINES, BoardShown, NoteBody, NoteHeader, ShownLine

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from protocol.outgoing import Encodable, Outgoing
    from protocol.uo.figures import Figures
    from protocol.uo.session import UoSession
    from protocol.uo.versions import UoVersion
    from world.events import BoardOpened
    from world.item import Item

LONGEST_NAME: Final = 29
"""Bytes of a board's name: the last of the 30 is a NUL (ServUO: BBDisplayBoard)."""

ROOT: Final = 0
"""Thread of a note that answers none: there are no threads in the world."""

NOBODY: Final = 0
"""Body and hue of an author of whom no picture is drawn; ClassicUO skips them."""


class Draws(Protocol):
    """A view, as far as it is asked here."""

    figures: Figures


class Window:
    """0x71 of a board that opens: bound, because its client knows by it what is pinned there."""

    __slots__ = ("_board", "_raw")
    droppable = False

    def __init__(self, board: Item, packet: Encodable) -> None:
        self._board = board
        self._raw = packet.encode()

    def bind(self, session: UoSession) -> bytes:
        """The packet."""
        forget_content(session, self._board)
        session.opened.add(self._board.serial)
        return self._raw


def opened(view: Draws, event: BoardOpened, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
    """0x71 and 0x3C: a window, and a note in it for each."""
    board = event.board
    told: list[Outgoing] = [Window(board, BoardShown(board.serial, board.label[:LONGEST_NAME]))]
    told += bodies(view.figures.content(board, version))
    if version.tooltips:
        told += bodies(*(look.revision(note) for note in event.notes))
    return told


def header(board: Item, note: Item) -> NoteHeader:
    """0x71 01 of a note."""
    assert note.note is not None
    signed, subject, day = note.note.signed, note.name or "", _day(note.note.at)
    return NoteHeader(board.serial, note.serial, ROOT, signed, subject, day)


def body(board: Item, note: Item) -> NoteBody:
    """0x71 02 of a note."""
    assert note.note is not None
    lines = tuple(ShownLine(line) for line in note.note.text.split("\n")[:MOST_LINES])
    signed, subject, day = note.note.signed, note.name or "", _day(note.note.at)
    return NoteBody(board.serial, note.serial, signed, subject, day, NOBODY, NOBODY, (), lines)


def _day(at: float) -> str:
    return datetime.datetime.fromtimestamp(at, datetime.UTC).strftime("%Y-%m-%d")
