"""Lets what tells a client only where others go wait for more of it.

The problem: of what a busy server does for a step, most is to send it to the thirty who see it, a system call
for each, and each of them sees others step in the next turn. The idea: whoever did something has its answer
with its turn, and so does everybody who is told more than steps: words, blows, what becomes of it. Steps, and
who comes into sight and goes out of it by them, wait for more, from when their client was last sent anything:
twenty times as long as it takes to send something to everybody, beyond a millisecond, and
`network.motion_ms` at most. A server with few clients keeps nothing back, and what was kept back is sent
before whatever its client is told next.

And where turns take long, who asked for steps alone has its answer before it is known what all others did.
Not whoever asked for anything else: an answer is taken for a sign that all before it is done and told.

Not done: turns that come less often, as those of a busy server do anyway. Whoever waits for an answer would
wait as long for it as others for steps. Nor to send everybody's steps at once when it is time: that is a long
turn each time, in which all others wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from protocol.session import Multicast, Session

TIMES: Final = 20
"""What it takes to send steps to everybody, times this, is how long they wait: a process spends no more than
a twentieth of its time on that, until they would wait too long."""

FREE: Final = 0.001
"""Seconds of that for which they do not: in a process that has time, others are seen sooner."""

LEAST: Final = 0.002
"""Seconds: for less nothing is kept back. `network.gather_ms` is as much."""

LATER: Final = 0.5
"""Part of that time by which they may wait longer, so that nobody is woken for each client."""

OWED: Final = 0.25
"""Part of what it would take to send all that waits that counts for the pace: not everybody is told something
in each turn."""

LONG: Final = 0.01
"""Seconds that turns take of late: if it is so much, answers to steps leave before views are asked."""

MOST: Final = 0.05
"""Seconds that one turn counts for in that, however long it took: a single one is no reason."""

WEIGHT: Final = 0.125
"""Of what was measured last, in what is kept of it."""


class Coalescer:
    """Steps that wait, and until when. The turn has one for the clients of its process; so has an edge."""

    def __init__(self, longest: Callable[[], float], stopwatch: Callable[[], float]) -> None:
        """`longest`: milliseconds that steps wait at most, but for `LATER`."""
        self._longest = longest
        self._stopwatch = stopwatch
        self._each = 0.0
        """Seconds that it takes to send something to one client."""
        self._wait = 0.0
        """Seconds from when a client was sent something until steps are sent to it."""
        self._of_late = 0.0
        """Seconds that turns take."""
        self._waiting = 0
        """Clients for whom something waits."""
        self.patient: set[int] = set()
        """Sessions that asked for more in this turn than for steps, or for whom something else was done."""
        self.due: float | None = None
        """Time at which something that waits is to be sent; None if nothing does."""

    @property
    def owed(self) -> float:
        """Seconds that a turn would have spent on what waits. They count for its pace as if it had: what is
        spared here is not to be spent on more turns."""
        return OWED * self._each * self._waiting

    def hasty(self, sessions: Iterable[Session], took: float) -> list[Session]:
        """Those of these, who were served, that are to be answered before it is known what all others did:
        who asked for steps alone (`protocol.dispatch.Entry.prompt`), if what a turn has yet to do is likely
        to take long. The last one took that many seconds. Who comes in waits for what there is to see."""
        patient, self.patient = self.patient, set()
        self._of_late += WEIGHT * (min(took, MOST) - self._of_late)
        if self._of_late < LONG:
            return []
        return [session for session in sessions if session.id not in patient and not session.blind]

    def answer_early(self, sessions: Iterable[Session], now: float) -> set[int]:
        """Send what is queued by now for these, in the midst of a turn; for whom something was. What it tells
        them besides is sent as to everybody (`send`), so that who only hears of steps is sent nothing
        twice."""
        answered: set[int] = set()
        multicasts: set[Multicast] = set()
        for session in sessions:
            if session.outbox:
                answered.add(session.id)
                session.sent_at = now
                session.link.flush()
                if session.multicast is not None:
                    multicasts.add(session.multicast)
        for multicast in multicasts:
            multicast.push()
        return answered

    def answer(self, sessions: Iterable[Session], now: float) -> None:
        """Send what is queued for these, who wait for answers."""
        for session in sessions:
            if session.outbox or session.codec.pending:
                session.sent_at = now
                session.link.flush()

    def send(self, sessions: Iterable[Session], now: float) -> None:
        """Send what is queued for these, who are all that there are: to those who hear of more than steps, or
        have waited. What is for an edge is handed over at once, and waits there."""
        limit, began = now - self._wait, self._stopwatch()
        clients, oldest, sent, waiting = list(sessions), now, 0, 0
        for session in clients:
            if session.outbox:
                at = session.sent_at
                if at <= limit or session.urgent or session.multicast is not None:
                    session.sent_at = now
                    session.link.flush()
                    sent += 1
                else:
                    waiting += 1
                    if at < oldest:
                        oldest = at
        if sent:
            took = (self._stopwatch() - began) / sent
            self._each = self._each + WEIGHT * (took - self._each) if self._each else took
        self._waiting = waiting
        wait = min(TIMES * (self._each * len(clients) - FREE), self._longest() / 1000)
        self._wait = wait if wait > LEAST else 0.0
        self.due = oldest + (1 + LATER) * self._wait if waiting else None
