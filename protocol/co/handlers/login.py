"""Both doors up to a character that is about to enter, or a form for a new one.

    client          server                                                     phase afterwards
    Account         ConnectEx: a key of 64 bits and where the game is;         MENU
                    or ConnectReject
    (Res.dat)       nothing; the client hangs up and goes to the game's door

    (5065: the exchange of keys, which the server begins)                      GREETING
    Connect         Talk ANSWER_OK, UserInfo                                   ENTERING, see `entering`
                    or Talk NEW_ROLE                                           MENU, see `characters`

The key is two numbers to the client, which shows them to the game as they are. They are all that the client
shows there, so all their bits are chance, and they open that door once.

This client knows one character for each account, and has no list to choose from: it is given the one that was
played last by such a client, else the account's first. Its player can order a form for a new one
(`characters`): then the next login, and only that one, is answered by NEW_ROLE although the account has
characters. Who closes the form without making one is given the old one again.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from protocol.co import notes, rc5
from protocol.co.exchange import ExchangeReply
from protocol.co.figures import calendar
from protocol.co.handlers.table import ACCOUNT, TABLE
from protocol.co.packets import (
    ANSWER_OK,
    NEW_ROLE,
    Account,
    Channel,
    Connect,
    ConnectEx,
    ConnectReject,
    FileReport,
    RejectCode,
    Talk,
    said,
)
from protocol.co.session import GAME_DOOR
from protocol.co.versions import CoVersion
from protocol.co.view import CoView
from protocol.denials import Denial, Denied
from protocol.endings import Ending, Refused, WireError
from protocol.session import Phase

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.co.codec import CfbGameCodec
    from protocol.co.session import CoSession
    from protocol.services import CharacterInfo

log = logging.getLogger("net.co")

NO_PLACE: Final = "Your character stands where this client has no map."

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
        raise rejected(RejectCode.SERVER_DOWN, services.closed)
    if services.accounts.kept_out(session) > 0:
        raise rejected(RejectCode.TOO_MANY_ATTEMPTS, "too many failed logins from this address")
    try:
        account = await services.accounts.login(session, packet.account, rc5.read_password(packet.password))
    except Denied as denied:
        ending = Ending.BANNED if denied.why is Denial.BANNED else Ending.REFUSED
        raise rejected(REASONS[denied.why], str(denied), ending) from None
    session.account = account
    session.phase = Phase.MENU
    key = services.tickets.issue(session, "", {}, name="", size=KEY_SIZE)
    await services.tickets.share(key)
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


def rejected(code: RejectCode, detail: str, ending: Ending = Ending.REFUSED) -> Refused:
    """ConnectReject and the end of the connection: the client shows its login window again."""
    return Refused(detail, ConnectReject(0, code), ending=ending)


# The game's door


async def greet(session: CoSession) -> None:
    """Speak first, where keys are exchanged."""
    session.codec.begin()


@TABLE.on(ExchangeReply, during=Phase.GREETING, secret=True)
async def exchange(session: CoSession, packet: ExchangeReply) -> None:
    """The client's half of the keys. What follows from both takes milliseconds: many newcomers are served one
    after the other, and turns come in between. The client's next packet can only be read with it, and so is
    read afterwards. Raises WireError if there are no keys to exchange, or for a bad one; Refused if too many
    wait."""
    codec = cast("CfbGameCodec", session.codec)  # of any other there are no keys to exchange
    if session.dialect < CoVersion.V5065 or codec.agreed:
        raise WireError("bad_exchange: there are no keys to exchange")
    try:
        keys = await session.services.offload(partial(codec.keys_of, packet))
    except Denied as denied:
        raise Refused(str(denied)) from None
    codec.adopt(keys)


@TABLE.on(Connect, during=Phase.GREETING, secret=True)
async def connect(session: CoSession, packet: Connect) -> None:
    """Connect: the key that the account server gave out. The newest login of an account is the one that
    counts."""
    services = session.services
    if services.closed:
        raise refused(services.closed)
    half = KEY_SIZE // 2
    key = packet.token_low.to_bytes(half, "little") + packet.token_high.to_bytes(half, "little")
    try:
        session.account = account = (await services.tickets.redeem(session, key, "", "")).account
        await services.accounts.claim(session, account)
        infos = await services.characters.all(account)
        wants_new = await notes.takes_order(session, infos)
        if not infos or (wants_new and len(infos) < services.character_limit):
            info = None
        else:
            info = await notes.last_played(session, [info for info in infos if can_come(session, info)])
            if info is None:
                raise refused(NO_PLACE)
            body, profession = await notes.read(session, info)
    except Denied as denied:
        raise refused(str(denied)) from None
    log.debug("%s continues as %s", session.peer, account.name)
    if info is None:
        session.phase = Phase.MENU
        session.send(login_line(NEW_ROLE))
        return
    session.selected = info
    session.phase = Phase.ENTERING
    session.send(login_line(ANSWER_OK))
    if session.dialect >= CoVersion.V5065:
        session.send(calendar(session.world))
    session.send(CoView.of(session).figures.user_info(info, body, profession))


def can_come(session: CoSession, info: CharacterInfo) -> bool:
    """Whether a character stands where this game has a place; whether it really does is seen when it
    enters."""
    return not info.realm or CoView.of(session).places.has(info.realm)


def login_line(words: str) -> Talk:
    """The answer to a login: ANSWER_OK, NEW_ROLE, or why not."""
    return said(words, Channel.LOGIN)


def refused(words: str) -> Refused:
    """A line in the login window, and the end of the connection."""
    return Refused(words, login_line(words))
