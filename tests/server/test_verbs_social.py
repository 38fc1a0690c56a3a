"""What everybody can do by word about those one knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from server.commands.social import TABLE
from tests.kit.office import Office
from tests.server.test_verbs import Hero
from world import duels
from world.mobile import Access

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock


@pytest.fixture
async def office(nursery: trio.Nursery, autojump_clock: MockClock) -> Office:
    return await Office().open(nursery)


@pytest.fixture
async def heroes(office: Office) -> tuple[Hero, Hero]:
    found = []
    for name, x in (("Alric", 20), ("Berta", 21)):
        client, mobile = await office.player(name, x=x, y=20)
        found.append(Hero(office, client, mobile))
    return found[0], found[1]


def test_verbs_about_others_are_for_everybody_and_no_audit() -> None:
    assert all(row.access == Access.PLAYER and not row.audited for row in TABLE)


async def test_friends_and_those_who_are_not_heard(
    heroes: tuple[Hero, Hero], autojump_clock: MockClock
) -> None:
    alric, berta = heroes
    assert alric.does("friends", "friend nobody", "friend alric") == [
        "You have no friends on your list: `friend NAME` adds one.",
        "There is nobody of that name.",
        "You cannot do that to yourself.",
    ]
    assert alric.does("friend berta", "friends") == ["Here: Berta."]
    berta.mobile.online = False
    assert alric.does("friends") == ["Here: none of your friends.", "Away: Berta."]
    berta.mobile.online = True
    assert alric.does("unfriend berta", "unfriend berta") == ["You have no friend of that name."]
    assert alric.does("ignore", "ignore Berta", "ignore") == [
        "You hear of everybody.",
        "You hear nothing of Berta.",
    ]
    assert berta.does("tell Alric hello") == ["They want to hear nothing of you."]
    assert alric.does("unignore berta", "unignore berta") == ["You ignore nobody of that name."]


async def test_a_duel_by_word(heroes: tuple[Hero, Hero], autojump_clock: MockClock) -> None:
    alric, berta = heroes
    assert alric.does("duel nobody", "yield") == [
        "There is nobody of that name here.",
        "You are in no duel.",
    ]
    assert alric.does("duel berta") == ["You ask Berta to a duel."]
    berta.does("answer fight")
    assert duels.opponent(alric.mobile) is berta.mobile
    berta.does("yield")
    assert alric.mobile.duel is None
