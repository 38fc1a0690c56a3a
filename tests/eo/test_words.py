"""Words and gestures of the world, read back with eolib."""

from __future__ import annotations

import pytest
from eolib import (
    EmotePlayerServerPacket,
    NpcPlayerServerPacket,
    TalkAnnounceServerPacket,
    TalkMsgServerPacket,
    TalkPlayerServerPacket,
    TalkServerServerPacket,
    TalkTellServerPacket,
)

from protocol.eo.view import Audience
from protocol.eo.words import EMOTES
from tests.kit.eo_scene import Scene, kinds
from world import speech
from world.events import Gestured, Said, Speech


@pytest.mark.parametrize(
    ("how", "text"),
    [(Speech.SAY, "hail"), (Speech.WHISPER, "hail"), (Speech.YELL, "hail"), (Speech.EMOTE, "*hail*")],
)
def test_words_near_by(scene: Scene, how: Speech, text: str) -> None:
    event = Said(scene.man, how, "hail", [], "Alric")
    (packet,) = scene.event(event)
    assert isinstance(packet, TalkPlayerServerPacket)
    assert (packet.player_id, packet.message) == (scene.figures.player_id(scene.man), text)
    assert scene.event(event, Audience.SELF) == [], "the client shows its own words itself"


def test_words_of_npcs_and_things(scene: Scene) -> None:
    (packet,) = scene.event(Said(scene.npc, Speech.SAY, "hail", [], "Ysolde"))
    assert isinstance(packet, NpcPlayerServerPacket)
    (chat,) = packet.chats
    assert (chat.npc_index, chat.message) == (scene.figures.npc_index(scene.npc), "hail")
    (line,) = scene.event(Said(scene.shirt, Speech.SAY, "rustle", [], "a shirt"))
    assert isinstance(line, TalkServerServerPacket)
    assert line.message == "a shirt: rustle"


@pytest.mark.parametrize(
    ("how", "kind"),
    [
        (Speech.TELL, TalkTellServerPacket),
        (Speech.GLOBAL, TalkMsgServerPacket),
        (Speech.ANNOUNCE, TalkAnnounceServerPacket),
        (Speech.SYSTEM, TalkServerServerPacket),
    ],
)
def test_words_from_afar(scene: Scene, how: Speech, kind: type) -> None:
    for speaker in (scene.man, None):
        assert kinds(scene.event(Said(speaker, how, "hear hear", [], "Alric"))) == [kind]


def test_letters_the_client_does_not_have(scene: Scene) -> None:
    (packet,) = scene.event(Said(None, Speech.TELL, "ÿ привет €", [], "Ÿ"))
    assert isinstance(packet, TalkTellServerPacket)
    assert packet.message == "y ?????? €"


def test_every_gesture_is_seen(scene: Scene) -> None:
    for gesture in speech.EMOTES:
        (packet,) = scene.event(Gestured(scene.man, gesture, []))
        if gesture in EMOTES:
            assert isinstance(packet, EmotePlayerServerPacket)
        else:
            assert isinstance(packet, TalkPlayerServerPacket)
            assert packet.message.startswith("*")
        assert scene.event(Gestured(scene.man, gesture, []), Audience.SELF) == []
        assert kinds(scene.event(Gestured(scene.npc, gesture, []))) == [NpcPlayerServerPacket]
    (message,) = scene.view.event(Gestured(scene.man, "happy", []), Audience.OTHER, None)
    assert message.droppable
