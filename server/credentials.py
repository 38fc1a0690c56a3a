"""What account names and passwords may be, so that they can be typed in every client."""

from __future__ import annotations

import re
from typing import Final

_NAME: Final = re.compile(r"[a-z0-9]{4,14}")
_PASSWORD: Final = re.compile(r"[!-~]{6,12}")
_LONG_PASSWORD: Final = re.compile(r"[!-~]{6,128}")

TYPED: Final = {"Endless Online": 12, "Ultima Online": 30}
"""Characters of a password that fit: EO's input box; UO's fixed field in packets 0x80 and 0x91."""


def fold(name: str) -> str:
    """A name as it was typed, in the form that is stored and compared."""
    return name.strip().lower()


def name_problem(name: str) -> str:
    """Why a folded name cannot be an account's; empty if it can."""
    return "" if _NAME.fullmatch(name) else "account names are 4 to 14 of the letters a-z and the digits 0-9"


def password_problem(password: str, *, longer: bool = False) -> str:
    """Why a password cannot be used; empty if it can. `longer` ones only some clients can type."""
    if (_LONG_PASSWORD if longer else _PASSWORD).fullmatch(password):
        return ""
    return f"passwords are 6 to {128 if longer else 12} printable ASCII characters without blanks"


def cannot_type(password: str) -> list[str]:
    """The games whose clients cannot type that password."""
    return [game for game, most in TYPED.items() if len(password) > most]
