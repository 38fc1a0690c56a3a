"""Notes on a board: `protocol.eo.boards` shows them, `world.boards` has the rules.

The client waits for the list of notes after it has written or taken down one, so it is shown anew whatever
came of it (sorokya/reoserv does the same).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eolib import (
    BoardCreateClientPacket,
    BoardOpenClientPacket,
    BoardRemoveClientPacket,
    BoardTakeClientPacket,
)

from protocol.dispatch import Interval
from protocol.eo.boards import BREAK, noted, places, post, templates
from protocol.eo.handlers.looking import ASKING_SECONDS
from protocol.eo.handlers.table import TABLE
from world import boards
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.eo.session import EoSession, ShownBoard
    from world.mobile import Mobile


@TABLE.while_playing(BoardOpenClientPacket, every=Interval(ASKING_SECONDS, burst=3))
def open_board(session: EoSession, mobile: Mobile, packet: BoardOpenClientPacket) -> None:
    """Board_Open: a click on a board of the map, which the client counts from 0 on. Raises Cannot, as
    `boards.read`, and NO_BOARD."""
    realm = mobile.realm
    there = [] if realm is None else places(realm.chart, templates(mobile.world.content))
    if packet.board_id >= len(there):
        raise Cannot(Refusal.NO_BOARD)
    boards.show(mobile, boards.at(mobile, *there[packet.board_id]))


@TABLE.while_playing(BoardTakeClientPacket)
def read(session: EoSession, mobile: Mobile, packet: BoardTakeClientPacket) -> None:
    """Board_Take: the words of a note. Raises Cannot, as `boards.read`, and NO_BOARD or NO_NOTE."""
    shown = _shown(session)
    boards.read(mobile, shown.board)
    session.send(post(shown, packet.post_id))


@TABLE.while_playing(BoardCreateClientPacket)
def pin(session: EoSession, mobile: Mobile, packet: BoardCreateClientPacket) -> None:
    """Board_Create: a new note. Raises Cannot, as `boards.pin`, and NO_BOARD."""
    board = _shown(session).board
    boards.read(mobile, board)
    try:
        boards.pin(mobile, board, packet.post_subject, packet.post_body.replace(BREAK, "\n"))
    finally:
        boards.show(mobile, board)


@TABLE.while_playing(BoardRemoveClientPacket)
def unpin(session: EoSession, mobile: Mobile, packet: BoardRemoveClientPacket) -> None:
    """Board_Remove: take a note down. Raises Cannot, as `boards.unpin`, and NO_BOARD or NO_NOTE."""
    shown = _shown(session)
    boards.read(mobile, shown.board)
    try:
        boards.unpin(mobile, shown.board, noted(shown, packet.post_id))
    finally:
        boards.show(mobile, shown.board)


def _shown(session: EoSession) -> ShownBoard:
    """The board that a client was shown last. Raises Cannot(NO_BOARD)."""
    if session.board is None:
        raise Cannot(Refusal.NO_BOARD)
    return session.board
