"""Gathering: fish from the water, ore from the rock, wood from trees.

What stands in a realm gives goods to whoever has the tool for it: each piece takes a few seconds, a tile is
empty after some and full again a while later (`world.harvests`). One gathers where one stands, a piece at a
time; whoever walks away, dies or gives the tool away meanwhile has nothing for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import granting, hands, holding, learning
from world.checks import check_weight
from world.mobile import Posture
from world.reach import Cannot, Refusal
from world.speech import notice
from world.wording import amount_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from world.harvests import Harvest
    from world.item import Item
    from world.mobile import Mobile
    from world.realm import Realm
    from world.thing import Surroundings

FARTHEST: Final = 4
"""Tiles that any harvest reaches at most."""


def is_tool(world: Surroundings, item: Item) -> bool:
    """Whether an item is what something is gathered with."""
    return any(harvest.tool == item.template.key for harvest in world.content.harvests.values())


def gather(actor: Mobile, tool: Item | None = None, skill: str = "") -> None:
    """Begin to gather from the nearest tile that gives something for that tool, or for any that one carries;
    by that skill alone, if one is given. What comes of it is read a few seconds later. Raises Cannot: DEAD,
    SITTING, GATHERING, NOTHING_THERE, NO_TOOL, EXHAUSTED, FULL or HEAVY."""
    realm = actor.realm
    if actor.dead or realm is None:
        raise Cannot(Refusal.DEAD)
    if actor.posture != Posture.STANDING:
        raise Cannot(Refusal.SITTING)
    if actor.labour is not None:
        raise Cannot(Refusal.GATHERING)
    harvest, x, y = _choose(actor, realm, tool, skill)
    _check_room(actor, harvest)
    notice(actor, f"You begin to {harvest.verb}.")
    actor.labour = actor.world.timers.after(
        harvest.seconds, _done, actor, harvest, (realm, x, y), (actor.x, actor.y), owner=actor
    )


def _choose(actor: Mobile, realm: Realm, tool: Item | None, skill: str) -> tuple[Harvest, int, int]:
    """What is gathered, and where: the nearest tile that has something left. Raises Cannot: NOTHING_THERE,
    NO_TOOL or EXHAUSTED, in this order of what is missing first."""
    near = sorted(
        (
            (max(abs(x - actor.x), abs(y - actor.y)), y, x, harvest)
            for x, y, harvest in _harvests(actor, realm)
            if (tool is None or harvest.tool == tool.template.key) and skill in ("", harvest.skill)
        ),
        key=lambda found: found[:3],
    )
    if not near:
        raise Cannot(Refusal.NOTHING_THERE)
    able = [found for found in near if _has(actor, found[3].tool)]
    if not able:
        wanted = actor.world.content.items[near[0][3].tool]
        raise Cannot(Refusal.NO_TOOL, f"For that you need: {wanted.name}.")
    for _, y, x, harvest in able:
        if _left(realm, harvest, x, y, actor.world.now) > 0:
            return harvest, x, y
    raise Cannot(Refusal.EXHAUSTED)


def _harvests(actor: Mobile, realm: Realm) -> Iterator[tuple[int, int, Harvest]]:
    """Tiles from which something can be gathered from where somebody stands."""
    chart = realm.chart
    harvests = list(actor.world.content.harvests.values())
    near = range(-FARTHEST, FARTHEST + 1)
    tiles = [(actor.x + dx, actor.y + dy) for dy in near for dx in near]
    kinds = {(x, y): {chart.ground[y * chart.width + x].key} for x, y in tiles if realm.inside(x, y)}
    for piece in chart.scenery:
        if (piece.x, piece.y) in kinds:
            kinds[piece.x, piece.y].add(piece.kind.key)
    for (x, y), keys in kinds.items():
        away = max(abs(x - actor.x), abs(y - actor.y))
        for harvest in harvests:
            if away <= harvest.reach and not keys.isdisjoint(harvest.tiles):
                yield x, y, harvest


def _done(actor: Mobile, harvest: Harvest, tile: tuple[Realm, int, int], stood: tuple[int, int]) -> None:
    actor.labour = None
    realm, x, y = tile
    now = actor.world.now
    if actor.dead or actor.realm is not realm or (actor.x, actor.y) != stood:
        notice(actor, f"You went away before you could {harvest.verb}.")
        return
    try:
        if not _has(actor, harvest.tool):
            raise Cannot(Refusal.NO_TOOL)
        if _left(realm, harvest, x, y, now) <= 0:
            raise Cannot(Refusal.EXHAUSTED)
        _check_room(actor, harvest)
    except Cannot as cannot:
        notice(actor, str(cannot))
        return
    taken, full_at = realm.gathered.get((x, y), (0, 0.0))
    if full_at <= now:
        taken, full_at = 0, now + harvest.refill
    realm.gathered[x, y] = taken + 1, full_at
    granting.make(actor, harvest.item)
    learning.practise(actor, harvest.skill, harvest.difficulty)
    notice(actor, f"You {harvest.verb}, and have {amount_of(actor.world, harvest.item, 1)}.")


def _has(actor: Mobile, tool: str) -> bool:
    worn = (item.template.key for item in actor.worn.values())
    return tool in worn or next(hands.carried_items(actor, tool), None) is not None


def _left(realm: Realm, harvest: Harvest, x: int, y: int, now: float) -> int:
    """Pieces that a tile still has."""
    taken, full_at = realm.gathered.get((x, y), (0, 0.0))
    return harvest.store if full_at <= now else harvest.store - taken


def _check_room(actor: Mobile, harvest: Harvest) -> None:
    pack = actor.backpack
    if pack is None or not granting.has_room(pack, {harvest.item: 1}):
        raise Cannot(Refusal.FULL)
    check_weight(actor, holding.stones(actor.world.content.items[harvest.item], 1))
