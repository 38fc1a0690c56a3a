"""Things change hands in any order: one holder each, and amounts conserved."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.kit.hands import dressed, everything, lying
from tests.kit.worlds import plain_content, plain_world
from world import hands
from world.containers import MOST_IN_STACK
from world.item import Item
from world.mobile import Mobile
from world.reach import Cannot

if TYPE_CHECKING:
    from collections.abc import Callable


class Market(RuleBasedStateMachine):
    """Three people do anything with anything, possible or not."""

    def __init__(self) -> None:
        super().__init__()
        self.world = plain_world(plain_content(width=8, height=8), seed=3)
        self.people = [dressed(self.world, name, x, 3) for name, x in (("Anna", 2), ("Bert", 3), ("Carl", 6))]
        for _ in range(2):
            lying(self.world, "backpack", 3, 3)
            lying(self.world, "gold", 4, 3, 500)
        self.total = self.census()

    def census(self) -> Counter[str]:
        """Amounts of every kind over all roots: the ground, people, hands."""
        found: Counter[str] = Counter()
        queue = [thing for thing in self.world.items.values() if thing.realm is not None]
        for mobile in self.people:
            queue += mobile.worn.values()
            if mobile.held is not None:
                queue.append(mobile.held)
        while queue:
            item = queue.pop()
            found[item.template.key] += item.amount
            queue += item.contents.values()
        return found

    @rule(
        act=st.sampled_from(
            [
                "lift",
                "lay",
                "stow",
                "stack",
                "wear",
                "give",
                "bounce",
                "take",
                "drop",
                "kind",
                "off",
                "on",
                "go",
            ]
        ),
        who=st.integers(0, 2),
        whom=st.integers(0, 2),
        pick=st.integers(0, 1 << 16),
        amount=st.integers(-1, 70_000) | st.integers(1, 5),
        x=st.integers(-1, 8),
        y=st.integers(2, 4),
    )
    def act(self, act: str, who: int, whom: int, pick: int, amount: int, x: int, y: int) -> None:
        world, actor, other = self.world, self.people[who], self.people[whom]
        items = sorted(world.items.values(), key=lambda item: item.serial)
        item = random.Random(pick).choice(items)
        acts: dict[str, Callable[[], object]] = {
            "lift": lambda: hands.lift(actor, item, amount),
            "lay": lambda: hands.lay(actor, x, y),
            "stow": lambda: hands.stow(actor, item, merge=bool(pick % 2)),
            "stack": lambda: hands.stack(actor, item),
            "wear": lambda: hands.wear(actor),
            "give": lambda: hands.hand_over(actor, other),
            "bounce": lambda: hands.bounce(actor),
            "take": lambda: hands.take(actor, item),
            "drop": lambda: hands.drop(actor, item, amount, x, y),
            "kind": lambda: hands.drop_kind(actor, item.template.key, amount, x, y),
            "off": lambda: hands.take_off(actor, item.template.layer),
            "on": lambda: hands.put_on(actor, item),
            "go": lambda: world.warp(actor, world.realms["plain"], max(0, min(7, x)), y),
        }
        before = everything(world)
        try:
            acts[act]()
        except Cannot:
            assert everything(world) == before

    @invariant()
    def amounts_are_conserved(self) -> None:
        assert self.census() == self.total

    @invariant()
    def everything_is_in_one_place(self) -> None:
        for item in self.world.items.values():
            places = (item.realm is not None) + (item.parent is not None)
            assert places == 1, f"{item} is in {places} places"
            assert 0 < item.amount <= MOST_IN_STACK
            holder = item.parent
            if isinstance(holder, Item):
                assert holder.contents[item.serial] is item
            elif isinstance(holder, Mobile):
                assert (holder.worn.get(item.layer) if item.layer else holder.held) is item
            else:
                assert item.realm is not None
                assert item.realm.space.at(item.x, item.y).things[item.serial] is item


Market.TestCase.settings = settings(max_examples=60, stateful_step_count=60, deadline=None)
TestMarket = Market.TestCase
