"""The page of a process, world or edge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from server.web.front import Front

if TYPE_CHECKING:
    from collections.abc import Callable

    import trio

    from server.net.listening import Listening
    from server.web.host import Host


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
