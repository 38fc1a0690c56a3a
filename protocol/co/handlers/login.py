"""The game's door: from the first packet to a character that is about to enter, or a form for a new one.

    client                       server                                            phase afterwards
    (5065: the exchange of keys, which the server begins)                          GREETING
    Connect                      Talk ANSWER_OK, UserInfo                          ENTERING
                                 or Talk NEW_ROLE                                  MENU
    Register                     Talk ANSWER_OK: the client logs in anew           MENU
    Action ENTER_MAP ...         see `entering`                                    IN_WORLD

This client knows one character for each account, and has no list to choose from: it is given the one that was
played last by such a client, else the account's first. The town crier lets a player change it (`switching`),
or have a new one made: then the next login, and only that one, is answered by NEW_ROLE although the account
has characters. Who closes the form without making one is given the old one again.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, cast

from protocol.co import notes
from protocol.co.exchange import ExchangeReply
from protocol.co.figures import NAMING
from protocol.co.handlers.account import KEY_SIZE
from protocol.co.handlers.table import GAME
from protocol.co.packets import ANSWER_OK, NEW_ROLE, Channel, Connect, Register, Talk, said
from protocol.co.versions import CoVersion
from protocol.endings import Ending, Refused, WireError
from protocol.services import Denial, Denied
from protocol.session import Phase

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.co.session import CoSession
    from protocol.services import CharacterInfo
    from protocol.session import Session

log = logging.getLogger("net.co")

CREATE_REASONS: Mapping[Denial, str] = {
    Denial.EXISTS: "That name is taken.",
    Denial.BAD_NAME: "Names have 3 to 15 letters, and nothing else.",
    Denial.FULL: "Your account has as many characters as it may have.",
    Denial.NOT_APPROVED: "There is no such body or profession.",
}
"""What the form shows below; for any other reason, to try again later."""

TRY_LATER = "That cannot be done now. Please try again later."

NO_PLACE = "Your character stands where this client has no map."


async def greet(session: Session) -> None:
    """Where keys are exchanged, the server speaks first."""
    cast("CoSession", session).co_codec.begin()


@GAME.on(ExchangeReply, during=Phase.GREETING, secret=True)
async def exchange(session: CoSession, packet: ExchangeReply) -> None:
    """The client's half of the keys. What follows from both takes milliseconds: many newcomers are served one
    after the other, and turns come in between. The client's next packet can only be read with it, and so is
    read afterwards."""
    codec = session.exchanging
    if session.version < CoVersion.V5065 or codec.agreed:
        raise WireError("bad_exchange: there are no keys to exchange")
    try:
        keys = await session.services.aside(partial(codec.keys_of, packet))
    except Denied as denied:
        raise Refused(str(denied)) from None
    codec.adopt(keys)


@GAME.on(Connect, during=Phase.GREETING, secret=True)
async def connect(session: CoSession, packet: Connect) -> None:
    """Connect: the key that the account server gave out. The newest login of an account is the one that
    counts."""
    services = session.services
    if services.closed:
        raise refused(services.closed)
    half = KEY_SIZE // 2
    key = packet.token_low.to_bytes(half, "little") + packet.token_high.to_bytes(half, "little")
    try:
        session.account = account = services.tickets.redeem(session, key, "", "").account
        services.accounts.claim(session, account)
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
    if session.version >= CoVersion.V5065:
        session.send(session.view.date(session.world))
    session.send(session.view.figures.user_info(info, body, profession))


def can_come(session: CoSession, info: CharacterInfo) -> bool:
    """Whether a character stands where this game has a place; whether it really does is seen when it
    enters."""
    return not info.realm or session.view.places.has(info.realm)


@GAME.on(Register, during=Phase.MENU, secret=True)
async def register(session: CoSession, packet: Register) -> None:
    """Register: the filled-in form, whose name, body and profession are checked here and by the world. The
    form stays open after a refusal."""
    looks = session.view.figures.looks
    try:
        if not looks.offers(packet.body, packet.profession):
            raise Denied(Denial.NOT_APPROVED)
        NAMING.require(packet.name)
        made = await session.services.characters.create(session, looks.wish(packet.name, packet.body))
    except Denied as denied:
        session.send(register_line(CREATE_REASONS.get(denied.why, TRY_LATER)))
        return
    with suppress(Denied):  # it is made, be it of the usual build
        await notes.keep(session, made.serial, packet.body, packet.profession)
        await notes.prefer(session, made.serial)
    session.phase = Phase.ENTERING  # for this connection one is enough: the client logs in anew
    session.hang_up_means = Ending.RELAYED
    session.send(register_line(ANSWER_OK))


def login_line(words: str) -> Talk:
    """What answers a login: ANSWER_OK, NEW_ROLE, or why not."""
    return said(words, Channel.LOGIN)


def register_line(words: str) -> Talk:
    """What answers the form for a character; but for ANSWER_OK the client shows it."""
    return said(words, Channel.REGISTER)


def refused(words: str) -> Refused:
    """A line in the login window, and the end of the connection."""
    return Refused(words, login_line(words))
