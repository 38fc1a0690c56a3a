"""Reads quests.toml and gathering.toml, and finds every mistake in them, and quests that nobody can finish.

A step names what it needs, and nothing else: a key that its kind does not read is a mistake, because whoever
wrote it believes that it counts. Of every quest each step has to be one that somebody comes to, and from each
of them there has to be a way to the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from protocol.tables import nearest, read
from server.content.phrases import LONGEST, LONGEST_ANSWER, spelled
from world.containers import MOST_IN_CONTAINER, MOST_IN_STACK
from world.errands import END, REWARD, Kind, Quest, Reward, Step, Way
from world.gathering import FARTHEST
from world.harvests import Harvest
from world.skills import SKILLS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from world.content import Chart, ItemTemplate, MobileTemplate, TileKind

QUESTS: Final = "quests.toml"
GATHERING: Final = "gathering.toml"

MOST_GOLD: Final = 1_000_000
MOST_EXPERIENCE: Final = 1_000_000
MOST_SECONDS: Final = 30 * 86_400.0
"""Of one reward, one step to wait, and until a quest can be done anew."""

LONGEST_NAME: Final = 40
"""Characters of a quest's name, which stands in lists."""

READS: Final[Mapping[Kind, frozenset[str]]] = {
    Kind.GO: frozenset({"realm", "x", "y", "radius"}),
    Kind.TALK: frozenset({"whom", "words"}),
    Kind.BRING: frozenset({"whom", "item", "amount"}),
    Kind.HUNT: frozenset({"kinds", "amount"}),
    Kind.CHOOSE: frozenset({"whom", "ways"}),
    Kind.WAIT: frozenset({"seconds"}),
}
"""Keys that each kind of step reads beside those that all have."""

COMMON: Final = frozenset({"key", "kind", "text", "done", "to"})


@attrs.frozen
class GoodsRow:
    """Items of a reward."""

    item: str
    amount: int = 1


@attrs.frozen
class RewardRow:
    """Gold, experience and items of a quest."""

    gold: int = 0
    experience: int = 0
    items: tuple[GoodsRow, ...] = ()


@attrs.frozen
class StepRow:
    """One step of a quest."""

    key: str
    kind: str
    text: str
    done: str = ""
    to: str = ""
    whom: str = ""
    realm: str = ""
    x: int = 0
    y: int = 0
    radius: int = 4
    item: str = ""
    kinds: tuple[str, ...] = ()
    amount: int = 1
    ways: tuple[Way, ...] = ()
    seconds: float = 0.0
    words: tuple[str, ...] = ()


@attrs.frozen
class QuestRow:
    """A table of quests.toml."""

    name: str
    giver: str
    text: str
    step: tuple[StepRow, ...]
    reward: RewardRow = RewardRow()
    level: int = 1
    again: float | None = None
    letter: str = ""


@attrs.frozen
class HarvestRow:
    """A table of gathering.toml."""

    verb: str
    tool: str
    tiles: tuple[str, ...]
    item: str
    skill: str
    difficulty: float = 0.0
    seconds: float = 3.0
    reach: int = 1
    store: int = 5
    refill: float = 120.0


@attrs.frozen
class Known:
    """Everything that quests may name; `unread` are keys whose own row is wrong, which was said already."""

    items: Mapping[str, ItemTemplate]
    mobiles: Mapping[str, MobileTemplate]
    charts: Mapping[str, Chart]
    tiles: Mapping[str, TileKind]
    unread: Collection[str]


def quests(table: Mapping[str, object], known: Known, problems: list[str]) -> dict[str, Quest]:
    """The quests of a table; what is wrong is added to `problems`."""
    reader = _Reader(known, problems)
    found: dict[str, Quest] = {}
    for key, row in table.items():
        record = read(QuestRow, row, f"{QUESTS}: {key}", problems)
        if record is not None:
            raw = row.get("step") if isinstance(row, dict) else None
            found[key] = reader.quest(key, record, raw if isinstance(raw, list) else [])
    return found


def harvests(table: Mapping[str, object], known: Known, problems: list[str]) -> dict[str, Harvest]:
    """The kinds of gathering of a table; what is wrong is added to `problems`."""
    reader = _Reader(known, problems)
    found: dict[str, Harvest] = {}
    for key, row in table.items():
        record = read(HarvestRow, row, f"{GATHERING}: {key}", problems)
        if record is not None:
            reader.where = f"{GATHERING}: {key}"
            found[key] = reader.harvest(key, record)
    return found


class _Reader:
    """Makes records of rows. `where` is the file and key that its problems begin with."""

    def __init__(self, known: Known, problems: list[str]) -> None:
        self.known = known
        self.problems = problems
        self.where = ""
        charts = known.charts.values()
        self.residents = {resident.template for chart in charts for resident in chart.residents}
        self.living = self.residents | {
            kind for chart in charts for spawner in chart.spawners for kind, _ in spawner.kinds
        }

    def wrong(self, what: str) -> None:
        self.problems.append(f"{self.where}: {what}")

    def quest(self, key: str, row: QuestRow, raw: Sequence[object]) -> Quest:
        self.where = f"{QUESTS}: {key}"
        self.resident("giver", row.giver)
        if len(row.name) > LONGEST_NAME or not row.name.isprintable() or not row.name.strip():
            self.wrong(f"name: must be 1 to {LONGEST_NAME} characters, is {row.name!r}")
        text = self.text("text", row.text)
        self.within("level", row.level, 1, 60)
        self.within("reward.gold", row.reward.gold, 0, MOST_GOLD)
        self.within("reward.experience", row.reward.experience, 0, MOST_EXPERIENCE)
        if row.again is not None:
            self.within("again", row.again, 0, MOST_SECONDS)
        for goods in row.reward.items:
            self.goods("reward.items", goods.item, goods.amount)
        if row.letter and self.one_of("letter", row.letter, self.known.items):
            letter = self.known.items.get(row.letter)
            if letter is not None and not letter.letter:
                self.wrong(f"letter: {row.letter!r} is no letter: its row needs letter = true")
        if bool(row.letter) != any(step.words for step in row.step):
            self.wrong("a letter needs a step with words, and a step with words a letter")
        steps = [self.step(step, given) for step, given in zip(row.step, raw, strict=False)]
        self.check_ways(steps)
        reward = Reward(
            row.reward.gold,
            row.reward.experience,
            tuple((goods.item, goods.amount) for goods in row.reward.items),
        )
        return Quest(key, row.name, text, row.giver, tuple(steps), reward, row.level, row.again, row.letter)

    def step(self, row: StepRow, given: object) -> Step:
        begun = self.where
        self.where = f"{begun}: {row.key}"
        kinds = {kind.value: kind for kind in Kind}
        kind = kinds.get(row.kind, Kind.TALK)
        if self.one_of("kind", row.kind, kinds):
            surplus = set(given) - READS[kind] - COMMON if isinstance(given, dict) else set()
            for name in sorted(surplus):
                self.wrong(f"{name}: means nothing in a step to {kind.value}")
            self.needs(kind, row)
        if row.key in (END, REWARD):
            self.wrong(f"key: no step may be called {row.key!r}")
        ways = tuple(
            Way(self.text(f"ways: {at}: text", way.text, LONGEST_ANSWER), way.to)
            for at, way in enumerate(row.ways, 1)
        )
        changed = {
            "kind": kind,
            "text": self.text("text", row.text),
            "done": self.text("done", row.done) if row.done else "",
            "ways": tuple(ways),
        }
        self.where = begun
        return Step(**attrs.asdict(row, recurse=False) | changed)

    def needs(self, kind: Kind, row: StepRow) -> None:
        """What a step of that kind cannot do without, and whether somebody can do it."""
        if "whom" in READS[kind]:
            self.resident("whom", row.whom)
        match kind:
            case Kind.GO:
                self.place(row)
            case Kind.BRING:
                self.goods("item", row.item, row.amount)
            case Kind.HUNT:
                self.within("amount", row.amount, 1, 10_000)
                if not row.kinds:
                    self.wrong("kinds: names nothing to hunt")
                met = [name for name in row.kinds if self.prey(name)]
                if row.kinds and not met:
                    self.wrong(f"kinds: of {', '.join(row.kinds)} nothing lives in any realm")
            case Kind.CHOOSE:
                if len(row.ways) < 2:
                    self.wrong("ways: there have to be two at least")
            case Kind.WAIT:
                self.within("seconds", row.seconds, 1, MOST_SECONDS)
            case Kind.TALK:
                for word in row.words:
                    if not word.isalpha():
                        self.wrong(f"words: {word!r} is no single word")

    def place(self, row: StepRow) -> None:
        self.within("radius", row.radius, 1, 50)
        chart = self.known.charts.get(row.realm)
        if not self.one_of("realm", row.realm, self.known.charts) or chart is None:
            return
        near = range(-row.radius, row.radius + 1)
        tiles = ((row.x + dx, row.y + dy) for dy in near for dx in near)
        if not any(
            0 <= x < chart.width and 0 <= y < chart.height and not chart.blocked[y * chart.width + x]
            for x, y in tiles
        ):
            self.wrong(f"nobody can stand within {row.radius} tiles of {row.x}, {row.y} in {row.realm}")

    def prey(self, name: str) -> bool:
        """Whether that creature may be met; a name that is none was reported."""
        if not self.one_of("kinds", name, self.known.mobiles):
            return True
        template = self.known.mobiles.get(name)
        if template is not None and template.fights is None:
            self.wrong(f"kinds: {name!r} is nothing that can be fought")
        return name in self.living or bool(self.known.unread)

    def resident(self, field: str, name: str) -> None:
        if not self.one_of(field, name, self.known.mobiles):
            return
        template = self.known.mobiles.get(name)
        if template is not None and template.creature:
            self.wrong(f"{field}: {name!r} talks with nobody")
        elif template is not None and name not in self.residents and not self.known.unread:
            self.wrong(f"{field}: {name!r} lives in no realm")

    def goods(self, field: str, name: str, amount: int) -> None:
        if not self.one_of(field, name, self.known.items):
            return
        template = self.known.items.get(name)
        if template is not None and not template.movable:
            self.wrong(f"{field}: {name!r} cannot be moved")
        most = MOST_IN_STACK if template is not None and template.stackable else MOST_IN_CONTAINER // 2
        self.within(f"{field}: amount", amount, 1, most)

    def check_ways(self, steps: Sequence[Step]) -> None:
        """Each step has a key of its own, leads to a step, is come to, and comes to the end."""
        if not steps:
            self.wrong("step: there is none")
            return
        by_key = {step.key: step for step in steps}
        if len(by_key) < len(steps):
            self.wrong("step: two have one key")
            return
        leads: dict[str, list[str]] = {}
        for at, step in enumerate(steps):
            following = steps[at + 1].key if at + 1 < len(steps) else END
            leads[step.key] = [way.to for way in step.ways] or [step.to or following]
            for to in leads[step.key]:
                if to != END and to not in by_key:
                    self.wrong(f"{step.key}: to: no step {to!r}{nearest(to, [*by_key, END])}")
                    return
        come_to = _closure({steps[0].key}, leads)
        for key in [step.key for step in steps if step.key not in come_to]:
            self.wrong(f"{key}: nobody comes to this step")
        for key in [step.key for step in steps if END not in _closure({step.key}, leads)]:
            self.wrong(f"{key}: from this step nobody comes to the end")

    def harvest(self, key: str, row: HarvestRow) -> Harvest:
        self.one_of("tool", row.tool, self.known.items)
        self.goods("item", row.item, 1)
        self.one_of("skill", row.skill, SKILLS)
        for tile in row.tiles:
            self.one_of("tiles", tile, self.known.tiles)
        if not row.tiles:
            self.wrong("tiles: names none")
        self.within("difficulty", row.difficulty, 0, 100)
        self.within("seconds", row.seconds, 0.5, 60)
        self.within("reach", row.reach, 1, FARTHEST)
        self.within("store", row.store, 1, 1000)
        self.within("refill", row.refill, 1, 86_400)
        return Harvest(key, **attrs.asdict(row, recurse=False))

    def one_of(self, field: str, word: str, known: Iterable[str]) -> bool:
        if word in self.known.unread:
            return True
        names = list(known)
        if word in names:
            return True
        self.wrong(f"{field}: no {word!r}{nearest(word, names)}")
        return False

    def within(self, field: str, value: float, least: float, most: float) -> None:
        if not least <= value <= most:
            self.wrong(f"{field}: must be {_plain(least)} to {_plain(most)}, is {_plain(value)}")

    def text(self, field: str, words: str, longest: int = LONGEST) -> str:
        """The text with items in words, and with the player's name still in braces."""
        wrong: list[str] = []
        found = spelled(words, self.known.items, wrong, self.known.unread, ("name",), longest)
        for what in wrong:
            self.wrong(f"{field}: {what}")
        return found


def _plain(number: float) -> str:
    """A number without an exponent: 1000000, and 0.5."""
    return str(int(number)) if number == int(number) else f"{number:g}"


def _closure(begun: set[str], leads: Mapping[str, Sequence[str]]) -> set[str]:
    """Everything that these steps lead to, and they themselves."""
    found, waiting = set(begun), list(begun)
    while waiting:
        for to in leads.get(waiting.pop(), ()):
            if to not in found:
                found.add(to)
                waiting.append(to)
    return found
