"""Guilds: founding one, who belongs to it, what ranks may do, and what the others read of it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.guilds import RICH, joins, member, newest, town, weavers
from tests.kit.worlds import lines_of
from world import audience, guild_rolls, guilds, holding, invites, life, speech
from world.audience import Relation, relation
from world.directory import Known
from world.events import Said, Speech
from world.guild import RIGHTS, Guild, Member, Rank, Right
from world.guild_events import GuildChanged, GuildMemberChanged
from world.reach import Cannot, Refusal
from world.rules.numbers import ConductRule

if TYPE_CHECKING:
    from collections.abc import Callable

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


@pytest.fixture
def carl(world: World) -> Mobile:
    """A third."""
    return member(world, "Carl", 12)


def refused(why: Refusal, deed: Callable[[], object]) -> None:
    with pytest.raises(Cannot) as caught:
        deed()
    assert caught.value.why is why


def ranks(guild: Guild) -> dict[str, Rank]:
    return {one.name: Rank(one.rank) for one in guild.members.values()}


def test_of_what_comes_while_a_client_loads_the_newest_about_each_member_counts(
    world: World, anna: Mobile, berta: Mobile
) -> None:
    guild = weavers(anna, berta)
    for serial in (berta.serial, anna.serial, berta.serial):
        guild_rolls.renew_member(world, guild, guild.members[serial])
    told = [one for one in world.events if isinstance(one, GuildMemberChanged) and one.thing is anna]
    first, other, second = told
    assert second.replaces(first)
    assert not second.replaces(other)
    theirs = next(one for one in world.events if isinstance(one, GuildMemberChanged) and one.thing is berta)
    assert not second.replaces(theirs)
    assert not second.replaces(GuildChanged(anna, None, ()))


# Founding


def test_a_guild_is_founded_for_a_fee(world: World, anna: Mobile) -> None:
    guild = guilds.found(anna, "  the   Weavers ", "wv")
    assert (guild.name, guild.tag) == ("the Weavers", "WV")
    assert anna.guild is guild
    assert holding.gold(anna) == RICH - guilds.FEE
    assert ranks(guild) == {"Anna": Rank.LEADER}
    assert [(one, text) for one, text in world.promises] == [(anna, "You have founded the Weavers [WV].")]
    (entry,) = guild.log
    assert (entry.who, entry.deed) == ("Anna", "founded the guild")
    shown = [event for event in world.events if isinstance(event, GuildChanged)]
    assert [(event.thing, event.sheet is not None) for event in shown] == [(anna, True)]


def test_what_may_be_founded_is_known_before_it_is(world: World, anna: Mobile) -> None:
    assert guilds.check_found(anna, "  the   Weavers ", "wv") == ("the Weavers", "WV")
    assert anna.guild is None
    assert holding.gold(anna) == RICH
    assert world.records.all(Guild) == {}
    refused(Refusal.GUILD_TAG, lambda: guilds.check_found(anna, "Weavers", "W"))
    assert guilds.fee(world) == "10000 gold coins"


@pytest.mark.parametrize(
    "name",
    ["", "ab", "Sixteen letters x", "W3avers", "Weav-ers", "W\u00e9avers", "Game Master", "Admin", "a\0b"],
)
def test_what_is_no_name_for_one_is_refused(anna: Mobile, name: str) -> None:
    refused(Refusal.GUILD_NAME, lambda: guilds.found(anna, name, "WV"))
    assert holding.gold(anna) == RICH


@pytest.mark.parametrize("tag", ["", "W", "WEAV", "W1", "W V", "\u00c4\u00d6", "gm"])
def test_what_is_no_tag_is_refused(anna: Mobile, tag: str) -> None:
    refused(Refusal.GUILD_TAG, lambda: guilds.found(anna, "Weavers", tag))


@pytest.mark.parametrize(
    ("name", "tag"),
    [("Weavers", "XX"), ("WEAVERS", "XX"), ("Wea vers", "XX"), ("VVeavers", "XX"), ("Others", "wv")],
)
def test_no_two_are_called_alike(anna: Mobile, berta: Mobile, name: str, tag: str) -> None:
    weavers(anna)
    refused(Refusal.GUILD_TAKEN, lambda: guilds.found(berta, name, tag))


def test_no_name_is_anothers_tag(anna: Mobile, berta: Mobile, carl: Mobile) -> None:
    """Both are typed to mean a guild: a war would be declared on the other."""
    weavers(anna, name="Owl", tag="WV")
    refused(Refusal.GUILD_TAKEN, lambda: guilds.found(berta, "Others", "owl"))
    weavers(berta, name="Others", tag="Fox")
    refused(Refusal.GUILD_TAKEN, lambda: guilds.found(carl, "fox", "XX"))


def test_none_is_founded_where_no_records_are_kept(world: World, anna: Mobile) -> None:
    world.records.kept = False
    with pytest.raises(Cannot, match="another part of this world") as caught:
        guilds.found(anna, "Weavers", "WV")
    assert caught.value.why is Refusal.LATER
    assert holding.gold(anna) == RICH


def test_who_cannot_found_one(world: World, anna: Mobile) -> None:
    poor = member(world, "Poor", 12, 10, guilds.FEE - 1)
    refused(Refusal.POOR, lambda: guilds.found(poor, "Beggars", "BG"))
    weavers(anna)
    refused(Refusal.IN_GUILD, lambda: guilds.found(anna, "Others", "OT"))
    ghost = member(world, "Ghost", 13)
    life.kill(ghost)
    refused(Refusal.DEAD, lambda: guilds.found(ghost, "Ghosts", "GH"))
    assert len(world.records.all(Guild)) == 1


# Joining


def test_who_is_asked_and_agrees_is_a_recruit(world: World, anna: Mobile, berta: Mobile) -> None:
    guild = weavers(anna)
    guilds.set_notice(anna, "Market at noon")
    world.events.clear()
    guilds.invite(anna, berta)
    dialog = newest(berta)
    assert dialog is not None
    assert (dialog.name, dialog.asker) == (guilds.GUILD, anna)
    assert dialog.text == "Anna asks you to join the guild Weavers [WV]."
    assert berta.serial not in guild.members
    invites.accept(berta, guilds.GUILD)
    assert berta.guild is guild
    assert ranks(guild) == {"Anna": Rank.LEADER, "Berta": Rank.RECRUIT}
    assert lines_of(berta)[-2:] == ["Berta has joined Weavers.", "[Weavers] Market at noon"]
    changed = [event for event in world.events if isinstance(event, GuildChanged)]
    assert [event.thing for event in changed] == [anna, berta]
    assert changed[0].sheet is changed[1].sheet, "it is made once for all"
    assert changed[0].sheet is not None
    assert [line.name for line in changed[0].sheet.members] == ["Anna", "Berta"]


def test_who_asks_a_member_to_be_let_in(world: World, anna: Mobile, berta: Mobile, carl: Mobile) -> None:
    refused(Refusal.NO_SUCH_GUILD, lambda: guilds.apply(berta, anna))
    guild = weavers(anna)
    guilds.apply(berta, anna)
    dialog = newest(anna)
    assert dialog is not None
    assert (dialog.name, dialog.about, dialog.asker) == (guilds.GUILD, guilds.APPLICATION, berta)
    assert dialog.text == "Berta asks to join the guild Weavers [WV]."
    assert berta.serial not in guild.members
    guilds.invite(anna, berta)  # whoever asks back has agreed
    assert ranks(guild) == {"Anna": Rank.LEADER, "Berta": Rank.RECRUIT}
    refused(Refusal.IN_GUILD, lambda: guilds.apply(berta, anna))
    refused(Refusal.NO_RIGHT, lambda: guilds.apply(carl, berta))
    refused(Refusal.ONESELF, lambda: guilds.apply(carl, carl))


def test_who_was_asked_in_and_asks_has_agreed(world: World, anna: Mobile, berta: Mobile) -> None:
    guild = weavers(anna)
    guilds.invite(anna, berta)
    guilds.apply(berta, anna)
    assert berta.guild is guild
    assert not anna.dialogs


def test_what_has_changed_before_somebody_is_let_in(
    world: World, anna: Mobile, berta: Mobile, carl: Mobile
) -> None:
    guild = weavers(anna, carl)
    guilds.apply(berta, anna)
    other = guilds.found(berta, "Others", "OT")
    invites.accept(anna, guilds.GUILD)
    assert berta.guild is other
    assert berta.serial not in guild.members
    assert lines_of(anna)[-1] == Refusal.THEY_IN_GUILD.value


def test_who_declines_stays_out(anna: Mobile, berta: Mobile) -> None:
    weavers(anna)
    guilds.invite(anna, berta)
    invites.refuse(berta, guilds.GUILD)
    assert berta.guild is None


def test_who_cannot_be_asked(world: World, anna: Mobile, berta: Mobile, carl: Mobile) -> None:
    refused(Refusal.NO_GUILD, lambda: guilds.invite(anna, berta))
    weavers(anna, berta)
    refused(Refusal.ONESELF, lambda: guilds.invite(anna, anna))
    refused(Refusal.THEY_IN_GUILD, lambda: guilds.invite(anna, berta))
    refused(Refusal.NO_RIGHT, lambda: guilds.invite(berta, carl))
    banker = next(mobile for mobile in world.mobiles.values() if not mobile.is_character)
    refused(Refusal.NO_PLAYER, lambda: guilds.invite(anna, banker))


def test_who_asks_may_say_which_guild_it_means(anna: Mobile, berta: Mobile, carl: Mobile) -> None:
    refused(Refusal.NO_SUCH_GUILD, lambda: guilds.apply(carl, anna, "WV"))
    guild = weavers(anna)
    refused(Refusal.THEY_NO_MEMBER, lambda: guilds.apply(carl, berta, "WV"))
    weavers(berta, name="Others", tag="OT")
    refused(Refusal.THEY_NO_MEMBER, lambda: guilds.apply(carl, berta, "WV"))
    guilds.apply(carl, anna, " wv")
    invites.accept(anna, guilds.GUILD)
    assert carl.guild is guild
    assert guild.log[-1].deed == "joined, let in by Anna"


def test_what_others_may_know_of_a_guild(anna: Mobile, berta: Mobile, carl: Mobile) -> None:
    guild = weavers(anna, berta)
    guilds.set_notice(anna, "Market at noon")
    own = guild_rolls.look_up(anna, "wv")
    assert (own.notice, len(own.members), bool(own.log)) == ("Market at noon", 2, True)
    other = guild_rolls.look_up(carl, "weavers")
    assert (other.name, other.tag, other.founded_at) == ("Weavers", "WV", guild.founded_at)
    assert (other.notice, other.gold, other.ties, other.log) == ("", 0, (), ())
    assert [one.name for one in other.members] == ["Anna"]
    refused(Refusal.NO_SUCH_GUILD, lambda: guild_rolls.look_up(carl, "Nobodies"))


def test_a_member_is_meant_by_its_short_name_too(world: World, anna: Mobile) -> None:
    long = member(world, "Berta of the Hills", 14)
    long.short_name = "Bertah"
    world.directory.forget(long.serial)
    world.directory.note(Known(long.serial, long.name, long.short_name))
    guild = weavers(anna, long)
    guilds.promote(anna, "bertah")
    assert guild.rank_of(long.serial) is Rank.MEMBER
    world.leave(long)
    (line,) = [one for one in guild_rolls.sheet(world, guild).members if one.serial == long.serial]
    assert (line.name, line.short_name, line.online) == ("Berta of the Hills", "Bertah", False)
    guilds.expel(anna, "BERTAH")
    assert list(guild.members) == [anna.serial]
    assert guild_rolls.of_character(world, anna.serial) is guild
    assert guild_rolls.of_character(world, long.serial) is None


def test_a_guild_has_its_most_members(
    monkeypatch: pytest.MonkeyPatch, anna: Mobile, berta: Mobile, carl: Mobile
) -> None:
    monkeypatch.setattr(guilds, "MOST_MEMBERS", 2)
    guild = weavers(anna)
    guilds.invite(anna, berta)
    guilds.invite(anna, carl)
    invites.accept(berta, guilds.GUILD)
    invites.accept(carl, guilds.GUILD)
    assert list(ranks(guild)) == ["Anna", "Berta"]
    assert lines_of(carl)[-1] == Refusal.GUILD_FULL.value
    anna.spoken = None
    refused(Refusal.GUILD_FULL, lambda: guilds.invite(anna, carl))


def test_what_was_asked_holds_no_more_when_things_have_changed(
    anna: Mobile, berta: Mobile, carl: Mobile
) -> None:
    guild = weavers(anna, berta)
    guilds.promote(anna, "Berta")
    guilds.invite(berta, carl)
    guilds.demote(anna, "Berta")
    invites.accept(carl, guilds.GUILD)
    assert carl.guild is None
    assert lines_of(carl)[-1] == Refusal.NO_RIGHT.value
    guilds.invite(anna, carl)
    guilds.found(carl, "Spinners", "SP")
    invites.accept(carl, guilds.GUILD)
    assert carl.serial not in guild.members


# Ranks


def test_ranks_have_rights_and_more_of_them_the_higher() -> None:
    rights = [RIGHTS[rank] for rank in Rank]
    for lower, higher in itertools.pairwise(rights):
        assert lower in higher
        assert lower != higher
    assert Right.LEAD not in RIGHTS[Rank.OFFICER]


def test_members_rise_and_fall_below_whoever_raises_them(anna: Mobile, berta: Mobile, carl: Mobile) -> None:
    guild = weavers(anna, berta, carl)
    refused(Refusal.LOWEST, lambda: guilds.demote(anna, "Berta"))
    guilds.promote(anna, "berta")
    guilds.promote(anna, "Berta")
    assert ranks(guild)["Berta"] is Rank.OFFICER
    refused(Refusal.NO_RIGHT, lambda: guilds.promote(anna, "Berta"))
    guilds.promote(berta, "Carl")
    refused(Refusal.NO_RIGHT, lambda: guilds.promote(berta, "Carl"))
    refused(Refusal.NO_RIGHT, lambda: guilds.demote(berta, "Anna"))
    refused(Refusal.NO_RIGHT, lambda: guilds.set_rank(berta, "Carl", Rank.LEADER))
    refused(Refusal.NO_RIGHT, lambda: guilds.promote(carl, "Berta"))
    refused(Refusal.NO_MEMBER, lambda: guilds.promote(anna, "Nobody"))
    guilds.set_rank(anna, "Carl", Rank.RECRUIT)
    assert ranks(guild) == {"Anna": Rank.LEADER, "Berta": Rank.OFFICER, "Carl": Rank.RECRUIT}
    assert lines_of(carl)[-1] == "Carl is a recruit of Weavers now."


def test_who_leads_hands_over_or_stays(anna: Mobile, berta: Mobile, carl: Mobile) -> None:
    guild = weavers(anna, berta, carl)
    refused(Refusal.LEADS, lambda: guilds.leave(anna))
    refused(Refusal.NO_RIGHT, lambda: guilds.hand_over(berta, "Carl"))
    refused(Refusal.ONESELF, lambda: guilds.hand_over(anna, "Anna"))
    guilds.hand_over(anna, "Berta")
    assert ranks(guild) == {"Anna": Rank.OFFICER, "Berta": Rank.LEADER, "Carl": Rank.RECRUIT}
    guilds.leave(anna)
    assert anna.guild is None
    assert list(ranks(guild)) == ["Berta", "Carl"]


def test_members_are_expelled_by_those_above_them(
    world: World, anna: Mobile, berta: Mobile, carl: Mobile
) -> None:
    guild = weavers(anna, berta, carl)
    refused(Refusal.NO_RIGHT, lambda: guilds.expel(berta, "Carl"))
    refused(Refusal.NO_RIGHT, lambda: guilds.expel(anna, "Anna"))
    guilds.expel(anna, "Carl")
    assert carl.guild is None
    assert list(ranks(guild)) == ["Anna", "Berta"]
    assert (carl, "Anna has expelled you from Weavers.") in world.promises
    assert lines_of(berta)[-1] == "Carl was expelled by Anna."
    gone = [event for event in world.events if isinstance(event, GuildChanged) and event.thing is carl]
    assert [event.sheet for event in gone] == [None]


def test_one_who_is_away_is_promoted_and_expelled(world: World, anna: Mobile, berta: Mobile) -> None:
    guild = weavers(anna, berta)
    berta.online = False
    world.leave(berta)
    guilds.promote(anna, "Berta")
    assert guild_rolls.sheet(world, guild).members[1].rank is Rank.MEMBER
    guilds.expel(anna, "Berta")
    assert len(world.records.all(Member)) == 1


def test_who_leads_by_inheritance_reads_so(world: World, anna: Mobile, berta: Mobile, carl: Mobile) -> None:
    guild = weavers(anna, berta, carl)
    guilds.set_rank(anna, "Carl", Rank.OFFICER)
    world.events.clear()
    guilds.forget(world, anna.serial)
    assert ranks(guild) == {"Berta": Rank.RECRUIT, "Carl": Rank.LEADER}
    assert lines_of(carl) == ["Anna is no more.", "Carl is the leader of Weavers now."]
    assert [entry.deed for entry in guild.log[-2:]] == ["is no more", "leads from now on"]


def test_only_who_leads_disbands(world: World, anna: Mobile, berta: Mobile) -> None:
    weavers(anna, berta)
    refused(Refusal.NO_RIGHT, lambda: guilds.disband(berta))
    guilds.disband(anna)
    assert anna.guild is berta.guild is None
    assert not world.records.all(Guild)
    assert not world.records.all(Member)
    assert (berta, "Weavers is no more.") in world.promises
    refused(Refusal.NO_GUILD, lambda: guilds.disband(anna))
    guilds.found(berta, "Weavers", "WV")


def test_a_notice_is_for_officers(anna: Mobile, berta: Mobile) -> None:
    guild = weavers(anna, berta)
    refused(Refusal.NO_RIGHT, lambda: guilds.set_notice(berta, "mine"))
    refused(Refusal.TOO_LONG, lambda: guilds.set_notice(anna, "x" * (guilds.LONGEST_NOTICE + 1)))
    guilds.set_notice(anna, "Market\nat noon")
    assert guild.notice == speech.clean("Market\nat noon")
    guilds.set_notice(anna, "")
    assert guild.notice == ""


def test_a_notice_is_said_to_all_and_so_not_by_the_silenced(anna: Mobile, berta: Mobile) -> None:
    """Members read at once what is written there: silence, the pace and the filter hold for it."""
    world, guild = anna.world, weavers(anna, berta)
    world.content = attrs.evolve(world.content, conduct=ConductRule(filtered=("pox",)))
    guilds.set_notice(anna, "A pox on them")
    assert guild.notice == "A *** on them"
    for _ in range(speech.TO_COMPANY.lines - 1):
        guilds.set_notice(anna, "again")
    refused(Refusal.FLOODING, lambda: guilds.set_notice(anna, "more"))
    world.gags[anna.account] = world.now + 60.0
    refused(Refusal.GAGGED, lambda: guilds.set_notice(anna, "more"))
    assert guild.notice == "again"
    guilds.set_notice(anna, "")
    assert guild.notice == ""


# What is said, and who is who


def test_what_is_said_to_the_guild_reaches_its_members_wherever_they_are(
    world: World, anna: Mobile, berta: Mobile, carl: Mobile
) -> None:
    weavers(anna, berta)
    far = next(iter(world.realms.values()))
    world.warp(berta, far, 60, 60)
    speech.to_company(anna, Speech.GUILD, "hello")
    said = [event for event in world.events if isinstance(event, Said) and event.how is Speech.GUILD]
    assert [(event.text, set(event.viewers)) for event in said] == [
        ("hello", {anna.viewport, berta.viewport})
    ]
    refused(Refusal.NO_GUILD, lambda: speech.to_company(carl, Speech.GUILD, "hello"))
    refused(Refusal.NO_ALLIANCE, lambda: speech.to_company(anna, Speech.ALLIANCE, "hello"))


def test_members_are_of_ones_guild_to_one_another(anna: Mobile, berta: Mobile, carl: Mobile) -> None:
    weavers(anna, berta)
    assert relation(anna, berta) is relation(berta, anna) is Relation.GUILD
    assert relation(carl, berta) is Relation.OTHER
    assert audience.stands_apart(berta, {Relation.GUILD})
    guilds.leave(berta)
    assert relation(anna, berta) is Relation.OTHER


def test_members_are_seen_anew_when_one_joins_or_goes(world: World, anna: Mobile, berta: Mobile) -> None:
    weavers(anna)
    world.take_changes()
    joins(anna, berta)
    changed = {thing for thing, flags in world.take_changes().dirty if flags & guild_rolls.SHOWN}
    assert changed == {anna, berta}
    guilds.leave(berta)
    changed = {thing for thing, flags in world.take_changes().dirty if flags & guild_rolls.SHOWN}
    assert changed == {anna, berta}


def test_who_may_ask_into_a_guild_says_the_rank(anna: Mobile, berta: Mobile, carl: Mobile) -> None:
    weavers(anna, berta)
    assert [guilds.may_invite(one) for one in (anna, berta, carl)] == [True, False, False]
    assert [guild_rolls.title_of(one) for one in (anna, berta)] == ["leader", "recruit"]
    guilds.promote(anna, "Berta")
    assert guilds.may_invite(berta)


def test_members_read_who_comes_and_goes(world: World, anna: Mobile, berta: Mobile) -> None:
    guild = weavers(anna, berta)
    guilds.set_notice(anna, "Market at noon")
    world.events.clear()
    world.epoch = 1_000.0
    berta.online = False
    berta.level = 7
    guilds.went(berta)
    assert lines_of(anna) == ["Berta of your guild has gone."]
    (event,) = [event for event in world.events if isinstance(event, GuildMemberChanged)]
    assert (event.thing, event.member.name, event.member.online) == (anna, "Berta", False)
    world.events.clear()
    world.leave(berta)
    line = guild_rolls.line_of(world, guild.members[berta.serial])
    assert (line.level, line.seen_at, line.online) == (7, 1_000.0, False)
    again = member(world, "Berta")
    guild.members[again.serial] = guild.members.pop(berta.serial)
    guild.members[again.serial].character = again.serial
    world.events.clear()
    guilds.came(again)
    assert again.guild is guild
    assert lines_of(anna) == ["Berta of your guild has come."]
    assert lines_of(again) == ["[Weavers] Market at noon"]
    changed = [event for event in world.events if isinstance(event, GuildChanged)]
    assert [event.thing for event in changed] == [again]
    world.events.clear()
    guilds.came(again)
    assert not lines_of(anna), "who is taken over by another client has not gone"
    assert guild.rank_of(again.serial) is Rank.RECRUIT
    assert guild.rank_of(12345) is None


def test_a_log_keeps_the_newest(world: World, anna: Mobile) -> None:
    guild = weavers(anna)
    for number in range(guild_rolls.MOST_KEPT + 5):
        guild_rolls.note(world, guild, "Anna", f"did {number}")
    shown = guild_rolls.sheet(world, guild).log
    assert len(shown) == len(guild.log) == guild_rolls.MOST_KEPT
    assert shown[0].deed == f"did {guild_rolls.MOST_KEPT + 4}"
