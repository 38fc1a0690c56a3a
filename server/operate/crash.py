"""Crash reports: files in `<state_dir>/crashes/`, readable only for their owner, about what ended the server.

A report is read by somebody who was not there, so it says what the process knew: the traceback, the tick, who
was online, what the client sent whose packet was being handled (if one was), the configuration. It may be
sent to others, so nothing secret is in it: packets that carry a password appear by name only, and the
configuration is written as its classes show themselves. Text of strangers is escaped as in the log.
"""

from __future__ import annotations

import os
import platform
import time
import traceback
from typing import TYPE_CHECKING, Final

import attrs

from protocol.session import Session
from server.logs import escape
from server.version import version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from types import TracebackType

    from server.settings.config import Settings

FOLDER: Final = "crashes"
KEPT: Final = 50
"""Files; a server that crashes at every start must not fill the disk."""


def new_file(directory: Path, kind: str) -> Path:
    """A new, empty file `<kind>-<UTC time>-<pid>.txt`, unreadable to others. Raises OSError."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    there = sorted(directory.glob("*.txt"), key=lambda path: path.stat().st_mtime_ns)
    for old in there[: max(0, len(there) - KEPT + 1)]:
        old.unlink(missing_ok=True)
    path = directory / f"{kind}-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{os.getpid()}.txt"
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    return path


def write_report(
    directory: Path, error: BaseException, *, tick: int, sessions: Sequence[Session], settings: Settings
) -> Path:
    """Write what is known about a crash into a new file. Raises OSError."""
    sections: list[tuple[str, Callable[[], Iterable[str]]]] = [
        ("What happened", lambda: _lines(traceback.format_exception(error))),
        ("Who was connected", lambda: map(_connected, sessions)),
        ("The last packets of the client it happened to, oldest first", lambda: _packets(offender(error))),
        ("Configuration, without secrets", lambda: _configuration(settings)),
    ]
    path = new_file(directory, "crash")
    with path.open("w", encoding="utf-8") as file:
        file.write(f"Causeway {version()} crashed at {_now()} in tick {tick}\n")
        file.write(f"Python {platform.python_version()} on {platform.platform()}\n")
        for title, lines in sections:
            file.write(f"\n== {title} ==\n")
            try:
                file.writelines(f"{escape(line)}\n" for line in lines())
            except Exception as also:
                # Whatever is broken, the rest of the report is worth having.
                file.write(f"(cannot be told: {type(also).__name__})\n")
    return path


def offender(error: BaseException) -> Session | None:
    """The client that was being served when the error was raised: the innermost function in the traceback
    that was given a session, or is a method of what has one. Only arguments count; other variables may be
    left over from a loop that has ended. What an argument raises when it is asked is passed over."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    found = None
    for frame in _frames(error.__traceback__):
        code = frame.tb_frame.f_code
        for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
            found = _session_of(frame.tb_frame.f_locals.get(name)) or found
    return found


def _session_of(value: object) -> Session | None:
    try:
        session = value if isinstance(value, Session) else getattr(value, "session", None)
        return session if isinstance(session, Session) else None
    except Exception:  # a property of a half-made or broken object
        return None


def _frames(entry: TracebackType | None) -> Iterator[TracebackType]:
    while entry is not None:
        yield entry
        entry = entry.tb_next


def _lines(blocks: Iterable[str]) -> Iterator[str]:
    for block in blocks:
        yield from block.rstrip("\n").split("\n")


def _connected(session: Session) -> str:
    name = session.mobile.name if session.mobile is not None else "nobody yet"
    account = session.account.name if session.account is not None else "none"
    return f"{name}: {session.family.name}, {session.peer}, account {account}, {session.phase.name}"


def _packets(session: Session | None) -> Iterator[str]:
    if session is None:
        yield "(no single client)"
        return
    yield _connected(session)
    table = session.family.doors[session.door].table
    for frame in session.recent:
        opcode = table.opcode_of_frame(frame)
        entry = table.entry(opcode)
        if entry is None:
            yield f"{opcode:#06x}, unknown, {len(frame)} bytes"
        else:
            shown = entry.shown(frame)
            yield f"{opcode:#06x} {shown if entry.hides(frame) else f'{entry.name} {shown}'}"


def _configuration(settings: Settings) -> Iterator[str]:
    for section in attrs.fields(type(settings)):
        value = getattr(settings, section.name)
        if not attrs.has(type(value)):
            yield from (f"{section.name}.{name} = {entry!r}" for name, entry in value.items())
            continue
        for key in attrs.fields(type(value)):
            shown = key.repr if callable(key.repr) else repr
            yield f"{section.name}.{key.name} = {shown(getattr(value, key.name))}"


def _now() -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
