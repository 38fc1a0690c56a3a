"""Guilds in this game's window, over heads and in its channel, and byte by byte.

GuildUpdate (110), GuildMembershipResponse (289), LeaveGuildNotify (290) and JoinGuildNotify (291) have the
fields of the notes on the client (the rows of those numbers, the rows of 546 that their author added to a
copy of emagi/eq2emu's server/WorldStructs.xml, and their program that reads the messages): eight ranks of a
text, eight bytes and four pairs of twelve, members of 58 bytes beside their texts. What the fields hold is
that of Guild.cpp and Guild.h of emagi/eq2emu.
"""

from __future__ import annotations

import struct

import attrs
import pytest

from protocol.eq2 import packets as eq2
from protocol.eq2.guilds import Rolls
from protocol.eq2.handlers.guilds import NO_GUEST, NO_OFFICERS, NOT_KEPT
from protocol.eq2.packets import (
    CloseGroupInviteWindow,
    DialogOpen,
    DisplayText,
    GuildMembershipResponse,
    GuildUpdate,
    HearChat,
    JoinGuildNotify,
    LeaveGuildNotify,
    ReceiveOffer,
    RequestGuildMembership,
    Target,
    UiLoaded,
)
from tests.kit.eq2_desk import Desk, Player
from tests.kit.eq2_lists import Lists
from tests.kit.eq2_player import newest_version
from world import guilds, holding
from world.guild import Guild, Rank
from world.guild_rolls import sheet
from world.reach import Refusal
from world.wording import GOLD

LEADER, OFFICER, MEMBER, RECRUIT = 0, 2, 4, 7
"""Numbers of ranks on the wire."""


async def several(*names: str) -> tuple[Desk, list[Player]]:
    """Players side by side, the first with the fee for a guild."""
    desk = Desk()
    players = [await desk.enter(name, (20 + x, 20)) for x, name in enumerate(names)]
    players[0].mobile.strength = 2_000
    players[0].gives(GOLD, guilds.FEE)
    await desk.wait(0.1)
    forget(players)
    return desk, players


async def united(*names: str) -> tuple[Desk, list[Player]]:
    """Players side by side in one guild, which the first leads."""
    desk, players = await several(*names)
    guilds.found(players[0].mobile, "Weavers", "WV")
    for other in players[1:]:
        guilds.invite(players[0].mobile, other.mobile)
        await other.types("guild accept")
    await desk.wait(0.1)
    for player in players:
        shown = lists(player)
        assert sorted(shown.names()) == sorted(one.mobile.name for one in players)
    return desk, players


def lists(player: Player) -> Lists:
    """What the client has of its guild, from all that it was sent."""
    found = Lists(newest_version(), player.mobile.serial)
    found.hear(player.got)
    return found


def forget(players: list[Player]) -> None:
    for player in players:
        player.got.clear()


def lines(player: Player) -> list[str]:
    """What the player was told since it was asked last."""
    told = [line.text for line in player.took(DisplayText)]
    player.got.clear()
    return told


def guild_of(player: Player) -> Guild:
    assert player.mobile.guild is not None
    return player.mobile.guild


# The wire


def test_what_a_guild_is_byte_by_byte() -> None:
    ranks = tuple(eq2.GuildRank(chr(65 + place), place) for place in range(8))
    update = GuildUpdate("Ab", "Hi", 7, 0x01020304, 3, ranks, level=5, experience=9, next_level=10)
    body = b"".join(
        (
            bytes.fromhex("0200 4162 0200 4869 07000000 0000 05000000 04030201 03000000"),
            struct.pack("<QQ6I", 9, 10, 0, 0, 0, 0, 0, 0),
            *(struct.pack("<HcQ", 1, bytes((65 + place,)), place) + bytes(48) for place in range(8)),
            struct.pack("<QII", 0, 0, 0),
        )
    )
    assert newest_version().encode(update) == b"\x6e" + body


MEMBER_BYTES = b"".join(
    (
        bytes.fromhex("11000000 0200 4162"),
        struct.pack("<8I", 1, 2, 3, 4, 5, 6, 7, 8),
        bytes.fromhex("01 00 0100 5a 00000000 00000000 0000 0100 6e 0100 6f 09000000"),
    )
)
ONE = eq2.GuildMember(
    character_id=0x11,
    name="Ab",
    adventure_class=1,
    level=2,
    tradeskill_class=3,
    tradeskill_level=4,
    rank=5,
    status=6,
    last_login=7,
    flags=8,
    zone="Z",
    note="n",
    officer_note="o",
    account_id=9,
)


def test_members_byte_by_byte() -> None:
    version = newest_version()
    assert version.pack_struct(ONE) == MEMBER_BYTES
    roll = version.pack_struct(eq2.GuildRoll((ONE, ONE)))
    assert roll == bytes.fromhex("02000000") + MEMBER_BYTES * 2 + bytes(2)
    whole = version.encode(GuildMembershipResponse(7, 8, roll))
    assert whole == bytes.fromhex("ff2101 07000000 08000000") + roll  # 289
    joined = version.encode(JoinGuildNotify(7, ONE))
    assert joined == bytes.fromhex("ff2301 07000000") + MEMBER_BYTES + bytes(2)  # 291
    assert version.encode(LeaveGuildNotify(7, 8)) == bytes.fromhex("ff2201 07000000 08000000 0000")  # 290


def test_what_a_client_asks_byte_by_byte() -> None:
    asked = newest_version().decode_client(bytes.fromhex("ff2001 07000000 08000000"))  # 288
    assert asked == RequestGuildMembership(7, 8)


def test_an_offer_names_the_guild() -> None:
    body = bytes.fromhex("ff b601 02 0400 416e6e61 0200 4162 01 0000")
    assert newest_version().encode(ReceiveOffer(2, "Anna", "Ab")) == b"\x32\x11\0\0\0" + body


# Into a guild and out of it


async def test_the_window_of_the_client_asks_into_a_guild() -> None:
    desk, (anna, bert) = await several("anna", "bert")
    guilds.found(anna.mobile, "Weavers", "WV")
    await desk.wait(0.1)
    ghost = anna.session.ghosts.of(bert.mobile.serial)
    assert ghost is not None
    await anna.says(Target(ghost.index))
    forget([anna, bert])
    await anna.types("guild invite")
    offer = bert.only(ReceiveOffer)
    assert (offer.kind, offer.name, offer.guild) == (2, "Anna", "Weavers")
    assert bert.took(DialogOpen) == []
    await bert.types("guild decline")
    assert bert.took(CloseGroupInviteWindow) != []
    assert "Bert does not want to." in lines(anna)
    anna.mobile.spoken = None
    await anna.types("guild invite bert")
    await bert.types("acceptinvite")
    assert bert.mobile.guild is anna.mobile.guild is not None
    assert "Bert has joined Weavers." in lines(anna)
    bert.got.clear()
    await bert.types("guild accept")
    assert lines(bert) == [Refusal.NOT_ASKED.value]


async def test_who_asks_to_be_let_in_offers_nothing() -> None:
    """The window says that one is asked into a guild: it would be the other way round."""
    desk, (anna, bert) = await several("anna", "bert")
    guilds.found(anna.mobile, "Weavers", "WV")
    await desk.wait(0.1)
    forget([anna, bert])
    guilds.apply(bert.mobile, anna.mobile)
    await desk.wait(0.1)
    assert anna.took(ReceiveOffer) == []
    assert any("Bert asks to join the guild Weavers" in line for line in lines(anna))
    await anna.types("guild accept")
    assert bert.mobile.guild is anna.mobile.guild


async def test_members_ranks_and_notice_in_the_window() -> None:
    _, (anna, bert, carl) = await united("anna", "bert", "carl")
    shown = lists(anna)
    assert shown.guild is not None
    assert (shown.guild.name, shown.guild.guild_id) == ("Weavers", guild_of(anna).number)
    assert shown.names() == {"Anna": LEADER, "Bert": RECRUIT, "Carl": RECRUIT}
    assert {one.zone for one in shown.members.values()} == {"The Plain"}
    assert [rank.name for rank in shown.guild.ranks] == [
        *("Leader", "-", "Officer", "-", "Member", "-", "-", "Recruit")
    ]
    rights = {place: rank.rights & 0b1001111 for place, rank in enumerate(shown.guild.ranks)}
    assert (rights[LEADER], rights[OFFICER], rights[MEMBER], rights[RECRUIT]) == (79, 79, 1, 0)
    assert all(shown.guild.ranks[place].rights >> 13 & 3 == 3 for place in (LEADER, RECRUIT))
    await anna.types("guild promote bert")
    await anna.types("guild promote Bert")
    assert {player.mobile.name: lists(player).names()["Bert"] for player in (anna, bert, carl)} == {
        "Anna": OFFICER,
        "Bert": OFFICER,
        "Carl": OFFICER,
    }
    await anna.types("guild demote bert")
    assert lists(carl).names()["Bert"] == MEMBER
    await anna.types("guild motd Meet at the well")
    assert (changed := lists(bert).guild) is not None
    assert changed.notice == "Meet at the well"
    await anna.types("guild leader bert")
    assert lists(carl).names() == {"Bert": LEADER, "Anna": OFFICER, "Carl": RECRUIT}


async def test_who_is_expelled_or_leaves_is_in_no_window_any_more() -> None:
    _, (anna, bert, carl) = await united("anna", "bert", "carl")
    await anna.types("guild kick carl")
    assert (lists(carl).guild, lists(carl).members) == (None, {})
    assert sorted(lists(bert).names()) == ["Anna", "Bert"]
    assert [one.character_id for one in bert.took(LeaveGuildNotify)] == [carl.mobile.serial]
    await bert.types("guild kick bert")
    assert bert.mobile.guild is None
    assert sorted(lists(anna).names()) == ["Anna"]
    await anna.types("guild disband")
    assert lists(anna).guild is None
    assert anna.mobile.guild is None


async def test_members_come_and_go_in_the_window() -> None:
    desk, (anna, bert) = await united("anna", "bert")
    bert.mobile.online = False
    guilds.went(bert.mobile)
    await desk.wait(0.1)
    assert lists(anna).members[bert.mobile.serial].zone == ""
    bert.mobile.online = True
    guilds.came(bert.mobile)
    await desk.wait(0.1)
    assert lists(anna).members[bert.mobile.serial].zone == "The Plain"


async def test_what_all_members_are_told_is_made_once_for_each_version() -> None:
    desk, (anna, _) = await united("anna", "bert")
    rolls, world, guild = Rolls(), desk.world, guild_of(anna)
    shown = sheet(world, guild)
    versions = newest_version(), attrs.evolve(newest_version())
    whole = [rolls.whole(shown, world, version) for version in versions * 2]
    assert whole[0] is whole[2] is not whole[1] is whole[3]
    line = shown.leader
    one = [rolls.member(guild.number, line, world, version) for version in versions * 2]
    assert one[0] is one[2] is not one[1] is one[3]
    other = attrs.evolve(line, level=9)
    assert rolls.member(guild.number, other, world, versions[0]) != one[0]


async def test_who_loads_is_shown_its_guild_before_the_screen_is_gone() -> None:
    desk, (anna, _) = await united("anna", "bert")
    await anna.types("guild motd Welcome")
    again = await desk.zoning("bert")
    again.got.clear()
    await again.says(eq2.EntityResourcesLoaded())
    await again.says(UiLoaded())
    kinds = [type(message) for message in again.got]
    assert kinds.index(GuildUpdate) < kinds.index(GuildMembershipResponse)
    assert lists(again).names() == {"Anna": LEADER, "Bert": RECRUIT}
    assert (shown := lists(again).guild) is not None
    assert shown.notice == "Welcome"


async def test_the_client_may_ask_for_the_members() -> None:
    _, (anna, _) = await united("anna", "bert")
    forget([anna])
    number = guild_of(anna).number
    await anna.says(RequestGuildMembership(number, anna.mobile.serial))
    assert sorted(lists(anna).names()) == ["Anna", "Bert"]
    forget([anna])
    await anna.says(RequestGuildMembership(number + 1, anna.mobile.serial))
    assert lines(anna) == [Refusal.NO_GUILD.value]


# Over heads, and in the channel


async def test_the_guild_stands_over_heads() -> None:
    desk, (anna, bert) = await several("anna", "bert")
    figures, version = desk.view.figures, newest_version()

    def over(player: Player) -> tuple[str, str]:
        figure = figures.of(player.mobile, version)
        visible = version.unpack_struct(eq2.GhostVisible, figure.visible.now)
        return visible.guild, version.unpack_struct(eq2.GhostInfo, figure.info.now).guild

    assert over(anna) == ("", "")
    guilds.found(anna.mobile, "Weavers", "WV")
    await desk.wait(0.1)
    assert over(anna) == ("Weavers", "Weavers")
    told = bert.took(eq2.UpdateGhost)
    assert any(update.visible is not None and update.info is not None for update in told)
    guilds.disband(anna.mobile)
    await desk.wait(0.1)
    assert over(anna) == ("", "")
    assert bert.took(eq2.UpdateGhost) != []


async def test_words_to_the_guild_come_in_its_channel() -> None:
    _, (anna, bert) = await united("anna", "bert")
    for word in ("guildsay", "gu"):
        forget([bert])
        await anna.types(f"{word} hail")
        assert [(chat.channel, chat.sender, chat.text) for chat in bert.took(HearChat)] == [
            (18, "Anna", "hail")
        ]
    forget([anna])
    await anna.types("officersay hush")
    assert (lines(anna), lines(bert)[1:]) == ([NO_OFFICERS], [])


# Refusals


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("guild invite", NO_GUEST),
        ("guild invite nobody", Refusal.NOBODY.value),
        ("guild invite bert", Refusal.THEY_IN_GUILD.value),
        ("guild kick", Refusal.NO_MEMBER.value),
        ("guild kick nobody", Refusal.NO_MEMBER.value),
        ("guild kick anna", Refusal.LEADS.value),
        ("guild demote bert", Refusal.LOWEST.value),
        ("guild create Spinners", Refusal.IN_GUILD.value),
        ("guild rank_name 3 Knights", NOT_KEPT),
        ("set_guild_member_note Bert lazy", NOT_KEPT),
        ("guild accept", Refusal.NOT_ASKED.value),
    ],
)
async def test_what_cannot_be_is_refused_in_words(line: str, words: str) -> None:
    _, (anna, _) = await united("anna", "bert")
    members = dict(guild_of(anna).members)
    forget([anna])
    await anna.types(line)
    assert lines(anna) == [words]
    assert guild_of(anna).members == members


async def test_a_recruit_decides_nothing_and_who_is_in_no_guild_neither() -> None:
    _, (_, bert) = await united("anna", "bert")
    for line in ("guild invite anna", "guild kick anna", "guild promote anna", "guild motd mine"):
        forget([bert])
        await bert.types(line)
        assert lines(bert) == [Refusal.NO_RIGHT.value]
    await bert.types("guild leave")
    for line in ("guild leave", "guild kick anna", "guildsay hail", "guild disband"):
        forget([bert])
        await bert.types(line)
        assert lines(bert) == [Refusal.NO_GUILD.value]


async def test_a_guild_is_looked_at_and_founded_by_dialogs() -> None:
    _, (anna, bert) = await united("anna", "bert")
    await anna.types("guild")
    assert anna.took(DialogOpen)[-1].title == "Weavers [WV]"
    await bert.types("guild leave")
    forget([bert])
    await bert.types("guild create Spinners")
    assert bert.took(DialogOpen) + bert.took(eq2.ChoiceWindow) != []
    assert holding.gold(bert.mobile) < guilds.FEE


async def test_without_the_window_all_is_told_in_words() -> None:
    desk, (anna, bert) = await several("anna", "bert")
    figures = desk.view.figures
    figures.rendering = attrs.evolve(figures.rendering, guild_window=False)
    guilds.found(anna.mobile, "Weavers", "WV")
    await anna.types("guild invite bert")
    assert bert.took(ReceiveOffer) == []
    assert bert.took(DialogOpen) != []
    await bert.types("guild accept")
    assert "Bert has joined Weavers." in lines(anna)
    await anna.types("guild promote bert")
    await bert.types("guild leave")
    assert [kind for kind in anna.kinds() + bert.kinds() if "Guild" in kind] == []
    assert Rank.RECRUIT not in {one.rank for one in guild_of(anna).members.values()}
