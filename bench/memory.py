"""What a journey through several maps costs in memory, with shared messages and with a copy for each
receiver.

    python -m bench.memory [--players 1 25] [--maps 4] [--seconds 24]

The scenario that reoserv's author measured with heaptrack before and after he shared buffers (118,007 against
1,193,707 calls to allocation functions; a client with an empty map folder logs in and enters a few maps): a
server process of its own, Endless Online clients that log in, download every file, walk through `--maps`
copies of the shipped realm and leave. Three servers for each number of players: one that nobody visits, one
as it is, and one that copies every message for every receiver. What the unvisited one needs (the interpreter,
imports, the world) is taken off the other two.

With heaptrack installed, its figures, under PYTHONMALLOC=malloc, so that every Python object counts; without,
tracemalloc's peak and the resident size, and the rows say so. Python allocates an object for nearly
everything, so the absolute counts are far above a Rust server's: the ratio of the two rows is what sharing is
worth.

What a crowd makes in its steady state is measured by `bench.crowd`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

import attrs
import trio
import trio.testing
from eolib import Direction

from protocol.eo.codec import EoCodec
from protocol.uo.codec import UoCodec
from protocol.wire.body import Body
from server.boot.app import App
from server.boot.start import listen
from server.bots.bot import bot_name
from server.content.families import DATA, build_families
from server.content.loading import load
from server.net.listening import write_endpoints
from server.settings import config
from server.store.database import Database
from server.store.migrate import upgrade
from server.store.runner import ThreadRunner
from tests.kit.eo_client import EoClient
from world.content import Warp

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from eolib import Packet

    from world.content import Chart, Content

CONFIG: Final = """
[server]
state_dir = "var"
[listen.eo]
game = "127.0.0.1:0"
websocket = false
[limits]
packets_per_second = 1000
packet_burst = 1000
joins_per_tick = 50
[log]
json = false
level = "ERROR"
"""

STEPS: Final = 6
"""From the spawn place to the tile that leads to the next map."""

SPREAD: Final = 3
"""Tiles around a spawn place where newcomers appear."""

STEP_SECONDS: Final = 0.5
PATIENCE: Final = 120.0
"""Seconds: under heaptrack everything takes longer."""

PUBLISHED: Final = (
    ("reoserv, shared (its author's figures)", 118_007, 52_076, 18.06, 8.15, 291.84, 0.69, 46.97),
    ("reoserv, a copy for each", 1_193_707, 1_078_050, 22.43, 8.20, 293.70, 0.81, 31.09),
)
"""Calls, temporary calls, MB allocated, MB peak heap, MB peak RSS with heaptrack's own, MB left, seconds."""


# The server's side


def journey(content: Content, maps: int) -> Content:
    """So many copies of the shipped realm, each with a tile that leads to the next."""
    shipped = content.charts[content.start_realm]
    x, y = _straight(shipped)
    names = [shipped.name, *(f"{shipped.name}{number}" for number in range(2, maps + 1))]
    charts = {}
    for number, name in enumerate(names):
        onward = [(x + STEPS, row) for row in range(y - SPREAD, y + SPREAD + 1)]
        warps = {tile: Warp(names[number + 1], x, y) for tile in onward} if number + 1 < maps else {}
        atlas = {**shipped.atlas, "eo": {**shipped.atlas["eo"], "map": number + 1}}
        charts[name] = attrs.evolve(
            shipped, name=name, spawns=[(x, y)], warps=warps, doors=frozenset(), residents=(), atlas=atlas
        )
    return attrs.evolve(content, charts=charts)


def _straight(chart: Chart) -> tuple[int, int]:
    """A place from which one can walk east far enough, with room for newcomers around."""
    for y in range(SPREAD, chart.height - SPREAD):
        for x in range(SPREAD, chart.width - STEPS):
            if not any(
                chart.blocked[row * chart.width + column]
                for row in range(y - SPREAD, y + SPREAD + 1)
                for column in range(x - SPREAD, x + STEPS + 1)
            ):
                return x, y
    raise ValueError("the realm has no open place")


@contextlib.contextmanager
def copies() -> Iterator[None]:
    """Every message is copied for each receiver, and prepared for it alone."""

    def copying(send: object) -> object:
        def send_many(codec: EoCodec | UoCodec, bodies: Iterable[Body]) -> None:
            send(codec, [Body(bytes(bytearray(body.raw))) for body in bodies])  # type: ignore[operator]

        return send_many

    with (
        patch.object(EoCodec, "send_many", copying(EoCodec.send_many)),
        patch.object(UoCodec, "send_many", copying(UoCodec.send_many)),
    ):
        yield


async def _serve(folder: Path, maps: int) -> int:
    path = folder / "config.toml"
    settings = config.load(path).anchored(folder)
    content = journey(load(DATA), maps)
    state = settings.server.state_dir
    state.mkdir(exist_ok=True)
    await trio.to_thread.run_sync(upgrade, settings.database.url, state / "backups")
    database = Database(settings.database.url)
    families = build_families(content, ["eo"])
    app = App(settings, content, families, database, ThreadRunner(shared=database.shared), config_path=path)
    listening = listen(settings, families)
    async with trio.open_nursery() as nursery:

        async def stop() -> None:
            with trio.open_signal_receiver(signal.SIGTERM) as received:
                async for _ in received:
                    app.stop(0)

        nursery.start_soon(stop)
        write_endpoints(folder / "endpoints.json", listening, app.server_name)
        code = await app.run(listening)
        nursery.cancel_scope.cancel()
    database.close()
    return code


def serve(folder: Path, maps: int, *, copying: bool, trace: bool) -> None:
    """The server process."""
    logging.disable(logging.CRITICAL)
    if trace:
        tracemalloc.start()
    with copies() if copying else contextlib.nullcontext():
        trio.run(_serve, folder, maps)
    if trace:
        (folder / "traced.json").write_text(json.dumps(tracemalloc.get_traced_memory()))


# The clients' side


class Traveller:
    """One client over a real socket."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.client = EoClient()
        self.packets = 0
        self._socket = socket.create_connection(address, timeout=PATIENCE)

    def sends(self, data: bytes) -> None:
        """Send, and wait for nothing."""
        self._socket.sendall(data)

    def reads(self, seconds: float) -> list[Packet]:
        """What comes within so many seconds."""
        found: list[Packet] = []
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            self._socket.settimeout(left)
            try:
                data = self._socket.recv(65536)
            except TimeoutError:
                break
            if not data:
                raise ConnectionError("the server closed the connection")
            found += self.client.feed(data)
            if answers := self.client.answers():
                self._socket.sendall(answers)
        self.packets += len(found)
        return found

    def until(self, *kinds: str) -> None:
        """Read until each of these packets has come."""
        missing = set(kinds)
        deadline = time.monotonic() + PATIENCE
        while missing:
            if time.monotonic() > deadline:
                raise TimeoutError(f"no {', '.join(missing)}")
            missing -= {type(packet).__name__ for packet in self.reads(0.05)}

    def enters(self, name: str) -> None:
        """From the first byte into the world, with every file."""
        client = self.client
        self.sends(client.init())
        self.until("InitInitServerPacket")
        self.sends(client.accept())
        self.sends(client.login(name, "secret1"))
        self.until("LoginReplyServerPacket")
        self.sends(client.request_character())
        self.until("CharacterReplyServerPacket")
        self.sends(client.create_character(name))
        self.until("CharacterReplyServerPacket")
        self.sends(client.select(client.menu[0].id))
        self.until("WelcomeReplyServerPacket")
        self.sends(client.download_all())
        self.until("InitInitServerPacket")
        self.sends(client.enter())
        self.until("WelcomeReplyServerPacket")

    def close(self) -> None:
        """Hang up."""
        self._socket.close()


def travel(address: tuple[str, int], players: int, maps: int) -> int:
    """Everybody logs in, walks through the maps and leaves; how many packets they were sent."""
    crowd: list[Traveller] = []
    for number in range(players):
        # One after the other: who connects and says nothing is not waited for.
        traveller = Traveller(address)
        traveller.enters(bot_name(number, "eo"))
        crowd.append(traveller)
        # Who does not answer the server's pings is cut off.
        for other in crowd:
            other.reads(0.001)
    for there in range(1, maps):
        for _ in range(4 * STEPS):
            on_their_way = [one for one in crowd if one.client.map_id == there]
            if not on_their_way:
                break
            for traveller in on_their_way:
                traveller.sends(traveller.client.walk(Direction.Right))
            _all_read(crowd, STEP_SECONDS)
        lost = [one for one in crowd if one.client.map_id != there + 1]
        if lost:
            raise RuntimeError(f"{len(lost)} of {players} did not come to map {there + 1}")
    packets = sum(traveller.packets for traveller in crowd)
    for traveller in crowd:
        traveller.close()
    return packets


def _all_read(crowd: Sequence[Traveller], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for traveller in crowd:
            traveller.reads(seconds / (2 * len(crowd)))


# What was measured


@attrs.define
class Memory:
    """One server's life. Counts are None where nothing counts them."""

    seconds: float
    packets: int
    peak_heap: float
    """MB"""
    peak_rss: float
    """MB"""
    left: float
    """MB that were never given back."""
    calls: int | None = None
    temporary: int | None = None
    allocated: float | None = None
    """MB in all, whatever was given back."""

    def less(self, idle: Memory) -> Memory:
        """What it needed more than a server that nobody visits."""
        return Memory(
            self.seconds,
            self.packets,
            self.peak_heap - idle.peak_heap,
            self.peak_rss - idle.peak_rss,
            self.left - idle.left,
            *(
                None if mine is None or its is None else mine - its  # type: ignore[arg-type]
                for mine, its in (
                    (self.calls, idle.calls),
                    (self.temporary, idle.temporary),
                    (self.allocated, idle.allocated),
                )
            ),
        )


def life(players: int, maps: int, *, copying: bool, seconds: float) -> Memory:
    """Start a server, let so many travel (or, if none, time pass), stop it, and read what it used."""
    heaptrack = shutil.which("heaptrack")
    with tempfile.TemporaryDirectory(prefix="causeway-memory-") as name:
        folder = Path(name)
        (folder / "config.toml").write_text(CONFIG)
        command = [sys.executable, "-m", "bench.memory", "--serve", name, "--maps", str(maps)]
        command += ["--copying"] if copying else []
        command += [] if heaptrack else ["--trace"]
        if heaptrack:
            command = [heaptrack, "-o", str(folder / "heap"), *command]
        with (folder / "output.txt").open("wb") as output:
            process = subprocess.Popen(
                command, stdout=output, stderr=output, env={**os.environ, "PYTHONMALLOC": "malloc"}
            )
        try:
            endpoints = _endpoints(folder, process)
            host, _, port = endpoints["eo"]["game"].rpartition(":")
            began = time.monotonic()
            packets = travel((host, int(port)), players, maps) if players else 0
            time.sleep(max(1.0, seconds - (time.monotonic() - began)) if not players else 1.0)
            lasted = time.monotonic() - began
            pid = int(endpoints["server"]["pid"])
            resident = _peak_resident(pid)
            os.kill(pid, signal.SIGTERM)
            process.wait(PATIENCE)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        if heaptrack is None:
            left, peak = json.loads((folder / "traced.json").read_text())
            return Memory(lasted, packets, peak / 1e6, resident, left / 1e6)
        return _read_heaptrack(folder, lasted, packets)


def _endpoints(folder: Path, process: subprocess.Popen[bytes]) -> dict[str, dict[str, str]]:
    deadline = time.monotonic() + PATIENCE
    while not (folder / "endpoints.json").exists():
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError((folder / "output.txt").read_text())
        time.sleep(0.05)
    found: dict[str, dict[str, str]] = json.loads((folder / "endpoints.json").read_text())
    return found


def _peak_resident(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else 0.0


_UNITS: Final = {"B": 1e-6, "K": 1e-3, "M": 1.0, "G": 1e3}


def _read_heaptrack(folder: Path, seconds: float, packets: int) -> Memory:
    (recording,) = folder.glob("heap*.*st")
    histogram = folder / "sizes.txt"
    summary = subprocess.run(
        ["heaptrack_print", "-p0", "-a0", "-T0", "-l0", "-H", str(histogram), str(recording)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    def megabytes(words: str) -> float:
        found = re.search(rf"{re.escape(words)}[^:]*: ([\d.]+)([BKMG])", summary)
        if found is None:
            raise RuntimeError(f"heaptrack says nothing of {words}: {summary}")
        return float(found[1]) * _UNITS[found[2]]

    def count(words: str) -> int:
        found = re.search(rf"{re.escape(words)}: (\d+)", summary)
        if found is None:
            raise RuntimeError(f"heaptrack says nothing of {words}: {summary}")
        return int(found[1])

    sizes = (line.split() for line in histogram.read_text().splitlines())
    return Memory(
        seconds,
        packets,
        megabytes("peak heap memory consumption"),
        megabytes("peak RSS"),
        megabytes("total memory leaked"),
        count("calls to allocation functions"),
        count("temporary memory allocations"),
        sum(int(size) * int(many) for size, many in sizes) / 1e6,
    )


# The tables


def _row(title: str, memory: Memory) -> str:
    def cell(value: float | None, digits: int = 2, per: float = 1.0) -> str:
        return f"{'-':>12}" if value is None else f"{value / per:>12,.{digits}f}"

    return (
        f"{title:34}{cell(memory.calls, 0)}{cell(memory.temporary, 0)}{cell(memory.allocated)}"
        f"{cell(memory.peak_heap)}{cell(memory.peak_rss)}{cell(memory.left)}{memory.seconds:>7.0f}{memory.packets:>9,}"
        f"{cell(memory.calls, 0, memory.seconds)}"
        f"{cell(memory.calls if memory.packets else None, 1, memory.packets or 1)}"
    )


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Memory of a journey through several maps.")
    parser.add_argument("--players", type=int, nargs="+", default=[1, 25])
    parser.add_argument("--maps", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=20.0, help="how long nobody visits the first server")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--copying", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--trace", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.serve is not None:
        serve(args.serve, args.maps, copying=args.copying, trace=args.trace)
        return
    how = "heaptrack, PYTHONMALLOC=malloc" if shutil.which("heaptrack") else "tracemalloc and VmHWM"
    print(f"a journey through {args.maps} maps, less a server that nobody visits ({how})")
    columns = ("calls", "temporary", "MB in all", "MB peak", "MB RSS", "MB left")
    print(
        f"{'':34}" + "".join(f"{title:>12}" for title in columns) + f"{'s':>7}{'packets':>9}{'calls/s':>12}"
        f"{'calls/pkt':>12}"
    )
    for title, calls, temporary, allocated, heap, rss, left, lasted in PUBLISHED:
        print(_row(title, Memory(lasted, 0, heap, rss, left, calls, temporary, allocated)))
    idle = life(0, args.maps, copying=False, seconds=args.seconds)
    print(_row("ours, nobody comes (whole process)", idle), flush=True)
    for players in args.players:
        for copying, title in ((False, "shared"), (True, "a copy for each")):
            memory = life(players, args.maps, copying=copying, seconds=args.seconds)
            print(_row(f"ours, {players} players, {title}", memory.less(idle)), flush=True)


if __name__ == "__main__":
    main()
