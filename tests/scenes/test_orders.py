"""Orders typed in the game, with each game's own sign, by players and by staff."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import trio
from eolib import TalkServerServerPacket

from protocol.refusals import tell_what_blocks
from server.store.tables import audit
from tests.kit.co_player import CoPlayer
from tests.kit.eq2_player import Eq2Player
from tests.kit.games import GAMES, Person, session_of
from tests.kit.players import EoPlayer, Player, UoPlayer
from world.mobile import Access

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trio.testing import MockClock

    from tests.kit.game import Game
    from tests.kit.town import Town

SIGNS = {"uo": ".", "eo": "$", "eq2": "/causeway ", "co": "/", "l2": ".", "web": "/"}
"""What commands begin with. In EverQuest II that is a command itself."""

T = 11
"""Seconds: longer than help takes to come."""


async def order(player: Player, line: str, *, wait: float = 1.0) -> str:
    """Type an order; what the player reads on the screen meanwhile."""
    if isinstance(player, UoPlayer):
        before = len(player.client.said())
        await player.does(player.client.say_bytes(f".{line}"), wait=wait)
        return "\n".join(player.client.said()[before:])
    assert isinstance(player, EoPlayer)
    heard = len(player.of(TalkServerServerPacket))
    await player.does(player.client.say(f"${line}"), wait=wait)
    return "\n".join(packet.message for packet in player.of(TalkServerServerPacket)[heard:])


async def promote(town: Town, account: str, access: int) -> None:
    row = await town.app.accounts.find(account)
    assert row is not None
    await town.app.accounts.staff.set_access(row, access)


async def rows(town: Town) -> list[tuple[str, str, str]]:
    """The audit, as it is on disk."""
    await town.app.durable()
    with town.database.read() as connection:
        found = connection.execute(audit.select().order_by(audit.c.id)).all()
    return [(row.who, row.what, row.detail) for row in found]


def amounts(town: Town) -> Mapping[str, int]:
    """All items there are, by kind."""
    total: dict[str, int] = {}
    for item in town.app.world.items.values():
        total[item.template.key] = total.get(item.template.key, 0) + item.amount
    return total


async def pair(town: Town) -> tuple[UoPlayer, EoPlayer]:
    anna, bert = UoPlayer(town), EoPlayer(town)
    await anna.enters("anna", "Anna")
    await bert.enters("bert", "Bert")
    return anna, bert


async def test_players_of_both_games_may_ask_for_help(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = await pair(town)
    for player in (anna, bert):
        text = await order(player, "help")
        assert "stuck: " in text
        assert "give CHARACTER [AMOUNT] ITEM...: " in text
        assert "\nkick " not in text
        assert "2 online: Anna, Bert" in await order(player, "who")
        assert "there is no such command" in await order(player, "kick anna")
    assert not anna.gone
    assert not [row for row in await rows(town) if "character" not in row[1]]
    await bert.does(bert.client.say("#who"))
    assert "2 online" in bert.of(TalkServerServerPacket)[-1].message


async def test_players_do_not_hear_who_hides(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = await pair(town)
    town.mobile("Bert").hidden = True
    assert await order(anna, "who") == "1 online: Anna"
    assert await order(bert, "who") == "2 online: Anna, Bert"
    town.mobile("Anna").access = Access.COUNSELOR
    assert "Bert: " in await order(anna, "who")


async def test_what_only_looks_like_an_order_is_said(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = await pair(town)
    await bert.does(bert.client.say("$5!"))
    await bert.does(bert.client.say("#1"))
    assert anna.client.said()[-2:] == ["$5!", "#1"]
    await anna.does(anna.client.say_bytes("...well"))
    assert anna.client.said()[-1] == "...well"


async def test_stuck_in_both_games(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = await pair(town)
    spawns = town.content.charts[town.content.start_realm].spawns
    for player, name in ((anna, "Anna"), (bert, "Bert")):
        mobile = town.mobile(name)
        realm = town.app.world.realms[town.content.start_realm]
        far = next(
            (x, y)
            for x in range(5, 60)
            for y in range(5, 60)
            if realm.walkable(x, y) and all(abs(x - spawn_x) > 9 for spawn_x, _ in spawns)
        )
        await town.app.in_world(None, lambda world, m=mobile, r=realm, p=far: world.warp(m, r, *p))  # type: ignore[misc]
        await trio.sleep(1)
        assert "In 10 seconds" in await order(player, "stuck")
        assert "on its way already" in await order(player, "stuck")
        await trio.sleep(T)
        assert any(max(abs(mobile.x - x), abs(mobile.y - y)) <= 3 for x, y in spawns)


async def test_a_master_of_one_game_orders_about_the_other(town: Town, autojump_clock: MockClock) -> None:
    """Every command of the issue, from level GameMaster on; each that changes something is in the audit with
    whom it was done to, what was before and what is now."""
    anna, bert = await pair(town)
    for master, name, target, other in ((anna, "Anna", "Bert", bert), (bert, "Bert", "Anna", anna)):
        account = name.lower()
        await promote(town, account, Access.GAME_MASTER)
        before = len(await rows(town))
        assert "broadcast TEXT..." in await order(master, "help")
        assert f"{target}: confluence" in await order(master, "who")
        assert f"{target} is in confluence" in await order(master, f"where {target}")
        assert "you were in confluence" in await order(master, "go 60 60")
        assert f"{target} was in confluence" in await order(master, f"bring {target}")
        assert "is dead" in await order(master, f"kill {target}")
        assert "was dead, lives with 10 hits" in await order(master, f"resurrect {target}")
        assert "everybody was told" in await order(master, "broadcast tea at five")
        assert "everything is on disk" in await order(master, "save")
        assert "restarts in 5m" in await order(master, "restart 5m new content")
        assert "stays up" in await order(master, "abort")
        assert "stops in 5m" in await order(master, "shutdown 5m")
        assert "stays up" in await order(master, "abort")
        done = (await rows(town))[before:]
        assert {who for who, _, _ in done} == {f"{account} ({name})"}
        assert [what for _, what, _ in done] == [
            *("go", "bring", "kill", "resurrect", "broadcast", "save"),
            *("restart", "abort", "shutdown", "abort"),
        ]
        details = {what: detail for _, what, detail in done}
        assert details["bring"].startswith(f"character='{target}' -> {target} was in confluence ")
        assert details["kill"] == f"character='{target}' -> {target} had 61 hits, is dead"
        await promote(town, account, Access.PLAYER)
        await town.app.in_world(None, lambda world, name=target: setattr(town.mobile(name), "hits", 50))  # type: ignore[misc]
        assert not other.gone
    await promote(town, "anna", Access.GAME_MASTER)
    assert "is banned until" in await order(anna, "ban Bert 3d rude")
    assert bert.gone
    assert "was banned until" in await order(anna, "unban bert")
    again = EoPlayer(town)
    await again.enters("bert", "Bert")
    assert "Bert was disconnected" in await order(anna, "kick Bert")
    assert again.gone
    assert [what for _, what, _ in (await rows(town))[-3:]] == ["ban", "unban", "kick"]


@pytest.mark.parametrize("name", GAMES)
async def test_staff_of_every_game_has_words_to_the_world(
    town: Town, autojump_clock: MockClock, name: str
) -> None:
    game, who = GAMES[name], Person(4)
    player = game.player(town)
    await game.enters(player, who)
    mobile = town.mobile(who.character)
    mobile.access = Access.GAME_MASTER

    async def told(line: str) -> str:
        return await answer_to(game, player, SIGNS[name] + line)

    assert [*json.loads(await told("info"))][:3] == ["kind", "serial", "name"]
    banker = json.loads(await told(f"info {await serial_of(town, 'banker')}"))
    assert (banker["kind"], banker["hits"]) == ("resident", banker["hits_max"])
    assert "had 2 healing_potion, has 5" in await told(f'make "healing potion" 3 for {who.character}')
    assert f"had hits {mobile.hits}, has 7" in await told(f"set {who.character} hits 7")
    assert "may be 10 to 125, not 126" in await told(f"set {who.character} strength 126")
    assert "7 hits" in await told("heal")
    assert mobile.hits == mobile.hits_max
    assert "is dead" in await told(f"kill {await serial_of(town, 'banker')}")
    assert all(one.template.key != "banker" for one in town.app.world.mobiles.values())
    assert not player.gone
    session = session_of(town, who)
    assert game.believes(player) == game.should_believe(session)


@pytest.mark.parametrize("name", GAMES)
async def test_what_a_player_reads_that_shows_what_is_in_the_way_can_be_typed(
    town: Town, autojump_clock: MockClock, name: str
) -> None:
    game, who = GAMES[name], Person(4)
    player = game.player(town)
    await game.enters(player, who)
    session, mobile = session_of(town, who), town.mobile(who.character)
    before = len(read(game, player))
    await town.app.in_world(None, lambda _: tell_what_blocks(session, mobile, (-1, 0)))
    await trio.sleep(1)
    (line,) = (line for line in read(game, player)[before:] if "ends here" in line)
    typed = line.partition("ends here: ")[2].removesuffix(" shows it.")
    assert typed.endswith("map")
    assert "North is up" in await answer_to(game, player, typed)


def read(game: Game, player: Player) -> list[str]:
    """All that a player has read until now."""
    return player.client.screen.notices if isinstance(player, CoPlayer) else game.heard(player)


async def answer_to(game: Game, player: Player, line: str) -> str:
    """What a player reads who types a line. Of EverQuest II's, those that begin with / have words that the
    client knows, and the number of the word is sent."""
    before = len(read(game, player))
    if isinstance(player, Eq2Player):
        assert line.startswith("/")
        word, _, rest = line[1:].partition(" ")
        data = player.client.command_bytes(word, rest)
    else:
        data = game.says(player, line)
    await player.sends(data, wait=1)
    return " ".join(read(game, player)[before:])


async def serial_of(town: Town, template: str) -> int:
    """The serial of the one resident of a kind, as the list has it."""
    answer = await town.app.commands.run("test", f"residents {template}")
    (line,) = answer.lines
    return int(line.split("\t")[0])


async def test_giving_across_games(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = await pair(town)
    total = amounts(town)
    await together(town)
    for giver, name in ((anna, "bert"), (bert, "anna")):
        for line, answer in (
            (f"give {name} 20 gold", "has 20"),
            (f"give {name} dragon", "you have no dragon"),
            (f"give {name} 999999 gold", "not that many"),
            (f"give {name} 0 gold", "not that many"),
            ("give nobody gold", "not online"),
        ):
            assert answer in await order(giver, line, wait=2), line
    gold = [world_gold(town, name) for name in ("Anna", "Bert")]
    assert gold[0] == gold[1]
    assert amounts(town) == total
    assert await order(anna, "give bert gold")
    assert world_gold(town, "Anna") == 0
    assert amounts(town) == total
    assert "give" not in [what for _, what, _ in await rows(town)]


async def test_many_gifts_at_once_are_one(town: Town, autojump_clock: MockClock) -> None:
    anna, _bert = await pair(town)
    await together(town)
    before = len(await rows(town))
    for _ in range(60):
        await anna.sends(anna.client.say_bytes(".give bert 1 gold"), wait=0)
    await anna.does(b"")
    assert world_gold(town, "Anna") == 99
    assert len(await rows(town)) == before
    assert "\n".join(anna.client.said()).count("not so fast") == 59


async def together(town: Town) -> None:
    """Put one where the other is."""
    anna, bert = town.mobile("Anna"), town.mobile("Bert")
    assert bert.realm is not None
    realm = bert.realm
    await town.app.in_world(None, lambda world: world.warp(anna, realm, bert.x, bert.y))


def world_gold(town: Town, name: str) -> int:
    pack = town.mobile(name).backpack
    assert pack is not None
    return sum(item.amount for item in pack.contents.values() if item.template.key == "gold")


@pytest.mark.parametrize("slow", [2.0, 60.0])
async def test_the_giver_hears_of_it_when_it_is_durable(
    town: Town, autojump_clock: MockClock, slow: float
) -> None:
    anna, _bert = await pair(town)
    await together(town)
    await town.app.durable()
    runner = town.app.storage._runner
    write = runner.write

    async def late(call):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
        await trio.sleep(slow)
        return await write(call)

    runner.write = late  # type: ignore[method-assign]
    assert "has 20" not in await order(anna, "give bert 20 gold")
    assert world_gold(town, "Anna") == 80
    await trio.sleep(6)
    said = "\n".join(anna.client.said())
    assert "has 20" in said
    assert ("not on disk yet" in said) == (slow > 5)


async def test_nobody_is_handed_what_they_do_not_want(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = await pair(town)
    await together(town)
    assert "nobody can hand you" in await order(bert, "gifts off")
    assert "They take no gifts." in await order(anna, "give bert 20 gold")
    assert (world_gold(town, "Anna"), world_gold(town, "Bert")) == (100, 100)
    assert town.mobile("Anna").held is None
    assert "others may hand you" in await order(bert, "gifts on")
    assert "has 20" in await order(anna, "give bert 20 gold")
