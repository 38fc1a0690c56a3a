"""Letters, lists, sentences and reports in the store: what was promised is there at the next start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from server.store.census import stored_amounts
from server.store.check import check_database
from server.store.database import Database
from tests.kit import stored
from world import company, conduct, friends, ignoring, mail
from world.directory import Known
from world.letter import Letter
from world.sentence import Report

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def database() -> Iterator[Database]:
    database = Database("sqlite://")
    yield database
    database.close()


def test_a_parcel_waits_through_a_restart_and_its_gold_is_counted(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail, "check_counter", lambda actor: None)
    account = stored.an_account(database).id
    world = stored.new_world(database.reserve_serials())
    alric = stored.enter(world, database, "Alric", account)
    berta = stored.enter(world, database, "Berta", account)
    stored.save(world, database)
    before = stored_amounts(database)
    gold = before["gold"] // 4
    mail.send(alric, "Berta", "for you", gold=gold, price=0)
    serial = berta.serial
    world.leave(berta)
    stored.save(world, database, 2)
    assert check_database(database) == []
    assert {**stored_amounts(database), "bank_box": 0} == {**before, "bank_box": 0}

    again = stored.begun(database)
    (letter,) = again.letters.of(serial)
    box = mail.box_of(again, letter)
    assert box is not None
    assert [(item.template.key, item.amount) for item in box.contents.values()] == [("gold", gold)]
    company.forget(again, [serial])
    (back,) = again.letters.of(alric.serial)
    assert back.returned
    stored.save(again, database, 3)
    assert check_database(database) == []
    assert {**stored_amounts(database), "bank_box": 0} == {**before, "bank_box": 0}
    company.forget(again, [alric.serial])
    stored.save(again, database, 4)
    assert not again.records.all(Letter)
    assert stored_amounts(database)["gold"] == before["gold"] - gold


def test_lists_are_there_again(database: Database) -> None:
    account = stored.an_account(database).id
    world = stored.new_world(database.reserve_serials())
    alric = stored.enter(world, database, "Alric", account)
    berta = stored.enter(world, database, "Berta", account)
    friends.befriend(alric, "Berta")
    ignoring.ignore(berta, "Alric")
    stored.save(world, database)
    again = stored.begun(database)
    assert {serial: one.name for serial, one in again.lists.friends[alric.serial].items()} == {
        berta.serial: "Berta"
    }
    assert [*again.lists.ignored[berta.serial]] == [alric.serial]
    company.forget(again, [alric.serial, berta.serial])
    stored.save(again, database, 2)
    third = stored.begun(database)
    assert not third.lists.friends
    assert not third.lists.ignored


def test_sentences_and_reports_are_there_again(database: Database) -> None:
    account = stored.an_account(database).id
    world = stored.new_world(database.reserve_serials())
    alric = stored.enter(world, database, "Alric", account)
    berta = stored.enter(world, database, "Berta", account)
    known = world.directory.of(berta.serial)
    assert known is not None
    conduct.report(alric, "Berta", "she spams")
    conduct.mute(world, known, 3600.0, "spam", "staff")
    stored.save(world, database)
    again = stored.begun(database)
    assert account in again.gags
    assert [one.text for one in again.records.all(Report).values()] == ["she spams"]
    company.forget(again, [alric.serial, berta.serial])
    stored.save(again, database, 2)
    assert account in stored.begun(database).gags, "who deletes a character is still silenced"


def test_known_are_those_in_the_database(database: Database) -> None:
    account = stored.an_account(database).id
    world = stored.new_world(database.reserve_serials())
    alric = stored.enter(world, database, "Alric", account)
    assert database.known() == [Known(alric.serial, "Alric", alric.short_name, account)]
