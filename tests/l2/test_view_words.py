"""What clients of Lineage II are told in words: speech, gestures, questions."""

from __future__ import annotations

import pytest

from protocol.l2.packets import ChatType, CreatureSay, NpcHtmlMessage, Social, SocialAction, SystemMessage
from protocol.l2.words import GESTURES, LONGEST_TEXT
from tests.kit.l2_scene import Client, Scene
from tests.kit.l2_view import lines
from world import dialogs, speech
from world.audience import in_sight
from world.dialogs import Button
from world.events import Said, Speech


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
