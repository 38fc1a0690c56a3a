"""The program's words about itself, as Markdown, from the declarations that it works by.

`causeway packets GAME`: what a game's packets look like. `causeway views`: what each game shows of what
happens in the world, and what comes of all that its clients ask for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.games import GAMES
from protocol.rendering import FLAGS, KINDS, LeftOut
from protocol.requests import listed
from server.content.families import DATA, build_families
from server.content.loading import load
from world.delta import flags_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from protocol.family import Family
    from protocol.rendering import Declaration


def reference(game: str) -> str:
    """The whole page of one of `GAMES`."""
    return "\n\n".join(section.strip() for section in GAMES[game].documents(load(DATA))) + "\n"


def shipped_families() -> Mapping[str, Family]:
    """All games, made of the content that comes with the program."""
    return build_families(load(DATA), list(GAMES))


def views(families: Mapping[str, Family]) -> str:
    """Two tables: each kind of event, and each flag of changed state, by games."""
    declared = [family.view.declared for family in families.values()]
    titles = [GAMES[name].title for name in families]
    events = [(kind.__name__, [view.events.get(kind) for view in declared]) for kind in KINDS]
    flags = [
        (f"{whose} {name}", [view.flags[cls].get(flag) for view in declared])
        for whose, cls in FLAGS.items()
        for name, flag in flags_of(cls).items()
    ]
    tables = (_table("event", titles, events), _table("change", titles, flags))
    return "\n\n".join("\n".join(table) for table in tables) + "\n"


def requests(families: Mapping[str, Family]) -> str:
    """For each game a table: what comes of all that its clients are known to send."""
    sections = [
        f"### {GAMES[name].title}\n\n" + "\n".join(listed(family.requests()))
        for name, family in families.items()
    ]
    return "\n\n".join(sections) + "\n"


PARTS: Final[Mapping[str, Callable[[Mapping[str, Family]], str]]] = {"views": views, "requests": requests}
"""What stands in a page between `<!-- causeway NAME -->` and `<!-- end NAME -->`."""


def renewed(page: str, families: Mapping[str, Family]) -> str:
    """A page with its parts as the program would write them now. Raises ValueError if one is not there."""
    for name, write in PARTS.items():
        begins, ends = f"<!-- causeway {name} -->\n", f"<!-- end {name} -->"
        before, _, rest = page.partition(begins)
        _, found, after = rest.partition(ends)
        if not found:
            raise ValueError(f"no {begins.strip()} and {ends}")
        page = f"{before}{begins}{write(families)}{ends}{after}"
    return page


def _table(
    title: str, titles: Sequence[str], rows: Iterable[tuple[str, Iterable[Declaration | None]]]
) -> Iterator[str]:
    yield f"| {title} | {' | '.join(titles)} |"
    yield f"|{'---|' * (len(titles) + 1)}"
    for name, cells in rows:
        yield f"| {name} | {' | '.join(map(_cell, cells))} |"


def _cell(declared: Declaration | None) -> str:
    if declared is None:
        return "?"
    return f"*left out: {declared.because}*" if isinstance(declared, LeftOut) else declared.how
