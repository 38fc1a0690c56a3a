"""Parties in the store: what is left of one after a restart, and five minutes for all to come back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from server.store.check import check_database
from server.store.database import Database
from tests.kit import stored
from world import company, invites, party
from world.companions import Fellow, LootRule, Party
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Iterator

    from world.mobile import Mobile
    from world.world import World


@pytest.fixture
def database() -> Iterator[Database]:
    database = Database("sqlite://")
    yield database
    database.close()


def gathered(database: Database, *names: str) -> tuple[World, list[Mobile]]:
    """A party, by turns, of characters that are in the store."""
    world, account = stored.new_world(database.reserve_serials()), stored.an_account(database)
    members = [stored.enter(world, database, name, account.id) for name in names]
    for member in members:
        back(world, member)
    for member in members[1:]:
        party.invite(members[0], member, LootRule.TURNS)
        invites.accept(member, party.KIND)
    return world, members


def back(world: World, mobile: Mobile) -> None:
    """Let somebody be played."""
    mobile.online = True
    world.open_viewport(mobile, mobile.serial, Sight(18))
    party.resumed(mobile)


def names_of(found: Party) -> list[str]:
    return [one.name for one in party.states(found)]


def test_a_party_is_the_same_after_a_restart(database: Database) -> None:
    world, (alric, berta, carl) = gathered(database, "Alric", "Berta", "Carl")
    berta.level = 7
    party.hand_over(alric, carl.serial)
    party.parted(berta)
    stored.save(world, database)
    assert check_database(database) == []
    after = stored.begun(database)
    assert not after.records.waiting, "what was read is not written again"
    (found,) = after.records.all(Party).values()
    assert found.members == [carl.serial, alric.serial, berta.serial]
    assert names_of(found) == ["Carl", "Alric", "Berta"]
    assert (found.rule, found.leader) == (LootRule.TURNS, carl.serial)
    assert [(one.level, one.online, one.realm) for one in party.states(found)][2] == (7, False, "")
    assert after.parties == dict.fromkeys(found.members, found)


def test_whose_turn_it_was_is_stored_with_the_next_change_and_a_level_when_it_differs(
    database: Database,
) -> None:
    """Each write has all other worlds of a cluster read the parties anew."""
    world, (alric, berta) = gathered(database, "Alric", "Berta")
    stored.save(world, database)
    assert alric.party is not None
    alric.party.took = berta.serial
    party.parted(berta)
    assert not world.records.waiting
    party.set_loot(alric, LootRule.LEADER)
    stored.save(world, database)
    (found,) = stored.begun(database).records.all(Party).values()
    assert found.took == berta.serial


def test_all_have_five_minutes_to_come_back(database: Database) -> None:
    world, members = gathered(database, "Alric", "Berta", "Carl")
    stored.save(world, database)
    after = stored.begun(database)
    (found,) = after.records.all(Party).values()
    for name, member in zip(("Alric", "Berta"), members, strict=False):
        mobile = stored.new_character(after, name, 1, 0)
        mobile.serial = member.serial
        after.enter(mobile, after.realms["field"], 5, 6)
        back(after, mobile)
        assert mobile.party is found
    for _ in range(301):
        after.begin(after.now + 1)
        after.run_timers()
    assert names_of(found) == ["Alric", "Berta"]
    stored.save(after, database)
    assert len(stored.begun(database).records.all(Fellow)) == 2


def test_of_a_party_that_ended_nothing_is_left(database: Database) -> None:
    world, (alric, _) = gathered(database, "Alric", "Berta")
    stored.save(world, database)
    party.leave(alric)
    stored.save(world, database)
    assert database.records() == []


def test_one_that_was_never_whole_ends_at_the_start(database: Database) -> None:
    world, (alric, berta, carl) = gathered(database, "Alric", "Berta", "Carl")
    stored.save(world, database)
    found = next(iter(world.records.all(Party).values()))
    found.loot, found.leader = "nobody", carl.serial
    world.records.delete(found.fellows[carl.serial])
    world.records.add(Fellow(found.number, berta.serial, "Berta again"))
    world.records.add(Fellow(99, alric.serial))
    stored.save(world, database)
    after = stored.begun(database)
    (mended,) = after.records.all(Party).values()
    assert (mended.rule, mended.members) == (LootRule.FINDER, [alric.serial, berta.serial])
    assert mended.leader == alric.serial
    assert len(after.records.all(Fellow)) == 2
    company.forget(after, [alric.serial])
    assert not after.records.all(Party)
    assert not after.records.all(Fellow)
    assert not after.parties


def test_who_is_deleted_is_in_no_party_and_another_leads_it(database: Database) -> None:
    world, (alric, berta, carl) = gathered(database, "Alric", "Berta", "Carl")
    company.forget(world, [alric.serial])
    (found,) = world.records.all(Party).values()
    assert found.members == [berta.serial, carl.serial]
    assert found.leader == berta.serial
    stored.save(world, database)
    assert check_database(database) == []
