"""The seam, driven by toy games: order, encode once, the world task."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from protocol.session import Phase, Session
from tests.kit.stage import Stage, settle
from tests.kit.toys import (
    Brook,
    Heard,
    Hello,
    Hide,
    Hits,
    Nudge,
    Probe,
    Put,
    Rekey,
    Say,
    Show,
    Step,
    Stepping,
    ToyView,
    Welcome,
    brook,
)
from tests.kit.worlds import person
from world import speech
from world.heading import EAST, SOUTH, WEST
from world.mobile import Mobile
from world.space import Space
from world.world import World

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest
    from trio.testing import MockClock


async def test_two_clients_see_each_other_come_walk_talk_and_leave(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    game = brook()
    anna, bert = stage.client(game, "Anna"), stage.client(game, "Bert")
    await settle()
    (hers,), (his,) = anna.of(Welcome), bert.of(Welcome)
    assert [show.serial for show in anna.of(Show)] == [his.serial]
    assert [show.serial for show in bert.of(Show)] == [hers.serial]
    anna.say(Step(EAST), Say(b"hello"))
    await settle()
    assert Stepping(hers.serial, EAST) in bert.got
    assert Heard(hers.serial, b"hello") in bert.got
    assert bert.got.index(Stepping(hers.serial, EAST)) < bert.got.index(Heard(hers.serial, b"hello"))
    stage.loop.depart(lambda world: world.leave(world.mobiles[hers.serial]))
    await settle()
    assert bert.got[-1] == Hide(hers.serial, 2)
    assert not stage.loop.sessions[2].known


async def test_key_change_in_mid_chunk_decrypts_what_follows_with_the_new_key(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    client = stage.client(brook(), "Anna")
    await settle()
    codec = client.codec
    assert isinstance(codec, Brook)
    from protocol.wire.body import Body

    # One chunk: the last message under the old key, the key change, two messages under the new one.
    codec.send(Body(Say(b"old").encode()))
    codec.send(Body(Rekey(0x5A).encode()))
    codec.key_out = 0x5A
    codec.send(Body(Say(b"new").encode()))
    codec.send(Body(Step(WEST).encode()))
    client.flush()
    await settle()
    own = client.of(Welcome)[0].serial
    assert stage.connections[0].ending is None
    assert stage.world.mobiles[own].x == 10
    heard = [packet.text for packet in client.got if isinstance(packet, Heard)]
    assert b"new" in heard


async def test_nothing_overtakes_a_login_that_takes_a_second(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    stage.services.hello_takes = 1.0
    client = stage.client(brook())
    client.say(Hello(b"Anna"), Step(EAST), Step(EAST), Say(b"here"))
    await settle(0.9)
    assert client.got == []
    await settle(0.5)
    assert isinstance(client.got[0], Welcome)
    assert stage.world.mobiles[client.of(Welcome)[0].serial].x == 13
    assert [type(packet).__name__ for packet in client.got] == ["Welcome", "Stepping", "Stepping", "Heard"]


async def test_a_view_is_asked_once_per_group_and_its_bytes_are_shared(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    game = brook()
    clients = [stage.client(game, f"P{n}") for n in range(6)]
    await settle()
    view = game.view
    assert isinstance(view, ToyView)
    view.renderings.clear()
    clients[0].say(Step(SOUTH))
    await settle()
    assert view.renderings.count(("Stepped", "other")) == 1
    assert view.renderings.count(("Stepped", "self")) == 1
    assert all(client.of(Stepping) for client in clients)


async def test_what_is_shown_this_turn_is_shown_in_its_end_state(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    client = stage.client(brook(), "Anna")
    await settle()
    from world import motion

    def come_and_go(world: object) -> None:
        newcomer = person(stage.world, "Carl", 12, 12)
        motion.step(newcomer, EAST)
        motion.step(newcomer, EAST)
        ghost = person(stage.world, "Dora", 13, 13)
        stage.world.leave(ghost)

    before = len(client.got)
    await stage.loop.in_world(None, come_and_go)
    await settle()
    assert [(type(p), getattr(p, "x", None)) for p in client.got[before:]] == [(Show, 14)]


async def test_left_and_returned_is_one_new_placement(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    client = stage.client(brook(), "Anna")
    other = person(stage.world, "Carl", 15, 10)
    await settle()
    realm = stage.world.realms["plain"]

    def away_and_back(world: object) -> None:
        stage.world.warp(other, realm, 50, 50)
        stage.world.warp(other, realm, 16, 10)

    before = len(client.got)
    await stage.loop.in_world(None, away_and_back)
    await settle()
    assert client.got[before:] == [Show(other.serial, 16, 10)]


async def test_a_warped_viewer_gets_hides_then_its_own_place_then_shows(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    client = stage.client(brook(), "Anna")
    near, far = person(stage.world, "Near", 12, 10), person(stage.world, "Far", 50, 50)
    await settle()
    own = stage.world.mobiles[client.of(Welcome)[0].serial]
    before = len(client.got)
    await stage.loop.in_world(None, lambda world: world.warp(own, world.realms["plain"], 48, 48))
    await settle()
    assert client.got[before:] == [Hide(near.serial, 1), Put(48, 48), Show(far.serial, 50, 50)]


async def test_state_changed_by_this_turns_input_leaves_in_this_turn_once(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    client = stage.client(brook(), "Anna")
    other = person(stage.world, "Carl", 12, 10)
    await settle()

    def hurt(world: object) -> None:
        other.hits = 30
        other.hits = 20

    turns = stage.loop.stats.turns
    await stage.loop.in_world(None, hurt)
    await settle(0.001)
    assert client.of(Hits) == [Hits(other.serial, 20)]
    assert stage.loop.stats.turns == turns + 1
    assert other.delta == 0


async def test_a_burst_of_packets_is_heard_at_the_rate_allowed(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    client = stage.client(brook(), "Anna")
    await settle()
    started = trio.current_time()
    for _ in range(26):
        client.say(*(Say(b"x") for _ in range(10)))
    await settle(0.5)
    assert 190 < len(client.of(Heard)) < 245
    await settle(2.0)
    assert len(client.of(Heard)) == 260
    assert trio.current_time() - started < 4


async def test_sessions_are_served_in_id_order_whatever_the_order_of_arrival(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    game = brook()
    clients = [stage.client(game, f"P{n}") for n in range(8)]
    await settle()
    watcher = clients[0]
    before = len(watcher.got)
    for client in reversed(clients):
        client.say(Say(b"now"))
    await settle()
    serials = [packet.serial for packet in watcher.got[before:] if isinstance(packet, Heard)]
    assert serials == sorted(serials)
    assert len(serials) == 8


async def test_a_call_is_withdrawn_when_its_caller_is_cancelled(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    await settle()
    ran = []
    with trio.CancelScope() as scope:
        scope.cancel()
        await stage.loop.in_world(None, lambda world: ran.append(world))
    await settle()
    assert ran == []


async def test_an_idle_loop_sleeps_and_a_loaded_one_paces_itself(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    client = stage.client(brook(), "Anna")
    await settle()
    turns = stage.loop.stats.turns
    await settle(100)
    assert stage.loop.stats.turns == turns, "nothing to do, no turn"
    for _ in range(10):
        client.say(Say(b"a"))
        client.say(Say(b"b"))
        await trio.sleep(0.0005)
    await settle()
    assert stage.loop.stats.turns - turns <= 6, "a burst is a few turns, not one per packet"


# What a review found


async def test_a_here_packet_waits_for_the_world_packets_before_it(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    game = brook()
    seen: list[int] = []
    table = game.doors["game"].table

    @table.on(Probe, during=frozenset(Phase))
    async def probe(session: Session, packet: Probe) -> None:
        assert session.mobile is not None
        seen.append(session.mobile.x)
        await trio.lowlevel.checkpoint()

    client = stage.client(game, "Anna")
    await settle()
    client.say(Step(EAST), Step(EAST), Probe(), Step(EAST))
    await settle()
    assert seen == [13], "both steps before it are taken, the one behind it is not"
    assert stage.world.mobiles[client.of(Welcome)[0].serial].x == 14


async def test_a_later_job_holds_what_follows_until_it_ends(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    game = brook()
    story: list[str] = []
    table = game.doors["game"].table

    async def job() -> None:
        story.append("job begins")
        await trio.sleep(1)
        story.append("job ends")

    @table.on(Probe, during=frozenset(Phase))
    def begins(session: Session, packet: Probe) -> None:
        session.later(job)

    @table.on(Nudge, during=frozenset(Phase))
    async def here(session: Session, packet: Nudge) -> None:
        story.append("here")
        await trio.lowlevel.checkpoint()

    client = stage.client(game, "Anna")
    await settle()
    x = stage.world.mobiles[client.of(Welcome)[0].serial].x
    client.say(Probe(), Step(EAST), Nudge())
    await settle(0.5)
    assert stage.world.mobiles[client.of(Welcome)[0].serial].x == x
    await settle()
    assert story == ["job begins", "job ends", "here"]
    assert stage.world.mobiles[client.of(Welcome)[0].serial].x == x + 1


async def test_only_the_world_task_changes_the_world(
    nursery: trio.Nursery, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(nursery)
    tasks: set[str] = set()
    for cls, name in ((World, "enter"), (World, "leave"), (Space, "move"), (Mobile, "mark")):
        original = getattr(cls, name)

        def watched(*args: object, original: Callable[..., object] = original, **kwargs: object) -> object:  # type: ignore[explicit-any] # any signature
            tasks.add(trio.lowlevel.current_task().name)
            return original(*args, **kwargs)

        monkeypatch.setattr(cls, name, watched)
    game = brook()
    clients = [stage.client(game, f"P{n}") for n in range(3)]
    await settle()
    for client in clients:
        client.say(Step(SOUTH), Say(b"hello"))
    await settle()
    clients[0].end.close()
    await settle()
    assert tasks == {"server.turn.loop.Loop.run"}


async def test_words_heard_just_before_going_out_of_sight_are_still_told(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    client = stage.client(brook(), "Anna")
    speaker = person(stage.world, "Carl", 12, 10)
    await settle()
    own = stage.world.mobiles[client.of(Welcome)[0].serial]

    def speak_and_go(world: World) -> None:
        speech.say(speaker, "farewell")
        world.warp(own, world.realms["plain"], 50, 50)

    await stage.loop.in_world(None, speak_and_go)
    await settle()
    assert Heard(speaker.serial, b"farewell") in client.got
