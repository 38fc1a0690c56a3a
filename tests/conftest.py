"""Settings for all tests."""

from __future__ import annotations

from hypothesis import settings

# Deterministic, and no stopwatch: a busy machine is not a failing test. `make soak` draws fresh examples.
settings.register_profile("house", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("soak", deadline=None, max_examples=2000)
settings.load_profile("house")


def pytest_configure(config: object) -> None:
    """Fresh and many examples for the long runs."""
    marked = getattr(getattr(config, "option", None), "markexpr", "")
    if marked == "soak":
        settings.load_profile("soak")
