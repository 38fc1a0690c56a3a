"""What `make test` leaves to the long runs."""

from __future__ import annotations

from tests.kit.portions import portion


def test_of_some_there_is_each_kind_and_every_so_many_from_a_place_on() -> None:
    words = ["a", "ab", "b", "c", "d", "e", "f", "abc"]
    assert portion(words, "all", 3) == words
    assert portion(words, "some", 3) == ["a", "c", "f"]
    assert portion(words, "some", 3, begin=1) == ["ab", "d", "abc"]
    assert portion(words, "some", 3, begin=1, kind=len) == ["a", "ab", "d", "abc"]


def test_the_portions_of_all_beginnings_are_all() -> None:
    found = [item for begin in range(3) for item in portion(range(10), "some", 3, begin=begin)]
    assert sorted(found) == [*range(10)]
