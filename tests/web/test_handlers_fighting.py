"""Fights in the browser, over a whole server: blows, death, loot, growth, and the way back."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import attrs
import pytest

from tests.kit.players import UoPlayer
from tests.kit.town import Town
from tests.kit.web_player import WebPlayer
from tests.kit.web_scene import anna_and, settled
from tests.web.conftest import quiet_content
from world import ailments, holding, life, residents
from world.content import Creature, Loot, Resident
from world.parts import Lock, Skill
from world.rules import growth

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock

    from world.content import Content
    from world.mobile import Mobile

HITS: Final = 12
LOOT: Final = (Loot("gold", 7, 7), Loot("apple", 2, 2))


@cache
def hunting_ground() -> Content:
    """The shipped content, and rats that do not strike back."""
    content = quiet_content()
    prey = Creature(level=3, hits=HITS, armour=0, skill=10.0, least=1, most=2, loot=LOOT)
    rat = attrs.evolve(content.mobiles["rat"], name="a rat", fights=prey, hits=HITS)
    charts = {name: attrs.evolve(chart, residents=()) for name, chart in content.charts.items()}
    return attrs.evolve(content, mobiles={**content.mobiles, "rat": rat}, charts=charts)


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    """A running server in which nobody lives."""
    running = Town(nursery, content=hunting_ground(), games=("web", "uo"))
    await running.open()
    return running


async def a_rat_beside(town: Town, player: WebPlayer, name: str = "Anna") -> Mobile:
    """To the east of somebody, who sees it."""
    mobile = town.mobile(name)
    assert mobile.realm is not None
    rat = residents.place(town.app.world, mobile.realm, Resident("rat", mobile.x + 1, mobile.y))
    await settled(town, player)
    shown = player.screen.things[rat.serial]
    assert (shown.fights, shown.level, shown.hits, shown.name) == (True, 3, 100, "a rat")
    return rat


async def kills(anna: WebPlayer, rat: Mobile) -> None:
    """With one message; the world strikes for her."""
    await anna.does(anna.client.attack_bytes(rat.serial))
    assert anna.screen.enemies == {anna.screen.me: rat.serial}
    await anna.sends(b"", wait=60.0)
    assert rat.dead


async def test_a_creature_is_killed_and_another_browser_and_a_uo_client_see_the_same(
    town: Town, autojump_clock: MockClock
) -> None:
    bert, carla = WebPlayer(town), UoPlayer(town)
    anna = await anna_and(town, bert, carla)
    rat = await a_rat_beside(town, anna)
    before = town.mobile("Anna").experience
    await kills(anna, rat)
    await settled(town, anna, bert)
    blows = anna.screen.blows
    assert bert.screen.blows == blows
    assert {(blow.attacker, blow.target) for blow in blows} == {(anna.screen.me, rat.serial)}
    assert sum(blow.damage for blow in blows) == HITS
    assert {blow.ms for blow in blows} == {anna.screen.sheet["blow_ms"]}
    lost = 0
    for blow in blows:
        lost += blow.damage
        assert blow.hits == 100 * (HITS - lost) // HITS
    assert blows[-1].hits == 0
    for player in (anna, bert):
        assert rat.serial in player.screen.died
        corpse = player.screen.things[player.screen.corpses[rat.serial]]
        assert (corpse.name, corpse.corpse, corpse.look["figure"]) == ("corpse of a rat", True, "rat")
        assert rat.serial not in player.screen.things
        assert player.screen.enemies == {}
    assert rat.serial not in carla.client.mobiles
    gained = growth.kill_experience(3, 1, town.app.content.growth)
    assert anna.screen.gained == [(round(gained), rat.serial)]
    assert anna.screen.sheet["experience"] == before + round(gained)
    assert not bert.screen.gained
    assert not bert.screen.practised


async def test_a_corpse_is_opened_and_emptied_by_who_killed(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    rat = await a_rat_beside(town, anna)
    gold = holding.gold(town.mobile("Anna"))
    await kills(anna, rat)
    corpse = anna.screen.corpses[rat.serial]
    await anna.does(anna.client.use_bytes(corpse))
    inside = {thing.name: thing for thing in anna.screen.inside[corpse].values()}
    assert {name: thing.amount for name, thing in inside.items()} == {"gold coin": 7, "apple": 2}
    # Others have to wait, and what is in it they cannot know.
    await bert.does(bert.client.use_bytes(corpse))
    assert bert.screen.notices()[-1].startswith("Others killed that")
    await bert.does(bert.client.take_bytes(inside["apple"].id))
    assert bert.screen.notices()[-1] == "That is not there any more."
    for thing in inside.values():
        await anna.does(anna.client.take_bytes(thing.id))
    assert anna.screen.inside[corpse] == {}
    assert anna.screen.sheet["gold"] == holding.gold(town.mobile("Anna")) == gold + 7
    # It decays, and its window closes.
    for _ in range(round(town.app.content.law.corpse_seconds / 20) + 1):
        await anna.sends(anna.client.ping_bytes(), wait=20.0)
    assert corpse not in anna.screen.things
    assert corpse not in anna.screen.inside
    await settled(town, anna, bert)


async def test_what_must_not_be_struck_costs_nothing(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    rat = await a_rat_beside(town, anna)
    mobile, other = town.mobile("Anna"), town.mobile("Bert")
    assert mobile.realm is not None
    stamina = mobile.stam
    for target, words in (
        (anna.screen.me, "You cannot do that to yourself."),
        (0, "You cannot see that."),
        (anna.client.owned("dagger"), "You cannot see that."),
        (other.serial, "Players do not fight each other here."),
    ):
        await anna.does(anna.client.attack_bytes(target))
        assert anna.screen.notices()[-1] == words
    town.app.world.warp(rat, mobile.realm, mobile.x + 9, mobile.y)
    await settled(town, anna)
    await anna.does(anna.client.attack_bytes(rat.serial))
    assert anna.screen.notices()[-1] == "That is too far away."
    life.kill(mobile)
    await settled(town, anna)
    await anna.does(anna.client.attack_bytes(rat.serial))
    assert anna.screen.notices()[-1] == "You are dead and cannot do that."
    assert (anna.screen.blows, rat.hits, mobile.stam, other.hits) == ([], HITS, stamina, other.hits_max)


async def test_who_stops_strikes_no_more(town: Town, autojump_clock: MockClock) -> None:
    anna = await anna_and(town)
    rat = await a_rat_beside(town, anna)
    rat.hits = rat.hits_max = 500
    await anna.does(anna.client.attack_bytes(rat.serial), wait=5.0)
    assert len(anna.screen.blows) > 1
    assert anna.screen.drawn
    await anna.does(anna.client.stop_bytes())
    assert (anna.screen.enemies, anna.screen.drawn) == ({}, False)
    before = len(anna.screen.blows)
    await anna.sends(b"", wait=10.0)
    assert len(anna.screen.blows) == before
    await settled(town, anna)


async def test_points_are_spent_and_skills_told(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    mobile, rule = town.mobile("Anna"), town.app.content.growth
    rat = await a_rat_beside(town, anna)
    assert anna.screen.skills["daggers"] == 300
    mobile.experience = growth.least_experience(2, rule) - 1
    anna.screen.forgets()
    await kills(anna, rat)
    assert anna.screen.levels == bert.screen.levels == [(mobile.serial, 2)]
    sheet = anna.screen.sheet
    assert (sheet["level"], sheet["points"], sheet["level_from"]) == (2, 3, growth.least_experience(2, rule))
    hits_max = sheet["hits_max"]
    await anna.does(anna.client.spend_bytes("vitality", 2))
    sheet = anna.screen.sheet
    assert (sheet["vitality"], sheet["points"], sheet["hits_max"]) == (12, 1, hits_max + 4)
    for attribute, points in (("strength", 2), ("luck", 1)):
        before = len(anna.screen.notices())
        await anna.does(anna.client.spend_bytes(attribute, points))
        assert len(anna.screen.notices()) == before + 1
    heals = {"hits", "mana", "stam"}
    assert {key: value for key, value in anna.screen.sheet.items() if key not in heals} == {
        key: value for key, value in sheet.items() if key not in heals
    }
    known = {name: skill.value for name, skill in (mobile.learner.skills if mobile.learner else {}).items()}
    assert anna.screen.skills == {name: value for name, value in known.items() if value}
    for skill, value in anna.screen.practised:
        assert value <= known[skill]


async def test_a_skill_is_locked_as_the_page_wants_it(town: Town, autojump_clock: MockClock) -> None:
    anna = await anna_and(town)
    learner = town.mobile("Anna").learner
    assert learner is not None
    for way in (Lock.DOWN, Lock.FIXED):
        await anna.does(anna.client.lock_bytes("daggers", way))
        assert learner.skills["daggers"].lock == way
        assert anna.screen.locks == {"daggers": way}
    # What it has not begun to learn it may still not want to.
    await anna.does(anna.client.lock_bytes("swords", Lock.FIXED))
    assert anna.screen.locks == {"daggers": Lock.FIXED, "swords": Lock.FIXED}
    assert anna.screen.skills["swords"] == 0
    for skill in ("daggers", "swords"):
        await anna.does(anna.client.lock_bytes(skill, Lock.UP))
    assert anna.screen.locks == {}
    assert "swords" not in anna.screen.skills
    await anna.does(anna.client.lock_bytes("juggling", Lock.FIXED))
    assert anna.screen.notices()[-1] == "That skill cannot be learned here yet."
    assert anna.screen.locks == {}


async def test_poison_is_seen_by_all_who_look(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    rat = await a_rat_beside(town, anna)
    mobile = town.mobile("Anna")
    for victim in (mobile, rat):
        assert ailments.poison(victim, 1)
    await settled(town, anna, bert)
    for player in (anna, bert):
        assert player.screen.things[mobile.serial].poisoned
        assert player.screen.things[rat.serial].poisoned
    assert anna.screen.poisoned
    assert not bert.screen.poisoned
    # Who comes later is shown it.
    carla = WebPlayer(town)
    await carla.enters("carla", "Carla")
    assert carla.screen.things[rat.serial].poisoned
    for victim in (mobile, rat):
        assert ailments.cure(victim)
    await settled(town, anna, bert, carla)
    for player in (anna, bert, carla):
        assert not player.screen.things[mobile.serial].poisoned
        assert not player.screen.things[rat.serial].poisoned
    assert not anna.screen.poisoned


async def test_remedies_are_used_and_named_by_what_they_do(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    mobile, other = town.mobile("Anna"), town.mobile("Bert")
    pack = mobile.backpack
    assert pack is not None
    assert mobile.learner is not None
    mobile.learner.skills["healing"] = Skill(1000)  # who does not fail
    holding.put(pack, holding.make(town.app.world, "healing_potion", amount=2))
    await settled(town, anna)
    purposes = {thing.name: thing.purpose for thing in anna.screen.owned.values() if thing.purpose}
    assert purposes["healing potion"] == "heal"
    assert purposes["bread loaf"] == "eat"
    assert purposes["clean bandage"] == "dress"
    assert purposes["candle"] == "light"
    life.hurt(mobile, 20)
    await anna.does(anna.client.use_bytes(anna.client.owned("healing potion")))
    assert anna.screen.mended == [(mobile.serial, 20)]
    assert (mobile.serial, 20) in bert.screen.mended
    life.hurt(other, 20)
    hurt = other.hits
    await anna.does(anna.client.use_bytes(anna.client.owned("clean bandage"), other.serial), wait=10.0)
    assert other.hits > hurt
    await anna.does(anna.client.use_bytes(anna.client.owned("bread loaf"), other.serial))
    assert anna.screen.notices()[-1] == "You cannot use bread loaf on others."


async def test_a_ghost_is_told_who_killed_it_and_goes_to_town(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    town = Town(nursery, content=quiet_content(), games=("web", "uo", "co"))
    await town.open()
    anna = await anna_and(town)
    mobile = town.mobile("Anna")
    await anna.does(anna.client.town_bytes())
    assert anna.screen.notices()[-1] == "You are not dead."
    assert mobile.realm is not None
    killer = residents.place(town.app.world, mobile.realm, Resident("rat", mobile.x + 1, mobile.y))
    await settled(town, anna)
    experience = mobile.experience = 500
    life.kill(mobile, killer)
    await settled(town, anna)
    assert anna.of("died")[-1]["by"] == killer.serial
    assert anna.screen.gained[-1] == (mobile.experience - experience, 0)
    assert anna.screen.gained[-1][0] < 0
    before = mobile.x, mobile.y
    await anna.does(anna.client.town_bytes(), wait=3.0)
    assert (anna.screen.x, anna.screen.y) == (mobile.x, mobile.y) != before
    await settled(town, anna)
