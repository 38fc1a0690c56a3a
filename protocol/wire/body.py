"""One message on its way out: encoded once, shared by everybody who gets it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Hashable


class Preparer(Protocol):
    """The part of a codec that a shared body needs."""

    @property
    def share_key(self) -> Hashable | None:
        """Clients with equal keys get equal prepared bytes; None: nothing can be shared."""

    def prepare(self, body: bytes) -> bytes:
        """The wire form as far as it does not depend on the single client."""


class Body:
    """The bytes of one message and, by share key, its prepared forms (Huffman, one of EO's ciphertexts).

    Immutable to its users; the cache makes a broadcast cost one preparation per kind of wire, not per client.
    """

    __slots__ = ("_forms", "droppable", "raw")

    def __init__(self, raw: bytes, *, droppable: bool = False) -> None:
        self.raw = raw
        self.droppable = droppable
        self._forms: dict[Hashable, bytes] = {}

    def form(self, codec: Preparer) -> bytes:
        """This message as `codec` prepares it; cached while the codec has a share key."""
        key = codec.share_key
        if key is None:
            return codec.prepare(self.raw)
        form = self._forms.get(key)
        if form is None:
            form = self._forms[key] = codec.prepare(self.raw)
        return form
