"""What clients of EverQuest II believe after every turn, through the real fan-out and without a wire."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, TypeVar, cast

import attrs
import pytest

from protocol import eq2
from protocol.endings import Ending
from protocol.eq2.figures import Rendering
from protocol.eq2.packets import (
    NOBODY,
    CannedEmote,
    CharacterSheet,
    CreateGhost,
    DestroyGhost,
    DialogClose,
    DialogOpen,
    DisplayText,
    HearChat,
    PlayCode,
    PlayReply,
    SetControlGhost,
    SetPovGhost,
    Teleport,
    TeleportNoReload,
    UpdateGhost,
    UpdateTarget,
)
from protocol.eq2.places import Place
from protocol.eq2.seam import goodbye
from protocol.eq2.view import Eq2View
from protocol.eq2.words import GESTURES, MOTD, NARRATIVE, STATUS
from protocol.family import Transport
from protocol.session import Phase
from protocol.tables import LookError
from protocol.wire.body import Body
from server.content.loading import load
from tests.kit.eq2_screen import DATA, Client, Scene, eq2_content
from tests.kit.worlds import person
from world import dialogs, furniture, hands, holding, life, motion, speech
from world.dialogs import Button
from world.events import YOU_DIED, YOU_LIVE, Speech, Why
from world.heading import EAST, NORTH, OFFSETS, SOUTH, WEST
from world.mobile import Posture
from world.targets import target

if TYPE_CHECKING:
    from protocol.eq2.packets import Message
    from world.mobile import Mobile

M = TypeVar("M")


@pytest.fixture
def scene() -> Scene:
    return Scene()


@pytest.fixture
def alric(scene: Scene) -> Client:
    return scene.client("Alric", 20, 20)


@pytest.fixture
def berta(scene: Scene, alric: Client) -> Client:
    """Near Alric, who knows her."""
    client = scene.client("Berta", 22, 20)
    scene.turn()
    return client


def heard(client: Client) -> list[Message]:
    """What came since it was asked last."""
    got, client.screen.got = client.screen.got, []
    return got


def only(kind: type[M], messages: list[Message]) -> M:
    assert [type(message) for message in messages] == [kind]
    (message,) = messages
    assert isinstance(message, kind)
    return message


# Coming and going


def test_a_client_has_its_own_ghost_first_and_controls_it(scene: Scene) -> None:
    client = scene.client("Alric", 20, 20)
    created, camera, control, sheet = heard(client)
    assert isinstance(created, CreateGhost)
    assert (created.index, created.spawn_id) == (1, client.mobile.serial)
    assert camera == SetPovGhost(spawn_id=client.mobile.serial)
    assert isinstance(control, SetControlGhost)
    assert (control.spawn_id, control.speed) == (client.mobile.serial, 5.0)
    assert isinstance(sheet, CharacterSheet)
    assert client.screen.own_sheet.name == "Alric"


def test_what_is_near_is_shown_and_taken_away(scene: Scene, alric: Client, berta: Client) -> None:
    scene.agree()
    shown = alric.screen.seen(berta.mobile.serial)
    assert shown.index == 2
    assert shown.info.name == "Berta"
    assert (shown.position.x, shown.position.z) == (122.5, 220.5)
    heard(alric)
    scene.world.leave(berta.mobile)
    del scene.clients[2]
    scene.turn()
    assert only(DestroyGhost, heard(alric)).index == 2
    scene.agree()


def test_whoever_comes_back_has_a_new_number(scene: Scene, alric: Client) -> None:
    sheep = scene.resident("sheep", 30, 20)
    scene.turn()
    first = alric.screen.seen(sheep.serial).index
    scene.world.warp(sheep, scene.world.realms["plain"], 55, 55)
    scene.turn()
    assert alric.screen.of(sheep.serial) is None
    scene.world.warp(sheep, scene.world.realms["plain"], 30, 20)
    scene.turn()
    assert alric.screen.seen(sheep.serial).index == first + 1
    scene.agree()


def test_who_hides_is_gone_for_others_and_pale_for_itself(scene: Scene, alric: Client, berta: Client) -> None:
    berta.mobile.hidden = True
    scene.turn()
    assert alric.screen.of(berta.mobile.serial) is None
    assert berta.screen.seen(berta.mobile.serial).info.flags == 1
    berta.mobile.hidden = False
    scene.turn()
    scene.agree()
    assert berta.screen.seen(berta.mobile.serial).info.flags == 0


def test_items_on_the_ground_are_ghosts(scene: Scene, alric: Client) -> None:
    bread = holding.make(scene.world, "bread", amount=2, stored=False)
    scene.world.enter(bread, scene.world.realms["plain"], 21, 21)
    scene.turn()
    shown = alric.screen.seen(bread.serial)
    assert (shown.info.name, shown.created.default_command) == ("2 loaf of bread", "take")
    bread.amount = 5
    scene.turn()
    assert alric.screen.seen(bread.serial).info.name == "5 loaf of bread"
    scene.agree()
    pack = holding.make(scene.world, "backpack", stored=False)
    holding.wear(alric.mobile, pack)
    scene.world.register(pack)
    hands.take(alric.mobile, bread)
    scene.turn()
    assert alric.screen.of(bread.serial) is None
    scene.agree()


# Motion


def test_a_step_is_one_update_with_the_position_alone(scene: Scene, alric: Client, berta: Client) -> None:
    heard(alric)
    heard(berta)
    assert motion.step(berta.mobile, EAST, run=True)
    scene.turn()
    update = only(UpdateGhost, heard(alric))
    assert update.timestamp == 0
    assert (update.info, update.visible) == (None, None)
    shown = alric.screen.seen(berta.mobile.serial).position
    assert (shown.x, shown.z, shown.heading1, shown.speed) == (123.5, 220.5, 90 * 64, 5 * 256)
    assert heard(berta) == [], "a client knows where it went"


def test_several_steps_in_a_turn_are_one_update(scene: Scene, alric: Client, berta: Client) -> None:
    heard(alric)
    for heading in (EAST, EAST, SOUTH):
        motion.step(berta.mobile, heading)
    motion.turn(berta.mobile, WEST)
    scene.turn()
    only(UpdateGhost, heard(alric))
    scene.agree()


def test_a_slow_client_is_told_of_the_last_of_many_steps(scene: Scene, alric: Client, berta: Client) -> None:
    heard(alric)
    for _ in range(10):
        motion.step(berta.mobile, EAST)
        scene.turn(flush=False)
    alric.flush()
    berta.flush()
    only(UpdateGhost, heard(alric))
    scene.agree()


def test_who_stops_has_no_speed(scene: Scene, alric: Client, berta: Client) -> None:
    motion.step(berta.mobile, EAST)
    scene.turn()
    assert alric.screen.seen(berta.mobile.serial).position.speed > 0
    motion.rest(berta.mobile)
    scene.turn()
    shown = alric.screen.seen(berta.mobile.serial).position
    assert (shown.x, shown.speed) == (123.5, 0)
    heard(alric)
    motion.rest(berta.mobile)
    scene.turn()
    assert heard(alric) == []


def test_a_step_and_the_stop_after_it_are_one_update(scene: Scene, alric: Client, berta: Client) -> None:
    heard(alric)
    motion.step(berta.mobile, EAST)
    motion.rest(berta.mobile)
    scene.turn()
    only(UpdateGhost, heard(alric))
    assert alric.screen.seen(berta.mobile.serial).position.speed == 0


def test_players_of_this_game_are_seen_where_they_are_on_their_tile(
    scene: Scene, alric: Client, berta: Client
) -> None:
    motion.step(berta.mobile, EAST)
    scene.view.places.report(berta.mobile, Place(123.1, -4.0, 220.9, 77.5, 4.0))
    scene.turn()
    shown = alric.screen.seen(berta.mobile.serial).position
    assert (shown.x, shown.y, shown.z) == pytest.approx((123.1, -4.0, 220.9))
    assert (shown.heading1, shown.speed) == (round(77.5 * 64), 4 * 256)
    motion.step(berta.mobile, EAST)
    scene.turn()
    assert alric.screen.seen(berta.mobile.serial).position.x == 124.5
    late = scene.client("Late", 25, 25)
    scene.view.places.report(berta.mobile, Place(124.9, -4.0, 220.9, 77.5, 4.0))
    scene.turn()
    assert late.screen.seen(berta.mobile.serial).position.x == pytest.approx(124.9)


def test_a_player_of_this_game_that_stops_has_no_speed(scene: Scene, alric: Client, berta: Client) -> None:
    motion.step(berta.mobile, EAST)
    scene.view.places.report(berta.mobile, Place(123.1, -4.0, 220.9, 77.5, 4.0, 1.0))
    scene.turn()
    motion.rest(berta.mobile)
    scene.turn()
    shown = alric.screen.seen(berta.mobile.serial).position
    assert (shown.speed, shown.side_speed) == (0, 0)
    assert shown.x == pytest.approx(123.1)


def test_what_a_client_said_before_it_was_put_back_is_void(
    scene: Scene, alric: Client, berta: Client
) -> None:
    scene.view.places.report(berta.mobile, Place(122.1, -4.0, 220.9, 77.5))
    motion.turn(berta.mobile, NORTH, forced=True)
    scene.turn()
    shown = alric.screen.seen(berta.mobile.serial).position
    assert (shown.x, shown.z, shown.heading1) == (122.5, 220.5, 180 * 64)


def test_a_forced_turn_puts_the_client_where_it_is(scene: Scene, alric: Client, berta: Client) -> None:
    heard(berta)
    motion.turn(berta.mobile, NORTH, forced=True)
    scene.turn()
    there, place = heard(berta)
    assert there == TeleportNoReload(x=122.5, y=-5.0, z=220.5, heading=180.0)
    assert isinstance(place, UpdateGhost)
    assert alric.screen.seen(berta.mobile.serial).position.heading1 == 180 * 64


def test_whoever_sits_down_is_seen_sitting(scene: Scene, alric: Client, berta: Client) -> None:
    furniture.sit_on_floor(berta.mobile)
    assert berta.mobile.posture == Posture.FLOOR
    scene.turn()
    assert alric.screen.seen(berta.mobile.serial).position.state == Rendering().sitting
    furniture.stand_up(berta.mobile)
    scene.turn()
    assert alric.screen.seen(berta.mobile.serial).position.state == 0
    scene.agree()


# Warps


def test_a_warp_tells_where_the_client_is_and_what_is_there(
    scene: Scene, alric: Client, berta: Client
) -> None:
    sheep = scene.resident("sheep", 55, 55)
    scene.turn()
    scene.view.places.report(alric.mobile, Place(120.1, -5.0, 220.1))
    heard(alric)
    scene.world.warp(alric.mobile, scene.world.realms["plain"], 57, 57)
    scene.turn()
    gone, there, own, *shown = heard(alric)
    assert isinstance(gone, DestroyGhost)
    assert there == Teleport(x=157.5, y=-5.0, z=257.5)
    assert isinstance(own, UpdateGhost)
    assert own.position is not None
    assert own.position.index == 1
    assert alric.screen.seen(alric.mobile.serial).position.x == 157.5
    assert [type(message) for message in shown] == [CreateGhost]
    assert alric.screen.of(sheep.serial) is not None
    assert not alric.session.loading
    assert berta.screen.of(alric.mobile.serial) is None
    scene.agree()


def test_a_warp_can_be_told_without_a_loading_screen(scene: Scene, alric: Client) -> None:
    scene.view.figures.rendering = Rendering(loading_teleport=False)
    scene.turn()
    heard(alric)
    scene.world.warp(alric.mobile, scene.world.realms["plain"], 57, 57)
    scene.turn()
    assert TeleportNoReload(x=157.5, y=-5.0, z=257.5, heading=0.0) in heard(alric)


def test_a_realm_without_a_place_ends_the_client(scene: Scene, alric: Client) -> None:
    scene.turn()
    assert alric.link.endings == []
    scene.world.warp(alric.mobile, scene.world.realms["cave"], 5, 5)
    scene.turn()
    assert [ending for ending, _ in alric.link.endings] == [Ending.KICKED]


def test_another_zone_is_another_loading_screen() -> None:
    scene = Scene(eq2_content(cave=True))
    alric = scene.client("Alric", 20, 20)
    scene.turn()
    asked: list[bool] = []
    alric.session.rezone = lambda: asked.append(True)
    heard(alric)
    scene.world.warp(alric.mobile, scene.world.realms["cave"], 5, 5)
    scene.turn()
    assert asked == [True]
    assert alric.link.endings == []
    assert not any(isinstance(message, Teleport) for message in heard(alric))


# Looks


def test_a_wound_is_told_to_others_in_percent_and_to_oneself_in_points(
    scene: Scene, alric: Client, berta: Client
) -> None:
    heard(alric)
    heard(berta)
    berta.mobile.hits = 25
    scene.turn()
    update = only(UpdateGhost, heard(alric))
    assert update.info is not None
    assert update.timestamp > 0
    assert (update.position, update.visible) == (None, None)
    assert alric.screen.seen(berta.mobile.serial).info.hits_code == 100 ^ 50
    assert {type(message) for message in heard(berta)} == {UpdateGhost, CharacterSheet}
    assert (berta.screen.own_sheet.hits, berta.screen.own_sheet.max_hits) == (25, 50)
    berta.mobile.mana, berta.mobile.strength = 7, 33
    scene.turn()
    sheet = berta.screen.own_sheet
    assert (sheet.power, sheet.strength, sheet.hits, sheet.name) == (7, 33, 25, "Berta")
    scene.agree()


def test_what_changes_nothing_here_says_nothing(scene: Scene, alric: Client, berta: Client) -> None:
    heard(alric)
    berta.mobile.war = True
    berta.mobile.experience = 12
    scene.turn()
    assert heard(alric) == []


def test_clothes_are_seen_as_they_are_put_on(scene: Scene, alric: Client, berta: Client) -> None:
    heard(alric)
    shirt = holding.make(scene.world, "shirt", stored=False)
    holding.wear(berta.mobile, shirt)
    scene.turn()
    only(UpdateGhost, heard(alric))
    assert scene.view.looks.items["shirt"].worn in alric.screen.seen(berta.mobile.serial).info.equipment
    scene.agree()


def test_death_and_life(scene: Scene, alric: Client, berta: Client) -> None:
    heard(berta)
    life.kill(berta.mobile)
    scene.turn()
    assert alric.screen.seen(berta.mobile.serial).info.corpse == 1
    assert DisplayText(channel=STATUS, text=YOU_DIED) in heard(berta)
    life.resurrect(berta.mobile)
    scene.turn()
    assert alric.screen.seen(berta.mobile.serial).info.corpse == 0
    assert DisplayText(channel=STATUS, text=YOU_LIVE) in heard(berta)
    scene.agree()


def test_others_see_at_what_somebody_aims(scene: Scene, alric: Client, berta: Client) -> None:
    target(berta.mobile, alric.mobile)
    scene.turn()
    assert alric.screen.seen(berta.mobile.serial).info.target_id == ~alric.mobile.serial & 0xFFFF_FFFF
    heard(alric)
    target(berta.mobile, alric.mobile)
    scene.turn()
    assert heard(alric) == []
    target(berta.mobile, None)
    scene.turn()
    assert alric.screen.seen(berta.mobile.serial).info.target_id == NOBODY


def test_a_target_is_told_to_who_has_its_ghost(scene: Scene, alric: Client, berta: Client) -> None:
    heard(alric)
    sheep = person(scene.world, realm="cave")
    alric.session.queue(
        *scene.view.target(sheep.serial, scene.version),
        *scene.view.target(berta.mobile.serial, scene.version),
        *scene.view.target(0, scene.version),
    )
    alric.flush()
    assert heard(alric) == [UpdateTarget(berta.mobile.serial), UpdateTarget(NOBODY)]


# Words


@pytest.mark.parametrize(
    ("how", "channel"),
    [
        (Speech.SAY, 8),
        (Speech.YELL, 9),
        (Speech.EMOTE, 10),
    ],
)
def test_who_speaks_is_named_by_its_ghost(
    scene: Scene, alric: Client, berta: Client, how: Speech, channel: int
) -> None:
    heard(alric)
    heard(berta)
    speech.say(berta.mobile, "Good day", how)
    scene.turn()
    for client in (alric, berta):
        words = only(HearChat, heard(client))
        assert (words.from_id, words.sender, words.channel) == (berta.mobile.serial, "Berta", channel)
        assert words.text == "Good day"


def test_whispers_are_said(scene: Scene, alric: Client) -> None:
    other = scene.client("Near", 21, 20)
    scene.turn()
    heard(alric)
    speech.say(other.mobile, "psst", Speech.WHISPER)
    scene.turn()
    assert only(HearChat, heard(alric)).channel == 8


def test_last_words_come_from_nobody(scene: Scene, alric: Client, berta: Client) -> None:
    speech.say(berta.mobile, "Farewell")
    berta.mobile.hidden = True
    scene.turn(flush=False)
    # Words are told before she is taken away; but if she was away before, her words have no ghost.
    alric.session.outbox.reverse()
    alric.flush()
    words = [message for message in heard(alric) if isinstance(message, HearChat)]
    assert [(word.from_id, word.sender) for word in words] == [(NOBODY, "Berta")]


def test_tells_and_global_chat_come_from_afar(scene: Scene, alric: Client, berta: Client) -> None:
    heard(alric)
    speech.tell(berta.mobile, "alric", "psst")
    speech.to_all(scene.world, "anybody here?", speaker=berta.mobile)
    scene.turn()
    tell, world = heard(alric)
    assert isinstance(tell, HearChat)
    assert isinstance(world, HearChat)
    assert (tell.from_id, tell.sender, tell.channel) == (NOBODY, "Berta", 28)
    assert (world.from_id, world.sender, world.channel) == (NOBODY, "Berta", 32)


def test_the_server_speaks_in_lines(scene: Scene, alric: Client, berta: Client) -> None:
    heard(alric)
    speech.notice(alric.mobile, "Mind the gap.")
    speech.to_all(scene.world, "Tea is served.", announce=True)
    scene.turn()
    assert heard(alric) == [
        DisplayText(channel=STATUS, text="Mind the gap."),
        DisplayText(channel=MOTD, text="System: Tea is served."),
    ]


@pytest.mark.parametrize("gesture", sorted(speech.EMOTES))
def test_every_gesture_has_words(scene: Scene, alric: Client, berta: Client, gesture: str) -> None:
    heard(alric)
    speech.gesture(berta.mobile, gesture)
    scene.turn()
    emote = only(CannedEmote, heard(alric))
    words, animation = GESTURES[gesture]
    assert (emote.spawn_id, emote.text, emote.animation) == (
        berta.mobile.serial,
        f"Berta {words}.",
        animation,
    )


def test_gestures_can_be_words_alone(scene: Scene, alric: Client, berta: Client) -> None:
    scene.view.figures.rendering = Rendering(animations=False)
    heard(alric)
    speech.gesture(berta.mobile, "sad")
    scene.turn()
    assert only(CannedEmote, heard(alric)).animation == 0


def test_questions_are_windows_and_lines_that_are_answered_by_a_command(scene: Scene, alric: Client) -> None:
    scene.turn()
    heard(alric)
    buttons = (Button(1, "Yes"), Button(0, "No"))
    dialogs.ask(
        alric.mobile,
        "test",
        title="Help",
        text="Do you?\n\nReally?",
        buttons=buttons,
        answered=lambda *_: None,
    )
    scene.turn()
    window, *lines = heard(alric)
    (dialog,) = alric.mobile.dialogs.values()
    assert window == DialogOpen(
        dialog.serial, "Help", "Do you?\n\nReally?", ("Yes", "No"), alric.mobile.serial
    )
    assert lines == [
        DisplayText(channel=NARRATIVE, text=text)
        for text in ("Help", "Do you?", "Really?", "/answer 1: Yes", "/answer 0: No")
    ]
    dialogs.withdraw(alric.mobile, dialog)
    scene.turn()
    assert heard(alric) == [DialogClose(dialog.serial)]


# While a client loads


def test_a_client_that_loads_is_shown_what_is_around_without_knowing_it(scene: Scene, alric: Client) -> None:
    sheep = scene.resident("sheep", 22, 22)
    stayed = scene.resident("sheep", 24, 24)
    scene.turn()
    session = alric.session
    loads = scene.client("Berta", 21, 21)
    loads.session.loading = True
    loads.session.queue(*scene.view.around(loads.session))
    loads.flush()
    assert len(loads.screen.ghosts) == 4
    assert loads.session.known == {}
    scene.world.leave(sheep)
    motion.step(stayed, EAST)
    scene.turn()
    assert loads.screen.of(sheep.serial) is not None, "nothing is told while it loads"
    loads.session.loading, loads.session.blind, loads.session.untidy = False, True, True
    heard(loads)
    scene.turn()
    assert [type(message) for message in heard(loads)] == [UpdateGhost, DestroyGhost]
    scene.agree()
    assert session is alric.session


# All at once


@pytest.mark.parametrize("seed", range(8))
def test_clients_agree_with_the_world_after_every_turn(seed: int) -> None:
    """Crowds that step, jump, hide, change and drop things, several times a turn, with clients that come late
    or read late."""
    dice = random.Random(seed)
    scene = Scene(seed=seed)
    for number in range(4):
        scene.client(f"P{number}", dice.randrange(15, 35), dice.randrange(15, 35))
    others = [scene.resident("sheep", dice.randrange(5, 45), dice.randrange(5, 45)) for _ in range(6)]
    others += [person(scene.world, f"Q{n}", dice.randrange(5, 45), dice.randrange(5, 45)) for n in range(4)]
    for turn in range(60):
        movers = [client.mobile for client in scene.clients.values()] + others
        for _ in range(dice.randrange(8)):
            stir(scene, dice, dice.choice(movers))
        if turn % 20 == 10:
            scene.client(f"Late{turn}", dice.randrange(15, 35), dice.randrange(15, 35))
        late = dice.random() < 0.3
        scene.turn(flush=not late)
        if late:
            for client in scene.clients.values():
                if dice.random() < 0.5:
                    client.flush()
        else:
            scene.agree()


def stir(scene: Scene, dice: random.Random, mobile: Mobile) -> None:
    plain = scene.world.realms["plain"]
    match dice.randrange(14):
        case 0:
            scene.world.warp(mobile, plain, dice.randrange(60), dice.randrange(60))
        case 1:
            mobile.hidden = not mobile.hidden
        case 2:
            mobile.hits = dice.randrange(mobile.hits_max)
        case 3:
            mobile.name = f"N{dice.randrange(100)}"
        case 4:
            motion.turn(mobile, dice.randrange(8), forced=dice.random() < 0.3)
        case 5:
            bread = holding.make(scene.world, "bread", amount=dice.randrange(1, 9), stored=False)
            scene.world.enter(bread, plain, mobile.x, mobile.y)
        case 6:
            item = next(iter(scene.world.items.values()), None)
            if item is not None and item.realm is not None:
                scene.world.leave(item, Why.LEFT)
        case 7:
            motion.rest(mobile)
        case _:
            heading = dice.randrange(8)
            x, y = mobile.x + OFFSETS[heading][0], mobile.y + OFFSETS[heading][1]
            if plain.inside(x, y):
                motion.step(mobile, heading, run=dice.random() < 0.5)


def test_two_viewers_with_different_pasts_end_alike(scene: Scene, alric: Client) -> None:
    sheep = scene.resident("sheep", 30, 30)
    scene.turn()
    sheep.hits, sheep.name = 3, "Bess"
    motion.step(sheep, EAST)
    scene.turn()
    berta = scene.client("Berta", 28, 28)
    scene.turn()
    sheep.hits = 6
    motion.step(sheep, EAST)
    scene.turn()
    one, other = alric.screen.seen(sheep.serial), berta.screen.seen(sheep.serial)
    assert one.info_bytes == other.info_bytes
    assert one.position_bytes == other.position_bytes
    assert one.visible_bytes == other.visible_bytes
    scene.agree()


def test_a_body_is_shared_and_a_bound_message_is_small(scene: Scene, alric: Client, berta: Client) -> None:
    speech.notice(alric.mobile, "Mind the gap.")
    motion.step(berta.mobile, EAST)
    scene.turn(flush=False)
    kinds = {type(message) is Body for message in alric.session.outbox}
    assert kinds == {True, False}
    sizes = [len(m.bind(alric.session)) for m in alric.session.outbox if not isinstance(m, Body)]  # type: ignore[arg-type] # one of its own game
    assert max(sizes) < 50


# The family


def test_the_shipped_content_makes_a_family_without_problems() -> None:
    made = eq2.family(load(DATA))
    assert (made.name, *made.doors) == ("eq2", "login", "world")
    assert made.problems == ()
    assert isinstance(cast("object", made.view), Eq2View)
    assert {door.transport for door in made.doors.values()} == {Transport.DATAGRAM}


def test_a_realm_without_a_place_is_a_problem_and_a_wrong_row_a_mistake() -> None:
    content = eq2_content()
    assert eq2.family(content).problems == (
        "realms/cave.toml: atlas: no eq2, so that players of EverQuest II cannot go there",
    )
    wrong = attrs.evolve(content.charts["plain"], atlas={"eq2": {"zone": "antonica"}})
    with pytest.raises(LookError) as error:
        eq2.family(attrs.evolve(content, charts={"plain": wrong}))
    assert all(problem.startswith("realms/plain.toml: atlas.eq2") for problem in error.value.problems)


def test_goodbye_is_said_where_there_is_a_window_for_it(scene: Scene, alric: Client) -> None:
    scene.turn()
    heard(alric)
    goodbye(alric.session, "The server shuts down.")
    alric.flush()
    assert heard(alric) == [DisplayText(channel=STATUS, text="The server shuts down.")]
    alric.session.phase = Phase.MENU
    goodbye(alric.session, "Again.")
    assert alric.session.outbox == []


def test_keys_are_marked_as_secret(alric: Client) -> None:
    alric.session.send(
        PlayReply(code=PlayCode.OK, address="127.0.0.1", port=9001, account_id=1, access_code=5)
    )
    alric.session.send(DisplayText(channel=STATUS, text="x"))
    assert [cast("Body", message).secret for message in alric.session.outbox] == [True, False]
