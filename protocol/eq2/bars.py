"""Bars of hits and power as this client reads them."""

from __future__ import annotations

from typing import Final

FULL: Final = 100
"""Percent."""


def hits_code(percent: int) -> int:
    """A bar as this client reads that of hits: 0 is full, else the percent xor 100 (emagi/eq2emu, Spawn.cpp,
    InitializeInfoPacketData, for versions from 373 on)."""
    return 0 if percent >= FULL else FULL ^ percent


def percent(now: int, most: int) -> int:
    """A bar in percent; what is more than nothing shows as one at least."""
    if now <= 0 or most <= 0:
        return 0
    return max(1, min(100, now * 100 // most))
