"""Guilds in this game's own window: what comes of a wish, the client's words for a refusal, and that each
client knows of its own guild what is true."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
from eolib import (
    GuildInfoType,
    GuildReply,
    GuildTakeClientPacket,
    TalkRequestClientPacket,
    TalkRequestServerPacket,
)
from eolib.protocol.pub import NpcType

from protocol.eo import guilds as shown
from protocol.eo.looks import service_of
from tests.eo.test_trading import told, words
from tests.kit.eo_belongings import GOLD, give, owns
from tests.kit.eo_desk import Desk, small_content
from tests.kit.eo_hall import Membership
from world import guild_rolls, guilds, hands, life
from world.content import MobileTemplate
from world.guild import Guild, Rank
from world.reach import Refusal

if TYPE_CHECKING:
    from tests.kit.eo_desk import Player
    from world.content import Content

REGISTRAR, BANKER = (22, 21), (21, 22)
FEE = guilds.FEE


def content_with_registrar() -> Content:
    """The small world, and somebody who keeps the rolls."""
    content = small_content()
    registrar = MobileTemplate(
        "registrar",
        "Godwin",
        roles=("registrar",),
        look={"eo": {"id": 6, "graphic": 20, "type": "Guild"}},
    )
    return attrs.evolve(content, mobiles={**content.mobiles, "registrar": registrar})


async def hall(*more: str) -> tuple[Desk, list[Player]]:
    """Alric and these others, rich, each before the window of the registrar, with a banker beside."""
    desk = Desk(content_with_registrar())
    registrar = desk.resident("registrar", *REGISTRAR)
    desk.resident("banker", *BANKER)
    players = [await desk.enter(name, (18 + at, 20)) for at, name in enumerate(("alric", *more))]
    for player in players:
        player.mobile.strength = 2_000
        give(player.mobile, "gold", 2 * FEE - 100)
    await desk.settle()
    for player in players:
        await player.sends(player.client.open_guilds(desk.view.figures.npc_index(registrar)))
        assert player.client.guild_session
        player.client.received.clear()
    return desk, players


async def weavers(*more: str) -> tuple[Desk, list[Player]]:
    """The same, of a guild that Alric has founded and the others have joined."""
    desk, players = await hall(*more)
    alric, *others = players
    await alric.sends(alric.client.begin_guild("WV", "Weavers"))
    await alric.sends(alric.client.found_guild("We weave."))
    for other in others:
        await desk.wait(7)
        await other.sends(other.client.ask_to_join("WV", "alric"))
        await alric.sends(alric.client.let_in())
    for player in players:
        player.client.received.clear()
        player.client.guild_replies.clear()
    knows(*players)
    return desk, players


def knows(*players: Player) -> None:
    """Fail unless each client takes itself for a member of what it is in, with its rank."""
    for player in players:
        guild, known = player.mobile.guild, player.client.guild
        if guild is None:
            assert known is None
            continue
        rank = guild.rank_of(player.mobile.serial)
        assert rank is not None
        assert known is not None
        assert (known.tag, known.name, known.rank) == (guild.tag, guild.name, shown.NUMBERS[rank])
        assert player.session.guild == shown.known_at_login(player.mobile.world, player.mobile.serial)


SAYS_MORE = {Refusal.POOR, Refusal.GONE, Refusal.USELESS, Refusal.TOO_LONG, Refusal.NO_BANK}
"""Reasons that are told in words of their own there."""


async def refuses(player: Player, data: bytes, why: Refusal, *codes: GuildReply) -> None:
    """Fail unless that is refused, in the client's words if there are some, and in the world's."""
    await player.desk.wait(1.1)
    player.client.received.clear()
    player.client.guild_replies.clear()
    await player.sends(data)
    assert player.client.guild_replies == list(codes)
    lines = words(player)
    assert len(lines) == 1
    assert codes or lines[0] == why.value or why in SAYS_MORE


# Founding


async def test_a_guild_is_founded_alone_and_its_client_leads_it() -> None:
    desk, (alric, berta) = await hall("berta")
    await alric.sends(alric.client.begin_guild("wv", "the  Weavers"))
    assert alric.client.guild_replies == [GuildReply.CreateBegin, GuildReply.CreateAddConfirm]
    assert words(alric) == ["Nobody has to join first here: say yes, pay 10000 gold, and the guild is yours."]
    assert alric.client.founders == [], "beside its own player, whom a client lists by itself"
    assert desk.world.records.all(Guild) == {}, "its player was asked, no more"
    await alric.sends(alric.client.found_guild("We weave."))
    guild = alric.mobile.guild
    assert guild is not None
    assert (guild.name, guild.tag, guild.notice) == ("the Weavers", "WV", "We weave.")
    assert alric.client.guild == Membership("WV", "the Weavers", "leader", 0)
    assert alric.client.inventory[GOLD] == FEE
    owns(alric)
    knows(alric, berta)
    drawn = [one for one in told(berta) if one == "PlayersAgree"]
    assert drawn, "with the tag beside its name"


async def test_what_cannot_be_founded_is_refused_in_the_clients_words() -> None:
    _, (alric, berta) = await hall("berta")
    client = berta.client
    await refuses(berta, client.begin_guild("W", "Weavers"), Refusal.GUILD_TAG, GuildReply.NotApproved)
    await refuses(berta, client.begin_guild("WV", "W3avers"), Refusal.GUILD_NAME, GuildReply.NotApproved)
    await alric.sends(alric.client.begin_guild("WV", "Weavers"))
    await berta.sends(client.begin_guild("WV", "Weavers"))
    assert client.may_found
    await alric.sends(alric.client.found_guild())
    await refuses(berta, client.found_guild(), Refusal.GUILD_TAKEN, GuildReply.Exists)
    await refuses(alric, alric.client.begin_guild("OT", "Others"), Refusal.IN_GUILD, GuildReply.AlreadyMember)
    guilds.found(berta.mobile, "Others", "OT")
    guilds.disband(berta.mobile)
    hands.destroy_kind(berta.mobile, "gold", 1)
    await berta.desk.settle()
    await refuses(berta, client.begin_guild("TH", "Thirds"), Refusal.POOR)
    knows(alric, berta)


async def test_a_description_that_is_no_notice_is_refused_and_the_guild_is_there() -> None:
    _, (alric,) = await hall()
    await alric.sends(alric.client.begin_guild("WV", "Weavers"))
    words(alric)
    await alric.sends(alric.client.found_guild("a" * 240))
    assert "That is too long for a notice." in words(alric)
    assert alric.mobile.guild is not None
    assert alric.mobile.guild.notice == ""
    knows(alric)


# Joining


async def test_a_recruiter_is_asked_in_a_box_and_lets_one_in() -> None:
    desk, (alric, berta) = await weavers("berta")
    assert berta.client.guild == Membership("WV", "Weavers", "recruit", 9)
    guild = alric.mobile.guild
    assert guild is not None
    carl = await desk.enter("carl", (20, 21))
    await carl.sends(carl.client.bytes_of(TalkRequestClientPacket(message="hello?")))
    assert words(carl)[-1] == Refusal.NO_GUILD.value
    guilds.invite(alric.mobile, carl.mobile)
    await desk.settle()
    assert carl.client.guild_asker == alric.client.player_id
    await carl.sends(carl.client.accept_guild())
    knows(alric, berta, carl)
    assert carl.mobile.guild is guild
    await carl.sends(carl.client.bytes_of(TalkRequestClientPacket(message="hello!")))
    heard = alric.client.last(TalkRequestServerPacket)
    assert (heard.player_name, heard.message) == ("carl", "hello!")
    await berta.sends(berta.client.bytes_of(TalkRequestClientPacket(message="hail")))
    assert carl.client.last(TalkRequestServerPacket).player_name == "berta"


async def test_who_lets_one_in_is_told_that_it_worked() -> None:
    desk, (alric, berta) = await weavers("berta")
    carl = await desk.enter("carl", (20, 21))
    carl.client.guild_session = 1
    guilds.apply(carl.mobile, alric.mobile, "WV")
    await desk.settle()
    await alric.sends(alric.client.let_in())
    assert alric.client.guild_replies[-1] is GuildReply.Accepted
    knows(alric, berta, carl)


async def test_recruiters_that_cannot_help_are_refused_in_the_clients_words() -> None:
    _, (alric, berta, carl) = await hall("berta", "carl")
    client = carl.client
    await refuses(carl, client.ask_to_join("WV", "alric"), Refusal.NO_SUCH_GUILD, GuildReply.NotFound)
    await alric.sends(alric.client.begin_guild("WV", "Weavers"))
    await alric.sends(alric.client.found_guild())
    await refuses(carl, client.ask_to_join("WV", "nobody"), Refusal.NOBODY, GuildReply.RecruiterOffline)
    await refuses(
        carl, client.ask_to_join("WV", "berta"), Refusal.THEY_NO_MEMBER, GuildReply.RecruiterWrongGuild
    )
    await berta.sends(berta.client.ask_to_join("WV", "alric"))
    await refuses(carl, client.ask_to_join("WV", "alric"), Refusal.ENGAGED, GuildReply.Busy)
    await alric.sends(alric.client.let_in())
    await refuses(carl, client.ask_to_join("WV", "berta"), Refusal.NO_RIGHT, GuildReply.NotRecruiter)
    await refuses(berta, berta.client.ask_to_join("WV", "alric"), Refusal.IN_GUILD, GuildReply.AlreadyMember)
    for frame in (1, 64_000, alric.client.player_id):
        carl.client.guild_guest = carl.client.guild_asker = frame
        await refuses(carl, client.let_in(), Refusal.NOT_ASKED)
        await refuses(carl, client.accept_guild(), Refusal.NOT_ASKED)
    knows(alric, berta, carl)


# Ranks, and out


async def test_ranks_are_given_and_taken_and_each_client_knows_its_own() -> None:
    _, (alric, berta) = await weavers("berta")
    guild = alric.mobile.guild
    assert guild is not None
    for number, rank in ((1, Rank.OFFICER), (3, Rank.MEMBER), (8, Rank.MEMBER), (9, Rank.RECRUIT)):
        await alric.sends(alric.client.give_rank("berta", number))
        assert guild.rank_of(berta.mobile.serial) is rank
        assert alric.client.guild_replies.pop() is GuildReply.Updated
        knows(alric, berta)
    guilds.promote(alric.mobile, "Berta")  # by words
    await alric.desk.settle()
    knows(alric, berta)
    client = berta.client
    await refuses(berta, client.give_rank("alric", 5), Refusal.NO_RIGHT, GuildReply.RankingLeader)
    await refuses(alric, alric.client.give_rank("x", 5), Refusal.NO_MEMBER, GuildReply.RankingNotMember)
    await refuses(alric, alric.client.give_rank("berta", 10), Refusal.UNKNOWN)
    await alric.sends(alric.client.give_rank("berta", 0))
    assert guild.rank_of(berta.mobile.serial) is Rank.LEADER
    assert guild.rank_of(alric.mobile.serial) is Rank.OFFICER
    knows(alric, berta)


async def test_who_is_sent_out_is_told_and_drawn_without_the_tag() -> None:
    desk, (alric, berta, carl) = await weavers("berta", "carl")
    await refuses(berta, berta.client.expel("carl"), Refusal.NO_RIGHT)
    await refuses(berta, berta.client.expel("alric"), Refusal.NO_RIGHT, GuildReply.RemoveLeader)
    await refuses(alric, alric.client.expel("dora"), Refusal.NO_MEMBER, GuildReply.RemoveNotMember)
    told(carl)
    await alric.sends(alric.client.expel("Berta"))
    assert alric.client.guild_replies == [GuildReply.RemoveNotMember, GuildReply.Removed]
    assert "GuildKick" in told(berta)
    assert "PlayersAgree" in told(carl)
    knows(alric, berta, carl)
    await refuses(berta, berta.client.expel("carl"), Refusal.NO_GUILD)
    carl.hang_up()
    await desk.wait(1)
    await alric.sends(alric.client.expel("carl"))
    assert alric.client.guild_replies[-1] is GuildReply.Removed, "who is away, too"


async def test_a_client_that_left_by_itself_is_told_when_it_may_not() -> None:
    _, (alric, berta) = await weavers("berta")
    await refuses(alric, alric.client.leave_guild(), Refusal.LEADS)
    knows(alric)
    give(alric.mobile, "gold", 1)
    await alric.sends(alric.client.deposit_for_guild(1))
    await refuses(alric, alric.client.disband_guild(), Refusal.BANK_LEFT)
    knows(alric)
    await refuses(berta, berta.client.disband_guild(), Refusal.NO_RIGHT)
    knows(berta)
    assert berta.client.guild is not None
    berta.client.received.clear()
    await berta.sends(berta.client.leave_guild())
    assert not [one for one in told(berta) if one.startswith("Guild")], "it knows"
    await refuses(berta, berta.client.leave_guild(), Refusal.NO_GUILD)
    knows(alric, berta)


async def test_a_guild_ends_for_all_of_it() -> None:
    desk, (alric, berta) = await weavers("berta")
    await alric.sends(alric.client.disband_guild())
    assert desk.world.records.all(Guild) == {}
    assert "GuildKick" in told(berta)
    knows(alric, berta)


# Looking


async def test_what_the_window_shows_of_ones_guild_and_of_others() -> None:
    desk, (alric, berta, carl) = await weavers("berta", "carl")
    await carl.sends(carl.client.leave_guild())
    for player in (berta, carl):
        await desk.wait(4)
        await player.sends(player.client.look_up_guild("wv "))
        await player.sends(player.client.list_members("Weavers"))
    own, other = berta.client.guild_report, carl.client.guild_report
    assert own is not None
    assert other is not None
    assert (own.name, own.tag, own.description, own.wealth) == ("Weavers", "WV", "We weave.", "0 gold")
    assert own.ranks == shown.RANKS
    assert [(one.rank, one.name) for one in own.staff] == [(0, "Alric")]
    assert len(own.create_date.split("-")) == 3
    assert (other.name, other.description, other.wealth) == ("Weavers", shown.UNTOLD, shown.UNTOLD)
    assert berta.client.guild_members == [(0, "Alric", "leader"), (9, "Berta", "recruit")]
    assert carl.client.guild_members == [(0, "Alric", "leader")]
    await refuses(carl, carl.client.look_up_guild("XX"), Refusal.NO_SUCH_GUILD, GuildReply.NotFound)
    await refuses(carl, carl.client.list_members("XX"), Refusal.NO_SUCH_GUILD, GuildReply.NotFound)
    assert alric.line.ending is None


async def test_what_may_be_changed_is_shown_first() -> None:
    desk, (alric, berta) = await weavers("berta")
    client = alric.client
    for kind in GuildInfoType:
        await desk.wait(2)
        await alric.sends(client.look_at_own_guild(kind))
    assert (client.guild_description, client.guild_ranks, client.guild_gold) == ("We weave.", shown.RANKS, 0)
    assert all(len(name) >= 4 for name in shown.RANKS), "others are hidden"
    await alric.sends(client.describe_guild("We spin."))
    assert client.guild_replies.pop() is GuildReply.Updated
    assert alric.mobile.guild is not None
    assert alric.mobile.guild.notice == "We spin."
    await refuses(berta, berta.client.describe_guild("Mine"), Refusal.NO_RIGHT)
    await refuses(alric, client.describe_guild("a" * 240), Refusal.TOO_LONG)
    await refuses(alric, client.name_ranks(tuple("abcdefghi")), Refusal.USELESS)
    odd = GuildTakeClientPacket(
        session_id=client.guild_session,
        info_type=GuildInfoType(7),
        guild_tag="WV ",
    )
    await refuses(alric, client.bytes_of(odd), Refusal.UNKNOWN)
    await berta.sends(berta.client.leave_guild())
    await refuses(berta, berta.client.look_at_own_guild(GuildInfoType.Bank), Refusal.NO_GUILD)


async def test_gold_goes_into_the_bank_where_a_banker_is() -> None:
    desk, (alric, berta) = await weavers("berta")
    guild = alric.mobile.guild
    assert guild is not None
    client = berta.client
    await berta.sends(client.look_at_own_guild(GuildInfoType.Bank))
    await berta.sends(client.deposit_for_guild(1_500))
    assert guild_rolls.gold(desk.world, guild) == client.guild_gold == 1_500
    owns(berta)
    await refuses(berta, client.deposit_for_guild(0), Refusal.AMOUNT)
    await refuses(berta, client.deposit_for_guild(4_000_000_000), Refusal.POOR)
    desk.world.warp(berta.mobile, desk.world.realms["cave"], 5, 5)
    await desk.settle()
    await refuses(berta, client.deposit_for_guild(1), Refusal.NO_BANK)
    assert guild_rolls.gold(desk.world, guild) == 1_500


# The window


async def test_the_window_opens_at_the_registrar_and_by_order_and_only_the_newest_counts() -> None:
    desk, (alric, berta) = await weavers("berta")
    client, old = alric.client, alric.client.guild_session
    await desk.wait(2)
    await alric.sends(client.say("$guild"))
    assert client.guild_session != old
    assert words(alric) == [
        "Weavers [WV]: 2 members, led by Alric.",
        shown.MORE,
    ]
    newest, client.guild_session = client.guild_session, old
    wishes = [
        client.begin_guild("AB", "Abc"),
        client.ask_to_join("WV", "berta"),
        client.expel("berta"),
        client.give_rank("berta", 1),
        client.look_up_guild("WV"),
        client.list_members("WV"),
        client.look_at_own_guild(GuildInfoType.Bank),
        client.describe_guild("x"),
        client.deposit_for_guild(1),
        client.leave_guild(),
        client.disband_guild(),
    ]
    for data in wishes:
        await refuses(alric, data, Refusal.GONE)
    knows(alric, berta)
    for session_id in (0, newest + 1):
        client.guild_session = session_id
        await refuses(alric, client.look_up_guild("WV"), Refusal.GONE)
    client.guild_session = newest
    await desk.wait(2)
    await alric.sends(client.look_up_guild("WV"))
    assert client.guild_report is not None


async def test_what_has_no_window_is_found_by_help() -> None:
    desk, (alric,) = await hall()
    for order, verbs in (
        ("$help guild", ("guild war", "guild withdraw", "guild log")),
        ("$help friend", ("friend NAME",)),
        ("$help mail", ("mail [NAME]",)),
        ("$help ignore", ("ignore [NAME",)),
        ("$help", ("friends:", "mail [NAME]", "ignore [NAME", "guild:")),
    ):
        await desk.wait(3)
        alric.client.received.clear()
        await alric.sends(alric.client.say(order))
        lines = words(alric)
        for verb in verbs:
            assert any(line.startswith(verb) for line in lines), f"{order}: {verb}"


async def test_who_cannot_come_to_the_registrar() -> None:
    desk, (alric,) = await hall()
    registrar = next(one for one in desk.world.mobiles.values() if one.has_role("registrar"))
    banker = next(one for one in desk.world.mobiles.values() if one.has_role("banker"))
    await refuses(alric, alric.client.open_guilds(99), Refusal.UNSEEN)
    await desk.wait(2)
    told(alric)
    await alric.sends(alric.client.open_guilds(desk.view.figures.npc_index(banker)))
    assert told(alric) == ["BankOpen"], "which type of NPC it is, is no secret of its own"
    life.kill(alric.mobile)
    await desk.wait(2)
    number = desk.view.figures.npc_index(registrar)
    await refuses(alric, alric.client.open_guilds(number), Refusal.DEAD)


async def test_a_member_who_comes_back_knows_its_guild_without_a_sound() -> None:
    desk, (alric, berta) = await weavers("berta")
    guilds.set_rank(alric.mobile, "Berta", Rank.OFFICER)
    await desk.settle()
    berta.hang_up()
    await desk.wait(1)
    again = await desk.enter("berta")
    assert again.client.guild == Membership("WV", "Weavers", "officer", 1)
    assert not [one for one in told(again) if one.startswith("Guild")]
    knows(alric, again)


def test_who_keeps_the_rolls_is_of_the_type_whose_click_opens_the_window() -> None:
    assert service_of(content_with_registrar().mobiles["registrar"]) is NpcType.Guild


def test_every_number_of_a_rank_stands_for_one() -> None:
    assert [shown.rank_of(number) for number in (0, 1, 2, 5, 8, 9, 10, 252)] == [
        Rank.LEADER,
        Rank.OFFICER,
        Rank.MEMBER,
        Rank.MEMBER,
        Rank.MEMBER,
        Rank.RECRUIT,
        None,
        None,
    ]
    assert {shown.rank_of(number) for number in shown.NUMBERS.values()} == set(Rank)
    assert len(shown.RANKS) == 9
    assert (shown.RANKS[0], shown.RANKS[4], shown.RANKS[8]) == ("officer", "member", "recruit")
