"""The world's characters, residents and items as the three structs of a ghost.

They are made once for a thing and a change of it, whoever looks on, and every viewer keeps the very bytes it
was sent last; the difference between two of them is worked out once, too. People of all games are figures of
this one: a race, a model, hair and skin, and of what they wear as much as the looks know.

What of this an original client has not confirmed can be switched in data/eq2/<version>/rendering.toml, see
docs/views.md.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

import attrs

from protocol.eq2.bars import hits_code, percent
from protocol.eq2.looks import NO_RACE, PLAIN
from protocol.eq2.packets import (
    EQUIPMENT,
    NOBODY,
    GhostCommand,
    GhostInfo,
    GhostPosition,
    GhostVisible,
)
from protocol.eq2.places import Place
from protocol.eq2.structs import WHITE, Figure
from protocol.naming import Naming
from protocol.tables import read
from world.arms import level_of
from world.containers import counted
from world.content import Temper
from world.item import Item
from world.mobile import Mobile, Notoriety, Posture
from world.motion import cost

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.eq2.looks import Eq2Looks, MobileLook
    from protocol.eq2.places import Places
    from protocol.eq2.versions import Eq2Version
    from world.content import Content, ItemTemplate
    from world.item import Remains
    from world.thing import Thing

MALE: Final = 1
FEMALE: Final = 0
"""Of players and of whoever looks like one (emagi/eq2emu: SpellProcess.cpp and BotCommands.cpp; its NPC.cpp
has 2 for women)."""

CONSIDER: Final = {
    Notoriety.INNOCENT: 0,
    Notoriety.ALLY: 4,
    Notoriety.ATTACKABLE: -1,
    Notoriety.CRIMINAL: -2,
    Notoriety.ENEMY: -3,
    Notoriety.MURDERER: -4,
    Notoriety.INVULNERABLE: 0,
}
"""The world's notoriety as this game's standing with a faction, -4 to 4 (emagi/eq2emu: Factions, GetCon)."""

HOSTILE: Final = -4
"""The standing of creatures that attack whomever they notice."""

INTERACTIVE: Final = 1
"""Bit of the flags of GhostVisible: can be targeted and has a name."""
NO_LOOT: Final = 1

CORPSE: Final = 1
LOOTABLE: Final = 8192
IN_COMBAT: Final = 16384
"""Activity bits (emagi/eq2emu: Spawn.h, of clients up to 561)."""

INVISIBLE: Final = 1
"""Bit of the flags of GhostInfo (emagi/eq2emu: Spawn.h, INFO_VIS_FLAG_INVIS)."""

WALKS: Final = 25
LIES: Final = 16
"""Kinds of movement: people and animals; what lies on the ground (emagi/eq2emu: Spawn.cpp)."""

HIGHEST_LEVEL: Final = 255
LONGEST_NAME: Final = 63
"""Letters; the struct has 64 bytes and the last one stays 0."""

SIZE_UNIT: Final = 32
"""Sizes and radii are in 1/32."""
PERSON_RADIUS: Final = 32

REACH: Final = 5.0
"""Units from which the menu of a thing works."""
TAKE: Final = GhostCommand("Take", REACH, "", "take")
OPEN: Final = GhostCommand("Open", REACH, "", "open")
HAIL: Final = GhostCommand("Hail", 4 * REACH, "", "hail")
ATTACK: Final = GhostCommand("Attack", 4 * REACH, "", "attack")
LOOT: Final = GhostCommand("Loot", REACH, "", "loot")


@attrs.frozen
class Rendering:
    """Switches for what no original client has confirmed: `rendering.toml` of a version."""

    speed_unit: int = 256
    """By which a speed in units a second is multiplied; the public emulators send 300."""
    turned: float = 0.0
    """Degrees added to every heading."""
    mode: int = 2
    """Movement mode of what no EverQuest II client steers: walk to the place, do not jump there."""
    sitting: int = 64
    """State bits of somebody who sits (emagi/eq2emu: Spawn.h, POS_STATE_KNEELING)."""
    corpses: bool = True
    """Whether the dead lie there as corpses. They walk all the same: here ghosts do."""
    death_window: bool = True
    """Whether the dead are shown the window with the ways back. They walk all the same."""
    dead_stand: bool = False
    """Whether the dead are told that they cannot move (message 219), as public servers do."""
    loot_window: bool = True
    """Whether a corpse is looted in the game's own window; else it is a question with two answers."""
    offer_window: bool = True
    """Whether a quest is offered in the game's own window; else it is a question with two answers."""
    trade_window: bool = True
    """Whether a trade between players is shown in the game's own window, which opens without asking, beside
    the words."""
    group_window: bool = True
    """Whether a party is shown as the game's own group, beside the words."""
    guild_window: bool = True
    """Whether a guild and its members are shown in the game's own window, beside the words."""
    friends_window: bool = True
    """Whether friends and who is ignored are in the game's own lists, beside the words."""
    mail_window: bool = True
    """Whether letters are read and written in the game's own window; else in words and dialogs."""
    inventory: bool = True
    """Whether what one carries, wears and has in the bank is shown in the game's own bags and on its shelves;
    else it is told in words."""
    reward_window: bool = True
    """Whether what was got for a quest is shown in a window of its own, beside the words."""
    reward_things: bool = True
    """Whether things are shown in windows of pay as things; else they are told of there in words."""
    plain_icon: int = 258
    """Picture in bags and windows of things that have none of their own: one that a public server tries its
    windows with (emagi/eq2emu: Commands.cpp)."""
    npc_activity: int = 255
    """Activity bits of what is no player (emagi/eq2emu: Spawn.cpp, of clients before 561)."""
    guides: bool = True
    """Whether who follows somebody behind a wall is led around it, by a ghost without a picture."""
    animations: bool = True
    """Whether a gesture is an animation, too, and not only words."""
    loading_teleport: bool = True
    """Whether a warp within a zone is message 69, upon which a client loads; else 70."""

    def heading(self, place: Place) -> int:
        """The way one looks at a place, as in the struct of positions."""
        return _fixed(180.0 - (180.0 - place.heading - self.turned) % 360.0, 64)


def read_rendering(content: Content, version: str, problems: list[str]) -> Rendering:
    """The switches of a version."""
    table = content.tables.get("eq2", {}).get(version, {}).get("rendering", {})
    rendering = read(Rendering, table, f"eq2/{version}/rendering.toml", problems)
    return rendering if rendering is not None else Rendering()


NAMING: Final = Naming(str.isalpha)
"""Its clients take and show letters."""


class Figures:
    """Makes the figures of things."""

    def __init__(self, looks: Eq2Looks, places: Places, rendering: Rendering) -> None:
        self.looks = looks
        self.places = places
        self.rendering = rendering
        self._figures: dict[tuple[str, bool], WeakKeyDictionary[Thing, Figure]] = {}
        self._leaders: WeakKeyDictionary[Thing, int] = WeakKeyDictionary()
        self._heirs: WeakKeyDictionary[Thing, dict[str, Figure]] = WeakKeyDictionary()
        """The figures of corpses, by those who died and by version."""
        self._kinds: list[str] = []
        self._numbers: dict[str, int] = {}
        """Item templates by number, from 1, and the other way around."""

    def number_of_kind(self, template: str) -> int:
        """The number of an item template, the same for all clients and as long as the server runs."""
        number = self._numbers.get(template)
        if number is None:
            self._kinds.append(template)
            number = self._numbers[template] = len(self._kinds)
        return number

    def kind_of_number(self, number: int) -> str | None:
        """The item template of a number; None if there is none."""
        return self._kinds[number - 1] if 0 < number <= len(self._kinds) else None

    def icon(self, kind: ItemTemplate) -> int:
        """The picture of a kind in bags and windows."""
        look = self.looks.items.get(kind.key)
        return (look.icon if look is not None else 0) or self.rendering.plain_icon

    def of(self, thing: Thing, version: Eq2Version, *, own: bool = False) -> Figure:
        """The figure of a thing, with its looks as they are now. `own`: for the client that plays it."""
        key = ("eq2", version.name, own)
        kept = thing.kept()
        figure = kept.get(key)
        numbers = (*_numbers(thing), self._leaders.get(thing, 0)) if own else _numbers(thing)
        if isinstance(figure, Figure) and figure.numbers == numbers:
            return figure
        table = self._figures.setdefault((version.name, own), WeakKeyDictionary())
        figure = table.get(thing)
        if figure is None:
            figure = table[thing] = Figure(thing.serial, reverse=version.reverse)
            # Where this game has no place for a realm, its clients are about to be sent away.
            place = self.places.of(thing) or Place(0.0, 0.0, 0.0)
            self._put(thing, figure, version, place, steered=self._is_steered(thing))
        if isinstance(thing, Mobile):
            visible, info = self._visible(thing), self._info(thing, own=own)
            figure.commands = _mobile_commands(thing)
            figure.foe_level = level_of(thing) if thing.template.fights is not None else 0
            figure.paint = partial(_painted, version, visible)
        elif isinstance(thing, Item) and thing.remains is not None:
            visible, info = _CORPSE_VISIBLE, self._remains_info(thing, thing.remains)
            figure.commands = (LOOT,)
        elif isinstance(thing, Item):
            visible, info = _ITEM_VISIBLE, self._item_info(thing)
            figure.commands = _item_commands(thing)
        else:
            visible, info = GhostVisible(), GhostInfo()
        new_info = figure.info.become(version.pack_struct(info))
        if figure.visible.become(version.pack_struct(visible)) or new_info:
            figure.stamp = int((thing.world.now + thing.world.stopped) * 1000) & 0xFFFF_FFFF
            figure.info.forget_frames()  # they carry the time
        figure.numbers = numbers
        kept[key] = figure
        return figure

    def known(self, thing: Thing, version: Eq2Version) -> Figure:
        """The figure of a thing, whose looks may be those of before: of what is only said to move they are
        not told, and of whoever is not as it was they are told for that."""
        figure = thing.kept().get(("eq2", version.name, False))
        return figure if isinstance(figure, Figure) else self.of(thing, version)

    def lead(self, mobile: Mobile, spawn_id: int) -> bool:
        """Note what a mobile's own client is to follow by itself, by its id; 0 for nothing. Returns whether
        that is something else than before."""
        if self._leaders.get(mobile, 0) == spawn_id:
            return False
        self._leaders[mobile] = spawn_id
        return True

    def bequeath(self, dead: Mobile, corpse: Item, version: Eq2Version) -> None:
        """The ghosts of a creature that died become those of its corpse."""
        figure = self.of(corpse, version)
        figure.was = dead.serial
        self._heirs.setdefault(dead, {})[version.name] = figure

    def heir(self, thing: Thing, version: Eq2Version) -> Figure | None:
        """The figure of its corpse, if it died and left one."""
        return self._heirs.get(thing, {}).get(version.name)

    def was(self, thing: Thing, version: Eq2Version) -> int:
        """Of a corpse the serial of whoever died and left its ghost; 0 of all else."""
        figures = self._figures.get((version.name, False))
        return figures[thing].was if figures is not None and thing in figures else 0

    # Where it is

    def stand(self, thing: Thing, figure: Figure, version: Eq2Version) -> None:
        """It stands where it is, or goes on as its own client says."""
        said = self.places.reported(thing) if isinstance(thing, Mobile) else None
        place = said or self.places.of(thing)
        if place is not None:
            self._put(thing, figure, version, place, steered=said is not None)

    def walk(self, mobile: Mobile, figure: Figure, version: Eq2Version, *, run: bool) -> None:
        """It has come to where it is by walking, and may go on."""
        said = place = self.places.reported(mobile)
        if said is None and (stands := self.places.of(mobile)) is not None:
            place = attrs.evolve(stands, speed=self.speed(mobile, run=run))
        if place is not None:
            self._put(mobile, figure, version, place, steered=said is not None)

    def halt(self, mobile: Mobile, figure: Figure, version: Eq2Version) -> None:
        """It goes on no more."""
        place = self.places.of(mobile)
        if place is not None:
            still = attrs.evolve(place, speed=0.0, side_speed=0.0)
            self._put(mobile, figure, version, still, steered=self._is_steered(mobile))

    def speed(self, mobile: Mobile, *, run: bool) -> float:
        """Units a second at which a mobile goes."""
        atlas = self.places.atlas(mobile.realm)
        seconds = cost(mobile, mobile.heading, run=run)
        return atlas.scale / seconds if atlas is not None and seconds > 0 else 0.0

    def _is_steered(self, thing: Thing) -> bool:
        return isinstance(thing, Mobile) and self.places.reported(thing) is not None

    def _put(self, thing: Thing, figure: Figure, version: Eq2Version, place: Place, *, steered: bool) -> None:
        """`steered`: whether its own client says that it is there."""
        made_of = place, steered, thing.posture if isinstance(thing, Mobile) else None, self.looks
        if figure.stands != made_of:  # else it is only shown to somebody else, before its next step
            figure.stands = made_of
            figure.position.become(version.pack_struct(self._position(thing, place, steered=steered)))

    def _position(self, thing: Thing, place: Place, *, steered: bool) -> GhostPosition:
        rendering = self.rendering
        heading = rendering.heading(place)
        position = GhostPosition(heading1=heading, heading2=heading, x=place.x, y=place.y, z=place.z)
        position.size = position.collision_radius = PERSON_RADIUS
        position.move_type = LIES
        if isinstance(thing, Item) and thing.remains is not None:
            position.size = self._look_of(thing.remains).size * SIZE_UNIT // 100
        if isinstance(thing, Mobile):
            look = self.looks.mobiles[thing.template.key]
            position.size = look.size * SIZE_UNIT // 100
            position.move_type = WALKS
            position.speed = _fixed(place.speed, rendering.speed_unit)
            position.side_speed = _fixed(place.side_speed, rendering.speed_unit)
            position.mode = 0 if steered else rendering.mode
            position.state = 0 if thing.posture == Posture.STANDING else rendering.sitting
        return position

    # What it looks like

    def _visible(self, mobile: Mobile) -> GhostVisible:
        wild = not mobile.is_character and mobile.notoriety in _WILD
        kind = mobile.template.fights
        hunts = kind is not None and kind.temper is Temper.HUNTS
        enemy = kind is not None or (mobile.is_character and mobile.notoriety in _OUTLAWS)
        return GhostVisible(
            arrow=WHITE,
            locked=0 if wild else NO_LOOT,
            consider=HOSTILE if hunts else CONSIDER.get(mobile.notoriety, 0),
            flags=INTERACTIVE,
            targetable=1,
            show_name=1,
            attackable=int(enemy and not mobile.dead),
            guild=_guild(mobile),
        )

    def _info(self, mobile: Mobile, *, own: bool) -> GhostInfo:
        look = self.looks.mobiles[mobile.template.key]
        model = self.looks.model(mobile.template.key, female=mobile.female)
        kind, strikes = mobile.template.fights, mobile.enemy != 0
        level = min(level_of(mobile), HIGHEST_LEVEL)
        # A client whose own ghost has a target thinks that it fights (emagi/eq2emu: Spawn.cpp).
        target = 0 if own else mobile.target or mobile.enemy
        info = GhostInfo(
            hits_code=hits_code(percent(mobile.hits, mobile.hits_max)),
            power_percent=percent(mobile.mana, mobile.mana_max),
            target_id=~target & 0xFFFF_FFFF,
            follow_id=self._follows(mobile, own=own),
            corpse=int(mobile.dead and self.rendering.corpses),
            effective_level=level,
            level=level,
            heroic=int(kind is not None and kind.boss),
            npc=0 if mobile.is_character else 1,
            merchant=int(mobile.has_role("merchant")),
            auto_attack=int(strikes),
            activity=(0 if mobile.is_character else self.rendering.npc_activity)
            | (IN_COMBAT if strikes else 0),
            model=model,
            soga_model=model,
            flags=INVISIBLE if mobile.hidden else 0,
            name=_short(NAMING.of(mobile)),
            suffix=_short(mobile.title),
            guild=_guild(mobile),
            race=look.race,
            gender=FEMALE if mobile.female else MALE,
        )
        if look.is_person:
            self._dress(mobile, info)
        return info

    def _follows(self, mobile: Mobile, *, own: bool) -> int:
        """The id of whom its client follows, plain up to version 561 (emagi/eq2emu: Spawn.cpp)."""
        if not mobile.is_character:
            return 0
        return (self._leaders.get(mobile, 0) if own else 0) or NOBODY

    def _remains_info(self, item: Item, remains: Remains) -> GhostInfo:
        """A corpse: of its kind, without hits, to be looted."""
        look = self._look_of(remains)
        model = look.female_model if remains.female else look.model
        info = GhostInfo(
            hits_code=hits_code(0),
            power_percent=0,
            target_id=NOBODY,
            corpse=1,
            npc=1,
            hide_health=1,
            loot_icon=int(bool(item.contents)),
            activity=CORPSE | (LOOTABLE if item.contents else 0),
            model=model,
            soga_model=model,
            name=_short(item.label),
            race=look.race,
            gender=FEMALE if remains.female else MALE,
        )
        if look.is_person:
            self._color(remains, info)
        return info

    def _look_of(self, remains: Remains) -> MobileLook:
        """The look of whose corpse it is, which may be of a kind that is no more."""
        return self.looks.mobiles.get(remains.template) or self.looks.mobiles["player"]

    def _color(self, person: Mobile | Remains, info: GhostInfo) -> None:
        """Give it somebody's hair and skin."""
        hair = bytes(self.looks.hair_colours.colour(person.hair_hue))
        info.hair = info.soga_hair = self.looks.hair_model(person.hair)
        info.hair_color = info.hair_highlight = info.soga_hair_color = info.soga_hair_highlight = hair
        info.hair_base_color = info.hair_second_color = info.hair_streak_color = hair
        info.skin = info.soga_skin = bytes(self.looks.skins.colour(person.skin_hue))

    def _dress(self, mobile: Mobile, info: GhostInfo) -> None:
        self._color(mobile, info)
        types = [0] * EQUIPMENT
        colours = [bytes(PLAIN)] * EQUIPMENT
        for slot, model in self.worn(
            {layer: item.template.key for layer, item in mobile.worn.items()}
        ).items():
            types[slot] = model
        info.equipment = tuple(types)
        info.equipment_colors = info.equipment_highlights = tuple(colours)

    def worn(self, keys: Mapping[int, str]) -> dict[int, int]:
        """Appearance ids by the places of `SLOTS`, from item templates by layer; of several for one place the
        outermost."""
        places: dict[int, int] = {}
        for _, key in sorted(keys.items()):
            look = self.looks.items.get(key)
            if look is not None and look.worn:
                places[look.slot] = look.worn
        return places

    def _item_info(self, item: Item) -> GhostInfo:
        model = self.looks.items[item.template.key].model
        name = counted(item)
        return GhostInfo(
            target_id=NOBODY,
            npc=1,
            hide_health=1,
            hand_icon=1,
            model=model,
            soga_model=model,
            name=_short(name),
            race=NO_RACE,
        )


_WILD: Final = (Notoriety.ATTACKABLE, Notoriety.CRIMINAL, Notoriety.ENEMY, Notoriety.MURDERER)
_OUTLAWS: Final = (Notoriety.CRIMINAL, Notoriety.MURDERER)
_ITEM_VISIBLE: Final = GhostVisible(arrow=WHITE, locked=NO_LOOT, flags=INTERACTIVE, targetable=1, show_name=1)
_CORPSE_VISIBLE: Final = GhostVisible(arrow=WHITE, flags=INTERACTIVE, targetable=1, show_name=1)


def _painted(version: Eq2Version, visible: GhostVisible, colour: int) -> bytes:
    return version.pack_struct(attrs.evolve(visible, arrow=colour))


def _numbers(thing: Thing) -> tuple[int, ...]:
    """What its looks show that changes without them."""
    if isinstance(thing, Item):
        return (len(thing.contents),) if thing.remains is not None else ()
    if not isinstance(thing, Mobile):
        return ()
    mobile = thing
    return mobile.hits, mobile.hits_max, mobile.mana, mobile.mana_max, mobile.level, mobile.enemy


def _mobile_commands(mobile: Mobile) -> tuple[GhostCommand, ...]:
    if mobile.is_character:
        return ()
    return (ATTACK,) if mobile.template.fights is not None else (HAIL,)


def _fixed(number: float, unit: int) -> int:
    """In units of 1/unit, as 16 bits with a sign hold it."""
    return max(-0x8000, min(0x7FFF, round(number * unit)))


def _short(text: str) -> str:
    return text.encode("cp1252", "replace")[:LONGEST_NAME].decode("cp1252", "replace")


def _guild(mobile: Mobile) -> str:
    """What stands below the name; the client puts its own brackets around it."""
    return _short(mobile.guild.name) if mobile.guild is not None else ""


def _item_commands(item: Item) -> tuple[GhostCommand, ...]:
    if item.template.container:
        return (OPEN, TAKE) if item.template.movable else (OPEN,)
    return (TAKE,) if item.template.movable else ()
