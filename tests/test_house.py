"""The files around the code: the shipped config is complete, the lock is whole and names no address."""

import ast
import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from protocol import services
from protocol.address import Address
from protocol.co.listener import CoListener
from server.commands.host import Host
from server.commands.machinery import Commands
from server.settings import config

ROOT = Path(__file__).parents[1]
CONFIG = (ROOT / "config.toml").read_text(encoding="utf-8")
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")

AGAIN = "listen.co_5065"
"""The table of a second listener of a game: it explains only what is different."""


def keys() -> Iterator[tuple[str, "attrs.Attribute[object]"]]:
    """Every key of config.toml as ("table.key", field)."""
    for section in attrs.fields(config.Settings):
        if section.name != "listen":
            for key in attrs.fields(type(getattr(config.Settings(), section.name))):
                yield f"{section.name}.{key.name}", key
    for game, listener in config.LISTENERS.items():
        for key in attrs.fields(listener):
            yield f"listen.{game}.{key.name}", key


def shown() -> dict[str, str]:
    """Every key that config.toml shows, commented out or not, with the comment above it."""
    found: dict[str, str] = {}
    table, comment = "", ""
    for line in CONFIG.splitlines():
        if header := re.fullmatch(r"\[([\w.]+)\]", line):
            table = header[1]
            found[table] = comment
            comment = ""
        elif key := re.fullmatch(r"(?:# )?([a-z_0-9]+) = .+", line):
            found[f"{table}.{key[1]}"] = comment
            comment = ""
        else:
            comment = f"{comment} {line.removeprefix('#').strip()}" if line.startswith("#") else ""
    return found


def test_the_shipped_config_is_exactly_the_defaults() -> None:
    """But for what a second listener of a game has to differ in."""
    games = {game: listener() for game, listener in config.LISTENERS.items()}
    games["co_5065"] = CoListener(account=Address("0.0.0.0", 9959), game=Address("0.0.0.0", 5817), patch=5065)
    assert config.parse(CONFIG) == attrs.evolve(config.Settings(), listen=games)


def test_the_shipped_config_shows_and_explains_every_key() -> None:
    explained = {name: comment for name, comment in shown().items() if not name.startswith(AGAIN)}
    assert [name for name, _ in keys() if not explained.get(name)] == []
    known = {name for name, _ in keys()}
    tables = {name.rpartition(".")[0] for name in known}
    assert explained.keys() - known - tables == set()


def test_the_shipped_config_marks_what_a_reload_changes() -> None:
    explained = shown()
    marked = {name for name, _ in keys() if explained[name].endswith("(reload)")}
    assert marked == {name for name, key in keys() if key.metadata["reloadable"]}


def test_what_the_shipped_config_shows_commented_out_is_valid() -> None:
    everything = re.sub(r"(?m)^# (?=\"?[a-z_.0-9]+\"? = )", "", CONFIG)
    assert everything != CONFIG
    assert config.parse(everything)


def test_the_lock_names_no_address() -> None:
    assert "://" not in LOCK
    assert [line for line in LOCK.splitlines() if not re.match(r"[a-z0-9-]+==|    --hash=", line)] == []


def test_the_lock_pins_and_hashes_every_package() -> None:
    blocks = re.split(r"\n(?=\S)", LOCK.strip())
    for block in blocks:
        first, *hashes = block.split("\n")
        assert re.fullmatch(r"[a-z0-9-]+==\S+( ; [^\\]+)? \\", first)
        assert hashes
        assert all(re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}( \\)?", line) for line in hashes)


def test_the_lock_holds_what_the_project_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    asked = [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *project["project"]["optional-dependencies"]["dev"],
    ]
    locked = set(re.findall(r"(?m)^([a-z0-9-]+)==", LOCK))
    assert {re.split(r"[<>=!~ \[;]", requirement)[0] for requirement in asked} - locked == set()


def test_every_package_can_be_had_as_a_wheel_and_a_source() -> None:
    """A lock made on one machine for that machine alone would hold one hash per package."""
    compiled = {
        "argon2-cffi-bindings": 10,
        "cffi": 30,
        "sqlalchemy": 20,
        "pycryptodome": 10,
        "mypy": 10,
        "ruff": 10,
    }
    for name, least in compiled.items():
        block = re.search(rf"(?m)^{name}==.*\n((?:    --hash=.*\n)+)", LOCK)
        assert block is not None, name
        assert block[1].count("\n") >= least, name


# In two halves, so that this file does not name them itself.
INDEX_HOSTS = [
    f"{name}.{end}" for name, end in [("pypi", "org"), ("pythonhosted", "org"), ("pypi", "python.org")]
]
SKIPPED = {".git", ".venv", "var", "__pycache__"}


def project_files() -> Iterator[Path]:
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [
            name for name in folders if name not in SKIPPED and not name.endswith((".egg-info", "_cache"))
        ]
        yield from (Path(folder, name) for name in names)


@pytest.mark.parametrize("host", INDEX_HOSTS)
def test_no_file_names_a_package_index(host: str) -> None:
    """Where packages come from is the business of the machine that installs them."""
    named = [path for path in project_files() if host.encode() in path.read_bytes()]
    assert named == []


SERVICES = [
    {name for name in vars(service) if not name.startswith("_")} - {"start", "stop"}
    for service in (
        services.Accounts,
        services.Tickets,
        services.Characters,
        services.Services,
        Host,
        Commands,
    )
]
"""What handlers and commands may ask, by service; whatever runs can be started and stopped."""
MADE = re.compile(r"^\s*class ", re.MULTILINE)
"""A file without a class has none of them, and need not be parsed."""
OBSERVERS = {"App", "InMemory"}
"""Who derives from the server is no second one: it looks on, or sets a scene."""


def stands_in(written: ast.ClassDef) -> bool:
    """Whether a class of the tests is a service of the server once more: it is called like one, or does what
    one does."""
    if re.search(r"(Services?|Accounts|Tickets|Characters|Storage)$", written.name):
        return True
    if any(isinstance(base, ast.Name) and base.id in OBSERVERS for base in written.bases):
        return False
    does = {part.name for part in written.body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)}
    return "attach" in does or does >= {"login", "claim"} or any(len(does & asked) > 2 for asked in SERVICES)


def test_a_service_that_is_written_once_more_is_seen() -> None:
    written = ast.parse("""
class FakeServices: ...
class Rooms:
    async def create(self, session): ...
    async def delete(self, session): ...
    def note(self, session): ...
class Porter:
    async def login(self, session): ...
    def claim(self, session): ...
class Usher:
    def attach(self, session): ...
class Office:
    def sessions(self): ...
    async def in_world(self, session, call): ...
    async def durable(self): ...
class Ship:
    def start(self): ...
    def stop(self): ...
    def reload(self): ...
class Client:
    def login(self): ...
    def enter(self): ...
    def leave(self): ...
class Observed(App):
    def sessions(self): ...
    async def in_world(self, session, call): ...
    async def durable(self): ...
""").body
    seen = [stands_in(one) for one in written if isinstance(one, ast.ClassDef)]
    assert seen == [True] * 5 + [False] * 3


def test_no_service_is_written_once_more_in_the_tests() -> None:
    """They drift from the real ones, and then a test says what no server does. The real ones run over a
    database in memory (`tests.kit.in_memory`)."""
    found = [
        f"{path.relative_to(ROOT)}: {part.name}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        if MADE.search(text := path.read_text(encoding="utf-8"))
        for part in ast.walk(ast.parse(text))
        if isinstance(part, ast.ClassDef) and stands_in(part)
    ]
    assert found == []


def test_the_gate_can_be_run() -> None:
    gate = ROOT / ".ci/run"
    assert os.access(gate, os.X_OK)
    subprocess.run(["bash", "-n", gate], check=True)


def test_every_promise_names_a_test_that_exists() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    written = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    names = set(re.findall(r"::(test_\w+)", text))
    assert len(names) > 10
    assert [name for name in names if f"def {name}(" not in written] == []
    files = set(re.findall(r"`(tests/[\w/]+\.py)", text))
    assert [file for file in files if not (ROOT / file).exists()] == []
