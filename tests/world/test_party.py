"""Parties: who comes into one and how it ends, and what its members hear of one another."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from protocol.session import Postponed
from tests.kit.worlds import goes_on, lines_of, plain_world, player
from world import invites, life, party, speech
from world.audience import Relation, relation
from world.companions import LootRule, Stir
from world.events import PartyChanged, PartyStirred, Said, Speech
from world.mobile import Mobile
from world.party_events import PartyTurn, Stirred
from world.reach import Cannot, Refusal
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.world import World


@pytest.fixture
def world() -> World:
    """An empty plain."""
    return plain_world()


def people(world: World, *names: str) -> list[Mobile]:
    """Players side by side."""
    return [player(world, name, 10 + number) for number, name in enumerate(names)]


def gather(leader: Mobile, *others: Mobile) -> None:
    """Make a party of some."""
    for other in others:
        party.invite(leader, other)
        invites.accept(other, party.KIND)
    leader.world.events.clear()


def names_of(mobile: Mobile) -> list[str]:
    """Who is of its party, the leader first."""
    return [] if mobile.party is None else [one.name for one in party.states(mobile.party)]


def told(mobile: Mobile) -> list[tuple[PartyTurn, str, list[str]]]:
    """What a player was told of its party, about whom, and who was of it then; as its client draws it."""
    return [
        (event.what, event.who.name if event.who is not None else "", [one.name for one in event.members])
        for event in mobile.world.events
        if isinstance(event, PartyChanged) and event.thing is mobile and mobile.viewport in event.viewers
    ]


def stirs(world: World) -> list[PartyStirred]:
    """What was told of members' bars and places."""
    return [event for event in world.events if isinstance(event, PartyStirred)]


def stirred(world: World) -> list[Stirred]:
    """The same, one by one."""
    return [one for event in stirs(world) for one in event.stirred]


def why(deed: Callable[[], object]) -> Refusal:
    """Why something is refused."""
    with pytest.raises(Cannot) as refused:
        deed()
    return refused.value.why


# Into it


def test_who_accepts_is_in_the_party_and_all_are_told_of_all(world: World) -> None:
    alric, berta, carl = people(world, "Alric", "Berta", "Carl")
    party.invite(alric, berta, LootRule.TURNS)
    question = invites.pending(berta, party.KIND)
    assert question is not None
    assert (question.about, question.text) == (
        party.INVITE,
        "Alric asks you into a party. Loot: each in turn.",
    )
    assert names_of(alric) == [], "not before it is accepted"
    invites.accept(berta, party.KIND)
    assert names_of(alric) == names_of(berta) == ["Alric", "Berta"]
    both = (PartyTurn.JOINED, "Berta", ["Alric", "Berta"])
    assert (told(alric), told(berta)) == ([both], [both])
    assert all(event.begins for event in world.events if isinstance(event, PartyChanged))
    world.events.clear()
    party.invite(alric, carl)
    invites.accept(carl, party.KIND)
    assert alric.party is not None
    assert alric.party.members == [alric.serial, berta.serial, carl.serial]
    assert alric.party.rule is LootRule.TURNS
    changes = [event for event in world.events if isinstance(event, PartyChanged)]
    assert [event.begins for event in changes] == [False, False, True]
    assert [event.leader for event in changes] == [alric.serial] * 3
    assert [event.words(own=True) for event in changes] == [
        "Carl joins the party.",
        "Carl joins the party.",
        "You join the party of Alric.",
    ]
    assert relation(carl, berta) is Relation.PARTY


def test_who_declines_or_is_silent_is_in_none(world: World) -> None:
    alric, berta = people(world, "Alric", "Berta")
    party.invite(alric, berta)
    invites.refuse(berta, party.KIND)
    party.invite(alric, berta)
    goes_on(world, 31)
    assert alric.party is berta.party is None
    assert lines_of(alric)[-1] == "Berta does not answer."


def test_who_asks_back_accepts(world: World) -> None:
    alric, berta, carl = people(world, "Alric", "Berta", "Carl")
    party.invite(alric, berta)
    party.invite(berta, alric)
    assert names_of(alric) == ["Alric", "Berta"]
    party.apply(carl, alric)
    party.invite(alric, carl)
    assert names_of(carl) == ["Alric", "Berta", "Carl"]


def test_one_asks_to_be_let_in_and_the_leader_answers(world: World) -> None:
    alric, berta, carl, dora = people(world, "Alric", "Berta", "Carl", "Dora")
    gather(alric, berta)
    party.apply(carl, berta)
    question = invites.pending(alric, party.KIND)
    assert question is not None
    assert (question.about, question.asker) == (party.JOIN, carl)
    assert invites.pending(berta, party.KIND) is None
    invites.accept(alric, party.KIND)
    assert carl.party is alric.party
    emil = player(world, "Emil")
    party.apply(dora, emil)
    invites.accept(emil, party.KIND)
    assert names_of(dora) == ["Emil", "Dora"], "who was asked leads"


def test_who_cannot_be_asked_into_a_party(world: World) -> None:
    alric, berta, carl, dora = people(world, "Alric", "Berta", "Carl", "Dora")
    gather(alric, berta)
    gather(carl, dora)
    assert why(lambda: party.invite(alric, alric)) is Refusal.ONESELF
    assert why(lambda: party.invite(alric, berta)) is Refusal.FELLOW
    assert why(lambda: party.invite(alric, dora)) is Refusal.IN_PARTY
    assert why(lambda: party.invite(berta, player(world, "Emil"))) is Refusal.NO_LEADER
    assert why(lambda: party.apply(berta, alric)) is Refusal.FELLOW
    assert why(lambda: party.apply(berta, carl)) is Refusal.HAS_PARTY
    goes_away(world, carl)
    frida = player(world, "Frida")
    assert why(lambda: party.invite(alric, carl)) is Refusal.NOBODY
    assert why(lambda: party.apply(frida, dora)) is Refusal.NOBODY


def test_five_are_a_full_party(world: World) -> None:
    alric, *others = people(world, "Alric", "Berta", "Carl", "Dora", "Emil", "Frida")
    late, fifth = others[-1], others[-2]
    gather(alric, *others[:3])
    party.invite(alric, late)
    goes_on(world, 20)
    party.invite(alric, fifth)
    invites.accept(fifth, party.KIND)
    world.events.clear()
    invites.accept(late, party.KIND)
    assert lines_of(late) == [Refusal.PARTY_FULL.value]
    assert late.party is None
    assert why(lambda: party.invite(alric, late)) is Refusal.PARTY_FULL
    assert why(lambda: party.apply(late, fifth)) is Refusal.PARTY_FULL


def test_what_has_changed_since_it_was_asked_is_told_to_who_accepts(world: World) -> None:
    alric, berta, carl, dora = people(world, "Alric", "Berta", "Carl", "Dora")
    party.invite(alric, berta)
    party.apply(alric, carl)
    gather(carl, dora)
    invites.accept(carl, party.KIND)
    assert alric.party is carl.party
    world.events.clear()
    invites.accept(berta, party.KIND)
    assert lines_of(berta) == ["Alric leads no party any more."]
    emil, frida = player(world, "Emil"), player(world, "Frida")
    party.apply(emil, frida)
    gather(carl, emil)
    invites.accept(frida, party.KIND)
    assert lines_of(frida) == [Refusal.IN_PARTY.value]


# Out of it


def test_one_leaves_is_sent_out_and_the_last_one_is_no_party(world: World) -> None:
    alric, berta, carl, dora = people(world, "Alric", "Berta", "Carl", "Dora")
    gather(alric, berta, carl, dora)
    party.leave(dora)
    assert told(dora) == [(PartyTurn.LEFT, "Dora", [])]
    assert told(carl) == [(PartyTurn.LEFT, "Dora", ["Alric", "Berta", "Carl"])]
    world.events.clear()
    party.expel(alric, carl.serial)
    assert told(carl) == [(PartyTurn.EXPELLED, "Carl", [])]
    assert told(berta) == [(PartyTurn.EXPELLED, "Carl", ["Alric", "Berta"])]
    assert carl.party is dora.party is None
    world.events.clear()
    party.expel(berta, berta.serial)
    assert told(alric) == [(PartyTurn.LEFT, "Berta", ["Alric"]), (PartyTurn.ENDED, "", [])]
    assert alric.party is berta.party is None
    assert not world.parties


def test_another_leads_when_the_leader_leaves_or_hands_over(world: World) -> None:
    alric, berta, carl = people(world, "Alric", "Berta", "Carl")
    gather(alric, berta, carl)
    goes_away(world, berta)
    world.events.clear()
    party.leave(alric)
    assert told(carl) == [
        (PartyTurn.LEFT, "Alric", ["Carl", "Berta"]),
        (PartyTurn.LED, "Carl", ["Carl", "Berta"]),
    ]
    assert why(lambda: party.hand_over(carl, berta.serial)) is Refusal.NOBODY
    assert why(lambda: party.hand_over(carl, carl.serial)) is Refusal.ONESELF
    assert why(lambda: party.hand_over(carl, alric.serial)) is Refusal.NO_FELLOW
    returns(world, berta)
    world.events.clear()
    party.hand_over(carl, berta.serial)
    assert told(carl) == [(PartyTurn.LED, "Berta", ["Berta", "Carl"])]
    assert [event.words(own=True) for event in world.events if isinstance(event, PartyChanged)] == [
        "You lead the party now.",
        "Berta leads the party now.",
    ]


def test_only_the_leader_rules_and_only_a_member_may_do_anything(world: World) -> None:
    alric, berta, carl = people(world, "Alric", "Berta", "Carl")
    for deed in DEEDS:
        assert why(partial(deed, carl, carl)) is Refusal.NO_PARTY
    gather(alric, berta)
    for deed in DEEDS[3:]:
        assert why(partial(deed, berta, alric)) is Refusal.NO_LEADER
    assert why(lambda: party.expel(alric, carl.serial)) is Refusal.NO_FELLOW
    assert why(lambda: party.called(alric, "Carl")) is Refusal.NO_FELLOW
    assert party.called(alric, " berta ").serial == berta.serial
    world.events.clear()
    party.disband(alric)
    assert told(alric) == told(berta) == [(PartyTurn.ENDED, "", [])]
    goes_on(world, 2)
    assert not stirs(world), "nobody is watched any more"


DEEDS: list[Callable[[Mobile, Mobile], object]] = [
    lambda actor, other: party.leave(actor),
    lambda actor, other: party.show(actor),
    lambda actor, other: party.called(actor, "Alric"),
    lambda actor, other: party.expel(actor, other.serial),
    lambda actor, other: party.hand_over(actor, other.serial),
    lambda actor, other: party.set_loot(actor, LootRule.LEADER),
    lambda actor, other: party.disband(actor),
]
"""All that one does in a party; from the fourth on what its leader alone may."""


# In it


def test_words_reach_the_party_wherever_it_is(world: World) -> None:
    alric, berta, carl, _ = people(world, "Alric", "Berta", "Carl", "Dora")
    gather(alric, berta, carl)
    goes_away(world, carl)
    world.warp(berta, world.realms["cave"], 5, 5)
    world.events.clear()
    speech.to_company(alric, Speech.PARTY, "Come here")
    assert lines_of(alric) == lines_of(berta) == ["Come here"]


def test_members_hear_how_the_others_fare_wherever_they_are(world: World) -> None:
    alric, berta, carl = people(world, "Alric", "Berta", "Carl")
    gather(alric, berta)
    goes_on(world, 2)
    assert not stirs(world), "nothing has changed"
    world.warp(berta, world.realms["cave"], 5, 5)
    for _ in range(4):
        berta.hits -= 5
        goes_on(world, 0.1)
    goes_on(world, 1.1)
    heard = stirs(world)
    assert 1 <= len(heard) <= 2, "at most once a second"
    assert {one.member.serial for one in stirred(world)} == {berta.serial}
    assert [*heard[0].viewers] == [alric.viewport, berta.viewport]
    last = stirred(world)[-1].member
    assert (last.hits, last.realm, last.x, last.name) == (berta.hits, "cave", 5, "Berta")
    world.events.clear()
    for change, flag in CHANGES:
        change(berta)
        goes_on(world, 2.1 if flag == Stir.MANA else 1.1)
        assert [one.what for one in stirred(world)] == [flag]
        world.events.clear()
    carl.hits -= 1
    goes_on(world, 1.1)
    assert not stirs(world)


CHANGES: list[tuple[Callable[[Mobile], object], int]] = [
    (lambda mobile: setattr(mobile, "hits_max", 77), Stir.HITS),
    (lambda mobile: setattr(mobile, "mana", 3), Stir.MANA),
    (lambda mobile: setattr(mobile, "stam_max", 78), Stir.STAM),
    (lambda mobile: setattr(mobile, "level", 9), Stir.LEVEL),
    (lambda mobile: setattr(mobile, "game", "eo"), Stir.GAME),
    (lambda mobile: mobile.world.warp(mobile, mobile.world.realms["plain"], 5, 5), Stir.PLACE),
    (life.kill, Stir.HITS | Stir.LIFE),
]
"""What members hear of, and how it is called."""


def test_of_what_comes_while_a_client_loads_the_newest_counts(world: World) -> None:
    alric, berta = people(world, "Alric", "Berta")
    gather(alric, berta)
    for _ in range(2):
        berta.hits -= 5
        goes_on(world, 1.1)
    alric.hits -= 5
    goes_on(world, 1.1)
    first, second, other = stirs(world)
    assert second.replaces(first)
    assert not other.replaces(first)
    berta.mana -= 1
    goes_on(world, 2.1)
    mana = stirs(world)[-1]
    assert not mana.replaces(first), "it says nothing of hits"
    waiting = Postponed(maxlen=64)
    for event in (first, mana, second, other):
        waiting.append(event)
    assert [*waiting] == [mana, second, other]
    assert not mana.replaces(PartyChanged(berta, PartyTurn.SHOWN, None, (), LootRule.FINDER, ()))


def test_of_more_than_can_wait_words_go_first(world: World) -> None:
    alric, _ = people(world, "Alric", "Berta")
    ended = PartyChanged(alric, PartyTurn.ENDED, None, (), LootRule.FINDER, ())
    waiting = Postponed(maxlen=3)
    waiting.append(ended)
    words = [Said(None, Speech.GLOBAL, f"{number}", ()) for number in range(9)]
    for said in words:
        waiting.append(said)
    assert [*waiting] == [ended, *words[-2:]]
    changes = [PartyChanged(alric, PartyTurn.SHOWN, None, (), LootRule.FINDER, ()) for _ in range(4)]
    for change in changes:
        waiting.append(change)
    assert [one is other for one, other in zip(waiting, changes[1:], strict=True)] == [True] * 3


# Away


def test_a_party_waits_five_minutes_for_who_lost_its_connection(world: World) -> None:
    alric, berta, carl = people(world, "Alric", "Berta", "Carl")
    gather(alric, berta, carl)
    goes_away(world, berta)
    assert told(alric) == [(PartyTurn.AWAY, "Berta", ["Alric", "Berta", "Carl"])]
    assert not told(berta)
    goes_on(world, 299)
    world.events.clear()
    returns(world, berta)
    assert told(alric) == [(PartyTurn.BACK, "Berta", ["Alric", "Berta", "Carl"])]
    assert told(berta) == [(PartyTurn.SHOWN, "", ["Alric", "Berta", "Carl"])]
    goes_on(world, 10)
    assert berta.party is alric.party
    goes_away(world, berta)
    goes_on(world, 302)
    assert told(alric)[-1] == (PartyTurn.LOST, "Berta", ["Alric", "Carl"])
    assert berta.party is None
    world.events.clear()
    returns(world, berta)
    assert not told(alric)
    assert not told(berta)


def test_who_left_the_world_and_comes_back_as_another_object_is_of_it_still(world: World) -> None:
    """A character that is read again from the store, perhaps through another game."""
    alric, berta = people(world, "Alric", "Berta")
    gather(alric, berta)
    berta.hits = 7
    goes_away(world, berta)
    world.leave(berta)
    (_, known) = party.states(alric.party) if alric.party is not None else ()
    assert (known.name, known.hits, known.online) == ("Berta", 7, False)
    anew = Mobile(
        berta.serial,
        world,
        "Berta",
        template=world.content.mobiles["player"],
        account=1,
        game="l2",
    )
    world.enter(anew, world.realms["cave"], 5, 5)
    world.events.clear()
    returns(world, anew)
    assert anew.party is alric.party
    (back,) = (event for event in world.events if isinstance(event, PartyChanged) and event.thing is alric)
    assert back.who is not None
    assert (back.who.game, back.who.realm, back.who.online) == ("l2", "cave", True)


def test_a_party_of_which_nobody_is_there_ends_when_nobody_came_back(world: World) -> None:
    alric, berta = people(world, "Alric", "Berta")
    gather(alric, berta)
    goes_away(world, alric)
    goes_away(world, berta)
    world.leave(alric)
    goes_on(world, 200)
    assert set(world.parties) == {alric.serial, berta.serial}
    assert not stirs(world)
    goes_on(world, 110)
    assert not world.parties
    assert berta.party is None


def test_who_is_taken_over_by_another_client_was_never_away(world: World) -> None:
    alric, berta = people(world, "Alric", "Berta")
    gather(alric, berta)
    berta.game = "web"
    returns(world, berta)
    assert told(alric) == []
    assert told(berta) == [(PartyTurn.SHOWN, "", ["Alric", "Berta"])]
    goes_on(world, 1.1)
    assert [one.what for one in stirred(world)] == [Stir.GAME]


def test_mana_and_stamina_alone_are_told_every_two_seconds_and_with_a_wound_at_once(world: World) -> None:
    alric, berta = people(world, "Alric", "Berta")
    gather(alric, berta)
    for _ in range(40):
        berta.stam -= 1
        goes_on(world, 0.1)
    assert [one.what for one in stirred(world)] == [Stir.STAM] * 2
    world.events.clear()
    goes_on(world, 2.1)
    world.events.clear()
    berta.stam -= 1
    berta.hits -= 1
    goes_on(world, 1.1)
    (event,) = stirred(world)
    assert (event.what, event.member.stam) == (Stir.HITS | Stir.STAM, berta.stam)


def test_who_comes_is_told_how_the_others_are_now(world: World) -> None:
    alric, berta, carla = people(world, "Alric", "Berta", "Carla")
    gather(alric, berta)
    berta.hits -= 3
    party.invite(alric, carla)
    invites.accept(carla, party.KIND)
    (shown,) = [one for one in world.events if isinstance(one, PartyChanged) and one.thing is carla]
    assert [one.hits for one in shown.members] == [alric.hits, berta.hits, carla.hits]
    (event,) = stirs(world)
    assert [one.what for one in event.stirred] == [Stir.HITS]
    assert carla.viewport not in event.viewers, "it knows of no party yet"
    # The same for who comes back, and who asks.
    goes_away(world, carla)
    alric.hits -= 2
    returns(world, carla)
    shown = [one for one in world.events if isinstance(one, PartyChanged) and one.thing is carla][-1]
    assert [one.hits for one in shown.members] == [alric.hits, berta.hits, carla.hits]
    assert all(carla.viewport not in event.viewers for event in stirs(world))
    berta.hits -= 1
    party.show(alric)
    shown = [one for one in world.events if isinstance(one, PartyChanged) and one.thing is alric][-1]
    assert [one.hits for one in shown.members] == [alric.hits, berta.hits, carla.hits]


def goes_away(world: World, mobile: Mobile) -> None:
    """Let somebody lose its connection, as the server does it."""
    world.close_viewport(mobile)
    mobile.online = False
    world.events.clear()
    party.parted(mobile)


def returns(world: World, mobile: Mobile) -> None:
    """Let somebody be played, as the server does it."""
    mobile.online = True
    world.open_viewport(mobile, mobile.serial, Sight(18))
    party.resumed(mobile)
