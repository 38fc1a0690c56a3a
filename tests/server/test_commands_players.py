"""Commands that players have: help for who is stuck, and gifts."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest
import trio

from tests.kit.commands import run
from tests.kit.office import Office
from world import holding, life, motion, newcomers
from world.mobile import Access

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.office import Client
    from world.mobile import Mobile
    from world.world import World


@pytest.fixture
async def office(nursery: trio.Nursery) -> Office:
    return await Office().open(nursery)


# Help for players


async def test_stuck_leads_back_to_where_everybody_begins(office: Office, autojump_clock: MockClock) -> None:
    client, mobile = await office.player("Alric", x=40, y=40)
    assert "In 10 seconds" in await office.order(client, "stuck")
    assert "on its way already" in await office.order(client, "stuck")
    await trio.sleep(8)
    assert (mobile.x, mobile.y) == (40, 40)
    await trio.sleep(2)
    assert mobile.realm is not None
    assert max(abs(mobile.x - x) + abs(mobile.y - y) for x, y in mobile.realm.chart.spawns[:1]) <= 6
    assert b"where everybody begins" in client.heard
    assert "In 10 seconds" in await office.order(client, "stuck")


@pytest.mark.parametrize("what", ["step", "die", "live", "leave"])
async def test_stuck_is_called_off(office: Office, autojump_clock: MockClock, what: str) -> None:
    client, mobile = await office.player("Alric", x=40, y=40)
    if what == "live":
        life.kill(mobile)
    await office.order(client, "stuck")
    await trio.sleep(5)
    before = len(client.heard)
    if what == "step":
        await office.in_world(None, lambda _: motion.step(mobile, 0))
    elif what == "die":
        await run(office, "kill alric")
    elif what == "live":
        await run(office, "resurrect alric")
    else:
        await office.in_world(None, lambda world: world.close_viewport(mobile))
    await trio.sleep(20)
    assert (mobile.x, mobile.y) == ((40, 39) if what == "step" else (40, 40))
    if what != "leave":
        assert b"must not move or die" in client.heard[before:]
        assert "In 10 seconds" in await office.order(client, "stuck")


async def test_a_ghost_can_be_stuck(office: Office, autojump_clock: MockClock) -> None:
    client, mobile = await office.player("Alric", x=40, y=40)
    life.kill(mobile)
    await office.order(client, "stuck")
    await trio.sleep(11)
    assert (mobile.x, mobile.y) != (40, 40)
    assert mobile.dead


async def two_beside_each_other(office: Office, access: int = Access.PLAYER) -> tuple[Client, Mobile, Mobile]:
    """Who gives, as client and mobile, and who takes; both with what newcomers have."""
    client, giver = await office.player("Alric", access)
    _, taker = await office.player("Berta", x=11)

    def dress(world: World) -> None:
        for mobile in (giver, taker):
            newcomers.outfit(mobile)
            world.register(mobile)
            mobile.online = True

    await office.in_world(None, dress)
    return client, giver, taker


async def test_who_gives_waits_a_second(office: Office, autojump_clock: MockClock) -> None:
    client, giver, _ = await two_beside_each_other(office)
    for _ in range(60):
        await office.in_world(client, lambda _: office.commands.in_game(client, "give berta 1 gold"))
    await trio.sleep(0.5)
    assert holding.gold(giver) == 99
    assert client.heard.count(b"not so fast") == 59
    await trio.sleep(0.5)
    assert "has 1 gold" in await office.order(client, "give berta 1 gold")


async def test_players_give_three_commands_in_five_seconds(office: Office, autojump_clock: MockClock) -> None:
    player, _ = await office.player("Alric")
    staff, _ = await office.player("Berta", Access.COUNSELOR)
    answers = [await office.order(player, line) for line in ("who", "where", "help", "who", "where")]
    assert ["not so fast" in answer for answer in answers] == [False] * 3 + [True] * 2
    assert "no such command" in await office.order(player, "frobnicate")
    await trio.sleep(2)
    assert "2 online" in await office.order(player, "who")
    assert "not so fast" not in "".join([await office.order(staff, "who") for _ in range(20)])


async def test_r68_gifts_of_players_are_no_audit_and_those_of_staff_are(
    office: Office, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    client, giver, _ = await two_beside_each_other(office)
    with caplog.at_level(logging.DEBUG, logger="admin"):
        await office.order(client, "give berta 20 gold")
    assert office.audited == []
    (record,) = [record for record in caplog.records if record.name == "admin"]
    assert record.levelno == logging.DEBUG
    assert "alricacct (Alric): give character='berta' amount='20'" in record.getMessage()
    giver.access = Access.COUNSELOR
    await office.order(client, "give berta 20 gold")
    assert [(who, what) for who, what, _ in office.audited] == [("alricacct (Alric)", "give")]


async def test_gifts_can_be_switched_off(office: Office, autojump_clock: MockClock) -> None:
    client, mobile = await office.player("Alric")
    taken = [mobile.takes_gifts]
    for line in ("gifts OFF", "gifts maybe", "gifts on"):
        await trio.sleep(5)
        await office.order(client, line)
        taken.append(mobile.takes_gifts)
    assert taken == [True, False, False, True]
    assert b"gifts on or gifts off" in client.heard
