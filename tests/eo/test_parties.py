"""Parties in this game's own list: what comes of a wish, and that each client lists who is of its party."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eolib import (
    CharacterIcon,
    PaperdollReplyServerPacket,
    PartyListServerPacket,
    PartyReplyCode,
    PartyReplyServerPacket,
    PartyRequestServerPacket,
    PartyRequestType,
    TalkOpenClientPacket,
    TalkOpenServerPacket,
)

from protocol.eo.figures import NAMING
from protocol.eo.status import icon
from tests.eo.test_handlers_things import STEPS
from tests.eo.test_trading import told, words
from tests.kit.eo_belongings import give, pair
from tests.kit.eo_peer import eolib_bytes
from world import guilds, invites, life, party
from world.companions import LootRule
from world.mobile import Access
from world.reach import Refusal

if TYPE_CHECKING:
    from tests.kit.eo_desk import Desk, Player

JOIN, INVITE = PartyRequestType.Join, PartyRequestType.Invite


async def together(*more: str) -> tuple[Desk, list[Player]]:
    """A party of alric, who leads it, berta, and these."""
    desk, alric, berta = await pair()
    players = [alric, berta]
    players += [await desk.enter(name, (20 + at, 21)) for at, name in enumerate(more)]
    for player in players[1:]:
        await alric.sends(alric.client.ask_into_party(player.client.player_id))
        await player.sends(player.client.accept_party())
    for player in players:
        player.client.received.clear()
    return desk, players


def in_list(player: Player) -> dict[str, tuple[bool, int, int]]:
    """Who is in its list: whether it leads, its level, its hits in percent."""
    rows = player.client.party.values()
    return {row.name: (row.leads, row.level, row.percent) for row in rows}


def believes(*players: Player) -> None:
    """Fail unless these list their party as it is, and know its members by their numbers."""
    for player in players:
        company = player.mobile.party
        online = [] if company is None else [one for one in party.states(company) if one.online]
        mobiles = [player.mobile.world.mobiles[one.serial] for one in online]
        numbers = player.desk.view.figures.player_id
        assert list(player.client.party) == [numbers(mobile) for mobile in mobiles]
        assert [row.name for row in player.client.party.values()] == [
            NAMING.of(mobile).lower() for mobile in mobiles
        ]
        leaders = [number for number, row in player.client.party.items() if row.leads]
        assert leaders == ([] if company is None else [numbers(mobiles[0])])


async def test_a_party_is_as_in_eoserv() -> None:
    desk, alric, berta = await pair()
    for number, player, name in ((1, alric, "Tester"), (2, berta, "Freshrfnp")):  # as in that recording
        player.mobile.name, player.mobile.level = name, 0
        desk.view.figures.ids.players.bind(player.mobile, number)
        desk.view.figures.ids.players.sessions[number] = player.session
        player.session.player_id = player.client.player_id = number
    await desk.settle()
    for step, size in (("party invite", 3), ("party accept", 3), ("party chat", 8), ("party leave", 2)):
        for player in (alric, berta):
            player.client.received.clear()
        recorded = STEPS[step]
        request = bytes.fromhex(recorded["plain"])
        sender = alric if recorded["sender"] == "A" else berta
        # Between the opcode and the payload stands the sequence number of that recording.
        await sender.sends(sender.client.frame_of(request[:2] + request[-size:]))
        for player, which in ((alric, "replies_to_A"), (berta, "replies_to_B")):
            mine = [
                eolib_bytes(one)[2:].hex()
                for one in player.client.received
                if type(one).__name__.startswith(("Party", "TalkOpen"))
            ]
            replies = [one["payload"] for one in recorded[which]]
            if step == "party leave" and player is alric:
                replies = ["03fe", *replies]  # that she leaves, and then that the party is no more
            assert mine == replies, step
    believes(alric, berta)


async def test_who_comes_is_added_and_is_shown_all() -> None:
    desk, (alric, berta) = await together()
    carl = await desk.enter("carl", (20, 21))
    await alric.sends(alric.client.ask_into_party(carl.client.player_id))
    asked = carl.client.last(PartyRequestServerPacket)
    assert (asked.request_type, asked.player_name) == (INVITE, "alric")
    for player in (alric, berta, carl):
        player.client.received.clear()
    await carl.sends(carl.client.accept_party())
    assert told(alric) == told(berta) == ["PartyAdd"]
    assert "You join the party of Alric." in words(carl)
    assert list(in_list(carl)) == ["alric", "berta", "carl"]
    believes(alric, berta, carl)


async def test_who_asks_to_be_let_in_is_let_in_by_the_leader() -> None:
    desk, (alric, berta) = await together()
    carl = await desk.enter("carl", (20, 21))
    await carl.sends(carl.client.ask_into_party(berta.client.player_id, JOIN))
    assert berta.client.party_asker is None
    assert alric.client.party_asker == (JOIN, carl.client.player_id)
    await alric.sends(alric.client.accept_party())
    believes(alric, berta, carl)
    assert carl.mobile.party is alric.mobile.party


async def test_refusals_are_in_the_games_own_words_and_ours() -> None:
    desk, (alric, berta, carl, *others) = await together("carl", "dora", "emil")
    gast, otto = await desk.enter("gast", (22, 21)), await desk.enter("otto", (22, 20))
    for player, other, why, code in (
        (alric, berta, Refusal.FELLOW, PartyReplyCode.AlreadyInYourParty),
        (alric, gast, Refusal.PARTY_FULL, PartyReplyCode.PartyIsFull),
        (gast, berta, Refusal.IN_PARTY, PartyReplyCode.AlreadyInAnotherParty),
        (alric, alric, Refusal.ONESELF, None),
        (carl, gast, Refusal.NO_LEADER, None),
    ):
        await desk.wait(1.1)
        player.client.received.clear()
        await player.sends(player.client.ask_into_party(other.client.player_id))
        replies = [one for one in player.client.received if isinstance(one, PartyReplyServerPacket)]
        assert [one.reply_code for one in replies] == ([] if code is None else [code])
        assert words(player) == [why.value]
    assert otto.mobile.party is None
    assert len(others) == 2


async def test_what_names_nobody_is_refused_in_words() -> None:
    desk, alric, berta = await pair()
    for frame, why in (
        (alric.client.ask_into_party(64_000), Refusal.UNSEEN),
        (alric.client.ask_into_party(0, JOIN), Refusal.UNSEEN),
        (alric.client.ask_into_party(berta.client.player_id, PartyRequestType(7)), Refusal.UNKNOWN),
        (alric.client.remove_member(alric.client.player_id), Refusal.NO_PARTY),
        (alric.client.remove_member(64_000), Refusal.NO_PARTY),
    ):
        await desk.wait(1.1)
        alric.client.received.clear()
        await alric.sends(frame)
        assert words(alric) == [why.value]
    for asker in (0, 64_000, berta.client.player_id):
        await desk.wait(1.1)
        alric.client.received.clear()
        alric.client.party_asker = INVITE, asker
        await alric.sends(alric.client.accept_party())
        assert words(alric) == [Refusal.NOT_ASKED.value]
    await alric.sends(alric.client.look_at_party())
    assert alric.client.last(PartyListServerPacket).members == ()


async def test_only_the_leader_sends_others_away_and_who_is_out_is_told() -> None:
    desk, (alric, berta, carl) = await together("carl")
    await berta.sends(berta.client.remove_member(carl.client.player_id))
    assert words(berta) == [Refusal.NO_LEADER.value]
    await alric.sends(alric.client.remove_member(64_000))
    assert words(alric) == [Refusal.NO_FELLOW.value]
    carl.client.received.clear()
    await alric.sends(alric.client.remove_member(carl.client.player_id))
    assert told(carl) == ["PartyClose"]
    assert told(alric) == told(berta) == ["PartyRemove"]
    believes(alric, berta, carl)
    await alric.sends(alric.client.remove_member(alric.client.player_id))
    assert in_list(alric) == in_list(berta) == {}
    assert desk.world.parties == {}


async def test_another_leader_is_listed_first() -> None:
    _, (alric, berta, carl) = await together("carl")
    party.hand_over(alric.mobile, berta.mobile.serial)
    await alric.desk.settle()
    assert told(carl) == ["PartyList"]
    believes(alric, berta, carl)
    assert next(iter(in_list(carl))) == "berta"
    party.set_loot(berta.mobile, LootRule.TURNS)
    await alric.desk.settle()
    assert told(carl) == []
    await berta.sends(berta.client.remove_member(berta.client.player_id))
    believes(alric, berta, carl)
    assert in_list(carl)["alric"][0], "and who leads after her"


async def test_bars_and_levels_of_members_are_told_wherever_they_are() -> None:
    desk, (alric, berta) = await together()
    desk.world.warp(berta.mobile, desk.world.realms["cave"], 5, 5)
    await desk.wait(1.0)
    alric.client.received.clear()
    berta.mobile.hits = berta.mobile.hits_max // 2
    await desk.wait(1.0)
    assert told(alric) == ["PartyAgree"]
    assert in_list(alric)["berta"][2] == in_list(berta)["berta"][2] == 50
    berta.mobile.level += 1
    await desk.wait(1.0)
    assert in_list(alric)["berta"] == (False, berta.mobile.level, 50)
    alric.client.received.clear()
    berta.mobile.mana -= 1
    await desk.wait(1.0)
    assert told(alric) == [], "the list has no mana"
    life.kill(berta.mobile)
    await desk.wait(1.0)
    assert in_list(alric)["berta"][2] == 0


async def test_who_is_away_is_not_listed_until_it_is_back() -> None:
    desk, (alric, berta, carl) = await together("carl")
    carl.hang_up()
    await desk.wait(1.0)
    assert list(in_list(alric)) == ["alric", "berta"]
    assert any("away" in line for line in words(alric))
    assert told(berta) == ["PartyList"]
    again = await desk.enter("carl")
    await desk.settle()
    assert list(in_list(again)) == ["alric", "berta", "carl"]
    believes(alric, berta, again)
    again.client.received.clear()
    await again.sends(again.client.look_at_party())
    assert told(again) == ["PartyList"]
    believes(again)


async def test_words_to_the_party_reach_it_everywhere() -> None:
    desk, (alric, berta) = await together()
    desk.world.warp(berta.mobile, desk.world.realms["cave"], 5, 5)
    await desk.settle()
    await alric.sends(alric.client.bytes_of(TalkOpenClientPacket(message="Where are you?")))
    heard = berta.client.last(TalkOpenServerPacket)
    assert (heard.player_id, heard.message) == (alric.client.player_id, "Where are you?")
    assert berta.client.party[heard.player_id].name == "alric"


@pytest.mark.parametrize(
    ("access", "alone", "fellow"),
    [
        (Access.PLAYER, CharacterIcon.Player, CharacterIcon.Party),
        (Access.GAME_MASTER, CharacterIcon.Gm, CharacterIcon.GmParty),
        (Access.OWNER, CharacterIcon.Hgm, CharacterIcon.HgmParty),
    ],
)
async def test_lists_mark_who_is_in_a_party(access: int, alone: CharacterIcon, fellow: CharacterIcon) -> None:
    _, alric, berta = await pair()
    berta.mobile.access = access
    assert icon(berta.mobile) is alone
    party.invite(alric.mobile, berta.mobile)
    invites.accept(berta.mobile, party.KIND)
    await alric.desk.settle()
    await alric.sends(alric.client.paperdoll(berta.client.player_id))
    assert alric.client.last(PaperdollReplyServerPacket).icon is fellow


async def test_papers_and_lists_tell_the_guild() -> None:
    desk, alric, berta = await pair()
    figures = desk.view.figures
    assert figures.character(berta.mobile).guild_tag == "   "
    berta.mobile.strength = 1000
    give(berta.mobile, "gold", 10_000)
    guilds.found(berta.mobile, "Weavers", "WV")
    await desk.settle()
    assert figures.character(berta.mobile).guild_tag == figures.online(berta.mobile).guild_tag == "WV "
    await alric.sends(alric.client.paperdoll(berta.client.player_id))
    details = alric.client.last(PaperdollReplyServerPacket).details
    assert (details.guild, details.guild_rank) == ("Weavers", "leader")
    assert figures.details(alric.mobile).guild == ""
