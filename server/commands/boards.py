"""Verbs at a board, for all games: each is one call of a rule of `world.boards`, with the nearest one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from server.commands import named
from server.commands.machinery import CommandTable
from server.commands.verbs import verb_of
from world import boards, bulletins

if TYPE_CHECKING:
    from collections.abc import Sequence

    from server.commands.machinery import Arguments
    from world.mobile import Mobile

TABLE: Final = CommandTable()

_verb = partial(verb_of, TABLE)


@_verb("board [NUMBER]", "shows the notes on the nearest board, or reads one: board 2")
def board(actor: Mobile, args: Arguments) -> Sequence[str]:
    """Read a board. Raises Cannot, as `boards.near` and `boards.read`."""
    there = boards.near(actor)
    if "number" in args:
        return [bulletins.in_words(bulletins.by_number(actor, there, named.number(args["number"])))]
    bulletins.show(actor, there)
    return []


@_verb("pin TEXT...", "pins a note to the nearest board, subject first: pin Wanted: ten hides")
def pin(actor: Mobile, args: Arguments) -> Sequence[str]:
    """Pin a note; what stands before the first colon is its subject. Raises Cannot, as `boards.pin`."""
    subject, _, text = args["text"].partition(":")
    boards.pin(actor, boards.near(actor), subject, text)
    return []


@_verb("unpin NUMBER", "takes a note down from the nearest board: unpin 2")
def unpin(actor: Mobile, args: Arguments) -> Sequence[str]:
    """Take a note down. Raises Cannot, as `boards.unpin`, and NO_NOTE."""
    there = boards.near(actor)
    boards.unpin(actor, there, bulletins.by_number(actor, there, named.number(args["number"])))
    return []
