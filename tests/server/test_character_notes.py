"""What a game keeps about a character: as durable as what happens in the world, and its owner's alone.

pytest-trio only sees a clock that the test itself asks for, so each test names `autojump_clock`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from protocol.denials import Denial, Denied
from protocol.services import NOTE_LIMIT, NewCharacter
from server.store.pending import Pending
from server.store.records import NoteRow
from tests.kit.players import EoPlayer
from tests.kit.town import Town

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from trio.testing import MockClock

    from protocol.session import Session
    from server.store.records import Batch


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    """A running server over seeded chance and virtual time."""
    running = Town(nursery)
    await running.open()
    return running


async def with_character(town: Town, name: str = "Anna") -> tuple[Session, int]:
    """A session that has logged in, and the serial of its one character."""
    await EoPlayer(town).logs_in(name.lower())
    session = next(s for s in town.app.sessions() if s.account is not None and s.account.name == name.lower())
    wish = NewCharacter(name, female=True, hair=3, hair_hue=1104, skin_hue=1003)
    return session, (await town.app.characters.create(session, wish)).serial


async def denial(call: Awaitable[object]) -> Denial:
    with pytest.raises(Denied) as caught:
        await call
    return caught.value.why


async def test_a_note_is_known_at_once_and_stored_within_a_second(
    town: Town, autojump_clock: MockClock
) -> None:
    characters = town.app.characters
    session, anna = await with_character(town)
    await trio.sleep(2)
    assert await characters.note(session, anna, "l2", "bar") is None
    for text in ("F1", "F2"):
        await characters.keep(session, anna, "l2", "bar", text)
        assert await characters.note(session, anna, "l2", "bar") == text
        assert await characters.note(session, anna, "eq2", "bar") is None
    await trio.sleep(1.1)
    assert town.database.note(anna, "l2", "bar") == "F2"
    assert await characters.note(session, anna, "l2", "bar") == "F2"
    assert town.app.storage.health.pending_rows == 0


async def test_a_note_can_be_waited_for(town: Town, autojump_clock: MockClock) -> None:
    session, anna = await with_character(town)
    await town.app.durable()
    await town.app.characters.keep(session, anna, "l2", "bar", "F1")
    assert town.database.note(anna, "l2", "bar") is None
    await town.app.durable()
    assert town.database.note(anna, "l2", "bar") == "F1"


async def test_a_note_is_kept_while_the_disk_fails(
    town: Town, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    characters = town.app.characters
    session, anna = await with_character(town)
    await town.app.durable()

    def fail(batch: Batch) -> None:
        raise OSError("disk on fire")

    monkeypatch.setattr(town.database, "commit_batch", fail)
    await characters.keep(session, anna, "l2", "bar", "F1")
    await characters.keep(session, anna, "l2", "friends", "Bert")
    await trio.sleep(3)
    await characters.keep(session, anna, "l2", "bar", "F2")
    await trio.sleep(3)
    assert town.app.storage.health.pending_rows == 2
    assert await characters.note(session, anna, "l2", "bar") == "F2"
    monkeypatch.undo()
    await trio.sleep(6)
    assert (town.database.note(anna, "l2", "bar"), town.database.note(anna, "l2", "friends")) == (
        "F2",
        "Bert",
    )


def test_a_newer_note_wins_over_that_of_a_failed_batch() -> None:
    older, newer = (
        {(1, "l2", key): NoteRow(1, "l2", key, text) for key in keys}
        for keys, text in (("ab", "old"), ("bc", "new"))
    )
    pending = Pending(notes=newer)
    pending.put_back(Pending(notes=older))
    assert [(row.key, row.text) for row in pending.notes.values()] == [
        ("a", "old"),
        ("b", "new"),
        ("c", "new"),
    ]
    assert len(pending) == 3


async def test_whoever_plays_it_may_write_notes(town: Town, autojump_clock: MockClock) -> None:
    characters = town.app.characters
    session, anna = await with_character(town)
    await characters.enter(session, anna, lambda _: None)
    await characters.keep(session, anna, "l2", "bar", "F1")
    assert await characters.note(session, anna, "l2", "bar") == "F1"


async def test_notes_are_their_owners_alone(town: Town, autojump_clock: MockClock) -> None:
    characters = town.app.characters
    session, anna = await with_character(town)
    await characters.keep(session, anna, "l2", "bar", "F1")
    thief, _ = await with_character(town, "Bert")
    for serial in (anna, 999):
        assert await denial(characters.note(thief, serial, "l2", "bar")) is Denial.NO_CHARACTER
        assert await denial(characters.keep(thief, serial, "l2", "bar", "X")) is Denial.NO_CHARACTER
    thief.claimed = False
    assert await denial(characters.note(thief, anna, "l2", "bar")) is Denial.BAD_CREDENTIALS
    assert await characters.note(session, anna, "l2", "bar") == "F1"


async def test_notes_are_gone_with_their_character(town: Town, autojump_clock: MockClock) -> None:
    characters = town.app.characters
    session, anna = await with_character(town)
    await characters.keep(session, anna, "l2", "bar", "F1")
    await town.app.durable()
    await characters.keep(session, anna, "l2", "friends", "Bert")
    await characters.delete(session, anna)
    await trio.sleep(2)
    assert town.app.storage.health.failures == 0
    assert town.database.note(anna, "l2", "bar") is town.database.note(anna, "l2", "friends") is None


async def test_any_text_up_to_the_limit_is_stored(town: Town, autojump_clock: MockClock) -> None:
    characters = town.app.characters
    session, anna = await with_character(town)
    longest = "é" * (NOTE_LIMIT // 2)
    await characters.keep(session, anna, "l2", "bar", longest)
    assert await denial(characters.keep(session, anna, "l2", "bar", longest + "a")) is Denial.FULL
    assert await characters.note(session, anna, "l2", "bar") == longest
    await characters.keep(session, anna, "l2", "macros", "a\0b\ud800c")
    await characters.keep(session, anna, "l2", "empty", "")
    assert await characters.note(session, anna, "l2", "macros") == "ab?c"
    await town.app.durable()
    assert await characters.note(session, anna, "l2", "macros") == "ab?c"
    assert await characters.note(session, anna, "l2", "empty") == ""


@pytest.mark.parametrize("name", ["", "é", "a\0", "k" * 65])
async def test_a_note_without_a_plain_name_is_the_programs_mistake(
    town: Town, autojump_clock: MockClock, name: str
) -> None:
    session, anna = await with_character(town)
    for game, key in ((name, "bar"), ("l2", name)):
        with pytest.raises(ValueError, match="names no note"):
            await town.app.characters.keep(session, anna, game, key, "F1")


async def test_a_failing_database_is_an_answer(
    town: Town, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    characters = town.app.characters
    session, anna = await with_character(town)

    def fail(*_: object) -> None:
        raise OSError("disk on fire")

    for name in ("note", "owner"):
        monkeypatch.setattr(town.database, name, fail)
        assert await denial(characters.note(session, anna, "l2", "bar")) is Denial.UNAVAILABLE
    assert await denial(characters.keep(session, anna, "l2", "bar", "F1")) is Denial.UNAVAILABLE
