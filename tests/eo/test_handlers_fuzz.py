"""Whatever a client says in whatever state: no handler fails, and everything said in return can be read."""

from __future__ import annotations

import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.endings import Ending, Refused, WireError
from protocol.eo.packets import CLIENT_PACKETS, opcode_of_frame
from protocol.family import Where
from protocol.session import Phase
from tests.kit.eo_desk import HEALER, Desk, Player
from tests.kit.eo_strategies import frames, mutated
from world import life

SAID = mutated(frames(CLIENT_PACKETS.values())) | frames(CLIENT_PACKETS.values())


async def _prepare() -> tuple[Desk, Player]:
    desk = Desk()
    desk.resident("healer", *HEALER)
    await desk.enter("berta", (22, 22))
    alric = await desk.enter("alric")
    life.offer_resurrection(alric.mobile, None)
    await desk.turn()
    return desk, alric


async def _hear(desk: Desk, player: Player, said: list[bytes]) -> None:
    """As the server does it: phases first, offences cost the client its connection, which a test gives
    back."""
    session = player.session
    for frame in said:
        entry = desk.table.entry(opcode_of_frame(frame))
        assert entry is not None
        if session.phase not in entry.phases:
            continue
        try:
            answer = entry.handler(session, entry.decode(frame))
            if entry.where is Where.HERE:
                assert answer is not None
                await answer
        except WireError:
            continue
        except Refused as refusal:
            session.send(*refusal.farewell)  # type: ignore[arg-type] # packets of this game
    desk.now += 0.3
    await desk.turn([session])
    for somebody in desk.players:
        assert somebody.line.ending in (None, Ending.TIMED_OUT)


@settings(max_examples=400, deadline=None)
@given(st.lists(SAID, min_size=1, max_size=8))
def test_in_the_world(said: list[bytes]) -> None:
    async def run() -> None:
        _DESK.players[0].believes()
        await _hear(_DESK, _ALRIC, said)

    trio.run(run)


@settings(max_examples=200, deadline=None)
@given(
    phase=st.sampled_from([Phase.GREETING, Phase.LOGIN, Phase.MENU, Phase.ENTERING]),
    said=st.lists(SAID, min_size=1, max_size=8),
)
def test_before_the_world(phase: Phase, said: list[bytes]) -> None:
    async def run() -> None:
        desk = Desk()
        player = await desk.logged_in("cuno")
        await player.sends(player.client.request_character())
        await player.sends(player.client.create_character("Cuno"))
        player.session.phase = phase
        await _hear(desk, player, said)

    trio.run(run)


_DESK, _ALRIC = trio.run(_prepare)
