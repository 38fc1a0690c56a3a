"""Lineage II: guilds in the window of clans, and its boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest
import trio

from protocol.l2 import packets as l2
from protocol.l2.grades import GRADES, LEADS, rank_of, rights
from protocol.l2.packets import (
    ActionFailed,
    AllyLeave,
    AskJoinPledge,
    CharInfo,
    ChatType,
    CreatureSay,
    JoinPledge,
    ManagePledgePower,
    NpcHtmlMessage,
    PledgeGrade,
    PledgeInfo,
    PledgePowerAction,
    PledgePowerGradeList,
    PledgeReceiveMemberInfo,
    PledgeReceivePowerInfo,
    PledgeRight,
    PledgeShowMemberListAdd,
    PledgeShowMemberListAll,
    PledgeShowMemberListDelete,
    PledgeShowMemberListUpdate,
    RequestAllyInfo,
    RequestAnswerJoinPledge,
    RequestCreatePledge,
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
    RequestWithdrawalPledge,
    SystemMessage,
    UserInfo,
)
from protocol.l2.pledges import LEVEL, MOST_ROWS
from protocol.l2.view import L2View
from protocol.wishes import Wish
from tests.kit.l2_actor import L2Actor
from tests.kit.l2_pledges import clans, forget, founds, joins, row, some, weavers
from tests.kit.town import Town
from world import granting, guild_ties, guilds, invites
from world.guild import RIGHTS, Rank, Right
from world.guild_rolls import renew, renew_member
from world.mobile import Access
from world.reach import Refusal

if TYPE_CHECKING:
    from trio.testing import MockClock

    from protocol.l2.looks import Calling
    from world.guild_events import MemberLine


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


async def test_who_is_not_shown_cannot_be_asked_by_its_number() -> None:
    """Numbers are easily guessed: the answer would name whoever hides or is somewhere else."""
    alric, berta = await weavers("alric", "berta")
    dora = await alric.desk.enter("dora", (23, 20))
    founds(dora, "Spinners", "SP")
    dora.mobile.access, dora.mobile.hidden = Access.GAME_MASTER, True
    await alric.desk.wait(1.1)
    assert dora.mobile.serial not in alric.session.known
    for message in (RequestJoinPledge(dora.mobile.serial), RequestJoinAlly(dora.mobile.serial)):
        await forget([alric, berta, dora])
        await alric.says(message)
        assert alric.told() == [Refusal.UNSEEN.value]
        assert dora.told() == []


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


async def test_of_one_who_comes_one_row_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not one for each member: all of them are told, so that would be members times members."""
    alric, berta, _ = await weavers("alric", "berta", "carla")
    figures = L2View.of(alric.session).figures
    asked: list[int] = []
    calling = figures.calling

    def counted(who: MemberLine) -> Calling:
        asked.append(who.serial)
        return calling(who)

    guild = alric.mobile.guild
    assert guild is not None
    guild.members[berta.mobile.serial].rank = Rank.OFFICER
    monkeypatch.setattr(figures, "calling", counted)
    renew_member(alric.desk.world, guild, guild.members[berta.mobile.serial])
    alric.mobile.world.events[:] = [one for one in alric.mobile.world.events if one.thing is alric.mobile]
    await alric.desk.wait(0.1)
    assert clans(alric) == ["MemberListUpdate"]
    assert asked.count(alric.mobile.serial) == 0


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
