"""Numbers of records: kept by whoever has one, and nobody's after that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest
from eolib import EoReader
from eolib.protocol.pub import Eif, Enf
from hypothesis import given
from hypothesis import strategies as st

from protocol.eo.files import SPARE, UNKNOWN_ITEM, build_items, build_npcs
from protocol.eo.looks import compile_looks
from protocol.eo.numbers import LAST_OWN, numbered
from protocol.tables import LookError
from tests.kit.eo_desk import small_content

if TYPE_CHECKING:
    from collections.abc import Mapping

    from world.content import Content

KEYS = st.sampled_from("abcdefgh")
STEPS = st.lists(st.dictionaries(KEYS, st.integers(0, 12), max_size=6), max_size=12)


@given(steps=STEPS)
def test_whoever_comes_and_goes_no_number_is_anothers(steps: list[dict[str, int]]) -> None:
    known: Mapping[str, int] = {}
    owners: dict[int, str] = {}
    for wanted in steps:
        unique = {
            key: number if list(wanted.values()).count(number) == 1 else 0 for key, number in wanted.items()
        }
        now = numbered(known, unique)
        assert known.items() <= now.items(), "what was given stays"
        assert now.keys() == known.keys() | wanted.keys()
        for key, number in now.items():
            assert number >= 1
            assert owners.setdefault(number, key) == key
        known = now


def test_a_row_gets_what_it_asks_for_unless_somebody_had_it() -> None:
    assert numbered({}, {"b": 0, "a": 5}) == {"a": 5, "b": 6}
    assert numbered({"gone": 7, "a": 2}, {"a": 9, "b": 7, "c": 3, "d": 0}) == {
        "gone": 7,
        "a": 2,
        "c": 3,
        "b": 8,
        "d": 9,
    }


def without(content: Content, item: str, npc: str) -> Content:
    return attrs.evolve(
        content,
        items={key: template for key, template in content.items.items() if key != item},
        mobiles={key: template for key, template in content.mobiles.items() if key != npc},
    )


def test_the_place_of_a_kind_that_is_gone_stays_empty_in_the_lists() -> None:
    content = small_content()
    before = compile_looks(content)
    after_it = attrs.evolve(without(content, "bread", "crier"), numbers={"eo": before.numbers})
    looks = compile_looks(after_it)
    assert looks.numbers == before.numbers
    eif = Eif.deserialize(EoReader(build_items(after_it, looks).data))
    enf = Enf.deserialize(EoReader(build_npcs(after_it, looks).data))
    assert eif.items[before.items["bread"].id - 1].name == UNKNOWN_ITEM
    assert enf.npcs[before.npcs["crier"].id - 1].name == ""
    for key, item in looks.items.items():
        assert item == before.items[key]
        assert eif.items[item.id - 1].name == after_it.items[key].name.title()
    for key, npc in looks.npcs.items():
        assert npc == before.npcs[key]
    last = max(before.templates)
    assert [record.name for record in eif.items[last:]] == [UNKNOWN_ITEM] * SPARE + ["eof"]
    again = compile_looks(attrs.evolve(content, numbers={"eo": looks.numbers}))
    assert again == before, "who comes back is who it was"


def test_kinds_need_no_number_of_their_own_and_armour_has_two() -> None:
    content = small_content()
    shirt = content.items["shirt"]
    rows: Mapping[str, Mapping[str, object]] = {
        "vest": {"graphic": 9, "type": "Armor", "doll": 16, "female_doll": 14},
        "pea": {"graphic": 9},
    }
    items = {key: attrs.evolve(shirt, key=key, name=key, look={"eo": row}) for key, row in rows.items()}
    looks = compile_looks(attrs.evolve(content, items={**content.items, **items}))
    last = max(compile_looks(content).templates)
    vest, pea = looks.items["vest"], looks.items["pea"]
    assert (vest.id, vest.female_id, pea.id, pea.female_id) == (last + 1, last + 2, last + 3, last + 3)
    assert looks.templates[last + 2] == "vest"


@pytest.mark.parametrize("number", [3, LAST_OWN + 1, -1])
def test_no_row_asks_for_a_number_that_cannot_be(number: int) -> None:
    content = small_content()
    bread = content.items["bread"]
    other = attrs.evolve(bread, look={"eo": {"id": number, "graphic": 9}})
    with pytest.raises(
        LookError, match=rf"ids must be 1 to {LAST_OWN}, each once: see \[{number}\], of .*bread"
    ):
        compile_looks(attrs.evolve(content, items={**content.items, "bread": other}))
