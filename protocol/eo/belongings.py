"""A client's belief of what it owns, and the packets that make it true.

The client keeps amounts by kind and one item for each place on the body, and changes them only as it is
told. Most is told in answer to its own deeds. But others put things into one's pack or take them out, and a
bag that is dropped takes along what is in it. So each session remembers what its client believes, and
`difference` tells how that differs from the world, however it came about: nothing twice, and all that the
answers left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eolib import (
    Item,
    ItemKickServerPacket,
    ItemObtainServerPacket,
    PaperdollAgreeServerPacket,
    PaperdollRemoveServerPacket,
    ThreeItem,
)

from protocol.eo.figures import sub_location
from protocol.eo.packets.base import THREE_MAX
from protocol.eo.status import equipment_stats, weight

if TYPE_CHECKING:
    from eolib import Packet

    from protocol.eo.figures import Figures
    from protocol.eo.session import Belongings, EoSession
    from world.mobile import Mobile

GOLD: Final = 1
"""The item that every client has a line for, even at amount 0."""


def settle(session: EoSession, figures: Figures) -> None:
    """Tell a client what it owns by now, as far as it does not know."""
    if session.mobile is not None:
        session.send(*difference(session.belongings, figures, session.mobile))


def difference(belief: Belongings, figures: Figures, mobile: Mobile) -> list[Packet]:
    """The packets after which a belief is true; from here on it counts as such.

    What Paperdoll_Agree takes out of the inventory some clients count down by one (eoweb) and others set to
    the amount that comes along (EndlessClient). So before something is put on that the client does not know
    to have, it is told to have it, and both come to the same.
    """
    packets: list[Packet] = []
    stones = weight(mobile).current
    worn, inventory = figures.worn_ids(mobile), figures.amounts(mobile)
    for slot, item_id in list(belief.worn.items()):
        if worn.get(slot) != item_id:
            packets.append(_take_off(belief, figures, mobile, slot))
    for slot, item_id in worn.items():
        if slot not in belief.worn:
            if not belief.inventory.get(item_id):
                packets.append(_obtain(belief, item_id, 1, stones))
            packets.append(_put_on(belief, figures, mobile, slot, item_id))
    for item_id in sorted(inventory.keys() | belief.inventory.keys()):
        amount = inventory.get(item_id, 0)
        more = amount - belief.inventory.get(item_id, 0)
        if 0 < more <= THREE_MAX:
            packets.append(_obtain(belief, item_id, more, stones))
        elif more:
            packets.append(_set(belief, item_id, amount, stones))
    if belief.weight != stones:
        # No packet tells the weight alone.
        packets.append(_set(belief, GOLD, inventory.get(GOLD, 0), stones))
    return packets


def _take_off(belief: Belongings, figures: Figures, mobile: Mobile, slot: int) -> Packet:
    return PaperdollRemoveServerPacket(
        change=figures.equipment_change(mobile),
        item_id=belief.takes_off(slot),
        sub_loc=sub_location(slot),
        stats=equipment_stats(mobile),
    )


def _put_on(belief: Belongings, figures: Figures, mobile: Mobile, slot: int, item_id: int) -> Packet:
    return PaperdollAgreeServerPacket(
        change=figures.equipment_change(mobile),
        item_id=item_id,
        remaining_amount=min(belief.puts_on(slot, item_id), THREE_MAX),
        sub_loc=sub_location(slot),
        stats=equipment_stats(mobile),
    )


def _obtain(belief: Belongings, item_id: int, more: int, stones: int) -> Packet:
    """Item_Obtain, which adds."""
    belief.owns(item_id, belief.inventory.get(item_id, 0) + more, stones)
    return ItemObtainServerPacket(item=ThreeItem(id=item_id, amount=more), current_weight=stones)


def _set(belief: Belongings, item_id: int, amount: int, stones: int) -> Packet:
    """Item_Kick, which says how many are left."""
    belief.owns(item_id, amount, stones)
    return ItemKickServerPacket(item=Item(id=item_id, amount=amount), current_weight=stones)
