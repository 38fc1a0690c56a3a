"""How the tests of commands give them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.kit.office import Office


async def run(office: Office, line: str) -> str:
    """A command from outside that succeeds."""
    answer = await office.commands.run("test", line)
    assert answer.ok, answer
    return "\n".join(answer.lines)


async def refused(office: Office, line: str) -> str:
    """A command from outside that fails."""
    answer = await office.commands.run("test", line)
    assert not answer.ok, answer
    return "\n".join(answer.lines)
