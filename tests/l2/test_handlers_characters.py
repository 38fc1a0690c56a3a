"""The character menu: the list, all that the form offers, deleting and taking it back, choosing."""

from __future__ import annotations

from itertools import product

import pytest

from protocol.l2.looks import CALLINGS
from protocol.l2.packets import (
    CharacterCreate,
    CharacterDelete,
    CharacterRestore,
    CharacterSelect,
    CharCreateFail,
    CharCreateFailReason,
    CharCreateOk,
    CharDeleteFail,
    CharDeleteOk,
    CharSelected,
    CharSelectEntry,
    CharSelectInfo,
    CharTemplates,
    EnterWorld,
    NewCharacter,
    UserInfo,
)
from protocol.services import Denial
from protocol.session import Phase
from tests.kit.l2_desk import Desk, Player, place_of

DAY = 24 * 60 * 60
WEEK = 7 * DAY


def form(name: str = "Betty", /, **fields: int) -> CharacterCreate:
    """A filled-in form: of a human fighter, unless `fields` say otherwise."""
    chosen = {"race": 0, "sex": 0, "class_id": 0} | fields
    return CharacterCreate(name=name, **chosen)


async def lines(player: Player) -> list[CharSelectEntry]:
    """The list that it was just sent."""
    return list(player.only(CharSelectInfo).characters)


# The list


async def test_the_list_of_one_without_characters_is_empty() -> None:
    desk = Desk()
    player = await desk.in_menu("alric", characters=0)
    assert await lines(player) == []


async def test_a_line_says_who_it_is() -> None:
    desk = Desk()
    player = await desk.in_menu("alric", characters=2)
    first, second = await lines(player)
    assert (first.name, first.object_id) == ("Alric", desk.owned("alric")[0].serial)
    assert (first.account, first.deleted_in) == ("alric", 0)
    assert player.session.keys is not None
    assert first.session_id == player.session.keys.play1 & 0xFFFFFFFF
    assert [first.last_used, second.last_used] == [1, 0]
    assert any(first.paperdoll_items)


async def test_a_character_of_another_game_is_a_human_fighter() -> None:
    player = await Desk().in_menu("alric")
    (line,) = await lines(player)
    assert (line.race, line.base_class, line.class_id) == (0, 0, 0)


# Making one


async def test_nine_classes_to_begin_with() -> None:
    player = await Desk().in_menu("alric")
    await player.says(NewCharacter())
    templates = player.only(CharTemplates).templates
    assert [one.class_id for one in templates] == [0, 10, 18, 25, 31, 38, 44, 49, 53]
    assert [one.race for one in templates] == [0, 0, 1, 1, 2, 2, 3, 3, 4]
    fighter = templates[0]
    attributes = (
        fighter.strength,
        fighter.dexterity,
        fighter.constitution,
        fighter.intelligence,
        fighter.wit,
        fighter.mentality,
    )
    assert attributes == (23, 23, 23, 23, 23, 23), "as on the sheet of who enters"


@pytest.mark.parametrize(("class_id", "sex"), list(product(CALLINGS, (0, 1))))
async def test_whatever_is_made_looks_so_afterwards(class_id: int, sex: int) -> None:
    desk = Desk()
    desk.change("accounts", characters=7)
    player = await desk.in_menu("alric", characters=0)
    race = int(CALLINGS[class_id].race)
    looks = list(product(range(7 if sex else 5), range(4), range(3)))[:: 7 if sex else 5]
    for number, (hair_style, hair_color, face) in enumerate(looks[:7]):
        player.got.clear()
        name = "Made" + "abcdefg"[number]
        await player.says(
            form(
                name,
                race=race,
                sex=sex,
                class_id=class_id,
                hair_style=hair_style,
                hair_color=hair_color,
                face=face,
            )
        )
        assert player.took(CharCreateOk)
        line = (await lines(player))[-1]
        assert (line.name, line.sex, line.race, line.class_id) == (name, sex, race, class_id)
        assert (line.hair_style, line.hair_color, line.face) == (hair_style, hair_color, face)


async def test_the_class_is_there_in_the_world_and_at_the_next_login() -> None:
    desk = Desk()
    player = await desk.in_menu("alric", characters=0)
    await player.says(form(race=3, class_id=49, sex=1), CharacterSelect(0), EnterWorld())
    own = player.only(UserInfo)
    assert (own.race, own.class_id, own.sex) == (3, 49, 1)
    player.hang_up()
    again = await desk.in_menu("alric")
    assert [line.class_id for line in await lines(again)] == [49]


@pytest.mark.parametrize(
    "wrong",
    [
        {"class_id": 1},
        {"class_id": 88},
        {"class_id": -1},
        {"race": 1},
        {"race": 5},
        {"sex": 2},
        {"sex": -1},
        {"hair_style": 5},
        {"hair_style": 7, "sex": 1},
        {"hair_style": -1},
        {"hair_color": 4},
        {"face": 3},
        {"face": -1},
    ],
)
async def test_what_the_form_does_not_offer_is_refused(wrong: dict[str, int]) -> None:
    desk = Desk()
    player = await desk.in_menu("alric")
    await player.says(form(**wrong))
    assert player.only(CharCreateFail).reason == CharCreateFailReason.NOT_ALLOWED
    assert len(desk.owned("alric")) == 1
    assert player.line.ending is None


async def test_the_longest_hair_of_women_is_for_women() -> None:
    player = await Desk().in_menu("alric")
    await player.says(form(sex=1, hair_style=6))
    assert player.took(CharCreateOk)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Alric", CharCreateFailReason.NAME_EXISTS),
        ("aLRIC", CharCreateFailReason.NAME_EXISTS),
        ("A", CharCreateFailReason.NAME_NOT_ALLOWED),
        ("", CharCreateFailReason.NAME_NOT_ALLOWED),
        ("Al-ric", CharCreateFailReason.NAME_NOT_ALLOWED),
        ("Abcdefghijklmnopq", CharCreateFailReason.NAME_TOO_LONG),
    ],
)
async def test_a_name_that_is_not_allowed(name: str, reason: CharCreateFailReason) -> None:
    player = await Desk().in_menu("alric")
    await player.says(form(name))
    assert player.only(CharCreateFail).reason == reason
    assert player.took(CharCreateOk) == []


@pytest.mark.parametrize(
    ("denial", "reason"),
    [
        (Denial.FULL, CharCreateFailReason.TOO_MANY_CHARACTERS),
        (Denial.UNAVAILABLE, CharCreateFailReason.CREATION_FAILED),
    ],
)
async def test_other_reasons(denial: Denial, reason: CharCreateFailReason) -> None:
    desk = Desk()
    player = await desk.in_menu("alric")
    desk.deny = denial
    await player.says(form())
    assert player.only(CharCreateFail).reason == reason


# Deleting one


async def test_a_deleted_character_is_counted_down_and_can_be_restored() -> None:
    desk = Desk()
    player = await desk.in_menu("alric")
    player.got.clear()
    await player.says(CharacterDelete(0))
    assert player.took(CharDeleteOk)
    assert [line.deleted_in for line in await lines(player)] == [WEEK]
    await desk.wait(10)
    await player.says(CharacterSelect(0))
    assert player.took(CharSelected) == []
    assert player.session.phase is Phase.MENU
    await player.says(CharacterRestore(0))
    assert [line.deleted_in for line in await lines(player)] == [0]
    await player.says(CharacterSelect(0))
    assert player.took(CharSelected)


async def test_whoever_deletes_twice_does_not_wait_longer() -> None:
    desk = Desk()
    player = await desk.in_menu("alric")
    await player.says(CharacterDelete(0))
    await desk.wait(10)
    await player.says(CharacterDelete(0))
    assert player.took(CharDeleteFail)
    assert desk.doomed("alric")[desk.owned("alric")[0].serial] == WEEK


@pytest.mark.parametrize(("days", "seconds"), [(1, DAY), (0.5, DAY / 2)])
async def test_how_long_it_lives_is_configured(days: float, seconds: float) -> None:
    desk = Desk(delete_days=days)
    player = await desk.in_menu("alric")
    await player.says(CharacterDelete(0))
    assert desk.doomed("alric")[desk.owned("alric")[0].serial] == seconds


async def test_without_days_it_is_gone_at_once() -> None:
    desk = Desk(delete_days=0)
    player = await desk.in_menu("alric")
    player.got.clear()
    await player.says(CharacterDelete(0))
    assert player.took(CharDeleteOk)
    assert await lines(player) == []
    assert desk.owned("alric") == []


@pytest.mark.parametrize("slot", [1, 7, -1, 2**31 - 1])
async def test_an_empty_place_cannot_be_deleted(slot: int) -> None:
    desk = Desk()
    player = await desk.in_menu("alric")
    await player.says(CharacterDelete(slot), CharacterRestore(slot))
    assert player.took(CharDeleteFail)
    assert desk.doomed("alric") == {}
    assert len(desk.owned("alric")) == 1


async def test_a_refusal_is_said() -> None:
    desk = Desk()
    player = await desk.in_menu("alric")
    desk.deny = Denial.IN_USE
    await player.says(CharacterDelete(0))
    assert player.took(CharDeleteFail)
    assert player.took(CharDeleteOk) == []


async def test_too_late_to_restore() -> None:
    desk = Desk()
    player = await desk.in_menu("alric")
    await player.says(CharacterDelete(0))
    player.got.clear()
    desk.now += WEEK
    await player.says(CharacterRestore(0))
    assert await lines(player) == []


# Choosing one


async def test_the_chosen_character_is_shown_while_the_client_loads() -> None:
    desk = Desk()
    player = await desk.in_menu("alric", characters=2)
    await player.says(CharacterSelect(1))
    chosen = player.only(CharSelected)
    assert (chosen.name, chosen.object_id) == ("Alricb", desk.owned("alric")[1].serial)
    assert (chosen.x, chosen.y, chosen.z) == place_of(20, 20)
    assert chosen.strength == 23
    assert player.session.phase is Phase.ENTERING


async def test_one_that_still_stands_in_the_world_is_loaded_where_it_stands() -> None:
    desk = Desk()
    player = await desk.in_menu("alric")
    mobile = desk.brings(desk.owned("alric")[0].serial)
    desk.world.warp(mobile, desk.world.realms["plain"], 33, 44)
    await player.says(CharacterSelect(0))
    chosen = player.only(CharSelected)
    assert (chosen.x, chosen.y, chosen.z) == place_of(33, 44)


@pytest.mark.parametrize("slot", [1, 6, -1, 2**31 - 1])
async def test_an_empty_place_is_no_choice(slot: int) -> None:
    player = await Desk().in_menu("alric")
    player.got.clear()
    await player.says(CharacterSelect(slot))
    assert player.got == []
    assert player.session.phase is Phase.MENU
    assert player.line.ending is None


async def test_a_client_may_choose_before_it_made_anybody() -> None:
    desk = Desk()
    player = await desk.in_menu("alric", characters=0)
    await player.says(CharacterSelect(0), NewCharacter(), form(), CharacterSelect(0))
    assert player.only(CharSelected).name == "Betty"
