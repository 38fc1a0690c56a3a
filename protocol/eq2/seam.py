"""EverQuest II put together: the one record that a server with a world works with."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final

from protocol.eq2.carrying import CARRYING
from protocol.eq2.codec import Eq2Codec
from protocol.eq2.doorman import Eq2Doorman
from protocol.eq2.figures import Figures, read_rendering
from protocol.eq2.handlers import make_table
from protocol.eq2.handlers.table import ORDER
from protocol.eq2.looks import compile_looks
from protocol.eq2.packets import CATALOGUE, DisplayText
from protocol.eq2.places import read_places
from protocol.eq2.requests import requests
from protocol.eq2.scenery import Eq2Scenery
from protocol.eq2.session import Eq2Session
from protocol.eq2.versions import Eq2Versions
from protocol.eq2.view import SIGHT, Eq2View
from protocol.eq2.words import STATUS
from protocol.family import Door, Family, Transport
from protocol.kept import Kept
from protocol.landmarks import with_scenery
from protocol.session import Phase
from protocol.tables import LookError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from protocol.eq2.figures import Rendering
    from protocol.eq2.looks import Eq2Looks
    from protocol.eq2.places import Places
    from protocol.wire.args import CodecArgs
    from world.content import Chart, Content

_VERSIONS: Final = Kept[Eq2Versions](most=2)
"""Of the last tables: a file that was not saved since is the same table."""


def family(content: Content) -> Family:
    """The game for one world's content. Raises LookError for mistakes in its tables."""
    looks, places, scenery = _made_of(content)
    versions = _versions_of(content)
    figures = Figures(looks, places.anew(), _rendering_of(content))

    def codec(args: CodecArgs) -> Eq2Codec:
        return Eq2Codec(args, versions.newest)

    def doorman(args: CodecArgs) -> Eq2Doorman:
        return Eq2Doorman(args, partial(codec, args))

    table = make_table(versions)
    door = Door.of(Transport.DATAGRAM, codec, table, Eq2Session, doorman=doorman)
    view = Eq2View(versions, figures, scenery)
    return Family.of(
        name="eq2",
        doors={"login": door, "world": door},
        view=view,
        carrying=CARRYING,
        renew=partial(renewed, view),
        goodbye=goodbye,
        order_sign=f"/{ORDER} ",
        prepare=scenery.prepare,
        requests=partial(requests, table, versions.newest),
        problems=tuple(
            f"realms/{name}.toml: atlas: no eq2, so that players of EverQuest II cannot go there"
            for name in content.charts
            if not places.has(name)
        ),
    )


def renewed(view: Eq2View, fresh: Eq2View) -> Callable[[Sequence[Eq2Session]], None]:
    """See Family."""
    differs = fresh.scenery.landmarks.inherit(view.scenery.landmarks)

    def adopt(sessions: Sequence[Eq2Session]) -> None:
        view.places.adopt(fresh.places)
        view.looks = view.figures.looks = fresh.looks
        if differs:
            before, view.scenery = view.scenery, fresh.scenery
            for session in sessions:
                session.queue(*before.replaced(session, view.scenery))

    return adopt


@lru_cache(maxsize=2)
def _versions_of(content: Content) -> Eq2Versions:
    """Compiled from data/ alone, and only read: tests make hundreds of servers with one content."""
    files = content.tables.get("eq2", {})
    parts = [part for name, tables in files.items() for pair in tables.items() for part in (name, *pair)]
    return _VERSIONS.of(parts, partial(Eq2Versions.from_content, content, CATALOGUE))


def _rendering_of(content: Content) -> Rendering:
    """The switches of the newest version. Raises LookError with the mistakes in them."""
    mistakes: list[str] = []
    rendering = read_rendering(content, _versions_of(content).newest.name, mistakes)
    if mistakes:
        raise LookError(mistakes)
    return rendering


@lru_cache(maxsize=2)
def _made_of(content: Content) -> tuple[Eq2Looks, Places, Eq2Scenery]:
    """All that follows from the content alone, see `protocol.landmarks.with_scenery`."""
    rendering = _rendering_of(content)

    def scenery(charts: Iterable[Chart], looks: Eq2Looks, places: Places) -> Eq2Scenery:
        return Eq2Scenery(charts, looks.props, places, SIGHT.radius, rendering)

    return with_scenery(content, compile_looks, read_places, scenery)


def goodbye(session: Eq2Session, reason: str) -> None:
    """Say why this client is sent away, where it has a window for words; the stream says the rest."""
    if session.phase is Phase.IN_WORLD:
        session.send(DisplayText(channel=STATUS, text=reason))
