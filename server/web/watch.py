"""The live map for people who only watch: a WebSocket at /watch?realm=NAME, on which we alone speak."""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING, Final

import trio
from starlette.routing import WebSocketRoute

from server.web.site import LINK
from server.web.sockets import (
    FAREWELL_SECONDS,
    GOING_AWAY,
    NORMAL,
    NOT_HERE,
    PARTINGS,
    SAYS_TOO_MUCH,
    TRY_LATER,
    admitted,
)

if TYPE_CHECKING:
    from starlette.routing import BaseRoute
    from starlette.websockets import WebSocket

    from server.web.host import Map, Watching
    from server.web.site import Caller, Site

log = logging.getLogger("net.web")

MOST_HEARD: Final = 4096
"""Letters that a viewer may say in all. It has nothing to say."""


def routes(site: Site) -> list[BaseRoute]:
    """The WebSocket."""

    async def watch(websocket: WebSocket, caller: Caller) -> None:
        with contextlib.suppress(*PARTINGS):
            await _serve(site, websocket, caller)

    return [WebSocketRoute("/watch", admitted(site, watch))]


async def _serve(site: Site, websocket: WebSocket, caller: Caller) -> None:
    await websocket.accept()
    live = site.app.live
    realm = websocket.query_params.get("realm") or site.app.content.start_realm
    if live is None or not site.settings.map:
        await websocket.close(NOT_HERE, "The live map is switched off.")
    elif not live.has(realm):
        await websocket.close(NOT_HERE, "There is no such realm.")
    elif live.viewers >= site.settings.viewers:
        log.info("%s refused: %d watch", caller.address, live.viewers)
        await websocket.close(TRY_LATER, "So many are watching that there is no place left.")
    else:
        code = await _show(live, realm, websocket)
        LINK.get().end_by(trio.current_time() + FAREWELL_SECONDS)
        await websocket.close(GOING_AWAY if site.app.closed else code)


async def _show(live: Map, realm: str, websocket: WebSocket) -> int:
    """Until the viewer goes, or has to; the code to close with."""
    link = LINK.get()
    viewer, code = live.begin(realm, lambda: link.end_by(trio.current_time())), NORMAL
    try:
        async with trio.open_nursery() as nursery:

            async def transmit() -> None:
                await _transmit(viewer, websocket)
                nursery.cancel_scope.cancel()

            nursery.start_soon(transmit)
            code = await _hear(websocket)
            nursery.cancel_scope.cancel()
    finally:
        viewer.end()
    return code


async def _transmit(viewer: Watching, websocket: WebSocket) -> None:
    """The writer task."""
    with contextlib.suppress(*PARTINGS):
        while True:
            await websocket.send_text(await viewer.next())


async def _hear(websocket: WebSocket) -> int:
    """Until it has gone, or has said too much; the code to close with."""
    heard = 0
    while heard <= MOST_HEARD:
        message = await websocket.receive()
        if message["type"] != "websocket.receive":
            return NORMAL
        # An empty message is one, too.
        heard += 1 + len(message.get("text") or message.get("bytes") or "")
    return SAYS_TOO_MUCH
