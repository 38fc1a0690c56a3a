"""What the program says of itself, as Markdown, from the declarations that it works by.

`causeway packets GAME`: what a game's packets look like. `causeway views`: what each game shows of what
happens in the world, and what comes of all that its clients ask for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.co import view as co_view
from protocol.co.packets import catalogue as co
from protocol.eo import view as eo_view
from protocol.eo.packets import CLIENT_PACKETS, SERVER_PACKETS
from protocol.eo.packets.describe import document
from protocol.eq2 import builds as eq2
from protocol.eq2 import view as eq2_view
from protocol.l2 import profiles as l2
from protocol.l2 import view as l2_view
from protocol.rendering import FLAGS, KINDS, LeftOut
from protocol.requests import listed
from protocol.uo import packets as uo
from protocol.uo import view as uo_view
from protocol.web import describe as web
from protocol.web import view as web_view
from protocol.wire.describe import describe
from server.boot.app import DATA, build_families
from server.content.loading import load
from world.delta import flags_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from protocol.rendering import Declaration, Declared

FROM_CLIENT: Final = "from the client"
FROM_SERVER: Final = "from the server"


def _uo() -> Iterator[str]:
    yield "# Packets of Ultima Online"
    yield from (describe(cls, FROM_CLIENT) for cls in uo.CLIENT_PACKETS)
    yield from (describe(cls, FROM_SERVER) for cls in uo.SERVER_PACKETS)


def _eo() -> Iterator[str]:
    yield "# Packets of Endless Online"
    yield from (document(cls, FROM_CLIENT) for _, cls in sorted(CLIENT_PACKETS.items()))
    yield from (document(cls, FROM_SERVER) for _, cls in sorted(SERVER_PACKETS.items()))


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


VIEWS: Final[Mapping[str, Declared]] = {
    "Ultima Online": uo_view.EVENTS,
    "Endless Online": eo_view.EVENTS,
    "EverQuest II": eq2_view.EVENTS,
    "Conquer Online": co_view.EVENTS,
    "Lineage II": l2_view.EVENTS,
    "the browser": web_view.EVENTS,
}
"""What is declared, by the name of the game."""


def views() -> str:
    """Two tables: each kind of event, and each flag of changed state, by games."""
    events = [(kind.__name__, [view.events.get(kind) for view in VIEWS.values()]) for kind in KINDS]
    flags = [
        (f"{whose} {name}", [view.flags[cls].get(flag) for view in VIEWS.values()])
        for whose, cls in FLAGS.items()
        for name, flag in flags_of(cls).items()
    ]
    return "\n\n".join(("\n".join(_table("event", events)), "\n".join(_table("change", flags)))) + "\n"


def requests() -> str:
    """For each game a table: what comes of all that its clients are known to send."""
    families = build_families(load(DATA), list(GAMES))
    sections = [
        f"### {title}\n\n" + "\n".join(listed(families[name].requests()))
        for name, title in zip(GAMES, VIEWS, strict=True)
    ]
    return "\n\n".join(sections) + "\n"


PARTS: Final[Mapping[str, Callable[[], str]]] = {"views": views, "requests": requests}
"""What stands in a page between `<!-- causeway NAME -->` and `<!-- end NAME -->`."""


def renewed(page: str) -> str:
    """A page with its parts as the program would write them now. Raises ValueError if one is not there."""
    for name, write in PARTS.items():
        begins, ends = f"<!-- causeway {name} -->\n", f"<!-- end {name} -->"
        before, _, rest = page.partition(begins)
        _, found, after = rest.partition(ends)
        if not found:
            raise ValueError(f"no {begins.strip()} and {ends}")
        page = f"{before}{begins}{write()}{ends}{after}"
    return page


def _table(title: str, rows: Iterable[tuple[str, Iterable[Declaration | None]]]) -> Iterator[str]:
    yield f"| {title} | {' | '.join(VIEWS)} |"
    yield f"|{'---|' * (len(VIEWS) + 1)}"
    for name, cells in rows:
        yield f"| {name} | {' | '.join(map(_cell, cells))} |"


def _cell(declared: Declaration | None) -> str:
    if declared is None:
        return "?"
    return f"*left out: {declared.because}*" if isinstance(declared, LeftOut) else declared.how
