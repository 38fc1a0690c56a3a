"""The games of a server, made of the content that is in `data/`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from protocol.games import GAMES, make_families
from server.content.loading import ContentError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.family import Family
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
