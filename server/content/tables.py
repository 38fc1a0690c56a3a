"""Tables of data/ as files: what all who read them share, and one list of their mistakes.

Every line of `problems` begins with file and key. A row that was wrong is remembered in `unread`, so that
what refers to it is not reported as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from protocol.games import GAMES
from protocol.reading import UnreadableError, read_toml
from protocol.tables import nearest, read
from world.content import TileKind

if TYPE_CHECKING:
    from pathlib import Path

    from world.content import ItemTemplate, MobileTemplate

T = TypeVar("T")

DRAWN_BY_US = tuple(name for name, game in GAMES.items() if game.draws_ground)
"""Every kind of tile needs a look in each of these: in the others people walk on a ground of their own. A
template needs one in each of `GAMES`."""


FOUNDATIONS = (
    *("tiles.toml", "items.toml", "mobiles.toml"),
    *("looks/tiles.toml", "looks/items.toml", "looks/mobiles.toml"),
)


def _is_table(path: Path) -> bool:
    try:
        read_toml(path)
    except UnreadableError:
        return False
    return True


class Tables:
    """The folder of the tables, and what was wrong in them so far."""

    def __init__(self, root: Path, problems: list[str]) -> None:
        self.root = root
        self.problems = problems
        self.unverified: list[str] = []
        self.unread: set[str] = set()
        """Keys whose row is wrong: that was said, so nothing that refers to them is reported as well."""

    def problem(self, where: str, what: str) -> None:
        """Note a mistake: file and key, then what is wrong."""
        self.problems.append(f"{where}: {what}")

    def table(self, path: Path) -> dict[str, object] | None:
        """The file as a table; None, and a problem, if it is not one."""
        try:
            return read_toml(path)
        except UnreadableError as error:
            here = path.relative_to(self.root) if path.is_relative_to(self.root) else path
            self.problem(here.as_posix(), str(error))
            return None

    def check_foundations(self) -> bool:
        """Whether the tables can be read to which all others refer. If not, every file that cannot be read is
        a problem: the hundreds of lines about what then seems to be missing would hide it."""
        foundations = {self.root / name for name in FOUNDATIONS}
        others = {*self.root.glob("*.toml"), *self.root.glob("*/*.toml")}
        broken = {path for path in foundations | others if not _is_table(path)}
        if broken.isdisjoint(foundations):
            return True
        for path in sorted(broken):
            self.table(path)
        return False

    def rows(self, name: str, cls: type[T]) -> Iterator[tuple[str, T]]:
        """Each row of a table that is right, with its key; the keys of the others are `unread`."""
        for key, row in (self.table(self.root / name) or {}).items():
            record = read(cls, row, f"{name}: {key}", self.problems)
            if record is None:
                self.unread.add(key)
            else:
                yield key, record

    def one_of(self, where: str, field: str, word: str, known: list[str]) -> bool:
        """Whether a word is one of those known, or of those whose row was wrong."""
        if word in known or word in self.unread:
            return True
        self.problem(where, f"{field}: no {word!r}{nearest(word, [*known, *sorted(self.unread)])}")
        return False

    def looks(self, name: str) -> dict[str, dict[str, Mapping[str, object]]]:
        """The look table of that name, without its sources."""
        where = f"looks/{name}"
        table = self.table(self.root / "looks" / name) or {}
        sources = table.get("sources", {})
        looks: dict[str, dict[str, Mapping[str, object]]] = {}
        for key, games in table.items():
            if key == "sources":
                continue
            if not isinstance(games, Mapping):
                self.problem(where, f"{key}: must be a table with one table per game")
                continue
            looks[key] = {}
            for game, row in games.items():
                if game not in GAMES:
                    self.problem(where, f"{key}: no game {game!r}{nearest(game, list(GAMES))}")
                elif not isinstance(row, Mapping):
                    self.problem(where, f"{key}.{game}: must be a table, is {row!r}")
                else:
                    looks[key][game] = self.sourced(where, f"{key}.{game}", row, sources)
        return looks

    def sourced(
        self, where: str, key: str, row: Mapping[str, object], sources: object
    ) -> Mapping[str, object]:
        """The row without the keys that say where its numbers are from."""
        source, unverified = row.get("source"), row.get("unverified", False)
        known = list(sources) if isinstance(sources, Mapping) else []
        if source is None:
            self.problem(where, f"{key}: source: is missing")
        elif source not in known:
            self.problem(where, f"{key}: source: no {source!r} in [sources]{nearest(str(source), known)}")
        if not isinstance(unverified, bool):
            self.problem(where, f"{key}: unverified: must be true or false, is {unverified!r}")
        elif unverified:
            self.unverified.append(f"{where}: {key}")
        return {name: value for name, value in row.items() if name not in ("source", "unverified")}

    def check_looks(
        self,
        name: str,
        things: Mapping[str, TileKind | ItemTemplate | MobileTemplate],
        left: Mapping[str, object],
    ) -> None:
        """Everything needs a look in each game, and every look something that it is of."""
        for key in sorted(left.keys() - self.unread):
            self.problem(f"looks/{name}", f"{key}: not in {name}{nearest(key, list(things))}")
        for key, thing in things.items():
            for game in DRAWN_BY_US if isinstance(thing, TileKind) else GAMES:
                if game not in thing.look:
                    self.problem(f"looks/{name}", f"{key}.{game}: is missing")
