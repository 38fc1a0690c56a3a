"""Endless Online put together: the one record that a server with a world works with."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from eolib import LoginReply

from protocol.eo import files
from protocol.eo.codec import EoCodec
from protocol.eo.downloads import Downloads
from protocol.eo.figures import Figures
from protocol.eo.handlers import TABLE
from protocol.eo.handlers.login import login_reply
from protocol.eo.handlers.talk import ORDER_SIGNS
from protocol.eo.ids import Ids
from protocol.eo.looks import compile_looks
from protocol.eo.packets import SERVER_PACKETS, name_of, opcode_of_frame
from protocol.eo.requests import requests
from protocol.eo.session import EoSession
from protocol.eo.view import EoView
from protocol.eo.websocket import WebSocketCodec
from protocol.eo.words import line
from protocol.family import Door, Family, Transport
from protocol.session import Phase

if TYPE_CHECKING:
    from protocol.eo.looks import EoLooks
    from world.content import Content


def family(content: Content) -> Family:
    """The game for one world's content; its files are made here. Raises LookError for mistakes in the look
    tables."""
    looks, made = _made_of(content)
    return Family.of(
        "eo",
        {
            "game": Door.of(Transport.STREAM, EoCodec, TABLE, EoSession),
            "websocket": Door.of(Transport.STREAM, WebSocketCodec, TABLE, EoSession),
        },
        EoView(Figures(looks, Ids()), Downloads(made)),
        goodbye,
        problems=made.problems,
        requests=requests,
        name_of=lambda _, message: name_of(SERVER_PACKETS[opcode_of_frame(message)]),
        order_sign=ORDER_SIGNS[0],
    )


@lru_cache(maxsize=2)
def _made_of(content: Content) -> tuple[EoLooks, files.Files]:
    """Looks and files, which follow from the content alone. To write the files takes a tenth of a second, and
    tests make hundreds of servers with one content."""
    looks = compile_looks(content)
    return looks, files.build(content, looks)


def goodbye(session: EoSession, reason: str) -> None:
    """Say why this client is sent away, where its game has words for it."""
    if session.phase is Phase.IN_WORLD:
        session.queue(*line(reason))
    elif session.phase is Phase.LOGIN:
        session.send(login_reply(LoginReply.Busy))
