"""What clients of Conquer Online believe after every turn, through the real fan-out and without a wire."""

from __future__ import annotations

import attrs
import pytest

from protocol import co
from protocol.co.packets import (
    Action,
    ActionType,
    Attribute,
    ItemAction,
    ItemActionType,
    ItemInfo,
    ItemInfoMode,
    MapItem,
    MapItemAction,
    NpcInfo,
    StatusFlag,
    Talk,
    Walk,
)
from protocol.co.packets import Player as Figure
from protocol.co.versions import CoVersion
from protocol.tables import LookError
from protocol.wire.body import Body
from tests.kit.co_desk import (
    CAVE_DOCUMENT,
    DOCUMENT,
    FIRST_PLAYER,
    Desk,
    agree,
    place_of,
    small_content,
    two,
    values,
    view_of,
)
from world import hands, holding, leaps, life, motion, speech
from world.audience import Relation
from world.events import Why
from world.heading import EAST, NORTH, SOUTH, WEST
from world.mobile import Notoriety

VERSIONS = list(CoVersion)


# Coming and going


@pytest.mark.parametrize("version", VERSIONS)
async def test_what_is_near_is_shown_and_taken_away(version: CoVersion) -> None:
    desk = Desk(version=version)
    alric = await desk.enter("alric")
    berta = await desk.enter("berta", (22, 20))
    assert alric.kinds() == ["Player"]
    agree(desk)
    desk.app.characters.leave(berta.session)
    desk.turn()
    assert [gone.id for gone in alric.actions(ActionType.REMOVE)] == [berta.number]
    agree(desk)


@pytest.mark.parametrize("why", list(Why))
async def test_every_way_to_go_is_told_by_one_removal(why: Why) -> None:
    desk = Desk()
    _, berta = await two(desk)
    (body,) = view_of(desk).hide(berta.mobile, why, Relation.OTHER, CoVersion.V5017)
    assert isinstance(body, Body)
    told = Action.decode(body.raw, CoVersion.V5017)
    assert (told.action, told.id) == (ActionType.REMOVE, berta.number)


async def test_the_edge_of_the_screen() -> None:
    desk = Desk()
    alric = await desk.enter("alric", (20, 40))
    near, far = await desk.enter("berta", (38, 22)), await desk.enter("clara", (39, 40))
    assert {shown.id for shown in alric.took(Figure)} == {near.number}
    await desk.wait(1.0)
    await far.says(Walk(far.number, 2))
    assert {shown.id for shown in alric.took(Figure)} == {far.number}
    agree(desk)


async def test_who_hides_is_gone_for_others_and_not_for_oneself() -> None:
    desk = Desk()
    alric, berta = await two(desk)
    berta.mobile.hidden = True
    desk.turn()
    assert [gone.id for gone in alric.actions(ActionType.REMOVE)] == [berta.number]
    assert berta.actions(ActionType.REMOVE) == []
    berta.mobile.hidden = False
    desk.turn()
    assert alric.only(Figure).id == berta.number
    agree(desk)


async def test_residents_and_creatures() -> None:
    desk = Desk()
    crier, sheep = desk.resident("crier", 21, 22), desk.resident("sheep", 22, 22)
    alric = await desk.enter("alric")
    ids = view_of(desk).figures.ids
    assert ids.of(crier) in alric.screen.npcs
    assert ids.of(sheep) in alric.screen.people
    motion.step(crier, EAST)
    motion.step(sheep, SOUTH)
    desk.turn()
    assert alric.only(NpcInfo).id == ids.of(crier), "an NPC is put there anew: it cannot walk"
    assert alric.only(Walk).id == ids.of(sheep)
    motion.turn(crier, NORTH)
    motion.turn(sheep, WEST)
    desk.turn()
    assert alric.only(NpcInfo).look % 10 == 4
    (turned,) = alric.actions(ActionType.TURN)
    assert (turned.id, turned.direction) == (ids.of(sheep), 2)
    agree(desk)


@pytest.mark.parametrize("version", VERSIONS)
async def test_things_on_the_ground(version: CoVersion) -> None:
    desk = Desk(version=version)
    alric, berta = await two(desk)
    bread = holding.make(desk.world, "bread", amount=2, stored=False)
    desk.world.enter(bread, desk.world.realms["plain"], 21, 21)
    desk.turn()
    told = alric.only(MapItem)
    assert (told.id, (told.x, told.y), told.action) == (bread.serial, place_of(21, 21), MapItemAction.CREATE)
    assert told.item_type == view_of(desk).figures.looks.items["bread"].item
    bread.amount = 5
    desk.turn()
    assert [told.action for told in alric.took(MapItem)] == [MapItemAction.DELETE, MapItemAction.CREATE]
    agree(desk)
    hands.take(alric.mobile, bread)
    desk.turn()
    assert berta.took(MapItem)[-1] == MapItem(bread.serial, 0, 0, 0, action=MapItemAction.DELETE)
    assert berta.took(ItemInfo) == []
    agree(desk)


# Motion


@pytest.mark.parametrize("run", [False, True])
async def test_a_step(run: bool) -> None:
    desk = Desk()
    alric, berta = await two(desk)
    for direction, heading in enumerate((SOUTH, 5, WEST, 7, NORTH, 1, EAST, 3)):
        motion.step(berta.mobile, heading, run=run)
        desk.turn()
        assert alric.only(Walk) == Walk(berta.number, direction, int(run))
    assert berta.took(Walk) == [], "its own come from the handler, which has answered them before"


async def test_two_steps_of_one_turn() -> None:
    desk = Desk()
    alric, berta = await two(desk)
    motion.step(berta.mobile, SOUTH)
    motion.step(berta.mobile, EAST)
    desk.turn()
    assert [step.direction for step in alric.took(Walk)] == [0, 6]


async def test_a_jump_into_sight_and_out_of_it() -> None:
    desk = Desk()
    alric = await desk.enter("alric", (20, 40))
    berta = await desk.enter("berta", (40, 40))
    assert leaps.jump(berta.mobile, 30, 40)
    desk.turn()
    assert alric.kinds() == ["Player"]
    berta_shown = alric.only(Figure)
    assert (berta_shown.x, berta_shown.y) == place_of(30, 40)
    assert leaps.jump(berta.mobile, 25, 40)
    desk.turn()
    (told,) = alric.actions(ActionType.JUMP)
    assert (told.x, told.y) == place_of(30, 40)
    assert leaps.jump(berta.mobile, 43, 40)
    desk.turn()
    assert berta.number not in alric.screen.people
    desk.turn()
    assert alric.screen.faults == []


async def test_turns_and_gestures_of_others_may_be_lost_and_steps_jumps_and_words_may_not() -> None:
    desk = Desk()
    _, berta = await two(desk)
    mobile = berta.mobile
    motion.step(mobile, SOUTH)
    leaps.jump(mobile, 25, 25)
    motion.turn(mobile, NORTH)
    speech.gesture(mobile, "bow")
    speech.say(mobile, "Hello")
    events = desk.world.take_changes().events
    lost: list[bool] = []
    for event in events:
        lost.extend(body.droppable for body in view_of(desk).event(event, Relation.OTHER, CoVersion.V5017))
        own = view_of(desk).event(event, Relation.SELF, CoVersion.V5017)
        assert not any(body.droppable for body in own)
    assert lost == [False, False, True, True, False], "a step says nothing of where it began"


async def test_a_turn_that_somebody_else_caused_is_told_to_oneself() -> None:
    desk = Desk()
    alric, berta = await two(desk)
    motion.turn(berta.mobile, NORTH)
    motion.turn(berta.mobile, WEST, forced=True)
    desk.turn()
    assert [turned.direction for turned in alric.actions(ActionType.TURN)] == [4, 2]
    (own,) = berta.actions(ActionType.TURN)
    assert (own.id, own.direction, (own.x, own.y)) == (berta.number, 2, place_of(22, 20))


async def test_a_warp_on_the_same_map_shows_what_is_there_and_again_when_asked() -> None:
    desk = Desk()
    alric, berta = await two(desk)
    clara = await desk.enter("clara", (50, 50))
    desk.world.warp(alric.mobile, desk.world.realms["plain"], 48, 48)
    desk.turn()
    kinds = alric.kinds()
    assert kinds.index("Action TELEPORT") < kinds.index("Player")
    assert {"Action MAP_COLOUR", "MapInfo", "Weather"} <= {*kinds}
    assert alric.only(Figure).id == clara.number
    assert [gone.id for gone in berta.actions(ActionType.REMOVE)] == [alric.number]
    agree(desk)
    alric.screen.clear()
    await desk.wait(1.0)
    await alric.acts(ActionType.SURROUNDINGS)
    agree(desk)


async def test_a_warp_to_another_map() -> None:
    desk = Desk()
    alric, _ = await two(desk)
    desk.world.warp(alric.mobile, desk.world.realms["cave"], 7, 8)
    desk.turn()
    (told,) = alric.actions(ActionType.TELEPORT)
    assert (told.id, told.data, told.x, told.y) == (alric.number, CAVE_DOCUMENT, 7, 8)
    assert CAVE_DOCUMENT != DOCUMENT
    agree(desk)


async def test_who_stands_where_this_game_has_no_place_is_sent_away() -> None:
    desk = Desk()
    alric, berta = await two(desk)
    desk.world.warp(alric.mobile, desk.world.realms["void"], 7, 8)
    desk.turn()
    assert alric.line.ending is not None
    assert berta.line.ending is None


# Looks and numbers


async def test_what_somebody_puts_on_is_seen_by_others_and_listed_for_oneself() -> None:
    desk = Desk()
    alric, berta = await two(desk)
    robe = berta.gives("robe")
    desk.turn()
    told = berta.only(ItemInfo)
    assert (told.id, told.position, told.mode) == (robe.serial, 0, ItemInfoMode.ADD)
    assert alric.got == []
    hands.put_on(berta.mobile, robe)
    desk.turn()
    assert alric.only(Figure).armour == view_of(desk).figures.looks.items["robe"].item
    assert berta.took(Figure) == []
    agree(desk)


async def test_a_stack_that_grows_is_an_update() -> None:
    desk = Desk()
    _, berta = await two(desk)
    bread = next(hands.carried_items(berta.mobile, "bread"))
    bread.amount = 7
    desk.turn()
    told = berta.only(ItemInfo)
    assert (told.id, told.mode, told.durability) == (bread.serial, ItemInfoMode.UPDATE, 7)
    agree(desk)


async def test_what_is_gone_while_worn_is_taken_off_first() -> None:
    desk = Desk()
    _, berta = await two(desk)
    shoes = next(item for item in berta.mobile.worn.values() if item.template.key == "shoes")
    hands.drop(berta.mobile, shoes, 1, 22, 21)
    desk.turn()
    assert [(told.id, told.action) for told in berta.took(ItemAction)] == [
        (shoes.serial, ItemActionType.UNEQUIP),
        (shoes.serial, ItemActionType.DROP),
    ]
    agree(desk)


@pytest.mark.parametrize("version", VERSIONS)
async def test_hits(version: CoVersion) -> None:
    desk = Desk(version=version)
    alric, berta = await two(desk)
    berta.mobile.hits -= 1
    desk.turn()
    left, most = berta.mobile.hits, berta.mobile.hits_max
    for player in (alric, berta):
        told = values(player, berta.number)
        assert (told[Attribute.LIFE], told[Attribute.MAX_LIFE]) == (left, most)
        assert Attribute.MANA not in told


async def test_only_what_changed_is_told_and_only_to_oneself() -> None:
    desk = Desk()
    alric, berta = await two(desk)
    for name, attribute in (
        ("mana", Attribute.MANA),
        ("stam", Attribute.STAMINA),
        ("strength", Attribute.STRENGTH),
        ("dexterity", Attribute.AGILITY),
        ("intelligence", Attribute.SPIRIT),
        ("vitality", Attribute.VITALITY),
    ):
        setattr(berta.mobile, name, getattr(berta.mobile, name) + 3)
        desk.turn()
        told = values(berta, berta.number)
        assert told[attribute] == getattr(berta.mobile, name)
        assert Attribute.LIFE not in told
        assert alric.got == []


async def test_numbers_below_nothing_are_nothing() -> None:
    desk = Desk()
    _, berta = await two(desk)
    berta.mobile.hits = -5
    berta.mobile.experience = -1
    desk.turn()
    told = values(berta, berta.number)
    assert (told[Attribute.LIFE], told[Attribute.EXPERIENCE]) == (0, 0)


@pytest.mark.parametrize(
    ("notoriety", "flag"),
    [
        (Notoriety.INNOCENT, StatusFlag.NONE),
        (Notoriety.CRIMINAL, StatusFlag.BLUE_NAME),
        (Notoriety.ENEMY, StatusFlag.RED_NAME),
        (Notoriety.MURDERER, StatusFlag.BLACK_NAME),
    ],
)
async def test_the_colour_of_a_name(notoriety: int, flag: int) -> None:
    desk = Desk()
    alric, berta = await two(desk)
    berta.mobile.notoriety = notoriety
    desk.turn()
    assert alric.screen.people[berta.number].status == flag
    assert berta.screen.me is not None
    assert berta.screen.me.status == flag


async def test_a_name_that_changes() -> None:
    desk = Desk()
    alric, berta = await two(desk)
    berta.mobile.name = "Gertrud"
    desk.turn()
    assert alric.screen.people[berta.number].name == "Gertrud"
    berta.mobile.name = "Bertabertabertabertaberta"
    desk.turn()
    assert alric.screen.people[berta.number].name == "Berta", "the short name, if there is no room"
    assert alric.screen.faults == []


async def test_hair_that_changes() -> None:
    desk = Desk()
    alric, berta = await two(desk)
    before = alric.screen.people[berta.number].hair
    berta.mobile.hair_hue = 1105
    berta.mobile.hair = 5
    desk.turn()
    now = alric.screen.people[berta.number].hair
    assert now != before
    assert values(berta, berta.number)[Attribute.HAIR] == now


# Death


@pytest.mark.parametrize(("female", "ghost"), [(False, 98), (True, 99)])
async def test_death_and_life_again(female: bool, ghost: int) -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    berta = await desk.enter("berta", (22, 20), female=female)
    alive = alric.screen.people[berta.number].look
    life.kill(berta.mobile)
    desk.turn()
    assert berta.screen.me is not None
    for shown in (alric.screen.people[berta.number], berta.screen.me):
        assert shown.look == alive + ghost * 10_000_000
        assert shown.status == StatusFlag.DEAD | StatusFlag.FROZEN
    assert values(berta, berta.number)[Attribute.LIFE] == 0
    agree(desk)
    carl = await desk.enter("carl", (23, 20))
    assert carl.screen.people[berta.number].ghost
    assert alric.screen.risen == []
    life.resurrect(berta.mobile)
    desk.turn()
    assert alric.screen.risen == berta.screen.risen == carl.screen.risen == [berta.number]
    for shown in (alric.screen.people[berta.number], berta.screen.me):
        assert (shown.look, shown.status) == (alive, 0)
    assert values(berta, berta.number)[Attribute.LIFE] == 10
    agree(desk)


# What is shared


async def test_a_rendering_is_encoded_once_for_all_clients_of_a_version() -> None:
    desk = Desk()
    players = [
        await desk.enter(name, (20 + n, 25)) for n, name in enumerate(("alric", "berta", "clara", "dora"))
    ]
    for player in players:
        player.line.flush = lambda **_: None  # type: ignore[method-assign]
        player.session.link = player.line
    mover = players[0]
    motion.step(mover.mobile, NORTH)
    speech.say(mover.mobile, "Hello")
    mover.mobile.hits -= 1
    for player in players:
        player.flush = lambda **_: None  # type: ignore[method-assign]
        player.line._flush = lambda: None
    desk.turn()
    boxes = [player.session.outbox for player in players[1:]]
    assert len(boxes[0]) >= 3
    for box in boxes[1:]:
        assert [id(body) for body in box] == [id(body) for body in boxes[0]]


def test_mistakes_in_the_atlas_are_found() -> None:
    content = small_content()
    plain = attrs.evolve(content.charts["plain"], atlas={"co": {"map": 1002, "x": 1, "y": 2}})
    with pytest.raises(LookError, match="document"):
        co.family(attrs.evolve(content, charts={**content.charts, "plain": plain}))


def test_an_operator_is_told_where_this_games_players_cannot_go() -> None:
    problems = co.family(small_content()).problems
    assert [problem.partition(":")[0] for problem in problems] == ["realms/void.toml"]


async def test_packets_have_names_for_operators() -> None:
    desk = Desk()
    alric, _ = await two(desk)
    name_of = desk.family.name_of
    assert name_of is not None
    assert name_of(alric.session, Walk(FIRST_PLAYER, 1).encode(desk.version)) == "Walk"
    assert name_of(alric.session, b"\4\0\xff\xff") == "?"


async def test_a_farewell_has_words_where_there_is_a_window_for_them() -> None:
    desk = Desk()
    alric, _ = await two(desk)
    desk.family.goodbye(alric.session, "The server goes down.")
    alric.flush()
    told = alric.only(Talk)
    assert (told.words, told.channel) == ("The server goes down.", 2007)
    for door in ("game", "account"):
        stranger = desk.connect(door)
        desk.family.goodbye(stranger.session, "The server goes down.")
        stranger.flush()
        assert stranger.got == []
    waiting = await desk.at_the_door("clara")
    waiting.got.clear()
    desk.family.goodbye(waiting.session, "The server goes down.")
    waiting.flush()
    assert waiting.only(Talk).channel == 2101
