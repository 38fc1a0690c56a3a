"""War and peace."""

from __future__ import annotations

from protocol.uo.packets.fighting import AttackRequest, WarModeRequest
from tests.kit.uo_stage import Scene, numbers
from world.parts import Fighter, bind


def test_war_and_peace() -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    assert scene.send(session, WarModeRequest(True, b"\0\x32\0")) == [bytes.fromhex("7201003200")]
    assert mobile.war
    assert numbers(scene.send(session, WarModeRequest(False, b"\0\x32\0"))) == [0x72, 0xAA]
    assert scene.send(session, AttackRequest(5)) == [b"\xaa\0\0\0\0"]
    mobile.dead = True
    scene.send(session, WarModeRequest(True, b"\0\x32\0"))
    assert not mobile.war


def test_a_refused_attack_leaves_the_client_the_enemy_it_has() -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    mobile.fighter = bind(mobile.fighter or Fighter(), mobile)
    mobile.fighter.enemy = 0x0102
    assert scene.send(session, AttackRequest(5)) == [b"\xaa\0\0\x01\x02"]
    assert mobile.fighter.enemy == 0x0102
