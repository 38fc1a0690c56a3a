"""The bus over a real server: delivery, presence that fades, a server that dies, stands still and returns.

In real time, because the server is; each wait ends as soon as what it waits for is so.
"""

from __future__ import annotations

import logging
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs
import pytest
import trio

from server.cluster.bus import PATIENCE, SILENCE, TTL_SECONDS, Bus
from server.cluster.messages import Beat, Body, Roster, ToAll, Who
from server.cluster.valkey import Valkey
from tests.kit.town import Town, settings_of_a_town
from tests.kit.valkey import MISSING, WHY, ValkeyServer, running
from tests.kit.valkey import valkey as valkey

if TYPE_CHECKING:
    from collections.abc import Callable

    from server.cluster.messages import Message

pytestmark = pytest.mark.skipif(MISSING, reason=WHY)

ROOT: Final = Path(__file__).parents[2]
ZOE = Who(7, "Zoe")
BUSY = 10.0
"""Seconds that a busy machine may take beyond what a wait should."""


class Ear:
    """A bus, and the bodies of what it heard, beats left out."""

    def __init__(self, url: str, world: int) -> None:
        self.bodies: list[Body] = []
        self.bus = Bus(Valkey(url), world, heard=self._hear)

    def _hear(self, message: Message) -> None:
        if not isinstance(message.body, Beat):
            self.bodies.append(message.body)


async def until(so: Callable[[], bool], seconds: float) -> float:
    """Wait until something is so, which has to come within that time and what a busy machine adds; how long
    it took."""
    began = trio.current_time()
    with trio.fail_after(seconds + BUSY):
        while not so():  # noqa: ASYNC110 # the other end is another process
            await trio.sleep(0.01)
    return trio.current_time() - began


async def pair(nursery: trio.Nursery, server: ValkeyServer) -> tuple[Ear, Ear]:
    one, two = Ear(server.url, 1), Ear(server.url, 2)
    for ear in (one, two):
        nursery.start_soon(ear.bus.run)
    await until(lambda: one.bus.up and two.bus.up, 1)
    return one, two


async def test_messages_are_delivered_in_order_and_rosters_fade(
    nursery: trio.Nursery, valkey: ValkeyServer
) -> None:
    two = Ear(valkey.url, 2)
    nursery.start_soon(two.bus.run)
    one = Ear(valkey.url, 1)
    one.bus.show(Roster("first", [ZOE]))
    async with trio.open_nursery() as life:
        life.start_soon(one.bus.run)
        await until(lambda: one.bus.up and two.bus.up, 1)
        said: list[Body] = [ToAll(ZOE, f"line {number}") for number in range(100)]
        for body in said:
            assert one.bus.say(body)
        one.bus.say(ToAll(ZOE, "to nobody"), 9)
        await until(lambda: len(two.bodies) == 100, 1)
        assert two.bodies == said
        two.bodies.clear()
        two.bus.fetch(1)
        await until(lambda: bool(two.bodies), 1)
        assert two.bodies == [Roster("first", [ZOE])]
        life.cancel_scope.cancel()
    assert valkey.say(b"EXISTS", b"causeway:world:1") == b":1\r\n"
    assert 0 < int(valkey.say(b"PTTL", b"causeway:world:1")[1:]) <= TTL_SECONDS * 1000
    await until(lambda: valkey.say(b"EXISTS", b"causeway:world:1") == b":0\r\n", TTL_SECONDS)
    assert two.bus.counts.dropped == {}


async def test_a_server_that_is_killed_is_found_again_when_it_is_back(
    nursery: trio.Nursery, valkey: ValkeyServer
) -> None:
    one, two = await pair(nursery, valkey)
    for round_ in range(2):
        valkey.kill()
        await until(lambda: not one.bus.up and not two.bus.up, 1)
        one.bus.say(ToAll(ZOE, f"during outage {round_}"))
        valkey.start()
        assert await until(lambda: one.bus.up and two.bus.up, 2) < 2 + BUSY / 2
        one.bus.say(ToAll(ZOE, f"after outage {round_}"))
        await until(lambda: ToAll(ZOE, f"after outage {round_}") in two.bodies, 1)  # noqa: B023 # waited for
    assert len(two.bodies) == len(set(map(repr, two.bodies)))  # nothing twice


async def test_a_server_that_stands_still_holds_nobody_up_and_is_found_again(
    nursery: trio.Nursery, valkey: ValkeyServer
) -> None:
    one, two = await pair(nursery, valkey)
    valkey.pause()
    began = time.perf_counter()
    for number in range(300):
        one.bus.say(ToAll(ZOE, str(number)))
    assert time.perf_counter() - began < 1.0  # nothing waits for it; in truth it takes a millisecond
    await until(lambda: not one.bus.up and not two.bus.up, PATIENCE + SILENCE)
    valkey.go_on()
    await until(lambda: one.bus.up and two.bus.up, 2)
    one.bus.say(ToAll(ZOE, "back"))
    await until(lambda: ToAll(ZOE, "back") in two.bodies, 1)
    assert len(two.bodies) == len(set(map(repr, two.bodies)))


async def test_a_server_with_a_password_lets_in_who_knows_it_and_the_log_does_not_tell_it(
    nursery: trio.Nursery, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with running(tmp_path, "verysecret") as server, caplog.at_level(logging.DEBUG):
        stranger = Ear(server.url.replace("verysecret", "secretvery"), 1)
        nursery.start_soon(stranger.bus.run)
        friend = Ear(server.url, 2)
        nursery.start_soon(friend.bus.run)
        await until(lambda: friend.bus.up, 1)
        assert not stranger.bus.up
        await until(lambda: any("cut" in record.message for record in caplog.records), 2)
    assert "secret" not in caplog.text


async def test_a_world_with_a_bus_in_its_configuration_hears_others_and_starts_without_it(
    nursery: trio.Nursery, valkey: ValkeyServer
) -> None:
    settings = settings_of_a_town()
    settings = attrs.evolve(settings, cluster=attrs.evolve(settings.cluster, valkey=valkey.url))
    valkey.kill()
    town = Town(nursery, settings, games=["web"])
    await town.open()
    relay = town.app.relay
    assert relay is not None
    assert not relay.bus.up
    valkey.start()
    await until(lambda: relay.bus.up, 2)
    other = Ear(valkey.url, 2)
    other.bus.show(Roster("x", [ZOE]))
    nursery.start_soon(other.bus.run)
    await until(lambda: ZOE.serial in town.app.world.elsewhere.people, 3)


async def test_a_world_that_stands_alone_does_not_even_know_the_library(nursery: trio.Nursery) -> None:
    assert Town(nursery, games=["web"]).app.relay is None
    asked = "import sys, server.__main__, server.boot.app; sys.exit('coredis' in sys.modules)"
    await trio.run_process([sys.executable, "-c", asked], cwd=ROOT)
