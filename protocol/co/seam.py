"""Conquer Online put together: the one record that a server with a world works with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.co.codec import CoAccountCodec, game_codec
from protocol.co.figures import Figures
from protocol.co.handlers import ACCOUNT, TABLE
from protocol.co.handlers.login import greet
from protocol.co.handlers.table import type_of_frame
from protocol.co.looks import compile_looks
from protocol.co.packets import SERVER_MESSAGES, Channel, said
from protocol.co.places import read_places
from protocol.co.requests import requests
from protocol.co.session import ACCOUNT_DOOR, GAME_DOOR, CoSession
from protocol.co.view import CoView
from protocol.family import Door, Family, Transport
from protocol.session import Phase
from protocol.tables import LookError

if TYPE_CHECKING:
    from world.content import Content

NAMES: Final = {message.type: message.__name__ for message in SERVER_MESSAGES}
"""Names of the server's packets, by type."""


def family(content: Content) -> Family:
    """The game for one world's content. Raises LookError for mistakes in its tables."""
    looks = compile_looks(content)
    mistakes: list[str] = []
    places = read_places(content.charts.values(), mistakes)
    if mistakes:
        raise LookError(mistakes)
    view = CoView(Figures(looks, places), content.charts.values())
    return Family.of(
        name="co",
        doors={
            ACCOUNT_DOOR: Door.of(Transport.STREAM, CoAccountCodec, ACCOUNT, CoSession),
            GAME_DOOR: Door.of(Transport.STREAM, game_codec, TABLE, CoSession, opened=greet, typed=False),
        },
        view=view,
        goodbye=goodbye,
        problems=tuple(
            f"realms/{name}.toml: atlas: no co, so that players of Conquer Online cannot go there"
            for name in content.charts
            if not places.has(name)
        ),
        prepare=view.scenery.landmarks.prepare,
        requests=requests,
        name_of=lambda _, message: NAMES.get(type_of_frame(message), "?"),
    )


def goodbye(session: CoSession, reason: str) -> None:
    """Say why this client is sent away, where it has a window for words."""
    if session.phase is Phase.IN_WORLD:
        session.send(said(reason, Channel.SYSTEM))
    elif session.door == GAME_DOOR and session.phase in (Phase.MENU, Phase.ENTERING):
        session.send(said(reason, Channel.LOGIN))
