"""Whatever a client sends costs that client only: right shapes, random content, real connections."""

from __future__ import annotations

import logging
import random
from typing import TYPE_CHECKING

import pytest
import trio
from eolib import Direction, WalkPlayerServerPacket

from protocol.uo.versions import VARIABLE, client_lengths
from server.bots.bundle import bundle
from tests.kit.eq2_player import Eq2Player
from tests.kit.games import GAMES
from tests.kit.players import EoPlayer, UoPlayer
from tests.kit.situations import Situations

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town

FRAMES = 250
"""In `make test`, per game: the 10^5 of R-05 are in tests/reliability/test_fuzz.py, without connections."""
SOAK_FRAMES = 20_000
FRAMES_EACH = 10
"""In one situation (`tests.kit.situations`)."""

LEAVE = {0x01, 0xD1}
"""UO opcodes by which a client leaves; sending them proves nothing here."""


def uo_frame(chance: random.Random) -> bytes:
    """A packet of legal length with random content."""
    lengths = {k: v for k, v in client_lengths((7, 0, 102, 3)).items() if k not in LEAVE}
    opcode = chance.choice(sorted(lengths))
    size = lengths[opcode]
    if size != VARIABLE:
        return bytes([opcode]) + chance.randbytes(size - 1)
    size = chance.choice([3, 4, 5, 7, 9, 12, 20, 40, 200])
    body = bytearray(chance.randbytes(size - 3))
    if opcode == 0xBF and len(body) >= 2:
        body[0:2] = chance.randrange(0x40).to_bytes(2, "big")
    return bytes([opcode]) + size.to_bytes(2, "big") + bytes(body)


def eo_body(chance: random.Random, opcodes: list[int]) -> bytes:
    """Action, family and a random payload."""
    opcode = chance.choice(opcodes)
    digits = bytes(
        chance.choice((chance.randrange(1, 254), 254, 255, 0)) for _ in range(chance.randrange(24))
    )
    return bytes([opcode & 0xFF, opcode >> 8]) + digits


def meets(town: Town, situations: Situations, number: int) -> None:
    """Now and then the fuzzer is in another situation with somebody: it trades, is asked, leads a party."""
    fuzzer = town.app.world.online_by_name("Fuzzer")
    if number % FRAMES_EACH == 0 and fuzzer is not None and fuzzer.realm is not None:
        situations.next(fuzzer, town.mobile("Watcher"))


async def fuzz_uo(town: Town, frames: int, seed: int) -> int:
    """Send frames as a player of the world, coming back whenever that ends; how often it ended."""
    chance, ended = random.Random(seed), 0
    player = UoPlayer(town)
    await player.enters("fuzzer", "Fuzzer")
    situations = Situations(town.app.world)
    for number in range(frames):
        meets(town, situations, number)
        if player.gone or player.end.closed:
            ended += 1
            player = UoPlayer(town)
            await player.enters("fuzzer")
        await player.sends(player.client.raw_bytes(uo_frame(chance)), wait=0.02)
    return ended


async def fuzz_eo(town: Town, frames: int, seed: int) -> int:
    """The same in Endless Online."""
    chance, ended = random.Random(seed), 0
    opcodes = [entry.opcode for entry in town.families["eo"].doors["game"].table]
    opcodes.remove(0xFFFF)
    opcodes.remove(0x01F0)
    player = EoPlayer(town)
    await player.enters("fuzzer", "Fuzzer")
    situations = Situations(town.app.world)
    for number in range(frames):
        meets(town, situations, number)
        if player.gone or player.end.closed:
            ended += 1
            player = EoPlayer(town)
            await player.enters("fuzzer")
        await player.sends(player.client.frame_of(eo_body(chance, opcodes)), wait=0.02)
    return ended


async def fuzz_eq2(town: Town, frames: int, seed: int) -> int:
    """In EverQuest II, and between them datagrams that are nothing at all. A fifth of the frames: more of
    them end their session, and a new one takes its time."""
    chance, ended, record = random.Random(seed), 0, GAMES["eq2"]
    player = Eq2Player(town)
    await player.enters("fuzzer", "Fuzzer")
    situations = Situations(town.app.world)
    for number in range(frames // 5):
        meets(town, situations, number)
        if player.gone:
            ended += 1
            player = Eq2Player(town)
            await player.enters("fuzzer")
        if number % 10 == 0:
            noise = bytes((0, chance.randrange(32))) + chance.randbytes(chance.randrange(60))
            await player.sends(bundle([noise, chance.randbytes(20)]), wait=0)
        frame = record.random_frame(chance, town.families["eq2"])
        await player.sends(record.wire(player, frame), wait=0.02)
    return ended


FUZZERS = {"uo": fuzz_uo, "eo": fuzz_eo, "eq2": fuzz_eq2}


@pytest.mark.parametrize(
    "frames",
    [FRAMES, pytest.param(SOAK_FRAMES, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])],
)
@pytest.mark.parametrize("game", FUZZERS)
async def test_r05_random_frames_cost_their_sender_only(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, game: str, frames: int
) -> None:
    town.change("limits", exempt=("127.0.0.0/8",), packets_per_second=10_000.0, packet_burst=10_000)
    walker, watcher = UoPlayer(town), EoPlayer(town)
    await walker.enters("walker", "Walker")
    await watcher.enters("watcher", "Watcher")
    with caplog.at_level(logging.ERROR):
        async with trio.open_nursery() as others:
            others.start_soon(_keep_alive, walker)
            await FUZZERS[game](town, frames, seed=frames)
            others.cancel_scope.cancel()
    assert [record.getMessage() for record in caplog.records] == []
    before = len(watcher.of(WalkPlayerServerPacket))
    for heading in (2, 2, 4, 4, 6, 6):
        await walker.does(walker.client.walk_bytes(heading))
    await watcher.does(watcher.client.walk(Direction.Left))
    assert not walker.gone
    assert not watcher.gone
    assert len(watcher.of(WalkPlayerServerPacket)) > before


async def _keep_alive(player: UoPlayer) -> None:
    while True:
        await player.sends(player.client.raw_bytes(b"\x73\x00"), wait=30)
