"""What is in the way, in words."""

from __future__ import annotations

import attrs

from tests.kit.in_memory import shipped_content
from world.motion import can_step
from world.obstacles import between, blocking, what_blocks
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
        what_blocks(realm, x, y)
        for realm in (CONFLUENCE, Realm(CONTENT.charts["undercroft"]))
        for x in range(realm.chart.width)
        for y in range(realm.chart.height)
        if not realm.walkable(x, y)
    }
    assert "A wooden fence of Confluence is in the way: /map shows it." in said
    assert "An oak of Confluence is in the way: /map shows it." in said
    assert "The water of Confluence is in the way: /map shows it." in said
    assert "The rock of Undercroft is in the way: /map shows it." in said
    assert not [words for words in said if words.startswith("Something")]


def test_the_edge_of_the_map() -> None:
    assert what_blocks(CONFLUENCE, -1, 5) == "Confluence ends here: /map shows it."


def test_what_is_on_a_straight_line() -> None:
    kinds = CONTENT.charts["undercroft"]
    side = 20
    blocked = bytearray(side * side)
    blocked[5 * side + 8] = 1
    realm = Realm(attrs.evolve(kinds, width=side, height=side, blocked=bytes(blocked), scenery=(), ground=()))
    assert between(realm, 5, 5, 7, 5) is None
    assert between(realm, 5, 5, 12, 5) == (8, 5)
    assert between(realm, 5, 5, 8, 5, jumps=True) == (8, 5)
    assert between(realm, 5, 5, 12, 5, jumps=True) is None, "nothing high stands there"
    assert between(realm, 2, 2, -1, 2, jumps=True) == (-1, 2)
