"""A Conquer Online client's state, beyond what every session has."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from protocol.session import Session
from protocol.wire.body import Body

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from protocol.co.codec import CfbGameCodec, CoCodec
    from protocol.co.packets import Message
    from protocol.co.versions import CoVersion
    from protocol.co.view import CoView
    from protocol.family import Codec, Family
    from protocol.services import CharacterInfo, Services
    from protocol.session import Outgoing

ACCOUNT_DOOR = "account"
GAME_DOOR = "game"


class CoSession(Session):
    """One connection of either kind: to the account server, or to the game."""

    __slots__ = (
        "__weakref__",
        "answers",
        "complete",
        "question",
        "selected",
        "strange_actions",
    )

    def __init__(
        self,
        *,
        number: int,
        family: Family,
        door: str,
        peer: str,
        local: str,
        codec: Codec,
        services: Services,
    ) -> None:
        super().__init__(
            number=number, family=family, door=door, peer=peer, local=local, codec=codec, services=services
        )
        self.dialect: CoVersion = self.co_codec.version
        self.selected: CharacterInfo | None = None
        """The character it plays, from the answer to its 1052 on."""
        self.complete = False
        """Whether its client has said that it is done with loading for the first time."""
        self.strange_actions: set[int] = set()
        """Actions that it sent and nobody here knows: each of the first ones is logged once."""
        self.question = 0
        """Serial of the dialog whose window is open; 0: none."""
        self.answers: tuple[int, ...] = ()
        """The numbers of its buttons, in the order in which they are shown."""

    @property
    def version(self) -> CoVersion:
        """The client's version: the views' dialect."""
        return self.dialect

    @property
    def co_codec(self) -> CoCodec:
        """The codec, with what only this game's codec can do."""
        return cast("CoCodec", self.codec)

    @property
    def exchanging(self) -> CfbGameCodec:
        """The same, of a client whose version exchanges keys."""
        return cast("CfbGameCodec", self.codec)

    @property
    def settings(self) -> Mapping[str, object]:
        """The listener's own keys in config.toml."""
        return self.co_codec.settings

    @property
    def view(self) -> CoView:
        """This game's view, with what it shares among its clients."""
        return cast("CoView", self.family.view)

    def finished(self, messages: Sequence[Outgoing]) -> list[bytes]:
        """The packets of messages for this client. What is bound may be several, one behind the other."""
        packets: list[bytes] = []
        for message in messages:
            if type(message) is Body:
                packets.append(message.raw)
            else:
                packets += split(message.bind(self))  # type: ignore[arg-type, union-attr] # it is no Body
        return packets

    def send(self, *messages: Message) -> None:  # type: ignore[override] # encoded for this client's version
        """Queue messages; they leave with the next flush."""
        version = self.dialect
        self.queue(
            *(
                Body(message.encode(version), droppable=message.droppable, secret=message.secret)
                for message in messages
            )
        )


def split(packets: bytes) -> Iterator[bytes]:
    """Whole packets that lie one behind the other, each by its size."""
    at = 0
    while at < len(packets):
        size = int.from_bytes(packets[at : at + 2], "little")
        yield packets[at : at + size]
        at += size
