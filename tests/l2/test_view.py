"""What clients of Lineage II believe after every turn, through the real fan-out and without a wire."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import attrs
import pytest

from protocol import l2
from protocol.endings import Ending
from protocol.l2.packets import (
    Attribute,
    BeginRotation,
    Change,
    ChangeMoveType,
    ChangeWaitType,
    CharInfo,
    ChatType,
    CreatureSay,
    DeleteObject,
    Die,
    GetItem,
    InventoryUpdate,
    ItemList,
    MoveToLocation,
    NpcHtmlMessage,
    RelationChanged,
    Revive,
    Social,
    SocialAction,
    SpawnItem,
    StatusUpdate,
    StopMove,
    StopRotation,
    SystemMessage,
    TeleportToLocation,
    UserInfo,
    ValidateLocation,
    Wait,
)
from protocol.l2.view import L2View
from protocol.l2.words import GESTURES, LONGEST_TEXT
from protocol.tables import LookError
from protocol.wire.body import Body
from server.content.loading import load
from tests.kit.l2_scene import DATA, Client, Scene, l2_content, middle
from world import dialogs, furniture, hands, holding, life, motion, speech
from world.audience import in_sight
from world.dialogs import Button
from world.events import YOU_DIED, YOU_LIVE, Said, Speech, Why
from world.heading import EAST, NORTH, OFFSETS, SOUTH, WEST
from world.mobile import Posture

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.item import Item
    from world.mobile import Mobile


@pytest.fixture
def scene() -> Scene:
    return Scene()


@pytest.fixture
def alric(scene: Scene) -> Client:
    return scene.client("Alric", 20, 20)


@pytest.fixture
def berta(scene: Scene, alric: Client) -> Client:
    """Near Alric, and both know each other."""
    client = scene.client("Berta", 22, 20)
    scene.turn()
    alric.heard()
    client.heard()
    return client


def kinds(client: Client) -> list[type]:
    return [type(message) for message in client.heard()]


def goal(client: Client, mobile: Mobile) -> tuple[object, ...] | None:
    """Where a client draws somebody going to."""
    return client.screen.everybody()[mobile.serial].goal


def travels(client: Client) -> bool:
    return client.mobile.gait.journey is not None


def lines(client: Client) -> list[str]:
    """The server's own words among what came."""
    return [
        str(message.parameters[0].value) for message in client.heard() if isinstance(message, SystemMessage)
    ]


def pack_of(scene: Scene, client: Client) -> Item:
    pack = holding.make(scene.world, "backpack", stored=False)
    holding.wear(client.mobile, pack)
    scene.world.register(pack)
    return pack


# Coming and going


def test_a_client_is_told_of_itself_and_of_what_it_has(scene: Scene) -> None:
    client = scene.client("Alric", 20, 20)
    own, waits, items = client.heard()
    assert isinstance(own, UserInfo)
    assert (own.x, own.y, own.z) == middle(20, 20)
    assert waits == ChangeWaitType(client.mobile.serial, Wait.STANDING, *middle(20, 20))
    assert items == ItemList(0, ())


def test_whoever_sits_when_it_enters_sits(scene: Scene, alric: Client) -> None:
    furniture.sit_on_floor(alric.mobile)
    told = [
        scene.version.decode_server(body.raw)
        for body in scene.view.own(alric.mobile, scene.version)
        if isinstance(body, Body)
    ]
    assert [type(message) for message in told] == [UserInfo, ChangeWaitType]


def test_what_is_near_is_shown_and_taken_away(scene: Scene, alric: Client) -> None:
    berta = scene.client("Berta", 22, 20)
    alric.heard()
    scene.turn()
    assert kinds(alric) == [CharInfo, RelationChanged, ValidateLocation]
    scene.agree()
    scene.world.leave(berta.mobile)
    del scene.clients[2]
    scene.turn()
    assert alric.only(DeleteObject).object_id == berta.mobile.serial
    scene.agree()


def test_whoever_comes_into_sight_on_its_way_is_shown_walking(scene: Scene, alric: Client) -> None:
    sheep = scene.resident("sheep", 50, 20)
    scene.turn()
    motion.travel(sheep, 30, 20)
    scene.wait(1.6)
    assert sheep.serial not in alric.screen.npcs
    alric.heard()
    scene.wait(1)
    assert goal(alric, sheep) == middle(30, 20)
    assert kinds(alric).count(MoveToLocation) == 1
    scene.agree()


def test_who_hides_is_gone_for_others(scene: Scene, alric: Client, berta: Client) -> None:
    berta.mobile.hidden = True
    scene.turn()
    assert berta.mobile.serial not in alric.screen.people
    berta.mobile.hidden = False
    scene.turn()
    scene.agree()


def test_items_on_the_ground(scene: Scene, alric: Client, berta: Client) -> None:
    bread = holding.make(scene.world, "bread", amount=2, stored=False)
    scene.world.enter(bread, scene.world.realms["plain"], 21, 21)
    scene.turn()
    assert alric.only(SpawnItem).count == 2
    bread.amount = 5
    scene.turn()
    assert kinds(alric) == [DeleteObject, SpawnItem]
    scene.agree()
    pack_of(scene, alric)
    scene.turn()
    alric.heard()
    berta.heard()
    hands.take(alric.mobile, bread)
    scene.turn()
    taken, gone = (message for message in berta.heard() if isinstance(message, GetItem | DeleteObject))
    assert taken == GetItem(alric.mobile.serial, bread.serial, *middle(20, 20))
    assert gone == DeleteObject(bread.serial)
    assert GetItem not in kinds(alric), "the handler that takes it says so"
    assert bread.serial in alric.screen.pack
    scene.agree()


def test_who_takes_a_thing_out_of_sight_is_not_told_of(scene: Scene, alric: Client) -> None:
    taker = scene.client("Taker", 45, 20)
    bread = holding.make(scene.world, "bread", stored=False)
    scene.world.enter(bread, scene.world.realms["plain"], 44, 20)
    pack_of(scene, taker)
    scene.turn()
    alric.heard()
    hands.take(taker.mobile, bread)
    scene.turn()
    alric.only(DeleteObject)
    scene.agree()


# Motion


def test_a_step_is_one_line_to_the_next_tile(scene: Scene, alric: Client, berta: Client) -> None:
    motion.step(berta.mobile, EAST, run=True)
    scene.turn()
    run, line = alric.heard()
    assert run == ChangeMoveType(berta.mobile.serial, 1)
    assert line == MoveToLocation(berta.mobile.serial, *middle(23, 20), *middle(22, 20))
    motion.step(berta.mobile, SOUTH, run=True)
    scene.turn()
    line = alric.only(MoveToLocation)
    assert (line.to_x, line.to_y, line.to_z) == middle(23, 21)
    motion.step(berta.mobile, WEST)
    scene.turn()
    assert alric.heard()[0] == ChangeMoveType(berta.mobile.serial, 0)
    scene.agree()


def test_who_walks_is_drawn_at_the_pace_of_its_game(scene: Scene, alric: Client, berta: Client) -> None:
    berta.mobile.gait.walk_ms, berta.mobile.gait.run_ms = 400, 200
    berta.mobile.name = "Berta"
    scene.world.warp(berta.mobile, scene.world.realms["plain"], 24, 20)
    berta.appears()
    scene.turn()
    motion.step(berta.mobile, EAST, run=True)
    scene.turn()
    shown = alric.screen.people[berta.mobile.serial]
    assert shown.speed == 120
    assert shown.moves(scene.now + 0.19)
    assert not shown.moves(scene.now + 0.21)


def test_all_viewers_hear_whether_somebody_runs(scene: Scene, alric: Client, berta: Client) -> None:
    motion.step(berta.mobile, EAST, run=True)
    scene.turn()
    carl = scene.client("Carl", 25, 25)
    scene.turn()
    motion.step(berta.mobile, EAST)
    scene.turn()
    dora = scene.client("Dora", 26, 25)
    motion.step(berta.mobile, EAST, run=True)
    scene.turn()
    scene.agree()
    motion.step(berta.mobile, EAST)
    scene.turn()
    scene.agree()
    assert not any(one.screen.people[berta.mobile.serial].running for one in (alric, carl, dora))


def test_whoever_enters_from_this_game_runs(scene: Scene, alric: Client, berta: Client) -> None:
    motion.set_running(berta.mobile, True)
    scene.turn()
    assert alric.screen.people[berta.mobile.serial].running
    assert scene.view.figures.own(berta.mobile).running == 1
    scene.agree()


def _is_stopped(mobile: Mobile) -> None:
    motion.halt(mobile)


def _is_warped(mobile: Mobile) -> None:
    mobile.world.warp(mobile, mobile.world.realms["plain"], 24, 24)


def _goes_elsewhere(mobile: Mobile) -> None:
    motion.travel(mobile, 22, 27, run=True)


@pytest.mark.parametrize("then", [_is_stopped, _is_warped, _goes_elsewhere])
def test_of_a_way_that_ends_in_the_turn_it_begins_in_nobody_draws_the_line(
    scene: Scene, alric: Client, berta: Client, then: Callable[[Mobile], None]
) -> None:
    motion.travel(berta.mobile, 27, 20)
    then(berta.mobile)
    scene.turn()
    if berta.session.loading:
        berta.appears()
    scene.turn()
    scene.agree()
    assert kinds(alric).count(MoveToLocation) == int(travels(berta))


def test_whoever_travels_is_one_line_for_everybody(scene: Scene, alric: Client, berta: Client) -> None:
    motion.travel(berta.mobile, 27, 20, run=True)
    scene.turn()
    lines = [message for message in alric.heard() if isinstance(message, MoveToLocation)]
    assert lines == [MoveToLocation(berta.mobile.serial, *middle(27, 20), *middle(22, 20))]
    assert berta.only(MoveToLocation) == lines[0], "its own client goes nowhere by itself"
    scene.agree()
    scene.wait(0.8)
    assert alric.heard() == berta.heard() == []
    scene.agree()
    scene.wait(0.5)
    assert berta.mobile.x == 27
    assert alric.only(StopMove) == StopMove(berta.mobile.serial, *middle(27, 20), 0)
    scene.agree()


def test_the_line_takes_as_long_as_the_way(scene: Scene, alric: Client, berta: Client) -> None:
    motion.travel(berta.mobile, 32, 20, run=True)
    scene.turn()
    shown = alric.screen.people[berta.mobile.serial]
    ends = next(now / 100 for now in range(1000) if not shown.moves(scene.now + now / 100))
    assert ends == pytest.approx(10 * 0.209, abs=0.02)
    scene.wait(ends - 0.3)
    assert travels(berta)
    scene.wait(0.6)
    assert not travels(berta)
    scene.agree()


def test_who_is_stopped_stands_there(scene: Scene, alric: Client, berta: Client) -> None:
    motion.travel(berta.mobile, 30, 20)
    scene.wait(0.7)
    assert 22 < berta.mobile.x < 30
    alric.heard()
    berta.heard()
    motion.halt(berta.mobile)
    scene.turn()
    stop = StopMove(berta.mobile.serial, *middle(berta.mobile.x, 20), 0)
    assert alric.only(StopMove) == berta.only(StopMove) == stop
    scene.agree()


def test_a_change_of_looks_on_the_way_does_not_end_it(scene: Scene, alric: Client, berta: Client) -> None:
    motion.travel(berta.mobile, 35, 20)
    scene.wait(0.7)
    holding.wear(berta.mobile, holding.make(scene.world, "shirt", stored=False))
    scene.turn()
    assert goal(alric, berta.mobile) == middle(35, 20)
    scene.agree()


def test_who_stands_up_and_goes_at_once_is_not_drawn_standing(
    scene: Scene, alric: Client, berta: Client
) -> None:
    furniture.sit_on_floor(berta.mobile)
    scene.turn()
    furniture.stand_up(berta.mobile)
    motion.travel(berta.mobile, 35, 20)
    scene.turn()
    assert goal(alric, berta.mobile) == goal(berta, berta.mobile) == middle(35, 20)
    scene.agree()


def test_a_turn_is_a_rotation_and_a_forced_one_is_told_to_oneself(
    scene: Scene, alric: Client, berta: Client
) -> None:
    motion.turn(berta.mobile, NORTH)
    scene.turn()
    begin, end = alric.heard()
    assert isinstance(begin, BeginRotation)
    assert end == StopRotation(berta.mobile.serial, 49_152, 65_535)
    assert berta.heard() == []
    motion.turn(berta.mobile, WEST, forced=True)
    scene.turn()
    assert berta.only(ValidateLocation) == ValidateLocation(berta.mobile.serial, *middle(22, 20), 32_768)
    assert alric.screen.people[berta.mobile.serial].heading == 32_768


def test_whoever_sits_is_seen_sitting(scene: Scene, alric: Client, berta: Client) -> None:
    furniture.sit_on_floor(berta.mobile)
    assert berta.mobile.posture == Posture.FLOOR
    scene.turn()
    sits = ChangeWaitType(berta.mobile.serial, Wait.SITTING, *middle(22, 20))
    assert alric.only(ChangeWaitType) == berta.only(ChangeWaitType) == sits
    scene.agree()
    furniture.stand_up(berta.mobile)
    scene.turn()
    assert alric.only(ChangeWaitType).wait == Wait.STANDING
    scene.agree()


# Warps


def test_a_warp_is_a_loading_screen(scene: Scene, alric: Client, berta: Client) -> None:
    sheep = scene.resident("sheep", 55, 55)
    scene.turn()
    scene.world.warp(berta.mobile, scene.world.realms["plain"], 57, 57)
    scene.turn()
    assert TeleportToLocation(berta.mobile.serial, *middle(57, 57), 16_384) in berta.heard()
    assert berta.session.loading
    assert sheep.serial not in berta.screen.npcs
    assert alric.only(DeleteObject).object_id == berta.mobile.serial
    motion.step(sheep, EAST)
    scene.turn()
    assert berta.heard() == []
    berta.appears()
    scene.turn()
    assert UserInfo in kinds(berta)
    assert sheep.serial in berta.screen.npcs


def test_who_is_warped_within_sight_is_put_there(scene: Scene, alric: Client) -> None:
    sheep = scene.resident("sheep", 22, 20)
    scene.turn()
    scene.world.warp(sheep, scene.world.realms["plain"], 30, 25)
    scene.turn()
    scene.agree()


def test_who_is_warped_on_its_way_is_not_drawn_where_it_was(scene: Scene, alric: Client) -> None:
    sheep = scene.resident("sheep", 22, 20)
    scene.turn()
    plain = scene.world.realms["plain"]
    motion.travel(sheep, 30, 20)
    scene.wait(0.7)
    alric.heard()
    scene.world.warp(sheep, plain, 18, 28)
    scene.turn()
    assert StopMove not in kinds(alric)
    scene.agree()
    motion.travel(sheep, 30, 28)
    scene.world.warp(sheep, plain, 22, 22)
    scene.turn()
    assert not {StopMove, MoveToLocation} & set(kinds(alric))
    scene.agree()


def test_who_changes_its_mind_in_one_turn_is_drawn_going_where_it_goes(
    scene: Scene, alric: Client, berta: Client
) -> None:
    motion.travel(berta.mobile, 35, 20)
    motion.travel(berta.mobile, 22, 30)
    scene.turn()
    for client in (alric, berta):
        moves = [message for message in client.heard() if isinstance(message, MoveToLocation)]
        assert [(move.to_x, move.to_y, move.to_z) for move in moves] == [middle(22, 30)]
    scene.agree()


def test_a_realm_without_a_place_ends_the_client(scene: Scene, alric: Client) -> None:
    scene.turn()
    assert alric.link.endings == []
    scene.world.warp(alric.mobile, scene.world.realms["cave"], 5, 5)
    scene.turn()
    assert [ending for ending, _ in alric.link.endings] == [Ending.KICKED]


# Looks


def test_a_wound_is_a_status_for_everybody(scene: Scene, alric: Client, berta: Client) -> None:
    berta.mobile.hits = 25
    scene.turn()
    for client in (alric, berta):
        status = client.only(StatusUpdate)
        assert status.object_id == berta.mobile.serial
        assert {entry.attribute: entry.value for entry in status.attributes} == {
            Attribute.HP: 25,
            Attribute.MAX_HP: 50,
        }
    berta.mobile.mana, berta.mobile.stam = 7, 8
    scene.turn()
    assert alric.heard() == [], "only oneself knows those"
    assert {entry.attribute: entry.value for entry in berta.only(StatusUpdate).attributes} == {
        Attribute.MP: 7,
        Attribute.MAX_MP: 50,
        Attribute.CP: 8,
        Attribute.MAX_CP: 50,
    }


def test_numbers_without_a_bar_are_told_with_all_of_ones_own(
    scene: Scene, alric: Client, berta: Client
) -> None:
    berta.mobile.strength, berta.mobile.hits = 33, 12
    scene.turn()
    own = berta.only(UserInfo)
    assert (own.strength, own.hp) == (31, 12)
    assert kinds(alric) == [StatusUpdate]


def test_clothes_are_seen_as_they_are_put_on(scene: Scene, alric: Client, berta: Client) -> None:
    shirt = holding.make(scene.world, "shirt", stored=False)
    holding.wear(berta.mobile, shirt)
    scene.turn()
    assert scene.view.looks.items["shirt"].item in alric.screen.people[berta.mobile.serial].wears
    scene.agree()
    update, own = berta.heard()
    assert isinstance(own, UserInfo)
    assert isinstance(update, InventoryUpdate)
    (change,) = update.changes
    assert (change.change, change.item.object_id, change.item.equipped) == (Change.ADDED, shirt.serial, 1)


def test_what_changes_nothing_here_says_nothing(scene: Scene, alric: Client, berta: Client) -> None:
    berta.mobile.experience = 12
    scene.turn()
    assert alric.heard() == []


def test_names_and_titles_are_told_anew(scene: Scene, alric: Client, berta: Client) -> None:
    berta.mobile.title = "the Brave"
    scene.turn()
    assert alric.screen.people[berta.mobile.serial].title == "the Brave"
    sheep = scene.resident("sheep", 22, 22)
    scene.turn()
    sheep.name = "Bess"
    scene.turn()
    scene.agree()


def test_death_and_life(scene: Scene, alric: Client, berta: Client) -> None:
    life.kill(berta.mobile)
    scene.turn()
    assert alric.heard()[0] == Die(berta.mobile.serial)
    assert lines(berta) == [YOU_DIED]
    scene.agree()
    life.resurrect(berta.mobile)
    scene.turn()
    assert alric.heard()[0] == Revive(berta.mobile.serial)
    assert lines(berta) == [YOU_LIVE]
    assert berta.screen.me is not None
    assert berta.screen.me.status[Attribute.HP] == 10
    scene.agree()


# What one has


def test_things_come_change_and_go(scene: Scene, alric: Client) -> None:
    pack = pack_of(scene, alric)
    scene.turn()
    alric.heard()
    apple = holding.make(scene.world, "apple", amount=3, stored=False)
    scene.world.register(apple)
    holding.put(pack, apple)
    scene.turn()
    (update,) = (message for message in alric.heard() if isinstance(message, InventoryUpdate))
    assert [(one.change, one.item.count) for one in update.changes] == [(Change.ADDED, 3)]
    apple.amount = 2
    scene.turn()
    (update,) = (message for message in alric.heard() if isinstance(message, InventoryUpdate))
    assert [(one.change, one.item.count) for one in update.changes] == [(Change.MODIFIED, 2)]
    hands.drop(alric.mobile, apple, 2, 21, 21)
    scene.turn()
    scene.agree()
    assert apple.serial in alric.screen.ground
    (update,) = (message for message in alric.heard() if isinstance(message, InventoryUpdate))
    assert [one.change for one in update.changes] == [Change.REMOVED]


def test_one_is_told_of_nothing_twice(scene: Scene, alric: Client) -> None:
    pack_of(scene, alric)
    shirt = holding.make(scene.world, "shirt", stored=False)
    holding.wear(alric.mobile, shirt)
    scene.turn()
    alric.heard()
    alric.session.queue(*scene.view.item_list(alric.mobile, scene.version, show_window=True))
    alric.mobile.mark(0x100)
    scene.turn()
    listed, status = alric.heard()
    assert isinstance(listed, ItemList)
    assert isinstance(status, StatusUpdate)
    assert (listed.show_window, len(listed.items)) == (1, 1)


def test_before_its_list_a_client_is_not_told_of_changes(scene: Scene, alric: Client) -> None:
    scene.view.item_list(alric.mobile, scene.version)
    fresh = scene.client("Fresh", 21, 21)
    fresh.session.owns = None
    holding.wear(fresh.mobile, holding.make(scene.world, "shirt", stored=False))
    scene.turn()
    assert InventoryUpdate not in kinds(fresh)


# Words


@pytest.mark.parametrize(
    ("how", "channel", "text"),
    [
        (Speech.SAY, ChatType.ALL, "Good day"),
        (Speech.WHISPER, ChatType.ALL, "Good day"),
        (Speech.YELL, ChatType.SHOUT, "Good day"),
        (Speech.EMOTE, ChatType.ALL, "*Good day*"),
    ],
)
def test_who_speaks_is_named_and_shown(
    scene: Scene, alric: Client, berta: Client, how: Speech, channel: ChatType, text: str
) -> None:
    scene.world.events.append(Said(berta.mobile, how, "Good day", in_sight(berta.mobile), "Berta"))
    scene.turn()
    for client in (alric, berta):
        assert client.only(CreatureSay) == CreatureSay(berta.mobile.serial, channel, "Berta", text)


def test_words_from_afar_belong_to_no_figure(scene: Scene, alric: Client, berta: Client) -> None:
    speech.to_all(scene.world, "Hello world", speaker=berta.mobile)
    speech.tell(berta.mobile, "Alric", "Psst")
    scene.turn()
    assert alric.heard() == [
        CreatureSay(0, ChatType.TRADE, "Berta", "Hello world"),
        CreatureSay(0, ChatType.TELL, "Berta", "Psst"),
    ]


def test_the_servers_words(scene: Scene, alric: Client) -> None:
    scene.turn()
    alric.heard()
    speech.notice(alric.mobile, "Mind the gap.")
    speech.to_all(scene.world, "We close.", announce=True)
    scene.turn()
    notice, announced = alric.heard()
    assert isinstance(notice, SystemMessage)
    assert notice.parameters[0].value == "Mind the gap."
    assert isinstance(announced, CreatureSay)
    assert (announced.type, announced.text) == (ChatType.ANNOUNCEMENT, "We close.")
    alric.session.queue(*scene.view.words(alric.session, "Goodbye. " * 200))
    alric.flush()
    (line,) = lines(alric)
    assert len(line) == LONGEST_TEXT


@pytest.mark.parametrize("gesture", sorted(speech.EMOTES))
def test_every_gesture_is_seen(scene: Scene, alric: Client, berta: Client, gesture: str) -> None:
    speech.gesture(berta.mobile, gesture)
    scene.turn()
    (shown,) = alric.heard()
    assert berta.heard() == [shown], "a client shows its own only when it is told"
    if gesture in GESTURES:
        assert shown == SocialAction(berta.mobile.serial, GESTURES[gesture])
        assert Social.HELLO <= GESTURES[gesture] <= Social.SORROW
    else:
        assert isinstance(shown, CreatureSay)
        assert shown.text.startswith("*")


def test_a_question_is_a_page_with_its_answers(scene: Scene, alric: Client) -> None:
    scene.turn()
    alric.heard()
    healer = scene.resident("healer", 21, 20)
    scene.turn()
    alric.heard()
    dialogs.ask(
        alric.mobile,
        "Test",
        title="A question",
        text="Yes or no?",
        buttons=(Button(1, "YES"), Button(0, "NO")),
        answered=lambda mobile, button: None,
        asker=healer,
    )
    scene.turn()
    page = alric.only(NpcHtmlMessage)
    assert page.object_id == healer.serial
    assert len(alric.session.html) == 2
    assert all(link in page.html for link in alric.session.html)


# The family


def test_the_shipped_content_makes_a_family_without_problems() -> None:
    made = l2.family(load(DATA))
    assert made.problems == ()
    view: object = made.view
    assert isinstance(view, L2View)
    assert view.places.has("confluence")


def test_a_realm_without_a_place_is_a_problem_and_a_wrong_row_a_mistake() -> None:
    content = l2_content()
    assert l2.family(content).problems == (
        "realms/cave.toml: atlas: no l2, so that players of Lineage II cannot go there",
    )
    wrong = attrs.evolve(content.charts["plain"], atlas={"l2": {"x": 1}})
    with pytest.raises(LookError) as error:
        l2.family(attrs.evolve(content, charts={"plain": wrong}))
    assert all(problem.startswith("realms/plain.toml: atlas.l2") for problem in error.value.problems)


def test_viewers_share_what_they_are_sent(scene: Scene, alric: Client, berta: Client) -> None:
    sheep = scene.resident("sheep", 25, 25)
    scene.turn()
    motion.step(sheep, EAST)
    sheep.hits -= 1
    scene.fan_out()
    assert len(alric.session.outbox) == 3
    assert all(one is other for one, other in zip(alric.session.outbox, berta.session.outbox, strict=True))


# Everything at once


@pytest.mark.parametrize("seed", range(8))
def test_belief_follows_the_world_whatever_happens(seed: int) -> None:
    dice, scene = random.Random(seed), Scene(seed=seed)
    clients = [scene.client(name, 20 + n, 20) for n, name in enumerate(("Alric", "Berta", "Carla"))]
    mobiles = [client.mobile for client in clients]
    mobiles += [scene.resident(kind, 20 + dice.randrange(20), 30) for kind in ("sheep", "sheep", "crier")]
    for client in clients:
        pack_of(scene, client)
    for _ in range(150):
        for _ in range(dice.randrange(3)):
            _something(scene, dice, dice.choice(mobiles))
        scene.turn(dice.choice((0.05, 0.1, 0.3)))
        scene.agree()


def _something(scene: Scene, dice: random.Random, mobile: Mobile) -> None:
    plain = scene.world.realms["plain"]
    match dice.randrange(14):
        case 0:
            mobile.hits = dice.randrange(1, 50)
        case 1:
            mobile.hidden = not mobile.hidden
        case 2:
            motion.turn(mobile, dice.randrange(8), forced=dice.random() < 0.3)
        case 3 if not mobile.is_character:
            scene.world.warp(mobile, plain, dice.randrange(60), dice.randrange(60))
        case 4:
            motion.travel(mobile, dice.randrange(60), dice.randrange(60), run=dice.random() < 0.5)
        case 5:
            motion.halt(mobile)
        case 6:
            bread = holding.make(scene.world, "bread", amount=dice.randrange(1, 9), stored=False)
            scene.world.enter(bread, plain, dice.randrange(60), dice.randrange(60))
        case 7:
            lying = [item for item in scene.world.items.values() if item.realm is not None]
            if lying:
                scene.world.leave(dice.choice(lying), Why.LEFT)
        case 8 if mobile.is_character:
            life.kill(mobile) or life.resurrect(mobile)
        case 9 if mobile.posture != Posture.STANDING:
            furniture.stand_up(mobile)
        case 9 if not mobile.dead:
            furniture.sit_on_floor(mobile)
        case 10:
            mobile.title = dice.choice(("", "the Bold", "the Meek"))
        case 11 if mobile.backpack is not None:
            lying = [item for item in scene.world.items.values() if item.realm is not None]
            near = [i for i in lying if max(abs(i.x - mobile.x), abs(i.y - mobile.y)) <= 2]
            if near:
                hands.take(mobile, near[0])
        case _:
            heading = dice.randrange(8)
            x, y = mobile.x + OFFSETS[heading][0], mobile.y + OFFSETS[heading][1]
            if plain.inside(x, y):
                motion.halt(mobile)
                motion.step(mobile, heading, run=dice.random() < 0.5)
