"""An independent version-546 client on the wire: short datagrams, loss, keep-alive, and leaving."""

from __future__ import annotations

import random
import struct
from typing import TYPE_CHECKING

import pytest
import trio

from tests.eq2.independent.line import Line, crc
from tests.eq2.independent.messages import Targeted, Teleport
from tests.eq2.independent.person import Person, s16, typed
from tests.kit.eq2_visit import Zone, gather, ghost_of, into_the_world, is_well, until
from tests.kit.town import Town

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.datagrams import ClientEnd


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    """A running server over seeded chance and virtual time."""
    running = Town(nursery)
    await running.open()
    return running


@pytest.fixture
def zone(town: Town) -> Zone:
    """The realm's."""
    atlas = town.content.charts["confluence"].atlas["eq2"]
    return Zone(float(str(atlas["x"])), float(str(atlas["y"])), float(str(atlas["z"])))


@pytest.mark.parametrize("longest", [128, 200])
async def test_short_datagrams(town: Town, zone: Zone, autojump_clock: MockClock, longest: int) -> None:
    """A client says how long a datagram may be, and everything longer comes in fragments."""
    cora = Person(town, "cora", longest=longest)
    await into_the_world(cora, "Cora")
    gather(town, "Cora")
    await until(lambda: bool(cora.all(Teleport)))
    cora.types_command("ooc", "A long story. " * 40)
    cora.uploads_a_log(2000)
    await trio.sleep(5)
    assert not cora.line.closed
    assert sum(line.fragments for line in cora.lines) > 3
    is_well(cora)


async def test_motion_that_nobody_acknowledges(town: Town, zone: Zone, autojump_clock: MockClock) -> None:
    """Unreliable messages share the keystream with the others: each is decrypted when it comes."""
    cora = Person(town, "cora")
    await into_the_world(cora, "Cora")
    gather(town, "Cora")
    await until(lambda: bool(cora.all(Teleport)))
    me = town.mobile("Cora")
    x, y, z = zone.middle(me.x, me.y)
    for step in range(1, 300):
        cora.moves((x + step % 8 / 4, y, z), 90.0, 2.0, loosely=step % 3 > 0)
        await trio.sleep(0.2)
    cora.moves((x + 2, y, z), 90.0)
    await until(lambda: zone.tile((x + 2, y, z)) == (me.x, me.y))
    cora.types_command("who")
    await until(lambda: any("Cora" in line for line in cora.shown()))
    is_well(cora)


async def test_a_message_whose_first_byte_is_zero(town: Town, zone: Zone, autojump_clock: MockClock) -> None:
    """One in 256 begins with a zero when it is encrypted, which gets another one before it."""
    cora = Person(town, "cora")
    await into_the_world(cora, "Cora")
    barnaby, osric = ghost_of(cora, "Barnaby"), ghost_of(cora, "Osric")
    before = len(cora.all(Targeted))
    for turn in range(2000):
        cora.targets((barnaby, osric)[turn % 2].index)
        await trio.sleep(0.2)
        if cora.line.escaped_alone >= 2:
            break
    assert cora.line.escaped_alone >= 2
    aimed = [targeted.id for targeted in cora.all(Targeted)[before:]]
    assert aimed == [(barnaby, osric)[turn % 2].id for turn in range(len(aimed))]
    assert len(aimed) == turn + 1
    is_well(cora)


def frame(line: Line, plain: bytes) -> bytes:
    """A datagram of this session."""
    assert line.seed is not None
    return plain + crc(line.seed, plain)


async def test_the_manners_of_the_wire(town: Town, autojump_clock: MockClock) -> None:
    end = town.datagrams("eq2", "login")
    for number in range(2):
        end.send(bytes.fromhex(f"0009000{number}41424344"))
    assert [datagram[:2] for datagram in await answers(end)] == [b"\0\x1d"], "there is no such session"
    line = await _comes_in(end)
    await _logs_in_out_of_order(end, line)

    # Another request for statistics brings statistics alone.
    end.send(frame(line, struct.pack(">HHIIIIIQQ", 7, 1, 0, 0, 0, 0, 0, 1, 0)))
    assert [datagram[:4] for datagram in await answers(end)] == [b"\0\x08\0\x01"]

    # Goodbye, with the wrong session and with the right one.
    end.send(frame(line, struct.pack(">HIH", 5, line.session ^ 1, 6)))
    assert await answers(end) == []
    end.send(frame(line, struct.pack(">HIH", 5, line.session, 6)))
    assert [datagram[:6] for datagram in await answers(end)] in (
        [],
        [struct.pack(">HI", 5, line.session)],
    )
    for number in range(2):
        end.send(frame(line, struct.pack(">HH", 0x15, number)))
    assert [datagram[:2] for datagram in await answers(end)] == [b"\0\x1d"]


async def answers(end: ClientEnd) -> list[bytes]:
    """What comes within half a second."""
    await trio.sleep(0.5)
    got = []
    while (datagram := end.receive_nowait()) is not None:
        got.append(datagram)
    return got


async def _comes_in(end: ClientEnd) -> Line:
    """A session from the request to the key; what is broken on the way is nothing."""
    line = Line(random.Random(5))
    line.connect(trio.current_time())
    (request,) = line.datagrams
    line.datagrams.clear()
    end.send(request)
    end.send(request)
    first, second = await answers(end)
    assert first == second, "asked again, answered again, of one seed"
    line.receive(first, trio.current_time())
    (stats,) = line.datagrams
    line.datagrams.clear()
    end.send(stats[:-1] + bytes([stats[-1] ^ 1]))
    assert await answers(end) == [], "a wrong checksum is nothing"
    end.send(stats)
    got = await answers(end)
    for datagram in got:
        line.receive(datagram, trio.current_time())
    assert line.keyed
    key_reply = line.datagrams.pop()
    end.send(frame(line, b"\0\x06"))
    got = await answers(end)
    assert all(b"\0\x06" not in (datagram[:2], datagram[3:5]) for datagram in got), "never echoed"
    end.send(key_reply)
    await answers(end)

    return line


async def _logs_in_out_of_order(end: ClientEnd, line: Line) -> None:
    """A second message before the first, and each of them twice."""
    body = s16("") + s16("") + s16("cora") + s16("secret1") + struct.pack("<IIH", 0, 0, 546)
    line.send(typed(0, body))
    line.flush(trio.current_time())
    line.send(typed(7))
    line.flush(trio.current_time())
    login, ask = line.datagrams
    line.datagrams.clear()
    end.send(ask)
    assert [datagram[:4] for datagram in await answers(end)] == [b"\0\x11\0\x02"], "it came too early"
    end.send(login)
    for datagram in await answers(end):
        line.receive(datagram, trio.current_time())
    assert [message[0] for message in line.messages][:3] == [4, 8, 10]
    for acknowledgement in line.datagrams:
        end.send(acknowledgement)
    end.send(login)
    end.send(ask)
    acks = b"".join(await answers(end))
    assert b"\0\x11\0\x01" in acks
    assert b"\0\x11\0\x02" in acks
    assert len(line.messages) == 3, "nothing is done twice"


async def test_nothing_to_say_for_minutes(town: Town, autojump_clock: MockClock) -> None:
    """Two sides that only tell each other that they are there stay together."""
    cora = Person(town, "cora")
    await into_the_world(cora, "Cora")
    await trio.sleep(300)
    assert not cora.line.closed
    cora.types_command("who")
    await until(lambda: any("Cora" in line for line in cora.shown()))
    is_well(cora)
