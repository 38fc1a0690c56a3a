"""The feed of the live map: who came, left, died and lives again, and what was said to everybody.

It is kept while nobody watches, for its last lines are what a newcomer reads first. Whoever does not want to
be on the map is not named: neither when something happens, nor if a line is still to be told when they say
so.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

import attrs

from world.events import Died, Entered, Left, Revived, Said, Speech, Warped
from world.mobile import Mobile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from server.people.privacy import Privacy
    from world import events
    from world.realm import Realm
    from world.world import World

REMEMBERED: Final = 30
"""Lines that are kept for each realm."""
RECENT: Final = 10
"""A newcomer receives these."""

RECORDED: Final = frozenset({Entered, Left, Warped, Died, Revived, Said})
"""Events of which there may be a line."""


@attrs.frozen
class Line:
    """One line: see `protocol.page.Page.event`. `serial` is the character it names, 0 if it names none."""

    serial: int
    kind: str
    text: str
    at: float
    game: str


class Feed:
    """The lines of one realm, the oldest first. `news` are those since the last update, while somebody
    watches."""

    def __init__(self) -> None:
        self.watched = False
        self.news: list[Line] = []
        self._lines: deque[Line] = deque(maxlen=REMEMBERED)

    def add(self, line: Line) -> None:
        """Something happened."""
        self._lines.append(line)
        if self.watched:
            self.news.append(line)

    def __iter__(self) -> Iterator[Line]:
        return iter(self._lines)


class Feeds(dict["Realm", Feed]):
    """The feeds of realms; that of a realm which is new to the world is empty."""

    def __missing__(self, realm: Realm) -> Feed:
        feed = self[realm] = Feed()
        return feed


class Reporter:
    """Writes the feeds of all realms. `wall` is seconds UTC."""

    def __init__(self, world: World, privacy: Privacy, wall: Callable[[], float]) -> None:
        self._world = world
        self._privacy = privacy
        self._wall = wall
        self.feeds = Feeds({realm: Feed() for realm in world.realms.values()})
        self._homes: dict[int, Realm] = {
            mobile.serial: mobile.realm
            for mobile in world.mobiles.values()
            if mobile.is_character and mobile.realm is not None
        }
        """Where every character is, as the feeds have it."""

    def record(self, event: events.Event) -> None:
        """Add what happened, if it is worth a line; `event` is of a kind in `RECORDED`."""
        thing = event.thing
        if isinstance(event, Said):
            if event.how is Speech.ANNOUNCE:
                self._add(self.feeds.values(), None, "announced", event.text)
            elif event.how is Speech.GLOBAL and isinstance(thing, Mobile):
                self._add(self.feeds.values(), thing, "said", f"{event.name}: {event.text}")
        elif isinstance(thing, Mobile) and thing.is_character:
            if not isinstance(event, Died | Revived):
                self._follow(thing)
            elif thing.realm is not None:
                kind, text = ("died", "has died") if isinstance(event, Died) else ("revived", "lives again")
                self._add([self.feeds[thing.realm]], thing, kind, f"{thing.name} {text}")

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
            self._add([self.feeds[now]], mobile, "came", f"{mobile.name} {how}")
        if before is not None:
            how = "has left" if now is None else f"has gone to {now.chart.title}"
            self._add([self.feeds[before]], mobile, "left", f"{mobile.name} {how}")

    def _add(self, feeds: Iterable[Feed], mobile: Mobile | None, kind: str, text: str) -> None:
        if mobile is not None and not self._privacy.is_public(mobile):
            return
        serial, game = (mobile.serial, mobile.game) if mobile is not None else (0, "")
        line = Line(serial, kind, text, round(self._wall(), 3), game)
        for feed in feeds:
            feed.add(line)

    def news(self, feed: Feed) -> Sequence[Line]:
        """Take the lines since the last update, without those that may be sent no more."""
        news, feed.news = feed.news, []
        return [line for line in news if self._may_name(line)]

    def recent(self, feed: Feed) -> Sequence[Line]:
        """The lines that a newcomer reads."""
        return [line for line in feed if self._may_name(line)][-RECENT:]

    def _may_name(self, line: Line) -> bool:
        """Whether a line may be sent by now: who was seen to come may have hidden since."""
        mobile = self._world.mobiles.get(line.serial)
        return not self._privacy.is_off(line.serial) and (mobile is None or self._privacy.is_public(mobile))
