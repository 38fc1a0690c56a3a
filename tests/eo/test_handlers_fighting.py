"""Blows."""

from __future__ import annotations

from eolib import AttackPlayerServerPacket, Direction

from tests.kit.eo_desk import Desk, fresh


async def test_a_blow_is_shown_to_those_who_know_the_attacker() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    berta = await desk.enter("berta", (22, 22))
    far = await desk.enter("cuno", (50, 50))
    await alric.sends(alric.client.attack(Direction.Right))
    assert berta.client.last(AttackPlayerServerPacket).player_id == alric.client.player_id
    assert not fresh(alric, AttackPlayerServerPacket)
    assert not fresh(far, AttackPlayerServerPacket)
