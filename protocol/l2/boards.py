"""Boards in the window of the community's board (alt+B): the subjects of the notes as links, and the words of
the one that was chosen.

    click on a board, alt+B  ->  ShowBoard     the subjects
    a link of one            ->  ShowBoard     its words, and to take it down if that is one's own
    pin a note               ->  NpcHtmlMessage: `world.bulletins` asks for its words

A page comes in three parts, of which the first has room for all of ours; of too many notes the oldest are
left out. What a link sends back counts as on any page: if it is of the page that was shown last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.l2.dialogs import page
from protocol.l2.packets import ShowBoard
from world import bulletins

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from protocol.l2.session import L2Session
    from protocol.l2.versions import L2Version
    from protocol.outgoing import Outgoing
    from world.events import BoardOpened
    from world.item import Item
    from world.mobile import Mobile

READ, PIN, DOWN = "read", "pin", "down"
"""The deeds that links name."""

PARTS: Final = ("101", "102", "103")
LIMIT: Final = 4_090
"""Characters of a part, of a page that older public servers cut so (L2J, BaseBBSManager: separateAndSend);
newer ones put more into one."""

_BREAK: Final = "\x08"


def link(board: Item, deed: str = "", note: Item | None = None) -> str:
    """The bypass of a link on a board's page: without a deed it leads back to the list."""
    number = "" if note is None else str(note.serial)
    return "_".join(filter(None, ("board", str(board.serial), deed, number)))


def opened(view: object, event: BoardOpened, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
    """ShowBoard: the subjects of the notes, and a link for each."""
    board = event.board
    links = [] if event.thing.dead else [(link(board, PIN), "Pin a note.")]
    links += [
        (link(board, READ, note), f"{note.name} ({note.note.signed})")
        for note in event.notes
        if note.note is not None
    ]
    return _parts(version, board, [] if event.notes else ["Nothing is pinned here."], links)


def shown(version: L2Version, reader: Mobile, board: Item, note: Item) -> Sequence[Outgoing]:
    """ShowBoard: the words of a note."""
    assert note.note is not None
    head = [note.name or "", f"{note.note.signed}, {bulletins.day(note.note.at)}"]
    links = [(link(board), "Back to the board.")]
    if bulletins.may_take_down(reader, [note]):
        links.append((link(board, DOWN, note), "Take it down."))
    return _parts(version, board, [*head, *note.note.text.split("\n")], links)


def _parts(
    version: L2Version, board: Item, lines: Sequence[str], links: Sequence[tuple[str, str]]
) -> Sequence[Outgoing]:
    html = page(board.label, lines, links, limit=LIMIT, closes=False)
    back = f"bypass {link(board)}"
    first, *others = (
        ShowBoard(
            1, back, back, back, back, back, back, back, back, f"{part}{_BREAK}{html * (part == PARTS[0])}"
        )
        for part in PARTS
    )
    offered = [link(board), *(bypass for bypass, _ in links)]
    return BoardPage(version.encode(first), offered), *version.bodies(*others)


class BoardPage:
    """The first part of a page, upon which the window opens, or shows it in place of the one before."""

    __slots__ = ("_links", "_raw")
    droppable = False

    def __init__(self, raw: bytes, links: Sequence[str]) -> None:
        self._raw = raw
        self._links = frozenset(links)

    def bind(self, session: L2Session) -> bytes:
        """The message. Notes which links the client's player has before it now."""
        session.html = self._links
        return self._raw
