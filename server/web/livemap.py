"""The live map: everything that is to be seen in a realm, for people who only watch.

A turn notes no more than the serials of what it touched (`observe`). A task of its own (`run`) looks these up
between two turns, at most ten times a second, compares them with what those who watch their realm were told
last, and tells the difference: so whoever came and went in between is nothing, of ten steps the last place
counts, and a warp is a departure here and an arrival there. All who watch one realm get the same object,
encoded once.

There are no queues. A viewer whose socket has not taken its last message is passed over; once it has, it gets
all anew, as a newcomer does. Only the feed is kept while nobody watches: its last lines are what a newcomer
reads first.

Whose player wants it (`server.web.privacy`) is neither shown nor named, and only counts in the number of
those who are online; who hides does not even do that.
"""

from __future__ import annotations

import logging
import time
from collections import Counter, deque
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import attrs
import trio

from protocol.web import messages
from protocol.web.messages import Change, Counts, Event, Hide, Moves, Say, Time
from world.daytime import HOUR_SECONDS, MINUTE_SECONDS
from world.item import Item
from world.mobile import Mobile
from world.moments import Died, Entered, Gestured, Left, Revived, Said, Speech, Warped, Why

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from protocol.web.messages import Show
    from server.web.privacy import Privacy
    from world import moments
    from world.realm import Realm
    from world.thing import Thing
    from world.world import Changes, World

T = TypeVar("T")
log = logging.getLogger("net.web")

INTERVAL: Final = 0.1
"""Seconds between two updates at least."""
COUNT_SECONDS: Final = 1.0
"""Seconds between two counts of who is online at least: that looks at everybody."""
STRIDE: Final = 4
"""Tiles that somebody may go between two updates; who is farther off did not walk and is placed anew."""
REMEMBERED: Final = 30
"""Lines of the feed that are kept for each realm."""
RECENT: Final = 10
"""Of these a newcomer is told."""

PUBLIC_SPEECH: Final = frozenset({Speech.SAY, Speech.YELL, Speech.EMOTE})
"""What anybody near would hear. Global chat and announcements are lines of the feed."""

FILL_FREE: Final = 0.1
"""Seconds that it may take to tell a whole realm anew without any consequence..."""
FILL_SHARE: Final = 0.05
"""...and which part of the time it may take otherwise. With 20,000 creatures one such time is a turn of half
a second: whoever came and went all the time could stop the world."""

_FEED: Final = frozenset({Entered, Left, Warped, Died, Revived, Said})
_ACTS: Final = frozenset({Said, Gestured, Died, Revived})


class Painter(Protocol):
    """Knows what a thing looks like: `protocol.web.figures.Figures`."""

    def show(self, thing: Mobile | Item) -> Show | None:
        """A thing as it is now; None if it has no looks."""


class Told:
    """What those who watch a realm were told of one thing."""

    __slots__ = ("_frame", "heading", "show", "thing", "x", "y")

    def __init__(self, thing: Mobile | Item, show: Show) -> None:
        self.thing = thing
        self.put(show)

    def put(self, show: Show) -> None:
        """It was told as a whole."""
        self.x, self.y, self.heading = show.x, show.y, show.heading
        self.become(show)

    def become(self, show: Show) -> None:
        """Its state was told; its place is as before."""
        self.show = show
        self._frame: tuple[bytes, bytes] | None = None

    def line(self) -> bytes:
        """The whole of it where it is now. All but the place is encoded once: for newcomers, and for who went
        far."""
        show = self.show
        if self._frame is None:
            # In a text each quotation mark has a backslash before it, so that these are no part of one.
            place, heading = b',"x":%d,"y":%d' % (show.x, show.y), b',"heading":%d' % show.heading
            before, _, after = show.encode().partition(place)
            self._frame = before, after.replace(heading, b"", 1)
        before, after = self._frame
        return b'%s,"x":%d,"y":%d,"heading":%d%s' % (before, self.x, self.y, self.heading, after)


class Viewer:
    """Somebody who watches a realm; `abort` ends its connection, whatever is being sent.

    Whoever serves it asks for the `next` message once the one before is sent.
    """

    def __init__(self, screen: Screen, stir: Callable[[], None], abort: Callable[[], None]) -> None:
        self.screen = screen
        self.abort = abort
        self.behind = True
        """Whether it has to be told all anew."""
        self.busy_since: float | None = None
        """When it got the message that it is sending."""
        self._stir = stir
        self._message = ""
        self._news = trio.Event()

    def give(self, message: str, now: float) -> None:
        """The next message; for those who are not busy."""
        self._message, self.busy_since = message, now
        self._news.set()

    async def next(self) -> str:
        """Wait for it. Whatever was given before has been sent."""
        if not self._message:
            self.busy_since = None
            if self.behind:
                self._stir()
        await self._news.wait()
        self._news = trio.Event()
        message, self._message = self._message, ""
        return message


@attrs.frozen
class Line:
    """One line of the feed, and the character it names: 0 if it names none."""

    serial: int
    event: Event


class Draft:
    """The update of one realm that is being written."""

    def __init__(self) -> None:
        self.shows: list[bytes] = []
        self.moves: list[tuple[int, int, int, int]] = []
        self.changes: list[bytes] = []
        self.acts: list[bytes] = []
        self.hides: list[bytes] = []
        self.rest: list[bytes] = []

    def lines(self) -> list[bytes]:
        """All of it, in the order in which it makes sense."""
        moves = [Moves(self.moves).encode()] if self.moves else []
        return [*self.shows, *moves, *self.changes, *self.acts, *self.hides, *self.rest]


class Screen:
    """One realm as it is shown. `told` is empty while nobody watches."""

    def __init__(self, realm: Realm) -> None:
        self.realm = realm
        self.viewers: dict[Viewer, None] = {}
        self.told: dict[int, Told] = {}
        self.feed: deque[Line] = deque(maxlen=REMEMBERED)
        self.news: list[Line] = []
        """What was added to the feed since the last update."""
        self.acts: list[moments.Event] = []
        """What people did since then that is no state."""
        self.counts: Counts | None = None
        """As it was told last."""
        self.filled = False
        """Whether `told` is kept."""
        self.draft = Draft()


class LiveMap:
    """All realms as they are shown. `wall` is seconds UTC; `stalled_seconds` is how long a viewer may take
    for one message."""

    def __init__(
        self,
        world: World,
        painter: Painter,
        privacy: Privacy,
        *,
        wall: Callable[[], float],
        stalled_seconds: Callable[[], float],
        stopwatch: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._stopwatch = stopwatch
        self._world = world
        self._painter = painter
        self._privacy = privacy
        self._wall = wall
        self._stalled_seconds = stalled_seconds
        self._screens = {realm: Screen(realm) for realm in world.realms.values()}
        self._watched: list[Screen] = []
        """Those that somebody watches."""
        self._homes: dict[int, Realm] = {
            mobile.serial: mobile.realm
            for mobile in world.mobiles.values()
            if mobile.is_character and mobile.realm is not None
        }
        """Where every character is, as the feed has it."""
        self._where: dict[int, Screen] = {}
        """On which screen a thing was told."""
        self._noted: set[int] = set()
        """Serials of what was touched since the last update."""
        self._redrawn: set[int] = set()
        """Those of which more than the place may be different."""
        self._online: Counter[str] = Counter()
        self._wake = trio.Event()
        self._updated_at = self._counted_at = float("-inf")
        self._uncounted = False
        """Whether something happened since the last count."""
        self._told_hour = 0.0
        self._fill_at = float("-inf")
        """When a realm may be told anew at the earliest."""
        privacy.watchers.append(self._reconsider)

    @property
    def viewers(self) -> int:
        """How many watch."""
        return sum(len(screen.viewers) for screen in self._watched)

    def watch(self, realm: Realm, abort: Callable[[], None]) -> Viewer:
        """Somebody watches a realm from now on, until `leave`."""
        screen = self._screens[realm]
        viewer = Viewer(screen, self._stir, abort)
        if not screen.viewers:
            self._watched.append(screen)
        screen.viewers[viewer] = None
        self._stir()
        return viewer

    def leave(self, viewer: Viewer) -> None:
        """It watches no more."""
        screen = viewer.screen
        del screen.viewers[viewer]
        if not screen.viewers:
            self._watched.remove(screen)
            for serial in screen.told:
                del self._where[serial]
            screen.told.clear()
            screen.acts.clear()
            screen.filled, screen.counts = False, None
        self._stir()

    # In the turn

    def observe(self, changes: Changes) -> None:
        """Something happened: note what may look different. This runs in the turn, so it works nothing
        out."""
        for moment in changes.moments:
            if type(moment) in _FEED:
                self._record(moment)
        if not self._watched:
            return
        noted = self._noted
        for moment in changes.moments:
            thing = moment.thing
            if thing is not None:
                noted.add(thing.serial)
                if type(moment) in _ACTS:
                    self._act(moment, thing)
        for thing, _ in changes.dirty:
            whole = thing.root if isinstance(thing, Item) else thing
            noted.add(whole.serial)
            self._redrawn.add(whole.serial)
        self._stir()

    def _act(self, moment: moments.Event, thing: Thing) -> None:
        if isinstance(moment, Said) and not self._is_for_all(moment):
            return
        if thing.realm is not None and self._is_public(thing):
            screen = self._screens[thing.realm]
            if screen.viewers:
                screen.acts.append(moment)

    def _is_for_all(self, said: Said) -> bool:
        """Whether words may be shown. Residents greet by name, and tell who is here: what they say of whoever
        is not to be named stays where it was said."""
        speaker = said.thing
        if said.how not in PUBLIC_SPEECH or said.private:
            return False
        if isinstance(speaker, Mobile) and speaker.is_character:
            return True
        return not any(
            mobile.name in said.text
            for mobile in self._world.mobiles.values()
            if mobile.is_character and not self._privacy.is_public(mobile)
        )

    def _record(self, moment: moments.Event) -> None:
        """What happened is a line of the feed, if it is one."""
        thing = moment.thing
        if isinstance(moment, Said):
            if moment.how is Speech.ANNOUNCE:
                self._add(self._screens.values(), None, "announced", moment.text)
            elif moment.how is Speech.GLOBAL and isinstance(thing, Mobile):
                self._add(self._screens.values(), thing, "said", f"{moment.name}: {moment.text}")
        elif isinstance(thing, Mobile) and thing.is_character:
            if not isinstance(moment, Died | Revived):
                self._follow(thing)
            elif thing.realm is not None:
                kind, text = ("died", "has died") if isinstance(moment, Died) else ("revived", "lives again")
                self._add([self._screens[thing.realm]], thing, kind, f"{thing.name} {text}")

    def _follow(self, mobile: Mobile) -> None:
        """A character came, went, or is elsewhere; where it is at the end of the turn counts."""
        before, now = self._homes.get(mobile.serial), mobile.realm
        if before is now:
            return
        if now is None:
            del self._homes[mobile.serial]
        else:
            self._homes[mobile.serial] = now
            how = "has come" if before is None else f"has come from {before.chart.title}"
            self._add([self._screens[now]], mobile, "came", f"{mobile.name} {how}")
        if before is not None:
            how = "has left" if now is None else f"has gone to {now.chart.title}"
            self._add([self._screens[before]], mobile, "left", f"{mobile.name} {how}")

    def _add(self, screens: Iterable[Screen], mobile: Mobile | None, kind: str, text: str) -> None:
        if mobile is not None and not self._privacy.is_public(mobile):
            return
        serial, game = (mobile.serial, mobile.game) if mobile is not None else (0, "")
        line = Line(serial, Event(kind, text, round(self._wall(), 3), game))
        for screen in screens:
            screen.feed.append(line)
            if screen.viewers:
                screen.news.append(line)

    def _reconsider(self, mobile: Mobile) -> None:
        """A player wants to be on the map, or no more."""
        if self._watched:
            self._noted.add(mobile.serial)
            self._stir()

    # Between turns

    def _stir(self) -> None:
        self._uncounted = True
        self._wake.set()

    async def run(self) -> None:
        """Tell those who watch, for ever. Sleeps while nothing happens or nobody watches."""
        while True:
            with trio.move_on_at(self._deadline()):
                await self._wake.wait()
            await trio.sleep_until(max(self._updated_at + INTERVAL, trio.current_time()))
            self._wake = trio.Event()
            self._updated_at = now = trio.current_time()
            try:
                self._update(now)
            except Exception:
                log.exception("the live map failed: those who watch have to come again")
                for viewer in [viewer for screen in self._watched for viewer in screen.viewers]:
                    viewer.abort()

    def _deadline(self) -> float:
        """When there is something to do although nothing happens."""
        if not self._watched:
            return float("inf")
        times = [self._next_hour()]
        if not all(screen.filled for screen in self._watched):
            times.append(self._fill_at)
        if self._uncounted:
            times.append(self._counted_at + COUNT_SECONDS)
        patience = self._stalled_seconds()
        times += (
            viewer.busy_since + patience
            for screen in self._watched
            for viewer in screen.viewers
            if viewer.busy_since is not None
        )
        return min(times)

    def _update(self, now: float) -> None:
        noted, self._noted = self._noted, set()
        self._count(now)
        redrawn, self._redrawn = self._redrawn, set()
        for screen in self._watched:
            screen.draft = Draft()
        for screen in self._watched:
            if not screen.filled and now >= self._fill_at:
                began = self._stopwatch()
                self._fill(screen)
                took = self._stopwatch() - began
                if took > FILL_FREE:
                    self._fill_at = now + took / FILL_SHARE
        for serial in noted | redrawn:
            self._compare(serial, redrawn=serial in redrawn)
        hour = self._next_hour()
        for screen in self._watched:
            if not screen.filled:
                continue
            self._write(screen)
            if hour != self._told_hour:
                screen.draft.rest.append(self._time().encode())
            self._hand_out(screen, now)
        self._told_hour = hour

    def _fill(self, screen: Screen) -> None:
        """Somebody watches for the first time, and is told all that there is."""
        screen.filled = True
        things: Iterable[Mobile | Item] = (*self._world.mobiles.values(), *self._world.items.values())
        for thing in things:
            if self._screen_of(thing) is screen:
                self._compare(thing.serial, redrawn=False)  # it may have been told elsewhere until now

    def _compare(self, serial: int, *, redrawn: bool) -> None:
        """What is different about a thing."""
        thing = self._world.mobiles.get(serial) or self._world.items.get(serial)
        before, screen = self._where.get(serial), self._screen_of(thing) if thing is not None else None
        if before is not None and before is not screen:
            del self._where[serial], before.told[serial]
            before.draft.hides.append(Hide(serial, self._why(thing).name.lower()).encode())
        if thing is None or screen is None:
            return
        told = screen.told.get(serial)
        if told is None:
            self._show(screen, thing)
            return
        if redrawn or told.thing is not thing:
            show = self._paint(thing)
            if show is not None:
                change = _difference(told.show, show)
                told.thing = thing
                told.become(show)
                if change is not None:
                    screen.draft.changes.append(change.encode())
        heading = thing.heading if isinstance(thing, Mobile) else told.heading
        x, y = thing.x, thing.y
        if x != told.x or y != told.y or heading != told.heading:
            near = abs(x - told.x) <= STRIDE and abs(y - told.y) <= STRIDE
            told.x, told.y, told.heading = x, y, heading
            if near and isinstance(thing, Mobile):
                screen.draft.moves.append((serial, x, y, heading))
            else:
                screen.draft.shows.append(told.line())

    def _show(self, screen: Screen, thing: Mobile | Item) -> None:
        show = self._paint(thing)
        if show is not None:
            told = screen.told[thing.serial] = Told(thing, show)
            self._where[thing.serial] = screen
            screen.draft.shows.append(told.line())

    def _paint(self, thing: Mobile | Item) -> Show | None:
        """None is something that cannot be shown: the others are none the worse for it."""
        try:
            return self._painter.show(thing)
        except Exception:
            log.exception("%r cannot be shown on the map", thing)
            return None

    def _screen_of(self, thing: Mobile | Item) -> Screen | None:
        """Where a thing is to be seen now by somebody who watches and has been told; None if nowhere."""
        if thing.realm is None or not self._is_public(thing):
            return None
        screen = self._screens[thing.realm]
        return screen if screen.filled else None

    def _why(self, thing: Mobile | Item | None) -> Why:
        """Why a thing is not where it was any more."""
        if thing is None or thing.realm is None:
            return Why.LEFT
        return Why.WARPED if self._is_public(thing) else Why.HIDDEN

    def _is_public(self, thing: Thing) -> bool:
        return not isinstance(thing, Mobile) or self._privacy.is_public(thing)

    def _count(self, now: float) -> None:
        """Who plays through which game. Nothing happens in the world when a character is played through
        another one, so that is looked for here."""
        if not self._uncounted or now < self._counted_at + COUNT_SECONDS:
            return
        self._counted_at, self._uncounted = now, False
        self._online = Counter()
        for mobile in self._world.mobiles.values():
            if mobile.online and not mobile.hidden:
                self._online[mobile.game] += 1
                screen = self._where.get(mobile.serial)
                if screen is not None and screen.told[mobile.serial].show.game != mobile.game:
                    self._redrawn.add(mobile.serial)

    def _write(self, screen: Screen) -> None:
        """What is no matter of a single thing."""
        draft, told = screen.draft, screen.told
        acts, screen.acts = screen.acts, []
        for act in acts:
            if act.thing is not None and act.thing.serial in told:
                draft.acts.append(_encoded(act))
        news, screen.news = screen.news, []
        draft.acts += (line.event.encode() for line in news if self._may_name(line))
        if self._counted_at == self._updated_at or screen.counts is None:
            mobiles = sum(isinstance(row.thing, Mobile) for row in told.values())
            online = dict(sorted(self._online.items()))
            counts = Counts(online, mobiles, len(told) - mobiles, self.viewers)
            if counts != screen.counts:
                screen.counts = counts
                draft.rest.append(counts.encode())

    def _hand_out(self, screen: Screen, now: float) -> None:
        patience = self._stalled_seconds()
        update = whole = ""
        lines = screen.draft.lines()
        for viewer in screen.viewers:
            if viewer.busy_since is not None:
                viewer.behind |= bool(lines)
                if now - viewer.busy_since >= patience:
                    viewer.abort()
            elif viewer.behind:
                whole = whole or _message(self._whole(screen))
                viewer.behind = False
                viewer.give(whole, now)
            elif lines:
                update = update or _message(lines)
                viewer.give(update, now)

    def _whole(self, screen: Screen) -> Iterator[bytes]:
        """All that is to be seen."""
        chart = screen.realm.chart
        yield messages.Realm(chart.name, chart.title).encode()
        for told in screen.told.values():
            yield told.line()
        yield self._time().encode()
        if screen.counts is not None:
            yield screen.counts.encode()
        recent = [line for line in screen.feed if self._may_name(line)]
        for line in recent[-RECENT:]:
            yield line.event.encode()

    def _may_name(self, line: Line) -> bool:
        """Whether a line of the feed may be told by now: who was seen to come may have hidden since."""
        mobile = self._world.mobiles.get(line.serial)
        return not self._privacy.is_off(line.serial) and (mobile is None or self._privacy.is_public(mobile))

    def _next_hour(self) -> float:
        """When the next hour of the world begins. The world knows only the time of its last turn."""
        dawn = self._world.dawn
        return ((dawn + trio.current_time()) // HOUR_SECONDS + 1) * HOUR_SECONDS - dawn

    def _time(self) -> Time:
        minutes = int((self._world.dawn + trio.current_time()) // MINUTE_SECONDS)
        hour, minute = divmod(minutes, 60)
        return Time(hour % 24, minute, 1 / MINUTE_SECONDS)


def _difference(before: Show, now: Show) -> Change | None:
    """What is different about a thing, but for its place; None if nothing is."""
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


def _encoded(act: moments.Event) -> bytes:
    serial = act.thing.serial if act.thing is not None else 0
    match act:
        case Said():
            return Say(serial, act.name, act.how.value, act.text).encode()
        case Gestured():
            return messages.Gestured(serial, act.gesture).encode()
        case Died():
            return messages.Died(serial).encode()
        case _:
            return messages.Revived(serial).encode()


def _message(lines: Iterable[bytes]) -> str:
    return b"".join(line + b"\n" for line in lines).decode()
