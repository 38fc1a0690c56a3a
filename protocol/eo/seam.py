"""Endless Online put together: the one record that a server with a world works with."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final

from eolib import LoginReply, RefreshReplyServerPacket

from protocol.endings import Ending
from protocol.eo import files
from protocol.eo.carrying import CARRYING
from protocol.eo.codec import EoCodec
from protocol.eo.downloads import Downloads
from protocol.eo.figures import Figures
from protocol.eo.handlers import TABLE
from protocol.eo.handlers.login import login_reply
from protocol.eo.handlers.talk import ORDER_SIGNS
from protocol.eo.ids import Ids
from protocol.eo.looks import Lists, compile_looks
from protocol.eo.packets import SERVER_PACKETS, name_of, opcode_of_frame
from protocol.eo.requests import requests
from protocol.eo.session import EoSession
from protocol.eo.view import EoView
from protocol.eo.websocket import WebSocketCodec
from protocol.eo.words import line
from protocol.family import Door, Family, Transport
from protocol.session import Phase

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from protocol.eo.looks import EoLooks
    from world.content import Content
    from world.mobile import Mobile


TOO_NEW: Final = "So much is new in this world that your client has to read it first: log in again."


def family(content: Content) -> Family:
    """The game for one world's content; its files are made here. Raises LookError for mistakes in the look
    tables."""
    looks, made = _made_of(content)
    view = EoView(Figures(looks, Ids()), Downloads(made))
    return Family.of(
        "eo",
        {
            "game": Door.of(Transport.STREAM, EoCodec, TABLE, EoSession),
            "websocket": Door.of(Transport.STREAM, WebSocketCodec, TABLE, EoSession),
        },
        view,
        goodbye,
        problems=made.problems,
        requests=requests,
        name_of=lambda _, message: name_of(SERVER_PACKETS[opcode_of_frame(message)]),
        order_sign=ORDER_SIGNS[0],
        numbers=looks.numbers,
        carrying=CARRYING,
        renew=partial(renewed, view),
    )


def renewed(view: EoView, fresh: EoView) -> Callable[[Sequence[EoSession]], None]:
    """See Family. Whoever is on a map that differs gets it at once (Init_Init, MapMutation), and with it
    all that is around (Refresh_Reply); who is on the way to it when it has come. The lists of items and NPCs
    come at the next login."""
    before, lists = view.downloads.lists, fresh.downloads.lists
    last = max(fresh.figures.looks.templates, default=0)

    def adopt(sessions: Sequence[EoSession]) -> None:
        view.figures.looks, view.downloads = fresh.figures.looks, fresh.downloads
        view.default_behavior = fresh.default_behavior
        if (lists.npcs, lists.items) == (before.npcs, before.items):
            view.downloads.lists = before  # or those who come now would be told everything apart
        for session in sessions:
            known = session.dialect
            if isinstance(known, Lists) and known.items < last:
                goodbye(session, TOO_NEW)
                session.end(Ending.KICKED, TOO_NEW)
            elif session.warp is None and session.mobile is not None:
                renewal = view.downloads.renewal(session)
                if renewal:
                    session.queue(*renewal)
                    _refresh(view, session, session.mobile)

    return adopt


def _refresh(view: EoView, session: EoSession, mobile: Mobile) -> None:
    """Refresh_Reply: the client forgets what it draws and takes this instead."""
    nearby, others = view.figures.surroundings(mobile, session.known.values(), known=session.dialect)
    session.send(RefreshReplyServerPacket(nearby=nearby))
    for thing in others:
        session.queue(*view.show(thing, view.audience(session, thing), session.dialect))


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
