"""Windows: gumps, context menus, tips, the help button."""

from __future__ import annotations

import attrs

from protocol.uo.handlers import TABLE
from protocol.uo.handlers.looking import PAPERDOLL_BIT
from protocol.uo.packets.dialogs import (
    GumpAnswer,
    MenuChoice,
    MenuRequest,
    TextEntry,
    TipRequest,
)
from protocol.uo.packets.things import (
    DoubleClick,
)
from protocol.uo.view import Viewer
from protocol.wishes import Wish
from tests.kit.uo_stage import Scene, happened, heard, numbers, player, pressed, uo_content, written
from world import conduct, dialogs, helpdesk, residents
from world.content import Resident
from world.events import Asked
from world.mobile import Mobile
from world.reach import Refusal


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
    assert "You ask Berta into your party." in heard(scene)
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
    scene = Scene(uo_content(residents=(Resident("crier", 11, 10),)))
    mobile = scene.person()
    realm = mobile.realm
    assert realm is not None
    crier = residents.move_in(scene.world, realm, Resident("crier", 12, 10))
    session = scene.session(mobile)
    session.known[crier.serial] = crier
    [menu] = scene.send(session, MenuRequest(crier.serial))
    texts = [int.from_bytes(menu[at : at + 4], "big") for at in range(12, len(menu), 8)]
    assert texts == [3006123, 3006146]
    for packet, opcodes in ((MenuChoice(crier.serial, 2), []), (DoubleClick(crier.serial), [0x88])):
        assert [frame[0] for frame in scene.send(session, packet)] == opcodes
        scene.pass_time(1)
        assert isinstance(happened(scene, Asked), Asked)
    assert [frame[0] for frame in scene.send(session, DoubleClick(crier.serial | 0x80000000))] == [0x88]
    scene.pass_time(1)
    assert heard(scene) == []


def test_tips_go_round() -> None:
    scene = Scene()
    session = scene.session(scene.person())
    [first] = scene.send(session, TipRequest(4, 1))
    [last] = scene.send(session, TipRequest(0, 0))
    assert (first[0], first[3:8], last[3:8]) == (0xA6, bytes(5), bytes([0, 0, 0, 0, 4]))
    assert int.from_bytes(first[8:10], "big") == len(first) - 10 > 20


def test_the_help_button_asks_what_one_needs() -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    # 258 bytes, all of them zeros behind the number (facts/uo.md).
    assert pressed(scene, session, b"\x9b" + bytes(257)) == []
    [dialog] = mobile.dialogs.values()
    assert dialog.name == helpdesk.HELP
    [gump] = scene.view.event(Asked(mobile, dialog, ()), Viewer.SELF, session.dialect)
    assert numbers(written([gump])) == [0xDD]
    assert scene.send(session, GumpAnswer(dialog.serial, dialog.type_id, helpdesk.REPORT, (), ())) == []
    [form] = mobile.dialogs.values()
    berta = scene.person("Berta", 30, 30)
    fields = (TextEntry(0, "Berta"), TextEntry(1, "She shouts"))
    scene.send(session, GumpAnswer(form.serial, form.type_id, 1, (), fields))
    assert heard(scene) == ["Nobody of the staff is here; they will read it."]
    [report] = conduct.reports(scene.world).values()
    assert (report.who, report.about, report.text) == (mobile.name, berta.name, "She shouts")


def test_what_was_typed_for_nobody_is_answered() -> None:
    """0xC2: nothing here asks for a line in that way."""
    scene = Scene()
    session = scene.session(scene.person())
    frame = b"\xc2\0\x17" + bytes(8) + b"\0\0\0\1ENU\0h\0"
    entry = TABLE.entry(0xC2)
    assert entry is not None
    entry.handler(session, entry.decode(frame))
    assert heard(scene) == [Wish.UNASKED.value]
