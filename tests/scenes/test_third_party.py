"""Clients that are made of a public codec alone deal with one another, and with players of other games.

Endless Online's clients here are eolib's (`tests.kit.eo_client`): every byte that they send is written by it,
and every byte that they receive is read by it and has to come out of it again. They share no line with
`protocol/eo`.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import trio
from eolib import (
    GuildInfoType,
    GuildReply,
    TalkOpenClientPacket,
    TalkOpenServerPacket,
    TalkRequestClientPacket,
    TalkRequestServerPacket,
)

from tests.kit import eo_client
from tests.kit.audits import durable_faults, holder_faults, stored_faults
from tests.kit.eo_belongings import check_belongings
from tests.kit.eo_hall import Membership
from tests.kit.players import EoPlayer
from tests.scenes.test_errands import beside, enters
from world import granting, guild_rolls, guilds, hands
from world.guild import Guild, Rank
from world.wording import GOLD

if TYPE_CHECKING:
    from trio.testing import MockClock

    from protocol.eo.session import EoSession
    from tests.kit.town import Town
    from world.mobile import Mobile

COIN = 1
KIT = Path(eo_client.__file__).parent
PATIENCE = 8.0
"""Seconds after which one may ask again."""


def test_the_clients_share_no_code_with_the_server() -> None:
    seen: set[str] = set()
    waiting = ["tests.kit.eo_client"]
    while waiting:
        module = waiting.pop()
        seen.add(module)
        tree = ast.parse((KIT / f"{module.rpartition('.')[2]}.py").read_text("utf-8"))
        names = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
        names += [one.name for node in ast.walk(tree) if isinstance(node, ast.Import) for one in node.names]
        assert not [name for name in names if name.partition(".")[0] in ("protocol", "world", "server")]
        waiting += [name for name in names if name.startswith("tests.kit.") and name not in seen]
    assert {"tests.kit.eo_peer", "tests.kit.eo_company", "tests.kit.eo_hall"} <= seen


async def newcomers(town: Town, *names: str) -> list[EoPlayer]:
    """Players with such clients, in the world and side by side."""
    found = []
    for name in names:
        player = EoPlayer(town)
        await player.enters(name.lower(), name)
        found.append(player)
    await trio.sleep(2)
    return found


async def rich(town: Town, *mobiles: Mobile, amount: int = 2 * guilds.FEE) -> None:
    """Give them strength and gold."""

    def pay(_: object) -> None:
        for mobile in mobiles:
            mobile.strength = 2_000
            granting.make(mobile, GOLD, amount)

    await town.app.in_world(None, pay)
    await trio.sleep(1)


def number_of(player: EoPlayer, name: str) -> int:
    """Player id of somebody whom its client draws."""
    (number,) = (
        number
        for number, drawn in player.client.characters.items()
        if drawn.info is not None and drawn.info.name == name.lower()
    )
    return number


def tag_over(player: EoPlayer, name: str) -> str:
    """Tag beside the name of somebody whom its client draws."""
    info = player.client.characters[number_of(player, name)].info
    assert info is not None
    return info.guild_tag.strip()


def owns(town: Town, player: EoPlayer, mobile: Mobile) -> None:
    """Fail unless its client believes to own what its character owns."""
    session: EoSession = next(  # type: ignore[assignment] # of that game
        session for session in town.app.sessions() if session.mobile is mobile
    )
    check_belongings(session, player.client)


async def well(town: Town) -> None:
    """Fail unless what the world holds is whole, and stored."""
    await town.app.durable()
    assert holder_faults(town.app.world) == []
    assert stored_faults(town.database, town.app.world) == []
    assert durable_faults(town.database, town.app.world) == []


async def at_the_registrar(town: Town, player: EoPlayer, mobile: Mobile) -> None:
    """Put somebody beside him, and open the window with a click on what stands there."""
    godwin = await beside(town, mobile, "godwin")
    (number,) = (
        index for index, drawn in player.client.npcs.items() if (drawn.x, drawn.y) == (godwin.x, godwin.y)
    )
    await player.does(player.client.open_guilds(number))
    assert player.client.guild_session


async def founded(town: Town) -> tuple[list[EoPlayer], list[Mobile], Guild]:
    """Anna, who has founded a guild, Bert, who asked to be let in, and Cara, who was asked in."""
    anna, bert, cara = players = await newcomers(town, "Anna", "Bert", "Cara")
    mobiles = [town.mobile(name) for name in ("Anna", "Bert", "Cara")]
    await rich(town, *mobiles)
    for player, mobile in zip(players, mobiles, strict=True):
        await at_the_registrar(town, player, mobile)
    await anna.does(anna.client.begin_guild("WV", "Weavers"))
    await anna.does(anna.client.found_guild("We weave."))
    assert anna.client.guild == Membership("WV", "Weavers", "leader", 0)
    assert anna.client.inventory[COIN] == hands.carried(mobiles[0])[GOLD]
    assert tag_over(bert, "Anna") == "WV"
    await bert.does(bert.client.ask_to_join("WV", "Anna"))
    await anna.does(anna.client.let_in())
    assert bert.client.guild == Membership("WV", "Weavers", "recruit", 9)
    assert anna.client.guild_replies[-1] is GuildReply.Accepted
    await anna.does(anna.client.say("#guild invite Cara"))
    await cara.does(cara.client.accept_guild())
    assert cara.client.guild is not None
    assert [tag_over(anna, name) for name in ("Bert", "Cara")] == ["WV", "WV"]
    (guild,) = town.app.world.records.all(Guild).values()
    return players, mobiles, guild


async def test_a_guild_lives(town: Town, autojump_clock: MockClock) -> None:
    (anna, bert, cara), mobiles, guild = await founded(town)
    await anna.does(anna.client.give_rank("bert", 1))
    assert bert.client.guild == Membership("WV", "Weavers", "recruit", 1)
    assert guild.rank_of(mobiles[1].serial) is Rank.OFFICER
    for speaker in (anna, bert, cara):
        await speaker.does(speaker.client.bytes_of(TalkRequestClientPacket(message="Weave!")), wait=3)
    heard = [[one.player_name for one in player.of(TalkRequestServerPacket)] for player in (anna, bert, cara)]
    assert heard == [["bert", "cara"], ["anna", "cara"], ["anna", "bert"]]
    await bert.does(bert.client.look_at_own_guild(GuildInfoType.Bank))
    await bert.does(bert.client.deposit_for_guild(2_000))
    assert bert.client.guild_gold == guild_rolls.gold(town.app.world, guild) == 2_000
    for player, mobile in zip((anna, bert, cara), mobiles, strict=True):
        owns(town, player, mobile)
    await cara.does(cara.client.list_members("WV"), wait=3)
    staff = [(0, "Anna", "leader"), (1, "Bert", "officer")]
    assert cara.client.guild_members == [*staff, (9, "Cara", "recruit")]
    await cara.does(cara.client.look_up_guild("WV"), wait=3)
    report = cara.client.guild_report
    assert report is not None
    assert (report.description, report.wealth) == ("We weave.", "2000 gold coins")
    assert [(one.rank, one.name) for one in report.staff] == [(0, "Anna"), (1, "Bert")]
    await well(town)


async def test_a_guild_ends(town: Town, autojump_clock: MockClock) -> None:
    (anna, bert, cara), mobiles, guild = await founded(town)
    await anna.does(anna.client.give_rank("bert", 1))
    await cara.does(cara.client.expel("Bert"))
    assert mobiles[1].serial in guild.members, "her rank does not allow that"
    await bert.does(bert.client.expel("Cara"))
    assert bert.client.guild_replies[-1] is GuildReply.Removed
    assert cara.client.guild is None
    assert tag_over(bert, "Cara") == ""
    await bert.does(bert.client.leave_guild())
    assert list(guild.members) == [mobiles[0].serial]
    assert [tag_over(anna, name) for name in ("Bert", "Cara")] == ["", ""]
    leader = Membership("WV", "Weavers", "leader", 0)
    await anna.does(anna.client.leave_guild())
    assert anna.client.guild == leader, "who leads it stays, and is told so"
    await anna.does(anna.client.deposit_for_guild(2_000))
    await anna.does(anna.client.disband_guild())
    assert anna.client.guild == leader, "there is gold in its bank"
    await anna.does(anna.client.say("#guild withdraw 2000"), wait=3)
    await anna.does(anna.client.disband_guild())
    assert town.app.world.records.all(Guild) == {}
    assert [player.client.guild for player in (anna, bert, cara)] == [None, None, None]
    for player, mobile in zip((anna, bert, cara), mobiles, strict=True):
        owns(town, player, mobile)
        assert not player.gone
    await well(town)


async def test_they_trade_with_one_another_and_with_a_player_of_another_game(
    town: Town, autojump_clock: MockClock
) -> None:
    anna, bert = await newcomers(town, "Anna", "Bert")
    carl = await enters(town, "uo", 830)
    await trio.sleep(2)
    alone = [town.mobile("Anna"), town.mobile("Bert")]
    before = [hands.carried(one) for one in (*alone, carl.mobile)]
    (loaf,) = (number for number in anna.client.inventory if "Bread" in anna.client.record(number).name)
    # With one another: two gold coins for a loaf
    await anna.does(anna.client.ask_to_trade(number_of(anna, "Bert")))
    await bert.does(bert.client.accept_trade())
    await anna.does(anna.client.offer(COIN, 2))
    await bert.does(bert.client.offer(loaf, 1))
    assert anna.client.trade is not None
    assert (anna.client.trade.own, anna.client.trade.theirs) == ({COIN: 2}, {loaf: 1})
    await anna.does(anna.client.agree())
    await bert.does(bert.client.offer(loaf, 2))
    assert anna.client.trade.warned, "what she agreed to has changed"
    for player in (anna, bert):
        await player.does(player.client.agree(), wait=2)
    assert not any(player.client.trade for player in (anna, bert))
    # With another game's
    await trio.sleep(PATIENCE)
    await anna.does(anna.client.ask_to_trade(number_of(anna, carl.mobile.name)))
    assert carl.mobile.trade is not None, "in Ultima Online a window opens unasked"
    await carl.player.sends(carl.wishes.order("offer 5"))
    await anna.does(anna.client.offer(loaf, 1))
    assert anna.client.trade is not None
    assert anna.client.trade.theirs == {COIN: 5}
    await carl.player.sends(carl.wishes.order("agree"))
    assert anna.client.trade.partner_agrees
    await anna.does(anna.client.agree(), wait=2)
    assert not anna.client.trade
    changes = [
        {key: after.get(key, 0) - had.get(key, 0) for key in ("gold", "bread")}
        for had, after in zip(before, (hands.carried(one) for one in (*alone, carl.mobile)), strict=True)
    ]
    assert changes == [{"gold": 3, "bread": 1}, {"gold": 2, "bread": -2}, {"gold": -5, "bread": 1}]
    for player, mobile in zip((anna, bert), alone, strict=True):
        owns(town, player, mobile)
    assert not carl.game.faults(carl.player)
    await well(town)


async def test_they_group_with_one_another_and_with_a_player_of_another_game(
    town: Town, autojump_clock: MockClock
) -> None:
    anna, bert = await newcomers(town, "Anna", "Bert")
    carl = await enters(town, "l2", 840)
    await trio.sleep(3)
    await anna.does(anna.client.ask_into_party(number_of(anna, "Bert")))
    await bert.does(bert.client.accept_party())
    await anna.does(anna.client.ask_into_party(number_of(anna, carl.mobile.name)))
    (asked,) = carl.mobile.dialogs.values()
    await carl.player.sends(carl.wishes.answer(asked))
    await trio.sleep(1)
    names = ["anna", "bert", carl.mobile.name.lower()]
    for player in (anna, bert):
        assert [row.name for row in player.client.party.values()] == names
        assert [row.leads for row in player.client.party.values()] == [True, False, False]
    assert carl.mobile.party is not None
    assert len(carl.mobile.party.members) == 3

    def hurt(_: object) -> None:
        carl.mobile.hits = carl.mobile.hits_max // 2

    await town.app.in_world(None, hurt)
    await trio.sleep(1)
    assert list(anna.client.party.values())[2].percent == list(bert.client.party.values())[2].percent < 60
    await bert.does(bert.client.bytes_of(TalkOpenClientPacket(message="Here!")))
    assert anna.of(TalkOpenServerPacket)[-1].player_id == bert.client.player_id
    assert any("Here!" in line for line in carl.lines)
    await carl.player.sends(carl.wishes.order("p Coming!"))
    assert anna.of(TalkOpenServerPacket)[-1].message == bert.of(TalkOpenServerPacket)[-1].message == "Coming!"
    await bert.does(bert.client.remove_member(bert.client.player_id))
    assert bert.client.party == {}
    assert [row.name for row in anna.client.party.values()] == ["anna", names[2]]
    await anna.does(anna.client.remove_member(number_of(anna, carl.mobile.name)))
    assert anna.client.party == {}
    assert town.app.world.parties == {}
    assert not carl.game.faults(carl.player)
    await well(town)
