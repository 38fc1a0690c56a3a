"""Conquer Online: patches 5017 and 5065.

`GAME` is all that is known of it elsewhere; `seam.py` puts everything together. Clients log in at the account
server and are sent on to the game, whose ciphers are those of the listener's patch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.co.listener import CoListener
from protocol.game import Game

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from protocol.charts import ChartSource
    from protocol.export import Order
    from protocol.family import Family
    from world.content import Chart, Content


def family(content: Content) -> Family:
    """The game for one world's content. Raises LookError for mistakes in its tables."""
    from protocol.co.seam import family as make

    return make(content)


def documents(_: Content) -> Iterator[str]:
    """What its packets look like, in sections of Markdown."""
    from protocol.co.packets import catalogue

    yield "# Packets of Conquer Online"
    yield from catalogue.documents()


def read_chart(table: Mapping[str, object], source: ChartSource) -> Chart | None:
    """A realm whose table has `dmap = "..."`. See `protocol.charts`."""
    from protocol.co.charts import read_chart as read

    return read(table, source)


def export_realm(content: Content, order: Order, data: Path) -> list[str]:
    """Write a realm as a map with a picture. See `protocol.export`."""
    from protocol.co.export import export

    return export(content, order, data)


GAME: Final = Game(
    name="co",
    title="Conquer Online",
    listener=CoListener,
    family=family,
    documents=documents,
    export=export_realm,
    chart_readers={"dmap": read_chart},
)
