"""World servers as whole processes, each with realms of its own in one database.

On PostgreSQL. Skipped where that or psycopg is not installed; CI has both.
"""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from server.exits import GOOD, HELD, REFUSED
from tests.kit import postgres
from tests.kit.l2_split import eventually
from tests.kit.process import EoSocket, ServerProcess

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [
    pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY),
    pytest.mark.timeout(180),
]

AGED = (
    "SELECT pg_sleep(greatest(0, 5.1 - extract(epoch FROM now() - pg_postmaster_start_time())));"
    "UPDATE world SET beat = now() - interval '1 hour' WHERE id = 1"
)


def test_a_world_has_its_realms_until_it_dies_and_another_goes_on_with_them(
    cluster: postgres.Cluster, empty_url: str, tmp_path: Path
) -> None:
    name = empty_url.rpartition("/")[2]
    with ExitStack() as open_:

        def server(number: int, *realms: str) -> ServerProcess:
            folder = tmp_path / f"{number}{''.join(realms)}"
            folder.mkdir()
            keys = f'[database]\nurl = "{empty_url}"\n[world]\nid = {number}\nrealms = {list(realms)}\n'
            made = ServerProcess(folder, keys.replace("'", '"'))
            open_.callback(made.close)
            return made

        # Both find an empty database: one makes the tables, the other waits for it.
        with ThreadPoolExecutor() as threads:
            both = server(1, "confluence"), server(2, "undercroft")
            first, second = threads.map(ServerProcess.start, both)
        heir = server(3, "confluence")
        for refused, code, why in (
            (heir, HELD, "the realm confluence belongs to world 1, which is alive"),
            (server(4), HELD, "other living worlds have all realms"),
            (server(5, "atlantis"), REFUSED, "there is no realm atlantis"),
        ):
            assert refused.spawn().wait(60) == code, refused.output()
            assert why in refused.output()
        player = EoSocket(first.address("eo"))
        player.enters("anna", "Anna")
        assert cluster.say(name, "SELECT name, world FROM character") == "Anna|1"
        first.kill()
        player.close()
        cluster.say(name, AGED)
        heir.start()
        assert cluster.say(name, "SELECT realm, world FROM realm_owner ORDER BY realm") == (
            "confluence|3\nundercroft|2"
        )
        player = EoSocket(heir.address("eo"))
        player.enters("anna", "Anna")
        assert cluster.say(name, "SELECT name, world FROM character") == "Anna|3"
        for one in (heir, second):
            assert one.stop() == GOOD, one.output()
        player.close()
        assert cluster.say(name, "SELECT name, world FROM character") == "Anna|"
        assert cluster.say(name, "SELECT count(*) FROM realm_owner") == "0"
        assert cluster.say(name, "SELECT id FROM meta WHERE NOT clean ") == "1"
        assert "Traceback" not in "".join(one.output() for one in (first, second, heir))


def test_a_world_says_where_it_hears_edges(cluster: postgres.Cluster, url: str, tmp_path: Path) -> None:
    """With the port that the system chose; and nowhere any more when it has stopped."""
    keys = f'[database]\nurl = "{url}"\n[world]\naddress = "127.0.0.1:0"\n'
    world = ServerProcess(tmp_path, keys)
    try:
        world.start()
        name = url.rpartition("/")[2]
        eventually(lambda: cluster.say(name, "SELECT address FROM world") not in ("", "127.0.0.1:0"), "it")
        host, _, port = cluster.say(name, "SELECT address FROM world").rpartition(":")
        socket.create_connection((host, int(port)), 10).close()
        assert world.stop() == GOOD, world.output()
        assert cluster.say(name, "SELECT coalesce(address, 'nowhere') FROM world") == "nowhere"
    finally:
        world.close()
