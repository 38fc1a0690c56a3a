"""Looks: the games' common way to read their parts of data/looks. A walk over the rows gathers every mistake,
and a palette maps hues to the few colours of a client."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import attrs

from protocol.tables import LookError, nearest, read
from world.content import MobileTemplate

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from world.content import Content, ItemTemplate, TileKind

T = TypeVar("T")


@attrs.frozen
class Palette:
    """A client's few colours among the world's many hues. Each colour has one hue of its own; those of
    `spread` stand for others, too."""

    hues: Sequence[int]
    spread: Sequence[int]

    def colour(self, hue: int) -> int:
        """The colour that has exactly this hue, else the nearest of `spread`, of two the lower hue."""
        if hue in self.hues:
            return self.hues.index(hue)
        return min(self.spread, key=lambda colour: (abs(self.hues[colour] - hue), self.hues[colour]))

    def hue(self, colour: int) -> int:
        """The world's hue for a colour that a client chose; the first for one that does not exist."""
        return self.hues[colour] if 0 <= colour < len(self.hues) else self.hues[0]


class LookCompiler:
    """Reads one game's rows. Each mistake is a line of `problems`, which begins with file and key."""

    def __init__(self, game: str, content: Content) -> None:
        self.game = game
        self.content = content
        self.problems: list[str] = []

    def items(self, row: type[T]) -> Iterator[tuple[str, str, T]]:
        """Key, place in the files, and row of each kind of item that has one without mistakes."""
        return self._rows("looks/items.toml", self.content.items, row)

    def mobiles(self, row: type[T]) -> Iterator[tuple[str, str, T]]:
        """The same of each kind of mobile."""
        return self._rows("looks/mobiles.toml", self.content.mobiles, row)

    def tiles(self, row: type[T]) -> Iterator[tuple[str, str, T]]:
        """The same of each kind of tile, of those that have a row: a game with a ground of its own shows few
        (`protocol.landmarks`)."""
        shown = {key: kind for key, kind in self.content.tiles.items() if self.game in kind.look}
        return self._rows("looks/tiles.toml", shown, row)

    def people(self, name: str, row: type[T]) -> tuple[str, T | None]:
        """Place in the files, and one table of looks/people.toml; None if it has mistakes."""
        where = f"looks/people.toml: {name}"
        return where, read(row, self.content.people.get(name, {}), where, self.problems)

    def check(self, where: str, field: str, value: float, low: float, high: float) -> None:
        """A number must lie within its limits, which are included."""
        if not low <= value <= high:
            self.complain(where, f"{field}: must be {low:g} to {high:g}, is {value:g}")

    def word(self, where: str, field: str, word: str, known: Collection[str]) -> bool:
        """Whether a word is one of those that are known."""
        if word in known:
            return True
        self.complain(where, f"{field}: no {word!r}{nearest(word, list(known))}")
        return False

    def complain(self, where: str, mistake: str) -> None:
        """Note a mistake."""
        self.problems.append(f"{where}: {mistake}")

    def finish(self) -> None:
        """End the walk. Raises LookError if there are mistakes."""
        if self.problems:
            raise LookError(self.problems)

    def _rows(
        self,
        file: str,
        templates: Mapping[str, ItemTemplate] | Mapping[str, MobileTemplate] | Mapping[str, TileKind],
        row: type[T],
    ) -> Iterator[tuple[str, str, T]]:
        for key, template in templates.items():
            where = f"{file}: {key}.{self.game}"
            if isinstance(template, MobileTemplate) and template.drawn_as:
                where = f"people/{key}.toml: look.{self.game}"
            found = read(row, template.look.get(self.game, {}), where, self.problems)
            if found is not None:
                yield key, where, found
