"""The one world: registries, the time, and the changes since the viewers received the last ones.

It knows no bytes, no sockets, no SQL and no clock. The server's loop tells it the time (`begin`), feeds it
inputs, lets its timers run and takes its changes; between those calls nothing moves. Everything runs in one
task: no locks, no await. (One task per mobile, or a thread per realm, was not taken: rules would then need
locks or messages, and the same inputs would no longer give the same bytes.)

This module registers, places and moves things; the rules of play stand in modules beside it, as functions of
mobiles.
"""

from __future__ import annotations

import logging
from collections import deque
from typing import TYPE_CHECKING

import attrs

from world import audience, dealing, decay, dialogs, hands, motion, pleas, visits, weather
from world.delta import MobileDelta
from world.directory import Directory, Known
from world.elsewhere import Elsewhere
from world.events import Entered, Event, Left, Warped, Why
from world.letter import Letter, Letterboxes
from world.listing import Lists
from world.mobile import UNDER_WAY, Mobile, Posture, Viewport
from world.names import is_called
from world.paths import Paths
from world.realm import Realm
from world.records import Records
from world.scripting import Scripts
from world.timers import TimerGroup, TimerWheel, cancel_all
from world.trade_events import Off

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Collection, Iterator

    from world.companions import Party
    from world.content import Chart, Content
    from world.item import Item
    from world.serials import Serials
    from world.space import Sight
    from world.thing import Thing
    from world.timers import Timer

log = logging.getLogger("world")


@attrs.frozen
class Changes:
    """Changes of one turn: events in order of happening, then things with the flags set on them."""

    events: list[Event]
    dirty: list[tuple[Thing, int]]


class World:
    """All realms with everybody and everything on them. `now` is in seconds of the server's monotonic
    clock."""

    def __init__(
        self,
        content: Content,
        serials: Serials,
        *,
        chance: random.Random,
        now: float = 0.0,
        timers_per_tick: int = 500,
        realms: Collection[str] | None = None,
    ) -> None:
        """`realms`: keys of those of the content that are this world's; None: all. The others are another
        world's, beyond a border (`cross`). (All of its state is one list, which is why this is long.)"""
        self.content = content
        self.serials = serials
        self.random = chance
        self.now = now
        self.dawn = 0.0
        """What has to be added to `now` for the time of day, in seconds (`world.daytime`)."""
        self.epoch = 0.0
        """What has to be added to `now` for seconds UTC: for times that are kept while the server is down."""
        self.stopped = 0.0
        """Seconds that the server has stood still so far: they passed outside, and `now` passed over them."""
        self.hours = TimerGroup()
        """What waits for the next full hour."""
        self.tick = 0
        self.crowd = 0
        """Viewports around one place beyond which it is crowded, and others that a player is shown at most;
        0: any number."""
        self.realms = {
            name: Realm(chart) for name, chart in content.charts.items() if realms is None or name in realms
        }
        self.cross: Callable[[Mobile, str, int, int], bool] | None = None
        """Has a player's character taken to a tile of a realm of another world, by the realm's key; returns
        whether it goes. It stands where it is until the other world has it. None: there is no way there."""
        self.has_all = realms is None
        """Whether all realms of the content are this world's."""
        self.mobiles: dict[int, Mobile] = {}
        self.items: dict[int, Item] = {}
        self.changed: list[Thing] = []
        """Things with flags set, each once, in the order they were first touched."""
        self.events: list[Event] = []
        self.dirty: dict[int, Thing] = {}
        """Stored things that differ from the store; the store swaps this for an empty one."""
        self.deleted: set[int] = set()
        """Serials of stored things that ceased to exist since the store was last told."""
        self.records = Records()
        """Guilds, letters and whatever else is stored and is neither of the two."""
        self.listeners: dict[int, Callable[[Mobile, str], None]] = {}
        """Residents that listen to what is said near them, by serial."""
        self.gags: dict[int, float] = {}
        """Until when the characters of an account may say nothing, in world time; see `world.speech`."""
        self.parties: dict[int, Party] = {}
        """The party of each character that is in one, by its serial; of those that are away, too."""
        self.letters = Letterboxes(self.records)
        self.lists = Lists(self.records)
        """Of whom a character wants to hear nothing, and whom it wants to find again."""
        self.directory, self.elsewhere = Directory(), Elsewhere()
        self.promises: list[tuple[Mobile, str]] = []
        """Lines that players read when all that has happened so far is on disk."""
        self.pleas: deque[pleas.Plea] = deque(maxlen=pleas.KEPT)
        """The newest calls for the staff."""
        self.heard: deque[pleas.Heard] = deque(maxlen=pleas.HEARD_KEPT)
        """The newest lines that were said."""
        self.timers = TimerWheel(now, timers_per_tick, _timer_failed)
        self.paths = Paths(self.timers)
        """Searches of creatures for a way."""
        self.stopwatch: Callable[[], float] = _stopped
        """Seconds of a clock that goes on within a turn, if there is one: for those who run long."""
        self.scripts = Scripts(self)
        self.scripts.replace(content.scripts)

    def add_realm(self, chart: Chart) -> None:
        """A realm that was not there before."""
        self.realms[chart.name] = Realm(chart)

    def begin(self, now: float) -> None:
        """Begin a turn."""
        self.now = self.timers.now = now
        self.tick += 1

    def stood_still(self, seconds: float) -> None:
        """The server stood still for so long before this turn, and `now` with it. Timers fall due later;
        dates and the time of day go on; players may catch up with their clients."""
        self.stopped += seconds
        self.epoch += seconds
        self.dawn += seconds
        for mobile in list(self.online()):
            try:
                motion.catch_up(mobile, seconds)
            except Exception:
                log.exception("%r cannot catch up", mobile)

    def run_timers(self, share: float = 1.0) -> int:
        """Run the timers that are due; returns the number of callbacks. `share`: the part of those that may
        wait that is run at most in a turn (`TimerWheel.advance`)."""
        return self.timers.advance(self.now, share)

    def take_changes(self) -> Changes:
        """Return all changes since the last call. Flags are cleared here, before anybody renders them."""
        events, self.events = self.events, []
        changed, self.changed = self.changed, []
        dirty = []
        for thing in changed:
            dirty.append((thing, thing.delta))
            thing.delta = 0
        return Changes(events, dirty)

    @property
    def stirred(self) -> bool:
        """Whether there is anything to take."""
        return bool(self.events or self.changed)

    def enter(self, thing: Mobile | Item, realm: Realm, x: int, y: int, z: int = 0) -> None:
        """Place a thing on a tile of a realm: a newcomer, a resident, an item laid down."""
        thing.realm, thing.x, thing.y, thing.z = realm, x, y, z
        realm.space.add(thing)
        self.register(thing)
        thing.touch()
        self.events.append(Entered(thing))
        if not isinstance(thing, Mobile):
            decay.begin(thing)
        elif thing.viewport is not None:
            realm.space.open(thing.viewport)

    def leave(self, thing: Mobile | Item, why: Why = Why.LEFT) -> None:
        """Take a thing off its tile. An item stays registered (a mobile holds it now); a mobile leaves
        memory, and with it go its questions and those to it."""
        realm = thing.realm
        if isinstance(thing, Mobile):
            dealing.end(thing, Off.LEFT)
            dialogs.withdraw_all_of(thing)
            dialogs.forget_all(thing)
        if realm is not None:
            self.events.append(Left(thing, why, audience.in_sight(thing)))
            realm.space.remove(thing)
            thing.realm = None
        cancel_all(thing)
        if isinstance(thing, Mobile):
            if thing.viewport is not None and realm is not None:
                realm.space.close(thing.viewport)
            self.listeners.pop(thing.serial, None)
            self.unregister(thing)
            _untie(thing)
            self._part_with_records(thing)

    def _part_with_records(self, mobile: Mobile) -> None:
        """What goes with a character, goes; letters with all that they bring."""
        for record in self.records.part(mobile.serial):
            if isinstance(record, Letter) and record.box in self.items:
                self.forget(self.items[record.box])

    def forget(self, box: Item) -> None:
        """Let go of a box that lies nowhere, and of all in it. It exists on in the store."""
        self.unregister(box)
        _empty(box)

    def register(self, thing: Mobile | Item) -> None:
        """Make a thing, what it wears and what it contains known by serial."""
        if isinstance(thing, Mobile):
            self.mobiles[thing.serial] = thing
            if thing.is_character:
                self.directory.note(Known(thing.serial, thing.name, thing.short_name, thing.account))
            held = thing.worn
            if thing.vault is not None:
                self.register(thing.vault)
        else:
            self.items[thing.serial] = thing
            held = thing.contents
        for item in held.values():
            self.register(item)

    def unregister(self, thing: Mobile | Item) -> None:
        """Forget a thing and all it holds. It exists on in the store."""
        if isinstance(thing, Mobile):
            self.mobiles.pop(thing.serial, None)
            held = thing.worn
            if thing.vault is not None:
                self.unregister(thing.vault)
        else:
            self.items.pop(thing.serial, None)
            held = thing.contents
        for item in held.values():
            self.unregister(item)

    def delete(self, item: Item) -> None:
        """Let an item and all it contains cease to exist."""
        for inner in list(item.contents.values()):
            self.delete(inner)
        if item.realm is not None:
            self.leave(item)
        elif isinstance(item.parent, Mobile):
            if item is item.parent.held:
                item.parent.hand = None
            else:
                item.parent.worn.pop(item.layer, None)
                item.parent.mark(MobileDelta.ARMOR)
        elif item.parent is not None:
            item.parent.contents.pop(item.serial, None)
        holder = item.root
        if isinstance(holder, Mobile):
            holder.mark(MobileDelta.WEIGHT)
        item.parent = None
        self.items.pop(item.serial, None)
        if item.stored:
            self.dirty.pop(item.serial, None)
            self.deleted.add(item.serial)

    def warp(self, mobile: Mobile, realm: Realm, x: int, y: int, z: int = 0) -> None:
        """Put a mobile elsewhere at once, on its feet. Raises ValueError if it is in no realm."""
        origin = mobile.realm
        if origin is None:
            raise ValueError(f"{mobile.name} is nowhere")
        motion.halt(mobile)
        hands.bounce(mobile)
        visits.dismiss(mobile)
        dealing.end(mobile, Off.WARPED)
        mobile.posture = Posture.STANDING
        mobile.gait.crosses_until = self.now + UNDER_WAY
        event = Warped(mobile, origin, mobile.x, mobile.y, audience.in_sight(mobile))
        if realm is origin:
            realm.space.move(mobile, x, y)
        else:
            origin.space.remove(mobile)
            if mobile.viewport is not None:
                origin.space.close(mobile.viewport)
            mobile.realm, mobile.x, mobile.y = realm, x, y
            realm.space.add(mobile)
        mobile.z = z
        if mobile.viewport is not None:
            realm.space.open(mobile.viewport)
        mobile.touch()
        self.events.append(event)
        if realm is not origin:
            weather.show(mobile, origin)

    def leads_to(self, realm: str) -> bool:
        """Whether characters can be taken to the realm of a key: to one of this world, or over a border."""
        return realm in self.realms or (self.cross is not None and realm in self.content.charts)

    def travel(self, mobile: Mobile, realm: str, x: int, y: int) -> bool:
        """Put a mobile on a tile of the realm of a key at once, as `warp` does; a character whose player is
        there goes over a border, too. It stands where it is until the other world has taken it. Returns False
        if it cannot be brought there; its player has read why. Raises ValueError if it is in no realm."""
        here = self.realms.get(realm)
        if here is not None:
            self.warp(mobile, here, x, y)
            return True
        if self.cross is None or not (mobile.online and mobile.is_character) or not self.leads_to(realm):
            return False
        return self.cross(mobile, realm, x, y)

    def open_viewport(self, mobile: Mobile, key: int, sight: Sight) -> Viewport:
        """Give a mobile's client sight; `key` is the client's session id."""
        viewport = mobile.viewport = Viewport(key, mobile, sight)
        if mobile.realm is not None:
            mobile.realm.space.open(viewport)
        return viewport

    def set_sight(self, mobile: Mobile, sight: Sight) -> None:
        """Let a mobile's client see farther, or less far."""
        if mobile.viewport is not None and mobile.realm is not None:
            mobile.viewport.sight = sight
            mobile.realm.space.open(mobile.viewport)

    def close_viewport(self, mobile: Mobile) -> None:
        """Take a mobile's sight: its client is gone. Without one nobody trades on."""
        dealing.end(mobile, Off.LEFT)
        if mobile.viewport is not None and mobile.realm is not None:
            mobile.realm.space.close(mobile.viewport)
        mobile.viewport = None

    def online(self) -> Iterator[Mobile]:
        """Characters that clients play now."""
        return (mobile for mobile in self.mobiles.values() if mobile.online)

    def characters(self) -> Iterator[Mobile]:
        """All characters in the world, also those that linger without a client."""
        return (mobile for mobile in self.mobiles.values() if mobile.is_character)

    def online_by_name(self, name: str) -> Mobile | None:
        """The character of that name or short name that a client plays now; letter case does not matter. It
        is looked up and not looked for: every whisper asks this."""
        known = self.directory.find(name)
        mobile = None if known is None else self.mobiles.get(known.serial)
        if mobile is None or not (mobile.online and is_called(mobile.name, mobile.short_name, name)):
            return None
        return mobile

    def is_new(self, thing: Thing) -> bool:
        """Whether a thing has come into the world since the viewers received the last changes: those that see
        it are going to be shown it as it is then."""
        return any(isinstance(event, Entered) and event.thing is thing for event in self.events)

    def redraw(self, mobile: Mobile) -> None:
        """Have a mobile shown anew to all who see it, after a change of its looks that only its game
        knows."""
        mobile.mark(MobileDelta.BODY)


def _untie(mobile: Mobile) -> None:
    """Holders and what they hold know each other. Nobody needs one that has left, and rings are found by a
    full collection only, which a big world cannot afford."""
    held = list(mobile.worn.values())
    mobile.worn.clear()
    mobile.visit = None
    if mobile.vault is not None:
        held.append(mobile.vault)
        mobile.vault = None
    for item in held:
        _empty(item)


def _empty(item: Item) -> None:
    for inner in list(item.contents.values()):
        _empty(inner)
    item.contents.clear()
    item.parent = None


def _stopped() -> float:
    return 0.0


def _timer_failed(timer: Timer, error: Exception) -> None:
    log.error("a timer failed and is dropped: %s", timer, exc_info=error)
