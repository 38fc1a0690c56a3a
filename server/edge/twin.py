"""A client's codec in the world's process, while the one that ciphers is at the edge.

Handlers ask their codec little: to change keys, to count on from another number, what the client's version
is. So the world has one of the same class, through which no byte passes. What is called on it is called on
the edge's, too, with the same random bytes, between the same messages (`protocol.family.Codec.controls`); and
what the edge's has learnt from the client it is told (`learnt`). Both then are in the same state.

Not done: to ask the edge and wait for its answer. Handlers in the world never wait.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from protocol.endings import Ending
    from protocol.family import Codec
    from protocol.wire.args import Plain
    from protocol.wire.body import Body


class Drawn:
    """Random bytes, and a note of those that were drawn last."""

    def __init__(self, entropy: Callable[[int], bytes]) -> None:
        self._entropy = entropy
        self._noted: list[bytes] = []
        self._notes = True

    def __call__(self, size: int) -> bytes:
        """So many bytes."""
        data = self._entropy(size)
        if self._notes:
            self._noted.append(data)
        return data

    def stop(self) -> None:
        """Note nothing any more."""
        self._notes = False

    def taken(self) -> list[bytes]:
        """All that was drawn since this was asked last, in pieces as it was drawn."""
        noted, self._noted = self._noted, []
        return noted


class Again:
    """Draws what was drawn elsewhere before, and only while there is any of it; then its own."""

    def __init__(self, entropy: Callable[[int], bytes]) -> None:
        self._entropy = entropy
        self._drawn: deque[bytes] = deque()

    def __call__(self, size: int) -> bytes:
        """So many bytes. Raises ValueError if other pieces were drawn."""
        if not self._drawn:
            return self._entropy(size)
        data = self._drawn.popleft()
        if len(data) != size:
            raise ValueError(f"{size} bytes are drawn where {len(data)} were")
        return data

    def like(self, drawn: Iterable[bytes]) -> None:
        """Draw these next."""
        self._drawn = deque(drawn)


class _Method(Protocol):
    def __call__(self, *args: object) -> object: ...


class Twin:
    """Implements `protocol.family.Codec`: frames come in whole, messages leave as they are. Everything that
    only its game's handlers know is the model's, a codec of that game."""

    clogged = False
    closed = True
    report = ""
    patience = 0.0
    pending = False
    peer_closed = False
    share_key: Hashable = "edge"
    """Messages stay bodies: the edge may shed and share them."""
    trace: Callable[[str], None] | None = None

    steered: Callable[[str, Sequence[object], list[bytes]], None]
    """Told of each method by which a handler changed it: its name, its arguments and what it drew."""

    def __init__(self, model: Codec, drawn: Drawn) -> None:
        """`model` draws from `drawn`."""
        drawn.taken()
        self._model = model
        self._drawn = drawn
        self.frames: deque[bytes] = deque()
        """That came and are not handled yet."""
        self.taken = 0
        """How many have been handled or wait in the inbox."""
        self.hand: bytes | None = None
        """The frame that is handled now, or waits for something."""

    def __getattr__(self, name: str) -> object:
        value: object = getattr(self._model, name)
        if name in self._model.controls:
            return partial(self._steer, name, cast("_Method", value))
        return value

    def _steer(self, name: str, method: _Method, *args: object) -> object:
        result = method(*args)
        self._model.outgoing(0.0)  # the edge's says it
        self.steered(name, args, self._drawn.taken())
        return result

    # The codec contract

    def receive(self, data: bytes | memoryview, now: float) -> None:
        """Nothing: frames come whole (`frames`)."""

    def next_frame(self) -> bytes | None:
        """The next frame. Whoever asks has done with the one before."""
        if self.hand is not None:
            self.hand = None
            self.taken += 1
        if self.frames:
            self.hand = self.frames.popleft()
        return self.hand

    def send(self, body: Body) -> None:
        """Never asked, nor the two below: `server.edge.remote` hands messages over as they are."""
        raise NotImplementedError

    def send_many(self, bodies: Iterable[Body]) -> None:
        """See `send`."""
        raise NotImplementedError

    def send_raw(self, messages: Sequence[bytes]) -> None:
        """See `send`."""
        raise NotImplementedError

    def outgoing(self, now: float) -> list[bytes]:
        """Nothing."""
        return []

    def deadline(self) -> float | None:
        """None: the edge keeps time."""
        return None

    def expire(self, now: float) -> None:
        """Nothing."""

    def close(self, ending: Ending) -> None:
        """Nothing: the edge says goodbye."""

    def prepare(self, body: bytes) -> bytes:
        """The message as it is."""
        return body

    def learnt(self) -> Plain:
        """See the model."""
        return self._model.learnt()

    def learn(self, learnt: Plain) -> None:
        """Take over what the edge's codec knows now."""
        self._model.learn(learnt)


def as_codec(twin: Twin) -> Codec:
    """A twin as what it stands for: its game's own methods are its model's."""
    return cast("Codec", twin)
