"""Two worlds with a border between them, an edge, PostgreSQL and Valkey, as real processes, with a cable on
each wire: whatever of it is killed or cut, it can be asked afterwards where a character is.

    world 1 (surface)    world 2 (below)
       |      |             |     |
       |      +--- edge ----+     |        cables "line1", "line2"; doors of the edge: "doors"
       |            |             |
       +------ PostgreSQL --------+        cables "sql1", "sql2", and "sql" of the edge
       +-------- Valkey ----------+        cables "bus1", "bus2"
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Final, cast

import attrs

from server.operate import admin
from server.store.migrate import upgrade
from tests.kit import postgres, valkey
from tests.kit.border import REALMS
from tests.kit.cable import Cable
from tests.kit.edges import SECRET, free_port
from tests.kit.overheard import Statements, Trap, Words
from tests.kit.process import CONFIG
from tests.kit.tame import TameProcess

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

WORLDS: Final = (1, 2)
VICTIMS: Final = ("from", "to", "edge", "postgresql", "valkey")
LINKS: Final = ("doors", "line1", "line2", "sql1", "sql2", "sql", "bus1", "bus2")
LIMITS: Final = """
[limits]
packets_per_second = 2000
packet_burst = 2000
linger_seconds = 0.5
joins_per_tick = 20
first_byte_seconds = 120
handshake_seconds = 300
idle_seconds = 600
[log]
level = "INFO"
"""


@attrs.frozen
class Stored:
    """What the database has of a character."""

    world: int | None
    realm: str
    things: Mapping[int, tuple[str, int]]
    """Kind and amount of all it has, by serial."""


class BorderCluster:
    """All of them, and the trap that stops a step of a crossing."""

    def __init__(self, folder: Path) -> None:
        self._open = ExitStack()
        self.trap = Trap()
        self._packs: dict[int, object] = {}
        self.sql = self._open.enter_context(postgres.alone())
        url = self.sql.make()
        self.name = url.rpartition("/")[2]
        upgrade(url, folder)
        self.bus = self._open.enter_context(valkey.running(folder))
        ports = {world: free_port() for world in WORLDS}
        self.cables: dict[str, Cable] = {"sql": self._cable(self.sql.port)}
        for world in WORLDS:
            for name, port, tap in (("sql", self.sql.port, Statements), ("line", ports[world], Words)):
                self.cables[f"{name}{world}"] = Cable(("127.0.0.1", port), partial(tap, self.trap, world))
            self.cables[f"bus{world}"] = self._cable(self.bus.port)
        self._doors: dict[tuple[str, str], tuple[tuple[str, int], Cable]] = {}
        self.servers: dict[str, TameProcess] = {}
        for world, realm in zip(WORLDS, REALMS, strict=True):
            self.servers[f"world{world}"] = self._world(folder / f"world{world}", world, realm, ports[world])
        self.servers["edge"] = self._edge(folder / "edge")
        self.url = url

    def _cable(self, port: int) -> Cable:
        return Cable(("127.0.0.1", port))

    def _process(self, folder: Path, text: str) -> TameProcess:
        folder.mkdir()
        made = TameProcess(folder)
        made.config.write_text(text)
        self._open.callback(made.close)
        return made

    def _url(self, cable: str) -> str:
        return f"postgresql://causeway@127.0.0.1:{self.cables[cable].port}/{self.name}"

    def _world(self, folder: Path, world: int, realm: str, port: int) -> TameProcess:
        more = (
            f'[database]\nurl = "{self._url(f"sql{world}")}"\n'
            f'[world]\nid = {world}\nrealms = ["{realm}"]\naddress = "127.0.0.1:{port}"\n'
            f'[cluster]\nvalkey = "valkey://127.0.0.1:{self.cables[f"bus{world}"].port}"\n'
            f'[edge]\nsecret = "{SECRET}"\n[storage]\nflush_seconds = 0.2\n{LIMITS}'
        )
        text = CONFIG.format(more=more).replace('name = "Process"', f'name = "World {world}"')
        return self._process(folder, text)

    def _edge(self, folder: Path) -> TameProcess:
        lines = [f"127.0.0.1:{self.cables[f'line{world}'].port}" for world in WORLDS]
        more = (
            f'[database]\nurl = "{self._url("sql")}"\n[edge]\nworlds = {json.dumps(lines)}\n'
            f'secret = "{SECRET}"\n{LIMITS}'
        )
        text = CONFIG.format(more=more).replace('name = "Process"', 'name = "Edge"\nroles = ["edge"]')
        return self._process(folder, text.replace("[listen.web]\n", "[listen.web]\nenabled = false\n"))

    def start(self) -> None:
        """Start all of it, one after another."""
        for name in self.servers:
            self.begin(name)

    def close(self) -> None:
        """End it, in whatever state it is."""
        self.trap.open(lost=True)
        for server in self.servers.values():
            server.close()
        for _, cable in self._doors.values():
            cable.close()
        for cable in self.cables.values():
            cable.close()
        self._open.close()

    # Who dies

    def kill(self, name: str) -> None:
        """kill -9."""
        if name == "postgresql":
            self.sql.kill()
        elif name == "valkey":
            self.bus.kill()
        else:
            self.servers[name].kill()

    def begin(self, name: str) -> None:
        """Start it (again)."""
        if name == "postgresql":
            self.sql.start()
        elif name == "valkey":
            self.bus.start()
        else:
            self.servers[name].start()

    def renew(self, name: str, before: str, after: str) -> None:
        """Have it end in order, if it runs, and start it with these words of its configuration changed."""
        server = self.servers[name]
        if not self._ended(server):
            server.stop()
        text = server.config.read_text()
        assert before in text
        server.config.write_text(text.replace(before, after))
        self.begin(name)

    def revive(self) -> list[str]:
        """Start again what has ended by itself, as systemd does; which these were."""
        ended = [name for name, server in self.servers.items() if self._ended(server)]
        for name in ended:
            self.begin(name)
        return ended

    def _ended(self, server: TameProcess) -> bool:
        return server.process is not None and server.process.poll() is not None

    # Where one plays

    def doors(self) -> dict[tuple[str, str], tuple[str, int]]:
        """Of the edge: those of TCP through a cable."""
        found = {}
        for door, where in self.servers["edge"].addresses().items():
            if door[0] == "eq2":
                found[door] = where
                continue
            if door in self._doors and self._doors[door][0] != where:
                self._doors.pop(door)[1].close()
            if door not in self._doors:
                self._doors[door] = where, Cable(where)
            found[door] = "127.0.0.1", self._doors[door][1].port
        return found

    def wires(self, link: str) -> list[Cable]:
        """The cables of a link."""
        return [cable for _, cable in self._doors.values()] if link == "doors" else [self.cables[link]]

    # Where a character is

    def asked(self, world: int, command: str) -> str | None:
        """What a world answers to a command; None if it does not, or refuses."""
        try:
            answer = admin.ask(self.servers[f"world{world}"].state, command, within=5.0)
        except admin.NotRunning:
            return None
        return "\n".join(answer.lines) if answer.ok else None

    def about(self, world: int, serial: int) -> dict[str, object] | None:
        """Where a world has a character in memory, which has its backpack with it; None if it has not. What
        is asked about a character itself, the world answers that has it by the database."""
        if serial not in self._packs:
            found = self._rows(f"SELECT serial FROM item WHERE parent = {serial} AND template = 'backpack'")
            self._packs[serial] = found[0][0]
        told = self.asked(world, f"info {self._packs[serial]}")
        about: dict[str, object] | None = json.loads(told) if told is not None else None
        return about

    def memories(self, serial: int) -> list[int]:
        """The worlds that have a character in memory."""
        return [world for world in WORLDS if self.about(world, serial) is not None]

    def twice(self, serial: int) -> bool:
        """Whether two worlds have it at one time: one before and after the other was asked."""
        first, *_ = WORLDS
        return all(self.about(world, serial) is not None for world in (*WORLDS, first))

    def stored(self, serial: int) -> Stored:
        """What the database has of it."""
        ((world, realm),) = self._rows(f"SELECT world, realm FROM character WHERE serial = {serial}")
        things = self._rows(
            "WITH RECURSIVE own AS (SELECT serial, template, amount FROM item"
            f" WHERE parent = {serial} UNION SELECT item.serial, item.template, item.amount"
            " FROM item JOIN own ON item.parent = own.serial) SELECT * FROM own"
        )
        return Stored(
            cast("int | None", world),
            cast("str", realm),
            {cast("int", one): (str(kind), cast("int", amount)) for one, kind, amount in things},
        )

    def gold(self) -> int:
        """All that people have, and that lies about; what is in chests comes by itself."""
        ((found,),) = self._rows(
            "SELECT coalesce(sum(amount), 0) FROM item WHERE template = 'gold' AND (parent IS NULL OR parent"
            " NOT IN (SELECT serial FROM item WHERE template IN ('chest', 'iron_chest', 'corpse')))"
        )
        return int(str(found))

    def serial(self, name: str) -> int:
        """Of a character."""
        ((found,),) = self._rows(f"SELECT serial FROM character WHERE name = '{name}'")
        return int(str(found))

    def _rows(self, sql: str) -> list[tuple[object, ...]]:
        """Of a connection of its own: whatever was before may have been killed."""
        import psycopg

        with psycopg.connect(self.sql.url(self.name), connect_timeout=10) as connection:
            return connection.execute(sql.encode()).fetchall()

    def output(self) -> str:
        """All that the processes have said."""
        return "\n".join(f"== {name}\n{server.output()}" for name, server in self.servers.items())

    def faults(self) -> list[str]:
        """Tracebacks in what they said."""
        return [
            f"{name}: {server.output()[(at := server.output().index('Traceback')) - 500 : at + 6000]}"
            for name, server in self.servers.items()
            if "Traceback" in server.output()
        ]
