"""The macro that dresses wounds at once (0xBF 0x2C), and the pictures of lights that burn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.uo.handlers.table import TABLE
from protocol.uo.packets import number_of_frame
from tests.kit.uo_stage import Scene, heard, lines, numbers, taken, uo_content
from world import holding
from world.content import ItemTemplate, Remedy
from world.harvests import Harvest
from world.reach import Refusal

if TYPE_CHECKING:
    from protocol.uo.session import UoSession
    from world.item import Item
    from world.mobile import Mobile

NOBODY = 0x00123456
BANDAGE = ItemTemplate(
    "bandage",
    "bandage",
    stackable=True,
    remedy=Remedy("apply", hits=5, dressing=True),
    look={"uo": {"item": 0x0E21}},
)


def ward() -> tuple[Scene, UoSession, Mobile, Item, Mobile]:
    """A healer with three bandages, and somebody wounded beside."""
    content = uo_content()
    scene = Scene(attrs.evolve(content, items={**content.items, "bandage": BANDAGE}))
    healer, patient = scene.person(), scene.person("Berta", 11)
    session = scene.session(healer)
    pack = healer.backpack
    assert pack is not None
    bandages = holding.make(scene.world, "bandage", amount=3)
    scene.world.register(bandages)
    holding.put(pack, bandages)
    patient.hits = 10
    return scene, session, healer, bandages, patient


def plays(session: UoSession, bandage: int, patient: int) -> None:
    """The macro: `BF 00 0D 00 2C bandage:u32 patient:u32` (the sheet's section on extended packets)."""
    frame = b"\xbf\x00\x0d\x00\x2c" + bandage.to_bytes(4, "big") + patient.to_bytes(4, "big")
    entry = TABLE.entry(number_of_frame(frame))
    assert entry is not None
    assert entry.handler(session, entry.decode(frame)) is None


def test_the_macro_begins_to_dress_wounds() -> None:
    scene, session, healer, bandages, patient = ward()
    plays(session, bandages.serial, patient.serial)
    assert healer.dressing is not None
    assert (healer.dressing.patient, bandages.amount) == (patient.serial, 2)
    before = patient.hits
    scene.pass_time(9)
    assert patient.hits > before
    assert not any(number == 0xBF for number in numbers(taken(session)))


@pytest.mark.parametrize(("bandage", "patient", "why"), [(0, 1, Refusal.GONE), (1, 0, Refusal.UNSEEN)])
def test_what_is_not_there_is_refused_in_words(bandage: int, patient: int, why: Refusal) -> None:
    scene, session, healer, bandages, wounded = ward()
    plays(session, bandages.serial if bandage else NOBODY, wounded.serial if patient else NOBODY)
    assert why.value in heard(scene) + lines(taken(session))
    assert (healer.dressing, bandages.amount) == (None, 3)


def test_a_light_that_burns_has_a_picture_of_its_own() -> None:
    content = uo_content()
    candle = attrs.evolve(content.items["candle"], look={"uo": {"item": 0x0A28, "lit": 0x0A0F}})
    scene = Scene(attrs.evolve(content, items={**content.items, "candle": candle}))
    item, plain = holding.make(scene.world, "candle"), holding.make(scene.world, "dagger")
    figures = scene.view.figures
    assert figures.art(item) == 0x0A28
    item.lit = plain.lit = True
    assert figures.art(item) == 0x0A0F
    assert figures.art(plain) == scene.view.figures.looks.items["dagger"].item


@pytest.mark.parametrize(
    ("tool", "words"),
    [("pickaxe", Refusal.NOTHING_THERE.value), ("dagger", "no"), (None, Refusal.GONE.value)],
)
def test_the_macro_for_a_tool_uses_the_tool(tool: str | None, words: str) -> None:
    """`BF 00 0B 00 30 tool:u32 resource:u16` (ServUO: PacketHandlers, TargetByResourceMacro)."""
    content = uo_content()
    pickaxe = ItemTemplate("pickaxe", "pickaxe", look={"uo": {"item": 0x0E86}})
    ore = Harvest("mining", "mine", "pickaxe", ("no_such_rock",), "dagger", "mining")
    content = attrs.evolve(content, items={**content.items, "pickaxe": pickaxe}, harvests={"mining": ore})
    scene = Scene(content)
    alric = scene.person()
    session = scene.session(alric)
    serial = NOBODY
    if tool is not None:
        item = holding.make(scene.world, tool)
        holding.put(alric.backpack or item, item)
        scene.world.register(item)
        serial = item.serial
    frame = b"\xbf\x00\x0b\x00\x30" + serial.to_bytes(4, "big") + b"\x00\x00"
    entry = TABLE.entry(number_of_frame(frame))
    assert entry is not None
    assert entry.handler(session, entry.decode(frame)) is None
    told = heard(scene) + lines(taken(session))
    if tool == "dagger":
        assert not told, "it is put on, as by a double click"
        assert item.parent is alric
    else:
        assert words in told
