"""A server in whose realms nothing bites, and which no way leads out of: who walks about in one stays there.
`python -m tests.kit.parted serve --config F`. All else is the real program."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import patch

import attrs

from server.__main__ import command
from server.boot import start
from tests.kit.process import ServerProcess
from tests.kit.tame import load_content

if TYPE_CHECKING:
    from pathlib import Path

    from world.content import Content


class PartedProcess(ServerProcess):
    """That server in a process of its own."""

    program = "tests.kit.parted"


def part(data: Path) -> Content:
    """The content that it has."""
    content = load_content(data)
    charts = {name: attrs.evolve(chart, spawners=(), warps={}) for name, chart in content.charts.items()}
    return attrs.evolve(content, charts=charts)


if __name__ == "__main__":
    with patch.object(start, "load_content", part):
        command()
