"""What clients of EverQuest II are told of deaths: of corpses, and of the ways back.

Bytes of messages are written out from the sheet of facts (eq2-play, section 3), field by field."""

from __future__ import annotations

from typing import Final

import pytest

from protocol.eq2.figures import LOOT, Rendering
from protocol.eq2.packets import (
    NOBODY,
    DisplayText,
    HearDeath,
    HearHeal,
    Resurrected,
    SetDefaultVerb,
    ShowDeathWindow,
    UpdateClientPredFlags,
    UpdateGhost,
    UpdateTarget,
)
from tests.kit.eq2_fight import fighting_content, of_combat, ready
from tests.kit.eq2_screen import Client, Scene
from tests.kit.eq2_view import heard
from world import hands, holding, life
from world.audience import in_sight
from world.events import YOU_DIED, Mended

OF_DEATH: Final = (HearDeath, UpdateGhost, SetDefaultVerb)


@pytest.fixture
def scene() -> Scene:
    return Scene(fighting_content())


@pytest.fixture
def alric(scene: Scene) -> Client:
    return ready(scene.client("Alric", 20, 20))


@pytest.fixture
def berta(scene: Scene, alric: Client) -> Client:
    """Near Alric, who knows her."""
    client = ready(scene.client("Berta", 22, 20))
    scene.turn()
    heard(alric)
    heard(client)
    return client


def test_a_creature_dies_and_leaves_a_corpse_that_can_be_looted(
    scene: Scene, alric: Client, berta: Client
) -> None:
    wolf = scene.resident("wolf", 21, 20)
    scene.turn()
    index = alric.screen.seen(wolf.serial).index
    heard(alric)
    life.hurt(wolf, 100, alric.mobile)
    scene.turn()
    told = heard(alric)
    order = [type(message) for message in told if isinstance(message, OF_DEATH)]
    assert order.index(HearDeath) < len(order) - 2
    assert order[-2:] == [UpdateGhost, SetDefaultVerb], "all that is told of the living comes before"
    assert HearDeath(alric.mobile.serial, wolf.serial) in told
    assert SetDefaultVerb(wolf.serial, "loot", LOOT.distance) in told
    assert HearDeath(alric.mobile.serial, wolf.serial) in of_combat(berta)
    (corpse,) = (item for item in scene.world.items.values() if item.remains is not None)
    assert alric.screen.seen(wolf.serial).index == index, "its ghost stays"
    for client in (alric, berta):
        assert client.screen.of(corpse.serial) is None
        ghost = client.screen.seen(wolf.serial)
        assert (ghost.info.corpse, ghost.info.hits_code, ghost.info.name) == (1, 100, "corpse of a wolf")
        assert ghost.info.model == scene.view.looks.mobiles["wolf"].model
        assert ghost.visible.attackable == 0
        assert ghost.info.loot_icon == 1
    scene.agree()
    assert len(corpse.contents) == 2
    pack = holding.make(scene.world, "backpack")
    holding.wear(alric.mobile, pack)
    for item in list(corpse.contents.values()):
        hands.put_into(item, pack)
    scene.turn()
    assert [client.screen.seen(wolf.serial).info.loot_icon for client in (alric, berta)] == [0, 0]
    scene.agree()
    scene.world.delete(corpse)
    scene.turn()
    assert alric.screen.of(wolf.serial) is None
    assert alric.session.ghosts.meant(wolf.serial) == wolf.serial
    scene.agree()


def test_who_comes_later_sees_the_corpse_alone(scene: Scene, alric: Client) -> None:
    wolf = scene.resident("wolf", 21, 20)
    scene.turn()
    life.hurt(wolf, 100, alric.mobile)
    scene.turn()
    (corpse,) = (item for item in scene.world.items.values() if item.remains is not None)
    late = ready(scene.client("Dora", 22, 20))
    scene.turn()
    ghost = late.screen.seen(corpse.serial)
    assert (ghost.info.corpse, ghost.created.default_command) == (1, "loot")
    assert late.screen.of(wolf.serial) is None
    scene.agree()


def test_who_goes_as_it_dies_keeps_no_ghost(scene: Scene, alric: Client, berta: Client) -> None:
    """Its corpse is out of sight, so nothing is left of it."""
    wolf = scene.resident("wolf", 21, 20)
    scene.turn()
    life.hurt(wolf, 100, alric.mobile)
    wolf.world.warp(berta.mobile, scene.world.realms["plain"], 60, 60)
    scene.turn()
    assert berta.screen.of(wolf.serial) is None
    scene.agree()


def test_who_loads_while_it_dies_sees_the_corpse(scene: Scene, alric: Client) -> None:
    wolf = scene.resident("wolf", 21, 20)
    scene.turn()
    loads = scene.client("Dora", 22, 20)
    session = loads.session
    session.loading = True
    session.queue(*scene.view.around(session))
    loads.flush()
    life.hurt(wolf, 100, alric.mobile)
    scene.turn()
    assert loads.screen.seen(wolf.serial).info.corpse == 0, "nothing is told while it loads"
    session.loading, session.blind, session.untidy = False, True, True
    scene.turn()
    assert loads.screen.seen(wolf.serial).info.corpse == 1
    scene.agree()


def test_the_target_of_who_killed_it_is_the_corpse(scene: Scene, alric: Client, berta: Client) -> None:
    wolf = scene.resident("wolf", 21, 20)
    scene.turn()
    alric.session.target = wolf.serial
    life.hurt(wolf, 100, alric.mobile)
    scene.turn()
    (corpse,) = (item for item in scene.world.items.values() if item.remains is not None)
    assert (alric.session.target, berta.session.target) == (corpse.serial, 0)
    heard(alric)
    alric.session.queue(*scene.view.target(corpse.serial, scene.version))
    alric.flush()
    assert heard(alric) == [UpdateTarget(wolf.serial)], "as its client calls it"


def test_the_bytes_of_a_verb(scene: Scene) -> None:
    """As the sheet has it: who, the word, from how far."""
    body = bytes.fromhex("07000000 0400 6c6f6f74 0000a040")
    told = scene.version.encode(SetDefaultVerb(7, "loot", 5.0))
    assert told == b"\x32" + (3 + len(body)).to_bytes(4, "little") + bytes.fromhex("ffd101") + body


def test_the_bytes_of_a_death(scene: Scene) -> None:
    body = bytes.fromhex("ffffffff 08000000 00")
    assert scene.version.encode(HearDeath(NOBODY, 8)) == b"\x32" + bytes.fromhex("0c000000 ffb301") + body


def test_the_dead_are_asked_where_to_go(scene: Scene, alric: Client, berta: Client) -> None:
    life.kill(berta.mobile)
    scene.turn()
    told = heard(berta)
    (window,) = (message for message in told if isinstance(message, ShowDeathWindow))
    assert [way.location for way in window.ways] == [1]
    assert YOU_DIED in [message.text for message in told if isinstance(message, DisplayText)]
    assert HearDeath(NOBODY, berta.mobile.serial) in told
    assert not any(isinstance(message, ShowDeathWindow) for message in heard(alric))
    life.resurrect(berta.mobile)
    scene.turn()
    assert Resurrected() in heard(berta)
    assert Resurrected() not in heard(alric)


def test_the_dead_can_be_told_to_stand(scene: Scene, alric: Client, berta: Client) -> None:
    """As on public servers; here they walk, so it is not said."""

    def control() -> list[tuple[int, int]]:
        told = [message for message in heard(berta) if isinstance(message, UpdateClientPredFlags)]
        return [(flag.flag, flag.value) for flag in told]

    for stands, wanted in ((False, []), (True, [8, 16])):
        scene.view.figures.rendering = Rendering(dead_stand=stands)
        life.kill(berta.mobile)
        scene.turn()
        assert control() == [(flag, 1) for flag in wanted]
        life.resurrect(berta.mobile)
        scene.turn()
        assert control() == [(flag, 0) for flag in wanted]
    assert not any(isinstance(message, UpdateClientPredFlags) for message in heard(alric))
    assert scene.version.encode(UpdateClientPredFlags(8, 1)) == bytes.fromhex("db 08000000 01")


def test_the_bytes_of_the_window_of_the_dead(scene: Scene) -> None:
    window = ShowDeathWindow(())
    assert scene.version.encode(window) == b"\x32" + bytes.fromhex("09000000 ffcb01 0000 0000 00 00")


def test_the_window_of_the_dead_can_be_switched_off(scene: Scene, alric: Client) -> None:
    scene.view.figures.rendering = Rendering(death_window=False)
    life.kill(alric.mobile)
    scene.turn()
    assert not any(isinstance(message, ShowDeathWindow) for message in heard(alric))


def test_healing_is_seen_by_all_who_see_it(scene: Scene, alric: Client, berta: Client) -> None:
    mobile = berta.mobile
    scene.world.events.append(Mended(mobile, 12, in_sight(mobile)))
    scene.turn()
    told = HearHeal(mobile.serial, mobile.serial, 12, "healing")
    assert of_combat(berta) == of_combat(alric) == [told]
