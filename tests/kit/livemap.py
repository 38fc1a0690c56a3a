"""A live map, those who watch it, and a world in which anything may happen."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import attrs
import trio

from protocol.web.figures import Figures
from protocol.web.looks import compile_looks
from protocol.web.page import WebPage
from server.people.privacy import Privacy
from server.web.livemap import LiveMap
from tests.kit.town import shipped_content
from tests.kit.watcher import Watcher, seen_in
from tests.kit.worlds import person, plain_content, plain_world
from world import hands, holding, leaps, life, motion, newcomers, speech
from world.mobile import Posture
from world.reach import Cannot

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.web.packets.people import Show
    from server.store.records import NoteRow
    from server.web.screen import Viewer
    from world.item import Item
    from world.mobile import Mobile

STALLED: Final = 10.0
UTC: Final = 1_700_000_000.0
SCRIPT: Final = '<script>alert("x")</script>\n\\,"x":3,"y":4,"heading":2\u2028'


class Painter(Figures):
    """Counts what it is asked for."""

    asked = 0
    broken: object = None

    def show(self, thing: object) -> Show | None:
        self.asked += 1
        if thing is self.broken:
            raise KeyError("no looks")
        return super().show(thing)  # type: ignore[arg-type] # it is what it is


class Stage:
    """A world of two realms, its live map, and those who watch."""

    def __init__(self, nursery: trio.Nursery) -> None:
        plain = plain_content()
        content = attrs.evolve(shipped_content(), charts=plain.charts, start_realm="plain")
        self.nursery = nursery
        self.world = plain_world(content)
        self.world.begin(trio.current_time())
        self.looks = compile_looks(content)
        self.painter = Painter(self.looks)
        self.notes: list[NoteRow] = []
        self.privacy = Privacy({}, self.notes.append)
        self.live = LiveMap(
            self.world,
            WebPage(self.painter),
            self.privacy,
            wall=lambda: UTC + trio.current_time(),
            stalled_seconds=lambda: STALLED,
        )
        self.aborted: list[Watching] = []
        self.given: dict[tuple[float, str], set[int]] = {}
        """By time and realm: the objects that were sent as updates."""
        nursery.start_soon(self.live.run)

    def turn(self) -> None:
        """The end of a turn of the world."""
        self.world.begin(trio.current_time())
        self.live.observe(self.world.take_changes())

    def watch(self, realm: str = "plain", delay: Callable[[], float] = lambda: 0.0) -> Watching:
        """Somebody watches, and takes so many seconds for each message."""
        watching = Watching(self, realm, delay)
        self.nursery.start_soon(watching.run)
        return watching

    def truth(self, realm: str = "plain") -> dict[int, dict[str, object]]:
        """What everybody who watches a realm ought to believe now."""
        return seen_in(self.world, self.world.realms[realm], self.looks, self.privacy)


class Watching(Watcher):
    """Somebody who watches on a stage."""

    def __init__(self, stage: Stage, realm: str, delay: Callable[[], float]) -> None:
        super().__init__()
        self.at: list[float] = []
        """When it was given each message."""
        self.delay = delay
        self.is_slow = delay() > 0
        self.stage = stage
        self.viewer: Viewer = stage.live.watch(stage.world.realms[realm], lambda: stage.aborted.append(self))
        self.scope = trio.CancelScope()

    async def run(self) -> None:
        with self.scope:
            while True:
                message = await self.viewer.next()
                self.at.append(trio.current_time())
                self.read(message)
                if self.names[-1][0] != "realm":
                    self.stage.given.setdefault((self.at[-1], self.realm), set()).add(id(message))
                await trio.sleep(self.delay())

    def leave(self) -> None:
        self.stage.live.leave(self.viewer)
        self.scope.cancel()


class Chance:
    """Things that happen."""

    def __init__(self, stage: Stage, seed: int) -> None:
        self.dice = random.Random(seed)
        self.stage = stage
        self.world = stage.world
        self.gone: list[int] = []
        """Serials of characters that left and may come back."""
        self.names = 0

    def mobile(self) -> Mobile | None:
        return self.dice.choice(list(self.world.mobiles.values())) if self.world.mobiles else None

    def arrive(self) -> None:
        self.names += 1
        name, (realm, x, y) = f"Nr{self.names}", self.place()
        if not self.gone or self.dice.random() < 0.5:
            newcomer = person(self.world, name, x, y, realm=realm)
        else:
            # Who comes again is another object of the same serial.
            newcomer = person(self.world, name, x, y, realm=realm)
            self.world.leave(newcomer)
            newcomer.serial = self.gone.pop()
            self.world.enter(newcomer, self.world.realms[realm], x, y)
        newcomer.game = self.dice.choice(("uo", "eo", "l2"))
        newcomers.outfit(newcomer, stored=False)

    def place(self) -> tuple[str, int, int]:
        realm = self.world.realms[self.dice.choice(("plain", "plain", "cave"))]
        return realm.name, self.dice.randrange(realm.chart.width), self.dice.randrange(realm.chart.height)

    def happen(self) -> None:
        dice, world, mobile = self.dice, self.world, self.mobile()
        what = dice.randrange(40)
        if mobile is None or (what == 0 and len(world.mobiles) < 14):
            self.arrive()
        elif what == 1 and len(world.mobiles) > 6:
            world.leave(mobile)
            self.gone.append(mobile.serial)
        elif what in (2, 3):
            name, x, y = self.place()
            world.warp(mobile, world.realms[name], x, y)
        elif what == 4:
            mobile.hidden = not mobile.hidden
        elif what == 5:
            self.stage.privacy.put(mobile, on_map=self.stage.privacy.is_off(mobile.serial))
        elif what == 6:
            life.kill(mobile)
        elif what == 7:
            life.resurrect(mobile)
        elif what in (8, 9):
            with suppress(Cannot):  # it may be too much
                speech.say(mobile, SCRIPT + str(dice.random()))
        elif what == 10 and not mobile.dead:
            speech.gesture(mobile, "bow")
        elif what == 11:
            mobile.name = f"{mobile.name[:4]}{SCRIPT}{dice.randrange(10)}"
        elif what == 12:
            mobile.hits, mobile.level = dice.randrange(51), dice.randrange(3)
            mobile.title, mobile.notoriety = dice.choice(("", "the Bold")), dice.randrange(1, 8)
        elif what == 13:
            mobile.posture = Posture.FLOOR if mobile.posture == Posture.STANDING else Posture.STANDING
        elif what == 14:
            self.dye(mobile)
        elif what in (15, 16, 17):
            self.handle(mobile)
        elif what == 18 and mobile.realm is not None:
            item = holding.make(world, "gold", amount=dice.randrange(1, 60), stored=False)
            world.enter(item, mobile.realm, mobile.x, mobile.y)
        elif what == 19:
            motion.turn(mobile, dice.randrange(8))
        elif what == 20:
            leaps.jump(mobile, mobile.x + dice.randrange(-9, 10), mobile.y + dice.randrange(-9, 10))
        else:
            motion.step(mobile, dice.randrange(8))

    def dye(self, mobile: Mobile) -> None:
        if mobile.worn:
            self.dice.choice(list(mobile.worn.values())).hue = self.dice.randrange(1, 900)

    def handle(self, mobile: Mobile) -> None:
        """Drop, pick up, take off, put on, make more or less of it, or have it vanish."""
        lying: list[Item] = [item for item in self.world.items.values() if item.realm is not None]
        try:
            if mobile.backpack is not None and mobile.backpack.contents and self.dice.random() < 0.5:
                item = self.dice.choice(list(mobile.backpack.contents.values()))
                hands.drop(mobile, item, item.amount, mobile.x, mobile.y)
            elif mobile.worn and self.dice.random() < 0.3:
                hands.take_off(mobile, self.dice.choice(list(mobile.worn)))
            elif lying:
                item = self.dice.choice(lying)
                if self.dice.random() < 0.2:
                    self.world.delete(item)
                elif self.dice.random() < 0.3:
                    item.amount += 1
                else:
                    hands.take(mobile, item)
        except Cannot:
            pass
