"""Password hashes of other servers, for accounts that were brought along from them.

Nobody's password can be computed from such a hash, so an imported account keeps it until its owner logs in
for the first time: then the password is known for a moment, and stored as argon2id
(`server.people.accounts`). All of them are a digest of something followed by the password; in the database
that is `$foreign$<algorithm>$<what comes before the password>$<digest>`, both parts in hexadecimal. The
import itself is SQL: docs/admin.md says what to write for each of the servers.

Sources: ServUO/ServUO, Scripts/Accounting/Account.cs (HashMD5, HashSHA1, HashSHA512; RunUO had the first
two); L2J's login servers, base64 of SHA-1; eoserv/eoserv, src/world.cpp (sha256 of salt, name and password).
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Final

PREFIX: Final = "$foreign$"
ALGORITHMS: Final = frozenset({"md5", "sha1", "sha256", "sha512"})


def is_foreign(stored: str) -> bool:
    """Whether it is one of these."""
    return stored.startswith(PREFIX)


def matches(stored: str, password: bytes) -> bool:
    """Whether the password is the one behind the hash; False for what is none."""
    try:
        algorithm, before, digest = stored.removeprefix(PREFIX).split("$")
        expected, start = bytes.fromhex(digest), bytes.fromhex(before)
    except ValueError:
        return False
    if algorithm not in ALGORITHMS:
        return False
    return hmac.compare_digest(hashlib.new(algorithm, start + password).digest(), expected)
