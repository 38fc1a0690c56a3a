"""The world's characters, residents and items as Conquer Online's packets describe them, and the sky.

Characters of every game are players of this one: a body, hair and a face, and of what they wear as much as
the looks know. Residents who talk are NPCs under names of their own; creatures are what the client calls
monsters. What the world does not know, body and profession, is kept by who is in the world.

The client tells by the range of a thing's number what it stands for:

    1 to 49,999             residents who stand there and talk
    50,000 to 99,999        what stands for walls and trees: the same to the client
    400,001 to 499,999      creatures
    from 1,000,000 on       players

A character's number follows from its serial, so that it has one before it is in the world. Residents have
numbers of their own, handed out in a circle: one is not used again soon after it became free. Items have
their serials: nothing tells them from others by their range.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Final, Protocol
from weakref import WeakKeyDictionary, WeakSet, WeakValueDictionary

from protocol.co import growth
from protocol.co.looks import PROFESSIONS, USUAL_FACE, usual_body
from protocol.co.packets import (
    FACE,
    GHOST_MAN,
    GHOST_WOMAN,
    NO_TINT,
    NOBODY,
    TRANSFORMATION,
    Action,
    ActionType,
    Attribute,
    AttributeEntry,
    Date,
    Emotion,
    ItemInfo,
    ItemPosition,
    MapItem,
    MapItemAction,
    NpcInfo,
    Player,
    StatusFlag,
    UserInfo,
    Weather,
    WeatherKind,
    to_wire,
)
from protocol.co.places import NOWHERE
from protocol.co.ranks import place_of
from protocol.naming import Naming
from world import arms, holding, realm
from world.daytime import Daylight, daylight, daytime
from world.delta import MobileDelta
from world.item import Item
from world.mobile import Mobile, Notoriety, Posture
from world.wording import GOLD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from protocol.co.looks import CoLooks
    from protocol.co.places import Places
    from protocol.services import CharacterInfo
    from world.thing import Thing
    from world.world import World

LONGEST_NAME: Final = 15
"""Bytes of a name that the client has room for."""

MOST: Final = 0xFFFF
"""The most that 16 bits hold: of life, levels, amounts."""

HIGHEST_LEVEL: Final = 255

PACK_SIZE: Final = 40
"""Things that a client's bag has room for: what is beyond that it is not told of."""

FACINGS: Final = 10
"""An NPC's look is its kind of figure times ten, and where it faces."""

ALL: Final = (
    MobileDelta.ATTRIBUTES | MobileDelta.STAT | MobileDelta.WEIGHT | MobileDelta.BODY | MobileDelta.HAIR
)

TINTS: Final = {5: 0xFFB0A0C0, 6: 0xFFE0D0D0, 19: 0xFFE0C0A0, 20: 0xFFB0A0C0}
"""The map's colour (ARGB) at dawn and dusk, by the hour. A judgement: clients have no clock of their own."""
NIGHT_TINT: Final = 0xFF8080A0
FIRST_DAY: Final = date(2001, 1, 1)
"""Date of the world's first day, as clients are told; its years all have 365."""

LIGHT_WEATHER: Final = 50
"""An intensity, of those from 1 to 1024 that a client knows: some fireflies."""
NIGHT: Final = frozenset(hour for hour in range(24) if daylight(hour) is Daylight.NIGHT)

SHOWERS: Final[Mapping[realm.Weather, Weather]] = {
    realm.Weather.RAIN: Weather(WeatherKind.RAIN, 200, 20),
    realm.Weather.SNOW: Weather(WeatherKind.SNOW, 200, 10),
    realm.Weather.STORM: Weather(WeatherKind.WINDY_RAIN, 800, 60),
}
"""What falls where it is not clear: how dense, up to 1024, and how slanting, up to 60 to either side. A
judgement."""

_FLAGGED: Final[Mapping[int, StatusFlag]] = {
    Notoriety.CRIMINAL: StatusFlag.BLUE_NAME,
    Notoriety.ATTACKABLE: StatusFlag.BLUE_NAME,
    Notoriety.ENEMY: StatusFlag.RED_NAME,
    Notoriety.MURDERER: StatusFlag.BLACK_NAME,
}


NAMING: Final = Naming(lambda name: 3 <= len(name) <= LONGEST_NAME and name.isalnum())
"""Its client takes 3 to 15 letters and digits, and parts words at blanks."""


NPCS: Final = range(1, 50_000)
LANDMARKS: Final = range(NPCS.stop, 100_000)
CREATURES: Final = range(400_001, 500_000)
FIRST_PLAYER: Final = 1_000_000
"""Ranges of numbers: conquer-online/wiki and the public servers agree on them."""


class IdsExhausted(Exception):
    """More things at once than the game has numbers for."""


def player_number(serial: int) -> int:
    """The number of a character with that serial."""
    return FIRST_PLAYER + serial


def serial_of(number: int) -> int:
    """The serial of the character that has that number, in the world or not."""
    return number - FIRST_PLAYER


class Ids:
    """A two-way table of mobiles and their numbers. `is_creature` tells creatures from people."""

    def __init__(self, is_creature: Callable[[Mobile], bool]) -> None:
        self._is_creature = is_creature
        self._numbers: WeakKeyDictionary[Mobile, int] = WeakKeyDictionary()
        self._mobiles: WeakValueDictionary[int, Mobile] = WeakValueDictionary()
        self._last = {NPCS: NPCS.stop - 1, CREATURES: CREATURES.stop - 1}

    def of(self, thing: Thing) -> int:
        """The number of a thing; a new one if it has none. Raises IdsExhausted."""
        if not isinstance(thing, Mobile):
            return thing.serial
        number = self._numbers.get(thing)
        if number is None:
            number = player_number(thing.serial) if thing.is_character else self._free(thing)
            self._numbers[thing] = number
            self._mobiles[number] = thing
        return number

    def mobile(self, number: int) -> Mobile | None:
        """The mobile with a number; None if it is nobody's now."""
        return self._mobiles.get(number)

    @staticmethod
    def item(holder: Mobile, number: int) -> Item | None:
        """The item of the holder's world with a number; None if there is none."""
        thing = holder.world.items.get(number)
        return thing if isinstance(thing, Item) else None

    def _free(self, mobile: Mobile) -> int:
        numbers = CREATURES if self._is_creature(mobile) else NPCS
        number = self._last[numbers]
        for _ in numbers:
            number = number + 1 if number + 1 < numbers.stop else numbers.start
            if number not in self._mobiles:
                self._last[numbers] = number
                return number
        raise IdsExhausted(f"all numbers from {numbers.start} to {numbers.stop - 1} are in use")


class Figures:
    """Makes the packets from looks and places."""

    def __init__(self, looks: CoLooks, places: Places) -> None:
        self.looks = looks
        self.places = places
        self.ids = Ids(self._is_creature)
        self._rose: WeakKeyDictionary[Mobile, int] = WeakKeyDictionary()
        """The turn in which somebody stood up to go on."""
        self._builds: WeakKeyDictionary[Mobile, tuple[int, int]] = WeakKeyDictionary()
        """Body and profession of those who were made in this game and are in the world."""
        self._heads: WeakSet[Mobile] = WeakSet()
        """Those who have a team in which they are alone."""

    # Who is what

    def enters(self, mobile: Mobile, body: int, profession: int) -> bool:
        """Note what only this game knows of a character that comes into the world. Whether it looks different
        now."""
        before = self.look(mobile)
        self._builds[mobile] = body, profession
        self._heads.discard(mobile)
        return self.look(mobile) != before

    def build(self, mobile: Mobile) -> tuple[int, int]:
        """Body and profession of a character, as `enters` was told them."""
        return self._builds.get(mobile, (usual_body(female=mobile.female), 0))

    def heads(self, mobile: Mobile) -> None:
        """Note that somebody's client has made a team in which it is alone."""
        self._heads.add(mobile)

    def heads_no_more(self, mobile: Mobile) -> None:
        """Note that it has that team no more."""
        self._heads.discard(mobile)

    def rises(self, mobile: Mobile) -> None:
        """Note that somebody has stood up to go, and went: the step says so by itself."""
        self._rose[mobile] = mobile.world.tick

    def rose_to_go(self, mobile: Mobile) -> bool:
        """Whether it has stood up so in this turn, and stands."""
        return mobile.posture == Posture.STANDING and self._rose.get(mobile) == mobile.world.tick

    def is_npc(self, mobile: Mobile) -> bool:
        """Whether somebody is drawn as an NPC, and knows no bars, gestures and steps."""
        look = self.looks.npcs.get(mobile.template.key)
        return not mobile.is_character and look is not None and not look.mesh

    def fell(self, mobile: Mobile) -> bool:
        """Whether somebody has died and left the world and is drawn as a creature, which falls and fades."""
        dead = mobile.dead and mobile.realm is None
        return dead and not mobile.is_character and not self.is_npc(mobile)

    def _is_creature(self, mobile: Mobile) -> bool:
        look = self.looks.npcs.get(mobile.template.key)
        return look is None or bool(look.mesh)

    def portrait(self, mobile: Mobile | None) -> int:
        """The face in a dialog of somebody's, or of nobody's."""
        return USUAL_FACE if mobile is None else self.looks.portrait(mobile.template.key)

    def look(self, mobile: Mobile) -> int:
        """Body, face and transformation of somebody, or the figure of a creature."""
        npc = self.looks.npcs.get(mobile.template.key)
        if npc is not None and not mobile.is_character:
            return npc.mesh or npc.npc
        body, _ = self._builds.get(mobile, (usual_body(female=mobile.female), 0))
        face = self.looks.faces.face(mobile.skin_hue, female=mobile.female)
        ghost = (GHOST_WOMAN if mobile.female else GHOST_MAN) if mobile.dead else 0
        return body + FACE * face + TRANSFORMATION * ghost

    def profession(self, mobile: Mobile) -> int:
        """Somebody's profession; the usual one of who was made in another game."""
        return self._builds.get(mobile, (0, PROFESSIONS[0]))[1]

    def status(self, mobile: Mobile) -> int:
        """Flags of a figure and its name (`StatusFlag`)."""
        flags = _FLAGGED.get(mobile.notoriety, StatusFlag.NONE)
        if mobile.poisoned:
            flags |= StatusFlag.POISONED
        if mobile.dead:
            flags |= StatusFlag.DEAD | StatusFlag.FROZEN
        return int(flags)

    def own_status(self, mobile: Mobile) -> int:
        """The same for its own client, which shows by that whether one leads a team."""
        leads = mobile in self._heads or (mobile.party is not None and mobile.party.leader == mobile.serial)
        return self.status(mobile) | (StatusFlag.TEAM_LEADER if leads else 0)

    # What is around

    def figure(self, mobile: Mobile) -> Player | NpcInfo:
        """Somebody as others see it."""
        return self._npc(mobile) if self.is_npc(mobile) else self._player(mobile)

    def _npc(self, mobile: Mobile) -> NpcInfo:
        look, place = self.looks.npcs[mobile.template.key], self.places.of(mobile) or NOWHERE
        return NpcInfo(
            id=self.ids.of(mobile),
            x=place.x,
            y=place.y,
            look=look.npc // FACINGS * FACINGS + to_wire(mobile.heading),
            kind=look.kind,
            names=(NAMING.of(mobile)[:LONGEST_NAME],),
        )

    def _player(self, mobile: Mobile) -> Player:
        place, number = self.places.of(mobile) or NOWHERE, self.ids.of(mobile)
        worn = {position: self._type(item) for position, item in self._worn(mobile).items()}
        creature = not mobile.is_character
        guild, rank = place_of(mobile)
        return Player(
            id=number,
            look=self.look(mobile),
            flags=self.status(mobile),
            guild=guild,
            guild_rank=rank,
            garment=worn.get(ItemPosition.GARMENT, 0),
            helmet=worn.get(ItemPosition.HELMET, 0),
            armour=worn.get(ItemPosition.ARMOUR, 0),
            right_hand=worn.get(ItemPosition.RIGHT_HAND, 0),
            left_hand=worn.get(ItemPosition.LEFT_HAND, 0),
            life=_within(mobile.hits, MOST) if creature else 0,
            monster_level=_within(arms.level_of(mobile), MOST) if creature else 0,
            x=place.x,
            y=place.y,
            hair=self.hair(mobile),
            direction=to_wire(mobile.heading),
            pose=Emotion.STAND if mobile.posture == Posture.STANDING else Emotion.SIT,
            level=0 if creature else _level(mobile.level),
            id_again=number,
            names=(NAMING.of(mobile)[:LONGEST_NAME],),
        )

    def hair(self, mobile: Mobile) -> int:
        """The client's number for a character's hair; creatures have none."""
        return (
            self.looks.hair(mobile.hair, mobile.hair_hue) if mobile.template.key not in self.looks.npcs else 0
        )

    def lying(self, item: Item) -> MapItem:
        """An item on the ground."""
        place = self.places.of(item) or NOWHERE
        return MapItem(
            id=self.ids.of(item),
            item_type=self._type(item),
            x=place.x,
            y=place.y,
            action=MapItemAction.CREATE,
        )

    # The sky

    def tint(self, mobile: Mobile) -> Action:
        """The colour of a client's map at this hour."""
        hour = daytime(mobile.world).hour
        tint = NIGHT_TINT if hour in NIGHT else TINTS.get(hour, NO_TINT)
        return Action.of(ActionType.MAP_COLOUR, self.ids.of(mobile), data=tint)

    def weather(self, mobile: Mobile) -> Weather:
        """The weather over a client's map; where the sky is clear, fireflies at night."""
        kind = realm.Weather.CLEAR if mobile.realm is None else mobile.realm.weather
        if kind in SHOWERS:
            return SHOWERS[kind]
        hour = daytime(mobile.world).hour
        return Weather(WeatherKind.FIREFLIES if hour in NIGHT else WeatherKind.FINE, LIGHT_WEATHER)

    # One's own character

    def user_info(self, info: CharacterInfo, body: int, profession: int) -> UserInfo:
        """A character for its own client, before it enters the world."""
        face = self.looks.faces.face(info.character.skin_hue, female=info.character.female)
        return UserInfo(
            id=player_number(info.serial),
            look=body + FACE * face,
            hair=self.looks.hair(info.character.hair, info.character.hair_hue),
            silver=0,
            conquer_points=0,
            experience=growth.experience(info.character),
            strength=_within(info.character.strength, MOST),
            agility=_within(info.character.dexterity, MOST),
            vitality=_within(info.character.vitality, MOST),
            spirit=_within(info.character.intelligence, MOST),
            free_points=growth.points(info.character),
            life=_within(info.character.hits, MOST),
            mana=_within(info.character.mana, MOST),
            pk_points=_within(info.character.murders, MOST),
            level=_level(info.character.level),
            profession=profession,
            names=(NAMING.of(info.character)[:LONGEST_NAME], NOBODY),
        )

    def own_values(self, mobile: Mobile, flags: int = ALL) -> tuple[AttributeEntry, ...]:
        """One's own numbers that changed, for `flags` of MobileDelta."""
        values: list[tuple[Attribute, int]] = []
        if flags & MobileDelta.HITS:
            values += (Attribute.LIFE, mobile.hits), (Attribute.MAX_LIFE, mobile.hits_max)
        if flags & MobileDelta.MANA:
            values += (Attribute.MANA, mobile.mana), (Attribute.MAX_MANA, mobile.mana_max)
        if flags & MobileDelta.STAM:
            values.append((Attribute.STAMINA, mobile.stam))
        if flags & MobileDelta.STAT:
            values += (
                (Attribute.LEVEL, _level(mobile.level)),
                (Attribute.EXPERIENCE, growth.experience(mobile)),
                (Attribute.STRENGTH, mobile.strength),
                (Attribute.AGILITY, mobile.dexterity),
                (Attribute.VITALITY, mobile.vitality),
                (Attribute.SPIRIT, mobile.intelligence),
                (Attribute.FREE_POINTS, growth.points(mobile)),
                (Attribute.PROFESSION, self.profession(mobile)),
            )
        if flags & MobileDelta.WEIGHT:
            values.append((Attribute.SILVER, holding.gold(mobile)))
        values += self._looks(mobile, flags)
        return _entries(values)

    def seen_values(self, mobile: Mobile, flags: int) -> tuple[AttributeEntry, ...]:
        """Somebody's numbers that others see change, for `flags` of MobileDelta; its looks come with its
        figure."""
        values: list[tuple[Attribute, int]] = []
        if flags & MobileDelta.HITS:
            values += (Attribute.LIFE, mobile.hits), (Attribute.MAX_LIFE, mobile.hits_max)
        if flags & MobileDelta.FLAGS:
            values.append((Attribute.STATUS, self.status(mobile)))
        return _entries(values)

    @staticmethod
    def level(level: int) -> AttributeEntry:
        """Somebody's level, as far as the client can show it."""
        return AttributeEntry(Attribute.LEVEL, _level(level))

    def _looks(self, mobile: Mobile, flags: int) -> Iterator[tuple[Attribute, int]]:
        if flags & (MobileDelta.BODY | MobileDelta.HUE):
            yield Attribute.LOOK, self.look(mobile)
        if flags & (MobileDelta.BODY | MobileDelta.NOTO | MobileDelta.FLAGS):
            yield Attribute.STATUS, self.own_status(mobile)
        if flags & MobileDelta.NOTO:
            yield Attribute.PK_POINTS, mobile.murders
        if flags & MobileDelta.HAIR:
            yield Attribute.HAIR, self.hair(mobile)

    # What is worn and carried

    def worn(self, mobile: Mobile) -> list[ItemInfo]:
        """Clothes and weapons that are seen of somebody, by position."""
        return [self._info(item, position) for position, item in sorted(self._worn(mobile).items())]

    def inventory(self, mobile: Mobile) -> tuple[ItemInfo, ...]:
        """Everything that a mobile wears and carries, as one list: this game has no bags. What is in its hand
        counts as in its pack. Coins are no things: they are its silver."""
        positions = {item.serial: position for position, item in self._worn(mobile).items()}
        listed, room = [], PACK_SIZE
        for item in holding.belongings(mobile):
            if item.template.key == GOLD:
                continue
            position = positions.get(item.serial, ItemPosition.BAG)
            if position is ItemPosition.BAG:
                room -= 1
            if position is not ItemPosition.BAG or room >= 0:
                listed.append(self._info(item, position))
        return tuple(listed)

    def _worn(self, mobile: Mobile) -> dict[ItemPosition, Item]:
        """Items by position; of several for one the outermost."""
        worn: dict[ItemPosition, Item] = {}
        for _, item in sorted(mobile.worn.items()):
            look = self.looks.items.get(item.template.key)
            if look is not None and look.position is not ItemPosition.BAG:
                worn[look.position] = item
        return worn

    def _info(self, item: Item, position: ItemPosition) -> ItemInfo:
        amount = _within(item.amount, MOST)
        return ItemInfo(
            id=self.ids.of(item),
            item_type=self._type(item),
            durability=max(1, amount),
            durability_limit=max(1, amount),
            position=position,
        )

    def _type(self, item: Item) -> int:
        return self.looks.items[item.template.key].item


class Drawing(Protocol):
    """A view, as those who draw for it know it."""

    figures: Figures


def calendar(world: World) -> Date:
    """The day and time of the world, as a day of the client's first year."""
    now = daytime(world)
    day = FIRST_DAY + timedelta(now.day % 365)
    return Date(
        year=day.year - 1900,
        month=day.month - 1,
        day_of_year=day.timetuple().tm_yday - 1,
        day=day.day,
        hour=now.hour,
        minute=now.minute,
        second=0,
    )


def _entries(values: list[tuple[Attribute, int]]) -> tuple[AttributeEntry, ...]:
    return tuple(AttributeEntry(attribute, max(0, value)) for attribute, value in values)


def _level(level: int) -> int:
    return max(1, min(HIGHEST_LEVEL, level))


def _within(number: int, most: int) -> int:
    return max(0, min(most, number))
