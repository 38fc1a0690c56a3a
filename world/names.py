"""Names of characters.

A name is as people write it: "Bob", "John Smith", "D'Artagnan". Not every client can show or type such a one,
so beside it a character has a short name, 4 to 12 letters. Each of them has a key, which is equal for names
that people could mistake for one another, and no two characters share a key.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

SHORTEST: Final = 2
LONGEST: Final = 16
"""Characters of a name: what Ultima Online's clients and Lineage's can type, and the narrowest list shows."""

SHORT_NAME: Final = range(4, 13)
"""Letters of a short name: what Endless Online's clients can type and show, the narrowest of all."""

RESERVED: Final = frozenset(
    {"system", "server", "admin", "owner", "causeway", "gamemaster", "counselor", "allusers"}
)

_NAME: Final = re.compile(r"[A-Za-z]+(?:[ '-][A-Za-z]+)*")
_SEPARATORS: Final = str.maketrans("", "", " '-")
_LOOK_ALIKES: Final = str.maketrans({"i": "l", "j": "l", "0": "o", "1": "l", "q": "g"})
_SYLLABLES: Final = (
    "an",
    "bo",
    "da",
    "en",
    "fu",
    "go",
    "ka",
    "mo",
    "ne",
    "or",
    "ra",
    "su",
    "ta",
    "un",
    "vo",
    "xe",
)
"""The digits of made-up endings: no two look alike."""
_MOST_TRIED: Final = 16**3


def proper_name(name: str) -> str | None:
    """The name as it is stored, with a capital; None if the rule does not allow it: 2 to 16 ASCII letters,
    with single blanks, apostrophes and hyphens between them."""
    name = name.strip()
    if not (SHORTEST <= len(name) <= LONGEST and _NAME.fullmatch(name)):
        return None
    return None if is_reserved(name) else name[0].upper() + name[1:]


def is_reserved(name: str) -> bool:
    """Whether players would mistake a character of that name for the server or its staff."""
    return name_key(name) in _RESERVED_KEYS


def name_key(name: str) -> str:
    """Key of a name, equal for names that differ only by letter case and separators, or look alike (l, I, J;
    ...)."""
    folded = unicodedata.normalize("NFKC", _letters(name)).casefold().translate(_LOOK_ALIKES)
    return folded.replace("rn", "m").replace("vv", "w")


def is_short(name: str) -> bool:
    """Whether a name can be its own short name."""
    return len(name) in SHORT_NAME and name.isascii() and name.isalpha()


def short_names(name: str) -> Iterator[str]:
    """Short names for a name, the best first: its letters, as many as fit, and then with one, two, three
    syllables behind them."""
    if is_short(name):
        yield name
    letters = _letters(name).capitalize()
    cut = letters[: SHORT_NAME[-1]]
    if is_short(cut) and cut != name:
        yield cut
    for number in range(_MOST_TRIED):
        ending = _ending(number)
        made = letters[: SHORT_NAME[-1] - len(ending)] + ending
        if is_short(made):
            yield made


def is_called(name: str, short_name: str, wanted: str) -> bool:
    """Whether a character of that name and short name is meant; letter case does not matter."""
    folded = wanted.strip().casefold()
    return folded == name.casefold() or (folded == short_name.casefold() != "")


def _letters(name: str) -> str:
    return name.translate(_SEPARATORS)


def _ending(number: int) -> str:
    ending = _SYLLABLES[number % len(_SYLLABLES)]
    while number >= len(_SYLLABLES):
        number = number // len(_SYLLABLES) - 1
        ending = _SYLLABLES[number % len(_SYLLABLES)] + ending
    return ending


_RESERVED_KEYS: Final = frozenset(map(name_key, RESERVED))
