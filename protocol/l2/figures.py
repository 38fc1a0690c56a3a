"""The world's characters, residents and items as Lineage II's messages describe them.

Characters of every game are players of this one: a race and class, hair and a face, and of what they wear as
much as the looks know. Residents are NPCs, of which the client has a model each; their names are ours. The
world's serials are the client's object ids as they are: mobiles count from 1, items from 0x40000000, and
neither ever needs the sign bit, which the client must not see.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.l2.grades import standing
from protocol.l2.looks import HUMAN_FIGHTER, calling_of
from protocol.l2.packets import (
    EMPTY_PAPERDOLL,
    NPC_ID_BASE,
    PAPERDOLL,
    VISIBLE_PAPERDOLL,
    CharInfo,
    CharSelectEntry,
    ClientSetTime,
    DropItem,
    ItemEntry,
    NpcInfo,
    RelationChanged,
    SpawnItem,
    StackEntry,
    SunRise,
    SunSet,
    UserInfo,
)
from protocol.l2.places import UNITS_PER_TILE, Place
from protocol.l2.portraits import Portrait
from protocol.l2.sheets import (
    NATURAL_PACE,
    NPC_NATURAL_PACE,
    Speeds,
    armour_points,
    attribute,
    blow_points,
    experience,
    level,
    pace_of,
    skill_points,
    speeds,
)
from protocol.l2.stances import Stances
from protocol.naming import Naming
from world import holding
from world.daytime import DAY_SECONDS, daytime
from world.law import is_fair_game
from world.mobile import Access, Mobile, Notoriety, Posture
from world.motion import cost

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.l2.looks import Calling, L2Looks, Slot
    from protocol.l2.places import Places
    from protocol.l2.versions import L2Version
    from protocol.services import CharacterInfo
    from protocol.wire.body import Body
    from world.companions import MemberState
    from world.guild_events import MemberLine
    from world.item import Item
    from world.thing import Surroundings

NOWHERE: Final = Place(0, 0, 0)
"""Where this game has no place for a realm; its clients are about to be sent away."""

BARE, ARMED = 20, 40
"""What UserInfo says of hands that hold no weapon, and that hold one."""

_VISIBLE: Final = tuple(map(PAPERDOLL.index, VISIBLE_PAPERDOLL))

RIGHT_HAND: Final = PAPERDOLL.index("right_hand")

MOST_COINS: Final = 0x7FFF_FFFF
"""A count on the wire has a sign."""

LONGEST_NAME: Final = 24
LONGEST_TITLE: Final = 24
"""Letters; the client's own limit is 16, for what its players may choose (L2J: CharacterCreate.java)."""

NAMING: Final = Naming(str.isalnum)
"""Its client takes and shows letters and digits."""

PURPLE: Final = 1
"""The flag of a name that may be fought without a penalty."""
RED_KARMA: Final = 1
"""Karma of those whose names are red; how much there is of it nothing here depends on."""

AT_WAR: Final = 0x8000
"""The bit of RelationChanged that draws the mark of a war of both sides (Mobius and C6: RelationChanged). It
lies there for both here, whoever declared it."""

DAWN_HOUR: Final = 6
"""When the client's night ends; it begins at midnight."""

DAYS_A_DAY: Final = round(24 * 60 * 60 / DAY_SECONDS)
"""How often a day of the world goes into a real one."""

_PURPLE: Final = (Notoriety.ATTACKABLE, Notoriety.CRIMINAL, Notoriety.ENEMY)


class Figures:
    """Makes the messages from looks, places and classes."""

    def __init__(self, looks: L2Looks, places: Places) -> None:
        self.looks = looks
        self.places = places
        self.stances = Stances()
        self._callings: dict[int, Calling] = {}
        """By serial, of characters that this game's players have seen in their lists or entered with: they
        look alike from whatever game they are played. All others are human fighters, as nearly all are, so
        those are not in here. A serial is never another character's."""

    # Who is what

    def is_npc(self, mobile: Mobile) -> bool:
        """Whether a mobile is drawn as an NPC; all others are drawn as players, from race and clothes."""
        return not mobile.is_character and mobile.template.key in self.looks.npcs

    def calling(self, who: Mobile | MemberState | MemberLine) -> Calling:
        """A character's class."""
        return self._callings.get(who.serial, HUMAN_FIGHTER)

    def remember(self, serial: int, calling: Calling) -> None:
        """Remember a character's class. Who has been described by then is described anew by the caller."""
        if calling is not HUMAN_FIGHTER:
            self._callings[serial] = calling
        else:
            self._callings.pop(serial, None)

    def speeds(self, mobile: Mobile) -> Speeds:
        """Its speeds, running and walking."""
        atlas = self.places.atlas(mobile.realm)
        scale = atlas.scale if atlas is not None else UNITS_PER_TILE
        run, walk = (scale / max(0.001, cost(mobile, mobile.heading, run=run)) for run in (True, False))
        return speeds(run, walk)

    # What is around

    def described(self, mobile: Mobile, version: L2Version, pace: int) -> tuple[Body, ...]:
        """The messages that make a figure of somebody: CharInfo and RelationChanged, or NpcInfo. `pace`: of
        its blows (`protocol.l2.sheets.pace_of`)."""
        gait, place = mobile.gait, self.places.of(mobile) or NOWHERE
        calling = self._callings.get(mobile.serial)
        key = (
            "l2",
            version.name,
            calling,
            mobile.realm,
            runs(mobile),
            gait.walk_ms,
            gait.run_ms,
            self.stances.ready(mobile),
            pace,
        )
        kept = mobile.kept()
        portrait = kept.get(key)
        if not isinstance(portrait, Portrait):
            portrait = kept[key] = self._portrait(mobile, version)
        return portrait.at(place, mobile.stam, mobile.stam_max)

    def _portrait(self, mobile: Mobile, version: L2Version) -> Portrait:
        if self.is_npc(mobile):
            return Portrait.npc(self.npc(mobile), version)
        return Portrait.character(self.character(mobile), self.relation(mobile), version)

    def character(self, mobile: Mobile) -> CharInfo:
        """A character as others see it."""
        calling, looks, place = self.calling(mobile), self.looks, self.places.of(mobile) or NOWHERE
        build = calling.build(female=mobile.female)
        gait = self.speeds(mobile)
        items = self.paperdoll({layer: item.template.key for layer, item in mobile.worn.items()})
        pace = pace_of(mobile)
        return CharInfo(
            x=place.x,
            y=place.y,
            z=place.z,
            object_id=mobile.serial,
            name=NAMING.of(mobile)[:LONGEST_NAME],
            race=calling.race,
            sex=int(mobile.female),
            base_class=calling.class_id,
            items=tuple(items[index] for index in _VISIBLE),
            pvp_flag=_pvp_flag(mobile),
            karma=_karma(mobile),
            pvp_flag_again=_pvp_flag(mobile),
            karma_again=_karma(mobile),
            run_speed=gait.run,
            walk_speed=gait.walk,
            move_multiplier=gait.multiplier,
            collision_radius=build.radius,
            collision_height=build.height,
            hair_style=looks.styles(female=mobile.female).style(mobile.hair),
            hair_color=looks.hair_colours.colour(mobile.hair_hue),
            face=looks.faces.colour(mobile.skin_hue),
            title=mobile.title[:LONGEST_TITLE],
            clan_id=0 if mobile.guild is None else mobile.guild.number,
            standing=int(mobile.posture == Posture.STANDING),
            running=int(runs(mobile)),
            p_atk_spd=pace,
            attack_speed_multiplier=pace / NATURAL_PACE,
            in_combat=int(self.stances.ready(mobile)),
            dead=int(mobile.dead),
            class_id=calling.class_id,
            max_cp=max(0, mobile.stam_max),
            cp=max(0, mobile.stam),
            heading=place.heading,
        )

    def relation(self, mobile: Mobile, *, enemy: bool = False) -> RelationChanged:
        """The colour of a character's name, and whether a click attacks it; `enemy`: for those with whose
        guild its own is at war."""
        return RelationChanged(
            object_id=mobile.serial,
            relation=AT_WAR if enemy else 0,
            auto_attackable=int(enemy or is_fair_game(mobile)),
            karma=_karma(mobile),
            pvp_flag=_pvp_flag(mobile),
        )

    def npc(self, mobile: Mobile) -> NpcInfo:
        """A resident as everybody sees it."""
        look, place = self.looks.npcs[mobile.template.key], self.places.of(mobile) or NOWHERE
        gait = self.speeds(mobile)
        pace = pace_of(mobile)
        return NpcInfo(
            object_id=mobile.serial,
            npc_id=look.npc + NPC_ID_BASE,
            attackable=int(is_fair_game(mobile)),
            x=place.x,
            y=place.y,
            z=place.z,
            heading=place.heading,
            run_speed=gait.run,
            walk_speed=gait.walk,
            move_multiplier=gait.multiplier,
            collision_radius=look.radius,
            collision_height=look.height,
            right_hand=look.right_hand,
            left_hand=look.left_hand,
            p_atk_spd=pace,
            attack_speed_multiplier=pace / NPC_NATURAL_PACE,
            in_combat=int(self.stances.ready(mobile)),
            running=int(runs(mobile)),
            dead=int(mobile.dead),
            name=NAMING.of(mobile)[:LONGEST_NAME],
            title=mobile.title[:LONGEST_TITLE],
            collision_radius_again=look.radius,
            collision_height_again=look.height,
        )

    def lying(self, item: Item) -> SpawnItem | DropItem:
        """An item on the ground; in the turn in which somebody dropped it, as it falls."""
        place = self.places.of(item) or NOWHERE
        kind, stackable = self.looks.items[item.template.key].item, int(item.template.stackable)
        count, x, y, z = min(item.amount, MOST_COINS), place.x, place.y, place.z
        if item.dropper and item.dropped_at == item.world.now:
            return DropItem(item.dropper, item.serial, kind, x, y, z, stackable, count)
        return SpawnItem(item.serial, kind, x, y, z, stackable, count)

    # One's own character

    def own(self, mobile: Mobile) -> UserInfo:
        """A character for its own client: one message with all there is, which is why this is long."""
        calling, looks, place = self.calling(mobile), self.looks, self.places.of(mobile) or NOWHERE
        build = calling.build(female=mobile.female)
        gait = self.speeds(mobile)
        worn, pace = self.worn(mobile), pace_of(mobile)
        skill = skill_points(mobile)
        clan_id, relation, privileges = standing(mobile)
        return UserInfo(
            x=place.x,
            y=place.y,
            z=place.z,
            object_id=mobile.serial,
            name=NAMING.of(mobile)[:LONGEST_NAME],
            race=calling.race,
            sex=int(mobile.female),
            base_class=calling.class_id,
            level=level(mobile.level),
            exp=experience(mobile),
            strength=attribute(mobile.strength),
            dexterity=attribute(mobile.dexterity),
            constitution=attribute(mobile.vitality),
            intelligence=attribute(mobile.intelligence),
            wit=attribute(mobile.intelligence),
            mentality=attribute(mobile.intelligence),
            max_hp=max(1, mobile.hits_max),
            hp=max(0, mobile.hits),
            max_mp=max(1, mobile.mana_max),
            mp=max(0, mobile.mana),
            sp=0,
            load=holding.weight(mobile),
            max_load=holding.capacity(mobile),
            armed=ARMED if RIGHT_HAND in worn else BARE,
            paperdoll_objects=_by_place({place: item.serial for place, item in worn.items()}),
            paperdoll_items=_by_place({place: self._item_id(item) for place, item in worn.items()}),
            p_atk=blow_points(mobile),
            p_atk_spd=pace,
            p_atk_spd_again=pace,
            attack_speed_multiplier=pace / NATURAL_PACE,
            p_def=armour_points(mobile),
            accuracy=skill,
            evasion=skill,
            critical=round(1000 * mobile.world.content.combat.critical_chance),
            pvp_flag=_pvp_flag(mobile),
            karma=_karma(mobile),
            run_speed=gait.run,
            walk_speed=gait.walk,
            move_multiplier=gait.multiplier,
            collision_radius=build.radius,
            collision_height=build.height,
            hair_style=looks.styles(female=mobile.female).style(mobile.hair),
            hair_color=looks.hair_colours.colour(mobile.hair_hue),
            face=looks.faces.colour(mobile.skin_hue),
            builder_level=int(mobile.access > Access.PLAYER),
            title=mobile.title[:LONGEST_TITLE],
            clan_id=clan_id,
            relation=relation,
            clan_privileges=privileges,
            class_id=calling.class_id,
            max_cp=max(0, mobile.stam_max),
            cp=max(0, mobile.stam),
            running=int(runs(mobile)),
        )

    def listed(self, info: CharacterInfo, class_id: int) -> CharSelectEntry:
        """A character of the list, without what only its client's session knows: the name of the account,
        the number of the login, and whether it was played last. Of its place only the realm is known."""
        calling, looks = calling_of(class_id), self.looks
        items, place = self.paperdoll(info.worn), self.places.middle(info.realm) or NOWHERE
        return CharSelectEntry(
            name=NAMING.of(info.character),
            object_id=info.serial,
            account="",
            session_id=0,
            clan_id=0,
            sex=int(info.character.female),
            race=calling.race,
            base_class=calling.class_id,
            x=place.x,
            y=place.y,
            z=place.z,
            hp=float(max(0, info.character.hits)),
            mp=float(max(0, info.character.mana)),
            sp=0,
            exp=experience(info.character),
            level=level(info.character.level),
            # The client asks only whether something is there.
            paperdoll_objects=items,
            paperdoll_items=items,
            hair_style=looks.styles(female=info.character.female).style(info.character.hair),
            hair_color=looks.hair_colours.colour(info.character.hair_hue),
            face=looks.faces.colour(info.character.skin_hue),
            max_hp=float(max(1, info.character.hits_max)),
            max_mp=float(max(1, info.character.mana_max)),
            deleted_in=max(1, int(info.deleted_in)) if info.deleted_in is not None else 0,
            class_id=calling.class_id,
        )

    # What is worn and carried

    def worn(self, mobile: Mobile) -> dict[int, Item]:
        """The items that are seen of a mobile's clothes and weapons, by place (`PAPERDOLL`)."""
        return {
            place: mobile.worn[layer]
            for place, layer in self._seen(
                {layer: item.template.key for layer, item in mobile.worn.items()}
            ).items()
        }

    def paperdoll(self, worn: Mapping[int, str]) -> tuple[int, ...]:
        """The same as the client's item ids in the order of `PAPERDOLL`, from item templates by layer."""
        seen = self._seen(worn)
        return _by_place({place: self.looks.items[worn[layer]].item for place, layer in seen.items()})

    def _seen(self, worn: Mapping[int, str]) -> dict[int, int]:
        """Layers by place; of several for one place the outermost."""
        seen: dict[int, int] = {}
        slots: dict[int, Slot] = {}
        for layer, key in sorted(worn.items()):
            look = self.looks.items.get(key)
            if look is not None and look.slot is not None:
                slots[layer] = look.slot
                seen.update(dict.fromkeys(look.slot.shown, layer))
        for layer in set(seen.values()):
            for place in slots[layer].hides:
                if seen.get(place) != layer:
                    seen.pop(place, None)
        return seen

    def body_part(self, item: Item) -> int:
        """The client's bits for where an item is worn; 0 for nowhere."""
        return self.looks.items[item.template.key].part

    def inventory(self, mobile: Mobile) -> tuple[ItemEntry, ...]:
        """All that a mobile wears and carries, as one list: this game has no bags. What is in its hand counts
        as in its pack."""
        seen = {item.serial for item in self.worn(mobile).values()}
        return tuple(self._entry(item, equipped=item.serial in seen) for item in holding.belongings(mobile))

    def _entry(self, item: Item, *, equipped: bool) -> ItemEntry:
        look = self.looks.items[item.template.key]
        return ItemEntry(
            type1=look.type1,
            object_id=item.serial,
            item_id=look.item,
            count=min(item.amount, MOST_COINS),
            type2=look.type2,
            equipped=int(equipped),
            body_part=look.part,
        )

    def _item_id(self, item: Item) -> int:
        return self.looks.items[item.template.key].item


def stack_row(looks: L2Looks, key: str, number: int, count: int) -> StackEntry:
    """A row of a list of what can change hands: so many of an item template, under a number."""
    look = looks.items[key]
    return StackEntry(look.type1, number, look.item, min(count, MOST_COINS), look.type2, body_part=look.part)


def runs(mobile: Mobile) -> bool:
    """Whether it runs, or will when it takes the first step of the way it has set out on."""
    journey = mobile.gait.journey
    return journey.run if journey is not None else mobile.running


def _by_place(numbers: Mapping[int, int]) -> tuple[int, ...]:
    return tuple(numbers.get(place, 0) for place in range(len(EMPTY_PAPERDOLL)))


def _karma(mobile: Mobile) -> int:
    return RED_KARMA if mobile.notoriety == Notoriety.MURDERER else 0


def _pvp_flag(mobile: Mobile) -> int:
    return PURPLE if mobile.notoriety in _PURPLE else 0


# What is told of the day


def clock(world: Surroundings) -> ClientSetTime:
    """Tell what time it is in the world: minutes of its day."""
    now = daytime(world)
    return ClientSetTime(60 * now.hour + now.minute, DAYS_A_DAY)


def sky(hour: int) -> SunRise | SunSet:
    """Tell the sky of an hour: the client's night ends at DAWN_HOUR, and begins at midnight."""
    return SunRise() if hour >= DAWN_HOUR else SunSet()
