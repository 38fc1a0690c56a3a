"""Arguments of a codec."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

Plain: TypeAlias = Sequence[bool | int | bytes | Sequence[int] | None]
"""Values that a codec tells its twin in another process."""


class Role(enum.Enum):
    """End of the wire that a codec speaks for; tests and bots speak the client's."""

    SERVER = "server"
    CLIENT = "client"


@attrs.frozen
class CodecArgs:
    """`entropy(n)` yields n random bytes and is a codec's only source of chance; `settings` is the listener's
    table."""

    role: Role
    entropy: Callable[[int], bytes]
    settings: Mapping[str, object] = attrs.field(factory=dict)
    dialect: Hashable = None
