"""The account server: a name and a password for a key, and the address of the game.

    client          server
    Account         ConnectEx: a key of 64 bits and where the game is; or ConnectReject
    (Res.dat)       nothing; the client hangs up and goes to the game's door

The key is two numbers to the client, which shows them to the game as they are. They are all that the client
shows there, so all their bits are chance, and they open that door once.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from protocol.co import rc5
from protocol.co.handlers.table import ACCOUNT
from protocol.co.packets import Account, ConnectEx, ConnectReject, FileReport, RejectCode
from protocol.co.session import GAME_DOOR
from protocol.denials import Denial, Denied
from protocol.endings import Ending, Refused
from protocol.session import Phase

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.co.session import CoSession

log = logging.getLogger("net.co")

KEY_SIZE: Final = 8
"""Bytes of the two numbers."""

REASONS: Final[Mapping[Denial, RejectCode]] = {
    Denial.BAD_CREDENTIALS: RejectCode.BAD_PASSWORD,
    Denial.BAD_PASSWORD: RejectCode.BAD_PASSWORD,
    Denial.BAD_NAME: RejectCode.INVALID_ACCOUNT,
    Denial.BANNED: RejectCode.BANNED,
    Denial.BUSY: RejectCode.BUSY,
    Denial.IN_USE: RejectCode.TRY_LATER,
    Denial.NOT_APPROVED: RejectCode.NOT_ACTIVATED,
    Denial.UNAVAILABLE: RejectCode.SERVER_DOWN,
    Denial.FULL: RejectCode.FULL,
    Denial.EXISTS: RejectCode.TRY_LATER,
    Denial.NO_CHARACTER: RejectCode.TRY_LATER,
}
"""The client's word for each. An unknown name and a wrong password have the same."""


@ACCOUNT.on(Account, during=Phase.GREETING, secret=True)
async def log_in(session: CoSession, packet: Account) -> None:
    """Account: name and password. The name of the server that the player picked in its list does not
    matter: there is one world here."""
    services = session.services
    if services.closed:
        raise refused(RejectCode.SERVER_DOWN, services.closed)
    if services.accounts.kept_out(session) > 0:
        raise refused(RejectCode.TOO_MANY_ATTEMPTS, "too many failed logins from this address")
    try:
        account = await services.accounts.login(session, packet.account, rc5.read_password(packet.password))
    except Denied as denied:
        ending = Ending.BANNED if denied.why is Denial.BANNED else Ending.REFUSED
        raise refused(REASONS[denied.why], str(denied), ending) from None
    session.account = account
    session.phase = Phase.MENU
    key = services.tickets.issue(session, "", {}, name="", size=KEY_SIZE)
    host, port = services.relay_address(session, GAME_DOOR)
    log.debug("%s is %s", session.peer, account.name)
    session.send(
        ConnectEx(
            token_low=int.from_bytes(key[:4], "little"),
            token_high=int.from_bytes(key[4:], "little"),
            address=host,
            port=port,
        )
    )
    session.hang_up_means = Ending.RELAYED


@ACCOUNT.on(FileReport, during=Phase.MENU, secret=True)
async def ignore_report(session: CoSession, packet: FileReport) -> None:
    """FileReport: what the client's Res.dat holds, which it may write there as it likes. No answer."""


def refused(code: RejectCode, detail: str, ending: Ending = Ending.REFUSED) -> Refused:
    """ConnectReject and the end of the connection: the client shows its login window again."""
    return Refused(detail, ConnectReject(0, code), ending=ending)
