"""Bytes that come cut, in pieces, of impossible lengths, out of turn: R-01 to R-04, for every game of
`tests.kit.games`. R-05 is in test_fuzz.py, the rest of the list in test_wire_contents.py and
test_wire_strangers.py."""

from __future__ import annotations

import itertools
import logging
import random
import struct
import tracemalloc
from typing import TYPE_CHECKING

import pytest
import trio
import trio.lowlevel
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from trio.testing import MockClock

from protocol.endings import Ending, WireError
from protocol.wire.body import Body
from server.store.check import check_database
from tests.kit.co_game import CONNECT
from tests.kit.games import GAMES, STREAM_DOORS, STREAMS, VARIANTS, Person, Witnesses
from tests.kit.in_memory import content_anew
from tests.kit.players import PASSWORD, EoPlayer, UoPlayer
from tests.kit.portions import SOME_OR_ALL, portion
from tests.kit.town import Town
from tests.kit.wire_faults import (
    IDS,
    OVER_STREAMS,
    SPLIT,
    STREAM_IDS,
    USUAL,
    endings,
    families,
    loud,
    newest,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.family import Family
    from tests.kit.games import Game

pytestmark = pytest.mark.timeout(180)


#

HEAD = 5
"""Bytes in which lengths and opcodes stand."""


def next_cut(cut: int, size: int, number: int, amount: str, *, usual: bool) -> int:
    """Where the `number`th packet of a session, of that many bytes, is cut after it was cut there.

    `make soak` cuts at every byte. `make test` cuts before the packet, within its head, somewhere behind it,
    and before its last byte: each packet of the usual clients at one place of each kind, of other variants at
    one of the four. Where that is differs from packet to packet, but not from run to run. What a codec makes
    of each byte is the business of r02 and of the tests of all packets; a connection's end does not ask how
    much of a packet is there."""
    if amount == "all":
        return cut + 1
    middle = random.Random(number * 1000 + size).randrange(HEAD, size - 1) if size > HEAD + 1 else 0
    places = [1 + number % (HEAD - 1), middle, size - 1]
    if not usual:
        places = [*places, 0][number % 4 :][:1]
    return min((place for place in places if cut < place < size), default=size)


@SOME_OR_ALL
@pytest.mark.parametrize(("game", "variant"), VARIANTS, ids=IDS)
async def test_r01_every_frame_cut_at_every_byte_and_closed(
    easy_town: Town,
    autojump_clock: MockClock,
    caplog: pytest.LogCaptureFixture,
    game: str,
    variant: str,
    amount: str,
) -> None:
    record, town = GAMES[game], easy_town
    usual = (game, variant) in USUAL
    witnesses = Witnesses(town)
    await witnesses.enter()
    caplog.set_level(logging.INFO)
    cuts = 0
    for number, step in enumerate(record.steps):
        size, cut = 1, 0
        while cut < size:
            player = record.player(town, variant)
            await record.plays(player, Person(number), upto=number)
            data = record.prepared(player, step)
            await player.sends(data[:cut], wait=0.1)
            player.leaves()
            size, cuts = len(data), cuts + 1
            cut = next_cut(cut, size, number, amount, usual=usual)
            await trio.sleep(0.1)
    await trio.sleep(15)
    assert len(town.doors.connections) == len(witnesses.players)
    assert {ending for ending, _ in endings(caplog.records)} <= {"client left", "connection lost", "relayed"}
    assert cuts >= len(record.steps)
    assert loud(caplog.records) == []
    await witnesses.are_well()
    assert check_database(town.database) == []


@SOME_OR_ALL
@pytest.mark.parametrize(("game", "variant"), OVER_STREAMS, ids=STREAM_IDS)
async def test_r01_every_frame_cut_and_then_silence(
    easy_town: Town,
    autojump_clock: MockClock,
    caplog: pytest.LogCaptureFixture,
    game: str,
    variant: str,
    amount: str,
) -> None:
    record, town = GAMES[game], easy_town
    town.change("limits", login_seconds=60.0)
    limits = town.settings.limits
    witnesses = Witnesses(town)
    await witnesses.enter()
    caplog.set_level(logging.INFO)
    silent = 0
    for number, step in enumerate(record.steps):
        size, cut = 1, 0
        while cut < size:
            player = record.player(town, variant)
            await record.plays(player, Person(silent), upto=number)
            data = record.prepared(player, step)
            record.silences(player)
            await player.sends(data[:cut], wait=0)
            size, silent = len(data), silent + 1
            # What a codec has got by then makes no difference to a clock: each packet at one place.
            cut = next_cut(cut, size, number, amount, usual=False)
    await trio.sleep(200)
    assert len(town.doors.connections) == len(witnesses.players)
    timed_out = [seconds for ending, seconds in endings(caplog.records) if ending == "timed out"]
    assert len(timed_out) == silent
    longest = max(limits.handshake_seconds, 60.0, limits.idle_seconds + len(record.steps) * 2)
    assert max(timed_out) <= 2 * longest, "an EO client is given a ping more"
    assert loud(caplog.records) == []
    await witnesses.are_well()


#


def opened_frames(record: Game, family: Family, door: str, frames: Sequence[bytes]) -> bytes:
    """These frames as one stream, written by the game's own client codec."""
    pair, stream = record.pair(door, family, random.Random(3).randbytes), b""
    pair.opening()
    for frame in [b"", *frames]:
        if frame:
            pair.client.send(Body(frame))
        data = record.spoken(pair.client)
        record.hears(pair.server, data)
        for said in iter(pair.server.next_frame, None):
            pair.heard(said)
        record.hears(pair.client, record.spoken(pair.server))
        pair.client.next_frame()
        stream += data
    return stream


def decoded(record: Game, family: Family, door: str, chunks: Sequence[bytes]) -> list[bytes]:
    """What a server's codec makes of a stream in these pieces."""
    pair, frames = record.pair(door, family, random.Random(3).randbytes), []
    for chunk in chunks:
        record.hears(pair.server, chunk)
        for frame in iter(pair.server.next_frame, None):
            frames.append(frame)
            pair.heard(frame)
    return frames


SAID = {
    "uo": [b"\x80" + b"name".ljust(30, b"\0") + b"word".ljust(30, b"\0") + b"\x5d", bytes.fromhex("a00000")],
    "eo": [
        b"\xff\xff" + bytes((1, 1, 1, 1, 1, 29, 113, 11)) + b"1234567890",
        bytes((2, 1)) + b"\x07\xfe\x07\xfe\x01\xfe",
        bytes((1, 4)) + b"name\xffword\xff",
        *(bytes((21, 18)) + b"x" * size for size in (0, 1, 100, 400)),
    ],
    "co": [CONNECT, *(struct.pack("<HH", 4 + size, 1009) + b"x" * size for size in (0, 3, 20, 411))],
    "l2": [b"\0" + b"x" * size for size in (3, 12, 99, 411)],
    "web": [
        b'{"t":"ping"}',
        b'{"t":"gesture","gesture":"bow"}',
        b'{"t":"speak","words":"\xc3\xa9 \\n \xe2\x82\xac"}',
    ],
}
"""Frames of one connection for the codecs alone."""


@pytest.mark.parametrize(("game", "door"), STREAM_DOORS, ids=[f"{g}-{d}" for g, d in STREAM_DOORS])
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(places=st.sets(st.integers(1, 900)), every=st.sampled_from([0, 0, 1, 2, 3]))
def test_r02_a_codec_does_not_care_how_a_stream_is_cut(
    game: str, door: str, places: set[int], every: int
) -> None:
    record = GAMES[game]
    stream = opened_frames(record, families()[game], door, SAID[game])
    cuts = (
        range(every, len(stream), every)
        if every
        else sorted(place for place in places if place < len(stream))
    )
    edges = [0, *cuts, len(stream)]
    chunks = [stream[start:end] for start, end in itertools.pairwise(edges)]
    frames = decoded(record, families()[game], door, chunks)
    assert frames == decoded(record, families()[game], door, [stream])
    assert frames[-len(SAID[game]) :] == [record.handed_out(door, frame) for frame in SAID[game]]


UNEVEN = 1.0137
"""Seconds between two steps: what the world does by itself happens at round times, and two things of one
moment have no order."""


def story(record: Game, variant: str, pieces: random.Random | None) -> tuple[list[bytes], list[bytes]]:
    """A golden session over real connections, its bytes whole or in random pieces: (sent, received) by
    connection."""
    sent: list[bytes] = []
    received: list[bytes] = []

    async def run() -> None:
        async with trio.open_nursery() as nursery:
            town = Town(nursery, seed=11, content=content_anew())
            await town.open()
            player = record.player(town, variant)
            record.introduce(player, Person(1))
            await trio.sleep(UNEVEN)
            for step in record.steps:
                data = record.prepared(player, step)
                sent.append(data)
                for piece in [data] if pieces is None else record.pieces(data, pieces):
                    await player.end.send_all(piece)
                    if pieces is not None:
                        for _ in range(pieces.randrange(12)):
                            await trio.lowlevel.checkpoint()
                await trio.sleep(UNEVEN)
            received.append(record.transcript(player))
            nursery.cancel_scope.cancel()

    trio.run(run, clock=MockClock(autojump_threshold=0))
    return sent, received


@pytest.mark.parametrize(("game", "variant"), SPLIT, ids=[f"{g}-{v}" for g, v in SPLIT])
def test_r02_a_connection_answers_the_same_however_a_session_is_cut(game: str, variant: str) -> None:
    record = GAMES[game]
    whole = story(record, variant, None)
    assert len(whole[1][0]) > 500
    for seed in range(4 if (game, variant) in USUAL else 1):
        assert story(record, variant, random.Random(seed)) == whole, f"seed {seed}"


#

COUNTED = [(game, door) for game, door in STREAM_DOORS if game != "web"]
"""The doors whose packets say how long they are; lines do not."""


@pytest.mark.parametrize("game", STREAMS)
@pytest.mark.parametrize("where", ["at once", "in the world"])
async def test_r03_a_length_out_of_bounds_ends_its_client(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, game: str, where: str
) -> None:
    record, town = GAMES[game], easy_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    caplog.set_level(logging.INFO)
    for number, (beginning, legal) in enumerate(record.lengths):
        player = record.player(town)
        # The client's first packets are of one length each: an opening is needed to come to the others.
        await record.plays(player, Person(number % 3), upto=record.entering if where == "in the world" else 0)
        if where == "at once" and game == "uo":
            await player.sends(record.steps[0].send(player))
        assert player.end
        await trio.sleep(0.01)
        connection = newest(town)
        await player.sends(record.begins(player, beginning), wait=0.2)
        if legal and (where == "in the world" or game == "uo"):
            # A packet that is whole by now may be none for another reason.
            assert "bad_length" not in connection.detail, beginning.hex()
        elif not legal:
            assert connection.ending is Ending.BAD_PACKET, beginning.hex()
            assert "bad_length" in connection.detail
        player.leaves()
        await trio.sleep(0.2)
    await witnesses.are_well()
    assert loud(caplog.records) == []


@pytest.mark.parametrize(("game", "door"), COUNTED, ids=[f"{g}-{d}" for g, d in COUNTED])
def test_r03_no_length_makes_the_codec_allocate_what_it_claims(game: str, door: str) -> None:
    """All 65,536 values of the two bytes where a length may stand, before and after the opening."""
    record, family = GAMES[game], families()[game]
    stream = opened_frames(record, family, door, SAID[game][:1])
    openings = [b"", stream]
    heads = [opening + prefix for opening in openings for prefix in ({"uo": [b"\xad"]}.get(game, [b""]))]
    if door == "websocket":
        return  # its frames are masked: the same framer reads what is in them
    refused = 0
    for head in heads:
        for high in range(256):
            tracemalloc.start()
            for low in range(
                0, 256, 1 if high in (0, 1, 2, 0x1F, 0x20, 0x21, 0x7F, 0x80, 0xFE, 0xFF) else 51
            ):
                pair = record.pair(door, family, random.Random(3).randbytes)
                try:
                    pair.server.receive(head + bytes((high, low)), 0.0)
                    for frame in iter(pair.server.next_frame, None):
                        pair.heard(frame)
                except WireError:
                    refused += 1
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert peak < 1 << 20
    assert refused > 1000


#

PHASES = 6


@SOME_OR_ALL
@pytest.mark.parametrize("game", GAMES)
async def test_r04_every_opcode_in_every_phase(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, game: str, amount: str
) -> None:
    """All in the world; before it, where most end their client, who has to come again, `make test` tries a
    sixth in each phase, and another in the next one."""
    record, town = GAMES[game], easy_town
    family = town.families[game]
    frames = [frame for entry in family.doors[record.doors[0]].table for frame in record.legal(entry.opcode)]
    frames += record.unknown
    witnesses = Witnesses(town)
    await witnesses.enter()
    caplog.set_level(logging.INFO)
    first = {step.phase: number for number, step in reversed(list(enumerate(record.steps)))}
    more = {
        number for number, step in enumerate(record.steps) if step.redials or step.name in ("accept", "enter")
    }
    outlived: dict[int, int] = {}
    for turn, upto in enumerate(sorted({*first.values(), *more})):
        player, connection = record.player(town), None
        tried = portion(frames, "all" if upto == record.entering else amount, PHASES, begin=turn % PHASES)
        for number, frame in enumerate(tried):
            if connection is None or connection.ending is not None:
                player = record.player(town)
                anew = upto == 0 or record.steps[upto].redials
                # Where a session is agreed upon before anything can be said, there is none to begin with.
                await record.plays(player, Person(upto), upto=upto + (anew and record.datagrams))
                if anew and not record.datagrams:
                    player.leaves()
                record.silences(player)
                assert player.end  # connects
                await trio.sleep(0.01)
                connection = newest(town)
            await player.sends(record.wire(player, frame), wait=0.03)
            outlived[upto] = outlived.get(upto, 0) + (connection.ending is None)
            if number % 100 == 0:
                await witnesses.are_well()
        player.leaves()
        await trio.sleep(15)
        await witnesses.are_well()
    assert loud(caplog.records, logging.ERROR) == []
    assert "our bug" not in {ending for ending, _ in endings(caplog.records)}
    assert outlived[record.entering] >= len(family.doors[record.doors[0]].table._entries) * 0.8, outlived
    assert check_database(town.database) == []


async def test_r04_what_belongs_into_the_world_ends_who_is_not_logged_in(
    easy_town: Town, autojump_clock: MockClock
) -> None:
    uo, eo = UoPlayer(easy_town), EoPlayer(easy_town)
    uo.client.login_bytes("anna", PASSWORD)
    await uo.sends(uo.client.login_bytes("anna", PASSWORD)[:21])
    connection = newest(easy_town)
    # A first packet of the right size that is a login of nobody, and a step behind it.
    await uo.sends(b"\xa4" + bytes(148) + b"\x02\0\0\0\0\0\0")
    assert connection.ending is Ending.WRONG_PHASE
    await eo.greets()
    connection = newest(easy_town)
    await eo.does(eo.client.say("hello"))
    assert connection.ending is Ending.WRONG_PHASE
