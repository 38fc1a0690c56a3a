"""The live map for people who only watch: a WebSocket at /watch?realm=NAME, on which we alone speak."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import trio
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocketDisconnect

from server.web.headers import deny
from server.web.site import LINK

if TYPE_CHECKING:
    from starlette.routing import BaseRoute
    from starlette.websockets import WebSocket

    from server.web.livemap import LiveMap, Viewer
    from server.web.site import Site
    from world.realm import Realm

log = logging.getLogger("net.web")

MOST_HEARD: Final = 4096
"""Letters that a viewer may say in all. It has nothing to say."""
FAREWELL_SECONDS: Final = 2.0
"""How long it may take to part."""

NORMAL: Final = 1000
GOING_AWAY: Final = 1001
SAYS_TOO_MUCH: Final = 1008
TRY_LATER: Final = 1013
NOT_HERE: Final = 4404
"""Codes of a WebSocket's close: RFC 6455, section 7.4, and its registry; the last is ours, after HTTP's. A
script learns code and reason of a WebSocket that was opened, and nothing of one that was not."""


def routes(site: Site) -> list[BaseRoute]:
    """The WebSocket."""

    async def watch(websocket: WebSocket) -> None:
        caller = site.caller(websocket)
        if refusal := site.admission.open(caller.address, remote=caller.remote):
            log.info("%s refused: %s", caller.address, refusal)
            await deny(websocket, 429, f"Not now: {refusal}.")
            return
        try:
            await _serve(site, websocket)
        except (OSError, RuntimeError, WebSocketDisconnect, trio.BrokenResourceError):
            pass  # it has gone in the middle of something
        finally:
            site.admission.close(caller.address)

    return [WebSocketRoute("/watch", watch)]


async def _serve(site: Site, websocket: WebSocket) -> None:
    await websocket.accept()
    live, realm = site.app.live, _realm(site, websocket)
    if live is None or not site.settings.map:
        await websocket.close(NOT_HERE, "The live map is switched off.")
    elif realm is None:
        await websocket.close(NOT_HERE, "There is no such realm.")
    elif live.viewers >= site.settings.viewers:
        log.info("%s refused: %d watch", site.caller(websocket).address, live.viewers)
        await websocket.close(TRY_LATER, "So many are watching that there is no place left.")
    else:
        code = await _show(live, realm, websocket)
        LINK.get().end_by(trio.current_time() + FAREWELL_SECONDS)
        await websocket.close(GOING_AWAY if site.app.closed else code)


def _realm(site: Site, websocket: WebSocket) -> Realm | None:
    name = websocket.query_params.get("realm") or site.app.content.start_realm
    return site.app.world.realms.get(name)


async def _show(live: LiveMap, realm: Realm, websocket: WebSocket) -> int:
    """Until the viewer goes, or has to; the code to close with."""
    link = LINK.get()
    viewer, code = live.watch(realm, lambda: link.end_by(trio.current_time())), NORMAL
    try:
        async with trio.open_nursery() as nursery:

            async def transmit() -> None:
                await _transmit(viewer, websocket)
                nursery.cancel_scope.cancel()

            nursery.start_soon(transmit)
            code = await _hear(websocket)
            nursery.cancel_scope.cancel()
    finally:
        live.leave(viewer)
    return code


async def _transmit(viewer: Viewer, websocket: WebSocket) -> None:
    """The writer task."""
    try:
        while True:
            await websocket.send_text(await viewer.next())
    except (OSError, RuntimeError, WebSocketDisconnect, trio.BrokenResourceError):
        return


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
