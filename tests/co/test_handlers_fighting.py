"""What a client asks for in a fight: to strike, to stop by going, to rise, and to spend what it learned."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from protocol.co.handlers.fighting import MODES, SPARED
from protocol.co.packets import (
    ActionType,
    Allot,
    Attribute,
    Emotion,
    Interact,
    InteractType,
    Pace,
    PkMode,
    Walk,
)
from protocol.wishes import Wish
from tests.kit.co_desk import Desk, agree, place_of, two, values
from tests.kit.co_screen import MELEE
from world import learning, life
from world.heading import EAST
from world.mobile import Notoriety
from world.reach import Refusal

if TYPE_CHECKING:
    from tests.kit.co_desk import Player
    from world.mobile import Mobile


async def hunt() -> tuple[Desk, Player, Player, Mobile]:
    """Alric beside a wolf that dies of nothing, and Berta."""
    desk = Desk()
    alric, berta = await two(desk)
    wolf = desk.resident("wolf", 21, 20)
    wolf.hits = wolf.hits_max = 60_000
    desk.turn()
    for player in (alric, berta):
        player.got.clear()
    return desk, alric, berta, wolf


def deed(player: Player, target: Mobile, kind: int = InteractType.MELEE, **fields: int) -> Interact:
    """What its client sends about somebody."""
    number = player.figures.ids.of(target)
    x, y = place_of(target.x, target.y)
    return Interact(1, fields.pop("sender", player.number), number, x, y, kind, **fields)


def enemy_of(player: Player) -> int:
    fighter = player.mobile.fighter
    return fighter.enemy if fighter is not None else 0


# Blow after blow


async def test_one_packet_is_blow_after_blow_at_the_pace_of_the_weapon() -> None:
    desk, alric, berta, wolf = await hunt()
    await alric.says(deed(alric, wolf))
    assert len(alric.screen.blows) == 1, "the first in the same turn"
    await desk.wait(10.0)
    blows = alric.screen.blows
    assert 4 <= len(blows) <= 11
    assert {(blow.sender, blow.target, blow.kind) for blow in blows} == {
        (alric.number, alric.figures.ids.of(wolf), MELEE)
    }
    assert sum(blow.data for blow in blows) > 0
    assert berta.screen.blows == blows
    agree(desk)


async def test_to_click_on_and_on_is_no_faster() -> None:
    desk, alric, _, wolf = await hunt()
    for _ in range(20):
        await alric.says(deed(alric, wolf))
        await desk.wait(0.5)
    clicked = len(alric.screen.blows)
    await desk.wait(10.0)
    assert len(alric.screen.blows) - clicked == pytest.approx(clicked, abs=1)


async def test_what_the_client_calls_a_shot_is_a_blow_of_what_it_holds() -> None:
    _, alric, _, wolf = await hunt()
    await alric.says(deed(alric, wolf, InteractType.SHOOT, data=9999))
    (blow,) = alric.screen.blows
    assert blow.kind == MELEE
    assert blow.data < 50


async def test_a_client_of_the_later_version_may_send_fewer_bytes() -> None:
    _, alric, _, wolf = await hunt()
    number = alric.figures.ids.of(wolf)
    await alric.sends(struct.pack("<HHIIIHHII", 28, 1022, 1, alric.number, number, 0, 0, 2, 0))
    assert len(alric.screen.blows) == 1


@pytest.mark.parametrize("way", ["walk", "jump", "sit", "wave"])
async def test_who_does_something_else_strikes_no_more(way: str) -> None:
    desk, alric, _, wolf = await hunt()
    await desk.wait(1.0)
    await alric.says(deed(alric, wolf))
    assert enemy_of(alric) == wolf.serial
    if way == "walk":
        await alric.says(Walk(alric.number, 2, Pace.WALK))
    elif way == "jump":
        await alric.jumps(20, 21)
    else:
        await alric.acts(ActionType.EMOTION, data=Emotion.SIT if way == "sit" else Emotion.HELLO)
    assert enemy_of(alric) == 0
    struck = len(alric.screen.blows)
    await desk.wait(8.0)
    assert len(alric.screen.blows) == struck


async def test_to_turn_or_to_speak_does_not_end_it() -> None:
    _, alric, _, wolf = await hunt()
    await alric.says(deed(alric, wolf))
    await alric.acts(ActionType.TURN, direction=2)
    await alric.talks("Take this!", 2000)
    assert enemy_of(alric) == wolf.serial


async def test_another_enemy_takes_the_place_of_the_first() -> None:
    desk, alric, _, wolf = await hunt()
    rat = desk.resident("rat", 20, 21)
    rat.hits = rat.hits_max = 60_000
    desk.turn()
    await alric.says(deed(alric, wolf), deed(alric, rat))
    assert enemy_of(alric) == rat.serial


# What cannot be


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("dead", Refusal.DEAD.value),
        ("oneself", Refusal.ONESELF.value),
        ("nobody", Refusal.UNSEEN.value),
        ("a newcomer", Refusal.YOUNG.value),
        ("another's number", Wish.FORGED.value),
    ],
)
async def test_what_cannot_be_struck_is_refused_in_words(case: str, words: str) -> None:
    desk, alric, berta, wolf = await hunt()
    packet = deed(alric, wolf)
    if case == "dead":
        life.kill(alric.mobile)
        desk.turn()
    elif case == "oneself":
        packet = deed(alric, alric.mobile)
    elif case == "nobody":
        packet.target = 0xFFFF_FFFF
    elif case == "a newcomer":
        packet = deed(alric, berta.mobile)
    else:
        packet.sender = berta.number
    alric.got.clear()
    alric.screen.blows.clear()
    await alric.says(packet)
    assert words in alric.lines()
    assert alric.screen.blows == []
    assert (wolf.hits, berta.mobile.hits) == (60_000, berta.mobile.hits_max)
    assert enemy_of(alric) == 0


async def test_a_resident_is_under_the_protection_of_the_guards() -> None:
    desk, alric, _, _ = await hunt()
    crier = desk.resident("crier", 20, 21)
    desk.turn()
    await alric.says(deed(alric, crier))
    assert any("protection of the guards" in line for line in alric.lines())
    assert crier.hits == crier.hits_max


# Whom one means to hit


@pytest.mark.parametrize(
    ("mode", "notoriety", "hits"),
    [
        (PkMode.FREE, Notoriety.INNOCENT, True),
        (7, Notoriety.INNOCENT, True),
        (PkMode.PEACE, Notoriety.MURDERER, False),
        (PkMode.TEAM, Notoriety.INNOCENT, True),
        (PkMode.CAPTURE, Notoriety.INNOCENT, False),
        (PkMode.CAPTURE, Notoriety.CRIMINAL, True),
        (PkMode.CAPTURE, Notoriety.MURDERER, True),
    ],
)
async def test_who_is_to_be_spared_is_not_attacked(mode: int, notoriety: int, hits: bool) -> None:
    """Modes: co.md, section 5."""
    desk, alric, berta, wolf = await hunt()
    for player in (alric, berta):
        learning.gain(player.mobile, 20_000)
    berta.mobile.notoriety = notoriety
    desk.world.leave(wolf)
    desk.world.warp(berta.mobile, desk.world.realms["plain"], 21, 20)
    await berta.acts(ActionType.SURROUNDINGS)
    await desk.wait(1.0)
    await alric.acts(ActionType.PK_MODE, data=mode)
    assert alric.lines()[-1] == MODES.get(mode, MODES[PkMode.FREE])
    await alric.says(deed(alric, berta.mobile))
    assert (enemy_of(alric) == berta.mobile.serial) is hits
    assert (SPARED in alric.lines()) is not hits


async def test_in_peace_one_fights_creatures_all_the_same() -> None:
    _, alric, _, wolf = await hunt()
    await alric.acts(ActionType.PK_MODE, data=PkMode.PEACE)
    await alric.says(deed(alric, wolf))
    assert enemy_of(alric) == wolf.serial


# Death


async def test_a_dead_client_that_has_fallen_is_told_that_it_is_a_ghost() -> None:
    desk, alric, _, wolf = await hunt()
    life.kill(alric.mobile, wolf)
    desk.turn()
    me = alric.screen.me
    assert me is not None
    alric.got.clear()
    me.look = 1003
    await alric.acts(ActionType.GHOST)
    assert me.ghost
    assert me.status == 0x20 | 0x400
    assert alric.lines() == []


async def test_the_living_are_told_that_they_live() -> None:
    _, alric, _, _ = await hunt()
    await alric.acts(ActionType.GHOST)
    assert values(alric, alric.number)[Attribute.STATUS] == 0
    me = alric.screen.me
    assert me is not None
    assert not me.ghost


# Points


async def ready_to_learn(points: int = 5) -> tuple[Desk, Player]:
    desk, alric, _, _ = await hunt()
    learner = alric.mobile.learner
    assert learner is not None
    learner.points = points
    desk.turn()
    alric.got.clear()
    return desk, alric


def sheet(mobile: Mobile) -> tuple[int, int, int, int]:
    return mobile.strength, mobile.dexterity, mobile.vitality, mobile.intelligence


async def test_points_are_spent_byte_by_byte() -> None:
    """facts/co.md, section 10: strength 4, agility 5, vitality 6, spirit 7."""
    _, alric = await ready_to_learn()
    mobile = alric.mobile
    strength, dexterity, vitality, intelligence = sheet(mobile)
    most = mobile.hits_max
    await alric.sends(bytes.fromhex("0800000401000201"))
    assert sheet(mobile) == (strength + 1, dexterity, vitality + 2, intelligence + 1)
    told = values(alric, alric.number)
    # Free points 11, spirit 14, vitality 15, strength 16, agility 17.
    assert told[11] == 1
    assert (told[16], told[17], told[15], told[14]) == sheet(mobile)
    assert told[Attribute.MAX_LIFE] == mobile.hits_max > most


@pytest.mark.parametrize("wanted", [(3, 3, 0, 0), (0, 0, 0, 0), (255, 255, 255, 255), (0, 0, 6, 0)], ids=str)
async def test_more_than_there_is_changes_nothing_and_the_sheet_is_told_anew(
    wanted: tuple[int, int, int, int],
) -> None:
    _, alric = await ready_to_learn()
    before = sheet(alric.mobile)
    await alric.says(Allot(*wanted))
    assert sheet(alric.mobile) == before
    told = values(alric, alric.number)
    assert (told[11], told[16]) == (5, before[0])
    assert "You have 5 points to spend." in alric.lines()


async def test_of_several_attributes_all_or_none() -> None:
    _, alric = await ready_to_learn()
    alric.mobile.strength = 124
    before = sheet(alric.mobile)
    await alric.says(Allot(2, 1, 0, 0))
    assert sheet(alric.mobile) == before
    assert alric.mobile.learner is not None
    assert alric.mobile.learner.points == 5
    assert any("above 125" in line for line in alric.lines())


async def test_an_attribute_above_its_most_does_not_bar_the_others() -> None:
    """What was given to it by staff is nobody's fault."""
    _, alric = await ready_to_learn()
    alric.mobile.strength = 125
    await alric.says(Allot(0, 1, 0, 0))
    assert alric.mobile.strength == 125
    assert alric.mobile.learner is not None
    assert alric.mobile.learner.points == 4


async def test_heading_is_that_of_the_blow() -> None:
    """Who strikes faces whom it strikes, on its own screen too."""
    _, alric, berta, wolf = await hunt()
    await alric.says(deed(alric, wolf))
    me = alric.screen.me
    assert me is not None
    assert alric.mobile.heading == EAST
    assert me.direction == berta.screen.people[alric.number].direction == 6
