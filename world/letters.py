"""Letters that only somebody of another world can read.

A letter belongs to one quest of one character: the row of that quest has its serial. It can be read by
whoever has it, or has it lying before, and came by another game than that character; its word is then for the
one who gave the letter. So it takes two players, and two games. Which word it is depends on the letter, so
that nobody gains by having heard another's, and it counts from when the letter was read: guessing is no use.
"""

from __future__ import annotations

from hashlib import blake2s
from typing import TYPE_CHECKING, Final

from world.reach import Cannot, Refusal
from world.speech import notice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from world.errands import Step
    from world.item import Item
    from world.mobile import Mobile
    from world.parts import Progress
    from world.thing import Surroundings

MARK: Final = "letter:"

READ: Final = "letter/read"
"""Note, in the row of a quest, that its letter was read."""

OWN: Final = "You cannot read a word of it: so write people of another world. Show it to one of them."
SAME: Final = "You cannot read a word of it, no more than {name}: it is for somebody of another world."
FADED: Final = "The writing fades before your eyes: whom it was given to is not here."


def mark_of(letter: Item) -> str:
    """Note, in the row of a quest, of the letter that was given for it."""
    return f"{MARK}{letter.serial:#x}"


def letter_of(world: Surroundings, progress: Progress) -> Item | None:
    """The letter that was given for a quest, if there still is one."""
    return next((world.items[serial] for serial in _serials(progress) if serial in world.items), None)


def words_of(progress: Progress, step: Step) -> list[str]:
    """The word of the letter that was given for a quest, in small letters; none without a letter, or as long
    as nobody has read it."""
    if READ not in progress.chosen.split():
        return []
    return [word_in(step, serial).casefold() for serial in _serials(progress)]


def read(reader: Mobile, letter: Item) -> str:
    """Read a letter; the reader is told its word, which is returned. Raises Cannot(ILLEGIBLE) if the reader
    is the one it was given to, came by the same game, or that one is not in the world."""
    for holder in reader.world.online():
        if holder.journal is None:
            continue
        for key, progress in holder.journal.quests.items():
            quest = reader.world.content.quests.get(key)
            if quest is None or letter.serial not in _serials(progress):
                continue
            if holder is reader:
                raise Cannot(Refusal.ILLEGIBLE, OWN)
            if holder.game == reader.game:
                raise Cannot(Refusal.ILLEGIBLE, SAME.format(name=holder.name))
            step = next((step for step in quest.steps if step.words), None)
            if step is not None:
                word = word_in(step, letter.serial)
                if READ not in progress.chosen.split():
                    progress.chosen += f" {READ}"
                    holder.journal.touch()
                notice(reader, f'You can read it, as if it were written for you: "Tell them: {word}."')
                return word
    raise Cannot(Refusal.ILLEGIBLE, FADED)


def _serials(progress: Progress) -> Iterator[int]:
    for note in progress.chosen.split():
        if note.startswith(MARK):
            yield int(note.removeprefix(MARK), 16)


def word_in(step: Step, serial: int) -> str:
    """The word that stands in a letter, as the content writes it."""
    number = int.from_bytes(blake2s(str(serial).encode(), digest_size=4).digest(), "big")
    return step.words[number % len(step.words)]
