"""Skills, and the attributes that grow by use as they do. A game that has more or other ones maps its own to
these."""

from __future__ import annotations

from typing import Final

SKILLS: Final = (
    *("swords", "maces", "daggers", "staves", "bows", "unarmed", "tactics", "parry"),
    *("magery", "resistance", "healing", "anatomy", "hiding", "stealth", "taming", "cooking"),
    *("fishing", "mining", "woodcutting", "smithing", "tailoring", "carpentry", "alchemy", "music"),
)
"""By name, as the store knows them."""

ATTRIBUTES: Final = ("strength", "dexterity", "intelligence")
"""What grows by what one does, as skills do."""

TENTHS: Final = 10
"""A point of a skill, as it is stored."""
