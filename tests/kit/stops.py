"""A server that stands still, in virtual time: what its clients say meanwhile piles up at its sockets.

    @pytest.fixture
    def autojump_clock() -> StoppingClock: return StoppingClock()

    async def test_...(town: Town, autojump_clock: StoppingClock) -> None:
        await autojump_clock.stops(12.0, lambda: pile_up(player, data))

Nothing of the run gets its turn during a stop, as if the process had been sent SIGSTOP, and after it all is
ready at once: what came, and each deadline that lay within the stop for whoever goes by the time outside.
Clients live in the same run, and pass over the stop as well; what they do in it is a plain function.
"""

from __future__ import annotations

from math import inf, nextafter
from typing import TYPE_CHECKING, Final

import trio

from server.bots.bundle import bundle, unbundle
from server.clock import SteadyClock
from tests.kit.datagrams import ClientEnd
from tests.kit.eq2_line import DatagramLine
from tests.kit.pipe import End

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.family import Address
    from tests.kit.datagrams import Network
    from tests.kit.eq2_player import Eq2Player
    from tests.kit.players import Player

STRANGER: Final[Address] = ("203.0.113.9", 9)

MOMENT: Final = 0.001


class StoppingClock(SteadyClock):
    """The server's own clock, over one that a test turns: whenever all tasks wait it is time for the first of
    them, as with `autojump_clock`. No test with threads or sockets can go by it."""

    def __init__(self) -> None:
        super().__init__(lambda: self._reading, 0.0)
        self._reading = 0.0
        self._stop: tuple[float, float, Callable[[], object]] | None = None

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """All tasks wait until then. They oversleep if the server is to be stopped."""
        left = super().deadline_to_sleep_time(deadline)
        if left <= 0 or left == inf:
            return left
        self._reading = max(self._reading + left, nextafter(self._reading, inf))
        if self._stop is not None and deadline >= self._stop[0]:
            (_, stopped, meanwhile), self._stop = self._stop, None
            meanwhile()
            self._reading += stopped
        return 0.0

    async def stops(
        self, seconds: float, meanwhile: Callable[[], object] = lambda: None, *, at: float | None = None
    ) -> None:
        """Have the server stand still for so long: now, or when it wakes at that time."""
        at = self.current_time() + MOMENT if at is None else at
        self._stop = at, seconds, meanwhile
        await trio.sleep_until(at)


def pile_up(player: Player, data: bytes) -> None:
    """A client sends while nobody listens."""
    line = player.end
    if isinstance(line, DatagramLine):
        for datagram in unbundle(data):
            line.send(datagram)
    else:
        assert isinstance(line, End)
        assert line.send_nowait(data) == len(data)


def lives_on(player: Eq2Player) -> None:
    """A client of EverQuest II takes what came and acknowledges it, while nobody listens."""
    line = player.end
    assert isinstance(line, DatagramLine)
    assert isinstance(line.end, ClientEnd)
    while (datagram := line.end.receive_nowait()) is not None:
        player.client.feed(bundle([datagram]))
    pile_up(player, player.client.outgoing())


def crowd_before(network: Network, datagrams: int = 300) -> None:
    """Others' datagrams come before: nobody's own is found by looking at a few."""
    for _ in range(datagrams):
        network.put(b"\0\6\0\0", STRANGER)
