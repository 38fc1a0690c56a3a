"""What reaches Conquer Online's account server, and the game's door of version 5065: lengths, footers, types
and the exchange of keys. R-03 to R-05, R-16, R-17, R-20, R-23 and R-24; what is the same for every game over
streams is in test_wire*.py and test_connection*.py, whose usual client is that of 5017."""

from __future__ import annotations

import logging
import random
import struct
from typing import TYPE_CHECKING

import pytest
import trio

from protocol.co import rc5
from protocol.co.codec import CfbGameCodec
from protocol.co.exchange import Offer
from protocol.endings import Ending
from server.store.check import check_database
from tests.kit import split
from tests.kit.co_player import CoPlayer
from tests.kit.fuzzing import pool_of
from tests.kit.games import GAMES, Person, Witnesses
from tests.kit.pipe import End
from tests.kit.players import PASSWORD
from tests.kit.wire_faults import endings, loud, newest

if TYPE_CHECKING:
    from trio.testing import MockClock

    from protocol.co.exchange import ExchangeReply, Keys
    from server.net.connection import Connection
    from tests.kit.town import Town

pytestmark = pytest.mark.timeout(60)

RECORD = GAMES["co"]
WHO = Person(1)

ACCOUNT_PLACES = {"account, at once": "login", "account, in the menu": "report"}
GAME_PLACES = {
    "game, at once": "connect",
    "game, in the menu": "create",
    "game, before it enters": "enter",
    "game, in the world": "walk",
}
PLACES = {**ACCOUNT_PLACES, **GAME_PLACES}
"""Where a client may stand, as the step of the golden session that comes next."""

FOREIGN = {
    "http": b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n",
    "tls": bytes.fromhex("1603010200010001fc0303") + bytes(range(64)),
    "ssh": b"SSH-2.0-OpenSSH_9.6\r\n",
    "zeros": bytes(64),
}


@pytest.fixture
async def witnesses(easy_town: Town, autojump_clock: MockClock) -> Witnesses:
    """Others, whom nothing may disturb."""
    made = Witnesses(easy_town)
    await made.enter()
    return made


async def at(town: Town, place: str, version: int = 5065) -> tuple[CoPlayer, Connection]:
    """Somebody who stands there."""
    player = RECORD.player(town, f"{version}")
    assert isinstance(player, CoPlayer)
    upto = RECORD.step(PLACES[place])
    await RECORD.plays(player, WHO, upto=upto)
    if RECORD.steps[upto].redials:
        player.turns_to(place.partition(",")[0])
    assert player.end
    await trio.sleep(0.01)
    return player, newest(town)


def enciphered(player: CoPlayer, data: bytes) -> bytes:
    """Any bytes as the next ones that this client says."""
    codec = player.client.codec
    if not isinstance(codec, CfbGameCodec):
        return RECORD.begins(player, data)
    assert codec._encryption is not None
    return codec._encryption.apply(data)


#


@pytest.mark.parametrize("place", PLACES)
async def test_r03_lengths_that_no_packet_has(
    easy_town: Town,
    witnesses: Witnesses,
    caplog: pytest.LogCaptureFixture,
    autojump_clock: MockClock,
    place: str,
) -> None:
    caplog.set_level(logging.INFO)
    for size in (0, 1, 3, 1025, 0x7FFF, 0xFFFF):
        player, connection = await at(easy_town, place)
        if place == "game, at once":
            await trio.sleep(0.5)  # the keys are exchanged
        await player.sends(enciphered(player, struct.pack("<HH", size, 1009)), wait=0.2)
        assert connection.ending is Ending.BAD_PACKET, size
        assert "bad_length" in connection.detail, size
        player.leaves()
        await trio.sleep(12)
    await witnesses.are_well()
    assert loud(caplog.records) == []


async def test_r03_a_packet_without_its_footer_ends_its_client(
    easy_town: Town, witnesses: Witnesses, caplog: pytest.LogCaptureFixture, autojump_clock: MockClock
) -> None:
    caplog.set_level(logging.INFO)
    for footer in (b"", b"TQServer", b"TQClienu", bytes(8)):
        player, connection = await at(easy_town, "game, in the world")
        ping = struct.pack("<HHIIIII", 24, 1009, 0, 0, 27, 7, 0)
        await player.sends(enciphered(player, (ping + footer) * 2), wait=0.2)
        assert connection.ending is Ending.BAD_PACKET, footer
        assert "bad_footer" in connection.detail, footer
        player.leaves()
        await trio.sleep(12)
    await witnesses.are_well()
    assert loud(caplog.records) == []


#


@pytest.mark.parametrize(
    ("place", "version"),
    [*((place, 5065) for place in PLACES), ("game, before it enters", 5017)],
)
async def test_r04_every_type_everywhere(
    easy_town: Town,
    witnesses: Witnesses,
    caplog: pytest.LogCaptureFixture,
    autojump_clock: MockClock,
    place: str,
    version: int,
) -> None:
    caplog.set_level(logging.INFO)
    doors = easy_town.families["co"].doors
    types = {entry.opcode for door in doors.values() for entry in door.table if entry.opcode}
    frames = [struct.pack("<HH", 64, kind) + bytes(60) for kind in sorted(types)] + [*RECORD.unknown]
    player, connection = await at(easy_town, place, version)
    outlived = 0
    for frame in frames:
        if connection.ending is not None:
            player, connection = await at(easy_town, place, version)
        if place == "game, at once":
            await trio.sleep(0.5)
        await player.sends(RECORD.wire(player, frame), wait=0.1)
        outlived += connection.ending is None
        assert connection.ending is not Ending.OUR_BUG, connection.detail
    if place.endswith("world"):
        assert outlived >= 0.9 * len(frames)
    player.leaves()
    await trio.sleep(15)
    await witnesses.are_well()
    assert loud(caplog.records, logging.ERROR) == []
    assert check_database(easy_town.database) == []


#


@pytest.mark.parametrize("place", [*ACCOUNT_PLACES, "game, at once"])
async def test_r05_random_bytes_and_mangled_frames(
    easy_town: Town,
    witnesses: Witnesses,
    caplog: pytest.LogCaptureFixture,
    autojump_clock: MockClock,
    place: str,
) -> None:
    """At the doors where test_fuzz.py does not stand."""
    caplog.set_level(logging.INFO)
    chance = random.Random(5)
    pool = pool_of(RECORD, place.partition(",")[0])
    for number in range(120):
        player, connection = await at(easy_town, place)
        if number % 3 == 0:
            await player.sends(chance.randbytes(chance.randrange(1, 600)), wait=0.05)
        else:
            if place == "game, at once":
                await trio.sleep(0.3)
            frame = bytearray(chance.choice(pool))
            for _ in range(number % 3 - 1 + chance.randrange(2)):
                frame[chance.randrange(len(frame))] = chance.randrange(256)
            await player.sends(enciphered(player, bytes(frame)), wait=0.05)
        assert connection.ending is not Ending.OUR_BUG, connection.detail
        player.leaves()
        await trio.sleep(0.5)
    await trio.sleep(15)
    await witnesses.are_well()
    assert loud(caplog.records, logging.ERROR) == []


#


@pytest.mark.parametrize("what", FOREIGN)
async def test_r16_foreign_protocols_where_keys_are_exchanged(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, what: str
) -> None:
    caplog.set_level(logging.INFO)
    for _ in range(town.settings.limits.connects_per_10s):
        end = town.connect("co_5065", peer="192.0.2.7")
        await trio.sleep(0.01)
        connection = newest(town)
        await end.send_all(FOREIGN[what])
        await trio.sleep(0.1)
        assert connection.ending is Ending.BAD_PACKET
    town.connect("co_5065", peer="192.0.2.7")
    await trio.sleep(0.1)
    assert "connects too often" in caplog.records[-1].getMessage()
    assert loud(caplog.records) == []


async def test_r23_who_connects_too_often_is_offered_no_keys(
    town: Town, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An offer is a third of a millisecond of everybody's time, and what follows a reply ten times that."""
    drawn: list[Offer] = []
    agreed: list[ExchangeReply] = []
    draw, keys = Offer.draw, Offer.keys

    def counted(entropy: object) -> Offer:
        drawn.append(draw(entropy))  # type: ignore[arg-type] # as it was given
        return drawn[-1]

    def agrees(offer: Offer, reply: ExchangeReply) -> Keys:
        agreed.append(reply)
        return keys(offer, reply)

    monkeypatch.setattr(Offer, "draw", counted)
    monkeypatch.setattr(Offer, "keys", agrees)
    for _ in range(10):
        players = [CoPlayer(town, version=5065, peer="192.0.2.1") for _ in range(100)]
        for player in players:
            player.turns_to("game")
        await trio.sleep(1)
        for player in players:
            player.leaves()
    most = town.settings.limits.connects_per_10s * 4
    ends = 2 if split.wanted() else 1  # by an edge the same is drawn at both ends of the cut
    assert 0 < len(agreed) <= len(drawn) <= most * ends
    honest = CoPlayer(town, version=5065)
    await honest.enters("anna", "Anna")
    assert town.here("Anna")


#


async def test_r17_a_client_of_another_version_is_told_so_in_the_log_and_not_banned(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    town.change("accounts", auto_create=True)
    for _ in range(3):
        old = CoPlayer(town, version=5017, peer="192.0.2.9")
        old.game = "co_5065"
        old.client.token = bytes(range(8))
        old.turns_to("game")
        await old.sends(old.client.connect_bytes())
        assert old.gone
        assert "a client of an older version" in caplog.records[-1].getMessage()
    new = CoPlayer(town, version=5065, peer="192.0.2.9")
    new.game = "co"
    new.turns_to("game")
    await trio.sleep(0.01)
    connection = newest(town)
    await trio.sleep(town.settings.limits.first_byte_seconds + 2)
    assert connection.ending is Ending.TIMED_OUT, "it waits for an offer, and the server for its packet"
    assert loud(caplog.records) == []
    right = CoPlayer(town, version=5065, peer="192.0.2.9")
    await right.enters("anna", "Anna")
    assert town.here("Anna"), "the same address, the right door: no ban"


#


async def test_r20_who_does_not_read_is_cut_off_with_little_kept(
    easy_town: Town, autojump_clock: MockClock
) -> None:
    easy_town.change("network", stalled_seconds=12.0, hard_limit_kib=64)
    easy_town.change("limits", idle_seconds=600.0)
    slow, other = CoPlayer(easy_town, version=5065), CoPlayer(easy_town, version=5065)
    await slow.enters("anna", "Anna")
    connection = newest(easy_town)
    await other.enters("bert", "Bert")
    assert isinstance(slow.end, End)
    slow.end.window = 0
    RECORD.silences(slow)
    kept, lines = 0, 0
    while connection.ending is None and lines < 4000:
        for _ in range(20):
            lines += 1
            await other.end.send_all(other.client.say_bytes("x" * 200))
        await trio.sleep(0.2)
        outbox = connection.session.outbox
        kept = max(kept, connection._unsent() + sum(len(getattr(one, "raw", b"")) for one in outbox))
    assert connection.ending is Ending.TOO_SLOW
    assert kept <= 64 * 1024 + 16 * 1024, "the limit, and what one turn may add"
    assert not other.gone


#


async def test_r24_keys_that_cannot_be_made_cost_one_client(
    easy_town: Town,
    witnesses: Witnesses,
    autojump_clock: MockClock,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level(logging.INFO)

    def fails(offer: Offer, reply: ExchangeReply) -> Keys:
        raise KeyError("injected")

    with monkeypatch.context() as version:
        version.setattr(Offer, "keys", fails)
        player = CoPlayer(easy_town, version=5065)
        player.turns_to("game")
        await trio.sleep(1)
    assert player.gone
    assert [ending for ending, _ in endings(caplog.records)] == [Ending.OUR_BUG.value]
    (line,) = loud(caplog.records, logging.ERROR)
    assert "ExchangeReply" in line
    await witnesses.are_well()
    honest = CoPlayer(easy_town, version=5065)
    await honest.enters("anna", "Anna")
    assert easy_town.here("Anna")


async def test_r24_a_login_that_fails_by_our_mistake_costs_one_client(
    easy_town: Town,
    witnesses: Witnesses,
    autojump_clock: MockClock,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(block: bytes) -> str:
        raise KeyError("injected")

    with monkeypatch.context() as version:
        version.setattr(rc5, "read_password", fails)
        player, connection = await at(easy_town, "account, at once")
        await player.sends(player.client.login_bytes("anna", PASSWORD))
    assert connection.ending is Ending.OUR_BUG
    assert PASSWORD not in caplog.text
    await witnesses.are_well()
