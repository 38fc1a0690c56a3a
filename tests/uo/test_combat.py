"""A fight as Ultima Online's clients are shown it, byte by byte.

Layouts and numbers are ServUO's (Server/Network/Packets.cs; BaseWeapon.cs; Corpses/Packets.cs) and those that
ClassicUO's handlers read; nothing here is made by our own packets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.uo.packets.fighting import WarModeRequest
from protocol.uo.packets.things import DoubleClick
from protocol.uo.versions import VERSIONS, VersionNumber, server_lengths, version_of
from protocol.uo.view import Viewer
from tests.kit.uo_stage import NEWEST, PLAIN, Scene, heard, numbers, taken, uo_content, written
from world import fighting, hands, holding, life
from world.content import Content, Creature, ItemTemplate, Resident
from world.events import Died, Disengaged, Engaged, Event, Manner, Outcome, Practised, Struck, Swung
from world.item import Item, Layer

if TYPE_CHECKING:
    from protocol.uo.session import UoSession
    from protocol.uo.versions import UoVersion
    from world.mobile import Mobile

ML: VersionNumber = (5, 0, 9, 1)
AOS: VersionNumber = (4, 0, 0, 0)
OF_EACH = (NEWEST, ML, AOS)

SHEEP = Creature(level=1, hits=12, armour=0, skill=10.0, least=1, most=2)


def battlefield(*, drops: str = "pack") -> Content:
    """A sheep that can be fought, to the east of whoever comes."""
    content = uo_content(residents=(Resident("sheep", 11, 10),))
    corpse = ItemTemplate("corpse", "corpse", container=True, movable=False, look={"uo": {"item": 0x2006}})
    sheep = attrs.evolve(content.mobiles["sheep"], fights=SHEEP)
    return attrs.evolve(
        content,
        items={**content.items, "corpse": corpse},
        mobiles={**content.mobiles, "sheep": sheep},
        law=attrs.evolve(content.law, drops=drops),
    )


class Field:
    """Somebody with a sheep before them."""

    def __init__(self, *, drops: str = "pack") -> None:
        self.scene = Scene(battlefield(drops=drops))
        (self.sheep,) = self.scene.world.mobiles.values()
        self.knight = self.scene.person()
        self.knight.endow()
        self._sessions: dict[VersionNumber, UoSession] = {}
        self.scene.world.take_changes()

    def session(self, number: VersionNumber = NEWEST) -> UoSession:
        """The knight's client of that version."""
        session = self._sessions.get(number)
        if session is None:
            session = self._sessions[number] = self.scene.session(self.knight, number)
        return session

    def told(self, event: Event, viewer: Viewer, number: VersionNumber = NEWEST) -> list[bytes]:
        """The packets of an event, to the knight's client."""
        return self.told_to(self.session(number), event, viewer, number)

    def told_to(
        self, session: UoSession, event: Event, viewer: Viewer = Viewer.OTHER, number: VersionNumber = NEWEST
    ) -> list[bytes]:
        """The packets of an event, to somebody's client of that version."""
        return written(self.scene.view.event(event, viewer, version_of(number)), session)

    def blow(
        self,
        outcome: Outcome = Outcome.HIT,
        damage: int = 5,
        manner: Manner = Manner.SLASH,
        *,
        two_handed: bool = False,
        back: bool = False,
    ) -> Struck:
        """The knight strikes at the sheep, or the other way round."""
        pair = (self.sheep, self.knight) if back else (self.knight, self.sheep)
        return Struck(*pair, outcome, damage, manner, 2500, [], two_handed)


def serial(thing: Mobile | Item) -> str:
    return f"{thing.serial:08x}"


def place(thing: Mobile | Item) -> str:
    return f"{PLAIN['x'] + thing.x:04x}{PLAIN['y'] + thing.y:04x}0000"


def sound(number: int, thing: Mobile | Item) -> str:
    return f"5401{number:04x}0000{place(thing)}"


@pytest.mark.parametrize("number", OF_EACH)
def test_a_blow_is_swung_heard_and_counted(number: VersionNumber) -> None:
    field = Field()
    bert = field.scene.session(field.scene.person("Bert", 12, 10), number)
    knight, sheep = serial(field.knight), serial(field.sheep)
    if number == NEWEST:
        swing, wince = f"e2{knight}0000000400", f"e2{sheep}0004000000"
    else:
        swing, wince = f"6e{knight}000900070001000000", f"6e{sheep}000700050001000000"
    counted = f"bf000b002201{sheep}05" if number == AOS else f"0b{sheep}0005"
    seen = [swing, sound(0x237, field.knight), sound(0xD6 + 3, field.sheep), wince]
    assert [frame.hex() for frame in field.told(field.blow(), Viewer.SELF, number)] == [
        f"2f00{knight}{sheep}",
        *seen,
        counted,
    ]
    told = field.told_to(bert, field.blow(), number=number)
    assert [frame.hex() for frame in told] == seen, "the number is not for bystanders"


@pytest.mark.parametrize(
    ("number", "counted"), [(NEWEST, "0b{}012c"), (ML, "0b{}012c"), (AOS, "bf000b002201{}ff")]
)
def test_the_one_struck_reads_the_number_and_bystanders_do_not(number: VersionNumber, counted: str) -> None:
    field = Field()
    bert = field.scene.session(field.scene.person("Bert", 12, 10), number)
    blow = field.blow(damage=300, back=True)
    assert field.told(blow, Viewer.OTHER, number)[-1].hex() == counted.format(serial(field.knight))
    told = written(field.scene.view.event(blow, Viewer.OTHER, version_of(number)), bert)
    assert [frame for frame in told if frame and frame[0] in (0x0B, 0xBF)] == []


@pytest.mark.parametrize(
    ("manner", "two_handed", "new", "old"),
    [
        (Manner.FIST, False, 0, 31),
        (Manner.SHOOT, True, 1, 18),
        (Manner.BASH, False, 3, 11),
        (Manner.SLASH, False, 4, 9),
        (Manner.PIERCE, False, 5, 10),
        (Manner.BASH, True, 6, 12),
        (Manner.SLASH, True, 7, 13),
        (Manner.PIERCE, True, 8, 14),
    ],
)
def test_people_strike_as_their_weapon_is_used(manner: Manner, two_handed: bool, new: int, old: int) -> None:
    field = Field()
    blow = field.blow(Outcome.MISSED, 0, manner, two_handed=two_handed)
    assert field.told(blow, Viewer.OTHER)[0].hex() == f"e2{serial(field.knight)}0000{new:04x}00"
    assert field.told(blow, Viewer.OTHER, ML)[0].hex() == f"6e{serial(field.knight)}{old:04x}00070001000000"


def test_a_beast_strikes_by_the_attack_of_its_body_and_is_heard_when_it_hits() -> None:
    field = Field()
    sheep, knight = serial(field.sheep), serial(field.knight)
    hit, miss = (
        field.blow(manner=Manner.BITE, back=True),
        field.blow(Outcome.MISSED, 0, Manner.BITE, back=True),
    )
    assert [frame.hex() for frame in field.told(miss, Viewer.OTHER)] == [f"e2{sheep}0000000000"]
    assert [frame.hex() for frame in field.told(miss, Viewer.OTHER, ML)] == [f"6e{sheep}000500070001000000"]
    assert [frame.hex() for frame in field.told(hit, Viewer.OTHER, ML)][1:4] == [
        sound(0xD6 + 2, field.sheep),
        sound(0x154 + field.knight.serial % 4, field.knight),
        f"6e{knight}001400050001000000",
    ]


def test_a_miss_is_heard_a_parry_is_seen_and_neither_is_counted() -> None:
    field = Field()
    missed = field.told(field.blow(Outcome.MISSED, 0, Manner.BASH), Viewer.SELF)
    blocked = field.told(field.blow(Outcome.BLOCKED, 0, Manner.BASH), Viewer.SELF)
    assert [frame.hex() for frame in missed[2:]] == [sound(0x239, field.knight)]
    assert [frame.hex() for frame in blocked[2:]] == [
        sound(0x239, field.knight),
        f"e2{serial(field.sheep)}0001000000",
    ]


def test_a_blow_at_nobody_is_seen() -> None:
    field = Field()
    swung = Swung(field.knight, 2, [])
    assert [frame.hex() for frame in field.told(swung, Viewer.OTHER)] == [
        f"e2{serial(field.knight)}0000000000"
    ]


def test_an_enemy_is_shown_to_who_fights_until_the_fight_ends() -> None:
    field = Field()
    field.session()
    fighting.attack(field.knight, field.sheep)
    assert [frame.hex() for frame in field.told(Engaged(field.knight, field.sheep, []), Viewer.SELF)] == [
        "7201003200",
        f"aa{serial(field.sheep)}",
    ]
    assert field.told(Engaged(field.knight, field.sheep, []), Viewer.OTHER) == []
    assert [frame.hex() for frame in field.told(Disengaged(field.knight, []), Viewer.SELF)] == ["aa00000000"]


@pytest.mark.parametrize("number", OF_EACH)
def test_a_creature_is_at_war_while_it_has_an_enemy(number: VersionNumber) -> None:
    field = Field()
    for flag in (0x40, 0):
        if flag:
            fighting.attack(field.sheep, field.knight)
        else:
            fighting.stop(field.sheep)
        flags = dict(field.scene.world.take_changes().dirty)[field.sheep]
        shown = written(field.scene.view.changed(field.sheep, flags, Viewer.OTHER, version_of(number)))
        [stands] = [frame for frame in shown if frame[0] == 0x77]
        assert (stands[1:5].hex(), stands[15] & 0x40) == (serial(field.sheep), flag)


def test_a_creature_growls_and_who_is_attacked_reads_of_it() -> None:
    field = Field()
    bert = field.scene.session(field.scene.person("Bert", 12, 10))
    event = Engaged(field.sheep, field.knight, [])
    growl, words = field.told(event, Viewer.OTHER)
    assert growl.hex() == sound(0xD6, field.sheep)
    # 0x1C, say, 0x22, font 3: recorded of ServUO.
    assert words.hex().startswith(f"1c0046{serial(field.knight)}0190000022")
    assert words[44:] == b"a sheep is attacking you!\0"
    assert [frame.hex() for frame in field.told_to(bert, event)] == [sound(0xD6, field.sheep)]


# Deaths


@pytest.mark.parametrize("number", OF_EACH)
def test_a_beast_falls_before_it_is_gone_and_its_corpse_is_its_body(number: VersionNumber) -> None:
    field = Field()
    field.sheep.heading = 6
    life.kill(field.sheep, field.knight)
    [died] = [event for event in field.scene.world.take_changes().events if isinstance(event, Died)]
    corpse = died.corpse
    assert corpse is not None
    assert [frame.hex() for frame in field.told(died, Viewer.OTHER, number)] == [
        f"af{serial(field.sheep)}{serial(corpse)}00000000",
        sound(0xD6 + 4, corpse),
    ]
    x, y = PLAIN["x"] + 11, PLAIN["y"] + 10
    shown = written(field.scene.view.show(corpse, Viewer.OTHER, version_of(number)))
    if number == NEWEST:
        assert shown[0].hex() == f"f3000100{serial(corpse)}20060000cf00cf{x:04x}{y:04x}00060000000000"
    else:
        flagged = corpse.serial | 0x80000000
        assert shown[0].hex() == f"1a0011{flagged:08x}200600cf{x | 0x8000:04x}{y:04x}0600"
    assert [frame[0] for frame in shown[1:]] in ([], [0xDC])


def test_a_corpse_that_is_gone_already_is_not_named() -> None:
    field = Field()
    life.kill(field.sheep, field.knight)
    [died] = [event for event in field.scene.world.take_changes().events if isinstance(event, Died)]
    assert died.corpse is not None
    hands.remove(died.corpse)
    assert [frame.hex() for frame in field.told(died, Viewer.OTHER)] == [
        f"af{serial(field.sheep)}0000000000000000"
    ]


def test_whoever_dies_is_told_so_and_fights_no_more() -> None:
    field = Field()
    life.kill(field.knight, field.sheep)
    [died] = [event for event in field.scene.world.take_changes().events if isinstance(event, Died)]
    assert [frame.hex() for frame in field.told(died, Viewer.SELF)] == ["2c00", "7200003200", "aa00000000"]
    assert field.told(died, Viewer.OTHER)[0][0] == 0xAF


@pytest.mark.parametrize("number", OF_EACH)
def test_the_corpse_of_a_person_wears_what_was_lost_and_its_hair(number: VersionNumber) -> None:
    field = Field(drops="all")
    shirt = field.knight.worn[Layer.SHIRT]
    life.kill(field.knight, field.sheep)
    [died] = [event for event in field.scene.world.take_changes().events if isinstance(event, Died)]
    corpse = died.corpse
    assert corpse is not None
    shown = written(field.scene.view.show(corpse, Viewer.OTHER, version_of(number)))
    [content] = [frame for frame in shown if frame[0] == 0x3C]
    [clothes] = [frame for frame in shown if frame[0] == 0x89]
    assert numbers(shown)[1:3] == [0x3C, 0x89]
    size = 20 if number == NEWEST else 19
    count = int.from_bytes(content[3:5], "big")
    assert len(content) == 5 + size * count
    inside = {content[at : at + 4] for at in range(5, len(content), size)}
    assert clothes[3:7].hex() == serial(corpse)
    assert clothes[-1] == 0
    pairs = {clothes[at + 1 : at + 5]: clothes[at] for at in range(7, len(clothes) - 1, 5)}
    assert len(pairs) == count
    assert set(pairs) == inside
    assert pairs[shirt.serial.to_bytes(4, "big")] == Layer.SHIRT + 1
    assert Layer.HAIR + 1 in pairs.values()
    assert len(set(pairs.values())) == len(pairs)


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (NEWEST, "f3000100{}200600000100011523026200040000000000"),
        ((7, 0, 0, 0), "f3000100{}20060000010001152302620004000000"),
        (ML, "1a0011{}20060001952302620400"),
        ((2, 0, 3, 0), "1a0011{}20060001952302620400"),
    ],
)
def test_the_corpse_of_the_first_body_is_no_single_thing(number: VersionNumber, shown: str) -> None:
    content = battlefield()
    ogre = attrs.evolve(content.mobiles["sheep"], look={"uo": {"body": 1}})
    scene = Scene(attrs.evolve(content, mobiles={**content.mobiles, "sheep": ogre}))
    (beast,) = scene.world.mobiles.values()
    life.kill(beast)
    (corpse,) = (item for item in scene.world.items.values() if item.remains)
    lies = written(scene.view.show(corpse, Viewer.OTHER, version_of(number)))[0]
    old = version_of(number).since < (7, 0, 0, 0)
    assert lies.hex() == shown.format(f"{corpse.serial | 0x80000000 if old else corpse.serial:08x}")


@pytest.mark.parametrize("number", OF_EACH)
def test_what_is_put_back_on_a_corpse_is_worn_again(number: VersionNumber) -> None:
    field = Field(drops="all")
    shirt = field.knight.worn[Layer.SHIRT]
    life.kill(field.knight, field.sheep)
    corpse = shirt.parent
    assert isinstance(corpse, Item)
    for viewer, first in ((Viewer.OUTSIDE, 0x3C), (Viewer.OTHER, 0x25)):
        told = written(field.scene.view.changed(shirt, 1, viewer, version_of(number)))
        assert numbers(told)[:2] == [first, 0x89]
        pairs = {told[1][at + 1 : at + 5]: told[1][at] for at in range(7, len(told[1]) - 1, 5)}
        assert pairs[shirt.serial.to_bytes(4, "big")] == Layer.SHIRT + 1
        hair = 1 if viewer is Viewer.OUTSIDE else 0
        assert len(pairs) == len(corpse.remains.worn) + hair  # type: ignore[union-attr]
    spare = holding.make(field.scene.world, "shirt")
    holding.put(corpse, spare)
    assert field.scene.view.changed(spare, 1, Viewer.OUTSIDE, version_of(number)) == []
    told = written(field.scene.view.changed(spare, 1, Viewer.OTHER, version_of(number)))
    assert 0x89 not in numbers(told), "it lay in the pack, or somebody put it there"


def test_who_keeps_clothes_in_death_leaves_a_corpse_with_hair_alone() -> None:
    field = Field()
    life.kill(field.knight, field.sheep)
    [died] = [event for event in field.scene.world.take_changes().events if isinstance(event, Died)]
    assert died.corpse is not None
    shown = written(field.scene.view.show(died.corpse, Viewer.OTHER, version_of(NEWEST)))
    [clothes] = [frame for frame in shown if frame[0] == 0x89]
    assert len(clothes) == 3 + 4 + 5 + 1
    assert clothes[7] == Layer.HAIR + 1


@pytest.mark.parametrize(("number", "pattern"), [(NEWEST, "007d"), (ML, ""), (AOS, "")])
def test_a_corpse_opens_in_a_window_of_its_own(number: VersionNumber, pattern: str) -> None:
    field = Field()
    life.kill(field.sheep, field.knight)
    [died] = [event for event in field.scene.world.take_changes().events if isinstance(event, Died)]
    corpse = died.corpse
    assert corpse is not None
    loot = holding.make(field.scene.world, "gold", amount=7)
    holding.put(corpse, loot)
    session = field.scene.session(field.knight, number)
    session.known[corpse.serial] = corpse
    opened, content = field.scene.send(session, DoubleClick(corpse.serial))[:2]
    assert opened.hex() == f"24{serial(corpse)}0009{pattern}"
    assert content[5:9] == loot.serial.to_bytes(4, "big")
    x, y = int.from_bytes(content[14:16], "big"), int.from_bytes(content[16:18], "big")
    assert 20 <= x <= 124
    assert 85 <= y <= 196


# What its player asks and is told


def test_a_double_click_at_war_attacks_whom_one_may_fight() -> None:
    field = Field()
    session = field.scene.session(field.knight)
    session.known[field.sheep.serial] = field.sheep
    field.scene.send(session, DoubleClick(field.sheep.serial))
    assert field.knight.fighter is not None
    assert field.knight.fighter.enemy == 0, "nobody fights by a click in peace"
    field.scene.send(session, WarModeRequest(True, b"\0\x32\0"), DoubleClick(field.sheep.serial | 0x80000000))
    assert field.knight.fighter.enemy == 0, "that asks for a paperdoll"
    heard(field.scene)
    field.scene.send(session, DoubleClick(field.sheep.serial))
    assert field.knight.fighter.enemy == field.sheep.serial
    assert numbers(field.scene.send(session, DoubleClick(field.knight.serial))) == [0x88]
    assert taken(session) == []


@pytest.mark.parametrize(("number", "at"), [(NEWEST, 62), (ML, 62), (AOS, 62)])
def test_the_sheet_tells_armour_and_what_the_weapon_does(number: VersionNumber, at: int) -> None:
    field = Field()
    rule = field.scene.world.content.combat
    shirt = field.knight.worn[Layer.SHIRT]
    shirt.template = attrs.evolve(shirt.template, armour=9)
    [status] = [
        frame
        for frame in written(field.scene.view.changed(field.knight, 0x20, Viewer.SELF, version_of(number)))
        if frame[0] == 0x11
    ]
    assert int.from_bytes(status[at : at + 2], "big") == 9
    # Damage and tithing points end what all of them have; the newest goes on with 15 numbers more.
    end = len(status) - (30 if number == NEWEST else 0)
    assert int.from_bytes(status[end - 8 : end - 6], "big") == rule.fist_least
    assert int.from_bytes(status[end - 6 : end - 4], "big") == rule.fist_most


def test_a_skill_that_this_client_does_not_have_grows_in_words() -> None:
    field = Field()
    assert field.knight.learner is not None
    field.knight.learner.learn("swords", 301)
    assert field.told(Practised(field.knight, "swords", 301, []), Viewer.SELF) == [], "0x3A tells that"
    [words] = field.told(Practised(field.knight, "staves", 301, []), Viewer.SELF)
    assert words[0] == 0xAE


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: str(version.since))
def test_each_version_reads_all_of_a_fight(version: UoVersion) -> None:
    field = Field(drops="all")
    number = version.since
    lengths = server_lengths(number)
    events: list[Event] = [
        *(
            field.blow(outcome, 5, manner, back=back)
            for outcome in Outcome
            for manner in Manner
            for back in (False, True)
        ),
        Engaged(field.knight, field.sheep, []),
        Disengaged(field.sheep, []),
        Swung(field.knight, 2, []),
        Died(field.sheep, []),
    ]
    for event in events:
        for viewer in (Viewer.SELF, Viewer.OTHER):
            for frame in field.told(event, viewer, number):
                size = lengths[frame[0]] if frame else 0
                assert len(frame) == (size or int.from_bytes(frame[1:3], "big")), frame.hex()
