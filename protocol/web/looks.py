"""Tables of how the browser draws the world's kinds of tiles, items and people: the `web` part of data/looks.

Nothing here is a picture. A kind has a figure or a shape, which is a word of one of the sets below, and a
colour; whoever draws (server/web/static, server/web/pictures) knows what to make of each word. Compiled once
at start, so that a view only looks up.

A hue of the world is a number of Ultima Online's, whose colours lie in a file of its client that we neither
have nor use. `colour_of_hue` makes up a colour for each: which family of colours a hue belongs to follows
from how servers use the ranges (ServUO/ServUO: Server/Utility.cs), the colour itself is a judgement.
"""

from __future__ import annotations

import re
from colorsys import hsv_to_rgb
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import attrs

from protocol.looks import LookCompiler
from protocol.tables import LookError, read
from protocol.web.packets.people import Appearance
from world.item import Item, Layer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from protocol.services import CharacterInfo
    from world.content import Content, ItemTemplate, TileKind
    from world.item import Remains
    from world.mobile import Mobile

PERSON: Final = "person"

MOBILE_FIGURES: Final[Mapping[str, str]] = {
    PERSON: "somebody, with skin, hair and clothes",
    # On four legs.
    "sheep": "woolly",
    "rat": "small and low, with a bare tail",
    "rabbit": "small, with long ears",
    "deer": "with antlers",
    "dog": "with a long tail",
    "wolf": "with pointed ears and a bushy tail",
    "boar": "with bristles and tusks",
    "bear": "large and heavy",
    "cat": "small, with pointed ears",
    "horse": "large, with a neck",
    # With more of them, or none.
    "bird": "small, with wings",
    "bat": "flies",
    "snake": "creeps",
    "spider": "on eight legs",
    "slime": "flows",
    # On two legs; `colour` is that of skin or bones.
    "goblin": "small, with pointed ears and a blade",
    "orc": "with tusks and an axe",
    "shaman": "one in a robe",
    "captain": "one in iron",
    "ogre": "large and fat, with a club",
    "troll": "large, with claws",
    "imp": "small, with horns and wings",
    "zombie": "a body that walks",
    "ghoul": "the same with claws",
    "mummy": "the same in linen",
    "skeleton": "bones with a blade",
    "knight": "the same in iron",
    "lich": "the same in a robe, with a staff",
    "king": "the same with a crown, larger than all",
    "ghost": "a shape that is seen through",
    "elemental": "stones that hold together",
}
"""Words that `figure` of a mobile may be, and what each stands for."""

ITEM_FIGURES: Final[Mapping[str, str]] = {
    "coin": "money, alone or in a heap",
    "bag": "a container of cloth or leather",
    "box": "a container of wood or metal",
    "shirt": "what covers the chest",
    "trousers": "what covers both legs",
    "skirt": "the same in one piece",
    "robe": "what covers all of the body",
    "apron": "what is tied around the waist",
    "shoes": "a pair of them",
    "hat": "what covers the head",
    "blade": "a weapon that cuts",
    "staff": "a weapon that is a long stick",
    "shield": "what is held before one",
    "candle": "a light that burns down",
    "lantern": "a light behind glass",
    "loaf": "bread",
    "fruit": "an apple and its like",
    "potion": "a bottle",
    "cloth": "a bandage, a piece of linen",
    "book": "pages between two covers",
    "thing": "none of these",
}
"""Words that `figure` of an item may be."""

HAND: Final = "hand"

PARTS: Final[Mapping[str, Sequence[str]]] = {
    "": (),
    "top": ("top",),
    "legs": ("legs",),
    "body": ("top", "legs"),
    "feet": ("feet",),
    "head": ("head",),
    HAND: (),
    "waist": (),
    "back": (),
    "neck": (),
}
"""Words that `part` of an item may be, and which parts of a person's `Appearance` it colours."""

TILE_SHAPES: Final[Mapping[str, str]] = {
    # Ground. `colour` fills the tile; where two kinds meet, the pictures may blend them.
    "grass": "short grass",
    "tufts": "grass with longer blades",
    "worn": "grass with bare spots",
    "earth": "trodden earth: ways and yards",
    "field": "ploughed, in furrows",
    "sand": "even",
    "cobble": "round stones of a street",
    "slabs": "square flags of a square",
    "boards": "the floor of a house",
    "bridge": "planks across water",
    "water": "nobody walks here",
    # What grows and lies about. The ground shows around it. Trees reach over the edges of their tile.
    "tree": "with a round crown",
    "conifer": "with a pointed one",
    "bare_tree": "without leaves",
    "bush": "low and round",
    "hedge": "low, fills its tile",
    "fern": "leaves on the ground",
    "flowers": "blossoms of the colour",
    "stones": "pebbles",
    # What people put there.
    "lamp": "a post with a light",
    "sign": "a board on a post",
    "gravestone": "upright",
    "fountain": "the rim of its basin",
    "fountain_middle": "what rises in it: four tiles",
    "chair": "a seat; `TileKind.seat` is where it faces",
    "table": "fills most of its tile",
    "barrel": "round, seen from above",
    "crate": "a box of boards",
    "shelf": "full of books",
    "bed": "half of one",
    "candle": "a light on a stand",
    "ankh": "a cross with a loop",
    "chest": "a strong box of metal",
    "counter": "a board along the south edge",
    # What stands on the edge of its tile. The ground shows on the rest of it.
    "wall_south": "along the south edge",
    "wall_east": "along the east edge",
    "wall_corner": "along both",
    "wall_post": "only in the corner of south and east",
    "window_south": "a wall with a window",
    "window_east": "the same along the east edge",
    "fence_south": "posts and bars, lower than a wall",
    "fence_east": "the same along the east edge",
    "door": "a door in a wall along the south edge",
    # A house that is shown from outside only.
    "roof": "covers its tile",
    "eaves": "covers it down to the front wall, which is on its south edge",
}
"""Words that `shape` of a tile may be."""

GHOST: Final = "#cfd8e6"
"""Skin of the dead, of whom nothing else is seen."""

HIGHEST_HUE: Final = 0x3FFF
"""The bits above it say how a hue is laid on, not which it is."""
SKIN_HUES, HAIR_HUES = range(1002, 1059), range(1102, 1150)
"""ServUO/ServUO: Server/Utility.cs."""

WHEEL_HUES: Final = range(2, 1002)
"""Hues that things are dyed with: ten rows, from vivid to pale, of twenty colours in five steps, light to
dark."""
WHEEL_START: Final = 240
"""Each row begins with blue and goes by violet, red, yellow and green round to it."""
ROW: Final = 100
STEPS: Final = 5

FAMILIES: Final[Mapping[int, tuple[int, float]]] = {
    12: (330, 0.45),
    13: (218, 0.5),
    14: (115, 0.45),
    15: (28, 0.6),
    16: (2, 0.6),
    17: (48, 0.6),
    18: (30, 0.12),
    19: (210, 0.08),
    20: (95, 0.5),
    21: (20, 0.55),
    22: (140, 0.4),
    23: (32, 0.4),
    24: (205, 0.15),
}
"""By the hundreds of a hue, an angle and a saturation: pink, blue, green, orange, red, yellow, neutral twice,
snakes, birds, slimes, animals, metals (the same)."""
FAMILY_STEPS: Final = 6
"""Each of them goes from light to dark nine times."""

OUTERMOST_FIRST: Final = (
    Layer.OUTER_TORSO,
    Layer.MIDDLE_TORSO,
    Layer.INNER_TORSO,
    Layer.OUTER_LEGS,
    Layer.SHIRT,
    Layer.PANTS,
    Layer.INNER_LEGS,
    Layer.SHOES,
    Layer.HELM,
    Layer.ONE_HANDED,
    Layer.TWO_HANDED,
)
"""Of two things that cover the same part, the one whose layer is named first is seen."""

_COLOUR: Final = re.compile(r"#[0-9a-f]{6}")


@attrs.frozen
class Fading:
    """Colours of some hues, in rising order; those of the hues between lie between."""

    hues: Sequence[int]
    colours: Sequence[str]

    def colour(self, hue: int) -> str:
        """The colour of a hue; below the first and above the last it is theirs."""
        if hue <= self.hues[0]:
            return self.colours[0]
        for at in range(1, len(self.hues)):
            low, high = self.hues[at - 1], self.hues[at]
            if hue <= high:
                share = (hue - low) / (high - low)
                lower, upper = _parts(self.colours[at - 1]), _parts(self.colours[at])
                return _text(a + (b - a) * share for a, b in zip(lower, upper, strict=True))
        return self.colours[-1]


@attrs.frozen
class ItemLook:
    """One kind of item. `part` is a key of `PARTS`."""

    figure: str
    colour: str
    part: str = ""


@attrs.frozen
class MobileLook:
    """One kind of mobile; a person has no colour."""

    figure: str
    colour: str = ""


@attrs.frozen
class WebLooks:
    """All tables, by the world's keys."""

    tiles: Mapping[str, tuple[str, str]]
    items: Mapping[str, ItemLook]
    mobiles: Mapping[str, MobileLook]
    hair: Fading
    skins: Fading
    _colours: dict[int, str] = attrs.field(factory=dict, init=False, repr=False)
    _drawn: dict[tuple[str, int], Appearance] = attrs.field(factory=dict, init=False, repr=False)

    def mobile(self, mobile: Mobile) -> Appearance:
        """Somebody as they are now."""
        look = self.mobiles[mobile.template.key]
        if look.figure != PERSON:
            return Appearance(look.figure, female=mobile.female, colour=look.colour)
        if mobile.dead:
            return Appearance(PERSON, female=mobile.female, skin=GHOST)
        worn = mobile.worn
        clothes = [(worn[layer].template.key, worn[layer].hue) for layer in OUTERMOST_FIRST if layer in worn]
        return self._person(
            clothes,
            female=mobile.female,
            hair=mobile.hair,
            hair_hue=mobile.hair_hue,
            skin_hue=mobile.skin_hue,
        )

    def character(self, info: CharacterInfo) -> Appearance:
        """A line of a character list. The store does not say how its clothes are dyed."""
        worn = info.worn
        clothes = [(worn[layer], 0) for layer in OUTERMOST_FIRST if worn.get(layer) in self.items]
        return self._person(
            clothes,
            female=info.character.female,
            hair=info.character.hair,
            hair_hue=info.character.hair_hue,
            skin_hue=info.character.skin_hue,
        )

    def item(self, item: Item | ItemTemplate, hue: int = 0) -> Appearance:
        """A thing as it lies about; `hue` counts only for a kind of thing, a thing has its own."""
        if isinstance(item, Item) and item.remains is not None and item.remains.template in self.mobiles:
            return self._body(item.remains)
        key, hue = (item.template.key, item.hue) if isinstance(item, Item) else (item.key, hue)
        hue &= HIGHEST_HUE
        drawn = self._drawn.get((key, hue))
        if drawn is None:
            look = self.items[key]
            drawn = self._drawn[key, hue] = Appearance(look.figure, colour=self._dyed(look, hue))
        return drawn

    def _body(self, remains: Remains) -> Appearance:
        """Who a corpse was, without clothes."""
        look = self.mobiles[remains.template]
        if look.figure != PERSON:
            return Appearance(look.figure, female=remains.female, colour=look.colour)
        hair, hue = remains.hair, remains.hair_hue
        return self._person((), female=remains.female, hair=hair, hair_hue=hue, skin_hue=remains.skin_hue)

    def tile(self, kind: TileKind) -> tuple[str, str]:
        """Colour and shape of a kind of tile."""
        return self.tiles[kind.key]

    def colour_of_hue(self, hue: int) -> str:
        """The colour of a hue that is not 0."""
        hue &= HIGHEST_HUE
        if hue in SKIN_HUES:
            return self.skins.colour(hue)
        if hue in HAIR_HUES:
            return self.hair.colour(hue)
        return dye(hue)

    def _dyed(self, look: ItemLook, hue: int) -> str:
        return self.colour_of_hue(hue) if hue & HIGHEST_HUE else look.colour

    def _person(
        self, clothes: Iterable[tuple[str, int]], *, female: bool, hair: int, hair_hue: int, skin_hue: int
    ) -> Appearance:
        seen = {"top": "", "legs": "", "feet": "", "head": ""}
        held = ("", "")
        for key, hue in clothes:
            look = self.items[key]
            if look.part == HAND and not held[0]:
                held = (look.figure, self._dyed(look, hue))
            for part in PARTS[look.part]:
                seen[part] = seen[part] or self._dyed(look, hue)
        return Appearance(
            PERSON,
            female=female,
            skin=self.skins.colour(skin_hue),
            hair=self.hair.colour(hair_hue) if hair else "",
            top=seen["top"],
            legs=seen["legs"],
            feet=seen["feet"],
            head=seen["head"],
            held=held[0],
            held_colour=held[1],
        )


@lru_cache(maxsize=4096)
def dye(hue: int) -> str:
    """The colour of a hue that is neither of skin nor of hair; grey for what belongs nowhere."""
    if hue in WHEEL_HUES:
        row, at = divmod(hue - WHEEL_HUES.start, ROW)
        colour, step = divmod(at, STEPS)
        angle = WHEEL_START + colour * 360 / (ROW / STEPS)
        return _of_wheel(angle, 0.8 - 0.07 * row, 0.92 - 0.14 * step)
    angle, saturation = FAMILIES.get(hue // ROW, (0, 0.0))
    shade, step = divmod(hue % ROW - 1, FAMILY_STEPS)
    return _of_wheel(angle + (shade - 4) * 3, saturation, 0.9 - 0.12 * step)


def _of_wheel(angle: float, saturation: float, value: float) -> str:
    return _text(part * 255 for part in hsv_to_rgb(angle % 360 / 360, saturation, value))


def _parts(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _text(parts: Iterable[float]) -> str:
    return "#" + "".join(f"{round(part):02x}" for part in parts)


@attrs.frozen
class _TileRow:
    shape: str
    colour: str


@attrs.frozen
class _ItemRow:
    figure: str
    colour: str
    part: str = ""


@attrs.frozen
class _MobileRow:
    figure: str
    colour: str = ""


@attrs.frozen
class _FadingRow:
    hues: tuple[int, ...]
    colours: tuple[str, ...]


def compile_looks(content: Content) -> WebLooks:
    """The tables of a content. Raises LookError with every mistake in its `web` rows."""
    compiler = LookCompiler("web", content)
    tiles, items, mobiles = _tiles(compiler), _items(compiler), _mobiles(compiler)
    hair, skins = _fading(compiler, "web_hair_hue"), _fading(compiler, "web_skin_hue")
    compiler.finish()
    if hair is None or skins is None:
        raise LookError(compiler.problems)
    return WebLooks(tiles, items, mobiles, hair, skins)


def _tiles(compiler: LookCompiler) -> dict[str, tuple[str, str]]:
    tiles: dict[str, tuple[str, str]] = {}
    for key, kind in compiler.content.tiles.items():
        where = f"looks/tiles.toml: {key}.web"
        row = read(_TileRow, kind.look.get("web", {}), where, compiler.problems)
        if row is not None:
            compiler.word(where, "shape", row.shape, TILE_SHAPES)
            _check_colour(compiler, where, row.colour)
            tiles[key] = row.colour, row.shape
    return tiles


def _items(compiler: LookCompiler) -> dict[str, ItemLook]:
    items: dict[str, ItemLook] = {}
    for key, where, row in compiler.items(_ItemRow):
        compiler.word(where, "figure", row.figure, ITEM_FIGURES)
        compiler.word(where, "part", row.part, PARTS)
        _check_colour(compiler, where, row.colour)
        items[key] = ItemLook(row.figure, row.colour, row.part)
    return items


def _mobiles(compiler: LookCompiler) -> dict[str, MobileLook]:
    mobiles: dict[str, MobileLook] = {}
    for key, where, row in compiler.mobiles(_MobileRow):
        compiler.word(where, "figure", row.figure, MOBILE_FIGURES)
        if row.figure != PERSON:
            _check_colour(compiler, where, row.colour)
        elif row.colour:
            compiler.complain(where, "colour: a person has those of its skin, hair and clothes")
        mobiles[key] = MobileLook(row.figure, row.colour)
    return mobiles


def _fading(compiler: LookCompiler, name: str) -> Fading | None:
    where, row = compiler.people(name, _FadingRow)
    if row is None:
        return None
    if not row.hues or list(row.hues) != sorted(set(row.hues)):
        compiler.complain(where, "hues: must be some, in rising order")
    if len(row.colours) != len(row.hues):
        compiler.complain(where, f"colours: must be {len(row.hues)}, are {len(row.colours)}")
    for colour in row.colours:
        _check_colour(compiler, where, colour)
    return Fading(row.hues, row.colours)


def _check_colour(compiler: LookCompiler, where: str, colour: str) -> None:
    if not _COLOUR.fullmatch(colour):
        compiler.complain(where, f'colour: must be "#rrggbb" in small letters, is {colour!r}')
