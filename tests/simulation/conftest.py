"""`pytest tests/simulation --seed N` plays the evening of one seed; `--evenings` and `--minutes` play others
than the usual ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Which seeds, and how long."""
    group = parser.getgroup("simulation")
    group.addoption("--seed", type=int, default=None, help="play this one evening only")
    group.addoption("--evenings", type=int, default=None, help="how many seeds; 2, or 200 when soaking")
    group.addoption("--minutes", type=float, default=None, help="virtual minutes; 2, or 10 when soaking")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test per seed, so that they are spread over processes and the failing ones have names."""
    if "seed" not in metafunc.fixturenames:
        return
    soaking = metafunc.definition.get_closest_marker("soak") is not None
    seed = metafunc.config.getoption("--seed", None)
    count = metafunc.config.getoption("--evenings", None)
    first, usual = (1000, 200) if soaking else (0, 2)
    seeds = [seed] if seed is not None else range(first, first + (usual if count is None else count))
    metafunc.parametrize("seed", seeds)
