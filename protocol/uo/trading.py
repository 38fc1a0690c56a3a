"""Trades between players as this game's own window (0x6F).

    drop on a player, or a word  ->  0x11 0x25 0x25 0x6F  a window with two containers
    drop into the own one        ->  that is offered: 0x25 shows it in there, beside where it lies
    lift out of it               ->  it is offered no more, or less of it
    0x6F                         <-  agree, gold as a number, close

Both containers, and all that lies in them, exist for this client alone: what is offered stays in its owner's
pack until both agree (`world.trade`), where it can be seen as well. So everything in the window has a serial
of its own, behind those of shops (`counters`), which follows from the serial of what it stands for; the
containers' follow from the partner, so that a click in a window that is closed by now means nothing. What was
shown last the session keeps, since an offer is told whole.

Gold that is offered as a number is a heap among the things for clients whose window has no field for it. What
the window cannot show (what is in a bag, one's own number in a client that did not type it) says the line
that comes with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from protocol.uo import figures as look
from protocol.uo import sheets
from protocol.uo.packets import bodies
from protocol.uo.packets.things import ContainedItem, ContainedItemOld, PropertiesRevision, Removed
from protocol.uo.packets.trading import TradeDeed, TradeShut, TradeState, TradeWindow
from protocol.uo.words import system_message
from protocol.wire.body import Body
from world import dealing, holding
from world.bargain import GOLD, TradeSide
from world.events import TradeChanged, TradeEnded, TradeOpened
from world.trade import MOST_OFFERED

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping, Sequence

    from protocol.outgoing import Outgoing
    from protocol.rendering import Renderings
    from protocol.uo.figures import Figures
    from protocol.uo.packets.things import Properties
    from protocol.uo.session import UoSession
    from protocol.uo.versions import UoVersion
    from world.bargain import Offered
    from world.mobile import Mobile

FIRST_BOX: Final = 0x7EE00000
FIRST_OFFER: Final = 0x7EF00000
SERIALS: Final = 0x100000
"""Serials of the containers, two for each partner, and of what lies in them: so many of each, up to those of
hair (`figures`)."""

BOX: Final = 0x1E5E
"""Picture of such a container: ServUO, Server/Items/SecureTradeContainer.cs."""

MOST: Final = 60_000
"""Amount of one thing that a client shows."""
PLATINUM: Final = 1_000_000_000
"""Gold of one platinum: ServUO, Server/AccountGold.cs."""

FIRST_X, FIRST_Y, STEP = 30, 20, 25
"""Where things lie in a container, in pixels: six at most, in two rows of three."""

MOST_SHOWN: Final = 2 * (MOST_OFFERED + 1)
"""Things in both containers: all offers, and gold of each side."""

OWN_HEAP, THEIR_HEAP = 0, 1
"""Stand for serials of gold that is offered as a number, which no item has."""


class Draws(Protocol):
    """A view, as far as it is asked here."""

    figures: Figures


V = TypeVar("V", bound=Draws)


def boxes(partner: int) -> tuple[int, int]:
    """Serials of the two containers of a trade with somebody: one's own, and the partner's."""
    first = FIRST_BOX + partner * 2 % SERIALS
    return first, first + 1


def numbered(own: TradeSide, theirs: TradeSide) -> Mapping[int, Offered]:
    """All that is offered, by the serials that it has in the window: one's own, then the partner's."""
    found: dict[int, Offered] = {}
    for one in (*own.things, *theirs.things):
        found[_free(one.serial, found)] = one
    return found


def _free(serial: int, taken: Mapping[int, object]) -> int:
    number = serial % SERIALS
    while FIRST_OFFER + number in taken:
        number = (number + 1) % SERIALS
    return FIRST_OFFER + number


def is_offer(serial: int) -> bool:
    """Whether a serial is one of what lies in a trade's containers."""
    return FIRST_OFFER <= serial < FIRST_OFFER + SERIALS


def is_box(serial: int) -> bool:
    """Whether a serial is one of a trade's container."""
    return FIRST_BOX <= serial < FIRST_BOX + SERIALS


def offered(mobile: Mobile, serial: int) -> tuple[Offered, bool] | None:
    """The thing for which a serial stands in a mobile's trade as it is now, and whether that is its own; None
    if there is nothing of that serial, or it is a heap of gold."""
    trade = mobile.trade
    if trade is None:
        return None
    own = trade.side(mobile).copy()
    one = numbered(own, trade.against(mobile).copy()).get(serial)
    return None if one is None else (one, one in own.things)


def tooltip(mobile: Mobile, serial: int) -> Properties | None:
    """0xD6 of something in the window; None if there is nothing of that serial."""
    found = offered(mobile, serial) if is_offer(serial) else None
    return None if found is None else _words(serial, found[0], mobile)


def _words(serial: int, one: Offered, mobile: Mobile) -> Properties:
    return look.property_list(serial, look.ANY_TEXT, label(one, mobile))


def label(one: Offered, mobile: Mobile) -> str:
    """Name of something in the window, with what is in it."""
    return dealing.in_words(TradeSide((one,)), mobile)


class Gone:
    """0x1D of something that is in the window no more: bound, because only its client knows what it shows.
    One packet at a time, since a client unpacks each by itself."""

    __slots__ = ("_stays",)
    droppable = False

    def __init__(self, stays: Collection[int]) -> None:
        self._stays = frozenset(stays)

    def bind(self, session: UoSession) -> bytes:
        """The packet; nothing if all that is shown stays."""
        stale = session.trade.serials - self._stays
        if not stale:
            return b""
        serial = min(stale)
        session.trade.serials.remove(serial)
        return Removed(serial).encode()


class Lies:
    """0x25 of something in the window, of which its client's session takes note."""

    __slots__ = ("_raw", "_serial")
    droppable = False

    def __init__(self, serial: int, raw: bytes) -> None:
        self._serial = serial
        self._raw = raw

    def bind(self, session: UoSession) -> bytes:
        """The packet."""
        session.trade.serials.add(self._serial)
        return self._raw


class Agreed:
    """0x6F of who agrees, after all that there is to agree to."""

    __slots__ = ("_changes", "_raw")
    droppable = False

    def __init__(self, packet: TradeState, changes: int) -> None:
        self._raw = packet.encode()
        self._changes = changes

    def bind(self, session: UoSession) -> bytes:
        """The packet."""
        session.trade.changes = self._changes
        return self._raw


class PartnersBox:
    """0x25 of the partner's container: bound, because it hangs on a mobile that its client knows, and in a
    great crowd that may not be the partner. ClassicUO ignores what hangs on nobody."""

    __slots__ = ("_partner", "_version")
    droppable = False

    def __init__(self, partner: Mobile, version: UoVersion) -> None:
        self._partner = partner.serial
        self._version = version

    def bind(self, session: UoSession) -> bytes:
        """The packet."""
        holder = self._partner
        if session.mobile is not None and holder not in session.known:
            holder = session.mobile.serial
        return _lies((boxes(self._partner)[1], BOX, 1, 0, 0), holder, 0, self._version)


def _lies(head: tuple[int, int, int, int, int], holder: int, hue: int, version: UoVersion) -> bytes:
    """0x25: serial, picture, amount and place (x, y) of something in a container, or on a mobile."""
    if version.grid:
        return ContainedItem(*head, 0, holder, hue).encode()
    return ContainedItemOld(*head, holder, hue).encode()


# Events


def opened(view: Draws, event: TradeOpened, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
    """0x25 for two containers, 0x6F opens the window with them; the gold that there is, where it has a field
    for that; and a line."""
    mobile, other = event.thing, event.other
    own, theirs = boxes(other.serial)
    told: list[Outgoing] = bodies(sheets.compact_status(other))
    told += [PartnersBox(other, version), Body(_lies((own, BOX, 1, 0, 0), mobile.serial, 0, version))]
    told += bodies(
        TradeWindow(TradeDeed.OPEN, other.serial, own, theirs, True, other.name),
        TradeState(TradeDeed.AGREE, own, 0, 0),
    )
    if version.trade_gold:
        told += bodies(ledger(mobile, other))
    return [*told, *bodies(system_message(event.words(own=True) or ""))]


def ledger(mobile: Mobile, other: Mobile) -> TradeState:
    """0x6F kind 4: the gold of which a player may offer some in its trade with another."""
    gold = holding.gold(mobile)
    return TradeState(TradeDeed.LEDGER, boxes(other.serial)[0], gold % PLATINUM, gold // PLATINUM)


def state(other: int, own: TradeSide, theirs: TradeSide) -> TradeState:
    """0x6F kind 2: who agrees in a trade with somebody."""
    return TradeState(TradeDeed.AGREE, boxes(other)[0], own.agreed, theirs.agreed)


def changed(view: Draws, event: TradeChanged, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
    """0x25 and 0x1D for what is offered, 0x6F for who agrees and for the partner's gold; and a line."""
    figures, mobile, other = view.figures, event.thing, event.other
    sides = list(zip(boxes(other.serial), (event.own, event.theirs), (OWN_HEAP, THEIR_HEAP), strict=True))
    serials = {id(one): serial for serial, one in numbered(event.own, event.theirs).items()}
    packets: dict[int, bytes] = {}
    tips: list[Properties] = []
    for box, side, heap in sides:
        place = 0
        for place, one in enumerate(side.things, 1):
            serial = serials[id(one)]
            art, hue = figures.picture(one.template)
            head = (serial, art, min(one.amount, MOST), *_spot(place - 1))
            packets[serial] = _lies(head, box, one.hue or hue, version)
            tips.append(_words(serial, one, mobile))
        if side.gold and not version.trade_gold:
            art, hue = figures.picture(mobile.world.content.items[GOLD])
            serial = _free(heap, {**dict.fromkeys(serials.values()), **packets})
            packets[serial] = _lies((serial, art, min(side.gold, MOST), *_spot(place)), box, hue, version)
    told: list[Outgoing] = [*_gone(packets), *(Lies(serial, raw) for serial, raw in packets.items())]
    if version.tooltips:
        told += bodies(*(PropertiesRevision(tip.serial, tip.revision) for tip in tips))
    if version.trade_gold:
        gold = event.theirs.gold
        told += bodies(TradeState(TradeDeed.GOLD, sides[0][0], gold % PLATINUM, gold // PLATINUM))
    told.append(Agreed(state(other.serial, event.own, event.theirs), event.changes))
    return [*told, *bodies(system_message(event.line))]


def _gone(stays: Collection[int]) -> list[Outgoing]:
    return [Gone(stays)] * MOST_SHOWN


def _spot(place: int) -> tuple[int, int]:
    return FIRST_X + STEP * (place % 3), FIRST_Y + STEP * (place // 3)


def ended(view: Draws, event: TradeEnded, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
    """0x6F closes the window, 0x1D takes away its containers; a line says why it is off, or what was given
    when that is on disk."""
    own, theirs = boxes(event.other.serial)
    shut = bodies(TradeShut(TradeDeed.CLOSE, own))
    return [*shut, *_gone(()), *bodies(Removed(own), Removed(theirs))]


def show(events: Renderings[V, UoVersion]) -> None:
    """Declare how trades are shown."""
    events.renders(TradeOpened)(opened)
    events.renders(TradeChanged)(changed)
    events.renders(TradeEnded)(ended)
