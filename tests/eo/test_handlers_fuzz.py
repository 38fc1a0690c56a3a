"""Whatever a client says in whatever state: no handler fails, and everything said in return can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protocol.endings import Ending
from protocol.eo.packets import CLIENT_PACKETS, opcode_of_frame
from protocol.session import Phase
from tests.kit.eo_desk import HEALER, Desk, Player
from tests.kit.eo_strategies import frames, mutated
from world import life

if TYPE_CHECKING:
    from collections.abc import Iterator

SAID = mutated(frames(CLIENT_PACKETS.values())) | frames(CLIENT_PACKETS.values())

FUZZ = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    made = Desk()

    async def prepare() -> None:
        made.resident("healer", *HEALER)
        await made.enter("berta", (22, 22))

    trio.run(prepare)
    yield made
    made.database.close()


async def _hear(desk: Desk, player: Player, said: list[bytes]) -> None:
    """What is not for its phase is left out; an offence costs the client its connection, and nobody else
    its own."""
    # Of a test before this one somebody may be left who has lost it.
    others = [one for one in desk.players if one is not player and one.line.ending is None]
    for frame in said:
        entry = desk.table.entry(opcode_of_frame(frame))
        assert entry is not None
        if player.session.phase in entry.phases:
            await player.line.takes(frame)
    desk.now += 0.3
    await desk.settle()
    for somebody in others:
        assert somebody.line.ending in (None, Ending.TIMED_OUT)


async def _in_the_world(desk: Desk) -> Player:
    """Somebody who plays there; an offence has cost the last one its connection."""
    for player in desk.players[1:]:
        if player.line.ending is None:
            return player
        desk.players.remove(player)
    player = await desk.enter("alric")
    life.offer_resurrection(player.mobile, None)
    await desk.settle()
    return player


@settings(FUZZ, max_examples=400)
@given(said=st.lists(SAID, min_size=1, max_size=8))
def test_in_the_world(desk: Desk, said: list[bytes]) -> None:
    async def run() -> None:
        player = await _in_the_world(desk)
        desk.players[0].believes()
        await _hear(desk, player, said)

    trio.run(run)


@settings(FUZZ, max_examples=200)
@given(
    phase=st.sampled_from([Phase.GREETING, Phase.LOGIN, Phase.MENU, Phase.ENTERING]),
    said=st.lists(SAID, min_size=1, max_size=8),
)
def test_before_the_world(desk: Desk, phase: Phase, said: list[bytes]) -> None:
    async def run() -> None:
        player = await desk.logged_in("cuno")
        await player.sends(player.client.request_character())
        await player.sends(player.client.create_character("Cuno"))
        player.session.phase = phase
        await _hear(desk, player, said)
        player.hang_up()
        desk.players.remove(player)

    trio.run(run)
