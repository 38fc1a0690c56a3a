"""Parties in any order of events: what is true of them, and that a window drawn of nothing but what its
client was told is always right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.kit.worlds import goes_on, plain_world, player
from world import invites, life, party, party_pulse
from world.companions import Fellow, LootRule, MemberState, Party
from world.events import PartyChanged, PartyStirred
from world.reach import Cannot
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.mobile import Mobile

PEOPLE = range(7)
who = st.sampled_from(PEOPLE)
pairs = st.sampled_from([(one, other) for one in PEOPLE for other in PEOPLE if one != other])


class Gathering(RuleBasedStateMachine):
    """Seven people do anything with parties, possible or not."""

    def __init__(self) -> None:
        super().__init__()
        self.world = plain_world(seed=3)
        self.people = [player(self.world, f"P{number}", 10 + number) for number in PEOPLE]
        self.windows: dict[int, list[MemberState]] = {one.serial: [] for one in self.people}
        """What the client of each shows, by what it was told."""
        for other in self.people[1:5]:
            party.invite(self.people[0], other)
            invites.accept(other, party.KIND)

    def tries(self, deed: Callable[[], object]) -> None:
        """Do something that may be refused, and nothing has changed then."""
        before = [(one.members, one.loot, one.leader) for one in self.world.records.all(Party).values()]
        before = [([*members], loot, leader) for members, loot, leader in before]
        try:
            deed()
        except Cannot:
            after = [([*one.members], one.loot, one.leader) for one in self.world.records.all(Party).values()]
            assert after == before

    @rule(pair=pairs, loot=st.sampled_from(LootRule))
    def invite(self, pair: tuple[int, int], loot: LootRule) -> None:
        self.tries(lambda: party.invite(self.people[pair[0]], self.people[pair[1]], loot))

    @rule(pair=pairs)
    def apply(self, pair: tuple[int, int]) -> None:
        self.tries(lambda: party.apply(self.people[pair[0]], self.people[pair[1]]))

    @rule(one=who)
    def accept(self, one: int) -> None:
        self.tries(lambda: invites.accept(self.people[one], party.KIND))

    @rule(pair=pairs)
    def join_at_once(self, pair: tuple[int, int]) -> None:
        self.invite(pair, LootRule.FINDER)
        self.accept(pair[1])

    @rule(one=who)
    def leave(self, one: int) -> None:
        self.tries(lambda: party.leave(self.people[one]))

    @rule(pair=pairs)
    def expel(self, pair: tuple[int, int]) -> None:
        self.tries(lambda: party.expel(self.people[pair[0]], self.people[pair[1]].serial))

    @rule(pair=pairs)
    def hand_over(self, pair: tuple[int, int]) -> None:
        self.tries(lambda: party.hand_over(self.people[pair[0]], self.people[pair[1]].serial))

    @rule(one=who)
    def disband(self, one: int) -> None:
        self.tries(lambda: party.disband(self.people[one]))

    @rule(one=who)
    def set_loot(self, one: int) -> None:
        self.tries(lambda: party.set_loot(self.people[one], LootRule.TURNS))

    @rule(one=who, hits=st.integers(1, 50), x=st.integers(1, 50))
    def fare(self, one: int, hits: int, x: int) -> None:
        mobile = self.people[one]
        mobile.hits = hits
        if mobile.realm is not None:
            self.world.warp(mobile, mobile.realm, x, 20)

    @rule(one=who)
    def die_or_live(self, one: int) -> None:
        mobile = self.people[one]
        if not life.resurrect(mobile):
            life.kill(mobile)

    @rule(one=who, seconds=st.sampled_from([1, 310]))
    def lose_line_and_come_back(self, one: int, seconds: int) -> None:
        self.go_away(one)
        self.pass_time(seconds)
        self.come_back(one)

    @rule(one=who)
    def go_away(self, one: int) -> None:
        mobile = self.people[one]
        if mobile.online:
            self.draw()
            self.world.close_viewport(mobile)
            mobile.online = False
            self.windows[mobile.serial] = []
            party.parted(mobile)

    @rule(one=who)
    def come_back(self, one: int) -> None:
        mobile = self.people[one]
        if not mobile.online:
            mobile.online = True
            self.world.open_viewport(mobile, mobile.serial, Sight(18))
            party.resumed(mobile)

    @rule(seconds=st.sampled_from([1, 31, 310]))
    def pass_time(self, seconds: int) -> None:
        for _ in range(4):
            self.world.begin(self.world.now + seconds / 4)
            self.world.run_timers()

    def draw(self) -> None:
        """What clients show after this turn."""
        for event in self.world.take_changes().events:
            for viewport in event.viewers:
                serial = viewport.mobile.serial
                if isinstance(event, PartyChanged):
                    assert viewport.mobile is event.thing
                    self.windows[serial] = [*event.members]
                elif isinstance(event, PartyStirred):
                    window = self.windows[serial]
                    for now in (one.member for one in event.stirred):
                        places = [place for place, one in enumerate(window) if one.serial == now.serial]
                        assert len(places) == 1, "only of those that it knows"
                        window[places[0]] = now

    @invariant()
    def windows_are_right(self) -> None:
        """A second later each shows its party, and how everybody fares; unless that has changed just
        now, for who was hurt recovers."""
        goes_on(self.world, 1.1)
        self.draw()
        if self.wrong_windows():
            goes_on(self.world, 1.1)
            self.draw()
        assert self.wrong_windows() == []

    def wrong_windows(self) -> list[str]:
        """Names of those whose client shows something else than there is."""
        known, wrong = self.world.mobiles, []
        for mobile in self.people:
            members = [] if mobile.party is None else mobile.party.members
            truth = [party_pulse.state_of(known[serial]) for serial in members]
            if mobile.online and self.windows[mobile.serial] != truth:
                wrong.append(mobile.name)
        return wrong

    @invariant()
    def parties_are_whole(self) -> None:
        """Two to five members, each in one party, which its record, its index and itself know of."""
        parties = self.world.records.all(Party)
        held = [serial for found in parties.values() for serial in found.members]
        assert len(held) == len(set(held)) == len(self.world.records.all(Fellow)) == len(self.world.parties)
        for found in parties.values():
            assert 2 <= len(found.members) <= party.MOST
            assert found.members[0] == found.leader
            assert set(found.members) == set(found.fellows)
            for serial, fellow in found.fellows.items():
                assert (fellow.character, fellow.party) == (serial, found.number)
                assert self.world.parties[serial] is found
                assert (fellow.wait is None) is self.of(serial).online
        for mobile in self.people:
            assert mobile.party is self.world.parties.get(mobile.serial)

    def of(self, serial: int) -> Mobile:
        """The one of that serial."""
        return next(one for one in self.people if one.serial == serial)


TestGathering = Gathering.TestCase
TestGathering.settings = settings(max_examples=30, stateful_step_count=30, deadline=None)
