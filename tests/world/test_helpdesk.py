"""Help as dialogs: what each question leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.guilds import member, newest, press, town
from world import acquaintances, conduct, guild_hall, helpdesk, mail, postage, rescue, speech
from world.events import Said
from world.forms import step_of
from world.reach import Refusal

if TYPE_CHECKING:
    from world.dialogs import Dialog
    from world.mobile import Mobile
    from world.world import World


@pytest.fixture
def world() -> World:
    """A town with a banker at 11, 10."""
    return town()[0]


@pytest.fixture
def anna(world: World) -> Mobile:
    """She needs help, far from the banker."""
    return member(world, "Anna", 40, 40)


def heard(world: World) -> list[str]:
    """Lines that were told since this was asked last."""
    return [event.text for event in world.take_changes().events if isinstance(event, Said)]


def asks(mobile: Mobile, *buttons: int) -> Dialog | None:
    """The question that is open when a player has asked for help and pressed these."""
    helpdesk.at_help(mobile)
    for button in buttons:
        press(mobile, button)
    return newest(mobile)


def test_somebody_is_reported_with_what_was_said(world: World, anna: Mobile) -> None:
    berta = member(world, "Berta", 41, 40)
    speech.say(berta, "you fool")
    asks(anna, helpdesk.REPORT)
    world.take_changes()
    # Who nobody is, and oneself, are refused, and the question is there again.
    for name, why in (("Nobody", Refusal.NOBODY), ("Anna", Refusal.ONESELF)):
        again = press(anna, 1, name=name, text="She is rude")
        assert heard(world) == [why.value]
        assert again is not None
        assert [one.key for one in again.inputs] == ["name", "text"]
    assert press(anna, 1, name="Berta", text="She is rude") is None
    [report] = conduct.reports(world).values()
    assert (report.who, report.about, report.text) == ("Anna", "Berta", "She is rude")
    assert "you fool" in report.lines


def test_the_staff_is_called(world: World, anna: Mobile) -> None:
    asks(anna, helpdesk.STAFF)
    press(anna, 1, text="A wall has grown around me")
    assert [plea.text for plea in world.pleas] == ["A wall has grown around me"]
    asks(anna, helpdesk.STAFF)
    back = press(anna, 0)
    assert back is not None
    assert len(back.buttons) == 7, "all of the questions again"


def test_whoever_is_stuck_is_taken_back_once(world: World, anna: Mobile) -> None:
    world.take_changes()
    assert asks(anna, helpdesk.STUCK) is None
    asks(anna, helpdesk.STUCK)
    assert heard(world) == [rescue.TOLD, "Help is on its way already."]
    before = world.now
    for second in range(rescue.WAIT_SECONDS + 1):
        assert (anna.x, anna.y) == (40, 40) or second == rescue.WAIT_SECONDS
        world.begin(before + 1.01 * (second + 1))
        world.run_timers()
    assert (anna.x, anna.y) != (40, 40)
    assert heard(world) == ["You are back where everybody begins."]


def test_the_world_is_explained_page_by_page(anna: Mobile) -> None:
    """Also to whom each page is a question of its own, as in games with small windows."""
    found = asks(anna, helpdesk.HOW)
    assert found is not None
    assert found.pages == helpdesk.HOW_IT_IS
    assert step_of(found).text == helpdesk.HOW_IT_IS[0]
    assert asks(anna, helpdesk.HOW, helpdesk.BACK) is not None
    where = asks(anna, helpdesk.WHERE)
    assert where is not None
    assert where.text.startswith("You are at 40, 40 in ")
    assert where.text.endswith("You have the realm to yourself today.")


def test_friends_letters_and_guild_are_behind_one_button(world: World, anna: Mobile) -> None:
    names = {
        helpdesk.FRIENDS: (acquaintances.ACQUAINTANCES, "Friends"),
        helpdesk.IGNORED: (acquaintances.ACQUAINTANCES, "Ignored"),
        helpdesk.LETTERS: (helpdesk.HELP, "Help"),
        helpdesk.GUILD: (guild_hall.HALL, "Guild"),
    }
    for button, (name, title) in names.items():
        found = asks(anna, helpdesk.PEOPLE, button)
        assert found is not None
        assert (found.name, found.title) == (name, title)
    letters = asks(anna, helpdesk.PEOPLE, helpdesk.LETTERS)
    assert letters is not None
    assert letters.text == f"{postage.NONE_WAIT} {mail.NO_COUNTER}"
    assert anna.realm is not None
    world.warp(anna, anna.realm, 10, 10)
    at_bank = asks(anna, helpdesk.PEOPLE, helpdesk.LETTERS)
    assert at_bank is not None
    assert at_bank.name == postage.POST_DIALOG
