"""Text that players type, made fit to be shown to others."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST: Final = 128
"""Characters of one utterance: the limit of UO's and EO's clients."""


def masked(text: str, words: Sequence[str]) -> str:
    """A text with an asterisk for each letter of these words, in whatever letters they are written."""
    return text if not words else _pattern(tuple(words)).sub(lambda found: "*" * len(found[0]), text)


@lru_cache(maxsize=8)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)", re.IGNORECASE)


def clean(text: str, longest: int = LONGEST) -> str:
    """Make typed text fit to be shown to others: no control or format characters, trimmed, at most `longest`
    characters."""
    kept = "".join(
        ch for ch in text if unicodedata.category(ch) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    )
    return kept.strip()[:longest]
