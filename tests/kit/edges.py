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


def split_server(folder: Path, url: str = "") -> tuple[ServerProcess, ServerProcess]:
    """A world and its edge, not started yet. The world has doors of its own besides. With the `url` of a
    PostgreSQL the world listens for edges at another port each time, and the edge finds it there."""
    folder.joinpath("edge").mkdir()
    port = 0 if url else free_port()
    secret = f'secret = "{SECRET}"'
    at = f'[database]\nurl = "{url}"\n' if url else ""
    world = ServerProcess(folder, f'{at}[world]\naddress = "127.0.0.1:{port}"\n[edge]\n{secret}')
    edge = ServerProcess(folder / "edge")
    database = folder / "var" / "causeway.db"
    near = f'[database]\nurl = "sqlite:///{database}"\n[edge]\nworlds = ["127.0.0.1:{port}"]\n{secret}'
    text = CONFIG.format(more=f"{at}[edge]\n{secret}" if url else near)
    text = text.replace('name = "Process"', 'name = "Edge"\nroles = ["edge"]')
    edge.config.write_text(text.replace("[listen.web]\n", "[listen.web]\nenabled = false\n"))
    return world, edge
