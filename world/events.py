"""Events: things that happen in the world and are not state.

A step, a word, a warp is recorded when it happens, together with the viewports that see it then
(`world.audience` finds them), and rendered at the end of the turn in the order of happening. State (hits,
name, hue ...) is not recorded here but flagged on its thing, see `world.delta`. Calling the views at once, as
many servers do, was not taken: a view would then see a half-changed world, and the bytes of one event could
not be shared by all its viewers.

A kind of event is a class derived of `Event`. Those of `Moment` are the world's own: every game's view says
of each of them how it is shown or why it is left out (`protocol.rendering`), and a server whose view says
neither does not start. A script may define further kinds; views that do not know one show it as the line of
words that the event says of itself.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, TypeAlias

import attrs

from world.growth_events import Advanced as Advanced
from world.growth_events import Gained as Gained
from world.growth_events import Practised as Practised
from world.guild_events import GuildChanged as GuildChanged
from world.guild_events import GuildMemberChanged as GuildMemberChanged
from world.guild_events import GuildOpened as GuildOpened
from world.party_events import PartyChanged as PartyChanged
from world.party_events import PartyShared as PartyShared
from world.party_events import PartyStirred as PartyStirred
from world.quest_events import JournalOpened as JournalOpened
from world.quest_events import QuestChanged as QuestChanged
from world.quest_events import QuestsRenewed as QuestsRenewed
from world.rules.combat import Manner as Manner
from world.rules.combat import Outcome as Outcome
from world.service_events import Asked as Asked
from world.service_events import BoardOpened as BoardOpened
from world.service_events import Closed as Closed
from world.service_events import CounterClosed as CounterClosed
from world.service_events import ShopOpened as ShopOpened
from world.service_events import Traded as Traded
from world.service_events import VaultOpened as VaultOpened
from world.sky import Occasion as Occasion
from world.sky import TimeSet as TimeSet
from world.sky import WeatherChanged as WeatherChanged
from world.social_events import DuelCounted as DuelCounted
from world.social_events import DuelEnded as DuelEnded
from world.social_events import FriendListed as FriendListed
from world.social_events import FriendStirred as FriendStirred
from world.social_events import IgnoreListed as IgnoreListed
from world.social_events import MailArrived as MailArrived
from world.social_events import MailListed as MailListed
from world.thing import Event as Event
from world.thing import Why as Why
from world.thing import called
from world.trade_events import TradeChanged as TradeChanged
from world.trade_events import TradeEnded as TradeEnded
from world.trade_events import TradeOpened as TradeOpened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.elsewhere import Person
    from world.item import Item
    from world.mobile import Mobile, Viewport
    from world.realm import Realm
    from world.thing import Thing


class Speech(enum.Enum):
    """Ways of speaking. The range of each is in `world.speech`."""

    SAY = "say"
    WHISPER = "whisper"
    YELL = "yell"
    EMOTE = "emote"
    TELL = "tell"
    PARTY = "party"
    GUILD = "guild"
    ALLIANCE = "alliance"
    GLOBAL = "global"
    ANNOUNCE = "announce"
    SYSTEM = "system"


class Motion(Event):
    """A mobile goes, comes to a halt or turns. Viewers that were just shown where it is do not receive it."""

    __slots__ = ()

    thing: Mobile

    def words(self, *, own: bool) -> str | None:
        """None: nobody wants to read every step."""
        return None


YOU_DIED: Final = "You are dead. Seek a healer to live again."
YOU_LIVE: Final = "You live again."

_ANYWHERE: Final = frozenset(
    {
        *(Speech.TELL, Speech.SYSTEM, Speech.GLOBAL, Speech.ANNOUNCE),
        *(Speech.PARTY, Speech.GUILD, Speech.ALLIANCE),
    }
)
"""Words that do not come from somebody in sight."""


@attrs.define
class Entered(Event):
    """A thing appeared in a realm."""

    thing: Thing

    def words(self, *, own: bool) -> str | None:
        """Line that names the newcomer."""
        return None if own else f"{called(self.thing)} appears."


@attrs.define
class Left(Event):
    """A thing ceased to be in its realm. `viewers` are the viewports that covered its last place."""

    thing: Thing
    why: Why
    viewers: Sequence[Viewport]

    def words(self, *, own: bool) -> str | None:
        """Line that names the thing that is gone."""
        return None if own else f"{called(self.thing)} is gone."


@attrs.define
class Stepped(Motion):
    """A mobile went from one tile to a neighbouring one, facing `heading` then (the way it went, except when
    it sits down or stands up). `viewers` cover the new tile, `lost` only the old one."""

    thing: Mobile
    from_x: int
    from_y: int
    x: int
    y: int
    heading: int
    run: bool
    viewers: Sequence[Viewport]
    lost: Sequence[Viewport]
    journey: bool = False
    """Whether it is part of a way whose end `SetOut` told."""


@attrs.define
class Jumped(Motion):
    """A mobile jumped from one tile to another, facing `heading` then. `viewers` cover the new tile, `lost`
    only the old one."""

    thing: Mobile
    from_x: int
    from_y: int
    x: int
    y: int
    heading: int
    viewers: Sequence[Viewport]
    lost: Sequence[Viewport]


@attrs.define
class SetOut(Motion):
    """A mobile goes by itself from (x, y) to (to_x, to_y), along a straight line. Clients that draw this as
    one motion receive none of its steps, but the place where it is stopped (`Halted`)."""

    thing: Mobile
    x: int
    y: int
    to_x: int
    to_y: int
    run: bool
    viewers: Sequence[Viewport]


@attrs.define
class Turned(Motion):
    """A mobile faces another way, standing at (x, y). `forced`: not at the wish of its own client, which
    therefore receives it, too. `crossed`: at its wish, but the world may have turned it the other way before
    that arrived; a client that has no other way to find out is told in the end how it faces."""

    thing: Mobile
    x: int
    y: int
    heading: int
    viewers: Sequence[Viewport]
    forced: bool = False
    crossed: bool = False


@attrs.define
class Halted(Motion):
    """A mobile that went on by itself, as its client draws it, stopped. Viewers that received each step know
    that already. `arrived`: it is where `SetOut` said that it would be."""

    thing: Mobile
    x: int
    y: int
    heading: int
    viewers: Sequence[Viewport]
    arrived: bool = False


@attrs.define
class Warped(Event):
    """A mobile is elsewhere at once. `lost` are the viewports that covered its old place."""

    thing: Mobile
    from_realm: Realm
    from_x: int
    from_y: int
    lost: Sequence[Viewport]

    def words(self, *, own: bool) -> str | None:
        """Line for its player, that it is elsewhere; for others, that it is gone."""
        return "You are elsewhere." if own else f"{called(self.thing)} is gone."


@attrs.define
class Taken(Event):
    """An item left its wearer or its container. `holder` is the wearer, or the outermost container or mobile;
    `container` is the one it was in, if it was not worn. `viewers` saw it there: its owner's viewport, or all
    that see the wearer or the container on the ground, whether they looked into that or not."""

    thing: Item
    holder: Mobile | Item
    viewers: Sequence[Viewport]
    container: Item | None = None

    def words(self, *, own: bool) -> str | None:
        """Line that names the item."""
        return f"{called(self.thing)} is taken."


@attrs.define
class Bounced(Event):
    """A held item went back to its old place, and not because its holder's own client had put it down."""

    thing: Mobile
    item: Item
    viewers: Sequence[Viewport]

    def words(self, *, own: bool) -> str | None:
        """Line for the holder, that names the item."""
        return f"{called(self.item)} goes back where it was." if own else None


@attrs.define
class Said(Event):
    """Words. `thing` is None for those without a speaker (system, announcements from the console).

    `name` is the speaker's. `hue` and `font` are the speaker's wish where a game has such.
    """

    thing: Mobile | Item | None
    how: Speech
    text: str
    viewers: Sequence[Viewport]
    name: str = "System"
    hue: int = 0
    font: int = 3
    language: str = "ENU"
    private: bool = False
    """Whether nobody but its viewers may read it, whatever is shown of a realm elsewhere: words of ghosts, of
    which the living hear something else."""
    means: enum.Enum | None = None
    """What a line of the server's says, no more and no less: a game may have a text of its own for that."""
    afar: Person | None = None
    """The speaker, if it is a character of another world; `thing` is None then."""

    @property
    def spoken(self) -> bool:
        """Whether they are somebody's: a line of the server's is nobody's."""
        return self.thing is not None or self.afar is not None

    @property
    def anywhere(self) -> bool:
        """Whether the words do not come from a speaker in sight: those for one player, a company or
        everybody."""
        return self.how in _ANYWHERE

    def words(self, *, own: bool) -> str | None:
        """Line of the words and the speaker's name."""
        return self.text if self.how is Speech.SYSTEM else f"{self.name}: {self.text}"


@attrs.define
class Gestured(Event):
    """A mobile makes a gesture of `EMOTES` (world.speech): bow, salute, laugh ..."""

    thing: Mobile
    gesture: str
    viewers: Sequence[Viewport]

    def words(self, *, own: bool) -> str | None:
        """Line that names the gesture."""
        return f"{called(self.thing)}: *{self.gesture}*"


@attrs.define
class Swung(Event):
    """A mobile strikes at the tile ahead of it."""

    thing: Mobile
    heading: int
    viewers: Sequence[Viewport]

    def words(self, *, own: bool) -> str | None:
        """Line that names the attacker."""
        return None if own else f"{called(self.thing)} strikes a blow."


@attrs.define
class Struck(Event):
    """A mobile struck at another, which lost `damage` hits (0 unless it was hit) and faces the attacker or
    not. `ms` is the time until the attacker's next blow, to which views stretch the picture. Viewers see the
    attacker or the one struck. What the blow leads to (`Died`) is an event of its own, after this one."""

    thing: Mobile
    target: Mobile
    outcome: Outcome
    damage: int
    manner: Manner
    ms: int
    viewers: Sequence[Viewport]
    two_handed: bool = False
    left: int = attrs.field(init=False)
    """Hits that the one struck has left after it; it has them still when this is made."""

    def __attrs_post_init__(self) -> None:
        self.left = max(0, self.target.hits - self.damage)

    def words(self, *, own: bool) -> str | None:
        """Line that says who struck whom, and how hard."""
        attacker = "You" if own else called(self.thing)
        if self.outcome in (Outcome.HIT, Outcome.CRITICAL):
            verb = "hit" if own else "hits"
            hard = ", and hard" if self.outcome is Outcome.CRITICAL else ""
            return f"{attacker} {verb} {called(self.target)} for {self.damage}{hard}."
        if self.outcome is Outcome.BLOCKED:
            return f"{called(self.target)} blocks {'your blow' if own else f'a blow of {attacker}'}."
        return f"{attacker} {'miss' if own else 'misses'} {called(self.target)}."


@attrs.define
class Engaged(Event):
    """A mobile begins to fight another, blow after blow, or turns from one enemy to another."""

    thing: Mobile
    target: Mobile
    viewers: Sequence[Viewport]

    def words(self, *, own: bool) -> str | None:
        """Line that says whom it attacks."""
        return f"You attack {called(self.target)}." if own else None


@attrs.define
class Disengaged(Event):
    """A mobile strikes no more: it stopped, or its enemy is dead, gone or given up."""

    thing: Mobile
    viewers: Sequence[Viewport]

    def words(self, *, own: bool) -> str | None:
        """None: the last blow, or the death, has said it."""
        return None


@attrs.define
class Mended(Event):
    """A mobile was healed by a potion, a bandage or another mobile, of `hits` hits."""

    thing: Mobile
    hits: int
    viewers: Sequence[Viewport]

    def words(self, *, own: bool) -> str | None:
        """Line with the hits, for its player."""
        return f"You are healed by {self.hits}." if own else None


@attrs.define
class Died(Event):
    """A mobile died. `corpse` is what is left of it on the ground, `by` who dealt the last blow."""

    thing: Mobile
    viewers: Sequence[Viewport]
    corpse: Item | None = None
    by: Mobile | None = None

    def words(self, *, own: bool) -> str | None:
        """Line that names the dead; for its player, advice."""
        return YOU_DIED if own else f"{called(self.thing)} dies."


@attrs.define
class Revived(Event):
    """A ghost lives again."""

    thing: Mobile
    viewers: Sequence[Viewport]

    def words(self, *, own: bool) -> str | None:
        """Line that names the living."""
        return YOU_LIVE if own else f"{called(self.thing)} lives again."


@attrs.define
class Opened(Event):
    """A door opened at a tile."""

    thing: Mobile
    x: int
    y: int
    viewers: Sequence[Viewport]

    def words(self, *, own: bool) -> str | None:
        """Line that says that there is a door."""
        return "A door opens."


Moment: TypeAlias = (
    Entered
    | Left
    | Stepped
    | Jumped
    | SetOut
    | Turned
    | Halted
    | Warped
    | Taken
    | Bounced
    | Said
    | Gestured
    | Swung
    | Struck
    | Engaged
    | Disengaged
    | Gained
    | Advanced
    | Practised
    | Mended
    | Asked
    | Closed
    | Died
    | Revived
    | Opened
    | ShopOpened
    | Traded
    | VaultOpened
    | CounterClosed
    | BoardOpened
    | PartyChanged
    | PartyStirred
    | PartyShared
    | QuestChanged
    | JournalOpened
    | QuestsRenewed
    | GuildOpened
    | GuildChanged
    | GuildMemberChanged
    | TradeOpened
    | TradeChanged
    | TradeEnded
    | WeatherChanged
    | TimeSet
    | FriendStirred
    | FriendListed
    | IgnoreListed
    | MailArrived
    | MailListed
    | DuelCounted
    | DuelEnded
)
"""The world's own kinds."""
