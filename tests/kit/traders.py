"""Players who trade with each other, for the tests of that."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tests.kit.hands import dressed, pack
from tests.kit.worlds import plain_world
from world import hands, holding, trade
from world.events import Said, Speech, TradeChanged, TradeEnded
from world.space import Sight

if TYPE_CHECKING:
    from world.bargain import TradeSide
    from world.item import Item
    from world.mobile import Mobile
    from world.trade_events import Off
    from world.world import World


def traders(*places: int) -> tuple[World, list[Mobile]]:
    """A world, and dressed players on these columns of one row, each with a client."""
    world = plain_world()
    people = []
    for key, x in enumerate(places or (10, 12), 1):
        mobile = dressed(world, ("Anna", "Bert", "Carl")[key - 1], x, 10)
        mobile.strength = 60
        world.open_viewport(mobile, key, Sight(18))
        people.append(mobile)
    world.take_changes()
    return world, people


def trading() -> tuple[World, Mobile, Mobile]:
    """Two who trade already, with the events taken."""
    world, (anna, bert) = traders()
    trade.ask(anna, bert)
    trade.accept(bert)
    world.take_changes()
    return world, anna, bert


def put(mobile: Mobile, template: str, amount: int = 1, into: Item | None = None) -> Item:
    """Something new in its pack, or in a bag there."""
    item = holding.make(mobile.world, template, amount=amount)
    item.world.register(item)
    holding.put(into or pack(mobile), item)
    return item


def has(mobile: Mobile) -> Counter[str]:
    """Amounts in its pack, bags included."""
    return Counter(hands.carried(mobile))


def lines(world: World, mobile: Mobile) -> list[str]:
    """The server's own lines for one player since the last look, which this is not."""
    return [
        one.text
        for one in world.events
        if isinstance(one, Said) and one.how is Speech.SYSTEM and mobile.viewport in one.viewers
    ]


def shown(world: World, mobile: Mobile) -> tuple[TradeSide, TradeSide]:
    """What its player was shown last: its own offer and the other's."""
    last = [one for one in world.events if isinstance(one, TradeChanged) and one.thing is mobile][-1]
    return last.own, last.theirs


def over(world: World, mobile: Mobile) -> list[tuple[bool, Off | None, bool]]:
    """How its trade ended, by the events."""
    return [
        (one.done, one.why, one.mine)
        for one in world.events
        if isinstance(one, TradeEnded) and one.thing is mobile
    ]
