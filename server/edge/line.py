"""The stream between an edge and a world: what is said in one go of the tasks leaves as one batch.

Whoever says something never waits. A task sends what has gathered; while it sends, more gathers. The world
task says all of a turn without a pause, so a turn is one batch for each edge by itself.
"""

from __future__ import annotations

import hmac
import math
from typing import TYPE_CHECKING, Final, Generic, TypeVar

import trio

from server.edge.words import VERSION, Hello, Incoming, Outgoing, Unreadable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import msgspec

    from protocol.wire.body import Body
    from server.edge.words import Word

W = TypeVar("W")

HELLO_SECONDS: Final = 5.0
"""For the first word of the other side."""

CHUNK: Final = 256 * 1024


class LineLost(Exception):
    """The stream ended, or the other side is not to be understood."""


class Line(Generic[W]):
    """One end of the stream; `W` is what the other says."""

    def __init__(
        self,
        stream: trio.abc.Stream,
        decoder: msgspec.msgpack.Decoder[tuple[list[tuple[bytes, int]], list[W]]],
    ) -> None:
        self.gather = 0.0
        """Seconds from one batch to the next, at least."""
        self._out = Outgoing()
        self._stream = stream
        self._incoming = Incoming(decoder)
        self._said = trio.Event()
        self._idle = trio.Event()

    def say(self, word: Word) -> None:
        """Say something."""
        self._out.words.append(word)
        self._said.set()

    def send(self, client: int, bodies: Sequence[Body]) -> None:
        """Say what a client is sent."""
        self._out.send(client, bodies)
        self._said.set()

    async def greet(
        self, secret: str, name: str, *, ports: Sequence[tuple[str, str, int]] = (), world: int = 0
    ) -> Hello:
        """Say hello, and hear it. Raises LineLost: another version, another secret, or no hello."""
        self._out.words.append(Hello(VERSION, secret, name, list(ports), world))
        try:
            with trio.fail_after(HELLO_SECONDS):
                await self._stream.send_all(self._out.packed())
                while True:
                    for _, words in self._incoming.batches():
                        if len(words) == 1 and isinstance(hello := words[0], Hello):
                            return _checked(hello, secret)
                        raise LineLost("it says no hello")
                    await self._receive()
        except trio.TooSlowError:
            raise LineLost("it says nothing") from None
        except (trio.BrokenResourceError, trio.ClosedResourceError, Unreadable) as error:
            raise LineLost(str(error) or "it hung up") from error

    async def heard(self) -> list[tuple[list[Body], list[W]]]:
        """The batches that came last, when there are any. Raises LineLost when the other side hangs up."""
        try:
            while not (batches := list(self._incoming.batches())):
                await self._receive()
        except (trio.BrokenResourceError, trio.ClosedResourceError, Unreadable) as error:
            raise LineLost(str(error) or "it hung up") from error
        return batches

    async def _receive(self) -> None:
        data = await self._stream.receive_some(CHUNK)
        if not data:
            raise LineLost("it hung up")
        self._incoming.feed(data)

    async def run(self) -> None:
        """Send what is said, until it is lost. Raises LineLost."""
        sent = -math.inf
        while True:
            if not self._said.is_set():
                self._idle.set()
                await self._said.wait()
                self._idle = trio.Event()
            await trio.sleep_until(sent + self.gather)
            self._said = trio.Event()
            sent = trio.current_time()
            try:
                await self._stream.send_all(self._out.packed())
            except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
                raise LineLost(str(error) or "it hung up") from error

    async def settle(self) -> None:
        """Until nothing that was said waits."""
        await trio.lowlevel.checkpoint()
        while self._said.is_set() or not self._idle.is_set():
            await self._idle.wait()
            await trio.lowlevel.checkpoint()

    async def close(self) -> None:
        """Hang up."""
        await trio.aclose_forcefully(self._stream)


def _checked(hello: Hello, secret: str) -> Hello:
    if hello.version != VERSION:
        raise LineLost(f"it speaks version {hello.version}, this program {VERSION}")
    if not hmac.compare_digest(hello.secret.encode(), secret.encode()):
        raise LineLost("it has another secret")
    return hello


def reason(group: BaseExceptionGroup[BaseException]) -> str:
    """The words of what went wrong with a line."""
    first = group.exceptions[0]
    return reason(first) if isinstance(first, BaseExceptionGroup) else str(first)
