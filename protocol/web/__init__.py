"""The game in the browser: JSON lines over WebSocket.

`family` is all the server needs. Everything the two say to each other is in `messages.py`; what the lines
travel in is the server's business (`server.web.play`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from protocol.family import Door, Family, Transport
from protocol.game import Game
from protocol.requests import Request, answer_of
from protocol.web.codec import WebCodec
from protocol.web.declare import name_of_line
from protocol.web.figures import Figures
from protocol.web.handlers import TABLE
from protocol.web.handlers.login import greet
from protocol.web.looks import compile_looks
from protocol.web.messages import Goodbye
from protocol.web.page import WebPage
from protocol.web.session import WebSession
from protocol.web.view import WebView

if TYPE_CHECKING:
    from protocol.dispatch import Table
    from protocol.session import Session
    from world.content import Content


def family(content: Content) -> Family:
    """The game for one world's content. Raises LookError for mistakes in its tables."""
    figures = Figures(compile_looks(content))
    table = cast("Table[Session]", TABLE)
    return Family(
        name="web",
        doors={"http": Door(Transport.MESSAGE, WebCodec, table, WebSession, opened=greet)},
        view=WebView(figures),
        goodbye=goodbye,
        requests=lambda: (Request(row.name, row.name, answer_of(row.handler)) for row in table),
        name_of=lambda _, message: name_of_line(message),
        page=WebPage(figures),
    )


def goodbye(session: Session, reason: str) -> None:
    """Say why this client is sent away."""
    cast("WebSession", session).send(Goodbye(reason))


GAME: Final = Game(name="web", title="the browser", family=family)
