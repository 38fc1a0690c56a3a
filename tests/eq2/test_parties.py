"""Parties as this game's group, in windows and byte by byte.

The group on the character sheet is that of the sheet of facts (facts/eq2-play.md, section 8): five members of
the fields it lists, which are 137 bytes (so have the notes on the client that of a raid, message 314), from
byte 4011 on, and the place of the leader behind them (emagi/eq2emu, server/WorldStructs.xml:
WS_CharacterSheet and Substruct_GroupMember of 546; Player.cpp, SetGroupInformation). ReceiveOffer has the
five fields of the notes; the options of a group are the six bytes of WS_DefaultGroupOptions 546.
"""

from __future__ import annotations

from random import Random

import attrs
import pytest

from protocol.eq2 import packets as eq2
from protocol.eq2.handlers.parties import NO_GUEST, ONLY_LOOT
from protocol.eq2.packets import (
    AWAY,
    ELSEWHERE,
    IN_ZONE,
    NOBODY,
    CharacterSheet,
    CloseGroupInviteWindow,
    DefaultGroupOptions,
    DefaultGroupOptionsRequest,
    DialogClose,
    DialogOpen,
    DisplayText,
    GroupOptions,
    HearChat,
    ReceiveOffer,
    Sheet,
    Target,
)
from protocol.eq2.packing import unpack, xor
from protocol.eq2.parties import ITSELF, GroupShown
from protocol.eq2.sheets import group_area
from tests.kit.eq2_client import SHEET, members_of
from tests.kit.eq2_desk import Desk, Player
from tests.kit.eq2_player import newest_version
from world import party
from world.companions import LootRule
from world.reach import Refusal

GROUP, LEADER = 4011, 4696
"""Where they begin on the sheet."""


def lines(player: Player) -> list[str]:
    """What the player was told since it was asked last."""
    told = [line.text for line in player.took(DisplayText)]
    player.got.clear()
    return told


def group(player: Player) -> list[eq2.GroupMember]:
    """The members that the client's sheet shows."""
    version = newest_version()
    return members_of(version, version.unpack_struct(Sheet, player.session.sheet))


def leads(player: Player) -> int:
    return newest_version().unpack_struct(Sheet, player.session.sheet).group_leader


def named(player: Player, other: Player) -> eq2.GroupMember:
    """The member of that name on its sheet."""
    (found,) = [member for member in group(player) if member.name == other.mobile.name]
    return found


async def several(*names: str) -> tuple[Desk, list[Player]]:
    """Players side by side."""
    desk = Desk()
    players = [await desk.enter(name, (20 + x, 20)) for x, name in enumerate(names)]
    await desk.wait(0.1)
    forget(players)
    return desk, players


async def grouped(*names: str) -> tuple[Desk, list[Player]]:
    """Players side by side in one party, whose leader is the first."""
    desk, players = await several(*names)
    for other in players[1:]:
        await players[0].types(f"invite {other.mobile.name}")
        await other.types("acceptinvite")
    forget(players)
    return desk, players


def forget(players: list[Player]) -> None:
    for player in players:
        player.got.clear()


async def refused(player: Player, line: str) -> str:
    """The one line in which a command is refused, upon which the party is as before."""
    party_of, members = player.mobile.party, list(player.mobile.party.members if player.mobile.party else ())
    player.got.clear()
    await player.types(line)
    assert player.mobile.party is party_of
    assert party_of is None or party_of.members == members
    (told,) = lines(player)
    return told


# The wire


def test_the_group_lies_where_the_sheet_has_it() -> None:
    version = newest_version()
    member = eq2.GroupMember(1, "Al", 0x01020304, NOBODY, 5, 6, 7, 8, 9, 10, 11, 12, "Qeynos")
    raw = version.pack_struct(member)
    assert raw == b"".join(
        (
            b"\x01" + b"Al".ljust(41, b"\0"),
            bytes.fromhex("04030201 ffffffff 0500 0600 07 08 09000000 0a000000 0b000000 0c000000 00000000"),
            b"Qeynos".ljust(60, b"\0") + b"\0",
        )
    )
    sheet = version.pack_struct(Sheet(group=raw * 5, group_leader=0xAABBCCDD))
    assert len(sheet) == SHEET == 4897
    assert sheet[GROUP:LEADER] == raw * 5
    assert sheet[LEADER : LEADER + 4] == bytes.fromhex("ddccbbaa")
    assert group_area(version) == (GROUP, LEADER + 4)


def test_an_offer_and_its_end_byte_by_byte() -> None:
    body = bytes.fromhex("ff b601 01 0400 416e6e61 0000 01 0000")  # 438
    assert newest_version().encode(ReceiveOffer(1, "Anna")) == b"\x32" + b"\x0f\0\0\0" + body
    assert newest_version().encode(CloseGroupInviteWindow()) == bytes.fromhex("ff4a01")  # 330


def test_options_byte_by_byte() -> None:
    assert newest_version().decode_client(b"\xaf") == DefaultGroupOptionsRequest()
    assert newest_version().encode(DefaultGroupOptions(2)) == bytes.fromhex("b0 020000000000")
    assert newest_version().decode_client(bytes.fromhex("b1 010203040506")) == GroupOptions(1, 2, 3, 4, 5, 6)


# Into a party and out of it


async def test_the_window_of_the_client_asks() -> None:
    _, (anna, bert) = await several("anna", "bert")
    ghost = anna.session.ghosts.of(bert.mobile.serial)
    assert ghost is not None
    await anna.says(Target(ghost.index))
    anna.got.clear()
    await anna.types("invite")
    offer = bert.only(ReceiveOffer)
    assert (offer.kind, offer.name) == (1, anna.mobile.name)
    assert bert.took(DialogOpen) == []
    assert any("Loot" in line for line in lines(bert)), "the window does not say it"
    await bert.types("acceptinvite")
    assert bert.took(CloseGroupInviteWindow) != []
    assert bert.took(DialogClose) == []
    assert anna.mobile.party is bert.mobile.party is not None
    assert f"You join the party of {anna.mobile.name}." in lines(bert)
    assert await refused(bert, "acceptinvite") == Refusal.NOT_ASKED.value


async def test_one_may_decline_or_not_answer() -> None:
    desk, (anna, bert) = await several("anna", "bert")
    await anna.types("invite bert")
    await bert.types("declineinvite")
    assert f"{bert.mobile.name} does not want to." in lines(anna)
    await anna.types("invite bert")
    bert.got.clear()
    await desk.wait(31)
    assert bert.took(CloseGroupInviteWindow) != []
    assert await refused(bert, "declineinvite") == Refusal.NOT_ASKED.value
    assert anna.mobile.party is bert.mobile.party is None


async def test_who_asks_to_be_let_in_is_asked_for_in_a_window_with_words() -> None:
    desk, (anna, bert) = await several("anna", "bert")
    party.apply(bert.mobile, anna.mobile)
    await desk.wait(0.1)
    assert anna.took(ReceiveOffer) == []
    assert "asks to join" in anna.only(DialogOpen).text
    await anna.types("acceptinvite")
    assert anna.took(DialogClose) != []
    assert bert.mobile.party is not None


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("invite", NO_GUEST),
        ("invite anna", Refusal.ONESELF.value),
        ("invite nobody", Refusal.NOBODY.value),
        ("invite bert", Refusal.FELLOW.value),
        ("kickfromgroup", Refusal.NO_FELLOW.value),
        ("kickfromgroup nobody", Refusal.NO_FELLOW.value),
        ("makeleader anna", Refusal.ONESELF.value),
        ("makeleader", Refusal.NO_FELLOW.value),
        ("acceptinvite", Refusal.NOT_ASKED.value),
    ],
)
async def test_what_cannot_be_is_refused_in_words(line: str, words: str) -> None:
    _, (anna, _) = await grouped("anna", "bert")
    assert await refused(anna, line) == words


async def test_only_the_leader_decides_and_without_a_party_nobody() -> None:
    _, (_, bert, carl) = await grouped("anna", "bert", "carl")
    for line in ("kickfromgroup carl", "makeleader carl", "disband"):
        assert await refused(bert, line) == Refusal.NO_LEADER.value
    await carl.types("leavegroup")
    for line in ("leavegroup", "disband", "kickfromgroup bert", "makeleader bert", "kickfromgroup"):
        assert await refused(carl, line) == Refusal.NO_PARTY.value


async def test_members_come_and_go_on_the_sheet() -> None:
    _, (anna, bert, carl) = await grouped("anna", "bert", "carl")
    assert [member.name for member in group(anna)] == ["Bert", "Carl"]
    assert [member.name for member in group(bert)] == ["Anna", "Carl"]
    assert (leads(anna), leads(bert), leads(carl)) == (ITSELF, 0, 0)
    await anna.types("makeleader carl")
    assert [member.name for member in group(anna)] == ["Carl", "Bert"]
    assert (leads(anna), leads(carl)) == (0, ITSELF)
    await carl.types("kickfromgroup anna")
    assert group(anna) == []
    assert leads(anna) == 0
    assert [member.name for member in group(bert)] == ["Carl"]
    await bert.types("leavegroup")
    assert group(bert) == group(carl) == []
    assert "The party is no more." in lines(carl)


async def test_a_party_ends_for_all() -> None:
    _, (anna, bert) = await grouped("anna", "bert")
    await anna.types("disband")
    assert group(anna) == group(bert) == []


async def test_words_to_the_party_come_in_its_channel() -> None:
    _, (anna, bert) = await grouped("anna", "bert")
    await anna.types("gsay hail")
    assert [(chat.channel, chat.text) for chat in bert.took(HearChat)] == [(15, "hail")]


# How the others fare


async def test_bars_levels_and_zones_of_the_others() -> None:
    desk, (anna, bert) = await grouped("anna", "bert")
    member = named(anna, bert)
    mobile = bert.mobile
    assert (member.status, member.spawn_id, member.pet_id) == (IN_ZONE, mobile.serial, NOBODY)
    assert (member.hits, member.max_hits) == (mobile.hits, mobile.hits_max)
    assert (member.power, member.max_power) == (mobile.mana, mobile.mana_max)
    assert (member.level, member.zone) == (mobile.level, "The Plain")
    mobile.hits = 7
    anna.got.clear()
    await desk.wait(1.1)
    assert named(anna, bert).hits == 7
    assert len(anna.took(CharacterSheet)) == 1
    desk.world.warp(mobile, desk.world.realms["plain"], 55, 55)
    await desk.wait(1.1)
    assert (named(anna, bert).status, named(anna, bert).spawn_id) == (IN_ZONE, 0), "out of sight"
    mobile.hits = 5
    await desk.wait(1.1)
    assert named(anna, bert).hits == 5
    desk.world.warp(anna.mobile, desk.world.realms["plain"], 54, 55)
    await desk.wait(1.1)
    assert named(anna, bert).spawn_id == mobile.serial, "it came into sight, for she moved"
    desk.world.warp(mobile, desk.world.realms["cave"], 5, 5)
    await desk.wait(1.1)
    assert (named(anna, bert).status, named(anna, bert).zone) == (ELSEWHERE, "The Cave")


async def test_a_client_that_is_told_the_differences_has_the_whole() -> None:
    desk, (anna, bert, carl) = await grouped("anna", "bert", "carl")
    seen = anna.session.sheet
    anna.got.clear()
    for mobile, hits in ((bert.mobile, 9), (carl.mobile, 8), (anna.mobile, 7), (bert.mobile, 6)):
        mobile.hits = hits
        await desk.wait(1.1)
    sheets = anna.took(CharacterSheet)
    assert len(sheets) >= 4
    for message in sheets:
        seen = xor(seen, unpack(message.packed, SHEET))
    assert seen == anna.session.sheet
    assert (named(anna, bert).hits, named(anna, carl).hits) == (6, 8)


async def test_in_whatever_order_things_happen_the_sheet_is_as_if_made_anew() -> None:
    desk, players = await grouped("anna", "bert", "carl", "dora", "emil")
    anna, *others = players
    chance, realms = Random(5), desk.world.realms
    for _ in range(60):
        for one in chance.sample(players, chance.randrange(1, 4)):
            mobile, party_of = one.mobile, one.mobile.party
            match chance.randrange(8):
                case 0 | 1 | 2:
                    mobile.hits = chance.randrange(1, mobile.hits_max)
                case 3:
                    mobile.mana = chance.randrange(mobile.mana_max)
                case 4:
                    desk.world.warp(mobile, realms["plain"], chance.choice((20, 22, 55)), 24)
                case 5 if party_of is not None and one is not anna:
                    party.leave(mobile)
                case 6 if anna.mobile.party is not None and anna.mobile.party.leader == anna.mobile.serial:
                    absent = [other for other in others if other.mobile.party is None]
                    for other in absent[:1]:
                        await anna.types(f"invite {other.mobile.name}")
                        await other.types("acceptinvite")
                case 7 if party_of is not None and party_of.leader == mobile.serial:
                    party.hand_over(mobile, chance.choice(party_of.members[1:]))
        await desk.wait(1.1)
        for one in players:
            session, party_of = one.session, one.mobile.party
            begin, end = group_area(newest_version())
            before = session.sheet
            assert session.group in (b"", before[begin:end])
            states = party.states(party_of) if party_of is not None else ()
            assert GroupShown(states).bind(session) == b"", "nothing is told that it did not have"
            assert session.sheet == before


async def test_who_is_away_is_shown_so_and_comes_back() -> None:
    desk, (anna, bert) = await grouped("anna", "bert")
    party_of = anna.mobile.party
    assert party_of is not None
    bert.mobile.online = False
    party.parted(bert.mobile)
    await desk.wait(0.1)
    assert named(anna, bert).status == AWAY
    bert.mobile.online = True
    party.resumed(bert.mobile)
    await desk.wait(0.1)
    assert named(anna, bert).status == IN_ZONE


async def test_who_comes_into_the_world_has_the_group_on_its_first_sheet() -> None:
    desk, (anna, bert) = await grouped("anna", "bert")
    told = desk.view.own(bert.mobile, newest_version())
    bert.session.sheet = bert.session.group = b""
    bert.session.fellows = []
    bert.session.queue(*told)
    bert.flush()
    assert len(bert.took(CharacterSheet)) == 1
    assert [member.name for member in group(bert)] == ["Anna"]
    assert anna.mobile.party is bert.mobile.party


# Options


async def test_the_loot_of_a_party_is_an_option_of_its_group() -> None:
    _, (anna, bert) = await grouped("anna", "bert")
    party_of = anna.mobile.party
    assert party_of is not None
    for choice, rule in ((0, LootRule.LEADER), (2, LootRule.TURNS), (1, LootRule.FINDER)):
        await anna.says(GroupOptions(choice))
        assert party_of.rule is rule
        assert any(line.startswith("Loot of the party") for line in lines(bert))
        await bert.says(DefaultGroupOptionsRequest())
        assert bert.only(DefaultGroupOptions).loot == choice
    anna.got.clear()
    await anna.says(GroupOptions(1, yell=1))
    assert lines(anna) == [ONLY_LOOT]
    await anna.says(GroupOptions(3))
    assert lines(anna) == [Refusal.UNFIT.value]
    await bert.says(GroupOptions(0))
    assert Refusal.NO_LEADER.value in lines(bert)


async def test_without_the_window_all_is_told_in_words() -> None:
    desk, (anna, bert) = await several("anna", "bert")
    figures = desk.view.figures
    figures.rendering = attrs.evolve(figures.rendering, group_window=False)
    await anna.types("invite bert")
    assert bert.took(ReceiveOffer) == []
    assert bert.took(DialogOpen) != []
    await bert.types("acceptinvite")
    assert f"You join the party of {anna.mobile.name}." in lines(bert)
    assert group(anna) == []
