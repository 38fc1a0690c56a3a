"""A world's process is stopped before each statement of a claim, of a batch and of a release, and goes on
later (issue 22, proof 2): there are never two worlds that have a character, and what one kept undoes nothing.

On PostgreSQL. Skipped where that or psycopg is not installed; CI has both.
"""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from server.store.check import check_database
from server.store.errors import Elsewhere, RealmHeld
from server.store.fence import SILENT_SECONDS
from tests.kit import halting, postgres
from tests.kit.claiming import claim
from tests.kit.template import Order, template

if TYPE_CHECKING:
    from server.store.database import Database
    from tests.kit.realms import Worlds
    from tests.kit.template import Child
    from world.mobile import Mobile

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [
    pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY),
    pytest.mark.timeout(180),
]

PATIENCE: Final = 40.0
REALM: Final = "undercroft"
NOTES: Final = "SELECT count(*) FROM audit"
"""As many as batches were written."""
IN_THE_MIDST: Final = 2
"""A statement of a batch that comes after its first and before its commit."""
ACTIONS: Final = ("claim", "batch", "release")
EACH: Final = pytest.mark.parametrize(
    # A release has the statements of a batch, and its own.
    "action",
    ["claim", "release", pytest.param("batch", marks=pytest.mark.soak)],
)


class Halting:
    """Processes that have world 1, one after another, while worlds 2 and 3 are here."""

    def __init__(self, worlds: Worlds, folder: Path) -> None:
        self.worlds = worlds
        self._output = folder / "halting.txt"
        # Not in the same file: a connection that was ended for it is told of there, when it is put away.
        self._errors = folder / "halting.err"
        worlds.databases[0].close()

    def begins(self, action: str, mobile: Mobile, number: int) -> Child:
        """One that stops before that statement."""
        self._output.unlink(missing_ok=True)
        files = ["/dev/null", str(self._output), str(self._errors)]
        args = [self.worlds.url, action, str(mobile.serial), str(number)]
        return template().spawn(Order(program="tests.kit.halting", args=args, files=files))

    def stops(self, child: Child) -> bool:
        """Wait until it has stopped, or ended. Returns whether it has stopped."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if child.poll() is not None:
                return False
            if _state(child.pid) == "T":
                return True
            time.sleep(0.01)
        raise AssertionError("it neither stopped nor ended")

    def ends(self, child: Child) -> tuple[str, int]:
        """What came of it, and how many statements there were."""
        child.send_signal(signal.SIGCONT)
        code = child.wait(PATIENCE)
        printed = self._output.read_text(encoding="utf-8")
        assert code == 0, self._errors.read_text(encoding="utf-8")
        result, _, count = printed.strip().rpartition(" ")
        return result, int(count)


def _state(pid: int) -> str:
    """Of a process, as proc(5) calls it; empty once it has gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return stat.rpartition(")")[2].split()[0]


def taken(worlds: Worlds, mobile: Mobile) -> bool:
    """Whether world 2 has the character after it has asked for it."""
    try:
        return claim(worlds.databases[1], mobile.serial)
    except Elsewhere:
        return False


@EACH
def test_stopped_at_each_statement_and_taken_for_dead(worlds: Worlds, tmp_path: Path, action: str) -> None:
    """Its transaction is undone for it, if it was in one; its successor writes; then it wakes up."""
    arthur = worlds.character("Arthur")
    halting_ = Halting(worlds, tmp_path)
    second = worlds.databases[1]
    number = 0
    while True:
        child = halting_.begins(action, arthur, number)
        if not halting_.stops(child):
            break
        worlds.falls_silent(1)  # waits for a transaction that it is in, which ends for it
        assert claim(second, arthur.serial), number
        assert worlds.owner(arthur) == 2
        second.commit_batch(worlds.batch(arthur, 1000 + number))
        result, _ = halting_.ends(child)
        # Of a claim whose character was nobody's nothing had to be taken over.
        assert result in (("WorldLost", "Elsewhere") if action == "claim" else ("WorldLost",)), number
        assert (worlds.owner(arthur), worlds.gold(arthur)) == (2, 1000 + number)
        assert second.release(arthur.serial)
        number += 1
    result, count = halting_.ends(child)
    assert (result, count) == ("done", number)
    assert number >= 4, "what was to be stopped at"
    assert worlds.owner(arthur) == (1 if action != "release" else None)
    assert check_database(second) == []


@EACH
def test_stopped_at_each_statement_and_not_dead(worlds: Worlds, tmp_path: Path, action: str) -> None:
    """For so short that nobody calls it dead: another world that asks is told where the character is or has
    it, and never is it in both."""
    arthur = worlds.character("Arthur")
    halting_ = Halting(worlds, tmp_path)
    number = 0
    while True:
        child = halting_.begins(action, arthur, number)
        stopped = halting_.stops(child)
        theirs = stopped and taken(worlds, arthur)
        result, _ = halting_.ends(child)
        assert theirs is (result == "Elsewhere"), (number, result)
        if theirs:
            assert action == "claim"
            assert worlds.owner(arthur) == 2
            assert worlds.databases[1].release(arthur.serial)
        else:
            assert result == "done", number
            assert worlds.owner(arthur) == (1 if action != "release" else None), (number, stopped)
            if action != "claim":
                assert worlds.gold(arthur) == halting.AMOUNT
        if not stopped:
            break
        number += 1
    assert number >= 4


def stands_still(halting_: Halting, arthur: Mobile, action: str, number: int, seconds: float) -> bool:
    """A process of world 1 is stopped for so long, in real time, before a statement of an action; then world
    2 asks for the character, and for a realm of world 1. Returns whether there was such a statement.

    Whoever has not been heard of for `SILENT_SECONDS` is dead and has neither any more, and whoever has been
    still has both. But a character that is only being claimed is nobody's, and goes to whoever asks.
    """
    worlds = halting_.worlds
    second, where = worlds.databases[1], (action, number)
    before, notes = worlds.gold(arthur), worlds.say(NOTES)
    child = halting_.begins(action, arthur, number)
    if not halting_.stops(child):
        assert halting_.ends(child) == ("done", number)
        return False
    worlds.say(f"INSERT INTO realm_owner (realm, world) VALUES ('{REALM}', 1)")
    # As every world says once a second, so that it does not count how long this machine took until here.
    # It waits for a transaction that the process is in, which ends for it.
    worlds.say("UPDATE world SET beat = now() WHERE id = 1")
    time.sleep(seconds)
    dead = seconds > SILENT_SECONDS
    theirs = dead or action == "claim"
    assert taken(worlds, arthur) is theirs, where
    assert has_realm(second) is dead, where
    result, _ = halting_.ends(child)
    assert result == ("WorldLost" if dead else "Elsewhere" if theirs else "done"), where
    assert worlds.gold(arthur) == (before if theirs else halting.AMOUNT), where
    assert int(worlds.say(NOTES)) - int(notes) == (not theirs), where
    assert worlds.owner(arthur) == (2 if theirs else None if action == "release" else 1), where
    assert worlds.say("SELECT realm, world FROM realm_owner") == f"{REALM}|{2 if dead else 1}", where
    worlds.say("DELETE FROM realm_owner")
    assert second.release(arthur.serial) is theirs
    return True


def has_realm(database: Database) -> bool:
    """Whether a world has the realm after it has asked for it."""
    try:
        return bool(database.claim_realms([REALM], [REALM]))
    except RealmHeld:
        return False


def test_a_batch_that_stands_still_for_a_second_is_written_and_nobody_has_what_is_in_it(
    worlds: Worlds, tmp_path: Path
) -> None:
    """In the midst of its transaction, which the database undoes meanwhile: it is done again."""
    arthur = worlds.character("Arthur")
    assert stands_still(Halting(worlds, tmp_path), arthur, "batch", IN_THE_MIDST, 1.0)


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("seconds", [1.0, 3.0, 60.0])
@pytest.mark.parametrize("action", ACTIONS)
def test_stopped_for_as_long_as_it_takes(worlds: Worlds, tmp_path: Path, action: str, seconds: float) -> None:
    """Before each statement, in real time."""
    arthur = worlds.character("Arthur")
    halting_ = Halting(worlds, tmp_path)
    number = 0
    while stands_still(halting_, arthur, action, number, seconds):
        number += 1
    assert number >= 4, "what was to be stopped at"
    assert check_database(worlds.databases[1]) == []
