"""Options with which a server is made; tests give some that an operator never needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from server.people.passwords import Passwords
    from server.turn.beside import Beside


class Options(TypedDict, total=False):
    """Optional arguments of `server.boot.parts.Parts`."""

    config_path: Path | None
    """What `reload` reads."""
    passwords: Passwords | None
    beside: Beside | None
    """Where content is read again."""
    entropy: Callable[[int], bytes]
    wall: Callable[[], float]
    """Seconds UTC."""
    clock: Callable[[], float]
    """Monotonic seconds, those of the turns."""
    data_dir: Path
    """What `reload content` reads."""
    crashes: Path | None
    """Where to report what ends the server; without it nothing is reported."""
