"""Trades in any order, with everything else that people do to things: nothing is lost, made or in two places,
and nobody trades alone."""

from __future__ import annotations

import random
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

import attrs
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.kit.hands import dressed, everything, lying, pack
from tests.kit.traders import put
from tests.kit.worlds import plain_content, plain_world
from world import dealing, hands, life, trade
from world.containers import MOST_IN_CONTAINER, MOST_IN_STACK, within
from world.content import ItemTemplate
from world.events import TradeEnded
from world.item import Item
from world.mobile import Mobile
from world.newcomers import all_items
from world.reach import Cannot, Refusal
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.bargain import TradeSide
    from world.content import Content

NAMES = ("Anna", "Bert", "Carl")

ENDS = frozenset({Refusal.NO_TRADE, Refusal.ALTERED, Refusal.FULL, Refusal.HEAVY})
"""Refusals after which a trade may be another: it has ended, or something has left the offer."""


def bazaar() -> Content:
    """A small plain on which the dead leave what they carried."""
    plain = plain_content(width=24, height=8)
    corpse = ItemTemplate("corpse", "corpse", container=True, movable=False)
    return attrs.evolve(plain, items={**plain.items, "corpse": corpse})


def has_now(mobile: Mobile) -> Counter[str]:
    """Amounts in its pack."""
    return Counter(hands.carried(mobile))


def amounts(side: TradeSide) -> Counter[str]:
    """All that a side gives, with what is in bags."""
    found = Counter({"gold": side.gold} if side.gold else {})
    waiting = list(side.things)
    while waiting:
        one = waiting.pop()
        found[one.template.key] += one.amount
        waiting += one.inside
    return found


class Bazaar(RuleBasedStateMachine):
    """Three people trade and do anything else with anything, possible or not."""

    def __init__(self) -> None:
        super().__init__()
        self.world = plain_world(bazaar(), seed=3)
        self.people: list[Mobile] = []
        for number, name in enumerate(NAMES):
            mobile = dressed(self.world, name, 2 + number, 3)
            mobile.strength = (60, 60_000, 60_000)[number]
            self.world.open_viewport(mobile, number + 1, Sight(18))
            bag = put(mobile, "sack")
            put(mobile, "apple", 4, bag)
            put(mobile, "gold", 9, bag)
            put(mobile, "gold", (5, MOST_IN_STACK - 3, MOST_IN_STACK - 60)[number])
            self.people.append(mobile)
        while sum(1 for _ in within(pack(self.people[2]))) < MOST_IN_CONTAINER:
            put(self.people[2], "candle")
        lying(self.world, "gold", 3, 3, 500)
        self.total = self.census()

    def census(self) -> Counter[str]:
        """Amounts of every kind on the ground and with people."""
        found: Counter[str] = Counter()
        queue = [thing for thing in self.world.items.values() if thing.realm is not None]
        for mobile in self.people:
            queue += mobile.worn.values()
            if mobile.held is not None:
                queue.append(mobile.held)
        while queue:
            item = queue.pop()
            if item.remains is None:
                found[item.template.key] += item.amount
            queue += item.contents.values()
        return found

    def some(self, pick: int, mobile: Mobile) -> Item:
        """Anything, of that one's pack more often than not."""
        dice = random.Random(pick)
        own = sorted(within(pack(mobile)) if mobile.backpack else (), key=lambda item: item.serial)
        every = sorted(self.world.items.values(), key=lambda item: item.serial)
        return dice.choice(own if own and dice.random() < 0.8 else every)

    @rule(who=st.integers(0, 2), far=st.integers(1, 2), pick=st.integers(0, 1 << 16), ready=st.integers(0, 7))
    def begins(self, who: int, far: int, pick: int, ready: int) -> None:
        actor, other = self.people[who], self.people[(who + far) % 3]
        if ready:
            self.make_ready(actor, other)
        item = self.some(pick, actor) if pick % 3 == 0 else None
        self.attempt(lambda: trade.ask(actor, other, item))
        if ready > 1:
            self.attempt(lambda: trade.accept(other))
        elif pick % 2:
            self.attempt(lambda: trade.refuse(other))

    def make_ready(self, *people: Mobile) -> None:
        """They live, in peace, near each other."""
        for number, mobile in enumerate(people):
            mobile.hidden = False
            mobile.hits, mobile.fighting_until = 50, 0.0
            life.resurrect(mobile)
            if mobile.trade is None:
                self.world.warp(mobile, self.world.realms["plain"], 4 + number, 3)

    def trader(self, who: int) -> Mobile:
        """One of those who trade, if any do."""
        trading = [one for one in self.people if one.trade is not None] or self.people
        return trading[who % len(trading)]

    @rule(
        act=st.sampled_from(["offer", "kind", "gold", "withdraw", "withdraw kind", "disagree"]),
        who=st.integers(0, 2),
        pick=st.integers(0, 1 << 16),
        amount=st.integers(1, 12) | st.integers(-1, 70_000),
        more=st.booleans(),
    )
    def deals(self, act: str, who: int, pick: int, amount: int, more: bool) -> None:
        actor = self.trader(who)
        item = self.some(pick, actor)
        kind = item.template.key
        acts: dict[str, Callable[[], object]] = {
            "offer": lambda: trade.offer(actor, item, amount if pick % 2 else None, more=more),
            "kind": lambda: trade.offer_kind(actor, kind, amount, more=more),
            "gold": lambda: trade.set_gold(actor, amount),
            "withdraw": lambda: trade.withdraw(actor, item),
            "withdraw kind": lambda: trade.withdraw_kind(actor, kind),
            "disagree": lambda: trade.disagree(actor),
        }
        before = self.copy(actor)
        self.attempt(acts[act])
        if self.copy(actor) != before:
            assert actor.trade is None or act == "disagree" or not self.agreed(actor)

    @rule(
        who=st.integers(0, 2),
        far=st.integers(1, 2),
        picks=st.lists(st.integers(0, 1 << 16), min_size=2, max_size=6),
        gold=st.sampled_from([0, 0, 1, 70, 59_990]),
        altered=st.sampled_from([None, None, "eaten", "gold spent"]),
    )
    def bargains(self, who: int, far: int, picks: list[int], gold: int, altered: str | None) -> None:
        """A trade from its beginning to its end, if nothing is in the way."""
        actor, other = self.people[who], self.people[(who + far) % 3]
        for mobile in self.people:
            self.attempt(partial(trade.close, mobile))
        self.make_ready(actor, other)
        for mobile in (actor, other):
            self.attempt(partial(hands.bounce, mobile))
        self.attempt(lambda: trade.ask(actor, other))
        self.attempt(lambda: trade.accept(other))
        for pick in picks:
            giver = (actor, other)[pick % 5 % 2]
            item = self.some(pick, giver)
            amount = 1 + pick % item.amount if pick % 3 else item.amount
            self.attempt(partial(trade.offer, giver, item, amount))
        self.attempt(lambda: trade.set_gold(other, gold))
        if altered and other.trade is not None:
            mine = list(hands.carried_items(other, "gold"))
            if altered == "eaten":
                mine = dealing.things(other.trade.side(other))
            for item in mine:
                self.eats(other, item)
        self.agree(actor, other)

    @rule(who=st.integers(0, 2), both=st.integers(0, 3))
    def agrees(self, who: int, both: int) -> None:
        actor = self.trader(who)
        other = actor.trade.against(actor).mobile if actor.trade is not None else actor
        if both:
            self.agree(actor, other)
        else:
            self.attempt(lambda: trade.agree(actor))

    def agree(self, actor: Mobile, other: Mobile) -> None:
        """Both do; what each has then is what it had, without what it gave and with what it received."""
        self.attempt(lambda: trade.agree(actor))
        has = {one: has_now(one) for one in (actor, other)}
        sides = None if actor.trade is None else [actor.trade.side(one).copy() for one in (actor, other)]
        self.world.events.clear()
        self.attempt(lambda: trade.agree(other))
        done = [one.thing for one in self.world.events if isinstance(one, TradeEnded) and one.done]
        if not done:
            assert {one: has_now(one) for one in (actor, other)} == has
            return
        assert sides is not None
        assert set(done) == {actor, other}
        given, received = (amounts(side) for side in sides)
        assert has_now(actor) == has[actor] - given + received
        assert has_now(other) == has[other] - received + given

    @rule(
        act=st.sampled_from(["lift", "stow", "drop", "eat", "take", "give", "bounce"]),
        who=st.integers(0, 2),
        whom=st.integers(0, 2),
        pick=st.integers(0, 1 << 16),
        amount=st.integers(1, 6) | st.integers(-1, 70_000),
    )
    def handles(self, act: str, who: int, whom: int, pick: int, amount: int) -> None:
        actor, other = self.trader(who), self.people[whom]
        item = self.some(pick, actor)
        if actor.trade is not None and pick % 4:
            item = next(iter(dealing.things(actor.trade.side(actor))), item)
        acts: dict[str, Callable[[], object]] = {
            "lift": lambda: hands.lift(actor, item, amount),
            "stow": lambda: hands.stow(actor, item if pick % 2 else pack(actor)),
            "drop": lambda: hands.drop(actor, item, amount, actor.x, actor.y),
            "eat": lambda: self.eats(actor, item),
            "take": lambda: hands.take(actor, item),
            "give": lambda: hands.hand_over(actor, other),
            "bounce": lambda: hands.bounce(actor),
        }
        self.attempt(acts[act])

    def eats(self, actor: Mobile, item: Item) -> None:
        """One of a stack ceases to exist."""
        if item.root is actor and item.template.stackable and item is not actor.held:
            self.total[item.template.key] -= 1
            hands.consume(item, 1)

    @rule(
        act=st.sampled_from(["go", "far", "cave", "struck", "die", "close", "cut", "hide", "wait"]),
        who=st.integers(0, 2),
        x=st.integers(0, 10),
    )
    def lives(self, act: str, who: int, x: int) -> None:
        world, mobile = self.world, self.people[who]
        plain = world.realms["plain"]
        match act:
            case "go":
                if mobile.realm is plain:
                    plain.space.move(mobile, x, 3)
                else:
                    world.warp(mobile, plain, x, 3)
            case "far" if x < 3:
                world.warp(mobile, plain, 23, 3)
            case "cave" if x < 3:
                world.warp(mobile, world.realms["cave"], 5, 5)
            case "struck" if x < 3:
                life.hurt(mobile, x, self.people[(who + 1) % 3])
            case "die" if x < 3:
                life.kill(mobile)
            case "close" if x < 5:
                self.attempt(lambda: trade.close(mobile))
            case "cut" if x < 3:
                world.close_viewport(mobile)
                world.open_viewport(mobile, who + 1, Sight(18))
            case "hide":
                mobile.hidden = x < 2
            case _:
                world.begin(world.now + x / 2)
                world.run_timers()
                for one in self.people:
                    if one.trade is not None:
                        side = one.trade.side(one)
                        assert 0 <= side.gold <= dealing.free_gold(side)

    def attempt(self, deed: Callable[[], object]) -> None:
        """Do something, or not; who may not has changed nothing that lasts."""
        before, offers = everything(self.world), [self.copy(one) for one in self.people]
        refused = None
        try:
            deed()
        except Cannot as cannot:
            refused = cannot
        if refused is not None:
            assert everything(self.world) == before
        if refused is not None and refused.why not in ENDS:
            assert [self.copy(one) for one in self.people] == offers, refused

    @staticmethod
    def copy(mobile: Mobile) -> object:
        """Both offers of its trade, if it has one."""
        return mobile.trade and (mobile.trade.first.copy(), mobile.trade.second.copy())

    @staticmethod
    def agreed(mobile: Mobile) -> bool:
        return mobile.trade is not None and (mobile.trade.first.agreed or mobile.trade.second.agreed)

    @invariant()
    def amounts_are_conserved(self) -> None:
        assert self.census() == +self.total

    @invariant()
    def nobody_trades_alone(self) -> None:
        for mobile in self.people:
            if mobile.trade is not None:
                other = mobile.trade.against(mobile).mobile
                assert other is not mobile
                assert other.trade is mobile.trade
                assert not mobile.dead
                assert mobile.viewport is not None
                assert len(mobile.trade.side(mobile).offers) <= trade.MOST_OFFERED
                assert all(item.root is mobile for item in dealing.things(mobile.trade.side(mobile)))

    @invariant()
    def everything_is_in_one_place(self) -> None:
        for item in self.world.items.values():
            assert (item.realm is not None) + (item.parent is not None) == 1, f"{item} is in two places"
            assert 0 < item.amount <= MOST_IN_STACK
            holder = item.parent
            if isinstance(holder, Item):
                assert holder.contents[item.serial] is item
            elif isinstance(holder, Mobile):
                assert (holder.worn.get(item.layer) if item.layer else holder.held) is item
        for mobile in self.people:
            if mobile.backpack is not None:
                assert sum(1 for _ in within(mobile.backpack)) <= MOST_IN_CONTAINER

    def teardown(self) -> None:
        """Everybody leaves, in the middle of whatever it is."""
        kept: Counter[str] = Counter()
        people, self.people = self.people, []
        for mobile in people:
            hands.bounce(mobile)
            for item in all_items(mobile):
                kept[item.template.key] += item.amount
            self.world.leave(mobile)
            assert mobile.trade is None
        assert kept + self.census() == +self.total


Bazaar.TestCase.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
TestBazaar = Bazaar.TestCase
