"""EverQuest II put together: the one record that a server with a world works with."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING

from protocol.eq2.codec import Eq2Codec
from protocol.eq2.doorman import Eq2Doorman
from protocol.eq2.figures import Figures, read_rendering
from protocol.eq2.handlers import make_table
from protocol.eq2.handlers.table import ORDER
from protocol.eq2.looks import compile_looks
from protocol.eq2.packets import CATALOGUE, DisplayText
from protocol.eq2.places import read_places
from protocol.eq2.requests import requests
from protocol.eq2.session import Eq2Session
from protocol.eq2.versions import Eq2Versions
from protocol.eq2.view import SIGHT, Eq2View
from protocol.eq2.words import STATUS
from protocol.family import Door, Family, Transport
from protocol.landmarks import Landmarks
from protocol.session import Phase
from protocol.tables import LookError

if TYPE_CHECKING:
    from protocol.eq2.looks import TileLook
    from protocol.wire.args import CodecArgs
    from world.content import Content


def family(content: Content) -> Family:
    """The game for one world's content. Raises LookError for mistakes in its tables."""
    looks = compile_looks(content)
    versions = _versions_of(content)
    mistakes: list[str] = []
    places = read_places(content.charts.values(), mistakes)
    rendering = read_rendering(content, versions.newest.name, mistakes)
    if mistakes:
        raise LookError(mistakes)

    def codec(args: CodecArgs) -> Eq2Codec:
        return Eq2Codec(args, versions.newest)

    def doorman(args: CodecArgs) -> Eq2Doorman:
        return Eq2Doorman(args, partial(codec, args))

    table, landmarks = make_table(versions), landmarks_of(content)
    door = Door.of(Transport.DATAGRAM, codec, table, Eq2Session, doorman=doorman)
    return Family.of(
        name="eq2",
        doors={"login": door, "world": door},
        view=Eq2View(versions, Figures(looks, places, rendering), landmarks),
        goodbye=goodbye,
        order_sign=f"/{ORDER} ",
        prepare=landmarks.prepare,
        requests=partial(requests, table, versions.newest),
        problems=tuple(
            f"realms/{name}.toml: atlas: no eq2, so that players of EverQuest II cannot go there"
            for name in content.charts
            if not places.has(name)
        ),
    )


@lru_cache(maxsize=2)
def _versions_of(content: Content) -> Eq2Versions:
    """Compiled from data/ alone, and only read: tests make hundreds of servers with one content."""
    return Eq2Versions.from_content(content, CATALOGUE)


@lru_cache(maxsize=2)
def landmarks_of(content: Content) -> Landmarks[TileLook]:
    """The landmarks of all realms, which differ by content alone as well. Raises LookError for mistakes in
    its tables."""
    return Landmarks("eq2", content.charts.values(), compile_looks(content).tiles, SIGHT.radius)


def goodbye(session: Eq2Session, reason: str) -> None:
    """Say why this client is sent away, where it has a window for words; the stream says the rest."""
    if session.phase is Phase.IN_WORLD:
        session.send(DisplayText(channel=STATUS, text=reason))
