"""Whole evenings: many people of all games, everything goes wrong, and nothing may be lost, doubled or
mistaken."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Final

import pytest

from tests.kit.simulation import Plan, simulate

if TYPE_CHECKING:
    from collections.abc import Iterator


SERVICES: Final = ("buy", "sell", "bank", "pay", "deal", "gather", "begin", "reward", "pin")
"""Words of `tests.kit.counting`."""


@pytest.fixture(scope="module", autouse=True)
def _collect_seldom() -> Iterator[None]:
    """A simulation makes few cycles and many objects."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 20, 100)
    yield
    gc.set_threshold(*before)


def play(seed: int, request: pytest.FixtureRequest, minutes: float) -> None:
    asked = request.config.getoption("--minutes", None)
    evening = simulate(seed, Plan(seconds=60 * (minutes if asked is None else asked)))
    # An evening in which nothing happened would prove nothing.
    assert evening.entered > evening.plan.people
    assert evening.compared > evening.plan.seconds
    assert evening.verbs["take"] > 5
    assert evening.verbs["drop"] > 5
    assert evening.verbs["trade"] > 5
    assert evening.verbs["party"] > 5
    assert evening.commits > evening.plan.seconds / 10
    assert sum(evening.done[what] for what in SERVICES) > evening.plan.seconds / 20


def test_an_evening(seed: int, request: pytest.FixtureRequest) -> None:
    play(seed, request, 2)


@pytest.mark.soak
def test_a_long_evening(seed: int, request: pytest.FixtureRequest) -> None:
    play(seed, request, 10)
