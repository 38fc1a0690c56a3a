"""A Conquer Online client's state, beyond what every session has."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, cast

import attrs

from protocol.corrections import Corrections
from protocol.session import Session
from protocol.wire.body import Body
from world.bargain import TradeSide
from world.companions import LootRule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from protocol.co.codec import CoCodec
    from protocol.co.looks import PropLook
    from protocol.co.packets import ItemInfo, Message
    from protocol.co.versions import CoVersion
    from protocol.landmarks import Surroundings
    from protocol.outgoing import Outgoing, Part, Sendable
    from protocol.services import CharacterInfo
    from world.guild import Bond, Rank
    from world.mobile import Mobile

ACCOUNT_DOOR: Final = "account"
GAME_DOOR: Final = "game"


NOTHING_OFFERED: Final = TradeSide()


class Leads(enum.Enum):
    """Places to which the answers of a menu lead (`protocol.co.counters`, `protocol.co.journals`)."""

    WARES = "what a merchant sells"
    GOODS = "what it buys of what one has"
    BUY = "so many of a ware; of 0 it is asked how many"
    SELL = "so many of a thing; of 0 it is asked how many"
    QUESTS = "the journal"
    QUEST = "one quest"
    GIVE_UP = "that quest is given up"
    LEAVE = "nothing more"


@attrs.frozen
class Way:
    """One answer of a menu. `what` is the key of a ware or a quest, `serial` that of a thing, `first` the row
    that its list begins with, `price` that of one piece, as it is shown."""

    leads: Leads
    what: str = ""
    serial: int = 0
    first: int = 0
    amount: int = 0
    price: int = 0


@attrs.frozen
class Menu:
    """A window with answers that lead somewhere else than those of the world's dialogs. `page` is what is
    shown the next time that `host` shows anything. The answers come by the numbers of `ways`, from 1 on; the
    box takes a number from 1 to `most` for `box`."""

    host: Mobile | None
    page: Way
    ways: Sequence[Way] = ()
    box: Way | None = None
    most: int = 0


@attrs.frozen
class Bargain:
    """The window of a trade as its client shows it: the number of the partner, both sides, and how often
    these had changed (`world.bargain.Trade`). `pressed`: the client lets its player agree no more."""

    partner: int
    own: TradeSide = NOTHING_OFFERED
    theirs: TradeSide = NOTHING_OFFERED
    changes: int = 0
    pressed: bool = False


@attrs.frozen
class TeamShown:
    """A team as its client shows it: serials, the leader's first, and how its switches for loot stand."""

    members: tuple[int, ...]
    loot: LootRule = LootRule.FINDER


@attrs.frozen
class GuildShown:
    """A guild as its member's client shows it: its number, the bonds to others by theirs, its bulletin, the
    serial of who leads it and its player's own rank."""

    number: int
    ties: Mapping[int, Bond] = attrs.field(factory=dict)
    notice: str = ""
    leader: int = 0
    rank: Rank | None = None


class CoSession(Session):
    """One connection of either kind: to the account server, or to the game."""

    __slots__ = (
        "__weakref__",
        "answers",
        "bargain",
        "complete",
        "corrections",
        "errand",
        "friends_listed",
        "guild",
        "landmarks",
        "menu",
        "owns",
        "pk_mode",
        "question",
        "selected",
        "strange_actions",
        "team",
    )

    codec: CoCodec
    dialect: CoVersion
    """The client's version."""

    def begin(self) -> None:
        """See Session."""
        self.dialect = self.codec.version
        self.selected: CharacterInfo | None = None
        """The character it plays, from the answer to its 1052 on."""
        self.complete = False
        """Whether its client has said that it is done with loading for the first time."""
        self.landmarks: Surroundings[PropLook] | None = None
        """What it has of them (`protocol.co.scenery`); None: nothing."""
        self.corrections = Corrections()
        """When it was and may be put back."""
        self.errand: object | None = None
        """What it walks up to something for; None: its player leads its character."""
        self.strange_actions: set[int] = set()
        """Actions that it sent and nobody here knows: each of the first ones is logged once."""
        self.owns: Mapping[int, ItemInfo] | None = None
        """What it was told that its character has, by number; None: it has not got that list yet."""
        self.bargain: Bargain | None = None
        """What the window of its trade shows; None: there is none."""
        self.menu: Menu | None = None
        """The window with answers of this game's own, if that was shown last."""
        self.pk_mode = 0
        """Whom its player means to hit (`protocol.co.packets.PkMode`)."""
        self.team: TeamShown | None = None
        """What the window of its team shows; None: it has none. One's own number alone is a team of which the
        world has nothing."""
        self.friends_listed = False
        """Whether it was told who its friends are: before that, it knows none of whom something happens."""
        self.guild: GuildShown | None = None
        """What it shows of its guild; None: it has none, or was not told of it yet."""
        self.question = 0
        """Serial of the dialog whose window is open; 0: none."""
        self.answers: tuple[int, ...] = ()
        """The numbers of its buttons, in the order in which they are shown."""

    def encoded(self, packet: Sendable) -> bytes:
        """The bytes of a packet for this client's version. Raises EncodeError as `Message.encode` does."""
        return cast("Message", packet).encode(self.dialect)

    def finished(self, messages: Sequence[Outgoing]) -> list[bytes]:
        """The packets of messages for this client. What is bound may be several, one behind the other."""
        packets: list[bytes] = []
        for message in messages:
            if type(message) is Body:
                packets.append(message.raw)
            else:
                packets += split(message.bind(self))  # type: ignore[arg-type, union-attr] # it is no Body
        return packets

    def parted(self, messages: Sequence[Outgoing], numbers: list[bytes]) -> list[Part]:
        """See Session."""
        parts: list[Part] = []
        for message in messages:
            if isinstance(message, Body):
                parts.append(message)
            else:
                packets = cast("bytes", message.bind(self))  # type: ignore[arg-type] # of this game
                parts += [(packet, message.droppable) for packet in split(packets)]
        return parts


class Placing:
    """Puts a client to where its character was put: wherever the client was before, it is astray no more.
    `raw` are the packets, one behind the other."""

    __slots__ = ("_raw",)
    droppable = False

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    def bind(self, session: CoSession) -> bytes:
        """The packets. What it says from then on it says from there (`protocol.corrections`)."""
        session.corrections.astray = False
        return self._raw


def split(packets: bytes) -> Iterator[bytes]:
    """Whole packets that lie one behind the other, each by its size (u16) in front."""
    at = 0
    while at < len(packets):
        size = int.from_bytes(packets[at : at + 2], "little")
        yield packets[at : at + size]
        at += size
