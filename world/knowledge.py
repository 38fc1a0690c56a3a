"""Knowledge of others: the things that each player was shown, and of each mobile who was shown it.

The two are one fact from both ends. What is asked most often is what happens to a mobile that everybody near
knows; in a crowd most do not, and to look through all who might would cost by the square of it
(`world.audience.in_sight`).
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, TypeVar

from world.mobile import Mobile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from world.mobile import Viewport
    from world.thing import Thing

T = TypeVar("T")

SPREAD: Final = 7919
"""A large prime: neighbouring numbers of viewports begin far from one another."""


# `super()` makes an object at each call, and these are called with all that comes into sight or goes.
_set, _delete = dict.__setitem__, dict.__delitem__


class Known(dict[int, "Thing"]):
    """Things that the player behind one viewport was shown, by serial. Keeps `Mobile.onlookers`."""

    __slots__ = ("company", "key")

    def __init__(self, key: int) -> None:
        """`key`: of the viewport."""
        super().__init__()
        self.key = key
        self.company = 0
        """The number of mobiles among them."""

    def __setitem__(self, serial: int, thing: Thing) -> None:
        if isinstance(thing, Mobile):
            if serial not in self:
                self.company += 1
            thing.onlookers[self.key] = None
        _set(self, serial, thing)

    def __delitem__(self, serial: int) -> None:
        self._forget(self[serial])
        _delete(self, serial)

    def pop(self, serial: int, default: T = None) -> Thing | T:  # type: ignore[assignment] # None as dict's own
        """Forget a thing and return it; `default` if it is not known."""
        thing = self.get(serial)
        if thing is None:
            return default
        del self[serial]
        return thing

    def learn(self, things: Iterable[Thing]) -> None:
        """Know all these."""
        for thing in things:
            self[thing.serial] = thing

    def forget(self, mobiles: Iterable[Mobile]) -> None:
        """Know none of these any more; they are known."""
        forget, key = super().__delitem__, self.key
        for mobile in mobiles:
            forget(mobile.serial)
            del mobile.onlookers[key]
            self.company -= 1

    def clear(self) -> None:
        """Forget everything."""
        for thing in self.values():
            self._forget(thing)
        super().clear()

    def _forget(self, thing: Thing) -> None:
        if isinstance(thing, Mobile):
            thing.onlookers.pop(self.key, None)
            self.company -= 1


def around(viewport: Viewport, crowd: int) -> list[Thing]:
    """All that a newcomer is shown: everything in sight, but of more mobiles than `crowd` (0: any number)
    only those in the nearest sectors."""
    realm = viewport.mobile.realm
    if realm is None:
        return []
    seen = realm.space.seen_by(viewport)
    if not 0 < crowd < len(seen):
        return [*seen.values()]
    near = (thing for thing in mobiles_near(viewport) if thing.serial in seen)
    return [*islice(near, crowd), *(thing for thing in seen.values() if not isinstance(thing, Mobile))]


def mobiles_near(viewport: Viewport) -> Iterator[Mobile]:
    """The mobiles of the sectors in sight, of nearer ones first, seen or not. Each viewer begins elsewhere in
    a sector: else of a crowd on one spot all would be shown the same few."""
    realm = viewport.mobile.realm
    if realm is None:
        return
    for ring in realm.space.rings(viewport):
        for sector in ring:
            things = [*sector.things.values()]
            start = viewport.key * SPREAD % (len(things) or 1)
            yield from (thing for thing in things[start:] + things[:start] if isinstance(thing, Mobile))
