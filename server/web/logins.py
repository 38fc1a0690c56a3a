"""Logins to the web page: the worth of a browser's cookie.

The cookie is a random token, of which only a hash is kept (`server.web.remembered` has it over a restart). It
says which account somebody has proven to own, nothing else. A ban and another password end it, as they end
tickets; another level does not, since who proved to own the account still does.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Final

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from protocol.services import AccountInfo

TOKEN_SIZE: Final = 32
"""Bytes of a token; twice as many hexadecimal digits in the cookie."""
LIFETIME: Final = 12 * 3600.0
"""Seconds after its last use for which a token is good."""
MOST: Final = 4096
"""Tokens at once; the one that was used least lately goes first."""
MOST_PER_ACCOUNT: Final = 8
"""Browsers of one account. Nobody crowds out others with a single account."""


@attrs.frozen
class _Login:
    account: AccountInfo
    used: float
    fresh: bool = False
    """Whether it is of the browser that made the account, whose password the page may have made up."""


class Logins:
    """The tokens that are good. Times are seconds of a monotonic clock, `entropy` gives random bytes."""

    def __init__(self, entropy: Callable[[int], bytes]) -> None:
        self._entropy = entropy
        self._logins: dict[bytes, _Login] = {}
        """By the hash of the token, the one that was used least lately first."""
        self.changes = 0
        """How often anything of it changed."""

    def __len__(self) -> int:
        return len(self._logins)

    def draw(self) -> str:
        """A new token, which is worth nothing yet."""
        return self._entropy(TOKEN_SIZE).hex()

    def issue(self, account: AccountInfo, now: float, *, fresh: bool = False, token: str = "") -> str:
        """A new token, or the one that was drawn, for an account whose owner has just logged in, or (`fresh`)
        just made it."""
        self._forget_expired(now)
        own = [key for key, login in self._logins.items() if login.account.id == account.id]
        if len(own) >= MOST_PER_ACCOUNT:
            del self._logins[own[0]]
        token = token or self.draw()
        self.restore(key_of(token), account, now, fresh=fresh)
        return token

    def restore(self, token: bytes, account: AccountInfo, used: float, *, fresh: bool = False) -> None:
        """A login of before: the hash of its token, and when that was last used."""
        if token not in self._logins and len(self._logins) >= MOST:
            del self._logins[next(iter(self._logins))]
        self._logins[token] = _Login(account, used, fresh)
        self.changes += 1

    def entries(self) -> Iterator[tuple[bytes, AccountInfo, float]]:
        """Entries for `restore`, one for each login, the one that was used least lately first."""
        return ((token, login.account, login.used) for token, login in self._logins.items())

    def find(self, token: str | None, now: float) -> AccountInfo | None:
        """The login of that token, which is then good for its whole time again. None if the token is worth
        nothing."""
        if not token:
            return None
        key = key_of(token)
        login = self._logins.pop(key, None)
        if login is None or now - login.used >= LIFETIME:
            return None
        self.restore(key, login.account, now, fresh=login.fresh)
        return login.account

    def is_fresh(self, token: str | None) -> bool:
        """Whether that is the token of the browser that made the account, since the server started."""
        login = self._logins.get(key_of(token)) if token else None
        return login is not None and login.fresh

    def forget(self, token: str | None) -> None:
        """Its owner logs out."""
        if token:
            self.drop(key_of(token))

    def drop(self, key: bytes) -> None:
        """Forget the login with that hash."""
        if self._logins.pop(key, None) is not None:
            self.changes += 1

    def revoke(self, account_id: int) -> None:
        """Something about the account changed: all its browsers have to log in again."""
        for key in [key for key, login in self._logins.items() if login.account.id == account_id]:
            del self._logins[key]
            self.changes += 1

    def renew(self, account: AccountInfo) -> None:
        """The account has another level; its browsers need not notice."""
        for key, login in self._logins.items():
            if login.account.id == account.id:
                renewed = attrs.evolve(account, mark=login.account.mark)
                self._logins[key] = attrs.evolve(login, account=renewed)
                self.changes += 1

    def _forget_expired(self, now: float) -> None:
        while self._logins:
            key, login = next(iter(self._logins.items()))
            if now - login.used < LIFETIME:
                return
            del self._logins[key]


def key_of(token: str) -> bytes:
    """The hash under which a token is kept."""
    # What is looked up is a hash, so that the time a look-up takes tells nothing about a token.
    return blake2b(token.encode(errors="replace"), digest_size=32).digest()
