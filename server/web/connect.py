"""Instructions for newcomers: what to write into each client, with this server's own addresses.

    GET /connect.json  {"server", "games": [{"game", "listener", "name", "versions", "host", "port", "note"?,
                       "steps": [{"text", "file"?, "line"?}]}], "accounts": {"may_register", "text"}}

A note is no step, and comes before them. Each of these clients is told in another way where its server is (a
file, a line of a command, a dialog), most of them by an address in numbers, and none knows IPv6. The server
cannot know what leads to it from outside, so an address is, in this order: what the listener advertises; the
one it is bound to, if that is one; the name by which the browser found this page, if the listener hears
everybody, for then it is the same machine. If none of these will do, that is said, and nothing is made up.

The words are in connect.toml, with holes for name, address and port, so that a client can be described
without a line of code. When a step is shown (`only`) is one word of a short list: a language of conditions
was not wanted.
"""

from __future__ import annotations

import ipaddress
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import attrs
from starlette.responses import JSONResponse
from starlette.routing import Route

from protocol.address import Advertise, is_ipv4
from protocol.tables import read
from server.web.site import is_loopback

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from starlette.requests import HTTPConnection, Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from protocol.listener import Listener
    from server.web.site import Caller, PageTable, Site

WORDS: Final = Path(__file__).resolve().parent / "connect.toml"

HERE_ONLY: Final = "Only clients on the machine that the server runs on can reach this."
NO_ADDRESS: Final = (
    "The server cannot tell its address for this client, which knows IPv4 only: ask whoever runs it. "
    "The port is {port}."
)
MAY_REGISTER: Final = (
    "A new name and password make an account, here on the page or in any client. "
    "One account is for all games."
)
MAY_NOT_REGISTER: Final = "Accounts are made by whoever runs this server. One account is for all games."


class WordsError(Exception):
    """connect.toml is wrong; the message has one line for each mistake."""


@attrs.frozen
class Step:
    """One thing to do. `line` has to be written into `file`."""

    text: str
    file: str = ""
    line: str = ""
    only: str = ""
    """A key of `_CASES`, or nothing: in every case."""


@attrs.frozen
class Client:
    """One client of a game."""

    game: str
    door: str
    name: str
    versions: str
    steps: tuple[Step, ...]
    sends_on: bool = False
    """Whether the port that a listener advertises is this door's."""
    port: int = 0
    """The only port at which this client asks; 0 if it can be told."""


@attrs.frozen
class _Words:
    client: tuple[Client, ...]


@attrs.frozen
class Place:
    """The host and port at which a client finds a door. Without `host` nobody can tell."""

    host: str
    port: int
    here_only: bool = False
    """Whether it is within reach of this machine only."""


def read_words(path: Path = WORDS) -> Sequence[Client]:
    """The clients, in the order in which they are shown. Raises WordsError."""
    problems: list[str] = []
    words = read(_Words, tomllib.loads(path.read_text(encoding="utf-8")), path.name, problems)
    clients = words.client if words is not None else ()
    problems += [
        f"{path.name}: {client.name}: only: no {step.only!r}"
        for client in clients
        for step in client.steps
        if step.only and step.only not in _CASES
    ]
    if problems:
        raise WordsError("\n".join(problems))
    return clients


def routes(site: Site) -> list[BaseRoute]:
    """GET /connect.json."""
    clients = read_words()

    async def connect(request: Request) -> Response:
        return JSONResponse(connect_data(site, request, clients), headers={"cache-control": "no-store"})

    return [Route("/connect.json", connect)]


def connect_data(
    site: Site, connection: HTTPConnection, clients: Sequence[Client] | None = None
) -> Mapping[str, object]:
    """The content of /connect.json for whoever asks; `clients` as `read_words` gives them."""
    caller = site.caller(connection)
    asked = asked_host(connection.headers.get("host", ""), caller)
    may_register = site.may_register(caller)
    return {
        "server": site.app.server_name,
        "games": list(
            games(
                read_words() if clients is None else clients,
                site.app.settings.listen,
                site.app.gateway.ports,
                page=site.listening.name,
                asked=asked,
                server=site.app.server_name,
            )
        ),
        "accounts": {
            "may_register": may_register,
            "text": MAY_REGISTER if may_register else MAY_NOT_REGISTER,
        },
    }


def asked_host(header: str, caller: Caller) -> str:
    """The IPv4 address or name by which the browser found this page, from its Host header. Empty if it is
    neither. Names that are not ours do not come this far (`server.web.headers`)."""
    text = header.strip()
    if text.startswith("["):
        host = text[1:].partition("]")[0]
    else:
        try:
            host = Advertise.parse(text).host.lower().rstrip(".")
        except ValueError:
            host = ""
    if host == "localhost" or is_loopback(host):
        # [::1] has an IPv4 name, too. From a proxy it is what the proxy calls us.
        return "127.0.0.1" if caller.is_here else ""
    return "" if ":" in host or _is_nowhere(host) else host


def games(
    clients: Sequence[Client],
    listen: Mapping[str, Listener],
    ports: Mapping[tuple[str, str], int],
    *,
    page: str,
    asked: str,
    server: str,
) -> Iterator[Mapping[str, object]]:
    """Each client, for each listener that is open for it. `ports` are those that are bound, by listener and
    door; `page` is the listener of this page."""
    for client in clients:
        for name, listener in listen.items():
            port = ports.get((name, client.door))
            if listener.family != client.game or not listener.enabled:
                continue
            if listener.family == "web":
                if name == page:
                    yield _entry(client, name, listener, None, server)
            elif port is not None and (address := listener.addresses().get(client.door)) is not None:
                place = where(listener, address.host, port, asked, sends_on=client.sends_on)
                yield _entry(client, name, listener, place, server)


def where(listener: Listener, bound: str, port: int, asked: str, *, sends_on: bool) -> Place:
    """The place at which people find a door that is bound to that address and port."""
    advertise = listener.advertise
    if advertise is not None:
        return Place(advertise.host, (advertise.port if sends_on else None) or port)
    if bound == "localhost" or is_loopback(bound):
        return Place("" if ":" in bound else "127.0.0.1", port, here_only=True)
    if _is_nowhere(bound):
        return Place(asked, port)
    return Place("" if ":" in bound else bound, port)


def page_address(
    listen: Mapping[str, Listener], ports: Mapping[tuple[str, str], int], peer: str, local: str
) -> str:
    """Address of the live map for a player of another game, whose client connected from `peer` to `local`, as
    a browser takes it. Empty if nobody may watch it without logging in, or nobody can tell."""
    for name, listener in listen.items():
        port = ports.get((name, "http"))
        if listener.family != "web" or port is None:
            continue
        table = cast("PageTable", listener)
        if not table.map:
            continue
        if table.hosts:
            return table.hosts[0]
        if listener.advertise is not None:
            return listener.advertise.host
        asked = "" if is_loopback(local.rpartition(":")[0]) else local.rpartition(":")[0]
        place = where(listener, table.http.host, port, asked, sends_on=False)
        if is_loopback(peer):
            return f"http://127.0.0.1:{port}"
        if place.host and not place.here_only and not listener.behind_proxy:
            return f"http://{place.host}:{port}"
    return ""


def _entry(
    client: Client, name: str, listener: Listener, place: Place | None, server: str
) -> Mapping[str, object]:
    words = {
        "{server}": server,
        "{host}": place.host if place is not None else "",
        "{port}": str(place.port) if place is not None else "",
        "{patch}": str(listener.codec_settings().get("patch", "")),
    }
    entry: dict[str, object] = {
        "game": client.game,
        "listener": name,
        "name": _filled(client.name, words),
        "versions": _filled(client.versions, words),
    }
    steps = client.steps
    if place is not None:
        entry |= {"host": place.host, "port": place.port}
        if not place.host:
            steps = (Step(NO_ADDRESS),)
        else:
            steps = tuple(step for step in steps if _CASES[step.only](client, place))
            if place.here_only:
                entry["note"] = HERE_ONLY
    entry["steps"] = [
        {
            key: _filled(text, words)
            for key, text in (("text", step.text), ("file", step.file), ("line", step.line))
            if text
        }
        for step in steps
    ]
    return entry


_CASES: Final[Mapping[str, Callable[[Client, Place], bool]]] = {
    "": lambda client, place: True,
    "ipv4": lambda client, place: is_ipv4(place.host),
    "loopback": lambda client, place: is_loopback(place.host),
    "other_port": lambda client, place: place.port != client.port,
}


def _filled(text: str, words: Mapping[str, str]) -> str:
    for mark, word in words.items():
        text = text.replace(mark, word)
    return text


def _is_nowhere(host: str) -> bool:
    """Whether it stands for all addresses of this machine, and so for none."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False
