"""Guilds in the browser's own panel, over a whole server: with browsers and with another game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from protocol.web.guilds import Sheets
from tests.kit.guilds import member, weavers
from tests.kit.guilds import town as guild_town
from tests.kit.players import UoPlayer
from tests.kit.web_player import WebPlayer
from tests.kit.web_scene import anna_and, gather, settled
from world import granting, guild_rolls, guilds, invites
from world.guild import RIGHTS, Rank
from world.wording import GOLD

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town
    from tests.kit.web_society import Guild

MORE = 50


async def founded(town: Town, anna: WebPlayer) -> None:
    """Anna founds the Weavers by the question that her page asks."""
    mobile = town.mobile("Anna")
    mobile.strength = 2_000
    granting.make(mobile, GOLD, guilds.FEE + MORE)
    await anna.says("guild")
    (serial,) = anna.screen.questions
    filled = [{"key": "name", "text": "Weavers"}, {"key": "tag", "text": "wv"}]
    await anna.does(anna.client.answer_bytes(serial, 1, filled))
    await settled(town, anna)


def shown(player: WebPlayer) -> Guild:
    """What a page knows of its guild."""
    assert player.screen.society.guild is not None
    return player.screen.society.guild


async def test_a_guild_from_its_founding_to_its_end(town: Town, autojump_clock: MockClock) -> None:
    bert, carla = WebPlayer(town), UoPlayer(town)
    anna = await anna_and(town, bert, carla)
    other, third = (town.mobile(name) for name in ("Bert", "Carla"))
    await founded(town, anna)
    society = anna.screen.society
    assert (shown(anna).name, shown(anna).tag, society.opened) == ("Weavers", "WV", 0)
    assert society.rights("Anna") == [str(right.name).lower() for right in RIGHTS[Rank.LEADER]]
    # Both are asked, one in sight and one by name; a notice, and what all of them read.
    await anna.says("guild_invite", id=other.serial)
    (question,) = bert.screen.questions.values()
    assert question.title == "Guild"
    await bert.answers(invites.YES)
    await anna.says("guild_invite", name="carla")
    invites.accept(third, guilds.GUILD)
    await anna.says("guild_notice", text="Market day.")
    await settled(town, anna, bert)
    for player in (anna, bert):
        guild = shown(player)
        told = [(one.name, guild.ranks[one.rank][0], one.game) for one in guild.members.values()]
        assert told == [("Anna", "leader", "web"), ("Bert", "recruit", "web"), ("Carla", "recruit", "uo")]
        assert guild.notice == "Market day."
        assert guild.log[-1] == "Anna founded the guild"
    assert bert.screen.society.rights("Bert") == []
    # The panel is opened by who wants to see it, and not by what others do.
    assert bert.screen.society.opened == 0
    await bert.says("guild")
    assert bert.screen.society.opened == 1
    # Ranks, and who comes and goes.
    await anna.says("guild_rank", name="Bert")
    await anna.says("guild_rank", name="Bert")
    await anna.says("guild_rank", name="Carla")
    await anna.says("guild_rank", name="Carla", up=False)
    await bert.says("leave")
    await settled(town, anna)
    away = shown(anna).members["Bert"]
    assert (away.rank, away.online, away.game) == (Rank.OFFICER, False, "")
    assert away.times[1] > 0
    await bert.plays()
    await settled(town, anna, bert)
    assert shown(anna).members["Bert"].online
    assert shown(anna).members["Carla"].rank == Rank.RECRUIT
    assert list(shown(bert).members) == ["Anna", "Bert", "Carla"], "it is told when one comes in"
    # An officer sends away who is below; the leader hands over, goes, and the next one ends it.
    await bert.says("guild_expel", name="Carla")
    await anna.says("guild_lead", name="Bert")
    await settled(town, anna, bert)
    assert [shown(anna).members[name].rank for name in ("Anna", "Bert")] == [Rank.OFFICER, Rank.LEADER]
    await anna.says("guild_leave")
    await settled(town, anna, bert)
    assert anna.screen.society.guild is None
    assert list(shown(bert).members) == ["Bert"]
    await bert.says("guild_disband")
    await settled(town, bert)
    assert bert.screen.society.guild is None


async def test_ties_and_the_bank_are_in_the_panel(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    await founded(town, anna)
    other = town.mobile("Bert")
    other.strength = 2_000
    granting.make(other, GOLD, guilds.FEE)
    guilds.found(other, "Millers", "ML")
    await anna.says("guild_tie", name="millers")
    await settled(town, anna, bert)
    assert shown(anna).ties == {"ML": ("war", True)}
    assert shown(bert).ties == {"WV": ("war", False)}
    await anna.says("guild_tie", name="ML", tie="end")
    await anna.says("guild_tie", name="ML", tie="alliance")
    await bert.answers(invites.YES)
    await settled(town, anna, bert)
    assert shown(bert).ties == {"WV": ("allied", False)}
    gather(town, "Anna")
    await anna.says("guild_gold", amount=20)
    assert anna.screen.notices()[-1] == "There is no banker near who would open it for you."
    banker = next(it for it in town.app.world.mobiles.values() if it.template.key == "banker")
    assert banker.realm is not None
    town.app.world.warp(
        town.mobile("Anna"), banker.realm, *next(banker.realm.free_near(banker.x, banker.y + 1))
    )
    await settled(town, anna)
    await anna.says("guild_gold", amount=20)
    await settled(town, anna)
    assert (shown(anna).gold, shown(anna).members["Anna"].given) == (20, 20)
    await anna.says("guild_gold", amount=5, out=True)
    await settled(town, anna)
    assert shown(anna).gold == 15
    assert shown(anna).log[0] == "Anna took 5 gold coins out of the guild's bank"


async def test_what_a_guild_does_not_do_is_refused_in_words(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    other = town.mobile("Bert")

    async def asks(player: WebPlayer, t: str, **fields: object) -> list[str]:
        player.screen.forgets()
        await player.says(t, **fields)
        await settled(town, anna, bert)
        return player.screen.notices()

    none = ["You are in no guild."]
    assert await asks(bert, "guild_invite", id=town.mobile("Anna").serial) == none
    for t in ("guild_leave", "guild_disband"):
        assert await asks(bert, t) == none, t
    for t in ("guild_rank", "guild_expel", "guild_lead", "guild_tie"):
        assert await asks(bert, t, name="Anna") == none, t
    assert await asks(bert, "guild_notice", text="Hear") == none
    await founded(town, anna)
    assert await asks(anna, "guild_invite", name="Zoe") == ["There is nobody of that name here."]
    assert await asks(anna, "guild_invite", id=0x7FFF_FFFF) == ["You cannot see that."]
    assert await asks(anna, "guild_leave") == ["You lead the guild: hand it over first, or disband it."]
    assert await asks(anna, "guild_notice", text="x" * 200) == ["That is too long for a notice."]
    assert await asks(anna, "guild_expel", name="Zoe") == ["Nobody of that name is in your guild."]
    assert await asks(anna, "guild_tie", name="Zoe") == ["There is no guild of that name."]
    await anna.says("guild_invite", id=other.serial)
    await bert.answers(invites.YES)
    no_right = ["Your rank in the guild does not allow that."]
    assert await asks(bert, "guild_expel", name="Anna") == no_right
    assert await asks(bert, "guild_notice", text="Mine") == no_right


def test_a_guild_is_encoded_once_for_all_its_members() -> None:
    world, _ = guild_town()
    leader = member(world, "Alric")
    sheet = guild_rolls.sheet(world, weavers(leader))
    sheets = Sheets()
    body = sheets.told(sheet)
    assert sheets.told(sheet) is body
    opened = sheets.told(sheet, opened=True)
    assert opened.raw != body.raw
    assert sheets.told(attrs.evolve(sheet, gold=7)).raw != body.raw
    assert sheets.told(sheet).raw == body.raw
    assert sheets.told(None).raw == b'{"t":"guild"}'
    line = sheet.leader
    changed = sheets.changed(line)
    assert sheets.changed(line) is changed
    assert sheets.changed(attrs.evolve(line, level=7)).raw != changed.raw
