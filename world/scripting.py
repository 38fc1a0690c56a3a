"""Scripts: what data/scripts/*.py adds to the world where tables end.

    from world.scripting import every, said
    from world import speech

    @said("wool")
    def tell(speaker, text):
        speech.notice(speaker, "Edwin has some.")

A script imports from `world` alone. Its functions are called in the world task, as any rule is: they read and
change whatever rules may, wait for nothing and open nothing. What goes wrong in a call costs that call; it is
reported with file and line, and so is one that takes too long.

The hooks of all scripts are one record, which a reload replaces whole: its timers end with it. Where no
script listens, an occasion costs one look at an empty list.
"""

from __future__ import annotations

import inspect
import logging
import re
import traceback
from collections import deque
from typing import TYPE_CHECKING, Final, Never, Protocol, TypeVar, cast

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.timers import Timer, TimerWheel

log = logging.getLogger("scripts")


class Hook(Protocol):
    """A function of a script; what it is given goes by its occasion."""

    def __call__(self, *given: Never) -> object: ...


F = TypeVar("F")

LONGEST: Final = 0.05
"""Seconds that one call may take without being named in the log: a turn has no more."""

LEAST_SECONDS: Final = 0.1
MOST_SECONDS: Final = 86_400 * 30
"""Between two calls of `every`."""

NAME: Final = re.compile(r"[a-z][a-z0-9]{1,19}")
"""The name of a script's command."""


class ScriptError(Exception):
    """A script is not as it must be; the message says what is wrong."""


@attrs.frozen
class Command:
    """An order that players type, in every game. `run` receives who typed it and the rest of the line."""

    name: str
    about: str
    access: int
    run: Hook


@attrs.frozen(eq=False)
class Hooks:
    """All that the scripts want to be called for, in the order in which they said so."""

    entered: list[Hook] = attrs.field(factory=list)
    said: list[tuple[str, Hook]] = attrs.field(factory=list)
    used: list[tuple[str, Hook]] = attrs.field(factory=list)
    died: list[Hook] = attrs.field(factory=list)
    every: list[tuple[float, Hook]] = attrs.field(factory=list)
    commands: dict[str, Command] = attrs.field(factory=dict)


class Place(Protocol):
    """The world, as far as it is needed here."""

    timers: TimerWheel
    stopwatch: Callable[[], float]


class Scripts:
    """The scripts of one world. `hooks` are those that listen now."""

    def __init__(self, world: Place) -> None:
        self._world = world
        self._timers: list[Timer] = []
        self._hearing = False
        self.hooks = Hooks()
        self.memory: dict[str, object] = {}
        """What scripts remember of this world, by keys of their own; it outlives a reload and ends with the
        server. A variable of a script's module would be shared by all worlds of a process."""
        self.problems: deque[str] = deque(maxlen=100)
        """The latest of what went wrong, a line each; the log has all of them."""

    def replace(self, hooks: Hooks) -> None:
        """Let others listen from now on: the timers of those before end."""
        for timer in self._timers:
            timer.cancel()
        self.hooks = hooks
        self._timers = [
            self._world.timers.every(seconds, self.call, run, self._world) for seconds, run in hooks.every
        ]

    def call(self, run: Hook, *given: object) -> None:
        """Call a function of a script: what it raises is reported, and costs this call alone."""
        began = self._world.stopwatch()
        try:
            run(*cast("tuple[Never, ...]", given))
        except (Exception, SystemExit, GeneratorExit) as error:
            # A script that asks Python to end means itself, and not the server.
            self._report(f"{where(error, run)}: {type(error).__name__}: {error}")
        seconds = self._world.stopwatch() - began
        if seconds > LONGEST:
            self._report(f"{place_of(run)}: took {1000 * seconds:.0f} ms")

    def _report(self, line: str) -> None:
        log.error("%s", line)
        self.problems.append(line)

    def entered(self, mobile: object) -> None:
        """A character has come into the world."""
        for run in self.hooks.entered:
            self.call(run, mobile)

    def said(self, mobile: object, text: str) -> None:
        """Somebody has said something. What a script has said in answer no script hears: it would answer
        itself until Python has enough of it, and all around would read a thousand lines."""
        if self.hooks.said and not self._hearing:
            self._hearing, plain = True, text.casefold()
            for words, run in self.hooks.said:
                if words in plain:
                    self.call(run, mobile, text)
            self._hearing = False

    def used(self, mobile: object, template: str, item: object) -> None:
        """A character has used an item of that template."""
        for key, run in self.hooks.used:
            if key == template:
                self.call(run, mobile, item)

    def died(self, mobile: object, killer: object | None) -> None:
        """Somebody has died."""
        for run in self.hooks.died:
            self.call(run, mobile, killer)

    def order(self, mobile: object, access: int, line: str) -> bool:
        """Carry out an order that a player of that level typed; False if there is none of that name for
        it."""
        name, _, rest = line.strip().partition(" ")
        found = self.hooks.commands.get(name.lower())
        if found is None or access < found.access:
            return False
        self.call(found.run, mobile, rest.strip())
        return True


_collecting: Hooks | None = None
"""What a script's decorators add to while it is read; scripts are read one after the other."""


def collect(run: Callable[[], object], into: Hooks) -> None:
    """Let `run` read one script, whose decorators add to `into`. Whatever it raises is raised here."""
    global _collecting
    before, _collecting = _collecting, into
    try:
        run()
    finally:
        _collecting = before


def _called(occasion: str, run: F, *given: str) -> F:
    """The function, which can be called with what its occasion gives. Raises ScriptError."""
    if not inspect.isfunction(run):
        raise ScriptError(f"{occasion}: stands above a function, not above {run!r:.60}")
    if inspect.iscoroutinefunction(run) or inspect.isgeneratorfunction(run):
        raise ScriptError(f"{occasion}: {run.__name__}: must be a plain function, without async or yield")
    try:
        inspect.signature(run).bind(*given)
    except TypeError:
        wanted = f"{run.__name__}({', '.join(given)})"
        raise ScriptError(f"{occasion}: is called as {wanted}: {run.__name__} does not take that") from None
    return run


def _hooks() -> Hooks:
    if _collecting is None:
        raise ScriptError("only a script in data/scripts/ can use this")
    return _collecting


# What a script uses


def entered(run: F) -> F:
    """Call it with each character that comes into the world. Raises ScriptError."""
    _hooks().entered.append(cast("Hook", _called("entered", run, "mobile")))
    return run


def said(words: str) -> Callable[[F], F]:
    """Call it with whoever says something with these words in it, and all that it says. Raises
    ScriptError."""
    wanted = words.casefold() if isinstance(words, str) else ""
    if not wanted.strip():
        raise ScriptError('said: needs words, as in said("wool")')

    def register(run: F) -> F:
        _hooks().said.append((wanted, cast("Hook", _called("said", run, "mobile", "text"))))
        return run

    return register


def used(template: str) -> Callable[[F], F]:
    """Call it with a character and an item of that template (its key in items.toml) that it used. Raises
    ScriptError."""
    if not isinstance(template, str):
        raise ScriptError('used: needs the key of an item, as in used("bread")')

    def register(run: F) -> F:
        _hooks().used.append((template, cast("Hook", _called("used", run, "mobile", "item"))))
        return run

    return register


def died(run: F) -> F:
    """Call it with whoever died, and who killed it (None: nobody). Raises ScriptError."""
    _hooks().died.append(cast("Hook", _called("died", run, "mobile", "killer")))
    return run


def every(seconds: float) -> Callable[[F], F]:
    """Call it with the world, every so many seconds. Raises ScriptError."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise ScriptError("every: needs a number of seconds, as in every(60)")
    if not LEAST_SECONDS <= seconds <= MOST_SECONDS:
        raise ScriptError(f"every: must be {LEAST_SECONDS} to {MOST_SECONDS} seconds, is {seconds}")

    def register(run: F) -> F:
        _hooks().every.append((float(seconds), cast("Hook", _called("every", run, "world"))))
        return run

    return register


def command(name: str, about: str, access: int = 0) -> Callable[[F], F]:
    """Call it with a character, and the rest of the line, when its player types that order. `about`: one
    sentence about it; `access`: the least level, 0 for all. Raises ScriptError."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise ScriptError(f"command: {name!r}: 2 to 20 small letters and digits, a letter first")

    def register(run: F) -> F:
        hooks = _hooks()
        if name in hooks.commands:
            raise ScriptError(f"command: {name!r} is there twice")
        fit = _called(f"command {name!r}", run, "mobile", "rest")
        hooks.commands[name] = Command(name, about, access, cast("Hook", fit))
        return run

    return register


# Where things went wrong


def where(error: BaseException, run: Hook) -> str:
    """File and line of the script's own that is nearest to what raised."""
    file = getattr(getattr(run, "__code__", None), "co_filename", "")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f"{file}:{frames[-1].lineno}" if frames else place_of(run)


def place_of(run: Hook) -> str:
    """File and line at which a function begins."""
    code = getattr(run, "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code is not None else repr(run)
