"""The line of clients whose inputs wait, because a turn could not take them all, in fair order.

Everybody's first is taken before anybody's second; whoever stands in line for the longest time comes first,
and who was served goes to its end. That alone would let somebody who walks outside wait for a whole round of
the crowd on the square. So those whose inputs cost least are served in each turn, as long as all of them
together need no more than half of the allowance; the crowd has the other half, and what is left of the first.
Whom it is that a half is enough for is found by sorting the costs into classes, each twice the one before, so
that nobody in a crowd is preferred for standing at its edge.

Each class has a line of its own, so that a turn pays for those whom it serves and not for all who wait: to
sort 2,000 each time took a fifth of an overloaded server's turns.
"""

from __future__ import annotations

import itertools
from collections import Counter, deque
from typing import TYPE_CHECKING, Final

from server.turn.budget import cost_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from protocol.session import Session


LIGHTER: Final = 2
"""Classes below that of those who wait from which on an input costs little beside theirs: half at most, a
quarter usually."""


class Line:
    """Sessions that wait. A session stands in it once, whatever it sent."""

    def __init__(self) -> None:
        self._classes: dict[int, deque[tuple[int, Session, int]]] = {}
        """Number in line, session and cost, by the number of the cost's bits."""
        self._sums: Counter[int] = Counter()
        """What all of a class cost."""
        self._served: dict[int, int] = {}
        """Who has been served since `lighter` was last asked, and its class."""
        self._inside: set[int] = set()
        self._numbers = itertools.count(1)

    def __len__(self) -> int:
        return len(self._inside)

    @property
    def cost(self) -> int:
        """The work of one input of each."""
        return self._sums.total()

    def lighter(self) -> float:
        """Of those who were served since it was last asked and those who wait, the part, 0 to 1, that was
        served at little cost beside what the others wait with."""
        served, self._served = self._served, {}
        if not self._inside:
            return 0.0
        usual = (self.cost // len(self._inside)).bit_length()
        light = sum(size <= usual - LIGHTER for size in served.values())
        return light / len(self._inside | served.keys())

    def join(self, session: Session) -> None:
        """Stand at the end, unless it stands in line already."""
        if session.id in self._inside:
            return
        cost = cost_of(session)
        size = cost.bit_length()
        self._inside.add(session.id)
        self._sums[size] += cost
        self._classes.setdefault(size, deque()).append((next(self._numbers), session, cost))

    def served(self, allowance: float, goes_on: Callable[[bool], bool]) -> Iterator[Session]:
        """Sessions whose turn it is, one after the other. They leave the line by that, and may join it again.

        Args:
            allowance: what inputs may cost in this turn.
            goes_on: asked before each whether it is to be served. It is told whether that one is to be
                whatever the others did cost: one of the costly, so that cheap inputs never keep a crowd
                waiting, and each of the cheap once, who together need no more than half of the allowance.
        """
        cheap = self._cheap(allowance)
        costly = [size for size in self._classes if size not in cheap]
        sure = sum(len(self._classes[size]) for size in cheap)
        if goes_on(True) and (session := self._next(costly)) is not None:
            yield session
        while sure > 0 and goes_on(True) and (session := self._next(cheap)) is not None:
            sure -= 1
            yield session
        while goes_on(False) and (session := self._next(self._classes)) is not None:
            yield session

    def _cheap(self, allowance: float) -> list[int]:
        total, cheap = 0, []
        for size in sorted(self._classes):
            total += self._sums[size]
            if total > allowance / 2:
                break
            cheap.append(size)
        return cheap

    def _next(self, sizes: Iterable[int]) -> Session | None:
        """Who stands in line for the longest time, of these classes."""
        classes = self._classes
        heads = [(classes[size][0][0], size) for size in sizes if classes[size]]
        if not heads:
            return None
        size = min(heads)[1]
        _, session, cost = classes[size].popleft()
        self._sums[size] -= cost
        self._served[session.id] = size
        self._inside.discard(session.id)
        return session
