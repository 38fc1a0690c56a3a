"""The live map at the page of an edge: realms of all worlds, each as its world shows it.

An edge asks a world for a realm while somebody watches it, once for all who do, and hands on what comes
(`server.edge.display`). As in a world nobody has a queue: who has not taken the last message is passed over,
and gets all anew later. That is asked for at most once a second for a realm.

A world that is silent for `GONE_SECONDS`, or not reached for so long, is on the map no more: its realms are
empty then, until some world has them again. Before that they stay as they were last seen.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Final, Protocol

import attrs
import trio

from server.edge.display import NUMBERS
from server.edge.words import Unwatch, Watch
from server.web.turnout import Turnout, together

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from server.edge.words import Shown, Told, Word

LOOK_SECONDS: Final = 0.25
"""From one look at what is to be asked for to the next."""
ANEW_SECONDS: Final = 1.0
"""Between two times that a realm is asked for."""
GONE_SECONDS: Final = 10.0


class World(Protocol):
    """A world in another process."""

    @property
    def open(self) -> bool:
        """Whether it is reached."""

    def say(self, word: Word) -> None:
        """Say something to it, if it is."""


class Watcher:
    """Somebody who watches; `abort` ends its connection. Implements `server.web.host.Watching`."""

    def __init__(self, end: Callable[[Watcher], None], abort: Callable[[], None]) -> None:
        self.abort = abort
        self.behind = True
        """Whether it has to receive everything anew."""
        self.busy_since: float | None = None
        """When it got the message that it is sending."""
        self._end = end
        self._message = ""
        self._news = trio.Event()

    def give(self, message: str, now: float) -> None:
        """The next message; for those who are not busy."""
        self._message, self.busy_since = message, now
        self._news.set()

    async def next(self) -> str:
        """See Watching."""
        if not self._message:
            self.busy_since = None
        await self._news.wait()
        self._news = trio.Event()
        message, self._message = self._message, ""
        return message

    def end(self) -> None:
        """See Watching."""
        self._end(self)


@attrs.define(eq=False)
class _Screen:
    """One realm that is watched."""

    realm: str
    watchers: dict[Watcher, None] = attrs.field(factory=dict)
    world: World | None = None
    """The world that shows it."""
    told: int = 0
    """How many watchers that world was told of."""
    asked_at: float = -float("inf")
    asked: bool = False
    """Whether everything was asked for, and has not come."""
    blank: str = ""
    """The line after which nothing is to be seen; empty before there was anything."""


class FarMap:
    """Implements `server.web.host.Map` and `server.web.turnout.Counting` for worlds in other processes."""

    def __init__(
        self,
        worlds: Callable[[], Iterable[World]],
        realms: Callable[[], Collection[str]],
        *,
        stalled_seconds: Callable[[], float],
    ) -> None:
        """`realms` are all that there are in any world."""
        self._worlds = worlds
        self._realms = realms
        self._stalled_seconds = stalled_seconds
        self._screens: dict[str, _Screen] = {}
        self._turnouts: dict[World, tuple[Turnout, float]] = {}
        """What each world told last, and when."""
        self._asked: set[World] = set()
        """Worlds that tell how many are where."""

    # For the page

    @property
    def viewers(self) -> int:
        """See Map."""
        return sum(len(screen.watchers) for screen in self._screens.values())

    def has(self, name: str) -> bool:
        """See Map."""
        return name in self._realms()

    def begin(self, name: str, abort: Callable[[], None]) -> Watcher:
        """See Map."""
        screen = self._screens.setdefault(name, _Screen(name))
        watcher = Watcher(lambda watcher: self._leave(screen, watcher), abort)
        screen.watchers[watcher] = None
        return watcher

    def latest(self) -> Turnout:
        """See Counting: what all worlds told that are heard of."""
        now = trio.current_time()
        return together(turnout for turnout, at in self._turnouts.values() if now - at < GONE_SECONDS)

    def _leave(self, screen: _Screen, watcher: Watcher) -> None:
        del screen.watchers[watcher]
        if not screen.watchers:
            del self._screens[screen.realm]
            if screen.world is not None:
                screen.world.say(Unwatch(screen.realm))

    # For the lines to the worlds

    def told(self, world: World, word: Told) -> None:
        """A world tells how many are where."""
        self._turnouts[world] = word.turnout, trio.current_time()

    def shown(self, world: World, word: Shown) -> None:
        """A world shows something."""
        screen = self._screens.get(word.realm)
        if screen is None or screen.world is not world:
            return
        if word.over:
            screen.world, screen.asked = None, False
            return
        if word.whole:
            screen.asked = False
            screen.blank = word.whole.partition("\n")[0] + "\n"
        now = trio.current_time()
        for watcher in screen.watchers:
            message = word.whole if watcher.behind or word.anew else word.update
            if watcher.busy_since is not None:
                watcher.behind |= bool(message)
            elif message:
                watcher.behind = False
                watcher.give(message, now)

    def lost(self, world: World) -> None:
        """A world is reached no more."""
        self._asked.discard(world)
        for screen in self._screens.values():
            if screen.world is world:
                screen.world, screen.asked = None, False

    async def run(self) -> None:
        """Ask for what is wanted, for ever."""
        while True:
            now = trio.current_time()
            self._ask_for_numbers(now)
            for screen in list(self._screens.values()):
                self._look(screen, now)
            await trio.sleep(LOOK_SECONDS)

    def _ask_for_numbers(self, now: float) -> None:
        for world in self._worlds():
            if world.open and world not in self._asked:
                self._asked.add(world)
                world.say(Watch(NUMBERS))
        for world in [world for world, (_, at) in self._turnouts.items() if now - at >= GONE_SECONDS]:
            del self._turnouts[world]

    def _look(self, screen: _Screen, now: float) -> None:
        """Have a realm shown by whoever has it, and anew to those who need it."""
        world = self._keeper(screen.realm)
        if screen.world is not None and screen.world is not world:
            screen.world.say(Unwatch(screen.realm))
            screen.world, screen.asked = None, False
        for watcher in screen.watchers:
            if watcher.busy_since is not None and now - watcher.busy_since >= self._stalled_seconds():
                watcher.abort()
        number = len(screen.watchers)
        if world is None:
            self._show_nothing(screen, now)
        elif world.open and now - screen.asked_at >= ANEW_SECONDS and not screen.asked:
            behind = any(watcher.behind and watcher.busy_since is None for watcher in screen.watchers)
            if screen.world is None or behind or screen.told != number:
                screen.asked = screen.world is None or behind
                screen.world, screen.told, screen.asked_at = world, number, now
                world.say(Watch(screen.realm, number, behind))

    def _keeper(self, realm: str) -> World | None:
        """The world that has a realm and is heard of; if it is lost, whichever had it last."""
        found = [
            (world.open, at, world)
            for world, (turnout, at) in self._turnouts.items()
            if realm in turnout.realms
        ]
        return max(found, key=itemgetter(0, 1))[2] if found else None

    def _show_nothing(self, screen: _Screen, now: float) -> None:
        """No world has it any more: nothing is to be seen there."""
        if not screen.blank:
            return
        for watcher in screen.watchers:
            if watcher.busy_since is None and not watcher.behind:
                watcher.behind = True
                watcher.give(screen.blank, now)
        if all(watcher.behind for watcher in screen.watchers):
            screen.blank = ""
