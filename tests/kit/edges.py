"""A world and an edge as two real processes."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from tests.kit.process import CONFIG, ServerProcess

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "of this cluster alone"


def free_port() -> int:
    """A port of loopback that nobody has now."""
    with socket.create_server(("127.0.0.1", 0)) as bound:
        return int(bound.getsockname()[1])


def split_server(folder: Path) -> tuple[ServerProcess, ServerProcess]:
    """A world and its edge, not started yet. The world has doors of its own besides."""
    folder.joinpath("edge").mkdir()
    port = free_port()
    secret = f'secret = "{SECRET}"'
    world = ServerProcess(folder, f'[world]\naddress = "127.0.0.1:{port}"\n[edge]\n{secret}')
    edge = ServerProcess(folder / "edge")
    database = folder / "var" / "causeway.db"
    text = CONFIG.format(
        more=f'[edge]\nworlds = ["127.0.0.1:{port}"]\n{secret}\n[database]\nurl = "sqlite:///{database}"'
    )
    text = text.replace('name = "Process"', 'name = "Edge"\nroles = ["edge"]')
    edge.config.write_text(text.replace("[listen.web]\n", "[listen.web]\nenabled = false\n"))
    return world, edge
