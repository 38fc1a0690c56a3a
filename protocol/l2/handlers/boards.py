"""The window of the community's board, and the links on its pages (`protocol.l2.boards`); `world.boards` has
the rules."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from protocol.l2.boards import DOWN, PIN, shown
from protocol.l2.handlers.table import ROWS, SERVER_BYPASS
from protocol.l2.packets import RequestShowBoard
from world import boards, bulletins
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.l2.session import L2Session
    from world.mobile import Mobile

_LINK: Final = re.compile(r"board_(\d{1,10})(?:_([a-z]+))?(?:_(\d{1,10}))?")


@ROWS.while_acting(RequestShowBoard, every=SERVER_BYPASS.interval())
def show(session: L2Session, mobile: Mobile, packet: RequestShowBoard) -> None:
    """RequestShowBoard: alt+B, which shows the nearest board. Raises Cannot, as `boards.near` and
    `boards.read`."""
    boards.show(mobile, boards.near(mobile))


def follow(session: L2Session, mobile: Mobile, bypass: str) -> bool:
    """Do what a link of a board's page is for, which was offered; False if it is a link of something else.
    Raises Cannot, as `boards.read` and `boards.unpin`."""
    found = _LINK.fullmatch(bypass)
    if found is None:
        return False
    board, deed = mobile.world.items.get(int(found[1])), found[2]
    if board is None:
        raise Cannot(Refusal.GONE)
    notes = {note.serial: note for note in boards.read(mobile, board)}
    if deed is None:
        boards.show(mobile, board)
    elif deed == PIN:
        bulletins.ask_words(mobile, board)
    elif int(found[3]) not in notes:
        raise Cannot(Refusal.NO_NOTE)
    elif deed == DOWN:
        boards.unpin(mobile, board, notes[int(found[3])])
        boards.show(mobile, board)
    else:
        session.queue(*shown(session.dialect, mobile, board, notes[int(found[3])]))
    return True
