"""A server whose realm has one more merchant and banker: `python -m tests.kit.marketplace serve --config F`.

It is the real program with two residents more than data/ has, far from everybody else, so that whoever trades
there (`tests.kit.market`) is given nothing by others and loses nothing to them; and players may give orders
as fast as they can.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from unittest.mock import patch

import attrs

from server.__main__ import command
from server.boot import start
from server.commands import pace
from server.content.loading import load as load_content
from tests.kit.process import ServerProcess
from world.content import Resident

if TYPE_CHECKING:
    from pathlib import Path

    from world.content import Content

MERCHANT: Final = "greta"
BANKER: Final = "banker"
STALLS: Final = {MERCHANT: (74, 87), BANKER: (75, 87)}
"""Where both stand in the first realm: no creature comes there, and nobody walks there within a siege."""


class MarketProcess(ServerProcess):
    """That server in a process of its own."""

    program = "tests.kit.marketplace"


def _with_a_market(data: Path) -> Content:
    content = load_content(data)
    chart = content.charts[content.start_realm]
    both = [Resident(key, x, y, heading=4, wander=0) for key, (x, y) in STALLS.items()]
    more = attrs.evolve(chart, residents=(*chart.residents, *both))
    return attrs.evolve(content, charts={**content.charts, chart.name: more})


if __name__ == "__main__":
    with patch.object(start, "load_content", _with_a_market), patch.object(pace, "SECONDS", 0.0):
        command()
