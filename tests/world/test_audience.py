"""Who hears of an event, and what they are to one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.worlds import person, plain_world
from world import audience, holding
from world.audience import Relation, relation
from world.companions import Party
from world.guild import Guild
from world.mobile import Mobile, Notoriety
from world.space import Sight

if TYPE_CHECKING:
    from world.mobile import Viewport
    from world.world import World


def watcher(world: World, name: str, x: int, y: int, *, key: int, realm: str = "plain") -> Mobile:
    """Somebody whom a client plays."""
    mobile = person(world, name, x, y, realm=realm)
    mobile.online = True
    world.open_viewport(mobile, key, Sight(8))
    return mobile


def names(viewport: list[Viewport]) -> list[str]:
    return [one.mobile.name for one in viewport]


@pytest.fixture
def world() -> World:
    return plain_world()


@pytest.fixture
def people(world: World) -> list[Mobile]:
    """Three in a row, each farther from the first, one far away, and one in the cave."""
    return [
        watcher(world, "Alric", 10, 10, key=1),
        watcher(world, "Berta", 13, 10, key=2),
        watcher(world, "Carl", 18, 10, key=3),
        watcher(world, "Dora", 50, 50, key=4),
        watcher(world, "Emil", 5, 5, key=5, realm="cave"),
    ]


def test_who_hears_of_it(world: World, people: list[Mobile]) -> None:
    alric, *_, dora, emil = people
    assert names(audience.in_sight(alric)) == ["Alric", "Berta", "Carl"]
    assert sorted(names(audience.of_tile(world.realms["plain"], 20, 10))) == ["Berta", "Carl"]
    assert names(audience.hearing(alric, 3)) == ["Alric", "Berta"]
    assert names(audience.hearing(alric, 15)) == ["Alric", "Berta", "Carl"]
    assert names(audience.one(dora)) == ["Dora"]
    assert names(audience.members([dora, emil, dora])) == ["Dora", "Emil"]
    assert names(audience.of_realm(world, world.realms["plain"])) == ["Alric", "Berta", "Carl", "Dora"]
    assert names(audience.everybody(world)) == ["Alric", "Berta", "Carl", "Dora", "Emil"]


def test_who_is_not_played_or_nowhere_hears_nothing(world: World, people: list[Mobile]) -> None:
    resident = person(world, "Rufus", 11, 10)
    assert audience.one(resident) == []
    assert audience.members([resident]) == []
    assert names(audience.in_sight(resident)) == ["Alric", "Berta", "Carl"]
    world.leave(resident)
    assert audience.in_sight(resident) == audience.hearing(resident, 15) == []
    lingering = people[3]
    world.close_viewport(lingering)
    lingering.online = False
    assert "Dora" not in names(audience.everybody(world))


def band(*mobiles: Mobile) -> None:
    """Make a party of some."""
    party = Party([mobile.serial for mobile in mobiles])
    for mobile in mobiles:
        mobile.party = party


def found_guild(*mobiles: Mobile) -> None:
    """Make a guild of some."""
    guild = Guild(name="Founders")
    for mobile in mobiles:
        mobile.guild = guild


def test_what_they_are_to_one_another(people: list[Mobile]) -> None:
    alric, berta, carl, dora, emil = people
    band(alric, berta)
    found_guild(alric, berta, carl)
    assert audience.by_guild(alric, berta) is Relation.GUILD, "also of who is in one's party"
    assert audience.by_guild(alric, dora) is Relation.OTHER
    assert relation(alric, alric) is Relation.SELF
    assert relation(alric, berta) is relation(berta, alric) is Relation.PARTY
    assert relation(alric, carl) is Relation.GUILD
    assert relation(alric, dora) is relation(dora, alric) is relation(dora, emil) is Relation.OTHER
    dora.notoriety = Notoriety.MURDERER
    assert relation(alric, dora) is Relation.ENEMY
    assert relation(dora, alric) is Relation.OTHER
    berta.notoriety = Notoriety.ENEMY
    assert relation(alric, berta) is Relation.PARTY
    for apart, found in (
        ({Relation.PARTY}, [True, True, False, False, False]),
        ({Relation.GUILD}, [True, True, True, False, False]),
        ({Relation.ENEMY}, [True, True, True, True, False]),
        (set(), [False] * 5),
    ):
        assert [audience.stands_apart(mobile, apart) for mobile in people] == found


def test_a_thing_is_to_a_viewer_what_its_holder_is(world: World, people: list[Mobile]) -> None:
    alric, berta, carl, *_ = people
    band(alric, berta)
    candle = holding.make(world, "candle")
    holding.wear(berta, candle)
    assert [relation(viewer, candle) for viewer in (alric, berta, carl)] == [
        Relation.PARTY,
        Relation.SELF,
        Relation.OTHER,
    ]
    lying = holding.make(world, "candle")
    world.enter(lying, world.realms["plain"], 11, 10)
    assert relation(alric, lying) is relation(None, alric) is relation(None, None) is Relation.OTHER
    assert relation(alric, None) is Relation.OTHER


def test_there_are_no_groups_yet(people: list[Mobile]) -> None:
    assert {relation(viewer, other) for viewer in people for other in people} == {
        Relation.SELF,
        Relation.OTHER,
    }
    assert not any(audience.stands_apart(one, set(Relation)) for one in people)
