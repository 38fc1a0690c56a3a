"""What everybody can do by word about those one knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from server.commands.mail import TABLE as MAIL
from server.commands.social import TABLE
from tests.kit.office import Office
from tests.server.test_verbs import Hero
from world import duels, mail, newcomers, postage, residents
from world.content import Resident
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
    assert all(row.access == Access.PLAYER and not row.audited for row in (*TABLE, *MAIL))


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


@pytest.fixture
async def at_bank(office: Office, heroes: tuple[Hero, Hero]) -> tuple[Hero, Hero]:
    residents.place(office.world, office.world.realms["plain"], Resident("banker", 22, 21))
    for hero in heroes:
        newcomers.outfit(hero.mobile)
        office.world.register(hero.mobile)
    return heroes


async def test_letters_and_parcels_by_word(
    office: Office, at_bank: tuple[Hero, Hero], autojump_clock: MockClock
) -> None:
    alric, berta = at_bank
    assert alric.does("mail berta meet me at the inn", "mail nobody hello", "collect 1") == [
        "There is nobody of that name.",
        "There is no such letter for you.",
    ]
    assert alric.does("parcel berta gold 30", "charge berta 5 bread 1", "parcel berta cheese") == [
        "There is nothing called so here."
    ]
    assert [text for who, text in office.world.promises if who is alric.mobile][-2:] == [
        "Your letter to Berta with 30 gold coins is on its way.",
        "Your letter to Berta with 1 loaf of bread is on its way.",
    ]
    bread = berta.has("bread")
    assert berta.does("letter 1")[1] == "meet me at the inn"
    assert berta.does("letter 3")[-1].startswith("It brings 1 loaf of bread, for 5 gold coins, until 20")
    assert berta.does("tear 3", "tear 1", "collect 2", "collect 1") == [
        "Empty it first: there is something in it.",
        "You throw it away.",
    ]
    assert (berta.has("bread"), berta.has("gold")) == (bread + 1, 100 - 5 + 30)
    assert not mail.letters_of(berta.mobile)
    office.world.warp(alric.mobile, office.world.realms["plain"], 50, 50)
    assert alric.does("mail") == ["1. Berta: Paid: (no subject), with a parcel (new)", mail.NO_COUNTER]
    assert alric.does("collect 1") == [mail.NO_COUNTER]
    assert alric.does("sendback 1") == []
    assert mail.numbered(berta.mobile, 1).returned


async def test_the_post_asks_where_there_is_no_window(
    office: Office, at_bank: tuple[Hero, Hero], autojump_clock: MockClock
) -> None:
    alric, berta = at_bank
    alric.does("mail", "answer Write", "answer Berta", "answer the inn", "answer come at noon", "answer Send")
    (letter,) = mail.letters_of(berta.mobile)
    assert (letter.subject, letter.text) == ("the inn", "come at noon")
    alric.does("mail", "answer Send a parcel", "answer Berta", "answer for you", "answer 1")
    asked = next(reversed(alric.mobile.dialogs.values()))
    assert asked.name == postage.POST_DIALOG
    alric.does("answer That is all", "answer 7", "answer 3")
    lines = alric.does("answer Send it")
    assert lines == []
    (_, parcel) = mail.letters_of(berta.mobile)
    assert parcel.price == 3
    berta.does("mail", "answer Read a letter", "answer 2", "answer Read it", "answer Go on", "answer Go on")
    assert not mail.numbered(berta.mobile, 1).read
    assert mail.numbered(berta.mobile, 2).read
    berta.does("answer Pay")
    assert parcel.box == 0
    assert berta.has("gold") == 100 - 3 + 7
