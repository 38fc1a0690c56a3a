"""The world's things as Ultima Online's packets: from a mobile or an item to what shows it.

The view asks this for changes, the handlers for answers; neither makes such packets itself, so that whatever
is told twice is told alike. A packet of several layouts is chosen by the client's `UoVersion`, whose values
know no packets. Everything here only reads. What is asked for at every step into somebody's sight (clothes,
tooltips) is kept with the thing until something about it changes (`once`); whole packets are not kept, since
they hold the place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar, cast
from zlib import crc32

from protocol.uo.looks import PEOPLE, skin_hue_to_wire
from protocol.uo.packets.base import Written
from protocol.uo.packets.motion import RUNNING, MobileFlags, MobileMoved, PlayerPlaced
from protocol.uo.packets.people import (
    MobileIncoming,
    MobileIncomingOld,
    Paperdoll,
    Worn,
    WornItem,
    WornOld,
)
from protocol.uo.packets.status import BarColour, HealthBar
from protocol.uo.packets.things import (
    MOVABLE,
    Contained,
    ContainedItem,
    ContainedItemOld,
    ContainedOld,
    ContainerContent,
    ContainerContentOld,
    ContainerOpened,
    ContainerOpenedOld,
    DragEffect,
    GroundItem,
    GroundItemOld,
    GroundItemSA,
    Properties,
    PropertiesRevision,
    Property,
)
from protocol.uo.sheets import titled
from protocol.uo.versions import Ground, UoVersion
from world.containers import counted
from world.item import UNPLACED, Item, Layer
from world.mobile import Mobile
from world.wording import GOLD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from protocol.uo.looks import UoLooks
    from protocol.uo.places import Places
    from world.content import ItemTemplate
    from world.item import Remains
    from world.realm import Realm
    from world.thing import Thing

T = TypeVar("T")

GROWTH_SERIALS: Final = 0x7F000000
"""Hair, beard and a ghost's robe are items to the client: from here on they have serials, four for each
mobile."""

_GROWTH_LAYERS: Final = (Layer.HAIR, Layer.FACIAL_HAIR, Layer.OUTER_TORSO)

DEATH_ROBE: Final = "death_robe"
"""The item of the world that every ghost is seen in."""

BACKPACK_GUMP: Final = 0x3C
BAG_GUMP: Final = 0x3D
CORPSE_GUMP: Final = 0x09
BANK_GUMP: Final = 0x4A
_GUMP_AREAS: Final = {
    BACKPACK_GUMP: (44, 65, 186, 159),
    BAG_GUMP: (29, 34, 137, 128),
    CORPSE_GUMP: (20, 85, 124, 196),
    BANK_GUMP: (18, 105, 162, 178),
}
"""Windows of containers, and where things may lie in them (left, top, right, bottom): ServUO,
Data/containers.cfg."""


WORST_POISON: Final = 5
"""One more than the level of a lethal poison: ServUO, Scripts/Misc/Poison.cs."""

NAME_WITH_AFFIXES: Final = 1050045  # ~1_PREFIX~~2_NAME~~3_SUFFIX~
AMOUNT_AND_NAME: Final = 1050039  # ~1_NUMBER~ ~2_ITEMNAME~
ANY_TEXT: Final = 1042971  # ~1_NOTHING~
"""Numbers of the client's own texts: ServUO, Server/Mobile.cs and Server/Item.cs."""


class Figures:
    """Draws things with one set of looks and one atlas."""

    def __init__(self, looks: UoLooks, places: Places) -> None:
        self.looks = looks
        self.places = places
        self._realms = places.realms

    # Mobiles

    def body(self, mobile: Mobile) -> int:
        """The body it has now."""
        return self.looks.body(mobile.template.key, female=mobile.female, dead=mobile.dead)

    def skin(self, mobile: Mobile, body: int) -> int:
        """The hue of its body. Skin hues are for people."""
        return skin_hue_to_wire(mobile.skin_hue) if body in PEOPLE else 0

    def _looks_of(self, mobile: Mobile, version: UoVersion) -> tuple[int, int, int]:
        """Body, hue and flags, kept until something about it changes: every step of anybody tells them."""
        kept = mobile.kept()
        found = cast("tuple[int, int, int, int] | None", kept.get(self))
        if found is None:
            body = self.body(mobile)
            plain = flags(mobile, coloured_bars=True)
            found = kept[self] = body, self.skin(mobile, body), plain, flags(mobile, coloured_bars=False)
        body, hue, plain, poison = found
        return body, hue, plain if version.coloured_bars else poison

    def is_person(self, mobile: Mobile) -> bool:
        """Whether it has the body of a human being, or of the ghost of one."""
        return self.body(mobile) in PEOPLE

    def voice(self, mobile: Mobile) -> int:
        """The first of the sounds of its kind; 0 if that has none."""
        return self.looks.mobiles[mobile.template.key].sound

    def body_of(self, remains: Remains) -> int:
        """The body that lies there dead."""
        return self.looks.body(remains.template, female=remains.female, dead=False)

    def skin_of(self, remains: Remains) -> int:
        """The hue of that body."""
        return skin_hue_to_wire(remains.skin_hue) if is_person(self.body_of(remains)) else 0

    def incoming(
        self, mobile: Mobile, version: UoVersion, notoriety: int
    ) -> MobileIncoming | MobileIncomingOld:
        """0x78: all that can be seen of it, in the colour in which its viewers see it."""
        x, y, z = self.places.of(mobile)
        body, hue, marks = self._looks_of(mobile, version)
        head = mobile.serial, body, x, y, z, mobile.heading, hue, marks, notoriety
        if version.worn_with_hue:
            return MobileIncoming(
                *head, once(mobile, "uo worn", lambda: Written(Worn(*item) for item in self._worn(mobile)))
            )
        return MobileIncomingOld(
            *head, once(mobile, "uo worn old", lambda: Written(WornOld(*item) for item in self._worn(mobile)))
        )

    def _worn(self, mobile: Mobile) -> Iterator[tuple[int, int, int, int]]:
        """Serial, item id, layer, hue: one for each layer."""
        for layer, item in mobile.worn.items():
            if wears_visibly(mobile, layer):
                yield item.serial, self.art(item), layer, self.hue(item)
        for layer in (Layer.HAIR, Layer.FACIAL_HAIR):
            item_id, hue = self.growth(mobile, layer)
            if item_id and layer not in mobile.worn:
                yield growth_serial(mobile, layer), item_id, layer, hue
        robe = self.looks.items.get(DEATH_ROBE)
        if mobile.dead and robe is not None and self.body(mobile) in PEOPLE:
            yield growth_serial(mobile, Layer.OUTER_TORSO), robe.item, Layer.OUTER_TORSO, robe.hue

    def growth(self, mobile: Mobile, layer: int) -> tuple[int, int]:
        """Item id (0: none) and hue of hair or beard."""
        if mobile.dead or self.body(mobile) not in PEOPLE:
            return 0, 0
        if layer == Layer.HAIR:
            return self.looks.hair_item(mobile.hair, female=mobile.female), mobile.hair_hue
        return self.looks.beard_item(0 if mobile.female else mobile.beard), mobile.hair_hue

    def moved(
        self,
        mobile: Mobile,
        x: int,
        y: int,
        heading: int,
        version: UoVersion,
        notoriety: int,
        *,
        running: bool,
    ) -> MobileMoved:
        """0x77, at a tile of its realm that need not be where it is by now. Raises ValueError if it is in no
        realm."""
        if mobile.realm is None:
            raise ValueError(f"{mobile.name} is nowhere")
        at = self._realms[mobile.realm.name]
        body, hue, marks = self._looks_of(mobile, version)
        return MobileMoved(
            mobile.serial,
            body,
            at.x + x,
            at.y + y,
            at.z + mobile.z,
            heading | RUNNING if running else heading,
            hue,
            marks,
            notoriety,
        )

    def standing(self, mobile: Mobile, version: UoVersion, notoriety: int) -> MobileMoved:
        """0x77, as it stands now."""
        return self.moved(mobile, mobile.x, mobile.y, mobile.heading, version, notoriety, running=False)

    def placed(self, mobile: Mobile, version: UoVersion) -> PlayerPlaced:
        """0x20: the player as it stands now."""
        x, y, z = self.places.of(mobile)
        body, hue, marks = self._looks_of(mobile, version)
        return PlayerPlaced(mobile.serial, body, hue, marks, x, y, mobile.heading, z)

    def paperdoll(self, mobile: Mobile, *, own: bool) -> Paperdoll | None:
        """0x88, None for bodies that wear nothing."""
        if self.body(mobile) not in PEOPLE:
            return None
        return Paperdoll(mobile.serial, titled(mobile), (1 if mobile.war else 0) | (2 if own else 0))

    # Items

    def art(self, item: Item) -> int:
        """Its item id."""
        look = self.looks.items[item.template.key]
        return look.lit if item.lit else look.item

    def hue(self, item: Item) -> int:
        """Its colour."""
        return item.hue or self.looks.items[item.template.key].hue

    def picture(self, template: ItemTemplate) -> tuple[int, int]:
        """Item id and colour of a kind of item."""
        look = self.looks.items[template.key]
        return look.item, look.hue

    def on_ground(self, item: Item, version: UoVersion) -> GroundItem | GroundItemSA | GroundItemOld:
        """0xF3 or 0x1A. Of a corpse the amount is the body it was, the light where it looks (ServUO,
        Scripts/Items/Corpses/Corpse.cs)."""
        x, y, z = self.places.of(item)
        remains = item.remains
        if remains is not None:
            body, art = self.body_of(remains), self.art(item)
            hue = self.skin_of(remains)
            return ground_item(
                item.serial,
                art,
                x,
                y,
                z,
                hue,
                version.ground,
                amount=body,
                light=remains.heading,
                counted=True,
            )
        lift = MOVABLE if item.template.movable else 0
        return ground_item(
            item.serial,
            self.art(item),
            x,
            y,
            z,
            self.hue(item),
            version.ground,
            amount=item.amount,
            flags=lift,
        )

    def worn_item(self, item: Item, mobile: Mobile) -> WornItem:
        """0x2E."""
        return WornItem(item.serial, self.art(item), item.layer, mobile.serial, self.hue(item))

    def contained(self, item: Item, container: Item, version: UoVersion) -> ContainedItem | ContainedItemOld:
        """0x25."""
        head = (item.serial, self.art(item), item.amount, *slot(item))
        if version.grid:
            return ContainedItem(*head, 0, container.serial, self.hue(item))
        return ContainedItemOld(*head, container.serial, self.hue(item))

    def flies(self, item: Item, to: Mobile, realm: Realm) -> DragEffect:
        """0x23: from where it lay in a realm to a mobile there."""
        at = self._realms[realm.name]
        start = at.x + item.x, at.y + item.y, at.z + item.z
        return DragEffect(
            self.art(item), self.hue(item), item.amount, 0, *start, to.serial, *self.places.of(to)
        )

    def opened(self, container: Item, version: UoVersion) -> ContainerOpened | ContainerOpenedOld:
        """0x24."""
        gump = _gump(container)
        if version.high_seas:
            return ContainerOpened(container.serial, gump, 0x7D)
        return ContainerOpenedOld(container.serial, gump)

    def content(self, container: Item, version: UoVersion) -> ContainerContent | ContainerContentOld:
        """0x3C. Gold in a vault is no thing (`counters`)."""
        inside = [
            (item.serial, self.art(item), item.amount, *slot(item), self.hue(item))
            for item in container.contents.values()
            if not (container.keeper and item.template.key == GOLD)
        ]
        return self.contents(container.serial, inside, version)

    @staticmethod
    def contents(
        container: int, inside: Iterable[tuple[int, int, int, int, int, int]], version: UoVersion
    ) -> ContainerContent | ContainerContentOld:
        """0x3C of anything: serial, item id, amount, place (x, y) and hue of each."""
        if version.grid:
            return ContainerContent(
                tuple(
                    Contained(serial, art, amount, x, y, min(place, 0xFF), container, hue)
                    for place, (serial, art, amount, x, y, hue) in enumerate(inside)
                )
            )
        return ContainerContentOld(
            tuple(
                ContainedOld(serial, art, amount, x, y, container, hue)
                for serial, art, amount, x, y, hue in inside
            )
        )


def slot(item: Item) -> tuple[int, int]:
    """Place (x, y) of an item in its container's window, in pixels: where a client put it, else in rows of
    `COLUMNS`."""
    if item.slot_y != UNPLACED:
        return item.slot_x, item.slot_y
    gump = _gump(item.parent) if isinstance(item.parent, Item) else BACKPACK_GUMP
    top = max(65, _GUMP_AREAS[gump][1])
    return 44 + 20 * (item.slot_x % COLUMNS), top + 20 * (item.slot_x // COLUMNS % COLUMNS)


COLUMNS: Final = 4
"""Things that nobody has put anywhere lie in so many columns, which every window has room for."""


def clamp_slot(container: Item, x: int, y: int) -> tuple[int, int]:
    """The place nearest to x, y that lies within the container's window."""
    left, top, right, bottom = _GUMP_AREAS[_gump(container)]
    return max(left, min(right, x)), max(top, min(bottom, y))


def _gump(container: Item) -> int:
    if container.remains is not None:
        return CORPSE_GUMP
    if container.keeper:
        return BANK_GUMP
    return BACKPACK_GUMP if container.layer == Layer.BACKPACK else BAG_GUMP


def ground_item(
    serial: int,
    art: int,
    x: int,
    y: int,
    z: int,
    hue: int,
    ground: Ground,
    *,
    amount: int = 1,
    flags: int = 0,
    light: int = 0,
    counted: bool = False,
) -> GroundItem | GroundItemSA | GroundItemOld:
    """Something that lies at x, y, z of the client's map. `counted`: older clients are told an amount even of
    1, which they else take for granted."""
    if ground is Ground.HS:
        return GroundItem(1, 0, serial, art, 0, amount, amount, x, y, z, light, hue, flags)
    if ground is Ground.SA:
        return GroundItemSA(1, 0, serial, art, 0, amount, amount, x, y, z, light, hue, flags)
    told = amount if counted or amount > 1 else 0
    return GroundItemOld(serial, art, told, x, y, z, light, hue, flags)


def is_person(body: int) -> bool:
    """Whether a body is one of those that wear clothes."""
    return body in PEOPLE


def flags(mobile: Mobile, *, coloured_bars: bool) -> int:
    """Flag bits of 0x20, 0x77 and 0x78. `coloured_bars`: whether 0x17 tells of poison, so that these do
    not."""
    return (
        (MobileFlags.FEMALE if mobile.female else 0)
        | (MobileFlags.POISONED if mobile.poisoned and not coloured_bars else 0)
        | (MobileFlags.WAR if mobile.war else 0)
        | (MobileFlags.HIDDEN if mobile.hidden else 0)
    )


def health_bar(mobile: Mobile) -> HealthBar:
    """0x17: whether it is poisoned, and how badly."""
    poison = mobile.poison
    level = max(1, min(WORST_POISON, poison.venom)) if poison is not None and mobile.poisoned else 0
    return HealthBar(mobile.serial, BarColour.POISON, level)


def growth_serial(mobile: Mobile, layer: int) -> int:
    """The serial its hair, its beard or its death robe has as an item."""
    return GROWTH_SERIALS + (mobile.serial * 4 + _GROWTH_LAYERS.index(layer) & 0xFFFFFF)


def wears_visibly(mobile: Mobile, layer: int) -> bool:
    """Whether what it wears there is shown: never its bank, and of a ghost's things only the pack."""
    return layer != Layer.BANK and (not mobile.dead or layer == Layer.BACKPACK)


def item_label(item: Item) -> str:
    """An item as a player reads it: "100 gold coin"."""
    return counted(item)


# Names


def affixed(mobile: Mobile) -> str:
    """Arguments of `NAME_WITH_AFFIXES`: nothing, name, title and the tag of its guild."""
    tag = f"[{mobile.guild.tag}]" if mobile.guild is not None else ""
    return f" \t{mobile.name}\t {mobile.title}{' ' if mobile.title and tag else ''}{tag}"


def once(thing: Thing, key: str, make: Callable[[], T]) -> T:
    """The value that `make` gives, kept until something about the thing changes: it is asked for at every
    step into somebody's sight."""
    kept = thing.kept()
    found = kept.get(key)
    if found is None:
        found = kept[key] = make()
    return cast("T", found)


def properties(thing: Mobile | Item) -> Properties:
    """0xD6: its tooltip."""
    if isinstance(thing, Mobile):
        guild = "" if thing.guild is None else thing.guild.name
        return property_list(thing.serial, NAME_WITH_AFFIXES, affixed(thing), guild)
    if thing.amount > 1:
        return property_list(thing.serial, AMOUNT_AND_NAME, f"{thing.amount}\t{thing.label}")
    return property_list(thing.serial, ANY_TEXT, thing.label)


def property_list(serial: int, cliloc: int, arguments: str, more: str = "") -> Properties:
    """A tooltip of one line, or of two if there is `more` to say. Its revision is a sum over the lines: equal
    for equal tooltips, whatever else happens."""
    total = crc32(arguments.encode("utf-16-le", "replace"), cliloc)
    rows = [Property(cliloc, arguments)]
    if more:
        total = crc32(more.encode("utf-16-le", "replace"), total)
        rows.append(Property(ANY_TEXT, more))
    return Properties(1, serial, 0x40000000 | total & 0x3FFFFFFF, tuple(rows))


def revision(thing: Mobile | Item) -> PropertiesRevision:
    """0xDC: which tooltip it has now."""
    return PropertiesRevision(thing.serial, properties(thing).revision)
