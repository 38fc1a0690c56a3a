"""Items: things that lie, are worn or are contained.

An item has exactly one holder: the ground (`realm` is set), a mobile that wears it (`parent` is a Mobile and
`layer` is its slot) or a container (`parent` is an Item). Nothing else says where an item is, so it cannot be
in two places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from world.delta import ItemDelta, tracked
from world.thing import Thing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from world.content import ItemTemplate
    from world.mobile import Mobile
    from world.timers import Timer


class Layer:
    """Places where an item is worn. The numbers are Ultima Online's, which name most places (ServUO:
    Server/Item.cs)."""

    ONE_HANDED = 0x01
    TWO_HANDED = 0x02
    SHOES = 0x03
    PANTS = 0x04
    SHIRT = 0x05
    HELM = 0x06
    GLOVES = 0x07
    RING = 0x08
    TALISMAN = 0x09
    NECK = 0x0A
    HAIR = 0x0B
    WAIST = 0x0C
    INNER_TORSO = 0x0D
    BRACELET = 0x0E
    FACIAL_HAIR = 0x10
    MIDDLE_TORSO = 0x11
    EARRINGS = 0x12
    ARMS = 0x13
    CLOAK = 0x14
    BACKPACK = 0x15
    OUTER_TORSO = 0x16
    OUTER_LEGS = 0x17
    INNER_LEGS = 0x18
    BANK = 0x1D


UNPLACED: Final = -1
"""In place of `Item.slot_y`: nobody has chosen a place, so each game lays it out as it likes."""


KEPT: Final = -1
"""In place of `Item.keeper`: it is the box of a record (`world.records`): a guild's bank, what a letter
brings."""


@attrs.frozen
class Remains:
    """Owner of a corpse, as far as views need it to draw one, and those who may loot it alone: `rights`,
    serials, until a world time."""

    template: str
    female: bool = False
    heading: int = 4
    skin_hue: int = 1002
    hair: int = 0
    hair_hue: int = 1102
    owner: int = 0
    """Serial of the character whose corpse it is; 0 for a creature's."""
    rights: frozenset[int] = frozenset()
    """Those who did most, and their party; empty: everybody may."""
    until: float = 0.0
    worn: tuple[tuple[int, int], ...] = ()
    """What is in it and was worn: serials and layers. Never stored."""
    innocent: bool = True
    """Whether it is a crime to loot it, if it is a character's."""

    def allows(self, serial: int, now: float) -> bool:
        """Whether somebody may take of what was in it."""
        return not self.rights or now >= self.until or serial in self.rights or serial == self.owner


@attrs.frozen
class Note:
    """The rest of an item that is a note on a board, whose subject is the item's name: the serial and name of
    who pinned it, the words, and when that was, in seconds UTC."""

    author: int
    signed: str
    text: str
    at: float


@attrs.define(eq=False)
class Item(Thing):
    """One item or one stack of `_amount` equal ones. `slot_x`, `slot_y` are the place that a client gave it
    in its container's window; `slot_y` is `UNPLACED` where none did, and `slot_x` then counts the items that
    were in there before."""

    template: ItemTemplate = attrs.field(kw_only=True)
    parent: Item | Mobile | None = None
    layer: int = 0
    slot_x: int = 0
    slot_y: int = 0
    _amount: int = 1
    _hue: int = 0
    _lit: bool = False
    """Whether it burns; only what gives light does."""
    remains: Remains | None = attrs.field(default=None, repr=False)
    """Of whom it is the corpse; None of all other items."""
    fell: Remains | None = attrs.field(default=None, repr=False)
    """Of whom the corpse was that it fell out of; until somebody takes it up. Never stored."""
    dropper: int = 0
    """Serial of who dropped it last, or died and left it."""
    dropped_at: float = -1.0
    """World time of that, so that views can show it fall."""
    keeper: int = 0
    """Serial of the character whose vault it is, `KEPT` of a record's box; 0 of all other items. It lies
    nowhere: see `world.vaults`."""
    note: Note | None = attrs.field(default=None, repr=False)
    """Words of a note on a board; None of all other items."""
    refill: Timer | None = attrs.field(default=None, repr=False)
    """Of a chest that lacks something: what fills it again. Never stored."""
    contents: dict[int, Item] = attrs.field(factory=dict, repr=False)
    """What lies in this container, by serial, in the order it was put there."""

    def mark(self, flag: int) -> None:
        """Note a change for viewers and store; it changes its holder's looks, too."""
        Thing.mark(self, flag)
        if self.parent is not None:
            self.parent.rendered = None

    amount = tracked("_amount", ItemDelta.UPDATE, int)
    hue = tracked("_hue", ItemDelta.UPDATE, int)
    lit = tracked("_lit", ItemDelta.UPDATE, bool)

    @property
    def claims(self) -> Iterator[Remains]:
        """The corpses it is in or fell out of, with those of its containers."""
        holder: Item | Mobile | None = self
        while isinstance(holder, Item):
            claim = holder.remains or holder.fell
            if claim is not None:
                yield claim
            holder = holder.parent

    @property
    def root(self) -> Item | Mobile:
        """The outermost holder: a mobile, or the item itself or a container that lies on the ground."""
        holder: Item | Mobile = self
        while isinstance(holder, Item) and holder.parent is not None:
            holder = holder.parent
        return holder

    @property
    def label(self) -> str:
        """The name a player reads: its own if it has one, else that of its kind."""
        return self.name or self.template.name

    @property
    def plural(self) -> str:
        """Name of several of it."""
        return self.name or self.template.plural or self.template.name
