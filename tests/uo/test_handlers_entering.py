"""Entering the world: what a newcomer is told first, and in which order."""

from __future__ import annotations

import pytest

from protocol.session import Phase
from protocol.uo.handlers.entering import welcome
from protocol.uo.versions import (
    VARIABLE,
    VersionNumber,
    server_lengths,
)
from tests.kit.uo_client import UoClient
from tests.kit.uo_stage import CLIENT_VERSIONS, PLAIN, Scene, numbers, taken
from world.mobile import Posture


@pytest.mark.parametrize("version", CLIENT_VERSIONS)
def test_a_newcomer_is_let_in_in_order(version: VersionNumber) -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.newcomer(mobile, version)
    welcome(session, mobile)
    frames = taken(session)
    order = numbers(frames)
    assert order[:10] == [0x1B, 0xBF08, 0xBF18, 0xBC, 0x20, 0x4F, 0x72, 0x55, 0x78, 0x11]
    assert order[10] == 0xBF19, "with which locks its attributes have"
    assert order.count(0x55) == order.count(0x1B) == 1
    lengths = server_lengths(version)
    client = UoClient(version)
    for frame in frames:
        size = lengths[frame[0]]
        assert len(frame) == (int.from_bytes(frame[1:3], "big") if size == VARIABLE else size)
        client._take(frame)
    assert session.phase is Phase.IN_WORLD
    assert client.in_world
    assert client.map == PLAIN["map"]
    player = client.player
    assert player is not None
    assert (player.serial, player.x, player.y) == (mobile.serial, PLAIN["x"] + 10, PLAIN["y"] + 10)
    assert player.hits == (50, 50)
    pack = mobile.backpack
    assert pack is not None
    assert client.pack.keys() == pack.contents.keys()
    assert client.said() == ["Welcome to Confluence, Alric."]
    assert (0xDC in order) is (version >= (4, 0, 0, 1))


def test_somebody_who_sat_in_another_client_stands_up() -> None:
    scene = Scene()
    mobile = scene.person()
    mobile.posture = Posture.CHAIR
    scene.session(mobile)
    assert mobile.posture == Posture.STANDING
