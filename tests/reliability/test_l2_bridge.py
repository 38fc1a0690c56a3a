"""What reaches the login server's end of Lineage II's bridge: cut, repeated, invented. R-01, R-03 to R-08
and R-26; its parts are tested in tests/l2/test_bridge_*.py."""

from __future__ import annotations

import logging
import random
import tracemalloc
from functools import partial
from typing import TYPE_CHECKING

import pytest
import trio
import trio.lowlevel
import trio.testing

from protocol.endings import WireError
from protocol.l2.bridge import GamePeer, GameServer, Identity, LoginServer
from protocol.l2.bridge.codec import LARGEST_FRAME, LARGEST_GREETING
from protocol.l2.bridge.links import PROVE_SECONDS, SILENCE_SECONDS, WRONG_SECRET_SECONDS
from protocol.l2.bridge.packets import (
    FROM_GAME,
    FROM_LOGIN,
    AuthRequest,
    AuthResponse,
    HostEntry,
    InitLS,
    KickPlayer,
    LoginServerFail,
    PlayerAuthResponse,
    PlayerInGame,
    ReplyCharacters,
    RequestCharacters,
    ServerStatus,
    Status,
    decode,
)
from protocol.l2.session import SessionKeys
from server.people.credentials import fold
from tests.kit.l2_bridge import SECRETS, STRANGER, Bridgehead
from tests.kit.l2_bridgehead import GOLDEN, STATES, all_is_well, in_state
from tests.kit.wire_faults import NASTY, RAW, loud

if TYPE_CHECKING:
    from trio.testing import MockClock

    from protocol.l2.bridge import BridgeMessage


@pytest.fixture
async def bridgehead(nursery: trio.Nursery, autojump_clock: MockClock) -> Bridgehead:
    return Bridgehead(nursery)


def ended(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What the log says of each connection that ended."""
    lines = [record.getMessage() for record in caplog.records if record.name == "net.l2.bridge"]
    return [line.partition(" ended: ")[2] for line in lines if " ended: " in line]


#


@pytest.mark.parametrize(("then", "stride"), [("hangs up", 1), ("silence", 5)])
async def test_r01_every_message_cut_at_every_byte(
    bridgehead: Bridgehead,
    autojump_clock: MockClock,
    caplog: pytest.LogCaptureFixture,
    then: str,
    stride: int,
) -> None:
    caplog.set_level(logging.INFO)
    honest = await bridgehead.honest()
    cuts = 0
    for number in range(len(GOLDEN) + 1):
        size, cut = 1, 0
        while cut < size:
            peer = await in_state(bridgehead, "before the key" if number == 0 else "before the proof")
            if number == 0:
                data = peer.codec.outgoing()
            else:
                await peer.says(*GOLDEN[: number - 1])
                data = peer.framed(GOLDEN[number - 1].encode())
            began = trio.current_time()
            await peer.sends(data[:cut])
            if then == "hangs up":
                await peer.leaves()
                await trio.sleep(0.01)
            else:
                most = SILENCE_SECONDS if number > 1 else PROVE_SECONDS
                await trio.sleep(most + 0.1)
                assert peer.ended_at is not None
                assert peer.ended_at - began == pytest.approx(most, abs=0.1)
            assert list(bridgehead.login_server.servers) == [2], "nothing stays of who has gone"
            size, cut, cuts = len(data), cut + stride, cuts + 1
    endings = {"hangs up": "connection lost", "silence": "timed out"}
    assert len(ended(caplog)) == cuts
    assert {line.partition(",")[0] for line in ended(caplog)} == {endings[then]}
    assert loud(caplog.records) == []
    await all_is_well(bridgehead, honest)


#


@pytest.mark.parametrize("state", STATES)
async def test_r03_lengths_at_their_limits(
    bridgehead: Bridgehead, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, state: str
) -> None:
    caplog.set_level(logging.INFO)
    honest = await bridgehead.honest()
    largest = LARGEST_FRAME if state == "known" else LARGEST_GREETING
    for size in (0, 1, 2, 3, 10, LARGEST_GREETING, LARGEST_GREETING + 1, 0x7FFF, LARGEST_FRAME):
        peer = await in_state(bridgehead, state)
        tracemalloc.start()
        await peer.sends(size.to_bytes(2, "little"))
        await trio.sleep(0.05)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 1 << 20
        if 2 <= size <= largest:
            assert peer.ended_at is None, size
        else:
            assert peer.ended_at is not None, size
            assert "bad_length" in ended(caplog)[-1]
        await peer.leaves()
        await trio.sleep(0.05)
    assert loud(caplog.records) == []
    await all_is_well(bridgehead, honest)


async def test_r03_what_is_no_whole_block_or_has_another_checksum_ends_it(
    bridgehead: Bridgehead, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    honest = await bridgehead.honest()
    for state in STATES:
        for offence in ("odd", "flipped", "plain"):
            peer = await in_state(bridgehead, state)
            frame = bytearray(peer.framed(PlayerInGame(()).encode()))
            if offence == "odd":
                frame = bytearray(b"\x09\0") + frame[2:9]
            elif offence == "flipped":
                frame[5] ^= 1
            else:
                frame[2:] = PlayerInGame(()).encode().ljust(len(frame) - 2, b"\1")
            await peer.sends(bytes(frame))
            await trio.sleep(0.05)
            assert peer.ended_at is not None, (state, offence)
            assert ended(caplog)[-1].startswith("bad packet, bad_"), (state, offence)
    assert loud(caplog.records) == []
    await all_is_well(bridgehead, honest)


#


async def test_r04_every_number_in_every_state(
    bridgehead: Bridgehead, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    honest = await bridgehead.honest()
    outlived: dict[str, set[int]] = {state: set() for state in STATES}
    for state in STATES:
        peer, began = None, 0.0
        for number in range(256):
            if peer is None or peer.ended_at is not None or trio.current_time() > began + 4:
                if peer is not None:
                    await peer.leaves()
                    await trio.sleep(0.01)
                peer, began = await in_state(bridgehead, state), trio.current_time()
            await peer.sends(peer.framed(bytes((number,)) + bytes(40)))
            await trio.sleep(WRONG_SECRET_SECONDS + 0.1 if state != "known" and number == 1 else 0.01)
            if peer.ended_at is None:
                outlived[state].add(number)
        assert peer is not None
        await peer.leaves()
        await trio.sleep(0.1)
    known = set(FROM_GAME)
    assert outlived["before the key"] == set(), "there is one word to say"
    assert outlived["before the proof"] == set(range(256)) - known
    assert outlived["known"] == set(range(256)) - {0x00, 0x01}, "there is one key and one proof"
    assert loud(caplog.records, logging.ERROR) == []
    await all_is_well(bridgehead, honest)


#


async def test_r05_mutated_messages_cost_their_sender_only(
    bridgehead: Bridgehead, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    chance = random.Random(50)
    honest = await bridgehead.honest()
    bodies = [message.encode() for message in GOLDEN]
    peer, ends, taken = await in_state(bridgehead, "known"), 0, 0
    for _ in range(500):
        if peer.ended_at is not None:
            ends += 1
            peer = await in_state(bridgehead, "known")
        body = bytearray(chance.choice(bodies[1:]) if chance.random() < 0.97 else bodies[0])
        for _ in range(chance.choice((0, 1, 1, 2, 5))):
            at = chance.randrange(1, len(body))
            put = chance.choice((b"\xff", b"\xff\xff\xff\xff", b"\0\xd8", bytes(4), chance.randbytes(3)))
            body[at : at + len(put)] = put
        if chance.random() < 0.15:
            del body[chance.randrange(1, len(body)) :]
        await peer.sends(peer.framed(bytes(body)))
        await trio.sleep(0.001)
        taken += peer.ended_at is None
    await peer.leaves()
    assert ends > 20
    assert taken > 200
    assert loud(caplog.records) == []
    await all_is_well(bridgehead, honest)


#


async def test_r06_a_recorded_connection_is_worth_nothing(
    bridgehead: Bridgehead, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither while the game server that said it is there nor after it has gone."""
    honest = await bridgehead.honest()
    recorded = await in_state(bridgehead, "known")
    await recorded.says(*GOLDEN[1:3])
    await trio.sleep(0.1)
    assert list(bridgehead.login_server.servers) == [2, 1]
    for there in (True, False):
        if not there:
            await recorded.leaves()
            await trio.sleep(0.1)
        thief = bridgehead.connect("203.0.113.66")
        bridgehead.nursery.start_soon(partial(thief.listens, answers=False))
        for data in recorded.sent[:]:
            await thief.sends(data)
            await trio.sleep(0.1)
        assert thief.ended_at is not None
        assert recorded.is_known is there
        assert list(bridgehead.login_server.servers) == ([2, 1] if there else [2])
    again = await in_state(bridgehead, "known")
    await again.leaves()
    assert loud(caplog.records, logging.ERROR) == []
    await all_is_well(bridgehead, honest)


#

EXTREMES = (b"\xff", b"\xff\xff", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\x80", bytes(4))


def test_r07_no_number_of_a_peer_is_believed() -> None:
    """Each message of either end with the largest and smallest numbers at every place, whole and cut: read or
    refused, and never anything made by a count."""
    there = FROM_GAME, (AuthRequest(1, 0, 0, 1, 1, b"x", (HostEntry("a", "b"),)), *GOLDEN)
    here = (
        FROM_LOGIN,
        (
            InitLS(0x0106, bytes(65)),
            LoginServerFail(3),
            AuthResponse(1, "Bartz"),
            PlayerAuthResponse("alric", 1),
            KickPlayer("alric"),
            RequestCharacters("alric"),
        ),
    )
    tracemalloc.start()
    refused = 0
    try:
        for direction, messages in (there, here):
            for message in messages:
                raw = message.encode()
                for at in range(1, len(raw)):
                    for extreme in EXTREMES:
                        spoilt = raw[:at] + extreme + raw[at + len(extreme) :]
                        for tried in (spoilt, spoilt[: at + len(extreme)]):
                            try:
                                decode(tried, direction)
                            except WireError:
                                refused += 1
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
    assert refused > 1000


async def test_r07_numbers_beyond_all_bounds_stay_within_what_clients_can_be_told(
    bridgehead: Bridgehead, autojump_clock: MockClock
) -> None:
    honest = await bridgehead.honest()
    login_server = bridgehead.login_server
    for value in (-(1 << 31), -1, 0, 255, 256, 65536, (1 << 31) - 1):
        await honest.says(ServerStatus(tuple(Status(kind, value) for kind in range(-2, 10))))
        await trio.sleep(0.01)
        server = login_server.servers[2]
        assert 0 <= server.age_limit <= 0xFF
        assert server.brackets in (0, 1)
        assert server.most_players >= 0
    await honest.says(ServerStatus((Status(1, 0),)))
    done = trio.Event()
    question = login_server.ask("alric", done.set)
    await trio.sleep(0.01)
    await honest.says(ReplyCharacters("alric", 255, tuple([(1 << 64) - 1] * 255)))
    await trio.sleep(0.01)
    assert done.is_set()
    assert question.answers[2][0] == 255


#


async def test_r08_nasty_names_and_addresses_of_a_game_server(
    bridgehead: Bridgehead, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    """A name that no account has marks nobody, and what is shown to clients is an address or nothing."""
    caplog.set_level(logging.INFO)
    honest = await bridgehead.honest()
    texts = [text.encode("utf-16-le", "surrogatepass") for text in NASTY.values() if len(text) < 30_000]
    for raw in [*texts, *RAW]:
        peer = await in_state(bridgehead, "known")
        for opcode in (0x03, 0x05, 0x08):
            await peer.sends(peer.framed(bytes((opcode,)) + raw))
        await peer.sends(peer.framed(b"\x02\x01\0" + raw))
        await trio.sleep(0.02)
        await peer.leaves()
        await trio.sleep(0.02)
        stranger = await bridgehead.agrees()
        head = b"\x01\x01\0\0" + bytes(6) + (16).to_bytes(4, "little") + SECRETS[1].encode()
        host = b"\x01\0\0\0" + b"x\0\0\0" + raw
        await stranger.sends(stranger.framed(head + host))
        await trio.sleep(0.02)
        if stranger.is_known:
            assert bridgehead.login_server.servers[1].host == STRANGER
        await stranger.leaves()
        await trio.sleep(0.02)
    assert loud(caplog.records) == []
    assert not any("\n" in line or "\x1b" in line for line in ended(caplog))
    await all_is_well(bridgehead, honest)


@pytest.mark.parametrize("what", NASTY)
def test_r08_a_nasty_name_at_the_games_door_is_one_answer_and_not_the_end_of_the_bridge(what: str) -> None:
    """The name goes to the other process and comes back in the answer, by which it is told apart."""
    login_server = LoginServer(SECRETS)
    game_server = GameServer(kick=lambda _: None, asked=lambda: None)

    def down(message: BridgeMessage) -> None:
        received = decode(message.encode(), FROM_LOGIN)
        assert received is not None
        game_server.received(received)

    peer = GamePeer("192.0.2.1", down)

    def up(message: BridgeMessage) -> None:
        received = decode(message.encode(), FROM_GAME)
        assert received is not None
        login_server.received(peer, received, 0.0)

    game_server.connect(Identity(1, SECRETS[1], 7777), up)
    answers: list[bool | None] = []
    arrived = NASTY[what][:4000].encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    name = fold(arrived.partition("\0")[0])
    game_server.ask(name, SessionKeys(1, 2, 3, 4), "", answers.append)
    assert answers == [False]
    assert game_server.connected
