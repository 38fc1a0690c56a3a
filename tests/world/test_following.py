"""Records that go with their character, where several worlds share their characters: lists, and letters."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from tests.world.test_mail import office
from world import friends, ignoring
from world.directory import Known
from world.letter import Letter
from world.listing import Listing
from world.snapshot import RECORD_TABLES, character_row, restore_character

if TYPE_CHECKING:
    from world.mobile import Mobile
    from world.world import World

FAR = 900


@pytest.fixture
def place() -> tuple[World, Mobile, Mobile]:
    """A world of several, with two players; Fara is elsewhere."""
    world, alric, berta = office()
    world.records.numbers = itertools.count(5000).__next__
    world.directory.note(Known(FAR, "Fara"))
    return world, alric, berta


def lists_of(mobile: Mobile) -> tuple[list[str], list[str]]:
    return [*friends.friends_of(mobile).values()], [*ignoring.ignored_by(mobile).values()]


def test_a_kind_names_the_character_with_whom_it_goes() -> None:
    kinds = [table.make for table in RECORD_TABLES.values() if table.make.of]
    assert {(kind.table, kind.of, kind.sent) for kind in kinds} == {
        ("listing", "owner", False),
        ("letter", "receiver", True),
    }


def test_who_leaves_takes_its_lists_along_and_comes_with_them(place: tuple[World, Mobile, Mobile]) -> None:
    world, alric, berta = place
    friends.befriend(alric, "Berta")
    friends.befriend(berta, "Fara")
    friends.befriend(berta, "Alric")
    ignoring.ignore(berta, "Alric")
    row, realm = character_row(berta), berta.realm
    assert realm is not None
    world.leave(berta)
    assert not ignoring.refuses(world, berta.serial, alric.serial)
    assert [one.owner for one in world.records.all(Listing).values()] == [alric.serial]
    assert not world.records.deleted
    assert {number for _, number in world.records.dirty} == {5000}, "hers are written with her rows"

    came = restore_character(row, [], world)
    assert came.mobile is not None
    world.lists.bring(berta.serial, came.records)
    world.enter(came.mobile, realm, 12, 10)
    assert lists_of(came.mobile) == (["Fara", "Alric"], ["Alric"])
    assert ignoring.ignores(berta.serial, alric)
    assert {number for _, number in world.records.dirty} == {5000}, "what came is stored as it is"
    friends.unfriend(came.mobile, "Fara")
    friends.befriend(came.mobile, "Fara")
    assert world.records.deleted == {("listing", 5001)}
    assert sorted(number for _, number in world.records.dirty) == [5000, 5004], "nobody has that number"


def test_what_comes_is_in_the_place_of_what_was_left(place: tuple[World, Mobile, Mobile]) -> None:
    world, alric, _ = place
    friends.befriend(alric, "Berta")
    before = restore_character(character_row(alric), [], world).records
    friends.befriend(alric, "Fara")
    world.lists.bring(alric.serial, before)
    assert lists_of(alric) == (["Berta"], [])
    assert [*world.records.all(Listing).values()] == before
    assert not world.records.dirty


def test_letters_are_not_read_with_a_character(place: tuple[World, Mobile, Mobile]) -> None:
    world, alric, _ = place
    letter = world.letters.add(Letter(receiver=alric.serial, receiver_name="Alric", text="hi"))
    friends.befriend(alric, "Berta")
    assert letter in world.records.following(alric.serial)
    assert [row.table for row in character_row(alric).parts.records] == ["listing"]


def test_where_there_is_one_world_all_lists_stay() -> None:
    world, alric, berta = office()
    friends.befriend(berta, "Alric")
    ignoring.ignore(berta, "Alric")
    assert character_row(berta).parts.records == ()
    assert world.records.following(berta.serial) == []
    world.leave(berta)
    assert [*world.records.all(Listing)] == [1, 2]
    assert ignoring.ignores(berta.serial, alric)
