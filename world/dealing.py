"""Dealing: how a trade between two players begins and ends, and what takes something out of an offer.

Rules that know nothing of trade call these when they end one: `end` at a death, a blow, a warp, a farewell;
`taken` when a thing leaves its place. What changes in other ways (an amount, what a bag holds, the distance)
is noticed by a look twice a second, and before every deed of `world.trade`. Nothing that is offered has moved
until both agreed, so there is nothing to be undone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import audience, holding
from world.bargain import Offered, Side, Trade
from world.events import TradeChanged, TradeEnded, TradeOpened
from world.heading import apart
from world.item import Item
from world.reach import TALKING, can_see
from world.speech import notice
from world.timers import Priority
from world.trade_events import Off
from world.wording import GOLD, coins, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from world.bargain import TradeSide
    from world.mobile import Mobile

LOOK: Final = 0.5
"""Seconds from one look to the next at whether a trade can go on."""


def begin(one: Mobile, other: Mobile) -> None:
    """Let two players trade with each other. Whether they may was checked."""
    trade = Trade(Side(one), Side(other))
    one.trade = other.trade = trade
    for mobile, partner in ((one, other), (other, one)):
        mobile.world.events.append(TradeOpened(mobile, partner, audience.one(mobile)))
    timers = one.world.timers
    trade.timer = timers.every(LOOK, _look, trade, owner=one, priority=Priority.MS250)


def end(mobile: Mobile, why: Off) -> None:
    """End a mobile's trade, if it has one, with nothing changed hands; `why` is about that mobile. Both read
    the reason."""
    trade = mobile.trade
    if trade is None:
        return
    other = trade.against(mobile).mobile
    close(trade, why=why, about=mobile)
    about, to_other = why.value
    notice(mobile, about, why)
    notice(other, to_other.format(mobile.name), why)


def close(trade: Trade[Mobile], *, why: Off | None = None, about: Mobile | None = None) -> None:
    """Untie both players; their windows close. Without a reason it is done, and the things follow."""
    if trade.timer is not None:
        trade.timer.cancel()
    for side, against in ((trade.first, trade.second), (trade.second, trade.first)):
        mobile = side.mobile
        mobile.trade = None
        event = TradeEnded(
            mobile,
            against.mobile,
            why is None,
            side.copy(),
            against.copy(),
            audience.one(mobile),
            why,
            mobile is about,
        )
        mobile.world.events.append(event)


def goes_on(trade: Trade[Mobile]) -> bool:
    """Whether both still stand near each other in sight; if not, the trade ends."""
    one, other = trade.first.mobile, trade.second.mobile
    why = None
    if one.realm is None or one.realm is not other.realm or apart(one, other) > TALKING:
        why = Off.FAR
    elif not (can_see(one, other) and can_see(other, one)):
        why = Off.UNSEEN
    if why is not None:
        end(one, why)
    return why is None


def changed(trade: Trade[Mobile]) -> None:
    """An offer is not what it was: nobody agrees any more, and both are shown it."""
    trade.changes += 1
    trade.first.agreed = trade.second.agreed = False
    show(trade)


def show(trade: Trade[Mobile]) -> None:
    """Show both what is offered, and who agrees."""
    for side, against in ((trade.first, trade.second), (trade.second, trade.first)):
        mobile, own, theirs = side.mobile, side.copy(), against.copy()
        words, viewers = line(against.mobile, own, theirs), audience.one(mobile)
        event = TradeChanged(mobile, against.mobile, own, theirs, trade.changes, words, viewers)
        mobile.world.events.append(event)


def taken(holder: Mobile, item: Item) -> None:
    """A thing leaves its place in a mobile's pack: it is not offered any more, nor is a bag that it was in or
    what is in it."""
    trade = holder.trade
    if trade is None:
        return
    side = trade.side(holder)
    gone = [one for one in things(side) if belong_together(one, item)]
    for one in gone:
        del side.offers[one.serial]
    if gone:
        changed(trade)


def belong_together(one: Item, other: Item) -> bool:
    """Whether two items are the same, or one of them is in the other, to any depth."""
    return one is other or other in _around(one) or one in _around(other)


def review(trade: Trade[Mobile]) -> bool:
    """Take out of both offers whatever is not any more as it was shown. Returns whether nothing was."""
    whole = True
    for side in (trade.first, trade.second):
        for serial, offered in list(side.offers.items()):
            if not _still(side.mobile, offered):
                del side.offers[serial]
                whole = False
        if side.gold > free_gold(side):
            side.gold = 0
            whole = False
    if not whole:
        changed(trade)
    return whole


def offered(item: Item, amount: int) -> Offered:
    """An item, or so many of a stack, as the other player is shown it."""
    inside = tuple(offered(inner, inner.amount) for inner in item.contents.values())
    return Offered(item.serial, item.template, amount, item.hue, item.name, inside)


def things(side: Side[Mobile]) -> list[Item]:
    """Everything that is offered and still exists."""
    items = side.mobile.world.items
    return [items[serial] for serial in side.offers if serial in items]


def coins_among(side: Side[Mobile]) -> int:
    """Gold coins among the things of an offer, those in bags too."""
    return sum(_coins(one) for one in side.offers.values())


def free_gold(side: Side[Mobile]) -> int:
    """Gold in its player's pack beside that among the things: the most that can be offered as a number."""
    return holding.gold(side.mobile) - coins_among(side)


def in_words(side: TradeSide, mobile: Mobile) -> str:
    """List of what one side offers: things with what is in them, and gold; `mobile` is any that is there."""
    things = [_label(one) for one in side.things]
    if side.gold:
        things.append(coins(mobile.world, side.gold))
    return listed(things)


def line(other: Mobile, own: TradeSide, theirs: TradeSide) -> str:
    """Line for one of both of what they offer, and who agrees; `other` is the other one."""
    words = f"You offer {in_words(own, other)}; {other.name} offers {in_words(theirs, other)}."
    if own.agreed:
        return f"{words} You agree, {other.name} does not yet."
    return f"{words} {other.name} agrees." if theirs.agreed else words


def _coins(one: Offered) -> int:
    return (one.amount if one.template.key == GOLD else 0) + sum(_coins(inner) for inner in one.inside)


def _around(item: Item) -> Iterator[Item]:
    """The containers that an item is in, from within."""
    holder = item.parent
    while isinstance(holder, Item):
        yield holder
        holder = holder.parent


def _still(mobile: Mobile, one: Offered) -> bool:
    """Whether a thing is still where it was when it was offered, and as it was."""
    item = mobile.world.items.get(one.serial)
    return (
        item is not None
        and item.root is mobile
        and isinstance(item.parent, Item)
        and one.amount <= item.amount
        and offered(item, one.amount) == one
    )


def _look(trade: Trade[Mobile]) -> None:
    if trade.first.mobile.trade is trade and goes_on(trade):
        review(trade)


def _label(one: Offered) -> str:
    return f"{one.label} with {listed([inner.label for inner in one.inside])}" if one.inside else one.label
