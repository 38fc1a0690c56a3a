"""Everything the view says for things, changes and events, read back with eolib."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from eolib import (
    AvatarAgreeServerPacket,
    AvatarChange,
    AvatarChangeType,
    AvatarRemoveServerPacket,
    ChairPlayerServerPacket,
    Direction,
    DoorOpenServerPacket,
    FacePlayerServerPacket,
    ItemAddServerPacket,
    ItemRemoveServerPacket,
    NpcAgreeServerPacket,
    NpcPlayerServerPacket,
    NpcSpecServerPacket,
    PlayersAgreeServerPacket,
    RecoverListServerPacket,
    RecoverPlayerServerPacket,
    RecoverReplyServerPacket,
    SitPlayerServerPacket,
    SitRemoveServerPacket,
    TalkServerServerPacket,
    WalkPlayerServerPacket,
    WarpEffect,
    WarpRequestServerPacket,
    WarpType,
)

from protocol.eo.view import Audience, in_sight
from protocol.wire.body import Body
from tests.kit.eo_desk import Desk
from tests.kit.eo_peer import eolib_bytes, eolib_read
from tests.kit.eo_scene import Scene, kinds
from world import holding, motion
from world.delta import MobileDelta
from world.events import YOU_DIED, YOU_LIVE, Died, Opened, Revived, Stepped, Turned, Warped, Why
from world.heading import OFFSETS
from world.mobile import Posture

if TYPE_CHECKING:
    from world.mobile import Mobile


def test_sight_is_the_client_range_rule() -> None:
    for dx in range(-20, 21):
        for dy in range(-20, 21):
            me_x, me_y, x, y = 100, 100, 100 + dx, 100 + dy
            distance = abs(me_x - x) + abs(me_y - y)
            wanted = distance <= 11 if me_x >= x or me_y >= y else distance <= 14
            assert in_sight(dx, dy) is wanted
            assert not wanted or max(abs(dx), abs(dy)) <= 14, "beyond the square the sectors look through"


@pytest.mark.parametrize("why", list(Why))
def test_taking_a_character_away(scene: Scene, why: Why) -> None:
    number = scene.figures.player_id(scene.man)
    (packet,) = scene.hide(scene.man, why)
    assert isinstance(packet, AvatarRemoveServerPacket)
    assert packet.player_id == number
    assert packet.warp_effect == (WarpEffect.Scroll if why is Why.WARPED else None)


def test_taking_away_works_when_the_thing_is_gone_already(scene: Scene) -> None:
    things = (scene.man, scene.npc, scene.shirt, scene.stranger)
    shown = [scene.show(thing) for thing in things]
    for thing in things:
        scene.desk.world.leave(thing)
    gone = [scene.hide(thing, Why.LEFT) for thing in things]
    assert isinstance(shown[1], NpcAgreeServerPacket)
    assert isinstance(shown[2], ItemAddServerPacket)
    assert [type(packets[-1]) for packets in gone] == [
        AvatarRemoveServerPacket,
        NpcSpecServerPacket,
        ItemRemoveServerPacket,
        AvatarRemoveServerPacket,
    ]
    spec, remove = gone[1][-1], gone[2][-1]
    assert isinstance(spec, NpcSpecServerPacket)
    assert isinstance(remove, ItemRemoveServerPacket)
    assert spec.npc_killed_data.npc_index == shown[1].npcs[0].index
    assert remove.item_index == shown[2].item_index


def test_what_was_never_shown_needs_no_taking_away(scene: Scene) -> None:
    for thing in (scene.man, scene.npc, scene.shirt):
        assert scene.hide(thing, Why.LEFT) == []


@pytest.mark.parametrize("why", [Why.WALKED, Why.HIDDEN])
def test_an_npc_that_may_come_back_is_not_said_to_be_dead(scene: Scene, why: Why) -> None:
    """eoweb would take it away when it has played its death, though it be back by then."""
    scene.show(scene.npc)
    (away,) = scene.hide(scene.npc, why)
    assert isinstance(away, NpcPlayerServerPacket)
    assert (away.positions[0].coords.x, away.positions[0].coords.y) == (252, 252)


def test_an_npc_that_is_gone_does_not_die_before_ones_eyes(scene: Scene) -> None:
    scene.show(scene.npc)
    away, spec = scene.hide(scene.npc, Why.LEFT)
    assert isinstance(away, NpcPlayerServerPacket)
    assert (away.positions[0].coords.x, away.positions[0].coords.y) == (252, 252)
    assert isinstance(spec, NpcSpecServerPacket)
    assert spec.npc_killed_data.killer_id == 0


def test_ones_own_numbers(scene: Scene) -> None:
    scene.man.hits, scene.man.mana = 7, 8
    (bars,) = scene.changed(scene.man, MobileDelta.HITS, Audience.SELF)
    assert isinstance(bars, RecoverPlayerServerPacket)
    assert (bars.hp, bars.tp) == (7, 8)
    scene.man.strength = 42
    gain, sheet = scene.changed(scene.man, MobileDelta.STAT, Audience.SELF)
    assert isinstance(sheet, RecoverListServerPacket)
    assert isinstance(gain, RecoverReplyServerPacket)
    assert kinds(scene.changed(scene.man, MobileDelta.STAT, Audience.SELF)) == [RecoverListServerPacket]
    assert (sheet.stats.base_stats.str, sheet.stats.max_weight) == (42, 187)
    for audience in (Audience.OTHER,):
        assert scene.changed(scene.man, MobileDelta.HITS | MobileDelta.STAT, audience) == []


def test_no_weight_that_eoweb_would_misread(scene: Scene) -> None:
    weights = set()
    for strength in range(200):
        scene.man.strength = strength
        *_, sheet = scene.changed(scene.man, MobileDelta.STAT, Audience.SELF)
        assert isinstance(sheet, RecoverListServerPacket)
        weights.add(sheet.stats.max_weight)
    assert 126 not in weights
    assert max(weights) <= 250


def test_other_looks(scene: Scene) -> None:
    scene.man.hair = 9
    for audience in (Audience.SELF, Audience.OTHER):
        (packet,) = scene.changed(scene.man, MobileDelta.HAIR, audience)
        assert isinstance(packet, AvatarAgreeServerPacket)
        assert packet.change.change_type == AvatarChangeType.Hair
        assert isinstance(packet.change.change_type_data, AvatarChange.ChangeTypeDataHair)
        assert packet.change.change_type_data.hair_style == 9
    for flag in (MobileDelta.BODY, MobileDelta.HUE, MobileDelta.NAME):
        assert kinds(scene.changed(scene.man, flag)) == [PlayersAgreeServerPacket]
    assert kinds(scene.changed(scene.man, MobileDelta.BODY, Audience.SELF)) == [AvatarAgreeServerPacket]


def test_another_dress_is_seen_by_all(scene: Scene) -> None:
    hat = holding.make(scene.desk.world, "hat", stored=False)
    holding.wear(scene.man, hat)
    for audience in (Audience.SELF, Audience.OTHER):
        assert scene.changed(hat, 1, audience) == [], "told once, with who wears it"
        (packet,) = scene.changed(scene.man, MobileDelta.ARMOR, audience)
        assert isinstance(packet, AvatarAgreeServerPacket)
        data = packet.change.change_type_data
        assert isinstance(data, AvatarChange.ChangeTypeDataEquipment)
        assert (data.equipment.hat, data.equipment.armor) == (6, 16)


@pytest.mark.parametrize(
    ("posture", "own", "others"),
    [
        (Posture.FLOOR, [SitPlayerServerPacket], SitPlayerServerPacket),
        (Posture.CHAIR, [ChairPlayerServerPacket], ChairPlayerServerPacket),
        # Of a client of its own nothing is known here: that has words of its own, by where it sat.
        (Posture.STANDING, [SitRemoveServerPacket], SitRemoveServerPacket),
    ],
)
def test_postures(scene: Scene, posture: int, own: list[type], others: type) -> None:
    scene.man.posture = posture
    assert kinds(scene.changed(scene.man, MobileDelta.POSTURE, Audience.SELF)) == own
    assert kinds(scene.changed(scene.man, MobileDelta.POSTURE)) == [others]


def test_a_pile_on_the_ground_grows(scene: Scene) -> None:
    assert scene.changed(scene.shirt, 1, Audience.MAN) == []
    scene.show(scene.shirt, Audience.MAN)
    scene.shirt.amount = 3
    gone, back = scene.changed(scene.shirt, 1, Audience.MAN)
    assert isinstance(gone, ItemRemoveServerPacket)
    assert isinstance(back, ItemAddServerPacket)
    assert (back.item_index, back.item_amount) == (gone.item_index, 3)


def test_of_residents_only_their_place_changes(scene: Scene) -> None:
    assert scene.changed(scene.npc, 2**32 - 1) == []


def turned(mobile: Mobile, *, forced: bool = False) -> Turned:
    """As if it had turned to where it looks."""
    return Turned(mobile, mobile.x, mobile.y, mobile.heading, [], forced)


@pytest.mark.parametrize("heading", range(8))
def test_steps_end_where_they_end(scene: Scene, heading: int) -> None:
    wanted = [Direction.Up, Direction.Right, Direction.Down, Direction.Left]
    for mobile in (scene.man, scene.npc):
        from_x, from_y = mobile.x, mobile.y
        dx, dy = OFFSETS[heading]
        mobile.heading, mobile.x, mobile.y = heading, from_x + dx, from_y + dy
        event = Stepped(mobile, from_x, from_y, mobile.x, mobile.y, heading, False, [], [])
        assert scene.event(event, Audience.SELF) == []
        (packet,) = scene.event(event)
        if isinstance(packet, WalkPlayerServerPacket):
            place, direction = packet.coords, packet.direction
        else:
            assert isinstance(packet, NpcPlayerServerPacket)
            place, direction = packet.positions[0].coords, packet.positions[0].direction
        assert (place.x, place.y) == (mobile.x, mobile.y)
        # The nearest of four: a diagonal may be shown as either of the two beside it.
        assert direction in {wanted[heading // 2], wanted[(heading + 1) // 2 % 4]}


def test_whoever_sits_down_or_stands_up_does_not_walk(scene: Scene) -> None:
    """The one who sits down faces back to where it came from."""
    event = Stepped(scene.man, 21, 20, 20, 20, 2, False, [], [])
    assert scene.event(event) == []


def test_turning(scene: Scene) -> None:
    scene.man.heading = 6
    (packet,) = scene.event(turned(scene.man))
    assert isinstance(packet, FacePlayerServerPacket)
    assert packet.direction == Direction.Left
    assert scene.event(turned(scene.man), Audience.SELF) == []
    assert kinds(scene.event(turned(scene.man, forced=True), Audience.SELF)) == [FacePlayerServerPacket]
    assert kinds(scene.event(turned(scene.npc))) == [NpcPlayerServerPacket]


def test_death_and_life(scene: Scene) -> None:
    for event, words in ((Died(scene.man, []), YOU_DIED), (Revived(scene.man, []), YOU_LIVE)):
        (packet,) = scene.event(event, Audience.SELF)
        assert isinstance(packet, TalkServerServerPacket)
        assert packet.message == words
    (packet,) = scene.event(Died(scene.man, []))
    assert isinstance(packet, TalkServerServerPacket)
    assert packet.message == "Alric dies."
    assert scene.event(Revived(scene.man, [])) == []


def test_a_door(scene: Scene) -> None:
    for audience in (Audience.SELF, Audience.OTHER):
        (packet,) = scene.event(Opened(scene.man, 7, 8, []), audience)
        assert isinstance(packet, DoorOpenServerPacket)
        assert (packet.coords.x, packet.coords.y) == (7, 8)


@pytest.mark.parametrize(("realm", "kind"), [("plain", WarpType.Local), ("cave", WarpType.MapSwitch)])
def test_a_warp_is_each_clients_own(scene: Scene, realm: str, kind: WarpType) -> None:
    world = scene.desk.world
    origin = world.realms["plain"]
    world.warp(scene.man, world.realms[realm], 9, 9)
    event = Warped(scene.man, origin, 20, 20, [])
    assert scene.event(event) == [], "others are shown where it is now"
    (message,) = scene.view.event(event, Audience.SELF, None)
    assert not isinstance(message, Body)
    assert not message.droppable
    tokens = []
    for _ in range(2):
        session = scene.desk.connect().session
        session.map_id = 5
        for _ in range(2):
            frame = message.bind(session)  # type: ignore[arg-type] # one of its own game
            assert isinstance(frame, bytes)
            packet = eolib_read(WarpRequestServerPacket, frame)
            assert isinstance(packet, WarpRequestServerPacket)
            assert eolib_bytes(packet) == frame
            assert packet.warp_type == kind
            data = packet.warp_type_data
            assert session.warp is not None
            assert (packet.session_id, packet.map_id) == session.warp[:2]
            tokens.append(packet.session_id)
        if kind == WarpType.MapSwitch:
            file = scene.view.downloads.maps[6]
            assert data is not None
            assert (tuple(data.map_rid), data.map_file_size) == (file.rid, len(file.data))
    assert tokens[:2] == tokens[2:] == [10, 11]


@pytest.mark.parametrize("seed", range(4))
async def test_clients_believe_what_is_true(seed: int) -> None:
    """Everybody does something at random; after each turn every client's picture is the world in its
    sight."""
    chance = random.Random(seed)
    desk = Desk()
    world, plain = desk.world, desk.world.realms["plain"]
    players = [await desk.enter(name, (18 + n, 22)) for n, name in enumerate(("alric", "berta", "cuno"))]
    movers = [desk.resident(kind, 20 + n, 24) for n, kind in enumerate(("healer", "crier", "stranger"))]
    movers += [player.mobile for player in players]
    items = []
    for _ in range(250):
        desk.now += 0.5
        walked = set()
        for _ in range(chance.randrange(4)):
            act, mobile = chance.randrange(20), chance.choice(movers)
            realm = mobile.realm
            assert realm is not None
            if act == 0 and mobile not in movers[:2]:
                world.warp(
                    mobile, chance.choice([plain, world.realms["cave"]]), *chance.choice([(20, 20), (40, 9)])
                )
            elif act == 1:
                item = holding.make(world, "bread", stored=False)
                items.append(item)
                world.enter(item, realm, mobile.x, mobile.y)
            elif act == 2 and items:
                world.leave(items.pop(chance.randrange(len(items))))
            elif act == 3:
                mobile.hidden = not mobile.hidden
            elif act == 4:
                mobile.hits, mobile.hair = chance.randrange(50), chance.randrange(20)
            elif mobile in movers[:3]:
                motion.step(mobile, chance.randrange(8))
            elif mobile not in walked:  # a second step would have to wait, and the client would be ahead
                walked.add(mobile)
                player = next(p for p in players if p.mobile is mobile)
                await player.sends(player.client.walk(Direction(chance.randrange(4))))
        await desk.settle()
        for player in players:
            player.believes()
            assert player.line.ending is None
