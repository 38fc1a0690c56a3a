"""On which terms anybody may come in: what is configured, how often is too often, and what time it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from protocol.denials import Denial, Denied

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.session import Session
    from server.people.limiter import LoginLimiter
    from server.settings import config


@attrs.frozen(kw_only=True)
class Terms:
    """The same for all that has to do with accounts."""

    settings: Callable[[], config.Accounts]
    """Asked every time, since a reload may change them; `limits` as well."""
    limits: Callable[[], config.Limits]
    limiter: LoginLimiter
    behind_proxy: Callable[[Session], bool]
    """Whether the listener a session came through has strangers behind loopback addresses."""
    clock: Callable[[], float]
    """Seconds, monotonic."""
    wall: Callable[[], float]
    """Seconds UTC."""
    closed: Callable[[], str] = str
    """Why nobody may log in now, empty if they may."""

    def require_open(self, session: Session) -> None:
        """Raises Denied if this client may not even try."""
        if reason := self.closed():
            raise Denied(Denial.UNAVAILABLE, reason)
        self.require_patience(session)

    def require_patience(self, session: Session) -> None:
        """Raises Denied if too many logins have failed from this client's address."""
        wait = self.limiter.wait(session.peer, self.clock())
        if wait > 0:
            raise Denied(Denial.BUSY, f"too many failed logins from this address, wait {wait:.0f} s")
