"""Parties that kill: whose the remains are, who has a share of the experience, and whom quests hear of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.worlds import lines_of, plain_content, plain_world, player
from world import invites, life, party
from world.companions import LootRule
from world.content import Creature, ItemTemplate, Loot, MobileTemplate
from world.events import Gained, PartyShared
from world.mobile import Mobile
from world.party_events import Share

if TYPE_CHECKING:
    from world.item import Item, Remains
    from world.world import World


@pytest.fixture
def world() -> World:
    """The plain with a kind of wolf that leaves a shirt, and a kind that leaves nothing."""
    plain = plain_content()
    assert isinstance(plain.items, dict)
    assert isinstance(plain.mobiles, dict)
    plain.items["corpse"] = ItemTemplate("corpse", "corpse", container=True, movable=False)
    for key, loot in (("wolf", (Loot("shirt", 1, 1),)), ("cub", ())):
        kind = Creature(level=1, hits=20, armour=0, skill=20.0, least=1, most=1, loot=loot)
        plain.mobiles[key] = MobileTemplate(key, f"a {key}", hits=20, creature=True, fights=kind)
    return plain_world(plain)


def gathered(world: World, rule: LootRule, *names: str) -> list[Mobile]:
    """A party side by side, of level 1."""
    members = [player(world, name, 10 + number) for number, name in enumerate(names)]
    for member in members:
        member.endow()
        member.level = 1
    for member in members[1:]:
        party.invite(members[0], member, rule)
        invites.accept(member, party.KIND)
    world.events.clear()
    return members


def slain(world: World, *by: Mobile, kind: str = "wolf", x: int = 11) -> Item:
    """What is left of a creature that some have killed, each as much as the others."""
    wolf = Mobile(world.serials.mobile(), world, f"a {kind}", template=world.content.mobiles[kind])
    wolf.hits = wolf.hits_max = 20 * len(by)
    world.enter(wolf, world.realms["plain"], x, 10)
    before = set(world.items)
    for number, member in enumerate(by):
        life.hurt(wolf, 20 if number else wolf.hits_max - 20 * (len(by) - 1), member)
    return next(item for serial, item in world.items.items() if serial not in before and item.remains)


def heirs(corpse: Item, *members: Mobile) -> list[str]:
    """Those of a party who may take what is in it."""
    remains: Remains | None = corpse.remains
    assert remains is not None
    return [member.name for member in members if member.serial in remains.rights]


# Loot


def test_whoever_finds_it_takes_it(world: World) -> None:
    members = gathered(world, LootRule.FINDER, "Alric", "Berta", "Carl")
    assert heirs(slain(world, members[0]), *members) == ["Alric", "Berta", "Carl"]
    assert not lines_of(members[0])


def test_each_in_turn_of_those_who_are_near_and_all_of_them_read_who(world: World) -> None:
    members = gathered(world, LootRule.TURNS, "Alric", "Berta", "Carl", "Dora")
    alric, berta, carl, dora = members
    world.warp(dora, world.realms["plain"], 50, 50)
    order = [heirs(slain(world, alric), *members) for _ in range(4)]
    assert order == [["Alric"], ["Berta"], ["Carl"], ["Alric"]]
    assert lines_of(carl) == [
        "These remains are for Alric.",
        "These remains are for Berta.",
        "These remains are for you.",
        "These remains are for Alric.",
    ]
    assert not lines_of(dora)
    world.warp(dora, world.realms["plain"], 14, 10)
    slain(world, alric, kind="cub")
    life.kill(berta)
    assert heirs(slain(world, carl), *members) == ["Carl"], "who leaves nothing costs no turn"
    party.leave(carl)
    assert heirs(slain(world, alric), *members) == ["Alric"], "it begins anew"
    assert heirs(slain(world, alric), *members) == ["Dora"]


def test_the_leader_takes_it_if_it_is_near(world: World) -> None:
    members = gathered(world, LootRule.LEADER, "Alric", "Berta", "Carl")
    alric, _, carl = members
    assert heirs(slain(world, carl), *members) == ["Alric"]
    world.warp(alric, world.realms["cave"], 5, 5)
    assert heirs(slain(world, carl), *members) == ["Alric", "Berta", "Carl"]
    party.hand_over(alric, carl.serial)
    assert heirs(slain(world, carl), *members) == ["Carl"]


def test_a_leader_sets_the_rule_and_all_read_it(world: World) -> None:
    alric, berta = gathered(world, LootRule.FINDER, "Alric", "Berta")
    party.set_loot(alric, LootRule.TURNS)
    party.set_loot(alric, LootRule.TURNS)
    (change,) = (event for event in world.events if berta.viewport in event.viewers)
    assert change.words(own=True) == "Loot of the party: each in turn."
    assert heirs(slain(world, berta), alric, berta) == ["Alric"]


@pytest.mark.parametrize("rule", LootRule)
def test_it_falls_to_the_ground_if_one_whose_it_is_has_no_way_to_open_it(
    world: World, rule: LootRule
) -> None:
    members = alric, berta, carl = gathered(world, rule, "Alric", "Berta", "Carl")
    berta.opens_corpses = carl.opens_corpses = False
    world.warp(carl, world.realms["cave"], 5, 5)
    falls = {LootRule.FINDER: "Berta", LootRule.TURNS: "Berta", LootRule.LEADER: ""}[rule]
    if rule is LootRule.TURNS:
        assert slain(world, alric).contents
    corpse = slain(world, alric)
    assert bool(corpse.contents) is not (falls in heirs(corpse, *members))
    shirts = [item for item in world.items.values() if item.template.key == "shirt" and item.realm]
    assert len(shirts) == (0 if corpse.contents else 1)
    assert all(item.fell is corpse.remains for item in shirts)


# Experience


def test_those_who_are_near_share_by_level_and_hear_of_all_shares(world: World) -> None:
    members = alric, berta, carl, dora = gathered(world, LootRule.FINDER, "Alric", "Berta", "Carl", "Dora")
    berta.level = 3
    world.warp(dora, world.realms["plain"], 50, 50)
    life.kill(carl)
    slew: list[str] = []
    for member in members:
        member.slew = lambda _, name=member.name: slew.append(name)
    world.events.clear()
    slain(world, alric)
    gained = {event.thing: event.experience for event in world.events if isinstance(event, Gained)}
    # 90 of a creature of level 1, for level 3 a fifth less; a quarter and three; for two a tenth more.
    assert gained == {alric: round(90 / 4 * 1.1), berta: round(90 * 0.8 * 3 / 4 * 1.1)}
    assert slew == ["Alric", "Berta"], "quests count it for all who had a share"
    told = [event for event in world.events if isinstance(event, PartyShared)]
    assert [event.thing for event in told] == [alric, berta]
    shares = (Share(alric.serial, "Alric", gained[alric]), Share(berta.serial, "Berta", gained[berta]))
    assert {event.shares for event in told} == {shares}
    assert told[0].viewers == [alric.viewport]
    assert told[0].words(own=True) is None


def test_a_level_that_somebody_reaches_is_told_along(world: World) -> None:
    alric, berta = gathered(world, LootRule.FINDER, "Alric", "Berta")
    berta.experience = 1060
    slain(world, alric)
    (event,) = (event for event in world.events if isinstance(event, PartyShared) and event.thing is alric)
    assert [(share.name, share.level) for share in event.shares] == [("Alric", 0), ("Berta", 2)]


def test_whoever_is_away_has_a_share_of_what_it_struck_and_of_nothing_else(world: World) -> None:
    alric, berta, carl = gathered(world, LootRule.FINDER, "Alric", "Berta", "Carl")
    berta.online = carl.online = False
    slain(world, alric, berta)
    assert [event.thing for event in world.events if isinstance(event, Gained)] == [alric, berta]


def test_two_parties_and_one_alone_share_by_what_they_did(world: World) -> None:
    alric, berta = gathered(world, LootRule.FINDER, "Alric", "Berta")
    carl, _ = gathered(world, LootRule.FINDER, "Carl", "Dora")
    emil = player(world, "Emil")
    emil.endow()
    emil.level = 1
    corpse = slain(world, alric, carl, emil, carl)
    assert heirs(corpse, alric, berta, carl, emil) == ["Carl"], "the party that did most"
    gained = [event.experience for event in world.events if isinstance(event, Gained)]
    assert sorted(gained) == sorted(
        [*[round(90 / 4 / 2 * 1.1)] * 2, *[round(90 / 2 / 2 * 1.1)] * 2, round(90 / 4)]
    )
    shares = [event.shares for event in world.events if isinstance(event, PartyShared)]
    assert [len(one) for one in shares] == [2] * 4
