"""The stream between an edge and a world: what is said in one go of the tasks leaves as one batch.

Whoever says something never waits. A task sends what has gathered; while it sends, more gathers. The world
task says all of a turn without a pause, so a turn is one batch for each edge by itself.
"""

from __future__ import annotations

import hmac
import math
from typing import TYPE_CHECKING, Final

import trio

from server.edge.words import VERSION, Incoming, Outgoing, Unreadable, Word

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from protocol.wire.body import Body
    from server.edge.words import Words

HELLO_SECONDS: Final = 5.0
"""For the first word of the other side."""

CHUNK: Final = 256 * 1024

MOST_WAITING: Final = 64 * 1024 * 1024
"""Bytes that may be on their way to the other side, about; beyond that it is taken for dead."""


class LineLost(Exception):
    """The stream ended, or the other side is not to be understood."""


class Line:
    """One end of the stream. `run` serves it until it is lost."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.out = Outgoing()
        self._stream = stream
        self._incoming = Incoming()
        self._said = trio.Event()
        self._idle = trio.Event()
        self.gather = 0.0
        """Seconds from one batch to the next, at least."""

    def wake(self) -> None:
        """Something was said."""
        self._said.set()

    async def greet(self, secret: str, name: str, *more: object) -> Sequence[object]:
        """Say hello, and hear it; what the other side says in it. Raises LineLost: another version, another
        secret, or no hello."""
        self.out.say(int(Word.HELLO), VERSION, secret, name, *more)
        try:
            with trio.fail_after(HELLO_SECONDS):
                await self._stream.send_all(self.out.packed())
                async for _, words in self._batches():
                    match words:
                        case [[Word.HELLO, int(version), str(theirs), str(_), *_] as hello]:
                            if version != VERSION:
                                raise LineLost(f"it speaks version {version}, this program {VERSION}")
                            if not hmac.compare_digest(theirs.encode(), secret.encode()):
                                raise LineLost("it has another secret")
                            return hello[3:]
                        case _:
                            raise LineLost("it says no hello")
        except (trio.BrokenResourceError, trio.ClosedResourceError, Unreadable) as error:
            raise LineLost(str(error) or "it hung up") from error
        except trio.TooSlowError:
            raise LineLost("it says nothing") from None
        raise LineLost("it hung up")

    async def batches(self) -> AsyncIterator[tuple[list[Body], Words]]:
        """What the other side says, until it hangs up. Raises LineLost."""
        try:
            async for batch in self._batches():
                yield batch
        except (trio.BrokenResourceError, trio.ClosedResourceError, Unreadable) as error:
            raise LineLost(str(error) or type(error).__name__) from error

    async def _batches(self) -> AsyncIterator[tuple[list[Body], Words]]:
        for batch in self._incoming.batches():
            yield batch
        while data := await self._stream.receive_some(CHUNK):
            self._incoming.feed(data)
            for batch in self._incoming.batches():
                yield batch

    async def send(self) -> None:
        """Send what is said, for ever. Raises LineLost."""
        sent = -math.inf
        while True:
            if not self._said.is_set():
                self._idle.set()
                await self._said.wait()
                self._idle = trio.Event()
            await trio.sleep_until(sent + self.gather)
            self._said = trio.Event()
            data = self.out.packed()
            try:
                await self._stream.send_all(data)
            except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
                raise LineLost(str(error) or "it hung up") from error
            sent = trio.current_time()

    async def settle(self) -> None:
        """Until nothing that was said waits."""
        await trio.lowlevel.checkpoint()
        while self._said.is_set() or not self._idle.is_set():
            await self._idle.wait()
            await trio.lowlevel.checkpoint()

    async def close(self) -> None:
        """Hang up."""
        await trio.aclose_forcefully(self._stream)
