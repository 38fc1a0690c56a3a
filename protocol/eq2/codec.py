"""EverQuest II as the server sees any game: an EQStream whose frames say of which version they are.

A frame is one byte, the index of the client's version, and an application message: type id and body. Before
the version of the client is known it is the newest, in whose numbers every client asks to be let in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from protocol.endings import Ending
from protocol.eq2.stream import EqStream, StreamSettings
from protocol.eq2.stream.frames import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from protocol.eq2.stream.statistics import Statistics
    from protocol.eq2.versions import Eq2Version
    from protocol.wire.args import CodecArgs, Plain
    from protocol.wire.body import Body

REASONS: Final[Mapping[Ending, Reason]] = {
    Ending.TOO_SLOW: Reason.RELIABLE_OVERFLOW,
    Ending.BAD_PACKET: Reason.CORRUPT_PACKET,
    Ending.WRONG_PHASE: Reason.CORRUPT_PACKET,
    Ending.TIMED_OUT: Reason.TIMEOUT,
    Ending.CONNECTION_LOST: Reason.UNACKNOWLEDGED_TIMEOUT,
    Ending.REFUSED: Reason.REFUSED,
}
"""Reasons in the disconnect; of every other ending what emulators always say: the application's wish."""


class Eq2Codec:
    """Frames handed out begin with the index of the version, messages taken do not."""

    __slots__ = ("_tag", "_version", "deadline", "expire", "outgoing", "receive", "send_raw", "stream")

    share_key: ClassVar[None] = None
    """Every client has a key of its own, and a stream of compressed bytes: nothing can be shared."""

    controls: ClassVar = frozenset({"speak"})

    def __init__(self, args: CodecArgs, version: Eq2Version) -> None:
        self.stream = stream = EqStream(args.role, args.entropy, StreamSettings.from_table(args.settings))
        # The stream's own methods: a call less for each of what is called for every datagram.
        self.receive: Callable[[bytes | memoryview, float], None] = stream.receive
        """Take one datagram. What is no part of the session is dropped; WireError for what ends it."""
        self.send_raw: Callable[[Sequence[bytes]], None] = stream.send_many
        """Queue messages; those of one call share datagrams. Raises PeerTooSlow."""
        self.outgoing: Callable[[float], list[bytes]] = stream.outgoing
        """The datagrams that may leave now."""
        self.deadline: Callable[[], float | None] = stream.deadline
        """The time at which something has to be repeated, kept alive or given up."""
        self.expire: Callable[[float], None] = stream.expire
        """Do what is due at that time. Raises PeerGone and other WireErrors."""
        self._tag = b""
        self._version = version
        self.speak(version.index)

    @property
    def version(self) -> Eq2Version:
        """The version in which every client asks to be let in."""
        return self._version

    def speak(self, index: int) -> None:
        """Of which version the frames are, from the next one on, by its index."""
        self._tag = bytes((index,))

    def learnt(self) -> Plain:
        """Nothing that handlers would read."""
        return ()

    def learn(self, learnt: Plain) -> None:
        """Do nothing: there is nothing to learn."""

    def next_frame(self) -> bytes | None:
        """The next message, in the order in which it was sent. Raises WireError."""
        message = self.stream.next_message()
        return None if message is None else self._tag + message

    def send(self, body: Body) -> None:
        """Queue one message. Raises PeerTooSlow."""
        self.stream.send_many((body.raw,))

    def send_many(self, bodies: Iterable[Body]) -> None:
        """Queue messages; those of one call share datagrams. Raises PeerTooSlow."""
        self.stream.send_many([body.raw for body in bodies])

    @property
    def patience(self) -> float:
        """Seconds within which it needs not be woken, unless it had to be before."""
        return self.stream.patience

    @property
    def pending(self) -> bool:
        """Whether a datagram may leave now."""
        return self.stream.pending

    @property
    def peer_closed(self) -> bool:
        """Whether the peer's disconnect came."""
        return self.stream.peer_closed

    @property
    def clogged(self) -> bool:
        """Whether messages already wait for the peer or for the rate it may have."""
        return self.stream.clogged

    def close(self, ending: Ending) -> None:
        """Disconnect, when what was sent has arrived or 2 s have passed."""
        self.stream.close(REASONS.get(ending, Reason.APPLICATION))

    @property
    def closed(self) -> bool:
        """Whether the disconnect was handed out, or the peer's came."""
        return self.stream.closed

    @property
    def statistics(self) -> Statistics:
        """The stream's counters."""
        return self.stream.statistics

    @property
    def report(self) -> str:
        """Counters of what happened on the stream, as a line of text."""
        return self.stream.statistics.describe()

    @property
    def trace(self) -> Callable[[str], None] | None:
        """Takes a line for each stage of what comes and goes."""
        return self.stream.trace

    @trace.setter
    def trace(self, trace: Callable[[str], None] | None) -> None:
        self.stream.trace = trace

    def prepare(self, body: bytes) -> bytes:
        """The message as it is."""
        return body
