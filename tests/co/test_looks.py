"""The co rows of the look tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.co.looks import (
    BODIES,
    CUTS,
    FEMALE_FACES,
    MALE_FACES,
    POSITIONS,
    PROFESSIONS,
    STYLES,
    USUAL_FACE,
    compile_looks,
    usual_body,
)
from protocol.co.packets import Body, ItemPosition, NpcKind, Profession
from protocol.tables import LookError
from server.content.loading import load

if TYPE_CHECKING:
    from world.content import Content

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def content() -> Content:
    return load(DATA)


def item(content: Content, **row: object) -> Content:
    return attrs.evolve(content, items={"shirt": attrs.evolve(content.items["shirt"], look={"co": row})})


def mobile(content: Content, **row: object) -> Content:
    return attrs.evolve(content, mobiles={"rat": attrs.evolve(content.mobiles["rat"], look={"co": row})})


def people(content: Content, part: str, **changes: object) -> Content:
    return attrs.evolve(content, people={**content.people, part: {**content.people[part], **changes}})


def problems_of(content: Content) -> list[str]:
    with pytest.raises(LookError) as error:
        compile_looks(content)
    return error.value.problems


def test_our_own_tables_are_right(content: Content) -> None:
    looks = compile_looks(content)
    assert looks.items.keys() == content.items.keys()
    assert looks.npcs.keys() == content.mobiles.keys() - {"player"}
    assert looks.items["dagger"].position is ItemPosition.RIGHT_HAND
    assert looks.items["shirt"].position is ItemPosition.ARMOUR
    assert looks.items["bread"].position is ItemPosition.BAG
    assert all(bool(npc.npc) != bool(npc.mesh) for npc in looks.npcs.values())


def test_each_resident_has_a_face_of_its_own(content: Content) -> None:
    looks = compile_looks(content)
    # A being of its own has the face of its kind.
    own = [key for key, kind in content.mobiles.items() if not kind.drawn_as]
    residents = [key for key, npc in looks.npcs.items() if npc.npc and key in own]
    assert {"healer", "banker", "crier", "innkeeper"} <= set(residents)
    assert len({looks.portrait(key) for key in residents}) == len(residents)
    assert looks.portrait("crier") == 7


def test_who_has_no_face_has_the_usual_one(content: Content) -> None:
    assert compile_looks(mobile(content, npc=10)).portrait("rat") == USUAL_FACE
    looks = compile_looks(content)
    assert {looks.portrait(key) for key in ("sheep", "player", "of nobody's")} == {USUAL_FACE}


def test_what_newcomers_wear_is_seen(content: Content) -> None:
    looks = compile_looks(content)
    assert {"shirt", "shoes", "dagger"} <= {
        key for key, look in looks.items.items() if look.position is not ItemPosition.BAG
    }


def test_the_positions_are_those_of_the_client() -> None:
    assert {name: int(position) for name, position in POSITIONS.items()} == {
        "helmet": 1,
        "necklace": 2,
        "armour": 3,
        "right_hand": 4,
        "left_hand": 5,
        "ring": 6,
        "boots": 8,
        "garment": 9,
    }


def test_bodies_and_professions_are_those_of_the_form(content: Content) -> None:
    looks = compile_looks(content)
    assert {*BODIES} == {1003, 1004, 2001, 2002}
    assert {*PROFESSIONS} == {10, 20, 40, 100}
    assert (usual_body(female=False), usual_body(female=True)) == (1003, 2001)
    offered = {(body, job) for body in range(3000) for job in range(256) if looks.offers(body, job)}
    assert len(offered) == 16


def test_the_form_becomes_a_wish(content: Content) -> None:
    looks = compile_looks(content)
    wish = looks.wish("Anna", Body.BIG_WOMAN)
    assert (wish.name, wish.female) == ("Anna", True)
    assert not looks.wish("Bert", Body.BIG_MAN).female
    assert looks.offers(Body.BIG_MAN, Profession.TAOIST)


def test_every_hair_of_the_world_is_one_of_the_clients(content: Content) -> None:
    looks = compile_looks(content)
    for style in (-1, *range(STYLES + 2), 1000):
        for hue in (0, 1102, 1120, 1149, 0xFFFF, 33):
            colour, cut = divmod(looks.hair(style, hue), 100)
            assert 3 <= colour <= 8
            assert cut in CUTS
    assert len({looks.hair(style, 1102) for style in range(STYLES)}) == len(CUTS)


def test_every_skin_has_a_face_of_its_sex(content: Content) -> None:
    faces = compile_looks(content).faces
    for hue in (0, 1002, 1017, 1033, 1058, 0xFFFF):
        assert faces.face(hue, female=False) in MALE_FACES
        assert faces.face(hue, female=True) in FEMALE_FACES


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"item": 0}, "item"),
        ({"item": 10_000_000}, "item"),
        ({"item": "x"}, "item"),
        ({"item": 5, "position": "hat"}, "position"),
        ({"item": 5, "place": "helmet"}, "place"),
        ({}, "item"),
    ],
)
def test_mistakes_in_a_row_of_an_item(content: Content, row: dict[str, object], words: str) -> None:
    assert any(words in problem and "shirt" in problem for problem in problems_of(item(content, **row)))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"npc": 5, "mesh": 5}, "one or the other"),
        ({"mesh": 1000}, "mesh"),
        ({"npc": 0xFFFF}, "npc"),
        ({"npc": 10, "kind": 200}, "kind"),
        ({"npc": 10, "face": 0}, "face: must be 1 to 999, is 0"),
        ({"npc": 10, "face": 1000}, "face: must be 1 to 999, is 1000"),
        ({"npc": 10, "face": "9"}, "face"),
        ({"mesh": 5, "face": 9}, "face: only somebody with an npc has one"),
        ({"face": 9}, "face: only somebody with an npc has one"),
        ({"npc": 10, "look": 3}, "look"),
    ],
)
def test_mistakes_in_a_row_of_a_mobile(content: Content, row: dict[str, object], words: str) -> None:
    assert any(words in problem and "rat" in problem for problem in problems_of(mobile(content, **row)))


def test_all_mistakes_are_found_at_once(content: Content) -> None:
    broken = attrs.evolve(
        content,
        items={
            "shirt": attrs.evolve(content.items["shirt"], look={"co": {"item": 0}}),
            "dagger": attrs.evolve(content.items["dagger"], look={"co": {"item": 1, "position": "nose"}}),
        },
    )
    assert len(problems_of(broken)) == 2


@pytest.mark.parametrize(
    ("part", "changes", "words"),
    [
        ("co_hair", {"cuts": [10] * STYLES}, "cuts"),
        ("co_hair", {"cuts": [10]}, "cuts"),
        ("co_hair", {"cuts": [9, *CUTS, *CUTS[:8]]}, "cuts"),
        ("co_hair_hue", {"co": [1, 1, 2, 3, 4, 5]}, "different"),
        ("co_hair_hue", {"co": [1]}, "different"),
        ("co_hair_hue", {"spread": [6]}, "spread"),
        ("co_hair_hue", {"spread": []}, "spread"),
        ("co_face", {"hues": []}, "hues"),
        ("co_face", {"hues": [1, 1, 2]}, "hues"),
        ("co_face", {"male": [201, 1, 10]}, "male"),
        ("co_face", {"female": [1, 210, 220]}, "female"),
        ("co_face", {"female": [201]}, "female"),
    ],
)
def test_mistakes_in_the_rows_of_people(
    content: Content, part: str, changes: dict[str, object], words: str
) -> None:
    assert any(words in problem for problem in problems_of(people(content, part, **changes)))


def test_a_missing_part_is_a_mistake(content: Content) -> None:
    left = {key: row for key, row in content.people.items() if key != "co_face"}
    assert problems_of(attrs.evolve(content, people=left))


def test_kinds_are_the_clients() -> None:
    assert (NpcKind.SHOP, NpcKind.DIALOG, NpcKind.STORAGE) == (1, 2, 3)
