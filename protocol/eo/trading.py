"""A trade between two players as this game's own window.

    click on a player   ->  Trade_Request             ->  Trade_Request, a box with yes and no
    yes                 ->  Trade_Accept              ->  Trade_Open, to both
    a thing dragged in  ->  Trade_Add, Trade_Remove   ->  Trade_Reply; Trade_Admin to who had agreed
    OK, or not          ->  Trade_Agree               ->  Trade_Spec, and Trade_Agree to the other
    both agree                                        ->  Trade_Use
    the window closes   ->  Trade_Close               ->  Trade_Close, to the other

The window lists amounts by kind, gold among them; what is in a bag is listed beside the bag, as in the pack.
With a new list a client takes it that nobody agrees. What Trade_Use lists it takes out of its pack and puts
into it by itself (ethanmoffat/EndlessClient: TradeUseHandler; sorokya/eoweb: trade-controller); what that
does not come to is told right behind it.

No packet takes the box of a request away, and its no is not told: it lapses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from eolib import (
    Item,
    TradeAdminServerPacket,
    TradeAgreeServerPacket,
    TradeCloseServerPacket,
    TradeItemData,
    TradeOpenServerPacket,
    TradeReplyServerPacket,
    TradeRequestServerPacket,
    TradeSpecServerPacket,
    TradeUseServerPacket,
)

from protocol.eo.belongings import GOLD, difference
from protocol.eo.figures import LONGEST_NAME, MOST_AMOUNT, NAMING
from protocol.eo.packets import bodies
from protocol.eo.session import ShownTrade
from protocol.eo.words import line
from world.events import TradeChanged, TradeEnded, TradeOpened
from world.wording import listed

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from eolib import Packet

    from protocol.eo.figures import Figures
    from protocol.eo.session import EoSession
    from protocol.outgoing import Outgoing
    from protocol.rendering import Renderings
    from world.bargain import Offered, TradeSide
    from world.mobile import Mobile

MOST_ROWS: Final = 10
"""Kinds that each side of the window is known to list (sorokya/reoserv: src/map/map/trade)."""

BESIDE: Final = "{} also offers {}."
"""What the window does not show, or only as any other of its kind."""

_NO_WEIGHT: Final = -1
"""In place of the weight that a client believes to carry: not known."""


class Draws(Protocol):
    """A view, as far as it is asked here."""

    figures: Figures

    def session_of(self, mobile: Mobile) -> EoSession | None:
        """The client of this game that plays it."""


V = TypeVar("V", bound=Draws)


def declare(events: Renderings[V, Hashable]) -> None:
    """Register how trades are shown."""
    events.renders(TradeOpened)(opened)
    events.renders(TradeChanged)(changed)
    events.renders(TradeEnded)(ended)


def request(figures: Figures, asker: Mobile) -> TradeRequestServerPacket:
    """The question whether one would trade with somebody."""
    return TradeRequestServerPacket(
        partner_player_id=figures.player_id(asker), partner_player_name=_name(asker)
    )


def opened(view: Draws, event: TradeOpened, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
    """Trade_Open."""
    session, mobile, other = view.session_of(event.thing), event.thing, event.other
    if session is None:
        return ()
    session.trade = ShownTrade(view.figures.player_id(other))
    return bodies(
        TradeOpenServerPacket(
            partner_player_id=session.trade.partner,
            partner_player_name=_name(other),
            your_player_id=session.player_id,
            your_player_name=_name(mobile),
        )
    )


def changed(view: Draws, event: TradeChanged, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
    """Trade_Reply, or Trade_Admin to who had agreed; Trade_Spec or Trade_Agree if only who agrees has
    changed."""
    session = view.session_of(event.thing)
    if session is None or session.trade is None:
        return ()
    shown, own, theirs = session.trade, event.own, event.theirs
    packets: list[Packet] = []
    words: Sequence[Outgoing] = ()
    if event.changes != shown.changes:
        blocks = _blocks(session, view.figures, event)
        kind = TradeAdminServerPacket if shown.agrees else TradeReplyServerPacket
        packets.append(kind(trade_data=blocks))
        shown.changes, shown.agrees, shown.partner_agrees = event.changes, False, False
        words = _beside(view.figures, event, shown)
    if own.agreed != shown.agrees:
        shown.agrees = own.agreed
        packets.append(TradeSpecServerPacket(agree=own.agreed))
    if theirs.agreed != shown.partner_agrees:
        shown.partner_agrees = theirs.agreed
        packets.append(TradeAgreeServerPacket(partner_player_id=shown.partner, agree=theirs.agreed))
    return *bodies(*packets), *words


def ended(view: Draws, event: TradeEnded, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
    """Trade_Use with what changed hands, or Trade_Close."""
    session = view.session_of(event.thing)
    if session is None or session.trade is None:
        return ()
    figures, belief, shown = view.figures, session.belongings, session.trade
    given, received = _blocks(session, figures, event)
    close = TradeCloseServerPacket(partner_player_id=shown.partner)
    session.trade = None
    if not event.done:
        return bodies(close)
    end: Packet = TradeUseServerPacket(trade_data=(given, received))
    if any(belief.inventory.get(item.id, 0) < item.amount for item in given.items):
        end = close  # it has been told already what it gave away, or never knew that it had it
    else:
        for item in given.items:
            belief.owns(item.id, belief.inventory.get(item.id, 0) - item.amount)
        for item in received.items:
            belief.owns(item.id, belief.inventory.get(item.id, 0) + item.amount)
        belief.weight = _NO_WEIGHT  # some clients reckon it, and others do not
    return bodies(end, *difference(belief, figures, event.thing))


def _blocks(
    session: EoSession, figures: Figures, event: TradeChanged | TradeEnded
) -> tuple[TradeItemData, TradeItemData]:
    """Lists of what both offer, its own first."""
    female, shown = event.thing.female, session.trade
    partner = shown.partner if shown is not None else 0
    own, theirs = (_rows(figures, side, female=female)[0] for side in (event.own, event.theirs))
    return (
        TradeItemData(player_id=session.player_id, items=own),
        TradeItemData(player_id=partner, items=theirs),
    )


def _rows(figures: Figures, side: TradeSide, *, female: bool) -> tuple[list[Item], list[Offered]]:
    """Rows of one side for a reader of that sex, and what has no room there or no look."""
    amounts = {GOLD: side.gold} if side.gold else {}
    beyond: list[Offered] = []
    waiting = list(side.things)
    for one in waiting:
        waiting += one.inside
        look = figures.looks.items.get(one.template.key)
        number = 0 if look is None else look.female_id if female else look.id
        if not number or (number not in amounts and len(amounts) >= MOST_ROWS):
            beyond.append(one)
        else:
            amounts[number] = min(amounts.get(number, 0) + one.amount, MOST_AMOUNT)
    return [Item(id=number, amount=amount) for number, amount in amounts.items()], beyond


def _beside(figures: Figures, event: TradeChanged, shown: ShownTrade) -> Sequence[Outgoing]:
    """Words about what the window does not show of the other's offer, or shows without the name that it
    has; not twice the same."""
    _, beyond = _rows(figures, event.theirs, female=event.thing.female)
    named = [one for one in event.theirs.things if one.name and one not in beyond]
    labels = [one.label for one in (*named, *beyond)]
    if labels == shown.beside:
        return ()
    shown.beside = labels
    return line(BESIDE.format(event.other.name, listed(labels))) if labels else ()


def _name(mobile: Mobile) -> str:
    return NAMING.of(mobile).lower()[:LONGEST_NAME]
