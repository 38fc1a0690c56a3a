"""A hunt with Endless Online's attack key in a whole server, and how fast one strikes with it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import attrs
import pytest
import trio
from eolib import Direction, NpcPlayerServerPacket, NpcSpecServerPacket

from tests.kit.eo_client import OFFSETS
from tests.kit.games import GAMES
from tests.kit.players import EoPlayer, UoPlayer
from tests.kit.town import Town, shipped_content
from world import arms, hands, learning, residents, spawners
from world.content import Resident, Weapon
from world.events import Struck
from world.heading import EAST
from world.rules.combat import Manner
from world.rules.numbers import CombatRule
from world.world import World

if TYPE_CHECKING:
    from trio.testing import MockClock

    from world.content import Content
    from world.mobile import Mobile
    from world.world import Changes

GOLD: Final = 1
KEY_SECONDS: Final = 0.6
"""Between two requests of a client whose player holds the key: five of its ticks (sorokya/eoweb)."""

MINUTES: Final = 10

SIDES: Final = {offset: direction for direction, offset in OFFSETS.items()}


@cache
def certain_content() -> Content:
    """The shipped content, in which every blow hits and chance has no part."""
    content = shipped_content()
    dagger = attrs.evolve(content.items["dagger"], weapon=Weapon("daggers", 5, 5, 1800, Manner.PIERCE))
    rule = CombatRule(least_chance=1.0, most_chance=1.0, critical_chance=0.0)
    return attrs.evolve(content, items={**content.items, "dagger": dagger}, combat=rule)


@pytest.fixture
async def certain(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    """A running server without chance."""
    running = Town(nursery, content=certain_content())
    await running.open()
    return running


@pytest.fixture
def blows(monkeypatch: pytest.MonkeyPatch) -> list[Struck]:
    """All blows of all worlds."""
    struck: list[Struck] = []
    take = World.take_changes

    def keep(world: World) -> Changes:
        changes = take(world)
        struck.extend(event for event in changes.events if isinstance(event, Struck))
        return changes

    monkeypatch.setattr(World, "take_changes", keep)
    return struck


def stand(town: Town, mobile: Mobile, x: int, y: int) -> None:
    """Put somebody on a tile, looking east, in good health."""
    assert mobile.realm is not None
    town.app.world.warp(mobile, mobile.realm, x, y)
    mobile.heading = EAST


def open_ground(town: Town) -> tuple[int, int]:
    """A tile with free ground for six tiles to the east and two to the south."""
    realm = town.app.world.realms[town.content.start_realm]
    x0, y0 = realm.chart.spawns[0]
    for distance in range(40):
        for y in range(y0 - distance, y0 + distance + 1):
            for x in range(x0 - distance, x0 + distance + 1):
                around = [(x + dx, y + dy) for dx in range(-1, 7) for dy in range(-1, 4)]
                if all(realm.inside(*tile) and realm.walkable(*tile) for tile in around):
                    return x, y
    raise AssertionError("there is no open ground")


async def test_a_hunter_kills_and_loots_before_the_eyes_of_another(
    certain: Town, autojump_clock: MockClock
) -> None:
    hunter, onlooker = EoPlayer(certain), EoPlayer(certain)
    await hunter.enters("hunter", "Alric")
    await onlooker.enters("looker", "Berta")
    alric, berta = certain.mobile("Alric"), certain.mobile("Berta")
    world, (x, y) = certain.app.world, open_ground(certain)

    def come(_: object) -> Mobile:
        stand(certain, alric, x, y)
        stand(certain, berta, x + 2, y + 2)
        assert alric.realm is not None
        wolf = spawners.spawn(world, alric.realm, "wolf", 1, x + 1, y)[0]
        wolf.heading = EAST
        return wolf

    wolf = await certain.app.in_world(None, come)
    await trio.sleep(2)
    hits, experience = wolf.hits, alric.experience
    for _ in range(120):
        if wolf.dead:
            break
        away = (wolf.x - alric.x, wolf.y - alric.y)
        side = {
            (1, 0): Direction.Right,
            (-1, 0): Direction.Left,
            (0, 1): Direction.Down,
            (0, -1): Direction.Up,
        }
        await hunter.does(hunter.client.attack(side.get(away, Direction.Right)), wait=KEY_SECONDS)
    assert wolf.dead
    gained = alric.experience - experience
    for player in (hunter, onlooker):
        (fall,) = player.of(NpcSpecServerPacket)[-1:]
        assert fall.npc_killed_data.killer_id == hunter.client.player_id
        assert fall.npc_killed_data.damage > 0
        assert [npc for npc in player.client.kills if npc[1] == hunter.client.player_id]
        attacks = [attack for packet in player.of(NpcPlayerServerPacket) for attack in packet.attacks]
        assert {attack.player_id for attack in attacks} <= {
            hunter.client.player_id,
            onlooker.client.player_id,
        }
        assert attacks, "a wolf hunts"
        game, mobile = GAMES["eo"], alric if player is hunter else berta
        session = next(one for one in certain.app.sessions() if one.mobile is mobile)
        assert game.believes(player) == game.should_believe(session)
        assert (player.client.hp, player.client.max_hp) == (mobile.hits, mobile.hits_max)
        assert (player.client.experience, player.client.level) == (mobile.experience, mobile.level)
    assert gained > 0
    assert sum(gain for *_, gain in hunter.client.kills) == gained
    assert sum(gain for *_, gain in onlooker.client.kills) == 0
    assert hits > 0
    piles = [number for number, lying in hunter.client.items.items() if lying.id == GOLD]
    assert len(piles) == 1
    before = hunter.client.inventory[GOLD]
    await hunter.does(hunter.client.pick_up(piles[0]))
    assert 4 <= hunter.client.inventory[GOLD] - before <= 12


async def test_who_holds_the_key_strikes_as_often_as_who_clicked_once(
    certain: Town, autojump_clock: MockClock, blows: list[Struck]
) -> None:
    """PLAY, section 3: the same damage with the same weapon, over ten minutes."""
    presser, clicker = EoPlayer(certain), UoPlayer(certain)
    await presser.enters("presser", "Alric")
    await clicker.enters("clicker", "Berta")
    world, (x, y) = certain.app.world, open_ground(certain)
    people = [certain.mobile("Alric"), certain.mobile("Berta")]

    def come(_: object) -> list[Mobile]:
        posts = []
        for number, mobile in enumerate(people):
            for attribute in learning.SPENDABLE:
                setattr(mobile, attribute, 30)
            learning.measure(mobile)
            mobile.stam = mobile.stam_max
            (dagger,) = hands.carried_items(mobile, "dagger")
            hands.exchange(mobile, dagger)
            stand(certain, mobile, x, y + 2 * number)
            assert mobile.realm is not None
            post = residents.place(world, mobile.realm, Resident("sheep", x + 1, y + 2 * number))
            post.brain = None
            post.hits = post.hits_max = 60_000
            posts.append(post)
        return posts

    posts = await certain.app.in_world(None, come)
    await trio.sleep(2)
    blows.clear()
    assert [arms.blow_ms(mobile) for mobile in people] == [1620, 1620]
    await clicker.sends(b"\x05" + posts[1].serial.to_bytes(4, "big"), wait=0)
    for number in range(round(MINUTES * 60 / KEY_SECONDS)):
        if number % 50 == 0:
            await clicker.sends(GAMES["uo"].keeps_alive(clicker), wait=0)
        await presser.sends(presser.client.attack(Direction.Right), wait=KEY_SECONDS)
    pressed, clicked = (
        sum(blow.damage for blow in blows if (blow.thing, blow.target) == pair)
        for pair in zip(people, posts, strict=True)
    )
    assert clicked > 0
    assert pressed == pytest.approx(clicked, rel=0.02)
    assert len(blows) > 2 * MINUTES * 60 / 4, "nobody is so slow"
