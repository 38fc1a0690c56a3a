"""Guilds as dialogs: everything can be done without a word, and what one may not is not offered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.guilds import member, newest, press, town, weavers
from tests.kit.worlds import goes_on, lines_of
from world import guild_hall, guild_rolls, guild_ties, guilds, invites, life, residents, speech, vaults
from world.events import Said
from world.guild import Bond, Member, Rank
from world.guild_events import GuildOpened
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from world.mobile import Mobile
    from world.world import World


@pytest.fixture
def world() -> World:
    """A town with a banker."""
    return town()[0]


@pytest.fixture
def anna(world: World) -> Mobile:
    """She leads, where somebody does."""
    return member(world, "Anna")


@pytest.fixture
def berta(world: World) -> Mobile:
    """Somebody else."""
    return member(world, "Berta", 11)


def labels(mobile: Mobile) -> list[str]:
    dialog = newest(mobile)
    assert dialog is not None
    return [button.label for button in dialog.buttons]


def test_who_has_none_is_asked_to_found_one(anna: Mobile) -> None:
    guild_hall.at_guild(anna)
    press(anna, 1, name="Weavers", tag="wv")
    assert anna.guild is not None
    assert anna.guild.tag == "WV"


def test_a_refusal_is_told(anna: Mobile, berta: Mobile) -> None:
    weavers(berta)
    guild_hall.at_guild(anna)
    press(anna, 1, name="Weavers", tag="XX")
    assert lines_of(anna)[-1] == Refusal.GUILD_TAKEN.value


def test_a_game_with_a_window_is_shown_it(world: World, anna: Mobile, berta: Mobile) -> None:
    weavers(anna, berta)
    anna.windows = frozenset({guild_hall.WINDOW})
    guild_hall.at_guild(anna)
    (event,) = [event for event in world.events if isinstance(event, GuildOpened)]
    assert event.viewers == [anna.viewport]
    assert event.words(own=True) == "Weavers [WV]: 2 members, led by Anna."
    assert newest(anna) is None


def test_what_ones_rank_does_not_allow_is_not_offered(anna: Mobile, berta: Mobile) -> None:
    weavers(anna, berta)
    guild_hall.at_guild(berta)
    assert labels(berta) == [
        "The members.",
        "What has happened.",
        "Put gold into the bank.",
        "Leave it.",
        "Nothing.",
    ]
    guild_hall.at_guild(anna)
    assert labels(anna) == [
        "The members.",
        "What has happened.",
        "Put gold into the bank.",
        "Write a notice.",
        "Declare war.",
        "Ask for an alliance.",
        "Disband the guild.",
        "Nothing.",
    ]


def test_members_are_promoted_and_expelled_there(anna: Mobile, berta: Mobile) -> None:
    guild = weavers(anna, berta)
    guild_hall.at_guild(anna)
    dialog = press(anna, guild_hall.MEMBERS)
    assert dialog is not None
    assert dialog.text.splitlines() == ["Anna, leader, level 1, here", "Berta, recruit, level 1, here"]
    press(anna, guild_hall.UP, member=[1])
    assert guild.members[berta.serial].rank == Rank.MEMBER
    press(anna, guild_hall.MEMBERS)
    press(anna, guild_hall.OUT, member=[1])
    assert berta.guild is None


def test_many_members_are_shown_in_pages(world: World, anna: Mobile) -> None:
    guild = weavers(anna)
    for number in range(50):
        one = Member(guild=guild.number, character=10_000 + number, name=f"Member {number}")
        guild.members[one.character] = world.records.add(one)
    guild_hall.at_guild(anna)
    dialog = press(anna, guild_hall.MEMBERS)
    assert dialog is not None
    assert [page.count("\n") + 1 for page in dialog.pages] == [20, 20, 11]


def test_gold_goes_in_and_out_at_a_banker(world: World, anna: Mobile) -> None:
    guild = weavers(anna)
    guild_hall.at_guild(anna)
    press(anna, guild_hall.GOLD_IN)
    press(anna, 1, amount=70)
    press(anna, guild_hall.GOLD_OUT)
    press(anna, 1, amount=30)
    assert guild_rolls.gold(world, guild) == 40
    world.warp(anna, next(iter(world.realms.values())), 60, 60)
    press(anna, guild_hall.GOLD_OUT)
    press(anna, 1, amount=30)
    assert lines_of(anna)[-1] == vaults.NO_BANKER
    assert guild_rolls.gold(world, guild) == 40


def test_a_notice_a_war_and_peace_are_a_form(world: World, anna: Mobile, berta: Mobile) -> None:
    guild = weavers(anna)
    other = weavers(berta, name="Spinners", tag="SP")
    guild_hall.at_guild(anna)
    press(anna, guild_hall.NOTICE)
    dialog = press(anna, 1, text="Market at noon")
    assert guild.notice == "Market at noon"
    assert dialog is not None
    assert dialog.text.splitlines()[-1] == "Market at noon"
    press(anna, guild_hall.WAR)
    press(anna, 1, text="Nobody")
    assert lines_of(anna)[-1] == Refusal.NO_SUCH_GUILD.value
    press(anna, guild_hall.WAR)
    press(anna, 1, text="Spinners")
    assert guild.bond(other) is Bond.WAR
    press(anna, guild_hall.END)
    press(anna, 1, text="SP")
    assert guild.bond(other) is None
    press(anna, guild_hall.ALLY)
    press(anna, 1, text="SP")
    invites.accept(berta, guild_ties.ALLIANCE)
    assert "allied with Spinners [SP]" in guild_hall.summary(anna)


def test_to_leave_and_to_disband_is_asked_twice(anna: Mobile, berta: Mobile) -> None:
    weavers(anna, berta)
    guild_hall.at_guild(berta)
    press(berta, guild_hall.LEAVE)
    press(berta, 0)
    assert berta.guild is not None
    guild_hall.at_guild(berta)
    press(berta, guild_hall.LEAVE)
    press(berta, 1)
    guild_hall.at_guild(anna)
    press(anna, guild_hall.DISBAND)
    press(anna, 1)
    assert anna.guild is None


def test_the_log_says_when(world: World, anna: Mobile) -> None:
    guild = weavers(anna)
    world.epoch += 7_300
    guild_rolls.note(world, guild, "Anna", "did it")
    assert guild_hall.log(anna) == ["just now: Anna did it", "2 hours ago: Anna founded the guild"]
    guild_hall.at_guild(anna)
    dialog = press(anna, guild_hall.LOG)
    assert dialog is not None
    assert dialog.text.splitlines() == list(guild_hall.log(anna))
    press(anna, guild_hall.BACK)
    assert labels(anna)[0] == "The members."


def test_rank_names_are_those_of_the_lines() -> None:
    for rank, name in guild_hall.RANK_NAMES.items():
        assert guilds.RANKS[rank].split()[-1] == name


def test_a_registrar_opens_it_for_all(world: World, anna: Mobile, berta: Mobile) -> None:
    registrar = world.mobiles[next(iter(world.mobiles))]
    with pytest.raises(Cannot) as caught:
        guild_hall.check_registrar(anna, registrar)  # who is a banker
    assert caught.value.why is Refusal.GONE
    registrar.template = attrs.evolve(registrar.template, roles=("registrar",))
    residents.take_up(registrar)
    guild_hall.check_registrar(anna, registrar)
    residents.talk_to(anna, registrar)
    assert labels(anna)[0] == "Found it."
    weavers(berta)
    residents.talk_to(berta, registrar)
    assert "The members." in labels(berta)
    life.kill(anna)
    with pytest.raises(Cannot) as caught:
        guild_hall.check_registrar(anna, registrar)
    assert caught.value.why is Refusal.DEAD


def test_a_registrar_hears_of_guilds_and_says_what_it_does(world: World, anna: Mobile) -> None:
    registrar = world.mobiles[next(iter(world.mobiles))]
    registrar.template = attrs.evolve(registrar.template, roles=("registrar",))
    residents.take_up(registrar)
    speech.say(anna, "hello")
    goes_on(world, 1.0)
    said = [event.text for event in world.events if isinstance(event, Said) and event.thing is registrar]
    assert said == ["I keep the rolls of the guilds, Anna. Say guild, and I look at yours with you."]
    speech.say(anna, "guild, please")
    goes_on(world, 2.0)
    assert labels(anna)[0] == "Found it."


def test_who_is_in_no_guild_by_now_is_told_so(anna: Mobile, berta: Mobile) -> None:
    weavers(anna, berta)
    guild_hall.at_guild(berta)
    guilds.disband(anna)
    press(berta, guild_hall.MEMBERS)
    assert lines_of(berta)[-1] == Refusal.NO_GUILD.value
