"""Looks of the world's kinds of items and people in Conquer Online: the `co` part of data/looks, as tables.

Compiled once at start, with every mistake in the rows told at once, so that a view only looks up. The
client's map is what it is; rows of tiles are of what shows where our walls are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from protocol.co.packets import Body, ItemPosition, NpcKind, Profession
from protocol.looks import LookCompiler, Palette
from protocol.services import NewCharacter
from protocol.tables import LookError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from world.content import Content

STYLES: Final = 21
"""Hair styles of the world, the first of which is bald."""
CUTS: Final = (10, 11, 13, 14, 15, 24, 30, 35, 37, 38, 39, 40)
"""Cuts of hair that a client knows (conquer-online/comet and coemu: what new characters get)."""
FIRST_COLOUR, COLOURS = 3, 6
"""Hair colours: 3 to 8 (the same)."""
COLOUR_STEP: Final = 100
"""A hair is colour * 100 + cut."""

BODIES: Final[Mapping[int, bool]] = {
    Body.SLIM_MAN: False,
    Body.BIG_MAN: False,
    Body.SLIM_WOMAN: True,
    Body.BIG_WOMAN: True,
}
"""Whether each body is a woman's."""

PROFESSIONS: Final = (Profession.TROJAN, Profession.WARRIOR, Profession.ARCHER, Profession.TAOIST)
"""Professions of a new character; the first stands for what this game does not know."""

MOST_TYPE: Final = 9_999_999
"""Above all item types."""

USUAL_FACE: Final = 1
"""Portrait beside the words of somebody who has none of its own, or of nobody. All clients have the first
ones, and public servers give it to most of their residents (COPS v7: data/tasks; Redux: Npcs)."""

MOST_FACE: Final = 999
"""Above all portraits that public servers show in dialogs (Redux: Npcs, up to 123)."""

MALE_FACES, FEMALE_FACES = range(1, 103), range(201, 291)
"""conquer-online/wiki: constants/lookface.md."""

POSITIONS: Final[Mapping[str, ItemPosition]] = {
    "helmet": ItemPosition.HELMET,
    "necklace": ItemPosition.NECKLACE,
    "armour": ItemPosition.ARMOUR,
    "right_hand": ItemPosition.RIGHT_HAND,
    "left_hand": ItemPosition.LEFT_HAND,
    "ring": ItemPosition.RING,
    "boots": ItemPosition.BOOTS,
    "garment": ItemPosition.GARMENT,
}
"""Positions by their names in data/looks."""


def usual_body(*, female: bool) -> int:
    """The body of somebody who was made in another game."""
    return Body.SLIM_WOMAN if female else Body.SLIM_MAN


@attrs.frozen
class ItemLook:
    """One kind of item: its type, and where it is worn."""

    item: int
    position: ItemPosition = ItemPosition.BAG


@attrs.frozen
class NpcLook:
    """One kind of resident: `npc` is its look, `kind` what a click does and `face` its portrait in dialogs;
    or `mesh` a creature's figure."""

    npc: int = 0
    kind: NpcKind = NpcKind.DIALOG
    mesh: int = 0
    face: int = USUAL_FACE


@attrs.frozen
class PropLook:
    """Stand-in for a kind of tile: the look of an NPC, which way it faces included."""

    npc: int


@attrs.frozen
class Faces:
    """A face for each colour of skin, by sex."""

    skins: Palette
    male: Sequence[int]
    female: Sequence[int]

    def face(self, hue: int, *, female: bool) -> int:
        """The face for a colour of skin."""
        return (self.female if female else self.male)[self.skins.colour(hue)]


@attrs.frozen
class CoLooks:
    """All tables, by the world's keys."""

    items: Mapping[str, ItemLook]
    npcs: Mapping[str, NpcLook]
    """Without the kinds that are drawn as characters."""
    props: Mapping[str, PropLook]
    """By kind of tile, of those that are shown."""
    cuts: Sequence[int]
    """By hair style of the world."""
    hair_colours: Palette
    faces: Faces

    def hair(self, style: int, hue: int) -> int:
        """The client's hair for the world's."""
        cut = self.cuts[style] if 0 <= style < len(self.cuts) else self.cuts[0]
        return (FIRST_COLOUR + self.hair_colours.colour(hue)) * COLOUR_STEP + cut

    def portrait(self, key: str) -> int:
        """The face beside the words of a kind of mobile."""
        look = self.npcs.get(key)
        return look.face if look is not None else USUAL_FACE

    def offers(self, body: int, profession: int) -> bool:
        """Whether the client's form for a new character has these."""
        return body in BODIES and profession in PROFESSIONS

    def wish(self, name: str, body: int) -> NewCharacter:
        """The new character that the form asks for. The client leaves face and hair to the server."""
        female = BODIES[body]
        return NewCharacter(
            name=name,
            female=female,
            hair=self.cuts.index(CUTS[1], 1),
            hair_hue=self.hair_colours.hue(0),
            skin_hue=self.faces.skins.hue(0),
        )


@attrs.frozen
class _ItemRow:
    item: int
    position: str = ""


@attrs.frozen
class _MobileRow:
    npc: int = 0
    kind: int = NpcKind.DIALOG
    mesh: int = 0
    face: int | None = None


@attrs.frozen
class _HairRow:
    cuts: tuple[int, ...]


@attrs.frozen
class _PaletteRow:
    co: tuple[int, ...]
    spread: tuple[int, ...]


@attrs.frozen
class _FaceRow:
    hues: tuple[int, ...]
    male: tuple[int, ...]
    female: tuple[int, ...]


def compile_looks(content: Content) -> CoLooks:
    """The tables of a content. Raises LookError with every mistake in its `co` rows."""
    compiler = LookCompiler("co", content)
    items, npcs, cuts = _items(compiler), _npcs(compiler), _cuts(compiler)
    props, colours, faces = _props(compiler), _colours(compiler), _faces(compiler)
    compiler.finish()
    if cuts is None or colours is None or faces is None:
        raise LookError(compiler.problems)
    return CoLooks(items, npcs, props, cuts, colours, faces)


def _items(compiler: LookCompiler) -> dict[str, ItemLook]:
    items: dict[str, ItemLook] = {}
    for key, where, row in compiler.items(_ItemRow):
        compiler.check(where, "item", row.item, 1, MOST_TYPE)
        if not row.position:
            items[key] = ItemLook(row.item)
        elif compiler.word(where, "position", row.position, POSITIONS):
            items[key] = ItemLook(row.item, POSITIONS[row.position])
    return items


def _npcs(compiler: LookCompiler) -> dict[str, NpcLook]:
    npcs: dict[str, NpcLook] = {}
    for key, where, row in compiler.mobiles(_MobileRow):
        face = USUAL_FACE if row.face is None else row.face
        compiler.check(where, "face", face, 1, MOST_FACE)
        if row.face is not None and not row.npc:
            compiler.complain(where, "face: only somebody with an npc has one")
        if row.npc and row.mesh:
            compiler.complain(where, "npc and mesh: it is one or the other")
        elif row.mesh:
            compiler.check(where, "mesh", row.mesh, 1, 999)
            npcs[key] = NpcLook(mesh=row.mesh)
        elif row.npc:
            compiler.check(where, "npc", row.npc, 1, 0xFFFF - 9)
            if row.kind in set(NpcKind):
                npcs[key] = NpcLook(row.npc, NpcKind(row.kind), face=face)
            else:
                compiler.complain(where, f"kind: there is no kind {row.kind} of resident")
    return npcs


def _props(compiler: LookCompiler) -> dict[str, PropLook]:
    props: dict[str, PropLook] = {}
    for key, where, row in compiler.tiles(PropLook):
        compiler.check(where, "npc", row.npc, 1, 0xFFFF)
        props[key] = row
    return props


def _cuts(compiler: LookCompiler) -> tuple[int, ...] | None:
    where, row = compiler.people("co_hair", _HairRow)
    if row is None:
        return None
    if len(row.cuts) != STYLES or set(row.cuts[1:]) != set(CUTS) or row.cuts[0] not in CUTS:
        compiler.complain(
            where, f"cuts: must be {STYLES}, with each of {', '.join(map(str, CUTS))} among them"
        )
    return row.cuts


def _colours(compiler: LookCompiler) -> Palette | None:
    where, row = compiler.people("co_hair_hue", _PaletteRow)
    if row is None:
        return None
    if len(row.co) != COLOURS or len(set(row.co)) != COLOURS:
        compiler.complain(where, f"co: must be {COLOURS} different hues")
    if not row.spread or not set(row.spread) <= set(range(COLOURS)):
        compiler.complain(where, f"spread: must name some of 0 to {COLOURS - 1}")
    return Palette(row.co, row.spread)


def _faces(compiler: LookCompiler) -> Faces | None:
    where, row = compiler.people("co_face", _FaceRow)
    if row is None:
        return None
    count = len(row.hues)
    if not count or len(set(row.hues)) != count:
        compiler.complain(where, "hues: must be some, all different")
    for field, faces, known in (("male", row.male, MALE_FACES), ("female", row.female, FEMALE_FACES)):
        if len(faces) != count or not all(face in known for face in faces):
            compiler.complain(where, f"{field}: must be {count} of {known.start} to {known.stop - 1}")
    return Faces(Palette(row.hues, range(count)), row.male, row.female)
