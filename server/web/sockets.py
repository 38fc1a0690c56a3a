"""Common rules of WebSockets: how many there may be, how they part, and by which codes."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import trio
from starlette.responses import PlainTextResponse
from starlette.websockets import WebSocketDisconnect

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.websockets import WebSocket

    from server.web.site import Caller, Site

log = logging.getLogger("net.web")

FAREWELL_SECONDS: Final = 2.0
"""How long it may take to part."""

NORMAL: Final = 1000
GOING_AWAY: Final = 1001
UNSUPPORTED: Final = 1003
SAYS_TOO_MUCH: Final = 1008
TRY_LATER: Final = 1013
NOT_HERE: Final = 4404
"""Codes of a WebSocket's close: RFC 6455, section 7.4, and its registry; the last is ours, after HTTP's. A
script learns code and reason of a WebSocket that was opened, and nothing of one that was not."""

PARTINGS: Final = (
    OSError,
    RuntimeError,
    WebSocketDisconnect,
    trio.BrokenResourceError,
    trio.ClosedResourceError,
)
"""How it shows that a browser has gone."""


def admitted(
    site: Site, serve: Callable[[WebSocket, Caller], Awaitable[None]]
) -> Callable[[WebSocket], Awaitable[None]]:
    """An endpoint that serves a WebSocket, after counting those that are open."""

    async def if_admitted(websocket: WebSocket) -> None:
        caller = site.caller(websocket)
        if refusal := site.admission.open(caller.address, remote=caller.remote):
            log.info("%s refused: %s", caller.address, refusal)
            await _deny(websocket, 429, f"Not now: {refusal}.")
            return
        try:
            await serve(websocket, caller)
        finally:
            site.admission.close(caller.address)

    return if_admitted


async def _deny(websocket: WebSocket, status: int, text: str) -> None:
    """Refuse a WebSocket before it is one."""
    await websocket.send_denial_response(PlainTextResponse(text, status, headers={"connection": "close"}))
