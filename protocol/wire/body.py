"""One message on its way out: encoded once, shared by everybody who gets it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable


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
    Mostly there is one kind; it has a slot of its own, because every message of every client passes here.
    """

    __slots__ = ("_first", "_first_key", "_others", "droppable", "raw", "secret")

    def __init__(self, raw: bytes, *, droppable: bool = False, secret: bool = False) -> None:
        self.raw = raw
        self.droppable = droppable
        self.secret = secret
        """Whether it carries a key, so that nobody may write it down."""
        self._first = b""
        self._first_key: Hashable = None
        self._others: dict[Hashable, bytes] | None = None

    def form(self, codec: Preparer) -> bytes:
        """This message as `codec` prepares it; cached while the codec has a share key."""
        key = codec.share_key
        if key is None:
            return codec.prepare(self.raw)
        if self._first_key is None:
            self._first = codec.prepare(self.raw)
            self._first_key = key
        if self._first_key == key:
            return self._first
        if self._others is None:
            self._others = {}
        form = self._others.get(key)
        if form is None:
            form = self._others[key] = codec.prepare(self.raw)
        return form


def forms(bodies: Iterable[Body], codec: Preparer) -> list[bytes]:
    """`Body.form` for many. What a crowd is sent has been prepared for the first of it, and then costs no
    more than a comparison for each message."""
    key = codec.share_key
    if key is None:
        return [codec.prepare(body.raw) for body in bodies]
    return [body._first if body._first_key is key else body.form(codec) for body in bodies]
