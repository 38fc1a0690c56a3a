"""Ticks and owners for the tests of timers."""

from world.timers import Priority, Timer

GRAIN = {
    Priority.EXACT: 0.01,
    Priority.MS50: 0.05,
    Priority.MS250: 0.25,
    Priority.S1: 1.0,
    Priority.S5: 5.0,
    Priority.M1: 60.0,
}
"""Seconds, as the contract names them."""

DAY = 86_400.0


class Peasant:
    """The least that owns timers."""

    def __init__(self) -> None:
        self.timers: set[Timer] | None = None
