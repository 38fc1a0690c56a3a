"""Kinds of viewers of a thing, and the colour in which each sees a mobile.

The colours of names and bars are numbers, called notoriety, in every packet that shows a mobile. What
somebody has done makes it criminal or a murderer to all alike; members of the own guild and of its allies are
green instead, and of a guild at war orange, whatever they have done (`world.audience`). So they have
audiences of their own.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final

from world.audience import Relation, by_guild
from world.mobile import Notoriety

if TYPE_CHECKING:
    from collections.abc import Hashable

    from world.mobile import Mobile

APART: Final = frozenset({Relation.GUILD, Relation.ENEMY})
"""Relations that are drawn apart. Of a party the client itself knows who is in it."""


class Viewer(enum.IntEnum):
    """Kinds of viewers of a thing."""

    OTHER = Relation.OTHER
    SELF = Relation.SELF
    FELLOW = Relation.GUILD
    """Of the same guild as a mobile, or of one that is allied with that."""
    FOE = Relation.ENEMY
    """Of a guild that is at war with that of a mobile."""
    # No number of a `Relation` from here on: those drawn apart are viewers, too.
    OUTSIDE = 10
    """Of an item in a container that it has not looked into."""

    __hash__ = int.__hash__  # see Relation


_BY_RELATION: Final = {Relation.GUILD: Viewer.FELLOW, Relation.ENEMY: Viewer.FOE}

_COLOURS: Final = {Viewer.FELLOW: Notoriety.ALLY, Viewer.FOE: Notoriety.ENEMY}


def viewer_of(player: Mobile | None, mobile: Mobile) -> Viewer:
    """Kind of viewer that a player is of a mobile."""
    if mobile is player:
        return Viewer.SELF
    if player is None:
        return Viewer.OTHER
    return _BY_RELATION.get(by_guild(player, mobile), Viewer.OTHER)


def notoriety(mobile: Mobile, audience: Hashable) -> int:
    """The number of the colour in which viewers of a kind see a mobile: its own, but for its guild's friends
    and enemies."""
    return _COLOURS.get(audience, mobile.notoriety) if isinstance(audience, Viewer) else mobile.notoriety
