"""What a server has told, and what it has promised not to forget.

Somebody who plays hears what became of a thing; whoever asks the server to save hears when all of that is on
disk. What is found after a crash has to be one of the states since then, or one that nobody had heard of yet.
"""

from __future__ import annotations


class Diary:
    """What was true of one thing, one after the other, as its players were told; and from where on the server
    has promised not to forget it."""

    def __init__(self, whose: str, serial: int, first: object) -> None:
        self.whose = whose
        self.serial = serial
        self.entries: list[object] = [first]
        self.pending: object = None
        """What may be true by now, but nobody has heard of it."""
        self._steps = [0]
        """As many steps may have been made after each entry, before the next one."""
        self.durable = 0
        """Number of the oldest entry that may still be the stored one."""

    def goes(self, steps: int = 1) -> None:
        """So many steps may be made from now on."""
        self._steps[-1] += steps

    def note(self, entry: object) -> None:
        """This is true now, and no step is under way any more."""
        self.pending = None
        if self._steps[-1] <= 1:
            self._steps[-1] = 0  # nothing lies between its two ends
        if entry != self.entries[-1] or self._steps[-1]:
            self.entries.append(entry)
            self._steps.append(0)

    def mark(self) -> int:
        """To be handed to `promised` once everything up to now is durable."""
        return len(self.entries) - 1

    def promised(self, mark: int) -> None:
        """Everything up to that mark is durable."""
        self.durable = max(self.durable, mark)

    def allows(self, found: object) -> bool:
        """Whether the stored state is one of those that may be."""
        if found in self.entries[self.durable :] or (self.pending is not None and found == self.pending):
            return True
        ways = zip(self.entries[self.durable :], self._steps[self.durable :], strict=True)
        return any(_distance(entry, found) <= steps for entry, steps in ways)

    def __str__(self) -> str:
        ways = zip(self.entries[self.durable :], self._steps[self.durable :], strict=True)
        places = ", ".join(f"{entry} and {steps} steps" if steps else f"{entry}" for entry, steps in ways)
        return f"one of {places}; or {self.pending}"

    def begin_again(self, found: object) -> None:
        """The next round starts from here."""
        self.entries, self.pending, self._steps, self.durable = [found], None, [0], 0


def _distance(last: object, found: object) -> float:
    """Steps between two places."""
    if not (isinstance(last, tuple) and isinstance(found, tuple)):
        return float("inf")
    return float(max(abs(last[0] - found[0]), abs(last[1] - found[1])))
