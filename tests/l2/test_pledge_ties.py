"""Lineage II: wars and alliances of guilds, by the client's own commands and marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from protocol.l2 import packets as l2
from protocol.l2.packets import (
    AllyDismiss,
    AllyLeave,
    AskJoinAlly,
    CharInfo,
    NpcHtmlMessage,
    PledgeReceiveWarList,
    PledgeShowInfoUpdate,
    PledgeWar,
    RelationChanged,
    RequestAllyInfo,
    RequestAnswerJoinAlly,
    RequestDismissAlly,
    RequestJoinAlly,
    RequestPledgeWarList,
    RequestStartPledgeWar,
    RequestStopPledgeWar,
    RequestSurrenderPledgeWar,
    WarTab,
)
from tests.kit.l2_pledges import forget, founds, joins, some
from world import guild_ties, invites, law
from world.guild import Bond
from world.reach import Refusal

if TYPE_CHECKING:
    from tests.kit.l2_desk import Player

AT_WAR = 0x8000
"""The bit of RelationChanged that draws a mark beside a name."""


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
