"""Endless Online put together: the one record that a server with a world works with."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, cast

from eolib import LoginReply, TalkServerServerPacket

from protocol.eo import files
from protocol.eo.codec import EoCodec
from protocol.eo.downloads import Downloads
from protocol.eo.figures import Figures
from protocol.eo.handlers import TABLE
from protocol.eo.handlers.account import login_reply
from protocol.eo.ids import Ids
from protocol.eo.looks import compile_looks
from protocol.eo.packets import SERVER_PACKETS, name_of, opcode_of_frame
from protocol.eo.session import EoSession
from protocol.eo.view import EoView
from protocol.eo.websocket import WebSocketCodec
from protocol.family import Door, Family, Transport
from protocol.requests import of_table
from protocol.session import Phase

if TYPE_CHECKING:
    from protocol.dispatch import Table
    from protocol.eo.looks import EoLooks
    from protocol.session import Session
    from world.content import Content


def family(content: Content) -> Family:
    """The game for one world's content; its files are made here. Raises LookError for mistakes in the look
    tables."""
    looks, made = _made_of(content)
    table = cast("Table[Session]", TABLE)
    return Family(
        name="eo",
        doors={
            "game": Door(Transport.STREAM, EoCodec, table, EoSession),
            "websocket": Door(Transport.STREAM, WebSocketCodec, table, EoSession),
        },
        view=EoView(Figures(looks, Ids()), Downloads(made)),
        goodbye=goodbye,
        problems=made.problems,
        requests=partial(of_table, table, name=lambda name: name.removesuffix("ClientPacket")),
        name_of=lambda _, message: name_of(SERVER_PACKETS[opcode_of_frame(message)]),
    )


@lru_cache(maxsize=2)
def _made_of(content: Content) -> tuple[EoLooks, files.Files]:
    """What follows from the content alone. To write the files takes a tenth of a second, and
    tests make hundreds of servers with one content."""
    looks = compile_looks(content)
    return looks, files.build(content, looks)


def goodbye(session: Session, reason: str) -> None:
    """Say why this client is sent away, where its game has words for it."""
    client = cast("EoSession", session)
    if client.phase is Phase.IN_WORLD:
        client.send(TalkServerServerPacket(message=reason))
    elif client.phase is Phase.LOGIN:
        client.send(login_reply(LoginReply.Busy))
