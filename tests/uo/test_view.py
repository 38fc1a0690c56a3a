"""What the view sends for each change and each event: ServUO's table, for every version, byte by byte where
it matters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.uo.figures import growth_serial, properties
from protocol.uo.packets.motion import MobileMoved, PlayerPlaced
from protocol.uo.packets.people import MobileIncoming, MobileIncomingOld
from protocol.uo.packets.things import Properties, PropertiesRevision
from protocol.uo.versions import VARIABLE, VERSIONS, UoVersion, server_lengths, version_of
from protocol.uo.view import PlacePlayer, Viewer
from tests.kit.uo_stage import (
    NEWEST,
    PLAIN,
    Scene,
    happened,
    numbers,
    taken,
    uo_content,
    written,
)
from world import dialogs, hands, holding, life, motion, speech
from world.content import ItemTemplate, Resident
from world.delta import ItemDelta, MobileDelta
from world.events import (
    Died,
    Opened,
    Revived,
    Stepped,
    Turned,
    Warped,
    Why,
)
from world.item import Item, Layer
from world.mobile import Mobile
from world.residents import settle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

D = MobileDelta
NOW = version_of(NEWEST)


def changed(
    scene: Scene, thing: Mobile | Item, flags: int, viewer: Viewer, version: UoVersion = NOW
) -> list[int]:
    return numbers(
        message.raw  # type: ignore[union-attr]
        for message in scene.view.changed(thing, flags, viewer, version)
    )


@pytest.mark.parametrize(
    ("flags", "own", "others"),
    [
        (D.HUE, [0x20], [0x1D, 0x78]),
        (D.BODY, [0x20, 0x78], [0x78]),
        (D.FLAGS, [0x77, 0x17], [0x77, 0x17]),
        (D.NOTO, [0x77], [0x77]),
        (D.NAME, [0x11, 0xDC], [0x11, 0xDC]),
        (D.STAT, [0x11], []),
        (D.WEIGHT, [0x11], []),
        (D.ARMOR, [0x11], []),
        (D.HITS | D.MANA | D.STAM, [0x2D], [0xA1]),
        (D.HITS, [0xA1], [0xA1]),
        (D.STAM, [0xA3], []),
        (D.MANA, [0xA2], []),
        (D.STAM | D.MANA, [0xA3, 0xA2], []),
        (D.HITS | D.MANA, [0xA1, 0xA2], [0xA1]),
        (D.HAIR, [0x2E], [0x2E]),
        (D.FACIAL_HAIR, [0x1D], [0x1D]),
        (D.PROPERTIES, [0xDC], [0xDC]),
        (D.SKILLS, [0xBF19], []),
        (D.POSTURE, [], []),
        (D.NAME | D.HITS, [0x11, 0xDC], [0x11, 0xDC]),
        (D.HITS | D.MANA | D.STAM | D.WEIGHT, [0x11], [0xA1]),
        (D.BODY | D.HUE | D.FLAGS, [0x20, 0x78, 0x77, 0x17], [0x1D, 0x78, 0x77, 0x17]),
        (D.HITS | D.HAIR | D.PROPERTIES | D.HUE, [0x20, 0xA1, 0x2E, 0xDC], [0x1D, 0x78, 0xA1, 0x2E, 0xDC]),
    ],
)
def test_changed_mobiles_are_sent_as_servuo_does(flags: int, own: list[int], others: list[int]) -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    told = scene.view.changed(mobile, flags, Viewer.SELF, NOW)
    assert numbers(written(told, session)) == own
    assert changed(scene, mobile, flags, Viewer.OTHER) == others


def test_every_single_flag_is_answered_or_left_out_on_purpose() -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    silent = set()
    for name, flag in vars(MobileDelta).items():
        if isinstance(flag, int) and not written(scene.view.changed(mobile, flag, Viewer.SELF, NOW), session):
            silent.add(name)
    assert silent == {"POSTURE", "GAME", "TARGET"}


def test_hits_are_real_for_the_player_and_scaled_for_others() -> None:
    scene = Scene()
    mobile = scene.person()
    mobile.hits_max, mobile.hits = 80, 10
    own = written(scene.view.changed(mobile, D.HITS, Viewer.SELF, NOW))
    others = written(scene.view.changed(mobile, D.HITS, Viewer.OTHER, NOW))
    serial = mobile.serial.to_bytes(4, "big")
    assert own == [b"\xa1" + serial + b"\x00\x50\x00\x0a"]
    assert others == [b"\xa1" + serial + b"\x00\x64\x00\x0c"]


@pytest.fixture(scope="module")
def scene() -> Iterator[Scene]:
    """One for many examples, with one person."""
    made = Scene()
    made.person()
    yield made
    made.database.close()


@given(hits=st.integers(0, 1000), most=st.integers(1, 1000))
def test_scaled_hits_are_nothing_only_for_those_who_have_none(scene: Scene, hits: int, most: int) -> None:
    (mobile,) = scene.world.mobiles.values()
    mobile.hits_max, mobile.hits = most, min(hits, most)
    scaled = int.from_bytes(written(scene.view.changed(mobile, D.HITS, Viewer.OTHER, NOW))[0][7:9], "big")
    assert 0 <= scaled <= 100
    assert (scaled == 0) is (mobile.hits == 0)
    assert (scaled == 100) is (mobile.hits == most)


def test_resurrection_sends_exactly_one_hits_packet() -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    life.kill(mobile)
    scene.world.take_changes()
    life.resurrect(mobile)
    [(thing, flags)] = scene.world.take_changes().dirty
    assert thing is mobile
    told = written(scene.view.changed(mobile, flags, Viewer.SELF, NOW), session)
    assert [frame for frame in told if frame[0] in (0x11, 0x2D, 0xA1)] == [
        b"\xa1" + mobile.serial.to_bytes(4, "big") + b"\x00\x32\x00\x0a"
    ]


def test_who_has_left_has_no_state_to_show() -> None:
    scene = Scene()
    mobile = scene.person()
    scene.world.leave(mobile)
    for viewer in Viewer:
        assert scene.view.changed(mobile, D.BODY | D.FLAGS | D.HITS, viewer, NOW) == []


def test_being_placed_makes_the_clients_steps_start_again() -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    session.steps.expected = 9
    [placed] = scene.view.changed(mobile, D.HUE, Viewer.SELF, NOW)
    assert isinstance(placed, PlacePlayer)
    assert session.steps.expected == 9
    epoch = session.steps.epoch
    frame = placed.bind(session)
    assert (session.steps.expected, session.steps.epoch) == (0, epoch + 1)
    packet = PlayerPlaced.decode(frame)
    assert (packet.x, packet.y, packet.z) == (PLAIN["x"] + 10, PLAIN["y"] + 10, 0)
    assert packet.hue == mobile.skin_hue | 0x8000


def test_a_person_is_shown_with_clothes_and_hair() -> None:
    scene = Scene()
    mobile = scene.person()
    mobile.beard = 2
    mobile.worn[Layer.SHIRT].hue = 0x21
    shown = MobileIncoming.decode(written(scene.view.show(mobile, Viewer.OTHER, NOW))[0])
    assert (shown.body, shown.hue, shown.notoriety) == (0x190, 0x83EA, 1)
    by_layer = {item.layer: item for item in shown.worn}
    assert len(by_layer) == len(shown.worn)
    assert set(by_layer) == {*mobile.worn, Layer.HAIR, Layer.FACIAL_HAIR}
    assert (by_layer[Layer.SHIRT].item, by_layer[Layer.SHIRT].hue) == (0x1517, 0x21)
    assert (by_layer[Layer.HAIR].item, by_layer[Layer.HAIR].hue) == (0x203B, 1102)
    assert by_layer[Layer.FACIAL_HAIR].item == 0x203F
    assert by_layer[Layer.HAIR].serial >= 0x7F000000
    assert by_layer[Layer.HAIR].serial != by_layer[Layer.FACIAL_HAIR].serial


def test_older_clients_get_hues_only_where_there_are_any() -> None:
    scene = Scene()
    mobile = scene.person()
    frame = written(scene.view.show(mobile, Viewer.OTHER, version_of((7, 0, 15, 1))))[0]
    shown = MobileIncomingOld.decode(frame)
    new = MobileIncoming.decode(written(scene.view.show(mobile, Viewer.OTHER, NOW))[0])
    assert [(one.serial, one.item, one.layer, one.hue) for one in shown.worn] == [
        (one.serial, one.item, one.layer, one.hue) for one in new.worn
    ]


def test_ghosts_have_their_bodies_and_no_hair() -> None:
    scene = Scene()
    for female, body in ((False, 0x192), (True, 0x193)):
        mobile = scene.person()
        mobile.female = female
        life.kill(mobile)
        shown = MobileIncoming.decode(written(scene.view.show(mobile, Viewer.OTHER, NOW))[0])
        assert shown.body == body
        assert Layer.HAIR not in {item.layer for item in shown.worn}


def test_of_a_ghost_only_its_shroud_and_its_pack_are_seen() -> None:
    content = uo_content()
    shroud = ItemTemplate("death_robe", "shroud", Layer.OUTER_TORSO, look={"uo": {"item": 0x204E}})
    scene = Scene(attrs.evolve(content, items={**content.items, "death_robe": shroud}))
    mobile, other = scene.person(), scene.person("Berta")
    before = written(scene.view.show(mobile, Viewer.OTHER, NOW))[0]
    for ghost in (mobile, other):
        life.kill(ghost)
    shown = MobileIncoming.decode(written(scene.view.show(mobile, Viewer.OTHER, NOW))[0])
    pack, shirt = mobile.worn[Layer.BACKPACK], mobile.worn[Layer.SHIRT]
    robe = next(item for item in shown.worn if item.item == 0x204E)
    assert {(item.serial, item.layer) for item in shown.worn} == {
        (pack.serial, Layer.BACKPACK),
        (robe.serial, Layer.OUTER_TORSO),
    }
    others = MobileIncoming.decode(written(scene.view.show(other, Viewer.OTHER, NOW))[0])
    assert 0x7F000000 <= robe.serial <= 0x7FFFFFFF
    assert robe.serial not in {item.serial for item in others.worn}
    growths = {
        growth_serial(who, layer) for who in (mobile, other) for layer in (Layer.HAIR, Layer.FACIAL_HAIR)
    }
    assert robe.serial not in growths
    assert changed(scene, shirt, ItemDelta.UPDATE, Viewer.OTHER) == []
    assert changed(scene, pack, ItemDelta.UPDATE, Viewer.OTHER) == [0x2E, 0xDC]
    life.resurrect(mobile)
    alive = MobileIncoming.decode(written(scene.view.show(mobile, Viewer.OTHER, NOW))[0])
    assert alive.worn == MobileIncoming.decode(before).worn
    assert changed(scene, shirt, ItemDelta.UPDATE, Viewer.OTHER) == [0x2E, 0xDC]


def test_animals_have_no_skin_hue_and_no_paperdoll() -> None:
    scene = Scene()
    sheep = Mobile(77, scene.world, "a sheep", template=scene.content.mobiles["sheep"])
    scene.world.enter(sheep, scene.world.realms["plain"], 12, 12)
    shown = MobileIncoming.decode(written(scene.view.show(sheep, Viewer.OTHER, NOW))[0])
    assert (shown.body, shown.hue, shown.worn) == (0xCF, 0, ())
    assert scene.view.figures.paperdoll(sheep, own=False) is None


def test_a_tooltip_has_the_revision_that_was_announced() -> None:
    scene = Scene()
    mobile = scene.person()
    item = mobile.worn[Layer.SHIRT]
    for thing in (mobile, item):
        announced = [
            PropertiesRevision.decode(frame)
            for frame in written(
                scene.view.changed(thing, D.PROPERTIES | ItemDelta.UPDATE, Viewer.OTHER, NOW)
            )
            if frame[0] == 0xDC
        ]
        told = properties(thing)
        assert [one.revision for one in announced] == [told.revision]
        assert Properties.decode(told.encode()) == told
        assert told.revision >= 0x40000000
    before = properties(mobile).revision
    mobile.title = "the brave"
    assert properties(mobile).revision != before


def test_changed_items_are_sent_by_where_they_are() -> None:
    scene = Scene()
    mobile = scene.person()
    pack = mobile.backpack
    assert pack is not None
    worn, inside = mobile.worn[Layer.SHIRT], next(iter(pack.contents.values()))
    lying = holding.make(scene.world, "gold", amount=5)
    scene.world.enter(lying, scene.world.realms["plain"], 11, 11)
    for version, ground in ((NOW, 0xF3), (version_of((7, 0, 0, 0)), 0xF3), (version_of((6, 0, 14, 2)), 0x1A)):
        assert changed(scene, worn, ItemDelta.UPDATE, Viewer.OTHER, version) == [0x2E, 0xDC]
        assert changed(scene, inside, ItemDelta.UPDATE, Viewer.SELF, version) == [0x25, 0xDC]
        assert changed(scene, lying, ItemDelta.UPDATE, Viewer.OTHER, version) == [ground, 0xDC]
    bank = holding.make(scene.world, "bread")
    bank.parent, bank.layer = mobile, Layer.BANK
    assert changed(scene, bank, ItemDelta.UPDATE, Viewer.OTHER) == []


def test_who_views_an_item_depends_on_who_holds_it() -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    pack = mobile.backpack
    assert pack is not None
    assert scene.view.audience(session, mobile) is Viewer.SELF
    assert scene.view.audience(session, next(iter(pack.contents.values()))) is Viewer.SELF
    assert scene.view.audience(session, scene.person("Berta")) is Viewer.OTHER
    assert scene.view.audience(session, None) is Viewer.OTHER


def test_steps_are_told_to_others_one_by_one() -> None:
    scene = Scene()
    mobile = scene.person()
    mobile.heading = 2
    motion.step(mobile, 2)
    motion.step(mobile, 2, run=True)
    steps = [event for event in scene.world.take_changes().events if isinstance(event, Stepped)]
    told = [MobileMoved.decode(written(scene.view.event(step, Viewer.OTHER, NOW))[0]) for step in steps]
    assert [(packet.x - PLAIN["x"], packet.direction) for packet in told] == [(11, 2), (12, 0x82)]
    assert [scene.view.event(step, Viewer.SELF, NOW) for step in steps] == [[], []]


def test_turns_are_told_to_the_player_only_if_they_were_forced() -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    for forced, own in ((False, []), (True, [0x20])):
        motion.turn(mobile, (mobile.heading + 2) % 8, forced=forced)
        event = happened(scene, Turned)
        assert numbers(written(scene.view.event(event, Viewer.SELF, NOW), session)) == own
        assert numbers(written(scene.view.event(event, Viewer.OTHER, NOW))) == [0x77]


def test_a_warp_changes_the_clients_map_only_if_it_is_another() -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    scene.world.warp(mobile, scene.world.realms["plain"], 40, 40)
    event = happened(scene, Warped)
    assert numbers(written(scene.view.event(event, Viewer.SELF, NOW), session)) == [0x20]
    scene.world.warp(mobile, scene.world.realms["cave"], 3, 3)
    event = happened(scene, Warped)
    told = written(scene.view.event(event, Viewer.SELF, NOW), session)
    assert numbers(told) == [0xBF08, 0x20]
    assert told[0][5] == 0
    assert (PlayerPlaced.decode(told[1]).x, PlayerPlaced.decode(told[1]).z) == (103, -5)
    assert scene.view.event(event, Viewer.OTHER, NOW) == []


def test_death_is_told_to_whom_it_concerns() -> None:
    scene = Scene()
    mobile = scene.person()
    own = written(scene.view.event(Died(mobile, []), Viewer.SELF, NOW))
    assert own == [b"\x2c\0", b"\x72\0\0\x32\0", b"\xaa\0\0\0\0"]
    others = written(scene.view.event(Died(mobile, []), Viewer.OTHER, NOW))
    assert others[0] == b"\xaf" + mobile.serial.to_bytes(4, "big") + bytes(8)
    # ClassicUO would take another 0x2C for another death.
    for viewer in (Viewer.SELF, Viewer.OTHER):
        rises, sounds = written(scene.view.event(Revived(mobile, []), viewer, NOW))
        tile = f"{PLAIN['x'] + 10:04x}{PLAIN['y'] + 10:04x}"
        assert rises.hex() == f"7003{mobile.serial:08x}00000000376a{tile}00{tile}000a1000000100"
        assert sounds.hex() == f"540102140000{tile}0000"


def test_a_door_is_heard() -> None:
    scene = Scene()
    mobile = scene.person()
    [frame] = written(scene.view.event(Opened(mobile, 12, 10, []), Viewer.OTHER, NOW))
    assert frame[0] == 0x54
    assert frame[6:8] == (PLAIN["x"] + 12).to_bytes(2, "big")


def test_gone_is_gone_whatever_the_reason() -> None:
    scene = Scene()
    mobile = scene.person()
    for why in Why:
        assert written(scene.view.hide(mobile, why, Viewer.OTHER, NOW)) == [
            b"\x1d" + mobile.serial.to_bytes(4, "big")
        ]


def everything(scene: Scene) -> list[Callable[[UoVersion], list[bytes]]]:
    """Everything the view can say about one scene."""
    mobile = scene.person()
    session = scene.session(mobile)
    lying = holding.make(scene.world, "gold", amount=5)
    scene.world.enter(lying, scene.world.realms["plain"], 11, 11)
    pack = mobile.backpack
    assert pack is not None
    inside = next(iter(pack.contents.values()))
    view = scene.view
    calls: list[Callable[[UoVersion], list[bytes]]] = [
        lambda version: written(view.show(mobile, Viewer.OTHER, version)),
        lambda version: written(view.show(lying, Viewer.OTHER, version)),
        lambda version: written(view.changed(inside, 1, Viewer.SELF, version)),
        lambda version: [view.figures.opened(pack, version).encode()],
        lambda version: [view.figures.content(pack, version).encode()],
    ]
    flags = [flag for flag in vars(MobileDelta).values() if isinstance(flag, int)]
    calls.extend(
        lambda version, flag=flag, viewer=viewer: written(  # type: ignore[misc]
            view.changed(mobile, flag, viewer, version), session
        )
        for viewer in Viewer
        for flag in flags
    )
    for name in speech.EMOTES:
        speech.gesture(mobile, name)
    speech.say(mobile, "hello")
    dialogs.ask(mobile, "T", title="t", text="x", buttons=(), answered=lambda _, __: None)
    motion.turn(mobile, (mobile.heading + 1) % 8, forced=True)
    life.kill(mobile)
    life.resurrect(mobile)
    calls.extend(
        lambda version, event=event, viewer=viewer: written(  # type: ignore[misc]
            view.event(event, viewer, version), session
        )
        for event in scene.world.take_changes().events
        for viewer in Viewer
    )
    return calls


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: str(version.since))
def test_everything_has_the_size_its_version_reads(version: UoVersion) -> None:
    scene = Scene()
    lengths = server_lengths(version.since)
    seen = set()
    for call in everything(scene):
        for frame in call(version):
            size = lengths[frame[0]]
            assert len(frame) == (int.from_bytes(frame[1:3], "big") if size == VARIABLE else size), (
                frame.hex()
            )
            seen.add(frame[0])
    assert len(seen) >= 16


def test_residents_are_shown_too() -> None:
    scene = Scene(uo_content(residents=(Resident("healer", 12, 12),)))
    settle(scene.world)
    healer = next(iter(scene.world.mobiles.values()))
    shown = MobileIncoming.decode(written(scene.view.show(healer, Viewer.OTHER, NOW))[0])
    assert (shown.body, shown.notoriety) == (0x191, 7)
    assert taken(scene.session(scene.person())) == []


LOOKS: dict[str, Callable[[Mobile], object]] = {
    "war": lambda mobile: setattr(mobile, "war", not mobile.war),
    "hidden": lambda mobile: setattr(mobile, "hidden", not mobile.hidden),
    "poison": lambda mobile: setattr(mobile, "poisoned", not mobile.poisoned),
    "skin": lambda mobile: setattr(mobile, "skin_hue", mobile.skin_hue + 1),
    "body": lambda mobile: setattr(mobile, "female", not mobile.female),
    "hair": lambda mobile: setattr(mobile, "hair", mobile.hair + 1),
    "clothes": lambda mobile: hands.remove(mobile.worn[Layer.SHIRT]),
    "a step": lambda mobile: motion.step(mobile, 4),
    "a turn": lambda mobile: motion.turn(mobile, (mobile.heading + 2) % 8),
    "death": lambda mobile: setattr(mobile, "dead", not mobile.dead),
}


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: str(version.since))
def test_what_is_kept_of_somebody_is_what_it_is_now(version: UoVersion) -> None:
    """As soon as anything about it changes; and written twice it is the same."""
    scene = Scene()
    mobile, figures = scene.person(), scene.view.figures
    seen: set[bytes] = set()
    for what, change in LOOKS.items():
        change(mobile)
        told = [
            packet.encode()
            for packet in (
                figures.incoming(mobile, version, 1),
                figures.incoming(mobile, version, 1),
                figures.standing(mobile, version, 1),
                figures.placed(mobile, version),
            )
        ]
        mobile.rendered = None
        assert told[0] == told[1] == figures.incoming(mobile, version, 1).encode(), what
        assert told[2] == figures.standing(mobile, version, 1).encode(), what
        assert told[3] == figures.placed(mobile, version).encode(), what
        seen.add(told[0])
    assert len(seen) >= len(LOOKS) - 1, "newer clients are told of poison by another packet"
