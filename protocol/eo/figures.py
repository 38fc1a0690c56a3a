"""The world's characters, residents and items as eolib's structures.

The view and the handlers both send these, so they are made in one place: a character in `NearbyInfo` looks
as in `Players_Agree`, an item in the pack as on the ground. Whoever has a record among the NPCs is drawn as
one, everybody else from hair, skin and clothes; of several layers on one place of the body the outermost
shows. Structures are made anew each time and nothing is kept, but for the numbers by which clients know
things (`ids.py`). The numbers of a character's sheet are made in `status.py`.

The world's archers have their arrows in the pack. The client's wear them where others have a shield, and do
not shoot without. So one arrow of whoever holds a bow counts as worn, not as carried.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs
from eolib import (
    AvatarChange,
    AvatarChangeType,
    BigCoords,
    CharacterDetails,
    CharacterMapInfo,
    CharacterSelectionListEntry,
    Coords,
    EquipmentChange,
    EquipmentCharacterSelect,
    EquipmentMapInfo,
    EquipmentPaperdoll,
    EquipmentWelcome,
    ItemMapInfo,
    ItemType,
    NearbyInfo,
    NpcMapInfo,
    OnlinePlayer,
    SitState,
)
from eolib import Item as InventoryItem

from protocol.eo.ids import IdsExhausted
from protocol.eo.looks import Lists, to_direction
from protocol.eo.packets.base import CHAR_MAX, THREE_MAX
from protocol.eo.status import CLASS_ID, admin_level, gender, icon, level, points
from protocol.naming import Naming
from world import arms
from world.elsewhere import Person
from world.guild_hall import RANK_NAMES
from world.item import Item
from world.mobile import Mobile, Posture
from world.names import is_short
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from protocol.eo.ids import Ids
    from protocol.eo.looks import EoLooks
    from protocol.services import CharacterInfo
    from world.thing import Thing

FAR: Final = 2 * CHAR_MAX + 1
"""Tiles: farther than any on a map."""
NO_GUILD_TAG: Final = "   "
DEATH_ROBE: Final = "death_robe"

MOST_AMOUNT: Final = 2_000_000_000
"""A cap the official client is known to live with."""

MOST_FIGURES: Final = CHAR_MAX
"""Characters, and NPCs, that one packet lists: it counts them in a char."""
MOST_ITEMS: Final = 3_000
NAMING: Final = Naming(is_short)
"""Its client takes and shows 4 to 12 letters."""

LONGEST_NAME: Final = 64
"""With so many items of nine bytes, and names of so many letters, the fullest packet stays below 64,008
bytes."""

SLOTS: Final = {
    ItemType.Boots: (0,),
    ItemType.Accessory: (1,),
    ItemType.Gloves: (2,),
    ItemType.Belt: (3,),
    ItemType.Armor: (4,),
    ItemType.Necklace: (5,),
    ItemType.Hat: (6,),
    ItemType.Shield: (7,),
    ItemType.Weapon: (8,),
    ItemType.Ring: (9, 10),
    ItemType.Armlet: (11, 12),
    ItemType.Bracer: (13, 14),
}
"""Places on the body by what is worn there, in the order of `EquipmentPaperdoll`. What is of no such type is
nowhere worn in this game."""

QUIVER: Final = 0
"""In place of a layer, of which this is none: that of arrows."""

_SIT_STATES: Final = {
    Posture.STANDING: SitState.Stand,
    Posture.CHAIR: SitState.Chair,
    Posture.FLOOR: SitState.Floor,
}


@attrs.frozen
class Dolls:
    """The five pictures that are drawn on a body; 0: nothing."""

    boots: int
    armor: int
    hat: int
    shield: int
    weapon: int


class Figures:
    """Builds the structures from looks and numbers."""

    def __init__(self, looks: EoLooks, ids: Ids) -> None:
        self.looks = looks
        self.ids = ids

    # Who is what

    def is_npc(self, mobile: Mobile) -> bool:
        """Whether a mobile is drawn as an NPC; all others are drawn as characters, from their clothes."""
        return not mobile.is_character and mobile.template.key in self.looks.npcs

    def player_id(self, mobile: Mobile) -> int:
        """The player id of a mobile that is drawn as a character."""
        return self.ids.players.of(mobile)

    def npc_index(self, mobile: Mobile) -> int:
        """The index of an NPC on its map."""
        return self.ids.npc_index(mobile)

    def map_id(self, mobile: Mobile) -> int:
        """The map a mobile is on; 0 if this client has none for its realm."""
        return self.looks.maps.get(mobile.realm.name, 0) if mobile.realm is not None else 0

    # What is around

    def character(self, mobile: Mobile) -> CharacterMapInfo:
        """A mobile as others see it."""
        dolls = self.dolls(mobile)
        return CharacterMapInfo(
            name=NAMING.of(mobile).lower()[:LONGEST_NAME],
            player_id=self.player_id(mobile),
            map_id=self.map_id(mobile),
            coords=BigCoords(x=mobile.x, y=mobile.y),
            direction=to_direction(mobile.heading),
            class_id=CLASS_ID,
            guild_tag=guild_tag(mobile),
            level=level(mobile.level),
            gender=gender(mobile.female),
            hair_style=mobile.hair,
            hair_color=self.looks.hair.colour(mobile.hair_hue),
            skin=self.looks.skins.colour(mobile.skin_hue),
            max_hp=points(mobile.hits_max),
            hp=points(mobile.hits),
            max_tp=points(mobile.mana_max),
            tp=points(mobile.mana),
            equipment=EquipmentMapInfo(
                boots=dolls.boots, armor=dolls.armor, hat=dolls.hat, shield=dolls.shield, weapon=dolls.weapon
            ),
            sit_state=_SIT_STATES[mobile.posture],
            invisible=mobile.hidden,
        )

    def npc(self, mobile: Mobile, known: Hashable = None) -> NpcMapInfo:
        """A resident as all see it who have those `Lists` (None: the newest ones). A kind that came to data/
        after they were read is shown as the first of its type that the client knows: it reads no list before
        its next login."""
        look = self.looks.npcs[mobile.template.key]
        number = look.id
        if isinstance(known, Lists) and number not in known.npcs:
            alike = (one for one, kind in known.npcs.items() if kind == look.type)
            number = min(alike, default=min(known.npcs, default=1))
        return NpcMapInfo(
            index=self.npc_index(mobile),
            id=number,
            coords=coords(mobile),
            direction=to_direction(mobile.heading),
        )

    def item(self, item: Item, *, female: bool) -> ItemMapInfo:
        """An item on the ground, for a viewer of that sex."""
        return ItemMapInfo(
            uid=self.ids.items.of(item),
            id=self.looks.item_id(item.template.key, female=female),
            coords=coords(item),
            amount=min(item.amount, THREE_MAX),
        )

    def nearby(self, viewer: Mobile, things: Iterable[Thing], *, with_viewer: bool = True) -> NearbyInfo:
        """The figures a client draws: itself, if asked for, and `things`; of more than one packet holds the
        nearest."""
        return self.surroundings(viewer, things, with_viewer=with_viewer)[0]

    def surroundings(
        self, viewer: Mobile, things: Iterable[Thing], *, with_viewer: bool = True, known: Hashable = None
    ) -> tuple[NearbyInfo, list[Thing]]:
        """`nearby`, and what had no room in it. Things without a place are in neither, nor those for which no
        number is left. `known`: see `npc`."""
        people: list[Mobile] = [viewer] if with_viewer else []
        npcs: list[Mobile] = []
        items: list[Item] = []
        for thing in sorted(things, key=lambda thing: distance(viewer, thing)):
            if thing.realm is None or not self._numbered(thing):
                continue
            if isinstance(thing, Item):
                items.append(thing)
            elif isinstance(thing, Mobile):
                (npcs if self.is_npc(thing) else people).append(thing)
        info = NearbyInfo(
            characters=[self.character(mobile) for mobile in people[:MOST_FIGURES]],
            npcs=[self.npc(mobile, known) for mobile in npcs[:MOST_FIGURES]],
            items=[self.item(item, female=viewer.female) for item in items[:MOST_ITEMS]],
        )
        return info, [*people[MOST_FIGURES:], *npcs[MOST_FIGURES:], *items[MOST_ITEMS:]]

    def _numbered(self, thing: Thing) -> bool:
        """Whether the game has a number for this thing."""
        try:
            if isinstance(thing, Item):
                self.ids.items.of(thing)
            elif isinstance(thing, Mobile):
                (self.npc_index if self.is_npc(thing) else self.player_id)(thing)
        except IdsExhausted:
            return False
        return True

    # What is worn

    def worn(self, mobile: Mobile) -> dict[int, Item]:
        """Items that a mobile wears by the places of `SLOTS`; of several for one place the outermost."""
        places: dict[ItemType, list[Item]] = {}
        for _, item in sorted(_worn(mobile).items(), reverse=True):
            kind = self.looks.items[item.template.key].type
            if kind in SLOTS:
                places.setdefault(kind, []).append(item)
        return {
            slot: item
            for kind, items in places.items()
            for slot, item in zip(SLOTS[kind], items, strict=False)
        }

    def worn_ids(self, mobile: Mobile) -> dict[int, int]:
        """Item ids of what a mobile wears by the places of `SLOTS`."""
        return {slot: self.item_id(mobile, item) for slot, item in self.worn(mobile).items()}

    def chosen_ids(self, info: CharacterInfo) -> dict[int, int]:
        """Item ids of what a character of the list wears by the places of `SLOTS`."""
        ids = self._ids(info.worn, female=info.character.female)
        return {
            slot: item_id
            for kind, slots in SLOTS.items()
            for slot, item_id in zip(slots, ids.get(kind, ()), strict=False)
        }

    def item_id(self, owner: Mobile, item: Item) -> int:
        """The record of an item as its owner's client knows it."""
        return self.looks.item_id(item.template.key, female=owner.female)

    def kind(self, owner: Mobile, item_id: int) -> str:
        """The item template of a record, as an owner's client knows it. Raises Cannot(GONE)."""
        key = self.looks.templates.get(item_id)
        # A kind may have one record for men and one for women; nobody owns the other sex's.
        if key is None or self.looks.item_id(key, female=owner.female) != item_id:
            raise Cannot(Refusal.GONE)
        return key

    def slot(self, item_id: int, sub_loc: int) -> int | None:
        """The place where a client says that it wears something; None if nobody could."""
        key = self.looks.templates.get(item_id)
        slots = SLOTS.get(self.looks.items[key].type, ()) if key is not None else ()
        if len(slots) == 1:
            return slots[0]
        return slots[sub_loc] if 0 <= sub_loc < len(slots) else None

    def dolls(self, mobile: Mobile) -> Dolls:
        """Pictures that are drawn on a mobile; a ghost wears its shroud alone."""
        if mobile.dead and DEATH_ROBE in self.looks.items:
            return Dolls(0, self.looks.doll(DEATH_ROBE, female=mobile.female), 0, 0, 0)
        return self._dolls(_keys(mobile), female=mobile.female)

    def _dolls(self, worn: Mapping[int, str], *, female: bool) -> Dolls:
        places = self._places(worn)

        def doll(kind: ItemType) -> int:
            found = places.get(kind)
            return self.looks.doll(found[-1], female=female) if found else 0

        # Whoever holds a bow has a quiver on its back, be it empty.
        weapons = places.get(ItemType.Weapon)
        quiver = self.looks.items[weapons[-1]].quiver if weapons else ""
        return Dolls(
            doll(ItemType.Boots),
            doll(ItemType.Armor),
            doll(ItemType.Hat),
            doll(ItemType.Shield) or (self.looks.doll(quiver, female=female) if quiver else 0),
            doll(ItemType.Weapon),
        )

    def _places(self, worn: Mapping[int, str]) -> dict[ItemType, list[str]]:
        """Templates by the place where EO wears them, the innermost layer first: a robe hides a shirt."""
        places: dict[ItemType, list[str]] = {}
        for _, key in sorted(worn.items()):
            look = self.looks.items.get(key)
            if look is not None:
                places.setdefault(look.type, []).append(key)
        return places

    def _ids(self, worn: Mapping[int, str], *, female: bool) -> dict[ItemType, list[int]]:
        """Item ids by place, the outermost first."""
        return {
            kind: [self.looks.item_id(key, female=female) for key in reversed(keys)]
            for kind, keys in self._places(worn).items()
        }

    def equipment_change(self, mobile: Mobile) -> AvatarChange:
        """A mobile's clothes as they are now."""
        dolls = self.dolls(mobile)
        return AvatarChange(
            player_id=self.player_id(mobile),
            change_type=AvatarChangeType.Equipment,
            sound=False,
            change_type_data=AvatarChange.ChangeTypeDataEquipment(
                equipment=EquipmentChange(
                    boots=dolls.boots,
                    armor=dolls.armor,
                    hat=dolls.hat,
                    weapon=dolls.weapon,
                    shield=dolls.shield,
                )
            ),
        )

    def hair_change(self, mobile: Mobile) -> AvatarChange:
        """A mobile's hair as it is now."""
        return AvatarChange(
            player_id=self.player_id(mobile),
            change_type=AvatarChangeType.Hair,
            sound=False,
            change_type_data=AvatarChange.ChangeTypeDataHair(
                hair_style=mobile.hair, hair_color=self.looks.hair.colour(mobile.hair_hue)
            ),
        )

    def equipment_welcome(self, info: CharacterInfo) -> EquipmentWelcome:
        """Item ids of what a character of the list wears, as it is told when one is chosen."""
        ids = self._ids(info.worn, female=info.character.female)
        return EquipmentWelcome(
            boots=_one(ids, ItemType.Boots),
            gloves=_one(ids, ItemType.Gloves),
            accessory=_one(ids, ItemType.Accessory),
            armor=_one(ids, ItemType.Armor),
            belt=_one(ids, ItemType.Belt),
            necklace=_one(ids, ItemType.Necklace),
            hat=_one(ids, ItemType.Hat),
            shield=_one(ids, ItemType.Shield),
            weapon=_one(ids, ItemType.Weapon),
            ring=_two(ids, ItemType.Ring),
            armlet=_two(ids, ItemType.Armlet),
            bracer=_two(ids, ItemType.Bracer),
        )

    def equipment_paperdoll(self, mobile: Mobile) -> EquipmentPaperdoll:
        """Item ids of what a mobile wears, as its paperdoll shows it."""
        ids = self._ids(_keys(mobile), female=mobile.female)
        return EquipmentPaperdoll(
            boots=_one(ids, ItemType.Boots),
            accessory=_one(ids, ItemType.Accessory),
            gloves=_one(ids, ItemType.Gloves),
            belt=_one(ids, ItemType.Belt),
            armor=_one(ids, ItemType.Armor),
            necklace=_one(ids, ItemType.Necklace),
            hat=_one(ids, ItemType.Hat),
            shield=_one(ids, ItemType.Shield),
            weapon=_one(ids, ItemType.Weapon),
            ring=_two(ids, ItemType.Ring),
            armlet=_two(ids, ItemType.Armlet),
            bracer=_two(ids, ItemType.Bracer),
        )

    # Lists and sheets

    def list_entry(self, info: CharacterInfo) -> CharacterSelectionListEntry:
        """A line of the character list; its equipment are pictures, not item ids."""
        dolls = self._dolls(info.worn, female=info.character.female)
        return CharacterSelectionListEntry(
            name=NAMING.of(info.character).lower(),
            id=info.serial,
            level=level(info.character.level),
            gender=gender(info.character.female),
            hair_style=info.character.hair,
            hair_color=self.looks.hair.colour(info.character.hair_hue),
            skin=self.looks.skins.colour(info.character.skin_hue),
            admin=admin_level(info.access),
            equipment=EquipmentCharacterSelect(
                boots=dolls.boots, armor=dolls.armor, hat=dolls.hat, shield=dolls.shield, weapon=dolls.weapon
            ),
        )

    def online(self, mobile: Mobile | Person) -> OnlinePlayer:
        """A line of the online list."""
        return OnlinePlayer(
            name=NAMING.of(mobile).lower()[:LONGEST_NAME],
            title=mobile.title[:LONGEST_NAME],
            level=level(mobile.level),
            icon=icon(mobile),
            class_id=CLASS_ID,
            guild_tag=guild_tag(mobile),
        )

    def details(self, mobile: Mobile) -> CharacterDetails:
        """The head of the paperdoll and of the book."""
        rank = mobile.guild.rank_of(mobile.serial) if mobile.guild is not None else None
        return CharacterDetails(
            name=NAMING.of(mobile).lower(),
            home=mobile.realm.chart.title if mobile.realm is not None else "",
            partner="",
            title=mobile.title,
            guild=mobile.guild.name if mobile.guild is not None else "",
            guild_rank=RANK_NAMES[rank] if rank is not None else "",
            player_id=self.player_id(mobile),
            class_id=CLASS_ID,
            gender=gender(mobile.female),
            admin=admin_level(mobile.access),
        )

    def inventory(self, mobile: Mobile) -> list[InventoryItem]:
        """Lines for all in a mobile's pack and in the bags in it, one for each kind, in the order of their
        ids."""
        amounts = self.amounts(mobile)
        return [InventoryItem(id=number, amount=amounts[number]) for number in sorted(amounts)]

    def amounts(self, mobile: Mobile) -> dict[int, int]:
        """Amounts in a mobile's pack by item id. An item in its hand counts as there: EO has no hand. What
        counts as worn does not."""
        amounts: dict[int, int] = {}
        waiting = list(mobile.backpack.contents.values()) if mobile.backpack is not None else []
        if mobile.held is not None:
            waiting.append(mobile.held)
        while waiting:
            item = waiting.pop()
            number = self.item_id(mobile, item)
            amounts[number] = min(amounts.get(number, 0) + item.amount, MOST_AMOUNT)
            waiting.extend(item.contents.values())
        arrows = arms.ammunition_of(mobile)
        if arrows is not None:
            number = self.item_id(mobile, arrows)
            amounts[number] -= 1
            if not amounts[number]:
                del amounts[number]
        return amounts


def guild_tag(mobile: Mobile | Person) -> str:
    """Three letters or blanks, as every tag in this game."""
    tag = mobile.tag if isinstance(mobile, Person) else "" if mobile.guild is None else mobile.guild.tag
    return f"{tag:3.3}" if tag else NO_GUILD_TAG


def coords(thing: Thing) -> Coords:
    """The tile of a thing."""
    return Coords(x=thing.x, y=thing.y)


def distance(viewer: Mobile, thing: Thing) -> int:
    """Tiles (Manhattan) from a viewer to a thing; `FAR` if that is elsewhere."""
    if thing.realm is not viewer.realm:
        return FAR
    return abs(thing.x - viewer.x) + abs(thing.y - viewer.y)


def sub_location(slot: int) -> int:
    """The number of a slot among equal places on the body: 0 or 1."""
    return next(slots.index(slot) for slots in SLOTS.values() if slot in slots)


def _worn(mobile: Mobile) -> dict[int, Item]:
    """By layer all that counts as worn."""
    arrows = arms.ammunition_of(mobile)
    return mobile.worn if arrows is None else {**mobile.worn, QUIVER: arrows}


def _keys(mobile: Mobile) -> dict[int, str]:
    return {layer: item.template.key for layer, item in _worn(mobile).items()}


def _one(ids: Mapping[ItemType, list[int]], kind: ItemType) -> int:
    found = ids.get(kind)
    return found[0] if found else 0


def _two(ids: Mapping[ItemType, list[int]], kind: ItemType) -> tuple[int, int]:
    found = [*ids.get(kind, ()), 0, 0]
    return found[0], found[1]
