"""The only list of games in the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol import co, eo, eq2, l2, uo, web
from protocol.tables import LookError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.family import Family, FamilyFactory
    from world.content import Content

GAMES: Final[Mapping[str, FamilyFactory]] = {
    "uo": uo.family,
    "eo": eo.family,
    "eq2": eq2.family,
    "co": co.family,
    "l2": l2.family,
    "web": web.family,
}
"""By the name of its `[listen.*]` table: what makes the game's family from the world's content."""


def make_families(
    content: Content, games: Mapping[str, FamilyFactory]
) -> tuple[dict[str, Family], list[str]]:
    """The families of some games, and everything they miss: in data/, and of the world in their views."""
    families: dict[str, Family] = {}
    problems: list[str] = []
    for name, make in games.items():
        try:
            families[name] = make(content)
        except LookError as error:
            problems += [f"{name}: {problem}" for problem in error.problems]
        else:
            family = families[name]
            problems += [
                f"{name}: {problem}" for problem in (*family.problems, *family.view.declared.missing())
            ]
    return families, problems
