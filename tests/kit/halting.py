"""A process that has world 1 of a database and stops itself before one of the statements of what it does.

    python -m tests.kit.halting URL ACTION SERIAL NUMBER

ACTION is what is done with the character: "claim", "batch", or "release", a batch that gives it up. Before
its statement NUMBER, counted from 0, a commit being one, the process sends itself SIGSTOP, once; whoever
started it lets it go on. It then tries until that is granted or refused, as a server does. The last line that
it prints is what came of it, and how many statements there were.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING, Final

from sqlalchemy import event
from sqlalchemy.exc import DBAPIError

from server.store.database import Database
from server.store.errors import DatabaseHeld, Elsewhere
from server.store.records import AuditRow, Batch
from tests.kit.claiming import claim

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.snapshot import CharacterRow, ItemRow

IDLE_SECONDS: Final = 0.5
"""Within a transaction; shorter than a server's, so that nobody has to wait for long."""
AMOUNT: Final = 33
"""Gold that the character has by its batch."""


class Halt:
    """Counts the statements of the writing connection, and stops before one of them."""

    def __init__(self, number: int) -> None:
        self.count = 0
        self._number = number

    def statement(self, *_: object) -> None:
        """Called before each."""
        if self.count == self._number:
            os.kill(os.getpid(), signal.SIGSTOP)
        self.count += 1


def a_batch(row: CharacterRow, purse: ItemRow, tick: int, *, left: bool) -> Batch:
    """The character and its gold, at a tick that no batch had before."""
    noted = [AuditRow(1.0, 1, "test", "note", "")]
    gone = (row.serial,) if left else ()
    return Batch(tick, 1.0, [row], [purse._replace(amount=AMOUNT)], (), (1, 1), noted, left=gone)


def action(database: Database, name: str, serial: int, tick: int) -> Callable[[], object]:
    """What is done while it is watched."""
    if name == "claim":
        return lambda: claim(database, serial)
    assert claim(database, serial)
    found = database.character(serial)
    assert found is not None
    row, items = found
    (purse,) = [item for item in items if item.template == "gold"]
    batch = a_batch(row, purse, tick, left=name == "release")
    return lambda: database.commit_batch(batch)


def outcome(call: Callable[[], object]) -> str:
    """Tried again for as long as the connection is what fails."""
    for _ in range(100):
        try:
            call()
        except (DatabaseHeld, Elsewhere) as error:
            return type(error).__name__
        except DBAPIError:
            time.sleep(0.05)
        else:
            return "done"
    return "it never came back"


def main(url: str, name: str, serial: int, number: int) -> None:
    """From the world's begin to the last line."""
    with closing(Database(url, world=1, idle_seconds=IDLE_SECONDS)) as database:
        call = action(database, name, serial, 1 + number)
        halt = Halt(number)
        event.listen(database._writing, "before_cursor_execute", halt.statement)
        event.listen(database._writing, "commit", halt.statement)
        result = outcome(call)
        sys.stdout.write(f"{result} {halt.count}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
