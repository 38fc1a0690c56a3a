"""Ultima Online's pictures of the world's kinds of tiles, items and people: the `uo` part of data/looks,
as tables.

Compiled once at start, so that a view only looks up. Nothing here knows whether a client has the art: the
ids stay in the range that every client from 5.0.9 on has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from protocol.tables import LookError, read

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from world.content import Content

LAST_ITEM: Final = 0x3FFF
"""The last item of the oldest tiledata.mul (ServUO/ServUO: Server/TileData.cs): every client has these."""

LAST_BODY: Final = 0x193
"""Ghosts are the last bodies that every client can draw (ServUO/ServUO: Server/Body.cs)."""

PEOPLE: Final = range(0x190, 0x194)
"""Bodies of people and of their ghosts: they wear clothes and speak with voices of their own."""

LAST_SOUND: Final = 0x7FF
"""Beyond the sounds of all creatures of 7.0.0.0 (ServUO/ServUO: BaseSoundID of Scripts/Mobiles)."""

SKIN_HUES: Final = (1002, 1058)
HAIR_HUES: Final = (1102, 1149)
"""ServUO/ServUO: Server/Utility.cs, ClipSkinHue and ClipHairHue."""

PARTIAL_HUE: Final = 0x8000
"""Marks a hue that colours only the grey parts: every skin has it on the wire."""


@attrs.frozen
class Piece:
    """One static: art id, height above the ground of its tile, hue."""

    item: int
    z: int = 0
    hue: int = 0


@attrs.frozen
class TileArt:
    """Statics on a tile of one kind: all of `pieces`, or one of them if they are alternatives."""

    pieces: tuple[Piece, ...]
    alternatives: bool = False


@attrs.frozen
class ItemArt:
    """Art of an item, the hue of one that has none of its own, and the art of one that burns."""

    item: int
    hue: int = 0
    lit: int = 0


@attrs.frozen
class Bodies:
    """Body ids of one kind of mobile, and the first of its sounds (0: it has a person's, or none): anger,
    rest, attack, pain, death."""

    male: int
    female: int
    ghost_male: int
    ghost_female: int
    sound: int = 0


@attrs.frozen
class UoLooks:
    """All tables, by the world's keys."""

    tiles: Mapping[str, TileArt]
    items: Mapping[str, ItemArt]
    mobiles: Mapping[str, Bodies]
    hair: Mapping[bool, Sequence[int]]
    """Hair items by sex (True is female) and style; 0 is bald."""
    hair_styles: Mapping[int, int]
    beards: Sequence[int]
    beard_styles: Mapping[int, int]

    def scenery(self, kind: str, x: int, y: int) -> tuple[Piece, ...]:
        """The statics for a tile of that kind, the lowest first. Empty: the client's own land shows."""
        art = self.tiles[kind]
        if not art.alternatives:
            return art.pieces
        # Two odd factors keep equal neighbours from forming rows; the same tile is always the same.
        return (art.pieces[(x * 7 + y * 13 + (x * y) % 5) % len(art.pieces)],)

    def body(self, template: str, *, female: bool, dead: bool) -> int:
        """The body id of a mobile."""
        bodies = self.mobiles[template]
        if dead:
            return bodies.ghost_female if female else bodies.ghost_male
        return bodies.female if female else bodies.male

    def hair_item(self, style: int, *, female: bool) -> int:
        """The hair that a style of the world shows as; 0 for bald and for a style that is not known."""
        items = self.hair[female]
        return items[style] if 0 <= style < len(items) else 0

    def hair_style(self, item: int) -> int:
        """The style of the world for a hair that a client chose; 0 if it is not known."""
        return self.hair_styles.get(item, 0)

    def beard_item(self, style: int) -> int:
        """The beard that a style of the world shows as; 0 for none."""
        return self.beards[style] if 0 <= style < len(self.beards) else 0

    def beard_style(self, item: int) -> int:
        """The style of the world for a beard that a client chose; 0 if it is not known."""
        return self.beard_styles.get(item, 0)


def skin_hue_to_wire(hue: int) -> int:
    """A skin hue of the world, as mobiles carry it on the wire."""
    return clip(hue, SKIN_HUES) | PARTIAL_HUE


def clip(hue: int, allowed: tuple[int, int]) -> int:
    """The hue that a client asked for, without flags, moved into the allowed range (SKIN_HUES, HAIR_HUES)."""
    low, high = allowed
    return max(low, min(high, hue & 0x3FFF))


@attrs.frozen
class _TileRow:
    items: tuple[int, ...] = ()
    one_of: tuple[int, ...] = ()
    z: int = 0
    hue: int = 0


@attrs.frozen
class _ItemRow:
    item: int
    hue: int = 0
    lit: int = 0


@attrs.frozen
class _MobileRow:
    body: int
    female_body: int = 0
    ghost: int = 0
    female_ghost: int = 0
    sound: int = 0


@attrs.frozen
class _HairRow:
    male: tuple[int, ...]
    female: tuple[int, ...]


@attrs.frozen
class _BeardRow:
    uo: tuple[int, ...]


def compile_looks(content: Content) -> UoLooks:
    """The tables of a content. Raises LookError with every mistake in its `uo` rows."""
    problems: list[str] = []

    def in_range(where: str, values: Sequence[int], low: int, high: int) -> None:
        problems.extend(
            f"{where}: must be {low:#x} to {high:#x}, is {v:#x}" for v in values if not low <= v <= high
        )

    tiles: dict[str, TileArt] = {}
    for key, kind in content.tiles.items():
        where = f"looks/tiles.toml: {key}.uo"
        tile = read(_TileRow, kind.look["uo"], where, problems)
        if tile is not None:
            in_range(where, tile.items + tile.one_of, 1, LAST_ITEM)
            if tile.items and tile.one_of:
                problems.append(f"{where}: items and one_of exclude one another")
            pieces = tuple(Piece(item, tile.z, tile.hue) for item in tile.items or tile.one_of)
            tiles[key] = TileArt(pieces, alternatives=bool(tile.one_of))
    items: dict[str, ItemArt] = {}
    for key, template in content.items.items():
        where = f"looks/items.toml: {key}.uo"
        row = read(_ItemRow, template.look["uo"], where, problems)
        if row is not None:
            in_range(where, [row.item, *([row.lit] if row.lit else [])], 1, LAST_ITEM)
            items[key] = ItemArt(row.item, row.hue, row.lit or row.item)
    mobiles: dict[str, Bodies] = {}
    for key, mobile in content.mobiles.items():
        where = f"looks/mobiles.toml: {key}.uo"
        bodies = read(_MobileRow, mobile.look["uo"], where, problems)
        if bodies is not None:
            female = bodies.female_body or bodies.body
            usual = read(_MobileRow, mobile.usual.get("uo", {"body": 1}), where, problems)
            sound = bodies.sound or (usual.sound if usual is not None else 0)
            found = (
                bodies.body,
                female,
                bodies.ghost or bodies.body,
                bodies.female_ghost or bodies.ghost or female,
            )
            in_range(where, found, 1, LAST_BODY)
            in_range(f"{where}: sound", [sound], 0, LAST_SOUND)
            mobiles[key] = Bodies(*found, sound=0 if bodies.body in PEOPLE else sound)
    hair = read(_HairRow, content.people.get("hair", {}), "looks/people.toml: hair", problems)
    beard = read(_BeardRow, content.people.get("beard", {}), "looks/people.toml: beard", problems)
    if hair is not None:
        for name, styles in (("male", hair.male), ("female", hair.female)):
            if len(styles) != 21 or styles[0] != 0:
                problems.append(f"looks/people.toml: hair: {name}: must be 21 items, the first 0")
    if problems or hair is None or beard is None:
        raise LookError(problems)
    return UoLooks(
        tiles=tiles,
        items=items,
        mobiles=mobiles,
        hair={False: hair.male, True: hair.female},
        hair_styles=_first_positions(hair.female) | _first_positions(hair.male),
        beards=beard.uo,
        beard_styles=_first_positions(beard.uo),
    )


def _first_positions(items: Sequence[int]) -> dict[int, int]:
    return {item: items.index(item) for item in items}
