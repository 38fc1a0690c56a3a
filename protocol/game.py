"""What a game brings along before there is a world, in one record.

Each folder below `protocol/` ends in one `GAME`; `protocol.games` lists them. A server reads from it which
keys the game has in config.toml, which files it can read and write, what is known of its packets, and makes
its `Family` of the world's content. Nothing else of a game is known outside its folder.

Every command reads config.toml, and so all of these records, but hardly one needs a codec: to import all
games takes a second. So a record names only what is light, and its functions import the rest when they are
called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from protocol.background import Service
    from protocol.charts import ReadChart
    from protocol.export import Exporter
    from protocol.family import FamilyFactory
    from protocol.listener import Listener
    from world.content import Content


def _no_documents(_: Content) -> Iterable[str]:
    """Of a game whose packets are described nowhere."""
    return ()


@attrs.frozen
class Game:
    """A game as the program knows it."""

    name: str
    """Its key in `[listen.<name>]`, endpoints.json, looks and atlases."""
    title: str
    """What people call it, within a sentence."""
    listener: type[Listener]
    """Its tables in config.toml: where its doors open, and what else an operator may choose."""
    family: FamilyFactory
    """Makes the seam to the server of a world's content. Raises LookError with all that it misses there."""
    background: Service | None = None
    """What runs for it as long as the server does, beside its clients."""
    login_door: str = ""
    """The door that may be in a process of its own, without a world (`[server] roles`): its background
    service joins it to the others."""
    documents: Callable[[Content], Iterable[str]] = _no_documents
    """Describes its packets as Markdown, section by section. Layouts that are data are taken from the
    content."""
    chart_readers: Mapping[str, ReadChart] = attrs.field(factory=dict)
    """Read realms whose maps are the game's own, by the key that names the map in a realm's table."""
    export: Exporter | None = None
    """Writes a realm as map files of its client; None where nobody knows how."""
    draws_ground: bool = False
    """Whether its players see the ground that data/ describes, so that every kind of tile needs a look. The
    others walk on a ground of their own."""
