"""What handlers answer: entering, steps, speech, clicks, status, leaving. Without a server around them."""

import pytest
import trio

from protocol.endings import Ending
from protocol.session import Phase
from protocol.uo.handlers import motion as steps
from protocol.uo.handlers.characters import welcome
from protocol.uo.handlers.misc import disconnecting
from protocol.uo.lengths import VARIABLE, Version, server_lengths
from protocol.uo.packets.combat import AttackRequest, WarModeRequest
from protocol.uo.packets.gumps import GumpAnswer
from protocol.uo.packets.login import Disconnecting, LogoutRequest
from protocol.uo.packets.misc import Ping
from protocol.uo.packets.motion import ResyncRequest, WalkRejected, WalkRequest
from protocol.uo.packets.speech import AsciiSpeech, TextCommand, UnicodeSpeech
from protocol.uo.packets.things import (
    DoubleClick,
    Drop,
    DropOld,
    Equip,
    Lift,
    NameRequest,
    ProfileRequest,
    PropertiesRequest,
    PropertiesRequestOld,
    SingleClick,
    StatusRequest,
)
from protocol.uo.view import PlacePlayer
from protocol.wire.body import Body
from tests.kit.uo_client import UoClient
from tests.kit.uo_stage import NEWEST, PLAIN, Scene, numbers, taken, uo_content, written
from world import dialogs, furniture, holding, life, motion
from world.item import Layer
from world.mobile import Mobile, Posture
from world.moments import Gestured, Said, Speech, Stepped, Turned
from world.reach import Refusal

VERSIONS: list[Version] = [
    NEWEST,
    (7, 0, 35, 0),
    (7, 0, 31, 0),
    (7, 0, 15, 1),
    (7, 0, 9, 0),
    (7, 0, 0, 0),
    (6, 0, 14, 2),
    (6, 0, 1, 7),
    (5, 0, 9, 1),
    (4, 0, 11, 0),
    (2, 0, 4, 0),
]


# Entering


@pytest.mark.parametrize("version", VERSIONS)
def test_a_newcomer_is_let_in_in_order(version: Version) -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.newcomer(mobile, version)
    welcome(session, mobile)
    frames = taken(session)
    order = numbers(frames)
    assert order[:10] == [0x1B, 0xBF08, 0xBF18, 0xBC, 0x20, 0x4F, 0x72, 0x55, 0x78, 0x11]
    assert order[10] == 0xBF19, "with which locks its attributes have"
    assert order.count(0x55) == order.count(0x1B) == 1
    lengths = server_lengths(version)
    client = UoClient(version)
    for frame in frames:
        size = lengths[frame[0]]
        assert len(frame) == (int.from_bytes(frame[1:3], "big") if size == VARIABLE else size)
        client._take(frame)
    assert session.phase is Phase.IN_WORLD
    assert client.in_world
    assert client.map == PLAIN["map"]
    player = client.player
    assert player is not None
    assert (player.serial, player.x, player.y) == (mobile.serial, PLAIN["x"] + 10, PLAIN["y"] + 10)
    assert player.hits == (50, 50)
    pack = mobile.backpack
    assert pack is not None
    assert client.pack.keys() == pack.contents.keys()
    assert client.said() == ["Welcome to Confluence, Alric."]
    assert (0xDC in order) is (version >= (4, 0, 0, 1))


def test_somebody_who_sat_in_another_client_stands_up() -> None:
    scene = Scene()
    mobile = scene.person()
    mobile.posture = Posture.CHAIR
    scene.session(mobile)
    assert mobile.posture == Posture.STANDING


# Steps


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


def test_a_turn_and_steps_are_acknowledged_by_their_numbers() -> None:
    scene = Scene()
    answers, mobile = walk(scene, (2, 0), (2, 1), (0x82, 2))
    assert answers == [[b"\x22\x00\x01"], [b"\x22\x01\x01"], [b"\x22\x02\x01"]]
    assert (mobile.x, mobile.y, mobile.heading) == (12, 10, 2)
    moments = scene.world.take_changes().moments
    assert [type(moment) for moment in moments] == [Turned, Stepped, Stepped]


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
    moments = scene.world.take_changes().moments
    assert [moment.text for moment in moments if isinstance(moment, Said)] == [Refusal.SITTING.value] * 2
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
    session.queue(scene.view.place_player(mobile))
    assert numbers(taken(session)) == [0x20]
    scene.pass_time(3)
    assert taken(session) == []
    assert mobile.y == 11


class Counting(type):
    """Makes a class that counts how many things were asked whether they are a 0x20."""

    asked = 0

    def __instancecheck__(cls, message: object) -> bool:
        cls.asked += 1
        return isinstance(message, PlacePlayer)


class Counted(metaclass=Counting):
    pass


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
        steps.walk(session, WalkRequest(4, number, 0))
        scene.pass_time(0.5)

    for number in range(20):
        step(number)
    assert mobile.y == 30
    session.queue(scene.view.place_player(mobile))
    for number in range(20, 25):
        step(number)
    assert mobile.y == 30
    assert len(session.outbox) == 1021
    assert Counted.asked <= 1021
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
    session.queue(scene.view.place_player(mobile))
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


# Speech


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
        [said] = scene.world.take_changes().moments
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
    first, second = (moment for moment in scene.world.take_changes().moments if isinstance(moment, Said))
    assert (first.font, first.language) == (3, told)
    assert (second.font, second.language) == (3, "ENU")


def test_asterisks_of_emotes_are_not_doubled() -> None:
    scene = Scene()
    session = scene.session(scene.person())
    scene.send(session, UnicodeSpeech(2, 0, 3, "ENU", (), "*dances*"))
    [said] = scene.world.take_changes().moments
    assert isinstance(said, Said)
    assert said.text == "dances"


@pytest.mark.parametrize("prefix", [".", "["])
def test_what_begins_like_an_order_is_one_and_not_said(prefix: str) -> None:
    scene = Scene()
    session = scene.session(scene.person())
    scene.send(session, UnicodeSpeech(0, 0, 3, "ENU", (), f"{prefix}where"))
    (answer,) = scene.world.take_changes().moments
    assert isinstance(answer, Said)
    assert answer.how is Speech.SYSTEM
    assert scene.orders == ["where"]
    scene.send(session, UnicodeSpeech(0, 0, 3, "ENU", (), f"{prefix}{prefix} well"))
    assert [moment.text for moment in scene.world.take_changes().moments if isinstance(moment, Said)]
    assert scene.orders == ["where"]


def test_bowing_is_a_gesture() -> None:
    scene = Scene()
    session = scene.session(scene.person())
    scene.send(session, TextCommand(0xC7, "bow"), TextCommand(0xC7, "nonsense"))
    gesture, refusal = scene.world.take_changes().moments
    assert isinstance(gesture, Gestured)
    assert gesture.gesture == "bow"
    assert isinstance(refusal, Said)
    assert refusal.text == "Nobody knows how to do that."


# Looking


def test_clicks_and_names() -> None:
    scene = Scene()
    other = scene.person("Berta", 12, 12)
    other.title = "the brave"
    mobile = scene.person()
    session = scene.session(mobile)
    client = UoClient()
    client.player = None
    [label] = scene.send(session, SingleClick(other.serial))
    assert label[0] == 0xC1
    client._localized(label)
    assert client.lines[0].text == " \tBerta\t the brave"
    assert client.lines[0].hue == 0x59
    [label] = scene.send(session, SingleClick(other.worn[Layer.SHIRT].serial))
    client._ascii(label)
    assert client.lines[1].text == "shirt"
    [name] = scene.send(session, NameRequest(other.serial))
    assert name[7:].rstrip(b"\0") == b"Berta"
    profile = scene.send(session, ProfileRequest(0, other.serial, b""))
    assert numbers(profile) == [0xB8]


def test_what_cannot_be_seen_is_not_told() -> None:
    scene = Scene()
    far = scene.person("Berta", 50, 50)
    near = scene.person("Clara", 12, 12)
    session = scene.session(scene.person())
    hidden = [far.serial, far.worn[Layer.SHIRT].serial, 0, 0x3FFFFFFF, 0x7FFFFFFF]
    near_pack = near.backpack
    assert near_pack is not None
    hidden += near_pack.contents
    for serial in hidden:
        for packet in (
            SingleClick(serial),
            DoubleClick(serial),
            NameRequest(serial),
            StatusRequest(0xEDEDEDED, 4, serial),
            ProfileRequest(0, serial, b""),
            PropertiesRequestOld(serial),
        ):
            assert scene.send(session, packet) == [], packet
    assert scene.send(session, PropertiesRequest(tuple(hidden))) == []


@pytest.mark.parametrize("bit", [0, 0x80000000])
def test_a_double_click_opens_paperdolls(bit: int) -> None:
    scene = Scene()
    other = scene.person("Berta", 12, 12)
    mobile = scene.person()
    session = scene.session(mobile)
    for target, flags in ((mobile, 2), (other, 0)):
        [paperdoll] = scene.send(session, DoubleClick(target.serial | bit))
        assert (len(paperdoll), paperdoll[0], paperdoll[-1]) == (66, 0x88, flags)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_double_click_opens_ones_own_pack(version: Version) -> None:
    scene = Scene()
    other = scene.person("Berta", 12, 12)
    mobile = scene.person()
    session = scene.newcomer(mobile, version)
    welcome(session, mobile)
    client = UoClient(version)
    for frame in taken(session):
        client._take(frame)
    pack, theirs = mobile.backpack, other.backpack
    assert pack is not None
    assert theirs is not None
    frames = scene.send(session, DoubleClick(pack.serial))
    assert numbers(frames)[:2] == [0x24, 0x3C]
    assert len(frames[0]) == server_lengths(version)[0x24]
    client._take(frames[0])
    assert client.pack == {}
    client._take(frames[1])
    assert client.pack.keys() == pack.contents.keys()
    assert {container for _, _, container in client.pack.values()} == {pack.serial}
    assert numbers(scene.send(session, DoubleClick(theirs.serial))) == [0xAE]


def test_tooltips_are_told_to_who_asks() -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    shirt = mobile.worn[Layer.SHIRT]
    frames = scene.send(session, PropertiesRequest((mobile.serial, shirt.serial)))
    assert [frame[5:9] for frame in frames] == [
        mobile.serial.to_bytes(4, "big"),
        shirt.serial.to_bytes(4, "big"),
    ]
    assert scene.send(session, PropertiesRequestOld(shirt.serial)) == frames[1:]


def test_one_request_gets_64_tooltips_each_once() -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    pack = mobile.backpack
    assert pack is not None
    things = [holding.make(scene.world, "dagger", stored=False) for _ in range(80)]
    for thing in things:
        holding.put(pack, thing)
    scene.world.register(pack)
    asked = [thing.serial for thing in things]
    frames = scene.send(session, PropertiesRequest((*[asked[0]] * 100, *asked)))
    assert [int.from_bytes(frame[5:9], "big") for frame in frames] == asked[:64]


@pytest.mark.parametrize(
    "packet", [Lift(0x40FFFFFF, 1), Drop(0x40000001, 0, 0, 0, 0, 0), DropOld(1, 0, 0, 0, 0)]
)
def test_what_is_not_there_or_not_in_the_hand_is_not_moved(packet: Lift | Drop | DropOld) -> None:
    scene = Scene()
    session = scene.session(scene.person())
    assert numbers(scene.send(session, packet)) == ([0x27, 0x1D] if isinstance(packet, Lift) else [])
    assert scene.send(session, Equip(0x40000001, 1, 1)) == []
    assert scene.world.take_changes().dirty == []


# Status


@pytest.mark.parametrize(("version", "size"), [(NEWEST, 121), ((7, 0, 15, 1), 91), ((4, 0, 11, 0), 88)])
def test_the_own_status_is_whole_and_others_are_not(version: Version, size: int) -> None:
    scene = Scene()
    other = scene.person("Berta", 12, 12)
    other.hits = 10
    mobile = scene.person()
    session = scene.session(mobile, version)
    own, locks = scene.send(session, StatusRequest(0xEDEDEDED, 4, mobile.serial))
    assert len(own) == size
    assert locks == bytes.fromhex("bf000c001902") + mobile.serial.to_bytes(4, "big") + b"\0\0"
    assert int.from_bytes(own[58:62], "big") == 100  # gold
    [theirs] = scene.send(session, StatusRequest(0xEDEDEDED, 4, other.serial))
    assert len(theirs) == 43
    assert theirs[37:41] == bytes([0, 20, 0, 100])


def test_war_and_peace() -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    assert scene.send(session, WarModeRequest(True, b"\0\x32\0")) == [bytes.fromhex("7201003200")]
    assert mobile.war
    assert numbers(scene.send(session, WarModeRequest(False, b"\0\x32\0"))) == [0x72, 0xAA]
    assert scene.send(session, AttackRequest(5)) == [b"\xaa\0\0\0\0"]
    mobile.dead = True
    scene.send(session, WarModeRequest(True, b"\0\x32\0"))
    assert not mobile.war


def test_a_gump_is_answered_once_and_only_truly() -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    pressed: list[int] = []

    def answered(_: Mobile, reply: dialogs.Reply) -> None:
        pressed.append(reply.button)

    dialog = dialogs.ask(
        mobile, "T", title="", text="", buttons=(dialogs.Button(1, "Yes"),), answered=answered
    )
    for serial, kind, button in (
        (dialog.serial + 2, dialog.type_id, 1),
        (dialog.serial, dialog.type_id + 1, 1),
        (dialog.serial, dialog.type_id, 2),
        (dialog.serial, dialog.type_id, 1),
        (dialog.serial, dialog.type_id, 1),
    ):
        scene.send(session, GumpAnswer(serial, kind & 0xFFFFFFFF, button, (), ()))
    assert pressed == [1]


# The rest


def test_a_client_whose_character_was_taken_over_means_nothing_any_more() -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    scene.send(session, WalkRequest(4, 0, 0), WalkRequest(4, 1, 0), WalkRequest(4, 2, 0))
    session.mobile = None
    for packet in (WalkRequest(4, 3, 0), SingleClick(mobile.serial), AsciiSpeech(0, 0, 3, "hello")):
        assert scene.send(session, packet) == []
    before = mobile.x, mobile.y
    scene.pass_time(3)
    assert (mobile.x, mobile.y) == before


def test_a_ping_comes_back() -> None:
    scene = Scene()
    session = scene.session(scene.person())
    assert scene.send(session, Ping(7)) == [b"\x73\x07"]


def test_logging_out_is_confirmed_and_ends() -> None:
    ended: list[tuple[Ending, str]] = []

    class Link:
        busy = False

        def flush(self, *, force: bool = False) -> None: ...
        def end(self, ending: Ending, detail: str) -> None:
            ended.append((ending, detail))

        def later(self, job: object) -> None: ...
        def drained(self) -> None: ...

    scene = Scene()
    session = scene.session(scene.person())
    session.link = Link()

    async def disconnects() -> None:
        noted = disconnecting(session, Disconnecting(0xFFFFFFFF))
        assert noted is not None, "not left for the next turn: the end may come at once"
        await noted

    trio.run(disconnects)
    assert session.hang_up_means is Ending.CLIENT_LEFT
    assert not ended
    assert scene.send(session, LogoutRequest(0)) == [b"\xd1\x01"]
    assert [ending for ending, _ in ended] == [Ending.CLIENT_LEFT]


def test_farewell_is_a_line_for_who_is_in_the_world() -> None:
    scene = Scene()
    session = scene.session(scene.person())
    scene.family.goodbye(session, "The server stops.")
    assert numbers(taken(session)) == [0xAE]
    session.mobile = None
    scene.family.goodbye(session, "The server stops.")
    assert written(session.outbox) == []
