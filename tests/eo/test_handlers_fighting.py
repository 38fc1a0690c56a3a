"""Blows with the attack key: what they do, and that every client's numbers stay those of the world."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eolib import (
    AttackPlayerServerPacket,
    AvatarReplyServerPacket,
    Direction,
    ItemAddServerPacket,
    NpcAcceptServerPacket,
    NpcPlayerServerPacket,
    NpcReplyServerPacket,
    NpcSpecServerPacket,
    PlayerKilledState,
    PlayersAgreeServerPacket,
    RecoverReplyServerPacket,
    TalkServerServerPacket,
)

from protocol.eo.combat import FALL_SECONDS
from protocol.eo.status import percent
from tests.kit.eo_belongings import GOLD, HAT, owns
from tests.kit.eo_desk import Desk, Player, fresh
from world import fighting, learning, life
from world.heading import WEST
from world.reach import Refusal

if TYPE_CHECKING:
    from world.mobile import Mobile

CORPSE = 13
"""Item id of `tests.kit.eo_desk`."""


class Dice:
    """Chance that comes out the same each time; of a range always the least."""

    def __init__(self, desk: Desk, throw: float) -> None:
        self._dice = desk.world.random
        self._throw = throw
        desk.world.random = self  # type: ignore[assignment] # what rules of a fight ask for

    def random(self) -> float:
        return self._throw

    def uniform(self, least: float, most: float) -> float:
        return least

    def randint(self, least: int, most: int) -> int:
        return least


async def hunt(*, hits: int = 30) -> tuple[Desk, Player, Player, Mobile]:
    """A hunter, one who looks on, and a creature between them."""
    desk = Desk()
    alric = await desk.enter("alric", (20, 20))
    berta = await desk.enter("berta", (22, 20), female=True)
    wolf = desk.resident("wolf", 21, 20)
    wolf.hits = wolf.hits_max = hits
    for player in (alric, berta):
        player.mobile.hits = player.mobile.hits_max
    await desk.settle()
    for player in (alric, berta):
        player.client.received.clear()
    return desk, alric, berta, wolf


def knows(player: Player) -> None:
    """Fail unless a client's own numbers are those of the world."""
    client, mobile = player.client, player.mobile
    assert (client.hp, client.max_hp) == (mobile.hits, mobile.hits_max)
    assert (client.experience, client.level) == (mobile.experience, mobile.level)
    assert mobile.learner is not None
    assert client.stat_points == mobile.learner.points
    player.believes()
    assert player.line.ending is None


def lines(player: Player) -> list[str]:
    return [packet.message for packet in player.client.received if isinstance(packet, TalkServerServerPacket)]


def with_lucky(desk: Desk) -> None:
    """From here on every blow hits, and none is critical."""
    Dice(desk, 0.1)


async def test_a_blow_into_the_air_is_shown_to_those_who_know_the_attacker() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    berta = await desk.enter("berta", (22, 22))
    far = await desk.enter("cuno", (50, 50))
    await alric.sends(alric.client.attack(Direction.Right))
    assert berta.client.last(AttackPlayerServerPacket).player_id == alric.client.player_id
    assert not fresh(alric, AttackPlayerServerPacket)
    assert not fresh(far, AttackPlayerServerPacket)


async def test_a_blow_hurts_what_stands_ahead_and_all_see_its_bar() -> None:
    desk, alric, berta, wolf = await hunt()
    with_lucky(desk)
    index = desk.view.figures.npc_index(wolf)
    await alric.sends(alric.client.attack(Direction.Right))
    assert wolf.hits == 28, "fists take 2 of it at the least"
    for player in (alric, berta):
        bar = player.client.npc_bars[index]
        assert (bar.percent, bar.damage) == (percent(28, 30), 2)
        knows(player)
    assert berta.client.swings == [alric.client.player_id]
    assert alric.client.swings == []


async def test_a_creature_falls_and_who_killed_it_gains_and_takes_what_it_left() -> None:
    desk, alric, berta, wolf = await hunt(hits=2)
    with_lucky(desk)
    index, before = desk.view.figures.npc_index(wolf), alric.mobile.experience
    await alric.sends(alric.client.attack(Direction.Right))
    assert wolf.dead
    gained = alric.mobile.experience - before
    assert gained == 90, "the whole kill of a creature of one's own level"
    assert alric.client.kills == [(index, alric.client.player_id, gained)]
    assert berta.client.kills == [(index, alric.client.player_id, 0)]
    for player in (alric, berta):
        names = [type(p).__name__ for p in player.client.received]
        assert names.count(NpcSpecServerPacket.__name__) == 1
        assert NpcReplyServerPacket.__name__ not in names
        assert RecoverReplyServerPacket.__name__ not in names, "it came with the death"
        assert names.count(ItemAddServerPacket.__name__) == 3, "the corpse, the gold and the hat"
        owns(player)
        knows(player)
    for item_id in (GOLD, HAT):
        (number,) = [n for n, lying in alric.client.items.items() if lying.id == item_id]
        await alric.sends(alric.client.pick_up(number))
    assert (alric.client.inventory[GOLD], alric.client.inventory[HAT]) == (107, 1)
    owns(alric)
    owns(berta)


async def test_a_corpse_is_not_taken_up_and_anothers_prey_not_at_once() -> None:
    desk, alric, berta, _ = await hunt(hits=2)
    with_lucky(desk)
    await alric.sends(alric.client.attack(Direction.Right))
    numbers = {lying.id: number for number, lying in berta.client.items.items()}
    await alric.sends(alric.client.pick_up(numbers[CORPSE]))
    assert lines(alric)[-1] == Refusal.FIXED.value
    owns(alric)
    berta.client.received.clear()
    await berta.sends(berta.client.pick_up(numbers[GOLD]))
    assert lines(berta) == [Refusal.NOT_YOUR_KILL.value]
    await desk.wait(desk.world.content.law.rights_seconds + 1)
    await berta.sends(berta.client.pick_up(numbers[GOLD]))
    assert berta.client.inventory[GOLD] == 107
    owns(berta)


async def test_a_new_level_comes_with_the_kill_and_others_see_it() -> None:
    desk, alric, berta, _ = await hunt(hits=2)
    with_lucky(desk)
    alric.mobile.experience = 1060
    await desk.settle()
    knows(alric)
    await alric.sends(alric.client.attack(Direction.Right))
    assert (alric.mobile.level, alric.client.level, alric.client.stat_points) == (2, 2, 3)
    assert alric.client.last(NpcAcceptServerPacket).experience == alric.mobile.experience
    assert berta.client.cheers == [alric.client.player_id]
    assert not [p for p in berta.client.received if isinstance(p, NpcAcceptServerPacket)]
    knows(alric)
    knows(berta)


async def test_who_did_something_gains_by_anothers_kill() -> None:
    desk, alric, berta, wolf = await hunt(hits=10)
    life.hurt(wolf, 8, berta.mobile)
    with_lucky(desk)
    await alric.sends(alric.client.attack(Direction.Right))
    assert wolf.dead
    assert alric.client.kills[0][2] == round(90 * 0.2)
    assert berta.client.kills[0][2] == round(90 * 0.8)
    knows(alric)
    knows(berta)


async def test_who_gained_out_of_sight_of_the_death_is_told_by_itself() -> None:
    desk, alric, _, wolf = await hunt(hits=10)
    cuno = await desk.enter("cuno", (21, 40))
    life.hurt(wolf, 5, cuno.mobile)
    cuno.client.received.clear()
    life.hurt(wolf, 5, alric.mobile)
    await desk.settle()
    assert cuno.client.last(RecoverReplyServerPacket).experience == cuno.mobile.experience == 45
    assert cuno.client.kills == []
    knows(cuno)
    knows(alric)


async def test_a_creature_strikes_back() -> None:
    desk, alric, berta, wolf = await hunt()
    with_lucky(desk)
    wolf.heading = WEST
    before = alric.mobile.hits
    fighting.attack(wolf, alric.mobile)
    await desk.settle()
    assert alric.mobile.hits == before - 2
    assert alric.client.last(NpcPlayerServerPacket).hp == alric.mobile.hits
    assert berta.client.last(NpcPlayerServerPacket).hp is None
    for player in (alric, berta):
        assert player.client.bars[alric.client.player_id].damage == 2
        knows(player)
    await desk.wait(2.0)
    assert alric.mobile.hits == before - 4
    knows(alric)


async def test_who_dies_stays_as_a_ghost_before_the_eyes_of_all() -> None:
    desk, alric, berta, wolf = await hunt()
    with_lucky(desk)
    alric.mobile.hits = 1
    fighting.attack(wolf, alric.mobile)
    await desk.settle()
    assert alric.mobile.dead
    assert alric.client.last(NpcPlayerServerPacket).attacks[0].killed is PlayerKilledState.Killed
    assert (alric.client.lies, berta.client.lies) == (True, False)
    await desk.wait(FALL_SECONDS + 0.1)
    assert not alric.client.lies
    assert not alric.session.loading
    number, shroud = alric.client.player_id, desk.view.figures.looks.doll("death_robe", female=False)
    for player in (alric, berta):
        assert player.client.bars[number].percent == 0
        assert player.client.characters[number].dolls.armor == shroud
        owns(player)
        knows(player)
    assert "Alric dies." in lines(berta)
    berta.client.received.clear()
    await alric.sends(alric.client.attack(Direction.Right))
    assert wolf.hits == 30
    assert not fresh(berta, AttackPlayerServerPacket)
    life.resurrect(alric.mobile)
    await desk.settle()
    assert berta.client.characters[number].dolls.armor != shroud
    knows(alric)


async def test_who_has_fallen_is_forgotten_and_then_placed_anew() -> None:
    desk, alric, berta, wolf = await hunt()
    with_lucky(desk)
    alric.mobile.hits = 1
    fighting.attack(wolf, alric.mobile)
    await desk.settle()
    number = alric.client.player_id
    del berta.client.characters[number]  # as eoweb does at the end of the fall
    berta.client.received.clear()
    desk.world.leave(wolf)
    await desk.wait(FALL_SECONDS - 0.2)
    assert not [p for p in berta.client.received if isinstance(p, PlayersAgreeServerPacket)]
    await desk.wait(0.4)
    (placed,) = [p for p in berta.client.received if isinstance(p, PlayersAgreeServerPacket)]
    assert [figure.player_id for figure in placed.nearby.characters] == [number]
    shroud = desk.view.figures.looks.doll("death_robe", female=False)
    assert berta.client.characters[number].dolls.armor == shroud
    owns(berta)
    await alric.sends(alric.client.walk(Direction.Down))
    assert berta.client.characters[number].y == 21
    knows(alric)


async def test_who_lives_again_before_it_has_fallen_stands_up_as_it_is() -> None:
    desk, alric, berta, wolf = await hunt()
    with_lucky(desk)
    alric.mobile.hits = 1
    fighting.attack(wolf, alric.mobile)
    await desk.settle()
    desk.world.leave(wolf)
    life.resurrect(alric.mobile)
    await desk.wait(FALL_SECONDS + 0.2)
    assert not alric.client.lies
    for player in (alric, berta):
        owns(player)
        knows(player)


async def test_who_goes_elsewhere_before_it_has_fallen_is_not_called_back() -> None:
    desk, alric, berta, wolf = await hunt()
    with_lucky(desk)
    alric.mobile.hits = 1
    fighting.attack(wolf, alric.mobile)
    await desk.settle()
    desk.world.leave(wolf)
    desk.world.warp(alric.mobile, desk.world.realms["cave"], 5, 5)
    await desk.wait(FALL_SECONDS + 1)
    assert not alric.client.lies
    assert alric.client.map_id == 6
    for player in (alric, berta):
        owns(player)
        knows(player)


async def test_players_fight_and_who_looks_on_sees_it() -> None:
    desk, alric, berta, wolf = await hunt()
    with_lucky(desk)
    cuno = await desk.enter("cuno", (22, 21))
    desk.world.leave(wolf)
    for player in (alric, berta):
        learning.gain(player.mobile, 20_000)
        player.mobile.hits = player.mobile.hits_max
    desk.world.warp(berta.mobile, desk.world.realms["plain"], 21, 20)
    await desk.settle()
    assert not berta.session.loading
    for player in (alric, berta, cuno):
        player.client.received.clear()
    await alric.sends(alric.client.attack(Direction.Right))
    for player in (alric, berta, cuno):
        reply = player.client.last(AvatarReplyServerPacket)
        assert (reply.player_id, reply.victim_id) == (alric.client.player_id, berta.client.player_id)
        assert (reply.damage, reply.dead) == (2, False)
        knows(player)
    assert berta.client.hp == berta.mobile.hits_max - 2


async def test_who_holds_the_key_strikes_when_the_weapon_is_ready_and_no_sooner() -> None:
    desk, alric, berta, _ = await hunt(hits=10_000)
    with_lucky(desk)
    for _ in range(40):
        await alric.sends(alric.client.attack(Direction.Right))
        await desk.wait(0.5)
    # 20 seconds with fists of 1.5 s, which a dexterity of 10 makes 1.45.
    assert len(berta.client.swings) == 14
    assert len(fresh(alric, NpcReplyServerPacket)) == 14
    knows(alric)


async def test_who_sits_or_strikes_a_resident_is_told_so() -> None:
    desk, alric, _, wolf = await hunt()
    healer = desk.resident("healer", 20, 21)
    await alric.sends(alric.client.attack(Direction.Down))
    assert healer.hits == healer.hits_max
    assert lines(alric) == [Refusal.GUARDED.value]
    alric.client.received.clear()
    await desk.wait(3)
    await alric.sends(alric.client.sit())
    await alric.sends(alric.client.attack(Direction.Right))
    assert lines(alric) == [Refusal.SITTING.value]
    assert wolf.hits == 30


@pytest.mark.parametrize("direction", [4, 9, 252])
async def test_there_are_four_directions(direction: int) -> None:
    _, alric, berta, wolf = await hunt()
    await alric.sends(alric.client.attack(Direction(direction)))
    assert berta.client.swings == []
    assert wolf.hits == 30
    assert alric.line.ending is None
