"""Accounts and logins for the page: JSON in, JSON and a cookie out.

    POST   /account  {"account", "password"}  201 {"account"} and the cookie: a new account, logged in
    PUT    /account  {"password", "old"}      200 {"account"} and a new cookie: another password for who is
                                              logged in; "old" may be left out by the browser that made it
    POST   /session  {"account", "password"}  200 {"account"} and the cookie
    GET    /session                           200 {"account" (null: nobody), "may_register", "why"}
    DELETE /session                           200 {"account": null}, and the cookie is worth nothing any more

Who is refused gets 4xx {"why", "text"}: `why` is the key of `protocol.denials.Denial` in lower case, `text`
is for people. Everything goes through the services that all games use, with their limits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio
from starlette.responses import JSONResponse
from starlette.routing import Route

from protocol.denials import Denial, Denied
from server.people.credentials import limits
from server.web.headers import BadBody, json_body, text_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from protocol.endings import Ending
    from protocol.services import AccountInfo
    from server.web.site import Caller, Site

COOKIE: Final = "causeway"
LONGEST_NAME: Final = 64
LONGEST_PASSWORD: Final = 128

STATUS: Final[Mapping[Denial, int]] = {
    Denial.BAD_CREDENTIALS: 401,
    Denial.BANNED: 403,
    Denial.BUSY: 429,
    Denial.NOT_APPROVED: 403,
    Denial.EXISTS: 409,
    Denial.BAD_NAME: 422,
    Denial.BAD_PASSWORD: 422,
    Denial.UNAVAILABLE: 503,
}
"""HTTP's word for each refusal; any other is 400."""

STRANGERS: Final = "Accounts are made by whoever runs this server."
"""Why a visitor cannot register."""


class Ear:
    """Stands in for a connection while somebody logs in: hears of what ends it. Implements
    `protocol.session.Link`."""

    busy = False
    ending: Ending | None = None

    def flush(self, *, force: bool = False) -> None:
        """Nothing is sent."""

    def end(self, ending: Ending, detail: str) -> None:
        """The account was banned, or has another password."""
        self.ending = ending

    def later(self, job: Callable[[], Awaitable[None]]) -> None:
        """Raises RuntimeError: nobody asks for it."""
        raise RuntimeError("this session has no connection")

    def drained(self) -> None:
        """There is no inbox."""


def routes(site: Site) -> list[BaseRoute]:
    """Accounts and logins."""
    desk = Desk(site)
    return [
        Route("/account", desk.register, methods=["POST"]),
        Route("/account", desk.change, methods=["PUT"]),
        Route("/session", desk.session, methods=["GET", "POST", "DELETE"]),
    ]


class Desk:
    """Answers what a site's visitors ask about accounts."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._accounts = site.app.accounts

    async def register(self, request: Request) -> Response:
        """POST /account."""
        return await self._answer(request, new=True)

    async def session(self, request: Request) -> Response:
        """GET, POST and DELETE /session."""
        site, token = self._site, request.cookies.get(COOKIE)
        if request.method == "POST":
            return await self._answer(request, new=False)
        if request.method == "DELETE":
            await site.cookies.forget(token)
            response = JSONResponse({"account": None})
            response.delete_cookie(
                COOKIE, secure=site.caller(request).secure, httponly=True, samesite="strict"
            )
            return response
        account = await site.cookies.find(token, trio.current_time())
        may_register = site.may_register(site.caller(request))
        return JSONResponse(
            {
                "account": None if account is None else account.name,
                "may_register": may_register,
                "why": "" if may_register else STRANGERS,
                "clients": limits(),
            }
        )

    async def _answer(self, request: Request, *, new: bool) -> Response:
        site, caller = self._site, self._site.caller(request)
        try:
            body = await json_body(request)
            name = text_of(body, "account", LONGEST_NAME)
            password = text_of(body, "password", LONGEST_PASSWORD)
            account, token = await self._prove(caller, name, password, new=new)
        except BadBody as bad:
            return bad.answer
        except Denied as denied:
            return self._refusal(denied)
        await site.cookies.forget(request.cookies.get(COOKIE))
        return _logged_in(account, token, caller, 201 if new else 200)

    async def change(self, request: Request) -> Response:
        """PUT /account: set another password. What raises Denied or BadBody is answered."""
        site, caller, token = self._site, self._site.caller(request), request.cookies.get(COOKIE)
        account = await site.cookies.prove(token, trio.current_time())
        try:
            body = await json_body(request)
            new = text_of(body, "password", LONGEST_PASSWORD)
            old = text_of(body, "old", LONGEST_PASSWORD) if "old" in body else None
            if account is None or (old is None and not site.logins.is_fresh(token)):
                raise Denied(Denial.BAD_CREDENTIALS)
            account = await self._set_password(caller, account.name, old, new)
            # All logins ended with the old password, this browser's too.
            token = await site.cookies.issue(account, trio.current_time())
        except BadBody as bad:
            return bad.answer
        except Denied as denied:
            return self._refusal(denied)
        return _logged_in(account, token, caller)

    async def _set_password(self, caller: Caller, name: str, old: str | None, new: str) -> AccountInfo:
        row = await self._accounts.find(name)
        if row is None:
            raise Denied(Denial.BAD_CREDENTIALS)
        if old is None:
            return await self._accounts.staff.set_password(row, new)
        stand_in = self._site.stand_in(caller)
        stand_in.link = Ear()
        try:
            return await self._accounts.change_password(stand_in, name, old, new)
        finally:
            self._accounts.release(stand_in)

    async def _prove(self, caller: Caller, name: str, password: str, *, new: bool) -> tuple[AccountInfo, str]:
        """The account, and a cookie for it."""
        cookies = self._site.cookies
        stand_in, ear = self._site.stand_in(caller), Ear()
        stand_in.link = ear
        try:
            call = self._accounts.register if new else self._accounts.login
            account = await call(stand_in, name, password)
            token = await cookies.issue(account, trio.current_time(), fresh=new)
            if ear.ending is not None:  # while the answer was on its way here
                await cookies.forget(token)
                raise Denied(Denial.BAD_CREDENTIALS)
            return account, token
        finally:
            self._accounts.release(stand_in)

    def _refusal(self, denied: Denied) -> Response:
        """A refusal as the page gets it."""
        answer = {"why": denied.why.name.lower(), "text": self._site.page.words_of(denied)}
        return JSONResponse(answer, STATUS.get(denied.why, 400))


def _logged_in(account: AccountInfo, token: str, caller: Caller, status: int = 200) -> Response:
    """An account's name, and the cookie of its browser."""
    response = JSONResponse({"account": account.name}, status)
    response.set_cookie(COOKIE, token, secure=caller.secure, httponly=True, samesite="strict")
    return response
