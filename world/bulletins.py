"""Boards as dialogs, for players whose game has no window for them.

    come up to a board  ->  read, pin, take down  ->  which, or what  ->  `world.boards`

A refusal is told.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Final

from world import boards, speech
from world.dialogs import Button, Choice, Line, Option, Reply, ask
from world.mobile import Access
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from world.item import Item
    from world.mobile import Mobile

BOARD_DIALOG: Final = "BoardDialog"

READ, PIN, UNPIN = 1, 2, 3

BACK: Final = Button(0, "Back to the board.")
LEAVE: Final = Button(0, "Leave it.")

NAMED: Final = 5
"""Subjects that are told at once."""


def show(actor: Mobile, board: Item) -> None:
    """Come up to a board: what is on it, and what one may do. Raises Cannot, as `boards.read`.
    A game with a window for boards opens that instead."""
    if boards.BOARD in actor.windows:
        boards.show(actor, board)
        return
    notes = boards.read(actor, board)
    if notes:
        subjects = [f'"{note.name}" by {_signed(note)}' for note in notes[:NAMED]]
        more = f" and {len(notes) - NAMED} more" if len(notes) > NAMED else ""
        text = f"Pinned here: {', '.join(subjects)}{more}."
    else:
        text = "Nothing is pinned here."
    buttons = [Button(READ, "Read a note.")] if notes else []
    if not actor.dead:
        buttons.append(Button(PIN, "Pin a note."))
        if may_take_down(actor, notes):
            buttons.append(Button(UNPIN, "Take a note down."))
    asks = {READ: _ask_which, PIN: ask_words, UNPIN: _ask_whose}

    def answered(reader: Mobile, reply: Reply) -> None:
        if reply.button:
            speech.or_tell(reader, lambda: asks[reply.button](reader, board))

    ask(actor, BOARD_DIALOG, title=board.label, text=text, buttons=(*buttons, LEAVE), answered=answered)


def in_words(note: Item) -> str:
    """A note as a line: subject, who, when, and the words."""
    assert note.note is not None
    return f"{note.name} ({note.note.signed}, {day(note.note.at)}): {' '.join(note.note.text.split())}"


def day(at: float) -> str:
    """Date and time of a note; `at`: seconds since 1970."""
    return datetime.datetime.fromtimestamp(at, datetime.UTC).strftime("%Y-%m-%d %H:%M")


def by_number(actor: Mobile, board: Item, number: int) -> Item:
    """The note of that number, from 1 on, the newest first. Raises Cannot, as `boards.read`, and NO_NOTE."""
    notes = boards.read(actor, board)
    if not 1 <= number <= len(notes):
        raise Cannot(Refusal.NO_NOTE)
    return notes[number - 1]


def _signed(note: Item) -> str:
    return note.note.signed if note.note is not None else ""


def may_take_down(actor: Mobile, notes: Sequence[Item]) -> list[Item]:
    """Those of some notes that the actor may take down."""
    staff = actor.access > Access.PLAYER
    return [one for one in notes if one.note is not None and (staff or one.note.author == actor.serial)]


def _ask_which(actor: Mobile, board: Item) -> None:
    _choose(actor, board, boards.read(actor, board), "Which one?", "Read it.", _tell)


def _ask_whose(actor: Mobile, board: Item) -> None:
    found = may_take_down(actor, boards.read(actor, board))
    _choose(actor, board, found, "Which one comes down?", "Take it down.", _take_down)


def _tell(actor: Mobile, board: Item, note: Item) -> None:
    boards.read(actor, board)
    if note.parent is not board:
        raise Cannot(Refusal.NO_NOTE)

    def answered(reader: Mobile, reply: Reply) -> None:
        if reply.button:
            speech.or_tell(reader, lambda: show(reader, board))

    ask(
        actor,
        BOARD_DIALOG,
        title=board.label,
        text=in_words(note),
        buttons=(Button(1, "Read another."), LEAVE),
        answered=answered,
    )


def _take_down(actor: Mobile, board: Item, note: Item) -> None:
    boards.unpin(actor, board, note)
    show(actor, board)


def _choose(
    actor: Mobile,
    board: Item,
    notes: Sequence[Item],
    prompt: str,
    label: str,
    then: Callable[[Mobile, Item, Item], None],
) -> None:
    """Ask for one of some notes. What the player saw counts, whatever was pinned meanwhile."""
    if not notes:
        raise Cannot(Refusal.NO_NOTE)
    options = [Option(number, f"{one.name} ({_signed(one)})") for number, one in enumerate(notes, 1)]

    def answered(reader: Mobile, reply: Reply) -> None:
        if reply.button:
            (number,) = reply.chosen("note")
            speech.or_tell(reader, lambda: then(reader, board, notes[number - 1]))
        else:
            speech.or_tell(reader, lambda: show(reader, board))

    ask(
        actor,
        BOARD_DIALOG,
        title=board.label,
        text=prompt,
        buttons=(Button(1, label), BACK),
        answered=answered,
        inputs=(Choice("note", prompt, options),),
    )


def ask_words(actor: Mobile, board: Item) -> None:
    """Ask what a new note shall say. Raises Cannot, as `boards.read`."""
    boards.read(actor, board)

    def answered(writer: Mobile, reply: Reply) -> None:
        if reply.button:
            subject, text = reply.line("subject"), reply.line("text")
            speech.or_tell(writer, lambda: boards.pin(writer, board, subject, text))

    ask(
        actor,
        BOARD_DIALOG,
        title=board.label,
        text="What shall it say?",
        buttons=(Button(1, "Pin it."), LEAVE),
        answered=answered,
        inputs=(
            Line("subject", "Its subject:", longest=boards.LONGEST_SUBJECT),
            Line("text", "Its words:"),
        ),
    )
