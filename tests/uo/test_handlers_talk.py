"""Speech, gestures, and commands of the client's menus."""

from __future__ import annotations

import pytest

from protocol.uo.handlers.talk import COMMANDS, PASSIVE_SKILL
from protocol.uo.packets.people import (
    AnimateRequest,
)
from protocol.uo.packets.talk import AsciiSpeech, TextCommand, UnicodeSpeech
from protocol.wishes import Unmet, Wish
from tests.kit.uo_stage import Scene, heard, lines
from world.events import (
    Gestured,
    Opened,
    Said,
    Speech,
)
from world.reach import Refusal


@pytest.mark.parametrize(
    ("kind", "how"),
    [(0, Speech.SAY), (2, Speech.EMOTE), (8, Speech.WHISPER), (9, Speech.YELL), (0xF, Speech.SAY)],
)
def test_speech_is_said_as_it_was_meant(kind: int, how: Speech) -> None:
    scene = Scene()
    session = scene.session(scene.person())
    for packet in (
        AsciiSpeech(kind, 0x26, 3, "hello"),
        UnicodeSpeech(kind, 0x26, 3, "DEU", (), "hello"),
        UnicodeSpeech(kind | 0xC0, 0x26, 3, "DEU", (2, 7), "hello"),
    ):
        assert scene.send(session, packet) == []
        [said] = scene.world.take_changes().events
        assert isinstance(said, Said)
        assert (said.how, said.text, said.hue) == (how, "hello", 0x26)


@pytest.mark.parametrize(
    ("language", "told"),
    [("DEU", "DEU"), ("", "ENU"), ("\xff\xfe\xfd\xfc", "ENU"), ("D U", "ENU"), ("12", "ENU")],
)
def test_font_and_language_are_not_passed_on_unchecked(language: str, told: str) -> None:
    scene = Scene()
    session = scene.session(scene.person())
    for packet in (UnicodeSpeech(0, 0x26, 0xFFFF, language, (), "hello"), AsciiSpeech(0, 0x26, 9, "hello")):
        scene.send(session, packet)
    first, second = (event for event in scene.world.take_changes().events if isinstance(event, Said))
    assert (first.font, first.language) == (3, told)
    assert (second.font, second.language) == (3, "ENU")


def test_asterisks_of_emotes_are_not_doubled() -> None:
    scene = Scene()
    session = scene.session(scene.person())
    scene.send(session, UnicodeSpeech(2, 0, 3, "ENU", (), "*dances*"))
    [said] = scene.world.take_changes().events
    assert isinstance(said, Said)
    assert said.text == "dances"


@pytest.mark.parametrize("prefix", [".", "["])
def test_what_begins_like_an_order_is_one_and_not_said(prefix: str) -> None:
    scene = Scene()
    session = scene.session(scene.person())
    scene.send(session, UnicodeSpeech(0, 0, 3, "ENU", (), f"{prefix}where"))
    (answer,) = scene.world.take_changes().events
    assert isinstance(answer, Said)
    assert answer.how is Speech.SYSTEM
    assert scene.orders == ["where"]
    scene.send(session, UnicodeSpeech(0, 0, 3, "ENU", (), f"{prefix}{prefix} well"))
    assert [event.text for event in scene.world.take_changes().events if isinstance(event, Said)]
    assert scene.orders == ["where"]


def test_bowing_is_a_gesture() -> None:
    scene = Scene()
    session = scene.session(scene.person())
    scene.send(session, TextCommand(0xC7, "bow"), TextCommand(0xC7, "nonsense"))
    gesture, refusal = scene.world.take_changes().events
    assert isinstance(gesture, Gestured)
    assert gesture.gesture == "bow"
    assert isinstance(refusal, Said)
    assert refusal.text == "Nobody knows how to do that."


@pytest.mark.parametrize("number", [*range(60), 999])
def test_every_skill_that_is_used_is_answered(number: int) -> None:
    scene = Scene()
    session = scene.session(scene.person())
    told = lines(scene.send(session, TextCommand(0x24, f"{number} 0"))) + heard(scene)
    assert len(told) == 1
    # Tactics and fencing are no buttons; hiding and anatomy are.
    assert told != [PASSIVE_SKILL] or number not in (1, 21, 58, 59, 999)
    assert told == [PASSIVE_SKILL] or number not in (27, 42)


@pytest.mark.parametrize("kind", [0x27, 0x2F, 0x43, 0x56, 0xF4, 0x99])
def test_other_commands_are_answered(kind: int) -> None:
    scene = Scene()
    session = scene.session(scene.person())
    assert scene.send(session, TextCommand(kind, "1")) == []
    wish = {0xF4: Wish.VIRTUES, 0x99: Wish.UNKNOWN}.get(kind, Wish.CASTING)
    assert heard(scene) == [wish.value]


def test_a_kind_has_one_handler() -> None:
    with pytest.raises(ValueError, match="0x12:0x58 already has a handler: OpenDoor"):
        COMMANDS.answer(0x58, "Again", Unmet(Wish.UNKNOWN))


def test_the_macro_opens_the_door_in_front() -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    mobile.heading = 4
    scene.send(session, TextCommand(0x58, ""))
    assert heard(scene) == [Refusal.NO_DOOR.value]
    assert mobile.realm is not None
    object.__setattr__(mobile.realm.chart, "doors", frozenset({(10, 11)}))
    assert lines(scene.send(session, TextCommand(0x58, ""))) == []
    [opened] = [event for event in scene.world.take_changes().events if isinstance(event, Opened)]
    assert (opened.x, opened.y) == (10, 11)


def test_the_3d_clients_bow_is_a_bow() -> None:
    scene = Scene()
    session = scene.session(scene.person())
    scene.send(session, AnimateRequest(32))
    [event] = scene.world.take_changes().events
    assert isinstance(event, Gestured)
    assert event.gesture == "bow"
    scene.send(session, AnimateRequest(999))
    assert heard(scene) == [Refusal.UNKNOWN.value]
