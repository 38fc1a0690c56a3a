"""Crash reports: whatever is broken, the rest of the report is written, and the error that is told survives.

Whole servers that crash are in tests/reliability/test_process.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from server.operate import crash
from server.settings.config import Settings
from tests.kit.office import Office

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    import trio

    from protocol.session import Session

SECTIONS = ("What happened", "Who was connected", "The last packets", "Configuration")


class Odd:
    """Something whose properties raise, as those of half-made objects may."""

    @property
    def session(self) -> object:
        raise RuntimeError("odd")

    @property
    def family(self) -> object:
        raise RuntimeError("odd")

    mobile = None
    account = None


def fail(what: object) -> None:
    """A function that was given something raises."""
    raise ValueError("boom")


def error_of(*given: object) -> ValueError:
    """The error of one call of `fail` inside of others, the first given being the outermost."""
    try:
        if len(given) > 1:
            serve(*given)
        fail(given[0])
    except ValueError as error:
        return error
    raise AssertionError


def serve(first: object, *rest: object) -> None:
    """A function with an argument, which calls another."""
    if len(rest) > 1:
        serve(*rest)
    fail(rest[0])


def written(path: Path, error: BaseException, sessions: list[Session]) -> str:
    return crash.write_report(path, error, tick=7, sessions=sessions, settings=Settings()).read_text()


def test_an_argument_that_raises_loses_nothing_of_the_report(tmp_path: Path) -> None:
    text = written(tmp_path, error_of(Odd()), [])
    assert "ValueError: boom" in text
    assert all(f"== {section}" in text for section in SECTIONS)


async def test_the_client_is_found_behind_an_argument_that_raises(nursery: trio.Nursery) -> None:
    client = (await Office().open(nursery)).client()
    assert crash.offender(error_of(client, Odd())) is client
    assert crash.offender(error_of(Odd(), client)) is client


def test_a_section_that_raises_loses_only_itself(tmp_path: Path) -> None:
    text = written(tmp_path, error_of(1), [cast("Session", Odd())])
    assert "(cannot be told: RuntimeError)" in text
    assert "server.name = " in text


async def test_a_report_that_fails_leaves_the_error_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> Path:
        raise RuntimeError("no report today")

    monkeypatch.setattr(crash, "write_report", broken)
    Office(crashes=tmp_path).report(ValueError("boom"))
    assert "no report today" in caplog.text
