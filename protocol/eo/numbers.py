"""Numbers of records in the lists that clients keep: of items, and of NPCs.

A client reads a list once and knows each kind by its place in it. So a kind keeps its number as long as this
world lasts, and one that went out of data/ leaves its number behind: given to another, it would be that one
in the list of every client that has not read the new one yet. What was given is written down by the server
(its table `kind_number`) before any client can be sent it, and comes back in `Content.numbers`.

A number in the tables of looks is the one with which a kind begins. What was written down counts more.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

ITEMS: Final = "items"
"""List of the records of items: a kind has one by its key, and one by `women_s` if there are two."""
NPCS: Final = "npcs"
"""List of the records of NPCs, by the keys of mobiles."""

LAST_OWN: Final = 900
"""The highest number that a row of looks may ask for. A list of more records does not fit its packet."""


def women_s(key: str) -> str:
    """Key in the list of items of the second record of a kind, the one for women."""
    return f"{key}:female"


def numbered(known: Mapping[str, int], wanted: Mapping[str, int]) -> dict[str, int]:
    """All numbers of a list: those that are known, and one for each kind of `wanted`, which has the number
    that its row asks for, 0 if it asks for none. Who is known keeps its own. Whoever is new gets what it asks
    for, unless anybody ever had that; then one behind all others, in the order of `wanted`."""
    numbers = dict(known)
    given = set(known.values())
    for key, number in wanted.items():
        if key not in numbers and number and number not in given:
            numbers[key] = number
            given.add(number)
    following = itertools.count(1 + max(given, default=0))
    for key in wanted:
        if key not in numbers:
            numbers[key] = next(following)
    return numbers
