"""Parties in three worlds, whatever is done in any order: once all was read everywhere they are the same,
each window that was drawn of what its client was told is right, and who plays anywhere is away nowhere."""

from __future__ import annotations

import random
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

import pytest

from tests.kit.party_land import HOME, PartyLand
from world import invites, party
from world.companions import LootRule, MemberState, Party
from world.events import PartyChanged, PartyStirred
from world.reach import Cannot

if TYPE_CHECKING:
    from collections.abc import Callable

PEOPLE: Final = ("Anna", "Bert", "Cora", "Dora", "Emil", "Fred")
STEPS: Final = 150


class Play:
    """Six people who do anything, and what the client of each shows."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.land = PartyLand()
        self.windows: dict[str, dict[int, MemberState]] = {name: {} for name in PEOPLE}
        self.online: set[str] = set()
        for name in PEOPLE:
            self.comes(name)

    def comes(self, name: str) -> None:
        """Somebody plays from now on, where it lingers or anywhere."""
        number = self.land.where.get(name) or self.dice.choice([*self.land.worlds])
        self.windows[name] = {}  # a client that knows nothing yet
        self.land.comes(name, number)
        self.online.add(name)

    def goes(self, name: str) -> None:
        """Somebody's client is gone."""
        self.land.hangs_up(name)
        self.online.discard(name)
        if self.dice.random() < 0.5:
            self.land.leaves(name)

    def deed(self, actor: str) -> Callable[[], object]:
        """Something that is done, or is not possible."""
        dice, mobile = self.dice, self.land.mobile(actor)
        where = self.land.where
        beside = sorted(one for one in self.online - {actor} if where[one] == where[actor])
        if not beside:
            return partial(party.leave, mobile)
        other = self.land.mobile(dice.choice(beside))
        serial = self.land.serials[dice.choice(PEOPLE)]
        return dice.choice(
            (
                partial(party._let_in, mobile, other, other, dice.choice([*LootRule])),
                partial(party._let_in, mobile, other, other, dice.choice([*LootRule])),
                partial(party.leave, mobile),
                partial(party.expel, mobile, serial),
                partial(party.hand_over, mobile, serial),
                partial(party.set_loot, mobile, dice.choice([*LootRule])),
                partial(invites.accept, mobile, party.KIND),
                partial(party.disband, mobile) if dice.random() < 0.2 else partial(party.show, mobile),
            )
        )

    def step(self) -> None:
        """One thing happens, and perhaps something of it is heard."""
        dice, name = self.dice, self.dice.choice(PEOPLE)
        what = dice.random()
        if name not in self.online:
            self.comes(name)
        elif what < 0.1:
            self.goes(name)
        elif what < 0.3:
            to = dice.choice([number for number in self.land.worlds if number != self.land.where[name]])
            self.draws()
            self.land.crosses(name, to)
        elif what < 0.4:
            mobile = self.land.mobile(name)
            mobile.hits = dice.randrange(1, 50)
        else:
            with suppress(Cannot):
                self.deed(name)()
        passes = self.land.orders, self.land.copies, self.land.looks, self.land.bus
        for one in dice.sample(passes, dice.randrange(3)):
            one()
        self.draws()

    def draws(self) -> None:
        """Clients draw what they were told."""
        for world in self.land.worlds.values():
            for event in world.events:
                eyes = {one.mobile.name for one in event.viewers} if hasattr(event, "viewers") else set()
                for name in eyes & self.online:
                    if isinstance(event, PartyChanged):
                        self.windows[name] = {one.serial: one for one in event.members}
                    elif isinstance(event, PartyStirred):
                        told = {one.member.serial: one.member for one in event.stirred}
                        window = self.windows[name]
                        window.update({serial: one for serial, one in told.items() if serial in window})
            world.events.clear()

    def settles(self) -> None:
        """All of it was heard everywhere."""
        self.land.goes_on(10)
        self.draws()

    def check(self) -> None:
        """All that is true then."""
        home = self.land.worlds[HOME]
        kept = [(of.members, of.loot) for of in home.records.all(Party).values()]
        played = {self.land.serials[name] for name in self.online}
        lingering = {self.land.serials[name] for name in self.land.where} - played
        for number, world in self.land.worlds.items():
            assert [(of.members, of.loot) for of in world.records.all(Party).values()] == kept, number
            assert {serial: of.number for serial, of in world.parties.items()} == {
                serial: of.number for serial, of in home.parties.items()
            }
        for of in home.records.all(Party).values():
            assert 2 <= len(of.members) <= party.MOST
            for serial, fellow in of.fellows.items():
                # Of one that lingers elsewhere the first world is told if somebody is there to be told.
                if serial in home.mobiles or (serial not in lingering and fellow.left is None):
                    assert (fellow.wait is None) == fellow.state.online == (serial in played), fellow.name
        for name in sorted(self.online):
            mobile = self.land.mobile(name)
            states = () if mobile.party is None else party.states(mobile.party)
            assert mobile.party is mobile.world.parties.get(mobile.serial)
            window = self.windows[name]
            assert [*window] == [one.serial for one in states], name
            for one in states:
                assert one.online == (one.serial in played)
                if one.serial != mobile.serial and one.online:
                    there = next(
                        world.mobiles[one.serial]
                        for world in self.land.worlds.values()
                        if one.serial in world.mobiles
                    )
                    assert window[one.serial].hits == there.hits, (name, one.name)


@pytest.mark.parametrize("seed", range(6))
def test_parties_are_the_same_everywhere_whatever_is_done(seed: int) -> None:
    play = Play(seed)
    for number in range(STEPS):
        play.step()
        if number % 30 == 29:
            play.settles()
            play.check()
