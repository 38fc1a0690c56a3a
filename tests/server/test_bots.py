"""The bots and the bench, over real sockets against a real server process. Nothing is asserted about time."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from time import process_time
from types import SimpleNamespace
from typing import IO, TYPE_CHECKING, NamedTuple
from unittest.mock import patch

import pytest
from eolib import ConnectionPlayerServerPacket, Direction, FacePlayerServerPacket, Packet
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, Ping, Pong, Request, TextMessage

from protocol.eo.codec import EoCodec
from protocol.eo.packets import encode
from protocol.uo.ciphers import GameCipher
from protocol.uo.huffman import compress
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body
from server.__main__ import main
from server.bots import bench, process
from server.bots.bot import LEG, LoginFailed, bot_name, is_bots, person_name
from server.bots.cells import COLUMNS, quantile
from server.bots.eo import EoBot
from server.bots.floor import FloorBot
from server.bots.games import BOTS
from server.bots.plain import EDGE, side_for, spread
from server.bots.process import BenchServer, cpu_seconds
from server.bots.swarm import Swarm, SwarmError, Tally, probe_places
from server.bots.uo import UoBot
from server.bots.web import WebBot
from server.people.credentials import name_problem
from tests.kit.budget import server_started
from tests.kit.template import ROOT, Order, template
from world.heading import EAST
from world.names import name_key, proper_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from server.bots.bot import Bot
    from tests.kit.template import Child

BOTS_EACH = 6
SIDE = 40


# Against a server


def forked(
    command: Sequence[str], *, cwd: Path, env: Mapping[str, str], stdout: IO[bytes], stderr: IO[bytes]
) -> Child:
    """In place of subprocess.Popen: to import the server takes most of the time of a start."""
    interpreter, _, program, *args = command
    assert (interpreter, cwd, env["PYTHONPATH"]) == (sys.executable, ROOT, str(ROOT))
    files = [os.devnull, str(stdout.name), str(stderr.name)]
    server_started()
    return template().spawn(Order(program=program, args=args, files=files))


@pytest.fixture(scope="module", autouse=True)
def _fork() -> Iterator[None]:
    parts = SimpleNamespace(Popen=forked, TimeoutExpired=subprocess.TimeoutExpired)
    with patch.object(process, "subprocess", parts):
        yield


class Place(NamedTuple):
    """A server, and the kind of bots that come to it."""

    server: BenchServer
    kind: str

    @property
    def address(self) -> tuple[str, int]:
        """Where they knock."""
        return self.server.address_of(BOTS[self.kind].game)


@pytest.fixture(scope="module")
def everywhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BenchServer]:
    """A server with the doors of all games."""
    first, *others = dict.fromkeys(kind.game for kind in BOTS.values())
    place = tmp_path_factory.mktemp("bots") / "server"
    with BenchServer(place, first, SIDE, 1, beside=others) as server:
        yield server


@pytest.fixture(scope="module", params=list(BOTS))
def place(request: pytest.FixtureRequest, everywhere: BenchServer) -> Place:
    """For each kind of bot."""
    return Place(everywhere, request.param)


def a_swarm(place: Place, move: Callable[[Bot], bytes], *, probes: int) -> tuple[Swarm, list[Bot]]:
    """Bots that are in the world."""
    bots = bench.make_bots(place.kind, BOTS_EACH)
    pairs = move is bench.turn
    swarm = Swarm(place.address, bots, move, probes=probes, pairs=pairs, interval=0.2)
    swarm.enter(30)
    return swarm, bots


def settle(place: Place, swarm: Swarm, bots: Sequence[Bot]) -> None:
    """Until nobody hears anything any more for a while: who came in last is shown to all, and whoever lingers
    from before goes. And no hour begins within the next 3 minutes, because the light of each is shown to all,
    too (`protocol.hours`)."""
    assert place.server.order("time 12:00").ok
    quiet = 0
    for _ in range(100):
        heard = [bot.packets for bot in bots]
        swarm.run(0.3, moving=False)
        quiet = quiet + 1 if [bot.packets for bot in bots] == heard else 0
        if quiet == 3:
            return


def test_a_mixed_crowd_has_as_many_of_each_game() -> None:
    games = bench.every_game()
    bots = bench.make_bots(bench.MIXED, 2 * len(games))
    assert [bot.game for bot in bots] == games * 2
    assert {"uo", "eo", "eq2", "co", "l2", "web"} <= set(games)


@pytest.mark.parametrize("probes", [2, pytest.param(BOTS_EACH, marks=pytest.mark.soak)])
def test_in_a_crowd_every_probe_gets_every_turn_of_all_once(place: Place, probes: int) -> None:
    swarm, bots = a_swarm(place, bench.turn, probes=probes)
    probing = [bots[number] for number in sorted(probe_places(BOTS_EACH, probes))]
    try:
        settle(place, swarm, bots)
        before = {bot: (bot.packets, bot.moves) for bot in bots}
        tally = swarm.run(0.7)
        own = {bot: bot.moves - before[bot][1] for bot in bots}
        # A turn is told to all others, and answered to its maker in games that do that.
        wanted = [
            (tally.moves - own[bot]) * bot.told_by + (own[bot] if bot.expected else 0) for bot in probing
        ]
        for _ in range(200):
            swarm.run(0.05, moving=False)
            if [bot.packets - before[bot][0] for bot in probing] == wanted:
                break
        assert [bot.packets - before[bot][0] for bot in probing] == wanted
        assert min(own.values()) >= 2
        assert [bot.packets for bot in bots if bot not in probing] == [
            before[bot][0] for bot in bots if bot not in probing
        ]  # not decoded
        assert sum(bot.refused for bot in bots) == 0
        assert tally.sights
    finally:
        swarm.close()


def test_every_step_of_a_round_is_answered_and_none_is_refused(place: Place) -> None:
    swarm, bots = a_swarm(place, bench.step, probes=BOTS_EACH)
    try:
        tally = swarm.run(1.0)
        for _ in range(200):
            swarm.run(0.05, moving=False)
            if all(bot.answered == bot.expected for bot in bots):
                break
        assert [bot.answered for bot in bots] == [bot.expected for bot in bots]
        assert min(bot.expected for bot in bots) >= 2
        assert tally.refused == 0
        assert tally.answers
    finally:
        swarm.close()


def test_what_one_says_the_others_hear(place: Place) -> None:
    swarm, bots = a_swarm(place, bench.turn, probes=BOTS_EACH)
    try:
        settle(place, swarm, bots)
        swarm.heard()
        swarm.say(0, "Good morning.")
        for _ in range(200):
            swarm.run(0.05, moving=False)
            if sum(len(bot.heard) for bot in bots) >= BOTS_EACH - 1:
                break
        assert {line for bot in bots for line in bot.heard} == {"Good morning."}
        assert swarm.heard() in (BOTS_EACH - 1, BOTS_EACH)  # EO's client shows its own words by itself
    finally:
        swarm.close()


def test_bots_let_into_a_running_server_report_what_they_found(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    config = str(place.server.directory / "config.toml")
    code = main(["bots", "--game", place.kind, "--count", "3", "--seconds", "0.5", "--config", config])
    out = capsys.readouterr().out
    assert code == 0
    assert "3 bots are in the world" in out
    assert "answered after" in out
    assert "nan" not in out


def test_who_is_turned_away_is_not_waited_for(place: Place) -> None:
    nobody = BOTS[place.kind]("no", random.Random(1).randbytes)  # too short for an account
    swarm = Swarm(place.address, [nobody], bench.turn)
    try:
        with pytest.raises(SwarmError, match="no: "):
            swarm.enter(30)
    finally:
        swarm.close()


class Patient(Swarm):
    """Goes on until somebody was answered, however busy the machine is."""

    def run(self, seconds: float, *, moving: bool = True) -> Tally:
        tally = super().run(seconds, moving=moving)
        while moving and not tally.answers:
            tally = super().run(seconds)
        return tally


def test_the_processor_time_of_a_process_is_told_to_less_than_a_tick() -> None:
    before = process_time(), cpu_seconds(os.getpid()), process_time()
    assert before[0] <= before[1] <= before[2]
    while process_time() < before[2] + 0.001:
        pass
    assert cpu_seconds(os.getpid()) - before[1] >= 0.001


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_the_bench_fills_its_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "WARM_UP", 0.2)
    monkeypatch.setattr(bench, "Swarm", Patient)
    lines: list[str] = []
    bench.run(["spread"], ["uo"], [4], 1.0, bench.Look(profile=True), lines.append)
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("|")]
    heads = [row for row in rows if row == list(COLUMNS)]
    filled = [dict(zip(COLUMNS, row, strict=True)) for row in rows if row[1] == "4"]
    assert len(heads) == 1
    # Each cell as it is done, and in the table at the end.
    assert len(filled) == 2
    for row in filled:
        assert (row[""], row["refused"]) == ("uo", "0")
        assert "-" not in (row["packets/s"], row["answer ms p50/95/99"], row["floor answer ms"])
        assert row["us/move"].endswith("(1.00x)")
    stages = {line[:36].strip() for line in lines if not line.startswith("|")}
    assert stages >= {"stage", "receive WalkRequest", "handler WalkRequest", "decode", "turn", "send"}


def test_the_way_to_the_inbox_is_told_by_packet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "WARM_UP", 0.2)
    lines: list[str] = []
    bench.run(["receive"], ["eo"], [4], 0.5, bench.Look(floor=False), lines.append)
    assert lines[0].startswith("machine: ")
    walks = ("WalkPlayerClientPacket", "FacePlayerClientPacket")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("|")]
    found = {(row[0], row[2]): row for row in rows[2:]}
    assert found.keys() >= {("eo", name) for name in walks}
    for row in found.values():
        count, mean, half, most_of_all, longest = map(float, row[3:])
        assert count >= 1
        assert 0 < half <= most_of_all <= longest
        assert 0 < mean <= longest


def test_the_announcements_reach_the_probes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "WARM_UP", 0.2)
    monkeypatch.setattr(bench, "SLOW_SECONDS", 0.5)
    quiet, told, alone, beside, stalled = bench.announce(tmp_path / "server", "uo", 4, 1.2)
    assert quiet.label == "uo, quiet"
    assert told.label.endswith(f"({4 * bench.ANNOUNCEMENTS} heard)")
    assert "alone" in alone.label
    assert "slowpoke" in beside.label
    assert "beside" in beside.label
    assert stalled.label.startswith("uo, 50 ms handlers, logins: during")
    assert stalled.turns["worst_ms"] >= 50


# Alone


def test_people_have_names_that_every_game_takes_and_accounts_that_are_told_apart() -> None:
    names = [person_name(number, game) for game in BOTS for number in range(3000)]
    plain = {game for game in BOTS if BOTS[game].game == game}
    assert len({name_key(person_name(n, game)) for game in plain for n in range(3000)}) == 3000 * len(plain)
    assert all(name.isalpha() and 4 <= len(name) <= 16 for name in names)
    assert all(len(person_name(n, game)) <= 12 for game in plain for n in range(273))
    assert all(is_bots(bot_name(n, game), game) for game in plain for n in (0, 7, 3000, 100_000))
    assert not any(is_bots(name, "uo") for name in ("uob", "uobob", "uobert", "alric", "eobaaaa", "uobaaaa1"))


def test_all_bots_have_names_that_the_world_allows_and_tells_apart() -> None:
    names = [bot_name(number, game) for game in ("uo", "eo") for number in range(3000)]
    assert all(proper_name(name) for name in names)
    assert not any(name_problem(name) for name in names)
    assert len({name_key(name) for name in names}) == len(names)


@pytest.mark.parametrize("multiple", range(6, 13))
def test_a_bot_that_decodes_nothing_still_answers_pings(multiple: int) -> None:
    dice = random.Random(multiple)
    server = EoCodec(CodecArgs(Role.SERVER, dice.randbytes))
    bot = EoBot("anna", dice.randbytes)
    server.begin(multiple, 6, 100)
    bot._codec.begin(multiple, 6, 100)

    def said(*packets: Packet) -> bytes:
        for packet in packets:
            server.send(Body(encode(packet)))
        return b"".join(server.outgoing(0.0))

    def skimmed(data: bytes) -> bytes:
        buffer = bytearray(data) + bytearray(b"\x06\xfe\x88.\x81..")  # left there by somebody else
        return bot.skim(buffer, len(data))

    faces = [FacePlayerServerPacket(player_id=number, direction=Direction.Left) for number in range(1, 400)]
    assert skimmed(said(*faces)) == b""
    for _ in range(50):
        seq1, seq2 = server.new_ping()
        ping = ConnectionPlayerServerPacket(seq1=seq1, seq2=seq2)
        server.receive(skimmed(said(faces[0], ping, faces[1])) + bot.turn() + bot.turn(), 0.0)
        frames = [server.next_frame() for _ in range(4)]  # a wrong number raises
        assert frames[0] is not None
        assert frames[0][:2] == bytes((240, 1))
        assert frames[2] is not None
        assert frames[3] is None
        assert not server.ping_unanswered


def test_a_uo_bot_numbers_its_moves_as_a_client_does_and_begins_anew_when_refused() -> None:
    bot = UoBot("anna", bytes)
    bot._relay_key = b"\0\0\0\1"
    bot.connect()
    numbers = [bot.turn()[2] for _ in range(600)]
    assert numbers == [0, *range(1, 256), *range(1, 256), *range(1, 90)]
    bot.receive(compress(bytes.fromhex("22 05 01")) + compress(bytes.fromhex("21 06 0010 0010 04 00")))
    assert (bot.answered, bot.refused) == (1, 1)
    assert bot.turn() == bytes((0x02, 6, 0, 0, 0, 0, 0))  # to the right of where it was put


def a_web_bot() -> tuple[WebBot, WSConnection]:
    """One to whom its server, the second, has said yes."""
    bot, server = WebBot("anna", random.Random(1).randbytes), WSConnection(ConnectionType.SERVER)
    server.receive_data(bot.connect())
    (request,) = server.events()
    assert isinstance(request, Request)
    assert request.target == "/play"
    assert not {b"origin", b"cookie"} & {name for name, _ in request.extra_headers}
    assert bot.receive(server.send(AcceptConnection())) == b""
    return bot, server


def test_a_web_bot_reads_lines_wherever_they_are_cut() -> None:
    lines = b'{"t":"entered","id":5}\n{"t":"show","id":5}\n{"t":"time"}\n{"t":"turned","id":7,"heading":2}\n'
    for cut in range(len(lines)):
        bot, server = a_web_bot()
        said = b"".join(
            server.send(TextMessage(part.decode())) for part in (lines[:cut], lines[cut:]) if part
        )
        bot.receive(said[:cut])
        bot.receive(said[cut:])
        assert (bot.number, bot.in_world, bot.packets, bot.seen) == (5, True, 4, [7])


def test_a_web_bot_answers_pings_whether_it_decodes_or_not() -> None:
    bot, server = a_web_bot()
    said = server.send(TextMessage('{"t":"ti')) + server.send(Ping())
    server.receive_data(bot.receive(said))
    left = bytearray(server.send(TextMessage("x" * 137)))  # its head has the same byte
    assert bot.skim(left, len(left)) == b""
    left += server.send(Ping())
    assert bot.skim(left, len(left) - 1) == b"", "what lies behind was left there by somebody else"
    server.receive_data(bot.skim(left, len(left)))
    assert list(server.events()) == [Pong(), Pong()]


def test_a_web_bot_numbers_its_steps_as_the_page_does_and_begins_anew_when_refused() -> None:
    bot, server = a_web_bot()

    def step() -> dict[str, object]:
        server.receive_data(bot.step())
        (event,) = server.events()
        assert isinstance(event, TextMessage)
        message: dict[str, object] = json.loads(event.data.partition("\n")[0])
        return message

    assert step() == {"t": "walk", "sequence": 0, "heading": EAST, "run": True}
    assert [step()["sequence"] for _ in range(70)] == list(range(1, 71))
    bot.receive(server.send(TextMessage('{"t":"walked","sequence":9,"ok":false}\n')))
    assert bot.refused == 1
    assert [step()["sequence"] for _ in range(2)] == [0, 1]
    bot._sequence = 0xFFFF
    assert step()["sequence"] == 1


def test_a_web_bot_that_is_refused_a_websocket_says_so() -> None:
    for answer in (b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n", b"Hello\r\n\r\n"):
        bot = WebBot("anna", bytes)
        bot.connect()
        with pytest.raises(LoginFailed, match=r"anna: (no WebSocket, but 429|what came is no WebSocket)"):
            bot.receive(answer)


def test_an_enciphered_bot_enciphers_its_moves() -> None:
    key = b"\0\0\0\7"
    bot = BOTS["uo-encrypted"]("anna", bytes)
    assert isinstance(bot, UoBot)
    bot._relay_key = key
    sent = bot.connect()[4:] + bot.turn() + bot.turn()
    clear = GameCipher(7).decrypt(sent)
    assert clear[:1] == b"\x91"
    assert clear[-14:] == bytes((0x02, 2, 0, 0, 0, 0, 0, 0x02, 4, 1, 0, 0, 0, 0))


def test_the_floor_s_packets_are_counted_wherever_they_are_cut() -> None:
    data = b"".join([bytes([0x77]) + bytes(16), bytes([0x22, 0, 0])] * 5)
    for cut in range(len(data)):
        bot = FloorBot(1)
        bot.receive(data[:cut])
        bot.receive(data[cut:])
        assert (bot.packets, bot.answered) == (10, 5)


@pytest.mark.parametrize(("count", "tiles"), [(500, 46.0), (2000, 46.0), (2000, 31.75), (3, 46.0)])
def test_a_round_from_any_place_stays_on_the_plain(count: int, tiles: float) -> None:
    side = side_for(count, tiles)
    places = spread(side, side, count)
    assert len(set(places)) >= count * 0.9
    assert min(min(place) for place in places) >= EDGE - 1
    # Newcomers stand up to 3 tiles beside their place.
    assert max(max(place) for place in places) + 3 + LEG < side


def test_a_plain_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="no room"):
        spread(16, 40, 5)


def test_quantiles() -> None:
    values = [float(number) for number in range(100)]
    assert (quantile(values, 0.5), quantile(values, 0.99), quantile(values, 1.0)) == (50.0, 99.0, 99.0)
    assert quantile([], 0.5) != quantile([], 0.5)  # nan
