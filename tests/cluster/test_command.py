"""`causeway cluster`: the configurations that it writes, what it says that it lacks, and one that is started,
played in and stopped."""

from __future__ import annotations

import json
import os
import pwd
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from protocol.address import Address
from server import exits
from server.__main__ import main
from server.operate import cluster_servers
from server.operate.cluster_files import ClusterError, Shared, edge_table, split, toml, world_table
from server.operate.cluster_processes import Child, serve
from server.settings import config
from server.settings.roles import open_doors
from tests.kit import postgres, valkey
from tests.kit.budget import server_started
from tests.kit.process import CONFIG, ROOT, EoSocket

if TYPE_CHECKING:
    from collections.abc import Iterator

    from server.settings.config import Settings

SHARED = Shared(
    "postgresql://causeway:word@127.0.0.1:5433/postgres",
    "valkey://:word@127.0.0.1:6380",
    "of this cluster alone",
    ("127.0.0.1:7701", "127.0.0.1:7702"),
)
ODD = """
[server]
name = "Zwölf \\"Meilen\\" \\\\ 🐉"
state_dir = "/srv/one"
[accounts]
auto_create = true
[limits]
connections = 77
idle_seconds = 12.5
exempt = ["10.0.0.0/8"]
[listen.uo]
advertise = "play.example.org:2593"
behind_proxy = true
[listen.co_5065]
patch = 5065
[listen.eo]
websocket = false
[listen.l2]
packet_encryption = false
[listen.l2_old]
enabled = false
[log]
file = "/var/log/one.jsonl"
[log.levels]
"net.uo" = "DEBUG"
"""


def test_realms_are_dealt_out_and_the_first_is_the_first_world_s() -> None:
    realms = ["start", "b", "c", "d", "e"]
    assert split(realms, 1) == [tuple(realms)]
    assert split(realms, 2) == [("start", "c", "e"), ("b", "d")]
    assert split(realms, 5) == [(realm,) for realm in realms]


@pytest.mark.parametrize("worlds", [-1, 0, 3])
def test_a_world_without_a_realm_is_refused(worlds: int) -> None:
    with pytest.raises(ClusterError, match=r"there can be 1 to 2 \(start, b\)"):
        split(["start", "b"], worlds)


def written(text: str) -> tuple[Settings, list[Settings], list[Settings]]:
    """What was given, and the configurations of two worlds and two edges as they are read again."""
    one, table = config.parse(text), tomllib.loads(text)
    worlds = [world_table(table, one.listen, SHARED, n, [f"realm{n}"]) for n in (1, 2)]
    edges = [edge_table(table, one.listen, SHARED, n) for n in (1, 2)]
    first, second = ([config.parse(toml(made)) for made in those] for those in (worlds, edges))
    return one, first, second


def doors(settings: Settings) -> dict[tuple[str, str], str]:
    """All that a process opens."""
    return {(name, door): str(address) for name, _, door, address in open_doors(settings)}


@pytest.mark.parametrize("text", [(ROOT / "config.toml").read_text(), ODD], ids=["as shipped", "odd"])
def test_what_is_written_is_read_and_fits_together(text: str) -> None:
    one, worlds, edges = written(text)
    everywhere = doors(one)
    page = {door: where for door, where in everywhere.items() if door[0] == "web"}
    assert [doors(world) for world in worlds] == [{}, {}]
    assert doors(edges[0]) == everywhere
    assert doors(edges[1]).keys() == everywhere.keys() - page
    assert {where.rpartition(":")[2] for where in doors(edges[1]).values()} == {"0"}
    assert {listener.advertise for listener in edges[1].listen.values()} == {None}
    for number, world in enumerate(worlds, 1):
        assert (world.world.id, world.world.realms) == (number, (f"realm{number}",))
        assert world.server.name == one.server.name
        assert world.listen.keys() == one.listen.keys()
    assert tuple(world.world.address for world in worlds) == SHARED.worlds
    assert [edge.edge.worlds for edge in edges] == [tuple(map(Address.parse, SHARED.worlds))] * 2
    for made in (*worlds, *edges):
        assert (made.accounts, made.limits, made.network) == (one.accounts, one.limits, one.network)
        assert (made.log.levels, str(made.log.file)) == (one.log.levels, "logs/causeway.jsonl")
        assert (made.database.url, made.cluster.valkey) == (SHARED.database, SHARED.valkey)
        assert made.edge.secret == SHARED.secret
        assert str(made.server.state_dir) == "var"
        for name, listener in made.listen.items():
            assert listener.codec_settings() == one.listen[name].codec_settings()
            assert listener.behind_proxy == one.listen[name].behind_proxy


VALUES = (
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
TABLES = st.recursive(
    st.dictionaries(st.text(), VALUES | st.lists(VALUES, max_size=3), max_size=4),
    lambda inner: st.dictionaries(st.text(), inner | VALUES, max_size=4),
    max_leaves=6,
)


@given(TABLES)
def test_any_tables_are_read_as_they_were_written(table: dict[str, object]) -> None:
    assert tomllib.loads(toml(table)) == table


def missing(folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The line with which the command refuses."""
    path = folder / "config.toml"
    path.write_text("")
    assert main(["cluster", "--config", str(path)]) == exits.REFUSED
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert not (folder / "var").exists()
    return said.err


def test_what_is_not_installed_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    debian = tmp_path / "postgresql"
    monkeypatch.setattr(cluster_servers, "DEBIAN", debian)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(cluster_servers, "find_spec", lambda name: None)
    assert "psycopg" in missing(tmp_path, capsys)
    monkeypatch.undo()
    monkeypatch.setattr(cluster_servers, "DEBIAN", debian)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(cluster_servers, "find_spec", lambda name: name)
    assert "the package postgresql" in missing(tmp_path, capsys)
    for version in ("9", "15"):
        folder = debian / version / "bin"
        folder.mkdir(parents=True)
        for program in ("initdb", "postgres"):
            (folder / program).touch()
    assert "the package valkey-server, or redis-server" in missing(tmp_path, capsys)
    server = tmp_path / "bin" / "redis-server"
    server.parent.mkdir()
    server.touch(0o755)
    found = cluster_servers.find_programs()
    assert (found.postgresql, found.valkey) == (debian / "15" / "bin", str(server))


def test_a_folder_that_a_user_may_not_enter_is_named(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    status = inner.stat()
    owner, stranger = (
        pwd.struct_passwd(("somebody", "x", status.st_uid + n, status.st_gid + n, "", "", "")) for n in (0, 1)
    )
    for folder in (tmp_path, *tmp_path.parents):  # pytest's own are closed, further out
        if folder.stat().st_mode & 0o001:
            break
        folder.chmod(0o711)
    inner.parent.chmod(0o711)
    inner.chmod(0o711)
    assert cluster_servers.closed_to(stranger, inner) is None
    inner.parent.chmod(0o700)
    assert cluster_servers.closed_to(stranger, inner) == inner.parent
    assert cluster_servers.closed_to(owner, inner) is None


async def test_what_does_not_start_is_said_with_its_last_words_and_the_others_are_stopped(
    tmp_path: Path,
) -> None:
    started: list[trio.Process] = []

    def stands(process: trio.Process) -> bool:
        started.append(process)
        return True

    code = "import sys; print('first'); print('no room'); sys.exit(3)"
    first = Child("first", ["sleep", "600"], tmp_path, stands, told=lambda: "here")
    broken = Child("broken", [sys.executable, "-c", code], tmp_path, lambda _: False, told=lambda: "")
    said: list[str] = []
    with trio.fail_after(60), pytest.raises(ClusterError, match=r"^broken ended with 3 .*: no room \("):
        await serve([[first], [broken]], said.append)
    assert started[0].returncode == -signal.SIGTERM
    assert said == ["first: here", "all has ended"]


@pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY)
@pytest.mark.skipif(valkey.MISSING, reason=valkey.WHY)
@pytest.mark.timeout(240)
def test_worlds_and_an_edge_are_started_played_in_and_stopped() -> None:
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    with tempfile.TemporaryDirectory(prefix="causeway-cluster-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # PostgreSQL is run by somebody else than root
        (folder / "config.toml").write_text(CONFIG.format(more=""))
        words = ["cluster", "--config", str(folder / "config.toml"), "--directory", str(folder / "all")]
        with subprocess.Popen(
            [sys.executable, "-m", "server", *words], cwd=ROOT, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            lines = iter(process.stdout.readline, "")
            try:
                played_in(folder / "all", lines)
            finally:
                process.send_signal(signal.SIGINT)
                rest = [line.strip() for line in lines]
                assert process.wait(60) == exits.GOOD
        assert rest == ["all has ended"]
        assert "everything is saved" in (folder / "all" / "world1" / "output.txt").read_text()
        assert not (folder / "all" / "postgresql" / "data" / "postmaster.pid").exists()


def played_in(folder: Path, lines: Iterator[str]) -> None:
    """Until all is there, and somebody plays by way of the edge, and that dies."""
    said = until("all is there", lines)
    for _ in ("world1", "world2", "edge1"):
        server_started()
    names = ["PostgreSQL", "Valkey", "world1", "world2", "edge1"]
    assert [line.partition(":")[0] for line in said] == names
    doors = json.loads((folder / "edge1" / "var" / "endpoints.json").read_text())
    assert f"eo game {doors['eo']['game']}" in said[-1]
    host, _, port = doors["eo"]["game"].rpartition(":")
    player = EoSocket((host, int(port)))
    player.enters("anna", "Anna")
    asked_at_the_edge(folder / "edge1", doors["web"]["http"])
    os.kill(doors["server"]["pid"], signal.SIGKILL)
    assert "edge1 has ended with -9, the others go on" in until("edge1", lines, whole=True)[-1]
    player.close()


def asked_at_the_edge(folder: Path, page: str) -> None:
    """Its page knows who plays in some world, and a command given there finds her."""
    deadline = time.monotonic() + 30
    while True:
        with urlopen(f"http://{page}/status.json", timeout=10) as answer:
            status = json.load(answer)
        if status["players"] == ["Anna"] or time.monotonic() > deadline:
            break
        time.sleep(0.2)
    assert (status["online"]["eo"], set(status["realms"])) == (1, {"confluence", "undercroft"})
    with urlopen(f"http://{page}/metrics", timeout=10) as answer:
        numbers = answer.read().decode()
    assert 'causeway_edge_world_up{world="2"} 1.0' in numbers
    words = [sys.executable, "-m", "server", "do", "--config", str(folder / "config.toml"), "info Anna"]
    told = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    assert json.loads(told.stdout)["name"] == "Anna"


def until(words: str, lines: Iterator[str], *, whole: bool = False) -> list[str]:
    """The lines until one begins with these words; `whole`, with that one."""
    said: list[str] = []
    for line in lines:
        if line.startswith(words):
            return [*said, line] if whole else said
        said.append(line.strip())
    raise AssertionError(f"it ended: {said}")
