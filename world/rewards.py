"""Rewards of quests, and where they go: into the pack what fits, the rest into the bank, or nowhere yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from world import granting, vaults
from world.wording import GOLD, amount_of, listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from world.errands import Reward
    from world.mobile import Mobile
    from world.thing import Surroundings


@attrs.frozen
class Split:
    """A reward, as far as it goes into the pack and into the bank."""

    pack: Mapping[str, int]
    bank: Mapping[str, int]

    def words(self, world: Surroundings) -> str:
        """All of it, as people say it; empty if it is nothing."""
        things = [amount_of(world, item, amount) for item, amount in self.pack.items()]
        things += [f"{amount_of(world, item, amount)} (in your bank)" for item, amount in self.bank.items()]
        return listed(things) if things else ""

    def pay(self, actor: Mobile) -> None:
        """Hand it over."""
        for item, amount in self.pack.items():
            granting.make(actor, item, amount)
        for item, amount in self.bank.items():
            vaults.receive(actor, item, amount)


def split(actor: Mobile, reward: Reward) -> Split | None:
    """Divide a reward between pack and bank. None if there is no room for all of it."""
    into_pack: dict[str, int] = {}
    into_bank: dict[str, int] = {}
    for item, amount in ((GOLD, reward.gold), *reward.items):
        if amount:
            wanted = {**into_pack, item: into_pack.get(item, 0) + amount}
            if granting.fits(actor, wanted):
                into_pack = wanted
            else:
                into_bank[item] = into_bank.get(item, 0) + amount
    if into_bank and not vaults.takes(actor, into_bank):
        return None
    return Split(into_pack, into_bank)
