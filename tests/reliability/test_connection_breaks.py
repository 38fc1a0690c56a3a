"""Handlers that fail, and connections that break at any moment: R-24 to R-26, for every game of
`tests.kit.games`, and H-swizzle.
"""

from __future__ import annotations

import itertools
import logging
from typing import TYPE_CHECKING, Final

import attrs
import pytest
import trio
from trio.testing import MockClock

from protocol.dispatch import Where
from protocol.endings import Ending, WireError
from protocol.session import Phase
from server.store.check import check_database
from tests.kit.cancelling import CancelledAt
from tests.kit.connections import newest
from tests.kit.fuzzing import pool_of
from tests.kit.games import GAMES, Person, Witnesses
from tests.kit.in_memory import content_anew
from tests.kit.portions import SOME_OR_ALL, portion
from tests.kit.swizzle import Swizzle
from tests.kit.town import Town

if TYPE_CHECKING:
    from protocol.dispatch import Entry
    from protocol.session import Session
    from tests.kit.games import Game

pytestmark = pytest.mark.timeout(180)


LINGER = 3.0
GONE = LINGER + 3
"""Seconds after which somebody who hung up has left the world, in the tests that make hundreds hang up."""


@pytest.fixture
async def brief_town(easy_town: Town) -> Town:
    """One in which nobody lingers for long."""
    easy_town.change("limits", linger_seconds=LINGER)
    return easy_town


def errors(caplog: pytest.LogCaptureFixture, level: int = logging.ERROR) -> list[str]:
    """What the log says at that level or above."""
    return [record.getMessage() for record in caplog.records if record.levelno >= level]


async def nobody_is_left(town: Town, besides: int = 0) -> None:
    """No session, no half login, nothing in the database that does not fit."""
    assert len(town.doors.connections) == besides
    assert len(town.app.loop.sessions) == besides
    assert not town.app.characters._deleting
    assert town.app.characters.departures._entering == 0
    await town.app.storage.wait_durable()
    assert check_database(town.database) == []


async def comes_again(town: Town, record: Game, who: Person, caplog: pytest.LogCaptureFixture) -> None:
    """The next login of the same person works."""
    player = record.player(town)
    await record.enters(player, who)
    assert town.mobile(who.character).online, (str(record), who, caplog.text[-2000:])
    player.leaves()
    await trio.sleep(GONE)
    assert not town.here(who.character)


#


def decodes(entry: Entry[Session], frame: bytes) -> bool:
    """Whether the packet's decoder takes a frame."""
    try:
        entry.decode(frame)
    except WireError:
        return False
    return True


FRAMES: Final = 300
"""Valid frames of a game, three or so of each packet: of those only one is sent, the first that decodes."""


def failing(entry: Entry[Session], victim: Session) -> Entry[Session]:
    """The entry of a table, whose handler fails for one client. The witnesses use the same table."""

    async def fails_here(session: Session, packet: object) -> None:
        await trio.lowlevel.checkpoint()
        if session is victim:
            raise KeyError("injected")
        answer = entry.handler(session, packet)
        assert answer is not None
        await answer

    def fails(session: Session, packet: object) -> None:
        if session is victim:
            raise KeyError("injected")
        entry.handler(session, packet)

    return attrs.evolve(entry, handler=fails_here if entry.where is Where.HERE else fails)


@SOME_OR_ALL
@pytest.mark.parametrize("game", GAMES)
async def test_r24_a_handler_that_fails_costs_its_client_only(
    brief_town: Town,
    autojump_clock: MockClock,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    game: str,
    amount: str,
) -> None:
    """`make test` has an eighth of them, and one at least of each kind: of those that run in the turn and of
    those that wait, in each phase."""
    record, town = GAMES[game], brief_town
    table = town.families[game].doors[record.doors[0]].table
    witnesses = Witnesses(town)
    await witnesses.enter()
    phases = {step.phase for step in record.steps}
    tried = 0
    entries = portion(table, amount, 8, kind=lambda entry: (entry.where, entry.phases))
    for number, entry in enumerate(entries):
        known = [
            frame for frame in pool_of(record, size=FRAMES) if table.opcode_of_frame(frame) == entry.opcode
        ]
        frames = [frame for frame in (*known, *record.legal(entry.opcode)) if decodes(entry, frame)]
        if not frames:
            continue
        phase = max(entry.phases & phases)
        upto = record.first(phase)
        ways = (
            [upto]
            if phase is not Phase.GREETING
            else [n for n, step in enumerate(record.steps) if step.phase is Phase.GREETING]
        )
        hit = False
        for way in [*ways, -1]:
            player = record.player(town)
            await record.plays(player, Person(1), upto=max(way, 0))
            if phase is Phase.GREETING and way >= 0:
                data = record.prepared(player, record.steps[way])
            else:
                data = (b"\x7f\0\0\1" if way < 0 and game == "uo" else b"") + record.wire(player, frames[0])
            record.silences(player)
            assert player.end
            await trio.sleep(0.01)
            connection = newest(town)
            broken = failing(entry, connection.session)
            with monkeypatch.context() as patch:
                patch.setitem(table._entries, entry.opcode, broken)
                await player.sends(data, wait=1.2)
            hit = connection.ending is Ending.OUR_BUG
            player.leaves()
            await trio.sleep(GONE)
            if hit:
                break
        assert hit, f"{entry.name} was not reached"
        tried += 1
        if number % 15 == 0:
            await witnesses.are_well()
    assert tried >= (0.8 if amount == "all" else 0.6) * len(entries)
    await witnesses.are_well()
    await nobody_is_left(town, len(witnesses.players))
    assert len([line for line in errors(caplog) if "failed for" in line]) == tried


#

CANCELLED = [(game, next(iter(record.variants))) for game, record in GAMES.items()]
CANCELLED += [("co", "5065")]
"""The usual clients, and those that exchange keys first."""


@SOME_OR_ALL
@pytest.mark.parametrize(("game", "variant"), CANCELLED, ids=["-".join(pair) for pair in CANCELLED])
async def test_r25_a_client_task_cancelled_at_any_step_leaves_nothing_half_done(
    brief_town: Town,
    autojump_clock: MockClock,
    caplog: pytest.LogCaptureFixture,
    game: str,
    variant: str,
    amount: str,
) -> None:
    """Login, character creation, entering, walking, leaving, and (by somebody who came before) deleting.
    `make test` cancels at every fourth step."""
    record, town = GAMES[game], brief_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    before, deletion = record.deleting
    stories = {"everything": [*record.steps]}
    if deletion:
        stories["deletion"] = [*record.steps[: record.step(before)], *deletion]
    for story, steps in stories.items():
        for number in itertools.count(1, 1 if amount == "all" else 4):
            who = Person(number)
            if story == "deletion" and not _exists(town, who):
                await comes_again(town, record, who, caplog)
            host = CancelledAt(town, number)
            player = record.variants[variant](host)  # type: ignore[arg-type] # a host will do
            record.introduce(player, who)
            for step in steps:
                if host.cancelled or player.gone:
                    break
                await record.does(player, step)
            player.leaves()
            await trio.sleep(GONE)
            host.close()
            await nobody_is_left(town, len(witnesses.players))
            assert not town.here(who.character)
            if number % 5 == 0:
                await comes_again(town, record, who, caplog)
            if not host.cancelled:
                break
        assert number > 10, "there is something to cancel"
        await witnesses.are_well()
    assert errors(caplog) == []


def _exists(town: Town, who: Person) -> bool:
    from sqlalchemy import text as sql

    with town.database.read() as connection:
        count = connection.execute(
            sql("select count(*) from character where name = :name"), {"name": who.character}
        ).scalar()
    return bool(count)


#


WAITS = (0.0, 0.01)
"""Seconds between a step and hanging up: at once, and when it was answered."""


@pytest.mark.parametrize(
    "waits",
    [WAITS, *(pytest.param((wait,), marks=pytest.mark.soak) for wait in (0.0, 0.001, 0.01))],
    ids=["in turn", "at once", "1 ms later", "10 ms later"],
)
@pytest.mark.parametrize(("game", "variant"), CANCELLED, ids=["-".join(pair) for pair in CANCELLED])
async def test_r26_hanging_up_right_after_any_step_rolls_it_back_or_completes_it(
    brief_town: Town,
    autojump_clock: MockClock,
    caplog: pytest.LogCaptureFixture,
    game: str,
    variant: str,
    waits: tuple[float, ...],
) -> None:
    record, town = GAMES[game], brief_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    before, deletion = record.deleting
    flows = [("everything", [*record.steps])]
    if deletion:
        flows.append(("deletion", [*record.steps[: record.step(before)], *deletion]))
    number, begin = 0, CANCELLED.index((game, variant))
    for flow, steps in flows:
        for last in range(len(steps)):
            number += 1
            who = Person(number)
            if flow == "deletion":
                await comes_again(town, record, who, caplog)
            player = record.player(town, variant)
            record.introduce(player, who)
            for step in steps[:last]:
                await record.does(player, step)
            await player.sends(record.prepared(player, steps[last]), wait=waits[(begin + last) % len(waits)])
            player.leaves()
            await trio.sleep(GONE)
            await nobody_is_left(town, len(witnesses.players))
            assert not town.here(who.character)
            await comes_again(town, record, who, caplog)
    await witnesses.are_well()
    assert errors(caplog) == []


TAKE_OVERS = [
    pytest.param(a, b, (i + j) % 2, marks=[] if (i - j) % len(GAMES) < 2 else [pytest.mark.soak])
    for i, a in enumerate(GAMES)
    for j, b in enumerate(GAMES)
]
TAKE_OVERS += [pytest.param(game, game, 1) for game in GAMES]
"""Who is there, who comes, and which of `WAITS` is that after the first step; they alternate. So whoever
comes hangs up at once and later after each step of theirs, before somebody of half of the games each; in
`make test` before one of their own game, and before one of another at the one of the two."""


@pytest.mark.parametrize(("first", "second", "start"), TAKE_OVERS)
async def test_r26_hanging_up_in_the_middle_of_a_take_over(
    brief_town: Town,
    autojump_clock: MockClock,
    caplog: pytest.LogCaptureFixture,
    first: str,
    second: str,
    start: int,
) -> None:
    town, who = brief_town, Person(1)
    here, there = GAMES[first], GAMES[second]
    for last, step in enumerate(there.steps[: there.entering + 1]):
        if step.name == "create":
            continue
        staying = here.player(town)
        await here.enters(staying, who)
        session = next(s for s in town.app.sessions() if s.mobile is not None)
        items = len(town.app.world.items)
        leaving = there.player(town)
        there.introduce(leaving, who)
        for earlier in there.steps[:last]:
            if earlier.name != "create":
                await there.does(leaving, earlier)
        await leaving.sends(there.prepared(leaving, step), wait=WAITS[(start + last) % 2])
        leaving.leaves()
        await trio.sleep(1)
        assert len(town.app.world.items) == items, "one character, once"
        if not staying.gone:
            assert session.mobile is town.mobile(who.character)
            assert session.mobile.online
            staying.leaves()
        await trio.sleep(GONE)
        await nobody_is_left(town)
        assert not town.here(who.character)
    await comes_again(town, here, who, caplog)
    assert errors(caplog) == []


@pytest.mark.parametrize(
    "wait", [0.0, *(pytest.param(wait, marks=pytest.mark.soak) for wait in (0.003, 0.05)), 0.3]
)
@pytest.mark.parametrize("game", GAMES)
async def test_r26_hanging_up_in_the_middle_of_a_warp(
    brief_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, game: str, wait: float
) -> None:
    record, town, who = GAMES[game], brief_town, Person(1)
    witnesses = Witnesses(town)
    await witnesses.enter()
    realm = town.app.world.realms[town.content.start_realm]
    width, height = realm.chart.width, realm.chart.height
    free = [(x, y) for x in range(width) for y in range(height) if realm.walkable(x, y)]
    for place in (free[len(free) // 4], free[len(free) * 3 // 4]):
        player = record.player(town)
        await record.enters(player, who)
        mobile = town.mobile(who.character)
        await town.app.in_world(None, lambda world: world.warp(mobile, realm, *place))  # noqa: B023 # at once
        await trio.sleep(wait)
        player.leaves()
        await trio.sleep(GONE)
        await nobody_is_left(town, len(witnesses.players))
        again = record.player(town)
        await record.enters(again, who)
        mobile = town.mobile(who.character)
        assert (mobile.x, mobile.y) == place
        again.leaves()
        await trio.sleep(GONE)
    await witnesses.are_well()
    assert errors(caplog) == []


# H-swizzle


def end_state(seed: int, *, clog: bool, drop_threshold: int = 250) -> tuple[object, int, int, int]:
    """Where a crowd ends, how often somebody was clogged, how much waited for one of them, and how many
    messages were shed."""
    found: list[tuple[object, int, int, int]] = []

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            town = Town(nursery, seed=seed, content=content_anew())
            await town.open()
            town.change("limits", exempt=("127.0.0.0/8",))
            town.change("network", stalled_seconds=60.0, drop_threshold=drop_threshold)
            swizzle = Swizzle(town, crowd=10, seed=seed)
            await swizzle.run(clog=clog)
            shed = town.doors.shed.total()
            assert sum(person.experience > 133 for person in swizzle.people()), "somebody had to kill a rat"
            found.append((swizzle.end_state(), swizzle.clogged, swizzle.most_waiting, shed))
            nursery.cancel_scope.cancel()

    trio.run(main, clock=MockClock(autojump_threshold=0))
    return found[0]


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.soak) for n in range(1, 10))])
def test_swizzled_clients_come_to_believe_the_same(seed: int) -> None:
    swizzled, clogged, waiting, _ = end_state(seed, clog=True)
    assert clogged > 20
    assert waiting > 5, "something had to wait"
    assert swizzled == end_state(seed, clog=False)[0], f"seed {seed}"


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.soak) for n in range(1, 10))])
def test_swizzled_clients_that_lost_messages_come_to_believe_the_same(seed: int) -> None:
    swizzled, *_, shed = end_state(seed, clog=True, drop_threshold=1)
    unclogged, *_, lost = end_state(seed, clog=False, drop_threshold=1)
    assert shed > 1
    assert not lost, "who reads loses nothing, however little may wait"
    assert swizzled == unclogged, f"seed {seed}"
