"""A server that dies at a chosen step of a trade: `python -m tests.kit.doomed serve --config config.toml`.

It is the real program. `<folder of config.toml>/dies` names one of `POINTS`; when the first trade of this
process has come so far, the process gets SIGKILL, from itself, in the very line. Only what belongs to that
trade counts: the batch in which it gets to disk, and the line that tells of it.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar
from unittest.mock import patch

import attrs

from server.__main__ import command
from server.boot import app, start
from server.commands import pace
from server.store.batch import BatchStatements
from server.store.database import Database
from server.store.writer import Storage
from server.turn.loop import Loop
from tests.kit.in_memory import shipped_content
from tests.kit.process import ServerProcess
from world import barter, dealing, hands, trade

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from server.store.records import Batch
    from world.bargain import Trade
    from world.content import Content
    from world.mobile import Mobile

A = ParamSpec("A")
R = TypeVar("R")

BEFORE: Final = (
    "asked",
    "begun",
    "offered by one",
    "offered by both",
    "agreed by one",
    "half of it moved",
    "all of it moved",
    "handed to the store",
    "in the transaction",
    "before the commit",
)
"""Steps after which nothing has happened, as far as the disk knows."""
AFTER: Final = ("committed", "about to tell", "told")
"""Steps after which everything has."""
POINTS: Final = (*BEFORE, *AFTER)

DONE: Final = "You give "
"""How the line begins that tells both that it is done (`world.trade`)."""


class DoomedProcess(ServerProcess):
    """That server in a process of its own."""

    program = "tests.kit.doomed"

    def __init__(self, folder: Path, more: str = "") -> None:
        super().__init__(folder, more)
        self._tables = re.split(r"(?m)^(?=\[)", self.config.read_text())

    def dies(self, point: str) -> None:
        """The next one dies there."""
        (self.folder / "dies").write_text(point)

    def serves(self, games: Collection[str]) -> None:
        """The next one has the doors of these games only: each more makes its start longer."""
        found = [(re.match(r"\[listen\.([a-z0-9]+)", table), table) for table in self._tables]
        self.config.write_text("".join(table for door, table in found if door is None or door[1] in games))


@attrs.define
class Doom:
    """How far the trade has come, and where all ends."""

    point: str
    swapping: bool = False
    swapped: bool = False
    batch: Batch | None = None
    """The one that takes it to disk."""
    telling: bool = False

    def reached(self, point: str) -> None:
        """It has come so far."""
        if point == self.point:
            os.kill(os.getpid(), signal.SIGKILL)

    # In place of rules and parts of the server, each of which is given first.

    def ask(self, rule: Callable[A, R], *given: A.args, **named: A.kwargs) -> R:
        result = rule(*given, **named)
        self.reached("asked")
        return result

    def begin(self, rule: Callable[[Mobile, Mobile], None], one: Mobile, other: Mobile) -> None:
        rule(one, other)
        self.reached("begun")

    def show(self, rule: Callable[[Trade[Mobile]], None], bargain: Trade[Mobile]) -> None:
        rule(bargain)
        offered = [bool(side.offers or side.gold) for side in (bargain.first, bargain.second)]
        if any(offered):
            self.reached("offered by one")
        if all(offered):
            self.reached("offered by both")
        if bargain.first.agreed or bargain.second.agreed:
            self.reached("agreed by one")

    def put_in(self, rule: Callable[A, R], *given: A.args, **named: A.kwargs) -> R:
        result = rule(*given, **named)
        if self.swapping:
            self.reached("half of it moved")
        return result

    def swap(self, rule: Callable[[Trade[Mobile]], None], bargain: Trade[Mobile]) -> None:
        self.swapping = True
        rule(bargain)
        self.swapping, self.swapped = False, True
        self.reached("all of it moved")

    def offer(self, rule: Callable[A, R], *given: A.args, **named: A.kwargs) -> R:
        result = rule(*given, **named)
        storage = given[0]
        assert isinstance(storage, Storage)
        if self.swapped and self.batch is None and storage._handed is not None:
            self.batch = storage._handed.batch
            self.reached("handed to the store")
        return result

    def write_items(self, rule: Callable[A, R], *given: A.args, **named: A.kwargs) -> R:
        result = rule(*given, **named)
        if self.batch is not None and given[2] is self.batch.items:
            self.reached("in the transaction")
        return result

    def write(self, rule: Callable[A, R], *given: A.args, **named: A.kwargs) -> R:
        result = rule(*given, **named)
        if self.batch is not None and given[2] is self.batch:
            self.reached("before the commit")
        return result

    def commit(self, rule: Callable[A, R], *given: A.args, **named: A.kwargs) -> R:
        result = rule(*given, **named)
        if self.batch is not None and given[1] is self.batch:
            self.reached("committed")
        return result

    def tell(self, rule: Callable[A, R], *given: A.args, **named: A.kwargs) -> R:
        if self.swapped:
            self.reached("about to tell")
            self.telling = True
        return rule(*given, **named)

    def turn(self, rule: Callable[A, R], *given: A.args, **named: A.kwargs) -> R:
        result = rule(*given, **named)
        if self.telling:
            self.reached("told")
        return result


def watched(doom: Doom) -> Iterator[tuple[object, str, object]]:
    """What is watched: its owner, its name, and what stands in its place."""
    yield trade, "ask", doom.ask
    yield dealing, "begin", doom.begin
    yield dealing, "show", doom.show
    yield hands, "put_in", doom.put_in
    yield barter, "swap", doom.swap
    yield Storage, "offer", doom.offer
    yield BatchStatements, "write_items", doom.write_items
    yield BatchStatements, "write", doom.write
    yield Database, "commit_batch", doom.commit
    yield app, "_tell_all", doom.tell
    yield Loop, "turn", doom.turn


def tame_content(_: Path) -> Content:
    """What is shipped, without creatures, as the template has read it and prepared the games for it: of that
    a start is more than half."""
    return shipped_content()


def _bound(stands: object, rule: object) -> object:
    """A function, and so a method where it is put into a class."""
    assert callable(stands)

    def instead(*given: object, **named: object) -> object:
        return stands(rule, *given, **named)

    return instead


if __name__ == "__main__":
    doomed = Doom((Path(sys.argv[-1]).parent / "dies").read_text())
    with ExitStack() as stack:
        for owner, name, stands in watched(doomed):
            stack.enter_context(patch.object(owner, name, _bound(stands, getattr(owner, name))))
        stack.enter_context(patch.object(start, "load_content", tame_content))
        stack.enter_context(patch.object(pace, "SECONDS", 0.0))
        command()
