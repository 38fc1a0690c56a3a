"""Commands from outside, given to any process of a cluster: what is about a character, an account that plays
or a realm of another world is carried out in that world.

The problem: an operator has one name and any of the configurations. The idea: the process that is asked finds
in the database who has what is named, leaves an order there (`server.operate.orders`) and waits for its
result. There is no further way between the processes for it: the table is durable, every world reads it
already, and whether an order was begun is decided by one comparison in its row, also when whoever asked stops
waiting.

What is for every world (`EVERYWHERE`) is carried out here, and ordered in each other living one.

What was not done: commands with a password, which a row would keep. Those are carried out where they are
given. What staff types in the game goes the same way (`server.operate.typed`).
"""

from __future__ import annotations

import contextlib
import json
import logging
from functools import partial
from typing import TYPE_CHECKING, Final

import trio

from protocol.background import EDGE
from server.commands.machinery import Answer, CommandError
from server.operate.orders import BEGUN, addressed
from server.people.credentials import fold
from server.store.database import Database
from server.store.errors import DatabaseError, storage_explained
from server.store.fence import HOME

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from server.commands.machinery import Arguments, Command, Staff
    from server.operate.desk import Carrier
    from server.people.account_store import Store
    from server.settings.config import Settings
    from server.store.records import RollRow
    from server.store.writer import Storage

log = logging.getLogger("admin")

PATIENCE_SECONDS: Final = 10.0
"""How long another world may take before whoever asked is told what is known. Worlds look twice a second."""
LOOK_SECONDS: Final = 0.25
ROLL_SECONDS: Final = 0.3
"""How long a status waits for what the database tells of the worlds."""

ANYWHERE: Final = 0
"""In place of a world's id: whichever reads the order."""

OWN: Final = frozenset(
    {"status", "profile", "reload", "reload content", "shutdown", "restart", "abort", "trace", "help"}
)
"""What is about the process that is asked, unless it names an account that plays elsewhere. All else an edge
has a world do."""
DRAIN: Final = "drain"
ACCOUNT: Final = "account "
"""The first word of commands about accounts, for which any process will do."""
LIFTS: Final = frozenset({"unmute", "unjail"})
KEPT: Final = frozenset({"mute", "jail"}) | LIFTS
"""About sentences."""
EVERYWHERE: Final = frozenset({"broadcast"}) | KEPT
"""Carried out by every world: what is said to all, and sentences, which hold wherever somebody goes."""


class Switchboard:
    """The commands of one process of a cluster."""

    def __init__(
        self,
        commands: Carrier,
        store: Store,
        *,
        world: int | None,
        shared: bool,
        wall: Callable[[], float],
        start: Callable[[Callable[[], Awaitable[None]]], None],
    ) -> None:
        """`world` is the id of this process's; None of an edge. `shared` says whether the database may have
        several (`server.store.ownership`); `start` runs a job beside."""
        self._commands = commands
        self._store = store
        self._world = world
        self._shared = shared
        self._wall = wall
        self._start = start
        self._roll: list[RollRow] | None = None
        self._called: trio.Event | None = None
        """While the worlds are being counted: set when they are."""

    def meant(self, command: str, args: Mapping[str, str] | None = None) -> tuple[Command, Arguments]:
        """See Carrier. Raises CommandError."""
        return self._commands.meant(command, args)

    async def run(self, who: str, command: str, args: Mapping[str, str] | None = None) -> Answer:
        """Carry out a command here, or have another world do so."""
        try:
            row, given = self.meant(command, args)
            if row.name in EVERYWHERE and self._shared:
                here = None if self._world is None else partial(self._commands.run, who, command, args)
                return await self.everywhere(row.name, given, here)
            with storage_explained():
                keeper = await self.keeper(command, args)
        except CommandError as error:
            return Answer(False, [str(error)])
        except DatabaseError as error:
            if self._world is None:
                return Answer(False, [f"it is not known which world this is for: {error}"])
            log.warning("a command is carried out here, since nobody says who else has it: %s", error)
            keeper = None
        if keeper is not None:
            return await self.give(keeper, command, args)
        answer = await self._commands.run(who, command, args)
        if row.name == "status" and answer.ok and self._shared:
            return Answer(True, [*answer.lines, *await self._worlds()])
        return answer

    # For orders (server.operate.orders.Worlds)

    @property
    def world(self) -> int:
        """The id of this process's world; -1 of an edge, which has no orders."""
        return -1 if self._world is None else self._world

    async def is_first(self) -> bool:
        """Whether no living world comes before this one."""
        return await self._first() in (None, self._world)

    async def keeper(
        self, command: str, args: Mapping[str, str] | None, *, addressed: bool = False
    ) -> int | None:
        """The other world that a command is about; None: it is to be carried out here. Of an edge it may be
        ANYWHERE. `addressed`: whether somebody ordered it of this world: what every world does is done here
        then. Raises CommandError if an edge knows no world that could."""
        try:
            row, given = self.meant(command, args)
        except CommandError:
            return None  # whoever carries it out says why it is none
        if row.secret or (addressed and row.name in EVERYWHERE):
            return None
        found = await self.named(row, given) if self._shared else None
        if found is not None or self._world is not None:
            return None if found == self._world else found
        if row.name == DRAIN:
            raise CommandError("an edge has nothing to give away: say that to the world which is to end")
        if row.name in OWN or row.name.startswith(ACCOUNT):
            return None
        if not self._shared:
            return ANYWHERE
        first = await self._first()
        if first is None:
            raise CommandError("no world is alive that could do that")
        return first

    # For staff in the game (server.operate.typed), too

    async def named(self, row: Command, given: Arguments) -> int | None:
        """The living world that has what the arguments name."""
        about_accounts = row.name.startswith(ACCOUNT)
        account = given.get("account") or (given.get("name") if about_accounts else None)
        if account is not None:
            name = fold(account)
            return await self._store.read(lambda database: database.keeper_of_account(name))
        word = given.get("character") or given.get("name")
        if word is not None:
            return await self._store.read(lambda database: database.keeper_of_character(word))
        if "realm" in given:
            realm = given["realm"]
            return await self._store.read(lambda database: database.keeper_of_realm(realm))
        return None

    async def everywhere(
        self,
        command: str,
        args: Mapping[str, str],
        here: Callable[[], Awaitable[Answer]] | None,
        by: Staff | None = None,
    ) -> Answer:
        """Have a command carried out `here` and in each other living world. The answer is that of the first
        one, with a line for each other that did not do it; what is refused here is done nowhere. A sentence
        is lifted by whoever has it."""
        answers, lifts = [] if here is None else [await here()], command in LIFTS
        if not lifts and any(not answer.ok for answer in answers):
            return answers[0]
        try:
            with storage_explained():
                rows = await self._store.read(Database.worlds)
        except DatabaseError as error:
            return Answer(False, [*_lines(answers), f"it is not known which other worlds there are: {error}"])
        others = {row.id: Answer(False, []) for row in rows if row.alive and row.id != self._world}
        silent: set[int] = set()

        async def tell(world: int) -> None:
            others[world], heard = await self._asked(world, command, args, by)
            if not heard:
                silent.add(world)

        async with trio.open_nursery() as nursery:
            for world in others:
                nursery.start_soon(tell, world)
        answers += others.values()
        if not answers:
            return Answer(False, ["no world is alive that could do that"])
        told = next((answer for answer in answers if answer.ok), answers[0]) if lifts else answers[0]
        failed = [
            f"world {world}: {line}"
            for world, one in others.items()
            if (world in silent if lifts else not one.ok)
            for line in one.lines
        ]
        if command in KEPT and HOME not in {self._world, *others}:
            failed.append(f"world {HOME}, which keeps sentences, is not alive: nothing of this lasts there")
        return Answer(told.ok and not failed, [*told.lines, *failed])

    async def _first(self) -> int | None:
        worlds = await self._store.read(Database.worlds)
        return next((row.id for row in worlds if row.alive), None)

    async def give(
        self, world: int, command: str, args: Mapping[str, str] | None, by: Staff | None = None
    ) -> Answer:
        """Have another world carry a command out, which staff typed here if that is `by`: the answer of that
        one, or why there is none. (0: of any world.)"""
        answer, _ = await self._asked(world, command, args, by)
        return answer

    async def _asked(
        self, world: int, command: str, args: Mapping[str, str] | None, by: Staff | None
    ) -> tuple[Answer, bool]:
        """As `give`, and whether it is the answer of that world."""
        text = addressed(world, command, args, by)
        whose = f"world {world}" if world else "the world"
        try:
            with storage_explained():
                number = await self._store.write(lambda database: database.give_order(text, self._wall()))
                with trio.move_on_after(PATIENCE_SECONDS):
                    return await self._answer_to(number), True
                refused = Answer(False, [f"{whose} did not take it in time: nothing was done"])
                if await self._withdraw(number, refused):
                    return refused, False
                return await self._last_answer(number, whose), True
        except DatabaseError as error:
            return Answer(False, [f"it is not known what {whose} made of it: {error}"]), False

    async def _answer_to(self, number: int) -> Answer:
        while True:
            text = await self._store.read(lambda database: database.order_result(number))
            if text is not None and text != BEGUN:
                return _answer(text)
            await trio.sleep(LOOK_SECONDS)

    async def _withdraw(self, number: int, answer: Answer) -> bool:
        text = json.dumps({"ok": answer.ok, "lines": list(answer.lines)})
        return await self._store.write(lambda database: database.begin_order(number, self._wall(), text))

    async def _last_answer(self, number: int, whose: str) -> Answer:
        text = await self._store.read(lambda database: database.order_result(number))
        if text is not None and text != BEGUN:
            return _answer(text)
        return Answer(True, [f"{whose} is at it; do not give it again: it is order {number} of admin_order"])

    async def _worlds(self) -> Sequence[str]:
        """A line for each world, if the database says so at once."""
        if self._called is None:
            self._called = trio.Event()
            self._start(self._call_the_roll)
        with trio.move_on_after(ROLL_SECONDS):
            await self._called.wait()
        if self._roll is None:
            return ["the database does not say which worlds there are"]
        return [_line(row, self._world) for row in self._roll]

    async def _call_the_roll(self) -> None:
        called, self._roll = self._called, None
        try:
            self._roll = await self._store.read(Database.roll)
        except Exception as error:
            log.debug("the worlds are not known: %s", error)
        finally:
            self._called = None
            if called is not None:
                called.set()


def switchboard_for(
    settings: Settings,
    commands: Carrier,
    storage: Storage,
    *,
    wall: Callable[[], float],
    start: Callable[[Callable[[], Awaitable[None]]], None],
) -> Switchboard | None:
    """The switchboard of a process with these settings; None if there are no worlds beside it."""
    is_edge = EDGE in settings.server.roles
    if not (is_edge or storage.shared):
        return None
    return Switchboard(
        commands,
        storage,
        world=None if is_edge else settings.world.id,
        shared=storage.shared or not settings.database.url.startswith("sqlite"),
        wall=wall,
        start=start,
    )


def _answer(text: str) -> Answer:
    with contextlib.suppress(ValueError, KeyError, TypeError):
        found = json.loads(text)
        return Answer(found["ok"] is True, [str(line) for line in found["lines"]])
    return Answer(False, [text])


def _lines(answers: Sequence[Answer]) -> list[str]:
    return [line for answer in answers for line in answer.lines]


def _line(row: RollRow, mine: int | None) -> str:
    here = ", this one" if row.id == mine else ""
    if not row.alive:
        return f"world {row.id}{here}: dead"
    realms = ", ".join(row.realms) or "no realms"
    where = f" at {row.address}" if row.address else ""
    return f"world {row.id}{here}{where}: {realms}, {row.characters} characters"
