"""Records in the store: what they say, their boxes, and what refers to what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing
from sqlalchemy import delete, select, update

from server.store.check import check_database
from server.store.database import Database
from server.store.migrate import upgrade
from server.store.pending import Pending
from server.store.tables import metadata, records
from tests.kit import audits, postgres, stored
from tests.kit.writing import Town, settle
from world import company, guild_rolls, guilds, hands, safes
from world.guild import Bond, Entry, Guild, Member, Rank, Tie
from world.records import Records
from world.snapshot import RECORD_TABLES, RecordRow, record_row, restore_records
from world.stored import put

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from trio.testing import MockClock

    from world.item import Item
    from world.world import World

KINDS = [
    "sqlite",
    pytest.param("postgresql", marks=pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY)),
]


@pytest.fixture(params=KINDS)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    address = f"sqlite:///{tmp_path / 'world.db'}"
    if request.param == "postgresql":
        address = str(request.getfixturevalue("url"))
    upgrade(address, tmp_path / "backups")
    database = Database(address)
    yield database
    database.close()


@pytest.fixture
def memory() -> Iterator[Database]:
    database = Database("sqlite://")
    yield database
    database.close()


@pytest.fixture
async def town(nursery: trio.Nursery) -> AsyncIterator[Town]:
    town = Town()
    await nursery.start(town.storage.run)
    yield town
    town.database.close()


def found(world: World, *characters: int, name: str = "Weavers") -> Guild:
    """A guild of these characters, the first of whom leads it."""
    guild = world.records.add(Guild(name=name, tag="WV", founded_at=7.5))
    for at, serial in enumerate(characters):
        rank = Rank.MEMBER if at else Rank.LEADER
        member = world.records.add(Member(guild=guild.number, character=serial, rank=rank))
        guild.members[serial] = member
    return guild


def with_bank(guild: Guild, world: World, purse: Item, amount: int) -> None:
    """So much of a purse in the guild's bank."""
    box = safes.box_for_record(world)
    guild.box = box.serial
    hands.transfer(purse, amount, box)


# What is noted


def test_a_stored_attribute_notes_its_change_and_no_other_does() -> None:
    records = Records()
    guild = records.add(Guild(name="Weavers"))
    assert records.take() == ({("guild", 1): guild}, set())
    guild.log = []
    assert not records.waiting
    guild.notice = "Market at noon"
    assert records.dirty == {("guild", 1): guild}
    other = Guild(name="Spinners")
    other.name = "Dyers"
    assert list(records.dirty) == [("guild", 1)], "what nobody keeps is nobody's business"


def test_a_number_is_not_given_twice() -> None:
    records = Records()
    first, second = records.add(Guild()), records.add(Guild())
    member = records.add(Member())
    assert member.number == 1, "each kind counts for itself"
    records.delete(second)
    records.delete(second)
    assert records.add(Guild()).number == 3
    second.name = "late"
    assert ("guild", 2) not in records.dirty
    assert records.deleted == {("guild", 2)}
    assert list(records.all(Guild)) == [1, 3]
    assert records.get(Guild, 1) is first
    assert records.get(Guild, 2) is None


def test_what_was_loaded_is_not_written_and_numbers_go_on_behind_it() -> None:
    loaded = Guild(name="Weavers")
    loaded.number = 41
    records = Records()
    records.load([loaded])
    assert not records.waiting
    assert records.add(Guild()).number == 42
    loaded.name = "Spinners"
    assert ("guild", 41) in records.dirty


# What is written


@pytest.mark.parametrize("name", RECORD_TABLES)
def test_everything_that_is_declared_comes_back(memory: Database, name: str) -> None:
    table, world = RECORD_TABLES[name], stored.new_world()
    record = world.records.add(table.make())
    for seed in (100, 5000):
        values = [
            {bool: seed == 100, int: seed + at, float: seed + at / 4, str: f"\u00e9{seed + at}"}[column.kind]
            for at, column in enumerate(table.columns)
        ]
        put(record, table.columns, values)
        stored.save(world, memory)
        with memory.read() as connection:
            found = [RecordRow(name, tuple(row)) for row in connection.execute(select(records[name]))]
        assert found == [RecordRow(name, (*values, record.number))]
    (again,) = restore_records(found)
    assert type(again) is table.make
    assert record_row(again) == record_row(record)
    world.records.delete(record)
    stored.save(world, memory)
    assert memory.records() == []


def test_every_kind_has_its_table() -> None:
    for name, table in RECORD_TABLES.items():
        assert set(metadata.tables[name].columns.keys()) == {one.name for one in table.columns} | {"number"}
        references = {one.refers for one in table.columns} - {""}
        assert references <= {"character", "item", *RECORD_TABLES}


def test_a_guild_is_the_same_after_a_restart(database: Database) -> None:
    world = stored.new_world(database.reserve_serials())
    account = stored.an_account(database).id
    anna = stored.enter(world, database, "Anna", account)
    berta = stored.enter(world, database, "Berta", account)
    guild, other = (
        found(world, anna.serial, berta.serial),
        found(world, berta.serial, name="Sp\u00efnners\0\ud800"),
    )
    world.records.add(Tie(guild=guild.number, other=other.number, bond=Bond.ALLIED))
    world.records.add(Entry(guild=guild.number, who="Anna", deed="founded it"))
    with_bank(guild, world, stored.purse(anna), 60)
    stored.save(world, database)
    assert check_database(database) == []

    again = stored.begun(database)
    weavers, spinners = again.records.all(Guild).values()
    assert (weavers.name, weavers.tag, weavers.founded_at) == ("Weavers", "WV", 7.5)
    assert spinners.name == "Sp\u00efnners?"
    assert [(one.character, one.rank) for one in weavers.members.values()] == [
        (anna.serial, Rank.LEADER),
        (berta.serial, Rank.MEMBER),
    ]
    assert weavers.bond(spinners) is spinners.bond(weavers) is Bond.ALLIED
    assert [(entry.who, entry.deed) for entry in weavers.log] == [("Anna", "founded it")]
    box = guild_rolls.bank(again, weavers)
    assert box is not None
    assert [(item.template.key, item.amount) for item in box.contents.values()] == [("gold", 60)]
    assert audits.holder_faults(again) == []
    assert not again.dirty
    assert not again.records.waiting
    assert database.meta().gold == 200


# Deleted characters


def test_who_is_deleted_is_in_no_guild_and_another_leads_it(memory: Database) -> None:
    world = stored.new_world()
    guild = found(world, 1, 2, 3)
    guild.members[3].rank = Rank.OFFICER
    company.forget(world, [1, 99])
    assert {serial: one.rank for serial, one in guild.members.items()} == {2: Rank.MEMBER, 3: Rank.LEADER}
    company.forget(world, [2, 3])
    assert not world.records.all(Guild)
    assert not world.records.all(Member)


def test_strangers_are_forgotten_at_the_start(memory: Database) -> None:
    world = stored.new_world(memory.reserve_serials())
    anna = stored.enter(world, memory, "Anna", stored.an_account(memory).id)
    guild = found(world, 12345, anna.serial)
    lonely = found(world, 777, name="Lonely")
    with_bank(lonely, world, stored.purse(anna), 30)
    stored.save(world, memory)
    assert memory.strangers() == {12345, 777}
    assert {finding.kind for finding in check_database(memory)} == {"record"}
    again = stored.begun(memory)
    (kept,) = again.records.all(Guild).values()
    assert kept.number == guild.number
    assert list(kept.members) == [anna.serial]
    assert kept.members[anna.serial].rank == Rank.LEADER
    stored.save(again, memory, 2)
    assert check_database(memory) == []
    assert memory.strangers() == set()
    assert audits.stored_census(memory) == {"backpack": 1, "shirt": 1, "gold": 70}


# What is wrong is found


def a_guild(memory: Database) -> tuple[World, Guild]:
    world = stored.new_world(memory.reserve_serials())
    anna = stored.enter(world, memory, "Anna", stored.an_account(memory).id)
    guild = found(world, anna.serial)
    with_bank(guild, world, stored.purse(anna), 30)
    stored.save(world, memory)
    assert check_database(memory) == []
    return world, guild


def kinds_found(memory: Database) -> set[str]:
    return {finding.kind for finding in check_database(memory)}


def test_a_record_that_refers_to_nothing_is_found(memory: Database) -> None:
    a_guild(memory)
    for table, column in (("guild_member", "guild"), ("guild_member", "character"), ("guild", "box")):
        with memory.write() as connection:
            before = connection.scalar(records[table].select().with_only_columns(records[table].c[column]))
            connection.execute(update(records[table]).values({column: 999}))
        assert "record" in kinds_found(memory), (table, column)
        with memory.write() as connection:
            connection.execute(update(records[table]).values({column: before}))
    assert kinds_found(memory) == set()


def test_a_box_of_two_records_and_one_of_none_are_found(memory: Database) -> None:
    world, guild = a_guild(memory)
    twin = world.records.add(Guild(name="Twin", box=guild.box))
    stored.save(world, memory)
    assert kinds_found(memory) == {"box"}
    world.records.delete(twin)
    stored.save(world, memory)
    assert kinds_found(memory) == set()
    with memory.write() as connection:
        connection.execute(delete(records["guild"]))
        connection.execute(delete(records["guild_member"]))
    assert kinds_found(memory) == {"nowhere", "layer"}


def test_members_of_no_guild_are_dropped_at_the_start(memory: Database) -> None:
    world, guild = a_guild(memory)
    world.records.add(Member(guild=77, character=next(iter(guild.members))))
    world.records.add(Tie(guild=guild.number, other=78))
    stored.save(world, memory)
    again = stored.begun(memory)
    assert [one.guild for one in again.records.all(Member).values()] == [guild.number]
    assert not again.records.all(Tie)
    stored.save(again, memory)
    assert kinds_found(memory) == set()


# Batches


async def test_records_go_to_disk_with_the_things_of_their_turn(
    autojump_clock: MockClock, town: Town
) -> None:
    anna = town.character("Anna")
    town.turn()
    await settle()
    assert town.batches == []
    guild = found(town.world, anna.serial)
    town.turn()
    await settle()
    assert [row.table for row in town.batches[-1].records] == ["guild", "guild_member"]
    assert town.storage.due_at(town.world) is None
    with_bank(guild, town.world, stored.purse(anna), 40)
    guild.notice = "rich"
    assert town.storage.health.pending_rows == 5, "Anna, her purse, the bank, what is in it, the guild"
    due = town.storage.due_at(town.world)
    assert due is not None
    await trio.sleep_until(due)
    town.turn()
    await settle()
    batch = town.batches[-1]
    assert [row.table for row in batch.records] == ["guild"]
    assert sorted(row.amount for row in batch.items if row.template == "gold") == [40, 60]
    guilds.dissolve(town.world, guild)
    await trio.sleep(1)
    town.turn()
    await settle()
    assert sorted(town.batches[-1].ended) == [("guild", 1), ("guild_member", 1)]
    assert town.database.records() == []


async def test_a_batch_that_failed_is_written_with_what_changed_since(
    autojump_clock: MockClock, town: Town
) -> None:
    anna = town.character("Anna")
    guild, other = found(town.world, anna.serial), found(town.world, name="Spinners")
    town.disk.broken = True
    town.turn()
    await settle()
    guild.notice = "later"
    town.world.records.delete(other)
    town.disk.broken = False
    await trio.sleep(1)
    town.turn()
    await settle()
    notices = {row.values[-1]: row.values[2] for row in town.database.records() if row.table == "guild"}
    assert notices == {guild.number: "later"}


def test_one_that_ended_is_not_written_again() -> None:
    records = Records()
    guild = records.add(Guild())
    failed, after = Pending(), Pending()
    failed.add_records(*records.take())
    records.delete(guild)
    after.add_records(*records.take())
    after.put_back(failed)
    assert after.records == {}
    assert after.ended == {("guild", 1)}
    assert len(after) == 1
