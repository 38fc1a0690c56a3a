"""Declarations of each game's view: how it shows every kind of event and every flag of changed state, or why
it leaves it out.

A view that handles events in one long `match` forgets the next kind in silence. So each view has one
`Renderings`, in which a handler is registered for each kind that it shows and a reason is given for each that
it does not; likewise for the flags of `world.delta`. `missing` names the undeclared ones: a server with such
a view does not start, and `causeway check` tells. `causeway views` prints it all as the tables of
docs/views.md.

    EVENTS: Renderings[ToyView, ToyDialect] = Renderings()

    class ToyView:
        @EVENTS.renders(Stepped)
        def stepped(self, event: Stepped, audience: Hashable, dialect: ToyDialect) -> Sequence[Outgoing]:
            '''A packet with the new tile. ...'''

        def event(self, event: Event, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
            return EVENTS.handlers[type(event)](self, event, audience, dialect)

    EVENTS.leaves_out(SetOut, because="its clients are sent every step")

The lookup in `event` costs one dict access: events are the hot path of a busy world. An event of an
undeclared kind (a script defines it) is shown as a line of words, in the way in which the view shows a line
of the server's: no client misses that something happened.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Final, Generic, TypeAlias, TypeVar, cast, get_args

import attrs

from protocol.outgoing import Outgoing
from world.audience import Relation
from world.delta import ItemDelta, MobileDelta, flags_of
from world.events import (
    BoardOpened,
    Event,
    GuildChanged,
    GuildMemberChanged,
    GuildOpened,
    MailListed,
    Moment,
    PartyChanged,
    PartyShared,
    PartyStirred,
    Said,
    Speech,
    TradeChanged,
    TradeEnded,
    TradeOpened,
)
from world.social_events import TOLD

V = TypeVar("V")
D = TypeVar("D")
E = TypeVar("E", bound=Event)

KINDS: Final[Sequence[type[Event]]] = get_args(Moment)
"""Every kind of event of the world's own."""

FLAGS: Final[Mapping[str, type]] = {"mobile": MobileDelta, "item": ItemDelta}
"""Whose changed state there are flags of."""


@attrs.frozen
class Shown:
    """Shown, with a sentence that says how."""

    how: str


@attrs.frozen
class LeftOut:
    """Not shown, with the reason."""

    because: str


Declaration: TypeAlias = Shown | LeftOut

Handler: TypeAlias = Callable[[V, Event, Hashable, Hashable], Sequence[Outgoing]]


class _Handlers(dict[type[Event], Handler[V]]):
    """By kind of event; those that are not registered have words."""

    def __missing__(self, kind: type[Event]) -> Handler[V]:
        return self.in_words

    def in_words(self, view: V, event: Event, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """A line of the server's that says what happened, if there is anything to say."""
        words = event.words(own=audience == Relation.SELF)
        if words is None or Said not in self:
            return []
        return self[Said](view, Said(None, Speech.SYSTEM, words, ()), None, dialect)


class Declared:
    """Declarations of one game's view: everything it shows and leaves out."""

    def __init__(self) -> None:
        self.events: dict[type[Event], Declaration] = {}
        """How each kind of event is shown, or why it is not."""
        self.flags: dict[type, dict[int, Declaration]] = {}
        """The same of changed state, by the class of the flags (`FLAGS`)."""

    def changes(self, flags: type, declared: Mapping[int, Declaration]) -> None:
        """Declare how a change of each of these flags of `world.delta` is shown, or why not: `changed` itself
        goes by several at once. Raises ValueError for a flag that the class does not have."""
        known = set(flags_of(flags).values())
        unknown = [flag for flag in declared if flag not in known]
        if unknown:
            raise ValueError(f"{flags.__name__} has no {', '.join(map(hex, unknown))}")
        self.flags[flags] = dict(declared)

    def missing(self) -> list[str]:
        """Everything that is neither shown nor left out with a reason, in lines for operators."""
        lines = [
            f"its view says nothing of events of the kind {kind.__name__}"
            for kind in KINDS
            if kind not in self.events
        ]
        for flags in FLAGS.values():
            declared = self.flags.get(flags, {})
            lines += (
                f"its view says nothing of {flags.__name__}.{name}"
                for name, flag in flags_of(flags).items()
                if flag not in declared
            )
        return lines

    def _declare(self, kind: type[Event], declaration: Declaration) -> None:
        if kind in self.events:
            raise ValueError(f"{kind.__name__} has been declared before")
        self.events[kind] = declaration


class Renderings(Declared, Generic[V, D]):
    """The declarations of a view V of dialects D, and its handlers."""

    def __init__(self) -> None:
        super().__init__()
        self.handlers: dict[type[Event], Handler[V]] = _Handlers()
        """What makes the messages of an event, by its kind; there is one for any kind."""

    def renders(
        self, kind: type[E]
    ) -> Callable[
        [Callable[[V, E, Hashable, D], Sequence[Outgoing]]],
        Callable[[V, E, Hashable, D], Sequence[Outgoing]],
    ]:
        """Register a handler for a kind of event. Its docstring's first line says how that is shown. Raises
        ValueError if it has none, or if the kind has been declared before."""

        def register(
            handler: Callable[[V, E, Hashable, D], Sequence[Outgoing]],
        ) -> Callable[[V, E, Hashable, D], Sequence[Outgoing]]:
            text = inspect.getdoc(handler)
            if not text:
                raise ValueError(f"{handler.__name__} does not say how it shows {kind.__name__}")
            self._declare(kind, Shown(_first_sentence(text)))
            self.handlers[kind] = cast("Handler[V]", handler)  # it is looked up by the type of its event
            return handler

        return register

    def tells(self, *kinds: type[Event]) -> None:
        """Declare kinds of events that its clients read as the line of words that each says of itself. Raises
        ValueError if one has been declared before."""
        for kind in kinds:
            self._declare(kind, Shown("a line of words"))

    def leaves_out(self, kind: type[Event], *, because: str) -> None:
        """Say why a kind of event is not shown: in a sentence for people who ask why they see nothing. Raises
        ValueError if the kind has been declared before."""
        self._declare(kind, LeftOut(because))
        self.handlers[kind] = _nothing


def asks_at_boards(events: Renderings[V, D]) -> None:
    """Declare that a game has no window of its own for boards: its players are asked by dialogs
    (`world.bulletins`)."""
    events.leaves_out(BoardOpened, because="a board asks by a dialog what one would like")


def tells_of_acquaintances(events: Renderings[V, D], *native: type[Event]) -> None:
    """Declare that a game has no window of its own for friends, letters and duels, but for the `native` kinds
    of events: its players read lines of words, and letters are listed by a dialog (`world.postage`)."""
    events.tells(*(kind for kind in TOLD if kind not in native))
    if MailListed not in native:
        events.leaves_out(MailListed, because="letters are listed by a dialog")


def asks_of_guilds(events: Renderings[V, D]) -> None:
    """Declare that a game has no window of its own for guilds: its players are asked by dialogs
    (`world.guild_hall`)."""
    events.leaves_out(GuildOpened, because="whoever looks at its guild is asked by a dialog")
    events.leaves_out(GuildChanged, because="a line tells each change")
    events.leaves_out(GuildMemberChanged, because="a line tells who comes, goes and is promoted")


def tells_of_trades(events: Renderings[V, D]) -> None:
    """Declare that a game has no window for trades between players: they read in words what is offered, and
    answer by typing."""
    events.tells(TradeOpened, TradeChanged)
    events.leaves_out(TradeEnded, because="a line says why it is off, or what was given when that is on disk")


def tells_of_parties(events: Renderings[V, D]) -> None:
    """Declare that a game has no window of its own for parties: its players read who comes and goes."""
    events.tells(PartyChanged)
    events.leaves_out(PartyStirred, because="there is no window for it; who is of the party tells `party`")
    events.leaves_out(PartyShared, because="each reads its own share, and nothing draws those of the others")


def tells_of_company(events: Renderings[V, D], *native: type[Event]) -> None:
    """Declare that a game has no windows of its own for guilds, parties and trades, and none for friends,
    letters and duels but for the `native` kinds of events (`tells_of_acquaintances`)."""
    asks_of_guilds(events)
    tells_of_parties(events)
    tells_of_trades(events)
    tells_of_acquaintances(events, *native)


def _nothing(view: object, event: Event, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
    return []


def _first_sentence(text: str) -> str:
    """The first sentence of a docstring, as one line and without its full stop."""
    paragraph = " ".join(text.partition("\n\n")[0].split())
    return paragraph.partition(". ")[0].removesuffix(".")
