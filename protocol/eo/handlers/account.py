"""Accounts: making one, changing its password, logging in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from eolib import (
    AccountAgreeClientPacket,
    AccountCreateClientPacket,
    AccountReply,
    AccountReplyServerPacket,
    AccountRequestClientPacket,
    LoginReply,
    LoginReplyServerPacket,
    LoginRequestClientPacket,
)

from protocol.denials import Denial, Denied
from protocol.endings import Ending, Refused
from protocol.eo.handlers.characters import listed
from protocol.eo.handlers.table import on
from protocol.session import Phase

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.eo.session import EoSession

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


@on(AccountRequestClientPacket, during=Phase.LOGIN)
async def request_account(session: EoSession, packet: AccountRequestClientPacket) -> None:
    """Account_Request: is this name free? The answer allows one Account_Create."""
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
                sequence_start=session.eo_codec.account_reply_start()
            ),
        )
    )


@on(AccountCreateClientPacket, during=Phase.LOGIN, secret=True)
async def create_account(session: EoSession, packet: AccountCreateClientPacket) -> None:
    """Account_Create: the filled-in form. Name, place and address of the person are not kept."""
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


@on(AccountAgreeClientPacket, during=Phase.MENU, secret=True)
async def change_password(session: EoSession, packet: AccountAgreeClientPacket) -> None:
    """Account_Agree: another password for one's own account."""
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


@on(LoginRequestClientPacket, during=Phase.LOGIN, secret=True)
async def login(session: EoSession, packet: LoginRequestClientPacket) -> None:
    """Login_Request. An unknown name and a wrong password are told by the same code."""
    services = session.services
    name = packet.username.lower()
    try:
        if not _NAME.fullmatch(name):
            raise Denied(Denial.BAD_CREDENTIALS)
        account = await services.accounts.login(session, name, packet.password)
    except Denied as denied:
        _login_denied(session, denied)
        return
    services.accounts.claim(session, account)
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
