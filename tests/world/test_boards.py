"""Boards: notes that last, and what may not be pinned. (`world.boards`)"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.fixed import fixed_world, standing
from tests.kit.worlds import person
from world import boards, bulletins, fixtures, life
from world.mobile import Access, Mobile
from world.reach import Cannot, Refusal
from world.rules.numbers import ConductRule

if TYPE_CHECKING:
    from world.item import Item
    from world.world import World


@pytest.fixture
def world() -> World:
    return fixed_world()


@pytest.fixture
def board(world: World) -> Item:
    return standing(world, "board")


@pytest.fixture
def anna(world: World) -> Mobile:
    return person(world, "Anna")


def pin(mobile: Mobile, board: Item, number: int = 0) -> Item:
    mobile.spoken = None  # it has not said anything for a while
    return boards.pin(mobile, board, f"Wanted {number}", "Ten hides.\nI pay in gold.")


def test_a_note_says_who_pinned_it_when_and_what(world: World, board: Item, anna: Mobile) -> None:
    world.epoch = 1_800_000_000.0
    note = pin(anna, board)
    assert boards.read(person(world, "Bert"), board) == [note]
    assert bulletins.in_words(note) == "Wanted 0 (Anna, 2027-01-15 08:00): Ten hides. I pay in gold."


def test_the_newest_comes_first(board: Item, anna: Mobile) -> None:
    pinned = [pin(anna, board, number) for number in range(3)]
    assert boards.read(anna, board) == pinned[::-1]


@pytest.mark.parametrize(
    ("subject", "text", "why"),
    [
        ("", "words", Refusal.NO_WORDS),
        ("  ", "words", Refusal.NO_WORDS),
        ("subject", "\n ", Refusal.NO_WORDS),
        ("x" * (boards.LONGEST_SUBJECT + 1), "words", Refusal.TOO_LONG),
        ("subject", "x" * (boards.LONGEST_TEXT + 1), Refusal.TOO_LONG),
        ("sub\x00ject", "words", Refusal.UNREADABLE),
        ("sub\nject", "words", Refusal.UNREADABLE),
        ("subject", "wo\u202erds", Refusal.UNREADABLE),
        ("subject", "wo\x07rds", Refusal.UNREADABLE),
    ],
)
def test_what_nobody_could_read_is_refused_whole(
    board: Item, anna: Mobile, subject: str, text: str, why: Refusal
) -> None:
    with pytest.raises(Cannot) as refused:
        boards.pin(anna, board, subject, text)
    assert refused.value.why is why
    assert not board.contents


def test_the_longest_fits(board: Item, anna: Mobile) -> None:
    note = boards.pin(anna, board, "x" * boards.LONGEST_SUBJECT, "y" * boards.LONGEST_TEXT)
    assert note.note is not None
    assert len(note.note.text) == boards.LONGEST_TEXT


def test_one_author_has_so_many_notes_and_no_more(world: World, board: Item, anna: Mobile) -> None:
    pinned = [pin(anna, board, number) for number in range(boards.MOST_OF_ONE)]
    with pytest.raises(Cannot) as refused:
        pin(anna, board)
    assert refused.value.why is Refusal.MANY_NOTES
    pin(person(world, "Bert"), board)
    boards.unpin(anna, board, pinned[0])
    pin(anna, board)


def test_the_oldest_falls_when_the_board_is_full(
    world: World, board: Item, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boards, "MOST_NOTES", 3)
    pinned = [pin(person(world, f"Anna{number}"), board, number) for number in range(4)]
    assert boards.notes(board) == pinned[:0:-1]
    assert pinned[0].serial not in world.items


def test_only_the_author_and_the_staff_take_a_note_down(world: World, board: Item, anna: Mobile) -> None:
    note, bert = pin(anna, board), person(world, "Bert")
    with pytest.raises(Cannot) as refused:
        boards.unpin(bert, board, note)
    assert refused.value.why is Refusal.NOT_YOUR_NOTE
    bert.access = Access.COUNSELOR
    boards.unpin(bert, board, note)
    assert not boards.read(anna, board)
    with pytest.raises(Cannot) as refused:
        boards.unpin(anna, board, note)
    assert refused.value.why is Refusal.NO_NOTE


def test_the_dead_read_and_do_no_more(board: Item, anna: Mobile) -> None:
    note = pin(anna, board)
    life.kill(anna)
    assert boards.read(anna, board) == [note]
    for deed in (lambda: pin(anna, board), lambda: boards.unpin(anna, board, note)):
        with pytest.raises(Cannot) as refused:
            deed()
        assert refused.value.why is Refusal.DEAD


def test_from_afar_nobody_reads_or_writes(world: World, board: Item) -> None:
    bert = person(world, "Bert", board.x + boards.READING + 1, board.y)
    for deed in (lambda: boards.read(bert, board), lambda: boards.pin(bert, board, "subject", "words")):
        with pytest.raises(Cannot) as refused:
            deed()
        assert refused.value.why is Refusal.FAR
    assert boards.near(bert) is board
    with pytest.raises(Cannot) as refused:
        boards.near(person(world, "Cora", 50, 50))
    assert refused.value.why is Refusal.NO_BOARD


def test_words_are_filtered_where_the_rules_list_them(world: World, board: Item, anna: Mobile) -> None:
    world.content = attrs.evolve(world.content, conduct=ConductRule(filtered=("hides", "wanted")))
    note = pin(anna, board)
    assert (note.name, note.note and note.note.text) == ("****** 0", "Ten *****.\nI pay in gold.")


def test_who_is_silenced_pins_nothing(world: World, board: Item, anna: Mobile) -> None:
    world.gags[anna.account] = world.now + 100
    with pytest.raises(Cannot) as refused:
        boards.pin(anna, board, "subject", "words")
    assert refused.value.why is Refusal.GAGGED


def test_a_board_stands_once_and_goes_when_the_chart_says_so(world: World, board: Item, anna: Mobile) -> None:
    note = pin(anna, board)
    assert fixtures.settle(world) == 2
    assert standing(world, "board") is board
    assert boards.notes(board) == [note]
    realm = world.realms["plain"]
    realm.redraw(attrs.evolve(realm.chart, fixtures=()))
    assert fixtures.settle(world) == 0
    assert not {board.serial, note.serial} & world.items.keys()
