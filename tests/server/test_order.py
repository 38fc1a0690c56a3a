"""Order is a promise: what may not be done too often waits in its place, and nothing overtakes it; of what is
asked in a row the newest is answered. The mechanism, with the toy games; `tests/scenes/test_order.py` has the
real ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest
import trio

from protocol.dispatch import Interval, Table
from protocol.endings import Ending
from protocol.session import ANY_PHASE, Phase, Session
from tests.kit.datagrams import Faults, datagram_pipe
from tests.kit.pipe import End
from tests.kit.stage import Stage, ToyClient, settle
from tests.kit.toys import Heard, Hello, Nudge, Probe, Put, Say, Step, Welcome, brook, pebble
from world.heading import EAST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio.testing import MockClock

    from protocol.family import Family
    from protocol.wire.declare import Packet


class Diary:
    """A toy game whose `Put` may not come too often: the client says it, and the number in it is written down
    with the time, behind what was said aloud."""

    def __init__(self, game: Family, interval: float | Interval) -> None:
        self.game = game
        self.table: Table[Session] = game.doors["game"].table
        self.began = trio.current_time()
        self.deeds: list[tuple[float, object]] = []
        self.table.on(Put, during=Phase.IN_WORLD, every=interval)(self._put)
        say = self.table._entries.pop(Say.opcode)

        @self.table.on(Say, during=Phase.IN_WORLD)
        def heard(session: Session, packet: Say) -> None:
            self.note(packet.text.decode())
            say.handler(session, packet)

    def _put(self, session: Session, packet: Put) -> None:
        self.note(packet.x)

    def note(self, what: object) -> None:
        """Write down what happens now."""
        self.deeds.append((round(trio.current_time() - self.began, 1), what))

    def begin(self) -> None:
        """Count the time from now."""
        self.began = trio.current_time()
        self.deeds.clear()

    @property
    def order(self) -> list[object]:
        """What happened, without the times."""
        return [what for _, what in self.deeds]


def puts(numbers: Sequence[int]) -> list[Packet]:
    """Such packets."""
    return [Put(number, 0) for number in numbers]


async def enters(stage: Stage, game: Family, name: str = "Anna") -> ToyClient:
    """Somebody in the world."""
    client = stage.client(game, name)
    await settle()
    return client


@pytest.fixture
def stage(nursery: trio.Nursery) -> Stage:
    """A running loop."""
    return Stage(nursery)


# Acts


async def test_an_act_that_comes_too_soon_waits_in_its_place_and_all_behind_it_waits(
    stage: Stage, autojump_clock: MockClock
) -> None:
    diary = Diary(brook(), 1.0)
    anna = await enters(stage, diary.game)
    diary.begin()
    anna.say(*puts([1, 2, 3]), Say(b"said"), *puts([4]), Say(b"and done"))
    await settle(10)
    assert diary.deeds == [(0, 1), (1, 2), (2, 3), (2, "said"), (3, 4), (3, "and done")]


async def test_a_few_at_once_after_a_pause_wait_for_nothing(stage: Stage, autojump_clock: MockClock) -> None:
    diary = Diary(brook(), Interval(1.0, burst=3))
    anna = await enters(stage, diary.game)
    diary.begin()
    anna.say(*puts([1, 2, 3]), Say(b"said"), *puts([4, 5]))
    await settle(4.1)
    assert diary.deeds == [(0, 1), (0, 2), (0, 3), (0, "said"), (1, 4), (2, 5)]
    diary.begin()
    anna.say(*puts([6, 7, 8]))
    await settle(2)
    assert diary.deeds == [(0, 6), (0, 7), (0.9, 8)], "two of the three have come back since"


@pytest.mark.parametrize("seconds", [0.1, 0.05, 1 / 3])
async def test_a_burst_is_one_turn_whatever_its_sums_are_rounded_to(
    stage: Stage, autojump_clock: MockClock, seconds: float
) -> None:
    diary = Diary(brook(), Interval(seconds, burst=7))
    anna = await enters(stage, diary.game)
    turns: list[int] = []
    for number in range(7):
        diary.table._entries[Put.opcode] = attrs.evolve(
            diary.table._entries[Put.opcode], handler=lambda *_: turns.append(stage.loop.stats.turns)
        )
        anna.say(*puts([number] * 7))
        await settle(7 * seconds + 0.01)
        assert len(set(turns)) == 1, turns
        turns.clear()


async def test_others_do_not_wait_and_the_loop_sleeps_meanwhile(
    stage: Stage, autojump_clock: MockClock
) -> None:
    diary = Diary(brook(), 1.0)
    anna, bert = await enters(stage, diary.game), await enters(stage, diary.game, "Bert")
    diary.begin()
    turns = stage.loop.stats.turns
    anna.say(*puts(range(20)))
    bert.say(*puts([100]), Say(b"not held up"))
    await settle(0.2)
    assert diary.deeds == [(0, 0), (0, 100), (0, "not held up")]
    await settle(30)
    assert diary.order == [0, 100, "not held up", *range(1, 20)]
    assert stage.loop.stats.turns - turns < 25, "a turn for each, and none to look whether it is time"


async def test_rows_may_share_what_an_interval_allows_and_kinds_of_one_packet_may_have_their_own(
    stage: Stage, autojump_clock: MockClock
) -> None:
    shared, own = Interval(1.0), Interval(3.0)
    diary = Diary(brook(), 0.0)
    table = diary.table
    del table._entries[Put.opcode]

    def interval_of(packet: Put) -> Interval | None:
        return {1: shared, 2: own}.get(packet.x)

    table.on(Put, during=Phase.IN_WORLD, every=interval_of)(diary._put)

    @table.on(Probe, during=Phase.IN_WORLD, every=shared)
    def probe(session: Session, packet: Probe) -> None:
        diary.note("probe")

    anna = await enters(stage, diary.game)
    diary.begin()
    anna.say(Probe(), *puts([1, 2, 3, 3, 2]), Probe())
    await settle(10)
    assert diary.deeds == [(0, "probe"), (1, 1), (1, 2), (1, 3), (1, 3), (4, 2), (4, "probe")]


async def test_steps_are_acts_that_stay_behind_what_waits(stage: Stage, autojump_clock: MockClock) -> None:
    diary = Diary(brook(), 1.0)
    anna = await enters(stage, diary.game)
    mobile = stage.world.mobiles[anna.of(Welcome)[0].serial]
    x = mobile.x
    anna.say(*puts([1, 2]), Step(EAST))
    await settle(0.9)
    assert mobile.x == x
    await settle(0.2)
    assert mobile.x == x + 1


# Requests


async def test_of_requests_in_a_row_the_newest_is_answered_once_and_what_follows_stays_behind_it(
    stage: Stage, autojump_clock: MockClock
) -> None:
    diary = Diary(brook(), Interval(1.0, coalesced=True))
    anna = await enters(stage, diary.game)
    diary.begin()
    anna.say(*puts(range(200)), Say(b"said"))
    await settle(10)
    assert diary.deeds == [(0, 0), (1, 199), (1, "said")]


async def test_a_request_replaces_none_from_which_an_act_parts_it(
    stage: Stage, autojump_clock: MockClock
) -> None:
    diary = Diary(brook(), Interval(1.0, coalesced=True))
    anna = await enters(stage, diary.game)
    diary.begin()
    anna.say(*puts([1, 2, 3]), Say(b"a"), *puts([4]), Say(b"b"), *puts([5, 6]))
    await settle(10)
    assert diary.deeds == [(0, 1), (1, 3), (1, "a"), (2, 4), (2, "b"), (3, 6)]


async def test_who_asks_all_the_time_is_answered_at_the_pace_of_the_row(
    stage: Stage, autojump_clock: MockClock
) -> None:
    diary = Diary(brook(), Interval(1.0, coalesced=True))
    anna = await enters(stage, diary.game)
    diary.begin()
    for number in range(50):
        anna.say(*puts([number]))
        await settle(0.1)
    await settle(3)
    assert [at for at, _ in diary.deeds] == [0, 1, 2, 3, 4, 5]
    assert diary.order[-1] == 49


async def test_only_equal_kinds_of_a_packet_replace_one_another(
    stage: Stage, autojump_clock: MockClock
) -> None:
    kinds = {n: Interval(1.0, coalesced=True) for n in (1, 2)}
    diary = Diary(brook(), 0.0)
    del diary.table._entries[Put.opcode]
    diary.table.on(Put, during=Phase.IN_WORLD, every=lambda packet: kinds[packet.x])(diary._put)
    anna = await enters(stage, diary.game)
    diary.begin()
    anna.say(*puts([1, 1, 1, 2, 2, 2, 1]))
    await settle(10)
    assert diary.deeds == [(0, 1), (1, 1), (1, 2), (2, 2), (2, 1)]


def test_a_here_packet_is_not_coalesced() -> None:
    table = brook().doors["game"].table
    with pytest.raises(ValueError, match="Probe"):

        @table.on(Probe, during=ANY_PHASE, every=Interval(1.0, coalesced=True))
        async def probe(session: Session, packet: Probe) -> None:
            raise NotImplementedError


@pytest.mark.parametrize(("seconds", "burst"), [(0.0, 1), (-1.0, 1), (1.0, 0)])
def test_an_interval_is_longer_than_nothing(seconds: float, burst: int) -> None:
    with pytest.raises(ValueError, match="must be"):
        Interval(seconds, burst)


# HERE, jobs, phases


async def test_a_here_packet_waits_for_what_waits_before_it(stage: Stage, autojump_clock: MockClock) -> None:
    diary = Diary(brook(), 1.0)

    @diary.table.on(Probe, during=ANY_PHASE)
    async def probe(session: Session, packet: Probe) -> None:
        diary.note("here")
        await trio.lowlevel.checkpoint()

    anna = await enters(stage, diary.game)
    diary.begin()
    anna.say(*puts([1, 2]), Probe(), *puts([3]))
    await settle(10)
    assert diary.deeds == [(0, 1), (1, 2), (1, "here"), (2, 3)]


async def test_a_job_holds_what_waits_although_its_time_comes(
    stage: Stage, autojump_clock: MockClock
) -> None:
    diary = Diary(brook(), 1.0)

    async def job() -> None:
        await trio.sleep(2.5)
        diary.note("job")

    @diary.table.on(Probe, during=ANY_PHASE)
    def probe(session: Session, packet: Probe) -> None:
        session.later(job)

    anna = await enters(stage, diary.game)
    diary.begin()
    anna.say(*puts([1]), Probe(), *puts([2]))
    await settle(10)
    assert diary.deeds == [(0, 1), (2.5, "job"), (2.5, 2)]


async def test_the_phase_counts_in_which_its_time_comes(stage: Stage, autojump_clock: MockClock) -> None:
    diary = Diary(brook(), 1.0)

    @diary.table.on(Nudge, during=ANY_PHASE)
    def leave(session: Session, packet: Nudge) -> None:
        session.phase = Phase.MENU

    anna = await enters(stage, diary.game)
    session = stage.connections[0].session
    diary.begin()
    anna.say(*puts([1, 2]), Nudge(), *puts([3]))
    await settle(0.5)
    assert session.phase is Phase.IN_WORLD
    await settle(5)
    assert diary.deeds == [(0, 1), (1, 2)]
    assert session.ignored == 1
    assert not session.inbox
    assert stage.connections[0].ending is None


# Bounds


async def test_a_flood_of_acts_is_bounded_by_not_being_read_and_nothing_of_it_is_lost(
    stage: Stage, autojump_clock: MockClock
) -> None:
    stage.settings.limits = attrs.evolve(stage.settings.limits, inbox_frames=8, idle_seconds=20)
    diary = Diary(brook(), 1.0)
    anna, bert = await enters(stage, diary.game), await enters(stage, diary.game, "Bert")
    connection = stage.connections[0]
    diary.begin()
    anna.say(*puts(range(100)), Say(b"said"))
    await settle(0.5)
    for number in range(100):
        bert.say(Say(b"."))
        await settle(1)
        connection.check(trio.current_time())
        assert connection.ending is None, "it is not silent, it is not listened to"
        assert len(connection.session.inbox) == (min(8, 99 - number) if number < 98 else 0)
    assert [what for what in diary.order if what != "."] == [*range(100), "said"]
    assert [heard.text for heard in bert.of(Heard)].count(b".") == 100
    await settle(21)
    connection.check(trio.current_time())
    assert connection.ending is Ending.TIMED_OUT, "now it is"


async def test_who_is_not_read_makes_its_own_line_full(stage: Stage, autojump_clock: MockClock) -> None:
    diary = Diary(brook(), 1.0)
    anna = await enters(stage, diary.game)
    assert isinstance(anna.end, End)
    anna.say(*puts(range(100)))
    await settle()
    buffer_was_read = not anna.end._out.buffer
    anna.say(*puts(range(100)))
    await settle()
    assert buffer_was_read, "the first chunk was received whole"
    assert anna.end._out.buffer, "the second waits outside"


@pytest.mark.parametrize("seed", range(3))
async def test_a_flood_of_datagrams_waits_as_well_and_acknowledgements_are_heard(
    nursery: trio.Nursery, autojump_clock: MockClock, seed: int
) -> None:
    stage = Stage(nursery)
    stage.settings.limits = attrs.evolve(stage.settings.limits, inbox_frames=4)
    diary = Diary(pebble(), 0.25)
    ours, theirs = datagram_pipe(faults=Faults(loss=0.2), seed=seed)
    connection = stage.connect(diary.game, theirs)
    anna = ToyClient(ours, diary.game)
    nursery.start_soon(anna.run)
    anna.say(Hello(b"Anna"))
    await settle(5)
    anna.say(*puts(range(60)), Say(b"said"))
    for number in range(30):
        connection.session.send(Heard(number, b"while it waits"))
        connection.flush()
        await settle(0.5)
    await settle(15)
    assert diary.order == [*range(60), "said"]
    assert connection.ending is None
    assert [heard.serial for heard in anna.of(Heard)][:30] == list(range(30))
    assert connection.session.codec._unacknowledged == {}  # type: ignore[attr-defined] # Pebble's


# Leaving


@pytest.mark.parametrize("how", ["hangs up", "is kicked", "is cancelled"])
async def test_what_waits_is_forgotten_with_its_client(
    stage: Stage, autojump_clock: MockClock, how: str
) -> None:
    stage.settings.limits = attrs.evolve(stage.settings.limits, inbox_frames=4)
    diary = Diary(brook(), 1.0)
    anna, bert = await enters(stage, diary.game), await enters(stage, diary.game, "Bert")
    connection = stage.connections[0]
    diary.begin()
    anna.say(*puts(range(4)))
    await settle(0.5)
    if how == "hangs up":
        anna.end.close()
    elif how == "is kicked":
        connection.session.end(Ending.KICKED, "for the test")
    else:
        anna.say(*puts(range(4, 20)))  # its reader waits for room by then
        await settle(0.2)
        connection._scope.cancel()
    await settle(0.1)
    assert connection.ending is not None
    turns = stage.loop.stats.turns
    await settle(10)
    assert diary.order == [0]
    assert stage.loop.stats.turns - turns <= 1
    assert (stage.loop._alarms, stage.loop._waiting) == ([], {}), "nothing is kept of it"
    bert.say(*puts([7]))
    await settle()
    assert diary.order == [0, 7]


async def test_what_ends_its_client_while_more_waits_is_the_last_of_it(
    stage: Stage, autojump_clock: MockClock
) -> None:
    diary = Diary(brook(), 1.0)
    anna = await enters(stage, diary.game)
    anna.say(*puts([1]), Say(b"!bug"), *puts([2]))
    await settle(5)
    assert stage.connections[0].ending is Ending.OUR_BUG
    assert diary.order == [1, "!bug"]
    assert not stage.loop._alarms
