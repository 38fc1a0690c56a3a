"""A plain on which clients of EverQuest II fight, and what they hear of it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import attrs

from protocol.eq2.packets import HearCombat, HearDeath, HearHeal
from tests.kit.eq2_screen import Client, eq2_content
from tests.kit.eq2_view import heard
from tests.kit.in_memory import shipped_content
from world import learning
from world.content import Loot, Temper
from world.rules import growth
from world.rules.numbers import GrowthRule

if TYPE_CHECKING:
    from protocol.eq2.packets import Message
    from world.content import Content

RULE: Final = GrowthRule()


@cache
def fighting_content() -> Content:
    """The plain, where a wolf that hunts is a sheep of another kind, and the dead leave corpses."""
    plain = eq2_content()
    sheep = plain.mobiles["sheep"]
    assert sheep.fights is not None
    loot = (Loot("gold", 3, 3), Loot("bread", 1, 1))
    fights = attrs.evolve(sheep.fights, level=7, hits=30, temper=Temper.HUNTS, boss=True, loot=loot)
    wolf = attrs.evolve(sheep, key="wolf", name="a wolf", hits=30, fights=fights)
    corpse = shipped_content().items["corpse"]
    return attrs.evolve(
        plain, mobiles={**plain.mobiles, "wolf": wolf}, items={**plain.items, "corpse": corpse}
    )


def ready(client: Client) -> Client:
    """Of level 10, and whole."""
    mobile = client.mobile
    mobile.endow()
    mobile.level, mobile.experience = 10, growth.least_experience(10, RULE)
    learning.measure(mobile)
    mobile.hits, mobile.stam = mobile.hits_max, mobile.stam_max
    return client


def of_combat(client: Client) -> list[Message]:
    """Blows, deaths and healing."""
    kinds = HearCombat | HearDeath | HearHeal
    return [message for message in heard(client) if isinstance(message, kinds)]
