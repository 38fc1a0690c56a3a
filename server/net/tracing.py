"""Traces: everything that the clients of one account send and receive, written to a file for a while
(`causeway trace`).

A trace is a file `<state_dir>/traces/<account>-<UTC time>.log` for its owner's eyes only. It begins when
staff asks for it and ends by itself: when its time is over, when the file is as long as it may get, when the
disk refuses, or when the server stops. It follows the account through all its sessions, each from the moment
on when the server knows whose it is, so no login is ever in it; what carries a password or a ticket later is
named and not shown.

    seconds since the trace began, session, game/door, <- from the client or -> to it, what
        16 bytes of it a line, in hexadecimal and in ASCII

Lines are kept in memory and written once a second, so that `tail -f` follows and the disk is not asked for
each packet.

Why not a log level: a log has everybody in it and lies about for weeks; a trace is of one account, by
somebody's order, and ends. Why not the bytes on the wire: they are enciphered and compressed, and secrets
cannot be found in them. So messages are written as they are after decoding and before encoding, where
each packet's declaration says what is secret.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import time
from functools import partial
from typing import TYPE_CHECKING, Final

import trio

from protocol.session import NO_LINK
from protocol.wire.dump import hex_dump
from server.logs import escape

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator
    from pathlib import Path

    from protocol.dispatch import Entry
    from protocol.session import Session

log = logging.getLogger("admin")

FOLDER: Final = "traces"
KEPT: Final = 32
"""Files; older ones go, so that traces never take more than half a GiB."""
MOST_MINUTES: Final = 60
MOST_BYTES: Final = 16 * 1024 * 1024
"""Of one file. The last line, which says why it ends, may go beyond."""
MOST_TRACES: Final = 8
"""At a time."""
WRITE_SECONDS: Final = 1.0
MOST_WAITING: Final = 1024 * 1024
"""Bytes that wait to be written; with more, the second is not waited for."""
LONGEST_TEXT: Final = 4096
"""Characters of one packet in words."""
LONGEST_DUMP: Final = 4096
"""Bytes of one packet in hexadecimal."""

_DUMPED: Final = re.compile(r"[0-9a-f]{4}: ")


class TraceError(Exception):
    """There is no trace; the message says why."""


class Tracer:
    """The trace of one account. Nothing in here raises for a packet or a disk: a client must not suffer from
    being looked at."""

    def __init__(
        self, account: str, path: Path, *, clock: Callable[[], float], most_bytes: int = MOST_BYTES
    ) -> None:
        """Makes the file. Raises OSError."""
        self.account = account
        self.path = path
        self.ended = ""
        """Why it ended; empty while it goes on."""
        self._clock = clock
        self._began = clock()
        self._left = most_bytes
        self._waiting = bytearray()
        self._sessions: dict[int, Session] = {}
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)

    # What a connection tells (see server.net.connection)

    def received(self, session: Session, entry: Entry[Session] | None, frame: bytes) -> None:
        """A whole frame came; `entry` is its row in the door's table, None if there is none."""
        if entry is None:
            # Not its bytes: what is unknown may be another version's way to send a password.
            unknown = session.family.doors[session.door].table.unknown(frame)
            self._write(session, "<-", f"{unknown}, {len(frame)} bytes")
        elif entry.hides(frame):
            self._write(session, "<-", f"{entry.shown(frame)}, {len(frame)} bytes")
        else:
            self._write(session, "<-", f"{_in_words(entry, frame)}, {len(frame)} bytes", frame)

    def sent(self, session: Session, raw: bytes, *, secret: bool = False) -> None:
        """A message is handed to the codec. `secret` if it carries a ticket or key."""
        what = f"{len(raw)} bytes"
        if secret:
            self._write(session, "->", f"{what} (not shown: it carries a key)")
        else:
            self._write(session, "->", what, raw)

    def line(self, session: Session, text: str) -> None:
        """A codec tells what it does. Further lines of the text, and lines of a dump, belong to the first."""
        self._write(session, "" if _DUMPED.match(text) else "--", text)

    def meet(self, session: Session) -> None:
        """From now on this session is looked at, its codec included."""
        if self.ended or session.id in self._sessions or session.link is NO_LINK:
            return
        self._sessions[session.id] = session
        session.codec.trace = partial(self.line, session)
        self._write(session, "--", f"from {session.peer} to {session.local}, {session.phase.name}")

    # Its file

    def write(self) -> None:
        """Give the system what waits for the disk; forget clients that have left."""
        for number, session in list(self._sessions.items()):
            if session.link is NO_LINK:
                self._write(session, "--", "is gone")
                _leave(session)
                self._sessions.pop(number, None)
        self._store()

    def end(self, why: str) -> None:
        """Write the rest and close. The first reason counts."""
        if not self.ended:
            self._waiting += f"{self._clock() - self._began:12.6f} the trace ends: {why}\n".encode()
            self._store()
            self._close(why)

    def _write(self, session: Session, direction: str, text: str, dumped: bytes = b"") -> None:
        if self.ended:
            return
        lines = [f"    {_shortened(line)}" for line in text.split("\n")]
        if direction:
            seconds = self._clock() - self._began
            head = f"{seconds:12.6f} #{session.id} {session.family.name}/{session.door} {direction}"
            lines[0] = f"{head} {lines[0].lstrip()}"
        lines += (f"    {line}" for line in hex_dump(dumped[:LONGEST_DUMP]))
        if len(dumped) > LONGEST_DUMP:
            lines.append(f"    and {len(dumped) - LONGEST_DUMP} more")
        data = "".join(f"{line}\n" for line in lines).encode()
        if len(data) > self._left:
            self.end("the file is as long as it may get")
            return
        self._left -= len(data)
        self._waiting += data
        if len(self._waiting) > MOST_WAITING:
            self._store()

    def _store(self) -> None:
        waiting, self._waiting = self._waiting, bytearray()
        try:
            while waiting:
                del waiting[: os.write(self._file, waiting)]
        except OSError as error:
            log.error("the trace of account %s cannot be written: %s", self.account, error)
            self._close(f"it cannot be written: {error}")

    def _close(self, why: str) -> None:
        if self.ended:
            return
        self.ended = why
        for session in self._sessions.values():
            _leave(session)
        self._sessions.clear()
        with contextlib.suppress(OSError):
            os.close(self._file)


class Tracing:
    """All traces that go on. `sessions` are those connected, `spawn` runs a job that the end of the server
    cancels."""

    def __init__(
        self,
        directory: Path,
        *,
        sessions: Callable[[], Iterable[Session]],
        spawn: Callable[[Callable[[], Awaitable[None]]], None],
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._directory = directory
        self._sessions = sessions
        self._spawn = spawn
        self._wall = wall
        self.running: dict[str, Tracer] = {}
        """Traces by account, for as long as they go on and until somebody sees that they do not."""

    def __iter__(self) -> Iterator[Tracer]:
        return iter(list(self.running.values()))

    def of(self, account: str) -> Tracer | None:
        """The trace of an account that goes on."""
        tracer = self.running.get(account)
        return None if tracer is None or tracer.ended else tracer

    def of_session(self, session: Session) -> Tracer | None:
        """The trace that a session belongs into. Cheap as long as there is none at all."""
        if not self.running or session.account is None:
            return None
        tracer = self.of(session.account.name)
        if tracer is not None:
            tracer.meet(session)
        return tracer

    def start(self, account: str, minutes: float) -> Tracer:
        """Begin a trace, in place of one that goes on. Raises TraceError."""
        if not 0 < minutes <= MOST_MINUTES:
            raise TraceError(f"a trace takes from 1 to {MOST_MINUTES} minutes")
        if self.of(account) is not None:
            self.stop(account, "another one begins")
        if len(self.running) >= MOST_TRACES:
            raise TraceError(f"there are {MOST_TRACES} traces already: trace ACCOUNT off ends one")
        try:
            tracer = Tracer(account, self._new_path(account), clock=trio.current_time)
        except OSError as error:
            raise TraceError(f"no trace can be written: {error}") from error
        self.running[account] = tracer
        self._spawn(partial(self._keep, tracer, 60 * minutes))
        for session in self._sessions():
            self.of_session(session)
        return tracer

    def stop(self, account: str, why: str = "staff said so") -> Tracer:
        """End a trace now. Raises TraceError if there is none."""
        tracer = self.of(account)
        if tracer is None:
            raise TraceError(f"account {account} is not traced")
        self._end(tracer, why)
        return tracer

    async def _keep(self, tracer: Tracer, seconds: float) -> None:
        """Write once a second, until it ends."""
        try:
            with trio.move_on_after(seconds):
                while not tracer.ended:
                    await trio.sleep(WRITE_SECONDS)
                    tracer.write()
            self._end(tracer, "its time is over")
        finally:
            self._end(tracer, "the server stops")

    def _end(self, tracer: Tracer, why: str) -> None:
        tracer.end(why)
        if self.running.get(tracer.account) is tracer:
            del self.running[tracer.account]
            log.info("the trace of account %s ended: %s", tracer.account, tracer.ended)

    def _new_path(self, account: str) -> Path:
        """A name that is not taken; the oldest files make room. Raises OSError."""
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        there = sorted(self._directory.glob("*.log"), key=lambda path: path.stat().st_mtime_ns)
        for old in there[: max(0, len(there) - KEPT + 1)]:
            old.unlink(missing_ok=True)
        # An account that came from another server may have any name.
        name = re.sub(r"[^a-z0-9_-]", "_", account.lower())[:64]
        stem = f"{name}-{time.strftime('%Y%m%d-%H%M%S', time.gmtime(self._wall()))}"
        path, number = self._directory / f"{stem}.log", 1
        while path.exists():
            number += 1
            path = self._directory / f"{stem}-{number}.log"
        return path


def _in_words(entry: Entry[Session], frame: bytes) -> str:
    try:
        return entry.shown(entry.decode(frame))
    except Exception as error:  # a client's packet, or a decoder of ours that it broke
        return f"{entry.name} cannot be read: {error}"


def _leave(session: Session) -> None:
    session.codec.trace = None


def _shortened(text: str) -> str:
    """On one line, harmless to a terminal, of bounded length."""
    return escape(text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}...")
