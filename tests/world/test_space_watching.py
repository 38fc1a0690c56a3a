"""Who sees a tile: who sees all of its sector is looked up, and the answer is as if each had been asked."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from tests.kit.worlds import person, plain_content, plain_world
from world import audience
from world.heading import OFFSETS
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Iterable

    from world.mobile import Viewport

WIDTH, HEIGHT = 61, 45


def keys(viewports: Iterable[Viewport]) -> list[int]:
    return sorted(viewport.key for viewport in viewports)


def sight_of(dice: random.Random) -> Sight:
    shape = (lambda dx, dy: abs(dx) + abs(dy) <= 9) if dice.random() < 0.3 else None
    return Sight(dice.randrange(1, 25), shape, arrivals=dice.random() < 0.4)


def test_who_sees_a_tile_or_a_step_or_an_arrival() -> None:
    world, dice = plain_world(plain_content(width=WIDTH, height=HEIGHT)), random.Random(7)
    realm = world.realms["plain"]
    players = [person(world, f"P{number}", 5 * number, 3 * number) for number in range(12)]
    for number, mobile in enumerate(players):
        world.open_viewport(mobile, number + 1, sight_of(dice))
    for _ in range(1200):
        mobile = dice.choice(players)
        match dice.randrange(8):
            case 0:
                world.warp(mobile, realm, dice.randrange(WIDTH), dice.randrange(HEIGHT))
            case 1:
                world.set_sight(mobile, sight_of(dice))
            case 2:
                world.close_viewport(mobile)
                world.open_viewport(mobile, mobile.serial, sight_of(dice))
            case _:
                dx, dy = dice.choice(OFFSETS)
                if 0 <= mobile.x + dx < WIDTH and 0 <= mobile.y + dy < HEIGHT:
                    realm.space.move(mobile, mobile.x + dx, mobile.y + dy)
                    realm.space.open(mobile.viewport)  # type: ignore[arg-type] # all have one
        x, y = dice.randrange(WIDTH - 1), dice.randrange(HEIGHT - 1)
        to_x, to_y = x + dice.randrange(2), y + 1
        eyes = [one.viewport for one in players if one.viewport is not None]
        seeing = [eye for eye in eyes if eye.covers(to_x, to_y)]
        assert keys(realm.space.watching(to_x, to_y)) == keys(seeing)
        watching, lost = realm.space.watching_step(x, y, to_x, to_y)
        assert keys(watching) == keys(seeing)
        assert keys(lost) == keys(eye for eye in eyes if eye.covers(x, y) and eye not in seeing)
        assert keys(audience.of_arrival(mobile)) == keys(
            eye
            for eye in eyes
            if eye is mobile.viewport or (eye.sight.arrivals and eye.covers(mobile.x, mobile.y))
        )
