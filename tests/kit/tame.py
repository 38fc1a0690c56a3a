"""A server in whose realms nothing bites, and newcomers begin before the way from one realm to the other:
`python -m tests.kit.tame serve --config F`. All else is the real program."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import patch

import attrs

from server.__main__ import command
from server.boot import start
from tests.kit.border import HERE
from tests.kit.process import ServerProcess

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from world.content import Content

load_content: Callable[[Path], Content] = vars(start)["load_content"]
"""As whoever started this process has it (`tests.kit.template`)."""


class TameProcess(ServerProcess):
    """That server in a process of its own."""

    program = "tests.kit.tame"


def tame(data: Path) -> Content:
    """The content that it has."""
    content = load_content(data)
    charts = {name: attrs.evolve(chart, spawners=()) for name, chart in content.charts.items()}
    first = charts[content.start_realm]
    charts[first.name] = attrs.evolve(first, spawns=(HERE,))
    return attrs.evolve(content, charts=charts)


if __name__ == "__main__":
    with patch.object(start, "load_content", tame):
        command()
