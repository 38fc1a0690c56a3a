"""Scenery: what a client that forgets tile by tile has in view is always all there is, and nothing is sent
for nothing."""

from random import Random

import pytest

from protocol.uo.handlers.entering import welcome
from protocol.uo.handlers.motion import resync
from protocol.uo.packets.motion import ResyncRequest, ViewRangeRequest, WalkRequest
from protocol.uo.packets.things import GroundItem, GroundItemOld, PropertiesRequest, SingleClick
from protocol.uo.scenery import FIRST_SERIAL, LAST_SERIAL
from protocol.uo.session import UoSession
from protocol.uo.versions import Ground, VersionNumber, version_of
from protocol.uo.words import thing_label
from tests.kit.uo_client import UoClient
from tests.kit.uo_stage import NEWEST, PLAIN, Scene, player, taken, uo_content

WALLS = frozenset({(20, y) for y in range(5, 50, 2)} | {(x, 30) for x in range(3, 55, 3)})


def start(version: VersionNumber = NEWEST, x: int = 10, y: int = 10) -> tuple[Scene, UoSession, UoClient]:
    """Somebody who has just entered a world with roads and walls, and the client that has read it all."""
    scene = Scene(uo_content(walls=WALLS))
    mobile = scene.person("Alric", x, y)
    session = scene.newcomer(mobile, version)
    welcome(session, mobile)
    scene.view.moved(session)
    client = UoClient(version)
    read(client, session)
    return scene, session, client


def read(client: UoClient, session: UoSession) -> int:
    """Let the client read what is queued for it; how many pieces of scenery were among it."""
    frames = taken(session)
    for frame in frames:
        client._take(frame)
    return sum(frame[0] in (0xF3, 0x1A) for frame in frames)


def expected(scene: Scene, session: UoSession, radius: int) -> set[tuple[int, int, int]]:
    """What stands within so many tiles: art and place, from the chart and not from the view."""
    mobile, chart = player(session), scene.content.charts["plain"]
    found = set()
    for y in range(chart.height):
        for x in range(chart.width):
            if max(abs(x - mobile.x), abs(y - mobile.y)) <= radius:
                if (y * chart.width + x) % 3 == 0:
                    found.add((0x519, PLAIN["x"] + x, PLAIN["y"] + y))
                if (x, y) in WALLS:
                    found.add((0x80, PLAIN["x"] + x, PLAIN["y"] + y))
    return found


def drawn(client: UoClient) -> set[tuple[int, int, int]]:
    return {(item.item, item.x, item.y) for item in client.items.values()}


@pytest.mark.parametrize("version", [NEWEST, (7, 0, 0, 0), (5, 0, 9, 1)])
def test_a_newcomer_sees_everything_in_range(version: VersionNumber) -> None:
    scene, session, client = start(version)
    assert drawn(client) == expected(scene, session, 18)
    assert all(FIRST_SERIAL <= serial <= LAST_SERIAL for serial in client.items)


@pytest.mark.parametrize("seed", range(4))
def test_a_wanderer_always_sees_everything_in_range(seed: int) -> None:
    """Steps, turns, walls that refuse steps the client has already taken by itself, and the way back."""
    scene, session, client = start(x=25, y=25)
    chance = Random(seed)
    refused = 0
    heading = 0
    for _ in range(50):
        heading = chance.choice((heading, heading, chance.randrange(8)))
        requests = [WalkRequest.decode(client.walk_bytes(heading)) for _ in range(chance.randrange(1, 6))]
        for request in requests:
            for frame in scene.send(session, request):
                refused += frame[0] == 0x21
                client._take(frame)
            scene.pass_time(0.4)
            scene.view.moved(session)
            read(client, session)
        scene.pass_time(2)
        scene.view.moved(session)
        read(client, session)
        assert (client._me.x - PLAIN["x"], client._me.y - PLAIN["y"]) == (
            player(session).x,
            player(session).y,
        )
        assert not client.pending
        assert drawn(client) == expected(scene, session, 18)
    assert refused


def test_another_size_of_view_sends_the_difference() -> None:
    scene, session, client = start()
    for frame in scene.send(session, ViewRangeRequest(24)):
        client._take(frame)
    assert client.view_range == 24
    scene.view.moved(session)
    assert read(client, session) == len(expected(scene, session, 24)) - len(expected(scene, session, 18))
    assert drawn(client) == expected(scene, session, 24)
    for frame in scene.send(session, ViewRangeRequest(1)):
        client._take(frame)
    assert client.view_range == 5
    scene.view.moved(session)
    assert read(client, session) == 0
    assert drawn(client) == expected(scene, session, 5)


def test_standing_still_sends_nothing() -> None:
    scene, session, client = start()
    scene.view.moved(session)
    assert read(client, session) == 0


def test_a_resync_sends_everything_again() -> None:
    scene, session, client = start()
    client.items.clear()
    resync(session, player(session), ResyncRequest(bytes(2)))
    read(client, session)
    assert drawn(client) == expected(scene, session, 18)


def test_another_realm_is_sent_whole() -> None:
    scene, session, client = start()
    scene.world.warp(player(session), scene.world.realms["cave"], 5, 5)
    scene.view.moved(session)
    assert read(client, session) == 0  # the cave is bare
    scene.world.warp(player(session), scene.world.realms["plain"], 10, 10)
    scene.view.moved(session)
    assert read(client, session) == len(expected(scene, session, 18))


def test_scenery_is_locked_and_shared() -> None:
    scene, _, _ = start()
    tiles = scene.view.scenery.tiles("plain", Ground.HS)
    assert tiles is scene.view.scenery.tiles("plain", version_of(NEWEST).ground)
    bodies = tiles[5 * 60 + 20]
    wall = next(
        packet for packet in map(GroundItem.decode, (body.raw for body in bodies)) if packet.item == 0x80
    )
    assert (wall.flags, wall.amount, wall.z) == (0, 1, 2)
    old = GroundItemOld.decode(scene.view.scenery.tiles("plain", Ground.OLD)[5 * 60 + 20][-1].raw)
    assert (old.serial, old.item, old.x, old.y, old.z) == (wall.serial, 0x80, wall.x, wall.y, 2)


def test_serials_are_never_used_twice_and_stay_the_same() -> None:
    first, second = start()[0], start()[0]
    serials = [
        body.raw[4:8] for bodies in first.view.scenery.tiles("plain", Ground.HS).values() for body in bodies
    ]
    assert len(serials) == len(set(serials)) == 1200 + len(WALLS)
    again = [
        body.raw[4:8] for bodies in second.view.scenery.tiles("plain", Ground.HS).values() for body in bodies
    ]
    assert serials == again


def test_a_click_tells_what_it_is_and_nothing_else_does_anything() -> None:
    scene, session, client = start()
    wall = next(item for item in client.items.values() if item.item == 0x80)
    assert scene.send(session, SingleClick(wall.serial)) == [thing_label(wall.serial, 0x80, "wall").encode()]
    [tooltip] = scene.send(session, PropertiesRequest((wall.serial, LAST_SERIAL)))
    assert "wall".encode("utf-16-le") in tooltip
    assert scene.send(session, SingleClick(LAST_SERIAL)) == []


def test_scenery_is_not_among_what_a_client_is_said_to_know() -> None:
    _, session, client = start()
    assert client.items
    assert not session.known


def test_scenery_of_the_same_map_is_the_one_that_is_shown_and_of_another_keeps_serials() -> None:
    content = uo_content(walls=WALLS)
    shown = Scene(content).view.scenery
    assert Scene(content).view.scenery.following(shown) is shown
    equal = Scene(uo_content(walls=WALLS)).view.scenery
    assert equal is not shown
    assert equal.following(shown) is shown
    fewer = Scene(uo_content(walls=WALLS - {(20, 5)})).view.scenery
    before = fewer.find(FIRST_SERIAL)
    after = fewer.following(shown)
    assert after is not fewer
    assert fewer.find(FIRST_SERIAL) == before  # it may be what somebody else is shown
    assert after.following(shown) is not shown
    assert fewer.following(after) is after
    kept, bodies = (
        {tile: [body.raw for body in bodies] for tile, bodies in one.tiles("plain", Ground.SA).items()}
        for one in (shown, after)
    )
    gone = 5 * 60 + 20
    assert {tile for tile in kept if kept[tile] != bodies.get(tile)} == {gone}
