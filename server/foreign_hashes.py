"""Password hashes of other servers, for accounts that were brought along from them.

Nobody's password can be computed from such a hash, so an imported account keeps it until its owner logs in
for the first time: then the password is known for a moment, and stored as argon2id (`server.accounts`). All
of them are a digest of something followed by the password; in the database that is
`$foreign$<algorithm>$<what comes before the password>$<digest>`, both parts in hexadecimal.

Sources: ServUO/ServUO, Scripts/Accounting/Account.cs (HashMD5, HashSHA1, HashSHA512; RunUO had the first
two); L2J's login servers, base64 of SHA-1; eoserv/eoserv, src/world.cpp (sha256 of salt, name and password).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from typing import Final

PREFIX: Final = "$foreign$"
ALGORITHMS: Final = frozenset({"md5", "sha1", "sha256", "sha512"})


def from_runuo_md5(text: str) -> str:
    """`cryptPassword`: MD5 of the password, written AB-CD-... Raises ValueError, as all of these do."""
    return _stored("md5", "", _dashed(text))


def from_runuo_sha1(name: str, text: str) -> str:
    """`newCryptPassword`: SHA-1 of name (as its owner wrote it) and password."""
    return _stored("sha1", name, _dashed(text))


def from_runuo_sha512(name: str, text: str) -> str:
    """`newSecureCryptPassword`: SHA-512 of name (as its owner wrote it) and password."""
    return _stored("sha512", name, _dashed(text))


def from_l2j(text: str) -> str:
    """Base64 of the password's SHA-1."""
    return _stored("sha1", "", base64.b64decode(text, validate=True))


def from_eoserv(salt: str, name: str, text: str) -> str:
    """Hexadecimal SHA-256 of its `PasswordSalt`, name and password."""
    return _stored("sha256", salt + name, bytes.fromhex(text))


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


def _dashed(text: str) -> bytes:
    return bytes.fromhex(text.replace("-", ""))


def _stored(algorithm: str, before: str, digest: bytes) -> str:
    if len(digest) != hashlib.new(algorithm).digest_size:
        raise ValueError(f"{len(digest)} bytes are no {algorithm} digest")
    return f"{PREFIX}{algorithm}${before.encode().hex()}${digest.hex()}"
