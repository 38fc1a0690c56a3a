"""What edge and world say: a batch is what it was, however its stream is cut, and no nonsense is taken."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from protocol.address import Address
from protocol.endings import Ending
from protocol.session import Phase
from protocol.wire.body import Body
from server.edge.batches import (
    FROM_EDGE,
    FROM_WORLD,
    GREETING,
    HEAD,
    LARGEST,
    Incoming,
    Outgoing,
    Unreadable,
)
from server.edge.clients import EdgeLoop
from server.edge.line import Line, LineLost
from server.edge.words import (
    Cast,
    Control,
    Each,
    End,
    Frame,
    Gone,
    Heard,
    Kept,
    Learnt,
    Open,
    Realms,
    Sent,
    Stale,
    State,
    Taken,
    Word,
)
from server.edge.worlds import WorldLine
from server.settings.config import Network
from server.turn.coalescing import LATER
from tests.kit.worlds import plain_world

if TYPE_CHECKING:
    import random

    from trio.testing import MockClock

    from protocol.session import Session
    from server.edge.clients import EdgeSession
    from server.edge.words import WorldWord
    from server.edge.worlds import Edge

_CLIENTS = st.integers(0, 2**40)
_VALUES = st.lists(
    st.one_of(
        st.booleans(),
        st.integers(-(2**31), 2**32),
        st.binary(max_size=20),
        st.none(),
        st.lists(st.one_of(st.integers(0, 255), st.binary(max_size=8)), max_size=4),
    ),
    max_size=4,
)
_EDGE_WORDS = st.one_of(
    st.builds(Frame, _CLIENTS, st.binary(max_size=300)),
    st.builds(Learnt, _CLIENTS, _VALUES),
    st.builds(Heard, _CLIENTS),
    st.builds(Stale, _CLIENTS),
    st.builds(Gone, _CLIENTS, st.sampled_from(Ending), st.text(max_size=20)),
    st.builds(
        Open,
        _CLIENTS,
        st.text(max_size=5),
        st.text(max_size=5),
        st.text(max_size=5),
        st.text(max_size=9),
        st.text(max_size=9),
        st.booleans(),
        st.lists(st.binary(max_size=16), max_size=3),
        _VALUES,
    ),
)
_WORLD_WORDS = st.one_of(
    st.builds(Control, _CLIENTS, st.text(max_size=9), _VALUES, st.lists(st.binary(max_size=9), max_size=3)),
    st.builds(Cast, st.lists(_CLIENTS, max_size=4), st.lists(st.integers(0, 99), max_size=4)),
    st.builds(Each, st.lists(_CLIENTS, max_size=4), st.integers(0, 99), st.lists(st.binary(max_size=3))),
    st.builds(Taken, _CLIENTS, st.integers(0, 2**40)),
    st.builds(State, _CLIENTS, st.sampled_from(Phase), st.sampled_from(Ending), st.text(max_size=9)),
    st.builds(End, _CLIENTS, st.sampled_from(Ending), st.text(max_size=20)),
)


@given(st.lists(st.lists(_EDGE_WORDS, max_size=5), max_size=4), st.randoms(use_true_random=False))
def test_an_edges_batches_are_what_they_were(batches: list[list[Word]], chance: random.Random) -> None:
    out, incoming = Outgoing(), Incoming(FROM_EDGE)
    data = b""
    for words in batches:
        out.words += words
        data += out.packed()
    heard = []
    while data:
        size = chance.choice((1, 2, 3, 7, 100))
        incoming.feed(data[:size])
        data = data[size:]
        heard += [words for _, words in incoming.batches()]
    assert heard == batches


@given(st.lists(_WORLD_WORDS, max_size=6))
def test_a_worlds_batch_is_what_it_was(words: list[Word]) -> None:
    out, incoming = Outgoing(), Incoming(FROM_WORLD)
    out.words += words
    incoming.feed(out.packed())
    assert [heard for _, heard in incoming.batches()] == [words]


def test_what_many_are_sent_crosses_once() -> None:
    shared = Body(b"x" * 1000, droppable=True)
    own = Body(b"key", secret=True)
    out, incoming = Outgoing(), Incoming(FROM_WORLD)
    for client in range(50):
        out.send(client, [shared], [])
    out.send(7, [own, shared], [])
    data = out.packed()
    assert len(data) < 2000
    incoming.feed(data)
    ((bodies, words),) = incoming.batches()
    assert [(body.raw, body.droppable, body.secret) for body in bodies if isinstance(body, Body)] == [
        (shared.raw, True, False),
        (b"key", False, True),
    ]
    assert words == [*(Sent(client, [0]) for client in range(50)), Sent(7, [1, 0])]
    out.send(1, [shared], [])
    incoming.feed(out.packed())
    ((bodies, words),) = incoming.batches()
    assert words == [Sent(1, [0])], "the next batch begins anew"


class Knowing(bytes):
    """Bytes that know more of themselves."""


def test_what_has_a_gap_crosses_in_one_piece_for_all() -> None:
    out, incoming = Outgoing(), Incoming(FROM_WORLD)
    out.send(1, [(b"left", b"right"), (b"whole", True), (b"whole", False)], [b"1"])
    out.send(2, [(b"left", b"right"), (b"", b"")], [b"22", b""])
    incoming.feed(out.packed())
    (([gap, lost, kept, empty], words),) = incoming.batches()
    assert (gap, empty) == ((b"left", b"right"), (b"", b""))
    assert isinstance(lost, Body)
    assert isinstance(kept, Body)
    assert (lost.raw, lost.droppable, kept.raw, kept.droppable) == (b"whole", True, b"whole", False)
    assert words == [Sent(1, [0, 1, 2], [b"1"]), Sent(2, [0, 3], [b"22", b""])]


def test_bytes_of_a_kind_of_their_own_cross_as_bytes() -> None:
    out, incoming = Outgoing(), Incoming(FROM_WORLD)
    out.send(1, [Body(Knowing(b"abc"))], [])
    incoming.feed(out.packed())
    (([body], _),) = incoming.batches()
    assert isinstance(body, Body)
    assert type(body.raw) is bytes
    assert body.raw == b"abc"


@pytest.mark.parametrize(
    "data",
    [
        (LARGEST + 1).to_bytes(HEAD, "big"),
        (1).to_bytes(HEAD, "big") + b"\xc1",
        (4).to_bytes(HEAD, "big") + b"\x92\x90\x91\x01",
    ],
)
def test_what_makes_no_sense_is_refused(data: bytes) -> None:
    incoming = Incoming(FROM_EDGE)
    incoming.feed(data)
    with pytest.raises(Unreadable):
        list(incoming.batches())


@pytest.mark.parametrize("which", range(4))
@pytest.mark.parametrize("fault", ["is missing", "comes twice"])
def test_a_batch_too_few_or_too_many_is_refused(which: int, fault: str) -> None:
    """Of the greeting it is noticed by its words, or at the latest when the first number comes."""
    out, incoming = Outgoing(), Incoming(FROM_EDGE)
    for number in range(4):
        out.words.append(Heard(number))
        data = out.packed()
        if number != which:
            incoming.feed(data)
        elif fault == "comes twice":
            incoming.feed(data + data)
    out.words.append(Heard(4))
    incoming.feed(out.packed())
    with pytest.raises(Unreadable, match="." if which < GREETING else "batch . comes where . is due"):
        list(incoming.batches())


def test_an_edge_cannot_say_what_is_a_worlds() -> None:
    out, incoming = Outgoing(), Incoming(FROM_EDGE)
    out.words.append(End(1, Ending.KICKED, ""))
    incoming.feed(out.packed())
    with pytest.raises(Unreadable):
        list(incoming.batches())


def test_what_has_changed_is_only_heard_by_whom_all_was_said_to() -> None:
    line, again = WorldLine(cast("Edge", None), Address("127.0.0.1", 1)), Kept(1, "cave", [], {"b": b"4"})
    client = cast("EdgeSession", SimpleNamespace(kept=None, says=()))
    with pytest.raises(LineLost, match="did not say"):
        line._remember(client, again)
    line._remember(client, Kept(1, "surface", [[b"wait"]], {"a": b"1", "b": b"2"}, whole=True))
    line._remember(client, again)
    assert client.kept is not None
    assert (client.kept.realm, client.kept.parts) == ("cave", {"a": b"1", "b": b"4"})
    assert client.says == [[b"wait"]]
    client.kept.told_by = "a line that is gone"
    with pytest.raises(LineLost, match="did not say"):
        line._remember(client, again)
    line._remember(client, Kept(1, "cave", [], {"c": b"5"}, whole=True))
    assert client.kept.parts == {"c": b"5"}


class Client:
    """A session of an edge, as far as a world speaks of it."""

    moving = multicast = None
    codec = SimpleNamespace(pending=False)

    def __init__(self, line: WorldLine | None) -> None:
        self.line = line
        self.urgent, self.sent_at = False, 0.0
        self.outbox: list[Body] = []
        self.got: list[bytes] = []
        self.link = self

    def flush(self, *, force: bool = False) -> None:
        """See Link."""
        self.got += [body.raw for body in self.outbox]
        self.outbox = []
        self.urgent = False


def edge_of(clients: dict[int, Client], *, motion_ms: float = 0.0, sending: float = 0.0) -> Edge:
    """An edge that has these clients, and sends them everything when it hears of realms. By its stopwatch
    everything takes `sending` seconds."""

    def reaches() -> None:
        for client in clients.values():
            client.flush()

    loop = EdgeLoop(
        plain_world(),
        network=lambda: Network(motion_ms=motion_ms),
        joins_per_tick=lambda: 1,
        offer=lambda *_: None,
        offer_due=lambda _: None,
        stopwatch=itertools.count(0.0, sending).__next__,
    )
    loop.sessions = cast("dict[int, Session]", clients)
    return cast("Edge", SimpleNamespace(clients=loop, reaches=reaches))


HOLDS = 0.05
"""Seconds that steps wait at the edge of the test."""


@given(st.randoms(use_true_random=False))
def test_what_many_are_told_comes_in_the_order_in_which_it_was_said(chance: random.Random) -> None:
    """To some alone, to some together, and with numbers of their own; what is heeded between may flush. What
    waits for more has come when that is over, and before whatever was said behind it."""
    clients = {number: Client(None) for number in range(300, 306)}
    edge = edge_of(clients, motion_ms=1000 * HOLDS, sending=HOLDS)
    coalescer = edge.clients.coalescer
    line = WorldLine(edge, Address("127.0.0.1", 1))
    for client in clients.values():
        client.line = line
    clients[305].line = None  # it went elsewhere
    said: dict[int, list[bytes]] = {number: [] for number in clients}
    ours: Line[WorldWord] = Line(cast("trio.abc.Stream", None), FROM_WORLD)
    incoming, now = Incoming(FROM_WORLD), 100.0
    for _ in range(chance.randrange(6)):
        hurried = _say(ours, said, chance)
        incoming.feed(ours._out.packed())
        for parts, words in incoming.batches():
            line._take(ours, parts, words, now)
        for number in hurried:
            assert clients[number].got == said[number], "that does not wait"
        now += chance.choice([0.0, HOLDS / 2, HOLDS])
    for _ in clients:
        if coalescer.due is not None:
            assert coalescer.due <= now + (1 + LATER) * HOLDS
            edge.clients.send((), coalescer.due)
    assert coalescer.due is None
    assert {number: client.got for number, client in clients.items()} == said


def test_steps_wait_from_the_end_of_the_turn_that_answered_early() -> None:
    """As they do for who is answered when it is over: nobody is sent more for having been answered sooner."""
    clients = {number: Client(None) for number in (1, 2)}
    edge = edge_of(clients, motion_ms=1000 * HOLDS, sending=HOLDS)
    line = WorldLine(edge, Address("127.0.0.1", 1))
    for client in clients.values():
        client.line = line
    bodies = [Body(b"yes"), Body(b"step")]
    ours = cast("Line[WorldWord]", None)
    turns: list[tuple[float, list[WorldWord]]] = [
        (99.0, [Cast([1, 2], [1], True)]),
        (100.0, [Sent(1, [0])]),
        (100.02, [Cast([1, 2], [1], True)]),
        (100.02 + 0.9 * HOLDS, [Cast([2], [1], True)]),
    ]
    for at, words in turns:
        line._take(ours, bodies, words, at)
    assert [clients[1].got, clients[2].got] == [[b"step", b"yes"], [b"step"] * 2]
    line._take(ours, bodies, [Cast([1, 2], [1], True)], 100.02 + 1.1 * HOLDS)
    assert [clients[1].got, clients[2].got] == [[b"step", b"yes", b"step", b"step"], [b"step"] * 4]


async def test_an_edge_sends_by_itself_what_has_waited(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    """Its world says nothing more."""
    client = Client(None)
    edge = edge_of({1: client}, motion_ms=1000 * HOLDS, sending=HOLDS)
    nursery.start_soon(edge.clients.send_later)
    for word in (b"first", b"second"):
        client.outbox.append(Body(word))
        edge.clients.send((), trio.current_time())
    assert client.got == [b"first"]
    await trio.sleep((1 + LATER) * HOLDS)
    await trio.testing.wait_all_tasks_blocked()  # both wake at once, in any order
    assert client.got == [b"first", b"second"]


def _say(ours: Line[WorldWord], said: dict[int, list[bytes]], chance: random.Random) -> set[int]:
    """A batch; who was told what does not wait. 305 is not to be told, and nobody knows 999."""
    shared, gap = [Body(b"%d" % number) for number in range(5)], (b"<", b">")
    hurried: set[int] = set()
    for _ in range(chance.randrange(20)):
        some, waits = chance.sample(sorted(said), chance.randrange(1, 6)), chance.random() < 0.7
        match chance.randrange(4):
            case 0:
                bodies = chance.sample(shared, chance.randrange(1, 4))
                assert ours.cast([*some, 999], bodies, waits=waits)
                for one in some:
                    said[one] += [body.raw for body in bodies]
            case 1:
                ours.share((gap, [*some, 999], [b"%d" % one for one in [*some, 999]]), waits=waits)
                for one in some:
                    said[one].append(b"<%d>" % one)
            case 2:
                assert ours.send_shared(some[0], shared[:2])
                said[some[0]] += [b"0", b"1"]
                some, waits = some[:1], False
            case _:
                ours.say(Realms([]))
                hurried.clear()  # they are sent all that they have been told: what comes then may wait
                continue
        hurried.update(() if waits else some)
    said[305] = []
    return hurried


@pytest.mark.parametrize(
    "word",
    [
        Cast([1], [1], False),
        Each([1], 1, [b"1"], False),
        Each([1], 0, [b"1"], True),
        Each([1, 2], 2, [b"1"], False),
        Sent(1, [3]),
    ],
)
def test_a_world_that_sends_what_it_did_not_say_is_lost(word: WorldWord) -> None:
    line = WorldLine(edge_of({}), Address("127.0.0.1", 1))
    bodies = [Body(b"whole")] if not isinstance(word, Each) or word.place < 2 else [(b"", b"")] * 3
    with pytest.raises(LineLost, match="did not say"):
        line._take(cast("Line[WorldWord]", None), bodies, [word], 0.0)
