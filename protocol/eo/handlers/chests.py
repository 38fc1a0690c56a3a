"""Looking into chests, taking out and putting in: `protocol.eo.chests` shows it, `world.looting` and
`world.stowing` have the rules.

The client waits for the answer to each wish before it changes anything, and its player is told why not. One
client has its window open before it is answered, so a chest that does not open closes that again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eolib import (
    ChestAddClientPacket,
    ChestCloseServerPacket,
    ChestGetServerPacket,
    ChestOpenClientPacket,
    ChestReplyServerPacket,
    ChestSpecServerPacket,
    ChestTakeClientPacket,
    ThreeItem,
)

from protocol.dispatch import Interval
from protocol.eo.chests import listed, locked, opened, rows
from protocol.eo.handlers.looking import ASKING_SECONDS
from protocol.eo.handlers.table import TABLE
from protocol.eo.packets.base import THREE_MAX
from protocol.eo.status import weight
from protocol.eo.view import EoView
from protocol.refusals import tell_refusal
from world import chests, looting, stowing, using
from world.containers import counted
from world.reach import Cannot, Refusal
from world.speech import notice
from world.wording import listed as in_words

if TYPE_CHECKING:
    from eolib import Coords

    from protocol.eo.session import EoSession
    from world.item import Item
    from world.mobile import Mobile

MORE: Final = "Below that lies more: {}."


@TABLE.while_playing(ChestOpenClientPacket, every=Interval(ASKING_SECONDS, burst=3))
def open_chest(session: EoSession, mobile: Mobile, packet: ChestOpenClientPacket) -> None:
    """Chest_Open: a click on the tile of a chest. Raises Cannot, as `chests.at` and `using.use`."""
    try:
        use_there(session, mobile, chests.at(mobile, packet.coords.x, packet.coords.y))
    except Cannot as cannot:
        if cannot.why is not Refusal.LOCKED:
            session.send(ChestCloseServerPacket())
        raise


def use_there(session: EoSession, mobile: Mobile, fixture: Item) -> None:
    """Do with a board or a chest what it is for; a chest's window opens. Raises Cannot, as `using.use`; that
    it is locked its client says, too."""
    try:
        deed = using.use(mobile, fixture)
    except Cannot as cannot:
        if cannot.why is Refusal.LOCKED:
            session.send(locked(EoView.of(session).figures, fixture))
        raise
    if deed is not using.Deed.OPENED:
        return
    figures = EoView.of(session).figures
    session.send(opened(session, figures, mobile, fixture))
    _, beyond = rows(figures, mobile, fixture)
    if beyond:
        notice(mobile, MORE.format(in_words([counted(item) for item in beyond[: using.MOST_NAMED]])))


@TABLE.while_playing(ChestTakeClientPacket)
def take(session: EoSession, mobile: Mobile, packet: ChestTakeClientPacket) -> None:
    """Chest_Take: all there is of a kind, as much of it as can be carried. Raises Cannot, as
    `looting.take_kind`."""
    chest, item_id = _chest(session, mobile, packet.coords), packet.take_item_id
    figures = EoView.of(session).figures
    taken, refusal = looting.take_kind(mobile, chest, figures.kind(mobile, item_id))
    stones, belongings = weight(mobile), session.belongings
    session.send(
        ChestGetServerPacket(
            taken_item=ThreeItem(id=item_id, amount=min(taken, THREE_MAX)),
            weight=stones,
            items=listed(session, figures, mobile, chest),
        )
    )
    belongings.owns(item_id, belongings.inventory.get(item_id, 0) + min(taken, THREE_MAX), stones.current)
    if refusal is not None:
        tell_refusal(mobile, refusal)


@TABLE.while_playing(ChestAddClientPacket)
def put(session: EoSession, mobile: Mobile, packet: ChestAddClientPacket) -> None:
    """Chest_Add: so many of a kind, out of all stacks in the pack. Raises Cannot, as `stowing.put_kind`; of a
    chest that is full its client has words, too."""
    chest = _chest(session, mobile, packet.coords)
    figures, item_id, amount = EoView.of(session).figures, packet.add_item.id, packet.add_item.amount
    try:
        stowing.put_kind(mobile, chest, figures.kind(mobile, item_id), amount)
    except Cannot as cannot:
        if cannot.why is Refusal.FULL:
            session.send(ChestSpecServerPacket())  # type: ignore[no-untyped-call]  # it takes nothing
        raise
    left, stones = figures.amounts(mobile).get(item_id, 0), weight(mobile)
    session.send(
        ChestReplyServerPacket(
            added_item_id=item_id,
            remaining_amount=left,
            weight=stones,
            items=listed(session, figures, mobile, chest),
        )
    )
    session.belongings.owns(item_id, left, stones.current)


def _chest(session: EoSession, mobile: Mobile, place: Coords) -> Item:
    """The chest on a tile. Raises Cannot(GONE), upon which its window closes."""
    try:
        return chests.at(mobile, place.x, place.y)
    except Cannot:
        session.chest = None
        session.send(ChestCloseServerPacket())
        raise
