"""Every state and every event, in the table and in a stream of either role that is brought there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from protocol.endings import PeerGone
from protocol.eq2.stream.frames import (
    OUT_OF_SESSION,
    Reason,
    SessionDisconnect,
    SessionRequest,
    SessionResponse,
)
from protocol.eq2.stream.states import TRANSITIONS, Event, State
from protocol.wire.args import Role
from tests.kit.eqstreams import SEALED, SEED, SESSION, adopted, opened, stream

if TYPE_CHECKING:
    from protocol.eq2.stream import EqStream

# Rows: states. Columns: events, in the order of their declaration. A dot: nothing changes.
TABLE: Final = """
                 CONNECT       REQUEST    RESPONSE   CLOSE          DRAINED     DISCONNECT  OUT_OF_SESSION  LOST
CLOSED           WAIT_CONNECT  CONNECTED  .          DISCONNECT     .           .           .               .
WAIT_CONNECT     .             .          CONNECTED  DISCONNECT     .           .           DISCONNECT      DISCONNECT
CONNECTED        .             .          .          DISCONNECTING  .           DISCONNECT  DISCONNECT      DISCONNECT
DISCONNECTING    .             .          .          .              DISCONNECT  DISCONNECT  DISCONNECT      DISCONNECT
DISCONNECT       .             .          .          .              .           .           .               .
"""  # noqa: E501


def cells() -> list[tuple[State, Event, State]]:
    head, *rows = [line.split() for line in TABLE.strip().splitlines()]
    found = []
    for name, *targets in rows:
        state = State[name]
        for event, target in zip(head, targets, strict=True):
            found.append((state, Event[event], state if target == "." else State[target]))
    return found


CELLS: Final = cells()


def test_the_table_has_every_cell_and_no_other() -> None:
    assert len(CELLS) == len(State) * len(Event)
    assert {(state, event): target for state, event, target in CELLS} == {
        (state, event): target for state, row in TRANSITIONS.items() for event, target in row.items()
    }


def bring(role: Role, state: State) -> EqStream:
    """A stream in that state, with something unacknowledged where it could have drained."""
    if state is State.CLOSED:
        return stream(role)
    if state is State.WAIT_CONNECT:
        end = stream(role)
        end.connect(0.0)
        end.outgoing(0.0)
        return end
    end = adopted(role)
    end.send_many([b"\5something"])
    end.outgoing(0.0)
    if state is not State.CONNECTED:
        end.close(Reason.APPLICATION)
        end.outgoing(0.0)
    if state is State.DISCONNECT:
        end.receive(SEALED.sealed(b"\0\x15\0\0"), 0.0)
        end.outgoing(0.0)
    assert end.state is state
    return end


def happen(end: EqStream, event: Event) -> None:
    if event is Event.CONNECT:
        end.connect(1.0)
    elif event is Event.REQUEST:
        end.receive(SessionRequest(3, SESSION, 512).encode(), 1.0)
    elif event is Event.RESPONSE:
        end.receive(SessionResponse(end.session_id, SEED).encode(), 1.0)
    elif event is Event.CLOSE:
        end.close(Reason.APPLICATION)
    elif event is Event.DRAINED:
        end.receive(SEALED.sealed(b"\0\x15\0\0"), 1.0)
        end.outgoing(1.0)
    elif event is Event.DISCONNECT:
        end.receive(SEALED.sealed(SessionDisconnect(SESSION, 6).encode()), 1.0)
    elif event is Event.OUT_OF_SESSION:
        # Of a client it is believed at once only with a checksum.
        end.receive(OUT_OF_SESSION if end.role is Role.CLIENT else SEALED.sealed(OUT_OF_SESSION), 1.0)
    elif end.state in (State.CONNECTED, State.WAIT_CONNECT):
        with pytest.raises(PeerGone):
            end.expire(100.0)
    else:
        end.expire(1.0)
        # A fragment that cannot be: a session that is ending anyway is over, nobody hears of it.
        end.receive(SEALED.sealed(b"\0\x0d\0\0" + bytes(5)), 1.0)


ONLY: Final = {
    Event.CONNECT: Role.CLIENT,
    Event.RESPONSE: Role.CLIENT,
    Event.REQUEST: Role.SERVER,
}


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize(
    ("state", "event", "target"), CELLS, ids=[f"{state.name}-{event.name}" for state, event, _ in CELLS]
)
def test_a_stream_does_what_the_table_says(role: Role, state: State, event: Event, target: State) -> None:
    if state is State.WAIT_CONNECT and role is Role.SERVER:
        assert TRANSITIONS[State.CLOSED][Event.REQUEST] is State.CONNECTED  # a server never waits
        return
    end = bring(role, state)
    happen(end, event)
    assert end.state is (target if ONLY.get(event, role) is role else state)


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("state", State)
def test_no_state_minds_garbage_or_time(role: Role, state: State) -> None:
    if state is State.WAIT_CONNECT and role is Role.SERVER:
        return
    end = bring(role, state)
    for datagram in (b"", b"\0", b"\0\1", b"\0\2", b"\0\x1e12345678", b"garbage", bytes(600)):
        end.receive(datagram, 0.1)
    end.expire(0.1)
    assert end.state is state
    deadline = end.deadline()
    assert deadline is None if state in (State.CLOSED, State.DISCONNECT) else deadline is not None


def test_a_server_is_unkeyed_first() -> None:
    server = opened(Role.SERVER)
    assert server.state is State.CONNECTED
    assert not server.keyed
