"""Threads that nothing can end do not keep whoever waits for them."""

from __future__ import annotations

import threading

import trio
import trio.testing

from server.store.errors import DatabaseGivenUp
from server.store.runner import ThreadRunner


class Stuck:
    """A call that goes on until it is let."""

    def __init__(self) -> None:
        self.began, self.let, self.ended = (threading.Event() for _ in range(3))

    def __call__(self) -> None:
        self.began.set()
        self.let.wait(60)
        self.ended.set()


async def given_up(runner: ThreadRunner, call: Stuck, *, write: bool, said: list[str]) -> None:
    """Wait for the call, and note what came of it."""
    try:
        await (runner.write if write else runner.read)(call)
        said.append("done")
    except DatabaseGivenUp:
        said.append("given up")


async def begun(call: Stuck) -> None:
    """Wait until its thread is at it."""
    await trio.to_thread.run_sync(call.began.wait, 60)


async def test_whoever_waits_for_a_database_that_is_given_up_is_let_go() -> None:
    """Those whose turn has not come, too, and whoever asks later; first those who only read."""
    runner = ThreadRunner(readers=1)
    read, write, never = Stuck(), Stuck(), Stuck()
    reads: list[str] = []
    writes: list[str] = []
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lambda: given_up(runner, read, write=False, said=reads))
            await begun(read)
            nursery.start_soon(lambda: given_up(runner, write, write=True, said=writes))
            await begun(write)
            nursery.start_soon(lambda: given_up(runner, never, write=False, said=reads))
            await trio.testing.wait_all_tasks_blocked()
            runner.give_up(writes=False)
            await given_up(runner, never, write=False, said=reads)
            await trio.testing.wait_all_tasks_blocked()
            assert (reads, writes) == (["given up"] * 3, [])
            runner.give_up(writes=True)
        await given_up(runner, never, write=True, said=writes)
        assert writes == ["given up"] * 2
        assert runner.busy
        for stuck in read, write:
            assert not stuck.ended.is_set()
            stuck.let.set()
        assert not never.began.is_set()


async def test_a_call_that_began_is_waited_for_by_whoever_is_cancelled() -> None:
    runner, call, over = ThreadRunner(), Stuck(), trio.Event()

    async def writes() -> None:
        try:
            await runner.write(call)
        finally:
            over.set()

    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(writes)
            await begun(call)
            nursery.cancel_scope.cancel()
            with trio.CancelScope(shield=True):
                await trio.testing.wait_all_tasks_blocked()
                assert not over.is_set()
                call.let.set()
    assert call.ended.is_set()
    assert not runner.busy
