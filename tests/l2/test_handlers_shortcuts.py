"""Shortcuts and macros: confirmed, kept with the character, bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.l2 import notes
from protocol.l2.handlers.shortcuts import FIRST_MACRO, MOST_MACROS
from protocol.l2.packets import (
    ActionFailed,
    CharacterSelect,
    EnterWorld,
    Macro,
    MacroCommand,
    RequestDeleteMacro,
    RequestDestroyItem,
    RequestDropItem,
    RequestMakeMacro,
    RequestRestart,
    RequestShortCutDel,
    RequestShortCutReg,
    SendMacroList,
    ShortCutEntry,
    ShortCutInit,
    ShortCutRegister,
    ShortCutType,
    SystemMessage,
    SystemMessageId,
    UseItem,
)
from protocol.services import NOTE_LIMIT
from tests.kit.l2_desk import Desk, Player, place_of
from world import hands

if TYPE_CHECKING:
    from world.item import Item


def carried(player: Player, key: str) -> list[Item]:
    """What it has of a kind."""
    return list(hands.carried_items(player.mobile, key))


def macro(name: str = "Hail", macro_id: int = 0, *commands: str) -> RequestMakeMacro:
    """A macro that says something."""
    lines = tuple(MacroCommand(0, 3, 5, 1, command) for command in commands or ("/socialhello",))
    return RequestMakeMacro(macro_id, name, "greets", "Hi", 2, lines)


async def comes_back(player: Player) -> None:
    """To the menu and into the world again."""
    await player.says(RequestRestart(), CharacterSelect(0))
    player.got.clear()
    await player.says(EnterWorld())


async def comes_again(desk: Desk, name: str) -> Player:
    """Into the world from another computer: the character stands there still, with all that it has."""
    player = await desk.selected(name)
    player.got.clear()
    await player.says(EnterWorld())
    return player


# Shortcuts


async def test_a_new_character_has_the_usual_three() -> None:
    player = await Desk().enter("alric")
    await comes_back(player)
    shown = player.only(ShortCutInit).shortcuts
    assert [(one.type, one.slot, one.id) for one in shown] == [(3, 0, 2), (3, 3, 5), (3, 10, 0)]


async def test_a_shortcut_is_confirmed_and_kept() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await player.says(RequestShortCutReg(ShortCutType.ACTION, 5, 12))
    assert player.only(ShortCutRegister).shortcut == ShortCutEntry(ShortCutType.ACTION, 5, 12)
    (bread,) = carried(player, "bread")
    await player.says(RequestShortCutReg(ShortCutType.ITEM, 13, bread.serial))
    player = await comes_again(desk, "alric")
    shown = {one.slot: (one.type, one.id) for one in player.only(ShortCutInit).shortcuts}
    assert shown[5] == (ShortCutType.ACTION, 12)
    assert shown[13] == (ShortCutType.ITEM, bread.serial)


async def test_a_shortcut_that_was_taken_away_stays_away() -> None:
    player = await Desk().enter("alric")
    await player.says(*(RequestShortCutDel(slot) for slot in (0, 3, 10, 99)))
    await comes_back(player)
    assert player.only(ShortCutInit).shortcuts == ()


@pytest.mark.parametrize(("kind", "slot"), [(3, -1), (3, 120), (3, 2**31 - 1), (0, 5), (6, 5), (-1, 5)])
async def test_what_no_bar_has_is_not_kept(kind: int, slot: int) -> None:
    player = await Desk().enter("alric")
    await player.says(RequestShortCutReg(kind, slot, 1))
    assert player.took(ShortCutRegister) == []
    assert len(player.session.notes.shortcuts) == 3


async def test_a_full_bar_fits_its_note() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await player.says(*(RequestShortCutReg(2, slot, 2**31 - 1, 2**31 - 1) for slot in range(120)))
    note = await desk.note(player.mobile.serial, notes.GAME, notes.SHORTCUTS)
    assert note is not None
    assert len(note.encode()) <= NOTE_LIMIT
    assert len(notes.read_shortcuts(note)) == 120


async def test_what_is_not_ones_own_is_put_on_no_bar() -> None:
    desk = Desk()
    player, other = await desk.enter("alric"), await desk.enter("berta", (22, 22))
    for serial in (0x7000_0001, carried(other, "bread")[0].serial, player.mobile.serial):
        await player.says(RequestShortCutReg(ShortCutType.ITEM, 13, serial))
    assert player.took(ShortCutRegister) == []
    assert 13 not in player.session.notes.shortcuts


async def on_the_bar(player: Player, *keys: str) -> list[Item]:
    """Things of these kinds, with shortcuts to them from slot 20 on."""
    items = []
    for slot, key in enumerate(keys, 20):
        (item,) = carried(player, key)
        await player.says(RequestShortCutReg(ShortCutType.ITEM, slot, item.serial))
        items.append(item)
    player.got.clear()
    return items


async def test_a_shortcut_goes_with_its_item() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    bread, _ = await on_the_bar(player, "bread", "dagger")
    await player.says(RequestDropItem(bread.serial, bread.amount, *place_of(20, 20)))
    (shown,) = player.took(ShortCutInit)
    assert {one.slot for one in shown.shortcuts} == {0, 3, 10, 21}
    hands.take(player.mobile, bread)
    await desk.wait(0.1)
    assert player.took(ShortCutInit) == []
    assert 20 not in player.session.notes.shortcuts


async def test_what_is_put_on_or_becomes_less_stays_on_the_bar() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    bread, dagger = await on_the_bar(player, "bread", "dagger")
    assert bread.amount > 1
    await player.says(UseItem(dagger.serial), RequestDestroyItem(bread.serial, 1))
    assert player.took(ShortCutInit) == []
    assert {20, 21} <= player.session.notes.shortcuts.keys()


async def test_what_was_lost_while_one_was_away_is_on_the_bar_no_more() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    bread, _ = await on_the_bar(player, "bread", "dagger")
    player.hang_up()
    desk.world.delete(bread)
    player = await comes_again(desk, "alric")
    assert {one.slot for one in player.only(ShortCutInit).shortcuts} == {0, 3, 10, 21}


async def test_what_was_lost_while_the_client_loaded_goes_when_it_has() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    (bread,) = await on_the_bar(player, "bread")
    desk.world.warp(player.mobile, desk.world.realms["plain"], 40, 40)
    await desk.wait(0.1)
    hands.destroy(player.mobile, bread, bread.amount)
    await desk.wait(0.1)
    assert player.took(ShortCutInit) == []
    await player.appears()
    assert {one.slot for one in player.only(ShortCutInit).shortcuts} == {0, 3, 10}


# Macros


async def test_without_macros_the_list_says_so() -> None:
    player = await Desk().enter("alric")
    await comes_back(player)
    shown = player.only(SendMacroList)
    assert (shown.count, shown.macros) == (0, ())


async def test_a_macro_is_numbered_shown_and_kept() -> None:
    player = await Desk().enter("alric")
    await player.says(macro("Hail", 0, "/socialhello", "/target Betty"))
    (shown,) = player.only(SendMacroList).macros
    assert (shown.macro_id, shown.name, shown.description, shown.acronym, shown.icon) == (
        FIRST_MACRO,
        "Hail",
        "greets",
        "Hi",
        2,
    )
    assert [(line.index, line.command) for line in shown.commands] == [
        (1, "/socialhello"),
        (2, "/target Betty"),
    ]
    await comes_back(player)
    assert player.only(SendMacroList).macros == (shown,)


async def test_each_change_is_a_new_revision_with_the_whole_list() -> None:
    player = await Desk().enter("alric")
    await player.says(macro("One"))
    first = player.took(SendMacroList)
    await player.says(macro("Two"))
    second = player.took(SendMacroList)
    assert [len(first), len(second)] == [1, 2]
    assert [one.count for one in second] == [2, 2]
    assert len({one.revision for one in second} | {first[0].revision}) == 2
    assert [one.macros[0].macro_id for one in second] == [FIRST_MACRO, FIRST_MACRO + 1]


async def test_a_macro_is_changed_in_place() -> None:
    player = await Desk().enter("alric")
    await player.says(macro("One"), macro("Other", FIRST_MACRO))
    assert [one.name for one in player.session.notes.macros.values()] == ["Other"]


async def test_a_number_that_is_not_there_means_a_new_one() -> None:
    player = await Desk().enter("alric")
    await player.says(macro("One", 77))
    assert list(player.session.notes.macros) == [FIRST_MACRO]


async def test_a_deleted_macro_takes_its_shortcuts_along() -> None:
    player = await Desk().enter("alric")
    await player.says(
        macro("One"),
        RequestShortCutReg(ShortCutType.MACRO, 7, FIRST_MACRO),
        RequestShortCutReg(ShortCutType.ACTION, 8, FIRST_MACRO),
    )
    player.got.clear()
    await player.says(RequestDeleteMacro(FIRST_MACRO))
    assert {one.slot for one in player.only(ShortCutInit).shortcuts} == {0, 3, 8, 10}
    assert player.only(SendMacroList).count == 0
    await player.says(macro("Two"), RequestDeleteMacro(FIRST_MACRO))
    assert player.took(ShortCutInit) == [], "none was to that one"
    await comes_back(player)
    slots = {one.slot for one in player.only(ShortCutInit).shortcuts}
    assert 7 not in slots
    assert 8 in slots
    player.got.clear()
    await player.says(RequestDeleteMacro(FIRST_MACRO), RequestDeleteMacro(5))
    assert player.took(SendMacroList) == []


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (macro(""), SystemMessageId.MACRO_NAME_MISSING),
        (macro("\x00\x01"), SystemMessageId.MACRO_NAME_MISSING),
        (macro("Long", 0, "x" * 128, "y" * 128), SystemMessageId.MACRO_INVALID),
        (macro("Tall", 0, *[""] * 13), SystemMessageId.MACRO_INVALID),
        (macro("Very tall", 0, *[""] * 255), SystemMessageId.MACRO_INVALID),
    ],
)
async def test_a_macro_that_is_not_allowed_is_not_kept(bad: RequestMakeMacro, why: SystemMessageId) -> None:
    """And the list, which did not change, is not sent again: however many one has, a refusal is small."""
    player = await Desk().enter("alric")
    await player.says(macro("One"))
    player.got.clear()
    await player.says(bad)
    assert player.got == [SystemMessage(why), ActionFailed()]
    assert [one.name for one in player.session.notes.macros.values()] == ["One"]
    assert player.session.macro_revision == 2


async def test_there_is_room_for_so_many_and_they_fit_their_note() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    line = "\U0001f600" * 21
    for number in range(MOST_MACROS + 2):
        await player.says(
            RequestMakeMacro(
                0,
                "N" + "é" * 20 + str(number),
                "ß" * 40,
                "€" * 9,
                255,
                tuple(MacroCommand(0, 255, -1, 255, line) for _ in range(12)),
            )
        )
    assert len(player.session.notes.macros) == MOST_MACROS
    assert player.kinds()[-4:] == ["SystemMessage", "ActionFailed"] * 2
    note = await desk.note(player.mobile.serial, notes.GAME, notes.MACROS)
    assert note is not None
    assert len(note.encode()) <= NOTE_LIMIT
    assert notes.read_macros(note) == player.session.notes.macros


# As text

_NUMBER = st.integers(-(2**31), 2**31 - 1)
_BYTE = st.integers(0, 255)
_TEXT = st.text(max_size=12)


@given(st.lists(st.builds(ShortCutEntry, st.integers(1, 5), st.integers(0, 119), _NUMBER, _NUMBER)))
def test_shortcuts_come_back(shortcuts: list[ShortCutEntry]) -> None:
    by_slot = {one.slot: one for one in shortcuts}
    assert notes.read_shortcuts(notes.write_shortcuts(by_slot.values())) == by_slot


@given(
    st.lists(
        st.builds(
            Macro,
            _NUMBER,
            _TEXT,
            _TEXT,
            _TEXT,
            _BYTE,
            st.lists(st.tuples(_BYTE, _NUMBER, _BYTE, _TEXT), max_size=12).map(
                lambda rows: tuple(MacroCommand(place, *row) for place, row in enumerate(rows, 1))
            ),
        )
    )
)
def test_macros_come_back(macros: list[Macro]) -> None:
    by_id = {one.macro_id: one for one in macros}
    assert notes.read_macros(notes.write_macros(by_id.values())) == by_id


@given(st.dictionaries(_NUMBER, _TEXT))
def test_friends_come_back(friends: dict[int, str]) -> None:
    assert notes.read_friends(notes.write_friends(friends)) == friends


@pytest.mark.parametrize(
    "text", ["", "x", "{}", "[1]", "[[1,2,3]]", '[["a",1,2,3]]', "[[1,2,3,4,5]]", "[" * 5000, "null", "7"]
)
def test_a_note_that_cannot_be_read_is_empty(text: str) -> None:
    assert notes.read_shortcuts(text) == {}
    assert notes.read_macros(text) == {}
    assert notes.read_friends(text) == {}


@pytest.mark.parametrize("number", [2**31, -(2**31) - 1, 10**30])
def test_neither_is_one_with_a_number_that_no_message_carries(number: int) -> None:
    assert notes.read_shortcuts(f"[[{number}, 3, 1, 1]]") == {}
    assert notes.read_shortcuts(f"[[1, 2, 1, {number}]]") == {}
    assert notes.read_macros(f'[[{number}, "", "", "", 1, []]]') == {}
    assert notes.read_macros(f'[[1, "", "", "", {number}, []]]') == {}
    assert notes.read_macros(f'[[1, "", "", "", 1, [[1, {number}, 1, ""]]]]') == {}
    assert notes.read_friends(f'[[{number}, "Betty"]]') == {}


async def test_a_spoiled_note_keeps_nobody_out() -> None:
    desk = Desk()
    player = await desk.selected("alric")
    serial = desk.owned("alric")[0].serial
    for key in (notes.CLASS, notes.SHORTCUTS, notes.MACROS, notes.FRIENDS):
        desk.keep(serial, notes.GAME, key, "!")
    player.got.clear()
    await player.says(EnterWorld())
    assert player.only(ShortCutInit).shortcuts == ()
    assert player.line.ending is None
