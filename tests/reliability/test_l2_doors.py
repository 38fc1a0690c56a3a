"""What reaches Lineage II's two doors for clients: lengths, checksums, blocks, opcodes and numbers of its
login door, and what both have in common. R-03 to R-07, R-17, R-20 and R-24; what is the same for every game
over streams is in test_wire*.py and test_connection*.py, which begin at the login door and know the table of
the other one."""

from __future__ import annotations

import itertools
import logging
import random
import tracemalloc
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

import attrs
import pytest
import trio

from protocol.endings import Ending, WireError
from protocol.l2 import rsa
from protocol.l2.codec import L2LoginCodec
from protocol.l2.handlers.login import LOGIN
from server.settings.config import parse
from server.store.check import check_database
from tests.kit.fuzzing import examples
from tests.kit.games import GAMES, Person, Witnesses
from tests.kit.l2_bridge import bridge_of
from tests.kit.l2_client import L2Client
from tests.kit.l2_player import L2Player
from tests.kit.pipe import End
from tests.kit.players import PASSWORD
from tests.kit.town import CONFIG, Town
from tests.kit.wire_faults import loud, newest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trio.testing import MockClock

    from protocol.session import Session

pytestmark = pytest.mark.timeout(60)

RECORD = GAMES["l2"]
WHO = Person(1)

PLACES = {
    "login, at once": 1,
    "login, after GameGuard": RECORD.step("login"),
    "login, in the menu": RECORD.step("servers"),
    "game, at once": RECORD.step("version"),
    "game, before the keys": RECORD.step("auth"),
    "game, in the menu": RECORD.step("select"),
    "game, in the world": RECORD.entering,
}
"""Where a client may stand, as the step of the golden session that comes next."""

LOGIN_PLACES = [place for place in PLACES if place.startswith("login")]


async def at(town: Town, place: str, *, variant: str = "") -> L2Player:
    """Somebody who stands there."""
    player = RECORD.player(town, variant)
    assert isinstance(player, L2Player)
    upto = PLACES[place]
    await RECORD.plays(player, WHO, upto=upto)
    if RECORD.steps[upto].redials:
        await player.sends(player.turns_to("game"))
    assert player.end
    await trio.sleep(0.01)
    return player


async def goes_on(town: Town, player: L2Player, place: str) -> None:
    """From that place into the world: nothing that happened there did any harm."""
    for number, step in enumerate(RECORD.steps[PLACES[place] : RECORD.entering]):
        if number == 0 and step.redials:
            await player.sends(player.client.version_bytes())
        else:
            await RECORD.does(player, step)
    assert not player.gone
    assert town.here(WHO.character)


@cache
def honest_frames() -> Sequence[bytes]:
    """What clients may say at the login door, some of each packet."""
    return [frame for kind in RECORD.valid_at("login").values() for frame in examples(kind, 12)]


@pytest.fixture
async def witnesses(easy_town: Town, autojump_clock: MockClock) -> Witnesses:
    """Others, whom nothing may disturb."""
    made = Witnesses(easy_town)
    await made.enter()
    return made


#


async def test_r03_lengths_of_nothing(
    easy_town: Town, witnesses: Witnesses, caplog: pytest.LogCaptureFixture, autojump_clock: MockClock
) -> None:
    """0 and 1 cannot be; 2 is an empty packet, which means nothing and costs no key, unless there are only
    such."""
    caplog.set_level(logging.INFO)
    for place in PLACES:
        for beginning in (b"\0\0", b"\1\0", b"\2\0" * 64):
            player = await at(easy_town, place)
            connection = newest(easy_town)
            await player.sends(beginning)
            assert connection.ending is Ending.BAD_PACKET, place
            assert "bad_length" in connection.detail, place
            await trio.sleep(1)
        player = await at(easy_town, place)
        await player.sends(b"\2\0" * 3)
        await player.sends(b"\2", wait=0.1)
        await player.sends(b"\0", wait=0.1)
        assert newest(easy_town).ending is None, place
        await goes_on(easy_town, player, place)
        player.leaves()
    assert loud(caplog.records) == []
    await witnesses.are_well()


async def test_r03_a_wrong_checksum_ends_its_client_only(
    easy_town: Town, witnesses: Witnesses, caplog: pytest.LogCaptureFixture, autojump_clock: MockClock
) -> None:
    """In either of the two layouts, wherever the bit is that flipped, be it in the checksum."""
    caplog.set_level(logging.INFO)
    for place, (variant, behind) in itertools.product(LOGIN_PLACES, (("746", 8), ("746-other", 4))):
        for offence in ("first", "middle", "last", "none", "other layout"):
            player = await at(easy_town, place, variant=variant)
            connection, codec = newest(easy_town), player.client.codec
            assert isinstance(codec, L2LoginCodec)
            body = bytearray(codec._cipher.decrypt(RECORD.prepared(player, RECORD.steps[PLACES[place]])[2:]))
            checksum = len(body) - behind
            if offence == "none":
                body[checksum : checksum + 4] = bytes(4)
            elif offence == "other layout":
                body[-8:] = body[checksum : checksum + 4] * 2
            else:
                body[{"first": 1, "middle": checksum // 2, "last": checksum}[offence]] ^= 0x10
            await player.sends((len(body) + 2).to_bytes(2, "little") + codec._cipher.encrypt(bytes(body)))
            assert connection.ending is Ending.BAD_PACKET, (place, variant, offence)
            assert "bad_checksum" in connection.detail
            await trio.sleep(0.5)
        player = await at(easy_town, place, variant=variant)
        await goes_on(easy_town, player, place)
        player.leaves()
    assert loud(caplog.records) == []
    await witnesses.are_well()


async def test_r03_a_block_beyond_the_modulus_ends_its_client_only(
    easy_town: Town, witnesses: Witnesses, caplog: pytest.LogCaptureFixture, autojump_clock: MockClock
) -> None:
    caplog.set_level(logging.INFO)
    work = easy_town.passwords.work
    waiting = await at(easy_town, "login, after GameGuard")
    for offset in (0, 1, None):
        for second in (False, True):
            player = await at(easy_town, "login, after GameGuard")
            connection = newest(easy_town)
            modulus = int.from_bytes(rsa.unscramble(player.client.modulus), "big")
            number = (1 << 1024) - 1 if offset is None else modulus + offset
            block = number.to_bytes(128, "big")
            good = rsa.encrypt(player.client.modulus, rsa.credential_block("alric", PASSWORD))
            await player.sends(RECORD.wire(player, b"\0" + (good + block if second else block) + bytes(160)))
            assert connection.ending is Ending.BAD_PACKET
            assert "bad_rsa" in connection.detail
    # The largest that can be, and the smallest, are nobody's password.
    for number in (0, 1, -1):
        player = await at(easy_town, "login, after GameGuard")
        modulus = int.from_bytes(rsa.unscramble(player.client.modulus), "big")
        block = (modulus - 1 if number < 0 else number).to_bytes(128, "big")
        await player.sends(RECORD.wire(player, b"\0" + block + bytes(47)))
        assert player.client.refused == 0x03
    assert easy_town.passwords.work - work <= 3
    await goes_on(easy_town, waiting, "login, after GameGuard")
    assert loud(caplog.records) == []
    await witnesses.are_well()


#

OUT_OF_TURN = {
    "login, at once": {0x00, 0x02, 0x05},
    "login, after GameGuard": {0x02, 0x05, 0x07},
    "login, in the menu": set[int](),
}
"""The numbers that end who stands there because they belong elsewhere."""


async def test_r04_every_number_at_the_login_door(
    easy_town: Town, witnesses: Witnesses, caplog: pytest.LogCaptureFixture, autojump_clock: MockClock
) -> None:
    """What belongs elsewhere ends who has not logged in; later, and what nobody knows, it is skipped."""
    caplog.set_level(logging.INFO)
    for place in LOGIN_PLACES:
        player = await at(easy_town, place)
        outlived, out_of_turn = set(), set()
        for number, size in itertools.product(range(256), (0, 200)):
            if player.gone:
                player = await at(easy_town, place)
            connection = newest(easy_town)
            await player.sends(RECORD.wire(player, bytes((number,)) + bytes(size)), wait=0.02)
            if connection.ending is None:
                outlived.add(number)
            else:
                assert connection.ending in (Ending.WRONG_PHASE, Ending.REFUSED), (number, connection.detail)
                outlived.discard(number)
                if connection.ending is Ending.WRONG_PHASE:
                    out_of_turn.add(number)
                await trio.sleep(0.5)
        assert outlived >= set(range(256)) - {0x00, 0x02, 0x05, 0x07}, place
        assert out_of_turn == OUT_OF_TURN[place]
        assert (0x07 in outlived) is (place == "login, in the menu"), "GameGuard again means nothing"
        player.leaves()
    assert loud(caplog.records) == []
    await witnesses.are_well()


#


async def test_r05_noise_at_the_login_door_costs_its_sender_only(
    easy_town: Town, witnesses: Witnesses, caplog: pytest.LogCaptureFixture, autojump_clock: MockClock
) -> None:
    """Bytes of chance as they are and under the right key, and honest packets with numbers of chance."""
    chance = random.Random(51)
    pool = honest_frames()
    kinds: set[Ending] = set()
    for place in LOGIN_PLACES:
        player = await at(easy_town, place)
        for number in range(30):
            if player.gone:
                player = await at(easy_town, place)
            connection = newest(easy_town)
            frame = bytearray(chance.choice(pool))
            for _ in range(chance.choice((0, 1, 3))):
                where = chance.randrange(len(frame))
                frame[where : where + 4] = chance.randbytes(4)
            if number % 5 == 0:
                frame = bytearray(chance.randbytes(chance.randrange(1, 300)))
            data = RECORD.wire(player, bytes(frame))
            if number % 10 == 0:
                data = chance.randbytes(chance.randrange(2, 400))
            await player.sends(data, wait=0.02)
            if connection.ending is not None:
                kinds.add(connection.ending)
                await trio.sleep(0.3)
        player.leaves()
        await trio.sleep(1)
    assert Ending.OUR_BUG not in kinds
    assert len(kinds) >= 3, "it got somewhere"
    assert loud(caplog.records, logging.ERROR) == []
    await witnesses.are_well()
    assert check_database(easy_town.database) == []


#


async def test_r06_a_recorded_login_is_worth_nothing(
    easy_town: Town, witnesses: Witnesses, caplog: pytest.LogCaptureFixture, autojump_clock: MockClock
) -> None:
    """Its key was of that connection, and so was the number it had to repeat."""
    caplog.set_level(logging.INFO)
    player = RECORD.player(easy_town)
    recorded: list[bytes] = []
    RECORD.introduce(player, WHO)
    for step in RECORD.steps[: RECORD.step("version")]:
        recorded.append(RECORD.prepared(player, step))
        await player.sends(recorded[-1])
    await RECORD.does(player, RECORD.steps[RECORD.step("version")])
    work, login_server = easy_town.passwords.work, bridge_of(easy_town.app).login_side.login_server
    waiting = login_server.waiting(trio.current_time())
    for first in range(1, len(recorded)):
        end = easy_town.connect("l2", "login", peer="192.0.2.66")
        await trio.sleep(0.1)
        connection = newest(easy_town)
        for data in recorded[first:]:
            if connection.ending is None:
                await end.send_all(data)
                await trio.sleep(0.2)
        assert connection.ending is Ending.BAD_PACKET
        assert "bad_checksum" in connection.detail
        end.close()
    assert easy_town.passwords.work == work
    assert login_server.waiting(trio.current_time()) == waiting
    assert loud(caplog.records) == []
    await witnesses.are_well()


async def test_r06_a_packet_said_twice_is_skipped_or_noise(
    easy_town: Town, witnesses: Witnesses, caplog: pytest.LogCaptureFixture, autojump_clock: MockClock
) -> None:
    """At the login door a second login changes nothing; at the other the key has moved on."""
    caplog.set_level(logging.INFO)
    for number, step in enumerate(RECORD.steps[: RECORD.entering + 2]):
        player = RECORD.player(easy_town)
        await RECORD.plays(player, WHO, upto=number)
        data, work = RECORD.prepared(player, step), easy_town.passwords.work
        RECORD.silences(player)
        await player.sends(data * 3)
        assert easy_town.passwords.work - work <= 2, "a password is checked once, or made and hashed"
        player.leaves()
        await trio.sleep(11)
    assert loud(caplog.records) == []
    await witnesses.are_well()
    again = await at(easy_town, "game, in the world")
    assert [line.name for line in again.client.screen.menu or ()] == [WHO.character]
    assert check_database(easy_town.database) == []


#

EXTREMES = (b"\xff", b"\xff\xff", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\x80", bytes(4))


def test_r07_no_number_at_the_login_door_is_believed() -> None:
    """Every packet with the largest and smallest numbers at every place, whole and cut: read, or refused by
    WireError alone."""
    tracemalloc.start()
    try:
        for frame in honest_frames():
            entry = LOGIN.entry(frame[0])
            assert entry is not None
            for where in range(1, min(len(frame), 40)):
                for extreme in EXTREMES:
                    spoilt = frame[:where] + extreme + frame[where + len(extreme) :]
                    for tried in (spoilt, spoilt[: where + len(extreme)], spoilt + bytes(400)):
                        try:
                            entry.decode(tried)
                        except WireError:
                            continue
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


#


async def test_r17_who_speaks_plainly_at_the_login_door_is_sent_away_and_not_banned(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    for body in (b"\x07" + bytes(39), b"\0" + bytes(range(175)), b"\x07\1\2\3"):
        player = L2Player(town, peer="192.0.2.9")
        await player.sends(player.turns_to("login"))
        connection = newest(town)
        await player.sends((len(body) + 2).to_bytes(2, "little") + body)
        assert connection.ending is Ending.BAD_PACKET
    assert loud(caplog.records) == []
    await town.app.accounts.staff.create("alric", PASSWORD)
    honest = L2Player(town, peer="192.0.2.9")
    await honest.gets_keys("alric")


class Deaf(L2Client):
    """A client that enciphers whatever KeyPacket says."""

    def _take_key(self, frame: bytes) -> None:
        super()._take_key(frame[:10] + b"\1\0\0\0" + frame[14:])


async def test_r17_who_enciphers_at_a_plain_door_is_not_heard_and_not_banned(
    nursery: trio.Nursery, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    made = Town(nursery, parse(CONFIG.replace("[listen.l2]", "[listen.l2]\npacket_encryption = false")))
    await made.open()
    for name in ("alric", "berta"):
        await made.app.accounts.staff.create(name, PASSWORD)
    caplog.set_level(logging.INFO)
    player = L2Player(made, peer="192.0.2.9")
    player.client = Deaf(now=trio.current_time, seed=3)
    await player.gets_keys("alric")
    await player.does(player.turns_to("game") + player.client.version_bytes())
    connection = newest(made)
    assert player.client.enciphers is True
    # Enciphered, it may begin like any packet: one that is none ends the connection at once.
    with suppress(BrokenPipeError):
        for _ in range(3):
            await player.does(player.client.auth_bytes())
    assert player.client.screen.menu is None
    await trio.sleep(made.settings.limits.handshake_seconds + 1)
    assert connection.ending is not None
    assert connection.ending is not Ending.OUR_BUG
    assert loud(caplog.records) == []
    plain = L2Player(made, peer="192.0.2.9")
    await plain.enters("berta", "Berta")
    assert plain.client.enciphers is False
    assert made.here("Berta"), "the same address, another client: no ban"


#


async def test_r20_who_asks_for_the_list_and_never_reads_it_is_cut_off(
    easy_town: Town, witnesses: Witnesses, autojump_clock: MockClock
) -> None:
    easy_town.change("network", stalled_seconds=12.0, hard_limit_kib=64)
    player = await at(easy_town, "login, in the menu")
    connection = newest(easy_town)
    assert isinstance(player.end, End)
    player.end.window = 0
    RECORD.silences(player)
    most, began = 0, trio.current_time()
    for _ in range(400):
        if connection.ending is not None:
            break
        await player.sends(player.client.worlds_bytes() * 20, wait=1)
        most = max(most, connection._unsent())
    assert connection.ending is Ending.TOO_SLOW
    assert trio.current_time() - began <= 13
    assert most <= 80 * 1024
    await witnesses.are_well()


#


async def test_r24_a_login_handler_that_fails_costs_its_client_only(
    easy_town: Town,
    witnesses: Witnesses,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    autojump_clock: MockClock,
) -> None:
    caplog.set_level(logging.CRITICAL)

    async def fails(session: Session, packet: object) -> None:
        await trio.lowlevel.checkpoint()
        raise KeyError("injected")

    steps = [RECORD.steps[n] for n in range(1, RECORD.step("version"))]
    said: Sequence[Callable[[L2Player], bytes]] = [step.send for step in steps]
    assert len(said) == len(list(LOGIN))
    for number, send in enumerate(said, start=1):
        player = RECORD.player(easy_town)
        assert isinstance(player, L2Player)
        await RECORD.plays(player, WHO, upto=number)
        connection = newest(easy_town)
        with monkeypatch.context() as patch:
            for entry in list(LOGIN):
                patch.setitem(LOGIN._entries, entry.opcode, attrs.evolve(entry, handler=fails))
            await player.sends(send(player))
        assert connection.ending is Ending.OUR_BUG
        player.leaves()
        await trio.sleep(1)
    assert len(easy_town.doors.connections) == len(witnesses.players)
    await goes_on(easy_town, await at(easy_town, "login, at once"), "login, at once")
    await witnesses.are_well()
