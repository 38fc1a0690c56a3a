"""The seam, driven by toy games: isolation, so that what fails costs only its client."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from protocol.denials import Denial, Denied
from protocol.endings import Ending
from protocol.session import Phase, Session
from tests.kit.pipe import End
from tests.kit.stage import Stage, settle
from tests.kit.toys import Heard, Probe, Say, Show, Step, Stepping, ToyView, brook
from tests.kit.worlds import person
from world.heading import SOUTH

if TYPE_CHECKING:
    from trio.testing import MockClock


async def test_a_broken_view_loses_one_thing_and_the_world_goes_on(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    game = brook()
    assert isinstance(game.view, ToyView)
    client = stage.client(game, "Anna")
    await settle()
    cursed, fine = person(stage.world, "Cursed", 12, 10), person(stage.world, "Fine", 13, 10)
    game.view.broken.add(cursed.serial)
    stage.loop.wake()
    await settle()
    assert [show.serial for show in client.of(Show)] == [fine.serial]


async def test_a_handler_that_raises_costs_only_its_client(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    game = brook()
    anna, bert = stage.client(game, "Anna"), stage.client(game, "Bert")
    await settle()
    anna.say(Say(b"!bug"))
    await settle()
    assert stage.connections[0].ending is Ending.OUR_BUG
    bert.say(Step(SOUTH))
    await settle()
    assert stage.connections[1].ending is None
    assert bert.of(Stepping)


@pytest.mark.parametrize(
    ("chunk", "ending"),
    [
        (b"\x00\x00", Ending.BAD_PACKET),
        (b"\xff\xff", Ending.BAD_PACKET),
        (b"\x00\x02\x63\x00", Ending.BAD_PACKET),
        (b"\x00\x01\x03", Ending.BAD_PACKET),
        (b"\x00\x02\x03\x02", Ending.WRONG_PHASE),
    ],
)
async def test_bad_input_ends_its_sender(
    nursery: trio.Nursery, autojump_clock: MockClock, chunk: bytes, ending: Ending
) -> None:
    stage = Stage(nursery)
    client = stage.client(brook())
    encrypted = bytes((b ^ i) & 0xFF for i, b in enumerate(chunk))
    assert isinstance(client.end, End)
    client.end.send_nowait(encrypted)
    await settle()
    assert stage.connections[0].ending is ending
    assert client.ended


@pytest.mark.parametrize(
    ("error", "ending"),
    [(Denied(Denial.UNAVAILABLE), Ending.REFUSED), (KeyError("injected"), Ending.OUR_BUG)],
    ids=["denied", "bug"],
)
async def test_how_a_job_fails_is_how_its_client_ends(
    nursery: trio.Nursery, autojump_clock: MockClock, error: Exception, ending: Ending
) -> None:
    stage = Stage(nursery)
    game = brook()

    async def job() -> None:
        await trio.lowlevel.checkpoint()
        raise error

    @game.doors["game"].table.on(Probe, during=frozenset(Phase))
    def begins(session: Session, packet: Probe) -> None:
        session.later(job)

    client = stage.client(game, "Anna")
    await settle()
    client.say(Probe())
    await settle()
    assert stage.connections[0].ending is ending


async def test_what_an_ended_client_still_had_to_say_is_forgotten(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    game = brook()
    anna, bert = stage.client(game, "Anna"), stage.client(game, "Bert")
    await settle()
    anna.say(Say(b"!bug"), Step(SOUTH), Step(SOUTH), Say(b"still here"))
    await settle()
    assert stage.connections[0].ending is Ending.OUR_BUG
    assert not bert.of(Stepping)
    assert not bert.of(Heard)


class Unsendable:
    """A bound message that fails when it is bound."""

    droppable = False

    def bind(self, session: Session) -> bytes:
        raise RuntimeError("cannot be bound")


async def test_a_message_that_cannot_be_encoded_ends_its_client_and_nobody_else(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    stage = Stage(nursery)
    game = brook()
    anna, bert = stage.client(game, "Anna"), stage.client(game, "Bert")
    await settle()
    session = stage.connections[0].session
    await stage.loop.in_world(session, lambda _: session.queue(Unsendable()))
    await settle()
    assert stage.connections[0].ending is Ending.OUR_BUG
    assert anna.ended
    bert.say(Step(SOUTH))
    await settle()
    assert bert.of(Stepping)


async def test_a_view_that_cannot_tell_its_audience_costs_nobody(
    nursery: trio.Nursery, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(nursery)
    game = brook()
    client = stage.client(game, "Anna")
    await settle()

    def broken(self: ToyView, session: Session, thing: object) -> object:
        raise RuntimeError("which audience?")

    with monkeypatch.context() as patched:
        patched.setattr(ToyView, "audience", broken)
        person(stage.world, "Carl", 12, 10)
        stage.loop.wake()
        await settle()
    client.say(Step(SOUTH))
    await settle()
    assert stage.connections[0].ending is None
    assert client.of(Stepping)


async def test_a_fatal_turn_leaves_the_loop_and_offers_nothing(
    nursery: trio.Nursery, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(nursery, run=False)

    def broken(changes: object) -> None:
        raise RuntimeError("the fan-out itself is broken")

    monkeypatch.setattr("server.turn.fanout.Fanout.run", lambda self, woken, stale, again: broken(woken))
    person(stage.world)
    offers = len(stage.offers)
    with pytest.raises(RuntimeError, match="itself is broken"):
        stage.loop.turn(1.0)
    assert len(stage.offers) == offers, "an unfinished turn is not written"
