"""Worlds that run on machines whose clocks are hours apart, and jump: nothing that worlds settle among them
goes by these (issue 22, proof 8; by the statements alone: tests/cluster/test_claims.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
import trio

from protocol.endings import Ending
from server.cluster import logins
from server.cluster.letters import FAR_SECONDS
from server.people.presence import REPLACED
from server.store.check import check_database
from server.store.errors import WorldLost
from tests.cluster.test_claims import elsewhere
from tests.cluster.test_logins import SOON, connection_of, notes_waits, shared
from tests.kit import postgres
from tests.kit.actors import make_actor
from tests.kit.border_walks import BESIDE, enters, sheet, walks_over
from tests.kit.claiming import claim
from tests.kit.edge_land import EdgeLand
from tests.kit.shared_worlds import Ways
from world import holding, mail

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from trio.testing import MockClock

    from tests.kit.realms import Worlds
    from tests.kit.town import Town

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY), pytest.mark.timeout(180)]

HOUR: Final = 3600.0


def jump(towns: Sequence[Town]) -> None:
    """From now on the clock of each of the two is an hour off to the other side: that of the first slow, at
    first."""
    first, second = towns
    ahead = HOUR if first.wall <= second.wall else -HOUR
    middle = (first.wall + second.wall) / 2
    first.wall, second.wall = middle + ahead, middle - ahead


async def test_who_comes_in_elsewhere_does_so_whatever_the_clocks_say(
    url: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    """By an order in the database, and with a ticket of another world's."""
    async with shared(url, tmp_path, "uo", bus=False) as worlds:
        here, there = worlds.towns
        jump(worlds.towns)
        first = make_actor("uo", here)
        await first.enters("anna", "Anna")
        waits = [notes_waits(town, lambda: jump(worlds.towns)) for town in worlds.towns]
        for doors in ([there, there], [there, here], [here, there]):
            (before,) = worlds.where("Anna")
            old, known = connection_of(before, before.mobile("Anna")), sheet(before.mobile("Anna"))
            again = make_actor("uo", here)
            again.player.town = again.town = Ways(doors)
            await again.enters("anna", "Anna")
            assert again.online
            assert (old.ending, old.detail) == (Ending.REPLACED, REPLACED)
            (now,) = worlds.where("Anna")
            assert now is doors[1]
            assert sheet(now.mobile("Anna")) == known
            jump(worlds.towns)
            await trio.sleep(3 * logins.LOOK_SECONDS)
            assert again.online
        asked = [seconds for world in waits for seconds in world]
        assert asked
        assert max(asked) < SOON


async def test_crossings_and_letters_go_on_whatever_the_clocks_say(
    url: str, tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who is new in a world whose clock is slow is known in one whose clock is fast half a minute later."""
    monkeypatch.setattr(mail, "counter", lambda actor: actor)
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path)
        await land.open()
        towns = list(land.towns.values())
        surface, below = towns
        jump(towns)
        anna = await enters(land, "uo", "anna", "Anna")
        before, end = sheet(land.mobile("Anna")), anna.player.end
        for there in (below, surface, below):
            await walks_over(land, anna)
            jump(towns)
            assert there.here("Anna")
            assert sheet(land.mobile("Anna")) == before
        assert anna.player.end is end
        assert surface.wall == below.wall - 2 * HOUR
        await trio.sleep(5)  # what is asked first there still is by the clock of before
        bert = await enters(land, "eo", "bert", "Bert", BESIDE)
        await trio.sleep(FAR_SECONDS + 3)  # until Bert is known there
        purses = holding.gold(land.mobile("Anna")), holding.gold(land.mobile("Bert"))
        await anna.say(".mail Bert Come down here.")
        jump(towns)
        await anna.say(".parcel Bert gold 7")
        await trio.sleep(4)
        assert [one.text for one in mail.letters_of(land.mobile("Bert"))] == ["Come down here.", ""]
        assert below.app.world.letters.all() == []
        await bert.say("#collect 2")
        await trio.sleep(4)
        assert (holding.gold(land.mobile("Anna")), holding.gold(land.mobile("Bert"))) == (
            purses[0] - 7,
            purses[1] + 7,
        )
        nursery.cancel_scope.cancel()
    assert check_database(surface.database) == []


def test_when_the_clock_of_the_database_jumps(worlds: Worlds) -> None:
    """As operators are told: forward, who has not beaten since looks dead; backward, who died before, alive.
    To whoever compares it is the same if what was written before is so much older, or newer."""
    first, second, third = worlds.databases
    arthur, bertram = worlds.character("Arthur"), worlds.character("Bertram")
    assert claim(first, arthur.serial)
    assert claim(second, bertram.serial)

    for number in (1, 2):
        worlds.falls_silent(number)
    second.beat()
    assert elsewhere(third, bertram) == 2, "it has said that it lives"
    assert claim(third, arthur.serial)
    with pytest.raises(WorldLost):
        first.beat()
    second.close()
    worlds.say("UPDATE world SET beat = beat + interval '1 hour' - interval '6 seconds' WHERE id = 2")
    assert elsewhere(third, bertram) == 2, "it has been silent for 6 seconds, an hour from now"
    again = worlds.start(2)
    assert claim(again, bertram.serial), "its own row it has at once"
