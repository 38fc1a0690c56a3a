"""An EverQuest II client's state, beyond what every session has.

Nearly all of it is what the client was shown last: this game sends differences, and its windows name what is
in them by places and numbers of their own. Nothing here is the world's: what a client writes, offers or
follows may be forgotten with it."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Protocol, cast

import attrs

from protocol.corrections import Corrections
from protocol.eq2.binding import bound, parted
from protocol.eq2.ghosts import Ghosts
from protocol.eq2.packets import MovementState
from protocol.eq2.stowed import Stowed
from protocol.session import Session
from world.arms import level_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from protocol.eq2.codec import Eq2Codec
    from protocol.eq2.looks import PropLook
    from protocol.eq2.packets import LootItem, Message
    from protocol.eq2.places import Place
    from protocol.eq2.structs import Figure
    from protocol.eq2.versions import Eq2Version
    from protocol.landmarks import Surroundings
    from protocol.outgoing import Outgoing, Part, Sendable
    from protocol.services import CharacterInfo
    from world.companions import MemberState
    from world.content import Chart, ItemTemplate
    from world.mobile import Mobile
    from world.paths import Search
    from world.social_events import Envelope
    from world.timers import Timer


class Kinds(Protocol):
    """Knows item templates by the numbers that clients have for them, and their pictures."""

    def icon(self, kind: ItemTemplate) -> int:
        """The picture of a kind in bags and windows."""

    def number_of_kind(self, template: str) -> int:
        """The number of an item template."""

    def kind_of_number(self, number: int) -> str | None:
        """The item template of a number."""


class Numbers(Protocol):
    """A view, as far as a session asks it for numbers."""

    figures: Kinds


class ZoneStage(enum.IntEnum):
    """Stages of loading a zone. Ascending."""

    NONE = 0
    """It has not been told of a zone."""
    ZONING = 1
    """It was sent ZoneInfo, and loads the zone."""
    SHOWN = 2
    """It was sent what is around."""
    OWN = 3
    """It was sent its own character."""
    READY = 4
    """It shows the world."""


@attrs.define
class Walk:
    """The way that the world has followed a client that moves by itself. Tiles are of its mobile's realm."""

    goal: tuple[int, int] | None = None
    """The tile of its mobile after all steps that wait."""
    paid: tuple[float, float] | None = None
    """Up to where its way has been charged for, in tiles and parts of them; None: the middle of the goal."""
    epoch: int = 0
    """How often its steps became void."""
    moving: bool = False
    """Whether it said in its last message that it moves."""
    rests: bool = False
    """Whether it stopped and nobody has been told yet."""
    put: Place | None = None
    """Where it is put when it is where it cannot be; None: where its mobile stands."""
    wall: tuple[int, int] | None = None
    """The tile that keeps its mobile from coming there, if it is one."""
    around_on: Chart | None = None
    """The chart that `around` is of."""
    around: dict[tuple[tuple[int, int], tuple[int, int]], tuple[list[int], tuple[int, int]]] = attrs.Factory(
        dict
    )
    """What `world.obstacles.around` found from a tile to a spot on another: what blocks in a chart never
    changes."""

    def forget(self) -> None:
        """Drop it: its mobile is where it is by other ways than its client's."""
        self.goal = self.paid = self.put = self.wall = None

    def begin_anew(self) -> None:
        """Drop it, and void the steps that wait."""
        self.forget()
        self.epoch += 1


@attrs.define(eq=False)
class Following:
    """Somebody whom a client follows by itself."""

    leader: Mobile
    watch: Timer | None = None
    """Looks now and then where the leader is."""
    guide: Figure | None = None
    """The ghost that it was shown to follow around what it does not see."""
    stands: tuple[int, int] | None = None
    """The tile of the guide."""
    goal: tuple[int, int] | None = None
    """Where the leader was when the guide was put there; None: the client goes straight to it."""
    sought: Search | None = None
    """The way that is looked for."""


@attrs.define
class GuildShown:
    """The guild that a client's window shows."""

    number: int = 0
    """0: it shows none."""
    members: Collection[int] = ()
    """Serials of those whom it has in its list."""


@attrs.define
class Post:
    """Letters, as a client's window has them, and what goes into the one that is written there. That stays in
    its player's pack until the letter is sent."""

    counter: int = 0
    """Serial of the banker or board where the window was opened; 0: it is closed."""
    listed: Sequence[Envelope] | None = None
    """What the list shows that was sent last; None: whatever there is has to be sent."""
    thing: int = 0
    """Serial of a thing; 0: none."""
    count: int = 0
    """So many of it."""
    gold: int = 0
    """Coins."""

    def empty(self) -> None:
        """Let nothing go with the letter."""
        self.thing = self.count = self.gold = 0


class Eq2Session(Session):
    """One connection of either kind: to the login door, or to the world."""

    codec: Eq2Codec
    dialect: Eq2Version
    """The client's version: numbers and layouts of its messages."""

    def begin(self) -> None:
        """See Session. The version is what the codec takes its client for, until that names its own."""
        self.dialect = self.codec.version
        self.stage = ZoneStage.NONE
        self.zone = ""
        """The zone file that the client was told to load."""
        self.untidy = False
        """Whether it loaded since the turn last compared what it has with what is there."""
        self.rezone: Callable[[], None] | None = None
        """Takes the client to the zone of its mobile's realm, if that is not the one it has loaded; set by
        the handler that brings it into the world."""
        self.ghosts = Ghosts()
        self.landmarks: Surroundings[PropLook] | None = None
        """What it has of them (`protocol.eq2.scenery`); None: nothing."""
        self.movement = bytes(self.dialect.size_of(MovementState))
        """The movement struct as the client last sent it; the next one differs from it by what it sends."""
        self.target = 0
        """Serial of what the client has targeted; 0: nothing."""
        self.looting = 0
        """Serial of the corpse that a window is about; 0: there is none."""
        self.loot_shown: Sequence[LootItem] = ()
        """What is in that corpse, as the window says."""
        self.stowed = Stowed()
        """What it was sent of its bags, its vault and what its character wears."""
        self.trade_places: dict[int, int] = {}
        """Where what its player offers lies in the window of a trade, by serial."""
        self.untracked: set[int] = set()
        """Quests that its player does not want to see on the screen, by number."""
        self.led_by = 0
        """The quest to whose place a line on its ground leads; 0: none does."""
        self.asked_at = float("-inf")
        """World time at which it was last told who is online."""
        self.sheet = b""
        """The character sheet as last sent."""
        self.fellows: list[MemberState] = []
        """The others of its character's party, as it was told of them, at their places of the sheet."""
        self.group = b""
        """The part of the sheet that shows them; nothing while there are none."""
        self.group_leader = 0
        """Serial of whoever leads the party."""
        self.guild = GuildShown()
        self.post = Post()
        self.characters: Sequence[CharacterInfo] = ()
        """As last listed."""
        self.lines: list[int] = []
        """Serials of the characters on its screen, in order, also of those that were deleted meanwhile."""
        self.watches_world = False
        """Whether it is told what becomes of the world that its list shows."""
        self.world_shown = (0, False)
        """How many players the list says, and whether the world is locked."""
        self.access_code = 0
        """The key by which the client came to the world, or will."""
        self.fallback: Timer | None = None
        """Shows the zone to a client that does not say that it loaded it."""
        self.walk = Walk()
        self.corrections = Corrections()
        """When it was and may be put back."""
        self.following: Following | None = None
        self.camp: Timer | None = None
        """Runs when its player has camped long enough; None: nobody camps."""

    def number_of_kind(self, template: str) -> int:
        """The number of an item template for clients, which begins to have one."""
        return cast("Numbers", self.family.view).figures.number_of_kind(template)

    def icon(self, kind: ItemTemplate) -> int:
        """The picture of a kind in bags and windows."""
        return cast("Numbers", self.family.view).figures.icon(kind)

    def kind_of_number(self, number: int) -> str | None:
        """The item template of a number; None if no client was shown one such."""
        return cast("Numbers", self.family.view).figures.kind_of_number(number)

    @property
    def level(self) -> int:
        """Level of its character."""
        return level_of(self.mobile) if self.mobile is not None else 1

    @property
    def version(self) -> Eq2Version:
        """The client's version, which views call its dialect. Set when it is known, for the codec as well."""
        return self.dialect

    @version.setter
    def version(self, version: Eq2Version) -> None:
        self.dialect = version
        self.codec.speak(version.index)
        self.movement = bytes(version.size_of(MovementState))

    def finished(self, messages: Sequence[Outgoing]) -> list[bytes]:
        """See Session."""
        return bound(messages, self)

    def parted(self, messages: Sequence[Outgoing], numbers: list[bytes]) -> list[Part]:
        """See Session."""
        return parted(messages, self, numbers)

    def encoded(self, packet: Sendable) -> bytes:
        """See Session."""
        return self.dialect.encode(cast("Message", packet))
