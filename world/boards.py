"""Boards: notes that players pin up for all others to read, through every game.

A board is an item that stands in a realm (`world.fixtures`), and a note is an item in it, which the store
keeps with it: its name is the subject. It cannot be taken, only taken down, by who pinned it and by the
staff. A full board drops its oldest note for a new one. (A table of notes that are no things was not taken:
they would need a way to the disk of their own, and Ultima Online shows them as things.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import audience, hands, holding, speech
from world.events import BoardOpened
from world.heading import apart
from world.item import Item, Note
from world.mobile import Access, Mobile
from world.promises import promise
from world.reach import Cannot, Refusal, can_see
from world.words import clean, masked

if TYPE_CHECKING:
    from collections.abc import Sequence

READING: Final = 5
"""Tiles from which a board is read and written on, as a sign is read."""

BOARD: Final = "board"
"""What a view's `windows` names if its game has one for boards."""

NOTE: Final = "note"
"""Item template of a note."""

LONGEST_SUBJECT: Final = 32
"""Characters: what the column of an item's name holds."""
LONGEST_TEXT: Final = 500
MOST_NOTES: Final = 40
"""On one board."""
MOST_OF_ONE: Final = 5
"""Of one author on one board."""


def near(actor: Mobile) -> Item:
    """The nearest board that the actor sees. Raises Cannot(NO_BOARD)."""
    around = [] if actor.realm is None else actor.realm.space.around(actor.x, actor.y, 2 * READING)
    found = [one for one in around if isinstance(one, Item) and one.template.board and can_see(actor, one)]
    board = min(found, key=lambda one: (apart(actor, one), one.serial), default=None)
    if board is None:
        raise Cannot(Refusal.NO_BOARD)
    return board


def at(actor: Mobile, x: int, y: int) -> Item:
    """The board on a tile of the actor's realm. Raises Cannot(NO_BOARD)."""
    around = () if actor.realm is None else actor.realm.space.around(x, y, 0)
    for one in around:
        if isinstance(one, Item) and one.template.board and (one.x, one.y) == (x, y):
            return one
    raise Cannot(Refusal.NO_BOARD)


def read(actor: Mobile, board: Item) -> Sequence[Item]:
    """The notes on a board, the newest first; the dead can read, too. Raises Cannot: GONE, UNSEEN or FAR."""
    if not board.template.board or board.world.items.get(board.serial) is not board or board.realm is None:
        raise Cannot(Refusal.GONE)
    if not can_see(actor, board):
        raise Cannot(Refusal.UNSEEN)
    if board.realm is not actor.realm or apart(actor, board) > READING:
        raise Cannot(Refusal.FAR)
    return notes(board)


def show(actor: Mobile, board: Item) -> None:
    """Open a board for a player whose game has a window for it. Raises Cannot, as `read`."""
    found = read(actor, board)
    actor.world.events.append(BoardOpened(actor, board, found, audience.one(actor)))


def pin(actor: Mobile, board: Item, subject: str, text: str) -> Item:
    """Pin a note to a board; returns it. Raises Cannot, as `read`, and DEAD, NO_WORDS, TOO_LONG, UNREADABLE,
    MANY_NOTES, GAGGED or FLOODING."""
    there = read(actor, board)
    if actor.dead:
        raise Cannot(Refusal.DEAD)
    subject, text = subject.strip(), text.strip()
    if not subject or not text:
        raise Cannot(Refusal.NO_WORDS, "A note needs a subject and some words.")
    if len(subject) > LONGEST_SUBJECT:
        raise Cannot(Refusal.TOO_LONG, f"A subject has {LONGEST_SUBJECT} characters at most.")
    if len(text) > LONGEST_TEXT:
        raise Cannot(Refusal.TOO_LONG, f"A note has {LONGEST_TEXT} characters at most.")
    lines = text.split("\n")
    if clean(subject, len(subject)) != subject or any(
        clean(line, len(line)) != line.strip() for line in lines
    ):
        raise Cannot(Refusal.UNREADABLE)
    own = [note for note in there if note.note is not None and note.note.author == actor.serial]
    if len(own) >= MOST_OF_ONE:
        raise Cannot(Refusal.MANY_NOTES)
    speech.check_voice(actor, speech.TO_ALL)
    world = actor.world
    subject, text = (masked(words, world.content.conduct.filtered) for words in (subject, text))
    note = holding.make(world, NOTE, stored=board.stored)
    note.name = subject
    note.note = Note(actor.serial, actor.name, text, world.epoch + world.now)
    world.register(note)
    holding.put(board, note)
    trim(board)
    promise(actor, f'Your note "{subject}" is pinned to {board.label}.')
    return note


def unpin(actor: Mobile, board: Item, note: Item) -> None:
    """Take a note down: one's own, or as staff any. Raises Cannot, as `read`, and DEAD, NO_NOTE or
    NOT_YOUR_NOTE."""
    read(actor, board)
    if actor.dead:
        raise Cannot(Refusal.DEAD)
    if note.parent is not board or note.note is None:
        raise Cannot(Refusal.NO_NOTE)
    if note.note.author != actor.serial and actor.access <= Access.PLAYER:
        raise Cannot(Refusal.NOT_YOUR_NOTE)
    subject = note.name
    hands.remove(note)
    promise(actor, f'You take down "{subject}".')


def notes(board: Item) -> Sequence[Item]:
    """The notes on a board, the newest first."""
    found = [item for item in board.contents.values() if item.note is not None]
    return sorted(found, key=lambda item: (-item.note.at if item.note is not None else 0.0, -item.serial))


def trim(board: Item) -> None:
    """Let the oldest notes fall of a board that has too many."""
    for note in notes(board)[MOST_NOTES:]:
        hands.remove(note)
