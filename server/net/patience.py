"""Time limits for each part of a client's life: to say anything, to shake hands, to log in, to load."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.session import Phase

if TYPE_CHECKING:
    from protocol.session import Session
    from server.settings.config import Limits

LOADING_SECONDS = 180.0
"""How long a client may load a map: the largest read a zone of some hundred MB from a slow disk."""


class Patience:
    """The clocks of one client, in seconds of the loop's time."""

    __slots__ = ("_loading_since", "_outside_since", "_typed", "accepted_at")

    def __init__(self, now: float, *, typed: bool) -> None:
        """`typed`: whether somebody types a name and a password at this door while the connection waits."""
        self.accepted_at = now
        self._typed = typed
        self._loading_since: float | None = None
        self._outside_since = now
        """Since when its client has not been in the world."""

    def spent(self, session: Session, limits: Limits, now: float, *, heard: bool) -> str:
        """The part of its life that the client took too long for, in words; empty if none. `heard`: whether
        anything whole ever came."""
        self._loading_since = (self._loading_since or now) if session.loading else None
        age, silence = now - self.accepted_at, now - session.last_heard
        if session.phase is Phase.IN_WORLD:
            self._outside_since = now
        if not heard and age > limits.first_byte_seconds:
            return "sent no whole packet"
        if age > limits.handshake_seconds and (
            session.phase is Phase.GREETING or (session.phase is Phase.LOGIN and not self._typed)
        ):
            return "did not finish the handshake"
        if session.phase > Phase.GREETING and now - self._outside_since > limits.login_seconds:
            return "did not enter the world"
        if self._loading_since is not None and now - self._loading_since > LOADING_SECONDS:
            return "did not finish loading"
        if session.phase >= Phase.ENTERING and silence > limits.idle_seconds:
            return f"silent for {silence:.0f} s"
        return ""
