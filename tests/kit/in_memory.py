"""The real server over a database in memory, in virtual time: what `tests.kit.town`, `tests.kit.desk` and
`tests.kit.office` are made of.

Nothing of it is written once more here. What a test holds in its hand comes in from outside, as the server
lets it: the clocks, chance, the cost of a password, where SQL runs. What else a test wants to know of it is
noted on the way and then done all the same.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import cache
from typing import TYPE_CHECKING, Final, Self
from unittest.mock import patch

import attrs
import trio

import server.boot.beginning
from protocol.endings import Ending
from protocol.session import NO_LINK
from server.boot.app import App
from server.content.families import DATA, build_families
from server.content.loading import load
from server.store.database import Database
from server.store.runner import InlineRunner
from server.turn.loop import Loop
from tests.kit.passwords import InlinePasswords
from world.scripting import Hooks

if TYPE_CHECKING:
    import random
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from pathlib import Path

    from protocol.family import Family
    from protocol.session import Session
    from server.settings.config import Settings
    from server.store.runner import Runner
    from server.turn.beside import Beside
    from world.content import Content
    from world.mobile import Mobile
    from world.world import World

EPOCH: Final = 1_700_000_000.0
"""What time it is outside when the clock of the turns is at 0, in seconds UTC."""


@cache
def wild_shipped_content() -> Content:
    """data/ of the repository, read once."""
    return load(DATA)


@cache
def shipped_content() -> Content:
    """data/ of the repository without its spawners, for tests in which nobody is to be eaten, and without the
    question that newcomers are asked."""
    content = wild_shipped_content()
    tame = {name: attrs.evolve(chart, spawners=()) for name, chart in content.charts.items()}
    return attrs.evolve(content, charts=tame, welcome="", scripts=Hooks())


@cache
def _shipped_family(name: str) -> Family:
    return build_families(shipped_content(), [name])[name]


def content_anew() -> Content:
    """The repository's content as a record of its own. What is made of it is made for one server alone, whose
    numbers for clients begin anew as well: for whoever compares the bytes of two servers."""
    return attrs.evolve(shipped_content())


def families_of(content: Content, names: Sequence[str]) -> dict[str, Family]:
    """The games of these names, by name. What is made of the content of the repository is made once for each
    process, and the same for all servers: a game's tables are more than half of what a server in memory does
    until its doors are open, and nothing that happens in a world changes them, but for the numbers that were
    given to clients, which go on (`content_anew`)."""
    if content is shipped_content():
        return {name: _shipped_family(name) for name in names}
    return build_families(content, names)


class Private(Database):
    """A database that nobody else writes into. Its server asks it for orders twice a second: in the minutes
    of a test with virtual time that would be most of the SQL."""

    def orders(self) -> list[int]:
        """There never are any."""
        return []


async def _no_orders(*_: object, **__: object) -> None:
    """In place of `server.operate.orders.poll_orders`: nobody asks."""
    await trio.sleep_forever()


class InMemory(App):
    """A server without sockets and threads. It takes turns once it is open, or when its `make_loop` does."""

    def __init__(
        self,
        settings: Settings,
        content: Content,
        families: Mapping[str, Family],
        *,
        chance: random.Random,
        entropy: Callable[[int], bytes],
        database: Database | None = None,
        runner: Runner | None = None,
        epoch: float = EPOCH,
        clock: Callable[[], float] = trio.current_time,
        make_loop: type[Loop] = Loop,
        config_path: Path | None = None,
        crashes: Path | None = None,
        data_dir: Path = DATA,
        beside: Beside | None = None,
    ) -> None:
        """`database` is one of its own if none is given. See `server.boot.options.Options`."""
        self.database = database or Private("sqlite://")
        self.passwords = InlinePasswords()
        self.epoch = epoch
        """What time it is outside when the clock is at 0; a test may set the machine's clock with it."""
        self.shut = ""
        """Why nobody may log in, if a test says so."""
        self.audited: list[tuple[str, str, str]] = []
        """What commands had to be written down: who, what and the detail."""
        self.stopped: list[int] = []
        """The exit codes with which it was to stop."""
        self.exit_code: int | None = None
        """With which it ended."""
        super().__init__(
            settings,
            content,
            families,
            self.database,
            runner or InlineRunner(),
            chance=chance,
            make_loop=make_loop,
            stopwatch=lambda: 0.0,
            passwords=self.passwords,
            beside=beside or self.passwords,
            entropy=entropy,
            wall=lambda: self.epoch + clock(),
            clock=clock,
            config_path=config_path,
            crashes=crashes,
            data_dir=data_dir,
        )

    async def open(self, nursery: trio.Nursery, *, orders: bool = False) -> Self:
        """Have it run, until it is stopped; with `orders` it looks for those in its database."""
        with nullcontext() if orders else patch.object(server.boot.beginning, "poll_orders", _no_orders):
            await nursery.start(self._serve)
        return self

    async def _serve(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        self.exit_code = await self.run(task_status=task_status)

    def wall_time(self) -> float:
        """What time it is outside, in seconds UTC."""
        return self._wall()

    def change(self, section: str, **values: object) -> None:
        """Set keys of the configuration at run time."""
        part = attrs.evolve(getattr(self.settings, section), **values)
        self.current.settings = attrs.evolve(self.settings, **{section: part})

    @property
    def closed(self) -> str:
        """Why nobody may log in now; empty if they may."""
        return self.shut or super().closed

    def stop(self, code: int) -> None:
        """Begin the shutdown."""
        self.stopped.append(code)
        super().stop(code)

    def _audit(self, who: str, what: str, detail: str) -> None:
        self.audited.append((who, what, detail))
        super()._audit(who, what, detail)


class LooseLine:
    """A session's connection without a wire: what is queued stays where it is. It remembers how it ended, and
    its session then departs as with a real one."""

    def __init__(self, app: App, session: Session) -> None:
        self.ending: Ending | None = None
        self.detail = ""
        self.session = session
        self.mobile: Mobile | None = None
        """Whom it played when it ended."""
        self._app = app
        session.link = self
        app.loop.sessions[session.id] = session

    @property
    def busy(self) -> bool:
        """Whether a job has to run before the inbox goes on."""
        return False

    def flush(self, *, force: bool = False) -> None:
        """Send what is queued."""

    def end(self, ending: Ending, detail: str) -> None:
        """It ends with this turn or the next; the first ending counts. A bug of ours is a test's failure, not
        an ending."""
        assert ending is not Ending.OUR_BUG, detail
        if self.ending is None:
            self.ending, self.detail, self.mobile = ending, detail, self.session.mobile
            self.session.inbox.clear()
            self._app.loop.depart(lambda world: self._departs(world, ending))

    def later(self, job: Callable[[], Awaitable[None]]) -> None:
        """Run a job when the handler has returned; nothing is handled here."""
        raise NotImplementedError

    def drained(self) -> None:
        """Nobody waits for that."""

    def _departs(self, world: World, ending: Ending) -> None:
        app, session = self._app, self.session
        app.gateway._departs(world, session, ending)
        app.accounts.release(session)
        session.link = NO_LINK
