"""Packets of many kinds, told apart by a number within: a row for each, as in the table of packets."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, TypeVar

from protocol.requests import Request, answer_of
from protocol.wishes import Unmet, Wish

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from protocol.uo.session import UoSession

P = TypeVar("P")
Handler: TypeAlias = "Callable[[UoSession, P], None]"


class Kinds:
    """What comes of each kind of one packet, and of those that nobody has heard of (`otherwise`)."""

    def __init__(self, key: str, otherwise: Wish) -> None:
        self.key = key
        self._otherwise = Unmet(otherwise)
        self._rows: dict[int, tuple[str, Handler[object]]] = {}

    def add(self, kind: int, name: str, handler: Handler[object]) -> None:
        """A row. Raises ValueError if there is one already."""
        if kind in self._rows:
            raise ValueError(f"{self.key}:0x{kind:02X} already has a handler: {self._rows[kind][0]}")
        self._rows[kind] = name, handler

    def on(self, kind: int, name: str) -> Callable[[Handler[P]], Handler[P]]:
        """Register a handler of a kind."""

        def register(handler: Handler[P]) -> Handler[P]:
            self.add(kind, name, handler)  # type: ignore[arg-type] # all kinds are of the packet it takes
            return handler

        return register

    def handle(self, session: UoSession, kind: int, packet: object) -> None:
        """Let the handler of its kind have a packet."""
        _, handler = self._rows.get(kind, ("", self._otherwise))
        handler(session, packet)

    def requests(self) -> Iterator[Request]:
        """The rows, for the page of them."""
        for kind, (name, handler) in sorted(self._rows.items()):
            yield Request(f"{self.key}:0x{kind:02X}", name, answer_of(handler))
        yield Request(f"{self.key}:other", "any other kind", self._otherwise)
