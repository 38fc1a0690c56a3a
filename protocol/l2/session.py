"""A Lineage II client's state, beyond what every session has: at the login door, and at the game's."""

from __future__ import annotations

import enum
from math import inf
from typing import TYPE_CHECKING, Final, Protocol, cast

import attrs

from protocol.l2.looks import HUMAN_FIGHTER
from protocol.session import Session
from world.bargain import TradeSide

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from protocol.l2.codec import L2Codec, L2GameCodec, L2LoginCodec
    from protocol.l2.looks import PropLook
    from protocol.l2.packets import ItemEntry, Macro, Message, ShortCutEntry
    from protocol.l2.versions import L2Version, L2Versions
    from protocol.landmarks import Surroundings
    from protocol.outgoing import Sendable
    from protocol.services import CharacterInfo
    from world.companions import LootRule, MemberState
    from world.guild_events import GuildSheet
    from world.mobile import Mobile
    from world.timers import Timer

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


@attrs.define(eq=False)
class Notes:
    """All that is kept with one character for this game alone (`protocol.l2.notes`)."""

    class_id: int = HUMAN_FIGHTER.class_id
    shortcuts: dict[int, ShortCutEntry] = attrs.field(factory=dict)
    """By slot."""
    macros: dict[int, Macro] = attrs.field(factory=dict)
    """By id."""
    friends: dict[int, str] = attrs.field(factory=dict)
    """Names by serial, of a time when this game kept its own list; the world has had it since
    (`world.friends`)."""


@attrs.define(eq=False)
class Hunt:
    """Going after somebody to strike it (`protocol.l2.handlers.hunting`)."""

    prey: Mobile
    strikes: bool = False
    """Whether it has come near enough once, so that the world strikes whenever it can."""
    stuck: int = 0
    """How often in a row there was no way to it."""
    look: Timer | None = None
    """Runs when it is looked again where the prey is."""


class Side(enum.Enum):
    """Purpose of a list at a counter."""

    BUY = "buy"
    SELL = "sell"
    DEPOSIT = "deposit"
    WITHDRAW = "withdraw"
    OTHERS = "others"
    """No list, but a later part of a merchant's page (`L2Session.others_from`)."""
    TAKE_OUT = "take out"
    PUT_IN = "put in"


@attrs.frozen
class Listing:
    """A list that a client has before it at a merchant's or a banker's counter (`protocol.l2.counters`), or
    of a chest (`protocol.l2.chests`)."""

    side: Side
    host: int
    """Serial of whose it is."""
    number: int = 0
    """The number that an order from it has to name; the lists of a warehouse have none."""
    wares: Mapping[int, str] = attrs.field(factory=dict)
    """Item templates by the client's kinds, of what can be bought."""


@attrs.frozen
class TradeShown:
    """Contents of the window of a trade (`protocol.l2.trading`)."""

    own: TradeSide = attrs.field(factory=TradeSide)
    theirs: TradeSide = attrs.field(factory=TradeSide)
    changes: int = 0
    """Which offers these are, as `world.trade.agree` wants to know."""


@attrs.frozen
class PartyShown:
    """Contents of the window of a party (`protocol.l2.parties`)."""

    leader: int
    loot: LootRule
    others: Mapping[int, MemberState]
    """By serial: all but its own character."""


class _KnowsVersions(Protocol):
    """The game's view, as far as a session needs it."""

    @property
    def versions(self) -> L2Versions:
        """All versions of the client."""


class L2DoorSession(Session):
    """One connection to either door."""

    __slots__ = ("__weakref__", "account_name", "keys")

    codec: L2Codec
    dialect: L2Version
    """The client's version: numbers of its messages."""

    def begin(self) -> None:
        """See Session."""
        self.dialect = cast("_KnowsVersions", self.family.view).versions.newest
        self.account_name = ""
        """The account as the client's user typed it, in lower case."""
        self.keys: SessionKeys | None = None
        """Of its login: at the login door as far as given out, at the game door as shown."""

    @property
    def settings(self) -> Mapping[str, object]:
        """The listener's own keys in config.toml."""
        return self.codec.settings


class L2LoginSession(L2DoorSession):
    """One connection to the login door, where all versions speak alike."""

    __slots__ = ("challenge",)

    codec: L2LoginCodec

    def begin(self) -> None:
        """See Session."""
        super().begin()
        self.challenge = 0
        """The number in Init that the client has to repeat."""


class L2Session(L2DoorSession):
    """One connection to the game's door."""

    __slots__ = (
        "characters",
        "html",
        "hunt",
        "landmarks",
        "last_played",
        "listing",
        "lists",
        "macro_revision",
        "notes",
        "opens",
        "others_from",
        "owns",
        "party",
        "ping",
        "pledge",
        "ready_at",
        "running",
        "selected",
        "sky_missed",
        "target",
        "trading",
    )

    codec: L2GameCodec

    def begin(self) -> None:
        """See Session."""
        super().begin()
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
        self.hunt: Hunt | None = None
        """Whom it is after; None: nobody."""
        self.landmarks: Surroundings[PropLook] | None = None
        """What it has of them (`protocol.l2.scenery`); None: nothing."""
        self.html: frozenset[str] = frozenset()
        """What the links of the window that is open would send back."""
        self.listing: Listing | None = None
        """The list that it was shown last at a counter; None: a page, or nothing."""
        self.lists = 0
        """How many lists of merchants it was shown: the number of the last."""
        self.others_from = 0
        """The first of the wares without a row that the page is to show."""
        self.trading: TradeShown | None = None
        """What the window of a trade shows; None: it is closed."""
        self.party: PartyShown | None = None
        """What the window of the party shows; None: it is closed."""
        self.pledge: GuildSheet | None = None
        """What the window of the clan shows; None: it is empty."""
        self.opens: tuple[Side, float] | None = None
        """Which list it gets instead of a page, and the world time of the turn in which it does."""
        self.running = True
        """Whether it runs when it moves."""
        self.owns: Mapping[int, ItemEntry] | None = None
        """What it was told that its character has, by serial; None: it has not got that list yet."""
        self.notes = Notes()
        """What is kept with its character for this game alone."""
        self.macro_revision = 1
        """How often its macros changed, from 1."""
        self.ping: Timer | None = None
        """Asks the client in the world whether it is still there."""
        self.sky_missed = False
        """Whether the sun rose or set while it loaded."""

    def encoded(self, packet: Sendable) -> bytes:
        """The bytes of a message, with the numbers of this client's version."""
        return self.dialect.encode(cast("Message", packet))
