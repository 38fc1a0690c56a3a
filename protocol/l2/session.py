"""A Lineage II client's state, beyond what every session has."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final, TypeAlias, cast

import attrs

from protocol.l2.notes import Notes
from protocol.session import Session
from protocol.wire.body import Body

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from protocol.family import Codec, Family
    from protocol.l2.codec import L2GameCodec, L2LoginCodec
    from protocol.l2.packets import LoginMessage, Message
    from protocol.l2.versions import L2Version
    from protocol.l2.view import L2View
    from protocol.services import CharacterInfo, Services
    from world.timers import Timer

Sendable: TypeAlias = "Message | LoginMessage"

LOADING_SECONDS: Final = 10.0
"""After that a client that acts counts as having loaded where its character was put, though it never said so
(L2J has a watchdog for those, too). Public programs are known that never do."""

LOGIN_DOOR = "login"
GAME_DOOR = "game"


@attrs.frozen(repr=False)
class SessionKeys:
    """The four random numbers of one login: the client is given them at the login door, two at a time, and
    shows all of them at the game door. Each is a signed 32-bit number as packets carry it."""

    play1: int
    play2: int
    login1: int
    login2: int


class L2Session(Session):
    """One connection of either kind: to the login door, or to the game."""

    __slots__ = (
        "__weakref__",
        "account_name",
        "challenge",
        "characters",
        "friends_here",
        "html",
        "keys",
        "last_played",
        "macro_revision",
        "notes",
        "ping",
        "ready_at",
        "running",
        "selected",
        "sky_missed",
        "target",
        "watch",
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
        self.dialect: L2Version = self.view.versions.newest
        self.account_name = ""
        """The account as the client's user typed it, in lower case."""
        self.keys: SessionKeys | None = None
        """Of its login: at the login door as far as given out, at the game door as shown."""
        self.challenge = 0
        """The number in Init that the client has to repeat."""
        self.characters: Sequence[CharacterInfo] = ()
        """As last listed: a client names them by their place in that list."""
        self.last_played = 0
        """Serial of the character it entered with last on this connection; 0: none."""
        self.selected: CharacterInfo | None = None
        """Whom the player chose, from CharacterSelect on."""
        self.ready_at = inf
        """World time from which it is taken to have loaded if it acts; while it loads."""
        self.target = 0
        """Serial of what the client has targeted; 0: nothing."""
        self.html: frozenset[str] = frozenset()
        """What the links of the window that is open would send back."""
        self.running = True
        """Whether it runs when it moves."""
        self.notes = Notes()
        """What is kept with its character for this game alone."""
        self.macro_revision = 1
        """How often its macros changed, from 1."""
        self.friends_here: frozenset[int] = frozenset()
        """Serials of its character's friends who were there when it was last looked."""
        self.watch: Timer | None = None
        """Looks for friends who come and go."""
        self.ping: Timer | None = None
        """Asks the client in the world whether it is still there."""
        self.sky_missed = False
        """Whether the sun rose or set while it loaded."""

    @property
    def version(self) -> L2Version:
        """The client's chronicle: numbers of its messages. The views' dialect."""
        return self.dialect

    @version.setter
    def version(self, version: L2Version) -> None:
        self.dialect = version

    @property
    def view(self) -> L2View:
        """This game's view, with what it shares among its clients."""
        return cast("L2View", self.family.view)

    @property
    def settings(self) -> Mapping[str, object]:
        """The listener's own keys in config.toml."""
        return self.login_codec.settings

    @property
    def login_codec(self) -> L2LoginCodec:
        """The codec of a client at the login door."""
        return cast("L2LoginCodec", self.codec)

    @property
    def game_codec(self) -> L2GameCodec:
        """The codec of a client at the game door."""
        return cast("L2GameCodec", self.codec)

    def send(self, *messages: Sendable) -> None:  # type: ignore[override] # encoded for this client's version
        """Queue messages; they leave with the next flush."""
        encode = self.dialect.encode
        login = self.door == LOGIN_DOOR
        self.queue(
            *(
                Body(
                    cast("LoginMessage", message).encode() if login else encode(cast("Message", message)),
                    droppable=message.droppable,
                    secret=message.secret,
                )
                for message in messages
            )
        )
