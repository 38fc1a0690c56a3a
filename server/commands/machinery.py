"""The machinery of commands: one table for players and staff in the game, for the console, for the admin
channel and for orders.

A command is a function with a usage line, a level and a sentence of help. As with packets, a plain `def` runs
in the world task and an `async def` outside of it. Whoever lacks the level is told that there is no such
command. What staff, or anybody from outside the game, changed with a command is audited, with secrets masked;
of players' commands there is a line in the log at level DEBUG. Players have to take their time between
commands (`server.commands.pace`); staff need not.

Why a table of its own and not argparse or a parser of sub-commands: the same row has to be bound from a
line that was typed in a game, from named arguments of another program, and from the words of a shell;
help, rights, audit and the masking of secrets come from the row, so that no command can forget one of
them. A command says what it changed in words, and raises CommandError before it has changed anything.
"""

from __future__ import annotations

import inspect
import logging
import re
import textwrap
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, TypeVar

import attrs

from protocol.denials import Denied
from protocol.tables import nearest
from server.commands.countdown import Countdown
from server.commands.pace import Pace
from world.mobile import Access
from world.scripting import place_of
from world.speech import notice

if TYPE_CHECKING:
    from protocol.session import Session
    from server.commands.host import Host
    from server.net.tracing import Tracing
    from server.people.accounts import AccountService
    from world.mobile import Mobile
    from world.scripting import Hooks
    from world.thing import Surroundings
    from world.world import World

T = TypeVar("T")
log = logging.getLogger("admin")

SECRET: Final = "password"
"""The name of arguments that are never written down."""
LONGEST_LINE: Final = 240
"""Letters of a line in a client: the shortest room that a game has for one is 255 bytes."""
NUMBERS: Final = frozenset({"duration", "amount", "count"})
"""The names of arguments that may be left out of a typed line before others, as they begin with a digit."""


class CommandError(Exception):
    """A command cannot be carried out; the message says why, in lines if there is much to say."""


@attrs.frozen
class Context:
    """The person who gave a command, and everything that the command may use."""

    who: str
    """For the audit."""
    access: int
    actor: Mobile | None
    """Whose player gave it; None for the console, the admin channel and orders, also those of staff in
    another world."""
    accounts: AccountService
    wall: Callable[[], float]
    running: Host | None
    """None while the `causeway` command works on the database of a stopped server."""
    countdown: Countdown
    traces: Tracing | None
    called: str = "Staff"
    """See `speaker`."""

    @property
    def tracing(self) -> Tracing:
        """The traces of a running server. Raises CommandError if no server is running."""
        if self.traces is None:
            raise CommandError("no server is running")
        return self.traces

    @property
    def host(self) -> Host:
        """The running server. Raises CommandError if none is running."""
        if self.running is None:
            raise CommandError("no server is running")
        return self.running

    @property
    def world(self) -> World:
        """The world."""
        return self.host.world

    @property
    def speaker(self) -> str:
        """The name under which whoever gave it speaks to players."""
        return self.actor.name if self.actor is not None else self.called

    def require_over(self, access: int, whom: str) -> None:
        """Raises CommandError if staff acts on somebody of its own rank or a higher one."""
        if access >= self.access and self.access < Access.OWNER:
            raise CommandError(f"{whom} is not below you")


Arguments: TypeAlias = Mapping[str, str]
Run: TypeAlias = Callable[[Context, Arguments], "Sequence[str] | Awaitable[Sequence[str]]"]


@attrs.frozen
class Parameter:
    """One argument, as the usage line writes it: NAME, [NAME], [NAME...] (the rest of the line), or
    [word NAME], which is what follows that word."""

    name: str
    optional: bool
    rest: bool
    after: str = ""


@attrs.frozen
class Command:
    """One row of the table."""

    name: str
    usage: str
    about: str
    """One sentence of help."""
    access: int
    audited: bool
    """Whether what came of it is written down; see `Commands`."""
    every: float
    """Seconds that a player has to wait before giving it again."""
    run: Run
    parameters: Sequence[Parameter]
    asks: bool = False
    """Whether it only tells something if no arguments are given: nobody audits that."""
    attests: bool = False
    """Whether its answer says that something is so by now: it is worth nothing before."""

    def changes(self, given: Arguments) -> bool:
        """Whether something is different afterwards, so that it is written down; else it only tells."""
        return self.audited and bool(given or not self.asks)

    def bind_words(self, text: str) -> Arguments:
        """The arguments of a typed line; one with blanks stands in quotation marks. Raises CommandError."""
        given: dict[str, str] = {}
        for parameter in self.parameters:
            text = text.strip()
            if not text:
                break
            if parameter.after:
                word, _, text = text.partition(" ")
                text = text.strip()
                if word.lower() != parameter.after or not text:
                    raise CommandError(f"usage: {self.usage}")
            word, after = (text, "") if parameter.rest else _first(text)
            if parameter.name in NUMBERS and parameter.optional and not _NUMBER.match(word):
                continue  # what was typed begins with the next one
            given[parameter.name], text = word, after
        if text.strip():
            raise CommandError(f"usage: {self.usage}")
        return self.bind(given)

    def bind(self, given: Mapping[str, str]) -> Arguments:
        """Named arguments, checked. Raises CommandError."""
        known = {parameter.name for parameter in self.parameters}
        needed = {parameter.name for parameter in self.parameters if not parameter.optional}
        if given.keys() - known or needed - given.keys():
            raise CommandError(f"usage: {self.usage}")
        return given

    @property
    def secret(self) -> bool:
        """Whether it takes a password."""
        return any(parameter.name == SECRET for parameter in self.parameters)


_NUMBER: Final = re.compile(r"[-+.,]?[0-9]")
_PARAMETER: Final = re.compile(r"(\[?)(?:([a-z]+) )?([A-Z]+)(\.\.\.)?(\]?)")
_USAGE_WORD: Final = re.compile(r"\[[^\]]*\]|\S+")


def _first(text: str) -> tuple[str, str]:
    """The first word of a line, or what stands between its first quotation marks, and the rest."""
    if not text.startswith('"'):
        word, _, rest = text.partition(" ")
        return word, rest
    word, end, rest = text[1:].partition('"')
    if not end or not word.strip() or not (rest == "" or rest.startswith(" ")):
        raise CommandError("quotation marks come in pairs, around a name")
    return word, rest


class CommandTable:
    """Name -> command. Names are one word, or two as in `account create`."""

    def __init__(self) -> None:
        self._rows: dict[str, Command] = {}

    def command(
        self,
        usage: str,
        *,
        access: int,
        about: str,
        audited: bool = True,
        every: float = 0.0,
        asks: bool = False,
        attests: bool = False,
    ) -> Callable[[Run], Run]:
        """Register a function. `usage` is the name in small letters, then the parameters in capitals. Raises
        ValueError if the usage line cannot be read or the name is taken."""

        def register(run: Run) -> Run:
            words = _USAGE_WORD.findall(usage)
            name = " ".join(word for word in words if word.islower())
            found = [_PARAMETER.fullmatch(word) for word in words if not word.islower()]
            parameters = [
                Parameter(match[3].lower(), bool(match[1]), bool(match[4]), match[2] or "")
                for match in found
                if match
            ]
            if len(parameters) != len(found) or name in self._rows:
                raise ValueError(f"bad usage line: {usage}")
            self._rows[name] = Command(
                name, usage, about, access, audited, every, run, parameters, asks, attests
            )
            return run

        return register

    def include(self, other: CommandTable) -> None:
        """Take over all commands of another table. Raises ValueError if one of that name is here already."""
        for row in other:
            if row.name in self._rows:
                raise ValueError(f"{row.name} is there twice")
            self._rows[row.name] = row

    def __iter__(self) -> Iterator[Command]:
        return iter(sorted(self._rows.values(), key=lambda row: row.name))

    def hides(self, scripts: Hooks) -> list[str]:
        """A line for each order of a script that bears the name of a command, which comes first."""
        ours = {name.partition(" ")[0] for name in self._rows}
        return [
            f"{place_of(order.run)}: command: {name!r} is an order of the server's own, which comes first"
            for name, order in scripts.commands.items()
            if name in ours
        ]

    def find(self, name: str, access: int) -> Command:
        """The command of that name. Raises CommandError, the same for unknown and for forbidden ones."""
        row = self._rows.get(" ".join(name.lower().split()))
        if row is None or row.access > access:
            allowed = [one.name for one in self._rows.values() if one.access <= access]
            meant = nearest(name.lower(), allowed, alike=0.7)
            raise CommandError(f"there is no such command; `help` lists those you may give{meant}")
        return row

    def parse(self, line: str, access: int) -> tuple[Command, Arguments]:
        """A typed line. Raises CommandError."""
        words = line.split(maxsplit=2)
        two = " ".join(words[:2]).lower()
        if two in self._rows:
            return self.find(two, access), self._rows[two].bind_words(words[2] if len(words) > 2 else "")
        row = self.find(words[0] if words else "", access)
        return row, row.bind_words(line.split(maxsplit=1)[1] if len(words) > 1 else "")


@attrs.frozen
class Answer:
    """Result of a command."""

    ok: bool
    lines: Sequence[str]


@attrs.frozen
class Staff:
    """Somebody of the staff, as another world has to know it: what it may do says its account there."""

    account: int
    name: str
    """Of the character that it plays."""


class Beyond(Protocol):
    """The other worlds, as commands that staff types in the game ask for them (`server.operate.typed`)."""

    def concerns(self, context: Context, row: Command, args: Arguments) -> bool:
        """Whether a command may be about somebody or something of another world. In the world task."""

    async def give(
        self,
        context: Context,
        by: Staff,
        row: Command,
        args: Arguments,
        here: Callable[[], Awaitable[Answer]],
    ) -> Answer:
        """Have it carried out where that is; `here` does so in this world."""


class Commands:
    """Carries out commands. `audit` takes who, what and the detail; it must not wait. It receives what was
    changed by staff and from outside the game, not what players did."""

    def __init__(
        self,
        table: CommandTable,
        *,
        accounts: AccountService,
        host: Host | None,
        audit: Callable[[str, str, str], None],
        wall: Callable[[], float],
        tracing: Tracing | None = None,
    ) -> None:
        self.table = table
        self._accounts = accounts
        self._host = host
        self._audit = audit
        self._wall = wall
        self._tracing = tracing
        self._countdown = Countdown()
        self._pace = Pace()
        self.beyond: Beyond | None = None
        """Where there may be other worlds."""

    def in_game(self, session: Session, line: str) -> None:
        """A player typed a command; called in the world task. Answers go to it as system messages."""
        actor = session.mobile
        if actor is None:
            return
        account = session.account.name if session.account is not None else "?"
        context = self._context(f"{account} ({actor.name})", actor.access, actor)
        try:
            row, args = self.table.parse(line, context.access)
        except CommandError as error:
            if not self._is_scripted(actor, line):
                notice(actor, str(error))
            return
        if row.secret:
            # What players say passes through logs and other players' hands.
            notice(actor, f"passwords are not for the game: use `causeway {row.name}` or the console")
            return
        if _is_player(context) and not self._pace.takes(actor, row.name, row.every, actor.world.now):
            notice(actor, "not so fast: wait a few seconds")
            return
        beyond, owner = self.beyond, session.account
        if beyond is not None and owner is not None and beyond.concerns(context, row, args):
            by, here = Staff(owner.id, actor.name), partial(self._carry_out, context, row, args)
            session.services.start(
                partial(self._in_game_job, session, actor, partial(beyond.give, context, by, row, args, here))
            )
        elif inspect.iscoroutinefunction(row.run):
            job = partial(self._run_job, context, row, args)
            session.services.start(partial(self._in_game_job, session, actor, job))
        else:
            _tell(actor, self._run_here(context, row, args), actor.world)

    def _is_scripted(self, actor: Mobile, line: str) -> bool:
        """Whether a script has an order of that name, which is carried out then, at a player's pace."""
        scripts = actor.world.scripts
        name = line.split(maxsplit=1)[0].lower() if line.strip() else ""
        if name not in scripts.hooks.commands:
            return False
        if actor.access == Access.PLAYER and not self._pace.takes(actor, name, 0.0, actor.world.now):
            notice(actor, "not so fast: wait a few seconds")
            return True
        return scripts.order(actor, actor.access, line)

    async def run(self, who: str, command: str, args: Mapping[str, str] | None = None) -> Answer:
        """A command from outside the game, with every right. `command` is a whole line if there are no
        `args`."""
        try:
            row, bound = self.meant(command, args)
        except CommandError as error:
            return Answer(False, [str(error)])
        return await self._carry_out(self._context(who, Access.OWNER, None), row, bound)

    async def run_for(self, by: Staff, command: str, args: Mapping[str, str] | None) -> Answer:
        """A command of staff that plays in another world, with the rights that its account has now."""
        row = await self._accounts.staff.numbered(by.account)
        if row is None or (row.banned_until is not None and row.banned_until > self._wall()):
            return Answer(False, ["you are of no staff any more"])
        try:
            if args is None:
                meant, bound = self.table.parse(command, row.access)
            else:
                meant = self.table.find(command, row.access)
                bound = meant.bind(args)
        except CommandError as error:
            return Answer(False, [str(error)])
        context = self._context(f"{row.name} ({by.name})", row.access, None)
        return await self._carry_out(attrs.evolve(context, called=by.name), meant, bound)

    async def _carry_out(self, context: Context, row: Command, bound: Arguments) -> Answer:
        if inspect.iscoroutinefunction(row.run):
            return await self._run_job(context, row, bound)
        if self._host is None:
            return Answer(False, ["no server is running"])
        return await self._host.in_world(None, lambda _: self._run_here(context, row, bound))

    def meant(self, command: str, args: Mapping[str, str] | None = None) -> tuple[Command, Arguments]:
        """The command that a request from outside the game is, and its arguments. Needs no world: any thread
        may ask. Raises CommandError."""
        if args is None:
            return self.table.parse(command, Access.OWNER)
        row = self.table.find(command, Access.OWNER)
        return row, row.bind(args)

    def takes_password(self, command: str) -> bool:
        """Whether the command, with or without its arguments, is one that takes a password."""
        words = command.lower().split()
        return any(row.secret and row.name.split() == words[: len(row.name.split())] for row in self.table)

    def _context(self, who: str, access: int, actor: Mobile | None) -> Context:
        return Context(
            who,
            access,
            actor,
            self._accounts,
            self._wall,
            self._host,
            self._countdown,
            self._tracing,
        )

    async def _in_game_job(
        self, session: Session, actor: Mobile, job: Callable[[], Awaitable[Answer]]
    ) -> None:
        await session.services.in_world(None, partial(_tell, actor, await job()))

    def _run_here(self, context: Context, row: Command, args: Arguments) -> Answer:
        try:
            result = row.run(context, args)
        except Exception as error:
            return self._failed(context, row, args, error)
        if inspect.isawaitable(result):
            raise TypeError(f"{row.name} is async")
        return self._succeeded(context, row, args, result)

    async def _run_job(self, context: Context, row: Command, args: Arguments) -> Answer:
        try:
            result = row.run(context, args)
            lines = await result if inspect.isawaitable(result) else result
        except Exception as error:
            return self._failed(context, row, args, error)
        return self._succeeded(context, row, args, lines)

    def _succeeded(self, context: Context, row: Command, args: Arguments, lines: Sequence[str]) -> Answer:
        if row.changes(args):
            self.note(context, row, args, lines[0] if lines else "done")
        return Answer(True, list(lines))

    def _failed(self, context: Context, row: Command, args: Arguments, error: Exception) -> Answer:
        if isinstance(error, CommandError | Denied):
            return Answer(False, str(error).split("\n"))
        log.error("command %s failed", row.name, exc_info=error)
        if row.audited:
            self.note(context, row, args, f"failed: {error!r}")
        return Answer(False, [f"{row.name} failed: the log says why"])

    def note(self, context: Context, row: Command, args: Arguments, result: str) -> None:
        """Write down that a command was carried out, and what came of it."""
        given = " ".join(f"{name}={'***' if name == SECRET else value!r}" for name, value in args.items())
        detail = f"{given} -> {result}".strip()
        if _is_player(context):
            log.debug("%s: %s %s", context.who, row.name, detail)
            return
        self._audit(context.who, row.name, detail)
        log.info("%s: %s %s", context.who, row.name, detail)


def _is_player(context: Context) -> bool:
    return context.actor is not None and context.access == Access.PLAYER


def _tell(actor: Mobile | None, answer: Answer, _world: Surroundings) -> None:
    if actor is not None:
        for text in answer.lines:
            for line in textwrap.wrap(text.replace("\t", "  "), LONGEST_LINE) or [text]:
                notice(actor, line)


_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def seconds(text: str) -> float | None:
    """A duration such as 90s, 15m, 12h, 3d or 2w; None if it is none."""
    match = re.fullmatch(r"([0-9]{1,6})([smhdw])", text)
    return None if match is None else float(int(match[1]) * _UNITS[match[2]])
