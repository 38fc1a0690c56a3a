"""Words, gestures and postures of the world, as a client is shown them."""

from __future__ import annotations

import pytest

from protocol.co.packets import ActionType, Emotion, Talk
from protocol.co.versions import CoVersion
from protocol.co.words import GESTURES
from tests.kit.co_desk import SEAT, Desk, agree, place_of, two
from world import dialogs, furniture, speech
from world.dialogs import Button
from world.events import Said, Speech

VERSIONS = list(CoVersion)


# Posture and gestures


async def test_sitting_and_standing() -> None:
    desk = Desk()
    alric, berta = await two(desk)
    furniture.sit_on_floor(berta.mobile)
    desk.turn()
    for player in (alric, berta):
        (told,) = player.actions(ActionType.EMOTION)
        assert (told.id, told.data) == (berta.number, Emotion.SIT)
    agree(desk)
    carl = await desk.enter("carl", (24, 24))
    assert carl.screen.people[berta.number].pose == Emotion.SIT
    furniture.stand_up(berta.mobile)
    desk.turn()
    for player in (alric, berta, carl):
        (told,) = player.actions(ActionType.EMOTION)
        assert told.data == Emotion.STAND
    agree(desk)


async def test_somebody_on_a_chair() -> None:
    desk = Desk()
    alric, berta = await two(desk)
    furniture.sit_on_seat(berta.mobile, *SEAT)
    desk.turn()
    shown = alric.screen.people[berta.number]
    assert ((shown.x, shown.y), shown.pose, shown.direction) == (place_of(*SEAT), Emotion.SIT, 2)


@pytest.mark.parametrize("gesture", sorted(speech.EMOTES))
async def test_every_gesture_of_the_world_has_its_emotion(gesture: str) -> None:
    desk = Desk()
    alric, berta = await two(desk)
    speech.gesture(berta.mobile, gesture)
    desk.turn()
    for player in (alric, berta):
        (told,) = player.actions(ActionType.EMOTION)
        assert (told.id, told.data) == (berta.number, GESTURES[gesture])


async def test_a_gesture_of_an_npc_is_no_packet() -> None:
    desk = Desk()
    crier = desk.resident("crier", 22, 22)
    alric = await desk.enter("alric")
    speech.gesture(crier, "bow")
    furniture.sit_on_floor(crier)
    crier.hits -= 1
    desk.turn()
    assert alric.got == []
    assert alric.screen.faults == []


# Words


@pytest.mark.parametrize("how", list(Speech))
async def test_every_kind_of_words_has_a_channel(how: Speech) -> None:
    desk = Desk()
    alric, berta = await two(desk)
    assert alric.session.viewport is not None
    desk.world.events.append(Said(berta.mobile, how, "Hello", [alric.session.viewport], "Berta"))
    desk.turn()
    told = alric.only(Talk)
    assert "Hello" in told.words
    assert 2000 <= told.channel < 2100
    assert "Berta" in (told.speaker, told.words.partition(":")[0])


async def test_words_that_no_client_can_show() -> None:
    desk = Desk()
    alric, berta = await two(desk)
    speech.say(berta.mobile, "\u0416\u65e5 \u20ac \xe9")
    desk.turn()
    assert alric.only(Talk).words == "?? \u20ac \xe9"


async def test_the_server_has_no_face() -> None:
    desk = Desk()
    alric, _ = await two(desk)
    speech.notice(alric.mobile, "Hello")
    speech.to_all(desk.world, "Hear!", announce=True)
    desk.turn()
    notice, announcement = alric.took(Talk)
    assert (notice.speaker, notice.channel, notice.words, notice.speaker_look) == ("SYSTEM", 2007, "Hello", 0)
    assert (announcement.speaker, announcement.channel) == ("SYSTEM", 2011)
    assert announcement.words == "Hear!"


async def test_a_question_is_asked_once_and_in_both_versions_alike() -> None:
    windows = []
    for version in VERSIONS:
        desk = Desk(version=version)
        alric, berta = await two(desk)
        dialogs.ask(
            alric.mobile,
            "Trap",
            title="Somebody",
            text="Well? " * 200,
            buttons=(Button(5, "Yes"), Button(0, "No")),
            answered=lambda *_: None,
        )
        desk.turn()
        window = alric.screen.window
        assert window is not None
        assert window.text == "Somebody: " + "Well? " * 200
        assert window.options == {1: "Yes", 2: "No"}
        assert alric.session.answers == (5, 0)
        assert berta.got == []
        windows.append([body.hex() for body in alric.raw if body[2:4] == b"\xf0\7"])
    assert windows[0] == windows[1]
