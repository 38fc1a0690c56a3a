"""Coming in: by name and password, as somebody new, or with the key that the page was given.

    client                server
                          Welcome
    Ticket, or            Account and Characters; or Denied, and the client may try again
    Login, or Register

Whoever may play the account has it from then on: another client that did is told so and ends. All tries count
at the one limiter of all doors.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, cast

from protocol.services import Denial, Denied
from protocol.session import ANY_PHASE, Phase
from protocol.web.handlers.characters import list_characters
from protocol.web.handlers.refusals import refusal
from protocol.web.handlers.table import on
from protocol.web.packets.entering import Ping, Pong
from protocol.web.packets.login import Account, Login, Register, Ticket, Welcome
from world.speech import EMOTES

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from protocol.services import AccountInfo
    from protocol.session import Session
    from protocol.web.packets.base import Message
    from protocol.web.session import WebSession

log = logging.getLogger("net.web")

ASK_TO_LOG_IN: Final = "Please log in."


async def greet(session: Session) -> None:
    """The server speaks first. What browsers do before they can hear this was the handshake; from here on a
    person is typing."""
    client = cast("WebSession", session)
    client.send(Welcome(client.services.server_name))
    client.phase = Phase.LOGIN


@on(Login, during=Phase.LOGIN)
async def log_in(session: WebSession, message: Login) -> None:
    """login: name and password."""
    await _begin(session, Login, session.services.accounts.login(session, message.account, message.password))


@on(Register, during=Phase.LOGIN)
async def register(session: WebSession, message: Register) -> None:
    """register: a new account, and logged in with it."""
    made = session.services.accounts.register(session, message.account, message.password)
    await _begin(session, Register, made)


@on(Ticket, during=Phase.LOGIN)
async def redeem(session: WebSession, message: Ticket) -> None:
    """ticket: the key of somebody who has logged in at the page."""
    await _begin(session, Ticket, _redeem(session, message.key))


async def _redeem(session: WebSession, digits: str) -> AccountInfo:
    services = session.services
    if services.closed:
        raise Denied(Denial.UNAVAILABLE, services.closed)
    try:
        key = bytes.fromhex(digits)
    except ValueError:
        key = b""  # like any other that was never given out
    try:
        return services.tickets.redeem(session, key, "", "").account
    except Denied as denied:
        if denied.why is Denial.BAD_CREDENTIALS:
            raise Denied(denied.why, ASK_TO_LOG_IN) from None  # nobody has typed anything
        raise


async def _begin(session: WebSession, kind: type[Message], who: Awaitable[AccountInfo]) -> None:
    try:
        account = await who
    except Denied as denied:
        session.send(refusal(denied, kind))
        return
    services = session.services
    services.accounts.claim(session, account)
    session.phase = Phase.MENU
    log.debug("%s is %s", session.peer, account.name)
    session.send(Account(account.name, services.character_limit, tuple(sorted(EMOTES))))
    await list_characters(session, kind)


@on(Ping, during=ANY_PHASE)
def ping(session: WebSession, message: Ping) -> None:
    """ping: the same number back."""
    session.send(Pong(message.number))
