"""The table of what Ultima Online's clients may send, and of packets of many kinds a table for each. The
modules of this package fill them when they are imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeAlias, TypeVar, cast

from protocol.dispatch import Table
from protocol.requests import DONE, Answer, Request
from protocol.uo.packets import number_of_frame
from protocol.wishes import Idle, Unmet, Wish

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from protocol.uo.session import UoSession
    from protocol.wire.declare import Packet
    from world.mobile import Mobile

P = TypeVar("P")

Handler: TypeAlias = "Callable[[UoSession, Mobile, P], None]"


def _number(packet: type) -> int:
    return cast("type[Packet]", packet).opcode


def _decoder(packet: type) -> Callable[[bytes], object]:
    return cast("type[Packet]", packet).decode


TABLE: Final[Table[UoSession]] = Table(
    opcode_of_frame=number_of_frame, opcode_of_class=_number, decode=_decoder
)


class Kinds(Generic[P]):
    """Handlers of each kind of one packet, told apart by a number within, and of those that nobody has
    heard of (`otherwise`)."""

    def __init__(self, key: str, otherwise: Wish) -> None:
        self.key = key
        self._otherwise = Unmet(otherwise)
        self._rows: dict[int, tuple[str, Answer, Handler[P]]] = {}

    def _add(self, kind: int, name: str, answer: Answer, handler: Handler[P]) -> None:
        if kind in self._rows:
            raise ValueError(f"{self.key}:0x{kind:02X} already has a handler: {self._rows[kind][0]}")
        self._rows[kind] = name, answer, handler

    def answer(self, kind: int, name: str, answer: Unmet | Idle) -> None:
        """A kind of which there is no deed. Raises ValueError if it has a row already."""
        self._add(kind, name, answer, lambda session, _, packet: answer(session, packet))

    def on(self, kind: int, name: str) -> Callable[[Handler[P]], Handler[P]]:
        """Register a handler of a kind. Raises ValueError if it has a row already."""

        def register(handler: Handler[P]) -> Handler[P]:
            self._add(kind, name, DONE, handler)
            return handler

        return register

    def handle(self, session: UoSession, mobile: Mobile, kind: int, packet: P) -> None:
        """Let the handler of its kind have a packet. Raises Cannot as that does."""
        row = self._rows.get(kind)
        if row is None:
            self._otherwise(session, packet)
        else:
            row[2](session, mobile, packet)

    def requests(self) -> Iterator[Request]:
        """The rows, for the page of them."""
        for kind, (name, answer, _) in sorted(self._rows.items()):
            yield Request(f"{self.key}:0x{kind:02X}", name, answer)
        yield Request(f"{self.key}:other", "any other kind", self._otherwise)
