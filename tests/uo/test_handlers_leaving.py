"""Pings, farewells, and what comes too late."""

from __future__ import annotations

import trio

from protocol.endings import Ending
from protocol.uo.handlers.leaving import disconnecting
from protocol.uo.packets.misc import Disconnecting, LogoutRequest, Ping
from protocol.uo.packets.motion import WalkRequest
from protocol.uo.packets.talk import AsciiSpeech
from protocol.uo.packets.things import (
    SingleClick,
)
from tests.kit.uo_stage import Scene, numbers, taken, written


def test_a_client_whose_character_was_taken_over_means_nothing_any_more() -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    scene.send(session, WalkRequest(4, 0, 0), WalkRequest(4, 1, 0), WalkRequest(4, 2, 0))
    session.mobile = None
    for packet in (WalkRequest(4, 3, 0), SingleClick(mobile.serial), AsciiSpeech(0, 0, 3, "hello")):
        assert scene.send(session, packet) == []
    before = mobile.x, mobile.y
    scene.pass_time(3)
    assert (mobile.x, mobile.y) == before


def test_a_ping_comes_back() -> None:
    scene = Scene()
    session = scene.session(scene.person())
    assert scene.send(session, Ping(7)) == [b"\x73\x07"]


def test_logging_out_is_confirmed_and_ends() -> None:
    ended: list[tuple[Ending, str]] = []

    class Link:
        busy = False

        def flush(self, *, force: bool = False) -> None: ...
        def end(self, ending: Ending, detail: str) -> None:
            ended.append((ending, detail))

        def later(self, job: object) -> None: ...
        def drained(self) -> None: ...

    scene = Scene()
    session = scene.session(scene.person())
    session.link = Link()

    async def disconnects() -> None:
        noted = disconnecting(session, Disconnecting(0xFFFFFFFF))
        assert noted is not None, "not left for the next turn: the end may come at once"
        await noted

    trio.run(disconnects)
    assert session.hang_up_means is Ending.CLIENT_LEFT
    assert not ended
    assert scene.send(session, LogoutRequest(0)) == [b"\xd1\x01"]
    assert [ending for ending, _ in ended] == [Ending.CLIENT_LEFT]


def test_farewell_is_a_line_for_who_is_in_the_world() -> None:
    scene = Scene()
    session = scene.session(scene.person())
    scene.family.goodbye(session, "The server stops.")
    assert numbers(taken(session)) == [0xAE]
    session.mobile = None
    scene.family.goodbye(session, "The server stops.")
    assert written(session.outbox) == []
