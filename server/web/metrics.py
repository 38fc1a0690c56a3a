"""`/metrics`: what an operator's Prometheus reads (docs/metrics.md says what each number means).

Who may read them, and as which text; the numbers themselves are `server.web.collector`'s. Each server has a
registry of its own.
"""

from __future__ import annotations

import ipaddress
import secrets
from typing import TYPE_CHECKING, Final

from prometheus_client import CollectorRegistry, GCCollector, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.exposition import generate_latest as as_text
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST as OPEN_METRICS
from prometheus_client.openmetrics.exposition import generate_latest as as_open_metrics
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from server.web.collector import ServerCollector
from server.web.edge_collector import EdgeCollector

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.routing import BaseRoute
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from server.counters import Counts
    from server.web.host import Host
    from server.web.site import Site

OPEN_METRICS_TYPE: Final = "application/openmetrics-text"

NO_CACHE: Final = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}

FORBIDDEN: Final = """\
Metrics are for this machine, without a proxy between, or for whoever knows the token: set metrics_token in
[listen.web] and send it as "Authorization: Bearer TOKEN". docs/metrics.md says more.
"""

NO_ROUTE: Final = "none"
"""The route of requests that lead nowhere."""


def routes(site: Site) -> list[BaseRoute]:
    """GET /metrics."""
    scrape = Scrape(site.app)

    async def metrics(request: Request) -> Response:
        if not may_read(site, request):
            return PlainTextResponse(FORBIDDEN, 403, headers=NO_CACHE)
        body, kind = await scrape.answer(request.headers.get("accept", ""))
        return Response(body, headers=NO_CACHE | {"Content-Type": kind})

    return [Route("/metrics", metrics, methods=["GET"])]


def may_read(site: Site, request: Request) -> bool:
    """Whether the caller may read the metrics of this site."""
    token = site.settings.metrics_token
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if (
        token
        and scheme.lower() == "bearer"
        and secrets.compare_digest(given.strip().encode("latin-1", "replace"), token.encode())
    ):
        return True
    # A page of somebody else's, in a browser on this machine, could have its own name lead here: the name
    # that was asked for tells.
    return site.caller(request).is_here and _is_here(request.url.hostname or "")


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


class Requests:
    """Counts what is asked of a web application, by route and status; around all of it."""

    def __init__(self, app: ASGIApp, counts: Counts) -> None:
        self._app = app
        self._counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        accepted = False

        async def counted(message: Message) -> None:
            nonlocal accepted
            kind = message["type"]
            if kind in ("http.response.start", "websocket.http.response.start"):
                self._count(scope, message["status"])
            elif kind == "websocket.send":
                self._counts.web_messages[_route(scope)] += 1
            elif kind == "websocket.accept":
                accepted = True
                self._count(scope, 101)
            elif kind == "websocket.close" and not accepted:
                self._count(scope, 403)
            await send(message)

        await self._app(scope, receive, counted)

    def _count(self, scope: Scope, status: int) -> None:
        self._counts.web_requests[_route(scope), status] += 1


def _route(scope: Scope) -> str:
    """What the route calls itself, never the path that was asked for."""
    route: object = scope.get("route")
    return str(getattr(route, "path", NO_ROUTE))


class Scrape:
    """Answers one server's scrapes."""

    def __init__(self, app: Host) -> None:
        self._app = app
        self._collector = ServerCollector(app) if app.worlds is None else EdgeCollector(app)
        self._registry: CollectorRegistry | None = None

    async def answer(self, accept: str) -> tuple[bytes, str]:
        """All metrics, and their content type: as OpenMetrics text if that is accepted, else as Prometheus
        text."""
        if self._app.worlds is None:
            self._collector.census = await self._app.census.latest()
        if self._registry is None:
            self._registry = CollectorRegistry()
            self._registry.register(self._collector)
            ProcessCollector(registry=self._registry)
            GCCollector(registry=self._registry)
        accepted = {part.partition(";")[0].strip().lower() for part in accept.split(",")}
        if OPEN_METRICS_TYPE in accepted:
            return as_open_metrics(self._registry), OPEN_METRICS  # type: ignore[no-untyped-call] # as it is
        return as_text(self._registry), CONTENT_TYPE_PLAIN_0_0_4
