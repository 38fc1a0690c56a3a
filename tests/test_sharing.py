"""How the tests are shared among several processes (`tests.kit.sharing`)."""

from __future__ import annotations

from itertools import chain
from types import SimpleNamespace
from typing import TYPE_CHECKING

from tests.kit import sharing
from tests.kit.sharing import WAIT, Together

if TYPE_CHECKING:
    from collections.abc import Sequence

WAITING = [f"{module}::test_{number}" for module in WAIT[1:4] for number in range(4)]
COMPUTING = [f"tests/world/test_{name}.py::test_{number}" for name in "abcdefgh" for number in range(4)]


class Process:
    """A test process, as the scheduler of pytest-xdist sees it."""

    def __init__(self, tests: Sequence[str]) -> None:
        self.gateway = SimpleNamespace(id="gw")
        self.shutting_down = False
        self.given: list[int] = []
        self._tests = tests

    def send_runtest_some(self, numbers: Sequence[int]) -> None:
        """Take tests, by number."""
        assert not self.shutting_down
        self.given += numbers

    def shutdown(self) -> None:
        """End after those."""
        self.shutting_down = True

    @property
    def tests(self) -> list[str]:
        """What it was given."""
        return [self._tests[number] for number in self.given]


def shared(tests: Sequence[str], count: int) -> list[Process]:
    """So many processes when all is done; each does a test in turn."""
    option = SimpleNamespace(loadscopereorder=False)
    together = Together(SimpleNamespace(getvalue=lambda name: ["popen"] * count, option=option), None)
    processes = [Process(tests) for _ in range(count)]
    for process in processes:
        together.add_node(process)
    for process in processes:
        together.add_node_collection(process, tests)
    together.schedule()
    done = [0] * count
    while any(number < len(process.given) for number, process in zip(done, processes, strict=True)):
        for at, process in enumerate(processes):
            if done[at] < len(process.given):
                done[at] += 1
                together.mark_test_complete(process, process.given[done[at] - 1])
    assert all(process.shutting_down for process in processes)
    assert sorted(chain.from_iterable(process.tests for process in processes)) == sorted(tests)
    return processes


def test_what_waits_has_a_process_of_its_own() -> None:
    first, second, third = shared([*WAITING, *COMPUTING], 3)
    assert third.tests == WAITING
    assert first.tests
    assert second.tests


def test_what_waits_is_done_by_the_others_if_that_process_is_busy_for_long() -> None:
    first, second, third = shared([*COMPUTING[:8], *WAITING], 3)
    assert all(test.startswith(WAIT) for test in third.tests)
    assert any(test.startswith(WAIT) for test in first.tests + second.tests)


def test_two_processes_share_everything() -> None:
    for process in shared([*WAITING, *COMPUTING], 2):
        assert any(test.startswith(WAIT) for test in process.tests)
        assert not all(test.startswith(WAIT) for test in process.tests)


def test_nothing_waits_among_the_tests_of_a_game() -> None:
    assert all(process.tests for process in shared(COMPUTING, 3))


def test_every_module_that_is_named_is_there() -> None:
    for start in chain(WAIT, sharing.FIRST, sharing.FOLDERS, sharing.ALONE):
        folder, _, name = start.rpartition("/")
        assert list((sharing.ROOT / folder).glob(f"{name}*")), start
