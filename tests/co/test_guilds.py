"""Guilds: the client's window of a syndicate, what it sends and what it is shown (facts/co-play.md, section
9; facts/co.md, section 12: 1106, 1107, 1015; conquer-online/wiki: msgsyndicate, msgname; COPS v6 and Redux:
1112, and what is sent when)."""

from __future__ import annotations

import pytest

from protocol.co.packets import (
    Action,
    ActionType,
    Guild,
    GuildAction,
    GuildAttributes,
    GuildMember,
    NameKind,
    NameMessage,
    Talk,
    TaskDialog,
)
from protocol.co.packets import Player as Figure
from protocol.co.versions import CoVersion
from protocol.wishes import Wish
from tests.kit.co_bytes import VERSIONS, name16, told, u16, u32
from tests.kit.co_circle import INVITE, JOIN, OwnGuild, Syndicate
from tests.kit.co_desk import Desk, Player, small_content, two
from world import granting, guild_rolls, guilds, holding, ignoring, life
from world.guild import Bond, Member, Rank
from world.reach import Refusal
from world.vaults import NO_BANKER
from world.wording import GOLD

BULLETIN, GUILD_TALK = 2111, 2004


# Bytes by the tables of the sheet and of conquer-online/wiki


def attributes(guild: int, given: int, fund: int, members: int, rank: int, leader: str) -> str:
    """MsgSyndicateAttributeInfo, 40 bytes: guild 4, given 8, fund 12, members 16, rank 20, leader 21."""
    return f"28005204{u32(guild)}{u32(given)}{u32(fund)}{u32(members)}{rank:02x}{name16(leader)}000000"


def syndicate(action: int, target: int) -> str:
    """MsgSyndicate, 12 bytes: action 4, target 8."""
    return f"0c005304{u32(action)}{u32(target)}"


def named(subject: int, kind: int, *texts: str) -> str:
    """MsgName: subject 4, kind 8, texts 9."""
    pack = bytes([len(texts)]) + b"".join(bytes([len(one)]) + one.encode() for one in texts)
    return f"{u16(9 + len(pack))}f703{u32(subject)}{kind:02x}{pack.hex()}"


def details(given: int, rank: int, name: str) -> str:
    """MsgSynMemberInfo, 28 bytes: given 4, rank 8, name 9."""
    return f"1c005804{u32(given)}{rank:02x}{name16(name)}000000"


# People


async def does(player: Player, action: int, target: int = 0) -> None:
    """MsgSyndicate, after a moment."""
    await player.desk.wait(1.1)
    player.got.clear()
    await player.says(Guild(action, target))


def grows_rich(player: Player, gold: int = 50_000) -> None:
    """So much that a guild can be founded."""
    player.mobile.strength = 2_000
    granting.make(player.mobile, GOLD, gold)


async def leads(player: Player, name: str = "Weavers", tag: str = "WV") -> int:
    """It has founded a guild; returns its number. What came counts no more."""
    grows_rich(player)
    guild = guilds.found(player.mobile, name, tag)
    await player.desk.wait(0.5)
    return guild.number


async def pair(version: CoVersion = CoVersion.V5017) -> tuple[Player, Player]:
    """Alric, who leads the Weavers, and Berta, who is in no guild; what came is forgotten."""
    people = await two(Desk(small_content(), version=version))
    assert await leads(people[0]) == 1
    for player in people:
        told(player)
    return people


async def members(version: CoVersion = CoVersion.V5017) -> tuple[Player, Player]:
    """Alric leads Berta."""
    alric, berta = await pair(version)
    await does(alric, GuildAction.INVITE, berta.number)
    await does(berta, GuildAction.APPLY, alric.number)
    assert berta.mobile.guild is alric.mobile.guild is not None
    for player in (alric, berta):
        told(player)
    return alric, berta


def shown(player: Player) -> Syndicate:
    """What it shows, without a fault."""
    assert player.screen.faults == []
    return player.screen.syndicate


# Into a guild


@VERSIONS
async def test_a_guild_is_founded_in_the_dialog_and_the_window_shows_it(version: CoVersion) -> None:
    alric, berta = await two(Desk(small_content(), version=version))
    grows_rich(alric)
    told(berta)
    await alric.talks("/guild", 2000)
    for words in ("Weavers", "WV"):  # one question after the other
        window = alric.screen.window
        assert window is not None
        assert window.box
        await alric.desk.wait(0.3)
        await alric.says(TaskDialog(0, 0, window.box, 101, (words,)))
    await alric.desk.wait(0.3)
    told(alric)
    await alric.says(TaskDialog(0, 0, 1, 101))
    assert alric.mobile.guild is not None
    number = alric.mobile.guild.number
    assert told(alric, GuildAttributes, Guild, NameMessage) == [
        attributes(number, 0, 0, 1, 100, "Alric"),
        named(number, 3, "Weavers"),
        syndicate(14, number),
    ]
    assert shown(alric).own == OwnGuild(number, 0, 0, 1, 100, "Alric")
    (figure,) = told(berta, Figure)
    assert figure[40:48] == f"{u16(number)}0064", "others see its number at 20, and its rank at 23"
    assert berta.screen.people[alric.number].guild == (number, 100)


@VERSIONS
async def test_one_asks_and_the_other_joins(version: CoVersion) -> None:
    alric, berta = await pair(version)
    await does(alric, GuildAction.INVITE, berta.number)
    assert alric.lines() == ["You ask Berta to join Weavers."]
    assert berta.lines() == ["Alric asks you to join the guild Weavers [WV]."]
    assert told(berta, Guild, TaskDialog) == [syndicate(2, alric.number)], "with the asker's number"
    assert shown(berta).asked == (INVITE, alric.number)
    told(alric)
    await does(berta, GuildAction.APPLY, alric.number)
    assert told(berta, GuildAttributes, Guild, NameMessage) == [
        attributes(1, 0, 0, 2, 50, "Alric"),
        named(1, 3, "Weavers"),
        syndicate(14, 1),
    ]
    assert told(alric, GuildAttributes, Guild, NameMessage) == [attributes(1, 0, 0, 2, 100, "Alric")]
    assert shown(alric).own is not None
    assert alric.screen.people[berta.number].guild == (1, 50)


async def test_one_asks_a_member_to_be_let_in() -> None:
    alric, berta = await pair()
    await does(berta, GuildAction.APPLY, alric.number)
    assert berta.lines() == ["You ask Alric to be let into Weavers."]
    assert told(alric, Guild) == [syndicate(1, berta.number)]
    assert shown(alric).asked == (JOIN, berta.number)
    await does(alric, GuildAction.INVITE, berta.number)
    assert berta.mobile.guild is alric.mobile.guild
    assert shown(berta).own == OwnGuild(1, 0, 0, 2, 50, "Alric")


async def test_who_is_asked_by_somebody_out_of_its_sight_has_a_window_of_words() -> None:
    alric, berta = await pair()
    alric.mobile.hidden = True
    alric.desk.turn()
    guilds.invite(alric.mobile, berta.mobile)
    alric.desk.turn()
    assert told(berta, Guild) == []
    assert berta.screen.window is not None
    await berta.desk.wait(0.3)
    await berta.says(TaskDialog(0, 0, 1, 101))
    assert berta.mobile.guild is not None


async def test_what_is_refused_is_told_in_words() -> None:
    alric, berta = await members()
    carl = await alric.desk.enter("carl", (18, 20))
    crier = alric.desk.resident("crier", 22, 22)
    await alric.desk.wait(0.3)
    for player, action, target, why in (
        (alric, GuildAction.INVITE, alric.number, Refusal.ONESELF.value),
        (alric, GuildAction.INVITE, alric.figures.ids.of(crier), Refusal.NO_PLAYER.value),
        (alric, GuildAction.INVITE, 0xFFFFFFFF, Refusal.UNSEEN.value),
        (alric, GuildAction.INVITE, berta.number, Refusal.THEY_IN_GUILD.value),
        (berta, GuildAction.INVITE, carl.number, Refusal.NO_RIGHT.value),
        (carl, GuildAction.APPLY, berta.number, "They may let nobody into their guild."),
        (carl, GuildAction.INVITE, berta.number, Refusal.NO_GUILD.value),
        (berta, GuildAction.APPLY, alric.number, Refusal.IN_GUILD.value),
        (carl, GuildAction.LEAVE, 0, Refusal.NO_GUILD.value),
        (alric, GuildAction.LEAVE, 0, Refusal.LEADS.value),
        (berta, GuildAction.KICK, alric.number, Refusal.NO_RIGHT.value),
        (alric, GuildAction.KICK, carl.number, Refusal.NO_MEMBER.value),
        (alric, GuildAction.KICK, 0, Refusal.NO_MEMBER.value),
        (berta, GuildAction.DISBAND, 0, Refusal.NO_RIGHT.value),
        (berta, GuildAction.ENEMY, 1, Refusal.NO_RIGHT.value),
        (alric, GuildAction.ENEMY, 1, Refusal.ONESELF.value),
        (alric, GuildAction.ALLY, 7, Refusal.NO_SUCH_GUILD.value),
        (alric, GuildAction.CLEAR_ENEMY, 1, Refusal.ONESELF.value),
        (alric, GuildAction.QUERY_NAME, 0, Refusal.NO_SUCH_GUILD.value),
        (alric, GuildAction.DONATE, 5, NO_BANKER),
        (carl, GuildAction.DONATE, 5, Refusal.NO_GUILD.value),
        (alric, GuildAction.SET, 1, Wish.UNKNOWN.value),
        (alric, 77, 1, Wish.UNKNOWN.value),
    ):
        await does(player, action, target)
        assert player.lines() == [why], (player.mobile.name, action)
    ignoring.ignore(carl.mobile, "Alric")
    await does(alric, GuildAction.INVITE, carl.number)
    assert alric.lines() == [Refusal.IGNORED.value]
    assert carl.mobile.guild is None


# In it


@VERSIONS
async def test_the_client_asks_for_members_ten_at_a_time(version: CoVersion) -> None:
    alric, berta = await members(version)
    guild = alric.mobile.guild
    assert guild is not None
    for number in range(9):
        guild.members[9000 + number] = alric.desk.world.records.add(
            Member(guild=1, character=9000 + number, name=f"Away{number}", level=number + 1)
        )
    alric.got.clear()
    await alric.says(NameMessage(0, NameKind.MEMBERS, ()))
    people = [f"{one.mobile.name} {one.mobile.level} 1" for one in (alric, berta)]
    away = [f"Away{number} {number + 1} 0" for number in range(9)]
    assert told(alric, NameMessage) == [named(1, 11, *people, *away[:8])], "and what the next page is"
    await alric.says(NameMessage(1, NameKind.MEMBERS, ()), NameMessage(0xFFFFFFFF, NameKind.MEMBERS, ()))
    assert told(alric, NameMessage) == [named(2, 11, away[8]), named(0, 11)]
    assert shown(alric).roll == [*people, *away]


async def test_the_client_asks_for_a_member() -> None:
    alric, berta = await members()
    alric.desk.resident("banker", 20, 21)
    await does(alric, GuildAction.DONATE, 70)
    told(alric)
    await alric.says(GuildMember(0, 0, "alric"), GuildMember(0, 0, "Berta"))
    assert told(alric, GuildMember) == [details(70, 100, "Alric"), details(0, 50, "Berta")]
    await alric.desk.wait(1.1)
    await alric.says(GuildMember(0, 0, "Nobody"))
    assert alric.lines() == [Refusal.NO_MEMBER.value]
    await does(berta, GuildAction.LEAVE)
    berta.got.clear()
    await berta.desk.wait(1.1)
    await berta.says(GuildMember(0, 0, "Alric"))
    assert berta.lines() == [Refusal.NO_GUILD.value]
    await berta.desk.wait(1.1)
    await berta.says(NameMessage(0, NameKind.MEMBERS, ()))
    assert berta.lines() == [Refusal.NO_GUILD.value]


async def test_silver_goes_into_the_guilds_bank_by_the_banker() -> None:
    alric, berta = await members()
    alric.desk.resident("banker", 20, 21)
    before = holding.gold(alric.mobile)
    await does(alric, GuildAction.DONATE, 70)
    assert holding.gold(alric.mobile) == before - 70
    assert told(alric, GuildAttributes) == [attributes(1, 70, 70, 2, 100, "Alric")]
    assert told(berta, GuildAttributes) == [attributes(1, 0, 70, 2, 50, "Alric")]
    for amount, why in ((0, Refusal.AMOUNT), (0xFFFFFFFF, Refusal.POOR)):
        await does(alric, GuildAction.DONATE, amount)
        assert alric.lines() == [why.value]
    await does(alric, GuildAction.DISBAND)
    assert alric.lines() == [Refusal.BANK_LEFT.value]


async def test_ranks_are_seen_by_all() -> None:
    alric, berta = await members()
    guilds.set_rank(alric.mobile, "Berta", Rank.OFFICER)
    alric.desk.turn()
    assert told(berta, GuildAttributes) == [attributes(1, 0, 0, 2, 90, "Alric")]
    assert alric.screen.people[berta.number].guild == (1, 90)
    assert told(alric, GuildAttributes) == []
    guilds.hand_over(alric.mobile, "Berta")
    alric.desk.turn()
    assert told(berta, GuildAttributes)[-1] == attributes(1, 0, 0, 2, 100, "Berta")
    assert told(alric, GuildAttributes)[-1] == attributes(1, 0, 0, 2, 90, "Berta")
    assert alric.screen.people[berta.number].guild == (1, 100)
    assert berta.screen.people[alric.number].guild == (1, 90)


async def test_a_leader_who_comes_and_goes_tells_no_numbers_anew() -> None:
    alric, berta = await members()
    guild = alric.mobile.guild
    assert guild is not None
    for player in (alric, berta, alric):
        guild_rolls.renew_member(alric.desk.world, guild, guild.members[player.mobile.serial])
    alric.desk.turn()
    assert told(alric, GuildAttributes) == told(berta, GuildAttributes) == []


async def test_for_another_leader_nobody_goes_through_all_members(monkeypatch: pytest.MonkeyPatch) -> None:
    alric, berta = await members()
    guilds.hand_over(alric.mobile, "Berta")
    monkeypatch.delattr(guild_rolls, "line_of")
    alric.desk.turn()
    assert shown(berta).own == OwnGuild(1, 0, 0, 2, 100, "Berta")
    assert shown(alric).own == OwnGuild(1, 0, 0, 2, 90, "Berta")


async def test_the_bulletin_is_written_and_read() -> None:
    alric, berta = await members()
    await berta.talks("mine", BULLETIN)
    assert berta.lines() == [Refusal.NO_RIGHT.value]
    await alric.talks("Market at noon", BULLETIN)
    assert shown(alric).bulletin == shown(berta).bulletin == "Market at noon"
    (words,) = [talk for talk in berta.took(Talk) if talk.channel == BULLETIN]
    assert (words.speaker, words.hearer) == ("SYSTEM", "ALLUSERS")
    await alric.talks("", BULLETIN)
    assert shown(berta).bulletin == ""


async def test_words_to_the_guild_reach_its_members() -> None:
    alric, berta = await members()
    carl = await alric.desk.enter("carl", (18, 20))
    await alric.talks("hail", GUILD_TALK)
    assert (GUILD_TALK, "Alric", "ALLUSERS", "hail") in berta.screen.said
    assert "hail" not in carl.screen.lines()
    carl.got.clear()
    await carl.talks("hail", GUILD_TALK)
    assert carl.lines() == [Refusal.NO_GUILD.value]


# Allies and enemies


async def two_guilds(version: CoVersion = CoVersion.V5017) -> tuple[Player, Player]:
    """Alric leads the Weavers, Berta the Smiths, whose number is 2."""
    alric, berta = await pair(version)
    assert await leads(berta, "Smiths", "SM") == 2
    for player in (alric, berta):
        told(player)
    return alric, berta


@VERSIONS
async def test_a_war_is_declared_and_ended(version: CoVersion) -> None:
    alric, berta = await two_guilds(version)
    await does(alric, GuildAction.ENEMY, 2)
    assert told(alric, Guild, NameMessage) == [named(2, 3, "Smiths"), syndicate(9, 2)]
    assert told(berta, Guild, NameMessage) == [named(1, 3, "Weavers"), syndicate(9, 1)]
    assert shown(berta).enemies == {1}
    await does(alric, GuildAction.CLEAR_ALLY, 2)
    assert alric.lines() == [Refusal.NO_BOND.value], "that is no alliance"
    await does(alric, GuildAction.CLEAR_ENEMY, 2)
    assert told(alric, Guild) == [syndicate(10, 2)]
    assert told(berta, Guild) == [syndicate(10, 1)]
    assert shown(alric).enemies == shown(berta).enemies == set()


async def test_an_alliance_needs_both() -> None:
    alric, berta = await two_guilds()
    await does(alric, GuildAction.ALLY, 2)
    assert told(alric, Guild) == []
    assert berta.screen.window is not None, "there is no question of the client's own for it"
    await berta.desk.wait(0.3)
    await berta.says(TaskDialog(0, 0, 1, 101))
    assert shown(alric).allies == {2}
    assert shown(berta).allies == {1}
    assert alric.mobile.guild is not None
    assert alric.mobile.guild.bond(berta.mobile.guild) is Bond.ALLIED
    assert told(alric, Guild) == [syndicate(7, 2)]
    await does(berta, GuildAction.CLEAR_ALLY, 1)
    assert told(alric, Guild) == [syndicate(8, 2)]
    assert shown(alric).allies == shown(berta).allies == set()


async def test_with_a_guild_its_bonds_are_gone() -> None:
    alric, berta = await two_guilds()
    await does(alric, GuildAction.ENEMY, 2)
    told(alric), told(berta)
    await does(berta, GuildAction.DISBAND)
    assert told(alric, Guild) == [syndicate(10, 2)]
    assert told(berta, Guild) == [syndicate(19, 2)]
    assert shown(berta).own is None


# Out of it


async def test_who_leaves_has_none() -> None:
    alric, berta = await members()
    await does(berta, GuildAction.LEAVE)
    assert told(berta, GuildAttributes, Guild) == [attributes(0, 0, 0, 0, 0, "")]
    assert told(alric, GuildAttributes) == [attributes(1, 0, 0, 1, 100, "Alric")]
    assert berta.mobile.guild is None
    assert shown(berta).own is None
    assert alric.screen.people[berta.number].guild == (0, 0)


@pytest.mark.parametrize("by_name", [False, True])
async def test_who_is_expelled_has_none(by_name: bool) -> None:
    alric, berta = await members()
    if by_name:
        await alric.says(NameMessage(0, NameKind.KICK_MEMBER, ("berta",)))
    else:
        await does(alric, GuildAction.KICK, berta.number)
    assert told(berta, GuildAttributes, Guild) == [attributes(0, 0, 0, 0, 0, "")]
    assert berta.mobile.guild is None
    assert shown(berta).own is None
    for strings in ((), ("berta",)):
        alric.got.clear()
        await alric.desk.wait(1.1)
        await alric.says(NameMessage(0, NameKind.KICK_MEMBER, strings))
        assert alric.lines() == [Refusal.NO_MEMBER.value]


async def test_a_member_that_is_away_can_be_expelled() -> None:
    alric, berta = await members()
    number = berta.number
    berta.hang_up()
    await alric.desk.wait(15)
    await does(alric, GuildAction.KICK, number)
    assert alric.mobile.guild is not None
    assert [one.name for one in alric.mobile.guild.members.values()] == ["Alric"]


async def test_the_guild_is_disbanded() -> None:
    alric, berta = await members()
    await does(alric, GuildAction.DISBAND, 1)
    for player in (alric, berta):
        assert told(player, GuildAttributes, Guild) == [attributes(0, 0, 0, 0, 0, ""), syndicate(19, 1)]
        assert shown(player).own is None
    assert berta.screen.people[alric.number].guild == (0, 0)
    guild = await leads(berta, "Smiths", "SM")
    assert shown(berta).own == OwnGuild(guild, 0, 0, 1, 100, "Berta")


# As it comes


@VERSIONS
async def test_who_comes_back_is_shown_its_guild_and_waits_for_its_own_words(version: CoVersion) -> None:
    alric, berta = await members(version)
    assert await leads(await alric.desk.enter("carl", (18, 20)), "Smiths", "SM") == 2
    await does(alric, GuildAction.ENEMY, 2)
    guilds.set_notice(alric.mobile, "Market at noon")
    berta.hang_up()
    await alric.desk.wait(0.5)
    back = await alric.desk.enter("berta")
    page = shown(back)
    assert page.own == OwnGuild(1, 0, 0, 2, 50, "Alric")
    assert (page.enemies, page.bulletin, page.names) == ({2}, "Market at noon", {1: "Weavers", 2: "Smiths"})
    await back.desk.wait(1)
    told(back)
    await back.acts(ActionType.GUILD)
    last = back.raw[-1]
    assert Action.decode(last).action == ActionType.GUILD, "the echo comes behind all else"
    assert told(back, GuildAttributes, Guild, NameMessage) == [
        attributes(1, 0, 0, 2, 50, "Alric"),
        named(1, 3, "Weavers"),
        syndicate(14, 1),
        named(2, 3, "Smiths"),
        syndicate(9, 2),
    ]


async def test_who_has_no_guild_is_told_that() -> None:
    _, berta = await pair()
    await berta.desk.wait(1)
    await berta.acts(ActionType.GUILD)
    assert told(berta, GuildAttributes, Guild) == [attributes(0, 0, 0, 0, 0, "")]
    await does(berta, GuildAction.ATTRIBUTES, berta.number)
    assert told(berta, GuildAttributes, Guild) == [attributes(0, 0, 0, 0, 0, "")]


async def test_the_name_of_any_guild_can_be_asked_for() -> None:
    _, berta = await pair()
    await does(berta, GuildAction.QUERY_NAME, 1)
    assert told(berta, NameMessage) == [named(1, 3, "Weavers")]
    assert shown(berta).names == {1: "Weavers"}
    await berta.desk.wait(1.1)
    await berta.says(NameMessage(berta.number, NameKind.QUERY_MATE, ()))
    assert berta.lines() == [Wish.MARRIAGE.value]


async def test_a_guild_whose_number_is_too_high_is_not_seen_at_figures() -> None:
    alric, berta = await members()
    guild = alric.mobile.guild
    assert guild is not None
    guild.number = 0x10000
    life.hurt(alric.mobile, 1)
    guild_rolls.recolour(alric.desk.world, guild)
    alric.desk.turn()
    assert berta.screen.people[alric.number].guild == (0, 0)
