"""A trade between two players as this game's own window.

Its one message (UpdatePlayerTrade) holds both sides: things at six places each, and coins. What agrees it
says by its kind. The world has no places in an offer: where a thing lies is a matter of this client, and it
stays there as long as it is offered. Gold is always coins here, that of stacks, too, and a bag is shown with
what is in it, by name. The same is told in words, for the window shows less of it.

This window opens without asking, as on public servers, so nobody here is asked by a dialog whether it would
trade: who does not want to closes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from protocol.eq2.packets import (
    CANCELED,
    DONE,
    NOBODY,
    OFFERS,
    PARTNER_AGREES,
    TradeItem,
    UpdatePlayerTrade,
)
from protocol.eq2.words import STATUS, texts
from world import trade
from world.bargain import TradeSide
from world.trade_events import TradeChanged, TradeEnded, TradeOpened
from world.wording import listed

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from protocol.eq2.figures import Figures
    from protocol.eq2.session import Eq2Session
    from protocol.eq2.versions import Eq2Version
    from protocol.outgoing import Outgoing
    from protocol.rendering import Renderings
    from world.bargain import Offered
    from world.mobile import Mobile

PLACES: Final = trade.MOST_OFFERED
"""Of one side, in the window of clients up to 561."""

MOST_COINS: Final = 0xFFFF_FFFF
MOST_STACK: Final = 0xFFFF
LONGEST: Final = 200
"""Letters of a thing: its length is a byte."""

NOTHING: Final = TradeSide()


class Trader(Protocol):
    """A view, as far as trades go."""

    figures: Figures


V = TypeVar("V", bound=Trader)


def declare(events: Renderings[V, Eq2Version]) -> None:
    """Register how a trade is shown."""
    events.renders(TradeOpened)(opened)
    events.renders(TradeChanged)(changed)
    events.renders(TradeEnded)(ended)


def opened(view: Trader, event: TradeOpened, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
    """UpdatePlayerTrade, which opens the window, and a line of text."""
    line = event.words(own=True)
    told = texts(version, STATUS, line) if line is not None else ()
    return *_window(view, TradeWindow(event.other, NOTHING, NOTHING, first=True)), *told


def changed(view: Trader, event: TradeChanged, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
    """UpdatePlayerTrade with both offers, or that the other one agrees; and a line of text."""
    line = texts(version, STATUS, event.line)
    if event.own.agreed:
        # Its client knows that, and takes it back upon new offers.
        return line
    kind = PARTNER_AGREES if event.theirs.agreed else OFFERS
    return *_window(view, TradeWindow(event.other, event.own, event.theirs, kind)), *line


def ended(view: Trader, event: TradeEnded, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
    """UpdatePlayerTrade: it is done, or off. A line says why, or what was given when that is on disk."""
    kind = DONE if event.done else CANCELED
    return _window(view, TradeWindow(event.other, event.own, event.theirs, kind))


def as_it_is(mobile: Mobile, figures: Figures) -> Sequence[Outgoing]:
    """The window anew, for a client that may show a thing where it is not; nothing if there is no trade."""
    bargain = mobile.trade
    if bargain is None or not figures.rendering.trade_window:
        return ()
    own, theirs = bargain.side(mobile), bargain.against(mobile)
    kind = PARTNER_AGREES if theirs.agreed else OFFERS
    return (TradeWindow(theirs.mobile, own.copy(), theirs.copy(), kind),)


class TradeWindow:
    """Both sides of a trade, as they were when it was told of. `first`: the window opens."""

    __slots__ = ("_first", "_kind", "_other", "_own", "_theirs")
    droppable = False

    def __init__(
        self, other: Mobile, own: TradeSide, theirs: TradeSide, kind: int = OFFERS, *, first: bool = False
    ) -> None:
        self._other = other
        self._own = own
        self._theirs = theirs
        self._kind = kind
        self._first = first

    def bind(self, session: Eq2Session) -> bytes:
        """UpdatePlayerTrade. Notes where the things lie."""
        serial, own, theirs = self._other.serial, self._own.wares, self._theirs.wares
        places = session.trade_places = _placed({} if self._first else session.trade_places, own)
        known = serial in session.ghosts
        return session.dialect.encode(
            UpdatePlayerTrade(
                spawn_id=session.ghosts.called(serial) if known else NOBODY,
                kind=self._kind,
                things=tuple(_row(session, one, places[one.serial]) for one in own),
                gold=min(self._own.coins, MOST_COINS),
                their_things=tuple(_row(session, one, place) for place, one in enumerate(theirs)),
                their_gold=min(self._theirs.coins, MOST_COINS),
            )
        )


def _window(view: Trader, window: TradeWindow) -> Sequence[Outgoing]:
    return (window,) if view.figures.rendering.trade_window else ()


def _placed(before: Mapping[int, int], things: Sequence[Offered]) -> dict[int, int]:
    """The place of each of these things, by serial: where it was, or the first that is free."""
    places = {one.serial: before[one.serial] for one in things if one.serial in before}
    free = [place for place in range(PLACES) if place not in places.values()]
    for one in things:
        if one.serial not in places:
            places[one.serial] = free.pop(0)
    return places


def _row(session: Eq2Session, one: Offered, place: int) -> TradeItem:
    name = one.name or one.template.name
    if one.inside:
        name = f"{name} with {listed([inner.label for inner in one.inside])}"
    return TradeItem(name[:LONGEST], place, min(one.amount, MOST_STACK), session.icon(one.template))
