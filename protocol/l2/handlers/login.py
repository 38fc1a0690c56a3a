"""The login door: from the server's first word to the keys of the game's door.

    client                  server                                                        phase then
    (connects)              Init: a number, an RSA modulus, the key of all that follows   GREETING
    AuthGameGuard           GGAuth                                                        LOGIN
    RequestAuthLogin        LoginOk; where no licence is shown, ServerList                MENU
    RequestServerList       ServerList                                                    MENU
    RequestServerLogin      PlayOk; the client hangs up and goes to the game's door       MENU

A packet out of its phase ends a client that has not logged in yet; later it is skipped.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from protocol.dispatch import Table
from protocol.endings import Ending, Refused
from protocol.l2 import rsa
from protocol.l2.bridge import Owned
from protocol.l2.handlers import handover
from protocol.l2.packets import (
    AuthGameGuard,
    GGAuth,
    Init,
    LoginFail,
    LoginFailReason,
    LoginOk,
    PlayFail,
    PlayOk,
    RequestAuthLogin,
    RequestServerList,
    RequestServerLogin,
    ServerCharacters,
    ServerEntry,
    ServerList,
)
from protocol.services import AccountInfo, Denial, Denied
from protocol.session import Phase

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.l2.bridge import Way
    from protocol.l2.packets import LoginMessage
    from protocol.l2.rsa import KeyPair
    from protocol.l2.session import L2Session, SessionKeys
    from protocol.session import Session

log = logging.getLogger("net.l2")


def _opcode_of_frame(frame: bytes) -> int:
    return frame[0]


def _opcode_of_class(packet: type) -> int:
    return cast("type[LoginMessage]", packet).opcode


def _decoder(packet: type) -> Callable[[bytes], object]:
    return cast("type[LoginMessage]", packet).decode


LOGIN: Final[Table[L2Session]] = Table(
    opcode_of_frame=_opcode_of_frame, opcode_of_class=_opcode_of_class, decode=_decoder, tolerant=True
)
"""What clients may send at this door: the same for every chronicle. Some send more, which is logged and
skipped."""

MOST_COUNTED: Final = 0xFFFF
"""What the list of servers can tell of players."""

NOTHING: Final = Owned(0)
"""What somebody has on a server that did not say."""

REASONS: Final[Mapping[Denial, LoginFailReason]] = {
    Denial.BAD_CREDENTIALS: LoginFailReason.USER_OR_PASSWORD_WRONG,
    Denial.BAD_PASSWORD: LoginFailReason.USER_OR_PASSWORD_WRONG,
    Denial.BAD_NAME: LoginFailReason.USER_OR_PASSWORD_WRONG,
    Denial.BANNED: LoginFailReason.BANNED,
    Denial.BUSY: LoginFailReason.ACCESS_FAILED_TRY_LATER,
    Denial.IN_USE: LoginFailReason.ACCOUNT_IN_USE,
    Denial.NOT_APPROVED: LoginFailReason.ACCESS_FAILED,
    Denial.UNAVAILABLE: LoginFailReason.MAINTENANCE,
    Denial.FULL: LoginFailReason.SERVER_OVERLOADED,
    Denial.EXISTS: LoginFailReason.SYSTEM_ERROR,
    Denial.NO_CHARACTER: LoginFailReason.SYSTEM_ERROR,
}
"""The client's word for each. An unknown name and a wrong password have the same."""


async def greet(session: Session) -> None:
    """The server speaks first: Init, whose number the client has to repeat."""
    client = cast("L2Session", session)
    client.challenge = int.from_bytes(client.services.entropy(4), "little")
    client.send(
        Init(
            session_id=client.challenge,
            modulus=_key_pair(client).scrambled,
            key=client.login_codec.session_key,
        )
    )


def _key_pair(session: L2Session) -> KeyPair:
    """The pair of this connection: the number in Init is chance enough to choose it, here and later."""
    return rsa.POOL.pick(lambda size: session.challenge.to_bytes(4, "little")[:size])


@LOGIN.on(AuthGameGuard, during=Phase.GREETING)
async def check_game_guard(session: L2Session, packet: AuthGameGuard) -> None:
    """AuthGameGuard: the client has read Init. What GameGuard says about the client itself nobody can check,
    and so nobody looks at it."""
    if packet.session_id != session.challenge:
        raise login_refused(LoginFailReason.ACCESS_FAILED, "repeats another number than that of Init")
    session.phase = Phase.LOGIN
    session.send(GGAuth(response=session.challenge))


@LOGIN.on(RequestAuthLogin, during=Phase.LOGIN, secret=True)
async def log_in(session: L2Session, packet: RequestAuthLogin) -> None:
    """RequestAuthLogin: name and password. Whoever logs in now plays the account; another one that does is
    sent away."""
    services = session.services
    decipher = partial(rsa.decipher, _key_pair(session), packet.block, packet.second_block)
    try:
        name, password = await services.aside(decipher)
        account = await services.accounts.login(session, name, password)
    except Denied as denied:
        raise login_denied(denied) from None
    handover.login_side(session).claim(account)
    _tell_older(session, services.accounts.player(account))
    services.accounts.claim(session, account)
    session.account, session.account_name = account, name
    session.phase = Phase.MENU
    licence = handover.shows_licence(session)
    session.keys = keys = handover.draw_keys(services.entropy, licence=licence)
    log.debug("%s is %s", session.peer, account.name)
    if licence:
        session.send(LoginOk(login_key1=keys.login1, login_key2=keys.login2))
    else:
        await _send_servers(session, account)


def _tell_older(session: L2Session, older: Session | None) -> None:
    """Who is at this door with the account that now has somebody else hears of it before it is sent away."""
    if older is None or older is session:
        return
    if (older.family, older.door) == (session.family, session.door):
        older.send(LoginFail(LoginFailReason.ACCOUNT_IN_USE))


@LOGIN.on(RequestServerList, during=Phase.MENU, secret=True)
async def list_servers(session: L2Session, packet: RequestServerList) -> None:
    """RequestServerList: the licence is accepted, or the player wants to see again how full it is."""
    account, _ = _known(session, packet)
    await _send_servers(session, account)


async def _send_servers(session: L2Session, account: AccountInfo) -> None:
    """The game servers, as they are now, and how many characters the account has on each. What has most of
    them is taken for the last one that the player chose."""
    bridge = handover.login_side(session)
    try:
        owned = await bridge.owned(account)
    except Denied as denied:
        raise login_denied(denied) from None
    ways = bridge.ways(session)
    if not ways:
        log.warning("%s is shown an empty list: no game server is connected", session.peer)
    favourite = max(ways, key=lambda way: owned.get(way.server_id, NOTHING).characters, default=None)
    session.send(
        ServerList(
            servers=tuple(map(_entry, ways)),
            last_server_id=0 if favourite is None else favourite.server_id,
            characters=tuple(
                ServerCharacters(way.server_id, mine.characters, mine.deletions)
                for way in ways
                if (mine := owned.get(way.server_id)) is not None
            ),
        )
    )


def _entry(way: Way) -> ServerEntry:
    return ServerEntry(
        server_id=way.server_id,
        address=bytes(map(int, way.host.split("."))),
        port=way.port,
        age_limit=way.age_limit,
        online=min(way.online, MOST_COUNTED),
        maximum=min(way.most_players, MOST_COUNTED),
        up=int(way.up),
        type=way.type_bits,
        brackets=way.brackets,
    )


@LOGIN.on(RequestServerLogin, during=Phase.MENU, secret=True)
async def send_on(session: L2Session, packet: RequestServerLogin) -> None:
    """RequestServerLogin: the keys of the game's door. A client that asks again has the newest ones only."""
    account, keys = _known(session, packet)
    if reason := session.services.closed:
        raise _way_closed(LoginFailReason.MAINTENANCE, reason)
    try:
        keys = handover.issue(session, account, packet.server_id, keys)
    except Denied as denied:
        closed = denied.why is Denial.UNAVAILABLE
        reason_told = LoginFailReason.MAINTENANCE if closed else LoginFailReason.ACCESS_FAILED
        raise _way_closed(reason_told, str(denied)) from None
    session.keys = keys
    session.send(PlayOk(play_key1=keys.play1, play_key2=keys.play2))
    session.hang_up_means = Ending.RELAYED


def _known(
    session: L2Session, packet: RequestServerList | RequestServerLogin
) -> tuple[AccountInfo, SessionKeys]:
    """Whose connection it is. Raises Refused for a client that does not repeat the keys of its LoginOk."""
    account, keys = session.account, session.keys
    shown = (packet.login_key1, packet.login_key2)
    if account is None or keys is None:
        raise Denied(Denial.BAD_CREDENTIALS, "not logged in")
    if handover.shows_licence(session) and shown != (keys.login1, keys.login2):
        raise login_refused(LoginFailReason.ACCESS_FAILED, "repeats other keys than those of LoginOk")
    return account, keys


def login_denied(denied: Denied) -> Refused:
    """The client's word for why somebody may not log in."""
    ending = Ending.BANNED if denied.why is Denial.BANNED else Ending.REFUSED
    return login_refused(REASONS[denied.why], str(denied), ending)


def login_refused(reason: LoginFailReason, detail: str, ending: Ending = Ending.REFUSED) -> Refused:
    """LoginFail and the end of the connection: the client shows its login window again."""
    return Refused(detail, LoginFail(reason=reason), ending=ending)


def _way_closed(reason: LoginFailReason, detail: str) -> Refused:
    return Refused(detail, PlayFail(reason=reason))
