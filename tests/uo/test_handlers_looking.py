"""Questions about what one sees: clicks, names, tooltips, status bars and skills, signs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.uo.handlers.entering import welcome
from protocol.uo.packets.people import (
    NameRequest,
    ProfileRequest,
)
from protocol.uo.packets.status import SkillLock, StatLock, StatusRequest
from protocol.uo.packets.things import (
    DoubleClick,
    ObjectHelpRequest,
    PropertiesRequest,
    PropertiesRequestOld,
    SingleClick,
)
from protocol.uo.scenery import FIRST_SERIAL
from protocol.uo.versions import (
    VersionNumber,
    server_lengths,
)
from protocol.wishes import Wish
from tests.kit.uo_client import UoClient
from tests.kit.uo_stage import (
    CLIENT_VERSIONS,
    NEWEST,
    Scene,
    heard,
    numbers,
    pressed,
    shown,
    taken,
    uo_content,
)
from world import holding
from world.content import Scenery, Sign
from world.item import Layer
from world.parts import Skill
from world.reach import Refusal

if TYPE_CHECKING:
    from world.mobile import Mobile


def locks_of(mobile: Mobile, bits: int) -> bytes:
    """0xBF 0x19 with the locks of attributes."""
    return bytes.fromhex("bf000c001902") + mobile.serial.to_bytes(4, "big") + bytes([0, bits])


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


@pytest.mark.parametrize("version", CLIENT_VERSIONS)
def test_a_double_click_opens_ones_own_pack(version: VersionNumber) -> None:
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


@pytest.mark.parametrize(("version", "size"), [(NEWEST, 121), ((7, 0, 15, 1), 91), ((4, 0, 11, 0), 88)])
def test_the_own_status_is_whole_and_others_are_not(version: VersionNumber, size: int) -> None:
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
    assert rows[25] == bytes.fromhex("001a 0131 0131 00 0169")
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
            bytes.fromhex("3a 000d df 0019 0000 0000 02 0169"),
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


def test_a_click_on_what_cannot_be_used_is_answered() -> None:
    scene = Scene()
    session = scene.session(scene.person())
    assert scene.send(session, DoubleClick(0x3FFFFFFF)) == []
    assert heard(scene) == [Refusal.UNSEEN.value]
    assert scene.send(session, DoubleClick(0x7E000000)) == []
    assert heard(scene) == [Refusal.USELESS.value]


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
