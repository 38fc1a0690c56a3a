"""Things that lie, that are carried and that are worn.

The client changes nothing by itself: it waits to be told what it has now, which the end of the turn does. So
a refusal is no more than words. What may be done is decided by `world.reach` and `world.hands`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.co.handlers.approaching import do_there
from protocol.co.handlers.placing import leave_off
from protocol.co.handlers.table import TABLE, action
from protocol.co.packets import (
    Action,
    ActionType,
    ItemAction,
    ItemActionType,
    MapItemAction,
    PickUp,
    unpack_xy,
)
from protocol.co.view import CoView
from protocol.requests import DONE
from protocol.session import AUTHENTICATED
from protocol.wishes import Unmet, Wish, tell
from world import fixtures, gathering, hands, using
from world.reach import REACH, Cannot, Refusal
from world.speech import notice
from world.wording import GOLD

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.co.session import CoSession
    from protocol.requests import Answer
    from world.item import Item
    from world.mobile import Mobile

WISHES: Final[Mapping[int, Wish]] = {
    **dict.fromkeys((ItemActionType.COMBINE, ItemActionType.ENCHANT), Wish.CRAFTING),
    **dict.fromkeys((ItemActionType.DRAGON_BALL_UPGRADE, ItemActionType.METEOR_UPGRADE), Wish.CRAFTING),
    **dict.fromkeys(
        (ItemActionType.REPAIR, ItemActionType.REPAIR_ALL, ItemActionType.DURABILITY), Wish.WEARING
    ),
    **dict.fromkeys((ItemActionType.BOOTH_QUERY, ItemActionType.BOOTH_ADD), Wish.BOOTH),
    **dict.fromkeys((ItemActionType.BOOTH_REMOVE, ItemActionType.BOOTH_BUY), Wish.BOOTH),
    ItemActionType.BOOTH_ADD_POINTS: Wish.BOOTH,
}
"""Kinds of ItemAction of which there is no deed yet."""


@TABLE.on(ItemAction, during=AUTHENTICATED)
def item_action(session: CoSession, packet: ItemAction) -> None:
    """ItemAction: something about an item; or the client's ping, every ten seconds, which goes back as it
    came."""
    if packet.action == ItemActionType.PING:
        session.send(packet)
        return
    mobile = session.playing
    act = DEEDS.get(packet.action)
    if mobile is None:
        return
    if act is None:
        tell(session, WISHES.get(packet.action, Wish.UNKNOWN))
        return
    leave_off(session, mobile)
    try:
        act(session, mobile, packet)
    except Cannot as cannot:
        session.refuse_wish(mobile, cannot)


@TABLE.while_playing(PickUp)
def pick_up(session: CoSession, mobile: Mobile, packet: PickUp) -> None:
    """PickUp: something from the ground, to which one walks up from afar."""
    if packet.action(session.dialect) != MapItemAction.PICK:
        tell(session, Wish.UNKNOWN)
        return
    item = CoView.of(session).figures.ids.item(mobile, packet.id)
    if item is None or item.serial not in session.known:
        notice(mobile, Refusal.GONE.value)
        return
    lies: Item = item

    def take() -> None:
        if fixtures.is_fixture(lies.template):
            using.use(mobile, lies)
            return
        label = lies.label
        hands.take(mobile, lies)
        notice(mobile, f"You pick up {label}.")

    do_there(session, mobile, lies, REACH, take)


def own(session: CoSession, mobile: Mobile, number: int) -> Item:
    """Something that one wears or carries. Raises Cannot."""
    item = CoView.of(session).figures.ids.item(mobile, number)
    if item is None or item.root is not mobile:
        raise Cannot(Refusal.GONE)
    return item


def _drop(session: CoSession, mobile: Mobile, packet: ItemAction) -> None:
    """All of something, onto a tile."""
    item = own(session, mobile, packet.id)
    hands.drop(mobile, item, item.amount, *_tile(session, mobile, packet.data))


def _drop_money(session: CoSession, mobile: Mobile, packet: ItemAction) -> None:
    """So many coins, onto a tile; `id` is how many."""
    hands.drop_kind(mobile, GOLD, packet.id, *_tile(session, mobile, packet.data))


def _tile(session: CoSession, mobile: Mobile, packed: int) -> tuple[int, int]:
    tile = CoView.of(session).places.tile(mobile.realm, *unpack_xy(packed))
    if tile is None:
        raise Cannot(Refusal.BLOCKED)
    return tile


def _use(session: CoSession, mobile: Mobile, packet: ItemAction) -> None:
    """Put it on, wherever it belongs; or look into it."""
    item = own(session, mobile, packet.id)
    if using.use(mobile, item) is using.Deed.OPENED:
        labels = [thing.label for thing in item.contents.values()]
        notice(mobile, f"It holds {', '.join(labels[:MOST_NAMED])}." if labels else "It is empty.")


def _take_off(session: CoSession, mobile: Mobile, packet: ItemAction) -> None:
    """Something worn, into the bag."""
    item = own(session, mobile, packet.id)
    if item.parent is not mobile:
        raise Cannot(Refusal.GONE)
    hands.take_off(mobile, item.layer)


MOST_NAMED: Final = 20
"""Things in a container that are told of."""

DEEDS: Final[dict[int, Callable[[CoSession, Mobile, ItemAction], None]]] = {
    ItemActionType.DROP: _drop,
    ItemActionType.DROP_MONEY: _drop_money,
    ItemActionType.USE: _use,
    ItemActionType.EQUIP: _use,
    ItemActionType.UNEQUIP: _take_off,
}
"""What is done for each kind of ItemAction; those at counters are added by `counters.py`."""


def answer_to(kind: int) -> Answer:
    """The answer to an ItemAction of that kind."""
    if kind in DEEDS or kind == ItemActionType.PING:
        return DONE
    return Unmet(WISHES.get(kind, Wish.UNKNOWN))


@action(ActionType.MINE)
def mine(session: CoSession, mobile: Mobile, packet: Action) -> None:
    """MINE: break a lump out of the rock that is nearest. Raises Cannot, as `gathering.gather`."""
    gathering.gather(mobile, skill="mining")
