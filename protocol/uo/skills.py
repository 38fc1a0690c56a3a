"""Ultima Online's numbers of the world's skills."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

NUMBERS: Final[Mapping[str, int]] = {
    "alchemy": 0,
    "anatomy": 1,
    "parry": 5,
    "smithing": 7,
    "carpentry": 11,
    "cooking": 13,
    "healing": 17,
    "fishing": 18,
    "hiding": 21,
    "magery": 25,
    "resistance": 26,
    "tactics": 27,
    "music": 29,
    "bows": 31,
    "tailoring": 34,
    "taming": 35,
    "swords": 40,
    "maces": 41,
    "daggers": 42,
    "unarmed": 43,
    "woodcutting": 44,
    "mining": 45,
    "stealth": 47,
}
"""ServUO: Server/Skills.cs, SkillName. Fencing is what one does with daggers; it has no staves."""

NAMES: Final = {number: name for name, number in NUMBERS.items()}


def chosen(pairs: bytes) -> dict[str, float]:
    """What the form for a new character chose, number and points by turns, as far as the world has it."""
    return {
        NAMES[number]: float(points)
        for number, points in zip(pairs[::2], pairs[1::2], strict=True)
        if number in NAMES and points
    }
