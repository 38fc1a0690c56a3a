"""Parties in several worlds of one database: copies, orders, and who is where, as the rows say; there is no
Valkey in any of it.

On PostgreSQL. Skipped where that or psycopg is not installed; CI has both.
"""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING

import pytest
import trio

from server.cluster import books
from tests.kit import postgres
from tests.kit.claiming import claim
from tests.kit.party_land import sends
from tests.kit.post_land import Office, PostLand
from world import books as world_books
from world import party, party_afar, party_copies
from world.companions import LootRule, Party
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from server.store.records import ParcelRow
    from tests.kit.realms import Worlds
    from world.mobile import Mobile
    from world.snapshot import RecordRow
    from world.world import World

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [
    pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY),
    pytest.mark.timeout(180),
]


@pytest.fixture
async def land(worlds: Worlds, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[PostLand]:
    monkeypatch.setattr(party_afar, "GRACE", 0.0)
    made = PostLand(worlds, random.Random(1))
    made.begin("Anna", "Bert", "Cora")
    async with trio.open_nursery() as running:
        await made.open(running)
        for office in made.offices:
            running.start_soon(office.storage.beat)  # else one where nothing happens counts as dead
        yield made
        running.cancel_scope.cancel()


def shown(mobile: Mobile) -> list[str]:
    """Who is of its party, the leader first; in brackets who is away."""
    states = () if mobile.party is None else party.states(mobile.party)
    return [one.name if one.online else f"({one.name})" for one in states]


async def gathers(land: PostLand) -> list[Mobile]:
    """All three in a party, in the second world."""
    anna, bert, cora = [await land.brings(name, 2) for name in ("Anna", "Bert", "Cora")]
    for guest in (bert, cora):
        sends(partial(party._let_in, anna, guest, guest, LootRule.TURNS))
    await land.settles()
    assert [shown(one) for one in (anna, bert, cora)] == [["Anna", "Bert", "Cora"]] * 3
    return [anna, bert, cora]


async def test_a_party_holds_over_borders_and_what_is_done_in_it_is_done_once(
    worlds: Worlds, land: PostLand
) -> None:
    anna, *_ = await gathers(land)
    bert, cora = await land.crosses("Bert", 3), await land.crosses("Cora", 1)
    assert [shown(bert), shown(cora)] == [["Anna", "Bert", "Cora"]] * 2, "as soon as they come"
    await land.settles()
    assert [shown(one) for one in (anna, bert, cora)] == [["Anna", "Bert", "Cora"]] * 3
    (kept,) = land.offices[0].world.records.all(Party).values()
    assert kept.rule is LootRule.TURNS
    assert not any(fellow.wait for fellow in kept.fellows.values())
    sends(partial(party.hand_over, anna, bert.serial))
    async with trio.open_nursery() as nursery:
        for office in land.offices * 3:  # looks that come doubled, at any time
            nursery.start_soon(office.books.look)
    await land.settles()
    assert [shown(one) for one in (anna, bert, cora)] == [["Bert", "Anna", "Cora"]] * 3
    sends(partial(party.expel, bert, anna.serial))
    await land.settles()
    assert anna.party is None
    assert worlds.say("SELECT count(*) FROM party_member") == "2"
    assert worlds.say("SELECT count(*) FROM parcel WHERE taken_at IS NULL") == "0"
    party.leave(cora)  # in the world that keeps them
    await land.settles()
    assert bert.party is None
    assert worlds.say("SELECT count(*) FROM party") == "0"


async def test_who_accepts_sends_for_it_from_the_home_world_too(land: PostLand) -> None:
    anna, bert = await land.brings("Anna", 2), await land.brings("Bert", 3)
    cora = await land.brings("Cora", 1)
    await land.settles()
    for guest in (cora, bert):
        party.accept_afar(guest, anna.serial, LootRule.LEADER)
        await land.settles()
    assert [shown(one) for one in (anna, bert, cora)] == [["Anna", "Cora", "Bert"]] * 3
    party.accept_afar(cora, bert.serial, LootRule.LEADER)
    await land.settles()
    assert shown(cora) == ["Anna", "Cora", "Bert"]


async def test_two_who_agreed_are_taken_at_their_word_for_a_minute(
    worlds: Worlds, land: PostLand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which was over while nobody answered where parties are kept; who wants to leave still does."""
    lines: list[str] = []
    monkeypatch.setattr(books, "notice", lambda _, text: lines.append(text))
    anna, bert, cora = await gathers(land)
    sends(partial(party.leave, cora))
    await land.settles()
    take = land.offices[0].books._take

    async def waits(row: ParcelRow) -> None:
        worlds.say("UPDATE parcel SET sent_at = now() - interval '61 seconds' WHERE taken_at IS NULL")
        await take(row)

    monkeypatch.setattr(land.offices[0].books, "_take", waits)
    sends(partial(party._let_in, anna, cora, cora, LootRule.TURNS))
    party.accept_afar(cora, anna.serial, LootRule.TURNS)
    await land.settles()
    assert shown(anna) == ["Anna", "Bert"]
    assert lines == [world_books.TOO_LATE] * 2
    sends(partial(party.leave, bert))
    await land.settles()
    assert bert.party is None


async def test_who_is_in_no_world_is_away_everywhere_and_waited_for_at_home(land: PostLand) -> None:
    anna, bert, _ = await gathers(land)
    await land.crosses("Cora", 3)
    await land.settles()
    office, cora = land.where[next(n for n, name in land.names.items() if name == "Cora")] or (None, None)
    assert office is not None
    assert cora is not None
    office.leaves(cora)
    await land.settles()
    assert shown(anna) == shown(bert) == ["Anna", "Bert", "(Cora)"]
    (kept,) = land.offices[0].world.records.all(Party).values()
    assert [fellow.wait is not None for fellow in kept.fellows.values()] == [False, False, True]
    land.where[cora.serial] = None
    cora = await land.brings("Cora", 1)
    await land.settles()
    assert shown(anna) == shown(cora) == ["Anna", "Bert", "Cora"]
    assert not any(fellow.wait for fellow in kept.fellows.values())


async def test_a_world_is_told_of_what_has_changed_alone(
    land: PostLand, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, bert, cora = await gathers(land)
    told: list[tuple[str, ...]] = []
    change = party_copies.change

    def changed(world: World, rows: Sequence[RecordRow], gone: Sequence[tuple[str, int]]) -> None:
        told.append((*(row.table for row in rows), *(f"no {table}" for table, _ in gone)))
        change(world, rows, gone)

    monkeypatch.setattr(party_copies, "change", changed)
    sends(partial(party.hand_over, anna, bert.serial))
    await land.settles()
    assert shown(cora) == ["Bert", "Anna", "Cora"]
    assert told == [("party",)] * 2, "in both worlds that have copies"
    sends(partial(party.leave, anna))
    async with trio.open_nursery() as looking:  # however often they look at the same time
        for _ in range(3):
            looking.start_soon(land.settles)
    assert shown(cora) == ["Bert", "Cora"]
    assert told[2:] == [("no party_member",)] * 2


async def test_however_many_orders_wait_members_are_looked_for(
    land: PostLand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else who goes from world to world meanwhile counts as gone."""
    anna, bert, _ = await gathers(land)
    busy, missed = trio.Event(), trio.Event()

    async def takes_for_ever(_: object) -> None:
        busy.set()
        await trio.sleep_forever()

    def gone(world: World, *_: object) -> None:
        if world.records.kept:
            missed.set()

    monkeypatch.setattr(books, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(land.offices[0].books, "_take", takes_for_ever)
    monkeypatch.setattr(party, "gone", gone)
    sends(partial(party.leave, anna))
    with trio.fail_after(5):
        await busy.wait()
        land.offices[1].leaves(bert)
        await missed.wait()


async def test_an_order_that_nobody_can_read_keeps_no_other_from_being_done(
    worlds: Worlds, land: PostLand
) -> None:
    anna, bert, cora = await gathers(land)
    for number, content in enumerate(("no order", '{"type":"order","world":2}')):
        worlds.say(
            "INSERT INTO parcel (id, from_world, to_world, content, sent_at)"
            f" VALUES ('{number}', 2, 1, '{content}', now() - interval '1 hour')"
        )
    sends(partial(party.expel, anna, bert.serial))
    await land.settles()
    assert [shown(one) for one in (anna, bert, cora)] == [["Anna", "Cora"], [], ["Anna", "Cora"]]
    assert worlds.say("SELECT count(*) FROM parcel WHERE taken_at IS NULL") == "0"


async def test_the_home_world_is_killed_and_begins_anew(worlds: Worlds, land: PostLand) -> None:
    anna, bert, _ = await gathers(land)
    land.offices[1].books._answers = False
    with pytest.raises(Cannot) as caught:
        party.leave(anna)
    assert (caught.value.why, str(caught.value)) == (Refusal.LATER, party.AWAY)
    await land.offices[0].dies()
    cora = await land.crosses("Cora", 3)
    assert shown(cora) == ["Anna", "Bert", "Cora"]
    land.offices[1].leaves(bert)
    await land.offices[1].storage.wait_durable()
    home = Office(worlds.start(1))
    home.reads()
    (kept,) = home.world.records.all(Party).values()
    assert all(fellow.wait for fellow in kept.fellows.values()), "five minutes for all"
    await home.books.look()
    waits = {fellow.name: fellow.wait is not None for fellow in kept.fellows.values()}
    assert waits == {"Anna": False, "Bert": True, "Cora": False}
    for office in land.offices[1:]:
        await office.books.look()
    assert shown(anna) == shown(cora) == ["Anna", "(Bert)", "Cora"]


async def test_whom_a_dead_world_has_or_nobody_took_in_plays_nowhere(worlds: Worlds, land: PostLand) -> None:
    anna, bert, cora = await gathers(land)
    serials = [anna.serial, bert.serial, cora.serial, 1]
    home = worlds.databases[0]
    worlds.all_live()
    assert home.worlds_of(serials) == {anna.serial: 2, bert.serial: 2, cora.serial: 2}
    land.offices[1].leaves(bert, 3)
    land.offices[1].leaves(cora)
    await land.offices[1].storage.wait_durable()
    worlds.all_live()
    assert home.worlds_of(serials) == {anna.serial: 2, bert.serial: 3}, "it is on its way"
    worlds.say("UPDATE transfer SET at = now() - interval '1 minute'")
    assert home.worlds_of(serials) == {anna.serial: 2}


async def test_a_world_that_falls_silent_has_nobody(worlds: Worlds) -> None:
    anna = worlds.character("Anna")
    home, second, _ = worlds.databases
    assert claim(second, anna.serial)
    assert home.worlds_of([anna.serial]) == {anna.serial: 2}
    worlds.falls_silent(2)
    assert home.worlds_of([anna.serial]) == {}
