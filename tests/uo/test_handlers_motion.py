"""Steps: acknowledged by their numbers, refused, voided; and what a client that has lost track is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from protocol.uo.handlers import motion as steps
from protocol.uo.packets.motion import ResyncRequest, WalkRejected, WalkRequest
from protocol.uo.view import PlacePlayer
from protocol.wire.body import Body
from tests.kit.uo_stage import PLAIN, Scene, numbers, taken, uo_content
from world import furniture, life, motion
from world.events import (
    Said,
    Stepped,
    Turned,
)
from world.reach import Refusal

if TYPE_CHECKING:
    from world.mobile import Mobile


def walk(scene: Scene, *steps: tuple[int, int]) -> tuple[list[list[bytes]], Mobile]:
    """(direction, sequence) in turn, with time enough between; the answers, and who walked."""
    mobile = scene.person()
    mobile.heading = 4
    session = scene.session(mobile)
    answers = []
    for direction, sequence in steps:
        answers.append(scene.send(session, WalkRequest(direction, sequence, 0)))
        scene.pass_time(0.5)
    return answers, mobile


class Counting(type):
    """Makes a class that counts how many things were asked whether they are a 0x20."""

    asked = 0

    def __eq__(cls, kind: object) -> bool:
        cls.asked += 1
        return kind is PlacePlayer

    __hash__ = type.__hash__


class Counted(metaclass=Counting):
    pass


def test_a_turn_and_steps_are_acknowledged_by_their_numbers() -> None:
    scene = Scene()
    answers, mobile = walk(scene, (2, 0), (2, 1), (0x82, 2))
    assert answers == [[b"\x22\x00\x01"], [b"\x22\x01\x01"], [b"\x22\x02\x01"]]
    assert (mobile.x, mobile.y, mobile.heading) == (12, 10, 2)
    events = scene.world.take_changes().events
    assert [type(event) for event in events] == [Turned, Stepped, Stepped]


def test_a_wall_refuses_and_the_numbers_start_again() -> None:
    scene = Scene(uo_content(walls=frozenset({(10, 11)})))
    answers, mobile = walk(scene, (4, 0), (4, 1), (4, 0), (2, 0), (2, 1))
    refused = [WalkRejected.decode(answer[0]) for answer in answers[:3]]
    assert [packet.sequence for packet in refused] == [0, 1, 0]
    assert refused[0] == WalkRejected(0, PLAIN["x"] + 10, PLAIN["y"] + 10, 4, 0)
    assert answers[3:] == [[b"\x22\x00\x01"], [b"\x22\x01\x01"]]
    assert (mobile.x, mobile.y) == (11, 10)


def test_who_sits_does_not_turn_and_hears_so_once_a_second() -> None:
    scene = Scene()
    mobile = scene.person()
    mobile.heading = 4
    session = scene.session(mobile)
    furniture.sit_on_floor(mobile)
    scene.world.take_changes()
    for _ in range(6):
        refusal, *_ = scene.send(session, WalkRequest(2, 0, 0))
        assert WalkRejected.decode(refusal) == WalkRejected(0, PLAIN["x"] + 10, PLAIN["y"] + 10, 4, 0)
        scene.pass_time(0.3)
    events = scene.world.take_changes().events
    assert [event.text for event in events if isinstance(event, Said)] == [Refusal.SITTING.value] * 2
    assert mobile.heading == 4


def test_the_first_step_has_number_zero() -> None:
    answers, mobile = walk(Scene(), (4, 5))
    assert answers[0][0][:2] == b"\x21\x05"
    assert mobile.y == 10


def test_a_wrong_number_in_the_stream_is_taken_as_servuo_does() -> None:
    answers, _ = walk(Scene(), (4, 0), (4, 77), (4, 78))
    assert [answer[0][:2] for answer in answers] == [b"\x22\x00", b"\x22\x4d", b"\x22\x4e"]


def test_numbers_go_on_from_255_to_1() -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    session.steps.expected = 255
    assert scene.send(session, WalkRequest(4, 255, 0))[0][:2] == b"\x22\xff"
    assert session.steps.expected == 1


def test_steps_in_a_burst_are_taken_one_by_one_in_their_time() -> None:
    scene = Scene()
    mobile = scene.person()
    mobile.heading = 4
    session = scene.session(mobile)
    answers = scene.send(session, *(WalkRequest(4, number, 0) for number in range(5)))
    assert answers == [b"\x22\x00\x01"]
    assert mobile.y == 11
    scene.pass_time(1.0)
    assert mobile.y in (13, 14)
    scene.pass_time(1.0)
    assert mobile.y == 15
    assert [frame[1] for frame in taken(session)] == [1, 2, 3, 4]


def test_a_flood_of_steps_is_refused() -> None:
    scene = Scene()
    mobile = scene.person()
    mobile.heading = 4
    session = scene.session(mobile)
    answers = scene.send(session, *(WalkRequest(4, number, 0) for number in range(30)))
    assert answers[0][0] == 0x22
    assert any(frame[0] == 0x21 for frame in answers)
    scene.pass_time(10)
    assert taken(session) == []
    assert mobile.y == 11


def test_being_placed_voids_the_steps_that_wait() -> None:
    scene = Scene()
    mobile = scene.person()
    mobile.heading = 4
    session = scene.session(mobile)
    scene.send(session, *(WalkRequest(4, number, 0) for number in range(4)))
    session.queue(scene.view.place_player(mobile, session.dialect))
    assert numbers(taken(session)) == [0x20]
    scene.pass_time(3)
    assert taken(session) == []
    assert mobile.y == 11


def test_steps_while_a_0x20_waits_are_forgotten_and_a_backlog_is_searched_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(steps, "PlacePlayer", Counted)
    scene = Scene()
    mobile = scene.person()
    mobile.heading = 4
    session = scene.session(mobile)
    session.queue(*[Body(b"\x73\x00")] * 1000)

    def step(number: int) -> None:
        steps.walk(session, mobile, WalkRequest(4, number, 0))
        scene.pass_time(0.5)

    for number in range(20):
        step(number)
    assert mobile.y == 30
    session.queue(scene.view.place_player(mobile, session.dialect))
    for number in range(20, 25):
        step(number)
    assert mobile.y == 30
    assert len(session.outbox) == 1021
    assert 1000 < Counted.asked <= 1021
    assert numbers(taken(session))[-1] == 0x20
    assert scene.send(session, WalkRequest(4, 0, 0)) == [b"\x22\x00\x01"]
    assert mobile.y == 31


@pytest.mark.parametrize("event", ["death", "life", "turn"])
def test_steps_that_were_voided_do_not_delay_the_next(event: str) -> None:
    scene = Scene()
    mobile = scene.person()
    mobile.heading = 4
    if event == "life":
        life.kill(mobile)
    session = scene.session(mobile)
    scene.send(session, *(WalkRequest(4, number, 0) for number in range(5)))
    assert mobile.gait.queue
    if event == "death":
        life.kill(mobile)
    elif event == "life":
        life.resurrect(mobile)
    else:
        motion.turn(mobile, 2, forced=True)
    session.queue(scene.view.place_player(mobile, session.dialect))
    taken(session)
    scene.pass_time(0.4)
    direction = mobile.heading
    assert numbers(scene.send(session, WalkRequest(direction, 0, 0))) == [0x22]


def test_who_comes_back_is_shown_what_it_may_have_forgotten_once() -> None:
    scene = Scene(uo_content(walls=frozenset({(10, 11)})))
    edge, near = scene.person("Berta", 27, 10), scene.person("Clara", 20, 10)
    mobile = scene.person()
    mobile.heading = 4
    session = scene.session(mobile)
    frames = scene.send(session, WalkRequest(4, 0, 0))
    shown = {int.from_bytes(frame[3:7], "big") for frame in frames if frame[0] == 0x78}
    assert frames[0][0] == 0x21
    assert edge.serial in shown
    assert near.serial not in shown
    assert numbers(scene.send(session, *(WalkRequest(4, number, 0) for number in range(1, 5)))) == [0x21] * 4


def test_a_resync_shows_everything_again() -> None:
    scene = Scene()
    other = scene.person("Berta", 12, 12)
    session = scene.session(scene.person())
    frames = scene.send(session, ResyncRequest(bytes(2)))
    assert numbers(frames)[:4] == [0x20, 0x78, 0x78, 0xDC]
    assert other.serial.to_bytes(4, "big") in frames[2]
    assert session.steps.expected == 0
