"""The list of worlds, which holds one, and what becomes of it while the list is shown."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final
from weakref import ref

from protocol.endings import Ending
from protocol.eq2.handlers.characters import WORLD_ID, send_characters
from protocol.eq2.handlers.login import LOGIN_DOOR, require_door
from protocol.eq2.handlers.table import on
from protocol.eq2.packets import WorldEntry, WorldList, WorldListRequest, WorldStatusChange
from protocol.session import NO_LINK, Phase
from world.timers import Priority

if TYPE_CHECKING:
    from protocol.eq2.session import Eq2Session
    from world.world import World

STATUS_SECONDS: Final = 10.0
"""Between two WorldStatusChanges if nothing changes: the rhythm of the public login servers."""

LOOK_SECONDS: Final = 1.0
"""Between two looks whether anything did."""

MOST_PLAYERS: Final = 0xFFFF
"""What the list can say."""

_STEPS: Final = (50, 200, 500)
"""Players from which the client draws the world's load one step higher."""


@on(WorldListRequest, during=Phase.MENU)
async def list_worlds(session: Eq2Session, packet: WorldListRequest) -> None:
    """WorldListRequest: the worlds, and right behind them the characters: clients wait for both."""
    require_door(session, LOGIN_DOOR)
    _send_list(session)
    await send_characters(session)
    if not session.watches_world:
        session.watches_world = True
        await session.services.in_world(session, partial(_watch, ref(session)))


def _send_list(session: Eq2Session) -> None:
    services = session.services
    players, locked = session.world_shown = _players(session), is_locked(session)
    entry = WorldEntry(
        id=WORLD_ID,
        name=services.server_name,
        label=services.server_name,
        locked=int(locked),
        players=players,
        load=sum(players >= step for step in _STEPS),
    )
    session.send(WorldList(entries=(entry,)))


def _players(session: Eq2Session) -> int:
    return min(len(session.services.online()), MOST_PLAYERS)


def is_locked(session: Eq2Session) -> bool:
    """Whether nobody may log in now."""
    return bool(session.services.closed)


def _watch(reference: ref[Eq2Session], world: World) -> None:
    world.timers.after(LOOK_SECONDS, _look, reference, world, world.now, priority=Priority.MS50)


def _look(reference: ref[Eq2Session], world: World, told_at: float) -> None:
    """Tell a client that still shows the list how the world is: at once when that changed, or when it has not
    been told for long. The timer dies with the client, or when that goes to the world."""
    session = reference()
    if session is None or session.link is NO_LINK or session.hang_up_means is Ending.RELAYED:
        return
    now = _players(session), is_locked(session)
    if now != session.world_shown or world.now - told_at >= STATUS_SECONDS:
        told_at = world.now
        session.world_shown = now
        session.send(WorldStatusChange(id=WORLD_ID, up=1, locked=int(is_locked(session))))
    world.timers.after(LOOK_SECONDS, _look, reference, world, told_at, priority=Priority.MS50)
