"""How somebody is, as Lineage II's messages: bars, load, death."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.l2.packets import Attribute, Die, Revive, StatusEntry, StatusUpdate
from protocol.l2.words import told
from world import holding
from world.delta import MobileDelta

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.l2.versions import L2Version
    from protocol.session import Outgoing
    from world.mobile import Mobile
    from world.moments import Died, Event, Revived


def status(mobile: Mobile, flags: int, *, own: bool) -> StatusUpdate:
    """What of the bars and the load changed (flags of `world.delta`), in points."""
    numbers: list[tuple[Attribute, int]] = []
    if flags & MobileDelta.HITS:
        numbers += (Attribute.HP, mobile.hits), (Attribute.MAX_HP, mobile.hits_max)
    if own and flags & MobileDelta.MANA:
        numbers += (Attribute.MP, mobile.mana), (Attribute.MAX_MP, mobile.mana_max)
    if own and flags & MobileDelta.STAM:
        numbers += (Attribute.CP, mobile.stam), (Attribute.MAX_CP, mobile.stam_max)
    if own and flags & MobileDelta.WEIGHT:
        numbers += (Attribute.LOAD, holding.weight(mobile)), (Attribute.MAX_LOAD, holding.capacity(mobile))
    return StatusUpdate(mobile.serial, tuple(StatusEntry(name, max(0, value)) for name, value in numbers))


def died(event: Died, version: L2Version, *, own: bool) -> Sequence[Outgoing]:
    """A body falls. Its own client shows the button "to village" and lets its player do nothing else until
    that is pressed, or somebody raises it."""
    fallen = version.bodies(Die(event.thing.serial, to_village=int(own)))
    return (*fallen, *_own_words(event, version)) if own else fallen


def revived(event: Revived, version: L2Version, *, own: bool) -> Sequence[Outgoing]:
    """The end of that."""
    risen = version.bodies(Revive(event.thing.serial))
    return (*risen, *_own_words(event, version)) if own else risen


def _own_words(event: Event, version: L2Version) -> Sequence[Outgoing]:
    """What the event says of itself to its own player."""
    words = event.words(own=True)
    return () if words is None else told(version, words)
