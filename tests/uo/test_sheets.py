"""The own status of all layouts, skills with their caps, titles: PLAY's numbers in Ultima Online."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.uo.packets.people import ProfileRequest
from protocol.uo.packets.status import SKILL_NUMBERS, StatusRequest
from protocol.uo.packets.things import DoubleClick
from protocol.uo.sheets import PROFESSIONS, full_status, skill_changed, titled
from protocol.uo.versions import VERSIONS
from protocol.uo.view import Viewer
from tests.kit.uo_stage import NEWEST, Scene, lines, numbers, shown, uo_content, written
from world import arms, holding, learning
from world.content import ItemTemplate, Weapon
from world.events import Advanced, Gained, Practised
from world.item import Layer
from world.rules import growth
from world.rules.combat import Manner
from world.rules.numbers import GrowthRule
from world.skills import SKILLS

if TYPE_CHECKING:
    from protocol.uo.session import UoSession
    from protocol.uo.versions import VersionNumber
    from world.mobile import Mobile

RULE = GrowthRule()


def knight(version: VersionNumber = NEWEST) -> tuple[Scene, UoSession, Mobile]:
    """Somebody of level 7 in a mail shirt of 12 armour, with a sword of 6 to 11."""
    content = uo_content()
    sword = ItemTemplate(
        "sword",
        "sword",
        Layer.ONE_HANDED,
        weapon=Weapon("swords", 6, 11, 2500, Manner.SLASH),
        look={"uo": {"item": 0x0F61}},
    )
    mail = ItemTemplate("mail", "mail shirt", Layer.INNER_TORSO, armour=12, look={"uo": {"item": 0x13BF}})
    scene = Scene(attrs.evolve(content, items={**content.items, "sword": sword, "mail": mail}))
    mobile = scene.person()
    session = scene.session(mobile, version)
    mobile.endow()
    mobile.level, mobile.experience = 7, growth.least_experience(7, RULE)
    mobile.strength, mobile.dexterity, mobile.intelligence, mobile.vitality = 40, 30, 20, 15
    learning.measure(mobile)
    mobile.hits, mobile.mana, mobile.stam = 90, 30, 25
    for key in ("sword", "mail"):
        holding.wear(mobile, holding.make(scene.world, key, stored=False))
    assert mobile.learner is not None
    mobile.learner.learn("tactics", 300)
    mobile.learner.learn("swords", 412)
    scene.world.take_changes()
    return scene, session, mobile


def u16(frame: bytes, at: int) -> int:
    return int.from_bytes(frame[at : at + 2], "big")


@pytest.mark.parametrize(
    ("version", "size", "kind", "tail"),
    [(NEWEST, 121, 6, 69), ((5, 0, 9, 1), 91, 5, 69), ((2, 0, 3, 0), 88, 4, 66)],
)
def test_the_own_status_has_the_worlds_numbers(
    version: VersionNumber, size: int, kind: int, tail: int
) -> None:
    scene, session, mobile = knight(version)
    own = scene.send(session, StatusRequest(0xEDEDEDED, 4, mobile.serial))[0]
    assert (len(own), own[0], own[42]) == (size, 0x11, kind)
    # PLAY, section 2: 30 + S/2 + 2V + 6L, 20 + 2I + 3L, 20 + D.
    assert (u16(own, 37), u16(own, 39)) == (90, 30 + 20 + 30 + 42)
    assert [u16(own, at) for at in range(44, 58, 2)] == [40, 30, 20, 25, 50, 30, 20 + 40 + 21]
    assert u16(own, 62) == 12, "armour"
    if kind >= 5:
        assert (u16(own, 66), own[68]) == (40 + 140, 1), "what it can carry, human"
    assert u16(own, tail) == 3 * 125, "the most of three attributes"
    # 6 and 11, times 1 + 0.003 * 40 + 0.006 * 30.
    assert (u16(own, tail + 14), u16(own, tail + 16)) == (round(6 * 1.3), round(11 * 1.3))


def test_arms_change_the_status() -> None:
    scene, session, mobile = knight()
    dagger = next(item for item in mobile.worn.values() if item.template.key == "sword")
    del mobile.worn[dagger.layer or Layer.ONE_HANDED]
    holding.put(mobile.worn[Layer.BACKPACK], dagger)
    mobile.mark(0x1000)
    (status,) = [frame for frame in shown(scene, session) if frame[0] == 0x11]
    assert (u16(status, 83), u16(status, 85)) == arms.damage_of(mobile)


@given(
    level=st.integers(1, 60),
    attributes=st.tuples(*[st.integers(10, 125)] * 4),
    armour=st.integers(0, 70_000),
)
def test_every_number_fits_its_field(level: int, attributes: tuple[int, ...], armour: int) -> None:
    _, _, mobile = _KNIGHT
    mobile.level, mobile.experience = level, growth.least_experience(level, RULE)
    mobile.strength, mobile.dexterity, mobile.intelligence, mobile.vitality = attributes
    mail = next(item for item in mobile.worn.values() if item.template.key == "mail")
    mail.template = attrs.evolve(mail.template, armour=armour)
    learning.measure(mobile)
    for version in VERSIONS:
        frame = full_status(mobile, version).encode()
        assert len(frame) == int.from_bytes(frame[1:3], "big")
        assert u16(frame, 62) == min(armour, 0xFFFF)


_KNIGHT = knight()


def test_caps_of_skills_grow_with_the_level() -> None:
    scene, session, mobile = knight()
    assert mobile.learner is not None
    before = skill_changed(mobile, SKILL_NUMBERS["swords"])
    # PLAY: min(100, 35 + 65 * L / 60): 42.6 at level 7.
    assert before.encode() == bytes.fromhex("3a 000d df 0028 019c 019c 00 01aa")
    mobile.level = 60
    frames = [frame for frame in shown(scene, session) if frame[0] == 0x3A]
    assert bytes.fromhex("3a 000d df 0028 019c 019c 00 03e8") in frames
    assert len(frames) == len(SKILL_NUMBERS), "also of what one has not begun to learn"
    assert {frame[-2:] for frame in frames} == {b"\x03\xe8"}
    mobile.learner.lock("swords", 2)
    assert len([frame for frame in shown(scene, session) if frame[0] == 0x3A]) == 2, "those one knows"
    told = written(scene.view.event(Advanced(mobile, 60, ()), Viewer.SELF, session.dialect))
    assert lines(told) == ["You are now of level 60."]
    others = written(scene.view.event(Advanced(mobile, 60, ()), Viewer.OTHER, session.dialect))
    assert lines(others) == ["Alric is now of level 60."]
    assert numbers(others) == [0xAE]


def test_a_skill_that_grows_is_told_by_its_number() -> None:
    scene, session, mobile = knight()
    scene.world.random.random = lambda: 0.0  # type: ignore[method-assign]
    assert learning.practise(mobile, "swords", 60.0)
    frames = shown(scene, session)
    assert bytes.fromhex("3a 000d df 0028 019d 019d 00 01aa") in frames
    grown = Practised(mobile, "swords", 413, ())
    assert written(scene.view.event(grown, Viewer.SELF, session.dialect)) == []
    unknown = Practised(mobile, "staves", 31, ())
    told = written(scene.view.event(unknown, Viewer.SELF, session.dialect))
    assert lines(told) == ["Your skill in staves is now 3.1."]


def test_experience_is_a_line() -> None:
    scene, session, mobile = knight()
    told = written(scene.view.event(Gained(mobile, 90, ()), Viewer.SELF, session.dialect))
    assert lines(told) == ["You gain 90 experience."]


@pytest.mark.parametrize(
    ("skills", "title"),
    [
        ({}, "Alric, level 7"),
        ({"swords": 299}, "Alric, level 7"),
        ({"swords": 300, "tactics": 300}, "Alric the Neophyte Swordsman, level 7"),
        ({"tactics": 301, "magery": 499}, "Alric the Novice Mage, level 7"),
        ({"bows": 1000}, "Alric the Grandmaster Archer, level 7"),
        ({"staves": 700}, "Alric the Expert Staff Fighter, level 7"),
    ],
)
def test_the_title_says_what_one_is(skills: dict[str, int], title: str) -> None:
    scene, session, mobile = knight()
    assert mobile.learner is not None
    mobile.learner.skills.clear()
    for name, value in skills.items():
        mobile.learner.learn(name, value)
    (paperdoll,) = scene.send(session, DoubleClick(mobile.serial))
    assert paperdoll[5:65].rstrip(b"\0").decode() == title


def test_a_title_of_its_own_stays() -> None:
    _, _, mobile = knight()
    mobile.title = "the brave"
    assert titled(mobile) == "Alric the brave, level 7"
    assert set(PROFESSIONS) == set(SKILLS)


def test_what_no_window_shows_is_in_the_own_profile() -> None:
    scene, session, mobile = knight()
    other = scene.person("Berta", 11, 10)
    scene.world.take_changes()
    session.known[other.serial] = other
    assert mobile.learner is not None
    mobile.learner.points = 3
    (own,) = scene.send(session, ProfileRequest(0, mobile.serial, b""))
    words = "You are of level 7 (45653 experience); your vitality is 15. You have 3 points to spend."
    assert words.encode("utf-16-be") in own
    (theirs,) = scene.send(session, ProfileRequest(0, other.serial, b""))
    assert theirs[7:].startswith(b"Berta, level 1\0")
    assert "vitality".encode("utf-16-be") not in theirs
