"""Company: what characters are to one another and what lasts, brought in from the store and kept true to who
there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from world import guilds, party

if TYPE_CHECKING:
    from collections.abc import Iterable

    from world.world import World


def settle(world: World, strangers: Iterable[int]) -> None:
    """Set out what was stored, when the world begins. `strangers`: characters whom it names and who do not
    exist any more."""
    guilds.settle(world)
    party.settle(world)
    forget(world, strangers)


def forget(world: World, serials: Iterable[int]) -> None:
    """These characters are about to cease to exist: nothing may refer to them any more."""
    for serial in serials:
        guilds.forget(world, serial)
        party.forget(world, serial)
