"""The first words at the login door: which version, who are you."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from protocol.endings import Ending, Refused, WireError
from protocol.eq2.handlers.table import on
from protocol.eq2.packets import (
    AlertLogUpload,
    CrashLogUpload,
    Eq2CrashLogUpload,
    LoginCode,
    LoginReply,
    LoginRequest,
    LogUpload,
    VerifyLogUpload,
)
from protocol.services import Denial, Denied
from protocol.session import ANY_PHASE, Phase

if TYPE_CHECKING:
    from protocol.eq2.session import Eq2Session

log = logging.getLogger("net.eq2")

LOGIN_DOOR: Final = "login"
WORLD_DOOR: Final = "world"

LARGEST_LOG: Final = 0x20000
"""Bytes, packed: what the client itself allows."""

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


def require_door(session: Eq2Session, door: str) -> None:
    """Each door has its own messages, though one table serves both. Raises WireError."""
    if session.door != door:
        raise WireError(f"a message for the {door} door came through the {session.door} door")


@on(LoginRequest, during=_FRESH, secret=True)
async def log_in(session: Eq2Session, packet: LoginRequest) -> None:
    """LoginRequest: name and password. The version decides how everything after it is read, so one that is
    not known here is told so and goes."""
    require_door(session, LOGIN_DOOR)
    services = session.services
    session.phase = Phase.LOGIN  # the handshake is done, however long the answer takes
    version = session.view.versions.of_number(packet.version)
    if version is None:
        raise Refused(f"client version {packet.version}", LoginReply(code=LoginCode.VERSION_MISMATCH))
    session.version = version
    try:
        account = await services.accounts.login(session, packet.user, packet.password)
    except Denied as denied:
        ending = Ending.BANNED if denied.why is Denial.BANNED else Ending.REFUSED
        raise Refused(str(denied), login_denied(denied), ending=ending) from None
    services.accounts.claim(session, account)
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


for _kind in (LogUpload, CrashLogUpload, Eq2CrashLogUpload, AlertLogUpload, VerifyLogUpload):
    on(_kind, during=ANY_PHASE)(_drop_log)
