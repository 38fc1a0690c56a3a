"""A server that stood still (SIGSTOP, a virtual machine whose host or disk was busy, a turn that took far too
long) gives nobody up who is there: what its clients said meanwhile lies unread at its sockets.

What a client itself forgives is not known of most: docs/network.md."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING

import pytest
import trio

from protocol.endings import Ending
from server.clock import stood_still
from server.net.stream_connection import StreamConnection
from tests.kit.eq2_actor import Eq2Actor
from tests.kit.eq2_line import DatagramLine
from tests.kit.eq2_player import Eq2Player
from tests.kit.eq2_town import ending_of, plays_on, settled, stream_of
from tests.kit.games import GAMES, Person, Witnesses, session_of
from tests.kit.l2_split import eventually
from tests.kit.process import ServerProcess
from tests.kit.sockets import Ports
from tests.kit.stops import StoppingClock, crowd_before, lives_on, pile_up
from tests.kit.strangers import connection_at
from tests.kit.uo_actor import UoActor
from world import motion
from world.events import Stepped

if TYPE_CHECKING:
    from pathlib import Path

    from tests.kit.players import Player
    from tests.kit.town import Town
    from world.mobile import Mobile
    from world.world import Changes

STOPS = [12.0, 30.0]

IMPATIENT = "unacknowledged_seconds = 2.0\nkeep_alive_seconds = 1.0\n"
"""Settings of EverQuest II with which a shorter stop does."""


@pytest.fixture
def autojump_clock() -> StoppingClock:
    """Virtual time in which the server can be stopped."""
    return StoppingClock()


def held(player: Player) -> DatagramLine:
    """Its client reads nothing more, until it goes on."""
    line = player.end
    assert isinstance(line, DatagramLine)
    line.hold()
    return line


@pytest.mark.parametrize("seconds", STOPS)
async def test_a_stop_ends_nobody_whose_words_lie_unread(
    easy_town: Town, autojump_clock: StoppingClock, seconds: float
) -> None:
    """Players of all games, twice in a row; a timer of the world that fell due meanwhile runs once."""
    town = easy_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    ran: list[float] = []
    town.app.world.timers.every(1.0, lambda: ran.append(town.app.world.now))
    for stop in range(2):
        began, before = trio.current_time(), len(ran)
        lines = [held(player) for _, player, _ in witnesses.players if isinstance(player, Eq2Player)]
        for game, player, _ in witnesses.players:
            await player.sends(game.says(player, f"before stop {stop}"), wait=0.1)

        def meanwhile() -> None:
            crowd_before(town.network("eq2", "world"))
            for game, player, _ in witnesses.players:
                if isinstance(player, Eq2Player):
                    lives_on(player)
                for data in (game.keeps_alive(player), game.says(player, "is anybody there?")):
                    pile_up(player, data)

        await autojump_clock.stops(seconds, meanwhile)
        for line in lines:
            line.go_on()
        await witnesses.are_well()
        for game, player, _ in witnesses.players:
            assert sum("is anybody there?" in line for line in game.heard(player)) >= len(GAMES) - 1
        assert stood_still() == pytest.approx((stop + 1) * seconds)
        passed = trio.current_time() - began
        assert passed - 2 <= len(ran) - before <= passed + 1
    await trio.sleep(100)
    await witnesses.are_well()


@pytest.mark.parametrize("seconds", STOPS)
async def test_who_was_nearly_given_up_is_judged_by_what_came_meanwhile(
    easy_town: Town, autojump_clock: StoppingClock, seconds: float
) -> None:
    """The last moment for an acknowledgement lies within the stop, and so does the acknowledgement, behind
    what others sent."""
    town = easy_town
    player = Eq2Player(town)
    connection = connection_at(town, await settled(player), "world")
    network, line = town.network("eq2", "world"), held(player)
    for word in ("one", "two"):  # the first is read: it was waited for already
        await player.sends(player.client.say_bytes(word), wait=0.3)
    assert not stream_of(connection).settled
    sender = stream_of(connection)._sender

    def meanwhile() -> None:
        crowd_before(network)
        lives_on(player)

    await autojump_clock.stops(seconds, meanwhile, at=sender._heard + sender._patience)
    await trio.sleep(0.01)
    assert connection.ending is None, connection.detail
    line.go_on()
    await plays_on(player)


async def test_the_sweep_after_a_stop_judges_nobody(
    town: Town, autojump_clock: StoppingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What came meanwhile may not have been read when it begins."""
    sweeps: list[float] = []
    monkeypatch.setattr(StreamConnection, "check", lambda self, now: sweeps.append(now))
    await GAMES["uo"].enters(GAMES["uo"].player(town), Person(33_000))
    await trio.sleep(0.5)
    last = sweeps[-1]
    await autojump_clock.stops(12.0, at=last + 0.75)
    await trio.sleep(2)
    assert sorted({now for now in sweeps if now > last}) == [pytest.approx(last + 2)]


async def test_who_is_gone_is_still_missed_after_a_stop(
    easy_town: Town, autojump_clock: StoppingClock
) -> None:
    """Its time goes on where it was."""
    town = easy_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    gone = Eq2Player(town)
    connection = connection_at(town, await settled(gone), "world")
    silent, who = GAMES["uo"].player(town), Person(31_000)
    await GAMES["uo"].enters(silent, who)
    quiet = next(one for one in town.app.gateway.connections.values() if one.session is session_of(town, who))
    gone.vanishes()
    heard = quiet.session.last_heard
    game, player, _ = witnesses.players[0]
    await player.sends(game.says(player, "to whoever is there"))
    await autojump_clock.stops(30.0)
    assert await ending_of(connection, 5) is None
    assert await ending_of(connection, 10) is Ending.CONNECTION_LOST
    left = heard + town.settings.limits.idle_seconds - trio.current_time()
    assert await ending_of(quiet, left - 1) is None
    assert await ending_of(quiet, 5) is Ending.TIMED_OUT
    await witnesses.are_well()


UNANSWERED = {"uo": 4, "eo": 24, "eq2": 24, "co": 24, "web": 24}
"""Steps that a client takes in 12 s although nobody answers. Of Ultima Online's at most five wait for their
answer (facts/uo.md); Lineage II's says where it wants to go."""


def free_side(mobile: Mobile) -> int:
    """A side to which there is a way, and back."""
    assert mobile.realm is not None
    return next(side for side in (2, 6, 0, 4) if motion.can_step(mobile.realm, mobile.x, mobile.y, side))


@pytest.mark.parametrize("name", UNANSWERED)
async def test_who_walked_on_during_a_stop_is_no_cheat(
    easy_town: Town, autojump_clock: StoppingClock, name: str
) -> None:
    """All its steps are taken, and its client is put back nowhere. The credit is gone afterwards."""
    town, game = easy_town, GAMES[name]
    player, who = game.player(town), Person(32_000)
    await game.enters(player, who)
    mobile = town.mobile(who.character)
    side = free_side(mobile)
    await game.walks(player, side)
    await game.walks(player, (side + 4) % 8)
    await trio.sleep(2)
    steps: list[Stepped] = []

    def count(changes: Changes) -> None:
        steps.extend(
            event for event in changes.events if isinstance(event, Stepped) and event.thing is mobile
        )

    town.app.loop.observers.append(count)
    corrections = game.corrections(player)

    def walks() -> None:
        for number in range(UNANSWERED[name]):
            back = (number // 2 if name == "uo" else number) % 2  # there every other request is a turn
            pile_up(player, game.steps_to(player, (side + 4 * back) % 8))

    await autojump_clock.stops(12.0, walks)
    await trio.sleep(0.3)
    assert len(steps) >= (2 if name == "uo" else UNANSWERED[name])
    assert game.corrections(player) == corrections
    await trio.sleep(6)
    steps.clear()
    for _ in range(3):
        walks()
    await trio.sleep(0.3)
    assert len(steps) <= 5


# A real server


@pytest.mark.parametrize(
    ("stop", "times", "limits"),
    [
        pytest.param(12.5, 2, "", marks=pytest.mark.soak, id="12 s"),
        pytest.param(2.5, 1, IMPATIENT, id="2 s"),
    ],
)
async def test_a_server_that_was_sent_sigstop_loses_nobody(
    tmp_path: Path, stop: float, times: int, limits: str
) -> None:
    """One player of EverQuest II whose acknowledgements come while the server is stopped, one of Ultima
    Online."""
    server = ServerProcess(tmp_path, limits).start()
    try:
        async with trio.open_nursery() as nursery:
            ports = Ports(nursery, server.addresses())
            try:
                player, other = Eq2Actor(ports), UoActor(ports)
                async with trio.open_nursery() as both:
                    both.start_soon(player.enters, "anna", "Anna")
                    both.start_soon(other.enters, "bernd", "Bernd")
                for stopped in range(times):
                    await _stops(server, stop, player, other, f"still there, {stopped}")
            finally:
                ports.hang_up()
            nursery.cancel_scope.cancel()
    finally:
        server.close()


async def _stops(server: ServerProcess, seconds: float, player: Eq2Actor, other: UoActor, word: str) -> None:
    """Both play on afterwards."""
    assert server.process is not None
    line, before = held(player.player), server.output().count("stood still for")
    for told in ("one", "two"):  # the first is read: it was waited for already
        start = len(other.client.said())
        await other.say(told)
        # Who speaks hears it in the turn in which others do.
        assert await other.until(lambda told=told, start=start: told in other.client.said()[start:])  # type: ignore[misc]
    server.process.send_signal(signal.SIGSTOP)
    began = time.monotonic()
    line.go_on()
    await other.player.sends(other.client.raw_bytes(b"\x73\0"), wait=0.0)
    await trio.sleep(seconds - (time.monotonic() - began))
    server.process.send_signal(signal.SIGCONT)
    await other.say(word)
    assert await player.until(lambda: any(word in said for said in player.client.lines())), player.client.why
    assert await other.echo()
    assert not player.player.gone
    # The server looks about itself once a second.
    await trio.to_thread.run_sync(eventually, lambda: server.output().count("stood still for") > before, word)
