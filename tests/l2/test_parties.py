"""Lineage II: parties in the window of its client."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from protocol.l2 import packets as l2
from protocol.l2.packets import (
    ActionFailed,
    AskJoinParty,
    ChatType,
    CreatureSay,
    JoinParty,
    LootType,
    MemberPlace,
    NpcHtmlMessage,
    PartyMember,
    PartyMemberPosition,
    PartySmallWindowAdd,
    PartySmallWindowAll,
    PartySmallWindowDelete,
    PartySmallWindowDeleteAll,
    PartySmallWindowUpdate,
    RequestAnswerJoinParty,
    RequestBypassToServer,
    RequestChangePartyLeader,
    RequestJoinParty,
    RequestOustPartyMember,
    RequestRestart,
    RequestWithDrawalParty,
    StatusUpdate,
)
from tests.kit.l2_actor import L2Actor
from tests.kit.l2_counters import links_of
from tests.kit.l2_desk import Desk, Player, place_of
from tests.kit.l2_recorded import FROM_CLIENT, FROM_SERVER, VERSION
from tests.kit.town import Town
from world import invites, party
from world.companions import LootRule
from world.reach import Refusal

if TYPE_CHECKING:
    from trio.testing import MockClock


async def some(*names: str) -> list[Player]:
    """These, side by side and in no party."""
    desk = Desk()
    found = [await desk.enter(name, (20 + number, 20)) for number, name in enumerate(names)]
    await desk.wait(0.1)
    for player in found:
        player.got.clear()
    return found


async def joins(leader: Player, guest: Player, loot: int = LootType.FINDER) -> None:
    await leader.desk.wait(0.5)
    await leader.says(RequestJoinParty(guest.mobile.name, loot))
    await guest.says(RequestAnswerJoinParty(1))
    await leader.desk.wait(0.1)
    assert guest.mobile.party is leader.mobile.party is not None


async def together(*names: str) -> list[Player]:
    """The same in a party, with what came by that taken."""
    players = await some(*names)
    for guest in players[1:]:
        await joins(players[0], guest)
    for player in players:
        player.got.clear()
    return players


def windows(player: Player) -> list[str]:
    """What came to the window, in order."""
    return [name for name in player.kinds() if name.startswith("PartySmall")]


def names(message: PartySmallWindowAll) -> list[str]:
    return [member.name for member in message.members]


# As recorded


def test_rows_lie_as_they_were_recorded() -> None:
    """tests/golden/l2/server_packets_c6.json: Frankie, who leads, and Gracie."""
    frankie, gracie = 0x1000A4E8, 0x1000A4EE
    bars = (50, 126, 126, 38, 38)
    row = PartyMember(frankie, "Frankie", 21, *bars, level=1, class_id=0, race=0)
    assert VERSION.decode_server(FROM_SERVER["PartySmallWindowAll"][0]) == PartySmallWindowAll(
        frankie, LootType.FINDER, (row,)
    )
    assert VERSION.decode_server(FROM_SERVER["PartySmallWindowAdd"][0]) == PartySmallWindowAdd(
        frankie, LootType.FINDER, gracie, "Gracie", 15, *bars, 1, 0, 0
    )
    assert VERSION.decode_server(FROM_SERVER["PartySmallWindowUpdate"][0]) == PartySmallWindowUpdate(
        gracie, "Gracie", 18, *bars, 1, 0
    )
    assert VERSION.decode_server(FROM_SERVER["AskJoinParty"][0]) == AskJoinParty("Frankie", 0)


def test_places_lie_as_the_sheet_says() -> None:
    """facts/l2.md, section 8 (Party): d n, n x (d id, d x, y, z); the map is full of negative places."""
    raw = VERSION.encode(PartyMemberPosition((MemberPlace(5, -84_000, 243_000, -3_700),)))
    assert raw == bytes.fromhex("a7 01000000 05000000 e0b7feff 38b50300 8cf1ffff")


def test_requests_lie_as_the_sheet_says() -> None:
    """facts/l2.md, section 7; the first is recorded."""
    row = next(row for row in FROM_CLIENT if row["name"] == "RequestJoinParty")
    assert VERSION.decode_client(bytes.fromhex(row["plain"])) == RequestJoinParty("Gracie", 0)
    for raw, message in (
        ("2a01000000", RequestAnswerJoinParty(1)),
        ("2b", RequestWithDrawalParty()),
        ("2c 4200 0000", RequestOustPartyMember("B")),
        ("d0 0400 4200 0000", RequestChangePartyLeader("B")),
    ):
        assert VERSION.decode_client(bytes.fromhex(raw)) == message


# To ask


async def test_who_is_asked_sees_the_clients_own_box_and_both_get_windows() -> None:
    alric, berta = await some("alric", "berta")
    await alric.says(RequestJoinParty("berta", LootType.BY_TURN))
    assert berta.only(AskJoinParty) == AskJoinParty("Alric", LootType.BY_TURN)
    assert berta.took(NpcHtmlMessage) == [], "one question is enough"
    assert len(alric.took(ActionFailed)) == 1
    assert alric.told() == ["You ask Berta into your party."]
    await berta.says(RequestAnswerJoinParty(1))
    assert alric.only(JoinParty).answer == 1
    assert berta.took(JoinParty) == [], "she did not ask"
    for player, other in ((alric, berta), (berta, alric)):
        shown = player.only(PartySmallWindowAll)
        assert (shown.leader_id, shown.loot_rule) == (alric.mobile.serial, LootType.BY_TURN)
        (row,) = shown.members
        mobile = other.mobile
        assert (row.object_id, row.name, row.level) == (mobile.serial, mobile.name, 1)
        assert (row.hp, row.max_hp) == (mobile.hits, mobile.hits_max)
        assert (row.mp, row.max_mp) == (mobile.mana, mobile.mana_max)
        assert (row.cp, row.max_cp) == (mobile.stam, mobile.stam_max)
    assert berta.told()[-1] == "You join the party of Alric."


@pytest.mark.parametrize(
    ("asked", "rule"),
    [
        (0, LootRule.FINDER),
        (1, LootRule.TURNS),
        (2, LootRule.TURNS),
        (4, LootRule.TURNS),
        (99, LootRule.FINDER),
    ],
)
async def test_rules_of_the_clients_list_are_the_nearest_of_the_worlds(asked: int, rule: LootRule) -> None:
    alric, berta = await some("alric", "berta")
    await joins(alric, berta, asked)
    assert alric.mobile.party is not None
    assert alric.mobile.party.rule is rule


async def test_a_no_is_told_and_opens_nothing() -> None:
    alric, berta = await some("alric", "berta")
    await alric.says(RequestJoinParty("Berta", 0))
    await berta.says(RequestAnswerJoinParty(0))
    assert alric.told()[-1] == "Berta does not want to."
    assert windows(alric) == windows(berta) == []
    berta.got.clear()
    await berta.says(RequestAnswerJoinParty(1))
    assert berta.told() == [Refusal.NOT_ASKED.value], "that was a second answer"


async def test_who_asks_to_be_let_in_asks_by_a_page() -> None:
    """The box would say that Berta is asked into Alric's party."""
    alric, berta = await some("alric", "berta")
    party.apply(alric.mobile, berta.mobile)
    await alric.desk.wait(0.1)
    assert berta.took(AskJoinParty) == []
    links = links_of(berta.only(NpcHtmlMessage))
    berta.got.clear()
    await berta.says(RequestAnswerJoinParty(1))
    assert berta.told() == [Refusal.NOT_ASKED.value], "nothing in that box is answered so"
    await berta.says(RequestBypassToServer(links["Let in"]))
    assert alric.mobile.party is berta.mobile.party is not None
    await alric.desk.wait(0.1)
    assert names(alric.only(PartySmallWindowAll)) == ["Berta"]


async def test_who_cannot_be_asked() -> None:
    alric, berta, carla, dora = await some("alric", "berta", "carla", "dora")
    await joins(carla, dora)
    await joins(alric, berta)
    for player, name, why in (
        (alric, "Nobody", Refusal.NOBODY),
        (alric, "", Refusal.NOBODY),
        (alric, "Alric", Refusal.ONESELF),
        (alric, "Carla", Refusal.IN_PARTY),
        (alric, "Berta", Refusal.FELLOW),
        (berta, "Carla", Refusal.NO_LEADER),
    ):
        player.got.clear()
        await player.says(RequestJoinParty(name, 0))
        assert player.told() == [why.value]
        assert len(player.took(ActionFailed)) == 1
        await player.desk.wait(1.1)
    assert carla.took(AskJoinParty) == []


# In it


async def test_who_comes_and_goes_comes_into_the_window_and_out_of_it() -> None:
    alric, berta, carla = await some("alric", "berta", "carla")
    await joins(alric, berta)
    alric.got.clear()
    berta.got.clear()
    await joins(alric, carla)
    assert names(carla.only(PartySmallWindowAll)) == ["Alric", "Berta"]
    for player in (alric, berta):
        added = player.only(PartySmallWindowAdd)
        assert (added.leader_id, added.object_id, added.name) == (
            alric.mobile.serial,
            carla.mobile.serial,
            "Carla",
        )
        assert windows(player) == []
    await alric.desk.wait(0.2)
    await carla.says(RequestWithDrawalParty())
    for player in (alric, berta):
        assert player.only(PartySmallWindowDelete) == PartySmallWindowDelete(carla.mobile.serial, "Carla")
        assert player.told()[-1] == "Carla leaves the party."
    assert carla.took(PartySmallWindowDeleteAll)
    assert carla.session.party is None
    await alric.desk.wait(0.2)
    await alric.says(RequestOustPartyMember("BERTA"))
    assert alric.mobile.party is berta.mobile.party is None
    assert windows(berta) == ["PartySmallWindowDeleteAll"]
    assert windows(alric)[-1] == "PartySmallWindowDeleteAll", "one alone is no party"


async def test_another_leads_and_the_rule_changes() -> None:
    alric, berta, carla = await together("alric", "berta", "carla")
    await alric.says(RequestChangePartyLeader("Carla"))
    for player in (alric, berta, carla):
        assert windows(player) == ["PartySmallWindowDeleteAll", "PartySmallWindowAll"]
        assert player.only(PartySmallWindowAll).leader_id == carla.mobile.serial
        player.got.clear()
    party.set_loot(carla.mobile, LootRule.TURNS)
    await alric.desk.wait(0.1)
    assert alric.only(PartySmallWindowAll).loot_rule == LootType.BY_TURN
    assert alric.told() == ["Loot of the party: each in turn."]
    party.set_loot(carla.mobile, LootRule.LEADER)
    await alric.desk.wait(0.1)
    assert alric.told() == ["Loot of the party: the leader."], "for which the client has no rule"


async def test_what_only_a_leader_may_do() -> None:
    alric, berta, carla = await together("alric", "berta", "carla")
    for message in (RequestOustPartyMember("Carla"), RequestChangePartyLeader("Carla")):
        berta.got.clear()
        await berta.says(message)
        assert berta.told() == [Refusal.NO_LEADER.value]
        await berta.desk.wait(1.1)
        alric.got.clear()
        await alric.says(type(message)("Nobody"))
        assert alric.told() == [Refusal.NO_FELLOW.value]
        await alric.desk.wait(1.1)
    assert carla.mobile.party is not None


@pytest.mark.parametrize(
    "message",
    [RequestWithDrawalParty(), RequestOustPartyMember("Alric"), RequestChangePartyLeader("Alric")],
    ids=lambda message: type(message).__name__,
)
async def test_nobody_leaves_or_leads_what_it_is_not_in(message: l2.Message) -> None:
    (alric,) = await some("alric")
    await alric.says(message)
    assert alric.told() == [Refusal.NO_PARTY.value]


async def test_bars_and_places_of_others_are_told_twice_a_second() -> None:
    alric, berta = await together("alric", "berta")
    await alric.desk.wait(0.6)
    alric.got.clear()
    berta.got.clear()
    berta.mobile.hits -= 5
    berta.mobile.level = 3
    await alric.desk.wait(0.6)
    told = alric.only(PartySmallWindowUpdate)
    assert (told.object_id, told.hp, told.level) == (berta.mobile.serial, berta.mobile.hits, 3)
    assert alric.took(StatusUpdate) == [], "which is for who has targeted her"
    assert berta.took(PartySmallWindowUpdate) == [], "its own bars are elsewhere"
    await berta.goes(21, 23)
    await alric.desk.wait(3)
    places = [place for message in alric.took(PartyMemberPosition) for place in message.members]
    assert places[-1] == MemberPlace(berta.mobile.serial, *place_of(21, 23))
    assert berta.took(PartyMemberPosition) == []


async def test_who_is_in_another_realm_has_bars_and_no_place() -> None:
    alric, berta = await together("alric", "berta")
    world = alric.desk.world
    world.warp(berta.mobile, world.realms["cave"], 7, 7)
    berta.mobile.hits -= 5
    await alric.desk.wait(1.1)
    assert alric.took(PartySmallWindowUpdate)[-1].hp == berta.mobile.hits
    assert alric.took(PartyMemberPosition) == []


async def test_who_is_away_stays_with_empty_bars_and_comes_back() -> None:
    alric, berta, carla = await together("alric", "berta", "carla")
    most = berta.mobile.hits_max
    await berta.says(RequestRestart())
    await alric.desk.wait(0.1)
    told = alric.only(PartySmallWindowUpdate)
    assert (told.name, told.hp, told.max_hp) == ("Berta", 0, most)
    assert any("Berta is away" in line for line in alric.told())
    await berta.says(l2.CharacterSelect(0), l2.EnterWorld())
    await alric.desk.wait(0.1)
    assert names(berta.only(PartySmallWindowAll)) == ["Alric", "Carla"]
    assert berta.took(PartySmallWindowDeleteAll) == []
    assert alric.took(PartySmallWindowUpdate)[-1].hp == berta.mobile.hits
    assert carla.session.party is not None


async def test_words_to_the_party() -> None:
    alric, berta = await together("alric", "berta")
    await alric.says_text("psst", ChatType.PARTY)
    said = berta.only(CreatureSay)
    assert (said.type, said.name, said.text) == (ChatType.PARTY, "Alric", "psst")


async def test_a_late_answer_counts_no_more() -> None:
    alric, berta = await some("alric", "berta")
    await alric.says(RequestJoinParty("Berta", 0))
    await alric.desk.wait(invites.ANSWER_SECONDS + 1)
    berta.got.clear()
    await berta.says(RequestAnswerJoinParty(1))
    assert berta.told() == [Refusal.NOT_ASKED.value]
    assert berta.mobile.party is None


# Clients


async def test_clients_go_about_in_their_windows(nursery: trio.Nursery, autojump_clock: MockClock) -> None:
    town = Town(nursery, games=("l2",))
    await town.open()
    anna, bert, carl = (L2Actor(town) for _ in range(3))
    for actor, name in ((anna, "Anna"), (bert, "Bert"), (carl, "Carl")):
        await actor.enters(name.lower(), name)
    await trio.sleep(1)
    for guest, name in ((bert, "Bert"), (carl, "Carl")):
        await anna.invites(name)
        await trio.sleep(1)
        await guest.accepts_invite()
        await trio.sleep(1)
    assert list(anna.party_shown()) == ["Bert", "Carl"]
    assert list(carl.party_shown()) == ["Anna", "Bert"]
    await anna.wander(2, 0)
    await trio.sleep(3)
    assert bert.client.screen.party_places[town.mobile("Anna").serial] == anna.client.place()
    await anna.leaves_party()
    await trio.sleep(1)
    assert anna.party_shown() == {}
    assert list(bert.party_shown()) == ["Carl"]
    table = carl.client.screen.party
    assert table is not None
    assert table.leader == town.mobile("Bert").serial
    for actor in (anna, bert, carl):
        assert actor.client.screen.faults == []
