"""Kinds of mobiles: data/mobiles.toml, the beings with a file of their own in data/people/, and data/looks.

A being names a kind whose looks it takes, and writes what differs. What it refers to beyond the tables of
kinds and items (realms for its places, quests, where a dialog teleports to) is checked when these are known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, TypeVar

import attrs

from protocol.games import GAMES
from protocol.tables import read, unknown
from server.content.charts import HEADINGS
from server.content.dialogs import DialogReader
from server.content.phrases import spelled
from server.content.rows import (
    CREATURE,
    HITS,
    HUES,
    PERSON,
    RANGES,
    SIZES,
    TEMPERS,
    MobileRow,
    creature_of,
    out_of_range,
)
from server.content.services import WITH_NUMBERS, offers_of, pumps
from world import voices
from world.content import MobileTemplate, Resident, Saying
from world.heading import SOUTH
from world.roles import ROLES
from world.skills import SKILLS
from world.talks import Known

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from server.content.rows import PlaceRow, Wearing
    from server.content.tables import Tables
    from world.content import Chart, ItemTemplate
    from world.errands import Quest
    from world.offers import Offers, Shop
    from world.talks import Talk

T = TypeVar("T")
P = TypeVar("P")

DEFAULT_LOOK: Final = "default_{}_{}"
"""Key, in looks/mobiles.toml, of the look of creatures of a size and a temper in games that have no table for
their kind."""

DEFAULT_LOOKS: Final = tuple(DEFAULT_LOOK.format(size, temper) for size in SIZES for temper in TEMPERS)

PEOPLE: Final = "people"
"""Folder of the beings with a file of their own."""

TAKEN: Final = (
    *("female", "hits", "notoriety", "skin_hue", "hair", "hair_hue", "beard"),
    *("worn", "worn_female"),
)
"""What a being takes from its kind, unless it says otherwise."""

LONGEST_NAME: Final = 30

_KEY: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")


@attrs.frozen
class _Open:
    """A being, and what is still to be checked of it."""

    where: str
    row: MobileRow
    talk: Talk | None
    dialog: DialogReader


class MobileReader:
    """Reads all kinds of mobiles with the items and looks that they refer to. `also`: files of beings beside
    those in the folder, instead of those of the same name."""

    def __init__(self, tables: Tables, items: Mapping[str, ItemTemplate], also: Sequence[Path] = ()) -> None:
        self._tables = tables
        self._items = items
        self._also = also
        self._open: dict[str, _Open] = {}
        self._shops: dict[str, Shop] = {}

    def mobiles(self) -> dict[str, MobileTemplate]:
        """All kinds, those of mobiles.toml first, then the beings by name."""
        tables = self._tables
        looks = tables.looks("mobiles.toml")
        usual = {key: looks.pop(key) for key in DEFAULT_LOOKS if key in looks}
        raw = tables.table(tables.root / "mobiles.toml") or {}
        kinds = {key: row for key, row in raw.items() if isinstance(row, Mapping)}
        found: dict[str, MobileTemplate] = {}
        for key, row in raw.items():
            self._mobile(f"mobiles.toml: {key}", key, row, kinds, looks, usual, found)
        for path in self._files():
            table = tables.table(path)
            where = f"{PEOPLE}/{path.name}"
            if not _KEY.fullmatch(path.stem):
                tables.problem(where, "the name of the file: must be small letters, digits and underscores")
            elif path.stem in kinds:
                tables.problem(where, f"there is a {path.stem!r} in mobiles.toml already")
            elif table is None:
                tables.unread.add(path.stem)
            elif "kind" not in table:
                tables.problem(where, 'kind: is missing: whose looks it has, for example kind = "villager"')
                tables.unread.add(path.stem)
            elif table["kind"] in (PERSON, CREATURE) and path.stem not in looks:
                tables.problem(where, f"kind: {table['kind']!r} is drawn as nothing: take one that is")
                tables.unread.add(path.stem)
            else:
                self._mobile(where, path.stem, table, kinds, looks, usual, found)
        tables.check_looks("mobiles.toml", found, {k: v for k, v in looks.items() if k not in found})
        if found and "player" not in found:
            tables.problem("mobiles.toml", "player: is missing, every character is of that kind")
        return found

    def _files(self) -> list[Path]:
        files = {path.stem: path for path in sorted((self._tables.root / PEOPLE).glob("*.toml"))}
        files.update((path.stem, path) for path in self._also)
        return [files[stem] for stem in sorted(files)]

    def _mobile(
        self,
        where: str,
        key: str,
        table: object,
        kinds: Mapping[str, Mapping[str, object]],
        looks: Mapping[str, Mapping[str, Mapping[str, object]]],
        usual: Mapping[str, Mapping[str, Mapping[str, object]]],
        found: dict[str, MobileTemplate],
    ) -> None:
        """One kind, put among those found; its mistakes go to the problems."""
        kind = table.get("kind", PERSON) if isinstance(table, Mapping) else PERSON
        drawn_as = "" if kind in (PERSON, CREATURE) or not isinstance(kind, str) else kind
        if drawn_as and isinstance(table, Mapping):
            drawn = kinds.get(drawn_as, {})
            if drawn.get("kind", PERSON) != PERSON or drawn_as == "player" or drawn_as not in looks:
                self._tables.problem(where, _no_kind(drawn_as, looks, kinds))
                self._tables.unread.add(key)
                return
            table = {name: drawn[name] for name in TAKEN if name in drawn} | dict(table)
        row = read(MobileRow, table, where, self._tables.problems)
        if row is None:
            self._tables.unread.add(key)
            return
        look = looks.get(drawn_as or key, {})
        found[key] = self._template(where, key, row, look, usual, drawn_as)

    def _template(
        self,
        where: str,
        key: str,
        row: MobileRow,
        look: Mapping[str, Mapping[str, object]],
        usual: Mapping[str, Mapping[str, Mapping[str, object]]],
        drawn_as: str,
    ) -> MobileTemplate:
        self._check_words(where, row)
        hears = row.hears + (row.role.talker.hears if row.role.talker is not None else ())
        fights = self._with(where, creature_of, row)
        default: Mapping[str, Mapping[str, object]] = {}
        if fights is not None:
            default = usual.get(DEFAULT_LOOK.format(row.size, fights.temper.value), {})
        for game in row.look:
            self._tables.one_of(where, "look", game, list(GAMES))
        template = MobileTemplate(
            key=key,
            name=row.name,
            creature=row.kind == CREATURE,
            roles=self._roles(where, row),
            says=self._spelled(where, "says", row.says) if row.says else "",
            hears=self._hears(where, hears),
            offers=self._offers(where, row),
            talk=self._talk(where, key, row),
            title=row.title,
            female=row.female,
            hits=fights.hits if fights is not None else HITS if row.hits is None else row.hits,
            notoriety=row.notoriety,
            skin_hue=row.skin_hue,
            hair=row.hair,
            hair_hue=row.hair_hue,
            beard=row.beard,
            worn=self._worn(where, "worn", row.worn),
            worn_female=self._worn(where, "worn_female", row.worn_female),
            carried=tuple((carrying.item, carrying.amount) for carrying in row.carried),
            look={**default, **look, **row.look},
            usual=default,
            drawn_as=drawn_as,
            fights=fights,
        )
        return template

    def _check_words(self, where: str, row: MobileRow) -> None:
        """What is a word among some, or a number within bounds."""
        tables, items = self._tables, list(self._items)
        for wrong in out_of_range(row, RANGES):
            tables.problem(where, wrong)
        tables.one_of(where, "size", row.size, list(SIZES))
        for field, text in (("name", row.name), ("title", row.title)):
            if len(text) > LONGEST_NAME or not text.isprintable() or (field == "name" and not text.strip()):
                tables.problem(where, f"{field}: must be 1 to {LONGEST_NAME} characters, is {text!r}")
        for carrying in row.carried:
            tables.one_of(where, "carried", carrying.item, items)
            if carrying.amount < 1:
                tables.problem(where, f"carried: {carrying.amount} of {carrying.item!r}")
        for loot in row.loot:
            tables.one_of(where, "loot", loot.item, items)

    def _roles(self, where: str, row: MobileRow) -> tuple[str, ...]:
        names = row.role.names()
        for role in row.roles:
            self._tables.one_of(where, "roles", role, list(ROLES))
            if role in WITH_NUMBERS and role not in names:
                self._tables.problem(where, f"roles: {role!r} needs a table [role.{role}]")
        return tuple(dict.fromkeys((*row.roles, *names)))

    def _offers(self, where: str, row: MobileRow) -> Offers:
        wrong: list[str] = []
        offers = offers_of(row.role, self._items, self._tables.unread, wrong)
        for what in wrong:
            self._tables.problem(where, what)
        if offers.shop is not None and not wrong:
            self._shops[where] = offers.shop
        return offers

    def _talk(self, where: str, key: str, row: MobileRow) -> Talk | None:
        dialog = DialogReader(where, self._tables.problems, self._items, self._tables.unread)
        talk = dialog.talk(row.dialog) if row.dialog else None
        self._open[key] = _Open(where, row, talk, dialog)
        return talk

    def _spelled(self, where: str, field: str, text: str) -> str:
        wrong: list[str] = []
        words = spelled(text, self._items, wrong, self._tables.unread)
        for what in wrong:
            self._tables.problem(where, f"{field}: {what}")
        return words

    def _hears(self, where: str, hears: Sequence[Saying]) -> tuple[Saying, ...]:
        found = []
        for saying in hears:
            if not saying.says or not saying.words or not all(voices.phrase(word) for word in saying.words):
                self._tables.problem(where, f"hears: without words: {saying}")
            else:
                found.append(Saying(saying.words, self._spelled(where, "hears", saying.says)))
        return tuple(found)

    def _with(self, where: str, read_part: Callable[[T, list[str]], P | None], row: T) -> P | None:
        """A part of a row, with what is wrong with it among the problems."""
        wrong: list[str] = []
        part = read_part(row, wrong)
        for what in wrong:
            self._tables.problem(where, what)
        return part

    def _worn(self, where: str, field: str, worn: Sequence[Wearing]) -> tuple[tuple[str, int], ...]:
        tables, items = self._tables, self._items
        taken: dict[int, str] = {}
        for wearing in worn:
            if not 0 <= wearing.hue <= HUES:
                tables.problem(where, f"{field}: hue: must be 0 to {HUES}, is {wearing.hue}")
            tables.one_of(where, field, wearing.item, list(items))
            template = items.get(wearing.item)
            if template is not None and wearing.item not in tables.unread:
                if template.layer == 0:
                    tables.problem(where, f"{field}: {wearing.item!r} cannot be worn")
                elif template.layer in taken:
                    tables.problem(
                        where, f"{field}: {wearing.item!r} is worn where {taken[template.layer]!r} is"
                    )
                taken[template.layer] = wearing.item
        return tuple((wearing.item, wearing.hue) for wearing in worn)

    # What refers to realms and quests

    def placed(self, charts: Mapping[str, Chart]) -> dict[str, Chart]:
        """The realms with those who say where they stand."""
        found = dict(charts)
        for key, being in self._open.items():
            for number, place in enumerate(being.row.place, 1):
                where = f"{being.where}: place {number}"
                if not self._tables.one_of(where, "realm", place.realm, [*charts]):
                    continue
                chart = found.get(place.realm)
                if chart is not None and self._stands(where, place, chart):
                    facing = HEADINGS.get(place.heading.upper(), SOUTH)
                    stands = Resident(key, place.x, place.y, facing, place.wander, place.respawn)
                    found[place.realm] = attrs.evolve(chart, residents=(*chart.residents, stands))
        return found

    def _stands(self, where: str, place: PlaceRow, chart: Chart) -> bool:
        wrong = unknown("heading", place.heading, [name.lower() for name in HEADINGS])
        if not chart.stands(place.x, place.y):
            wrong.append(f"nobody can stand at {place.x}, {place.y} of {chart.name}")
        if not 0 <= place.wander <= 32:
            wrong.append(f"wander: must be 0 to 32 tiles, is {place.wander}")
        if not 1 <= place.respawn <= 86_400:
            wrong.append(f"respawn: must be 1 to 86400 seconds, is {place.respawn}")
        for what in wrong:
            self._tables.problem(where, what)
        return not wrong

    def check(self, charts: Mapping[str, Chart], quests: Mapping[str, Quest]) -> None:
        """Check what dialogs and roles name of realms and quests, and merchants against one another."""
        for where, line in pumps(self._shops):
            self._tables.problem(where, line)
        known = Known(
            items=self._items.keys(),
            fixed=frozenset(key for key, item in self._items.items() if not item.movable),
            realms=charts.keys(),
            games=GAMES.keys(),
            skills=SKILLS,
            walkable=lambda realm, x, y: charts[realm].stands(x, y),
            unknown=self._unknown,
            quests={key: [step.key for step in quest.steps] for key, quest in quests.items()},
        )
        rehearsed = {path.stem for path in self._also}
        for key, being in self._open.items():
            lives = key in rehearsed or self._lives(key, charts)
            if being.where.startswith(f"{PEOPLE}/") and not lives:
                self._tables.problem(
                    being.where, "place: stands nowhere: write [[place]] with realm, x and y below it"
                )
            giver = being.row.role.questgiver
            for key in giver.quests if giver is not None else ():
                for line in self._unknown("role.questgiver: quests", key, quests):
                    self._tables.problem(being.where, line)
            roles = (*being.row.roles, *being.row.role.names())
            if being.talk is not None:
                being.dialog.check(being.talk, attrs.evolve(known, roles=roles))

    def _lives(self, key: str, charts: Mapping[str, Chart]) -> bool:
        """Whether it has a place, of its own or on a map; those of a map that is wrong nobody knows."""
        row, whole = self._open[key].row, not self._tables.unread
        return (
            bool(row.place)
            or not whole
            or any(resident.template == key for chart in charts.values() for resident in chart.residents)
        )

    def _unknown(self, field: str, word: str, known: Collection[str]) -> Sequence[str]:
        return [] if word in self._tables.unread else unknown(field, word, known)


def _no_kind(word: str, looks: Mapping[str, object], kinds: Mapping[str, Mapping[str, object]]) -> str:
    """What is wrong with a kind whose looks nobody can take."""
    persons = [name for name in looks if kinds.get(name, {}).get("kind", PERSON) == PERSON]
    persons = [name for name in persons if name != "player" and name in kinds]
    if word in kinds:
        return f"kind: nobody can look like {word!r} but itself, take one of: {', '.join(persons)}"
    return unknown("kind", word, [*persons, PERSON, CREATURE])[0]
