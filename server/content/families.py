"""The games of a server, made of the content that is in `data/`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs

from protocol.games import GAMES, make_families
from server.content.loading import ContentError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from protocol.family import Family, Numbers
    from world.content import Content

DATA: Final = Path(__file__).resolve().parents[2] / "data"
"""The folder of the content that comes with the program."""


def build_families(content: Content, names: Sequence[str]) -> dict[str, Family]:
    """The games of these names, by name. Raises ContentError with everything that the content lacks for
    them."""
    families, problems = make_families(content, {name: GAMES[name] for name in names})
    if problems:
        raise ContentError(problems)
    return families


def numbers_of(families: Mapping[str, Family]) -> dict[str, Numbers]:
    """The numbers by which clients know kinds, of the games that have such, by game."""
    return {name: family.numbers for name, family in families.items() if family.numbers}


def with_numbers(
    content: Content, families: Mapping[str, Family], known: Mapping[str, Numbers]
) -> dict[str, Family]:
    """The same games, of which those are made anew that had given other numbers than were written down.
    Raises ContentError if the content does not go with these."""
    wrong = [
        name
        for name, family in families.items()
        for kind, numbers in known.get(name, {}).items()
        if not numbers.items() <= family.numbers.get(kind, {}).items()
    ]
    numbered = attrs.evolve(content, numbers=known)
    return {**families, **build_families(numbered, sorted(set(wrong)))}
