"""Both doors, up to the character menu: from the server's first word to the account.

    client                  server                                                        phase then
    (connects)              Init: a number, an RSA modulus, the key of all that follows   GREETING
    AuthGameGuard           GGAuth                                                        LOGIN
    RequestAuthLogin        LoginOk; where no licence is shown, ServerList                MENU
    RequestServerList       ServerList                                                    MENU
    RequestServerLogin      PlayOk; the client hangs up and goes to the game's door       MENU

    ProtocolVersion         KeyPacket; then both encipher                                 LOGIN
    AuthLogin               CharSelectInfo                                                MENU

At a login two numbers are drawn that LoginOk shows, and two more for PlayOk; the client repeats all of them
in AuthLogin. The login side of the bridge remembers them, the game side asks for them (`protocol.l2.bridge`),
in one process or in two. Where no licence is shown there is no LoginOk; a client then sends what it likes in
place of that pair, and it proves nothing.

A packet out of its phase ends a client that has not logged in yet; later it is skipped.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from protocol.denials import Denial, Denied
from protocol.dispatch import Table
from protocol.endings import Ending, Refused
from protocol.l2 import rsa
from protocol.l2.bridge import Owned
from protocol.l2.handlers.characters import send_characters
from protocol.l2.handlers.table import ROWS
from protocol.l2.packets import (
    KEY_SIZE,
    PING_VERSION,
    AuthGameGuard,
    AuthLogin,
    AuthLoginFail,
    AuthLoginFailReason,
    GGAuth,
    Init,
    KeyPacket,
    LoginFail,
    LoginFailReason,
    LoginOk,
    PlayFail,
    PlayOk,
    ProtocolVersion,
    RequestAuthLogin,
    RequestServerList,
    RequestServerLogin,
    ServerCharacters,
    ServerEntry,
    ServerList,
)
from protocol.l2.session import SessionKeys
from protocol.l2.view import L2View
from protocol.session import Phase

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.l2.bridge import GameSide, LoginSide, Way
    from protocol.l2.bridge.service import Bridge
    from protocol.l2.packets import LoginMessage
    from protocol.l2.rsa import KeyPair
    from protocol.l2.session import L2DoorSession, L2LoginSession, L2Session
    from protocol.services import AccountInfo
    from protocol.session import Session

SHOW_LICENCE: Final = "show_licence"
"""The listener's key: whether LoginOk, at which a client shows the licence, is sent."""

log = logging.getLogger("net.l2")


def _opcode_of_frame(frame: bytes) -> int:
    return frame[0]


def _opcode_of_class(packet: type) -> int:
    return cast("type[LoginMessage]", packet).opcode


def _decoder(packet: type) -> Callable[[bytes], object]:
    return cast("type[LoginMessage]", packet).decode


LOGIN: Final[Table[L2LoginSession]] = Table(
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


async def greet(session: L2LoginSession) -> None:
    """The server speaks first: Init, whose number the client has to repeat."""
    session.challenge = int.from_bytes(session.services.entropy(4), "little")
    session.send(
        Init(
            session_id=session.challenge,
            modulus=_key_pair(session).scrambled,
            key=session.codec.session_key,
        )
    )


def _key_pair(session: L2LoginSession) -> KeyPair:
    """The pair of this connection: the number in Init is chance enough to choose it, here and later."""
    return rsa.POOL.pick(lambda size: session.challenge.to_bytes(4, "little")[:size])


@LOGIN.on(AuthGameGuard, during=Phase.GREETING)
async def check_game_guard(session: L2LoginSession, packet: AuthGameGuard) -> None:
    """AuthGameGuard: the client has read Init. What GameGuard says about the client itself nobody can check,
    and so nobody looks at it."""
    if packet.session_id != session.challenge:
        raise login_refused(LoginFailReason.ACCESS_FAILED, "repeats another number than that of Init")
    session.phase = Phase.LOGIN
    session.send(GGAuth(response=session.challenge))


@LOGIN.on(RequestAuthLogin, during=Phase.LOGIN, secret=True)
async def log_in(session: L2LoginSession, packet: RequestAuthLogin) -> None:
    """RequestAuthLogin: name and password. Whoever logs in now plays the account; another one that does is
    sent away."""
    services = session.services
    decipher = partial(rsa.decipher, _key_pair(session), packet.block, packet.second_block)
    try:
        name, password = await services.offload(decipher)
        account = await services.accounts.login(session, name, password)
    except Denied as denied:
        raise login_denied(denied) from None
    login_side(session).claim(account)
    _tell_older(session, services.accounts.player(account))
    await services.accounts.claim(session, account)
    session.account, session.account_name = account, name
    session.phase = Phase.MENU
    licence = shows_licence(session)
    session.keys = keys = draw_keys(services.entropy, licence=licence)
    log.debug("%s is %s", session.peer, account.name)
    if licence:
        session.send(LoginOk(login_key1=keys.login1, login_key2=keys.login2))
    else:
        await _send_servers(session, account)


def _tell_older(session: L2LoginSession, older: Session | None) -> None:
    """Tell a client at this door that somebody else has its account now, before it is sent away."""
    if older is None or older is session:
        return
    if (older.family, older.door) == (session.family, session.door):
        older.send(LoginFail(LoginFailReason.ACCOUNT_IN_USE))


@LOGIN.on(RequestServerList, during=Phase.MENU, secret=True)
async def list_servers(session: L2LoginSession, packet: RequestServerList) -> None:
    """RequestServerList: the licence is accepted, or the player wants to see again how full it is."""
    account, _ = _known(session, packet)
    await _send_servers(session, account)


async def _send_servers(session: L2LoginSession, account: AccountInfo) -> None:
    """The game servers, as they are now, and how many characters the account has on each. What has most of
    them is taken for the last one that the player chose."""
    bridge = login_side(session)
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
async def send_on(session: L2LoginSession, packet: RequestServerLogin) -> None:
    """RequestServerLogin: the keys of the game's door. A client that asks again has the newest ones only."""
    account, keys = _known(session, packet)
    if reason := session.services.closed:
        raise _way_closed(LoginFailReason.MAINTENANCE, reason)
    try:
        keys = await issue(session, account, packet.server_id, keys)
    except Denied as denied:
        closed = denied.why is Denial.UNAVAILABLE
        reason_told = LoginFailReason.MAINTENANCE if closed else LoginFailReason.ACCESS_FAILED
        raise _way_closed(reason_told, str(denied)) from None
    session.keys = keys
    session.send(PlayOk(play_key1=keys.play1, play_key2=keys.play2))
    session.hang_up_means = Ending.RELAYED


def _known(
    session: L2LoginSession, packet: RequestServerList | RequestServerLogin
) -> tuple[AccountInfo, SessionKeys]:
    """The account and keys of a connection. Raises Refused for a client that does not repeat the keys of its
    LoginOk."""
    account, keys = session.account, session.keys
    shown = (packet.login_key1, packet.login_key2)
    if account is None or keys is None:
        raise Denied(Denial.BAD_CREDENTIALS, "not logged in")
    if shows_licence(session) and shown != (keys.login1, keys.login2):
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


# From one door to the other


def shows_licence(session: L2LoginSession) -> bool:
    """Whether this listener's clients are shown the licence, and so are told the login pair."""
    return bool(session.settings.get(SHOW_LICENCE, True))


def login_side(session: L2LoginSession) -> LoginSide:
    """The bridge, as the login door sees it."""
    return _bridge(session).login_side


def game_side(session: L2Session) -> GameSide:
    """The bridge, as the game's door sees it."""
    return _bridge(session).game_side


def _bridge(session: L2DoorSession) -> Bridge:
    return cast("Bridge", session.services.background(session.family.name))


def draw_keys(entropy: Callable[[int], bytes], *, licence: bool) -> SessionKeys:
    """The numbers of a login that has just succeeded. Those for PlayOk come when a server is chosen."""
    if not licence:
        return SessionKeys(0, 0, 0, 0)
    login1, login2 = (int.from_bytes(entropy(4), "little") for _ in range(2))
    return SessionKeys(0, 0, login1, login2)


async def issue(
    session: L2LoginSession, account: AccountInfo, server_id: int, keys: SessionKeys
) -> SessionKeys:
    """The same keys with those of PlayOk, good for that server's door from now on, in place of earlier ones.
    Raises Denied."""
    licence = shows_licence(session)
    return await login_side(session).send_on(session, account, server_id, keys, licence=licence)


def server_id(session: L2Session) -> int:
    """The number that this game server has with the login server."""
    return game_side(session).server_id


async def redeem(session: L2Session, name: str, keys: SessionKeys) -> AccountInfo:
    """At the game's door: whose login a client continues with these keys. Raises Denied."""
    return await game_side(session).redeem(session, name, keys)


# The game's door

PROTOCOLS: Final = "protocols"
PACKET_ENCRYPTION: Final = "packet_encryption"
"""The listener's keys: which versions are let in, and whether packets are enciphered."""

NO_KEY: Final = bytes(KEY_SIZE)

GAME_REASONS: Final[Mapping[Denial, AuthLoginFailReason]] = {
    Denial.BAD_CREDENTIALS: AuthLoginFailReason.ACCESS_FAILED_TRY_LATER,
    Denial.BUSY: AuthLoginFailReason.ACCESS_FAILED_TRY_LATER,
    Denial.IN_USE: AuthLoginFailReason.ACCOUNT_IN_USE,
}
"""The client's word for why it is not let in; for any other reason, to try it later."""


@ROWS.on(ProtocolVersion, during=Phase.GREETING)
async def answer_version(session: L2Session, packet: ProtocolVersion) -> None:
    """ProtocolVersion: the client speaks first. The answer says how to encipher from now on. Raises Refused
    for a protocol that is not served."""
    if packet.version == PING_VERSION:
        session.end(Ending.CLIENT_LEFT, "only asked whether anybody is there")
        return
    protocols = session.settings.get(PROTOCOLS, ())
    if not isinstance(protocols, list | tuple) or packet.version not in protocols:
        known = L2View.of(session).versions.for_protocol(packet.version)
        title = f" ({known.title})" if known is not None else ""
        raise Refused(f"protocol {packet.version}{title}", KeyPacket(result=0, key=NO_KEY, cipher=0))
    enciphered = bool(session.settings.get(PACKET_ENCRYPTION, True))
    key = session.services.entropy(KEY_SIZE)
    number = server_id(session)
    session.send(KeyPacket(result=1, key=key, cipher=int(enciphered), server_id=number))
    session.phase = Phase.LOGIN
    if enciphered:
        session.flush()  # the key itself leaves in plain
        session.codec.encipher(key)


@ROWS.on(AuthLogin, during=Phase.LOGIN, secret=True)
async def continue_login(session: L2Session, packet: AuthLogin) -> None:
    """AuthLogin: who has shown its password at the login door shows the four numbers it got for that. The
    newest login of an account is the one that counts. Raises Refused while the server is closed, and if the
    numbers are not good."""
    if session.services.closed:
        raise Refused(session.services.closed, AuthLoginFail(AuthLoginFailReason.SYSTEM_ERROR_LOGIN_LATER))
    keys = SessionKeys(packet.play_key1, packet.play_key2, packet.login_key1, packet.login_key2)
    name = packet.account.lower()
    try:
        account = await redeem(session, name, keys)
    except Denied as denied:
        raise game_refused(denied) from None
    session.account = account
    session.account_name = name
    session.keys = keys
    await session.services.accounts.claim(session, account)
    session.phase = Phase.MENU
    log.debug("%s continues as %s", session.peer, account.name)
    await send_characters(session)


def game_refused(denied: Denied) -> Refused:
    """A refusal in the client's words."""
    reason = GAME_REASONS.get(denied.why, AuthLoginFailReason.SYSTEM_ERROR_LOGIN_LATER)
    return Refused(str(denied), AuthLoginFail(reason))
