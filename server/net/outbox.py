"""The queue of one client's messages: encoded when the client takes them, shed when it does not and they may
be lost.

Messages wait un-encoded in `Session.outbox`, because what is encoded can be lost no more: ciphers count, and
bound messages say what changed since the one before. A client that lost some is stale until it is sent the
current state.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from protocol.wire.body import Body

if TYPE_CHECKING:
    from protocol.outgoing import Outgoing
    from protocol.session import Session
    from server.net.tracing import Tracing

_BODIES = frozenset({Body})

BOUND_BYTES = 64
"""What a message counts in the backlog whose size is known only when it is bound."""


def bodies_of(outbox: list[Outgoing], session: Session) -> list[Body]:
    """Messages finished for their client; those it does not need are left out."""
    if _BODIES.issuperset(map(type, outbox)):
        return outbox  # type: ignore[return-value] # that is all there are, as nearly always
    bodies: list[Body] = []
    for message in outbox:
        if type(message) is Body:
            bodies.append(message)
        elif made := message.bind(session):  # type: ignore[arg-type, union-attr] # it is no Body
            bodies.append(made if isinstance(made, Body) else Body(made))
    return bodies


def _name_of(message: Outgoing, session: Session) -> str:
    """What a message is called. Whatever goes wrong with it, it is only a name."""
    if not isinstance(message, Body):
        return type(message).__name__
    name_of = session.family.name_of
    try:
        return name_of(session, message.raw) if name_of is not None else f"{message.raw[0]:#04x}"
    except Exception:
        return "unnamed"


def shed_by_class(shed: Counter[str]) -> str:
    """Such numbers in words, the largest first."""
    return ", ".join(f"{name} {number}" for name, number in shed.most_common())


class Outbox:
    """The sending half of one session, as far as it is the same for every transport."""

    __slots__ = ("_session", "_tracing", "broken", "messages_out", "shed", "stale")

    def __init__(self, session: Session, tracing: Tracing | None) -> None:
        self._session = session
        self._tracing = tracing
        self.messages_out = 0
        self.shed: Counter[str] = Counter()
        """Messages that were not sent because the client was too slow, by what its game calls them."""
        self.stale = False
        """Whether it lost messages, and was not told since what is so."""
        self.broken = False
        """Whether a message could not be encoded: whatever follows it would be misread."""

    def encode(self) -> None:
        """Give everything queued to the codec. Raises WireError, and whatever a message raises that cannot be
        bound or packed."""
        session = self._session
        outbox, session.outbox = session.outbox, []
        session.urgent = False
        if not outbox or self.broken:
            return
        codec = session.codec
        tracing = self._tracing
        tracer = tracing.of_session(session) if tracing is not None and tracing.running else None
        if codec.share_key is None and tracer is None:
            messages = session.finished(outbox)
            self.messages_out += len(messages)
            codec.send_raw(messages)
        else:
            bodies = bodies_of(outbox, session)
            if tracer is not None:
                for body in bodies:
                    tracer.sent(session, body.raw, secret=body.secret)
            self.messages_out += len(bodies)
            codec.send_many(bodies)
        session.unsent.clear()

    def relieve(self) -> None:
        """Forget the waiting messages that may be lost."""
        kept: list[Outgoing] = []
        for message in self._session.outbox:
            if message.droppable:
                self.shed[_name_of(message, self._session)] += 1
                self.stale = True
            else:
                kept.append(message)
        self._session.outbox = kept

    @property
    def queued(self) -> int:
        """Bytes that wait un-encoded, about."""
        return sum(
            len(message.raw) if isinstance(message, Body) else BOUND_BYTES for message in self._session.outbox
        )
