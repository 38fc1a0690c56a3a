"""Traces: what is in the file, what is never in it, and how one ends."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import attrs
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from protocol.services import AccountInfo
from protocol.session import ANY_PHASE, NO_LINK, Phase
from protocol.wire.dump import hex_dump
from server import exits
from server.net import tracing
from server.net.tracing import MOST_TRACES, TraceError, Tracer
from tests.kit.office import Office
from tests.kit.toys import Hello, Say, Step

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from trio.testing import MockClock

    from protocol.dispatch import Entry
    from protocol.session import Session
    from tests.kit.office import Client


def connected(office: Office, account: str | None = "bobby") -> Client:
    """Somebody is connected, logged in or not."""
    client = office.client()
    if account is not None:
        log_in(client, account)
    return client


def log_in(client: Session, account: str) -> None:
    client.account = AccountInfo(7, account, 0)
    client.phase = Phase.MENU


@pytest.fixture
async def office(nursery: trio.Nursery, tmp_path: Path) -> Office:
    return await Office(state_dir=tmp_path).open(nursery)


def directory(office: Office) -> Path:
    """Where its traces are."""
    return office.settings.server.state_dir / tracing.FOLDER


def entry(client: Session, packet: type) -> Entry[Session]:
    """The row of a packet, as a connection finds it."""
    table = client.family.doors[client.door].table
    found = next(row for row in table if row.packet is packet)
    return attrs.evolve(found, phases=ANY_PHASE)


def lines(tracer: Tracer) -> list[str]:
    """What was written so far."""
    return tracer.path.read_text(encoding="utf-8").splitlines()


def told(tracer: Tracer) -> list[str]:
    """The same, of each line what follows the time."""
    return [line[13:] for line in lines(tracer)]


# The dump


def test_a_dump_has_sixteen_bytes_a_line() -> None:
    assert list(hex_dump(bytes(range(0x39, 0x4B)))) == [
        "0000: 39 3a 3b 3c 3d 3e 3f 40 41 42 43 44 45 46 47 48  9:;<=>?@ABCDEFGH",
        "0010: 49 4a                                            IJ",
    ]
    assert list(hex_dump(b"\0a\x7f\xff\n~ ")) == [
        "0000: 00 61 7f ff 0a 7e 20                             .a...~ ",
    ]
    assert list(hex_dump(b"")) == []


@given(st.binary(max_size=700))
def test_a_dump_is_the_data(data: bytes) -> None:
    lines = list(hex_dump(data))
    assert len(lines) == (len(data) + 15) // 16
    assert bytes.fromhex("".join(line[6:53] for line in lines)) == data


async def test_packets_in_both_directions_with_time_session_and_door(
    office: Office, autojump_clock: MockClock
) -> None:
    client = connected(office)
    tracer = office.tracing.start("bobby", 1)
    await trio.sleep(0.25)
    say = Say(text=b"hail")
    tracer.received(client, entry(client, Say), say.encode())
    tracer.sent(client, b"\x0b\x00\x01")
    await trio.sleep(1)
    assert lines(tracer) == [
        "    0.000000 #1 brook/game -- from 127.0.0.1 to 127.0.0.1:2593, MENU",
        f"    0.250000 #1 brook/game <- {say!r}, 5 bytes",
        "    0000: 04 68 61 69 6c                                   .hail",
        "    0.250000 #1 brook/game -> 3 bytes",
        "    0000: 0b 00 01                                         ...",
    ]


async def test_it_can_be_followed_while_it_goes_on(office: Office, autojump_clock: MockClock) -> None:
    client = connected(office)
    tracer = office.tracing.start("bobby", 1)
    tracer.line(client, "first")
    assert lines(tracer) == []
    await trio.sleep(1.01)
    assert told(tracer)[-1] == "#1 brook/game -- first"


async def test_all_sessions_of_the_account_also_later_ones(office: Office) -> None:
    early, other = connected(office), connected(office, "carol")
    tracer = office.tracing.start("bobby", 1)
    late, stranger = connected(office, None), connected(office, None)
    assert office.tracing.of_session(late) is None
    assert office.tracing.of_session(other) is None
    assert office.tracing.of_session(stranger) is None
    log_in(late, "bobby")
    assert office.tracing.of_session(early) is tracer
    assert office.tracing.of_session(late) is tracer
    office.tracing.stop("bobby")
    begun = [line for line in told(tracer) if " -- from " in line]
    assert [line.split()[0] for line in begun] == [f"#{early.id}", f"#{late.id}"]


async def test_the_lines_of_a_codec_come_too_until_the_trace_ends(office: Office) -> None:
    client = connected(office)
    tracer = office.tracing.start("bobby", 1)
    speak: Callable[[str], None] | None = client.codec.trace
    assert speak is not None
    speak("crc good\nand more")
    speak("0000: 00 09  ..")
    office.tracing.stop("bobby")
    assert told(tracer)[1] == "#1 brook/game -- crc good"
    assert lines(tracer)[2:4] == ["    and more", "    0000: 00 09  .."]
    assert client.codec.trace is None
    speak("too late")
    assert "too late" not in tracer.path.read_text()


async def test_who_leaves_is_let_go(office: Office, autojump_clock: MockClock) -> None:
    client = connected(office)
    tracer = office.tracing.start("bobby", 1)
    client.link = NO_LINK
    await trio.sleep(1.01)
    assert told(tracer)[-1] == "#1 brook/game -- is gone"
    assert client.codec.trace is None
    assert office.tracing.of_session(client) is tracer
    assert client.codec.trace is None, "what was said last does not bring it back"


async def test_a_packet_that_cannot_be_read_is_told_as_it_came(office: Office) -> None:
    client = connected(office)
    tracer = office.tracing.start("bobby", 1)
    tracer.received(client, entry(client, Step), b"\x03")
    office.tracing.stop("bobby")
    assert told(tracer)[1].startswith("#1 brook/game <- Step cannot be read: ")
    assert lines(tracer)[2] == f"    {next(hex_dump(bytes([3])))}"


async def test_text_of_strangers_stays_on_its_line(office: Office) -> None:
    client = connected(office)
    tracer = office.tracing.start("bobby", 1)
    tracer.line(client, "red \x1b[31m\r")
    office.tracing.stop("bobby")
    assert told(tracer)[1] == "#1 brook/game -- red \\x1b[31m\\x0d"


async def test_a_huge_packet_is_cut(office: Office) -> None:
    client = connected(office)
    tracer = office.tracing.start("bobby", 1)
    tracer.sent(client, bytes(5000))
    tracer.received(client, entry(client, Say), b"\x04" + b"x" * 9000)
    office.tracing.stop("bobby")
    written = lines(tracer)
    assert "    and 904 more" in written
    assert "    and 4905 more" in written
    assert max(map(len, written)) < 4200


# What is never in it


async def test_a_packet_with_a_password_is_named_and_not_shown(office: Office) -> None:
    client = connected(office)
    tracer = office.tracing.start("bobby", 1)
    secret = attrs.evolve(entry(client, Hello), secret=True)
    tracer.received(client, secret, Hello(name=b"sesame").encode())
    some = attrs.evolve(entry(client, Say), secret=lambda packet: ".sesame" in repr(packet))
    tracer.received(client, some, Say(text=b".sesame").encode())
    tracer.received(client, some, Say(text=b"open").encode())
    office.tracing.stop("bobby")
    text = tracer.path.read_text()
    assert "Hello (not shown: it carries a password), 7 bytes" in text
    assert "Say (not shown: it carries a password), 8 bytes" in text
    assert "open" in text
    assert "sesame" not in text
    assert b"sesame".hex(" ") not in text


async def test_what_is_unknown_is_not_shown(office: Office) -> None:
    """It may be another version's way to send a password."""
    client = connected(office)
    tracer = office.tracing.start("bobby", 1)
    tracer.received(client, None, b"\x63sesame")
    office.tracing.stop("bobby")
    assert told(tracer)[1:-1] == ["#1 brook/game <- unknown opcode 0x0063, 7 bytes"]


async def test_a_ticket_is_not_shown(office: Office) -> None:
    client = connected(office)
    tracer = office.tracing.start("bobby", 1)
    tracer.sent(client, b"sesame", secret=True)
    office.tracing.stop("bobby")
    assert told(tracer)[1:-1] == [
        "#1 brook/game -> 6 bytes (not shown: it carries a key)",
    ]


# The file


async def test_nobody_else_can_read_it(office: Office) -> None:
    before = os.umask(0)
    try:
        tracer = office.tracing.start("bobby", 1)
    finally:
        os.umask(before)
    assert stat.S_IMODE(tracer.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(directory(office).stat().st_mode) == 0o700
    assert tracer.path.name == "bobby-20231114-221320.log"


async def test_a_name_from_elsewhere_leads_nowhere_else(office: Office) -> None:
    tracer = office.tracing.start("../../Ülli", 1)
    assert tracer.path.parent == directory(office)
    assert tracer.path.name.startswith("_______lli-")


async def test_old_files_make_room(office: Office) -> None:
    directory(office).mkdir()
    for number in range(tracing.KEPT + 5):
        path = directory(office) / f"old-{number}.log"
        path.touch()
        os.utime(path, (number, number))
    tracer = office.tracing.start("bobby", 1)
    left = set(directory(office).iterdir())
    assert len(left) == tracing.KEPT
    assert tracer.path in left
    assert directory(office) / "old-5.log" not in left
    assert directory(office) / "old-6.log" in left


# Its end


async def test_it_ends_when_its_time_is_over(office: Office, autojump_clock: MockClock) -> None:
    client = connected(office)
    tracer = office.tracing.start("bobby", 2)
    await trio.sleep(119.9)
    assert office.tracing.of("bobby") is tracer
    await trio.sleep(0.2)
    assert office.tracing.of("bobby") is None
    assert office.tracing.of_session(client) is None
    assert list(office.tracing) == []
    assert lines(tracer)[-1] == "  120.000000 the trace ends: its time is over"
    tracer.sent(client, b"late")
    assert lines(tracer)[-1] == "  120.000000 the trace ends: its time is over"


async def test_it_ends_when_the_file_is_full(
    office: Office, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    client = connected(office)
    tracer = Tracer("bobby", tmp_path / "small.log", clock=trio.current_time, most_bytes=1000)
    while not tracer.ended:
        tracer.sent(client, b"0123456789")
    assert "as long as it may get" in lines(tracer)[-1]
    assert 800 < tracer.path.stat().st_size < 1000 + len(lines(tracer)[-1]) + 1


async def test_who_comes_to_a_full_file_is_let_go(office: Office, tmp_path: Path) -> None:
    client = connected(office)
    tracer = Tracer("bobby", tmp_path / "small.log", clock=trio.current_time, most_bytes=10)
    tracer.meet(client)
    assert tracer.ended
    assert client.codec.trace is None


async def test_what_waits_does_not_fill_the_memory(office: Office) -> None:
    """More than MOST_WAITING is written before the second is over."""
    client = connected(office)
    tracer = office.tracing.start("bobby", 1)
    for _ in range(100):
        tracer.sent(client, bytes(4096))
    assert tracer.path.stat().st_size > tracing.MOST_WAITING


async def test_it_ends_with_the_server(office: Office, autojump_clock: MockClock) -> None:
    tracer = office.tracing.start("bobby", 60)
    await trio.sleep(5)
    office.stop(exits.GOOD)
    await trio.sleep(1)
    assert lines(tracer)[-1] == "    5.000000 the trace ends: the server stops"


async def test_a_disk_that_refuses_ends_it_and_nothing_else(
    office: Office,
    autojump_clock: MockClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    client = connected(office)
    tracer = office.tracing.start("bobby", 10)

    def full(file: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    tracer.sent(client, b"lost")
    await trio.sleep(3)
    assert "No space left on device" in tracer.ended
    assert office.tracing.of("bobby") is None
    assert client.codec.trace is None
    assert sum("No space left on device" in record.getMessage() for record in caplog.records) == 1
    tracer.sent(client, b"more")
    assert office.tracing.of_session(client) is None


async def test_a_short_write_is_gone_on_with(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    client = connected(office)
    tracer = office.tracing.start("bobby", 1)
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, bytes(data[:7])))
    tracer.line(client, "all of this")
    office.tracing.stop("bobby")
    assert told(tracer)[1] == "#1 brook/game -- all of this"
    assert told(tracer)[-1] == "the trace ends: staff said so"


async def test_without_a_directory_there_is_no_trace(office: Office) -> None:
    directory(office).write_text("a file is here")
    with pytest.raises(TraceError, match="no trace can be written"):
        office.tracing.start("bobby", 1)
    assert list(office.tracing) == []


async def test_a_second_one_takes_the_place_of_the_first(office: Office, autojump_clock: MockClock) -> None:
    client = connected(office)
    first = office.tracing.start("bobby", 1)
    second = office.tracing.start("bobby", 10)
    assert first.path != second.path
    assert lines(first)[-1].endswith("the trace ends: another one begins")
    await trio.sleep(70)
    assert office.tracing.of_session(client) is second, "the end of the first is not the end of the second"
    assert client.codec.trace is not None


async def test_only_so_many_at_a_time(office: Office) -> None:
    for number in range(MOST_TRACES):
        office.tracing.start(f"bobby{number}", 1)
    with pytest.raises(TraceError, match="8 traces already"):
        office.tracing.start("carol", 1)
    office.tracing.stop("bobby3")
    assert office.tracing.start("carol", 1)


@pytest.mark.parametrize("minutes", [0, -1, 61, float("nan")])
async def test_so_long_and_no_longer(office: Office, minutes: float) -> None:
    with pytest.raises(TraceError, match="from 1 to 60 minutes"):
        office.tracing.start("bobby", minutes)


async def test_what_is_not_traced_cannot_be_ended(office: Office) -> None:
    with pytest.raises(TraceError, match="account bobby is not traced"):
        office.tracing.stop("bobby")
