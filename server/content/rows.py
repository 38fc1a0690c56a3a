"""Rows of the tables of data/, as a designer writes them, and how weapons and creatures are made of theirs.

A row is what stands in a file, a template what the world goes by; most of them are alike, and where they are
not (a creature goes by its level unless it says otherwise) the one is made of the other here. Mistakes are
lines, as in `server.content.loading`, which reads the tables and knows what refers to what.
"""

from __future__ import annotations

from typing import Final

import attrs

from protocol.tables import unknown
from server.content.services import RoleRows
from world.content import Chest, Creature, Loot, Regeneration, Remedy, Saying, Temper, Weapon
from world.item import Layer
from world.rules import creatures
from world.rules.combat import Manner
from world.rules.numbers import (  # their tables are read by them
    CombatRule,
    ConductRule,
    GrowthRule,
    HealingRule,
    LawRule,
    PoisonRule,
)
from world.skills import SKILLS

WORN_LAYERS: Final = {
    name.lower(): number for name, number in vars(Layer).items() if isinstance(number, int) and name.isupper()
}
HANDS: Final = ("one_handed", "two_handed")
MANNERS: Final = tuple(manner.value for manner in Manner)
TEMPERS: Final = tuple(temper.value for temper in Temper)
SIZES: Final = ("small", "medium", "large")
"""Sizes of creatures; with its temper it chooses the look in games that have none for its kind."""

PERSON, CREATURE = "person", "creature"
"""What a mobile may be."""

HITS: Final = 50
"""Of a person whose row names none."""

DIVIDES: Final = frozenset(
    (
        *("slowest_seconds", "quickest_seconds", "points_for_a_second", "parts", "fight_divisor"),
        *("sitting_factor", "parry_divisor", "armour_divisor", "dexterity_divisor", "quickest_ms"),
        *("skill_offset", "highest_level", "running_tiles", "curve"),
        *("seconds", "times", "chance_divisor", "cure_divisor", "raising_divisor"),
    )
)
"""Numbers of the rules by which something is divided, or that are not sensible below 1."""

LONGEST_NAME: Final = 40
"""Characters of what an item is called."""

HEAVIEST: Final = 250
"""Stones of one item: a byte in Ultima Online's and Endless Online's files of items."""

HUES: Final = 3000
"""Colours of clothes are numbers up to this: Ultima Online's file of hues has so many."""

DROPS: Final = ("keep", "pack", "all")


@attrs.frozen
class TileRow:
    """A row of tiles.toml."""

    name: str
    layer: str
    walkable: bool = True
    water: bool = False
    height: int = 0
    seat: str | None = None
    door: bool = False
    landmark: bool = False


@attrs.frozen
class Wearing:
    """An item that a mobile wears."""

    item: str
    hue: int = 0


@attrs.frozen
class Carrying:
    """Items that a new character has in the pack."""

    item: str
    amount: int = 1


@attrs.frozen
class FightsRow:
    """A creature as it fights; what is None here goes by its level."""

    level: int
    armour: int | None = None
    skill: float | None = None
    least: int | None = None
    most: int | None = None
    swing_ms: int = creatures.SWING_MS
    manner: str = Manner.BITE.value
    step_ms: int = 500
    sight: int = 8
    temper: str = Temper.DEFENDS.value
    kin: str = ""
    flees_at: float = 0.0
    leash: int = 16
    venom: int = 0
    boss: bool = False


@attrs.frozen
class PlaceRow:
    """A place where somebody stands."""

    realm: str
    x: int
    y: int
    heading: str = "south"
    wander: int = 0
    respawn: int = 60


@attrs.frozen
class MobileRow:
    """A row of mobiles.toml, or a file of people/. `kind`: `PERSON`, `CREATURE`, or whose looks it has."""

    name: str
    title: str = ""
    kind: str = PERSON
    roles: tuple[str, ...] = ()
    female: bool = False
    hits: int | None = None
    notoriety: int = 1
    skin_hue: int = 1002
    hair: int = 0
    hair_hue: int = 1102
    beard: int = 0
    worn: tuple[Wearing, ...] = ()
    worn_female: tuple[Wearing, ...] = ()
    carried: tuple[Carrying, ...] = ()
    says: str = ""
    hears: tuple[Saying, ...] = ()
    size: str = "medium"
    fights: FightsRow | None = None
    loot: tuple[Loot, ...] = ()
    role: RoleRows = attrs.field(factory=RoleRows)
    place: tuple[PlaceRow, ...] = ()
    dialog: dict[str, object] = attrs.field(factory=dict)
    look: dict[str, dict[str, object]] = attrs.field(factory=dict)


@attrs.frozen
class WeaponRow:
    """An item as it strikes."""

    skill: str
    least: int
    most: int
    ms: int
    manner: str
    reach: int = 1
    nearest: int = 0
    ammunition: str = ""


@attrs.frozen
class ItemRow:
    """A row of items.toml."""

    name: str
    layer: str = ""
    weight: int = 1
    stackable: bool = False
    container: bool = False
    movable: bool = True
    remedy: Remedy | None = None
    weapon: WeaponRow | None = None
    armour: int = 0
    shield: bool = False
    light: bool = False
    plural: str = ""
    letter: bool = False
    board: bool = False
    chest: Chest | None = None


@attrs.frozen
class StartRow:
    """The table of start.toml."""

    realm: str
    welcome: str = ""


@attrs.frozen
class RulesRow:
    """The table of rules.toml."""

    regeneration: Regeneration
    combat: CombatRule
    growth: GrowthRule
    law: LawRule
    poison: PoisonRule
    healing: HealingRule
    conduct: ConductRule = attrs.field(factory=ConductRule)


RANGES: Final[dict[str, tuple[float, float]]] = {
    "notoriety": (1, 7),
    "skin_hue": (1002, 1058),
    "hair": (0, 20),
    "hair_hue": (1102, 1149),
    "beard": (0, 7),
    "hits": (1, 65535),
}
"""Least and greatest numbers of a row of mobiles.toml."""

FIGHT_RANGES: Final[dict[str, tuple[float, float]]] = {
    "level": (1, 60),
    "armour": (0, 200),
    "skill": (0.0, 100.0),
    "least": (1, 10000),
    "most": (1, 10000),
    "swing_ms": (500, 10000),
    "step_ms": (100, 5000),
    "sight": (1, 18),
    "flees_at": (0.0, 1.0),
    "leash": (1, 64),
    "venom": (0, 100),
}

WEAPON_RANGES: Final[dict[str, tuple[float, float]]] = {
    "least": (1, 10000),
    "most": (1, 10000),
    "ms": (500, 10000),
    "reach": (1, 18),
    "nearest": (0, 18),
}


def out_of_range(row: object, ranges: dict[str, tuple[float, float]]) -> list[str]:
    """A line for each number of a row that is too small or too great; one that is None was left out."""
    values = ((field, getattr(row, field), bounds) for field, bounds in ranges.items())
    return [
        f"{field}: must be {low:g} to {high:g}, is {value}"
        for field, value, (low, high) in values
        if value is not None and not low <= value <= high
    ]


def weapon_of(row: ItemRow, problems: list[str]) -> Weapon | None:
    """The weapon that an item is, if it is one; what is wrong with it goes to `problems`. Its ammunition is
    for the caller to check, who knows all items."""
    if not 0 <= row.armour <= 200:
        problems.append(f"armour: must be 0 to 200, is {row.armour}")
    if row.shield and row.layer != "two_handed":
        problems.append("shield: must be worn on the layer 'two_handed'")
    if row.weapon is None:
        return None
    weapon = row.weapon
    found = out_of_range(weapon, WEAPON_RANGES)
    found += unknown("skill", weapon.skill, SKILLS)
    found += unknown("manner", weapon.manner, MANNERS)
    if weapon.least > weapon.most:
        found.append(f"least: must be {weapon.most}, which is most, or less, is {weapon.least}")
    if weapon.nearest > weapon.reach:
        found.append(f"nearest: must be {weapon.reach}, which is reach, or less, is {weapon.nearest}")
    if row.layer not in HANDS:
        found.append("must be worn on the layer 'one_handed' or 'two_handed'")
    problems += [f"weapon: {what}" for what in found]
    if found:
        return None
    return Weapon(
        weapon.skill,
        weapon.least,
        weapon.most,
        weapon.ms,
        Manner(weapon.manner),
        weapon.reach,
        weapon.nearest,
        weapon.ammunition,
    )


def creature_of(row: MobileRow, problems: list[str]) -> Creature | None:
    """The creature that a mobile is, if it fights; what is wrong with that goes to `problems`. The items of
    its loot are for the caller to check."""
    if row.fights is None:
        if row.loot:
            problems.append("loot: only who fights leaves any")
        return None
    fights = row.fights
    found = out_of_range(fights, FIGHT_RANGES)
    found += unknown("manner", fights.manner, MANNERS)
    found += unknown("temper", fights.temper, TEMPERS)
    level = min(60, max(1, fights.level))
    least, most = creatures.damage(level, boss=fights.boss)
    least = least if fights.least is None else fights.least
    most = most if fights.most is None else fights.most
    if least > most:
        found.append(f"least: must be {most}, which is most, or less, is {least}")
    problems += [f"fights: {what}" for what in found]
    if row.kind != CREATURE:
        problems.append(f"fights: only of kind {CREATURE!r}")
    problems += [what for loot in row.loot for what in _wrong_with(loot)]
    if found:
        return None
    return Creature(
        level=level,
        hits=creatures.hits(level, boss=fights.boss) if row.hits is None else row.hits,
        armour=creatures.armour(level) if fights.armour is None else fights.armour,
        skill=creatures.skill(level) if fights.skill is None else fights.skill,
        least=least,
        most=most,
        swing_ms=fights.swing_ms,
        manner=Manner(fights.manner),
        step_ms=fights.step_ms,
        sight=fights.sight,
        temper=Temper(fights.temper),
        kin=fights.kin,
        flees_at=fights.flees_at,
        leash=fights.leash,
        venom=fights.venom,
        boss=fights.boss,
        loot=row.loot,
    )


def wrong_words(row: ItemRow) -> list[str]:
    """Mistakes in what an item is called and weighs."""
    found = [
        f"{field}: must be 1 to {LONGEST_NAME} characters without braces, is {text!r}"
        for field, text in (("name", row.name), ("plural", row.plural or row.name))
        if len(text) > LONGEST_NAME or not text.strip() or not text.isprintable() or {"{", "}"} & set(text)
    ]
    if not 0 <= row.weight <= HEAVIEST:
        found.append(f"weight: must be 0 to {HEAVIEST}, is {row.weight}")
    return found


def wrong_with_fixture(row: ItemRow) -> list[str]:
    """Mistakes in an item as a board or a chest; the items that it names the caller checks."""
    found: list[str] = []
    if row.board and row.movable:
        found.append("board: must have movable = false: it stands where it is")
    if row.chest is None:
        return found
    if not row.container or row.movable:
        found.append("chest: must have container = true and movable = false")
    if row.chest.seconds < 1:
        found.append(f"chest: seconds: must be 1 at least, is {row.chest.seconds}")
    return found + [f"chest: {what}" for loot in row.chest.stock for what in _wrong_with(loot)]


def _wrong_with(loot: Loot) -> list[str]:
    found = []
    if not 1 <= loot.least <= loot.most:
        found.append(f"loot: {loot.item}: least and most: must be 1 or more, is {loot.least} to {loot.most}")
    if not 0.0 < loot.chance <= 1.0:
        found.append(f"loot: {loot.item}: chance: must be above 0 and at most 1, is {loot.chance}")
    return found
