"""Memory of this process, as the system counts it."""

from __future__ import annotations

import os
from pathlib import Path


def resident_mib() -> float | None:
    """MiB of memory this process occupies now; None where the system does not say it in Linux's way."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    except (OSError, ValueError, IndexError):
        return None
