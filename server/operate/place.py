"""The place where Trio's thread stands, told by another: the stage of the turn, and the innermost calls."""

from __future__ import annotations

import sys
import threading
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from server.turn.pulse import Pulse

NAMED: Final = 3
"""Calls in a line."""
SHOWN: Final = 60
"""Calls in a whole stack."""

_ROOT: Final = Path(__file__).parents[2]


class Place:
    """Make it in the thread that it is to tell of."""

    def __init__(self, pulse: Pulse) -> None:
        self.pulse = pulse
        self._thread = threading.get_ident()

    def line(self) -> str:
        """The turn if one is under way, how far it is, and the innermost calls."""
        return f"{self.pulse.standing() or 'no turn is under way'}, at {self.calls()}"

    def calls(self) -> str:
        """The innermost call, and those of this program that led to it, the innermost first."""
        calls = self.stack()
        ours = [call for call in calls[1:] if "/" in call]
        return " < ".join([*calls[:1], *ours[: NAMED - 1]]) or "its end"

    def stack(self) -> list[str]:
        """All calls of the thread, the innermost first. Those of libraries are told without a folder."""
        # Lines of the source are not looked up: the disk may be what everything waits for.
        frames = traceback.StackSummary.extract(
            traceback.walk_stack(sys._current_frames().get(self._thread)), limit=SHOWN, lookup_lines=False
        )
        return [f"{_short(Path(frame.filename))}:{frame.lineno} in {frame.name}" for frame in frames]


def _short(path: Path) -> Path | str:
    inside = path.relative_to(_ROOT) if path.is_relative_to(_ROOT) else path
    # A virtual environment in the checkout is no part of it.
    return path.name if inside.is_absolute() or inside.parts[0].startswith(".") else inside
