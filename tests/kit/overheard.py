"""What passes on the wires of a cluster while a player crosses from one world to another, by names of steps,
and a trap that stops one of them.

    send, note, commit send     statements of the world that it leaves: given away, noted, the end of that
    hold, held, move, moved     between that world and the edge
    adopt, adopted              between the edge and the world where it goes
    traveller, lock, arrive     statements of that world: looked for, locked, taken in
    commit arrive               and the end of that

A statement has its answer, too ("send answered"). What is stopped has not arrived: whoever waits for it waits
until the trap is opened; then it goes on, or is lost with its connection.
"""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING, Final

from server.edge.batches import FROM_EDGE, FROM_WORLD, LARGEST, Incoming
from server.edge.words import Adopt, Adopted, Held, Hold, Move, Moved
from tests.kit.cable import Way

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from server.edge.words import EdgeWord, WorldWord

PATIENCE: Final = 60.0

WORDS: Final = (Hold, Held, Move, Adopt, Adopted, Moved)

STATEMENTS: Final = {
    "send": re.compile(r"UPDATE character SET world=\S+ WHERE character.serial = \S+ AND character.world = "),
    "note": re.compile(r"INSERT INTO transfer "),
    "traveller": re.compile(r"SELECT transfer.character"),
    "lock": re.compile(r"SELECT character.world\s+FROM character\s[^;]*FOR UPDATE"),
    "arrive": re.compile(r"UPDATE transfer SET state=.* WHERE transfer.id = .*transfer.to_world"),
    "take back": re.compile(r"UPDATE transfer SET state=.* WHERE transfer.id = .*transfer.from_world"),
}
ENDS: Final = frozenset({"send", "arrive", "take back"})
"""Statements by which the end of their transaction is called."""

_LEAVING: Final = ("hold", "held", "send", "send answered", "note", "note answered")
_SENT: Final = ("commit send", "commit send answered", "move")
_COMING: Final = ("adopt", "traveller", "traveller answered", "lock", "lock answered", "arrive")
_THERE: Final = ("arrive answered", "commit arrive", "commit arrive answered", "adopted")

STEPS: Final[Mapping[str, bool]] = {
    **dict.fromkeys((*_LEAVING, *_SENT), False),
    **dict.fromkeys((*_COMING, *_THERE), True),
    "moved": False,
}
"""All steps of a crossing, in their order; whether it is one of the world where the player goes."""


class Trap:
    """Stops one step of one world, the first time after it was set."""

    def __init__(self) -> None:
        self._lock = threading.Condition()
        self._wanted: tuple[int, str] | None = None
        self._caught = self._lost = False
        self.seen: list[tuple[int, str]] = []
        """All that has passed, in order."""

    def set(self, world: int, step: str) -> None:
        """Stop this one."""
        with self._lock:
            self._wanted, self._caught, self._lost = (world, step), False, False

    def caught(self, seconds: float) -> bool:
        """Wait until it is stopped."""
        with self._lock:
            return self._lock.wait_for(lambda: self._caught, seconds)

    def open(self, *, lost: bool) -> None:
        """Let it go on; `lost`: with its connection it ends there."""
        with self._lock:
            self._wanted, self._lost = None, lost
            self._lock.notify_all()

    def passes(self, world: int, step: str) -> bool:
        """A step comes by. Returns whether it may go on."""
        with self._lock:
            self.seen.append((world, step))
            if self._wanted != (world, step) or self._caught:
                return True
            self._caught = True
            self._lock.notify_all()
            self._lock.wait_for(lambda: self._wanted is None, PATIENCE)
            return not self._lost


class Statements:
    """Listens between a world and PostgreSQL, whose protocol has the type of a message, its length and what
    it holds (PostgreSQL's documentation, "Message Formats"): Parse names a statement, Bind uses it."""

    def __init__(self, trap: Trap, world: int) -> None:
        self._trap = trap
        self._world = world
        self._held = b""
        self._greeted = False
        self._named: dict[bytes, str] = {}
        self._within = ""
        """By which the end of this transaction is called."""
        self._asked: list[str] = []
        """Steps that have no answer yet."""

    def passes(self, way: Way, data: bytes) -> bool:
        """See Tap."""
        if way is Way.BACK:
            asked, self._asked = self._asked, []
            return all(self._trap.passes(self._world, f"{step} answered") for step in asked)
        steps = [step for sql in self._statements(data) if (step := self._step(sql))]
        may = all(self._trap.passes(self._world, step) for step in steps)
        self._asked += steps
        return may

    def _step(self, sql: str) -> str:
        if sql.startswith(("COMMIT", "ROLLBACK")):
            within, self._within = self._within, ""
            return f"commit {within}" if within and sql.startswith("COMMIT") else ""
        step = next((name for name, pattern in STATEMENTS.items() if pattern.match(sql)), "")
        if step in ENDS and not self._within:
            self._within = step
        return step

    def _statements(self, data: bytes) -> Iterator[str]:
        held = self._held + data
        while len(held) >= 5:
            # The first message of a connection has no type.
            head = 1 if self._greeted else 0
            size = head + int.from_bytes(held[head : head + 4], "big")
            if len(held) < size:
                break
            message, held = held[:size], held[size:]
            if not self._greeted:
                # What asks for encryption is answered, and asked again without.
                self._greeted = int.from_bytes(message[4:8], "big") >> 16 == 3
            else:
                yield from self._read(message[:1], message[5:])
        self._held = held

    def _read(self, kind: bytes, body: bytes) -> Iterator[str]:
        if kind == b"Q":
            yield body.rstrip(b"\0").decode()
        elif kind == b"P":
            name, sql, _ = body.split(b"\0", 2)
            self._named[name] = sql.decode()
        elif kind == b"B":
            _, name, _ = body.split(b"\0", 2)
            yield self._named.get(name, "")


class Words:
    """Listens between an edge and a world."""

    def __init__(self, trap: Trap, world: int) -> None:
        self._trap = trap
        self._world = world
        self._edge: Incoming[EdgeWord] = Incoming(FROM_EDGE)
        self._there: Incoming[WorldWord] = Incoming(FROM_WORLD)
        self._edge.largest = self._there.largest = LARGEST

    def passes(self, way: Way, data: bytes) -> bool:
        """See Tap."""
        incoming = self._edge if way is Way.THERE else self._there
        incoming.feed(data)
        said = [word for _, words in incoming.batches() for word in words if isinstance(word, WORDS)]
        return all(self._trap.passes(self._world, type(word).__name__.lower()) for word in said)
