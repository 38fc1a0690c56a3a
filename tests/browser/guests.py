"""Those who come to the page with a browser, and those who meet them there with a client of another game."""

from __future__ import annotations

import base64
import io
import itertools
import re
import time
from functools import partial
from threading import Event, Thread
from typing import TYPE_CHECKING, Final, TypeVar

import trio
from PIL import Image

from server.operate.admin import ask
from tests.kit.actors import make_actor
from tests.kit.chromium import Window
from tests.kit.eo_actor import PLAYER, EoActor
from tests.kit.games import GAMES
from tests.kit.process import ServerProcess
from tests.kit.sockets import Ports
from tests.kit.uo_actor import UoActor
from world.heading import EAST, NORTH, SOUTH, WEST

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.kit.actor import Actor

T = TypeVar("T")

PATIENCE: Final = 30.0
"""Seconds that something may take on a busy machine."""

STEP_SECONDS: Final = 1.0
"""Seconds until a step that can be taken has been."""

PASSWORD: Final = "secret1"

MORE: Final = """
[listen.web_mapless]
http = "127.0.0.1:0"
map = false
[limits]
linger_seconds = 0.0
"""
"""A second page without a map; and who leaves has left."""

ERRAND: Final = "Bread for Edwin"
"""What newcomers are asked, at the side of the map, while they do something else."""

KEYS: Final = {NORTH: "ArrowUp", EAST: "ArrowRight", SOUTH: "ArrowDown", WEST: "ArrowLeft"}

_NUMBERS = itertools.count()


def fresh_name(kind: str = "Guest") -> str:
    """A name that nobody has; of an account, or of a character."""
    number = next(_NUMBERS)
    return f"{kind[:8]}{''.join('abcdefghik'[int(digit)] for digit in f'{number:03}')}"


class Host(ServerProcess):
    """A server with its pages."""

    def __init__(self, folder: Path, more: str = MORE) -> None:
        super().__init__(folder, more)

    def page(self, listener: str = "web") -> str:
        """Where a page is."""
        return "http://{}:{}".format(*self.address(listener, "http"))

    def order(self, command: str) -> str:
        """What the server answers to an operator."""
        answer = ask(self.state, command)
        assert answer.ok, f"{command}: {answer.lines}"
        return "\n".join(answer.lines)

    def place(self, name: str) -> tuple[int, int]:
        """Where the server has a character that is online."""
        found = re.search(r"(\d+),? (\d+)", self.order(f"where {name}"))
        assert found is not None
        return int(found[1]), int(found[2])


class Company:
    """People at clients of other games. They live in a thread of their own: Playwright's calls block, and
    leave no room for Trio in theirs."""

    def __init__(self, addresses: Mapping[tuple[str, str], tuple[str, int]]) -> None:
        self._addresses = addresses
        self._ready = Event()
        self._thread = Thread(target=trio.run, args=(self._live,), daemon=True)
        self._thread.start()
        assert self._ready.wait(PATIENCE)

    async def _live(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        self._over = trio.Event()
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            ports = Ports(nursery, self._addresses)
            self._ports = ports
            self._ready.set()
            await self._over.wait()
            ports.hang_up()
            nursery.cancel_scope.cancel()

    def does(self, deed: Callable[[], Awaitable[T]]) -> T:
        """Have something done there."""
        return trio.from_thread.run(deed, trio_token=self._token)

    def knows(self, fact: Callable[[], T]) -> T:
        """Ask something there, where nobody changes it meanwhile."""
        return trio.from_thread.run_sync(fact, trio_token=self._token)

    def invite(self, game: str, name: str = "") -> Client:
        """Somebody new, who is in the world when this returns."""
        name = name or fresh_name(game.capitalize())
        actor = self.knows(lambda: make_actor(game, self._ports))
        self.does(partial(actor.enters, name.lower(), name))
        return Client(self, actor)

    def begins(self, deed: Callable[[], Awaitable[object]]) -> None:
        """Have something done there meanwhile, to its end or theirs."""
        self.knows(partial(self._nursery.start_soon, deed))

    def cable(self, target: tuple[str, int]) -> Cable:
        """A way to an address."""
        cable = Cable(target)
        self.does(partial(cable.lay, self._nursery))
        return cable

    def close(self) -> None:
        """They all hang up."""
        self.knows(self._over.set)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()


class Cable:
    """A way to a server that can be cut."""

    def __init__(self, target: tuple[str, int]) -> None:
        self.target = target
        self.whole = True
        self.port = 0
        self._lines: set[trio.CancelScope] = set()

    async def lay(self, nursery: trio.Nursery) -> None:
        """Let people use it."""
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        self.port = listener.socket.getsockname()[1]
        nursery.start_soon(partial(trio.serve_listeners, self._carry, [listener]))

    def cut(self) -> None:
        """All that went through it ends, and nothing else goes through before `whole` is true again."""
        self.whole = False
        for line in self._lines:
            line.cancel()

    async def _carry(self, near: trio.SocketStream) -> None:
        if not self.whole:
            return
        far = await trio.open_tcp_stream(*self.target)
        async with far, trio.open_nursery() as nursery:
            self._lines.add(nursery.cancel_scope)
            nursery.start_soon(self._pump, near, far)
            await self._pump(far, near)
            nursery.cancel_scope.cancel()
        self._lines.discard(nursery.cancel_scope)

    async def _pump(self, source: trio.SocketStream, sink: trio.SocketStream) -> None:
        try:
            async for data in source:
                await sink.send_all(data)
            await sink.send_eof()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # one of them has hung up


class Client:
    """Somebody at a client of another game; see Actor for what they do."""

    def __init__(self, company: Company, actor: Actor) -> None:
        self._company = company
        self.actor = actor
        self.name = actor.name

    def steps(self, heading: int, host: Host) -> None:
        """One tile that way, and the answer; and a moment more where that is given before the turn in which
        the step is taken, until it is or can hardly be any more."""
        before = host.place(self.name)
        self._company.does(partial(self.actor.step, heading))
        assert self._company.does(self.actor.echo)
        self._company.does(partial(self.actor.until, lambda: host.place(self.name) != before, STEP_SECONDS))

    def says(self, words: str) -> None:
        """Aloud."""
        self._company.does(partial(self.actor.say, words))

    def hears(self, words: str) -> bool:
        """Whether somebody says that, in time."""
        heard = GAMES[self.actor.game].heard
        return self._waits(lambda: any(words in line for line in heard(self.actor.player)))

    def sees(self, name: str, serial: int, offset: tuple[int, int] | None) -> bool:
        """Whether it has, in time, somebody so far (east, south) from itself; None: not any more."""

        def so() -> bool:
            handle = self._handle(name, serial)
            there = None if handle is None else self.actor.others().get(handle)
            if there is None:
                return offset is None
            here = self.actor.place()
            return offset == (there.x - here.x, there.y - here.y)

        return self._waits(so)

    def _handle(self, name: str, serial: int) -> int | None:
        """The number by which its client knows somebody; Endless Online has its own."""
        if not isinstance(self.actor, EoActor):
            return serial
        drawn = self.actor.client.characters.items()
        named = ((number, it.info.name.casefold()) for number, it in drawn if it.info is not None)
        return next((PLAYER + number for number, known in named if known == name.casefold()), None)

    def bowed(self, serial: int) -> bool:
        """Whether somebody bows, in time; the client is one of Ultima Online."""
        assert isinstance(self.actor, UoActor)
        client = self.actor.client
        animated = 0x6E, 0xE2
        wanted = serial.to_bytes(4, "big")
        return self._waits(lambda: any(it[0] in animated and it[1:5] == wanted for it in client.packets))

    def leaves(self) -> None:
        """As one does who quits."""
        self._company.does(self.actor.logs_out)

    def _waits(self, fact: Callable[[], bool]) -> bool:
        return self._company.does(partial(self.actor.until, fact, PATIENCE))


class Guest(Window):
    """Somebody at the page."""

    name = ""
    """Of the character that is played."""

    # Watching

    def watches(self) -> Page:
        """The page, with its map."""
        self.open()
        self.until("() => window.causeway?.canvas.realm && causeway.world.things.size > 0")
        return self.page

    def knows(self, name: str) -> None:
        """Wait until the page has somebody of that name."""
        self.until(f"name => {FIND}", name)

    def misses(self, name: str) -> None:
        """Wait until it has nobody of that name any more."""
        self.until(f"name => !{FIND}", name)

    def finds(self, name: str) -> tuple[int, int]:
        """On which tile it has somebody."""
        self.knows(name)
        x, y = self.ask(f"name => (t => [t.x, t.y])({FIND})", list, name)
        return x, y

    def has_at(self, name: str, place: tuple[int, int]) -> None:
        """Wait until it has somebody on that tile."""
        self.until(f"([name, x, y]) => (t => t && t.x === x && t.y === y)({FIND})", [name, *place])

    def serial(self, name: str) -> int:
        """The number of somebody on the page, which is the world's."""
        return self.ask(f"name => {FIND}.id", int, name)

    def has_pictures(self) -> None:
        """Wait until the map has all its pictures, and they are drawn."""
        self.until(
            """() => {
                const { canvas } = causeway, now = performance.now();
                canvas._draw(now);  // which asks for what is missing
                return canvas._chunks.size > 0 && [...canvas._chunks.values()].every(it => it.whole <= now);
            }"""
        )

    def picture(self) -> Image.Image:
        """What the map shows with all its pictures; nothing that lies over it."""
        self.has_pictures()
        url = self.ask("() => document.getElementById('map').toDataURL()", str)
        return Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).convert("RGB")

    def looks(self) -> None:
        """Wait until the map is where it is going to be."""
        self.until(
            """() => {
                const { following, world, x, y, _caught, _goal, _slide } = causeway.canvas;
                const there = world.things.get(following);
                const far = there ? Math.hypot(there.x + 0.5 - x, there.y + 0.5 - y) : 0;
                return !_goal && !_slide && (!there || _caught) && far < 0.05;
            }"""
        )

    def point(self, x: int, y: int) -> tuple[float, float]:
        """Where in the window a tile is."""
        self.looks()
        script = """([x, y]) => {
            const box = document.getElementById("map").getBoundingClientRect();
            const at = causeway.canvas.screenOf(x, y);
            return [box.left + at.x, box.top + at.y];
        }"""
        px, py = self.ask(script, list, [x, y])
        return px, py

    # Playing

    def tries(self, name: str = "", *, asked: bool = False) -> str:
        """Into the world as a newcomer; who one is. `asked`: what every newcomer is asked there stands open
        still, over a part of the map."""
        self.name = name or fresh_name()
        self.page.click("#play-now")
        self.page.fill("#try-form [name=character]", self.name)
        self.page.click("#try")
        self.stands()
        if not asked:
            self.page.locator("#dialog").get_by_role("button", name="Not now.").click()
        return self.name

    def fills(self, account: str, password: str) -> None:
        """The form to log in."""
        self.page.fill("#login-form [name=account]", account)
        self.page.fill("#login-form [name=password]", password)

    def registers(self, account: str, password: str = PASSWORD) -> None:
        """A new account, from the open page to the menu."""
        self.page.click("#play-now")
        self.fills(account, password)
        self.page.click("#register")
        self.page.wait_for_selector("#create-form")

    def creates(self, name: str) -> None:
        """A character, from the menu of an account that has none into the world."""
        self.name = name
        self.page.fill("#create-form [name=name]", name)
        self.page.click("#create")
        self.enters(name)

    def enters(self, name: str) -> None:
        """From the menu into the world."""
        self.name = name
        self.page.click(f"[aria-label='Enter the world as {name}']")
        self.stands()

    def returns(self, account: str, name: str, password: str = PASSWORD) -> None:
        """Into the world with a character that was there before."""
        self.watches()
        self.page.click("#play-now")
        self.fills(account, password)
        self.page.click("#log-in")
        self.enters(name)

    def stands(self) -> None:
        """Wait until one can walk. A page that has lost its connection still shows one's figure, which the
        server has no more."""
        self.until(
            "name => document.body.dataset.mode === 'play' && !('lost' in document.body.dataset)"
            f" && causeway.canvas.realm && {ME}",
            self.name,
        )

    def place(self) -> tuple[int, int]:
        """Where the page has one's own figure."""
        x, y = self.ask(f"name => (t => [t.x, t.y])({ME})", list, self.name)
        return x, y

    def steps(self, heading: int, host: Host) -> None:
        """One tile or more, by key, until page and server agree."""
        self.page.focus("#map")
        before = self.place()
        self.page.keyboard.down(KEYS[heading])
        try:
            self.until(
                f"([name, x, y]) => (t => t.x !== x || t.y !== y || t.heading === {heading})({ME})",
                [self.name, *before],
            )
        finally:
            self.page.keyboard.up(KEYS[heading])
        self.settles(host)

    def settles(self, host: Host) -> tuple[int, int]:
        """Where one stands, when page and server agree and nothing moves."""
        deadline = time.monotonic() + PATIENCE
        while (place := self.place()) != host.place(self.name) or self.ask(
            f"name => {ME}.motion !== null", bool, self.name
        ):
            assert time.monotonic() < deadline, f"the page has {place}, the server {host.place(self.name)}"
            self.page.wait_for_timeout(20)
        return place

    def says(self, words: str) -> None:
        """By keyboard, from wherever it is."""
        self.page.fill("#chat-form [name=words]", words)
        self.page.press("#chat-form [name=words]", "Enter")

    def hears(self, words: str) -> None:
        """Wait until the chat has that."""
        self.until("words => document.getElementById('chat-log').textContent.includes(words)", words)

    def carries(self, words: str) -> None:
        """Wait until the list of belongings has that."""
        self.until("words => document.getElementById('pack').textContent.includes(words)", words)

    def travels(self, x: int, y: int) -> None:
        """Click on a tile."""
        self.page.mouse.click(*self.point(x, y))


FIND: Final = "[...causeway.world.things.values()].find(thing => thing.name === name)"
ME: Final = "[causeway.world.things.get(causeway.world.self)].find(me => me?.name === name)"
FREE: Final = "([x, y]) => causeway.canvas.realm.walkable(x, y)"
