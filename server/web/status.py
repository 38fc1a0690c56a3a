"""Public state of the server: `/status.json` for lists of servers and curious people, `/health` for whatever
has to know whether it works."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from server.version import version

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.routing import BaseRoute

    from server.web.host import Host
    from server.web.site import Site
    from world.world import World

STATUS_SECONDS: Final = 1.0
"""For so many seconds a status is sent again: it costs the same however many ask."""
HEALTHY_SECONDS: Final = 1.0
"""For so long a turn proves that the world goes on."""
TURN_SECONDS: Final = 5.0
"""How long the world may take to come to a turn that somebody wants."""

NO_CACHE: Final = {"Cache-Control": "no-store"}


def routes(site: Site) -> list[BaseRoute]:
    """GET /status.json and /health."""
    status_ = Status(site.app, has_map=site.settings.map)
    health_ = Health(site.app)

    async def status(_: Request) -> Response:
        return JSONResponse(await status_.now(), headers=NO_CACHE)

    async def health(_: Request) -> Response:
        trouble = await health_.trouble()
        return PlainTextResponse((trouble or "ok") + "\n", 503 if trouble else 200, headers=NO_CACHE)

    return [Route("/status.json", status), Route("/health", health)]


class Status:
    """State of the server for the public. Names are those that the public map may show, if there is one;
    staff that hides appears nowhere, not even in a sum."""

    def __init__(self, app: Host, *, has_map: bool) -> None:
        self._app = app
        self._has_map = has_map
        self._version = version()
        self._last: dict[str, object] = {}
        self._next = -float("inf")

    async def now(self) -> dict[str, object]:
        """The status, at most two seconds old."""
        if trio.current_time() >= self._next:
            census = await self._app.census.latest()
            now = trio.current_time()
            if now >= self._next:  # nobody else has looked meanwhile
                self._last = self._look(now, census.characters if census is not None else None)
                self._next = now + STATUS_SECONDS
        return self._last

    def _look(self, now: float, characters: int | None) -> dict[str, object]:
        app, turnout = self._app, self._app.turnout.latest()
        charts = app.content.charts
        return {
            "name": app.server_name,
            "version": self._version,
            "uptime_seconds": int(now - app.began),
            "online": {game: turnout.online.get(game, 0) for game in app.families},
            "players": turnout.players if self._has_map else [],
            "characters": characters,
            "realms": {
                name: {
                    "title": charts[name].title,
                    "characters": there.characters,
                    "residents": there.residents,
                }
                for name, there in turnout.realms.items()
                if name in charts
            },
            "turns_per_second": round(turnout.turns, 1),
            "map": self._has_map,
            "open": not app.closed and turnout.open,
        }


class Health:
    """Whether the server does what it is for."""

    def __init__(self, app: Host) -> None:
        self._app = app
        self._turned = -float("inf")
        """When the world was last seen to take a turn."""

    async def trouble(self) -> str:
        """Why it does not, in words for an operator and without secrets; empty if it does. The world has to
        take a turn for it, if nobody has asked within the last second."""
        app = self._app
        if reason := app.closed:
            disk = app.storage.health
            if disk.refuse_logins:
                reason += (
                    f": {disk.pending_rows} rows wait, the oldest change is {disk.lag_seconds:.0f} s old"
                )
            return reason
        if trio.current_time() - self._turned >= HEALTHY_SECONDS:
            with trio.move_on_after(TURN_SECONDS) as patience:
                await app.loop.in_world(None, _nothing)
                self._turned = trio.current_time()
            if patience.cancelled_caught:
                return f"the world has taken no turn for {TURN_SECONDS:.0f} s although one was wanted"
        return ""


def _nothing(_: World) -> None:
    pass
