"""Decay: what was dropped or fell lies for a while and is gone, and so is a corpse. (PLAY, section 6)

One timer for each thing that lies, which ends when somebody takes it up. After a start of the server each has
its whole time again: nobody shall lose what it could not come and take. Two kinds of things stay: what cannot
be moved belongs where it is, and what has a name of its own was put there by the staff.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import hands
from world.checks import MOST_IN_REALM
from world.timers import Priority

if TYPE_CHECKING:
    from world.item import Item

AROUND: Final = 1
"""Tiles from a corpse on which its things fall."""

NO_ROOM_SECONDS: Final = 10.0
"""After which a corpse tries again whose things found no room in its realm."""


def begin(item: Item) -> None:
    """Let a thing that lies on the ground decay from now on, if it is one that does."""
    if item.realm is None:
        return
    law, timers = item.world.content.law, item.world.timers
    if item.remains is not None:
        timers.after(law.corpse_seconds, _crumble, item, owner=item, priority=Priority.S5)
    elif item.template.movable and not item.name:
        timers.after(law.ground_seconds, _vanish, item, owner=item, priority=Priority.S5)


def spill(corpse: Item) -> bool:
    """Let what is in a corpse fall to the ground around it; returns False if there is no room in the realm.
    Who might not loot the corpse may not take up what fell out of it either."""
    realm, things = corpse.realm, list(corpse.contents.values())
    if realm is None or realm.space.population + len(things) > MOST_IN_REALM:
        return False
    tiles = list(realm.free_near(corpse.x, corpse.y, AROUND)) or [(corpse.x, corpse.y)]
    for number, item in enumerate(things):
        hands.put_down(item, realm, *tiles[number % len(tiles)], corpse.z)
        item.fell = corpse.remains
    return True


def _crumble(corpse: Item) -> None:
    if corpse.realm is None:
        return
    if spill(corpse):
        corpse.world.delete(corpse)
    else:
        corpse.world.timers.after(NO_ROOM_SECONDS, _crumble, corpse, owner=corpse)


def _vanish(item: Item) -> None:
    if item.realm is not None:
        item.world.delete(item)
