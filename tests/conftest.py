"""Settings for all tests."""

from __future__ import annotations

import gc
import inspect
import logging
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from server.store.database import Database
from tests.kit import budget, sharing
from tests.kit.postgres import cluster as cluster
from tests.kit.postgres import empty_url as empty_url
from tests.kit.postgres import held_cluster as held_cluster
from tests.kit.postgres import url as url
from tests.kit.quick import quicken

if TYPE_CHECKING:
    from collections.abc import Iterator

# Deterministic, and no stopwatch: a busy machine is not a failing test.
settings.register_profile("house", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("house")

quicken()

# As the server's own logging has it, which few tests set up (`server.logs`): what the database is asked, with
# all its values, is not what a test means by the log.
logging.getLogger("sqlalchemy.engine").setLevel(logging.WARNING)


def pytest_configure(config: pytest.Config) -> None:
    """What the tests cost is measured, and held against `tests/budget.toml`."""
    config.pluginmanager.register(budget.Plugin(config), "causeway-budget")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest begins. A test has virtual time only if it asks for the clock itself: one whose
    fixtures alone do would pass just as well, a minute later."""
    items.sort(key=lambda item: sharing.rank(item.nodeid))
    waits = [item.nodeid for item in items if isinstance(item, pytest.Function) and _waits_in_real_time(item)]
    if waits:
        raise pytest.UsageError(
            "a fixture asks for autojump_clock, and the test does not: " + ", ".join(waits)
        )


def _waits_in_real_time(item: pytest.Function) -> bool:
    arguments = inspect.signature(item.function).parameters
    return "autojump_clock" in item.fixturenames and "autojump_clock" not in arguments


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Tests that share a server are run by one process, and the order is kept (`--no-loadscope-reorder`)."""
    return sharing.Together(config, log)


def pytest_collection_finish() -> None:
    """What is there before the first test stays for good, modules and thousands of tests: a million objects
    that garbage collection would look through again and again. What tests leave in cycles is little: to look
    for it as often as Python does was up to a tenth of all that they cost. The server does the same at its
    start, with the same numbers (`server.boot.start`)."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 5_000)


@pytest.fixture(autouse=True)
def _close_databases(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close what a test opened: from Python 3.13 on, forgetting it is a warning, and so an error."""
    opened: list[Database] = []
    make = Database.__init__

    def remember(self: Database, url: str, **options: object) -> None:
        make(self, url, **options)  # type: ignore[arg-type] # handed on as they came
        opened.append(self)

    monkeypatch.setattr(Database, "__init__", remember)
    yield
    for database in opened:
        database.close()
