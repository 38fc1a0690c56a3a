"""Strict readers of every message that a build-546 server sends here: each field in its order, no byte left.

Written from the sheet of facts and the public structs, not from the server: the two can only agree by being
right.
A message that no reader knows, or whose bytes are not as the sheet has them, is a `Malformed`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.eq2.independent.fields import Fields
from tests.eq2.independent.packed import Malformed

if TYPE_CHECKING:
    from collections.abc import Callable


def read(message: bytes, readers: dict[int, Callable[[Fields], object]]) -> tuple[int, object]:
    """Read a message on the login server (`login.LOGIN`) or in the world (`world.WORLD`): type, content."""
    fields = Fields(message, "message")
    kind = fields.type()
    reader = readers.get(kind)
    if reader is None:
        raise Malformed(f"no message {kind} is known: {message.hex()}")
    fields.what = f"message {kind}"
    said = reader(fields)
    fields.end()
    return kind, said
