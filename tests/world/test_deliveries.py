"""Letters where several worlds share their characters: who has them, and what is believed of the store."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.world.test_mail import inside, office, sums
from world import deliveries, ignoring, mail
from world.deliveries import Answer
from world.directory import Known
from world.item import KEPT
from world.letter import Letter
from world.reach import Cannot, Refusal
from world.snapshot import item_row, record_row, restore_records

if TYPE_CHECKING:
    from world.mobile import Mobile
    from world.world import World

FAR = 900


@pytest.fixture
def place() -> tuple[World, Mobile, Mobile]:
    """A world of several, with two players; their letters are here, and Fara is elsewhere."""
    world, alric, berta = office()
    world.records.numbers = itertools.count(5000).__next__
    world.directory.note(Known(FAR, "Fara"))
    for mobile in (alric, berta):
        mail.came(mobile, again=False)
    deliveries.answered(world, deliveries.question(world), Answer([], []))
    return world, alric, berta


def stored(world: World, letter: Letter) -> Answer:
    """What the store says when it has a letter as it is now."""
    items = deliveries.boxed_items(world, [letter])
    return Answer([record_row(letter)], [item_row(item) for item in items])


def looks(world: World, answer: Answer | None = None) -> None:
    deliveries.answered(world, deliveries.question(world), answer or Answer([], []))


def test_a_letter_for_somebody_elsewhere_goes_when_it_is_stored(place: tuple[World, Mobile, Mobile]) -> None:
    world, alric, _ = place
    before = sums(world)
    letter = mail.send(alric, "Fara", "far away", gold=10)
    assert letter.under_way
    assert world.letters.all() == []
    assert ("letter", letter.number) in world.records.dirty
    asked = deliveries.question(world)
    another = mail.send(alric, "Fara", "again", gold=5)
    deliveries.answered(world, asked, Answer([], []))
    assert set(world.letters.gone) == {another.number}, "of the other one the store knows nothing yet"
    looks(world)
    assert not world.letters.gone
    assert sums(world) == before - Counter(gold=15)
    assert not any(item.keeper == KEPT for item in world.items.values())
    assert world.records.get(Letter, letter.number) is None
    assert ("letter", letter.number) not in world.records.deleted


def test_a_letter_from_elsewhere_comes_once_and_can_be_taken(place: tuple[World, Mobile, Mobile]) -> None:
    world, alric, _ = place
    answer = stored(world, mail.send(alric, "Fara", "far away", gold=10))
    looks(world)
    (letter,) = restore_records(answer.letters)
    assert isinstance(letter, Letter)
    letter.receiver, letter.sender = alric.serial, FAR
    answer = Answer([record_row(letter)], answer.items)
    looks(world, answer)
    looks(world, answer)
    (here,) = mail.letters_of(alric)
    assert not here.under_way
    assert ("letter", here.number) in world.records.dirty
    mail.take(alric, here)
    assert inside(alric)["gold"] == 100


def test_what_was_thrown_away_since_the_store_was_asked_stays_away(
    place: tuple[World, Mobile, Mobile],
) -> None:
    world, alric, berta = place
    letter = mail.send(alric, "Berta", "rags")
    looks(world)
    asked = deliveries.question(world)
    answer = stored(world, letter)
    mail.discard(berta, letter)
    deliveries.answered(world, asked, answer)
    assert mail.letters_of(berta) == []


def test_who_leaves_takes_its_letters_along_and_finds_them_again(place: tuple[World, Mobile, Mobile]) -> None:
    world, alric, berta = place
    letter = mail.send(alric, "Berta", "for you", gold=10)
    answer = stored(world, letter)
    berta.online = False
    realm = berta.realm
    assert realm is not None
    world.leave(berta)
    assert world.letters.all() == []
    assert letter.box not in world.items
    assert not world.deleted
    looks(world, answer)
    assert world.letters.all() == [], "she is not here"
    world.enter(berta, realm, 12, 10)
    berta.online = True
    mail.came(berta, again=False)
    looks(world, answer)
    (again,) = mail.letters_of(berta)
    assert again is not letter
    assert mail.box_of(world, again) is not None


def test_of_whom_one_hears_nothing_gets_the_letter_back(place: tuple[World, Mobile, Mobile]) -> None:
    world, alric, berta = place
    letter = Letter(berta.serial, "Berta", FAR, "Fara", "hi", "words", under_way=True)
    letter.number = 77
    ignoring.ignore(berta, "Fara")
    looks(world, Answer([record_row(letter)], [], {77}))
    assert mail.letters_of(berta) == []
    (back,) = world.letters.gone.values()
    assert (back.receiver, back.sender, back.subject, back.returned) == (FAR, berta.serial, "Back: hi", True)
    assert alric.online
    letter.number = 78
    looks(world, Answer([record_row(letter)], []))
    assert [one.number for one in mail.letters_of(berta)] == [78], "of the staff everybody hears"


def test_nobody_gets_more_letters_than_may_wait(place: tuple[World, Mobile, Mobile]) -> None:
    world, alric, _ = place
    world.letters.crowded.add(FAR)
    with pytest.raises(Cannot) as caught:
        mail.send(alric, "Fara", "one more")
    assert caught.value.why is Refusal.FULL


def test_what_is_in_no_world_goes_back_or_away() -> None:
    parcel = Letter(1, "Anna", 2, "Bert", "bread", "eat", until=5.0, box=0x40000001, price=3)
    assert deliveries.back(parcel, sender=True)
    assert (parcel.receiver, parcel.receiver_name, parcel.sender_name) == (2, "Bert", "Anna")
    assert (parcel.price, parcel.until, parcel.returned, parcel.under_way) == (0, 0.0, True, True)
    assert not deliveries.back(parcel, sender=True), "back it came already"
    assert not deliveries.back(Letter(1, "Anna", 2, "Bert", box=7), sender=False)
    assert not deliveries.back(Letter(1, "Anna", 2, "Bert", text="words alone"), sender=True)
    assert deliveries.back(Letter(1, "Anna", 2, "Bert", text="words alone"), sender=True, words=True)
