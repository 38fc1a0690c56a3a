"""Blows, deaths, healing and levels as packets: the bytes that are recorded, and who is told what."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from eolib import (
    AttackPlayerServerPacket,
    AvatarRemoveServerPacket,
    AvatarReplyServerPacket,
    Direction,
    EffectPlayerServerPacket,
    ItemAcceptServerPacket,
    NpcAcceptServerPacket,
    NpcKillStealProtectionState,
    NpcPlayerServerPacket,
    NpcReplyServerPacket,
    NpcSpecServerPacket,
    Packet,
    PaperdollAgreeServerPacket,
    PaperdollRemoveServerPacket,
    PlayerKilledState,
    RecoverAgreeServerPacket,
    RecoverListServerPacket,
    RecoverReplyServerPacket,
    TalkServerServerPacket,
)

from protocol.eo.packets.base import THREE_MAX
from protocol.eo.session import MOST_BURIED
from protocol.eo.status import percent
from protocol.eo.view import Audience
from tests.kit.eo_belongings import DAGGER, give
from tests.kit.eo_desk import Desk
from tests.kit.eo_peer import eolib_bytes
from tests.kit.eo_scene import Scene, kinds
from world import learning
from world.delta import MobileDelta
from world.events import Advanced, Died, Gained, Manner, Mended, Outcome, Struck, Why
from world.heading import EAST, NORTH

if TYPE_CHECKING:
    from world.mobile import Mobile

CASES = {
    case["packet"]: case
    for case in json.loads((Path(__file__).parents[1] / "golden" / "eo" / "packets.json").read_text())[
        "cases"
    ]
}


def blow(attacker: Mobile, target: Mobile, damage: int, outcome: Outcome = Outcome.HIT) -> Struck:
    """As if one had struck; the target has the hits that it had before."""
    return Struck(attacker, target, outcome, damage, Manner.SLASH, 1500, [])


def wolf(scene: Scene, hits: int = 30, *, kind: str = "wolf") -> Mobile:
    """A creature beside the man."""
    mobile = scene.desk.resident(kind, 21, 20)
    mobile.hits = mobile.hits_max = hits
    return mobile


def payload(packet: Packet) -> str:
    return eolib_bytes(packet)[2:].hex()


# A player strikes


def test_a_blow_at_an_npc_is_the_recorded_one(scene: Scene) -> None:
    target = wolf(scene, 100)
    target.hits = 85
    scene.figures.ids.players.bind(scene.man, 7)
    scene.figures.ids.npcs(scene.desk.world.realms["plain"]).bind(target, 1)
    scene.man.heading = NORTH
    event = blow(scene.man, target, 5)
    (own,) = scene.event(event, Audience.SELF)
    assert payload(own) == CASES["NpcReplyServerPacket"]["payload"]
    swing, hit = scene.event(event)
    assert payload(swing) == CASES["AttackPlayerServerPacket"]["payload"]
    assert payload(hit) == CASES["NpcReplyServerPacket"]["payload"][:-2], (
        "only the attacker reads of protection"
    )
    assert isinstance(own, NpcReplyServerPacket)
    assert own.kill_steal_protection is NpcKillStealProtectionState.Unprotected


@pytest.mark.parametrize("outcome", [Outcome.MISSED, Outcome.BLOCKED])
def test_a_blow_that_does_nothing_is_one_of_0(scene: Scene, outcome: Outcome) -> None:
    _, hit = scene.event(blow(scene.man, wolf(scene), 0, outcome))
    assert isinstance(hit, NpcReplyServerPacket)
    assert (hit.damage, hit.hp_percentage) == (0, 100)


def test_a_player_strikes_another(scene: Scene) -> None:
    scene.woman.hits = scene.woman.hits_max = 40
    scene.man.heading = EAST
    event = blow(scene.man, scene.woman, 10)
    (own,) = scene.event(event, Audience.SELF)
    swing, other = scene.event(event)
    assert isinstance(swing, AttackPlayerServerPacket)
    assert isinstance(own, AvatarReplyServerPacket)
    assert own == other or payload(own) == payload(other)
    assert (own.player_id, own.victim_id) == (
        scene.figures.player_id(scene.man),
        scene.figures.player_id(scene.woman),
    )
    assert (own.damage, own.hp_percentage, own.direction, own.dead) == (10, 75, Direction.Right, False)


def test_who_is_killed_falls(scene: Scene) -> None:
    scene.woman.hits = 4
    _, reply = scene.event(blow(scene.man, scene.woman, 4))
    assert isinstance(reply, AvatarReplyServerPacket)
    assert (reply.hp_percentage, reply.dead) == (0, True)
    scene.woman.hits = 4
    (attack,) = scene.event(blow(wolf(scene), scene.woman, 4))
    assert isinstance(attack, NpcPlayerServerPacket)
    assert (attack.attacks[0].hp_percentage, attack.attacks[0].killed) == (0, PlayerKilledState.Killed)
    for event in (blow(scene.man, scene.woman, 4), blow(wolf(scene), scene.woman, 4)):
        *_, fatal = scene.view.event(event, Audience.OTHER, None)
        assert not fatal.droppable, "or the ghost would be shown to nobody"


def test_a_creature_without_an_npc_falls_as_a_player_does(scene: Scene) -> None:
    bandit = wolf(scene, 4, kind="bandit")
    scene.show(bandit)
    _, reply = scene.event(blow(scene.man, bandit, 4))
    assert isinstance(reply, AvatarReplyServerPacket)
    assert (reply.hp_percentage, reply.dead) == (0, True)
    scene.desk.world.leave(bandit, Why.DIED)
    assert kinds(scene.hide(bandit, Why.DIED)) == [AvatarRemoveServerPacket]


# A creature strikes


def test_a_creature_strikes_and_its_enemy_reads_its_bars(scene: Scene) -> None:
    beast = wolf(scene)
    scene.man.hits, scene.man.hits_max, scene.man.mana = 50, 50, 17
    event = blow(beast, scene.man, 10)
    scene.man.hits = 40
    (other,) = scene.event(event)
    (victim,) = scene.event(event, Audience.FOUGHT)
    for packet, bars in ((other, (None, None)), (victim, (40, 17))):
        assert isinstance(packet, NpcPlayerServerPacket)
        (attack,) = packet.attacks
        assert (attack.npc_index, attack.player_id) == (
            scene.figures.npc_index(beast),
            scene.figures.player_id(scene.man),
        )
        assert (attack.damage, attack.hp_percentage) == (10, 80)
        assert (packet.hp, packet.tp) == bars
        assert (packet.positions, packet.chats) == ((), ())


def test_a_blow_between_npcs_is_drawn_as_nobodys_and_told_in_words(scene: Scene) -> None:
    beast = wolf(scene)
    scene.npc.hits, scene.npc.hits_max = 30, 40
    words, strikes, struck = scene.event(blow(beast, scene.npc, 10))
    assert isinstance(words, TalkServerServerPacket)
    assert words.message == "a wolf hits Ysolde for 10."
    assert isinstance(strikes, NpcPlayerServerPacket)
    (attack,) = strikes.attacks
    assert (attack.npc_index, attack.player_id) == (scene.figures.npc_index(beast), 0)
    assert attack.killed is PlayerKilledState.Alive
    assert isinstance(struck, NpcReplyServerPacket)
    assert (struck.npc_index, struck.player_id) == (scene.figures.npc_index(scene.npc), 0)
    assert (struck.damage, struck.hp_percentage) == (10, 50)
    assert struck.kill_steal_protection is None
    assert scene.figures.ids.players.thing(0) is None


def test_an_npc_that_another_kills_is_struck_and_taken_away(scene: Scene) -> None:
    """Npc_Spec of nobody takes away (facts on play, section 1), and so does the end of the turn."""
    beast = wolf(scene, 5)
    scene.show(beast)
    kinds_told = kinds(scene.event(blow(scene.npc, beast, 5)))
    assert kinds_told == [TalkServerServerPacket, NpcPlayerServerPacket]


def test_a_creature_that_died_in_the_turn_of_its_blow_still_struck(scene: Scene) -> None:
    beast = wolf(scene)
    scene.show(beast)
    index = scene.figures.npc_index(beast)
    events = blow(beast, scene.man, 1), blow(scene.man, beast, 1)
    scene.desk.world.leave(beast, Why.DIED)
    (attack,) = scene.event(events[0])
    _, hit = scene.event(events[1])
    assert isinstance(attack, NpcPlayerServerPacket)
    assert isinstance(hit, NpcReplyServerPacket)
    assert attack.attacks[0].npc_index == hit.npc_index == index


# Death


def kill(scene: Scene, beast: Mobile, damage: int) -> tuple[Struck, Died]:
    """What happens when the man's blow kills."""
    struck = blow(scene.man, beast, damage)
    beast.hits, beast.dead = 0, True
    died = Died(beast, [], None, scene.man)
    scene.desk.world.leave(beast, Why.DIED)
    return struck, died


def test_the_blow_that_kills_is_told_once_and_by_the_death(scene: Scene) -> None:
    beast = wolf(scene, 5)
    scene.show(beast)
    index = scene.figures.npc_index(beast)
    struck, died = kill(scene, beast, 5)
    swing, spec = scene.event(struck)
    assert isinstance(swing, AttackPlayerServerPacket)
    assert isinstance(spec, NpcSpecServerPacket)
    data = spec.npc_killed_data
    assert (data.killer_id, data.npc_index, data.damage) == (scene.figures.player_id(scene.man), index, 5)
    assert (data.drop_id, data.drop_index, data.drop_amount) == (0, 0, 0)
    assert spec.experience is None, "this client's character did nothing"
    assert scene.event(died) == []
    assert scene.hide(beast, Why.DIED) == [], "it falls, and is gone then"


def test_who_did_not_see_the_killer_is_told_by_the_death(scene: Scene) -> None:
    beast = wolf(scene, 5)
    scene.show(beast)
    _, died = kill(scene, beast, 5)
    assert kinds(scene.event(died)) == [NpcSpecServerPacket]
    assert scene.hide(beast, Why.DIED) == []


@pytest.mark.parametrize("killer", ["nobody", "an npc"])
def test_a_death_by_no_player_takes_it_away(scene: Scene, killer: str) -> None:
    beast = wolf(scene)
    scene.show(beast)
    beast.dead = True
    by = scene.npc if killer == "an npc" else None
    scene.desk.world.leave(beast, Why.DIED)
    assert scene.event(Died(beast, [], None, by)) == []
    assert kinds(scene.hide(beast, Why.DIED)) == [NpcPlayerServerPacket, NpcSpecServerPacket]


def test_experience_comes_with_the_death_and_only_once(scene: Scene) -> None:
    scene.session.mobile = scene.man
    scene.changed(scene.man, MobileDelta.STAT, Audience.SELF)
    first, second = wolf(scene, 5), wolf(scene, 5)
    for beast in (first, second):
        scene.show(beast)
    before = scene.man.experience
    learning.gain(scene.man, 40, first)
    deaths = [scene.event(kill(scene, beast, 5)[0], Audience.SELF)[0] for beast in (first, second)]
    assert kinds(deaths) == [NpcSpecServerPacket] * 2
    assert [getattr(packet, "experience", 0) for packet in deaths] == [before + 40, None]
    (sheet,) = scene.changed(scene.man, MobileDelta.STAT, Audience.SELF)
    assert not isinstance(sheet, RecoverReplyServerPacket)
    assert scene.event(Gained(scene.man, 40, [], first), Audience.SELF) == []


def test_a_level_comes_with_the_death(scene: Scene) -> None:
    scene.session.mobile = scene.man
    scene.changed(scene.man, MobileDelta.STAT, Audience.SELF)
    beast = wolf(scene, 5)
    scene.show(beast)
    learning.gain(scene.man, 1100, beast)
    assert scene.man.level == 2
    (packet,) = scene.event(kill(scene, beast, 5)[0], Audience.SELF)
    assert isinstance(packet, NpcAcceptServerPacket)
    rise = packet.level_up
    assert rise is not None
    assert (packet.experience, rise.level, rise.stat_points) == (scene.man.experience, 2, 3)
    assert (rise.max_hp, rise.max_tp, rise.max_sp) == (
        scene.man.hits_max,
        scene.man.mana_max,
        scene.man.stam_max,
    )
    assert scene.event(Advanced(scene.man, 2, []), Audience.SELF) == []
    assert kinds(scene.event(Advanced(scene.man, 2, []))) == [ItemAcceptServerPacket]


def test_a_level_by_anothers_blow_is_told_by_itself(scene: Scene) -> None:
    """eoweb shows the picture of a new level over who killed."""
    scene.session.mobile = scene.woman
    scene.changed(scene.woman, MobileDelta.STAT, Audience.SELF)
    beast = wolf(scene, 5)
    scene.show(beast)
    learning.gain(scene.woman, 1100, beast)
    _, packet = scene.event(kill(scene, beast, 5)[0])
    assert isinstance(packet, NpcSpecServerPacket)
    assert packet.experience == scene.woman.experience
    reply, _ = scene.changed(scene.woman, MobileDelta.STAT, Audience.SELF)
    assert isinstance(reply, RecoverReplyServerPacket)
    assert (reply.level_up, reply.stat_points, reply.experience) == (2, 3, scene.woman.experience)


def test_what_a_death_costs_is_said_and_told(scene: Scene) -> None:
    scene.man.experience = 500
    scene.changed(scene.man, MobileDelta.STAT, Audience.SELF)
    scene.man.experience = 460
    (words,) = scene.event(Gained(scene.man, -40, []), Audience.SELF)
    assert isinstance(words, TalkServerServerPacket)
    assert words.message == "You lose 40 experience."
    reply, _ = scene.changed(scene.man, MobileDelta.STAT, Audience.SELF)
    assert isinstance(reply, RecoverReplyServerPacket)
    assert (reply.experience, reply.level_up) == (460, None)


def test_only_the_last_dead_are_remembered(scene: Scene) -> None:
    dead = [wolf(scene) for _ in range(MOST_BURIED + 1)]
    for beast in dead:
        scene.session.bury(beast)
    assert not scene.session.has_buried(dead[0])
    assert all(scene.session.has_buried(beast) for beast in dead[1:])


# Healing, and bars


def test_who_is_healed_has_a_number_over_its_head(scene: Scene) -> None:
    scene.man.hits, scene.man.hits_max = 30, 40
    light, packet = scene.event(Mended(scene.man, 9, []))
    assert isinstance(light, EffectPlayerServerPacket)
    number = scene.figures.player_id(scene.man)
    # Family 31, action 8; a short and a three, each digit one more: eo.md, part 2.
    assert eolib_bytes(light) == bytes([8, 31, number + 1, 254, 10, 254, 254])
    assert isinstance(packet, RecoverAgreeServerPacket)
    assert (packet.player_id, packet.heal_hp, packet.hp_percentage) == (
        scene.figures.player_id(scene.man),
        9,
        75,
    )
    assert kinds(scene.event(Mended(scene.man, 9, []), Audience.SELF)) == [EffectPlayerServerPacket], (
        "Recover_Player tells how much"
    )
    assert scene.event(Mended(scene.npc, 9, [])) == []


@pytest.mark.parametrize(
    ("part", "whole", "wanted"),
    [
        (0, 10, 0),
        (1, 1000, 1),
        (5, 10, 50),
        (999, 1000, 99),
        (10, 10, 100),
        (12, 10, 100),
        (5, 0, 0),
        (-1, 9, 0),
    ],
)
def test_a_bar_is_empty_only_if_nothing_is_left(part: int, whole: int, wanted: int) -> None:
    assert percent(part, whole) == wanted


@pytest.mark.parametrize("damage", [0, THREE_MAX, THREE_MAX + 1])
def test_damage_fits_its_field(scene: Scene, damage: int) -> None:
    beast = wolf(scene)
    beast.hits = damage + 10
    for target in (beast, scene.woman):
        target.hits = target.hits_max = damage + 10
        assert scene.event(blow(scene.man, target, damage))
    assert scene.event(blow(beast, scene.woman, damage))


# One's own numbers


async def test_numbers_of_a_fight_follow_skill_and_weapon() -> None:
    desk = Desk()
    alric = await desk.enter("alric", (20, 20))
    learner = alric.mobile.learner
    assert learner is not None
    give(alric.mobile, "dagger")
    await desk.settle()

    async def told(skill: str, tenths: int) -> tuple[int, int, int, int] | None:
        alric.client.received.clear()
        learner.learn(skill, tenths)
        await desk.settle()
        lists = [p for p in alric.client.received if isinstance(p, RecoverListServerPacket)]
        if not lists:
            return None
        (only,) = lists
        now = only.stats.secondary_stats
        return now.accuracy, now.evade, now.min_damage, now.max_damage

    assert await told("unarmed", 400) == (40, 40, 2, 5)
    assert await told("unarmed", 401) is None, "the client would see no difference"
    assert await told("magery", 1000) is None
    assert await told("tactics", 1000) == (40, 40, 3, 8)
    assert await told("daggers", 300) is None, "of a weapon that it does not hold"
    alric.client.received.clear()
    await alric.sends(alric.client.put_on(DAGGER))
    stats = alric.client.last(PaperdollAgreeServerPacket).stats.secondary_stats
    assert (stats.accuracy, stats.min_damage) == (30, 5)
    assert await told("daggers", 350) == (35, 35, 5, 10)
    await alric.sends(alric.client.take_off(DAGGER))
    stats = alric.client.last(PaperdollRemoveServerPacket).stats.secondary_stats
    assert (stats.accuracy, stats.min_damage) == (40, 3)
