"""The page of a process, world or edge, and what a world shows there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from server.web.front import Front
from server.web.livemap import LiveMap
from server.web.turnout import Counted

if TYPE_CHECKING:
    from collections.abc import Callable

    import trio

    from server.boot.parts import Parts
    from server.net.listening import Listening
    from server.web.host import Host


def counted(app: Parts) -> Counted:
    """Counts who is in the world of a server."""
    return Counted(
        app.world, app.privacy.is_public, turns=app.loop.stats.per_second, closed=lambda: app.closed
    )


def shown(app: Parts) -> LiveMap | None:
    """The live map of a server's world; None if no game of it has a page."""
    page = next((family.page for family in app.families.values() if family.page is not None), None)
    if page is None:
        return None
    live = LiveMap(app.world, page, app.privacy, wall=app.wall, stalled_seconds=app.current.stalled_seconds)
    app.loop.observers.append(live.observe)
    return live


async def open_front(
    app: Host,
    door: Listening,
    clients: trio.Nursery,
    doors: trio.Nursery,
    *,
    wall: Callable[[], float],
) -> Front:
    """A page. Its connections end with the clients whom they carry."""
    front = Front(app, door, wall=wall)
    await clients.start(front.run)
    doors.start_soon(front.accept)
    return front
