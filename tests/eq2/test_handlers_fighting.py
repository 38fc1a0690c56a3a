"""Attacking by word and by mode, how strong somebody is, and the way back of the dead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from protocol.eq2.handlers.fighting import NOT_FIGHTING, STOPPED
from protocol.eq2.packets import DisplayText, EntityVerbsReply, EntityVerbsRequest, EntityVerbsVerb, Target
from protocol.wishes import Wish
from tests.kit.eq2_desk import Desk, Player
from world import life
from world.mobile import Posture
from world.reach import Refusal

if TYPE_CHECKING:
    from world.mobile import Mobile


def lines(player: Player) -> list[str]:
    """What the player was told since it was asked last."""
    told = [line.text for line in player.took(DisplayText)]
    player.got.clear()
    return told


async def aimed(desk: Desk, template: str = "rat", x: int = 21, y: int = 20) -> tuple[Player, Mobile]:
    """A player who has somebody as its target."""
    target = desk.resident(template, x, y)
    player = await desk.enter("alric")
    await aims(player, target)
    return player, target


async def aims(player: Player, target: Mobile) -> None:
    ghost = player.session.ghosts.of(target.serial)
    assert ghost is not None
    await player.says(Target(ghost.index))
    player.got.clear()


def enemy_of(player: Player) -> int:
    fighter = player.mobile.fighter
    return fighter.enemy if fighter is not None else 0


@pytest.mark.parametrize("line", ["attack", "autoattack 1", "autoattack 2", "autoattack"])
async def test_the_target_is_fought_until_one_has_enough(line: str) -> None:
    desk = Desk()
    player, rat = await aimed(desk)
    await player.types(line)
    assert enemy_of(player) == rat.serial
    assert lines(player)[0] == f"You attack {rat.label}."
    await player.types("autoattack 0")
    assert enemy_of(player) == 0
    assert lines(player) == [STOPPED]


async def test_without_a_mode_it_is_the_other_way_round() -> None:
    desk = Desk()
    player, rat = await aimed(desk)
    rat.hits = rat.hits_max = 10_000
    for enemy in (rat.serial, 0, rat.serial):
        await player.types("autoattack")
        assert enemy_of(player) == enemy
    await player.types("attack 0")
    assert enemy_of(player) == 0


async def test_who_fights_nobody_is_told_so() -> None:
    player = await Desk().enter("alric")
    await player.types("autoattack 0")
    assert lines(player) == [NOT_FIGHTING]


@pytest.mark.parametrize(
    ("state", "refusal"),
    [
        ("nothing", Refusal.UNSEEN),
        ("oneself", Refusal.ONESELF),
        ("far", Refusal.FAR),
        ("dead", Refusal.DEAD),
        ("sitting", Refusal.SITTING),
        ("young", Refusal.YOUNG),
    ],
)
async def test_what_cannot_be_fought_is_refused_in_words(state: str, refusal: Refusal) -> None:
    desk = Desk()
    player, rat = await aimed(desk, x=28 if state == "far" else 21)
    if state == "nothing":
        rat.hidden = True
    elif state == "oneself":
        await player.types("target alric")
    elif state == "dead":
        life.kill(player.mobile)
    elif state == "sitting":
        player.mobile.posture = Posture.FLOOR
    elif state == "young":
        other = await desk.enter("berta", (20, 21))
        await aims(player, other.mobile)
    await desk.wait(0.1)
    player.got.clear()
    await player.types("autoattack 1")
    assert lines(player) == [refusal.value]
    assert enemy_of(player) == 0
    assert rat.hits == rat.hits_max


async def test_a_resident_is_under_guard() -> None:
    player, healer = await aimed(Desk(), "healer")
    await player.types("attack")
    (line,) = lines(player)
    assert "guards" in line
    assert healer.hits == healer.hits_max


async def test_the_menu_of_a_creature_attacks_it() -> None:
    desk = Desk()
    rat = desk.resident("rat", 21, 20)
    player = await desk.enter("alric")
    await player.says(EntityVerbsRequest(rat.serial))
    (menu,) = (message for message in player.got if isinstance(message, EntityVerbsReply))
    assert [verb.command for verb in menu.verbs] == ["attack", "consider"]
    await player.says(EntityVerbsVerb(rat.serial, "attack"))
    assert enemy_of(player) == rat.serial


async def test_how_strong_somebody_is() -> None:
    player, rat = await aimed(Desk())
    player.mobile.level = 40
    await player.types("consider")
    assert lines(player) == [f"{rat.label} is of level 1: no match for you."]
    await player.types("target")
    player.got.clear()
    await player.types("consider")
    assert lines(player) == [Refusal.UNSEEN.value]


async def test_the_dead_go_where_their_window_says() -> None:
    desk = Desk()
    desk.resident("healer", 40, 40)
    player = await desk.enter("alric")
    await player.types("select_junction 1")
    assert lines(player) == [Refusal.ALIVE.value]
    life.kill(player.mobile)
    await desk.wait(0.1)
    player.got.clear()
    await player.types("select_junction 2")
    assert lines(player) == [Wish.UNASKED.value]
    assert player.mobile.x == 20
    await player.types("select_junction 1")
    assert abs(player.mobile.x - 40) <= life.BESIDE
