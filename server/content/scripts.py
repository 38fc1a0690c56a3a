"""Reads data/scripts/*.py: each is compiled and run once, so that its decorators say what it wants to be
called for (`world.scripting`).

Whoever may write there may change the world anyway, so this is no prison. But a script that imports from
elsewhere, or opens a file, would stop all players while it waits: that is a mistake, with file and line.
"""

from __future__ import annotations

import ast
import builtins
import pkgutil
import re
import sys
import time
from typing import TYPE_CHECKING, Final

from protocol.reading import UnreadableError, read_text
from protocol.tables import nearest
from world.scripting import Hooks, collect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import FrameType

    from _typeshed import TraceFunction

FOLDER: Final = "scripts"

SCRIPT_BYTES: Final = 256 << 10

MAY_IMPORT: Final = ("world", "__future__")
"""Packages, and the module for annotations, that a script may import from."""

LONGEST: Final = 1.0
"""Seconds of the processor that a script may take to be read: it defines functions and has nothing to do
yet. One that goes round in a ring would keep `check` and a reload waiting for ever."""

_QUOTED: Final = re.compile(r"'(\w+)'")

LEFT_OUT: Final = frozenset({"open", "input", "exec", "eval", "compile", "breakpoint", "exit", "quit"})
"""What Python has and a script has not."""


def read_scripts(root: Path, problems: list[str]) -> Hooks:
    """Hooks of all scripts below the data directory. Mistakes go to `problems`, with file and line."""
    hooks = Hooks()
    for path in sorted((root / FOLDER).glob("*.py")):
        name = path.relative_to(root).as_posix()
        try:
            tree = ast.parse(read_text(path, SCRIPT_BYTES), name)
        except UnreadableError as error:
            problems.append(f"{name}: {error}")
        except SyntaxError as error:
            problems.append(f"{name}:{error.lineno or 1}: {error.msg}")
        except (RecursionError, MemoryError, ValueError) as error:
            problems.append(f"{name}: {type(error).__name__}: {error}")
        else:
            wrong = [f"{name}:{line}: {what}" for line, what in _foreign(tree)]
            problems.extend(wrong)
            if not wrong:
                _run(tree, name, hooks, problems)
    return hooks


def _foreign(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """What a script imports that it may not."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "." if not node.level else "."]
        else:
            continue
        for name in names:
            if name.split(".")[0] not in MAY_IMPORT:
                yield node.lineno, f"import {name}: a script imports from `world` alone"


def _run(tree: ast.Module, name: str, hooks: Hooks, problems: list[str]) -> None:
    space = {"__name__": name, "__builtins__": _builtins()}

    def run() -> None:
        exec(compile(tree, name, "exec", dont_inherit=True), space)

    try:
        collect(lambda: _bounded(run), hooks)
    except (Exception, SystemExit, GeneratorExit) as error:
        trace, line = error.__traceback__, 1
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == name:
                line = trace.tb_lineno
            trace = trace.tb_next
        problems.append(f"{name}:{line}: {_told(error)}")


def _told(error: BaseException) -> str:
    """What went wrong, without the folder in which the program lies."""
    text = str(error)
    if isinstance(error, ImportError):
        text = text.partition(" (")[0]
        source = sys.modules.get(error.name or "")
        wanted = _QUOTED.search(text)
        if source is not None and wanted is not None:
            inner = (module.name for module in pkgutil.iter_modules(getattr(source, "__path__", ())))
            text += nearest(wanted[1], [*vars(source), *inner])
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _bounded(run: Callable[[], None]) -> None:
    """Run it for `LONGEST`. Raises TimeoutError then, and whatever it raises."""
    ends = time.thread_time() + LONGEST

    def look(frame: FrameType, event: str, given: object) -> TraceFunction:
        if time.thread_time() > ends:
            raise TimeoutError(f"is not done after {LONGEST:g} s: does it go round in a ring?")
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        run()
    finally:
        sys.settrace(before)


def _builtins() -> Mapping[str, object]:
    kept: dict[str, object] = {key: value for key, value in vars(builtins).items() if key not in LEFT_OUT}
    kept["__import__"] = _import
    return kept


def _import(
    name: str,
    space: Mapping[str, object] | None = None,
    local: Mapping[str, object] | None = None,
    wanted: Sequence[str] = (),
    level: int = 0,
) -> object:
    """As ever, for what a script may import. Raises ImportError."""
    if level or name.split(".")[0] not in MAY_IMPORT:
        raise ImportError(f"import {name}: a script imports from `world` alone")
    return __import__(name, space, local, wanted, level)
