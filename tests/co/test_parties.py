"""Parties: the client's window of a team, what it sends and what it is shown (facts/co-play.md, section 8;
facts/co.md, section 12: 1023, 1026)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import attrs
import pytest

from protocol.co.handlers.parties import ASKS_FIRST, HAS_TEAM
from protocol.co.packets import (
    Action,
    ActionType,
    StatusFlag,
    TaskDialog,
    Team,
    TeamAction,
    TeamMember,
    UserAttrib,
)
from protocol.co.versions import CoVersion
from protocol.wishes import Wish
from tests.kit.co_bytes import VERSIONS, told, u16, u32
from tests.kit.co_company import KEEP_ITEMS, KEEP_MONEY, SHARE_ITEMS, SHARE_MONEY, Company
from tests.kit.co_desk import MAP, Desk, Player, place_of, small_content, two, values
from world import invites, life, party
from world.companions import LootRule
from world.reach import Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

STATUS = 26

Pair: TypeAlias = tuple[Player, Player]


def team(action: int, player: Player) -> str:
    """MsgTeam, 12 bytes: action at 4, who at 8."""
    return f"0c00ff03{u32(action)}{u32(player.number)}"


def member(player: Player) -> str:
    """MsgTeamMember, 36 bytes: add 0 at 4, count at 5, name at 8, id 24, look 28, most life 32, life 34."""
    mobile = player.mobile
    name = mobile.name.encode().ljust(16, b"\0").hex()
    look = player.figures.look(mobile)
    bar = u16(mobile.hits_max) + u16(mobile.hits)
    return f"2400020400010000{name}{u32(player.number)}{u32(look)}{bar}"


SHARED = (TeamAction.SHARE_MONEY, TeamAction.SHARE_ITEMS)


async def pair(version: CoVersion = CoVersion.V5017) -> Pair:
    """Alric and Berta, who know each other; what came is forgotten."""
    people = await two(Desk(small_content(), version=version))
    for player in people:
        told(player)
    return people


async def does(player: Player, action: int, number: int = 0) -> None:
    """MsgTeam, after a moment."""
    await player.desk.wait(0.3)
    await player.says(Team(action, number))


async def together(version: CoVersion = CoVersion.V5017) -> Pair:
    """Alric leads Berta; what came is forgotten."""
    alric, berta = await pair(version)
    await does(alric, TeamAction.CREATE, alric.number)
    await does(alric, TeamAction.INVITE, berta.number)
    await does(berta, TeamAction.ACCEPT_INVITATION, alric.number)
    for player in (alric, berta):
        told(player)
    return alric, berta


async def joined_by(leader: Player, *names: str) -> list[Player]:
    """More members, who ask to be let in."""
    found = []
    for number, name in enumerate(names):
        player = await leader.desk.enter(name, (18, 20 + number))
        await does(player, TeamAction.APPLY, leader.number)
        await does(leader, TeamAction.ACCEPT_APPLICATION, player.number)
        found.append(player)
    return found


def shown(player: Player) -> Company:
    """What it shows, without a fault."""
    assert player.screen.faults == []
    return player.screen.company


def goes(player: Player, x: int, y: int) -> None:
    """Far away, on the same map."""
    world = player.desk.world
    world.warp(player.mobile, world.realms["plain"], x, y)


def leads(player: Player) -> bool:
    """Whether the state of its own character says that it leads."""
    return bool(player.screen.values.get(STATUS, 0) & StatusFlag.TEAM_LEADER)


# Into a team


async def test_who_makes_a_team_is_alone_in_it() -> None:
    alric, _ = await pair()
    await does(alric, TeamAction.CREATE, alric.number)
    assert told(alric, Team) == [team(0, alric)], "it comes back"
    assert leads(alric)
    assert shown(alric).names() == ["Alric"]
    assert alric.mobile.party is None
    await does(alric, TeamAction.CREATE, alric.number)
    assert alric.lines() == [HAS_TEAM]


@VERSIONS
async def test_one_asks_and_the_other_joins(version: CoVersion) -> None:
    alric, berta = await pair(version)
    await does(alric, TeamAction.CREATE, alric.number)
    told(alric)
    await does(alric, TeamAction.INVITE, berta.number)
    assert alric.lines() == ["You ask Berta into your party."]
    assert berta.lines() == ["Alric asks you into a party. Loot: whoever finds it."]
    assert told(berta, Team, TaskDialog) == [team(4, alric)], "with the asker's number"
    told(alric)
    await does(berta, TeamAction.ACCEPT_INVITATION, alric.number)
    assert told(alric, Team, TeamMember) == [member(berta)]
    assert told(berta, Team, TeamMember) == [
        *(member(alric), member(berta)),
        *(team(kind, alric) for kind in SHARED),
    ]
    assert shown(alric).names() == shown(berta).names() == ["Alric", "Berta"]
    assert leads(alric)
    assert not leads(berta)


async def test_one_asks_to_be_let_in_and_the_leader_lets_it() -> None:
    alric, berta = await together()
    carl = await alric.desk.enter("carl", (18, 20))
    told(alric), told(berta)
    await does(carl, TeamAction.APPLY, berta.number)
    assert told(alric, Team) == [team(1, carl)], "the leader is asked"
    await does(alric, TeamAction.ACCEPT_APPLICATION, carl.number)
    assert told(berta, TeamMember) == [member(carl)]
    assert shown(carl).names() == ["Alric", "Berta", "Carl"]


async def test_who_is_asked_by_somebody_out_of_its_sight_has_a_window_of_words() -> None:
    alric, berta = await pair()
    alric.mobile.hidden = True
    alric.desk.turn()
    party.invite(alric.mobile, berta.mobile)
    alric.desk.turn()
    assert told(berta, Team) == []
    window = berta.screen.window
    assert window is not None
    await berta.desk.wait(0.3)
    await berta.says(TaskDialog(0, 0, 1, 101))
    assert berta.mobile.party is not None


async def test_who_joins_in_words_has_the_window_as_well() -> None:
    alric, berta = await pair()
    party.invite(alric.mobile, berta.mobile)
    invites.accept(berta.mobile, party.KIND)
    alric.desk.turn()
    assert told(alric, Team, TeamMember) == [
        *(team(0, alric), member(berta)),
        *(team(kind, alric) for kind in SHARED),
    ]
    assert leads(alric)
    assert shown(berta).names() == ["Alric", "Berta"]


async def test_who_leads_nobody_and_joins_another_has_that_team_instead() -> None:
    alric, berta = await pair()
    await does(berta, TeamAction.CREATE, berta.number)
    party.invite(alric.mobile, berta.mobile)
    invites.accept(berta.mobile, party.KIND)
    told(berta)
    alric.desk.turn()
    assert told(berta, Team, TeamMember)[1:4] == [team(6, berta), member(alric), member(berta)]
    assert shown(berta).names() == ["Alric", "Berta"]
    assert not leads(berta)


@pytest.mark.parametrize(
    "action", [TeamAction.ACCEPT_INVITATION, TeamAction.ACCEPT_APPLICATION], ids=lambda one: one.name
)
async def test_whoever_was_asked_nothing_cannot_accept(action: TeamAction) -> None:
    alric, berta = await pair()
    for number in (berta.number, alric.number, 0, 0xFFFFFFFF):
        alric.got.clear()
        await alric.desk.wait(1.1)
        await does(alric, action, number)
        assert alric.lines() == [Refusal.NOT_ASKED.value]
    assert alric.mobile.party is None


@pytest.mark.parametrize("action", [TeamAction.INVITE, TeamAction.APPLY], ids=lambda one: one.name)
async def test_who_cannot_be_asked(action: TeamAction) -> None:
    alric, berta = await pair()
    crier = alric.desk.resident("crier", 22, 20)
    await alric.desk.wait(0.3)
    for number, why in (
        (alric.number, Refusal.ONESELF),
        (alric.figures.ids.of(crier), Refusal.NO_PLAYER),
        (0xFFFFFFFF, Refusal.UNSEEN),
    ):
        alric.got.clear()
        await alric.desk.wait(1.1)
        await does(alric, action, number)
        assert alric.lines() == [why.value]
    assert told(berta, Team) == []


async def test_a_sixth_is_refused_and_who_does_not_lead_asks_nobody() -> None:
    alric, berta = await together()
    others = await joined_by(alric, "carl", "dora", "emil")
    fred = await alric.desk.enter("fred", (24, 20))
    alric.got.clear()
    await does(alric, TeamAction.INVITE, fred.number)
    assert alric.lines() == [Refusal.PARTY_FULL.value]
    berta.got.clear()
    await does(berta, TeamAction.INVITE, fred.number)
    assert berta.lines() == [Refusal.NO_LEADER.value]
    for player in (alric, berta, *others):
        assert shown(player).names() == ["Alric", "Berta", "Carl", "Dora", "Emil"]


# Out of it


async def test_who_leaves_is_told_as_the_others_are() -> None:
    alric, berta = await together()
    (carl,) = await joined_by(alric, "carl")
    for player in (alric, berta, carl):
        told(player)
    await does(berta, TeamAction.LEAVE, berta.number)
    for player in (alric, berta, carl):
        assert told(player, Team, TeamMember) == [team(2, berta)]
    assert shown(berta).members is None
    assert shown(carl).names() == ["Alric", "Carl"]
    assert berta.mobile.party is None


async def test_who_is_sent_away_is_told_as_the_others_are() -> None:
    alric, berta = await together()
    (carl,) = await joined_by(alric, "carl")
    for player in (alric, berta, carl):
        told(player)
    await does(berta, TeamAction.KICK, carl.number)
    assert berta.lines() == [Refusal.NO_LEADER.value]
    await does(alric, TeamAction.KICK, berta.number)
    for player in (alric, berta, carl):
        assert team(7, berta) in told(player, Team, TeamMember)
    assert shown(alric).names() == shown(carl).names() == ["Alric", "Carl"]


@pytest.mark.parametrize("number", [0, 1, 400_001, 0xFFFFFFFF])
async def test_a_number_that_is_nobodys_is_not_sent_away(number: int) -> None:
    alric, _ = await together()
    await does(alric, TeamAction.KICK, number)
    assert alric.lines() == [Refusal.NO_FELLOW.value]


async def test_a_member_that_is_away_can_be_sent_away() -> None:
    alric, berta = await together()
    await joined_by(alric, "carl")
    number = berta.number
    berta.hang_up()
    await alric.desk.wait(0.5)
    assert shown(alric).names() == ["Alric", "Berta", "Carl"]
    await does(alric, TeamAction.KICK, number)
    assert shown(alric).names() == ["Alric", "Carl"]


async def test_how_a_member_fares_that_comes_back_is_told() -> None:
    """It may have been away since the server began, and nobody knew."""
    alric, berta = await together()
    party.parted(berta.mobile)
    fellows = alric.mobile.party.fellows  # type: ignore[union-attr] # they are together
    away = fellows[berta.mobile.serial]
    away.state = attrs.evolve(away.state, hits=0, hits_max=0, online=False)
    party.show(alric.mobile)
    alric.desk.turn()
    told(alric)
    row = shown(alric).members[berta.number]  # type: ignore[index]
    row.life = row.max_life = 0
    party.resumed(berta.mobile)
    alric.desk.turn()
    assert (row.life, row.max_life) == (berta.mobile.hits, berta.mobile.hits_max)
    assert len(told(alric, UserAttrib)) == 1


async def test_the_leader_dismisses_all() -> None:
    alric, berta = await together()
    await does(berta, TeamAction.DISMISS, berta.number)
    assert berta.lines() == [Refusal.NO_LEADER.value]
    await does(alric, TeamAction.DISMISS, alric.number)
    assert told(alric, Team) == [team(6, alric)]
    assert told(berta, Team) == [team(6, berta)]
    assert not leads(alric)
    assert shown(alric).members is shown(berta).members is None


async def test_another_leader_is_another_team_to_the_client() -> None:
    alric, berta = await together()
    (carl,) = await joined_by(alric, "carl")
    for player in (alric, berta, carl):
        told(player)
    party.hand_over(alric.mobile, berta.mobile.serial)
    alric.desk.turn()
    assert told(alric, Team, TeamMember)[:4] == [team(6, alric), member(berta), member(alric), member(carl)]
    assert told(berta, Team, TeamMember)[:4] == [team(6, berta), team(0, berta), member(alric), member(carl)]
    assert (leads(alric), leads(berta)) == (False, True)
    for player in (alric, berta, carl):
        assert shown(player).names() == ["Berta", "Alric", "Carl"]


@pytest.mark.parametrize("action", [TeamAction.LEAVE, TeamAction.DISMISS], ids=lambda one: one.name)
async def test_who_is_alone_in_a_team_ends_it_by_itself(action: TeamAction) -> None:
    alric, _ = await pair()
    await does(alric, TeamAction.CREATE, alric.number)
    told(alric)
    await does(alric, action, alric.number)
    assert told(alric, Team) == [team(action, alric)]
    assert not leads(alric)
    await does(alric, TeamAction.LEAVE, alric.number)
    assert alric.lines() == [Refusal.NO_PARTY.value]


async def test_who_comes_back_is_shown_its_team() -> None:
    alric, berta = await together()
    berta.hang_up()
    await alric.desk.wait(0.5)
    back = await alric.desk.enter("berta")
    await alric.desk.wait(1)
    assert shown(back).names() == ["Alric", "Berta"]


# In it


@pytest.mark.parametrize(
    ("switch", "rule", "shows"),
    [
        (TeamAction.KEEP_ITEMS, LootRule.LEADER, [KEEP_MONEY, KEEP_ITEMS]),
        (TeamAction.KEEP_MONEY, LootRule.LEADER, [KEEP_MONEY, KEEP_ITEMS]),
        (TeamAction.SHARE_ITEMS, LootRule.FINDER, [SHARE_MONEY, SHARE_ITEMS]),
        (TeamAction.SHARE_MONEY, LootRule.FINDER, [SHARE_MONEY, SHARE_ITEMS]),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
async def test_the_leaders_switches_are_the_rule_for_loot(
    switch: TeamAction, rule: LootRule, shows: Sequence[int]
) -> None:
    alric, berta = await together()
    await does(berta, switch, berta.number)
    assert berta.lines() == [Refusal.NO_LEADER.value]
    await does(alric, switch, alric.number)
    assert alric.mobile.party is not None
    assert alric.mobile.party.rule is rule
    assert told(alric, Team)
    assert shown(berta).loot == shows


async def test_a_switch_that_is_set_before_anybody_is_there_counts_for_all_who_come() -> None:
    alric, berta = await pair()
    await does(alric, TeamAction.CREATE, alric.number)
    await does(alric, TeamAction.KEEP_ITEMS, alric.number)
    assert shown(alric).loot == [KEEP_MONEY, KEEP_ITEMS]
    await does(alric, TeamAction.INVITE, berta.number)
    await does(berta, TeamAction.ACCEPT_INVITATION, alric.number)
    assert alric.mobile.party is not None
    assert alric.mobile.party.rule is LootRule.LEADER
    assert shown(berta).loot == [KEEP_MONEY, KEEP_ITEMS]


@pytest.mark.parametrize("action", [TeamAction.OPEN, TeamAction.CLOSE], ids=lambda one: one.name)
async def test_a_team_is_neither_open_nor_closed(action: TeamAction) -> None:
    alric, _ = await together()
    await does(alric, action, alric.number)
    assert alric.lines() == [ASKS_FIRST]


async def test_unknown_deeds_are_refused_in_words() -> None:
    alric, _ = await pair()
    await does(alric, 14)
    assert alric.lines() == [Wish.UNKNOWN.value]


async def test_bars_of_members_are_told_wherever_they_are() -> None:
    alric, berta = await together()
    goes(berta, 55, 55)
    await alric.desk.wait(1)
    told(alric), told(berta)
    life.hurt(berta.mobile, 10)
    await alric.desk.wait(1)
    bar = values(alric, berta.number)
    assert bar[0] == berta.mobile.hits < bar[1] == berta.mobile.hits_max
    assert berta.number not in alric.screen.people
    assert (shown(alric).members or {})[berta.number].life == berta.mobile.hits


@VERSIONS
async def test_a_member_that_goes_is_on_the_map(version: CoVersion) -> None:
    alric, berta = await together(version)
    goes(berta, 55, 50)
    await alric.desk.wait(1.1)
    x, y = place_of(55, 50)
    # 1010: id 8, data 12, x 16, y 18, direction 20, action 22
    assert f"{u32(berta.number)}{u32(MAP)}{u16(x)}{u16(y)}0000{u16(106)}" in [
        packet[16:] for packet in told(alric, Action)
    ]
    assert (shown(alric).members or {})[berta.number].stands == (MAP, x, y)


async def test_a_client_asks_for_a_member() -> None:
    alric, berta = await together()
    await alric.desk.wait(0.3)
    await alric.says(Action.of(ActionType.TEAM_MEMBER_POSITION, berta.number))
    (place,) = alric.actions(ActionType.TEAM_MEMBER_POSITION)
    assert (place.id, place.data, place.x, place.y) == (berta.number, MAP, *place_of(22, 20))
    await alric.acts(ActionType.TEAM_MEMBER, data=berta.number)
    (bar,) = alric.took(UserAttrib)
    assert bar.id == berta.number
    await alric.acts(ActionType.TEAM_MEMBER, data=5)
    assert alric.lines() == [Refusal.NO_FELLOW.value]
    await does(alric, TeamAction.DISMISS)
    alric.got.clear()
    await alric.says(Action.of(ActionType.TEAM_MEMBER_POSITION, berta.number))
    assert alric.lines() == [Refusal.NO_PARTY.value]


async def test_a_leader_that_dies_leads_on() -> None:
    alric, berta = await together()
    life.kill(alric.mobile)
    alric.desk.turn()
    assert leads(alric)
    assert not berta.screen.people[alric.number].status & StatusFlag.TEAM_LEADER
    assert shown(berta).names() == ["Alric", "Berta"]


async def test_words_to_the_team_reach_its_members() -> None:
    alric, berta = await together()
    await alric.talks("hail", 2003)
    assert (2003, "Alric", "ALLUSERS", "hail") in berta.screen.said
