"""Letters between worlds: wherever a receiver is, with all that they bring, exactly once (issue 22, proof 5).

On PostgreSQL. Skipped where that or psycopg is not installed; CI has both.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest
import trio
from sqlalchemy.exc import OperationalError

from server.store.check import check_database
from tests.kit import postgres
from tests.kit.post_land import PostLand
from world import mail, speech

if TYPE_CHECKING:
    from server.store.database import Database
    from server.store.records import Batch
    from tests.kit.realms import Worlds

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [
    pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY),
    pytest.mark.timeout(180),
]


@pytest.fixture(autouse=True)
def everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Letters are handed in anywhere, as many as one likes."""
    monkeypatch.setattr(mail, "counter", lambda actor: actor)
    monkeypatch.setattr(speech, "check_voice", lambda *_: None)


def things(worlds: Worlds) -> str:
    """What there is of gold, and the serials of all other things but the boxes of letters."""
    return worlds.say(
        "SELECT sum(amount) FILTER (WHERE template = 'gold'),"
        " string_agg(serial::text, ',' ORDER BY serial) FILTER (WHERE template NOT IN ('gold', 'bank_box'))"
        " FROM item"
    )


def dies_after_commit(database: Database) -> None:
    """The connection of a world dies when its next batch is on disk, before it hears of it."""
    write = database._statements.write

    def dies(connection: object, batch: Batch) -> object:
        database._statements.write = write  # type: ignore[method-assign]
        raw = database._connection.connection.driver_connection
        made = write(connection, batch)  # type: ignore[arg-type]
        commit = raw.commit  # type: ignore[union-attr]

        def committed() -> None:
            commit()
            raw.close()  # type: ignore[union-attr]
            raise OperationalError("COMMIT", {}, Exception("the line is dead"))

        raw.commit = committed  # type: ignore[union-attr]
        return made

    database._statements.write = dies  # type: ignore[assignment, method-assign]


@pytest.mark.parametrize("steps", [150, pytest.param(2500, marks=pytest.mark.soak)])
async def test_nothing_is_lost_and_nothing_there_twice(worlds: Worlds, steps: int) -> None:
    """People write to one another, take, refuse, throw away, and go from world to world, while looks for
    letters come doubled and at any time, and commits that fail were made after all."""
    dice = random.Random(steps)
    land = PostLand(worlds, dice)
    land.begin("Anna", "Bert", "Cora", "Dora")
    before = things(worlds)
    async with trio.open_nursery() as running:
        await land.open(running)
        with trio.fail_after(150):
            async with trio.open_nursery() as looks:
                for _ in range(steps):
                    serial = dice.choice([*land.where])
                    at = land.where[serial]
                    chance = dice.random()
                    if at is None or chance < 0.2:
                        await land.moves(serial)
                    elif chance < 0.55:
                        land.writes(at[1])
                    else:
                        land.deals(at[1])
                    if dice.random() < 0.3:
                        carrier = dice.choice(land.offices).carrier
                        looks.start_soon(carrier.look)
                        looks.start_soon(carrier.look)
                    if dice.random() < 0.03:
                        dies_after_commit(dice.choice(land.offices).database)
                    await trio.sleep(dice.choice((0.0, 0.003, 0.01)))
            await land.settles()
            held = Counter(serial for office in land.offices for serial in office.world.items)
            assert max(held.values()) == 1, "a thing is in two worlds"
            for serial, at in land.where.items():
                if at is not None:
                    letters = at[0].world.letters
                    assert serial in letters.brought
                    mine = worlds.say(f"SELECT count(*) FROM letter WHERE receiver = {serial}")
                    assert len(letters.of(serial)) == int(mine)
            assert not any(office.world.letters.gone for office in land.offices)
            for at in land.where.values():
                if at is not None:
                    at[0].leaves(at[1])
            await land.settles()
        running.cancel_scope.cancel()
    assert things(worlds) == before
    words = worlds.say("SELECT string_agg(text, ',') FROM letter WHERE text LIKE 'letter %'").split(",")
    assert Counter(words) == Counter(land.there), "a letter is lost, there twice, or there again"
    assert check_database(worlds.databases[0]) == []


async def test_what_waits_in_no_world_goes_back_in_time(worlds: Worlds) -> None:
    """Bert never comes, and Cora is deleted; every world looks after their letters, and one does it."""
    land = PostLand(worlds, random.Random(1))
    land.begin("Anna", "Bert", "Cora")
    before = things(worlds)
    first, second, _ = land.offices
    async with trio.open_nursery() as running:
        await land.open(running)
        anna = await land.brings("Anna", 1)
        mail.send(anna, "Bert", "for you", gold=30, price=5)
        mail.send(anna, "Bert", "words alone")
        mail.send(anna, "Cora", "for you", gold=40)
        await land.settles()
        assert worlds.say("SELECT count(*) FROM letter WHERE under_way") == "3"
        for office in land.offices:
            await office.carrier.sweep()
        assert mail.letters_of(anna) == [], "it is too early"
        cora = next(serial for serial, name in land.names.items() if name == "Cora")
        assert await first.storage.delete_character(worlds.account.id, cora)
        gone = int(before.partition("|")[0]) - 20_000
        for office in land.offices:
            office.later = mail.DAYS * mail.DAY + 1.0
        async with trio.open_nursery() as sweeps:
            for office in land.offices * 2:
                sweeps.start_soon(office.carrier.sweep)
        await land.settles()
        assert [one.subject for one in mail.letters_of(anna)] == ["Back: (no subject)"] * 2
        assert {one.sender_name for one in mail.letters_of(anna)} == {"Bert", "Cora"}
        for one in mail.letters_of(anna):
            assert (one.price, one.until, one.returned) == (0, 0.0, True)
            mail.take(anna, one)
        assert not second.world.letters.all()
        await land.settles()
        running.cancel_scope.cancel()
    assert things(worlds).partition("|")[0] == str(gone)
    assert worlds.say("SELECT count(*) FROM letter WHERE box <> 0 OR receiver <> " + str(anna.serial)) == "0"
    assert check_database(worlds.databases[0]) == []


async def test_what_a_dead_world_had_taken_is_where_it_was_written_last(worlds: Worlds) -> None:
    """The world that Bert was in goes on for a while without knowing that it is dead."""
    land = PostLand(worlds, random.Random(1))
    land.begin("Anna", "Bert")
    before = things(worlds)
    _, second, third = land.offices
    async with trio.open_nursery() as running:
        await land.open(running)
        anna, bert = await land.brings("Anna", 1), await land.brings("Bert", 2)
        for text in ("one", "two"):
            mail.send(anna, "Bert", text, gold=30)
        await land.settles()
        one, two = mail.letters_of(bert)
        mail.take(bert, one)
        await land.settles()
        worlds.falls_silent(2)
        again = await third.enters(bert.serial)
        mail.take(bert, two)
        mail.discard(bert, one)
        with trio.fail_after(10):
            await second.dead.wait()
        await third.carrier.look()
        one, two = mail.letters_of(again)
        assert [(one.text, one.box), (two.text, bool(two.box))] == [("one", 0), ("two", True)]
        mail.take(again, two)
        await third.storage.wait_durable()
        running.cancel_scope.cancel()
    assert things(worlds) == before
    assert check_database(worlds.databases[0]) == []
