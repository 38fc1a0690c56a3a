"""The books of guilds, where several worlds share their players (`world.books`). What needs more than words
(to found a guild, to put a thing into its bank) is done where they are kept alone, and refused elsewhere with
a line that says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world.books import Book
from world.guild_rolls import of_character, own
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from world.mobile import Mobile

SENT: Final = "Word of it goes to the books of the guild, which are kept in another part of this world."
AWAY: Final = "The books of guilds are kept in another part of this world, and nobody answers there now."
ONLY_THERE: Final = "That is done where the books of guilds are kept, in another part of this world."
DONE: Final = "So it stands in the books of the guild now."


def _place(mobile: Mobile) -> None:
    mobile.guild = of_character(mobile.world, mobile.serial)


BOOK: Final = Book("guild", sent=SENT, away=AWAY, done=DONE, own=own, place=_place)


def check_kept(actor: Mobile) -> None:
    """Check that records are kept here, for what cannot be sent for. Raises Cannot(LATER)."""
    if not actor.world.records.kept:
        raise Cannot(Refusal.LATER, ONLY_THERE)
