"""Lineage II's bridge with both ends in one process, as the town has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import attrs
import pytest
import trio

from protocol.l2.bridge import BridgeMessage, GamePeer, LoginServer, LoginSide
from protocol.l2.bridge.packets import KickPlayer
from protocol.services import AccountInfo
from tests.kit.l2_bridge import bridge_of, proof
from tests.kit.l2_player import L2Player
from tests.kit.players import UoPlayer
from tests.kit.town import Town
from world.mobile import Access

if TYPE_CHECKING:
    from trio.testing import MockClock

    from protocol.session import Session

SECRET = "the first secret"


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    made = Town(nursery)
    await made.open()
    return made


def heard(town: Town) -> list[BridgeMessage]:
    """What the login side tells the game side from now on."""
    said: list[BridgeMessage] = []
    server = bridge_of(town.app).login_side.login_server.servers[1]
    send = server.peer.send

    def note(message: BridgeMessage) -> None:
        said.append(message)
        send(message)

    server.peer.send = note
    return said


async def test_in_one_process_a_player_comes_and_is_marked_and_goes(
    town: Town, autojump_clock: MockClock
) -> None:
    player = L2Player(town)
    await player.enters("alric", "Alric")
    asks = L2Player(town)
    await asks.gets_keys("berta")
    assert [(world.id, world.online, world.up) for world in asks.client.worlds] == [(1, 1, True)]
    assert (asks.client.worlds[0].address, asks.client.worlds[0].port) == ("127.0.0.1", 7777)
    player.leaves()
    await trio.sleep(1)
    await asks.does(asks.client.worlds_bytes())
    assert asks.client.worlds[0].online == 0
    assert asks.client.owned == {1: (0, ())}


async def test_in_one_process_a_second_login_kicks_over_the_bridge(
    town: Town, autojump_clock: MockClock
) -> None:
    first, second = L2Player(town), L2Player(town)
    await first.enters("alric", "Alric")
    said = heard(town)
    await second.gets_keys("alric")
    assert KickPlayer("alric") in said
    assert first.gone
    await second.arrives()
    assert [entry.name for entry in second.client.screen.menu or ()] == ["Alric"]


async def test_whoever_plays_another_game_is_kicked_as_well(town: Town, autojump_clock: MockClock) -> None:
    said = heard(town)
    other = UoPlayer(town)
    await other.enters("alric", "Alric")
    assert town.here("Alric")
    player = L2Player(town)
    await player.gets_keys("alric")
    assert KickPlayer("alric") in said
    assert other.gone


async def test_a_login_on_its_way_ends_with_a_new_password(town: Town, autojump_clock: MockClock) -> None:
    player = L2Player(town)
    await player.gets_keys("alric")
    assert bridge_of(town.app).login_side.login_server.waiting(trio.current_time()) == 1
    row = await town.app.accounts.find("alric")
    assert row is not None
    await town.app.accounts.staff.set_password(row, "another1")
    assert bridge_of(town.app).login_side.login_server.waiting(trio.current_time()) == 0


async def test_an_address_that_tries_numbers_has_to_wait(town: Town, autojump_clock: MockClock) -> None:
    """The owner, who logged in from there, comes in all the same."""
    owner = L2Player(town)
    await owner.gets_keys("alric")
    for _ in range(5):
        thief = L2Player(town)
        await thief.gets_keys("thief")
        thief.client.account = "alric"
        thief.client.keys.play1 ^= 1
        await thief.arrives()
        assert thief.client.screen.menu is None
        if town.app.accounts.kept_out(cast("Session", _Peer("127.0.0.1"))):
            break
    else:
        pytest.fail("it never had to wait")
    await owner.arrives()
    assert owner.client.screen.menu == []


@pytest.mark.parametrize(("stays", "waited_for"), [(1.0, True), (60.0, False)])
async def test_only_a_server_that_had_its_time_counts_as_one_that_does_not_answer(
    autojump_clock: MockClock, stays: float, waited_for: bool
) -> None:
    """A client that hangs up before its list does not cost others the number of their characters."""
    login_server = LoginServer({1: SECRET})
    login_server.received(GamePeer("192.0.2.7", lambda _: None), proof(1, SECRET), 0.0)
    side = LoginSide(login_server, clock=trio.current_time, wall=lambda: 0.0, entropy=bytes)
    with trio.move_on_after(stays):
        assert await side.owned(AccountInfo(1, "alric", Access.PLAYER)) == {}
    assert login_server.servers[1].answers is waited_for


@attrs.frozen
class _Peer:
    peer: str
