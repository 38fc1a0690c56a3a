"""What characters may be called, and what stands beside it."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from world.names import SHORT_NAME, is_called, is_short, name_key, proper_name, short_names


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("alric", "Alric"),
        ("  BERTA ", "BERTA"),
        ("abc", "Abc"),
        ("Bo", "Bo"),
        ("john Smith", "John Smith"),
        ("d'Artagnan", "D'Artagnan"),
        ("Mary-Ann o'Hara", "Mary-Ann o'Hara"),
        ("abcdefghijklmnop", "Abcdefghijklmnop"),
        ("abcdefghijklmnopq", None),
        ("a", None),
        ("Al  ric", None),
        ("Al-'ric", None),
        ("'Alric", None),
        ("Alric-", None),
        ("Al\tric", None),
        ("Alric\nB", None),
        ("Älric", None),
        ("Admin", None),
        ("Ad-min", None),
        ("Adrnin", None),
        ("Gamernaster", None),
        ("Causevvay", None),
        ("Admjn", None),
        ("bob1", None),
        ("", None),
    ],
)
def test_names_are_letters_with_single_separators(typed: str, stored: str | None) -> None:
    assert proper_name(typed) == stored


def test_names_that_look_alike_have_one_key() -> None:
    assert name_key("Illic") == name_key("lLlIC")
    assert name_key("Corner") == name_key("Comer")
    assert name_key("John Smith") == name_key("john-smith") == name_key("Johnsmith")
    assert name_key("Alric") != name_key("Elric")


@pytest.mark.parametrize(
    ("name", "shorts"),
    [
        ("Alric", ["Alric", "Alrican", "Alricbo"]),
        ("ALRIC", ["ALRIC", "Alric", "Alrican"]),
        ("Bob", ["Boban", "Bobbo", "Bobda"]),
        ("John Smith", ["Johnsmith", "Johnsmithan", "Johnsmithbo"]),
        ("D'Artagnan", ["Dartagnan", "Dartagnanan", "Dartagnanbo"]),
        ("Abcdefghijklmnop", ["Abcdefghijkl", "Abcdefghijan", "Abcdefghijbo"]),
    ],
)
def test_short_names_are_made_readably(name: str, shorts: list[str]) -> None:
    assert list(islice(short_names(name), 3)) == shorts


@given(st.from_regex(r"[A-Za-z]+([ '-][A-Za-z]+)*", fullmatch=True))
def test_every_name_has_short_names_in_plenty(typed: str) -> None:
    name = proper_name(typed)
    if name is not None:
        found = list(islice(short_names(name), 300))
        assert len(found) == 300
        assert len({name_key(short) for short in found}) >= 299  # "ALRIC" and "Alric"
        assert all(is_short(short) and len(short) in SHORT_NAME for short in found)


def test_either_name_will_do() -> None:
    assert is_called("John Smith", "Johnsmith", "john smith")
    assert is_called("John Smith", "Johnsmith", " JOHNSMITH ")
    assert not is_called("John Smith", "Johnsmith", "John")
    assert not is_called("a sheep", "", "")
