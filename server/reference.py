"""`causeway packets GAME`: what a game's packets look like, as Markdown, from the declarations that decode
them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.co.packets import catalogue as co
from protocol.eo import packets as eo
from protocol.eq2 import builds as eq2
from protocol.l2 import profiles as l2
from protocol.uo import packets as uo
from protocol.web import describe as web
from protocol.wire.describe import describe
from server.app import DATA
from server.content import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

FROM_CLIENT: Final = "from the client"
FROM_SERVER: Final = "from the server"


def _uo() -> Iterator[str]:
    yield "# Packets of Ultima Online"
    yield from (describe(cls, FROM_CLIENT) for cls in uo.CLIENT_PACKETS)
    yield from (describe(cls, FROM_SERVER) for cls in uo.SERVER_PACKETS)


def _eo() -> Iterator[str]:
    yield "# Packets of Endless Online"
    yield from (eo.document(cls, FROM_CLIENT) for _, cls in sorted(eo.CLIENT_PACKETS.items()))
    yield from (eo.document(cls, FROM_SERVER) for _, cls in sorted(eo.SERVER_PACKETS.items()))


def _eq2() -> Iterator[str]:
    yield "# Messages of EverQuest II"
    yield from eq2.documents(eq2.Builds.from_content(load(DATA)).newest)


def _co() -> Iterator[str]:
    yield "# Packets of Conquer Online"
    yield from co.documents()


def _l2() -> Iterator[str]:
    yield "# Packets of Lineage II"
    yield from l2.documents(l2.Profiles.from_content(load(DATA)).newest)


def _web() -> Iterator[str]:
    yield "# Messages of the web client"
    yield from web.documents()


GAMES: Final[Mapping[str, Callable[[], Iterator[str]]]] = {
    "uo": _uo,
    "eo": _eo,
    "eq2": _eq2,
    "co": _co,
    "l2": _l2,
    "web": _web,
}


def reference(game: str) -> str:
    """The whole page of one of `GAMES`."""
    return "\n\n".join(section.strip() for section in GAMES[game]()) + "\n"
