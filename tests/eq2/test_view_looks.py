"""What clients of EverQuest II believe of looks and health, and what they are told in words."""

from __future__ import annotations

import pytest

from protocol.eq2.figures import Rendering
from protocol.eq2.packets import (
    NOBODY,
    CannedEmote,
    CharacterSheet,
    DialogClose,
    DialogOpen,
    DisplayText,
    HearChat,
    UpdateGhost,
    UpdateTarget,
)
from protocol.eq2.words import GESTURES, MOTD, NARRATIVE, STATUS
from tests.kit.eq2_screen import Client, Scene
from tests.kit.eq2_view import heard, only
from tests.kit.worlds import person
from world import dialogs, holding, life, speech
from world.dialogs import Button
from world.events import YOU_DIED, YOU_LIVE, Speech
from world.targets import target


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
