"""Quests as this game shows them: a line, and an arrow at the edge of the screen to where the next step is
done. (The journal is a gump as any question of the world's: `world.quests` asks it.)"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from protocol.uo.packets import bodies
from protocol.uo.packets.dialogs import Arrow, ArrowOld
from protocol.uo.words import system_message

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from protocol.outgoing import Outgoing
    from protocol.uo.figures import Figures
    from protocol.uo.versions import UoVersion
    from world.events import QuestChanged

NOWHERE: Final = 0xFFFF
"""x and y of an arrow that goes away: ServUO, Server/Network/Packets.cs, CancelArrow."""


class Draws(Protocol):
    """A view, as far as it is asked here."""

    figures: Figures


def changed(view: Draws, event: QuestChanged, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
    """A line of words; 0xBA points to where the step is done, if that is in this realm."""
    realm, place = event.thing.realm, event.entry.place
    pointer = arrow(version)
    if realm is not None and place is not None and place[0] == realm.chart.name:
        at = view.figures.places.atlas(realm)
        pointer = arrow(version, at.x + place[1], at.y + place[2])
    return bodies(system_message(event.words(own=True) or ""), pointer)


def arrow(version: UoVersion, x: int = NOWHERE, y: int = NOWHERE) -> Arrow | ArrowOld:
    """0xBA: an arrow to a tile of the client's map; without one, no arrow any more."""
    shown = (x, y) != (NOWHERE, NOWHERE)
    return Arrow(shown, x, y, 0) if version.high_seas else ArrowOld(shown, x, y)
