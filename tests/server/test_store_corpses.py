"""Corpses, loot and burning lights in the store: what one killed and took is there or is not, once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from server.store.check import check_database
from server.store.database import Database
from server.store.migrate import upgrade
from server.store.pending import Pending
from server.store.records import Batch
from tests.kit import stored
from tests.kit.rows import url_of
from tests.kit.worlds import goes_on
from world import hands, holding, life
from world.content import Creature, ItemTemplate, Loot, MobileTemplate
from world.mobile import Mobile
from world.snapshot import item_row, restore_items

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from world.world import World

CORPSE = ItemTemplate("corpse", "corpse", container=True, movable=False)
WOLF = MobileTemplate(
    "wolf",
    "a wolf",
    creature=True,
    fights=Creature(1, 20, 0, 20.0, 1, 1, loot=(Loot("gold", 30, 30), Loot("dagger"))),
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    path = tmp_path / "world.db"
    upgrade(url_of(path), tmp_path / "backups")
    database = Database(url_of(path))
    yield database
    database.close()


@pytest.fixture
def world(database: Database) -> World:
    """With Arthur, who has 100 gold, in it and in the store; it knows wolves and corpses."""
    world = stored.new_world(database.reserve_serials())
    with_corpses(world)
    stored.enter(world, database, "Arthur", stored.an_account(database).id)
    return world


def with_corpses(world: World) -> World:
    world.content = attrs.evolve(
        world.content,
        items={**world.content.items, "corpse": CORPSE},
        mobiles={**world.content.mobiles, "wolf": WOLF},
    )
    return world


def arthur(world: World) -> Mobile:
    return next(mobile for mobile in world.mobiles.values() if mobile.is_character)


def save(world: World, database: Database, tick: int) -> None:
    """Write all that has changed, as one batch."""
    pending = Pending()
    pending.add(world.dirty, world.deleted)
    world.dirty, world.deleted = {}, set()
    database.commit_batch(
        Batch(
            tick=tick,
            wall=1.0,
            characters=list(pending.characters.values()),
            items=list(pending.items.values()),
            deleted=list(pending.deleted),
            wanted=None,
            audit=[],
        )
    )
    assert check_database(database) == []


def again(database: Database) -> World:
    """Another world, with what lies on the ground in the store."""
    world = with_corpses(stored.new_world(database.reserve_serials()))
    items, damaged = restore_items(database.ground_items(), world)
    assert damaged == []
    for item in items:
        if item.realm is not None:
            world.enter(item, item.realm, item.x, item.y)
    return world


def test_a_players_corpse_is_its_own_after_a_restart(world: World, database: Database) -> None:
    victim = arthur(world)
    life.kill(victim)
    (corpse,) = (item for item in world.items.values() if item.remains is not None)
    save(world, database, 8)
    assert database.meta().gold == 100
    after = again(database)
    found = after.items[corpse.serial]
    assert found.remains is not None
    assert (found.remains.template, found.remains.owner) == ("human", victim.serial)
    assert found.remains.innocent
    assert [(item.template.key, item.amount) for item in found.contents.values()] == [("gold", 100)]
    assert (found.name, item_row(found)) == ("corpse of Arthur", item_row(corpse))


def test_a_corpse_and_what_lies_decay_after_a_restart_with_all_their_time(
    world: World, database: Database
) -> None:
    life.kill(arthur(world))
    goes_on(world, 100)
    save(world, database, 8)
    after = again(database)
    law = after.content.law
    corpse, gold = after.items.values()
    goes_on(after, law.corpse_seconds - 1)
    assert corpse.serial in after.items
    goes_on(after, 10)
    assert corpse.serial not in after.items
    assert gold.realm is not None
    save(after, database, 9)
    assert [row.serial for row in database.ground_items()] == [gold.serial]
    goes_on(after, law.ground_seconds + 10)
    save(after, database, 10)
    assert database.ground_items() == []
    assert database.meta().gold == 0


def test_loot_is_stored_with_the_kill_and_moves_with_the_taking(world: World, database: Database) -> None:
    hunter = arthur(world)
    hunter.strength = 50
    wolf = Mobile(world.serials.mobile(), world, "a wolf", template=WOLF, hits=20)
    world.enter(wolf, world.realms["field"], hunter.x + 1, hunter.y)
    life.hurt(wolf, 20, hunter)
    (corpse,) = (item for item in world.items.values() if item.remains is not None)
    gold = next(item for item in corpse.contents.values() if item.template.key == "gold")
    hands.take(hunter, gold, 10)
    save(world, database, 8)
    assert database.meta().gold == 130
    loaded = database.character(hunter.serial)
    assert loaded is not None
    assert sum(item.amount for item in loaded[1] if item.template == "gold") == 110
    ground = {row.template: row.amount for row in database.ground_items()}
    assert ground == {"corpse": 1, "gold": 20, "dagger": 1}


def test_a_corpse_of_a_kind_that_there_is_no_more_is_left_alone(world: World, database: Database) -> None:
    life.kill(arthur(world))
    save(world, database, 8)
    other = stored.new_world(database.reserve_serials())
    other.content = attrs.evolve(
        other.content,
        items={**other.content.items, "corpse": CORPSE},
        mobiles={},
    )
    items, damaged = restore_items(database.ground_items(), other)
    assert items == []
    assert damaged[0].reason == "unknown mobile template 'human'"


def test_a_light_burns_on(world: World, database: Database) -> None:
    dagger = holding.make(world, "dagger")
    world.enter(dagger, world.realms["field"], 3, 3)
    dagger.lit = True
    save(world, database, 8)
    assert again(database).items[dagger.serial].lit
