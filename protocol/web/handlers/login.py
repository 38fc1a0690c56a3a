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
from typing import TYPE_CHECKING, Final

from protocol.denials import Denial, Denied
from protocol.session import Phase
from protocol.web.handlers.characters import list_characters
from protocol.web.handlers.table import TABLE
from protocol.web.packets.login import Account, Login, Register, Ticket, Welcome
from protocol.web.words import refusal
from world.speech import EMOTES

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from protocol.services import AccountInfo
    from protocol.web.packets.base import Message
    from protocol.web.session import WebSession

log = logging.getLogger("net.web")

ASK_TO_LOG_IN: Final = "Please log in."


async def greet(session: WebSession) -> None:
    """The server speaks first. What browsers do before they can hear this was the handshake; from here on a
    person is typing."""
    session.send(Welcome(session.services.server_name))
    session.phase = Phase.LOGIN


@TABLE.on(Login, during=Phase.LOGIN, secret=Login.secret)
async def log_in(session: WebSession, message: Login) -> None:
    """login: name and password."""
    await _begin(session, Login, session.services.accounts.login(session, message.account, message.password))


@TABLE.on(Register, during=Phase.LOGIN, secret=Register.secret)
async def register(session: WebSession, message: Register) -> None:
    """register: a new account, and logged in with it."""
    made = session.services.accounts.register(session, message.account, message.password)
    await _begin(session, Register, made)


@TABLE.on(Ticket, during=Phase.LOGIN, secret=Ticket.secret)
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
        return (await services.tickets.redeem(session, key, "", "")).account
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
    await services.accounts.claim(session, account)
    session.phase = Phase.MENU
    log.debug("%s is %s", session.peer, account.name)
    session.send(Account(account.name, services.character_limit, tuple(sorted(EMOTES))))
    await list_characters(session, kind)
