"""Lists of friends, and of those one ignores, between worlds: with their owner, wherever that one is.

On PostgreSQL. Skipped where that or psycopg is not installed; CI has both.
"""

from __future__ import annotations

import random
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

import pytest
import trio

from server.store.check import check_database
from server.store.errors import CharacterElsewhere
from server.store.records import Batch
from tests.cluster.test_letters import dies_after_commit, everywhere
from tests.kit import postgres
from tests.kit.post_land import PostLand
from world import company, friends, ignoring, mail
from world.listing import Listing
from world.reach import Cannot
from world.snapshot import record_row

if TYPE_CHECKING:
    from tests.kit.realms import Worlds
    from world.mobile import Mobile

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [
    pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY),
    pytest.mark.timeout(180),
]

everywhere = everywhere

Entry: TypeAlias = tuple[int, int, bool]
"""Whose list, who stands there, and whether it is one of those that are ignored."""

DEEDS = (friends.befriend, friends.unfriend, ignoring.ignore, ignoring.heed)


def stored(worlds: Worlds) -> list[Entry]:
    """All entries of all lists, as they are stored."""
    found = worlds.say("SELECT owner, other, ignored FROM listing")
    rows = (line.split("|") for line in found.splitlines())
    return sorted((int(owner), int(other), ignored == "t") for owner, other, ignored in rows)


def of(mobile: Mobile) -> list[Entry]:
    """The entries of a character's lists, as its world has them."""
    of_friends = [(mobile.serial, other, False) for other in friends.friends_of(mobile)]
    return sorted([*of_friends, *((mobile.serial, other, True) for other in ignoring.ignored_by(mobile))])


@pytest.mark.parametrize("steps", [120, pytest.param(2500, marks=pytest.mark.soak)])
async def test_a_list_is_where_its_owner_is_whatever_happens(worlds: Worlds, steps: int) -> None:
    """People put one another on their lists and take them off, and go from world to world right after, or are
    given back; and commits that fail were made after all."""
    dice = random.Random(steps)
    land = PostLand(worlds, dice)
    land.begin("Anna", "Bert", "Cora", "Dora")
    names = sorted(land.names.values())
    expected: set[Entry] = set()
    async with trio.open_nursery() as running:
        await land.open(running)
        with trio.fail_after(150):
            for _ in range(steps):
                serial = dice.choice([*land.where])
                at = land.where[serial]
                if at is None or dice.random() < 0.3:
                    await land.moves(serial)
                    at = land.where[serial]
                for office in land.offices:
                    owners = {one.owner for one in office.world.records.all(Listing).values()}
                    here = {who for who, there in land.where.items() if there and there[0] is office}
                    assert owners <= here, "a world has lists of who is elsewhere"
                if at is not None:
                    _, mobile = at
                    assert of(mobile) == sorted(one for one in expected if one[0] == serial)
                    with suppress(Cannot):
                        dice.choice(DEEDS)(mobile, dice.choice(names))
                    expected = {one for one in expected if one[0] != serial} | {*of(mobile)}
                if dice.random() < 0.05:
                    dies_after_commit(dice.choice(land.offices).database)
                await trio.sleep(dice.choice((0.0, 0.003, 0.01)))
            await land.settles()
        assert stored(worlds) == sorted(expected)
        assert len(expected) > 5
        running.cancel_scope.cancel()
    assert worlds.say("SELECT count(*) FROM listing WHERE number < 1073741824") == "0"
    assert check_database(worlds.databases[0]) == []


async def test_of_a_dead_world_the_lists_are_as_it_wrote_them_last(worlds: Worlds) -> None:
    """Anna's world is gone in the moment when she has put two on her list: the database has the one."""
    land = PostLand(worlds, random.Random(1))
    land.begin("Anna", "Bert", "Cora")
    _, second, third = land.offices
    async with trio.open_nursery() as running:
        await land.open(running)
        anna, cora = await land.brings("Anna", 2), await land.brings("Cora", 1)
        friends.befriend(anna, "Bert")
        await land.settles()
        worlds.falls_silent(2)
        again = await third.enters(anna.serial)
        friends.befriend(anna, "Cora")  # it does not know that it is dead
        assert [*friends.friends_of(again).values()] == ["Bert"]
        ignoring.ignore(again, "Bert")
        with trio.fail_after(10):
            await second.dead.wait()
        await third.storage.wait_durable()
        serials = {name: serial for serial, name in land.names.items()}
        assert stored(worlds) == [(anna.serial, serials["Bert"], False), (anna.serial, serials["Bert"], True)]
        # Nor does a world that lives write lists of who is in another.
        theirs = Listing(anna.serial, cora.serial, "Cora")
        theirs.number = 1
        ours = next(iter(third.world.records.all(Listing)))
        first = land.offices[0].database
        for batch in (
            Batch(1, 1.0, (), (), (), None, (), records=[record_row(theirs)]),
            Batch(1, 1.0, (), (), (), None, (), ended=[(Listing.table, ours)]),
        ):
            with pytest.raises(CharacterElsewhere):
                first.commit_batch(batch)
        running.cancel_scope.cancel()
    assert check_database(worlds.databases[0]) == []


async def test_the_lists_of_who_is_deleted_go_in_whichever_world(worlds: Worlds) -> None:
    """And on the lists of others its name stays."""
    land = PostLand(worlds, random.Random(1))
    land.begin("Anna", "Bert")
    _, second, _ = land.offices
    async with trio.open_nursery() as running:
        await land.open(running)
        anna, bert = await land.brings("Anna", 1), await land.brings("Bert", 3)
        friends.befriend(anna, "Bert")
        friends.befriend(bert, "Anna")
        land.offices[2].leaves(bert)
        await land.settles()
        company.forget(second.world, [bert.serial])
        assert await second.storage.delete_character(worlds.account.id, bert.serial)
        assert stored(worlds) == [(anna.serial, bert.serial, False)]
        assert friends.unfriend(anna, "Bert") == "Bert"
        await land.settles()
        running.cancel_scope.cancel()
    assert stored(worlds) == []
    assert check_database(worlds.databases[0]) == []


@pytest.mark.parametrize("where", [None, 1, 2])
async def test_a_letter_of_whom_one_hears_nothing_comes_back(worlds: Worlds, where: int | None) -> None:
    """Bert, who ignores Anna in the world 1, is in no world, in hers or in another when she writes."""
    land = PostLand(worlds, random.Random(1))
    land.begin("Anna", "Bert", "Cora")
    async with trio.open_nursery() as running:
        await land.open(running)
        anna, bert = await land.brings("Anna", 1), await land.brings("Bert", 3)
        ignoring.ignore(bert, "Anna")
        land.offices[2].leaves(bert)
        land.where[bert.serial] = None
        await land.settles()
        if where is not None:
            bert = await land.brings("Bert", where)
        if where == 1:
            with pytest.raises(Cannot):
                mail.send(anna, "Bert", "words alone")
        else:
            mail.send(anna, "Bert", "words alone")
            await land.settles()
            (back,) = mail.letters_of(anna)
            assert (back.subject, back.text) == ("Back: (no subject)", "words alone")
            assert worlds.say("SELECT receiver FROM letter") == str(anna.serial)
        running.cancel_scope.cancel()
