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

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

import attrs

from protocol.charts import ChartSource
from protocol.games import GAMES
from protocol.landmarks import SWITCH
from protocol.reading import UnreadableError, read_toml
from protocol.tables import nearest, read
from server.content import quests
from server.content.charts import HEADINGS, MAP_LAYERS, ChartReader
from server.content.findings import MOST_PROBLEMS, Findings, TooManyError
from server.content.rows import (
    CREATURE,
    DIVIDES,
    DROPS,
    HITS,
    PERSON,
    RANGES,
    SIZES,
    TEMPERS,
    WORN_LAYERS,
    ItemRow,
    MobileRow,
    RulesRow,
    StartRow,
    TileRow,
    Wearing,
    creature_of,
    out_of_range,
    weapon_of,
)
from server.content.scripts import read_scripts
from world import voices
from world.content import (
    Chart,
    Content,
    ItemTemplate,
    Look,
    MobileTemplate,
    Remedy,
    Saying,
    TileKind,
)
from world.roles import ROLES

if TYPE_CHECKING:
    from pathlib import Path


T = TypeVar("T")
P = TypeVar("P")


class ContentError(Exception):
    """Something in data/ is wrong. `problems` has one line for each mistake, with file and key."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


READERS: Final = {key: reader for game in GAMES.values() for key, reader in game.chart_readers.items()}
"""Of realms whose map is in a game's own format, by the key that names it in their table."""

DRAWN_BY_US: Final = tuple(name for name, game in GAMES.items() if game.draws_ground)
"""Every kind of tile needs a look in each of these: in the others people walk on a ground of their own. A
template needs one in each of `GAMES`."""

DEFAULT_LOOK: Final = "default_{}_{}"
"""Key, in looks/mobiles.toml, of the look of creatures of a size and a temper in games that have no table for
their kind."""

DEFAULT_LOOKS: Final = tuple(DEFAULT_LOOK.format(size, temper) for size in SIZES for temper in TEMPERS)

MOST_GIVEN: Final = 1000
"""Hits, stamina, seconds or venom of one remedy."""


def load(data_dir: Path) -> Content:
    """Everything in the directory. Raises ContentError with all mistakes."""
    problems = Findings()
    try:
        return _Loader(data_dir, problems).load()
    except TooManyError:
        raise ContentError([*problems, f"... and more: only {MOST_PROBLEMS} are told at a time"]) from None


class _Loader:
    """Reads the tables one after the other.

    Why it is one class of this size: tables refer to one another, and all report to one list of problems and
    know which rows were wrong. Each method is one table, in the order in which they need one another.
    """

    def __init__(self, root: Path, problems: list[str]) -> None:
        self.root = root
        self.problems = problems
        self.unverified: list[str] = []
        self.unread: set[str] = set()
        """Keys whose row is wrong: that was said, so nothing that refers to them is reported as well."""

    def load(self) -> Content:
        tiles = self._tiles()
        items = self._items()
        mobiles = self._mobiles(items)
        people = self._people()
        tables = self._versions()
        charts: dict[str, Chart] = {}
        for path in sorted((self.root / "realms").glob("*.toml")):
            chart = self._chart(path, tiles, mobiles)
            if chart is None:
                self.unread.add(path.stem)
            else:
                charts[path.stem] = chart
        self._check_warps(charts)
        self._check_switches(charts)
        table = self._table(self.root / "start.toml")
        start = None if table is None else read(StartRow, table, "start.toml", self.problems)
        realm = start.realm if start else ""
        if start is not None:
            self._one_of("start.toml", "realm", realm, [*charts])
        if realm in charts and not charts[realm].spawns:
            self._problem(f"realms/{realm}", "the start realm has no spawn")
        rules = self._rules()
        known = quests.Known(items, mobiles, charts, tiles, self.unread)
        errands = quests.quests(self._optional(quests.QUESTS), known, self.problems)
        gathering = quests.harvests(self._optional(quests.GATHERING), known, self.problems)
        welcome = start.welcome if start else ""
        if welcome:
            self._one_of("start.toml", "welcome", welcome, [*errands])
        scripts = read_scripts(self.root, self.problems)
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
            tables=tables,
            scripts=scripts,
            unverified=self.unverified,
            quests=errands,
            welcome=welcome,
            harvests=gathering,
        )

    def _chart(
        self, path: Path, tiles: Mapping[str, TileKind], mobiles: Mapping[str, MobileTemplate]
    ) -> Chart | None:
        """The realm whose table that is, read by a game if its map is in that game's own format."""
        table = self._table(path)
        key = next((key for key in READERS if table and key in table), None)
        if table is None or key is None:
            return ChartReader(self.root, path, self.problems, self.unread, tiles, mobiles).chart(table)
        where = path.relative_to(self.root).as_posix()
        source = ChartSource(path, where, self.problems, self.unread, tiles, GAMES.keys())
        return READERS[key](table, source)

    def _check_switches(self, charts: Mapping[str, Chart]) -> None:
        """Nobody is to believe that a key does something where it does not."""
        for name, chart in charts.items():
            for game in DRAWN_BY_US:
                if SWITCH in chart.atlas.get(game, {}):
                    self._problem(f"realms/{name}.toml: atlas.{game}.{SWITCH}", "this game has none to show")

    def _rules(self) -> RulesRow | None:
        table = self._table(self.root / "rules.toml")
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
                        self._problem(where, f"{name}: must be {least} at least, is {value}")
        self._one_of("rules.toml: law", "drops", row.law.drops, list(DROPS))
        return row

    def _problem(self, where: str, what: str) -> None:
        self.problems.append(f"{where}: {what}")

    def _table(self, path: Path) -> dict[str, object] | None:
        """The file as a table; None, and a problem, if it is not one."""
        try:
            return read_toml(path)
        except UnreadableError as error:
            self._problem(path.relative_to(self.root).as_posix(), str(error))
            return None

    def _optional(self, name: str) -> dict[str, object]:
        """The table of a file that there need not be."""
        path = self.root / name
        return (self._table(path) or {}) if path.exists() else {}

    def _tiles(self) -> dict[str, TileKind]:
        looks = self._looks("tiles.toml")
        kinds: dict[str, TileKind] = {}
        seats = {name.lower(): number for name, number in HEADINGS.items()} | {"any": -1}
        for key, row in self._rows("tiles.toml", TileRow):
            where = f"tiles.toml: {key}"
            self._one_of(where, "layer", row.layer, list(MAP_LAYERS.values()))
            if row.seat is not None:
                self._one_of(where, "seat", row.seat, list(seats))
                if row.walkable:
                    self._problem(where, "a seat must have walkable = false")
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
        self._check_looks("tiles.toml", kinds, looks)
        return kinds

    def _items(self) -> dict[str, ItemTemplate]:
        looks = self._looks("items.toml")
        items: dict[str, ItemTemplate] = {}
        for key, row in self._rows("items.toml", ItemRow):
            if row.layer and not self._one_of(f"items.toml: {key}", "layer", row.layer, list(WORN_LAYERS)):
                self.unread.add(key)
            if row.remedy is not None:
                self._check_remedy(f"items.toml: {key}", row.remedy)
            items[key] = ItemTemplate(
                key=key,
                name=row.name,
                layer=WORN_LAYERS.get(row.layer, 0),
                weight=row.weight,
                stackable=row.stackable,
                container=row.container,
                movable=row.movable,
                remedy=row.remedy,
                weapon=self._with(f"items.toml: {key}", weapon_of, row),
                armour=row.armour,
                shield=row.shield,
                light=row.light,
                plural=row.plural,
                letter=row.letter,
                look=looks.pop(key, {}),
            )
        for key, item in items.items():
            if item.weapon is not None and item.weapon.ammunition:
                self._one_of(f"items.toml: {key}", "weapon: ammunition", item.weapon.ammunition, list(items))
        self._check_looks("items.toml", items, looks)
        return items

    def _mobiles(self, items: Mapping[str, ItemTemplate]) -> dict[str, MobileTemplate]:
        looks = self._looks("mobiles.toml")
        defaults = {key: looks.pop(key) for key in DEFAULT_LOOKS if key in looks}
        mobiles: dict[str, MobileTemplate] = {}
        for key, row in self._rows("mobiles.toml", MobileRow):
            where = f"mobiles.toml: {key}"
            for wrong in out_of_range(row, RANGES):
                self._problem(where, wrong)
            self._one_of(where, "kind", row.kind, [PERSON, CREATURE])
            self._one_of(where, "size", row.size, list(SIZES))
            for role in row.roles:
                self._one_of(where, "roles", role, list(ROLES))
            for carrying in row.carried:
                self._one_of(where, "carried", carrying.item, list(items))
                if carrying.amount < 1:
                    self._problem(where, f"carried: {carrying.amount} of {carrying.item!r}")
            for loot in row.loot:
                self._one_of(where, "loot", loot.item, list(items))
            self._check_sayings(where, row.says, row.hears)
            fights = self._with(where, creature_of, row)
            look = looks.pop(key, {})
            usual: dict[str, Mapping[str, object]] = {}
            if fights is not None:
                usual = defaults.get(DEFAULT_LOOK.format(row.size, fights.temper.value), {})
            mobiles[key] = MobileTemplate(
                key=key,
                name=row.name,
                creature=row.kind == CREATURE,
                roles=row.roles,
                says=row.says,
                hears=row.hears,
                title=row.title,
                female=row.female,
                hits=fights.hits if fights is not None else HITS if row.hits is None else row.hits,
                notoriety=row.notoriety,
                skin_hue=row.skin_hue,
                hair=row.hair,
                hair_hue=row.hair_hue,
                beard=row.beard,
                worn=self._worn(where, "worn", row.worn, items),
                worn_female=self._worn(where, "worn_female", row.worn_female, items),
                carried=tuple((carrying.item, carrying.amount) for carrying in row.carried),
                look={**usual, **look},
                usual=usual,
                fights=fights,
            )
        self._check_looks("mobiles.toml", mobiles, looks)
        if mobiles and "player" not in mobiles:
            self._problem("mobiles.toml", "player: is missing, every character is of that kind")
        return mobiles

    def _with(self, where: str, read_part: Callable[[T, list[str]], P | None], row: T) -> P | None:
        """A part of a row, with what is wrong with it among the problems."""
        wrong: list[str] = []
        part = read_part(row, wrong)
        for what in wrong:
            self._problem(where, what)
        return part

    def _check_remedy(self, where: str, remedy: Remedy) -> None:
        for field in ("hits", "stamina", "seconds", "venom"):
            value = getattr(remedy, field)
            if not 0 <= value <= MOST_GIVEN:
                self._problem(where, f"remedy: {field}: must be 0 to {MOST_GIVEN}, is {value}")
        if not remedy.how:
            self._problem(where, "remedy: how: is empty")

    def _check_sayings(self, where: str, says: str, hears: Sequence[Saying]) -> None:
        """What is said has no names in braces but that of whom it is said to."""
        for field, words in (("says", says), *(("hears", saying.says) for saying in hears)):
            try:
                words.format(name="")
            except (LookupError, ValueError, AttributeError):
                self._problem(where, f"{field}: of names in braces there is only {{name}}: {words!r}")
        for saying in hears:
            if not saying.says or not saying.words or not all(voices.phrase(word) for word in saying.words):
                self._problem(where, f"hears: without words: {saying}")

    def _worn(
        self, where: str, field: str, worn: Sequence[Wearing], items: Mapping[str, ItemTemplate]
    ) -> tuple[tuple[str, int], ...]:
        taken: dict[int, str] = {}
        for wearing in worn:
            self._one_of(where, field, wearing.item, list(items))
            template = items.get(wearing.item)
            if template is not None and wearing.item not in self.unread:
                if template.layer == 0:
                    self._problem(where, f"{field}: {wearing.item!r} cannot be worn")
                elif template.layer in taken:
                    self._problem(
                        where, f"{field}: {wearing.item!r} is worn where {taken[template.layer]!r} is"
                    )
                taken[template.layer] = wearing.item
        return tuple((wearing.item, wearing.hue) for wearing in worn)

    def _rows(self, name: str, cls: type[T]) -> Iterator[tuple[str, T]]:
        for key, row in (self._table(self.root / name) or {}).items():
            record = read(cls, row, f"{name}: {key}", self.problems)
            if record is None:
                self.unread.add(key)
            else:
                yield key, record

    def _one_of(self, where: str, field: str, word: str, known: list[str]) -> bool:
        if word in known or word in self.unread:
            return True
        self._problem(where, f"{field}: no {word!r}{nearest(word, [*known, *sorted(self.unread)])}")
        return False

    def _looks(self, name: str) -> dict[str, dict[str, Mapping[str, object]]]:
        """The look table of that name, without its sources."""
        where = f"looks/{name}"
        table = self._table(self.root / "looks" / name) or {}
        sources = table.pop("sources", {})
        looks: dict[str, dict[str, Mapping[str, object]]] = {}
        for key, games in table.items():
            if not isinstance(games, Mapping):
                self._problem(where, f"{key}: must be a table with one table per game")
                continue
            looks[key] = {}
            for game, row in games.items():
                if game not in GAMES:
                    self._problem(where, f"{key}: no game {game!r}{nearest(game, list(GAMES))}")
                elif not isinstance(row, Mapping):
                    self._problem(where, f"{key}.{game}: must be a table, is {row!r}")
                else:
                    looks[key][game] = self._sourced(where, f"{key}.{game}", row, sources)
        return looks

    def _sourced(
        self, where: str, key: str, row: Mapping[str, object], sources: object
    ) -> Mapping[str, object]:
        """The row without the keys that say where its numbers are from."""
        source, unverified = row.get("source"), row.get("unverified", False)
        known = list(sources) if isinstance(sources, Mapping) else []
        if source is None:
            self._problem(where, f"{key}: source: is missing")
        elif source not in known:
            self._problem(where, f"{key}: source: no {source!r} in [sources]{nearest(str(source), known)}")
        if not isinstance(unverified, bool):
            self._problem(where, f"{key}: unverified: must be true or false, is {unverified!r}")
        elif unverified:
            self.unverified.append(f"{where}: {key}")
        return {name: value for name, value in row.items() if name not in ("source", "unverified")}

    def _check_looks(
        self,
        name: str,
        things: Mapping[str, TileKind | ItemTemplate | MobileTemplate],
        left: Mapping[str, object],
    ) -> None:
        for key in left.keys() - self.unread:
            self._problem(f"looks/{name}", f"{key}: not in {name}{nearest(key, list(things))}")
        for key, thing in things.items():
            for game in DRAWN_BY_US if isinstance(thing, TileKind) else GAMES:
                if game not in thing.look:
                    self._problem(f"looks/{name}", f"{key}.{game}: is missing")

    def _people(self) -> Look:
        table = self._table(self.root / "looks" / "people.toml") or {}
        sources = table.pop("sources", {})
        people: dict[str, Mapping[str, object]] = {}
        for key, row in table.items():
            if isinstance(row, Mapping):
                people[key] = self._sourced("looks/people.toml", key, row, sources)
            else:
                self._problem("looks/people.toml", f"{key}: must be a table, is {row!r}")
        return people

    def _versions(self) -> dict[str, dict[str, dict[str, Mapping[str, object]]]]:
        """What lies in data/<game>/<version>/, as it is written there."""
        games: dict[str, dict[str, dict[str, Mapping[str, object]]]] = {}
        for game in GAMES:
            for path in sorted((self.root / game).glob("*/*.toml")):
                table = self._table(path)
                if table is not None:
                    games.setdefault(game, {}).setdefault(path.parent.name, {})[path.stem] = table
        return games

    def _check_warps(self, charts: Mapping[str, Chart]) -> None:
        for chart in charts.values():
            for (x, y), warp in chart.warps.items():
                where = f"realms/{chart.name}: warp at {x}, {y}"
                self._one_of(where, "realm", warp.realm, [*charts])
                if warp.realm in charts and not _walkable(charts[warp.realm], warp.x, warp.y):
                    self._problem(where, f"leads to {warp.x}, {warp.y}, where nobody can stand")


def _walkable(chart: Chart, x: int, y: int) -> bool:
    return 0 <= x < chart.width and 0 <= y < chart.height and not chart.blocked[y * chart.width + x]
