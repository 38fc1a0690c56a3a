"""Text that players type, made fit to be shown to others."""

from __future__ import annotations

import unicodedata
from typing import Final

LONGEST: Final = 128
"""Characters of one utterance: the limit of UO's and EO's clients."""


def clean(text: str, longest: int = LONGEST) -> str:
    """Make typed text fit to be shown to others: no control or format characters, trimmed, at most `longest`
    characters."""
    kept = "".join(
        ch for ch in text if unicodedata.category(ch) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    )
    return kept.strip()[:longest]
