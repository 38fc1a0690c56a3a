"""`causeway cluster`: several worlds and edges on one machine, over a PostgreSQL and a Valkey of their own.

It is for trying what docs/operators-cluster.md describes, and for seeing a configuration of each kind of
process: they are files in its directory, made anew at each start (the database stays). In earnest each
process is a unit of systemd, on whatever machine, and starts again by itself; here nothing does.
"""

from __future__ import annotations

import json
import secrets
import socket
import sys
import tomllib
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import trio

from server import exits
from server.content.families import DATA
from server.content.loading import ContentError
from server.content.loading import load as load_content
from server.operate.cluster_files import ClusterError, Shared, edge_table, split, toml, world_table
from server.operate.cluster_processes import Child, serve
from server.operate.cluster_servers import find_programs, make_postgresql, make_valkey
from server.settings import config
from server.settings.config import Settings
from server.store.lock import StateLock

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from world.content import Content

ROOT: Final = Path(__file__).resolve().parents[2]
"""Where the program runs from."""

MOST_EDGES: Final = 64
"""That a world lets wait (`server.boot.start`); on one machine nobody wants more."""


def run(settings: Settings, args: argparse.Namespace) -> int:
    """Start everything, run until it is to end, and stop it; the exit code. Raises ConfigError, and
    DatabaseHeld if another one runs in the directory."""
    directory: Path = (args.directory or settings.server.state_dir / "cluster").absolute()
    try:
        given = tomllib.loads(args.config.read_text(encoding="utf-8-sig"))
        realms = _realms(settings, args.worlds, args.edges)
        programs = find_programs()
        _make(directory)
        with ExitStack() as held:
            held.callback(StateLock(directory).release)
            ports = _free_ports(2 + args.worlds)
            postgresql = make_postgresql(_made(directory / "postgresql"), programs.postgresql, ports[0])
            valkey = make_valkey(_made(directory / "valkey"), programs.valkey, ports[1])
            addresses = tuple(f"127.0.0.1:{port}" for port in ports[2:])
            shared = Shared(postgresql.url, valkey.url, secrets.token_hex(16), addresses)
            worlds = [
                _server(
                    directory, f"world{number}", world_table(given, settings.listen, shared, number, part)
                )
                for number, part in enumerate(realms, 1)
            ]
            edges = [
                _server(directory, f"edge{number}", edge_table(given, settings.listen, shared, number))
                for number in range(1, args.edges + 1)
            ]
            trio.run(serve, [[postgresql.child, valkey.child], worlds, edges], _say)
    except ClusterError as error:
        return _refuse(str(error))
    except ContentError as error:
        return _refuse(*error.problems)
    except OSError as error:
        return _refuse(f"{error.filename or directory}: {error.strerror}")
    return exits.GOOD


def _realms(settings: Settings, worlds: int, edges: int) -> list[tuple[str, ...]]:
    """The realms of each world. Raises ClusterError for what cannot be, ContentError."""
    if settings.server.roles != Settings().server.roles:
        raise ClusterError(
            "server.roles: this makes worlds and edges out of the configuration of a whole server"
        )
    if not 1 <= edges <= MOST_EDGES:
        raise ClusterError(f"--edges {edges}: there can be 1 to {MOST_EDGES}")
    content: Content = load_content(DATA)
    start = content.start_realm
    return split([start, *sorted(content.charts.keys() - {start})], worlds)


def _make(directory: Path) -> None:
    """Make a folder and those it lies in. Others may pass through what is made, for PostgreSQL runs as
    another user than root, but not look around."""
    for folder in (*reversed(directory.parents), directory):
        if not folder.exists():
            folder.mkdir()
            folder.chmod(0o711)


def _made(folder: Path) -> Path:
    _make(folder)
    return folder


def _free_ports(count: int) -> list[int]:
    """So many ports of loopback that nobody has now."""
    with ExitStack() as bound:
        listeners = [bound.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [int(listener.getsockname()[1]) for listener in listeners]


def _server(directory: Path, name: str, table: Mapping[str, object]) -> Child:
    """A process of ours, and its configuration in a folder of its own."""
    folder = _made(directory / name)
    path = folder / "config.toml"
    path.write_text(toml(table), encoding="utf-8")
    config.load(path)  # a mistake of ours is better found here than in the output of a process
    endpoints = folder / "var" / "endpoints.json"
    command = [sys.executable, "-m", "server", "serve", "--config", str(path)]
    about = partial(_told, endpoints, path)
    return Child(name, command, folder, partial(_stands, endpoints), about, cwd=ROOT)


def _stands(endpoints: Path, process: trio.Process) -> bool:
    """Whether a process has opened its doors. A file of one that was killed may still lie there."""
    try:
        return bool(json.loads(endpoints.read_text())["server"]["pid"] == process.pid)
    except FileNotFoundError:
        return False


def _told(endpoints: Path, path: Path) -> str:
    """The addresses of a process that stands, and the file to ask it more by."""
    doors = json.loads(endpoints.read_text())
    del doors["server"]
    told = [f"{table} {door} {address}" for table, named in doors.items() for door, address in named.items()]
    return f"{', '.join(told)} ({path})"


def _say(line: str) -> None:
    print(line, flush=True)


def _refuse(*lines: str) -> int:
    for line in lines:
        print(line, file=sys.stderr)
    return exits.REFUSED
