"""Lineage II: guilds in the window of clans, its boxes and commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest
import trio

from protocol.l2 import packets as l2
from protocol.l2.grades import GRADES, LEADS, rank_of, rights
from protocol.l2.packets import (
    ActionFailed,
    AllyDismiss,
    AllyLeave,
    AskJoinAlly,
    AskJoinPledge,
    CharInfo,
    ChatType,
    CreatureSay,
    JoinPledge,
    ManagePledgePower,
    NpcHtmlMessage,
    PledgeGrade,
    PledgeInfo,
    PledgeMember,
    PledgePowerAction,
    PledgePowerGradeList,
    PledgeReceiveMemberInfo,
    PledgeReceivePowerInfo,
    PledgeReceiveWarList,
    PledgeRight,
    PledgeShowInfoUpdate,
    PledgeShowMemberListAdd,
    PledgeShowMemberListAll,
    PledgeShowMemberListDelete,
    PledgeShowMemberListDeleteAll,
    PledgeShowMemberListUpdate,
    PledgeWar,
    RelationChanged,
    RequestAllyInfo,
    RequestAnswerJoinAlly,
    RequestAnswerJoinPledge,
    RequestCreatePledge,
    RequestDismissAlly,
    RequestJoinAlly,
    RequestJoinPledge,
    RequestOustPledgeMember,
    RequestPledgeInfo,
    RequestPledgeMemberInfo,
    RequestPledgeMemberList,
    RequestPledgeMemberPowerInfo,
    RequestPledgePower,
    RequestPledgePowerGradeList,
    RequestPledgeSetMemberPowerGrade,
    RequestPledgeWarList,
    RequestRestart,
    RequestStartPledgeWar,
    RequestStopPledgeWar,
    RequestSurrenderPledgeWar,
    RequestWithdrawalPledge,
    SystemMessage,
    UserInfo,
    WarTab,
)
from protocol.l2.pledges import LEVEL, MOST_ROWS
from protocol.wishes import Wish
from tests.kit.l2_actor import L2Actor
from tests.kit.l2_desk import Desk, Player
from tests.kit.l2_recorded import VERSION
from tests.kit.town import Town
from world import granting, guild_ties, guilds, invites, law
from world.guild import RIGHTS, Bond, Guild, Rank, Right
from world.guild_rolls import renew
from world.reach import Refusal

if TYPE_CHECKING:
    from trio.testing import MockClock

AT_WAR = 0x8000


async def some(*names: str) -> list[Player]:
    """These, side by side and in no guild."""
    desk = Desk()
    found = [await desk.enter(name, (20 + number, 20)) for number, name in enumerate(names)]
    await forget(found)
    return found


async def forget(players: list[Player]) -> None:
    """What came up to now counts no more."""
    await players[0].desk.wait(1.1)
    for player in players:
        player.got.clear()


def founds(player: Player, name: str = "Weavers", tag: str = "WV") -> Guild:
    granting.make(player.mobile, "gold", guilds.FEE)
    return guilds.found(player.mobile, name, tag)


async def joins(leader: Player, guest: Player) -> None:
    await leader.desk.wait(1.1)
    await leader.says(RequestJoinPledge(guest.mobile.serial))
    await guest.says(RequestAnswerJoinPledge(1))
    await leader.desk.wait(0.1)
    assert guest.mobile.guild is leader.mobile.guild is not None


async def weavers(*names: str) -> list[Player]:
    """The first leads a guild of all of them; what came by that is taken."""
    players = await some(*names)
    founds(players[0])
    for guest in players[1:]:
        await joins(players[0], guest)
    await forget(players)
    return players


def clans(player: Player) -> list[str]:
    """What came to the window, in order."""
    return [name.removeprefix("PledgeShow") for name in player.kinds() if name.startswith("PledgeShow")]


def row(player: Player, *, online: bool = True) -> PledgeMember:
    serial = player.mobile.serial
    return PledgeMember(player.mobile.name, 1, 0, 0, serial, serial if online else 0)


# Layouts


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        (l2.AskJoinPledge(5, "Wv"), "32 05000000 570076000000"),
        (l2.JoinPledge(7), "33 07000000"),
        (l2.ManagePledgePower(l2.PledgeRight.INVITE), "30 00000000 00000000 02000000"),
        (
            PledgeShowMemberListAll(7, "Wv", "A", 5, 7, "B", 1, (PledgeMember("A", 3, 10, 1, 9, 9),)),
            "53 00000000 07000000 00000000 570076000000 41000000 00000000 05000000 00000000 00000000"
            "00000000 00000000 00000000 00000000 07000000 42000000 00000000 01000000 01000000"
            "41000000 03000000 0a000000 01000000 09000000 09000000 00000000",
        ),
        (
            PledgeShowMemberListUpdate("A", 3, 10, 0, 9, 0),
            "54 41000000 03000000 0a000000 00000000 09000000 00000000 00000000 00000000",
        ),
        (
            PledgeShowMemberListAdd("A", 3, 10, 9),
            "55 41000000 03000000 0a000000 00000000 01000000 09000000 00000000",
        ),
        (PledgeShowMemberListDelete("A"), "56 41000000"),
        (PledgeShowMemberListDeleteAll(), "82"),
        (PledgeInfo(7, "Wv", ""), "83 07000000 570076000000 0000"),
        (
            PledgeShowInfoUpdate(7, 5, 0, "", 1),
            "88 07000000 00000000 05000000 00000000 00000000 00000000 00000000 00000000 00000000"
            "00000000 0000 00000000 01000000",
        ),
        (l2.AskJoinAlly(5, "Wv"), "a8 05000000 570076000000"),
        (PledgePowerGradeList((PledgeGrade(1, 2),)), "fe 3b00 01000000 01000000 02000000"),
        (PledgeReceivePowerInfo(6, "A", PledgeRight(0)), "fe 3c00 06000000 41000000 00000000"),
        (
            PledgeReceiveMemberInfo("A", "t", 6, "Wv"),
            "fe 3d00 00000000 41000000 74000000 06000000 570076000000 0000",
        ),
        (
            PledgeReceiveWarList(1, 0, (PledgeWar("B", 1, 1),)),
            "fe 3e00 01000000 00000000 01000000 42000000 01000000 01000000",
        ),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, l2.Message) else "",
)
def test_messages_lie_as_the_dissector_and_both_public_servers_have_them(
    message: l2.Message, wanted: str
) -> None:
    """eldarkg/lineage2wireshark (746.ini) and Hl4p3x/L2JServer_C6_Interlude; facts/l2-play.md, section 8."""
    assert VERSION.encode(message) == bytes.fromhex(wanted)
    assert VERSION.decode_server(bytes.fromhex(wanted)) == message


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("23 4200 0000", RequestCreatePledge("B")),
        ("24 05000000 00000000", RequestJoinPledge(5)),
        ("25 01000000", RequestAnswerJoinPledge(1)),
        ("26", RequestWithdrawalPledge()),
        ("27 4200 0000", RequestOustPledgeMember("B")),
        ("3c", RequestPledgeMemberList()),
        ("4d 4200 0000", RequestStartPledgeWar("B")),
        ("4f 4200 0000", RequestStopPledgeWar("B")),
        ("51 4200 0000", RequestSurrenderPledgeWar("B")),
        ("66 07000000", RequestPledgeInfo(7)),
        ("82 05000000", RequestJoinAlly(5)),
        ("83 01000000", RequestAnswerJoinAlly(1)),
        ("84", AllyLeave()),
        ("85 4200 0000", AllyDismiss("B")),
        ("86", RequestDismissAlly()),
        ("8e", RequestAllyInfo()),
        ("c0 02000000 01000000", RequestPledgePower(2, PledgePowerAction.SHOW)),
        ("c0 02000000 02000000 08000000", RequestPledgePower(2, PledgePowerAction.CHANGE, 8)),
        ("d0 1a00", RequestPledgePowerGradeList()),
        ("d0 1b00 00000000 4200 0000", RequestPledgeMemberPowerInfo(0, "B")),
        ("d0 1c00 4200 0000 02000000", RequestPledgeSetMemberPowerGrade("B", 2)),
        ("d0 1d00 00000000 4200 0000", RequestPledgeMemberInfo(0, "B")),
        ("d0 1e00 00000000 01000000", RequestPledgeWarList(0, 1)),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, l2.Message) else "",
)
def test_requests_lie_as_the_dissector_says(raw: str, message: l2.Message) -> None:
    """eldarkg/lineage2wireshark (746.ini)."""
    assert VERSION.decode_client(bytes.fromhex(raw)) == message


# Grades


def test_each_rank_is_a_grade_and_back() -> None:
    assert [rank_of(GRADES[rank]) for rank in Rank] == list(Rank)
    assert [rank_of(grade) for grade in (0, 1, 2, 3, 5, 6, 9)] == [
        Rank.LEADER,
        Rank.LEADER,
        Rank.OFFICER,
        Rank.MEMBER,
        Rank.MEMBER,
        Rank.RECRUIT,
        Rank.RECRUIT,
    ]


def test_the_client_has_buttons_for_what_a_rank_may_do() -> None:
    assert rights(Rank.RECRUIT) == 0
    assert rights(Rank.MEMBER) == PledgeRight.INVITE
    for rank in Rank:
        assert (PledgeRight.DISMISS in rights(rank)) == (Right.EXPEL in RIGHTS[rank])
        assert (PledgeRight.WAR in rights(rank)) == (Right.TIES in RIGHTS[rank])


# To found


async def test_a_guild_is_founded_by_the_pages_of_a_dialog_and_the_window_shows_it() -> None:
    (alric,) = await some("alric")
    granting.make(alric.mobile, "gold", guilds.FEE)
    await forget([alric])
    await alric.says(RequestCreatePledge("Weavers"))
    assert "To found one costs" in alric.only(NpcHtmlMessage).html, "it names no tag"
    (dialog,) = alric.mobile.dialogs.values()
    assert [one.key for one in dialog.inputs] == ["name", "tag"]
    founds(alric)
    await alric.desk.wait(0.1)
    guild = alric.mobile.guild
    assert guild is not None
    assert alric.only(PledgeShowMemberListAll) == PledgeShowMemberListAll(
        guild.number, "Weavers", "Alric", LEVEL, 0, "", 0, (row(alric),)
    )
    own = alric.took(UserInfo)[-1]
    assert (own.clan_id, own.relation) == (guild.number, LEADS)
    assert own.clan_privileges == rights(Rank.LEADER)
    await alric.desk.wait(1.1)
    alric.got.clear()
    await alric.says(RequestCreatePledge("Others"))
    assert alric.told() == [Refusal.IN_GUILD.value]


# To join


async def test_who_is_asked_sees_the_clients_own_box_and_all_see_who_joined() -> None:
    alric, berta, carla = await weavers("alric", "berta", "carla")
    dora = await alric.desk.enter("dora", (23, 20))
    await forget([alric, berta, carla, dora])
    guild = alric.mobile.guild
    assert guild is not None
    await alric.says(RequestJoinPledge(dora.mobile.serial))
    assert dora.only(AskJoinPledge) == AskJoinPledge(alric.mobile.serial, "Weavers")
    assert dora.took(NpcHtmlMessage) == [], "one question is enough"
    assert alric.told() == ["You ask Dora to join Weavers."]
    assert len(alric.took(ActionFailed)) == 1
    await dora.says(RequestAnswerJoinPledge(1))
    await alric.desk.wait(0.1)
    assert dora.only(JoinPledge) == JoinPledge(guild.number)
    shown = dora.only(PledgeShowMemberListAll)
    assert (shown.clan_id, shown.leader) == (guild.number, "Alric")
    assert shown.members == (row(alric), row(berta), row(carla), row(dora))
    assert dora.took(UserInfo)[-1].clan_id == guild.number
    for player in (alric, berta, carla):
        serial = dora.mobile.serial
        assert player.only(PledgeShowMemberListAdd) == PledgeShowMemberListAdd("Dora", 1, 0, serial)
        assert player.took(JoinPledge) == []
        seen = {one.object_id: one.clan_id for one in player.took(CharInfo)}
        assert seen[dora.mobile.serial] == guild.number
        assert player.told()[-1] == "Dora has joined Weavers."


async def test_a_no_is_told_and_a_second_answer_counts_no_more() -> None:
    alric, berta = await some("alric", "berta")
    founds(alric)
    await forget([alric, berta])
    await alric.says(RequestJoinPledge(berta.mobile.serial))
    await berta.says(RequestAnswerJoinPledge(0))
    assert alric.told()[-1] == "Berta does not want to."
    berta.got.clear()
    await berta.says(RequestAnswerJoinPledge(1))
    assert berta.told() == [Refusal.NOT_ASKED.value]
    assert berta.mobile.guild is None
    assert clans(berta) == []


async def test_who_cannot_be_asked_or_may_not_ask() -> None:
    alric, berta, carla = await some("alric", "berta", "carla")
    founds(alric)
    founds(carla, "Spinners", "SP")
    await joins(alric, berta)
    await forget([alric, berta, carla])
    dora = await alric.desk.enter("dora", (23, 20))
    for player, serial, why in (
        (alric, 0x7FFF_FFFF, Refusal.GONE),
        (alric, alric.mobile.serial, Refusal.ONESELF),
        (alric, carla.mobile.serial, Refusal.THEY_IN_GUILD),
        (berta, dora.mobile.serial, Refusal.NO_RIGHT),
        (dora, alric.mobile.serial, Refusal.NO_GUILD),
    ):
        player.got.clear()
        await player.says(RequestJoinPledge(serial))
        assert player.told() == [why.value]
        assert len(player.took(ActionFailed)) == 1
        await player.desk.wait(1.1)
    assert dora.took(AskJoinPledge) == []


# In it


async def test_the_list_is_told_again_when_the_window_opens() -> None:
    alric, berta = await weavers("alric", "berta")
    await berta.says(RequestPledgeMemberList())
    assert berta.only(PledgeShowMemberListAll).members == (row(alric), row(berta))


async def test_promoting_shows_the_one_it_befalls_which_buttons_there_are() -> None:
    alric, berta = await weavers("alric", "berta")
    await alric.says(RequestPledgeSetMemberPowerGrade("BERTA", 2))
    guild = alric.mobile.guild
    assert guild is not None
    assert guild.rank_of(berta.mobile.serial) is Rank.OFFICER
    own = berta.only(UserInfo)
    assert (own.relation, own.clan_privileges) == (0, rights(Rank.OFFICER))
    assert clans(alric) == clans(berta) == ["MemberListUpdate"]
    assert alric.took(UserInfo) == []
    await alric.says(RequestPledgeMemberPowerInfo(0, "Berta"), RequestPledgeMemberInfo(0, "Berta"))
    assert alric.only(PledgeReceivePowerInfo) == PledgeReceivePowerInfo(2, "Berta", rights(Rank.OFFICER))
    assert alric.only(PledgeReceiveMemberInfo) == PledgeReceiveMemberInfo("Berta", "", 2, "Weavers")
    await alric.says(RequestPledgePowerGradeList(), RequestPledgePower(2, PledgePowerAction.SHOW))
    assert alric.only(PledgePowerGradeList).grades == (
        PledgeGrade(1, 1),
        PledgeGrade(2, 1),
        PledgeGrade(5, 0),
        PledgeGrade(6, 0),
    )
    assert alric.only(ManagePledgePower).rights == rights(Rank.OFFICER)
    await forget([alric, berta])
    await alric.says(RequestPledgePower(2, PledgePowerAction.CHANGE, 0))
    assert alric.told() == [Wish.RANKS.value]
    assert alric.only(ManagePledgePower).rights == rights(Rank.OFFICER), "which it stays"


async def test_another_leads_and_the_list_says_so() -> None:
    alric, berta = await weavers("alric", "berta")
    guilds.hand_over(alric.mobile, "Berta")
    await alric.desk.wait(0.1)
    for player, relation in ((alric, 0), (berta, LEADS)):
        assert player.took(PledgeShowMemberListAll)[-1].leader == "Berta"
        assert player.took(UserInfo)[-1].relation == relation


async def test_who_is_expelled_or_leaves_goes_out_of_the_window() -> None:
    alric, berta, carla = await weavers("alric", "berta", "carla")
    await alric.says(RequestOustPledgeMember("berta"))
    assert berta.mobile.guild is None
    await alric.desk.wait(0.1)
    assert clans(berta) == ["MemberListDeleteAll"]
    assert berta.took(UserInfo)[-1].clan_id == 0
    for player in (alric, carla):
        assert player.only(PledgeShowMemberListDelete).name == "Berta"
        seen = {one.object_id: one.clan_id for one in player.took(CharInfo)}
        assert seen[berta.mobile.serial] == 0
    await forget([alric, berta, carla])
    await carla.says(RequestWithdrawalPledge())
    await alric.desk.wait(0.1)
    assert clans(carla) == ["MemberListDeleteAll"]
    assert carla.session.pledge is None
    assert alric.only(PledgeShowMemberListDelete).name == "Carla"
    alric.got.clear()
    await alric.says(RequestWithdrawalPledge())
    assert alric.told() == [Refusal.LEADS.value]
    guilds.disband(alric.mobile)
    await alric.desk.wait(0.1)
    assert clans(alric) == ["MemberListDeleteAll"]


@pytest.mark.parametrize(
    "message",
    [
        RequestWithdrawalPledge(),
        RequestOustPledgeMember("Alric"),
        RequestPledgeSetMemberPowerGrade("Alric", 2),
        RequestPledgeMemberList(),
        RequestPledgeMemberInfo(0, "Alric"),
        RequestPledgeMemberPowerInfo(0, "Alric"),
        RequestPledgePower(1, 1),
        RequestPledgePowerGradeList(),
        RequestPledgeWarList(0, 0),
        RequestStartPledgeWar("Weavers"),
        RequestAllyInfo(),
        AllyLeave(),
    ],
    ids=lambda message: type(message).__name__,
)
async def test_who_is_in_no_guild_is_told_so(message: l2.Message) -> None:
    (alric,) = await some("alric")
    await alric.says(message)
    assert alric.told() == [Refusal.NO_GUILD.value]


async def test_what_a_rank_does_not_allow() -> None:
    alric, berta, carla = await weavers("alric", "berta", "carla")
    for player, message, why in (
        (berta, RequestOustPledgeMember("Carla"), Refusal.NO_RIGHT),
        (berta, RequestPledgeSetMemberPowerGrade("Carla", 5), Refusal.NO_RIGHT),
        (berta, RequestStartPledgeWar("Spinners"), Refusal.NO_RIGHT),
        (alric, RequestPledgeSetMemberPowerGrade("Carla", 1), Refusal.NO_RIGHT),
        (alric, RequestOustPledgeMember("Nobody"), Refusal.NO_MEMBER),
        (alric, RequestPledgeMemberInfo(0, "Nobody"), Refusal.NO_MEMBER),
    ):
        player.got.clear()
        await player.says(message)
        assert player.told() == [why.value]
        await player.desk.wait(1.1)
    assert carla.mobile.guild is not None


async def test_who_goes_and_comes_stays_in_the_list() -> None:
    alric, berta = await weavers("alric", "berta")
    gone = row(berta, online=False)
    await berta.says(RequestRestart())
    await alric.desk.wait(0.1)
    numbers = gone.level, gone.class_id, gone.sex, gone.object_id
    assert alric.only(PledgeShowMemberListUpdate) == PledgeShowMemberListUpdate("Berta", *numbers, 0)
    await alric.says(RequestPledgeMemberInfo(0, "Berta"))
    assert alric.only(PledgeReceiveMemberInfo).grade == GRADES[Rank.RECRUIT]
    await berta.says(l2.CharacterSelect(0), l2.EnterWorld())
    await alric.desk.wait(0.1)
    assert alric.only(PledgeShowMemberListUpdate).online == berta.mobile.serial
    assert berta.only(PledgeShowMemberListAll).members == (row(alric), row(berta))
    assert berta.took(JoinPledge) == [], "it is in it already"
    assert berta.took(UserInfo)[-1].clan_privileges == rights(Rank.RECRUIT)


@pytest.mark.parametrize("more", [MOST_ROWS, MOST_ROWS + 1])
async def test_of_many_changes_at_once_the_whole_list_is_told(more: int) -> None:
    """As for a client that was told nothing for a while."""
    (alric,) = await weavers("alric")
    shown, guild = alric.session.pledge, alric.mobile.guild
    assert shown is not None
    assert guild is not None
    gone = (attrs.evolve(shown.leader, serial=9000 + at, name=f"Gone{at}") for at in range(more))
    alric.session.pledge = attrs.evolve(shown, members=(*shown.members, *gone))
    renew(alric.desk.world, guild)
    await alric.desk.wait(0.1)
    assert clans(alric) == (["MemberListDelete"] * more if more <= MOST_ROWS else ["MemberListAll"])
    assert alric.session.pledge == shown


def _nothing() -> None:
    """What follows upon a yes."""


async def test_a_question_about_something_else_is_a_page() -> None:
    alric, berta = await weavers("alric", "berta")
    invites.ask(
        alric.mobile,
        berta.mobile,
        guilds.GUILD,
        title="Guild",
        text="Is it?",
        told="You ask.",
        accepted=_nothing,
        about="else",
    )
    await alric.desk.wait(0.1)
    assert "Is it?" in berta.only(NpcHtmlMessage).html
    berta.got.clear()
    await berta.says(RequestAnswerJoinPledge(1))
    assert berta.told() == [Refusal.NOT_ASKED.value]


async def test_the_name_of_a_guild_is_told_to_whoever_sees_its_members() -> None:
    alric, berta = await some("alric", "berta")
    guild = founds(alric)
    await forget([alric, berta])
    await berta.says(RequestPledgeInfo(guild.number), RequestPledgeInfo(guild.number + 1))
    assert berta.only(PledgeInfo) == PledgeInfo(guild.number, "Weavers", "")
    assert berta.took(SystemMessage) == []


async def test_words_to_the_guild_and_its_allies() -> None:
    alric, berta = await weavers("alric", "berta")
    carla = await alric.desk.enter("carla", (23, 20))
    founds(carla, "Spinners", "SP")
    guild_ties.ask_alliance(alric.mobile, "Spinners")
    invites.accept(carla.mobile, guild_ties.ALLIANCE)
    await forget([alric, berta, carla])
    await alric.says_text("psst", ChatType.CLAN)
    said = berta.only(CreatureSay)
    assert (said.type, said.name, said.text) == (ChatType.CLAN, "Alric", "psst")
    assert carla.took(CreatureSay) == []
    await alric.says_text("hail", ChatType.ALLIANCE)
    assert carla.only(CreatureSay).type == ChatType.ALLIANCE


# Wars and allies


async def at_peace() -> list[Player]:
    """Alric leads Weavers, Carla leads Spinners with Dora."""
    alric, carla, dora = await some("alric", "carla", "dora")
    founds(alric)
    founds(carla, "Spinners", "SP")
    await joins(carla, dora)
    await forget([alric, carla, dora])
    return [alric, carla, dora]


async def test_a_war_is_marked_beside_the_names_and_in_the_windows() -> None:
    alric, carla, dora = await at_peace()
    erik = await alric.desk.enter("erik", (24, 20))
    await forget([alric, carla, dora, erik])
    await alric.says(RequestStartPledgeWar("spinners"))
    await alric.desk.wait(0.1)
    for player, others in ((alric, (carla, dora)), (dora, (alric,))):
        last = {one.object_id: one for one in player.took(RelationChanged)}
        for other in others:
            told = last[other.mobile.serial]
            assert (told.relation, told.auto_attackable) == (AT_WAR, 1)
        assert player.only(PledgeShowInfoUpdate).at_war == 1
    assert all(one.relation == 0 for one in erik.took(RelationChanged)), "it is not his war"
    assert {one.object_id for one in carla.took(CharInfo)} == {alric.mobile.serial, dora.mobile.serial}
    await alric.says(RequestPledgeWarList(0, WarTab.DECLARED), RequestPledgeWarList(0, WarTab.UNDER_ATTACK))
    assert [[war.name for war in one.wars] for one in alric.took(PledgeReceiveWarList)] == [["Spinners"], []]
    await dora.says(RequestPledgeWarList(0, WarTab.UNDER_ATTACK))
    assert dora.only(PledgeReceiveWarList).wars == (PledgeWar("Weavers", 1, 1),)
    await forget([alric, carla, dora])
    await alric.says(RequestStopPledgeWar("Spinners"))
    await alric.desk.wait(0.1)
    assert {one.relation for one in alric.took(RelationChanged)} == {0}
    assert dora.only(PledgeShowInfoUpdate).at_war == 0


async def test_who_did_not_declare_a_war_asks_for_peace_by_a_page() -> None:
    alric, carla, _ = await at_peace()
    guild_ties.declare_war(alric.mobile, "Spinners")
    await forget([alric, carla])
    await carla.says(RequestSurrenderPledgeWar("Weavers"))
    assert "asks for peace" in alric.only(NpcHtmlMessage).html
    invites.accept(alric.mobile, guild_ties.PEACE)
    assert carla.mobile.guild is not None
    assert carla.mobile.guild.bond(alric.mobile.guild) is None
    await forget([alric, carla])
    await carla.says(RequestStopPledgeWar("Weavers"))
    assert carla.told() == [Refusal.NO_BOND.value]


async def test_a_click_on_an_enemy_strikes_where_players_may_fight() -> None:
    alric, carla, _ = await at_peace()
    click = l2.Action(carla.mobile.serial, 0, 0, 0, 0)
    await alric.says(click, click)
    assert alric.told() == [], "it walks up"
    guild_ties.declare_war(alric.mobile, "Spinners")
    await forget([alric, carla])
    carla.mobile.level = 20
    await alric.says(click)
    assert law.fights_allowed(alric.mobile)
    assert alric.mobile.fighter is not None
    assert alric.mobile.fighter.enemy == carla.mobile.serial


async def test_an_alliance_is_asked_for_in_the_clients_own_box() -> None:
    alric, carla, dora = await at_peace()
    await alric.says(RequestJoinAlly(dora.mobile.serial))
    assert carla.only(AskJoinAlly) == AskJoinAlly(alric.mobile.serial, "Weavers")
    assert dora.took(AskJoinAlly) == [], "she does not lead it"
    await carla.says(RequestAnswerJoinAlly(1))
    assert alric.mobile.guild is not None
    assert alric.mobile.guild.bond(carla.mobile.guild) is Bond.ALLIED
    await alric.desk.wait(0.1)
    shown = dora.only(PledgeShowInfoUpdate)
    assert (shown.ally_id, shown.ally_name, shown.at_war) == (shown.clan_id, "Weavers", 0)
    await forget([alric, carla, dora])
    await dora.says(RequestAllyInfo())
    assert dora.told() == ["Your guild is allied with Weavers [WV]."]


@pytest.mark.parametrize("message", [AllyLeave(), RequestDismissAlly(), AllyDismiss("Weavers")])
async def test_an_alliance_ends_by_any_of_its_words(message: l2.Message) -> None:
    alric, carla, _ = await at_peace()
    guild_ties.ask_alliance(alric.mobile, "Spinners")
    invites.accept(carla.mobile, guild_ties.ALLIANCE)
    await forget([alric, carla])
    await carla.says(message)
    assert carla.mobile.guild is not None
    assert carla.mobile.guild.ties == {}
    await forget([alric, carla])
    await carla.says(message)
    missing = Refusal.NO_BOND if isinstance(message, AllyDismiss) else Refusal.NO_ALLIANCE
    assert carla.told() == [missing.value]


async def test_who_cannot_be_an_ally() -> None:
    alric, _, dora = await at_peace()
    erik = await alric.desk.enter("erik", (24, 20))
    for player, serial, why in (
        (alric, erik.mobile.serial, "They are in no guild."),
        (alric, alric.mobile.serial, Refusal.ONESELF.value),
        (alric, 0x7FFF_FFFF, Refusal.GONE.value),
        (dora, alric.mobile.serial, Refusal.NO_RIGHT.value),
    ):
        player.got.clear()
        await player.says(RequestJoinAlly(serial))
        assert player.told() == [why]
        await player.desk.wait(1.1)
    await dora.says(RequestAnswerJoinAlly(1))
    assert dora.told() == [Refusal.NOT_ASKED.value]


# Clients


async def test_clients_found_a_guild_in_words_and_join_in_their_windows(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    town = Town(nursery, games=("l2",))
    await town.open()
    anna, bert = L2Actor(town), L2Actor(town)
    for actor, name in ((anna, "Anna"), (bert, "Bert")):
        await actor.enters(name.lower(), name)
    granting.make(town.mobile("Anna"), "gold", guilds.FEE)
    await trio.sleep(1)
    await anna.say(".guild found WV Weavers")
    await trio.sleep(1)
    assert anna.guild_shown() == ["Anna"]
    await anna.asks_into_guild("Bert")
    await trio.sleep(1)
    assert bert.client.screen.clan_asker == "Weavers"
    await bert.joins_guild()
    await trio.sleep(1)
    assert anna.guild_shown() == bert.guild_shown() == ["Anna", "Bert"]
    me, other = bert.client.screen.me, bert.client.screen.by_name("Anna")
    assert me is not None
    assert other is not None
    assert me.clan == other.clan != 0
    await bert.say(".guild leave")
    await trio.sleep(1)
    assert (anna.guild_shown(), bert.guild_shown()) == (["Anna"], [])
    await anna.logs_out()
    await trio.sleep(1)
    for actor in (anna, bert):
        assert actor.client.screen.faults == []
