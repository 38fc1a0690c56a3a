"""Recorded sessions played again, packets sent twice, other protocols, other kinds of client: R-06, R-16 and
R-17, for every game of `tests.kit.games`."""

from __future__ import annotations

import logging
import socket
from typing import TYPE_CHECKING

import pytest
import trio
import trio.lowlevel

from protocol.endings import Ending
from server.net.listening import Listening
from server.settings.config import parse
from tests.kit.games import GAMES, STREAM_DOORS, Person, Witnesses
from tests.kit.pipe import End, pipe
from tests.kit.players import PASSWORD, EoPlayer, UoPlayer
from tests.kit.town import CONFIG, Town
from tests.kit.wire_faults import (
    SPLIT,
    endings,
    loud,
    newest,
)

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.pipe import End
    from tests.kit.players import Datagrams

pytestmark = pytest.mark.timeout(180)


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


GUARDED = [(game, variant) for game, variant in SPLIT if game != "web"]
"""Clients that do not say their password as it is. A browser does: there it is TLS that guards it, before the
server's door."""


@pytest.mark.parametrize(("game", "variant"), GUARDED, ids=[f"{g}-{v}" for g, v in GUARDED])
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
            end = town.connect(player.game)
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

FOREIGN = {
    "http": b"GET / HTTP/1.1\r\nHost: example\r\n\r\n",
    "tls": bytes.fromhex("16030100c8010000c40303") + bytes(190),
    "ssh": b"SSH-2.0-OpenSSH_9.2\r\n",
    "proxy": b"PROXY TCP4 192.0.2.1 192.0.2.2 1000 2593\r\n",
    "proxy v2": b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c" + bytes(12),
}


BARE = [(game, door) for game, door in STREAM_DOORS if game != "web"]
"""Doors to which strangers' bytes come as they are. To the web's lead only messages of WebSocket."""


@pytest.mark.parametrize("what", FOREIGN)
@pytest.mark.parametrize(("game", "door"), BARE, ids=[f"{g}-{d}" for g, d in BARE])
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
        family = self.town.families_there[game]
        settings = {"encryption": getattr(self.town.settings.listen[game], "encryption", "auto")}
        with socket.socket() as unused:
            listening = Listening(game, family, door, unused, settings)
        self.nursery.start_soon(self.town.doors.serve, family, door, theirs, listening)
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
