"""A handler that fails, a client that goes at any moment. R-24 and R-26 for EverQuest II."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import attrs
import pytest
import trio

from protocol.dispatch import Where
from protocol.endings import Ending
from protocol.eq2.stream.frames import OUT_OF_SESSION
from server.store.check import check_database
from tests.kit.eq2_player import Eq2Player
from tests.kit.eq2_town import a_rogue, address_of, stream_of, warnings
from tests.kit.games import GAMES, Person, Witnesses
from tests.kit.portions import SOME_OR_ALL, portion

if TYPE_CHECKING:
    from trio.testing import MockClock

    from protocol.session import Session
    from tests.kit.town import Town

pytestmark = pytest.mark.timeout(180)


@pytest.mark.parametrize("door", ["login", "world"])
async def test_r24_a_handler_that_fails_costs_its_client_only(
    easy_town: Town,
    autojump_clock: MockClock,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    door: str,
) -> None:
    """Every handler that a client comes by on its way, at each door; the next one is let in as ever."""
    town, game = easy_town, GAMES["eq2"]
    witnesses = Witnesses(town)
    await witnesses.enter()
    table = town.families["eq2"].doors[door].table
    hit = []
    for number, entry in enumerate(table):

        def fails(session: Session, packet: object) -> None:
            raise KeyError("injected")

        async def fails_here(session: Session, packet: object) -> None:
            await trio.lowlevel.checkpoint()
            raise KeyError("injected")

        handler = fails_here if entry.where is Where.HERE else fails
        with monkeypatch.context() as patch:
            patch.setitem(table._entries, entry.opcode, attrs.evolve(entry, handler=handler))
            player, before = game.player(town), len(caplog.records)
            game.introduce(player, Person(number))
            with contextlib.suppress(AssertionError, IndexError, KeyError, ValueError):
                for step in game.steps:
                    await game.does(player, step)
            if any("failed for" in record.getMessage() for record in caplog.records[before:]):
                hit.append(entry.name)
        player.leaves()
        await trio.sleep(25)
    assert {"LoginRequest", "WorldListRequest", "CreateCharacter", "LoginByNum", "Movement"} <= set(hit), hit
    assert len(town.doors.connections) == len(witnesses.players)
    await witnesses.are_well()
    player = game.player(town)
    await game.enters(player, Person(1))
    assert town.here(Person(1).character)


async def test_r24_a_stream_that_fails_while_its_peer_is_behind_costs_its_client_only(
    town: Town, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, connection = await a_rogue(town)
    stream = stream_of(connection)

    def fails(now: float) -> list[bytes]:
        raise KeyError("injected")

    monkeypatch.setattr(type(stream), "clogged", property(lambda self: True))
    monkeypatch.setattr(connection.session.codec, "outgoing", fails)
    connection.flush()
    assert connection.ending is Ending.OUR_BUG
    monkeypatch.undo()
    player = Eq2Player(town)
    await player.enters("anna", "Anna")
    assert town.here("Anna")


@SOME_OR_ALL
@pytest.mark.parametrize(("way", "begin"), [("goodbye", 0), ("vanishes", 1), ("forged", 2)])
async def test_r26_going_after_any_datagram_of_a_session_rolls_back_or_completes(
    easy_town: Town,
    autojump_clock: MockClock,
    caplog: pytest.LogCaptureFixture,
    way: str,
    begin: int,
    amount: str,
) -> None:
    """With a word, without one, or with somebody else's in its name after which it goes: at once or a little
    later, of which `make test` takes one after each step, another one for each way."""
    town, game = easy_town, GAMES["eq2"]
    witnesses = Witnesses(town)
    await witnesses.enter()
    for last in range(len(game.steps)):
        for wait in portion((0.0, 0.003, 0.2), amount, 3, begin=(begin + last) % 3):
            player, who = game.player(town), Person(1 + last)
            assert isinstance(player, Eq2Player)
            game.introduce(player, who)
            for step in game.steps[:last]:
                await game.does(player, step)
            await player.sends(game.prepared(player, game.steps[last]), wait=wait)
            if way == "goodbye":
                player.leaves()
            else:
                if way == "forged":
                    town.network("eq2", player.door).put(OUT_OF_SESSION, address_of(player))
                player.vanishes()
            await trio.sleep(75)
            assert len(town.doors.connections) == len(witnesses.players)
            assert not town.here(who.character)
            await town.app.storage.wait_durable()
            assert check_database(town.database) == []
            again = game.player(town)
            await game.enters(again, who)
            assert town.here(who.character)
            again.leaves()
            await trio.sleep(25)
            assert not town.here(who.character)
    await witnesses.are_well()
    assert warnings(caplog) == []
