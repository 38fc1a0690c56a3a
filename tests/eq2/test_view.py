"""What clients of EverQuest II believe after every turn, through the real fan-out and without a wire."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, cast

import attrs
import pytest

from protocol import eq2
from protocol.eq2.packets import (
    CharacterSheet,
    CreateGhost,
    DestroyGhost,
    DisplayText,
    PlayCode,
    PlayReply,
    SetControlGhost,
    SetPovGhost,
    UpdateGhost,
)
from protocol.eq2.seam import goodbye
from protocol.eq2.view import Eq2View
from protocol.eq2.words import STATUS
from protocol.family import Transport
from protocol.session import Phase
from protocol.tables import LookError
from protocol.wire.body import Body
from server.content.loading import load
from tests.kit.eq2_screen import DATA, Client, Scene, eq2_content
from tests.kit.eq2_view import heard, only
from tests.kit.worlds import person
from world import hands, holding, motion, speech
from world.events import Why
from world.heading import EAST, OFFSETS

if TYPE_CHECKING:
    from world.mobile import Mobile


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
