"""Bargains: two players who trade, and what each of them offers.

What is offered stays where it is, in its owner's pack, until both agree. So there is nothing to give back,
whatever ends a trade, and nothing of it is ever stored. `world.trade` has the deeds, `world.dealing` what
ends a trade and what takes something out of an offer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar

import attrs

if TYPE_CHECKING:
    from world.content import ItemTemplate
    from world.timers import Timer

GOLD: Final = "gold"

M = TypeVar("M")
"""Mobiles, which hold these records and are known to higher modules only."""


@attrs.frozen
class Offered:
    """A thing that is offered, or so many of a stack, as the other player was shown it: equal to what the
    thing is now as long as nothing about it has changed. `inside`: what a container holds."""

    serial: int
    template: ItemTemplate = attrs.field(repr=False)
    amount: int
    hue: int = 0
    name: str = ""
    inside: tuple[Offered, ...] = ()

    @property
    def label(self) -> str:
        """Name for players, with the amount if it is above 1."""
        if self.amount == 1:
            return self.name or self.template.name
        return f"{self.amount} {self.name or self.template.plural or self.template.name}"


@attrs.frozen
class TradeSide:
    """Copy of one side of a trade: what is offered, in the order in which it was, gold as a number besides,
    and whether its player agrees."""

    things: tuple[Offered, ...] = ()
    gold: int = 0
    agreed: bool = False

    @property
    def coins(self) -> int:
        """All the gold, for clients that show a number only: that of stacks as well, but not what is in
        bags."""
        return self.gold + sum(one.amount for one in self.things if one.template.key == GOLD)

    @property
    def wares(self) -> list[Offered]:
        """The things that are no gold, for the same clients."""
        return [one for one in self.things if one.template.key != GOLD]


@attrs.define(eq=False)
class Side(Generic[M]):
    """One side of a trade as it is now."""

    mobile: M
    offers: dict[int, Offered] = attrs.field(factory=dict)
    """By the serials of the things."""
    gold: int = 0
    agreed: bool = False

    def copy(self) -> TradeSide:
        """It as others keep it."""
        return TradeSide(tuple(self.offers.values()), self.gold, self.agreed)


@attrs.define(eq=False)
class Trade(Generic[M]):
    """Two players who trade. `changes` counts what was changed in either offer, so that a client can say what
    it was that its player agreed to."""

    first: Side[M]
    second: Side[M]
    changes: int = 0
    timer: Timer | None = attrs.field(default=None, repr=False)

    def side(self, mobile: M) -> Side[M]:
        """The side of one of both."""
        return self.first if mobile is self.first.mobile else self.second

    def against(self, mobile: M) -> Side[M]:
        """The other's side."""
        return self.second if mobile is self.first.mobile else self.first
