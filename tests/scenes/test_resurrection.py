"""The first dialog, to the letter: a ghost near a healer is offered resurrection; CONTINUE restores 10 hits,
and the client receives the hit-points packet, once."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import attrs
import pytest
import trio
from eolib import QuestDialogServerPacket, RecoverPlayerServerPacket

from tests.kit.players import EoPlayer, UoPlayer
from world import life
from world.dialogs import type_id
from world.reach import TALKING

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town
    from world.mobile import Mobile


def healer_of(town: Town) -> tuple[int, int]:
    """A free place beside the healer."""
    world = town.app.world
    healer = next(m for m in world.mobiles.values() if m.template.key == "healer")
    assert healer.realm is not None
    return next(
        place for place in healer.realm.free_near(healer.x, healer.y, 3) if place != (healer.x, healer.y)
    )


def is_dead(mobile: Mobile) -> bool:
    """Asked anew each time: a type checker would remember the first answer."""
    return mobile.dead


async def make_ghost(town: Town, name: str) -> None:
    """Staff kills somebody, and the ghost stands beside the healer."""
    world = town.app.world
    mobile = town.mobile(name)
    assert mobile.realm is not None

    def act(_: object) -> None:
        assert mobile.realm is not None
        world.warp(mobile, mobile.realm, *healer_of(town))
        assert life.kill(mobile)

    await town.app.in_world(None, act)


@pytest.mark.parametrize("version", [(7, 0, 102, 3), (5, 0, 9, 1)], ids=["7.0.102.3", "5.0.9.1"])
async def test_uo_ghost_presses_continue_and_receives_exactly_one_hits_packet(
    town: Town, autojump_clock: MockClock, version: tuple[int, int, int, int]
) -> None:
    anna, bert = UoPlayer(town, version), UoPlayer(town)
    await anna.enters("anna", "Anna")
    await bert.enters("bert", "Bert")
    await make_ghost(town, "Anna")
    await trio.sleep(3)
    mobile = town.mobile("Anna")
    assert anna.of(0x2C)[-1][1] == 0, "the client was told that it is dead"
    (gump,) = anna.client.gumps.values()
    assert gump.kind == type_id("ResurrectGump")
    assert "CONTINUE" in " ".join(gump.texts) + gump.layout
    assert gump.serial in mobile.dialogs
    # Forged answers change nothing.
    forged = (
        attrs.evolve(gump, serial=gump.serial ^ 2),
        attrs.evolve(gump, kind=gump.kind ^ 1),
    )
    for forgery in forged:
        await anna.does(anna.client.answer_bytes(forgery, 1))
        assert is_dead(mobile)
        assert not anna.gone
    await anna.does(anna.client.answer_bytes(attrs.evolve(gump), 77))
    assert is_dead(mobile)
    await bert.does(bert.client.answer_bytes(gump, 1))
    assert is_dead(mobile)
    before = len(anna.of(0xA1))
    await anna.does(anna.client.answer_bytes(gump, 1))
    assert not is_dead(mobile)
    assert mobile.hits == 10
    hits = anna.of(0xA1)[before:]
    assert hits == [struct.pack(">BIHH", 0xA1, mobile.serial, mobile.hits_max, 10)]
    assert [packet[1] for packet in anna.of(0x2C)] == [0], "any but action 1 would be another death"
    assert int.from_bytes(anna.of(0x20)[-1][5:7], "big") in (0x190, 0x191)
    assert anna.client.player is not None
    assert anna.client.player.body in (0x190, 0x191)
    # The same answer again is nobody's.
    await anna.does(anna.client.answer_bytes(gump, 1))
    assert len(anna.of(0xA1)) == before + 1


async def test_uo_cancel_leaves_a_ghost(town: Town, autojump_clock: MockClock) -> None:
    anna = UoPlayer(town)
    await anna.enters("anna", "Anna")
    await make_ghost(town, "Anna")
    await trio.sleep(3)
    (gump,) = anna.client.gumps.values()
    await anna.does(anna.client.answer_bytes(gump, 0))
    assert town.mobile("Anna").dead
    assert not anna.gone


async def test_eo_ghost_answers_the_quest_dialog(town: Town, autojump_clock: MockClock) -> None:
    anna = EoPlayer(town)
    await anna.enters("anna", "Anna")
    await make_ghost(town, "Anna")
    await trio.sleep(3)
    mobile = town.mobile("Anna")
    assert is_dead(mobile)
    assert anna.of(QuestDialogServerPacket)
    before = len(anna.of(RecoverPlayerServerPacket))
    await anna.does(anna.client.answer("CONTINUE"))
    assert not is_dead(mobile)
    assert mobile.hits == 10
    recovered = anna.of(RecoverPlayerServerPacket)[before:]
    assert [packet.hp for packet in recovered] == [10]


async def test_a_staff_command_makes_the_ghost_and_only_staff_may(
    town: Town, autojump_clock: MockClock
) -> None:
    anna, bert = UoPlayer(town), EoPlayer(town)
    await anna.enters("anna", "Anna")
    await bert.enters("bert", "Bert")
    await anna.does(anna.client.say_bytes(".kill Bert"))
    assert not is_dead(town.mobile("Bert"))
    row = await town.app.accounts.find("anna")
    assert row is not None
    await town.app.accounts.staff.set_access(row, 2)
    await anna.does(anna.client.say_bytes(".kill Bert"))
    assert is_dead(town.mobile("Bert"))
    eo_row = await town.app.accounts.find("bert")
    assert eo_row is not None
    await town.app.accounts.staff.set_access(eo_row, 2)
    await bert.does(bert.client.say("$resurrect Bert"))
    assert not is_dead(town.mobile("Bert"))


async def test_uo_answer_from_afar_does_not_count_and_the_question_comes_again(
    town: Town, autojump_clock: MockClock
) -> None:
    anna = UoPlayer(town)
    await anna.enters("anna", "Anna")
    await make_ghost(town, "Anna")
    await trio.sleep(3)
    mobile, near = town.mobile("Anna"), healer_of(town)
    (gump,) = anna.client.gumps.values()
    realm = mobile.realm
    assert realm is not None
    far = next(realm.free_near(near[0] + TALKING + 3, near[1]))
    await town.app.in_world(None, lambda world: world.warp(mobile, realm, *far))
    anna.client.gumps.clear()
    await anna.does(anna.client.answer_bytes(gump, 1))
    assert is_dead(mobile)
    assert anna.client.said()[-1] == "That is too far away."
    assert [shown.serial for shown in anna.client.gumps.values()] == [gump.serial], "its window had closed"
    await town.app.in_world(None, lambda world: world.warp(mobile, realm, *near))
    await anna.does(anna.client.answer_bytes(gump, 1))
    assert not is_dead(mobile)
