"""Taking, dropping, wearing and opening, by words."""

from __future__ import annotations

from protocol.eq2.packets import (
    DisplayText,
    Target,
    UpdateGhost,
)
from tests.kit.eq2_desk import DOOR, Desk, Player
from world import holding
from world.item import Item


def lines(player: Player) -> list[str]:
    """What the player was told, in words."""
    return [line.text for line in player.took(DisplayText)]


def lying(desk: Desk, key: str, x: int, y: int, *, amount: int = 1) -> Item:
    """Something on the ground."""
    item = holding.make(desk.world, key, amount=amount, stored=False)
    desk.world.enter(item, desk.world.realms["plain"], x, y)
    return item


async def test_what_lies_within_reach_is_taken_by_name_or_aim() -> None:
    desk = Desk()
    near, far = lying(desk, "dagger", 21, 21), lying(desk, "dagger", 25, 20)
    player = await desk.enter("alric")
    await player.types("take dagger")
    assert near.root is player.mobile
    await player.types("take dagger")
    assert far.realm is not None
    ghost = player.session.ghosts.of(far.serial)
    assert ghost is not None
    await player.says(Target(ghost.index))
    await player.types("take")
    assert far.realm is not None
    assert "too far" in lines(player)[-1]
    await player.goes(23.5, 21.5)
    await desk.wait(2)
    await player.types("take")
    assert far.root is player.mobile


async def test_nobody_takes_what_others_have_or_what_is_fixed() -> None:
    desk = Desk()
    player, other = await desk.enter("alric"), await desk.enter("berta", (21, 20))
    await player.says(Target(player.session.ghosts.of(other.mobile.serial).index))  # type: ignore[union-attr]
    await player.types("take")
    await player.types("take dagger")
    assert all(item.root is other.mobile for item in other.mobile.worn.values())
    assert len(lines(player)) == 2


async def test_the_dead_take_nothing() -> None:
    desk = Desk()
    bread = lying(desk, "bread", 21, 21)
    player = await desk.enter("alric")
    player.mobile.dead = True
    await player.types("take bread")
    assert bread.realm is not None
    assert "dead" in lines(player)[-1]


async def test_what_is_dropped_lies_at_ones_feet() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    player.gives("bread", 5)
    await player.types("drop bread 3")
    there = [thing for thing in desk.world.realms["plain"].space.around(20, 20, 0) if isinstance(thing, Item)]
    assert [(item.template.key, item.amount) for item in there] == [("bread", 3)]
    for line in ("drop bread 0", "drop bread 70000", "drop nothing", "drop"):
        await player.types(line)
    assert len(lines(player)) == 5


async def test_amounts_are_conserved() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    player.gives("bread", 5)

    def bread() -> int:
        return sum(item.amount for item in desk.world.items.values() if item.template.key == "bread")

    before = bread()
    for line in ("drop bread 2", "take bread", "drop bread 99", "take bread", "wear bread", "remove bread"):
        await player.types(line)
        assert bread() == before


async def test_clothes_come_off_and_on() -> None:
    desk = Desk()
    player, other = await desk.enter("alric"), await desk.enter("berta", (22, 20))
    item = next(item for item in player.mobile.worn.values() if not item.template.container)
    label, layer = item.label, item.layer
    other.got.clear()
    await player.types(f"remove {label}")
    assert layer not in player.mobile.worn
    assert len(other.took(UpdateGhost)) == 1
    await player.types(f"wear {label}")
    assert player.mobile.worn[layer] is item
    await player.types("remove backpack")
    assert player.mobile.backpack is not None
    await player.types("wear gold")
    await player.types("wear nothing")
    assert len(lines(player)) == 3


async def test_a_container_within_reach_tells_what_is_inside() -> None:
    desk = Desk()
    bag = lying(desk, "backpack", 21, 20)
    for key in ("bread", "dagger"):
        item = holding.make(desk.world, key, stored=False)
        holding.put(bag, item)
        desk.world.register(item)
    player = await desk.enter("alric")
    await player.says(Target(player.session.ghosts.of(bag.serial).index))  # type: ignore[union-attr]
    await player.types("open")
    told = lines(player)[-1]
    assert "dagger" in told
    assert "bread" in told
    await player.goes(17.5, 20.5)
    await desk.wait(2)
    await player.types("open")
    assert "too far" in lines(player)[-1]


async def test_a_door_beside_one_opens() -> None:
    desk = Desk()
    player = await desk.enter("alric", (DOOR[0], DOOR[1] - 1))
    await player.types("open")
    assert desk.world.realms["plain"].is_open(*DOOR, desk.world.now)
    other = await desk.enter("berta", (10, 10))
    await other.types("open")
    assert lines(other) == ["There is no door that you can reach."]
