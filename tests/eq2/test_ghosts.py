"""One client's ghosts: numbers, what was sent last, and the messages that are bound to a client."""

from __future__ import annotations

import pytest

from protocol.eq2 import packing
from protocol.eq2.ghosts import (
    FIRST_INDEX,
    LAST_INDEX,
    OWN_INDEX,
    Change,
    Ghosts,
    GhostsExhausted,
    Hide,
    Move,
    Show,
    moved,
)
from protocol.eq2.mentions import About
from protocol.eq2.packets import CreateGhost, DestroyGhost, GhostDelta, UpdateGhost
from protocol.eq2.structs import Figure, Ghost
from tests.kit.eq2_screen import Client, Scene
from world import motion
from world.heading import EAST


def figure(serial: int) -> Figure:
    return Figure(serial, reverse=True)


@pytest.fixture
def scene() -> Scene:
    return Scene()


@pytest.fixture
def client(scene: Scene) -> Client:
    client = scene.client("Alric", 20, 20)
    scene.turn()
    return client


# Numbers


def test_the_own_character_is_number_one_and_others_count_from_two() -> None:
    ghosts = Ghosts()
    assert ghosts.make(figure(7), own=True).index == OWN_INDEX
    assert ghosts.make(figure(8), own=False).index == FIRST_INDEX
    assert ghosts.make(figure(9), own=False).index == FIRST_INDEX + 1
    assert ghosts.serial(FIRST_INDEX) == 8
    assert ghosts.serial(0xFFFF) == 0
    assert ghosts.serials() == [7, 8, 9]
    assert 9 in ghosts
    assert 10 not in ghosts


def test_a_number_is_not_used_again_soon() -> None:
    ghosts = Ghosts()
    for serial in range(100, 110):
        index = ghosts.make(figure(serial), own=False).index
        assert index == FIRST_INDEX + serial - 100
        ghosts.remove(serial)
    assert len(ghosts) == 0


def test_numbers_go_round_and_leave_out_those_in_use() -> None:
    ghosts = Ghosts()
    kept = ghosts.make(figure(1), own=False).index
    for serial in range(2, LAST_INDEX - FIRST_INDEX + 2):
        assert ghosts.make(figure(serial), own=False).index == FIRST_INDEX + serial - 1
        ghosts.remove(serial)
    assert kept == FIRST_INDEX
    assert ghosts.make(figure(1_000_000), own=False).index == FIRST_INDEX + 1
    assert ghosts.serial(kept) == 1


def test_when_no_number_is_left_nothing_is_made() -> None:
    ghosts = Ghosts()
    for serial in range(FIRST_INDEX, LAST_INDEX + 1):
        ghosts.make(figure(serial), own=False)
    with pytest.raises(GhostsExhausted):
        ghosts.make(figure(1), own=False)
    ghosts.remove(500)
    assert ghosts.make(figure(1), own=False).index == 500


# Messages


def test_a_show_makes_a_ghost_once_and_brings_it_up_to_date_then(scene: Scene, client: Client) -> None:
    sheep = scene.resident("sheep", 22, 20)
    figure = scene.view.figures.of(sheep, scene.version)
    session, screen = client.session, client.screen
    session.queue(Show(figure), Move(figure))
    (made,) = client.flush()
    assert isinstance(made, CreateGhost)
    assert (made.index, made.spawn_id) == (FIRST_INDEX, sheep.serial)
    session.queue(Show(figure), Move(figure))
    assert client.flush() == []
    sheep.hits = 1
    scene.view.figures.of(sheep, scene.version)
    session.queue(Show(figure), Move(figure))
    (update,) = client.flush()
    assert isinstance(update, UpdateGhost)
    assert update.position is None
    assert update.visible is None
    assert screen.seen(sheep.serial).info.hits_code == 100 ^ 8


@pytest.mark.parametrize("kind", [Move, Change])
def test_nothing_is_said_of_what_a_client_has_no_ghost_of(
    scene: Scene, client: Client, kind: type[Move | Change]
) -> None:
    figure = scene.view.figures.of(scene.resident("sheep", 22, 20), scene.version)
    assert kind(figure).bind(client.session) == b""
    assert Hide(figure.serial).bind(client.session) == b""


def test_what_is_hidden_and_shown_again_has_another_number(scene: Scene, client: Client) -> None:
    figure = scene.view.figures.of(scene.resident("sheep", 22, 20), scene.version)
    client.session.queue(Show(figure), Hide(figure.serial), Show(figure))
    first, gone, second = client.flush()
    assert isinstance(first, CreateGhost)
    assert isinstance(gone, DestroyGhost)
    assert isinstance(second, CreateGhost)
    assert first.index == gone.index == second.index - 1
    assert first.packed == second.packed


def test_several_moves_bound_at_once_are_one_update(scene: Scene, client: Client) -> None:
    sheep = scene.resident("sheep", 22, 20)
    figures, figure = scene.view.figures, scene.view.figures.of(sheep, scene.version)
    client.session.queue(Show(figure))
    client.flush()
    for _ in range(3):
        assert motion.step(sheep, EAST)
        figures.walk(sheep, figure, scene.version, run=False)
        client.session.queue(Move(figure))
    (update,) = client.flush()
    assert isinstance(update, UpdateGhost)
    assert update.timestamp == 0
    assert update.info is None
    assert client.screen.seen(sheep.serial).position.x == 125.5


def test_looks_and_places_are_told_in_separate_updates(scene: Scene, client: Client) -> None:
    sheep = scene.resident("sheep", 22, 20)
    figures, figure = scene.view.figures, scene.view.figures.of(sheep, scene.version)
    client.session.queue(Show(figure))
    client.flush()
    sheep.name, sheep.notoriety = "Bess", 1
    motion.step(sheep, EAST)
    figures.of(sheep, scene.version)
    figures.walk(sheep, figure, scene.version, run=False)
    client.session.queue(Change(figure), Move(figure))
    looks, place = client.flush()
    assert isinstance(looks, UpdateGhost)
    assert isinstance(place, UpdateGhost)
    assert looks.info is not None
    assert looks.visible is not None
    assert looks.position is None
    assert place.position is not None
    assert (place.info, place.visible) == (None, None)


def test_words_name_a_ghost_only_to_those_who_have_it(scene: Scene, client: Client) -> None:
    sheep = scene.resident("sheep", 22, 20)
    about = About(sheep.serial, b"known", b"unknown")
    assert about.bind(client.session) == b"unknown"
    client.session.queue(Show(scene.view.figures.of(sheep, scene.version)))
    client.flush()
    assert about.bind(client.session) == b"known"


def test_a_crowd_costs_one_difference(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    [scene.client(f"P{number}", 20 + number % 5, 20) for number in range(10)]
    scene.turn()
    sheep = scene.resident("sheep", 23, 23)
    scene.turn()
    packed = 0
    real = packing.pack

    def pack(data: bytes, *, reverse: bool = True) -> bytes:
        nonlocal packed
        packed += 1
        return real(data, reverse=reverse)

    monkeypatch.setattr("protocol.eq2.structs.pack", pack)
    for number in range(200):
        motion.step(sheep, EAST if number % 2 else 6)
        scene.turn()
    assert packed == 200
    scene.agree()
    newcomer = scene.client("Late", 25, 25)
    packed = 0
    scene.turn()
    scene.agree()
    # Each of the eleven things in its sight is new to it, and it is new to the crowd, who all get the same.
    assert packed <= 12
    motion.step(sheep, EAST)
    motion.step(newcomer.mobile, EAST)
    packed = 0
    scene.turn()
    assert packed == 3, "the sheep since it was shown and since it walked last, and the newcomer"
    scene.agree()


@pytest.mark.parametrize("index", [2, 254, 255, 300, LAST_INDEX])
def test_what_the_second_of_a_crowd_gets_is_what_would_be_encoded(scene: Scene, index: int) -> None:
    sheep = scene.resident("sheep", 22, 20)
    figures, figure = scene.view.figures, scene.view.figures.of(sheep, scene.version)
    first, second = (Ghost(number, sheep.serial, figure, level=1) for number in (index, index - 1))
    motion.step(sheep, EAST)
    before = figure.position.now
    figures.walk(sheep, figure, scene.version, run=False)
    for ghost in (first, second):
        delta = GhostDelta(ghost.index, figure.position.since(before))
        assert moved(ghost, figure, scene.version) == scene.version.encode(UpdateGhost(position=delta))
        assert moved(ghost, figure, scene.version) == b""
    short, wide = figure.position.frames
    assert list(short) == [before] * (not second.wide), "each was encoded once"
    assert list(wide) == [before] * first.wide
