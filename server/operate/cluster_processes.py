"""Processes that are started, waited for and stopped one stage after the other.

Nothing is started again: what a process does that comes back too often, too soon or into the wrong company is
the business of systemd, and a second systemd would be a worse one. Here a process that ends is said, and all
others go on. Each has a session of its own, so that Ctrl-C in a terminal reaches only whoever started them
and the stages end in order.
"""

from __future__ import annotations

import inspect
import signal
import subprocess
from typing import TYPE_CHECKING, Final

import attrs
import trio

from server.operate.cluster_files import ClusterError

if TYPE_CHECKING:
    import pwd
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

START_SECONDS: Final = 60.0
"""Until a process is ready. A world migrates and reads data/, on a busy machine."""

STOP_SECONDS: Final = 45.0
"""From a signal until a process that has not ended is killed: longer than a world says goodbye (8 s) and
tries to save (30 s)."""

LOOK_SECONDS: Final = 0.05
"""Between two looks whether it is ready."""


@attrs.define(eq=False)
class Child:
    """One process: what is run, the folder of its output.txt, how one sees that it is ready, and what is told
    of it then. `user` is whom it runs as, if not whoever starts it, and `cwd` where, if not in the folder."""

    name: str
    command: Sequence[str]
    folder: Path
    ready: Callable[[trio.Process], bool | Awaitable[bool]]
    told: Callable[[], str]
    user: pwd.struct_passwd | None = None
    cwd: Path | None = None
    stops_at: signal.Signals = signal.SIGTERM
    stopping: bool = False
    _process: trio.Process | None = None

    async def start(self) -> None:
        """Start it, and do not wait. Raises ClusterError if it cannot be run."""
        output = self.folder / "output.txt"
        with output.open("wb") as file:
            try:
                self._process = await trio.lowlevel.open_process(
                    list(self.command),
                    cwd=self.cwd or self.folder,
                    stdin=subprocess.DEVNULL,
                    stdout=file,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    user=None if self.user is None else self.user.pw_uid,
                    group=None if self.user is None else self.user.pw_gid,
                    extra_groups=None if self.user is None else [],
                )
            except OSError as error:
                raise ClusterError(f"{self.name} cannot be run: {error}") from error

    async def until_ready(self) -> None:
        """Wait until it is. Raises ClusterError if it ends, or is not within `START_SECONDS`."""
        process = self._process
        assert process is not None
        with trio.move_on_after(START_SECONDS):
            while process.poll() is None:
                ready = self.ready(process)
                if await ready if inspect.isawaitable(ready) else ready:
                    return
                await trio.sleep(LOOK_SECONDS)
            raise ClusterError(f"{self.name} ended with {process.returncode} at its start: {self._last()}")
        raise ClusterError(f"{self.name} is not ready after {START_SECONDS:g} seconds: {self._last()}")

    async def watch(self, say: Callable[[str], None]) -> None:
        """Wait until it ends, and say so if nobody asked it to."""
        assert self._process is not None
        code = await self._process.wait()
        if not self.stopping:
            say(f"{self.name} has ended with {code}, the others go on: {self._last()}")

    async def stop(self, say: Callable[[str], None]) -> None:
        """Ask it to end, and wait; after `STOP_SECONDS` it is killed."""
        self.stopping = True
        process = self._process
        if process is None or process.poll() is not None:
            return
        process.send_signal(self.stops_at)
        with trio.move_on_after(STOP_SECONDS):
            await process.wait()
            return
        say(f"{self.name} did not end within {STOP_SECONDS:g} seconds, and is killed")
        process.kill()
        await process.wait()

    def _last(self) -> str:
        """The last line of what it printed, and where the others are."""
        output = self.folder / "output.txt"
        lines = output.read_text(errors="replace").strip().splitlines()
        return f"{lines[-1].strip() if lines else 'it said nothing'} ({output})"


async def serve(stages: Sequence[Sequence[Child]], say: Callable[[str], None]) -> None:
    """Start the processes of one stage, and those of the next when they are ready; run until SIGINT or
    SIGTERM comes; then stop the last stage first. Raises ClusterError if one does not start; all are stopped
    then."""
    failed: ClusterError | None = None
    started: list[list[Child]] = []
    async with trio.open_nursery() as nursery:
        with trio.CancelScope() as running:
            await nursery.start(_signals, running)
            try:
                for stage in stages:
                    started.append(here := [])
                    for child in stage:
                        await child.start()
                        here.append(child)
                    for child in stage:
                        await child.until_ready()
                        say(f"{child.name}: {child.told()}")
                        nursery.start_soon(child.watch, say)
                say("all is there; Ctrl-C ends it")
                await trio.sleep_forever()
            except ClusterError as error:
                failed = error
        for stage in reversed(started):
            async with trio.open_nursery() as stopping:
                for child in stage:
                    stopping.start_soon(child.stop, say)
        say("all has ended")
        nursery.cancel_scope.cancel()
    if failed is not None:
        raise failed


async def _signals(
    running: trio.CancelScope, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
) -> None:
    """End it when it is asked to; whoever asks again waits like everybody."""
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as received:
        task_status.started()
        async for _ in received:
            running.cancel()
