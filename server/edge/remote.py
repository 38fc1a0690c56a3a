"""The connection of a client whose socket is at an edge."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from protocol.wire.body import Body
from server.net.stream_connection import StreamConnection

if TYPE_CHECKING:
    from protocol.outgoing import Outgoing
    from server.edge.port import Remote


class RemoteConnection(StreamConnection):
    """A stream of frames. What is queued goes to the edge as it is: nothing is encoded or shed here."""

    __slots__ = ()

    def flush(self, *, force: bool = False) -> None:
        """Hand over what is queued. What needs its client's own ids is finished before."""
        session = self.session
        outbox = session.outbox
        if not outbox:
            return
        session.outbox = []
        if self._outbox.broken:
            return
        try:
            for message in outbox:
                if type(message) is not Body:
                    outbox = self._finished(outbox)
                    break
        except Exception as error:
            self._cannot_encode(error)
            return
        self._outbox.messages_out += len(outbox)
        session.unsent.clear()
        cast("Remote", self._transport).send(cast("list[Body]", outbox))

    def _finished(self, outbox: list[Outgoing]) -> list[Outgoing]:
        session = self.session
        bodies: list[Outgoing] = []
        for message in outbox:
            if type(message) is Body:
                bodies.append(message)
            elif made := message.bind(session):  # type: ignore[arg-type, union-attr] # it is no Body
                bodies.append(
                    made if isinstance(made, Body) else Body(made, droppable=message.droppable)
                )
        return bodies
