"""Boards and chests in the store: notes last, and an emptied chest is still empty after a start."""

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
from tests.kit.fixed import KINDS
from tests.kit.rows import url_of
from tests.kit.worlds import goes_on
from world import boards, fixtures
from world.content import Fixture
from world.mobile import Mobile
from world.snapshot import restore_items

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from world.item import Item
    from world.world import World


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    path = tmp_path / "world.db"
    upgrade(url_of(path), tmp_path / "backups")
    database = Database(url_of(path))
    yield database
    database.close()


def begun(database: Database) -> World:
    """A world as a start of the server makes it: what lies there, and what has to stand there."""
    world = stored.new_world(database.reserve_serials())
    items = {**world.content.items, **{kind.key: kind for kind in KINDS}}
    world.content = attrs.evolve(world.content, items=items)
    realm = next(iter(world.realms.values()))
    realm.redraw(attrs.evolve(realm.chart, fixtures=(Fixture("board", 12, 10), Fixture("chest", 10, 12))))
    restored, damaged = restore_items(database.ground_items(), world)
    assert not damaged
    for item in restored:
        if item.realm is not None:
            world.enter(item, item.realm, item.x, item.y, item.z)
    world.dirty.clear()
    fixtures.settle(world)
    return world


def write(world: World, database: Database) -> None:
    """All that changed, in one batch."""
    pending = Pending()
    pending.add(world.dirty, world.deleted)
    world.dirty, world.deleted = {}, set()
    database.commit_batch(
        Batch(
            tick=1,
            wall=1.0,
            characters=list(pending.characters.values()),
            items=list(pending.items.values()),
            deleted=list(pending.deleted),
            wanted=None,
            audit=[],
        )
    )


def standing(world: World, key: str) -> Item:
    (found,) = [item for item in world.items.values() if item.template.key == key]
    return found


def test_notes_and_what_is_in_a_chest_outlast_a_start(database: Database) -> None:
    world = begun(database)
    world.epoch = 1_800_000_000.0
    anna = Mobile(7, world, "Anna \u00c5", template=next(iter(world.content.mobiles.values())), account=1)
    world.enter(anna, next(iter(world.realms.values())), 10, 10)
    note = boards.pin(anna, standing(world, "board"), "H\u00fcte", "zwei \u2603\nund drei")
    chest = standing(world, "chest")
    gold = next(item for item in chest.contents.values() if item.template.key == "gold")
    world.delete(gold)
    write(world, database)

    again = begun(database)
    assert not again.dirty, "what stands there is not made twice"
    (kept,) = boards.notes(standing(again, "board"))
    assert (kept.serial, kept.name, kept.note) == (note.serial, note.name, note.note)
    assert [item.template.key for item in standing(again, "chest").contents.values()] == ["dagger"] * 2
    goes_on(again, 70)
    assert sum(item.amount for item in standing(again, "chest").contents.values()) == 22
    assert check_database(database) == []


def test_a_note_that_was_taken_down_stays_down(database: Database) -> None:
    world = begun(database)
    anna = Mobile(7, world, "Anna", template=next(iter(world.content.mobiles.values())), account=1)
    world.enter(anna, next(iter(world.realms.values())), 10, 10)
    board = standing(world, "board")
    note = boards.pin(anna, board, "subject", "words")
    write(world, database)
    boards.unpin(anna, board, note)
    write(world, database)
    assert not boards.notes(standing(begun(database), "board"))
