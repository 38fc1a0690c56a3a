"""Everything that clients are known to send has a row, and whatever is a wish is answered."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.session import Phase
from protocol.uo.handlers import TABLE
from protocol.uo.handlers.dialogs import NOT_CALLED, WHAT_FOR
from protocol.uo.handlers.looking import PAPERDOLL_BIT
from protocol.uo.handlers.talk import COMMANDS, PASSIVE_SKILL
from protocol.uo.packets import number_of_frame
from protocol.uo.packets.dialogs import (
    GumpAnswer,
    HelpRequest,
    MenuChoice,
    MenuRequest,
    PromptAnswer,
    TipRequest,
)
from protocol.uo.packets.fighting import DeathAnswer
from protocol.uo.packets.misc import UNREAD, TargetAnswer
from protocol.uo.packets.people import AnimateRequest, ProfileRequest
from protocol.uo.packets.status import SkillLock, StatLock, StatusRequest
from protocol.uo.packets.talk import PartyRequest, TextCommand
from protocol.uo.packets.things import DoubleClick, EquipMacro, ObjectHelpRequest, UnequipMacro
from protocol.uo.requests import requests
from protocol.uo.scenery import FIRST_SERIAL
from protocol.uo.versions import VARIABLE, client_lengths
from protocol.uo.view import Viewer
from protocol.wishes import Idle, Unmet, Wish
from tests.kit.uo_stage import NEWEST, Scene, player, taken, uo_content, written
from world import residents
from world.content import Resident, Scenery, Sign
from world.item import Layer
from world.mobile import Mobile
from world.moments import Gestured, Opened, Said
from world.parts import Skill
from world.reach import Refusal

if TYPE_CHECKING:
    from protocol.uo.session import UoSession

ROOT = Path(__file__).parents[2]
KNOWN = tomllib.loads((ROOT / "data/uo/requests.toml").read_text())["requests"]
GOLDEN = json.loads((ROOT / "tests/golden/uo/packet_lengths.json").read_text())


def heard(scene: Scene) -> list[str]:
    """Lines that the world told players since it was asked last."""
    moments = scene.world.take_changes().moments
    return [moment.text for moment in moments if isinstance(moment, Said)]


def lines(frames: list[bytes]) -> list[str]:
    """The words of 0xAE."""
    return [frame[48:-2].decode("utf-16-be") for frame in frames if frame[0] == 0xAE]


def shown(scene: Scene, session: UoSession) -> list[bytes]:
    """What the turn tells a client of its own mobile's changes."""
    return [
        frame
        for thing, flags in scene.world.take_changes().dirty
        if thing is session.mobile
        for frame in written(scene.view.changed(thing, flags, Viewer.SELF, session.dialect), session)
    ]


def locks_of(mobile: Mobile, bits: int) -> bytes:
    """0xBF 0x19 with the locks of attributes."""
    return bytes.fromhex("bf000c001902") + mobile.serial.to_bytes(4, "big") + bytes([0, bits])


def pressed(scene: Scene, session: object, frame: bytes) -> list[bytes]:
    """A frame into its handler."""
    entry = TABLE.entry(number_of_frame(frame))
    assert entry is not None
    entry.handler(session, entry.decode(frame))  # type: ignore[arg-type]
    return taken(session)  # type: ignore[arg-type]


# The list


def test_the_list_names_what_clients_are_known_to_send_and_nothing_else() -> None:
    rows = [request.key for request in requests() if not request.key.endswith(":other")]
    assert len(rows) == len(set(rows))
    others = {"0xBF:0x00", "0xD7:0x00"}  # any other of their kind
    assert set(rows) - others == set(KNOWN)


def test_the_list_holds_every_opcode_that_a_client_sends() -> None:
    opcodes = {key.partition(":")[0] for key in KNOWN}
    sent = {f"0x{op}" for op in GOLDEN["sent_by_client_7_0_102"]}
    servuo = {f"0x{row['op']}" for row in GOLDEN["servuo_incoming"]}
    assert sent | servuo <= opcodes
    assert opcodes == {f"0x{op:02X}" for op in client_lengths(NEWEST)}


def test_only_what_carries_no_wish_is_passed_over() -> None:
    silent = {request.key for request in requests() if isinstance(request.answer, Idle)}
    god_client = "04 0A 14 47 48 58 61 79 7E 96 9D"
    telemetry = "8D A4 BB BE C9 CA D0 D9 E1 F0 F4 FB"
    assert silent == {f"0x{op}" for op in f"{god_client} {telemetry}".split()} | {
        *("0xBF:0x05", "0xBF:0x0B", "0xBF:0x0C", "0xBF:0x0F", "0xBF:0x1E", "0xBF:0x24", "0x12:0x00")
    }


def frame_of(number: int) -> bytes:
    """A packet of that number with nothing but zeros in it."""
    opcode, kind = (number, 0) if number <= 0xFF else (number >> 8, number & 0xFF)
    size = client_lengths(NEWEST)[opcode]
    frame = bytearray(size if size != VARIABLE else 24)
    frame[0] = opcode
    if size == VARIABLE:
        frame[1:3] = len(frame).to_bytes(2, "big")
    if number > 0xFF:
        at = 3 if opcode == 0xBF else 7
        frame[at : at + 2] = (kind or 0x7FFF).to_bytes(2, "big")
    return bytes(frame)


@pytest.mark.parametrize("number", UNREAD, ids="{:04X}".format)
def test_what_nothing_reads_is_told_in_words_if_it_is_a_wish(number: int) -> None:
    scene = Scene()
    session = scene.session(scene.person())
    frame = frame_of(number)
    assert number_of_frame(frame) == number
    entry = TABLE.entry(number)
    assert entry is not None
    assert entry.phases == frozenset(Phase)
    assert pressed(scene, session, frame) == []
    expected = [entry.handler.wish.value] if isinstance(entry.handler, Unmet) else []
    assert heard(scene) == expected
    pressed(scene, session, frame)
    assert heard(scene) == [], "within a second the same line does not come again"
    session.mobile = None
    assert pressed(scene, session, frame) == []


# Commands and parties


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
    [opened] = [moment for moment in scene.world.take_changes().moments if isinstance(moment, Opened)]
    assert (opened.x, opened.y) == (10, 11)


@pytest.mark.parametrize(("kind", "rest"), [(2, 4), (3, 6), (4, 2), (6, 1), (8, 4), (9, 4)])
def test_who_is_in_no_party_is_told_so(kind: int, rest: int) -> None:
    scene = Scene()
    session = scene.session(scene.person())
    scene.send(session, PartyRequest(kind, bytes(rest)))
    assert heard(scene) == [Refusal.NO_PARTY.value]


def test_an_invitation_to_a_party_is_answered() -> None:
    scene = Scene()
    session = scene.session(scene.person())
    scene.send(session, PartyRequest(1, bytes(4)))
    assert heard(scene) == [Wish.PARTY.value]


# Skills and attributes


@pytest.mark.parametrize(
    ("version", "count"), [(NEWEST, 58), ((6, 0, 14, 2), 55), ((4, 0, 11, 0), 52), ((2, 0, 4, 0), 49)]
)
def test_the_skill_list_is_whole(version: tuple[int, int, int, int], count: int) -> None:
    scene = Scene()
    mobile = scene.person()
    mobile.endow()
    assert mobile.learner is not None
    mobile.learner.learn("magery", 305)
    session = scene.session(mobile, version)
    [packet] = scene.send(session, StatusRequest(0xEDEDEDED, 5, mobile.serial))
    assert packet[:4] == b"\x3a" + (4 + 9 * count + 2).to_bytes(2, "big") + b"\x02"
    rows = [packet[at : at + 9] for at in range(4, 4 + 9 * count, 9)]
    assert [int.from_bytes(row[:2], "big") for row in rows] == list(range(1, count + 1))
    assert rows[25] == bytes.fromhex("001a 0131 0131 00 03e8")
    assert rows[6] == bytes.fromhex("0007 0000 0000 02 03e8"), "begging is unknown here: locked"
    assert packet.endswith(b"\0\0")


def test_a_lock_is_kept_and_shown() -> None:
    scene = Scene()
    mobile = scene.person()
    mobile.endow()
    session = scene.session(mobile)
    assert mobile.learner is not None
    mobile.learner.skills["staves"] = Skill(100)  # this game has none
    frame = bytes.fromhex("3a 0006 0019 02")  # as ClassicUO sends it: magery, locked
    for _ in range(2):
        assert pressed(scene, session, frame) == []
        assert shown(scene, session) == [
            locks_of(mobile, 0),
            bytes.fromhex("3a 000d df 0019 0000 0000 02 03e8"),
        ]
        assert mobile.learner.skills["magery"].lock == 2
    assert scene.send(session, SkillLock(6, 0)) == [bytes.fromhex("3a 000d df 0006 0000 0000 02 03e8")]
    assert heard(scene) == ["That skill cannot be learned here yet."]
    scene.send(session, SkillLock(25, 7))
    assert mobile.learner.skills["magery"].lock == 2
    assert heard(scene) == [Refusal.UNKNOWN.value]


def test_the_lock_of_an_attribute_is_kept_and_shown() -> None:
    scene = Scene()
    mobile = scene.person()
    mobile.endow()
    session = scene.session(mobile)
    for stat, lock, bits in ((0, 2, 0x20), (1, 1, 0x24), (2, 2, 0x26), (2, 2, 0x26)):
        assert scene.send(session, StatLock(stat, lock)) == []
        assert shown(scene, session) == [locks_of(mobile, bits)]
    assert heard(scene) == []
    for stat, lock, why in ((7, 1, "That skill cannot be learned here yet."), (0, 9, Refusal.UNKNOWN.value)):
        assert scene.send(session, StatLock(stat, lock)) == [locks_of(mobile, 0x26)], (
            "what it has drawn is undone"
        )
        assert heard(scene) == [why]
    assert mobile.learner is not None
    learner = mobile.learner
    assert (learner.strength_lock, learner.dexterity_lock, learner.intelligence_lock) == (2, 1, 2)


# Context menus


def test_menus_offer_what_there_is() -> None:
    scene = Scene()
    mobile, other = scene.person(), scene.person("Berta", 12, 12)
    session = scene.session(mobile)
    [own] = scene.send(session, MenuRequest(mobile.serial))
    assert own == bytes.fromhex("bf 001c 0014 0002") + mobile.serial.to_bytes(4, "big") + bytes.fromhex(
        "02 002ddeab 0000 0000 002ddec1 0001 0000"
    )
    [theirs] = scene.send(session, MenuRequest(other.serial))
    assert int.from_bytes(theirs[12:16], "big") == 3006123
    old = scene.session(scene.person("Carl", 12, 10), (5, 0, 9, 1))
    [packet] = scene.send(old, MenuRequest(player(old).serial))
    assert packet[5:7] == b"\0\x01"
    assert packet[11:] == bytes.fromhex("02 0000 17eb 0000 0001 1801 0000")
    assert scene.send(session, MenuRequest(0x3FFFFFFF)) == []
    assert heard(scene) == [Refusal.UNSEEN.value]


def test_a_click_on_an_animal_is_answered() -> None:
    scene = Scene()
    session = scene.session(scene.person())
    template = attrs.evolve(scene.content.mobiles["sheep"], creature=True)
    sheep = Mobile(77, scene.world, "a sheep", template=template)
    scene.world.enter(sheep, scene.world.realms["plain"], 12, 12)
    session.known[sheep.serial] = sheep
    scene.world.take_changes()
    for serial in (sheep.serial, sheep.serial | PAPERDOLL_BIT):
        scene.pass_time(2)
        assert scene.send(session, DoubleClick(serial)) == []
        assert heard(scene) == ["a sheep has nothing to say."]
    [named] = scene.send(session, MenuRequest(sheep.serial))
    assert named[0] == 0xC1, "no empty menu"
    assert "a sheep".encode("utf-16-le") in named


def test_what_is_chosen_is_done() -> None:
    scene = Scene()
    mobile, other = scene.person(), scene.person("Berta", 12, 12)
    session = scene.session(mobile)
    assert scene.send(session, MenuChoice(mobile.serial, 0))[0][0] == 0x88
    assert [frame[0] for frame in scene.send(session, MenuChoice(mobile.serial, 1))][:2] == [0x24, 0x3C]
    assert scene.send(session, MenuChoice(other.serial, 0))[0][0] == 0x88
    assert heard(scene) == []
    assert scene.send(session, MenuChoice(other.serial, 7)) == []
    assert heard(scene) == [Wish.PARTY.value]
    for serial, line in ((mobile.serial, 7), (other.serial, 1), (other.serial, 99)):
        scene.pass_time(2)
        assert scene.send(session, MenuChoice(serial, line)) == []
        assert heard(scene) == [Wish.UNASKED.value]
    scene.send(session, MenuChoice(0x3FFFFFFF, 0))
    assert heard(scene) == [Refusal.UNSEEN.value]
    pack = mobile.backpack
    assert pack is not None
    assert [frame[0] for frame in scene.send(session, MenuChoice(pack.serial, 3))][:2] == [0x24, 0x3C]


def test_residents_are_talked_to_by_menu_and_by_double_click() -> None:
    scene = Scene(uo_content(residents=(Resident("banker", 11, 10),)))
    mobile = scene.person()
    realm = mobile.realm
    assert realm is not None
    banker = residents.move_in(scene.world, realm, Resident("banker", 12, 10))
    session = scene.session(mobile)
    session.known[banker.serial] = banker
    [menu] = scene.send(session, MenuRequest(banker.serial))
    texts = [int.from_bytes(menu[at : at + 4], "big") for at in range(12, len(menu), 8)]
    assert texts[:2] == [3006123, 3006146]
    for packet, numbers in ((MenuChoice(banker.serial, 2), []), (DoubleClick(banker.serial), [0x88])):
        assert [frame[0] for frame in scene.send(session, packet)] == numbers
        scene.pass_time(1)
        assert len(heard(scene)) == 1
    assert [frame[0] for frame in scene.send(session, DoubleClick(banker.serial | 0x80000000))] == [0x88]
    scene.pass_time(1)
    assert heard(scene) == []


# The rest


def test_a_click_on_what_cannot_be_used_is_answered() -> None:
    scene = Scene()
    session = scene.session(scene.person())
    assert scene.send(session, DoubleClick(0x3FFFFFFF)) == []
    assert heard(scene) == [Refusal.UNSEEN.value]
    assert scene.send(session, DoubleClick(0x7E000000)) == []
    assert heard(scene) == [Refusal.USELESS.value]


def test_answers_to_what_nobody_asked() -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    scene.send(session, TargetAnswer(0, 1, 0, 0, 0xFFFF, 0xFFFF, 0, 0))
    assert heard(scene) == [], "the cursor was closed"
    scene.send(session, TargetAnswer(0, 1, 0, mobile.serial, 0, 0, 0, 0))
    assert heard(scene) == [Wish.UNASKED.value]
    scene.send(session, GumpAnswer(5, 5, 0, (), ()))
    assert heard(scene) == [], "a window was closed"
    scene.send(session, GumpAnswer(5, 5, 1, (), ()))
    assert heard(scene) == [Refusal.GONE.value]
    # ClassicUO's answer of the virtue symbol ends behind the button.
    pressed(scene, session, bytes.fromhex("b1 000f 00000001 000001cd 00000001"))
    assert heard(scene) == [Wish.VIRTUES.value]
    scene.send(session, DeathAnswer(2))
    assert heard(scene) == []
    scene.send(session, DeathAnswer(1))
    assert heard(scene) == [Refusal.ALIVE.value]
    mobile.dead = True
    scene.send(session, DeathAnswer(1))
    assert heard(scene) == [Refusal.NO_HEALER.value]


def test_tips_go_round() -> None:
    scene = Scene()
    session = scene.session(scene.person())
    [first] = scene.send(session, TipRequest(4, 1))
    [last] = scene.send(session, TipRequest(0, 0))
    assert (first[0], first[3:8], last[3:8]) == (0xA6, bytes(5), bytes([0, 0, 0, 0, 4]))
    assert int.from_bytes(first[8:10], "big") == len(first) - 10 > 20


def test_help_about_a_thing_and_a_profile() -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    [told] = scene.send(session, ObjectHelpRequest(mobile.serial, 0, "ENU"))
    assert told[7:] == "Alric\0".encode("utf-16-be")
    scene.send(session, ObjectHelpRequest(0x3FFFFFFF, 0, "ENU"))
    assert heard(scene) == [Refusal.UNSEEN.value]
    scene.send(session, ProfileRequest(1, mobile.serial, bytes.fromhex("0001 0001 0041")))
    assert heard(scene) == [Wish.PROFILE.value]


def test_macros_put_on_and_take_off() -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    shirt, shoes = mobile.worn[Layer.SHIRT], mobile.worn[Layer.SHOES]
    both = b"\x02" + Layer.SHIRT.to_bytes(2, "big") + Layer.SHOES.to_bytes(2, "big")
    scene.send(session, UnequipMacro(both))
    assert shirt.parent is shoes.parent is mobile.backpack
    scene.send(
        session, EquipMacro(b"\x02" + shirt.serial.to_bytes(4, "big") + shoes.serial.to_bytes(4, "big"))
    )
    assert mobile.worn[Layer.SHIRT] is shirt
    assert mobile.worn[Layer.SHOES] is shoes
    heard(scene)
    scene.send(session, EquipMacro(b"\x01\x40\xff\xff\xff"))
    scene.send(session, UnequipMacro(b"\x01\0\x06"))
    assert heard(scene) == [Refusal.GONE.value] * 2
    scene.send(session, EquipMacro(b""), UnequipMacro(b"\x05\0"))
    assert heard(scene) == []


def test_the_help_button_leads_to_the_staff() -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    for button, told in ((1, "You are at 10, 10 in"), (2, "You have the realm to yourself")):
        scene.send(session, HelpRequest(bytes(257)))
        [dialog] = mobile.dialogs.values()
        [line] = lines(scene.send(session, GumpAnswer(dialog.serial, dialog.type_id, button, (), ())))
        assert line.startswith(told)
    for text, kind, answers in (("Stuck in a wall", 1, 1), ("", 0, 0), ("", 1, 0)):
        scene.send(session, HelpRequest(bytes(257)))
        [dialog] = mobile.dialogs.values()
        heard(scene)
        frames = scene.send(session, GumpAnswer(dialog.serial, dialog.type_id, 3, (), ()))
        assert lines(frames) == [WHAT_FOR]
        serial = mobile.serial.to_bytes(4, "big")
        # ServUO's UnicodePrompt; ClassicUO sends the eight bytes behind the size back.
        assert frames[1] == b"\xc2\0\x15" + serial + bytes([0, 0, 0, 1]) + bytes(10)
        answer = PromptAnswer(mobile.serial, 1, kind, "ENU", text.encode("utf-16-le"))
        assert lines(scene.send(session, answer)) == ([] if kind else [NOT_CALLED])
        said = heard(scene)
        if answers:
            assert [plea.text for plea in scene.world.pleas] == [text]
            assert said == ["Nobody of the staff is here; they will read it."]
        else:
            assert said == ([Refusal.NO_WORDS.value] if kind else [])
    scene.send(session, answer)
    assert heard(scene) == [Wish.UNASKED.value]
    assert len(scene.world.pleas) == 1


def test_the_3d_clients_bow_is_a_bow() -> None:
    scene = Scene()
    session = scene.session(scene.person())
    scene.send(session, AnimateRequest(32))
    [moment] = scene.world.take_changes().moments
    assert isinstance(moment, Gestured)
    assert moment.gesture == "bow"
    scene.send(session, AnimateRequest(999))
    assert heard(scene) == [Refusal.UNKNOWN.value]


def test_signs_are_read_by_double_click_and_named_by_click() -> None:
    content = uo_content()
    kind = attrs.evolve(content.tiles["wall"], name="sign")
    pieces = [Scenery(kind, 12, 10), Scenery(kind, 40, 10)]
    chart = attrs.evolve(
        content.charts["plain"], scenery=pieces, signs=(Sign(12, 10, "Bank", "Be thrifty."),)
    )
    scene = Scene(attrs.evolve(content, charts={**content.charts, "plain": chart}))
    session = scene.session(scene.person())
    found = filter(None, (scene.view.scenery.find(FIRST_SERIAL + number) for number in range(9999)))
    bank, bare = [static for static in found if static.art == 0x80]
    assert (bank.name, bare.name) == ("Bank", "sign")
    scene.send(session, DoubleClick(bank.serial))
    scene.send(session, DoubleClick(bare.serial))
    assert heard(scene) == ["Bank: Be thrifty.", Refusal.USELESS.value]
