"""Rules for account names and passwords, and the clients that cannot type them.

An account may be called whatever one of the clients can type. Where somebody chooses a name and a password
without one of these clients (`causeway account`, the page), it is said which of them that shuts out.
"""

from __future__ import annotations

import re
from typing import Final

_NAME: Final = re.compile(r"[a-z0-9]{3,16}")
_PASSWORD: Final = re.compile(r"[!-~]{4,30}")
_LONG_PASSWORD: Final = re.compile(r"[!-~]{4,128}")

NAMES: Final = {
    "Endless Online": range(4, 15),
    "Lineage II": range(1, 15),
    "Conquer Online": range(1, 16),
}
"""Characters of an account's name that a client takes: EO's input box (facts of eoserv: 4 to 16, of which its
newer clients take 14); the RSA blocks of Lineage's login; the 16 bytes of Conquer's, one of which ends it."""

PASSWORDS: Final = {
    "Endless Online": range(6, 13),
    "Lineage II": range(1, 17),
    "Conquer Online": range(1, 16),
    "Ultima Online": range(1, 31),
}
"""Characters of a password: EO's input box; Lineage's and Conquer's fields of 16 bytes; UO's fixed field in
packets 0x80 and 0x91."""


def fold(name: str) -> str:
    """A name as it was typed, in the form that is stored and compared."""
    return name.strip().lower()


def name_problem(name: str) -> str:
    """Why a folded name cannot be an account's; empty if it can."""
    return "" if _NAME.fullmatch(name) else "account names are 3 to 16 of the letters a-z and the digits 0-9"


def password_problem(password: str, *, longer: bool = False) -> str:
    """Why a password cannot be used; empty if it can. `longer` ones only some clients can type."""
    if (_LONG_PASSWORD if longer else _PASSWORD).fullmatch(password):
        return ""
    return f"passwords are 4 to {128 if longer else 30} printable ASCII characters without blanks"


def limits() -> dict[str, dict[str, tuple[int, int]]]:
    """The least and the most letters of a name and of a password in each game that takes only some."""
    return {
        game: {
            kind: (lengths[game][0], lengths[game][-1])
            for kind, lengths in (("account", NAMES), ("password", PASSWORDS))
            if game in lengths
        }
        for game in sorted({*NAMES, *PASSWORDS})
    }


def cannot_type(name: str, password: str) -> list[str]:
    """The games whose clients cannot type that name or that password."""
    games = {game: lengths for game, lengths in NAMES.items() if len(name) not in lengths}
    games |= {game: lengths for game, lengths in PASSWORDS.items() if len(password) not in lengths}
    return sorted(games)
