"""Long work beside Trio's thread: it gives way to it, and none of what waits for passwords waits for it."""

from __future__ import annotations

import sys
import threading
from functools import partial
from typing import TYPE_CHECKING

import pytest
import trio

from server.turn import beside
from server.turn.beside import Idleness, WorkThread

if TYPE_CHECKING:
    from collections.abc import Callable


def at_rest() -> threading.Event:
    """No turn is taken."""
    event = threading.Event()
    event.set()
    return event


def test_work_stands_still_until_the_thread_is_idle_and_goes_on_then() -> None:
    idleness, begun, came = Idleness(), threading.Event(), threading.Event()
    waited: list[bool] = []

    class Watched(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            begun.set()
            waited.append(came.is_set())
            return super().wait(timeout)

    idleness.idle = Watched()

    def work() -> int:
        came.set()
        return 7

    results: list[int] = []
    worker = threading.Thread(target=lambda: results.append(idleness.give_way(work, at_rest())))
    worker.start()
    assert begun.wait(5)
    idleness.before_io_wait(0)  # nothing was waited for
    assert not idleness.idle.is_set()
    idleness.before_io_wait(1)
    worker.join(5)
    assert results == [7]
    assert waited[0] is False  # before the work's first line
    idleness.after_io_wait(1)
    assert not idleness.idle.is_set()


def test_a_thread_that_is_never_idle_does_not_stop_the_work_for_ever() -> None:
    assert Idleness().give_way(lambda: sum(map(len, ["ab"] * 100)), at_rest()) == 200
    assert sys.getprofile() is None


def test_during_a_turn_work_stands_still_and_goes_on_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "PATIENCE", 0.0)
    monkeypatch.setattr(beside, "LONGEST", 3600.0)
    results: list[int] = []
    looked = threading.Barrier(2, timeout=5)

    class Watched(threading.Event):
        looks = 0

        def wait(self, timeout: float | None = None) -> bool:
            Watched.looks += 1
            if Watched.looks == 3:
                looked.wait()
            return super().wait(timeout)

    turn = Watched()
    worker = threading.Thread(target=lambda: results.append(Idleness().give_way(lambda: 7, turn)))
    worker.start()
    looked.wait()
    assert results == []
    turn.set()
    worker.join(5)
    assert results == [7]


def test_turns_without_end_do_not_stop_it_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "LONGEST", 0.1)
    assert Idleness().give_way(lambda: sum(map(len, ["ab"] * 100)), threading.Event()) == 200


async def test_its_result_and_its_errors_come_back_and_nothing_stays_behind() -> None:
    interval, thread = sys.getswitchinterval(), WorkThread()
    names: list[str] = []

    def work(answer: Callable[[], int]) -> int:
        names.append(threading.current_thread().name)
        return answer()

    with trio.fail_after(30):
        assert await thread.run(partial(work, lambda: 7)) == 7
        with pytest.raises(ZeroDivisionError):
            await thread.run(partial(work, lambda: 1 // 0))
    assert threading.current_thread().name not in names
    assert sys.getswitchinterval() == interval
