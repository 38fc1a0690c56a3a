"""Looks of the world's kinds of items and people in Lineage II: the `l2` part of data/looks, as tables.

Compiled once at start, so that a view only looks up. The client has a model of its own for each id; it shows
nothing, or ends, for one that it does not know, so that only ids of its chronicle may stand in the tables.
The client's map is what it is; rows of tiles are of what shows where our walls are. The nine classes that a
character begins with are no data of ours but the client's own, so they stand here (`CALLINGS`): race and size
of the body. Their numbers are those of L2JMobius/L2Jmobius_Interlude: dist/game/data/stats/chars/baseStats.
Characters of other games are human fighters; whatever the class, all go at the world's own pace.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final

import attrs

from protocol.l2.packets import PAPERDOLL, FenceState
from protocol.looks import LookCompiler, Palette
from protocol.tables import LookError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from world.content import Content

STYLES: Final = 21
"""Hair styles of the world, the first of which is bald."""
MALE_STYLES, FEMALE_STYLES = 5, 7
COLOURS: Final = 4
FACES: Final = 3
"""What a client lets its player choose from (L2JMobius/L2Jmobius_Interlude: CharacterCreate.java)."""

LAST_ITEM: Final = 9208
LAST_NPC: Final = 50_000
"""Of items the last that a client of Interlude knows, of NPCs a number above all of its own (the same
repository: dist/game/data/stats)."""
MOST_UNITS: Final = 400.0
"""Above all radii and heights there."""


@attrs.frozen
class Slot:
    """A place on the body: its bit in what the client calls a body part, and where an item of that place
    stands in the lists of what somebody wears (`PAPERDOLL`)."""

    part: int
    shown: tuple[int, ...]
    hides: tuple[int, ...] = ()
    """What of a body nothing else is seen on."""


def _slot(part: int, *shown: str, hides: tuple[str, ...] = ()) -> Slot:
    return Slot(part, tuple(map(PAPERDOLL.index, shown)), tuple(map(PAPERDOLL.index, hides)))


SLOTS: Final[Mapping[str, Slot]] = {
    "neck": _slot(0x0008, "neck"),
    "head": _slot(0x0040, "head"),
    "rhand": _slot(0x0080, "right_hand"),
    "lhand": _slot(0x0100, "left_hand"),
    "gloves": _slot(0x0200, "gloves"),
    "chest": _slot(0x0400, "chest"),
    "legs": _slot(0x0800, "legs"),
    "feet": _slot(0x1000, "feet"),
    "back": _slot(0x2000, "back"),
    "two_hands": _slot(0x4000, "right_hand", "both_hands", hides=("left_hand",)),
    "full_body": _slot(0x8000, "chest", hides=("legs",)),
    "hair": _slot(0x1_0000, "hair"),
    "face": _slot(0x4_0000, "face"),
    "hair_all": _slot(0x8_0000, "hair", hides=("face",)),
}
"""Places by their names in data/looks (L2JMobius/L2Jmobius_Interlude: ItemTemplate.java, Inventory.java)."""

_WEAPONS: Final = ("rhand", "two_hands")
_JEWELS: Final = ("neck",)

KINDS: Final[Mapping[str, tuple[int, int]]] = {
    "weapon": (0, 0),
    "armour": (1, 1),
    "jewel": (0, 2),
    "quest": (4, 3),
    "money": (4, 4),
    "other": (4, 5),
}
"""The two type numbers of a kind of item (the same repository: ItemTemplate.java)."""


@attrs.frozen
class ItemLook:
    """One kind of item: its id, its two type numbers, and where it is worn."""

    item: int
    type1: int
    type2: int
    slot: Slot | None = None

    @property
    def part(self) -> int:
        """Its body part; 0 if it is not worn."""
        return self.slot.part if self.slot is not None else 0


@attrs.frozen
class NpcLook:
    """One kind of mobile as an NPC. `radius` and `height` (half of it) of the cylinder that is clicked on, in
    the client's units."""

    npc: int
    radius: float
    height: float
    right_hand: int = 0
    left_hand: int = 0


@attrs.frozen
class PropLook:
    """Stand-in for a kind of tile: a fence in that state, or an NPC as NpcLook has it."""

    fence: int = 0
    npc: int = 0
    radius: float = 0.0
    height: float = 0.0


@attrs.frozen
class Hair:
    """Styles by the world's, and the world's by style."""

    shown: Sequence[int]
    count: int

    def style(self, hair: int) -> int:
        """The style that one of the world shows as; the first for one that is not known."""
        return self.shown[hair] if 0 <= hair < len(self.shown) else self.shown[0]

    def world(self, style: int) -> int:
        """The world's style for one that a client chose, which is never bald here."""
        return self.shown.index(style if 0 <= style < self.count else 0, 1)


@attrs.frozen
class L2Looks:
    """All tables, by the world's keys."""

    items: Mapping[str, ItemLook]
    npcs: Mapping[str, NpcLook]
    """Without the kinds that are drawn as characters."""
    props: Mapping[str, PropLook]
    """By kind of tile, of those that are shown."""
    hair: Hair
    female_hair: Hair
    hair_colours: Palette
    faces: Palette

    def styles(self, *, female: bool) -> Hair:
        """The hair styles of one sex."""
        return self.female_hair if female else self.hair


class Race(enum.IntEnum):
    """The client's numbers."""

    HUMAN = 0
    ELF = 1
    DARK_ELF = 2
    ORC = 3
    DWARF = 4


@attrs.frozen
class Build:
    """The cylinder that is clicked on: its radius, and half of its height, in the client's units."""

    radius: float
    height: float


@attrs.frozen
class Calling:
    """One class, with what it begins with."""

    class_id: int
    race: Race
    man: Build
    woman: Build

    def build(self, *, female: bool) -> Build:
        """The body of one sex."""
        return self.woman if female else self.man


HUMAN_FIGHTER: Final = Calling(0, Race.HUMAN, Build(9.0, 23.0), Build(8.0, 23.5))

CALLINGS: Final[Mapping[int, Calling]] = {
    calling.class_id: calling
    for calling in (
        HUMAN_FIGHTER,
        Calling(10, Race.HUMAN, Build(7.5, 22.8), Build(6.5, 22.5)),
        Calling(18, Race.ELF, Build(7.5, 24.0), Build(7.5, 23.0)),
        Calling(25, Race.ELF, Build(7.5, 24.0), Build(7.5, 23.0)),
        Calling(31, Race.DARK_ELF, Build(7.5, 24.0), Build(7.0, 23.5)),
        Calling(38, Race.DARK_ELF, Build(7.5, 24.0), Build(7.0, 23.5)),
        Calling(44, Race.ORC, Build(11.0, 28.0), Build(7.0, 27.0)),
        Calling(49, Race.ORC, Build(7.0, 27.5), Build(8.0, 25.5)),
        Calling(53, Race.DWARF, Build(9.0, 18.0), Build(5.0, 19.0)),
    )
}
"""By the client's number of the class."""


def calling_of(class_id: int) -> Calling:
    """The class of that number; human fighter for one that nobody begins with."""
    return CALLINGS.get(class_id, HUMAN_FIGHTER)


@attrs.frozen
class _ItemRow:
    item: int
    slot: str = ""
    kind: str = ""


@attrs.frozen
class _MobileRow:
    npc: int = 0
    radius: float = 0.0
    height: float = 0.0
    right_hand: int = 0
    left_hand: int = 0


@attrs.frozen
class _HairRow:
    male: tuple[int, ...]
    female: tuple[int, ...]


@attrs.frozen
class _PaletteRow:
    l2: tuple[int, ...]
    spread: tuple[int, ...]


def compile_looks(content: Content) -> L2Looks:
    """The tables of a content. Raises LookError with every mistake in its `l2` rows."""
    compiler = LookCompiler("l2", content)
    items = _items(compiler)
    npcs = _npcs(compiler)
    props = _props(compiler)
    hair = _hair(compiler)
    hair_colours = _palette(compiler, "l2_hair_hue", COLOURS)
    faces = _palette(compiler, "l2_face", FACES)
    compiler.finish()
    if hair is None or hair_colours is None or faces is None:
        raise LookError(compiler.problems)
    return L2Looks(items, npcs, props, hair[0], hair[1], hair_colours, faces)


def _items(compiler: LookCompiler) -> dict[str, ItemLook]:
    items: dict[str, ItemLook] = {}
    for key, where, row in compiler.items(_ItemRow):
        compiler.check(where, "item", row.item, 1, LAST_ITEM)
        if row.slot and row.kind:
            compiler.complain(where, "slot and kind: what is worn has no kind")
        elif row.slot:
            if compiler.word(where, "slot", row.slot, SLOTS):
                kind = "weapon" if row.slot in _WEAPONS else "jewel" if row.slot in _JEWELS else "armour"
                items[key] = ItemLook(row.item, *KINDS[kind], SLOTS[row.slot])
        elif compiler.word(where, "kind", row.kind or "other", ("money", "quest", "other")):
            items[key] = ItemLook(row.item, *KINDS[row.kind or "other"])
    return items


def _npcs(compiler: LookCompiler) -> dict[str, NpcLook]:
    npcs: dict[str, NpcLook] = {}
    for key, where, row in compiler.mobiles(_MobileRow):
        if not row.npc:
            continue
        compiler.check(where, "npc", row.npc, 1, LAST_NPC)
        compiler.check(where, "radius", row.radius, 1, MOST_UNITS)
        compiler.check(where, "height", row.height, 1, MOST_UNITS)
        compiler.check(where, "right_hand", row.right_hand, 0, LAST_ITEM)
        compiler.check(where, "left_hand", row.left_hand, 0, LAST_ITEM)
        npcs[key] = NpcLook(row.npc, row.radius, row.height, row.right_hand, row.left_hand)
    return npcs


def _props(compiler: LookCompiler) -> dict[str, PropLook]:
    props: dict[str, PropLook] = {}
    for key, where, row in compiler.tiles(PropLook):
        if bool(row.fence) == bool(row.npc):
            compiler.complain(where, "fence and npc: it is one or the other")
        elif row.fence:
            compiler.check(where, "fence", row.fence, FenceState.POSTS, FenceState.CLOSED)
            if row.radius or row.height:
                compiler.complain(where, "radius and height: only an npc has them")
        else:
            compiler.check(where, "npc", row.npc, 1, LAST_NPC)
            compiler.check(where, "radius", row.radius, 1, MOST_UNITS)
            compiler.check(where, "height", row.height, 1, MOST_UNITS)
        props[key] = row
    return props


def _hair(compiler: LookCompiler) -> tuple[Hair, Hair] | None:
    where, row = compiler.people("l2_hair", _HairRow)
    if row is None:
        return None
    for field, shown, count in (("male", row.male, MALE_STYLES), ("female", row.female, FEMALE_STYLES)):
        if len(shown) != STYLES or set(shown[1:]) != set(range(count)) or shown[0] not in range(count):
            compiler.complain(where, f"{field}: must be {STYLES} styles, each of 0 to {count - 1} among them")
    return Hair(row.male, MALE_STYLES), Hair(row.female, FEMALE_STYLES)


def _palette(compiler: LookCompiler, name: str, count: int) -> Palette | None:
    where, row = compiler.people(name, _PaletteRow)
    if row is None:
        return None
    if len(row.l2) != count or len(set(row.l2)) != count:
        compiler.complain(where, f"l2: must be {count} different hues")
    if not row.spread or not set(row.spread) <= set(range(count)):
        compiler.complain(where, f"spread: must name some of 0 to {count - 1}")
    return Palette(row.l2, row.spread)
