"""What is in the way, in words."""

from __future__ import annotations

import attrs

from tests.kit.in_memory import shipped_content
from world.content import Warp
from world.motion import can_step
from world.obstacles import FEW, around, blocking, what_blocks
from world.realm import Realm

CONTENT = shipped_content()
CONFLUENCE = Realm(CONTENT.charts["confluence"])


def test_what_keeps_from_a_step_is_what_the_rule_of_steps_looks_at() -> None:
    for x in range(30, 60):
        for y in range(30, 60):
            for heading in range(8):
                tile = blocking(CONFLUENCE, x, y, heading)
                assert (tile is None) == can_step(CONFLUENCE, x, y, heading)
                assert tile is None or not CONFLUENCE.walkable(*tile)


def test_every_tile_that_blocks_has_words() -> None:
    said = {
        what_blocks(realm, x, y, order=".map")
        for realm in (CONFLUENCE, Realm(CONTENT.charts["undercroft"]))
        for x in range(realm.chart.width)
        for y in range(realm.chart.height)
        if not realm.walkable(x, y)
    }
    assert "A wooden fence of Confluence is in the way: .map shows it." in said
    assert "An oak of Confluence is in the way: .map shows it." in said
    assert "The water of Confluence is in the way: .map shows it." in said
    assert "The rock of Undercroft is in the way: .map shows it." in said
    assert not [words for words in said if words.startswith("Something")]


def test_the_edge_of_the_map() -> None:
    assert what_blocks(CONFLUENCE, -1, 5, order=".map") == "Confluence ends here: .map shows it."


def a_field(*posts: tuple[int, int], side: int = 20) -> Realm:
    blocked = bytearray(side * side)
    for x, y in posts:
        blocked[y * side + x] = 1
    chart = attrs.evolve(
        CONTENT.charts["undercroft"],
        width=side,
        height=side,
        blocked=bytes(blocked),
        scenery=(),
        ground=(),
        warps={(2, 8): Warp("undercroft", 1, 1)},
    )
    return Realm(chart)


def test_around_a_post_and_along_a_wall_but_not_through_it() -> None:
    post, wall = a_field((8, 5)), a_field(*((8, y) for y in range(20)))
    way, end = around(post, 7, 5, (9.5, 5.5))
    assert (len(way), end) == (4, (9, 5))
    assert around(wall, 7, 5, (9.5, 5.5)) == ([], (7, 5))
    assert around(wall, 7, 5, (9.5, 7.5)) == ([4, 4], (7, 7))
    assert around(wall, 7, 5, (9.5, 17.5)) == ([4] * FEW, (7, 5 + FEW))


def test_nobody_is_led_into_a_warp() -> None:
    realm = a_field(*((3, y) for y in range(20)))
    assert around(realm, 2, 7, (2.5, 8.5)) == ([], (2, 7))
