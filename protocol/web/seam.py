"""The game in the browser put together: the one record that a server with a world works with."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from protocol.family import Door, Family, Transport
from protocol.web import society as society  # what it registers belongs to the view
from protocol.web.carrying import CARRYING
from protocol.web.codec import WebCodec
from protocol.web.figures import Figures
from protocol.web.handlers import TABLE
from protocol.web.handlers.login import greet
from protocol.web.handlers.talk import ORDER_SIGNS
from protocol.web.looks import compile_looks
from protocol.web.packets.base import name_of_line
from protocol.web.packets.entering import Goodbye
from protocol.web.page import WebPage
from protocol.web.requests import requests
from protocol.web.session import WebSession
from protocol.web.view import WebView

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from world.content import Content


def family(content: Content) -> Family:
    """The game for one world's content. Raises LookError for mistakes in its tables."""
    figures = Figures(compile_looks(content))
    view = WebView(figures)
    return Family.of(
        "web",
        {"http": Door.of(Transport.MESSAGE, WebCodec, TABLE, WebSession, opened=greet)},
        view,
        goodbye,
        requests=requests,
        name_of=lambda _, message: name_of_line(message),
        page=WebPage(figures),
        order_sign=ORDER_SIGNS[0],
        carrying=CARRYING,
        renew=partial(renewed, view),
    )


def renewed(view: WebView, fresh: WebView) -> Callable[[Sequence[WebSession]], None]:
    """See Family."""

    def adopt(_: Sequence[WebSession]) -> None:
        view.figures.looks = fresh.figures.looks
        view.possessions = fresh.possessions

    return adopt


def goodbye(session: WebSession, reason: str) -> None:
    """Say why this client is sent away."""
    session.send(Goodbye(reason))
