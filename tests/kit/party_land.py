"""Several worlds with the same parties, in one test without a database: the first keeps them, and what passes
between them goes when a test says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.worlds import goes_on, plain_world
from world import books, copies, invites, party, party_afar, party_copies, party_memory
from world.companions import Fellow, Party
from world.events import PartyChanged
from world.mobile import Mobile
from world.reach import Cannot, Refusal
from world.snapshot import record_row
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from world.elsewhere import Order
    from world.snapshot import RecordRow
    from world.world import World

HOME = 1


class Courier:
    """The way of orders of one world; none while `cut`."""

    def __init__(self) -> None:
        self.orders: list[Order] = []
        self.cut = False

    def ask(self, order: Order) -> bool:
        """See `world.elsewhere.Books`."""
        if not self.cut:
            self.orders.append(order)
        return not self.cut


class PartyLand:
    """Worlds 1 to `count`, and who is where. Somebody is named by name."""

    def __init__(self, count: int = 3) -> None:
        self.worlds: dict[int, World] = {}
        self.couriers: dict[int, Courier] = {}
        for number in range(1, count + 1):
            self.begins(number)
        self.serials: dict[str, int] = {}
        self.where: dict[str, int] = {}
        """Number of the world that has somebody, by the database; lingering or not."""
        self.known: dict[int, Mapping[tuple[str, int], RecordRow]] = {}
        """Rows of parties that each world read last, by its number."""
        self.answers: list[str] = []
        """What came of the orders."""

    def begins(self, number: int) -> None:
        """A world's process starts, with what is stored."""
        world = self.worlds[number] = plain_world(seed=number)
        self.couriers[number] = Courier()
        world.elsewhere.books = self.couriers[number]
        world.records.kept = number == HOME

    def mobile(self, name: str) -> Mobile:
        """Somebody, in the world that has it."""
        return self.worlds[self.where[name]].mobiles[self.serials[name]]

    # Who comes and goes

    def comes(self, name: str, number: int, *, given: list[tuple[object, ...]] | None = None) -> Mobile:
        """Somebody is played from now on in a world; `given`: it came over a border, and brings that."""
        world, serial = self.worlds[number], self.serials.setdefault(name, 100 + len(self.serials))
        mobile = world.mobiles.get(serial)
        if mobile is None:
            mobile = self._make(world, name)
            world.enter(mobile, world.realms["plain"], 10 + serial % 10, 10)
        mobile.online = True
        world.open_viewport(mobile, serial, Sight(18))
        self.where[name] = number
        if given is not None:
            party_memory.given(mobile, given)
        party.resumed(mobile, over=given is not None)
        return mobile

    def crosses(self, name: str, number: int) -> Mobile:
        """Somebody goes over a border."""
        mobile = self.mobile(name)
        taken, in_party = party_memory.taken(mobile), mobile.party is not None
        self._close(mobile)
        mobile.world.leave(mobile)
        there = self.comes(name, number, given=taken)
        if in_party and there.party is None:
            party_memory.unknown(there)
        return there

    def hangs_up(self, name: str) -> None:
        """Somebody's client is gone; it lingers."""
        mobile = self.mobile(name)
        self._close(mobile)
        party.parted(mobile)

    def leaves(self, name: str) -> None:
        """Somebody who lingers is in no world any more."""
        mobile = self.mobile(name)
        mobile.world.leave(mobile)
        del self.where[name]

    def _close(self, mobile: Mobile) -> None:
        self.worlds[self.where[mobile.name]].close_viewport(mobile)
        mobile.online = False

    def _make(self, world: World, name: str) -> Mobile:
        template = world.content.mobiles["player"]
        return Mobile(self.serials[name], world, name, template=template, account=1)

    # What passes

    def orders(self) -> None:
        """The first world carries out what others have sent for."""
        home = self.worlds[HOME]
        names = {serial: name for name, serial in self.serials.items()}
        for courier in self.couriers.values():
            for order in courier.orders:
                actor, other = (
                    (home.mobiles.get(serial) or self._make(home, names[serial])) if serial else None
                    for serial in (order.actor, order.other)
                )
                assert actor is not None
                self.answers.append(books.perform(order, actor, other))
            courier.orders = []

    def copies(self) -> None:
        """The others read what it keeps."""
        rows = self.rows()
        for number, world in self.worlds.items():
            if number != HOME:
                unsure = frozenset(world.elsewhere.unsure)
                before, after = self.known.get(number), copies.by_number(rows)
                if before is None:
                    party_copies.copy(world, rows)
                else:
                    party_copies.change(world, *copies.differences(before, after))
                self.known[number] = after
                party_memory.close_windows(world, unsure)

    def rows(self) -> list[RecordRow]:
        """What is stored of parties."""
        records = self.worlds[HOME].records
        kinds: tuple[type[Party | Fellow], ...] = (Party, Fellow)
        return [record_row(one) for kind in kinds for one in records.all(kind).values()]

    def looks(self) -> None:
        """All look where those members are whom they have not themselves."""
        stored = {self.serials[name]: number for name, number in self.where.items()}
        for number, world in self.worlds.items():
            asked = party_afar.asked(world)
            party_afar.look(
                world, asked, {serial: stored[serial] for serial in asked if serial in stored}, number
            )

    def bus(self, *, all_of_it: bool = False) -> None:
        """They tell one another how members fare."""
        for turn in range(party_afar.RETOLD) if all_of_it else (None,):
            for number, world in self.worlds.items():
                for to, states in party_afar.news(world, turn).items():
                    party_afar.hear(self.worlds[to], number, states)

    def settles(self) -> None:
        """All of that, as it is within two seconds."""
        for _ in range(2):
            self.orders()
            self.copies()
            self.looks()
            self.bus()

    def goes_on(self, seconds: float) -> None:
        """Time passes everywhere, and once a second they hear of one another."""
        for second in range(round(seconds)):
            for world in self.worlds.values():
                goes_on(world, 1.0)
            self.settles()
            if second % 10 == 9:
                self.bus(all_of_it=True)

    # What is done and seen

    def gathers(self, leader: str, *others: str) -> None:
        """Make a party of some who are in one world."""
        for other in others:
            party.invite(self.mobile(leader), self.mobile(other))
            invites.accept(self.mobile(other), party.KIND)
            self.settles()
            self.mobile(leader).spoken = None  # nobody asks too often here
        for world in self.worlds.values():
            world.events.clear()

    def told(self, name: str) -> list[str]:
        """Lines that somebody reads of its party since this was asked last."""
        mobile = self.mobile(name)
        events = mobile.world.events
        mine = [one for one in events if isinstance(one, PartyChanged) and one.thing is mobile]
        found = [one.words(own=True) or "" for one in mine]
        events[:] = [one for one in events if getattr(one, "thing", None) is not mobile]
        return found

    def shown(self, name: str) -> list[str]:
        """Who is of its party, the leader first, as its window shows it; in brackets who is away."""
        of = self.mobile(name).party
        states = () if of is None else party.states(of)
        return [one.name if one.online else f"({one.name})" for one in states]


def sends(deed: Callable[[], object]) -> None:
    """Do something that is done elsewhere."""
    with pytest.raises(Cannot) as caught:
        deed()
    assert (caught.value.why, str(caught.value)) == (Refusal.LATER, party.SENT)
