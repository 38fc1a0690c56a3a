"""How far the world has followed a client that moves by itself: what `handlers.motion` remembers of it."""

from __future__ import annotations

import attrs


@attrs.define
class Walk:
    """Of one client. Tiles are of its mobile's realm."""

    goal: tuple[int, int] | None = None
    """Where its mobile will be after all steps that wait."""
    paid: tuple[float, float] | None = None
    """Up to where its way has been charged for, in tiles and parts of them; None: the middle of the goal."""
    epoch: int = 0
    """How often its steps became void."""
    moving: bool = False
    """Whether it said in its last message that it moves."""
    rests: bool = False
    """Whether it stopped and nobody has been told yet."""
    astray: bool = False
    """Whether it is where it cannot be, as far as is known."""
    corrected_at: float = -1e9
    """World time at which it was last put back."""
    waits: bool = False
    """Whether a correction waits for its time."""

    def forget(self) -> None:
        """Its mobile is where it is by other ways than its client's."""
        self.goal = self.paid = None

    def begin_anew(self) -> None:
        """The same, and steps that wait are void."""
        self.forget()
        self.epoch += 1
