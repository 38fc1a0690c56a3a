"""Conquer Online put together: the one record that a server with a world works with."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final

from protocol.co.carrying import CARRYING
from protocol.co.codec import CoAccountCodec, game_codec
from protocol.co.figures import Figures
from protocol.co.handlers import ACCOUNT, TABLE
from protocol.co.handlers.login import greet
from protocol.co.handlers.table import type_of_frame
from protocol.co.handlers.talk import ORDER_SIGN
from protocol.co.looks import compile_looks
from protocol.co.packets import SERVER_MESSAGES, Channel, said
from protocol.co.places import read_places
from protocol.co.requests import requests
from protocol.co.scenery import CoScenery
from protocol.co.session import ACCOUNT_DOOR, GAME_DOOR, CoSession
from protocol.co.view import SIGHT, CoView
from protocol.family import Door, Family, Transport
from protocol.landmarks import with_scenery
from protocol.session import Phase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from protocol.co.looks import CoLooks
    from protocol.co.places import Places
    from world.content import Chart, Content

NAMES: Final = {message.type: message.__name__ for message in SERVER_MESSAGES}
"""Names of the server's packets, by type."""


def family(content: Content) -> Family:
    """The game for one world's content. Raises LookError for mistakes in its tables."""
    looks, places, scenery = _made_of(content)
    view = CoView(Figures(looks, places), scenery)
    return Family.of(
        name="co",
        doors={
            ACCOUNT_DOOR: Door.of(Transport.STREAM, CoAccountCodec, ACCOUNT, CoSession),
            GAME_DOOR: Door.of(Transport.STREAM, game_codec, TABLE, CoSession, opened=greet, typed=False),
        },
        view=view,
        carrying=CARRYING,
        renew=partial(renewed, view),
        goodbye=goodbye,
        order_sign=ORDER_SIGN,
        problems=tuple(
            f"realms/{name}.toml: atlas: no co, so that players of Conquer Online cannot go there"
            for name in content.charts
            if not places.has(name)
        ),
        prepare=scenery.prepare,
        requests=requests,
        name_of=lambda _, message: NAMES.get(type_of_frame(message), "?"),
    )


def renewed(view: CoView, fresh: CoView) -> Callable[[Sequence[CoSession]], None]:
    """See Family."""
    differs = fresh.scenery.landmarks.inherit(view.scenery.landmarks)

    def adopt(sessions: Sequence[CoSession]) -> None:
        view.places = view.figures.places = fresh.places
        view.figures.looks = fresh.figures.looks
        if differs:
            before, view.scenery = view.scenery, fresh.scenery
            for session in sessions:
                session.queue(*before.replaced(session, view.scenery))

    return adopt


@lru_cache(maxsize=2)
def _made_of(content: Content) -> tuple[CoLooks, Places, CoScenery]:
    """All that follows from the content alone, see `protocol.landmarks.with_scenery`."""

    def scenery(charts: Iterable[Chart], looks: CoLooks, places: Places) -> CoScenery:
        return CoScenery(charts, looks.props, places, SIGHT.radius)

    return with_scenery(content, compile_looks, read_places, scenery)


def goodbye(session: CoSession, reason: str) -> None:
    """Say why this client is sent away, where it has a window for words."""
    if session.phase is Phase.IN_WORLD:
        session.send(said(reason, Channel.SYSTEM))
    elif session.door == GAME_DOOR and session.phase in (Phase.MENU, Phase.ENTERING):
        session.send(said(reason, Channel.LOGIN))
