"""Before the character menu: the handshake, accounts, logging in."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

from eolib import (
    AccountAgreeClientPacket,
    AccountCreateClientPacket,
    AccountReply,
    AccountReplyServerPacket,
    AccountRequestClientPacket,
    ConnectionAcceptClientPacket,
    InitBanType,
    InitInitClientPacket,
    InitInitServerPacket,
    InitReply,
    LoginReply,
    LoginReplyServerPacket,
    LoginRequestClientPacket,
    Version,
    server_verification_hash,
)

from protocol.denials import Denial, Denied
from protocol.endings import Ending, Refused, WireError
from protocol.eo.handlers.characters import listed
from protocol.eo.handlers.leaving import keep_pinging
from protocol.eo.handlers.table import TABLE
from protocol.eo.packets.base import CHAR_MAX
from protocol.eo.view import EoView
from protocol.session import Phase

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.eo.session import EoSession

VERSION: Final = Version(major=0, minor=0, patch=28)
"""The classic client, and what eoweb and EndlessClient call themselves."""

HIGHEST_CHALLENGE: Final = 11_092_110
"""Beyond this the answer would be negative for some challenges; clients draw below it."""

MOST_FAILED_LOGINS: Final = 3

_NAME: Final = re.compile(r"[a-z0-9]{4,14}")
_PASSWORD: Final = re.compile(r"[!-~]{6,12}")

_ANSWERS: Final[Mapping[AccountReply, Callable[[], AccountReplyServerPacket.ReplyCodeData]]] = {
    AccountReply.Exists: AccountReplyServerPacket.ReplyCodeDataExists,
    AccountReply.NotApproved: AccountReplyServerPacket.ReplyCodeDataNotApproved,
    AccountReply.Created: AccountReplyServerPacket.ReplyCodeDataCreated,
    AccountReply.ChangeFailed: AccountReplyServerPacket.ReplyCodeDataChangeFailed,
    AccountReply.Changed: AccountReplyServerPacket.ReplyCodeDataChanged,
    AccountReply.RequestDenied: AccountReplyServerPacket.ReplyCodeDataRequestDenied,
}
_REFUSALS: Final[Mapping[LoginReply, Callable[[], LoginReplyServerPacket.ReplyCodeData]]] = {
    LoginReply.WrongUserPassword: LoginReplyServerPacket.ReplyCodeDataWrongUserPassword,
    LoginReply.Banned: LoginReplyServerPacket.ReplyCodeDataBanned,
    LoginReply.LoggedIn: LoginReplyServerPacket.ReplyCodeDataLoggedIn,
    LoginReply.Busy: LoginReplyServerPacket.ReplyCodeDataBusy,
}


@TABLE.on(InitInitClientPacket, during=Phase.GREETING)
async def greet(session: EoSession, packet: InitInitClientPacket) -> None:
    """Init_Init: prove that we are an EO server, and agree on encryption and sequence numbers. Raises
    WireError for a second one or a challenge too high, Refused for another version or an address that is kept
    out."""
    if session.player_id:
        raise WireError("Init_Init twice")
    version = packet.version
    if (version.major, version.minor, version.patch) != (VERSION.major, VERSION.minor, VERSION.patch):
        out_of_date = InitInitServerPacket.ReplyCodeDataOutOfDate(version=VERSION)
        raise Refused(
            f"client version {version.major}.{version.minor}.{version.patch}",
            InitInitServerPacket(reply_code=InitReply.OutOfDate, reply_code_data=out_of_date),
        )
    seconds = session.services.accounts.kept_out(session)
    if seconds > 0:
        raise _come_back(seconds)
    if packet.challenge > HIGHEST_CHALLENGE:
        raise WireError(f"challenge {packet.challenge}")
    session.player_id = EoView.of(session).figures.ids.players.connect(session)
    greeting = session.codec.greet()
    welcome = InitInitServerPacket.ReplyCodeDataOk(
        seq1=greeting.seq1,
        seq2=greeting.seq2,
        server_encryption_multiple=greeting.server_multiple,
        client_encryption_multiple=greeting.client_multiple,
        player_id=session.player_id,
        challenge_response=server_verification_hash(packet.challenge),
    )
    session.send(InitInitServerPacket(reply_code=InitReply.Ok, reply_code_data=welcome))


def _come_back(seconds: float) -> Refused:
    """The address has failed to log in too often: how many minutes are left of that, rounded up."""
    minutes = min(math.ceil(seconds / 60), CHAR_MAX)
    left = InitInitServerPacket.ReplyCodeDataBanned.BanTypeDataTemporary(minutes_remaining=minutes)
    banned = InitInitServerPacket.ReplyCodeDataBanned(ban_type=InitBanType.Temporary, ban_type_data=left)
    return Refused(
        f"kept out for {seconds:.0f} more seconds",
        InitInitServerPacket(reply_code=InitReply.Banned, reply_code_data=banned),
    )


@TABLE.on(ConnectionAcceptClientPacket, during=Phase.GREETING)
async def accept(session: EoSession, packet: ConnectionAcceptClientPacket) -> None:
    """Connection_Accept: the client repeats what it was told, encrypted already. Raises WireError if it
    repeats something else."""
    codec = session.codec
    told = (codec.client_multiple, codec.server_multiple, session.player_id)
    repeated = (packet.client_encryption_multiple, packet.server_encryption_multiple, packet.player_id)
    if not session.player_id or repeated != told:
        raise WireError(f"Connection_Accept repeats {repeated} instead of {told}")
    session.phase = Phase.LOGIN
    await session.services.in_world(session, lambda world: keep_pinging(world, session))


def _account_reply(code: AccountReply) -> AccountReplyServerPacket:
    return AccountReplyServerPacket(reply_code=code, reply_code_data=_ANSWERS[code]())


def _refusal(denied: Denied) -> AccountReplyServerPacket:
    """The game's word for why there is no new account."""
    match denied.why:
        case Denial.EXISTS:
            return _account_reply(AccountReply.Exists)
        case Denial.BUSY | Denial.UNAVAILABLE:
            return _account_reply(AccountReply.RequestDenied)
    return _account_reply(AccountReply.NotApproved)


@TABLE.on(AccountRequestClientPacket, during=Phase.LOGIN)
async def request_account(session: EoSession, packet: AccountRequestClientPacket) -> None:
    """Account_Request: is this name free? The answer allows one Account_Create. A name that raises Denied is
    answered with a code."""
    name = packet.username.lower()
    try:
        if not _NAME.fullmatch(name):
            raise Denied(Denial.BAD_NAME)
        await session.services.accounts.may_register(session, name)
    except Denied as denied:
        session.send(_refusal(denied))
        return
    session.account_token = session.new_token()
    session.send(
        AccountReplyServerPacket(
            reply_code=AccountReply(session.account_token),
            reply_code_data=AccountReplyServerPacket.ReplyCodeDataDefault(
                sequence_start=session.codec.account_reply_start()
            ),
        )
    )


@TABLE.on(AccountCreateClientPacket, during=Phase.LOGIN, secret=True)
async def create_account(session: EoSession, packet: AccountCreateClientPacket) -> None:
    """Account_Create: the filled-in form. Name, place and address of the person are not kept. A form that
    raises Denied is answered with a code."""
    name = packet.username.lower()
    token, session.account_token = session.account_token, 0
    try:
        if not token or packet.session_id != token:
            raise Denied(Denial.NOT_APPROVED)
        if not _NAME.fullmatch(name):
            raise Denied(Denial.BAD_NAME)
        if not _PASSWORD.fullmatch(packet.password):
            raise Denied(Denial.BAD_PASSWORD)
        await session.services.accounts.register(session, name, packet.password)
    except Denied as denied:
        session.send(_refusal(denied))
        return
    session.send(_account_reply(AccountReply.Created))


@TABLE.on(AccountAgreeClientPacket, during=Phase.MENU, secret=True)
async def change_password(session: EoSession, packet: AccountAgreeClientPacket) -> None:
    """Account_Agree: another password for one's own account. A change that raises Denied is answered with a
    code."""
    name = packet.username.lower()
    try:
        if session.account is None or name != session.account.name:
            raise Denied(Denial.BAD_CREDENTIALS)
        if not _PASSWORD.fullmatch(packet.new_password):
            raise Denied(Denial.BAD_PASSWORD)
        await session.services.accounts.change_password(
            session, name, packet.old_password, packet.new_password
        )
    except Denied:
        session.send(_account_reply(AccountReply.ChangeFailed))
        return
    session.send(_account_reply(AccountReply.Changed))


@TABLE.on(LoginRequestClientPacket, during=Phase.LOGIN, secret=True)
async def login(session: EoSession, packet: LoginRequestClientPacket) -> None:
    """Login_Request. An unknown name and a wrong password are told by the same code. A login that raises
    Denied is answered with a code. Raises Refused if the client is to end with it."""
    services = session.services
    name = packet.username.lower()
    try:
        if not _NAME.fullmatch(name):
            raise Denied(Denial.BAD_CREDENTIALS)
        account = await services.accounts.login(session, name, packet.password)
        await services.accounts.claim(session, account)
    except Denied as denied:
        _login_denied(session, denied)
        return
    session.account = account
    characters = await services.characters.all(account)
    session.phase = Phase.MENU
    session.send(
        LoginReplyServerPacket(
            reply_code=LoginReply.Ok,
            reply_code_data=LoginReplyServerPacket.ReplyCodeDataOk(characters=listed(session, characters)),
        )
    )


def _login_denied(session: EoSession, denied: Denied) -> None:
    """Say why not. The client shows some of the reasons only when the connection closes."""
    session.failed_logins += 1
    match denied.why:
        case Denial.BANNED:
            raise Refused("banned", login_reply(LoginReply.Banned), ending=Ending.BANNED)
        case Denial.BUSY | Denial.UNAVAILABLE:
            raise Refused(str(denied), login_reply(LoginReply.Busy))
        case Denial.IN_USE:
            reply = login_reply(LoginReply.LoggedIn)
        case _:
            reply = login_reply(LoginReply.WrongUserPassword)
    if session.failed_logins >= MOST_FAILED_LOGINS:
        raise Refused(f"{session.failed_logins} failed logins", reply)
    session.send(reply)


def login_reply(code: LoginReply) -> LoginReplyServerPacket:
    """A refusal."""
    return LoginReplyServerPacket(reply_code=code, reply_code_data=_REFUSALS[code]())
