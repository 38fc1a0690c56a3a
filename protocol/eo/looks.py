"""Looks of the world's kinds of tiles, items and people: the `eo` part of data/looks, as tables.

Compiled once at start. From them protocol.eo.files makes the map and pub files that clients download, and
the view takes ids and colours. The limits are those of the client's own graphics: it draws nothing, or
ends, beyond them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs
from eolib.protocol import Direction
from eolib.protocol.map import MapTileSpec
from eolib.protocol.pub import ItemSize, ItemSubtype, ItemType, NpcType

from protocol.eo.numbers import ITEMS, LAST_OWN, NPCS, numbered, women_s
from protocol.looks import LookCompiler, Palette
from protocol.tables import LookError, read

if TYPE_CHECKING:
    from collections.abc import Mapping

    from world.content import Content, MobileTemplate, TileKind

LAYERS: Final = (
    "ground",
    "object",
    "overlay",
    "down_wall",
    "right_wall",
    "roof",
    "top",
    "shadow",
    "overlay2",
)
"""The graphic layers of a map, in the order of the file (eo-protocol: xml/map/protocol.xml)."""

LAST_GRAPHIC: Final = {
    "ground": 724,
    "object": 531,
    "overlay": 41,
    "down_wall": 1063,
    "right_wall": 1063,
    "roof": 47,
    "top": 724,
    "shadow": 69,
    "overlay2": 41,
}
"""Ground, roof, shadow: pictures that exist; others: the highest in Ntsee/EOServ-REST-API's maps."""

LAST_ITEM_GRAPHIC: Final = 760
LAST_NPC_GRAPHIC: Final = 171
LAST_DOLL: Final = {"Boots": 65, "Armor": 91, "Hat": 99, "Shield": 25, "Weapon": 91}
"""By data/pub of the same repository."""

ENEMIES: Final = frozenset({NpcType.Passive, NpcType.Aggressive})
"""Types of NPCs that clients attack."""

_HEADING_TO_DIRECTION: Final = (
    Direction.Up,
    Direction.Up,
    Direction.Right,
    Direction.Right,
    Direction.Down,
    Direction.Down,
    Direction.Left,
    Direction.Left,
)
_DIRECTION_TO_HEADING: Final = {Direction.Up: 0, Direction.Right: 2, Direction.Down: 4, Direction.Left: 6}


@attrs.frozen
class EoTile:
    """One kind of tile: graphics by layer number, its spec if it has one, and where its shadow falls."""

    graphics: Mapping[int, int]
    spec: MapTileSpec | None = None
    shadow_dx: int = 0


@attrs.frozen
class EoItem:
    """One kind of item: its record for men and, where the client tells them apart, another one for women."""

    id: int
    female_id: int
    graphic: int
    type: ItemType
    size: ItemSize
    doll: int
    female_doll: int
    subtype: ItemSubtype = ItemSubtype.None_
    quiver: str = ""
    """Key of what hangs on the back of who holds it: of a bow, its arrows."""

    @property
    def lock(self) -> int:
        """The number of what it opens, if it is a key: its own; 0 if it is none."""
        return self.id if self.type is ItemType.Key else 0


@attrs.frozen
class EoNpc:
    """One kind of mobile as an NPC."""

    id: int
    graphic: int
    type: NpcType


@attrs.frozen(eq=False)
class Lists:
    """Contents of the lists that a client has. Clients whose lists were made of the same content have the
    same one; it is their dialect, by which those that know a kind are told apart from those that do not."""

    npcs: Mapping[int, NpcType]
    """Types of the NPCs that have a record, by its number."""
    items: int
    """Number of the last record of an item."""


@attrs.frozen
class EoLooks:
    """All tables, by the world's keys."""

    tiles: Mapping[str, EoTile]
    items: Mapping[str, EoItem]
    npcs: Mapping[str, EoNpc]
    """Without the kinds that are drawn as characters."""
    maps: Mapping[str, int]
    """Map ids by realm; a realm that is not here cannot be entered."""
    templates: Mapping[int, str]
    """Item kinds by record id."""
    numbers: Mapping[str, Mapping[str, int]]
    """All numbers that were ever given, by list and key (`protocol.eo.numbers`)."""
    hair: Palette
    skins: Palette

    def item_id(self, template: str, *, female: bool = False) -> int:
        """The record id of an item, for a viewer of that sex."""
        item = self.items[template]
        return item.female_id if female else item.id

    def doll(self, template: str, *, female: bool) -> int:
        """The picture of a worn item on a body; 0 if it shows nothing."""
        item = self.items[template]
        return item.female_doll if female else item.doll


def to_direction(heading: int) -> Direction:
    """EO's direction for one of the world's eight headings; a diagonal is shown as the heading before it."""
    return _HEADING_TO_DIRECTION[heading]


def to_heading(direction: Direction) -> int:
    """The world's heading for one of EO's directions."""
    return _DIRECTION_TO_HEADING[direction]


@attrs.frozen
class _TileRow:
    ground: int = 0
    object: int = 0
    overlay: int = 0
    down_wall: int = 0
    right_wall: int = 0
    roof: int = 0
    top: int = 0
    shadow: int = 0
    overlay2: int = 0
    shadow_dx: int = 0
    spec: str = ""


@attrs.frozen
class _ItemRow:
    graphic: int
    id: int = 0
    female_id: int = 0
    type: str = "General"
    size: str = "Size1x1"
    doll: int = 0
    female_doll: int = 0


@attrs.frozen
class _MobileRow:
    id: int = 0
    graphic: int = 0
    type: str = "Friendly"


@attrs.frozen
class _PaletteRow:
    eo: tuple[int, ...]
    spread: tuple[int, ...]


def compile_looks(content: Content) -> EoLooks:
    """The tables of a content. Raises LookError with every mistake in its `eo` rows."""
    compiler = LookCompiler("eo", content)
    tiles = _tiles(compiler)
    known = content.numbers.get("eo", {})
    items, item_numbers = _items(compiler, known.get(ITEMS, {}))
    npcs, npc_numbers = _npcs(compiler, known.get(NPCS, {}))
    hair = _palette(compiler, "hair_hue", 10)
    skins = _palette(compiler, "skin_hue", 7)
    maps: dict[str, int] = {}
    for name, chart in content.charts.items():
        number = chart.place("eo").get("map")
        if number is not None:
            if not 1 <= number <= 64000 or number in maps.values():
                compiler.complain(f"realms/{name}.toml", "atlas.eo.map: must be 1 to 64000 and nobody else's")
            maps[name] = number
    compiler.finish()
    if hair is None or skins is None:
        raise LookError(compiler.problems)
    templates = {number: key for key, item in items.items() for number in (item.id, item.female_id)}
    return EoLooks(
        tiles=tiles,
        items=items,
        npcs=npcs,
        maps=maps,
        templates=templates,
        numbers={ITEMS: item_numbers, NPCS: npc_numbers},
        hair=hair,
        skins=skins,
    )


def _check_own(compiler: LookCompiler, where: str, wanted: Mapping[str, int]) -> None:
    """The numbers that rows ask for: the place of a record in the file is its id. A kind that was taken out
    of a running server's content keeps its number until that ends: whoever has such a thing still sees it."""
    ids = [number for number in wanted.values() if number]
    wrong = sorted({number for number in ids if not 1 <= number <= LAST_OWN or ids.count(number) > 1})
    if wrong:
        keys = sorted(key.partition(" ")[0] for key, number in wanted.items() if number in wrong)
        why = f"see {wrong}, of {', '.join(keys)}; without id a row is given one"
        compiler.complain(where, f"ids must be 1 to {LAST_OWN}, each once: {why}")


def _tiles(compiler: LookCompiler) -> dict[str, EoTile]:
    tiles: dict[str, EoTile] = {}
    for key, kind in compiler.content.tiles.items():
        where = f"looks/tiles.toml: {key}.eo"
        row = read(_TileRow, kind.look["eo"], where, compiler.problems)
        if row is None:
            continue
        graphics = {index: int(getattr(row, layer)) for index, layer in enumerate(LAYERS)}
        for index, graphic in graphics.items():
            # The open door is the picture after the closed one.
            spare = int(kind.door and "wall" in LAYERS[index])
            compiler.check(where, LAYERS[index], graphic, 0, LAST_GRAPHIC[LAYERS[index]] - spare)
        if kind.layer == "ground" and not row.ground:
            compiler.complain(where, "ground: is missing")
        if not row.spec or compiler.word(where, "spec", row.spec, MapTileSpec.__members__):
            drawn = {index: graphic for index, graphic in graphics.items() if graphic}
            tiles[key] = EoTile(drawn, _spec(kind, row.spec), row.shadow_dx)
    return tiles


def _items(compiler: LookCompiler, known: Mapping[str, int]) -> tuple[dict[str, EoItem], dict[str, int]]:
    items: dict[str, EoItem] = {}
    wanted: dict[str, int] = {}
    kinds = compiler.content.items.values()
    shot = {item.weapon.ammunition for item in kinds if item.weapon is not None}
    keys = {item.chest.lock for item in kinds if item.chest is not None}
    for key, where, row in compiler.items(_ItemRow):
        compiler.check(where, "graphic", row.graphic, 1, LAST_ITEM_GRAPHIC)
        for field, doll in (("doll", row.doll), ("female_doll", row.female_doll)):
            compiler.check(where, field, doll, 0, LAST_DOLL.get(row.type, 0))
        typed = compiler.word(where, "type", row.type, ItemType.__members__)
        if compiler.word(where, "size", row.size, ItemSize.__members__) and typed:
            if key in shot and row.type != "Shield":
                compiler.complain(where, "type: Shield, where clients look for arrows, or they do not shoot")
            weapon = compiler.content.items[key].weapon
            quiver = weapon.ammunition if weapon is not None else ""
            wanted[key] = row.id
            if row.female_id or (not row.id and row.type == "Armor"):
                wanted[women_s(key)] = row.female_id  # clients refuse armour of the other sex
            items[key] = EoItem(
                id=0,  # until all are known
                female_id=0,
                graphic=row.graphic,
                type=ItemType.Key if key in keys and row.type == "General" else ItemType[row.type],
                size=ItemSize[row.size],
                doll=row.doll,
                female_doll=row.female_doll,
                subtype=_subtype(quiver=bool(quiver), shot=key in shot),
                quiver=quiver,
            )
    file = "looks/items.toml"
    _check_own(compiler, file, wanted)
    numbers = numbered(known, wanted)
    if numbers.get("gold", 1) != 1:
        compiler.complain(file, "gold.eo: id: must be 1, clients take item 1 for money")
    for key, item in items.items():
        number = numbers[key]
        women = numbers[women_s(key)] if women_s(key) in wanted else number
        items[key] = attrs.evolve(item, id=number, female_id=women)
    return items, numbers


def _subtype(*, quiver: bool, shot: bool) -> ItemSubtype:
    """By which a client knows that one shoots with something, or what is shot."""
    if quiver:
        return ItemSubtype.Ranged
    return ItemSubtype.Arrows if shot else ItemSubtype.None_


def _npcs(compiler: LookCompiler, known: Mapping[str, int]) -> tuple[dict[str, EoNpc], dict[str, int]]:
    npcs: dict[str, EoNpc] = {}
    quests = compiler.content.quests.values()
    asking = {quest.giver for quest in quests} | {step.whom for quest in quests for step in quest.steps}
    for key, where, row in compiler.mobiles(_MobileRow):
        if row.id == row.graphic == 0:
            continue
        compiler.check(where, "graphic", row.graphic, 1, LAST_NPC_GRAPHIC)
        template = compiler.content.mobiles[key]
        if compiler.word(where, "type", row.type, NpcType.__members__):
            if template.drawn_as:
                # The record is its own, whosever the picture is.
                service = NpcType.Quest if key in asking else service_of(template)
                npcs[key] = EoNpc(0, row.graphic, service)
            else:
                npcs[key] = EoNpc(row.id, row.graphic, NpcType[row.type])
            if template.fights is not None and npcs[key].type not in ENEMIES:
                compiler.complain(where, "type: Passive or Aggressive, or no client attacks it")
    _check_own(compiler, "looks/mobiles.toml", {key: npc.id for key, npc in npcs.items()})
    # Those that have no number of their own come behind the others.
    numbers = numbered(known, {key: npc.id for key, npc in npcs.items()})
    return {key: attrs.evolve(npc, id=numbers[key]) for key, npc in npcs.items()}, numbers


SERVICES: Final = {
    "merchant": NpcType.Shop,
    "banker": NpcType.Bank,
    "trainer": NpcType.Trainer,
    "innkeeper": NpcType.Inn,
    "registrar": NpcType.Guild,
}
"""By role: the type of record whose click opens that service's window (eo-protocol: xml/pub/protocol.xml,
NpcType)."""


def service_of(template: MobileTemplate) -> NpcType:
    """Type of the record of a resident. A record has one type only, and clients find a name for who asks
    among those of type Quest alone. So who has a dialog or quests is one: a click opens the dialog, whose
    answers lead to what else there is, or else the service's window, which opens for a click on any type."""
    if template.talk is None and not template.offers.quests:
        for role in template.roles:
            if role in SERVICES:
                return SERVICES[role]
    return NpcType.Quest


def _palette(compiler: LookCompiler, name: str, count: int) -> Palette | None:
    where, row = compiler.people(name, _PaletteRow)
    if row is None:
        return None
    if len(row.eo) != count or len(set(row.eo)) != count:
        compiler.complain(where, f"eo: must be {count} different hues")
    if not row.spread or not set(row.spread) <= set(range(count)):
        compiler.complain(where, f"spread: must name some of 0 to {count - 1}")
    return Palette(row.eo, row.spread)


def _spec(kind: TileKind, name: str) -> MapTileSpec | None:
    if name:
        return MapTileSpec[name]
    if kind.seat is not None:
        # The client asks only from the sides that this names; the world lets one sit down from each, and says
        # which way one faces then.
        return MapTileSpec.ChairAll
    return None if kind.walkable else MapTileSpec.Wall
