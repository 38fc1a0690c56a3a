"""Characters: the form for a new one, and the town crier, who lets a player change to another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from protocol.co import notes
from protocol.co.handlers.characters import MOST_OFFERED, NO_OTHER, NO_ROOM, TRY_LATER
from protocol.co.packets import (
    NO_ANSWER,
    Action,
    ActionType,
    Body,
    Channel,
    DialogAction,
    Profession,
    Register,
    TaskDialog,
    UserInfo,
)
from protocol.denials import Denial, Denied
from protocol.endings import Ending
from protocol.services import NewCharacter
from protocol.session import Phase
from tests.kit.co_desk import FIRST_PLAYER, Desk, Player, answers, form, logs_in
from world.dialogs import Reply

if TYPE_CHECKING:
    from world.mobile import Mobile

SEEKING, ANOTHER, NEW = "I am looking for somebody.", "Another character.", "A new character."


async def at_the_crier(desk: Desk, account: str = "alric") -> tuple[Player, Mobile]:
    """Somebody who looks at the crier's window."""
    crier = desk.resident("crier", 22, 22)
    player = await desk.enter(account)
    await player.clicks(crier)
    assert player.screen.window is not None
    return player, crier


async def chooses(player: Player, label: str) -> None:
    """The answer of that label."""
    await player.desk.wait(0.2)
    window = player.screen.window
    assert window is not None
    (option,) = [number for number, text in window.options.items() if text == label]
    player.screen.window = None
    player.got.clear()
    await player.says(TaskDialog(0, 0, option, DialogAction.ANSWER))


def labels(player: Player) -> list[str]:
    """The answers of the window that is open."""
    assert player.screen.window is not None
    return list(player.screen.window.options.values())


async def plays(desk: Desk, account: str = "alric") -> str:
    """Whom an account is given when it logs in, or what it is told."""
    player = await desk.at_the_door(account)
    infos = player.took(UserInfo)
    return infos[0].names[0] if infos else player.lines()[-1]


async def test_the_crier_offers_it_besides_the_news() -> None:
    desk = Desk()
    player, _ = await at_the_crier(desk)
    assert labels(player) == ["Where am I?", "Who is here today?", SEEKING, ANOTHER, NEW, "Farewell."]
    await chooses(player, "Where am I?")
    assert labels(player) == ["Where am I?", "Who is here today?", SEEKING, ANOTHER, NEW, "Farewell."]


async def test_to_another_character_of_the_account() -> None:
    desk = Desk()
    for name in ("anna", "berta", "clara"):
        desk.makes("alric", name=name)
    player, _ = await at_the_crier(desk)
    assert player.mobile.name == "Anna"
    await chooses(player, ANOTHER)
    assert labels(player) == ["Berta, level 1", "Clara, level 1", "I would rather stay Anna."]
    await chooses(player, "Clara, level 1")
    assert player.lines() == ["You are Clara from now on. Please log in again."]
    assert player.line.ending is Ending.CLIENT_LEFT, "her character goes at once"
    assert desk.durables == 1, "nobody is sent away before it is noted"
    assert await plays(desk) == "Clara"


async def test_who_would_rather_stay_stays() -> None:
    desk = Desk()
    for name in ("anna", "berta"):
        desk.makes("alric", name=name)
    player, _ = await at_the_crier(desk)
    for answer in (ANOTHER, "I would rather stay Anna."):
        await chooses(player, answer)
    assert player.got == []
    assert player.line.ending is None
    assert not player.mobile.dialogs
    assert await plays(desk) == "Anna"


async def test_nobody_is_offered_a_character_of_somebody_else_or_one_that_cannot_come() -> None:
    desk = Desk()
    for name in ("anna", "berta", "clara"):
        desk.makes("alric", name=name)
    desk.makes("betty", name="betty")
    _, berta, clara = sorted(desk.world.mobiles.values(), key=lambda mobile: mobile.serial)[:3]
    desk.world.warp(berta, desk.world.realms["void"], 5, 5)
    desk.dooms("alric", clara.serial, 1000.0)
    player, _ = await at_the_crier(desk)
    await chooses(player, ANOTHER)
    assert player.lines() == [NO_OTHER]
    assert player.screen.window is None
    assert player.line.ending is None


async def test_a_character_of_another_game_may_be_anywhere_in_the_list_of_many() -> None:
    desk = Desk()
    for number in range(MOST_OFFERED + 4):
        desk.makes("alric", name="anna" + "abcdefghkmnoprst"[number])
    player, _ = await at_the_crier(desk)
    await chooses(player, ANOTHER)
    assert len(labels(player)) == MOST_OFFERED + 1


async def test_a_character_that_is_gone_meanwhile_is_not_chosen() -> None:
    desk = Desk()
    for name in ("anna", "berta"):
        desk.makes("alric", name=name)
    player, _ = await at_the_crier(desk)
    await chooses(player, ANOTHER)
    desk.deletes(desk.owned("alric")[1].serial)
    await chooses(player, "Berta, level 1")
    assert player.lines() == [TRY_LATER]
    assert player.line.ending is None


async def test_a_new_character() -> None:
    desk = Desk()
    desk.makes("alric", name="anna")
    player, _ = await at_the_crier(desk)
    await chooses(player, NEW)
    (words,) = player.lines()
    assert "new character" in words
    assert desk.durables == 1
    assert player.line.ending is Ending.CLIENT_LEFT
    player.hang_up()
    player = await desk.at_the_door("alric")
    assert player.lines() == ["NEW_ROLE"]
    await player.says(Register("alric", "berta", "*", 2001, 10))
    player.hang_up()
    assert await plays(desk) == "Berta"


async def test_who_does_not_make_it_after_all_has_the_old_one() -> None:
    desk = Desk()
    desk.makes("alric", name="anna")
    player, _ = await at_the_crier(desk)
    await chooses(player, NEW)
    assert await plays(desk) == "NEW_ROLE"
    assert await plays(desk) == "Anna"


async def test_no_more_than_an_account_may_have() -> None:
    desk = Desk()
    for name in ("anna", "berta", "clara"):
        desk.makes("alric", name=name)
    desk.dooms("alric", desk.owned("alric")[2].serial, 1000.0)  # it still counts
    player, _ = await at_the_crier(desk)
    await chooses(player, NEW)
    assert player.lines() == [NO_ROOM]
    assert player.line.ending is None
    assert await plays(desk) == "Anna"


@pytest.mark.parametrize("label", [ANOTHER, NEW])
async def test_a_store_that_fails_changes_nothing(label: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(*_: object, **__: object) -> None:
        raise Denied(Denial.UNAVAILABLE)

    desk = Desk()
    for name in ("anna", "berta"):
        desk.makes("alric", name=name)
    player, _ = await at_the_crier(desk)
    monkeypatch.setattr(player.session.services.characters, "all", fails)
    await chooses(player, label)
    assert player.lines() == [TRY_LATER]
    assert player.line.ending is None


async def test_the_crier_has_to_be_near_when_it_is_chosen() -> None:
    desk = Desk()
    for name in ("anna", "berta"):
        desk.makes("alric", name=name)
    player, crier = await at_the_crier(desk)
    await chooses(player, ANOTHER)
    desk.world.warp(crier, desk.world.realms["plain"], 50, 50)
    await chooses(player, "Berta, level 1")
    assert player.line.ending is None
    assert await plays(desk) == "Anna"


async def test_an_answer_after_another_client_took_the_character_over_does_nothing() -> None:
    desk = Desk()
    for name in ("anna", "berta"):
        desk.makes("alric", name=name)
    player, _ = await at_the_crier(desk)
    await chooses(player, ANOTHER)
    (dialog,) = player.mobile.dialogs.values()
    mobile = player.mobile
    await desk.at_the_door("alric")
    assert player.line.ending is Ending.REPLACED
    dialog.answered(mobile, Reply(1))
    assert player.line.jobs == []


async def test_a_window_that_is_closed_is_no_choice() -> None:
    desk = Desk()
    for name in ("anna", "berta"):
        desk.makes("alric", name=name)
    player, _ = await at_the_crier(desk)
    await chooses(player, ANOTHER)
    await player.says(TaskDialog(0, 0, NO_ANSWER, DialogAction.ANSWER))
    assert player.line.ending is None
    assert not player.mobile.dialogs


# The form


async def test_an_account_without_characters_is_shown_the_form() -> None:
    desk = Desk()
    player, words = await logs_in(desk, "alric")
    assert words == "NEW_ROLE"
    assert player.session.phase is Phase.MENU
    assert player.got == []
    assert player.line.ending is None
    assert player.raw[-1][8:10] == (2101).to_bytes(2, "little")


@pytest.mark.parametrize("body", list(Body))
@pytest.mark.parametrize("profession", list(Profession))
async def test_every_build_of_the_form(body: Body, profession: Profession) -> None:
    desk = Desk()
    player, _ = await logs_in(desk, "alric")
    await player.says(form("alric", body=body, profession=profession))
    assert answers(player, Channel.REGISTER) == ["ANSWER_OK"]
    assert player.session.hang_up_means is Ending.RELAYED
    (mobile,) = desk.owned("alric")
    assert (mobile.name, mobile.female) == ("Alric", body in (Body.SLIM_WOMAN, Body.BIG_WOMAN))
    player.hang_up()
    player = await desk.at_the_door("alric")
    told = player.only(UserInfo)
    assert (told.look % 10_000, told.profession) == (body, profession)
    await player.loads()
    assert player.session.phase is Phase.IN_WORLD


@pytest.mark.parametrize(
    ("body", "profession"), [(0, 10), (1005, 10), (65535, 10), (1003, 0), (1003, 30), (2001, 65535)]
)
async def test_a_build_that_the_form_does_not_have_is_refused(body: int, profession: int) -> None:
    desk = Desk()
    player, _ = await logs_in(desk, "alric")
    await player.says(form("alric", body=body, profession=profession))
    assert answers(player, Channel.REGISTER) == ["There is no such body or profession."]
    assert not desk.owned("alric")
    assert player.line.ending is None


@pytest.mark.parametrize("name", ["", "ab", "al ric", "[GM]bob", "alric1", "zo\xebzoe", "system"])
async def test_a_name_that_does_not_do_is_refused_and_the_form_stays_open(name: str) -> None:
    desk = Desk()
    player, _ = await logs_in(desk, "alric")
    await player.says(form(name))
    assert answers(player, Channel.REGISTER) == ["Names have 3 to 15 letters, and nothing else."]
    assert player.line.ending is None
    await player.says(form("alric"))
    assert answers(player, Channel.REGISTER) == ["ANSWER_OK"]


async def test_a_name_that_is_taken_is_refused() -> None:
    desk = Desk()
    desk.makes("betty")
    player, _ = await logs_in(desk, "alric")
    await player.says(form("BETTY"))
    assert answers(player, Channel.REGISTER) == ["That name is taken."]


@pytest.mark.parametrize("why", list(Denial))
async def test_every_refusal_of_a_form_has_words(why: Denial) -> None:
    desk = Desk()
    player, _ = await logs_in(desk, "alric")
    desk.deny = why
    await player.says(form("alric"))
    (words,) = answers(player, Channel.REGISTER)
    assert words
    assert words not in ("ANSWER_OK", "NEW_ROLE")
    assert player.line.ending is None


async def test_a_connection_makes_one_character_and_does_not_play_it() -> None:
    desk = Desk()
    player, _ = await logs_in(desk, "alric")
    for letter in "abcdefghijklmnopqrstuvwxyz":
        await player.says(form("alric" + letter))
    assert len(desk.owned("alric")) == 1
    assert answers(player, Channel.REGISTER) == ["ANSWER_OK"]
    await player.says(Action.of(ActionType.ENTER_MAP, FIRST_PLAYER + 1))
    assert player.got == []
    assert player.line.ending is None


async def test_an_account_has_no_more_characters_than_it_may_have() -> None:
    desk = Desk()
    player, _ = await logs_in(desk, "alric")
    for name in ("anna", "berta", "clara"):
        desk.make_character("alric", NewCharacter(name, True, 3, 1104, 1003))
    await player.says(form("dora"))
    assert answers(player, Channel.REGISTER) == ["Your account has as many characters as it may have."]
    assert len(desk.owned("alric")) == desk.app.character_limit == 3


async def test_what_the_form_says_of_account_and_password_does_not_matter() -> None:
    desk = Desk()
    desk.makes("betty")
    player, _ = await logs_in(desk, "alric")
    await player.says(Register("betty", "clara", "hunter22", 2001, 10, 0xFFFF_FFFF))
    assert [mobile.name for mobile in desk.owned("alric")] == ["Clara"]


async def test_a_short_form_makes_nobody() -> None:
    desk = Desk()
    player, _ = await logs_in(desk, "alric")
    await player.sends(form("alric").encode(desk.version)[:40])
    assert not desk.owned("alric")


async def test_who_has_a_character_is_not_asked_for_another_one() -> None:
    desk = Desk()
    desk.makes("alric")
    player, _ = await logs_in(desk, "alric")
    await player.says(form("betty"))
    assert len(desk.owned("alric")) == 1
    assert player.line.ending is None


async def test_a_new_character_is_the_one_that_is_played_next() -> None:
    desk = Desk()
    anna = desk.makes("alric", name="anna")
    desk.keep(anna.serial, "co", "played", "5")
    desk.keep(anna.serial, "co", "wants_new", "1")
    player, words = await logs_in(desk, "alric")
    assert words == "NEW_ROLE"
    await player.says(form("berta", body=Body.BIG_WOMAN))
    assert answers(player, Channel.REGISTER) == ["ANSWER_OK"]
    _, name = await logs_in(desk, "alric")
    assert name == "Berta"


async def test_a_character_is_made_even_if_nothing_can_be_noted_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def fails(*_: object) -> None:
        raise Denied(Denial.UNAVAILABLE)

    desk = Desk()
    player, _ = await logs_in(desk, "alric")
    monkeypatch.setattr(notes, "_keep", fails)
    await player.says(form("alric"))
    assert answers(player, Channel.REGISTER) == ["ANSWER_OK"]


async def test_a_form_that_was_ordered_is_shown_once() -> None:
    desk = Desk()
    anna = desk.makes("alric", name="anna")
    desk.keep(anna.serial, "co", "wants_new", "1")
    assert (await logs_in(desk, "alric"))[1] == "NEW_ROLE"
    assert (await logs_in(desk, "alric"))[1] == "Anna"


async def test_a_form_that_was_ordered_needs_room() -> None:
    desk = Desk()
    for name in ("anna", "berta", "clara"):
        desk.make_character("alric", NewCharacter(name, True, 3, 1104, 1003))
    anna = desk.owned("alric")[0]
    desk.keep(anna.serial, "co", "wants_new", "1")
    assert (await logs_in(desk, "alric"))[1] == "Anna"
