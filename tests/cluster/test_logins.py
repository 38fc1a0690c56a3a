"""One account is played in one world, whichever it logs in at (issue 22, proof 6), and its second door may be
another world's. Each over Valkey and without."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

import pytest
import trio

from protocol.denials import Denial, Denied
from protocol.endings import Ending
from server.cluster import logins
from server.people.presence import REPLACED
from server.store.records import mark_of
from tests.kit import postgres
from tests.kit.actor import CannotEnter
from tests.kit.actors import make_actor
from tests.kit.border_walks import sheet
from tests.kit.claiming import claim
from tests.kit.exchange import Exchange
from tests.kit.players import PASSWORD, EoPlayer
from tests.kit.shared_worlds import SharedWorlds, Ways
from world.granting import set_gold
from world.heading import EAST

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from trio.testing import MockClock

    from server.net.connection import Connection
    from server.store.records import AccountRow
    from tests.kit.actor import Actor
    from tests.kit.town import Town
    from world.mobile import Mobile

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY), pytest.mark.timeout(180)]

BUSES: Final = pytest.mark.parametrize("bus", [True, False], ids=["over Valkey", "without"])

SOON: Final = 2.0
"""Seconds within which somebody who comes in elsewhere plays."""


@asynccontextmanager
async def shared(
    url: str, folder: Path, *games: str, count: int = 2, bus: bool = True
) -> AsyncIterator[SharedWorlds]:
    """Worlds that run, and know of each other."""
    async with trio.open_nursery() as nursery:
        worlds = SharedWorlds(nursery, url, folder, games, count=count, exchange=Exchange() if bus else None)
        await worlds.open()
        await trio.sleep(2)
        yield worlds
        nursery.cancel_scope.cancel()


def connection_of(town: Town, mobile: Mobile) -> Connection:
    (session,) = [one for one in town.app.sessions() if one.mobile is mobile]
    return town.app.gateway.connections[session.id]


def notes_waits(town: Town, first: Callable[[], None]) -> list[float]:
    """Have a world note how long it waits for others; `first` is done before each time."""
    assert town.app.logins is not None
    fetch, waits = town.app.logins.fetch, []

    async def timed(serial: int, world: int, login: int) -> bool:
        first()
        began = trio.current_time()
        done = await fetch(serial, world, login)
        waits.append(trio.current_time() - began)
        return done

    town.app.logins.fetch = timed  # type: ignore[method-assign] # of this one
    return waits


@BUSES
async def test_of_one_account_at_three_doors_of_three_worlds_one_plays(
    url: str, tmp_path: Path, autojump_clock: MockClock, bus: bool
) -> None:
    """Proof 6."""
    async with shared(url, tmp_path, "uo", "eo", count=3, bus=bus) as worlds:
        first = make_actor("eo", worlds.towns[0])
        await first.enters("anna", "Anna")
        serial = worlds.mobile("Anna").serial
        for _ in range(3):
            actors = [
                make_actor(game, town) for game, town in zip(("uo", "eo", "eo"), worlds.towns, strict=True)
            ]
            async with trio.open_nursery() as doors:
                for actor in actors:
                    doors.start_soon(tries, actor)
            await trio.sleep(logins.FETCH_SECONDS + 2 * logins.LOOK_SECONDS)
            (town,) = worlds.where("Anna")
            (playing,) = [actor for actor in actors if actor.online]
            assert playing.town is town
            assert town.mobile("Anna").online
            assert [one.account.name for one in town.app.sessions() if one.account is not None] == ["anna"]
            assert claim(town.database, serial)
            assert await playing.echo()
        assert not first.online


async def tries(actor: Actor) -> None:
    """To come in as Anna, unless somebody else does."""
    try:
        await actor.enters("anna", "Anna")
    except (CannotEnter, AssertionError, OSError, trio.BrokenResourceError, trio.ClosedResourceError):
        return


@BUSES
async def test_who_lingers_in_one_world_plays_in_another_at_once_with_all_it_did(
    url: str, tmp_path: Path, autojump_clock: MockClock, bus: bool
) -> None:
    async with shared(url, tmp_path, "uo", "eo", bus=bus) as worlds:
        here, there = worlds.towns
        actor = make_actor("uo", here)
        await actor.enters("anna", "Anna")
        mobile, before = here.mobile("Anna"), dict[str, object]()

        def at_the_last_moment() -> None:
            set_gold(mobile, 777)
            before.update(sheet(mobile))

        waits = notes_waits(there, at_the_last_moment)
        again = make_actor("eo", there)
        await actor.step(EAST)
        await actor.echo()
        actor.leaves()
        place = mobile.x, mobile.y
        await again.enters("anna", "Anna")
        assert worlds.where("Anna") == [there]
        after = there.mobile("Anna")
        assert after.online
        assert sheet(after) == before
        assert (after.x, after.y) == place
        assert len(waits) == 1
        assert waits[0] < SOON
        # It is this world's now, and that one knows.
        assert not here.database.release(after.serial)
        await trio.sleep(12)
        assert again.online


@BUSES
async def test_who_plays_in_one_world_is_replaced_by_the_login_in_another(
    url: str, tmp_path: Path, autojump_clock: MockClock, bus: bool
) -> None:
    async with shared(url, tmp_path, "eo", "uo", bus=bus) as worlds:
        here, there = worlds.towns
        first, second = make_actor("eo", here), make_actor("uo", there)
        await first.enters("anna", "Anna")
        mobile = here.mobile("Anna")
        old = connection_of(here, mobile)
        login = here.app.accounts.login_of(mobile.account)
        assert not await here.app.characters.let_go(mobile.serial, login - 1), "an older login asks too late"
        assert not first.player.gone
        await second.enters("anna", "Anna")
        assert (old.ending, old.detail) == (Ending.REPLACED, REPLACED)
        assert not first.online
        assert worlds.where("Anna") == [there]
        assert second.online
        third = make_actor("eo", here)  # and back
        await third.enters("anna", "Anna")
        assert worlds.where("Anna") == [here]
        assert not second.online


@BUSES
async def test_a_login_ends_whoever_plays_another_character_of_the_account_elsewhere(
    url: str, tmp_path: Path, autojump_clock: MockClock, bus: bool
) -> None:
    async with shared(url, tmp_path, "eo", bus=bus) as worlds:
        here, there = worlds.towns
        first = make_actor("eo", here)
        await first.enters("anna", "Anna")
        old = connection_of(here, here.mobile("Anna"))
        account = await logs_in(there, "anna")
        assert await first.until(lambda: False, 2 * logins.LOOK_SECONDS) is False
        assert (old.ending, old.detail) == (Ending.REPLACED, REPLACED)
        assert here.app.accounts.login_of(account.id) == 0


async def logs_in(town: Town, name: str) -> AccountRow:
    """Over a connection that then does nothing."""
    player = EoPlayer(town)
    await player.logs_in(name, PASSWORD)
    row = await town.app.accounts.find(name)
    assert row is not None
    return row


async def test_a_character_that_was_claimed_and_never_entered_is_given_up(
    url: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with shared(url, tmp_path, "eo", bus=False) as worlds:
        here, there = worlds.towns
        actor = make_actor("eo", here)
        await actor.enters("anna", "Anna")
        serial = here.mobile("Anna").serial
        actor.leaves()
        await trio.sleep(here.settings.limits.linger_seconds + 3)
        assert worlds.where("Anna") == []
        assert claim(here.database, serial)
        again = make_actor("eo", there)
        await again.enters("anna", "Anna")
        assert worlds.where("Anna") == [there]


async def test_whose_client_goes_between_the_claim_and_the_world_is_nobody_s(
    url: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with shared(url, tmp_path, "eo", count=1, bus=False) as worlds:
        (here,) = worlds.towns
        actor, again = make_actor("eo", here), make_actor("eo", here)
        await actor.enters("anna", "Anna")
        serial = here.mobile("Anna").serial
        actor.leaves()
        await trio.sleep(here.settings.limits.linger_seconds + 3)
        storage = here.app.storage
        read = storage.character

        async def hangs_up(*of: object, **more: object) -> object:
            found = await read(*of, **more)  # type: ignore[arg-type] # as it is called
            assert here.database.worlds_of([serial]) == {serial: 1}
            for connection in here.app.gateway.connections.values():
                connection.end(Ending.KICKED, "in between")
            await trio.sleep(1)
            return found

        storage.character = hangs_up  # type: ignore[method-assign, assignment] # once
        with pytest.raises((CannotEnter, AssertionError, OSError)):
            await again.enters("anna", "Anna")
        await trio.sleep(2)
        storage.character = read  # type: ignore[method-assign]
        assert worlds.where("Anna") == []
        assert here.database.worlds_of([serial]) == {}
        third = make_actor("eo", here)
        await third.enters("anna", "Anna")
        assert here.database.worlds_of([serial]) == {serial: 1}


async def test_a_world_that_says_nothing_keeps_its_character_for_three_seconds(
    url: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    """It is as good as dead, and not yet by the database's time."""
    async with shared(url, tmp_path, "eo", count=1, bus=False) as worlds:
        (here,) = worlds.towns
        actor = make_actor("eo", here)
        await actor.enters("anna", "Anna")
        serial = here.mobile("Anna").serial
        assert here.app.logins is not None
        began = trio.current_time()
        assert not await here.app.logins.fetch(serial, 2, 99)
        assert trio.current_time() - began == pytest.approx(logins.FETCH_SECONDS, abs=0.1)
        (order,) = here.database._connection.exec_driver_sql("SELECT done_at, result FROM admin_order").all()
        here.database._connection.rollback()
        assert order.done_at is not None, "nobody finds it later"
        assert order.result == "taken back"


# The second door


@pytest.mark.parametrize("game", ["uo", "co", "l2", "eq2"])
async def test_the_second_door_may_be_another_world_s(
    url: str, tmp_path: Path, autojump_clock: MockClock, game: str
) -> None:
    async with shared(url, tmp_path, game, bus=False) as worlds:
        here, there = worlds.towns
        actor = make_actor(game, here)
        actor.player.town = Ways([here, there])
        actor.town = actor.player.town
        await actor.enters("anna", "Anna")
        assert worlds.where("Anna") == [there]
        await trio.sleep(3 * logins.LOOK_SECONDS)
        assert actor.online
        assert not here.app.gateway.connections
        left = there.database._connection.exec_driver_sql("SELECT count(*) FROM login_token").scalar()
        there.database._connection.rollback()
        assert left == 0


async def test_a_ticket_of_another_world_is_good_once_and_for_its_owner_alone(
    url: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with shared(url, tmp_path, "uo", bus=False) as worlds:
        here, there = worlds.towns
        first, second = make_actor("uo", here), make_actor("uo", there)
        await first.enters("anna", "Anna")
        await second.enters("berta", "Berta")
        ours = next(one for one in here.app.sessions() if one.mobile is not None)
        theirs = next(one for one in there.app.sessions() if one.mobile is not None)
        tickets, others = here.app.tickets, there.app.tickets
        keys = [
            tickets.issue(ours, "secret1", {"version": (7, 0, 15, 1), "ways": object()}) for _ in range(4)
        ]
        for key in keys[:3]:
            await tickets.share(key)

        async def refused(service: object, key: bytes, password: str = "secret1") -> Denial:
            with pytest.raises(Denied) as denied:
                await service.redeem(theirs, key, "anna", password)  # type: ignore[attr-defined] # one of the two
            return denied.value.why

        assert await refused(others, keys[0], "wrong") is Denial.BAD_CREDENTIALS
        ticket = await others.redeem(theirs, keys[0], "Anna", "secret1")
        assert ticket.account.name == "anna"
        row = await there.app.accounts.find("anna")
        assert row is not None
        assert ticket.account.mark == mark_of(row.password)
        assert ticket.notes == {"version": [7, 0, 15, 1]}
        assert await refused(tickets, keys[0]) is Denial.BAD_CREDENTIALS, "it was used up there"
        assert (await tickets.redeem(ours, keys[1], "anna", "secret1")).notes["version"] == (7, 0, 15, 1)
        assert await refused(others, keys[1]) is Denial.BAD_CREDENTIALS, "it was used up here"
        assert await refused(others, keys[3]) is Denial.BAD_CREDENTIALS, "nobody was told of it"
        account = ours.account
        assert account is not None
        tickets.revoke(account.id)
        await trio.sleep(0.1)
        assert await refused(others, keys[2]) is Denial.BAD_CREDENTIALS, "it was revoked"


# Orders


async def test_an_order_that_names_a_world_is_for_that_one_and_any_other_for_whoever_comes_first(
    url: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with shared(url, tmp_path, "uo", bus=False) as worlds:
        here, there = (town.database for town in worlds.towns)
        for town in worlds.towns:
            town.app.audited.clear()
        number = here.give_order("@2 broadcast only there", 1.0)
        other = here.give_order("broadcast once", 1.0)
        await trio.sleep(3)
        heard = [[detail for _, _, detail in town.app.audited] for town in worlds.towns]
        assert sorted(line.partition(" -> ")[0] for line in heard[0] + heard[1]) == [
            "text='once'",
            "text='only there'",
        ]
        assert any("only there" in line for line in heard[1])
        assert not there.begin_order(number, 2.0, "")
        assert not here.begin_order(other, 2.0, "")
