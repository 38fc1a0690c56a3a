"""A game is a folder, a line in `protocol/games.py`, and its looks.

It is added to a copy of the program as ARCHITECTURE says ("To add ... a game"), and played beside the door of
another game.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from contextlib import closing
from pathlib import Path

import pytest

from tests.kit.budget import server_started

ROOT = Path(__file__).resolve().parents[1]

LINE = "web.GAME)"
"""Where the list of games ends."""

CONFIG = """
[server]
state_dir = "var"
[accounts]
auto_create = true
[listen.toy]
game = "127.0.0.1:0"
[listen.uo]
game = "127.0.0.1:0"
"""

SECONDS = 30.0
"""Within which the server opens its doors, and answers."""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The program with one game more."""
    for name in ("server", "protocol", "world", "migrations", "data"):
        shutil.copytree(ROOT / name, tmp_path / name)  # with bytecode: to compile it all again takes seconds
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    # 1. Its folder.
    shutil.copytree(ROOT / "tests" / "toy", tmp_path / "protocol" / "toy")
    # 2. Its line in the list of games.
    games = tmp_path / "protocol" / "games.py"
    text = games.read_text()
    assert text.count(LINE) == text.count("import co, eo, eq2, l2, uo, web\n") == 1
    text = text.replace(LINE, "web.GAME, toy.GAME)")
    games.write_text(
        text.replace("import co, eo, eq2, l2, uo, web\n", "import co, eo, eq2, l2, toy, uo, web\n")
    )
    # 3. Its looks.
    for name in ("items", "mobiles"):
        looks = tmp_path / "data" / "looks" / f"{name}.toml"
        kinds = [key for key in tomllib.loads(looks.read_text()) if key != "sources"]
        with looks.open("a") as file:
            file.writelines(f'\n[{kind}.toy]\nsource = "ours"\n' for kind in kinds)
    (tmp_path / "config.toml").write_text(CONFIG)
    return tmp_path


def causeway(*words: str) -> list[str]:
    """A command of whatever program lies in the working directory."""
    return [sys.executable, "-m", "server", *words, "--config", "config.toml"]


class ToyClient:
    """A client over a real socket."""

    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        self.socket = socket.create_connection((host, int(port)), timeout=SECONDS)
        self._bytes = b""

    def sends(self, opcode: int, words: str) -> None:
        body = bytes([opcode]) + words.encode()
        self.socket.sendall((len(body) + 2).to_bytes(2, "little") + body)

    def hears(self) -> str:
        """The next words."""
        while len(self._bytes) < 2 or len(self._bytes) < int.from_bytes(self._bytes[:2], "little"):
            more = self.socket.recv(4096)
            assert more, "the server hung up"
            self._bytes += more
        size = int.from_bytes(self._bytes[:2], "little")
        frame, self._bytes = self._bytes[2:size], self._bytes[size:]
        assert frame[0] == 2
        return frame[1:].decode()


def test_a_game_of_two_packets_is_a_folder_a_line_and_its_looks(copy: Path) -> None:
    checked = subprocess.run(
        causeway("check"), cwd=copy, capture_output=True, text=True, timeout=60, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    output = copy / "output.txt"
    with output.open("wb") as file:
        process = subprocess.Popen(causeway("serve"), cwd=copy, stdout=file, stderr=file)
    try:
        endpoints, deadline = copy / "var" / "endpoints.json", time.monotonic() + SECONDS
        while not endpoints.exists():
            assert process.poll() is None, output.read_text()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        server_started()
        doors = json.loads(endpoints.read_text())
        assert doors.keys() >= {"toy", "uo"}
        alric, berta = ToyClient(doors["toy"]["game"]), ToyClient(doors["toy"]["game"])
        with closing(alric.socket), closing(berta.socket):
            alric.sends(1, "alric secret1")
            assert alric.hears().startswith("Alric at ")
            berta.sends(1, "berta secret1")
            assert berta.hears().startswith("Berta at ")
            berta.sends(2, "Good evening")
            assert alric.hears() == berta.hears() == "Berta: Good evening"
    finally:
        process.terminate()
        assert process.wait(SECONDS) == 0, output.read_text()
