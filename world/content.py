"""Content of data/ as records: kinds of tiles, templates of mobiles and items, charts of realms.

A game designer writes it; `server.content.loading` reads it and reports every mistake at once. A `look` says
how one thing appears in each game; the world never reads it, each game's view compiles its own part when the
server starts.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

import attrs

from world.errands import Quest  # noqa: TC001 # attrs
from world.harvests import Harvest  # noqa: TC001
from world.offers import Offers
from world.rules.combat import Manner
from world.rules.numbers import CombatRule, ConductRule, GrowthRule, HealingRule, LawRule, PoisonRule
from world.scripting import Hooks

if TYPE_CHECKING:
    from world.talks import Talk

Look: TypeAlias = Mapping[str, Mapping[str, object]]
"""By game ("uo", "eo"): that game's own words and numbers, checked by that game."""

PERSON_HEIGHT: Final = 16
"""In z units: ServUO, Scripts/Misc/Movement (PersonHeight)."""


@attrs.frozen
class TileKind:
    """One kind of ground or scenery. `layer` is one of ground, object, wall_south, wall_east, roof."""

    key: str
    name: str
    layer: str
    walkable: bool = True
    water: bool = False
    height: int = 0
    """In UO's z units (a person is 16 high, a full wall 20)."""
    seat: int | None = None
    """The heading one sits in here, -1 for any; None if it is no seat. A seat is not walkable."""
    door: bool = False
    landmark: bool = False
    """Whether it is something to find one's way by, which is shown even in a row of others: see
    `protocol.landmarks`."""
    look: Look = attrs.field(factory=dict)


@attrs.frozen
class Saying:
    """An answer to any of some words (a word may be several); `{name}` stands for the name of the speaker."""

    words: Sequence[str]
    says: str


@attrs.frozen
class Remedy:
    """Points that eating, drinking or applying an item gives back, and the seconds until the next one can be
    used. `how` is the verb."""

    how: str
    hits: int = 0
    stamina: int = 0
    seconds: float = 1.0
    cures: bool = False
    """Whether it ends poison."""
    venom: int = 0
    """Hits that it takes as poison, each time."""
    dressing: bool = False
    """Whether it is for wounds, and takes time and skill: `world.healing`. `hits` is then what it gives
    without any skill."""


@attrs.frozen
class Weapon:
    """A weapon: `skill` is the one it asks for; the roll of a blow is `least` to `most`, `ms` the
    time between two blows of somebody without dexterity."""

    skill: str
    least: int
    most: int
    ms: int
    manner: Manner
    reach: int = 1
    """Tiles (Chebyshev) that it strikes; above 1 it needs a free line of sight."""
    nearest: int = 0
    """Tiles below which it cannot be used: bows."""
    ammunition: str = ""
    """Item template of which each blow uses one up."""


@attrs.frozen
class Loot:
    """Something that a dead creature may have had: `least` to `most` of it with that chance."""

    item: str
    least: int = 1
    most: int = 1
    chance: float = 1.0


@attrs.frozen
class Chest:
    """The stock of a container in a realm, and how it is filled again: what is gone of its `stock` is there
    anew so many `seconds` after somebody took of it. `lock` is the kind of key that opens it; empty: it has
    none."""

    stock: tuple[Loot, ...] = ()
    seconds: float = 600.0
    lock: str = ""


class Temper(enum.Enum):
    """Conduct of a creature towards others."""

    PEACEFUL = "peaceful"
    """It runs from whoever hurts it."""
    DEFENDS = "defends"
    """It fights whoever hurts it."""
    HUNTS = "hunts"
    """It fights whomever it notices."""


@attrs.frozen
class Creature:
    """A kind of creature, as it fights and lives; numbers that its template leaves out are those of its level
    (`world.rules.creatures`). Distances are in tiles."""

    level: int
    hits: int
    armour: int
    skill: float
    least: int
    most: int
    swing_ms: int = 2000
    manner: Manner = Manner.BITE
    step_ms: int = 500
    sight: int = 8
    temper: Temper = Temper.DEFENDS
    kin: str = ""
    """Those of one kin come to each other's help; empty: nobody does."""
    flees_at: float = 0.0
    """Part of its hits below which it flees."""
    leash: int = 16
    """How far from home it follows an enemy."""
    venom: int = 0
    """Hits that its poison takes each time; 0: it has none."""
    boss: bool = False
    loot: Sequence[Loot] = ()


@attrs.frozen
class MobileTemplate:
    """One kind of mobile. `worn` names item templates with their hue. A `creature` is an animal or a monster:
    it talks with nobody and is no resident; every other kind is a `person`."""

    key: str
    name: str
    title: str = ""
    female: bool = False
    hits: int = 50
    notoriety: int = 1
    skin_hue: int = 1002
    hair: int = 0
    hair_hue: int = 1102
    beard: int = 0
    worn: Sequence[tuple[str, int]] = ()
    worn_female: Sequence[tuple[str, int]] = ()
    """What a woman wears instead; empty: the same."""
    carried: Sequence[tuple[str, int]] = ()
    """What a new character of this kind has in the pack: item template and amount."""
    look: Look = attrs.field(factory=dict)
    usual: Look = attrs.field(factory=dict)
    """How creatures of its size and temper look, for what its own look leaves out."""
    creature: bool = False
    roles: Sequence[str] = ()
    """What it does for others, by name: see `world.roles`."""
    says: str = ""
    """What it answers to a greeting; empty: nothing of its own."""
    hears: Sequence[Saying] = ()
    """What else it has words for."""
    offers: Offers = attrs.field(factory=Offers)
    """What it sells, teaches and gives to do."""
    talk: Talk | None = None
    """Its dialog, if it has one."""
    drawn_as: str = ""
    """Key of the kind whose looks it has, with what it says itself; empty if it has its own."""
    fights: Creature | None = None
    """What it is in a fight; None: it is no enemy to anybody."""


@attrs.frozen
class ItemTemplate:
    """One kind of item. `layer` is where it is worn (`world.item.Layer`), 0 if it is not; `weight` in
    stones."""

    key: str
    name: str
    layer: int = 0
    weight: int = 1
    stackable: bool = False
    container: bool = False
    movable: bool = True
    remedy: Remedy | None = None
    weapon: Weapon | None = None
    armour: int = 0
    """What it adds to its wearer's armour."""
    shield: bool = False
    light: bool = False
    """Whether it can burn and give light."""
    plural: str = ""
    """What several of it are called; empty: the same."""
    letter: bool = False
    """Whether it can be read, by the rule of `world.letters`."""
    board: bool = False
    """Whether notes are pinned to it: `world.boards`."""
    chest: Chest | None = None
    """What is found in it, of a container that stands in a realm: `world.locks`."""
    look: Look = attrs.field(factory=dict)

    def many(self, amount: int) -> str:
        """So many of it, in words for players: "1 apple", "5 gold coins"."""
        return f"{amount} {self.name if amount == 1 else self.plural or self.name}"


@attrs.frozen
class Scenery:
    """A piece of the realm that is not an item: wall, tree, lamp, roof. `z` is above the ground of its
    tile."""

    kind: TileKind
    x: int
    y: int
    z: int = 0


@attrs.frozen
class Warp:
    """Stepping here leads elsewhere; with `door` the way opens first."""

    realm: str
    x: int
    y: int
    door: bool = False


@attrs.frozen
class Sign:
    """Words that stand at a place."""

    x: int
    y: int
    title: str
    text: str


@attrs.frozen
class Resident:
    """A mobile that every start of the server places anew. It may wander `wander` tiles from its place; if it
    dies, another stands there `respawn` seconds later."""

    template: str
    x: int
    y: int
    heading: int = 4
    wander: int = 0
    respawn: int = 60


@attrs.frozen
class Fixture:
    """A thing that stands at a place of a realm and belongs there: a board, a chest."""

    template: str
    x: int
    y: int


@attrs.frozen
class Region:
    """A rectangle of a realm, in tiles, with rules of its own. `fights`: players may fight each other there;
    `guarded`: guards strike criminals down."""

    name: str
    x: int
    y: int
    width: int
    height: int
    fights: bool = False
    guarded: bool = False

    def covers(self, x: int, y: int) -> bool:
        """Whether a tile lies in it."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


@attrs.frozen
class Spawner:
    """An area of a realm, in tiles, in which creatures live: at most `count` at a time, of these kinds with
    their weights; another comes `least_seconds` to `most_seconds` after one died."""

    x: int
    y: int
    width: int
    height: int
    kinds: Sequence[tuple[str, int]]
    count: int
    least_seconds: float = 30.0
    most_seconds: float = 90.0


@attrs.frozen
class Chart:
    """One realm as drawn. Cells are row-major: index = y * width + x."""

    name: str
    title: str
    width: int
    height: int
    ground: Sequence[TileKind]
    scenery: Sequence[Scenery]
    blocked: bytes
    """One byte per cell: 1 where nobody can stand."""
    spawns: Sequence[tuple[int, int]]
    """Where newcomers appear; a newcomer is spread over free tiles within 3."""
    warps: Mapping[tuple[int, int], Warp] = attrs.field(factory=dict)
    seats: Mapping[tuple[int, int], int] = attrs.field(factory=dict)
    """Chairs by tile: the heading one sits in, or -1 for any."""
    doors: frozenset[tuple[int, int]] = frozenset()
    signs: Sequence[Sign] = ()
    heights: Sequence[int] = ()
    """How high the ground is, cell by cell, in the units of Conquer Online's maps; empty where it is flat."""
    residents: Sequence[Resident] = ()
    fixtures: Sequence[Fixture] = ()
    regions: Sequence[Region] = ()
    """Of several that cover a tile the first counts."""
    spawners: Sequence[Spawner] = ()
    fights: bool = True
    """Whether players may fight each other outside of all regions."""
    atlas: Mapping[str, Mapping[str, float | str]] = attrs.field(factory=dict)
    """By game: where this realm lies on that game's own map, in numbers (`map`, `x`, `y`, `z`, ...) and names
    (`zone`, ...); `landmarks` is true or false."""

    opaque: bytes = attrs.field(init=False, eq=False, repr=False)
    """One byte per cell: 1 where something higher than a person stands in the way of hands and looks."""

    @opaque.default
    def _opaque(self) -> bytes:
        # Not a cached property: with one, every attribute of a class with slots is slower.
        opaque = bytearray(self.width * self.height)
        for piece in self.scenery:
            if not piece.kind.walkable and not piece.z and piece.kind.height >= PERSON_HEIGHT:
                opaque[piece.y * self.width + piece.x] = 1
        return bytes(opaque)

    @property
    def drawing(self) -> tuple[object, ...]:
        """All of it but who and what is in it at the beginning. Pictures for clients follow from that."""
        skipped = ("spawns", "residents", "fixtures", "spawners", "opaque")
        return tuple(getattr(self, field.name) for field in attrs.fields(Chart) if field.name not in skipped)

    def stands(self, x: int, y: int) -> bool:
        """Whether one can stand on a tile; nobody can beside the map."""
        return 0 <= x < self.width and 0 <= y < self.height and not self.blocked[y * self.width + x]

    def region(self, x: int, y: int) -> Region | None:
        """The region that covers a tile; None where there is none."""
        return next((region for region in self.regions if region.covers(x, y)), None)

    def allows_fights(self, x: int, y: int) -> bool:
        """Whether players may fight each other on a tile."""
        region = self.region(x, y)
        return self.fights if region is None else region.fights

    def place(self, game: str) -> Mapping[str, int]:
        """The whole numbers of a game's row of the atlas; none if it has no row."""
        return {key: value for key, value in self.atlas.get(game, {}).items() if type(value) is int}


@attrs.frozen
class Regeneration:
    """Rates at which the living recover missing points: see `world.life`. Of each pool a part comes back at a
    time, the sooner the higher the attribute it goes by."""

    slowest_seconds: float = 6.0
    """From one time to the next, with an attribute of 0."""
    quickest_seconds: float = 1.0
    points_for_a_second: float = 25.0
    """Points of the attribute that make it a second sooner."""
    parts: int = 20
    """Of how many parts of the whole pool one comes back at a time; at least 1 point."""
    fight_seconds: float = 10.0
    """After a blow one is in a fight for so long ..."""
    fight_divisor: int = 10
    """... and recovers so much less."""
    sitting_factor: int = 2
    """Who sits recovers so much more."""


@attrs.frozen(eq=False)
class Content:
    """Everything data/ says. `people` maps hair, beard and skin to each game (its own part, checked by that
    game)."""

    tiles: Mapping[str, TileKind]
    mobiles: Mapping[str, MobileTemplate]
    items: Mapping[str, ItemTemplate]
    charts: Mapping[str, Chart]
    people: Look
    start_realm: str
    regeneration: Regeneration = Regeneration()
    combat: CombatRule = attrs.field(factory=CombatRule)
    growth: GrowthRule = attrs.field(factory=GrowthRule)
    law: LawRule = attrs.field(factory=LawRule)
    poison: PoisonRule = attrs.field(factory=PoisonRule)
    conduct: ConductRule = attrs.field(factory=ConductRule)
    healing: HealingRule = attrs.field(factory=HealingRule)
    tables: Mapping[str, Mapping[str, Mapping[str, Mapping[str, object]]]] = attrs.field(factory=dict)
    """By game, version of its client and name of the file: tables of numbers and layouts that change from
    version to version, checked by the game."""
    quests: Mapping[str, Quest] = attrs.field(factory=dict)
    """By key."""
    welcome: str = ""
    """The quest that newcomers are offered as they come in; empty: none."""
    harvests: Mapping[str, Harvest] = attrs.field(factory=dict)
    """What can be gathered, by key."""
    numbers: Mapping[str, Mapping[str, Mapping[str, int]]] = attrs.field(factory=dict)
    """By game, list and key: numbers by which clients know kinds already, which the server has written down.
    A game that has such lists gives none of them to another kind."""
    scripts: Hooks = attrs.field(factory=Hooks)
    """What data/scripts wants to be called for."""
    unverified: Sequence[str] = ()
    """Rows of the look tables whose source could not be confirmed; `causeway check --verbose` lists them."""
