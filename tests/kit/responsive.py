"""The admin channel of a real server whose world is kept by a turn."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from server.operate.admin import ask

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.kit.faulty import FaultyProcess
    from tests.kit.process import ServerProcess


def soon(what: Callable[[], bool], seconds: float = 20.0) -> None:
    """Wait for something another process does."""
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


def answered(server: ServerProcess, command: str) -> list[str]:
    """The answer to a command; it comes within a second, whatever the world does."""
    began = time.monotonic()
    lines = ask(server.state, command).lines
    assert time.monotonic() - began < 1, command
    return list(lines)


def stays_responsive(server: FaultyProcess) -> None:
    """A turn of two seconds keeps the admin channel from nothing, and nothing is done twice."""
    why, what = answered(server, "fault turn 2")
    assert "overloaded: the world has been at one turn for" in why
    assert "fault is under way" in what
    name, why, turns, age = answered(server, "status")
    assert re.match(r"Process: tick \d+, 0 connected, 0 online", name)
    assert re.match(r"overloaded: the world has been at one turn for \d\.\d s: inputs, at tests/kit/fau", why)
    assert " turns, the worst took" in turns
    assert re.match(r"so it was \d\.\d s ago", age)
    assert answered(server, "broadcast tea")[1].startswith("broadcast waits, and will be done as soon")
    soon(lambda: "broadcast, late by" in server.output())
    assert server.output().count("-> everybody was told") == 1
    assert "nothing has moved for 1 seconds (the world has been at one turn for" in server.output()
    assert not any("one turn" in line for line in answered(server, "status"))
