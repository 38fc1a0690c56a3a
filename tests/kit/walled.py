"""A realm with something of all that is shown to those who have a ground of their own
(`protocol.landmarks`)."""

from __future__ import annotations

import attrs

from world.content import Chart, Content, Scenery, Sign

TREE, LAMP, SIGN, STONE = (24, 14), (16, 22), (27, 23), (15, 14)
"""Alone in the open, all in sight of 20, 20."""
FENCE = tuple((x, 27) for x in range(10, 51))
"""From west to east, far along."""


def walled(content: Content, realm: str = "plain") -> Content:
    """The same content, with trees, a lamp, a sign, a gravestone and a fence in that realm, and a tree in the
    far south-east."""
    chart, tiles = content.charts[realm], content.tiles
    things = {TREE: "oak", LAMP: "lamp_post", SIGN: "sign_inn", STONE: "gravestone", (55, 55): "walnut"}
    things |= dict.fromkeys(FENCE, "fence_south")
    blocked = bytearray(chart.blocked)
    for x, y in things:
        blocked[y * chart.width + x] = 1
    drawn: Chart = attrs.evolve(
        chart,
        scenery=(*chart.scenery, *(Scenery(tiles[key], x, y) for (x, y), key in things.items())),
        blocked=bytes(blocked),
        signs=(*chart.signs, Sign(*SIGN, "Inn", "Beds and beer.")),
    )
    return attrs.evolve(content, charts={**content.charts, realm: drawn})


def without_landmarks(content: Content, game: str, realm: str = "plain") -> Content:
    """The same content, in which an operator has switched them off there."""
    chart = content.charts[realm]
    atlas = {**chart.atlas, game: {**chart.atlas[game], "landmarks": False}}
    return attrs.evolve(content, charts={**content.charts, realm: attrs.evolve(chart, atlas=atlas)})
