"""Lineage II's two doors with an edge before the game's: the login door is the edge's own, or that of a login
server which the only world behind the edge is joined to by the bridge (docs/operators-cluster.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
import trio

from protocol.l2.bridge import LoginServer
from protocol.l2.bridge.game_server import Identity
from protocol.l2.bridge.service import in_one_process
from server.settings.config import parse
from tests.kit import postgres, split
from tests.kit.border_walks import BELOW, SURFACE
from tests.kit.edge_land import EdgeLand
from tests.kit.l2_bridge import bridge_of
from tests.kit.l2_bridge_pair import KEYS, expect
from tests.kit.l2_client import Keys
from tests.kit.l2_player import L2Player
from tests.kit.town import CONFIG, PORTS, Town

if TYPE_CHECKING:
    from pathlib import Path

    from trio.testing import MockClock

    from server.edge.worlds import WorldLine

pytestmark = pytest.mark.timeout(180)

SECRET: Final = "the first secret"

JOINED: Final = f"""
[server]
roles = ["world"]
[listen.l2]
bridge = "192.0.2.1:9014"
bridge_secret = "{SECRET}"
advertise = "203.0.113.7:7777"
"""


def leads_to(land: EdgeLand, line: WorldLine) -> None:
    """Whoever connects from now on comes to that world."""
    land.edge._line_of = lambda peer: line  # type: ignore[method-assign] # of this one


@pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY)
async def test_both_doors_may_be_an_edges_and_lead_to_different_worlds(
    url: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path)
        await land.open()
        surface, below = land.edge.lines
        player = L2Player(land.towns[SURFACE])
        leads_to(land, below)
        await player.gets_keys("anna")
        (world,) = player.client.worlds
        assert (world.address, world.port) == ("127.0.0.1", PORTS["l2", "game"])
        leads_to(land, surface)
        keys = player.client.keys
        await player.arrives()
        assert player.client.screen.menu == []
        assert [one.account.name for one in land.towns[SURFACE].app.sessions() if one.account] == ["anna"]
        assert not land.towns[BELOW].app.sessions()
        # Whatever world is asked, they were good once.
        for line in (below, surface):
            leads_to(land, line)
            thief = L2Player(land.towns[SURFACE])
            thief.client.account, thief.client.keys = "anna", keys
            await thief.arrives()
            assert thief.gone
        nursery.cancel_scope.cancel()


async def test_a_login_server_elsewhere_may_send_clients_to_an_edge_before_one_world(
    nursery: trio.Nursery, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(split.SWITCH, "1")
    town = Town(nursery, parse(CONFIG.replace("[listen.l2]\n", "") + JOINED))
    bridge = bridge_of(town.app)
    bridge._dialer = None  # what it would say is said here
    await town.open()
    login_server = LoginServer({1: SECRET})
    host, port = "203.0.113.7", 7777
    me = Identity(1, SECRET, port, host, 100)
    in_one_process(login_server, bridge.game_side.game_server, me, trio.current_time)
    assert (login_server.servers[1].host, login_server.servers[1].port) == (host, port), "the edge's"
    await town.app.accounts.staff.create("anna", "secret1")
    row = await town.app.accounts.find("anna")
    assert row is not None
    arrived = expect(login_server, "anna", now=trio.current_time(), number=row.id)
    for known in (False, True):
        player = L2Player(town)
        player.client.account = "anna"
        player.client.keys = Keys(KEYS.login1, KEYS.login2 + (not known), KEYS.play1, KEYS.play2)
        await player.arrives()
        assert player.gone is not known
        assert arrived == (["anna"] if known else [])
    assert player.client.screen.menu == []
    assert [one.account.name for one in town.app.sessions() if one.account is not None] == ["anna"]
