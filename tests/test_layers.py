"""The layers: who may import whom. The contracts stand in pyproject.toml."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from protocol.games import GAMES

ROOT = Path(__file__).parents[1]

# One breach of each contract: the module that reaches across, and what it says.
BREACHES = {
    "world.deep.rules": "import protocol.family",
    "protocol.session": "import server.boot.app",
    "protocol.wire.fields": "import socket",
    "protocol.uo.codec": "import time",
    "protocol.uo.packets.motion": "import world.deep.rules",
    "protocol.uo.session": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import protocol.uo.view",
    "protocol.eo.packets": "import protocol.eo.ids",
    "protocol.eo.ids": "import random",
    "protocol.eo.handlers": "import protocol.uo.codec",
    "protocol.eq2.view": "import protocol.eo.ids",
    "protocol.eq2.stream.sending": "import time",
    "protocol.co.view": "import protocol.uo.codec",
    "protocol.l2.places": "import protocol.uo.codec",
    "protocol.l2.bridge.codec": "import socket",
    "protocol.l2.bridge.packets": "import trio",
    "protocol.web.view": "import protocol.uo.codec",
    "protocol.web.packets.base": "import random",
    "protocol.web.packets.motion": "import world.deep.rules",
    "world.clock": "import time",
    "world.tasks": "import trio",
    "world.speech": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import world.motion",
    "server.boot.app": "import sqlalchemy",
    "server.store.tables": "import sqlalchemy",
    "server.turn.sight": "import protocol.uo.codec",
    "server.content.export": "import protocol.co.view",
    "server.bots.uo": "import protocol.uo.codec",
    "server.net.gateway": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import server.web.site",
    "server.turn.loop": "import server.store.writer",
    "server.sundial": "import time",
}
REPORTED = [
    "world.deep.rules -> protocol.family",
    "protocol.session -> server.boot.app",
    "protocol.wire.fields -> socket",
    "protocol.uo.codec -> time",
    "protocol.uo.packets.motion -> world.deep.rules",
    "protocol.uo.session -> protocol.uo.view",
    "protocol.eo.ids -> random",
    "protocol.eo.handlers -> protocol.uo.codec",
    "protocol.eq2.view -> protocol.eo.ids",
    "protocol.eq2.stream.sending -> time",
    "protocol.co.view -> protocol.uo.codec",
    "protocol.l2.places -> protocol.uo.codec",
    "protocol.l2.bridge.codec -> socket",
    "protocol.l2.bridge.packets -> trio",
    "protocol.web.view -> protocol.uo.codec",
    "protocol.web.packets.base -> random",
    "protocol.web.packets.motion -> world.deep.rules",
    "world.clock -> time",
    "world.tasks -> trio",
    "world.speech -> world.motion",
    "- world.tasks",
    "server.boot.app -> sqlalchemy",
    "server.turn.sight -> protocol.uo.codec",
    "server.content.export -> protocol.co.view",
    "server.net.gateway -> server.web.site",
    "server.turn.loop -> server.store.writer",
    "- server.sundial",
]


def layers_of(package: str) -> list[str]:
    """The modules of a package, as the contract about its layers names them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (layers,) = [contract["layers"] for contract in contracts if package in contract.get("containers", ())]
    return [module.strip("()") for layer in layers for module in re.split(r" [|:] ", layer)]


def test_no_layer_reaches_across() -> None:
    # In a process of its own: the linter sets up logging for itself and silences the loggers it finds.
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    linted = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert linted.returncode == 0, linted.stdout


def test_who_reads_a_config_imports_of_a_game_its_keys_only() -> None:
    """Every command does, and all that the games are made of takes a second to import."""
    code = (
        "import sys; from pathlib import Path; from server.settings import config;"
        "config.load(Path('config.toml'));"
        "print(*(name for name in sys.modules if name.startswith('protocol.') and name.count('.') > 1))"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    keys = {f"protocol.{game}.listener" for game in GAMES}
    assert set(ran.stdout.split()) == keys | {"protocol.l2.bridge_settings"}


def test_every_contract_sees_its_breach(tmp_path: Path) -> None:
    for module, text in BREACHES.items():
        folder = tmp_path.joinpath(*module.split(".")[:-1])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{module.rpartition('.')[2]}.py").write_text(f"{text}\n")
    for package in ("server", "world", *(f"protocol/{game}" for game in GAMES)):
        for layer in layers_of(package.replace("/", ".")):
            if not (tmp_path / package / layer).exists():
                (tmp_path / package / f"{layer}.py").touch()
    for module in ("server/store/writer.py", "server/web/site.py"):
        (tmp_path / module).parent.mkdir(exist_ok=True)
        (tmp_path / module).touch()
    (tmp_path / "protocol/family.py").touch()
    (tmp_path / "protocol/uo/ciphers.py").touch()
    for folder in [path for path in tmp_path.rglob("*") if path.is_dir()]:
        (folder / "__init__.py").touch()
    shutil.copy(ROOT / "pyproject.toml", tmp_path)

    code = "from importlinter.cli import lint_imports; lint_imports(no_cache=True, no_logo=True)"
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert "Contracts: 0 kept, 9 broken." in result.stdout, result.stdout + result.stderr
    assert [line for line in REPORTED if line not in result.stdout] == []
    assert "server.store.tables -> sqlalchemy" not in result.stdout
    assert "server.bots.uo -> protocol.uo.codec" not in result.stdout
