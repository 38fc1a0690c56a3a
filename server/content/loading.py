"""Reads data/: the templates, the looks and the realms, and finds every mistake in them at once.

Everything here was written by a person, so nothing is guessed: an unknown key, a wrong type or a reference
to something that does not exist is a mistake with its file and key, and the server does not start before
all are mended. The tables are TOML; the realms are read by server.content.charts. What a look means is its
game's business: here only its place in the tables is checked.

The idea: rows are structured into small attrs classes, one per table, and a mistake is a line in a list
and not an exception; only at the end is there content or a ContentError with all of them. A row that was
wrong is remembered, so that what refers to it is not reported as well. Schemas in files of their own were
not used: half of what is checked (who refers to whom, who stands where) no schema can say, and two places
would have to agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

import attrs

from protocol.charts import ChartSource
from protocol.games import GAMES
from protocol.landmarks import SWITCH
from protocol.tables import read
from server.content import quests
from server.content.charts import HEADINGS, MAP_LAYERS, ChartReader
from server.content.findings import MOST_PROBLEMS, Findings, TooManyError
from server.content.mobiles import MobileReader
from server.content.rows import (
    DIVIDES,
    DROPS,
    WORN_LAYERS,
    ItemRow,
    RulesRow,
    StartRow,
    TileRow,
    weapon_of,
    wrong_with_fixture,
    wrong_words,
)
from server.content.scripts import read_scripts
from server.content.tables import DRAWN_BY_US, Tables
from world.content import (
    Chart,
    Chest,
    Content,
    ItemTemplate,
    Look,
    MobileTemplate,
    Remedy,
    TileKind,
    Weapon,
)
from world.scripting import place_of

if TYPE_CHECKING:
    from pathlib import Path

    from world.errands import Quest


T = TypeVar("T")
P = TypeVar("P")


class ContentError(Exception):
    """Something in data/ is wrong. `problems` has one line for each mistake, with file and key."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


READERS: Final = {key: reader for game in GAMES.values() for key, reader in game.chart_readers.items()}
"""Of realms whose map is in a game's own format, by the key that names it in their table."""

MOST_GIVEN: Final = 1000
"""Hits, stamina, seconds or venom of one remedy."""


def load(data_dir: Path, *, also: Sequence[Path] = ()) -> Content:
    """Everything in the directory, and `also` these files of beings. Raises ContentError with all
    mistakes."""
    problems = Findings()
    try:
        return _Loader(data_dir, also, problems).load()
    except TooManyError:
        raise ContentError([*problems, f"... and more: only {MOST_PROBLEMS} are told at a time"]) from None


class _Loader(Tables):
    """Reads the tables one after the other.

    Why it is one class of this size: tables refer to one another, and all report to one list of problems and
    know which rows were wrong. Each method is one table, in the order in which they need one another.
    """

    def __init__(self, root: Path, also: Sequence[Path], problems: list[str]) -> None:
        super().__init__(root, problems)
        self.also = also

    def load(self) -> Content:
        if not self.check_foundations():
            raise ContentError(self.problems)
        tiles = self._tiles()
        items = self._items()
        reader = MobileReader(self, items, self.also)
        mobiles = reader.mobiles()
        people = self._people()
        tables = self._versions()
        charts: dict[str, Chart] = {}
        for path in sorted((self.root / "realms").glob("*.toml")):
            chart = self._chart(path, tiles, mobiles, items)
            if chart is None:
                self.unread.add(path.stem)
            else:
                charts[path.stem] = chart
        charts = reader.placed(charts)
        known = quests.Known(items, mobiles, charts, tiles, self.unread)
        written = self._optional(quests.QUESTS)
        errands = quests.quests(written, known, self.problems)
        self.unread |= written.keys() - errands.keys()
        reader.check(charts, errands)
        self._check_warps(charts)
        self._check_switches(charts)
        realm, welcome = self._start(charts, errands)
        rules = self._rules()
        self._check_jail(rules, charts)
        gathering = quests.harvests(self._optional(quests.GATHERING), known, self.problems)
        scripts = read_scripts(self.root, self.problems)
        for key, run in scripts.used:
            self.one_of(place_of(run), "used", key, [*items])
        if self.problems or rules is None:
            raise ContentError(self.problems)
        return Content(
            tiles=tiles,
            mobiles=mobiles,
            items=items,
            charts=charts,
            people=people,
            start_realm=realm,
            regeneration=rules.regeneration,
            combat=rules.combat,
            growth=rules.growth,
            law=rules.law,
            poison=rules.poison,
            healing=rules.healing,
            conduct=rules.conduct,
            tables=tables,
            scripts=scripts,
            unverified=self.unverified,
            quests=errands,
            welcome=welcome,
            harvests=gathering,
        )

    def _start(self, charts: Mapping[str, Chart], errands: Mapping[str, Quest]) -> tuple[str, str]:
        """The realm in which newcomers begin, and the quest that they are offered; empty without one."""
        table = self.table(self.root / "start.toml")
        start = None if table is None else read(StartRow, table, "start.toml", self.problems)
        if start is None:
            return "", ""
        self.one_of("start.toml", "realm", start.realm, [*charts])
        if start.realm in charts and not charts[start.realm].spawns:
            self.problem(f"realms/{start.realm}", "the start realm has no spawn")
        if start.welcome:
            self.one_of("start.toml", "welcome", start.welcome, [*errands])
        return start.realm, start.welcome

    def _chart(
        self,
        path: Path,
        tiles: Mapping[str, TileKind],
        mobiles: Mapping[str, MobileTemplate],
        items: Mapping[str, ItemTemplate],
    ) -> Chart | None:
        """The realm whose table that is, read by a game if its map is in that game's own format."""
        table = self.table(path)
        key = next((key for key in READERS if table and key in table), None)
        if table is None or key is None:
            return ChartReader(self.root, path, self.problems, self.unread, tiles, mobiles, items).chart(
                table
            )
        where = path.relative_to(self.root).as_posix()
        source = ChartSource(path, where, self.problems, self.unread, tiles, GAMES.keys())
        return READERS[key](table, source)

    def _check_switches(self, charts: Mapping[str, Chart]) -> None:
        """Nobody is to believe that a key does something where it does not."""
        for name, chart in charts.items():
            for game in DRAWN_BY_US:
                if SWITCH in chart.atlas.get(game, {}):
                    self.problem(f"realms/{name}.toml: atlas.{game}.{SWITCH}", "this game has none to show")

    def _check_jail(self, rules: RulesRow | None, charts: Mapping[str, Chart]) -> None:
        if rules is None or not rules.conduct.jail_realm:
            return
        rule, where = rules.conduct, "rules.toml: conduct"
        self.one_of(where, "jail_realm", rule.jail_realm, [*charts])
        chart = charts.get(rule.jail_realm)
        if chart is not None and not chart.stands(rule.jail_x, rule.jail_y):
            self.problem(where, f"nobody can stand on {rule.jail_x} {rule.jail_y}")

    def _rules(self) -> RulesRow | None:
        table = self.table(self.root / "rules.toml")
        row = None if table is None else read(RulesRow, table, "rules.toml", self.problems)
        if row is None:
            return None
        for field in attrs.fields(RulesRow):
            rules = getattr(row, field.name)
            for name, value in attrs.asdict(rules).items():
                if isinstance(value, int | float):
                    least = 1 if name in DIVIDES else 0
                    if value < least:
                        where = f"rules.toml: {field.name}"
                        self.problem(where, f"{name}: must be {least} at least, is {value}")
        self.one_of("rules.toml: law", "drops", row.law.drops, list(DROPS))
        return row

    def _optional(self, name: str) -> dict[str, object]:
        """The table of a file that there need not be."""
        path = self.root / name
        return (self.table(path) or {}) if path.exists() else {}

    def _tiles(self) -> dict[str, TileKind]:
        looks = self.looks("tiles.toml")
        kinds: dict[str, TileKind] = {}
        seats = {name.lower(): number for name, number in HEADINGS.items()} | {"any": -1}
        for key, row in self.rows("tiles.toml", TileRow):
            where = f"tiles.toml: {key}"
            self.one_of(where, "layer", row.layer, list(MAP_LAYERS.values()))
            if row.seat is not None:
                self.one_of(where, "seat", row.seat, list(seats))
                if row.walkable:
                    self.problem(where, "a seat must have walkable = false")
            kinds[key] = TileKind(
                key=key,
                name=row.name,
                layer=row.layer,
                walkable=row.walkable,
                water=row.water,
                height=row.height,
                seat=None if row.seat is None else seats.get(row.seat, -1),
                door=row.door,
                landmark=row.landmark,
                look=looks.pop(key, {}),
            )
        self.check_looks("tiles.toml", kinds, looks)
        return kinds

    def _items(self) -> dict[str, ItemTemplate]:
        looks = self.looks("items.toml")
        items: dict[str, ItemTemplate] = {}
        for key, row in self.rows("items.toml", ItemRow):
            if row.layer and not self.one_of(f"items.toml: {key}", "layer", row.layer, list(WORN_LAYERS)):
                self.unread.add(key)
            if row.remedy is not None:
                self._check_remedy(f"items.toml: {key}", row.remedy)
            for what in (*wrong_words(row), *wrong_with_fixture(row)):
                self.problem(f"items.toml: {key}", what)
            items[key] = ItemTemplate(
                key=key,
                name=row.name,
                layer=WORN_LAYERS.get(row.layer, 0),
                weight=row.weight,
                stackable=row.stackable,
                container=row.container,
                movable=row.movable,
                remedy=row.remedy,
                weapon=self._weapon(f"items.toml: {key}", row),
                armour=row.armour,
                shield=row.shield,
                light=row.light,
                plural=row.plural,
                letter=row.letter,
                board=row.board,
                chest=row.chest,
                look=looks.pop(key, {}),
            )
        for key, item in items.items():
            if item.weapon is not None and item.weapon.ammunition:
                self.one_of(f"items.toml: {key}", "weapon: ammunition", item.weapon.ammunition, list(items))
            if item.chest is not None:
                self._check_chest(f"items.toml: {key}", item.chest, list(items))
        self.check_looks("items.toml", items, looks)
        return items

    def _check_chest(self, where: str, chest: Chest, items: list[str]) -> None:
        for loot in chest.stock:
            self.one_of(where, "chest: stock", loot.item, items)
        if chest.lock:
            self.one_of(where, "chest: lock", chest.lock, items)

    def _weapon(self, where: str, row: ItemRow) -> Weapon | None:
        wrong: list[str] = []
        weapon = weapon_of(row, wrong)
        for what in wrong:
            self.problem(where, what)
        return weapon

    def _check_remedy(self, where: str, remedy: Remedy) -> None:
        for field in ("hits", "stamina", "seconds", "venom"):
            value = getattr(remedy, field)
            if not 0 <= value <= MOST_GIVEN:
                self.problem(where, f"remedy: {field}: must be 0 to {MOST_GIVEN}, is {value}")
        if not remedy.how:
            self.problem(where, "remedy: how: is empty")

    def _people(self) -> Look:
        table = self.table(self.root / "looks" / "people.toml") or {}
        sources = table.get("sources", {})
        people: dict[str, Mapping[str, object]] = {}
        for key, row in table.items():
            if key == "sources":
                continue
            if isinstance(row, Mapping):
                people[key] = self.sourced("looks/people.toml", key, row, sources)
            else:
                self.problem("looks/people.toml", f"{key}: must be a table, is {row!r}")
        return people

    def _versions(self) -> dict[str, dict[str, dict[str, Mapping[str, object]]]]:
        """What lies in data/<game>/<version>/, as it is written there."""
        games: dict[str, dict[str, dict[str, Mapping[str, object]]]] = {}
        for game in GAMES:
            for path in sorted((self.root / game).glob("*/*.toml")):
                table = self.table(path)
                if table is not None:
                    games.setdefault(game, {}).setdefault(path.parent.name, {})[path.stem] = table
        return games

    def _check_warps(self, charts: Mapping[str, Chart]) -> None:
        for chart in charts.values():
            for (x, y), warp in chart.warps.items():
                where = f"realms/{chart.name}: warp at {x}, {y}"
                self.one_of(where, "realm", warp.realm, [*charts])
                if warp.realm in charts and not charts[warp.realm].stands(warp.x, warp.y):
                    self.problem(where, f"leads to {warp.x}, {warp.y}, where nobody can stand")
