"""Aiming, the menu of the right button, and who is online."""

from __future__ import annotations

from protocol.eq2.packets import (
    NO_TARGET,
    NOBODY,
    DialogOpen,
    DisplayText,
    EntityVerbsReply,
    EntityVerbsRequest,
    EntityVerbsVerb,
    Target,
    UpdateGhost,
    UpdateTarget,
)
from protocol.wishes import Wish
from tests.kit.eq2_desk import Desk, Player
from world.mobile import Access
from world.reach import Refusal


def lines(player: Player) -> list[str]:
    """What the player was told, in words."""
    return [line.text for line in player.took(DisplayText)]


def words(player: Player) -> list[str]:
    return [text for text in (getattr(one, "text", "") for one in player.got) if text]


async def test_who_lists_players_of_all_games_but_not_those_who_hide() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await desk.enter("berta", (50, 50))
    hidden = await desk.enter("carla")
    hidden.mobile.hidden = True
    await player.types("who")
    told = lines(player)
    assert told[0] == "2 players online:"
    assert "Alric" in told[1]
    assert "Berta" in told[1]
    assert "Carla" not in told[1]
    player.mobile.access = Access.COUNSELOR
    await desk.wait(1)
    await player.types("who car")
    assert "Carla" in "".join(lines(player))


async def test_who_is_answered_once_a_second() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    for _ in range(5):
        await player.types("who")
    assert sum("online" in line for line in lines(player)) == 1
    await desk.wait(1)
    await player.types("who")
    assert sum("online" in line for line in lines(player)) == 1


async def test_a_click_aims_and_others_see_it() -> None:
    desk = Desk()
    healer = desk.resident("healer", 24, 24)
    player, other = await desk.enter("alric"), await desk.enter("berta", (22, 20))
    other.got.clear()
    ghost = player.session.ghosts.of(healer.serial)
    assert ghost is not None
    await player.says(Target(ghost.index))
    assert player.session.target == healer.serial
    assert [target.spawn_id for target in player.took(UpdateTarget)] == [healer.serial]
    assert len(other.took(UpdateGhost)) == 1
    await player.says(Target(NO_TARGET))
    assert player.session.target == 0


async def test_nobody_aims_at_what_is_not_there() -> None:
    desk = Desk()
    healer = desk.resident("healer", 24, 24)
    player = await desk.enter("alric")
    await player.says(Target(4711))
    assert player.session.target == 0
    assert [target.spawn_id for target in player.took(UpdateTarget)] == [NOBODY]
    ghost = player.session.ghosts.of(healer.serial)
    assert ghost is not None
    healer.hidden = True
    await player.says(Target(ghost.index))
    assert player.session.target == 0


async def test_a_name_aims_too() -> None:
    desk = Desk()
    healer = desk.resident("healer", 24, 24)
    player = await desk.enter("alric")
    await player.types(f"target {healer.name[:3].lower()}")
    assert player.session.target == healer.serial
    await player.types("target alric")
    assert player.session.target == player.mobile.serial
    await player.types("target nobody")
    assert player.session.target == player.mobile.serial
    assert len(lines(player)) == 1
    await player.types("target")
    assert player.session.target == 0


async def test_the_menu_of_a_resident_greets_it() -> None:
    desk = Desk()
    crier = desk.resident("crier", 22, 22)
    player = await desk.enter("alric")
    player.got.clear()
    await player.says(EntityVerbsRequest(crier.serial))
    (menu,) = [one for one in player.got if isinstance(one, EntityVerbsReply)]
    assert [verb.command for verb in menu.verbs] == ["hail", "consider"]
    await player.says(EntityVerbsVerb(crier.serial, "hail"))
    await desk.wait(0.5)
    assert player.session.target == crier.serial
    assert any(isinstance(one, DialogOpen) for one in player.got)
    player.got.clear()
    await player.says(EntityVerbsVerb(crier.serial, "take"))
    assert words(player) == [Wish.UNASKED.value]


async def test_the_menu_of_what_is_not_there() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    player.got.clear()
    for message in (EntityVerbsRequest(4711), EntityVerbsVerb(4711, "hail")):
        await player.says(message)
    assert words(player) == [Refusal.UNSEEN.value] * 2
