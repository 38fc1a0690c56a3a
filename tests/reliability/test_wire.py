"""Whatever the bytes: truncated, cut anywhere, too long, out of turn, replayed, foreign. R-01 to R-08, R-16
and R-17, for every game of `tests.kit.games`; R-05 is in test_fuzz.py."""

from __future__ import annotations

import itertools
import json
import logging
import random
import re
import socket
import tracemalloc
import unicodedata
from typing import TYPE_CHECKING

import pytest
import trio
import trio.lowlevel
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text as sql
from trio.testing import MockClock

from protocol.endings import Ending, WireError
from protocol.session import Phase
from protocol.wire.body import Body
from server.app import build_families
from server.config import parse
from server.gateway import Listening
from server.store.check import check_database
from tests.kit.eq2_player import Eq2Player
from tests.kit.games import GAMES, STREAM_DOORS, STREAMS, VARIANTS, Person, Witnesses
from tests.kit.l2_player import L2Player
from tests.kit.pipe import End, pipe
from tests.kit.players import PASSWORD, EoPlayer, UoPlayer
from tests.kit.town import CONFIG, Town, shipped_content
from world.speech import LONGEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.family import Family
    from server.connection import Connection
    from tests.kit.games import Game
    from tests.kit.pipe import End
    from tests.kit.players import Datagrams

pytestmark = pytest.mark.timeout(180)

USUAL = [next(pair for pair in VARIANTS if pair[0] == game) for game in GAMES]
"""The usual client of each game."""

IDS = [f"{game}-{variant}" for game, variant in VARIANTS]

OVER_STREAMS = [(game, variant) for game, variant in VARIANTS if game in STREAMS]
STREAM_IDS = [f"{game}-{variant}" for game, variant in OVER_STREAMS]


def newest(town: Town) -> Connection:
    """The connection that came last."""
    return town.app.gateway.connections[max(town.app.gateway.connections)]


def endings(records: Sequence[logging.LogRecord]) -> list[tuple[str, float]]:
    """How each connection ended, and after how many seconds, from the log."""
    found = []
    for record in records:
        if record.name.startswith("net.") and " ended: " in record.getMessage():
            assert isinstance(record.args, tuple)
            _, ending, _, _, seconds, *_ = record.args
            found.append((str(ending), float(str(seconds))))
    return found


def loud(records: Sequence[logging.LogRecord], level: int = logging.WARNING) -> list[str]:
    """What the log says at that level or above."""
    return [record.getMessage() for record in records if record.levelno >= level]


@pytest.fixture(scope="module")
def families() -> dict[str, Family]:
    """The games without a server."""
    return build_families(shipped_content(), list(GAMES))


#


@pytest.mark.parametrize(("game", "variant"), VARIANTS, ids=IDS)
async def test_r01_every_frame_cut_at_every_byte_and_closed(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, game: str, variant: str
) -> None:
    record, town = GAMES[game], easy_town
    stride = 1 if (game, variant) in USUAL else 7
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
            size, cut, cuts = len(data), cut + stride, cuts + 1
            await trio.sleep(0.1)
    await trio.sleep(15)
    assert len(town.app.gateway.connections) == len(witnesses.players)
    assert {ending for ending, _ in endings(caplog.records)} <= {"client left", "connection lost", "relayed"}
    assert cuts >= len(record.steps)
    assert loud(caplog.records) == []
    await witnesses.are_well()
    assert check_database(town.database) == []


@pytest.mark.parametrize(("game", "variant"), OVER_STREAMS, ids=STREAM_IDS)
async def test_r01_every_frame_cut_at_every_byte_and_then_silence(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, game: str, variant: str
) -> None:
    record, town = GAMES[game], easy_town
    town.change("limits", login_seconds=60.0)
    limits = town.settings.limits
    stride = 1 if (game, variant) in USUAL else 7
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
            size, cut, silent = len(data), cut + stride, silent + 1
    await trio.sleep(200)
    assert len(town.app.gateway.connections) == len(witnesses.players)
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
    "l2": [b"\0" + b"x" * size for size in (3, 12, 99, 411)],
}
"""Frames of one connection for the codecs alone."""


@pytest.mark.parametrize(("game", "door"), STREAM_DOORS, ids=[f"{g}-{d}" for g, d in STREAM_DOORS])
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(places=st.sets(st.integers(1, 900)), every=st.sampled_from([0, 0, 1, 2, 3]))
def test_r02_a_codec_does_not_care_how_a_stream_is_cut(
    families: dict[str, Family], game: str, door: str, places: set[int], every: int
) -> None:
    record = GAMES[game]
    stream = opened_frames(record, families[game], door, SAID[game])
    cuts = (
        range(every, len(stream), every)
        if every
        else sorted(place for place in places if place < len(stream))
    )
    edges = [0, *cuts, len(stream)]
    chunks = [stream[start:end] for start, end in itertools.pairwise(edges)]
    frames = decoded(record, families[game], door, chunks)
    assert frames == decoded(record, families[game], door, [stream])
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
            town = Town(nursery, seed=11)
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


SPLIT = [(game, variant) for game, variant in OVER_STREAMS if variant != "websocket"]
"""The masks of a browser are the operating system's chance, so no two of its sessions are alike."""


@pytest.mark.parametrize(("game", "variant"), SPLIT, ids=[f"{g}-{v}" for g, v in SPLIT])
def test_r02_a_connection_answers_the_same_however_a_session_is_cut(game: str, variant: str) -> None:
    record = GAMES[game]
    whole = story(record, variant, None)
    assert len(whole[1][0]) > 500
    for seed in range(4 if (game, variant) in USUAL else 1):
        assert story(record, variant, random.Random(seed)) == whole, f"seed {seed}"


#


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


@pytest.mark.parametrize(("game", "door"), STREAM_DOORS, ids=[f"{g}-{d}" for g, d in STREAM_DOORS])
def test_r03_no_length_makes_the_codec_allocate_what_it_claims(
    families: dict[str, Family], game: str, door: str
) -> None:
    """All 65,536 values of the two bytes where a length may stand, before and after the opening."""
    record, family = GAMES[game], families[game]
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


@pytest.mark.parametrize("game", GAMES)
async def test_r04_every_opcode_in_every_phase(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, game: str
) -> None:
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
    for upto in sorted({*first.values(), *more}):
        player, connection = record.player(town), None
        for number, frame in enumerate(frames):
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


#


async def test_r06_a_wrong_number_or_a_repeated_frame_ends_an_eo_client(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    record, town = GAMES["eo"], easy_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    caplog.set_level(logging.INFO)
    for number, step in enumerate(record.steps):
        for offence in ("twice", "skipped"):
            player = record.player(town)
            await record.plays(player, Person(1), upto=number)
            if offence == "skipped":
                if number == 0:
                    continue  # Init_Init carries no number
                assert isinstance(player, EoPlayer)
                player.client.sequencer.next_sequence()
            data = record.prepared(player, step)
            await player.sends(data if offence == "skipped" else data + data)
            connection_ended = endings(caplog.records)
            assert connection_ended, (step.name, offence)
            assert player.gone, (step.name, offence)
            assert connection_ended[-1][0] in ("bad packet", "wrong phase"), (step.name, offence)
    await witnesses.are_well()
    assert loud(caplog.records) == []


async def test_r06_only_a_ping_moves_the_numbers_of_an_eo_client(
    easy_town: Town, autojump_clock: MockClock
) -> None:
    player = EoPlayer(easy_town)
    await player.enters("anna", "Anna")
    connection = newest(easy_town)
    await trio.sleep(130)
    assert connection.ending is None
    await player.does(player.client.refresh())
    assert connection.ending is None, "after two pings"
    # A pong that nobody asked for changes nothing, and neither does the number it carries.
    await player.does(player.client.frame_of(bytes((240, 1))))
    await player.does(player.client.refresh())
    assert connection.ending is None


@pytest.mark.parametrize(("game", "variant"), SPLIT, ids=[f"{g}-{v}" for g, v in SPLIT])
async def test_r06_a_recorded_session_is_worth_nothing(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, game: str, variant: str
) -> None:
    """Everything an honest client sent, again: keys, numbers and tickets are of one connection."""
    record, town = GAMES[game], easy_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    player = record.player(town, variant)
    record.introduce(player, Person(1))
    connections: list[list[bytes]] = [[]]
    for step in record.steps:
        if step.redials:
            connections.append([])
        data = record.prepared(player, step)
        connections[-1].append(data)
        await player.sends(data)
    player.leaves()
    await trio.sleep(15)
    assert not town.here(Person(1).character)
    caplog.set_level(logging.INFO)
    replayed = connections[-1]
    for times in (1, 2):
        for cut in range(1, len(replayed) + 1):
            end = town.connect(game)
            for data in replayed[:cut]:
                if end.closed:
                    break
                try:
                    await end.send_all(data * times)
                except BrokenPipeError:
                    break
                await trio.sleep(0.2)
            assert not town.here(Person(1).character), "somebody else's recording entered the world"
            end.close()
            await trio.sleep(0.2)
    assert loud(caplog.records) == []
    await witnesses.are_well()


@pytest.mark.parametrize("encrypted", [False, True], ids=["plain", "encrypted"])
async def test_r06_a_repeated_packet_of_uo_is_one_more_packet_or_noise(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, encrypted: bool
) -> None:
    record, town = GAMES["uo"], easy_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    caplog.set_level(logging.INFO)
    for number, step in enumerate(record.steps):
        player = UoPlayer(town, encrypted=encrypted)
        await record.plays(player, Person(1), upto=number)
        data = record.prepared(player, step)
        record.silences(player)
        await player.sends(data + data + data)
        player.leaves()
        await trio.sleep(0.2)
    assert loud(caplog.records, logging.ERROR) == []
    assert "our bug" not in {ending for ending, _ in endings(caplog.records)}
    await witnesses.are_well()


#

EXTREMES = [
    b"\xff",
    b"\xff\xff",
    b"\xff\xff\xff\xff",
    b"\x7f\xff\xff\xff",
    b"\x80\0\0\0",
    b"\x80",
    b"\xfe\xfe\xfe\xfe",
    bytes(4),
]


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_r07_no_number_in_a_packet_is_believed(
    families: dict[str, Family], game: str, data: st.DataObject
) -> None:
    """Each packet that a client may send, with the largest and smallest numbers at every place, cut or not:
    its decoder refuses it or not, by WireError only, and never allocates by a count."""
    record, table = GAMES[game], families[game].doors[GAMES[game].doors[0]].table
    chance = random.Random(1)
    tracemalloc.start()
    try:
        for strategy in record.valid().values():
            frame = data.draw(strategy)
            entry = table.entry(table.opcode_of_frame(frame))
            if entry is None:
                continue
            entry.decode(frame)
            for at in range(2, min(len(frame), 40)):
                for extreme in chance.sample(EXTREMES, 3):
                    spoilt = frame[:at] + extreme + frame[at + len(extreme) :]
                    for tried in (spoilt, spoilt[: max(at + len(extreme), 3)], record.mended(spoilt)):
                        try:
                            entry.decode(tried)
                        except WireError:
                            continue
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


#

NASTY = {
    "empty": "",
    "blanks": "   ",
    "nul inside": "ab\0cd",
    "controls": "a\x01b\x07c\x08d\x1be\x7ff\r\ng\th",
    "ansi": "\x1b[31mred\x1b]0;title\x07",
    "rtl": "abc\u202edcba\u200f\u2066x\u2069",
    "zero width": "a\u200bb\u200dc\ufeffd",
    "surrogates": "a\ud800b\udfffc",
    "line separators": "a\u2028b\u2029c\x85d",
    "markup": "<b>x</b><script>alert(1)</script>&amp;",
    "gump markup": "{ noclose }{ button 0 0 1 1 1 0 1 }@~1_NAME~|$x",
    "format": "%s%s%n %(name)s {0.__class__} {}",
    "sql": "x'; DROP TABLE account; --",
    "sql like": "%' OR '1'='1",
    "path": "../../etc/passwd\\..\\c:",
    "breaks": "a\xffb\xfec\xfdd",
    "long": "L" * 2000,
    "64 KiB": "K" * 65_536,
    "zalgo": "a" + "\u0301" * 60,
    "emoji": "\U0001f600" * 20,
    "command": ".kill all",
    "command 2": "#who$kill[go",
}

RAW = [
    b"",
    b"\0",
    b"\xff" * 60,
    b"\x80\x81\x8d\x8f\x90\x9d",
    b"\xd8\x00\xd8\x00\xdc\x00",
    b"\xfe\xff\xff\xfe",
    bytes(range(256)),
]


def harmless(line: str) -> bool:
    """Whether a line others are shown can do no harm to their clients."""
    return len(line) <= 200 and not any(unicodedata.category(letter) in ("Cc", "Cf", "Cs") for letter in line)


def rows(town: Town) -> list[str]:
    """Every text of the database."""
    found = []
    with town.database.read() as connection:
        tables = (
            connection.execute(sql("select name from sqlite_master where type = 'table'")).scalars().all()
        )
        for table in tables:
            for row in connection.execute(sql(f"select * from {table}")):
                found += [text for value in row if isinstance(value, str) for text in texts_in(value)]
    return found


def texts_in(value: str) -> list[str]:
    """What a column holds: a text, or several as JSON."""
    if not value.startswith(("[", "{")):
        return [value]
    try:
        waiting, found = [json.loads(value)], []
    except ValueError:
        return [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            waiting += [*one, *one.values()]
    return found


@pytest.mark.parametrize("game", GAMES)
async def test_r08_nasty_texts_in_every_text_of_every_packet(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, game: str
) -> None:
    record, town = GAMES[game], easy_town
    table = town.families[game].doors[GAMES[game].doors[0]].table
    witnesses = Witnesses(town)
    await witnesses.enter()
    for entry in table:
        for name, make in record.with_text(entry.opcode):
            phase = min(entry.phases & {step.phase for step in record.steps}, default=Phase.IN_WORLD)
            upto = record.first(phase)
            connection, player = None, record.player(town)
            raws = [raw for text in NASTY.values() if len(text) < 3000 for raw in record.texts(text)] + RAW
            for raw in raws:
                if connection is None or connection.ending is not None:
                    player = record.player(town)
                    await record.plays(player, Person(1), upto=upto)
                    assert player.end
                    await trio.sleep(0.01)
                    connection = newest(town)
                if upto == 0 and game == "uo":
                    await player.sends(b"\x7f\0\0\1", wait=0)
                await player.sends(record.wire(player, make(raw)), wait=0.02)
                assert connection.ending is not Ending.OUR_BUG, (entry.name, name, raw)
            player.leaves()
            await trio.sleep(11)
    await witnesses.are_well()
    assert loud(caplog.records, logging.ERROR) == []
    for other, player, _ in witnesses.players:
        assert all(harmless(line) for line in other.heard(player))
    assert "account" in {row.lower() for row in _tables(town)}
    assert all(harmless(text) for text in rows(town)), [text for text in rows(town) if not harmless(text)]
    assert check_database(town.database) == []


def _tables(town: Town) -> list[str]:
    with town.database.read() as connection:
        return list(connection.execute(sql("select name from sqlite_master")).scalars())


@pytest.mark.parametrize("speaker", GAMES)
async def test_r08_what_is_said_is_heard_without_what_harms(
    easy_town: Town, autojump_clock: MockClock, speaker: str
) -> None:
    record, town = GAMES[speaker], easy_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    said = next(player for game, player, _ in witnesses.players if game is record)
    for what, text in NASTY.items():
        if what in ("64 KiB", "surrogates"):
            continue
        before = {game.name: len(game.heard(player)) for game, player, _ in witnesses.players}
        await said.sends(record.says(said, text[:900]))
        await trio.sleep(3)
        for game, player, _ in witnesses.players:
            for line in game.heard(player)[before[game.name] :]:
                assert harmless(line), (what, line)
                assert len(line) <= LONGEST
        heard = [
            line for game, player, _ in witnesses.players for line in game.heard(player)[before[game.name] :]
        ]
        if what in ("markup", "format", "sql", "sql like", "gump markup"):
            assert text[:LONGEST] in heard, (what, heard)
    await witnesses.are_well()


@pytest.mark.parametrize("game", GAMES)
async def test_r08_names_and_passwords_are_refused_or_kept_as_they_are(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, game: str
) -> None:
    town = easy_town
    await EoPlayer(town).enters("anna", "Anna")
    for number, (what, text) in enumerate(NASTY.items()):
        fits = text[:30]
        for name, password in ((fits, PASSWORD), (f"berta{number}", fits)):
            if game == "uo":
                uo = UoPlayer(town)
                await uo.sends(_uo_login(name, password), wait=1)
                legal = re.fullmatch("[a-z0-9]{4,14}", name) and re.fullmatch("[!-~]{6,12}", _latin(password))
                assert bool(uo.client.servers) is bool(legal), (what, name, password)
                uo.leaves()
            elif game == "eq2":
                eq2 = Eq2Player(town)
                await eq2.connects("login")
                await eq2.does(eq2.client.login_bytes(name, password))
                sent, word = (_in_eq2(text) for text in (name, password))
                legal = re.fullmatch("[a-z0-9]{4,14}", sent) and re.fullmatch("[!-~]{6,12}", word)
                assert (eq2.client.code == 0) is bool(legal), (what, name, password)
                eq2.leaves()
            elif game == "l2":
                l2 = L2Player(town)
                await l2.greets()
                sent, word = _in_block(name, 14), _in_block(password, 16)
                await l2.does(l2.client.login_bytes(sent, word))
                sent, word = sent.strip("\0 ").lower(), word.strip("\0 ")
                legal = re.fullmatch("[a-z0-9]{4,14}", sent) and re.fullmatch("[!-~]{6,12}", word)
                assert bool(l2.client.keys.login1) is bool(legal), (what, name, password)
                l2.leaves()
            else:
                eo = EoPlayer(town)
                await eo.greets()
                await eo.does(eo.client.login(_cp1252(name), _cp1252(password)))
                assert not eo.client.menu
                eo.leaves()
            await trio.sleep(2)
    assert loud(caplog.records, logging.ERROR) == []
    with town.database.read() as connection:
        accounts = list(connection.execute(sql("select name from account")).scalars())
        characters = list(connection.execute(sql("select name from character")).scalars())
    assert "anna" in accounts
    assert all(re.fullmatch("[a-z0-9]{4,14}", name) for name in accounts), accounts
    assert characters == ["Anna"]
    later = EoPlayer(town)
    await later.enters("anna")
    assert later.client.characters


def _cp1252(text: str) -> str:
    return text.encode("cp1252", "replace").decode("cp1252", "replace")


def _latin(text: str) -> str:
    """As it arrives: up to the first NUL."""
    return text.encode("latin-1", "replace").decode("latin-1").partition("\0")[0]


def _in_eq2(text: str) -> str:
    """As it arrives: texts there are counted, and cannot hold a NUL."""
    return text.replace("\0", "").encode("latin-1", "replace").decode("latin-1")


def _in_block(text: str, size: int) -> str:
    """As it fits the block of credentials."""
    return text.encode("latin-1", "replace").decode("latin-1")[:size]


def _uo_login(name: str, password: str) -> bytes:
    fields = [_latin(text).encode("latin-1")[:30].ljust(30, b"\0") for text in (name, password)]
    return b"\x7f\0\0\1\x80" + fields[0] + fields[1] + b"\x5d"


#

FOREIGN = {
    "http": b"GET / HTTP/1.1\r\nHost: example\r\n\r\n",
    "tls": bytes.fromhex("16030100c8010000c40303") + bytes(190),
    "ssh": b"SSH-2.0-OpenSSH_9.2\r\n",
    "proxy": b"PROXY TCP4 192.0.2.1 192.0.2.2 1000 2593\r\n",
    "proxy v2": b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c" + bytes(12),
}


@pytest.mark.parametrize("what", FOREIGN)
@pytest.mark.parametrize(("game", "door"), STREAM_DOORS, ids=[f"{g}-{d}" for g, d in STREAM_DOORS])
async def test_r16_foreign_protocols_are_shown_the_door_at_once_and_counted(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, game: str, door: str, what: str
) -> None:
    caplog.set_level(logging.INFO)
    for _ in range(town.settings.limits.connects_per_10s):
        end = town.connect(game, door, peer="192.0.2.7")
        await trio.sleep(0.01)
        connection = newest(town)
        await end.send_all(FOREIGN[what])
        await trio.sleep(0.1)
        assert connection.ending is Ending.BAD_PACKET
        assert not town.app.gateway.connections
    end = town.connect(game, door, peer="192.0.2.7")
    await trio.sleep(0.1)
    assert "connects too often" in caplog.records[-1].getMessage()
    assert loud(caplog.records) == []
    player = GAMES[game].player(town)
    await GAMES[game].enters(player, Person(1))
    assert town.here(Person(1).character), "others come in as ever"


async def test_r16_a_genuine_client_whose_bytes_come_one_by_one_gets_in(
    town: Town, autojump_clock: MockClock
) -> None:
    """Seeds may look like anything; no rule is made of how many bytes come together."""
    for number, seed in enumerate((0x47455420, 0x50524F58, 0x5353482D, 0x16030100, 0x7F000001)):
        player = UoPlayer(town, (5, 0, 9, 1))
        player.client.seed = seed
        data = player.client.login_bytes(f"slow{number}", PASSWORD)
        assert data[:4] == seed.to_bytes(4, "big")
        for at in range(len(data)):
            await player.sends(data[at : at + 1], wait=0.05)
        await trio.sleep(0.5)
        assert player.client.servers, hex(seed)
        player.leaves()
        await trio.sleep(5)


#


class PlainDoor:
    """The way in through the door as it is configured."""

    def __init__(self, town: Town) -> None:
        self.town = town
        self.nursery = town.nursery

    def connect(self, game: str, door: str = "game", *, peer: str = "127.0.0.1") -> End:
        """See tests.kit.players.Host."""
        ours, theirs = pipe(peer=peer)
        family = self.town.families[game]
        settings = {"encryption": getattr(self.town.settings.listen[game], "encryption", "auto")}
        with socket.socket() as unused:
            listening = Listening(game, family, door, unused, settings)
        self.nursery.start_soon(self.town.app.gateway.serve, family, door, theirs, listening)
        return ours

    def datagrams(self, game: str, door: str, *, peer: str = "127.0.0.1") -> Datagrams:
        """See tests.kit.players.Host."""
        return self.town.datagrams(game, door, peer=peer)


async def test_r17_an_encrypted_client_at_a_plain_door_is_told_so_in_the_log_and_not_banned(
    nursery: trio.Nursery, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    town = Town(nursery, parse(CONFIG.replace("[listen.uo]", '[listen.uo]\nencryption = "plain"')))
    await town.open()
    caplog.set_level(logging.INFO)
    town.change("accounts", auto_create=True)
    door = PlainDoor(town)
    for _ in range(3):
        player = UoPlayer(door, encrypted=True, peer="192.0.2.9")
        await player.sends(player.client.login_bytes("anna", PASSWORD))
        assert player.gone
        line = caplog.records[-1].getMessage()
        assert "the client enciphers, and the configuration does not allow that" in line
    assert loud(caplog.records) == []
    plain = UoPlayer(door, peer="192.0.2.9")
    await plain.enters("berta", "Berta")
    assert town.here("Berta"), "the same address, another client: no ban"
