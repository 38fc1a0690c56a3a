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
        self._asked: list[_Asked[Key, Answer]] = []
        self._turn = trio.Lock()

    async def answer(self, key: Key) -> Answer:
        """The answer for a key. Whatever `ask` raises is raised to one of those who wait; the others ask
        again."""
        one = _Asked[Key, Answer](key)
        self._asked.append(one)
        try:
            async with self._turn:
                if not one.done:
                    # Those who are first in the list are those who waited for this turn the longest.
                    some = self._asked[:MOST_AT_ONCE]
                    await self._put(some if one in some else [one])
        finally:
            if one in self._asked:
                self._asked.remove(one)
        if isinstance(one.answer, Exception):
            raise one.answer
        return cast("Answer", one.answer)

    async def _put(self, some: Sequence[_Asked[Key, Answer]]) -> None:
        answers = await self._ask([one.key for one in some])
        for one, answer in zip(some, answers, strict=True):
            one.answer, one.done = answer, True
