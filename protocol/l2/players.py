"""Players of this game who are in the world, for what the world does not tell its viewers: whom somebody has
targeted, that somebody stands ready for a fight, and what concerns friends."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from world.audience import in_sight

if TYPE_CHECKING:
    from protocol.l2.packets import Message
    from protocol.l2.session import L2Session
    from protocol.l2.versions import L2Version
    from protocol.wire.body import Body
    from world.mobile import Mobile


class Players:
    """The clients in the world. Whoever entered is one of them until it plays nobody any more."""

    def __init__(self) -> None:
        self._sessions: WeakValueDictionary[int, L2Session] = WeakValueDictionary()
        """By id, which is the key of its viewport."""

    def add(self, session: L2Session) -> None:
        """It has entered the world."""
        self._sessions[session.id] = session

    def of(self, mobile: Mobile) -> L2Session | None:
        """The client that plays a mobile, if it is played from this game."""
        session = self._sessions.get(mobile.viewport.key) if mobile.viewport is not None else None
        return session if session is not None and session.mobile is mobile else None

    def tell_watching(self, mobile: Mobile, message: Message) -> None:
        """Queue a message about a mobile for all others who are shown it, encoded once for each version."""
        bodies: dict[L2Version, tuple[Body, ...]] = {}
        for viewport in in_sight(mobile):
            session = self._sessions.get(viewport.key)
            if session is None or session.mobile is mobile or mobile.serial not in session.known:
                continue
            version = session.dialect
            if version not in bodies:
                bodies[version] = version.bodies(message)
            session.queue(*bodies[version])

    def tell_all(self, mobile: Mobile, message: Message) -> None:
        """Queue it for the mobile's own client as well."""
        own = self.of(mobile)
        if own is not None and not own.loading:
            own.send(message)
        self.tell_watching(mobile, message)
