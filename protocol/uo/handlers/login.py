"""The login connection (seed, name and password, server list, relay) and the start of the game connection."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from protocol.denials import Denial, Denied
from protocol.endings import Ending, Refused
from protocol.session import AUTHENTICATED, Phase
from protocol.uo.handlers.characters import send_characters
from protocol.uo.handlers.table import TABLE
from protocol.uo.packets.login import (
    AccountLogin,
    GameLogin,
    LoginRejected,
    OtherAccountLogin,
    Rejection,
    Relay,
    Seed,
    SelectServer,
    ServerEntry,
    ServerList,
    VersionAnswer,
)
from protocol.uo.versions import ASSUMED, VersionNumber, format_version, parse_version

if TYPE_CHECKING:
    from protocol.uo.session import UoSession

log = logging.getLogger("net.uo")

_FRESH = frozenset({Phase.GREETING, Phase.LOGIN})

_REASONS: Final = {
    Denial.BAD_CREDENTIALS: Rejection.BAD_PASSWORD,
    Denial.BAD_PASSWORD: Rejection.BAD_PASSWORD,
    Denial.BANNED: Rejection.BLOCKED,
    Denial.IN_USE: Rejection.IN_USE,
    Denial.NOT_APPROVED: Rejection.BLOCKED,
}
"""Everything else is a communication problem."""

SERVER_LIST_FLAGS: Final = 0x5D
"""ServUO's; clients do not look at it."""

THIS_SERVER: Final = 0
"""The index of the one server in the list."""


@TABLE.on(Seed, during=Phase.GREETING)
async def seed(session: UoSession, packet: Seed) -> None:
    """Note the version; the codec has the seed."""
    session.know_version((packet.major, packet.minor, packet.revision, packet.patch))


@TABLE.on(AccountLogin, during=_FRESH, secret=True)
async def account_login(session: UoSession, packet: AccountLogin) -> None:
    """Check name and password; show the servers."""
    await _log_in(session, packet.name, packet.password)


@TABLE.on(OtherAccountLogin, during=_FRESH, secret=True)
async def other_account_login(session: UoSession, packet: OtherAccountLogin) -> None:
    """Check name and password; show the servers."""
    await _log_in(session, packet.name, packet.password)


async def _log_in(session: UoSession, name: str, password: str) -> None:
    services = session.services
    session.phase = Phase.LOGIN  # the handshake is done, however long the answer takes
    try:
        session.account = await services.accounts.login(session, name, password)
    except Denied as denied:
        raise _refused(denied) from None
    session.password = password
    session.phase = Phase.MENU
    host, _ = services.relay_address(session)
    session.send(
        ServerList(
            SERVER_LIST_FLAGS,
            (ServerEntry(THIS_SERVER, services.server_name, 0, 0, _address(host)[::-1]),),
        )
    )


@TABLE.on(SelectServer, during=Phase.MENU)
async def select_server(session: UoSession, packet: SelectServer) -> None:
    """Send the client on to the game connection. It closes this one by itself as soon as it has read that."""
    if not session.password:
        return  # already sent on, or a game connection
    services = session.services
    key = services.tickets.issue(session, session.password, {"version": session.version})
    await services.tickets.share(key)
    session.password = ""
    host, port = services.relay_address(session)
    session.send(Relay(_address(host), port, key))
    session.hang_up_means = Ending.RELAYED


@TABLE.on(GameLogin, during=Phase.GREETING, secret=True)
async def game_login(session: UoSession, packet: GameLogin) -> None:
    """Continue the login of that key; show the characters."""
    services = session.services
    try:
        ticket = await services.tickets.redeem(session, packet.key, packet.name, packet.password)
        await services.accounts.claim(session, ticket.account)
    except Denied as denied:
        raise _refused(denied) from None
    version = _number_of(ticket.notes.get("version"))
    if version is not None:
        session.know_version(version)
    session.account = ticket.account
    session.phase = Phase.MENU
    log.debug("%s continues as %s, client %s", session.peer, ticket.account.name, format_version(version))
    await send_characters(session)


@TABLE.on(VersionAnswer, during=AUTHENTICATED)
async def version_answer(session: UoSession, packet: VersionAnswer) -> None:
    """The client said which it is. One that was asked for it goes on with what it wanted."""
    if session.version is None:
        session.know_version(parse_version(packet.version) or ASSUMED)
    wanted, session.once_known = session.once_known, None
    if wanted is not None:
        await wanted()


def _refused(denied: Denied) -> Refused:
    return Refused(str(denied), LoginRejected(_REASONS.get(denied.why, Rejection.COMMUNICATION)))


def _address(host: str) -> bytes:
    return bytes(map(int, host.split(".")))


def _number_of(note: object) -> VersionNumber | None:
    match note:
        case (int(major), int(minor), int(revision), int(patch)):
            return major, minor, revision, patch
        case _:
            return None
