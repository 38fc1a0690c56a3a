"""Looks of the world's kinds of items and people in EverQuest II: the `eq2` part of data/looks, as tables.

Compiled once at start, so that a view only looks up. The client has its own models, textures and ground; all
that is said here are appearance ids that a client of version 546 knows, and colours. The zone of the client
is what it is; of tiles only what stands there as a landmark has a row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import attrs

from protocol.landmarks import Run
from protocol.looks import LookCompiler
from protocol.tables import LookError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from world.content import Content

LAST_APPEARANCE: Final = 0xFFFF
LAST_ICON: Final = 0xFFFF
STYLES: Final = 21
"""Hair styles of the world, the first of which is bald."""

SLOTS: Final = {
    "primary": 0,
    "secondary": 1,
    "head": 2,
    "chest": 3,
    "shoulders": 4,
    "forearms": 5,
    "hands": 6,
    "legs": 7,
    "feet": 8,
}
"""Places of equipment that can be seen, by their number in the ghost (emagi/eq2emu: Items.h)."""

NO_RACE: Final = 255
"""The race of what is no person (emagi/eq2emu: Spawn.cpp, of every spawn without one)."""
LAST_RACE: Final = 15
HUMAN: Final = 9

Colour: TypeAlias = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""

PLAIN: Final[Colour] = (255, 255, 255)
"""The colour of what is not dyed."""


@attrs.frozen
class ItemLook:
    """One kind of item: the model that lies on the ground, and what is seen of it on a body (`worn`, 0 for
    nothing) in which of `SLOTS`; `icon`: its picture in windows."""

    model: int
    worn: int = 0
    slot: int = 0
    icon: int = 0


@attrs.frozen
class MobileLook:
    """One kind of mobile; `size` in percent of the model's own."""

    model: int
    female_model: int
    race: int = NO_RACE
    size: int = 100

    @property
    def is_person(self) -> bool:
        """Whether it has hair, a skin and a race like a player."""
        return self.race != NO_RACE


@attrs.frozen
class PropLook:
    """Stand-in for a kind of tile: the model of what stands there, of what stands for three tiles of a
    straight run, and of what stands where walls meet (0: the same); `size` in percent."""

    model: int
    long: int = 0
    corner: int = 0
    size: int = 100

    def of(self, run: Run, span: int) -> int:
        """The model of a landmark that goes on so and stands for so many tiles."""
        if run is Run.CORNER:
            return self.corner or self.model
        return (self.long if span > 1 else 0) or self.model


@attrs.frozen
class Palette:
    """Colours for the world's hues."""

    hues: Sequence[int]
    colours: Sequence[Colour]

    def colour(self, hue: int) -> Colour:
        """The colour of the nearest hue, of two the lower one."""
        nearest_hue = min(self.hues, key=lambda known: (abs(known - hue), known))
        return self.colours[self.hues.index(nearest_hue)]

    def hue(self, colour: Colour) -> int:
        """The hue whose colour is nearest to one that a client chose."""
        distances = [
            sum((ours - theirs) ** 2 for ours, theirs in zip(known, colour, strict=True))
            for known in self.colours
        ]
        return self.hues[distances.index(min(distances))]


@attrs.frozen
class Eq2Looks:
    """All tables, by the world's keys."""

    items: Mapping[str, ItemLook]
    mobiles: Mapping[str, MobileLook]
    props: Mapping[str, PropLook]
    """By kind of tile, of those that are shown."""
    hair: Sequence[int]
    """Appearance ids by style; 0 is bald."""
    hair_colours: Palette
    skins: Palette

    def model(self, template: str, *, female: bool) -> int:
        """The appearance id of a mobile."""
        look = self.mobiles[template]
        return look.female_model if female else look.model

    def hair_model(self, style: int) -> int:
        """The hair that a style of the world shows as; 0 for bald and for a style that is not known."""
        return self.hair[style] if 0 <= style < len(self.hair) else 0


@attrs.frozen
class _ItemRow:
    model: int
    worn: int = 0
    slot: str = ""
    icon: int = 0


@attrs.frozen
class _MobileRow:
    model: int
    female_model: int = 0
    race: int = NO_RACE
    size: int = 100


@attrs.frozen
class _HairRow:
    models: tuple[int, ...]


@attrs.frozen
class _PaletteRow:
    hues: tuple[int, ...]
    colours: tuple[tuple[int, ...], ...]


def compile_looks(content: Content) -> Eq2Looks:
    """The tables of a content. Raises LookError with every mistake in its `eq2` rows."""
    compiler = LookCompiler("eq2", content)
    items = _items(compiler)
    mobiles = _mobiles(compiler)
    props = _props(compiler)
    hair = _hair(compiler)
    hair_colours = _palette(compiler, "eq2_hair_hue")
    skins = _palette(compiler, "eq2_skin_hue")
    compiler.finish()
    if hair_colours is None or skins is None:
        raise LookError(compiler.problems)
    return Eq2Looks(
        items=items, mobiles=mobiles, props=props, hair=hair, hair_colours=hair_colours, skins=skins
    )


def _items(compiler: LookCompiler) -> dict[str, ItemLook]:
    items: dict[str, ItemLook] = {}
    for key, where, row in compiler.items(_ItemRow):
        compiler.check(where, "model", row.model, 1, LAST_APPEARANCE)
        compiler.check(where, "worn", row.worn, 0, LAST_APPEARANCE)
        compiler.check(where, "icon", row.icon, 0, LAST_ICON)
        if bool(row.worn) != bool(row.slot):
            compiler.complain(where, "worn and slot belong together")
        elif not row.slot or compiler.word(where, "slot", row.slot, SLOTS):
            items[key] = ItemLook(row.model, row.worn, SLOTS[row.slot] if row.slot else 0, row.icon)
    return items


def _mobiles(compiler: LookCompiler) -> dict[str, MobileLook]:
    mobiles: dict[str, MobileLook] = {}
    for key, where, row in compiler.mobiles(_MobileRow):
        compiler.check(where, "model", row.model, 1, LAST_APPEARANCE)
        compiler.check(where, "female_model", row.female_model, 0, LAST_APPEARANCE)
        compiler.check(where, "size", row.size, 1, 1000)
        if row.race != NO_RACE:
            compiler.check(where, "race", row.race, 0, LAST_RACE)
        mobiles[key] = MobileLook(row.model, row.female_model or row.model, row.race, row.size)
    return mobiles


def _props(compiler: LookCompiler) -> dict[str, PropLook]:
    props: dict[str, PropLook] = {}
    for key, where, row in compiler.tiles(PropLook):
        compiler.check(where, "model", row.model, 1, LAST_APPEARANCE)
        compiler.check(where, "long", row.long, 0, LAST_APPEARANCE)
        compiler.check(where, "corner", row.corner, 0, LAST_APPEARANCE)
        compiler.check(where, "size", row.size, 1, 1000)
        props[key] = row
    return props


def _hair(compiler: LookCompiler) -> Sequence[int]:
    where, row = compiler.people("eq2_hair", _HairRow)
    if row is None:
        return ()
    if len(row.models) != STYLES or row.models[0] != 0:
        compiler.complain(where, f"models: must be {STYLES} appearance ids, the first 0")
    for model in row.models:
        compiler.check(where, "models", model, 0, LAST_APPEARANCE)
    return row.models


def _palette(compiler: LookCompiler, name: str) -> Palette | None:
    where, row = compiler.people(name, _PaletteRow)
    if row is None:
        return None
    if not row.hues or len(set(row.hues)) != len(row.colours):
        compiler.complain(where, "must have as many different hues as colours, and one at least")
    colours: list[Colour] = []
    for colour in row.colours:
        if len(colour) != 3 or not all(0 <= part <= 255 for part in colour):
            compiler.complain(where, f"colours: must be red, green, blue, each 0 to 255: {colour}")
            continue
        red, green, blue = colour
        colours.append((red, green, blue))
    return Palette(row.hues, colours)
