"""Notes on a board whose window is open: `protocol.uo.boards` shows them, `world.boards` has the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.uo.boards import body, header
from protocol.uo.handlers.looking import seen
from protocol.uo.handlers.table import TABLE, Kinds
from protocol.uo.packets.boards import BoardRequest, BoardWish, WrittenNote
from protocol.wishes import Wish
from world import boards
from world.item import Item
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.uo.session import UoSession
    from world.mobile import Mobile

BOARDS: Final[Kinds[BoardRequest]] = Kinds("0x71", Wish.UNKNOWN)
"""Kinds of 0x71."""


@TABLE.while_playing(BoardRequest)
def request(session: UoSession, mobile: Mobile, packet: BoardRequest) -> None:
    """Something about a note on a board."""
    BOARDS.handle(session, mobile, packet.kind, packet)


@BOARDS.on(BoardWish.BODY, "BoardBody")
def read(session: UoSession, mobile: Mobile, packet: BoardRequest) -> None:
    """Read a note. Raises Cannot, as `boards.read`, and UNSEEN or NO_NOTE."""
    board = _board(session, packet)
    session.send(body(board, _note(mobile, board, packet.note)))


@BOARDS.on(BoardWish.HEADER, "BoardHeader")
def head(session: UoSession, mobile: Mobile, packet: BoardRequest) -> None:
    """The line of a note, which the client asks for by itself. Raises Cannot, as `read`."""
    board = _board(session, packet)
    session.send(header(board, _note(mobile, board, packet.note)))


@BOARDS.on(BoardWish.POST, "BoardPost")
def pin(session: UoSession, mobile: Mobile, packet: BoardRequest) -> None:
    """Pin a note; an answer to another is a note like any. Raises Cannot, as `boards.pin`, and UNSEEN.
    Raises WireError if there is none in the packet."""
    written, _ = WrittenNote.read(packet.rest, 0)
    boards.pin(
        mobile, _board(session, packet), written.subject, "\n".join(line.text for line in written.lines)
    )


@BOARDS.on(BoardWish.REMOVE, "BoardRemove")
def unpin(session: UoSession, mobile: Mobile, packet: BoardRequest) -> None:
    """Take a note down. Raises Cannot, as `boards.unpin`, and UNSEEN or NO_NOTE."""
    board = _board(session, packet)
    boards.unpin(mobile, board, _note(mobile, board, packet.note))


def _board(session: UoSession, packet: BoardRequest) -> Item:
    board = seen(session, packet.board)
    if not isinstance(board, Item):
        raise Cannot(Refusal.NO_BOARD)
    return board


def _note(mobile: Mobile, board: Item, serial: int) -> Item:
    """A note on a board. Raises Cannot, as `boards.read`, and NO_NOTE."""
    for note in boards.read(mobile, board):
        if note.serial == serial:
            return note
    raise Cannot(Refusal.NO_NOTE)
