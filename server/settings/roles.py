"""The part of the server that a process is.

By default a process is everything. With `["edge"]` it has all doors of all games and no world: what it hears
goes to worlds in other processes (`server.edge`). With `["login"]` it has the login door of a game whose
record says that this may be (`protocol.game.Game.login_door`) and nothing else, no world and not its lock;
with `["world"]` everything but that door. The game's background service joins the two. All other games log in
where they play, or beside it: their doors are the world's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from protocol.background import EDGE, LOGIN, WORLD
from protocol.games import GAMES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from protocol.address import Address
    from protocol.background import Service, ServiceSocket
    from protocol.game import Game
    from protocol.listener import Listener
    from server.settings.config import Settings

Role: TypeAlias = Literal["login", "world", "edge"]


def open_doors(settings: Settings) -> Iterator[tuple[str, Listener, str, Address]]:
    """Every door that this process opens: its table, the listener, its name and where."""
    roles = settings.server.roles
    for name, listener in settings.listen.items():
        if listener.enabled:
            for door, address in listener.addresses().items():
                if roles == (EDGE,) or door_role(listener, door) in roles:
                    yield name, listener, door, address


def door_role(listener: Listener, door: str) -> Role:
    """The role to which that door belongs."""
    return LOGIN if door == GAMES[listener.family].login_door else WORLD


def tables_of(settings: Settings, game: Game) -> Mapping[str, Listener]:
    """All tables of a game, by name."""
    return {name: entry for name, entry in settings.listen.items() if entry.family == game.name}


def background_sockets(settings: Settings) -> Iterator[tuple[str, ServiceSocket]]:
    """Sockets of the background services of this process, each with the name of its game."""
    if EDGE in settings.server.roles:
        return  # they belong to the worlds
    for game, service in _with_background():
        for wanted in service.sockets(tables_of(settings, game), settings.server.roles):
            yield game.name, wanted


def _with_background() -> Iterator[tuple[Game, Service]]:
    for game in GAMES.values():
        if game.background is not None:
            yield game, game.background


def contradictions(settings: Settings) -> Iterator[str]:
    """Settings that cannot be true together with the roles, each "key.path: message"."""
    roles = settings.server.roles
    if not roles or len(set(roles)) != len(roles):
        yield 'server.roles: must be ["login"], ["world"], both, or ["edge"]'
        return
    if EDGE in roles:
        yield from _of_an_edge(settings)
        return
    if settings.database.url.startswith("sqlite"):
        if settings.world.id != 1:
            yield "world.id: a database of SQLite has one world, 1: for more it has to be PostgreSQL"
        if settings.world.realms:
            yield "world.realms: a database of SQLite has one world, which has all realms"
    if roles == (LOGIN,):
        yield from _of_a_login_server(settings)
    for game, service in _with_background():
        for key, message in service.contradictions(tables_of(settings, game), roles):
            yield f"listen.{key}: {message}"


def _of_an_edge(settings: Settings) -> Iterator[str]:
    """It is nothing else, and has to know a world."""
    if settings.server.roles != (EDGE,):
        yield 'server.roles: an "edge" is nothing else: its world is another process'
    if not settings.edge.worlds and settings.database.url.startswith("sqlite"):
        yield (
            'edge.worlds: an edge needs a world: the [world] address of one, as in ["127.0.0.1:7700"] '
            "(in PostgreSQL it would find them)"
        )


def _of_a_login_server(settings: Settings) -> Iterator[str]:
    """Only games whose login door may be alone are here, and at least one of them."""
    able = [game for game in GAMES.values() if game.login_door]
    enabled = {name: entry.family for name, entry in settings.listen.items() if entry.enabled}
    names = {game.name for game in able}
    for name, family in enabled.items():
        if family not in names:
            yield f"listen.{name}: a login server has no door for it: leave the table out, or enabled = false"
    if names.isdisjoint(enabled.values()):
        tables = " or ".join(f"[listen.{game.name}]" for game in able)
        titles = " or ".join(game.title for game in able)
        yield f"server.roles: a login server needs {tables}: {titles} is the game it is for"
