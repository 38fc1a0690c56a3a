"""The only list of games in the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol import co, eo, eq2, l2, uo, web
from protocol.tables import LookError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.family import Family
    from protocol.game import Game
    from world.content import Content

GAMES: Final[Mapping[str, Game]] = {
    game.name: game for game in (uo.GAME, eo.GAME, eq2.GAME, co.GAME, l2.GAME, web.GAME)
}
"""By name."""


def make_families(content: Content, games: Mapping[str, Game]) -> tuple[dict[str, Family], list[str]]:
    """Make the families of some games; returns them by name, and a line for everything they miss: in data/,
    and of the world in their views."""
    families: dict[str, Family] = {}
    problems: list[str] = []
    for name, game in games.items():
        try:
            families[name] = game.family(content)
        except LookError as error:
            problems += [f"{name}: {problem}" for problem in error.problems]
        else:
            family = families[name]
            problems += [
                f"{name}: {problem}" for problem in (*family.problems, *family.view.declared.missing())
            ]
    return families, problems
