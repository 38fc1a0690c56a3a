"""Everything that clients send, and what comes of it."""

from __future__ import annotations

from eolib import CitizenRemoveClientPacket, TalkServerServerPacket

from protocol.eo.handlers.table import TABLE
from protocol.eo.packets import CLIENT_PACKETS
from protocol.wishes import Idle, Wish
from tests.kit.eo_desk import Desk
from world import holding


def test_every_packet_of_the_client_has_a_handler() -> None:
    assert {entry.opcode for entry in TABLE} == set(CLIENT_PACKETS)


async def test_what_the_world_does_not_have_is_said_once_a_second() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    alric.client.received.clear()
    for _ in range(3):
        await alric.sends(alric.client.bytes_of(CitizenRemoveClientPacket(behavior_id=0)))
    (said,) = alric.client.received
    assert isinstance(said, TalkServerServerPacket)
    assert said.message == Wish.HOME.value
    assert holding.gold(alric.mobile) == 100


def test_nothing_that_a_client_may_send_ends_in_silence() -> None:
    assert not [entry.name for entry in TABLE if isinstance(entry.handler, Idle)]
