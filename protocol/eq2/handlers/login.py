"""The first words at the login door: which version, who are you; and the list of worlds."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final
from weakref import ref

from protocol.denials import Denial, Denied
from protocol.endings import Ending, Refused, WireError
from protocol.eq2.handlers.characters import WORLD_ID, send_characters
from protocol.eq2.handlers.table import LOGIN_DOOR, ROWS, require_door
from protocol.eq2.packets import (
    LOG_UPLOADS,
    LoginCode,
    LoginReply,
    LoginRequest,
    LogUpload,
    WorldEntry,
    WorldList,
    WorldListRequest,
    WorldStatusChange,
)
from protocol.eq2.view import Eq2View
from protocol.session import ANY_PHASE, NO_LINK, Phase
from world.timers import Priority

if TYPE_CHECKING:
    from protocol.eq2.session import Eq2Session
    from world.world import World

log = logging.getLogger("net.eq2")

LARGEST_LOG: Final = 0x20000
"""Bytes, packed: what the client itself allows."""

STATUS_SECONDS: Final = 10.0
"""Between two WorldStatusChanges if nothing changes: the rhythm of the public login servers."""

LOOK_SECONDS: Final = 1.0
"""Between two looks whether anything did."""

MOST_PLAYERS: Final = 0xFFFF
"""The largest number that the list can say."""

_STEPS: Final = (50, 200, 500)
"""Players from which the client draws the world's load one step higher."""

_FRESH: Final = frozenset({Phase.GREETING, Phase.LOGIN})

_CODES: Final = {
    Denial.BAD_CREDENTIALS: LoginCode.BAD_PASSWORD,
    Denial.BAD_PASSWORD: LoginCode.BAD_PASSWORD,
    Denial.BAD_NAME: LoginCode.BAD_PASSWORD,
    Denial.IN_USE: LoginCode.ALREADY_PLAYING,
    Denial.BUSY: LoginCode.ALREADY_PLAYING,
    Denial.UNAVAILABLE: LoginCode.ALREADY_PLAYING,
    Denial.BANNED: LoginCode.NO_PLAYTIME,
    Denial.NOT_APPROVED: LoginCode.NO_PLAYTIME,
}
"""The client has few words. "Already playing" is the one that asks its player to try again later."""


@ROWS.on(LoginRequest, during=_FRESH, secret=True)
async def log_in(session: Eq2Session, packet: LoginRequest) -> None:
    """LoginRequest: name and password. The version decides how everything after it is read, so one that is
    not known here is told so and goes. Raises Refused for that, and if the login is denied."""
    require_door(session, LOGIN_DOOR)
    services = session.services
    session.phase = Phase.LOGIN  # the handshake is done, however long the answer takes
    version = Eq2View.of(session).versions.of_number(packet.version)
    if version is None:
        raise Refused(f"client version {packet.version}", LoginReply(code=LoginCode.VERSION_MISMATCH))
    session.version = version
    try:
        account = await services.accounts.login(session, packet.user, packet.password)
        await services.accounts.claim(session, account)
    except Denied as denied:
        ending = Ending.BANNED if denied.why is Denial.BANNED else Ending.REFUSED
        raise Refused(str(denied), login_denied(denied), ending=ending) from None
    session.account = account
    session.phase = Phase.MENU
    log.debug("%s is %s, client %d", session.peer, account.name, packet.version)
    session.send(LoginReply(code=LoginCode.OK, account_id=account.id))


def login_denied(denied: Denied) -> LoginReply:
    """The game's word for why somebody may not log in. An unknown name and a wrong password have the same."""
    return LoginReply(code=_CODES.get(denied.why, LoginCode.ALREADY_PLAYING))


def _drop_log(session: Eq2Session, packet: LogUpload) -> None:
    """A log of an earlier crash or the like. It is not kept."""
    if packet.packed_size > LARGEST_LOG:
        raise WireError(f"a log of {packet.packed_size} bytes")
    log.debug("%r: dropped a log of %d bytes", session, len(packet.data))


for _kind in LOG_UPLOADS:
    ROWS.on(_kind, during=ANY_PHASE)(_drop_log)


# The list of worlds, which holds one, and what becomes of it while the list is shown


@ROWS.on(WorldListRequest, during=Phase.MENU)
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
