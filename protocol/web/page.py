"""Lines, colours and words for the page around the game: implements `protocol.page.Page`."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from protocol.web.packets import entering, people
from protocol.web.packets.login import Ticket
from protocol.web.packets.motion import Moves
from protocol.web.packets.people import Change, Hide
from protocol.web.packets.status import Counts, Event, Time
from protocol.web.words import blow, gestured, said, words_of
from world import events

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from protocol.denials import Denied
    from protocol.web.figures import Figures
    from protocol.web.packets.people import Show
    from world.content import TileKind
    from world.events import Why
    from world.item import Item
    from world.mobile import Mobile
    from world.realm import Realm

T = TypeVar("T")


class Told:
    """Implements `protocol.page.Figure`."""

    __slots__ = ("_figures", "_frame", "_show", "heading", "thing", "x", "y")

    def __init__(self, figures: Figures, thing: Mobile | Item, show: Show) -> None:
        self._figures = figures
        self.thing = thing
        self.x, self.y, self.heading = show.x, show.y, show.heading
        self._put(show)

    def _put(self, show: Show) -> None:
        self._show = show
        self._frame: tuple[bytes, bytes] | None = None

    @property
    def game(self) -> str:
        """See Figure."""
        return self._show.game

    def line(self) -> bytes:
        """See Figure. All but the place is encoded once: for newcomers, and for who went far."""
        show = self._show
        if self._frame is None:
            # In a text each quotation mark has a backslash before it, so that these are no part of one.
            place, heading = b',"x":%d,"y":%d' % (show.x, show.y), b',"heading":%d' % show.heading
            before, _, after = show.encode().partition(place)
            self._frame = before, after.replace(heading, b"", 1)
        before, after = self._frame
        return b'%s,"x":%d,"y":%d,"heading":%d%s' % (before, self.x, self.y, self.heading, after)

    def become(self, thing: Mobile | Item) -> bytes:
        """See Figure."""
        show = self._figures.show(thing)
        if show is None:
            return b""
        change = _difference(self._show, show)
        self.thing = thing
        self._put(show)
        return change.encode() if change is not None else b""


class WebPage:
    """Implements `protocol.page.Page`."""

    def __init__(self, figures: Figures) -> None:
        self._figures = figures

    def tile(self, kind: TileKind) -> tuple[str, str]:
        """See Page."""
        return self._figures.looks.tile(kind)

    def ticket(self, key: bytes) -> bytes:
        """See Page."""
        return Ticket(key.hex()).encode()

    def words_of(self, denied: Denied) -> str:
        """See Page."""
        return words_of(denied)

    def figure(self, thing: Mobile | Item) -> Told | None:
        """See Page."""
        show = self._figures.show(thing)
        return Told(self._figures, thing, show) if show is not None else None

    def realm(self, realm: Realm) -> bytes:
        """See Page."""
        return entering.Realm(realm.chart.name, realm.chart.title).encode()

    def moves(self, moves: Sequence[tuple[int, int, int, int]]) -> bytes:
        """See Page."""
        return Moves(moves).encode()

    def hide(self, serial: int, why: Why) -> bytes:
        """See Page."""
        return Hide(serial, why.name.lower()).encode()

    def act(self, act: events.Event) -> bytes:
        """See Page."""
        serial = act.thing.serial if act.thing is not None else 0
        match act:
            case events.Said():
                return said(act).encode()
            case events.Gestured():
                return gestured(act).encode()
            case events.Struck():
                return blow(act).encode()
            case events.Died():
                return people.Died(serial, act.corpse.serial if act.corpse is not None else 0).encode()
            case _:
                return people.Revived(serial).encode()

    def event(self, kind: str, text: str, at: float, game: str) -> bytes:
        """See Page."""
        return Event(kind, text, at, game).encode()

    def counts(self, online: Mapping[str, int], mobiles: int, items: int, viewers: int) -> bytes:
        """See Page."""
        return Counts(online, mobiles, items, viewers).encode()

    def time(self, hour: int, minute: int, rate: float) -> bytes:
        """See Page."""
        return Time(hour, minute, rate).encode()


def _difference(before: Show, now: Show) -> Change | None:
    """The difference between two shows of a thing, but for its place; None if there is none."""
    if before == now:
        return None
    change = Change(
        now.id,
        name=_new(before.name, now.name),
        title=_new(before.title, now.title),
        look=_new(before.look, now.look),
        game=_new(before.game, now.game),
        hits=_new(before.hits, now.hits),
        notoriety=_new(before.notoriety, now.notoriety),
        dead=_new(before.dead, now.dead),
        sitting=_new(before.sitting, now.sitting),
        level=_new(before.level, now.level),
        amount=_new(before.amount, now.amount),
    )
    return change if change != Change(now.id) else None


def _new(before: T, now: T) -> T | None:
    return now if now != before else None
