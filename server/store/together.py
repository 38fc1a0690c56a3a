"""Questions that are asked at the same time are put as one.

The problem: after a restart hundreds of players go on within a second, and what each asks of the database is
a few statements and a commit. The idea: who comes while the database is busy with others waits, and all who
wait are one question. Somebody alone waits for nobody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar, cast

import attrs
import trio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

Key = TypeVar("Key")
Answer = TypeVar("Answer")

MOST_AT_ONCE: Final = 256
"""Of one question: others want something of the database as well."""


@attrs.define(eq=False)
class _Asked(Generic[Key, Answer]):
    key: Key
    answer: Answer | Exception | None = None
    done: bool = False


class Together(Generic[Key, Answer]):
    """Answers one key at a time by `ask`, which answers several: for each, in their order, what is returned
    to whoever asked for it, or the error that is raised there."""

    def __init__(self, ask: Callable[[Sequence[Key]], Awaitable[Sequence[Answer | Exception]]]) -> None:
        self._ask = ask
        self._waiting: list[_Asked[Key, Answer]] = []
        self._asking: trio.Event | None = None
        """Set when whoever asks just now has been answered; None while nobody does."""

    async def answer(self, key: Key) -> Answer:
        """The answer for a key. Whatever `ask` raises is raised to one of those who wait; the others ask
        again."""
        one = _Asked[Key, Answer](key)
        self._waiting.append(one)
        try:
            while not one.done:
                if self._asking is not None:
                    await self._asking.wait()
                else:
                    await self._put()
        finally:
            if one in self._waiting:
                self._waiting.remove(one)
        if isinstance(one.answer, Exception):
            raise one.answer
        return cast("Answer", one.answer)

    async def _put(self) -> None:
        """Ask for those who have waited the longest."""
        asking = self._asking = trio.Event()
        try:
            # Who was woken by the same thing comes now.
            await trio.lowlevel.checkpoint()
            some = self._waiting[:MOST_AT_ONCE]
            answers = await self._ask([one.key for one in some])
            for one, answer in zip(some, answers, strict=True):
                one.answer, one.done = answer, True
            self._waiting = [one for one in self._waiting if not one.done]
        finally:
            self._asking = None
            asking.set()
