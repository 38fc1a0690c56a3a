"""EverQuest II put together: the one record that a server with a world works with."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, cast

from protocol.eq2.builds import UNKNOWN, Builds
from protocol.eq2.codec import Eq2Codec
from protocol.eq2.doorman import Eq2Doorman
from protocol.eq2.figures import Figures, read_rendering
from protocol.eq2.handlers import commands, make_table
from protocol.eq2.looks import compile_looks
from protocol.eq2.packets import DisplayText, RemoteCmd
from protocol.eq2.places import read_places
from protocol.eq2.session import Eq2Session
from protocol.eq2.view import STATUS, Eq2View
from protocol.family import Door, Family, Transport
from protocol.requests import Request, answer_of
from protocol.session import Phase
from protocol.tables import LookError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from protocol.dispatch import Table
    from protocol.eq2.builds import Build
    from protocol.eq2.packets import Message
    from protocol.session import Session
    from protocol.wire.args import CodecArgs
    from world.content import Content


def family(content: Content) -> Family:
    """The game for one world's content. Raises LookError for mistakes in its tables."""
    looks = compile_looks(content)
    builds = _builds_of(content)
    mistakes: list[str] = []
    places = read_places(content.charts.values(), mistakes)
    rendering = read_rendering(content, builds.newest.name, mistakes)
    if mistakes:
        raise LookError(mistakes)

    def codec(args: CodecArgs) -> Eq2Codec:
        return Eq2Codec(args, builds.newest)

    def doorman(args: CodecArgs) -> Eq2Doorman:
        return Eq2Doorman(args, partial(codec, args))

    table = cast("Table[Session]", make_table(builds))
    door = Door(Transport.DATAGRAM, codec, table, Eq2Session, doorman=doorman)
    return Family(
        name="eq2",
        doors={"login": door, "world": door},
        view=Eq2View(builds, Figures(looks, places, rendering)),
        goodbye=goodbye,
        requests=partial(_requests, table, builds.newest),
        problems=tuple(
            f"realms/{name}.toml: atlas: no eq2, so that players of EverQuest II cannot go there"
            for name in content.charts
            if not places.has(name)
        ),
    )


def _requests(table: Table[Session], build: Build) -> Iterator[Request]:
    """What may be said at both doors; a word of a player is a request of its own."""
    for entry in table:
        if entry.packet is RemoteCmd:
            yield from commands.requests()
        elif entry.opcode >= UNKNOWN:
            yield Request(str(entry.opcode - UNKNOWN), entry.name, answer_of(entry.handler))
        else:
            number = build.number_of(cast("type[Message]", entry.packet))
            yield Request(str(number), entry.name, answer_of(entry.handler))


@lru_cache(maxsize=2)
def _builds_of(content: Content) -> Builds:
    """Compiled from data/ alone, and only read: tests make hundreds of servers with one content."""
    return Builds.from_content(content)


def goodbye(session: Session, reason: str) -> None:
    """Say why this client is sent away, where it has a window for words; the stream says the rest."""
    client = cast("Eq2Session", session)
    if client.phase is Phase.IN_WORLD:
        client.send(DisplayText(channel=STATUS, text=reason))
