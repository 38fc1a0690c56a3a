"""The way from a menu into the world and out of it, when the database fails or somebody leaves meanwhile.

pytest-trio only sees a clock that the test itself asks for, so each test names `autojump_clock`.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest
import trio

from protocol.denials import Denial, Denied
from protocol.endings import Ending
from protocol.services import NewCharacter
from protocol.session import Phase
from tests.kit.players import EoPlayer
from tests.kit.town import Town

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from trio.testing import MockClock

    from protocol.session import Session
    from world.snapshot import CharacterRow, ItemRow


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


async def denial(call: Awaitable[object]) -> Denial:
    with pytest.raises(Denied) as caught:
        await call
    return caught.value.why


ANNA = NewCharacter("Anna", female=True, hair=3, hair_hue=1104, skin_hue=1003)


async def test_a_failing_database_is_one_line_and_an_answer(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    characters, session = town.app.characters, await in_menu(town)
    assert session.account is not None
    anna = await characters.create(session, ANNA)

    def fail(*_: object) -> None:
        raise OSError("disk on fire")

    for name in ("characters", "characters_of", "create_character", "delete_character"):
        monkeypatch.setattr(town.database, name, fail)
    bert = NewCharacter("Bert", female=False, hair=3, hair_hue=1104, skin_hue=1003)
    for call in (
        characters.all(session.account),
        characters.create(session, bert),
        characters.delete(session, anna.serial),
        characters.enter(session, anna.serial, lambda _: None),
    ):
        caplog.clear()
        with caplog.at_level(logging.INFO):
            assert await denial(call) is Denial.UNAVAILABLE
        (record,) = caplog.records
        assert record.getMessage() == "the database failed: disk on fire"
        assert record.exc_info is None
    assert session.phase is Phase.MENU
    monkeypatch.undo()
    await characters.enter(session, anna.serial, lambda _: None)
    assert town.here("Anna")


async def test_a_new_character_is_legal_whatever_the_client_asks_for(
    town: Town, autojump_clock: MockClock
) -> None:
    session = await in_menu(town)
    greedy = NewCharacter(
        "Anna", True, 99, 9999, -4, 99, 9999, -1, strength=255, dexterity=255, intelligence=255
    )
    info = await town.app.characters.create(session, greedy)
    stored = town.database.character(info.serial)
    assert stored is not None
    row = stored[0]
    mobile = info.character
    assert (mobile.strength, mobile.dexterity, mobile.intelligence) == (10, 10, 10)
    assert (mobile.level, mobile.experience, mobile.hits, mobile.hits_max) == (1, 133, 61, 61)
    assert (mobile.vitality, mobile.mana_max, mobile.stam_max) == (10, 43, 30)
    assert (row.hair, row.hair_hue, row.beard, row.skin_hue) == (20, 1149, 0, 1002)
    assert (info.character.hair, info.character.hair_hue, info.character.skin_hue) == (20, 1149, 1002)
    assert all(item.hue <= 1001 for item in stored[1])


async def test_what_is_done_in_a_menu_is_explained_on_disk_while_nobody_plays(
    town: Town, autojump_clock: MockClock
) -> None:
    session = await in_menu(town)
    info = await town.app.characters.create(session, ANNA)
    await town.app.characters.delete(session, info.serial)
    await trio.sleep(2)
    assert town.app.storage.health.pending_rows == 0


async def test_nothing_is_remembered_of_those_who_have_left(town: Town, autojump_clock: MockClock) -> None:
    for name in ("anna", "bert"):
        player = EoPlayer(town)
        await player.enters(name, name.title())
        player.leaves()
    await trio.sleep(20)
    assert not town.here("Anna")
    assert town.app.characters.departures._counts == {}


async def test_rows_read_before_a_departure_are_not_played(
    town: Town, autojump_clock: MockClock, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the rows are on their way to the one client, another one plays the character, and leaves."""
    characters, storage = town.app.characters, town.app.storage
    slow, quick = await in_menu(town, "anna"), await in_menu(town, "bert")
    serial = (await characters.create(slow, ANNA)).serial
    quick.account = slow.account
    read, arrived = storage.character, trio.Event()
    reads: list[int] = []

    async def read_slowly(number: int, **_: object) -> tuple[CharacterRow, list[ItemRow]] | None:
        reads.append(number)
        first = len(reads) == 1
        rows = await read(number)
        if first:
            await arrived.wait()
        return rows

    monkeypatch.setattr(storage, "character", read_slowly)
    seen: list[int] = []
    nursery.start_soon(characters.enter, slow, serial, lambda mobile: seen.append(mobile.hits))
    await trio.sleep(1)
    await characters.enter(quick, serial, lambda mobile: setattr(mobile, "hits", 7))
    await storage.wait_durable()
    await town.app.in_world(None, lambda world: characters.left(world, quick, Ending.CLIENT_LEFT))
    assert not town.here("Anna")
    arrived.set()
    await trio.sleep(3)
    assert seen == [7]
    assert reads == [serial] * 3
    assert characters.departures._counts == {}


async def test_who_goes_back_to_the_menu_can_enter_again(town: Town, autojump_clock: MockClock) -> None:
    characters, session = town.app.characters, await in_menu(town)
    serial = (await characters.create(session, ANNA)).serial
    await characters.enter(session, serial, lambda mobile: setattr(mobile, "hits", 7))
    watcher = EoPlayer(town)
    await watcher.enters("bert", "Bert")
    await town.app.in_world(None, lambda world: characters.leave(session))
    assert not town.here("Anna")
    assert (session.mobile, session.viewport, len(session.known)) == (None, None, 0)
    await trio.sleep(1)
    assert session in town.app.sessions()
    assert town.mobile("Bert").serial in {mobile.serial for mobile in town.app.online()}
    session.phase = Phase.MENU
    seen: list[int] = []
    await characters.enter(session, serial, lambda mobile: seen.append(mobile.hits))
    assert seen == [7]
    await town.app.in_world(None, lambda world: characters.leave(session))
    await town.app.in_world(None, lambda world: characters.leave(session))
    assert not town.here("Anna")


async def test_the_directory_knows_who_is_made_and_who_is_deleted(
    town: Town, autojump_clock: MockClock
) -> None:
    characters, session = town.app.characters, await in_menu(town)
    made = await characters.create(session, ANNA)
    directory = town.app.world.directory
    known = directory.find("anna")
    assert known is not None
    assert (known.serial, known.name) == (made.serial, "Anna")
    kept = await town.app.storage.read(lambda database: database.known())
    assert known in kept, "which is what the next start begins with"
    await characters.delete(session, made.serial)
    assert directory.find("anna") is None
