"""Evenings on one spot: more people than each client is shown."""

from __future__ import annotations

import pytest

from tests.kit.simulation import Plan, simulate


def test_an_evening_in_a_crowd() -> None:
    """What clients believe is what is known of them, whoever comes near, speaks, strikes and goes."""
    evening = simulate(0, Plan(seconds=20, people=24, crowd=6))
    assert evening.compared > 500


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_three_hundred_in_one_place() -> None:
    evening = simulate(0, Plan(seconds=20, people=300, crowd=40))
    assert evening.entered > 300
    assert evening.compared > 5_000
