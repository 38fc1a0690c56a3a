"""Two of each game in one town, all in sight of one another, for scenes of each game with each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs
import trio

from tests.kit.actors import ACTORS, make_actor
from tests.kit.beliefs import belief_faults
from tests.kit.town import Town
from world import hands

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.kit.actor import Actor
    from world.mobile import Mobile

SOON: Final = 5.0
"""Seconds within which a client shows what happened; to members of a party a step or a wound is told once a
second."""

NAMES: Final = (
    *("Albrecht", "Beatrix", "Conrad", "Dorothea", "Emmerich", "Felicia"),
    *("Gunther", "Hedwig", "Ottokar", "Petronella", "Runhild", "Sebastian"),
)


@attrs.define(eq=False)
class One:
    """Somebody at a client of one of the games."""

    town: Town
    actor: Actor
    mobile: Mobile

    def faults(self) -> list[str]:
        """What its client believes and is not so."""
        session = next(one for one in self.town.app.sessions() if one.mobile is self.mobile)
        return belief_faults(self.actor, session)

    @property
    def name(self) -> str:
        return self.mobile.name

    def has(self, kind: str) -> int:
        """How many of a kind are in its pack."""
        return hands.carried(self.mobile).get(kind, 0)

    async def shows(self, what: Callable[[], object], expected: object, when: str) -> None:
        """Wait until its client shows something; fails with what it shows instead."""
        await self.actor.until(lambda: what() == expected, SOON)
        assert what() == expected, f"{when}: {self.actor.game}"

    async def sees(self, what: Callable[[], object], when: str) -> None:
        """Wait until its client shows anything of a kind."""
        assert await self.actor.until(lambda: bool(what()), SOON), f"{when}: {self.actor.game}"


async def gathered(nursery: trio.Nursery) -> list[One]:
    """One of each game, who ask, then one more of each, who are asked."""
    town = Town(nursery)
    await town.open()
    people = []
    for number, (game, name) in enumerate(zip([*ACTORS, *ACTORS], NAMES, strict=True), 1):
        actor = make_actor(game, town, peer=f"127.0.0.{number}")
        await actor.enters(name.lower(), name)
        people.append(One(town, actor, town.mobile(name)))
    await trio.sleep(3)  # EverQuest II's client loads
    return people


def pairs(people: list[One]) -> Iterator[tuple[One, One, str]]:
    """Each game with each, and what the pair is called. All of it takes seconds, in which nobody asks too
    often."""
    half = len(people) // 2
    for shift in range(half):
        for number, one in enumerate(people[:half]):
            other = people[half + (number + shift) % half]
            one.mobile.spoken = other.mobile.spoken = None
            yield one, other, f"{one.actor.game} with {other.actor.game}"
