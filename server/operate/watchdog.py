"""Notices when the server stands still, says where, and ends it so that a supervisor can start it again.

An endless loop in a rule stops everything that could complain about it, so the watcher is a thread. A task
beats once a second; while one turn, one handler or anything else keeps Trio's thread, no beat comes, and a
world that merely sleeps goes on beating. After half of `report_after` seconds without a beat a line of the
log warns and says where the turn stands, as those that follow do. After `report_after` the stacks of all
threads go to a file and one line into the log; after `end_after` they go there once more, and the process
ends at once with exit code 71. Nothing is saved then: what was handed to the storage thread is on disk by
that time, and the turn that never ended must not be.

Silence is counted by the thread's own waking: it counts no more than two of its intervals for one sleep. A
machine that was suspended, or a process that was stopped (Ctrl-Z, a paused container), slept as a whole and
is not blamed for it. The limit of any such thread: code in C that never gives up the interpreter's lock
stops it too.
"""

from __future__ import annotations

import contextlib
import faulthandler
import logging
import os
import sys
import threading
import time
from typing import TYPE_CHECKING, Final

import trio

from server.exits import STALLED
from server.operate.crash import new_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

log = logging.getLogger("server")

REPORT_SECONDS: Final = 10.0
END_SECONDS: Final = 60.0
"""Paper's WatchdogThread.java warns after 10 s and ends the server after 60 s."""
BEAT_SECONDS: Final = 1.0
LOGGING_SECONDS: Final = 2.0
"""How long a line may take to be logged: the thread that stands still may hold the log's lock."""


class Watchdog:
    """Watches the thread of Trio that `keep` runs in. Reports go to `directory`."""

    def __init__(
        self,
        directory: Path,
        *,
        report_after: float = REPORT_SECONDS,
        end_after: float = END_SECONDS,
        beat: float = BEAT_SECONDS,
        where: Callable[[], str] = str,
        end_process: Callable[[int], object] = os._exit,
    ) -> None:
        """`where` tells another thread where the watched one stands."""
        self._directory = directory
        self._report_after = report_after
        self._end_after = end_after
        self._beat = beat
        self._where = where
        self._end_process = end_process
        self._beats = 0
        self._over = threading.Event()

    async def keep(self) -> None:
        """Watch until cancelled. Start it when the server is up: reading, migrating and checking may take
        long."""
        thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
        thread.start()
        try:
            while True:
                self._beats += 1
                await trio.sleep(self._beat)
        finally:
            self._over.set()
            thread.join()

    def _watch(self) -> None:
        seen, silence = 0, 0.0
        report: Path | None = None
        warned = False
        before = time.monotonic()
        while not self._over.wait(self._beat):
            now = time.monotonic()
            silence += min(now - before, 2 * self._beat)
            before = now
            if self._beats != seen:
                if warned:
                    log.warning("the server goes on, after %.0f seconds", silence)
                seen, silence, report, warned = self._beats, 0.0, None, False
            elif silence >= self._end_after:
                try:
                    self._dump(silence, report)
                    self._say(silence, f"ending with exit code {STALLED}")
                finally:
                    self._end_process(STALLED)
                return
            elif report is None and silence >= self._report_after:
                report = self._dump(silence, None)
                warned = True
                self._say(silence, f"all stacks are in {report}")
            elif not warned and silence >= self._report_after / 2:
                warned = True
                self._say(silence, f"the process ends after {self._end_after:.0f}", logging.WARNING)

    def _dump(self, silence: float, report: Path | None) -> Path:
        """Every thread's stack, into a new file or at the end of `report`; to standard error if the disk does
        not take it. Raises nothing: whatever fails here, the end of the process has to come."""
        try:
            report = report or new_file(self._directory, "stall")
            with report.open("a", encoding="utf-8") as file:
                file.write(f"After {silence:.0f} seconds without a beat:\n\n")
                file.flush()
                faulthandler.dump_traceback(file)
                file.write("\n")
            return report
        except Exception:
            with contextlib.suppress(Exception):  # a service may have no standard error
                faulthandler.dump_traceback(sys.__stderr__ or 2)
            return self._directory

    def _say(self, silence: float, outcome: str, level: int = logging.CRITICAL) -> None:
        where = "nobody knows where"
        with contextlib.suppress(Exception):
            where = self._where() or where
        _say(level, "nothing has moved for %.0f seconds (%s): %s", silence, where, outcome)


def end_within(seconds: float, code: int, end_process: Callable[[int], object] = os._exit) -> None:
    """Have a thread end the process after so many seconds with that exit code, whatever it does by then: for
    ends that may wait for what never comes. A process that has ended by itself before has none."""

    def end() -> None:
        time.sleep(seconds)
        try:
            _say(logging.CRITICAL, "the end has taken %.0f seconds: ending with exit code %d", seconds, code)
        finally:
            end_process(code)

    threading.Thread(target=end, name="last resort", daemon=True).start()


def _say(level: int, text: str, *values: object) -> None:
    """Log a line, but wait for that only a moment."""
    line = threading.Thread(target=log.log, args=(level, text, *values), daemon=True)
    with contextlib.suppress(RuntimeError):  # the system has no thread left to give
        line.start()
        line.join(LOGGING_SECONDS)
