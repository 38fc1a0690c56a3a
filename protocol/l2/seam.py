"""Lineage II put together: the one record that a server with a world works with."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING

from protocol.family import Door, Family, Transport
from protocol.l2.carrying import CARRYING
from protocol.l2.codec import L2GameCodec, L2LoginCodec
from protocol.l2.figures import Figures
from protocol.l2.handlers import LOGIN, make_table
from protocol.l2.handlers.login import greet
from protocol.l2.handlers.talk import ORDER_SIGN
from protocol.l2.handlers.unread import answer_unread
from protocol.l2.looks import compile_looks
from protocol.l2.packets import CATALOGUE, ServerClose
from protocol.l2.places import read_places
from protocol.l2.requests import requests
from protocol.l2.rsa import POOL
from protocol.l2.scenery import L2Scenery
from protocol.l2.session import GAME_DOOR, LOGIN_DOOR, L2DoorSession, L2LoginSession, L2Session
from protocol.l2.versions import UNKNOWN, L2Versions
from protocol.l2.view import SIGHT, L2View
from protocol.landmarks import with_scenery
from protocol.session import Phase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from protocol.l2.looks import L2Looks
    from protocol.l2.places import Places
    from world.content import Chart, Content


def family(content: Content) -> Family:
    """The game for one world's content. Raises LookError for mistakes in its tables."""
    looks, places, scenery = _made_of(content)
    versions = L2Versions.from_content(content, CATALOGUE)
    table = make_table(versions)
    answer_unread(table, versions.newest, UNKNOWN)
    view = L2View(versions, Figures(looks, places), scenery)
    return Family.of(
        name="l2",
        doors={
            LOGIN_DOOR: Door.of(Transport.STREAM, L2LoginCodec, LOGIN, L2LoginSession, opened=greet),
            GAME_DOOR: Door.of(Transport.STREAM, L2GameCodec, table, L2Session, typed=False),
        },
        view=view,
        carrying=CARRYING,
        renew=partial(renewed, view),
        goodbye=goodbye,
        problems=tuple(
            f"realms/{name}.toml: atlas: no l2, so that players of Lineage II cannot go there"
            for name in content.charts
            if not places.has(name)
        ),
        prepare=partial(_prepare, scenery),
        requests=partial(requests, table, versions.newest),
        name_of=name_of,
        order_sign=ORDER_SIGN,
    )


def renewed(view: L2View, fresh: L2View) -> Callable[[Sequence[L2Session]], None]:
    """See Family."""
    differs = fresh.scenery.landmarks.inherit(view.scenery.landmarks)

    def adopt(sessions: Sequence[L2Session]) -> None:
        view.places = view.figures.places = view.motions.places = fresh.places
        view.looks = view.figures.looks = fresh.looks
        if differs:
            before, view.scenery = view.scenery, fresh.scenery
            for session in sessions:
                session.queue(*before.replaced(session, view.scenery))

    return adopt


@lru_cache(maxsize=2)
def _made_of(content: Content) -> tuple[L2Looks, Places, L2Scenery]:
    """All that follows from the content alone, see `protocol.landmarks.with_scenery`."""

    def scenery(charts: Iterable[Chart], looks: L2Looks, places: Places) -> L2Scenery:
        return L2Scenery(charts, looks.props, places, SIGHT.radius)

    return with_scenery(content, compile_looks, read_places, scenery)


def _prepare(scenery: L2Scenery) -> None:
    POOL.fill()
    scenery.prepare()


def name_of(session: L2DoorSession, message: bytes) -> str:
    """The name of a message for a client of the world. Raises WireError for one that no version sends."""
    return type(session.dialect.decode_server(message)).__name__


def goodbye(session: L2DoorSession, reason: str) -> None:
    """Say that this client is sent away, and why, where it has a window for words. At the login door, and
    before its account is known, it is told nothing."""
    if not isinstance(session, L2Session) or session.phase < Phase.MENU:
        return
    if session.phase is Phase.IN_WORLD:
        session.queue(*L2View.of(session).words(session, reason))
    session.send(ServerClose())
