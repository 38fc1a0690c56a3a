"""Parties of several worlds: the same everywhere, whoever goes where; one world decides."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.party_land import HOME, PartyLand, sends
from tests.kit.worlds import goes_on, lines_of
from world import invites, party, party_afar, party_asking, party_memory, party_pulse, presence
from world.companions import LootRule, Party, Stir
from world.elsewhere import NoWay
from world.events import PartyChanged, PartyStirred
from world.party_events import PartyTurn
from world.reach import Cannot, Refusal
from world.snapshot import restore_records

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.elsewhere import Person
    from world.world import World

ALL = ["Anna", "Bert", "Cora"]


@pytest.fixture
def land() -> PartyLand:
    """Three worlds, and three people in the second."""
    made = PartyLand()
    for name in ALL:
        made.comes(name, 2)
    return made


def words(land: PartyLand, *names: str) -> list[list[str]]:
    """What each of some reads of its party."""
    return [land.told(name) for name in names]


def test_a_party_is_made_in_a_world_that_keeps_none(land: PartyLand) -> None:
    anna, bert, cora = (land.mobile(name) for name in ALL)
    party.invite(anna, bert, LootRule.TURNS)
    invites.accept(bert, party.KIND)
    assert land.shown("Bert") == [], "not before it stands where parties are kept"
    assert party.SENT in lines_of(bert)
    land.settles()
    assert words(land, "Anna", "Bert") == [["Bert joins the party."], ["You join the party of Anna."]]
    assert anna.party is bert.party
    assert land.answers == [""]
    party.apply(cora, bert)
    invites.accept(anna, party.KIND)
    land.settles()
    assert {tuple(land.shown(name)) for name in ALL} == {(*ALL,)}
    assert anna.party is not None
    assert anna.party.rule is LootRule.TURNS
    begins = [one.begins for one in anna.world.events if isinstance(one, PartyChanged)][-3:]
    assert begins == [False, False, True]
    (kept,) = land.worlds[HOME].records.all(Party).values()
    assert kept.members == anna.party.members
    assert kept is not anna.party
    land.goes_on(400)
    assert land.shown("Anna") == ALL, "who plays elsewhere is not waited for"


def test_each_deed_is_done_where_parties_are_kept_and_told_everywhere(land: PartyLand) -> None:
    land.gathers("Anna", "Bert", "Cora")
    land.crosses("Cora", HOME)
    land.crosses("Bert", 3)
    land.settles()
    words(land, *ALL)
    anna, bert, cora = (land.mobile(name) for name in ALL)
    for deed in (partial(party.set_loot, bert, LootRule.LEADER), partial(party.disband, cora)):
        with pytest.raises(Cannot) as caught:
            deed()
        assert caught.value.why is Refusal.NO_LEADER
    sends(partial(party.set_loot, anna, LootRule.LEADER))
    party.set_loot(anna, LootRule.FINDER)  # as it is here: nothing to be done
    land.settles()
    assert words(land, *ALL) == [["Loot of the party: the leader."]] * 3
    sends(partial(party.hand_over, anna, bert.serial))
    land.settles()
    led = "Bert leads the party now."
    assert words(land, *ALL) == [[led], ["You lead the party now."], [led]]
    assert land.shown("Cora") == ["Bert", "Anna", "Cora"]
    sends(partial(party.expel, bert, anna.serial))
    land.settles()
    out = "Anna is of the party no more."
    assert words(land, *ALL) == [
        ["You are of the party no more."],
        [out],
        ["Anna is sent out of the party."],  # there it is known why
    ]
    assert anna.party is None
    sends(partial(party.disband, bert))
    land.settles()
    assert words(land, *ALL) == [[], ["The party is no more."], ["The party is no more."]]
    assert not any(world.parties or world.records.all(Party) for world in land.worlds.values())


def test_who_leaves_leaves_nobody_alone_in_a_party(land: PartyLand) -> None:
    land.gathers("Anna", "Bert")
    land.crosses("Bert", 3)
    land.settles()
    words(land, *ALL)
    sends(partial(party.leave, land.mobile("Anna")))
    land.settles()
    assert words(land, "Anna", "Bert") == [["The party is no more."]] * 2
    with pytest.raises(Cannot, match=Refusal.NO_PARTY.value):
        party.leave(land.mobile("Bert"))


def test_an_order_that_does_not_hold_any_more_is_answered(land: PartyLand) -> None:
    land.gathers("Anna", "Bert")
    anna, bert, cora = (land.mobile(name) for name in ALL)
    sends(partial(party.expel, anna, bert.serial))
    sends(partial(party.leave, anna))
    sends(partial(party._let_in, anna, cora, cora, LootRule.FINDER))
    dora = land.comes("Dora", 2)
    sends(partial(party._let_in, dora, cora, cora, LootRule.FINDER))
    land.settles()
    assert land.answers[-4:] == ["", Refusal.NO_PARTY.value, "", Refusal.IN_PARTY.value]
    assert land.shown("Cora") == ["Anna", "Cora"]
    assert bert.party is None


def test_without_the_world_that_keeps_them_nothing_changes(land: PartyLand) -> None:
    land.gathers("Anna", "Bert")
    land.couriers[2].cut = True
    with pytest.raises(Cannot) as caught:
        party.leave(land.mobile("Anna"))
    assert (caught.value.why, str(caught.value)) == (Refusal.LATER, party.AWAY)
    assert land.shown("Bert") == ["Anna", "Bert"]


def test_who_crosses_is_away_from_nobody_and_is_told_its_party_anew(land: PartyLand) -> None:
    land.gathers("Anna", "Bert", "Cora")
    shown = "Your party: Anna, Bert, Cora. Loot: whoever finds it."
    for to in (3, HOME, 2, HOME, 3):
        land.crosses("Bert", to)
        events = land.mobile("Bert").world.events
        (event,) = (one for one in events if isinstance(one, PartyChanged) and one.thing.name == "Bert")
        assert (event.what, event.begins) == (PartyTurn.SHOWN, True)
        assert words(land, *ALL) == [[], [shown], []]
        land.goes_on(3)
        assert words(land, *ALL) == [[]] * 3
        assert [land.shown(name) for name in ALL] == [ALL] * 3
    fellow = land.worlds[HOME].parties[land.serials["Bert"]].fellows[land.serials["Bert"]]
    assert fellow.wait is None


def test_who_is_gone_is_waited_for_five_minutes_by_one_world(land: PartyLand) -> None:
    land.gathers("Anna", "Bert", "Cora")
    land.crosses("Cora", 3)
    land.crosses("Anna", HOME)
    land.goes_on(2)
    words(land, *ALL)
    away = "Bert is away; the party waits for five minutes."
    land.hangs_up("Bert")
    land.goes_on(2)
    assert words(land, "Anna", "Cora") == [[away]] * 2, "while it lingers"
    land.comes("Bert", 2)
    land.goes_on(2)
    assert words(land, "Anna", "Cora") == [["Bert is back."]] * 2
    land.hangs_up("Bert")
    land.goes_on(20)
    land.leaves("Bert")
    land.goes_on(250)
    assert words(land, "Anna", "Cora") == [[away]] * 2
    assert land.shown("Cora") == ["Anna", "(Bert)", "Cora"]
    land.comes("Bert", 3)
    land.goes_on(2)
    assert words(land, "Anna", "Cora") == [["Bert is back."]] * 2
    assert land.told("Bert") == ["Your party: Anna, Bert, Cora. Loot: whoever finds it."]
    land.hangs_up("Bert")
    land.leaves("Bert")
    land.goes_on(295)
    assert words(land, "Anna", "Cora") == [[away]] * 2
    land.goes_on(12)
    assert words(land, "Anna", "Cora") == [
        ["Bert has been away for too long and is of the party no more."],
        ["Bert is of the party no more."],
    ]


def test_without_a_bus_a_party_holds_and_who_is_gone_is_missed_later(
    land: PartyLand, monkeypatch: pytest.MonkeyPatch
) -> None:
    land.gathers("Anna", "Bert")
    land.crosses("Bert", 3)
    land.goes_on(2)
    monkeypatch.setattr(land, "bus", lambda **_: None)
    words(land, *ALL)
    land.hangs_up("Bert")
    land.goes_on(5)
    assert land.shown("Anna") == ["Anna", "Bert"]
    land.leaves("Bert")
    land.goes_on(2)
    assert land.shown("Anna") == ["Anna", "Bert"], "it may be about to go on somewhere"
    land.goes_on(4)
    assert land.shown("Anna") == ["Anna", "(Bert)"]
    land.comes("Bert", 2)
    land.goes_on(400)
    assert land.shown("Anna") == ["Anna", "Bert"]


def test_who_was_to_come_in_where_parties_are_kept_and_did_not_is_missed(
    land: PartyLand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its client went after the world had made it its own."""
    land.gathers("Anna", "Bert")
    monkeypatch.setattr(land, "bus", lambda **_: None)
    land.leaves("Bert")
    land.where["Bert"] = HOME
    land.goes_on(2)
    assert land.shown("Anna") == ["Anna", "Bert"], "it may be about to come in"
    land.goes_on(4)
    (kept,) = land.worlds[HOME].records.all(Party).values()
    assert kept.fellows[land.serials["Bert"]].wait is not None


def test_who_has_been_sought_and_came_is_sought_anew_when_it_goes_again(
    land: PartyLand, monkeypatch: pytest.MonkeyPatch
) -> None:
    land.gathers("Anna", "Bert")
    monkeypatch.setattr(land, "bus", lambda **_: None)
    land.leaves("Bert")
    land.goes_on(2)
    land.comes("Bert", 2)
    land.goes_on(10)
    land.leaves("Bert")
    land.goes_on(2)
    assert land.shown("Anna") == ["Anna", "Bert"]
    # And if meanwhile nobody was there who wants to know.
    land.crosses("Anna", 3)
    land.comes("Bert", 3)
    land.goes_on(10)
    land.leaves("Bert")
    land.crosses("Anna", 2)
    land.goes_on(1)
    assert land.shown("Anna") == ["Anna", "Bert"]


def test_who_came_back_unheard_is_not_struck_off(land: PartyLand, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its world said that it is gone, and the line was cut before it said that it is back."""
    land.gathers("Anna", "Bert")
    land.crosses("Bert", 3)
    land.goes_on(2)
    land.hangs_up("Bert")
    land.goes_on(2)
    assert land.shown("Anna") == ["Anna", "(Bert)"]
    monkeypatch.setattr(land, "bus", lambda **_: None)
    land.comes("Bert", 3)
    land.goes_on(party_afar.LEFT_SECONDS + 3)
    assert land.shown("Anna") == ["Anna", "Bert"]
    land.goes_on(party.AWAY_SECONDS)
    assert land.mobile("Bert").party is not None


def test_bars_and_places_of_members_elsewhere_are_told_as_far_as_they_change(land: PartyLand) -> None:
    land.gathers("Anna", "Bert", "Cora")
    land.crosses("Bert", 3)
    land.goes_on(3)
    anna, bert = land.mobile("Anna"), land.mobile("Bert")
    anna.world.events.clear()
    assert not party_afar.news(land.worlds[3]), "nothing has changed"
    bert.hits, bert.level = 1, 9
    assert [*party_afar.news(land.worlds[3])] == [2], "nobody is at home"
    land.mobile("Anna").world.events.clear()
    bert.hits, bert.x = 2, 15
    land.bus()
    (event,) = (one for one in anna.world.events if isinstance(one, PartyStirred))
    (told,) = event.stirred
    assert told.what == Stir.HITS | Stir.LEVEL | Stir.PLACE
    assert (told.member.name, told.member.hits, told.member.x) == ("Bert", 2, 15)
    assert {one.mobile.name for one in event.viewers} == {"Anna", "Cora"}
    assert anna.party is not None
    assert anna.party.fellows[bert.serial].state.level == 9
    again = [party_afar.news(land.worlds[3], turn) for turn in range(party_afar.RETOLD)]
    assert [one.serial for told in again for one in told.get(2, ())] == [bert.serial], "once in ten times"
    # That it is gone only that world can say where it was found.
    gone = attrs.evolve(party_pulse.state_of(bert), online=False)
    party_afar.hear(land.worlds[2], 1, [gone])
    assert land.shown("Anna") == ["Anna", "Bert", "Cora"]
    party_afar.hear(land.worlds[2], 3, [gone])
    assert land.shown("Anna") == ["Anna", "(Bert)", "Cora"]


def test_of_many_members_each_is_told_of_in_its_turn_and_who_goes_at_once(
    land: PartyLand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(party_afar, "MOST_NEWS", 2)
    land.gathers("Anna", "Bert", "Cora")
    land.comes("Dora", 2)
    land.gathers("Anna", "Dora")
    land.crosses("Anna", 3)
    land.goes_on(3)
    here = land.worlds[2]
    fight = [land.mobile(name) for name in ("Bert", "Cora", "Dora")]
    told: list[set[str]] = []
    for hits in (10, 11, 12):
        goes_on(here, 1.0)
        for mobile in fight:
            mobile.hits = hits
        told.append({one.name for one in party_afar.news(here)[3]})
    assert [len(names) for names in told] == [2, 2, 2]
    assert all(first | second == {"Bert", "Cora", "Dora"} for first, second in pairwise(told))
    goes_on(here, 1.0)
    for mobile in fight:
        mobile.hits = 20
    land.hangs_up("Dora")
    land.hangs_up("Cora")
    land.hangs_up("Bert")
    assert [one.online for one in party_afar.news(here)[3]] == [False] * 3


def test_after_a_start_of_the_world_that_keeps_them_all_have_five_minutes(land: PartyLand) -> None:
    land.gathers("Anna", "Bert", "Cora")
    land.crosses("Cora", 3)
    land.goes_on(2)
    rows = land.rows()
    words(land, *ALL)
    # While it is dead one goes elsewhere, and one is gone.
    land.crosses("Cora", 2)
    land.hangs_up("Bert")
    land.leaves("Bert")
    land.begins(HOME)
    home = land.worlds[HOME]
    home.records.load(restore_records(rows))
    party.settle(home)
    land.goes_on(5)
    states = party.states(home.parties[land.serials["Anna"]])
    assert [one.online for one in states] == [True, False, True]
    assert land.shown("Anna") == ["Anna", "(Bert)", "Cora"]
    words(land, *ALL[::2])
    land.goes_on(290)
    assert words(land, "Anna", "Cora") == [[], []]
    land.goes_on(12)
    assert words(land, "Anna", "Cora") == [["Bert is of the party no more."]] * 2
    assert home.parties[land.serials["Anna"]].members == [land.serials["Anna"], land.serials["Cora"]]


def test_a_number_that_was_given_anew_is_another_member_s(land: PartyLand) -> None:
    """As where the world that keeps them was killed before it had written the first."""
    land.gathers("Anna", "Bert")
    land.crosses("Bert", 3)
    land.goes_on(2)
    land.hangs_up("Bert")
    land.goes_on(2)
    (kept,) = land.worlds[HOME].records.all(Party).values()
    again = kept.fellows.pop(land.serials["Bert"])
    again.character, again.name = land.serials["Cora"], "Cora"
    land.crosses("Cora", HOME)
    words(land, "Anna")
    land.copies()
    assert land.shown("Anna") == ["Anna", "Cora"]
    assert words(land, "Anna") == [["Bert is of the party no more.", "Cora joins the party."]]
    of = land.worlds[2].parties[land.serials["Anna"]]
    assert land.worlds[2].records.all(Party)[kept.number] is of
    fellow = of.fellows[land.serials["Cora"]]
    assert (fellow.world, fellow.left, fellow.missed, fellow.told) == (0, None, False, None)


def test_a_window_of_a_party_that_is_no_more_closes_after_the_next_copy(land: PartyLand) -> None:
    land.gathers("Anna", "Bert")
    cora = land.crosses("Cora", 3)
    party_memory.unknown(cora)
    assert land.told("Cora") == []
    land.copies()
    assert land.told("Cora") == ["You are of the party no more."]
    land.copies()
    assert land.told("Cora") == []
    at_home = land.crosses("Cora", HOME)
    party_memory.unknown(at_home)
    assert land.told("Cora") == ["You are of the party no more."]


def test_a_leader_elsewhere_is_asked_to_let_one_in(land: PartyLand) -> None:
    """Whoever of the party is named, and wherever that one is; unless nobody may know where the leader is."""
    land.gathers("Anna", "Bert")
    land.crosses("Anna", 3)
    land.settles()
    anna, bert, cora = (land.mobile(name) for name in ALL)
    with pytest.raises(Cannot, match=party.LEADER_ELSEWHERE):
        party.apply(cora, bert)
    cora.world.elsewhere.settle(3, [presence.person_of(anna)], 0.0)
    ways = cora.world.elsewhere.ways = Asking(land.worlds[3])
    for ask in (
        partial(party.apply, cora, bert),
        partial(party_asking.apply, cora, "Bert"),
        partial(party_asking.apply, cora, "Anna"),
    ):
        cora.world.now += 60
        ask()
        invites.refuse(anna, party.KIND)
        assert ways.answers.pop() == invites.DECLINED.format("Anna")
    cora.world.now += 60
    party_asking.apply(cora, "Anna")
    invites.accept(anna, party.KIND)
    assert party.SENT in lines_of(anna)
    assert land.shown("Cora") == [], "not before it stands where parties are kept"
    land.settles()
    assert {tuple(land.shown(name)) for name in ALL} == {(*ALL,)}
    assert ways.answers == [""]
    with pytest.raises(Cannot) as refused:
        party_asking.apply(cora, "Anna")
    assert refused.value.why is Refusal.FELLOW
    with pytest.raises(Cannot) as refused:
        party_asking.apply(cora, "Nobody")
    assert refused.value.why is Refusal.NOBODY


class Asking(NoWay):
    """The way to one other world, without a line between."""

    def __init__(self, there: World) -> None:
        self.there = there
        self.answers: list[str] = []

    def invite(
        self,
        asker: Person,
        hearer: Person,
        loot: str,
        answered: Callable[[str, str], None],
        *,
        joins: bool = False,
    ) -> bool:
        """See Ways."""

        def hears(why: str, words: str) -> None:
            self.answers.append(words)
            answered(why, words)

        party_asking.hear(self.there, asker, hearer.serial, loot, hears, joins=joins)
        return True


def test_whose_turn_it_was_is_each_worlds_own(land: PartyLand) -> None:
    land.gathers("Anna", "Bert")
    of = land.mobile("Anna").party
    assert of is not None
    of.took = 77
    (kept,) = land.worlds[HOME].records.all(Party).values()
    kept.took = 78
    land.copies()
    assert (of.took, kept.took) == (77, 78)
