"""Mobiles and items as Conquer Online's packets, their numbers, and the hours of the sky."""

from __future__ import annotations

import gc
import random
import weakref
from typing import TYPE_CHECKING, cast

import pytest

from protocol.co import figures as module
from protocol.co.figures import (
    CREATURES,
    LANDMARKS,
    NIGHT_TINT,
    NPCS,
    PACK_SIZE,
    TINTS,
    Figures,
    Ids,
    IdsExhausted,
    calendar,
    player_number,
)
from protocol.co.packets import Attribute, Emotion, NpcInfo, Player, WeatherKind
from protocol.co.versions import CoVersion
from tests.kit.co_desk import FIRST_PLAYER, Desk, place_of, two
from tests.kit.worlds import a_line, person, plain_world
from world import holding
from world.delta import MobileDelta
from world.heading import EAST, NORTH, SOUTH, WEST
from world.mobile import Mobile, Posture
from world.realm import Weather

if TYPE_CHECKING:
    from protocol.co.view import CoView
    from protocol.services import CharacterInfo
    from world.item import Item
    from world.world import World


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def figures(desk: Desk) -> Figures:
    return cast("CoView", desk.family.view).figures


@pytest.fixture
def alric(desk: Desk) -> Mobile:
    return person(desk.world, "Alric", 20, 30)


def wears(desk: Desk, mobile: Mobile, key: str) -> Item:
    item = holding.make(desk.world, key, stored=False)
    holding.wear(mobile, item)
    return item


def info(desk: Desk, **fields: object) -> CharacterInfo:
    plain: dict[str, object] = {"level": 3, "female": True, "hair": 3, "hair_hue": 1127, "skin_hue": 1017}
    return a_line(desk.world, {**plain, **fields})


# People


def test_a_player_of_any_game_is_a_slim_trojan(desk: Desk, figures: Figures, alric: Mobile) -> None:
    alric.skin_hue, alric.heading, alric.level = 1017, EAST, 12
    shown = figures.figure(alric)
    assert isinstance(shown, Player)
    assert shown.id == shown.id_again == FIRST_PLAYER + alric.serial
    assert (shown.look, shown.names) == (1003 + 10_000 * 1, ("Alric",))
    assert ((shown.x, shown.y), shown.direction, shown.pose) == (place_of(20, 30), 6, Emotion.STAND)
    assert (shown.level, shown.flags) == (12, 0)
    assert (shown.life, shown.monster_level) == (0, 0), "those are a creature's"
    alric.female, alric.posture, alric.heading = True, Posture.FLOOR, SOUTH
    shown = figures.figure(alric)
    assert isinstance(shown, Player)
    assert (shown.look, shown.pose, shown.direction) == (2001 + 10_000 * 210, Emotion.SIT, 0)


def test_a_character_of_this_game_has_its_own_body(figures: Figures, alric: Mobile) -> None:
    assert figures.enters(alric, 1004, 100)
    assert figures.look(alric) % 10_000 == 1004
    assert not figures.enters(alric, 1004, 40), "nobody sees a profession"
    values = {entry.attribute: entry.value for entry in figures.own_values(alric, MobileDelta.STAT)}
    assert values[Attribute.PROFESSION] == 40


def test_the_dead_are_ghosts(figures: Figures, alric: Mobile) -> None:
    alive = figures.look(alric)
    alric.dead = True
    assert figures.look(alric) == alive + 98 * 10_000_000 < 1 << 32
    assert figures.status(alric) & 0x400
    alric.female = True
    assert figures.look(alric) // 10_000_000 == 99


def test_a_name_is_never_empty_in_packets_and_never_too_long(figures: Figures, alric: Mobile) -> None:
    alric.name = "Abcdefghijklmnopqrstuvwxyz"
    shown = figures.figure(alric)
    assert shown.names == ("Abcdefghijklmno",)


@pytest.mark.parametrize(
    ("key", "field"), [("shirt", "armour"), ("dagger", "right_hand"), ("candle", "left_hand")]
)
def test_what_is_worn(desk: Desk, figures: Figures, alric: Mobile, key: str, field: str) -> None:
    wears(desk, alric, key)
    shown = figures.figure(alric)
    assert getattr(shown, field) == figures.looks.items[key].item
    others = {"garment", "helmet", "armour", "right_hand", "left_hand"} - {field}
    assert not any(getattr(shown, other) for other in others)


def test_of_several_things_for_one_place_the_outermost_is_seen(
    desk: Desk, figures: Figures, alric: Mobile
) -> None:
    wears(desk, alric, "robe")
    shirt = wears(desk, alric, "shirt")
    shown = figures.figure(alric)
    assert isinstance(shown, Player)
    assert shown.armour == figures.looks.items["robe"].item
    positions = {entry.id: entry.position for entry in figures.inventory(alric)}
    assert positions[shirt.serial] == 0, "the other one is listed in the bag"


def test_levels_and_life_fit_their_fields(desk: Desk, figures: Figures, alric: Mobile) -> None:
    sheep = desk.resident("sheep", 21, 30)
    for mobile in (alric, sheep):
        for value in (-5, 0, 255, 256, 70_000):
            mobile.level = mobile.hits = mobile.hits_max = value
            figures.figure(mobile).encode(CoVersion.V5017)
            figures.figure(mobile).encode(CoVersion.V5065)
    shown = figures.figure(sheep)
    assert isinstance(shown, Player)
    assert shown.life == 0xFFFF
    kind = sheep.template.fights
    assert kind is not None
    assert shown.monster_level == kind.level


@pytest.mark.parametrize("notoriety", range(8))
def test_every_notoriety_has_flags(figures: Figures, alric: Mobile, notoriety: int) -> None:
    alric.notoriety = notoriety
    assert figures.status(alric) in (0, 0x1, 0x4000, 0x8000)


def test_a_resident_is_an_npc_with_a_name(desk: Desk, figures: Figures) -> None:
    crier = desk.resident("crier", 22, 30)
    for heading, facing in ((SOUTH, 0), (WEST, 2), (NORTH, 4), (EAST, 6)):
        crier.heading = heading
        shown = figures.figure(crier)
        assert isinstance(shown, NpcInfo)
        assert shown.look == figures.looks.npcs["crier"].npc // 10 * 10 + facing
    assert shown.id < 100_000
    assert shown.names == ("Barnaby",)
    assert figures.is_npc(crier)
    assert figures.seen_values(crier, 0) == ()


def test_a_creature_is_a_monster(desk: Desk, figures: Figures) -> None:
    sheep = desk.resident("sheep", 22, 30)
    shown = figures.figure(sheep)
    assert isinstance(shown, Player)
    assert 400_001 <= shown.id < 500_000
    assert shown.look == figures.looks.npcs["sheep"].mesh
    assert (shown.hair, shown.level) == (0, 0)
    assert not figures.is_npc(sheep)


# One's own


@pytest.mark.parametrize("version", list(CoVersion))
def test_a_character_before_it_enters(desk: Desk, figures: Figures, version: CoVersion) -> None:
    shown = figures.user_info(info(desk, hits=40, mana=9, experience=1000, strength=11), 2002, 100)
    assert shown.id == FIRST_PLAYER + 7
    assert shown.look == 2002 + 10_000 * 210
    assert (shown.life, shown.mana, shown.experience, shown.strength) == (40, 9, 111, 11)
    assert (shown.vitality, shown.free_points) == (10, 0)
    assert (shown.level, shown.profession, shown.names) == (3, 100, ("Anna", "None"))
    raw = shown.encode(version)
    shift = 4 if version >= CoVersion.V5065 else 0
    assert len(raw) == 67 + shift + 1 + 5 + 5
    assert (raw[62 + shift], raw[63 + shift]) == (3, 100)


@pytest.mark.parametrize("value", [-(1 << 31), -1, 0xFFFF, 1 << 40])
def test_no_number_of_a_character_is_too_large(desk: Desk, figures: Figures, value: int) -> None:
    shown = figures.user_info(
        info(desk, hits=value, mana=value, level=value, strength=value, experience=value), 1003, 10
    )
    shown.encode(CoVersion.V5017)
    assert 1 <= shown.level <= 255


def test_the_figure_before_is_the_figure_afterwards(desk: Desk, figures: Figures) -> None:
    chance = random.Random(3)
    for _ in range(20):
        mobile = person(desk.world, "Anna", 5, 5)
        mobile.female, mobile.hair = chance.random() < 0.5, chance.randrange(21)
        mobile.hair_hue, mobile.skin_hue = chance.randrange(1102, 1150), chance.randrange(1002, 1059)
        before = figures.user_info(
            info(
                desk,
                serial=mobile.serial,
                female=mobile.female,
                hair=mobile.hair,
                hair_hue=mobile.hair_hue,
                skin_hue=mobile.skin_hue,
            ),
            2001 if mobile.female else 1003,
            10,
        )
        shown = figures.figure(mobile)
        assert isinstance(shown, Player)
        assert (before.id, before.look, before.hair) == (shown.id, shown.look, shown.hair)


def test_the_inventory_is_one_list(desk: Desk, figures: Figures, alric: Mobile) -> None:
    pack = wears(desk, alric, "backpack")
    bag, apple, gold = (holding.make(desk.world, key, stored=False) for key in ("bag", "apple", "gold"))
    holding.put(pack, bag)
    holding.put(bag, apple)
    holding.put(pack, gold)
    dagger = wears(desk, alric, "dagger")
    listed = {entry.id: entry for entry in figures.inventory(alric)}
    assert listed.keys() == {bag.serial, apple.serial, dagger.serial}
    assert listed[dagger.serial].position == 4
    assert listed[apple.serial].position == 0


def test_the_bag_has_forty_places_and_what_is_worn_needs_none(
    desk: Desk, figures: Figures, alric: Mobile
) -> None:
    pack = wears(desk, alric, "backpack")
    for _ in range(PACK_SIZE + 10):
        holding.put(pack, holding.make(desk.world, "dagger", stored=False))
    worn = wears(desk, alric, "dagger")
    listed = figures.inventory(alric)
    assert len(listed) == PACK_SIZE + 1
    assert worn.serial in {entry.id for entry in listed}


@pytest.mark.parametrize("amount", [1, 60_000, 65_535, 65_536, 1_000_000])
def test_amounts_fit_their_field(desk: Desk, figures: Figures, alric: Mobile, amount: int) -> None:
    pack = wears(desk, alric, "backpack")
    bread = holding.make(desk.world, "bread", stored=False)
    holding.put(pack, bread)
    bread.amount = amount
    (listed,) = figures.inventory(alric)
    assert listed.durability == min(amount, 0xFFFF)
    listed.encode(CoVersion.V5065)


def test_silver_is_all_gold_that_one_has(desk: Desk, figures: Figures, alric: Mobile) -> None:
    pack = wears(desk, alric, "backpack")
    bag = holding.make(desk.world, "bag", stored=False)
    holding.put(pack, bag)
    for container, amount in ((pack, 70), (bag, 5)):
        gold = holding.make(desk.world, "gold", amount=amount, stored=False)
        holding.put(container, gold)
    values = {entry.attribute: entry.value for entry in figures.own_values(alric)}
    assert values[Attribute.SILVER] == holding.gold(alric)


def test_nobody_is_kept_because_of_what_is_known_of_it(desk: Desk, figures: Figures) -> None:
    mobile = person(desk.world, "Anna", 5, 5)
    figures.enters(mobile, 1004, 10)
    figures.figure(mobile)
    gone = weakref.ref(mobile)
    desk.world.leave(mobile)
    desk.world.take_changes()
    del mobile
    import gc

    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("hour", range(24))
async def test_every_hour_has_its_colour_and_date(hour: int) -> None:
    desk = Desk()
    alric, _ = await two(desk)
    desk.world.dawn = (3 * 24 + hour) * 180.0 - desk.world.now + 30.0
    figures = cast("CoView", desk.family.view).figures
    tint = figures.tint(alric.mobile)
    night = hour >= 21 or hour < 5
    weather = figures.weather(alric.mobile)
    assert weather.kind == (WeatherKind.FIREFLIES if night else WeatherKind.FINE)
    assert alric.mobile.realm is not None
    for kind, number in ((Weather.RAIN, 2), (Weather.SNOW, 3), (Weather.STORM, 4)):  # facts/co.md, 1016
        alric.mobile.realm.weather = kind
        assert figures.weather(alric.mobile).encode(alric.session.dialect)[2:8] == bytes.fromhex(
            f"f803{number:02x}000000"
        )
    assert tint.data == (NIGHT_TINT if night else TINTS.get(hour, 0xFFFF_FFFF))
    date = calendar(desk.world)
    assert (date.hour, date.minute, date.day_of_year, date.day, date.month) == (hour, 10, 3, 4, 0)


@pytest.mark.parametrize("day", [0, 30, 31, 340, 341, 364, 365, 100_000])
async def test_every_day_has_a_date(day: int) -> None:
    desk = Desk(version=CoVersion.V5065)
    desk.world.dawn = day * 24 * 180.0
    date = calendar(desk.world)
    assert 0 <= date.month <= 11
    assert 1 <= date.day <= 31
    assert 0 <= date.day_of_year < 365
    date.encode(CoVersion.V5065)


# Numbers


@pytest.fixture
def world() -> World:
    return plain_world()


def resident(world: World, key: str = "crier") -> Mobile:
    return Mobile(world.serials.mobile(), world, key, template=world.content.mobiles[key])


def ids_of(*creatures: str) -> Ids:
    return Ids(lambda mobile: mobile.template.key in creatures)


def test_the_ranges_are_those_of_the_client() -> None:
    assert (NPCS.start, NPCS.stop, LANDMARKS.start, LANDMARKS.stop) == (1, 50_000, 50_000, 100_000)
    assert (CREATURES.start, CREATURES.stop) == (400_001, 500_000)
    assert FIRST_PLAYER == 1_000_000


def test_who_is_in_which_range(world: World) -> None:
    ids, alric = ids_of("healer"), person(world)
    assert ids.of(alric) == player_number(alric.serial) == FIRST_PLAYER + alric.serial
    assert ids.of(resident(world)) == NPCS.start
    assert ids.of(resident(world, "healer")) == CREATURES.start


def test_a_number_stays_and_leads_back(world: World) -> None:
    ids = ids_of()
    crier, other, alric = resident(world), resident(world), person(world)
    numbers = [ids.of(mobile) for mobile in (crier, other, alric)]
    assert numbers == [ids.of(mobile) for mobile in (crier, other, alric)]
    assert len({*numbers}) == 3
    assert [ids.mobile(number) for number in numbers] == [crier, other, alric]
    for number in (0, -1, 99_999, 400_001, 0xFFFF_FFFF, alric.serial):
        if number not in numbers:
            assert ids.mobile(number) is None


def test_things_have_their_serials(world: World) -> None:
    ids, alric = ids_of(), person(world)
    bread = holding.make(world, "bread", stored=False)
    world.enter(bread, world.realms["plain"], 5, 5)
    assert ids.of(bread) == bread.serial
    assert ids.item(alric, bread.serial) is bread
    for number in (0, -1, alric.serial, ids.of(alric), bread.serial + 1, 0xFFFF_FFFF):
        assert ids.item(alric, number) is None


def test_who_is_gone_has_no_number_and_it_is_not_used_again_soon(world: World) -> None:
    ids = ids_of()
    crier = resident(world)
    number = ids.of(crier)
    del crier
    gc.collect()
    assert ids.mobile(number) is None
    assert ids.of(resident(world)) == number + 1


def test_numbers_go_round_and_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "NPCS", range(1, 4))
    ids = ids_of()
    kept = [resident(world) for _ in range(3)]
    assert [ids.of(mobile) for mobile in kept] == [1, 2, 3]
    with pytest.raises(IdsExhausted, match="1 to 3"):
        ids.of(resident(world))
    del kept[1]
    gc.collect()
    last = resident(world)
    assert ids.of(last) == 2
    assert ids.of(kept[0]) == 1
