"""A character that awaits deletion: it counts, is listed only where that is asked for, and nobody plays it.

pytest-trio only sees a clock that the test itself asks for, so each test names `autojump_clock`.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest
import trio
from sqlalchemy import select

from protocol.denials import Denial, Denied
from protocol.endings import Ending
from protocol.services import NewCharacter
from protocol.session import Phase
from server.people.characters import EXPIRY_SECONDS
from server.store.check import check_database
from server.store.tables import audit
from tests.kit.players import EoPlayer
from tests.kit.town import Town

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from trio.testing import MockClock

    from protocol.session import Session
    from world.snapshot import CharacterRow, ItemRow

DAY = 86_400.0


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    """A running server over seeded chance and virtual time."""
    running = Town(nursery)
    await running.open()
    return running


async def in_menu(town: Town, name: str = "anna") -> Session:
    """A session that has logged in."""
    await EoPlayer(town).logs_in(name)
    return next(s for s in town.app.sessions() if s.account is not None and s.account.name == name)


async def with_character(town: Town, name: str = "Anna") -> tuple[Session, int]:
    """A session that has logged in, and the serial of its one character."""
    session = await in_menu(town, name.lower())
    wish = NewCharacter(name, female=True, hair=3, hair_hue=1104, skin_hue=1003)
    return session, (await town.app.characters.create(session, wish)).serial


async def denial(call: Awaitable[object]) -> Denial:
    with pytest.raises(Denied) as caught:
        await call
    return caught.value.why


async def listed(town: Town, session: Session) -> tuple[list[str], list[tuple[str, float | None]]]:
    """What lists show: the usual one, and the one with those that await deletion."""
    assert session.account is not None
    usual = await town.app.characters.all(session.account)
    assert all(info.deleted_in is None for info in usual)
    whole = await town.app.characters.all(session.account, doomed=True)
    waits = [None if info.deleted_in is None else round(info.deleted_in, 3) for info in whole]
    return [info.name for info in usual], [(info.name, wait) for info, wait in zip(whole, waits, strict=True)]


async def explained(town: Town) -> list[str]:
    """What the audit says was done to characters, once it is on disk."""
    await town.app.durable()
    with town.database.read() as connection:
        return [what for what in connection.scalars(select(audit.c.what)) if what.startswith("character")]


async def test_only_a_list_of_the_doomed_shows_it_with_its_seconds(
    town: Town, autojump_clock: MockClock
) -> None:
    session, anna = await with_character(town)
    await town.app.characters.schedule_deletion(session, anna, 7 * DAY)
    assert await listed(town, session) == ([], [("Anna", 7 * DAY)])
    town.wall += 3600
    assert await listed(town, session) == ([], [("Anna", 7 * DAY - 3600)])
    await town.app.characters.schedule_deletion(session, anna, 10.0)
    assert await listed(town, session) == ([], [("Anna", 10.0)])
    await town.app.characters.restore(session, anna)
    assert await listed(town, session) == (["Anna"], [("Anna", None)])
    await trio.sleep(20)
    assert await listed(town, session) == (["Anna"], [("Anna", None)])
    assert await explained(town) == [
        "character created",
        "character awaits deletion",
        "character awaits deletion",
        "character restored",
    ]


async def test_it_counts_and_its_name_stays_taken(town: Town, autojump_clock: MockClock) -> None:
    town.change("accounts", characters=1)
    session, anna = await with_character(town)
    await town.app.characters.schedule_deletion(session, anna, DAY)
    bert = NewCharacter("Bert", female=False, hair=3, hair_hue=1104, skin_hue=1003)
    assert await denial(town.app.characters.create(session, bert)) is Denial.FULL
    other = await in_menu(town, "carl")
    again = NewCharacter("Anna", female=True, hair=3, hair_hue=1104, skin_hue=1003)
    assert await denial(town.app.characters.create(other, again)) is Denial.EXISTS


async def test_nobody_enters_with_it(town: Town, autojump_clock: MockClock) -> None:
    characters = town.app.characters
    session, anna = await with_character(town)
    await characters.schedule_deletion(session, anna, DAY)
    assert await denial(characters.enter(session, anna, lambda _: None)) is Denial.NO_CHARACTER
    assert session.phase is Phase.MENU
    assert not town.here("Anna")
    await characters.restore(session, anna)
    await characters.enter(session, anna, lambda _: None)
    assert town.here("Anna")


async def test_no_other_game_shows_it(town: Town, autojump_clock: MockClock) -> None:
    session, anna = await with_character(town)
    await town.app.characters.schedule_deletion(session, anna, DAY)
    player = EoPlayer(town)
    await player.logs_in("anna")
    assert not player.client.menu


async def test_who_plays_it_keeps_it_and_who_lingers_leaves(town: Town, autojump_clock: MockClock) -> None:
    characters = town.app.characters
    session, anna = await with_character(town)
    await characters.enter(session, anna, lambda mobile: setattr(mobile, "hits", 7))
    assert await denial(characters.schedule_deletion(session, anna, DAY)) is Denial.IN_USE
    await town.app.in_world(None, lambda world: characters.left(world, session, Ending.CONNECTION_LOST))
    assert town.here("Anna")
    await characters.schedule_deletion(session, anna, DAY)
    assert not town.here("Anna")
    await characters.restore(session, anna)
    stored = town.database.character(anna)
    assert stored is not None
    assert stored[0].hits == 7


async def test_it_is_nobody_elses_to_delete_or_restore(town: Town, autojump_clock: MockClock) -> None:
    characters = town.app.characters
    _, anna = await with_character(town)
    thief = await in_menu(town, "bert")
    for call in (
        characters.schedule_deletion(thief, anna, DAY),
        characters.schedule_deletion(thief, anna, 0),
        characters.restore(thief, anna),
        characters.restore(thief, 999),
    ):
        assert await denial(call) is Denial.NO_CHARACTER
    assert town.database.character(anna) is not None
    thief.claimed = False
    assert await denial(characters.restore(thief, anna)) is Denial.BAD_CREDENTIALS


async def test_it_is_gone_within_a_minute_after_its_time(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    await trio.sleep(5)  # what lies in the chests of the realms is saved
    gold = town.database.meta().gold
    session, anna = await with_character(town)
    await town.app.characters.keep(session, anna, "l2", "bar", "F1")
    await town.app.characters.schedule_deletion(session, anna, DAY)
    town.wall += DAY - 100
    await trio.sleep(90)
    assert town.database.name_taken("Anna")
    await trio.sleep(10 + EXPIRY_SECONDS)
    assert not town.database.name_taken("Anna")
    assert town.database.meta().gold == gold
    assert check_database(town.database) == []
    assert "the character Anna of anna is deleted: its time is over" in caplog.text
    assert await denial(town.app.characters.restore(session, anna)) is Denial.NO_CHARACTER
    assert await explained(town) == ["character created", "character awaits deletion", "character deleted"]


async def test_a_list_shows_nobody_whose_time_is_over(town: Town, autojump_clock: MockClock) -> None:
    session, anna = await with_character(town)
    await town.app.characters.schedule_deletion(session, anna, DAY)
    town.wall += DAY
    assert town.database.name_taken("Anna")
    assert await listed(town, session) == ([], [])
    assert not town.database.name_taken("Anna")


async def test_without_a_delay_it_is_gone_at_once(town: Town, autojump_clock: MockClock) -> None:
    session, anna = await with_character(town)
    await town.app.characters.schedule_deletion(session, anna, 0.0)
    assert not town.database.name_taken("Anna")


async def test_a_failing_database_takes_nothing_and_is_asked_again(
    town: Town, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    characters = town.app.characters
    session, anna = await with_character(town)

    def fail(*_: object) -> None:
        raise OSError("disk on fire")

    for name in ("schedule_deletion", "restore_character", "delete_expired"):
        monkeypatch.setattr(town.database, name, fail)
    for call in (characters.schedule_deletion(session, anna, DAY), characters.restore(session, anna)):
        assert await denial(call) is Denial.UNAVAILABLE
    await characters.enter(session, anna, lambda _: None)
    await town.app.in_world(None, lambda world: characters.left(world, session, Ending.CLIENT_LEFT))
    monkeypatch.undo()
    await characters.schedule_deletion(session, anna, 1.0)
    monkeypatch.setattr(town.database, "delete_expired", fail)
    await trio.sleep(3 * EXPIRY_SECONDS)
    assert await listed(town, session) == ([], []), "not shown, though it cannot be deleted now"
    monkeypatch.undo()
    await trio.sleep(EXPIRY_SECONDS)
    assert not town.database.name_taken("Anna")


@pytest.mark.parametrize("delay", [0.0, DAY])
async def test_rows_read_before_it_was_taken_away_are_not_played(
    town: Town,
    autojump_clock: MockClock,
    nursery: trio.Nursery,
    monkeypatch: pytest.MonkeyPatch,
    delay: float,
) -> None:
    """While the rows are on their way to one client, another one of the same account deletes."""
    characters, storage = town.app.characters, town.app.storage
    slow, anna = await with_character(town)
    quick = await in_menu(town, "bert")
    quick.account = slow.account
    read, arrived = storage.character, trio.Event()

    async def read_slowly(serial: int, **_: object) -> tuple[CharacterRow, list[ItemRow]] | None:
        rows = await read(serial)
        await arrived.wait()
        return rows

    monkeypatch.setattr(storage, "character", read_slowly)
    ended: list[Denial] = []

    async def enter() -> None:
        ended.append(await denial(characters.enter(slow, anna, lambda _: None)))

    nursery.start_soon(enter)
    await trio.sleep(1)
    await characters.schedule_deletion(quick, anna, delay)
    arrived.set()
    await trio.sleep(1)
    assert ended == [Denial.NO_CHARACTER]
    assert not town.here("Anna")
    assert characters.departures._counts == {}
    await storage.wait_durable()
    assert check_database(town.database) == []
