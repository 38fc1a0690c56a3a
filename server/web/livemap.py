"""The live map: everything that is to be seen in a realm, for people who only watch.

Players receive what happens near them, at once, each with its own sight, and it may cost a part of the turn.
Those who watch see a whole realm, there may be hundreds of them, and nobody needs what they see within 50 ms.
So they are no clients of the turn, and the state itself is their protocol:

- A turn notes no more than the serials of what it touched (`observe`). A task of its own (`run`) looks
  these up between two turns, at most ten times a second, compares them with what those who watch their realm
  received last, and sends the difference: so whoever came and went in between is nothing, of ten steps the
  last place counts, and a warp is a departure here and an arrival there.
- All who watch one realm get the same object, encoded once (`server.web.screen`).
- There are no queues. A viewer whose socket has not taken its last message is passed over; once it has, it
  gets all anew, as a newcomer does. So nobody who is slow holds more than one message, and nothing has to be
  shed.
- What is said, and how things look, is the game's own (`protocol.page`): here is only who hears of it and
  when.

Only the feed (`server.web.feed`) is kept while nobody watches; a realm's figures are made when the first
viewer comes, which may take long, and is therefore rationed (`FILL_SHARE`).

To be a client without a character was not done: the fan-out asks who sees whom for each of them, and a sight
of a whole realm is what its sectors are not made for.

Whose player wants it (`server.people.privacy`) is neither shown nor named, and only counts in the number of
those who are online; who hides does not even do that.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Final

import trio

from server.web.feed import RECORDED, Reporter
from server.web.screen import Draft, Message, Screen, Screens, Viewer
from world.daytime import HOUR_SECONDS, MINUTE_SECONDS
from world.events import Died, Gestured, Revived, Said, Speech, Struck, Why
from world.item import Item
from world.mobile import Mobile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from protocol.page import Figure, Page
    from server.people.privacy import Privacy
    from server.web.feed import Line
    from world import events
    from world.realm import Realm
    from world.thing import Thing
    from world.world import Changes, World

log = logging.getLogger("net.web")

INTERVAL: Final = 0.1
"""Seconds between two updates at least."""
COUNT_SECONDS: Final = 1.0
"""Seconds between two counts of who is online at least: that looks at everybody."""
STRIDE: Final = 4
"""Tiles that somebody may go between two updates; who is farther off did not walk and is placed anew."""
PUBLIC_SPEECH: Final = frozenset({Speech.SAY, Speech.YELL, Speech.EMOTE})
"""What anybody near would hear. Global chat and announcements are lines of the feed."""

FILL_FREE: Final = 0.1
"""Seconds that it may take to tell a whole realm anew without any consequence..."""
FILL_SHARE: Final = 0.05
"""...and which part of the time it may take otherwise. With 20,000 creatures one such time is a turn of half
a second: whoever came and went all the time could stop the world."""

_ACTS: Final = frozenset({Said, Gestured, Struck, Died, Revived})


class LiveMap:
    """All realms as they are shown. `wall` is seconds UTC; `stalled_seconds` is how long a viewer may take
    for one message."""

    def __init__(
        self,
        world: World,
        page: Page,
        privacy: Privacy,
        *,
        wall: Callable[[], float],
        stalled_seconds: Callable[[], float],
        stopwatch: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._stopwatch = stopwatch
        self._world = world
        self._page = page
        self._privacy = privacy
        self._reporter = Reporter(world, privacy, wall)
        self._stalled_seconds = stalled_seconds
        self._screens = Screens(self._reporter.feeds)
        self._watched: list[Screen] = []
        """Those that somebody watches."""
        self._where: dict[int, Screen] = {}
        """The screen on which a thing was shown."""
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
        """The earliest time at which a realm may be sent anew."""
        privacy.watchers.append(self._reconsider)

    @property
    def viewers(self) -> int:
        """Number of viewers."""
        return sum(viewer.people for screen in self._watched for viewer in screen.viewers)

    def has(self, name: str) -> bool:
        """Whether there is a realm of that name."""
        return name in self._world.realms

    def begin(self, name: str, abort: Callable[[], None]) -> Viewer:
        """Somebody watches the realm of that name from now on, until `Viewer.end`."""
        return self.watch(self._world.realms[name], abort)

    def watch(self, realm: Realm, abort: Callable[[], None]) -> Viewer:
        """Somebody watches a realm from now on, until `leave`."""
        screen = self._screens[realm]
        viewer = Viewer(screen, self._stir, abort)
        viewer.end = partial(self.leave, viewer)
        if not screen.viewers:
            self._watched.append(screen)
            screen.feed.watched = True
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
            screen.feed.watched = False
            screen.filled, screen.counts = False, b""
        self._stir()

    # In the turn

    def observe(self, changes: Changes) -> None:
        """Something happened: note what may look different. This runs in the turn, so it works nothing
        out."""
        for event in changes.events:
            if type(event) in RECORDED:
                self._reporter.record(event)
        if not self._watched:
            return
        noted = self._noted
        for event in changes.events:
            thing = event.thing
            if thing is not None:
                noted.add(thing.serial)
                if type(event) in _ACTS:
                    self._act(event, thing)
        for thing, _ in changes.dirty:
            whole = thing.root if isinstance(thing, Item) else thing
            noted.add(whole.serial)
            self._redrawn.add(whole.serial)
        self._stir()

    def _act(self, event: events.Event, thing: Thing) -> None:
        if isinstance(event, Said) and not self._is_for_all(event):
            return
        if isinstance(event, Struck) and not self._is_public(event.target):
            return
        if thing.realm is not None and self._is_public(thing):
            screen = self._screens[thing.realm]
            if screen.viewers:
                screen.acts.append(event)

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
                screen.draft.rest.append(self._time())
            self._hand_out(screen, now)
        self._told_hour = hour

    def _fill(self, screen: Screen) -> None:
        """Somebody watches for the first time, and receives all that there is."""
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
            before.draft.hides.append(self._page.hide(serial, self._why(thing)))
        if thing is None or screen is None:
            return
        told = screen.told.get(serial)
        if told is None:
            self._show(screen, thing)
            return
        if redrawn or told.thing is not thing:
            change = self._repaint(told, thing)
            if change:
                screen.draft.changes.append(change)
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
        told = self._paint(thing)
        if told is not None:
            screen.told[thing.serial] = told
            self._where[thing.serial] = screen
            screen.draft.shows.append(told.line())

    def _paint(self, thing: Mobile | Item) -> Figure | None:
        """None is something that cannot be shown: the others are none the worse for it."""
        try:
            return self._page.figure(thing)
        except Exception:
            log.exception("%r cannot be shown on the map", thing)
            return None

    def _repaint(self, told: Figure, thing: Mobile | Item) -> bytes:
        """The line that says what looks different about a thing; empty if nothing does, or if it cannot be
        shown."""
        try:
            return told.become(thing)
        except Exception:
            log.exception("%r cannot be shown on the map", thing)
            return b""

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
        if isinstance(thing, Item):
            return thing.remains is None or not thing.remains.owner  # a corpse names its player
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
                if screen is not None and screen.told[mobile.serial].game != mobile.game:
                    self._redrawn.add(mobile.serial)
        for person in self._world.elsewhere.people.values():
            if not person.hidden:
                self._online[person.game] += 1

    def _write(self, screen: Screen) -> None:
        """What is no matter of a single thing."""
        draft, told = screen.draft, screen.told
        acts, screen.acts = screen.acts, []
        for act in acts:
            if act.thing is not None and act.thing.serial in told:
                draft.acts.append(self._page.act(act))
        draft.acts += map(self._event, self._reporter.news(screen.feed))
        if self._counted_at == self._updated_at or not screen.counts:
            mobiles = sum(isinstance(row.thing, Mobile) for row in told.values())
            online = dict(sorted(self._online.items()))
            counts = self._page.counts(online, mobiles, len(told) - mobiles, self.viewers)
            if counts != screen.counts:
                screen.counts = counts
                draft.rest.append(counts)

    def _hand_out(self, screen: Screen, now: float) -> None:
        patience = self._stalled_seconds()
        update = whole = ""
        lines = screen.draft.lines(self._page)
        for viewer in screen.viewers:
            if viewer.busy_since is not None:
                viewer.behind |= bool(lines)
                if now - viewer.busy_since >= patience:
                    viewer.abort()
            elif viewer.behind or viewer.newcomers:
                whole = whole or _message(self._whole(screen))
                update = update or _message(lines)
                viewer.give(Message("" if viewer.behind else update, whole, viewer.behind), now)
                viewer.behind = viewer.newcomers = False
            elif lines:
                update = update or _message(lines)
                viewer.give(Message(update), now)

    def _whole(self, screen: Screen) -> Iterator[bytes]:
        """All that is to be seen."""
        yield self._page.realm(screen.realm)
        for told in screen.told.values():
            yield told.line()
        yield self._time()
        if screen.counts:
            yield screen.counts
        yield from map(self._event, self._reporter.recent(screen.feed))

    def _event(self, line: Line) -> bytes:
        return self._page.event(line.kind, line.text, line.at, line.game)

    def _next_hour(self) -> float:
        """When the next hour of the world begins. The world knows only the time of its last turn."""
        dawn = self._world.dawn
        return ((dawn + trio.current_time()) // HOUR_SECONDS + 1) * HOUR_SECONDS - dawn

    def _time(self) -> bytes:
        minutes = int((self._world.dawn + trio.current_time()) // MINUTE_SECONDS)
        hour, minute = divmod(minutes, 60)
        return self._page.time(hour % 24, minute, 1 / MINUTE_SECONDS)


def _message(lines: Iterable[bytes]) -> str:
    return b"".join(line + b"\n" for line in lines).decode()
