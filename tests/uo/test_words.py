"""Words: over heads, as lines of the server, and in the chat window; and what is typed and chosen there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from protocol.uo.handlers import TABLE
from protocol.uo.handlers.entering import welcome
from protocol.uo.packets.parties import PartyRequest
from protocol.uo.packets.talk import (
    ChatAction,
    ChatDeed,
    ChatMessage,
    OpenChat,
    UnicodeMessage,
    UnicodeSpeech,
)
from protocol.uo.session import Chat, UoSession
from protocol.uo.versions import (
    VARIABLE,
    VERSIONS,
    VersionNumber,
    client_lengths,
    server_lengths,
    version_of,
)
from protocol.uo.view import Viewer
from tests.kit.uo_stage import (
    CLIENT_VERSIONS,
    NEWEST,
    Scene,
    happened,
    player,
    written,
)
from world import speech
from world.events import (
    Gestured,
    Said,
    Speech,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.mobile import Viewport

NOW = version_of(NEWEST)

# The bytes that ClassicUO sends (Network/OutgoingPackets.cs, Send_OpenChat and Send_Chat...Command): it
# closes a text with a NUL also where something follows, and writes none where there is no text.
OPEN = bytes.fromhex("b5") + bytes(63)
MESSAGE = bytes.fromhex("b3000f 454e5500 0061 00480069 0000")
JOIN = bytes.fromhex("b3001f 454e5500 0062 0022 00470065006e006500720061006c0000 0022 0020")
LEAVE = bytes.fromhex("b30009 454e5500 0043")
CREATE = bytes.fromhex("b3000f 454e5500 0063 004d0065 0000")

# As ModernUO and ServUO write them (ChatPackets.cs, SendChatMessage; Services/Chat/Packets.cs).
GENERAL = "00470065006e006500720061006c"
ALRIC = "0041006c007200690063"
OPENED = [
    bytes.fromhex(f"b20017 03ed 00000000 {ALRIC} 0000 0000"),
    bytes.fromhex(f"b2001d 03e8 00000000 {GENERAL} 0000 0030 0000"),
    bytes.fromhex(f"b2001b 03f1 00000000 {GENERAL} 0000 0000"),
    bytes.fromhex(f"b20019 03ee 00000000 0034 {ALRIC} 0000 0000"),
]
ONE = "There is one conference here, for everybody."
OWN_NAME = "Everybody hears everybody here, under the own name."


def action(deed: int, text: str = "") -> ChatAction:
    return ChatAction("ENU", deed, text)


def words(frames: list[bytes]) -> list[str]:
    """Lines of the server."""
    return [UnicodeMessage.decode(frame).text for frame in frames if frame[0] == 0xAE]


def told(scene: Scene, session: UoSession) -> list[str]:
    """What notices the world has for a player since the last call."""
    return [
        one.text
        for one in scene.world.take_changes().events
        if isinstance(one, Said) and one.how is Speech.SYSTEM and one.viewers == [session.viewport]
    ]


def heard_by(scene: Scene, name: str) -> Sequence[Viewport]:
    """Who hears what somebody new says to everybody."""
    scene.world.take_changes()
    speech.to_all(scene.world, "hear", speaker=scene.person(name))
    (said,) = [one for one in scene.world.take_changes().events if isinstance(one, Said)]
    return said.viewers


@pytest.fixture
def scene() -> Scene:
    return Scene()


@pytest.fixture
def session(scene: Scene) -> UoSession:
    """Alric's, with the window open."""
    session = scene.session(scene.person())
    scene.send(session, OpenChat(bytes(63)))
    return session


# Bytes


@pytest.mark.parametrize("version", CLIENT_VERSIONS)
def test_the_windows_packets_are_framed_alike_in_all_versions(version: VersionNumber) -> None:
    assert client_lengths(version)[0xB5] == len(OPEN)
    assert client_lengths(version)[0xB3] == server_lengths(version)[0xB2] == VARIABLE
    for frame in (MESSAGE, JOIN, LEAVE, CREATE, *OPENED):
        assert int.from_bytes(frame[1:3], "big") == len(frame)


def test_what_the_client_sends_is_understood() -> None:
    assert OpenChat.decode(OPEN) == OpenChat(bytes(63))
    assert ChatAction.decode(MESSAGE) == action(ChatDeed.MESSAGE, "Hi")
    assert ChatAction.decode(JOIN) == action(ChatDeed.JOIN, '"General')
    assert ChatAction.decode(LEAVE) == action(ChatDeed.LEAVE)
    assert ChatAction.decode(CREATE) == action(ChatDeed.CREATE, "Me")
    for frame in (OPEN, MESSAGE, CREATE):
        kind = OpenChat if frame is OPEN else ChatAction
        assert kind.decode(frame).encode() == frame


@pytest.mark.parametrize("version", CLIENT_VERSIONS)
def test_opening_the_window_is_answered_with_its_one_conference(version: VersionNumber) -> None:
    scene = Scene()
    session = scene.session(scene.person(), version)
    assert scene.send(session, OpenChat.decode(OPEN)) == OPENED
    assert scene.send(session, ChatAction.decode(JOIN)) == [], "it is there already"
    assert session.chat is Chat.JOINED


def test_a_line_in_the_window_byte_by_byte(scene: Scene, session: UoSession) -> None:
    (own,) = scene.send(session, ChatAction.decode(MESSAGE))
    assert own == bytes.fromhex(f"b2001d 0025 454e5500 0034 {ALRIC} 0000 00480069 0000")
    (said,) = [one for one in scene.world.take_changes().events if isinstance(one, Said)]
    berta = scene.session(scene.person("Berta"))
    before = written(scene.view.event(said, scene.view.bystander, berta.dialect), berta)
    scene.send(berta, OpenChat.decode(OPEN))
    after = written(scene.view.event(said, scene.view.bystander, berta.dialect), berta)
    assert after == [bytes.fromhex(f"b2001d 0025 454e5500 0030 {ALRIC} 0000 00480069 0000")]
    assert words(before) == ["[Alric] Hi"], "who has not opened the window reads a line of the server"


def test_words_in_braces_are_not_lost(scene: Scene, session: UoSession) -> None:
    (own,) = scene.send(session, action(ChatDeed.MESSAGE, "a {b} c"))
    assert ChatMessage.decode(own).second == "a (b) c"


# What is typed


def test_what_is_typed_is_said_to_everybody_within_limits(scene: Scene, session: UoSession) -> None:
    berta = scene.session(scene.person("Berta", 50, 50))
    scene.world.take_changes()
    answers = [scene.send(session, action(ChatDeed.MESSAGE, f"{number}")) for number in range(6)]
    assert [len(answer) for answer in answers] == [1, 1, 1, 0, 0, 0]
    said = [one for one in scene.world.take_changes().events if isinstance(one, Said)]
    everybody = [(one.text, one.viewers) for one in said if one.how is Speech.GLOBAL]
    assert everybody == [("0", [berta.viewport]), ("1", [berta.viewport]), ("2", [berta.viewport])]
    refused = [(one.text, one.viewers) for one in said if one.how is Speech.SYSTEM]
    assert refused == [("Not so fast: let the others speak, too.", [session.viewport])], "once"


def test_who_is_gagged_is_told_so(scene: Scene, session: UoSession) -> None:
    scene.world.gags[player(session).account] = 60.0
    assert scene.send(session, action(ChatDeed.MESSAGE, "Hi")) == []
    assert told(scene, session) == ["You have been silenced."]


def test_an_emote_has_its_asterisks(scene: Scene, session: UoSession) -> None:
    (own,) = scene.send(session, action(ChatDeed.EMOTE, "yawns"))
    assert ChatMessage.decode(own).second == "*yawns*"
    (said,) = scene.world.take_changes().events
    assert isinstance(said, Said)
    assert (said.how, said.text) == (Speech.GLOBAL, "*yawns*")


def test_nothing_is_nothing(scene: Scene, session: UoSession) -> None:
    assert scene.send(session, action(ChatDeed.MESSAGE, " \x07")) == []
    assert scene.world.take_changes().events == []


def test_an_order_is_one_here_too_and_no_log_shows_it(scene: Scene, session: UoSession) -> None:
    order = action(ChatDeed.MESSAGE, ".account passwd bob secret1")
    assert scene.send(session, order) == []
    assert scene.orders == ["account passwd bob secret1"]
    entry = TABLE.entry(0xB3)
    assert entry is not None
    assert callable(entry.secret)
    assert entry.secret(order)
    assert not entry.secret(action(ChatDeed.MESSAGE, "... well"))


@pytest.mark.parametrize("typed", ["Berta hello you", '"Berta" hello you', "  berta   hello you"])
def test_words_to_one_player(scene: Scene, session: UoSession, typed: str) -> None:
    berta = scene.session(scene.person("Berta", 50, 50))
    assert words(scene.send(session, action(ChatDeed.PRIVATE, typed))) == ["You tell Berta: hello you"]
    (said,) = scene.world.take_changes().events
    assert isinstance(said, Said)
    assert (said.how, said.text, said.viewers) == (Speech.TELL, "hello you", [berta.viewport])


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("Nobody hello", "There is nobody of that name here."),
        ("Berta", "Type a name and what you want to say."),
        ("", "Type a name and what you want to say."),
    ],
)
def test_words_to_nobody_are_refused(scene: Scene, session: UoSession, typed: str, why: str) -> None:
    assert scene.send(session, action(ChatDeed.PRIVATE, typed)) == []
    assert told(scene, session) == [why]


# What is chosen


def test_who_leaves_the_conference_hears_nobody_until_it_joins_again(
    scene: Scene, session: UoSession
) -> None:
    (left,) = scene.send(session, action(ChatDeed.LEAVE))
    assert left == bytes.fromhex("b2000d 03f0 00000000 0000 0000")
    assert heard_by(scene, "Anna") == []
    outside = bytes.fromhex("b2000d 000b 00000000 0000 0000")
    for deed in (ChatDeed.LEAVE, ChatDeed.MESSAGE):
        assert scene.send(session, action(deed, "Hi")) == [outside]
    assert scene.world.take_changes().events == []
    joined = scene.send(session, action(ChatDeed.JOIN, '"general" '))
    assert joined == OPENED[2:]
    assert len(scene.send(session, action(ChatDeed.MESSAGE, "Hi"))) == 1
    assert [viewport.mobile for viewport in heard_by(scene, "Berta")] == [player(session)]


def test_who_closes_the_window_reads_lines_of_the_server_again(scene: Scene, session: UoSession) -> None:
    scene.send(session, action(ChatDeed.LEAVE))
    assert scene.send(session, action(ChatDeed.CLOSE)) == [bytes.fromhex("b2000d 03ec 00000000 0000 0000")]
    assert player(session).hears_global
    said = Said(player(session), Speech.GLOBAL, "Hi", [], "Berta")
    frames = written(scene.view.event(said, scene.view.bystander, session.dialect), session)
    assert words(frames) == ["[Berta] Hi"]


@pytest.mark.parametrize(
    ("deed", "text", "why"),
    [
        (ChatDeed.JOIN, '"Pirates"', ONE),
        (ChatDeed.JOIN, "Pirates please", ONE),
        (ChatDeed.CREATE, "Pirates", ONE),
        (ChatDeed.RENAME, "Pirates", ONE),
        (ChatDeed.PASSWORD, "x", ONE),
        (0x69, "Berta", ONE),
        (0x76, "Berta", ONE),
        (0, "", ONE),
        (0xFFFF, "", ONE),
        *[(deed, "Berta", OWN_NAME) for deed in (*range(0x66, 0x69), *range(0x6F, 0x76))],
    ],
)
def test_what_this_chat_has_not_is_refused_in_words(
    scene: Scene, session: UoSession, deed: int, text: str, why: str
) -> None:
    assert scene.send(session, action(deed, text)) == []
    assert told(scene, session) == [why]
    assert session.chat is Chat.JOINED


def test_who_enters_anew_has_no_window(scene: Scene, session: UoSession) -> None:
    welcome(session, player(session))
    assert session.chat is Chat.CLOSED


def test_a_client_whose_character_was_taken_over_means_nothing_by_it(scene: Scene) -> None:
    session = scene.session(scene.person())
    session.mobile = None
    assert scene.send(session, OpenChat.decode(OPEN), ChatAction.decode(MESSAGE)) == []
    assert session.chat is Chat.CLOSED


# Companies


@pytest.mark.parametrize(
    ("packet", "why"),
    [
        (UnicodeSpeech(13, 0x34, 3, "ENU", (), "psst"), "You are in no guild."),
        (UnicodeSpeech(0xCD, 0x34, 3, "ENU", (), "psst"), "You are in no guild."),
        (UnicodeSpeech(14, 0x34, 3, "ENU", (), "psst"), "Your guild is in no alliance."),
        (PartyRequest(4, "psst".encode("utf-16-be") + b"\0\0"), "You are in no party."),
        (PartyRequest(3, bytes(4) + "psst".encode("utf-16-be") + b"\0\0"), "You are in no party."),
        (PartyRequest(8, bytes(4)), "Nobody asks you that."),
    ],
)
def test_words_to_a_company_reach_no_stranger(
    scene: Scene, packet: UnicodeSpeech | PartyRequest, why: str
) -> None:
    session = scene.session(scene.person())
    scene.session(scene.person("Berta"))
    scene.world.take_changes()
    assert scene.send(session, packet) == []
    events = scene.world.take_changes().events
    assert [(one.text, one.viewers) for one in events if isinstance(one, Said)] == [(why, [session.viewport])]


def test_words_of_a_guild_are_shown_as_such(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    session, berta = scene.session(scene.person()), scene.session(scene.person("Berta", 50, 50))
    monkeypatch.setattr(speech, "company", lambda mobile, kind: [player(session), player(berta)])
    for packet, kind, text in (
        (UnicodeSpeech(13, 0x34, 3, "ENU", (), "psst"), 13, "psst"),
        (UnicodeSpeech(14, 0x34, 3, "ENU", (), "psst"), 14, "psst"),
        (PartyRequest(4, "psst".encode("utf-16-be")), 0, "[party][Alric] psst"),
    ):
        scene.send(session, packet)
        (said,) = scene.world.take_changes().events
        assert isinstance(said, Said)
        assert said.viewers == [session.viewport, berta.viewport]
        (frame,) = written(scene.view.event(said, scene.view.bystander, berta.dialect), berta)
        shown = UnicodeMessage.decode(frame)
        assert (shown.kind, shown.text) == (kind, text)


# Over heads, and as lines of the server


@pytest.mark.parametrize(
    ("how", "kind", "text"),
    [
        (Speech.SAY, 0, "hello"),
        (Speech.WHISPER, 8, "hello"),
        (Speech.YELL, 9, "hello"),
        (Speech.EMOTE, 2, "*hello*"),
    ],
)
def test_words_appear_over_the_speaker(how: Speech, kind: int, text: str) -> None:
    scene = Scene()
    mobile = scene.person()
    speech.say(mobile, "hello", how, hue=0x26)
    packet = UnicodeMessage.decode(written(scene.view.event(happened(scene, Said), Viewer.OTHER, NOW))[0])
    assert packet == UnicodeMessage(mobile.serial, 0x190, kind, 0x26, 3, "ENU", "Alric", text)


@pytest.mark.parametrize(
    ("how", "text"),
    [
        (Speech.TELL, "Alric tells you: hello"),
        (Speech.GLOBAL, "[Alric] hello"),
        (Speech.ANNOUNCE, "hello"),
        (Speech.SYSTEM, "hello"),
    ],
)
def test_words_from_afar_come_from_the_system(how: Speech, text: str) -> None:
    scene = Scene()
    speaker = scene.person() if how in (Speech.TELL, Speech.GLOBAL) else None
    said = Said(speaker, how, "hello", [], "Alric")
    hearer = scene.session(scene.person("Berta"))
    packet = UnicodeMessage.decode(written(scene.view.event(said, Viewer.OTHER, NOW), hearer)[0])
    assert (packet.serial, packet.body, packet.name, packet.text) == (0xFFFFFFFF, 0xFFFF, "System", text)


@pytest.mark.parametrize("hue", [0, 1, 0x3EA, 0xFFFF])
def test_hues_of_speech_stay_in_the_clients_range(hue: int) -> None:
    scene = Scene()
    said = Said(scene.person(), Speech.SAY, "hello", [], "Alric", hue)
    packet = UnicodeMessage.decode(written(scene.view.event(said, Viewer.OTHER, NOW))[0])
    assert 2 <= packet.hue <= 0x3E9


def test_every_gesture_is_shown_for_every_version() -> None:
    scene = Scene()
    mobile = scene.person()
    for name in speech.EMOTES:
        for version in VERSIONS:
            [frame] = written(scene.view.event(Gestured(mobile, name, []), Viewer.OTHER, version))
            if name in ("bow", "salute"):
                assert frame[0] == (0xE2 if version.new_animations else 0x6E)
            else:
                assert frame[0] == 0xAE


def test_a_bow_is_what_servuo_sends() -> None:
    scene = Scene()
    mobile = scene.person()
    [body] = scene.view.event(Gestured(mobile, "bow", []), Viewer.OTHER, NOW)
    # Recorded: e2 00000078 0007 0000 0c; the delay at its end is the recorded server's choice.
    assert written([body])[0][5:9] == bytes.fromhex("00070000")
    assert body.droppable
