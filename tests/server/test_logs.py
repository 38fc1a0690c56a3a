"""Logs: what strangers write cannot forge, drive or fill them (R-47)."""

import io
import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from server import logs
from server.settings.config import Log

NASTY = "Bob\n2026-01-01 00:00:00.000 INFO     admin    owner granted\r\x1b[2J\x9b2J\u202eevil\u2028\x00"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def logging_restored() -> Iterator[None]:
    root = logging.getLogger()
    before = (root.handlers[:], root.level)
    yield
    logs.close()
    # The categories that a test set, too: the tests after these look at lines of theirs.
    logs.apply_levels(Log())
    root.setLevel(before[1])
    assert root.handlers == before[0]


@pytest.fixture
def console() -> io.StringIO:
    return io.StringIO()


def entries(state_dir: Path) -> list[dict[str, object]]:
    text = (state_dir / "logs/causeway.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_a_record_is_a_line_for_people_and_an_object_for_programs(
    tmp_path: Path, console: io.StringIO
) -> None:
    logs.setup(Log(), tmp_path, console=console)
    logging.getLogger("net.uo").warning("left: %s after %d s", "Bob", 5)
    line = console.getvalue()
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} WARNING  net\.uo   left: Bob after 5 s\n", line
    )
    (entry,) = entries(tmp_path)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", str(entry.pop("time")))
    assert entry == {"level": "WARNING", "category": "net.uo", "message": "left: Bob after 5 s"}


def test_without_json_there_is_no_file(tmp_path: Path, console: io.StringIO) -> None:
    logs.setup(Log(json=False), tmp_path, console=console)
    logging.getLogger("world").info("hello")
    assert "hello" in console.getvalue()
    assert list(tmp_path.iterdir()) == []


def test_an_absolute_path_is_taken_as_it_is(tmp_path: Path, console: io.StringIO) -> None:
    logs.setup(Log(file=tmp_path / "here.jsonl"), tmp_path / "state", console=console)
    assert (tmp_path / "here.jsonl").exists()


def test_strangers_cannot_forge_lines_or_drive_the_terminal(tmp_path: Path, console: io.StringIO) -> None:
    logs.setup(Log(), tmp_path, console=console)
    logging.getLogger("net.eo").info("name: %s", NASTY)
    text = console.getvalue()
    assert text.count("\n") == 1
    assert text.endswith("\n")
    assert all(character.isprintable() for character in text[:-1])
    assert r"Bob\x0a2026" in text
    assert r"\x1b[2J\x9b2J\u202eevil\u2028\x00" in text
    (entry,) = entries(tmp_path)
    assert str(entry["message"]).isprintable()


def test_an_exception_cannot_forge_lines_either(tmp_path: Path, console: io.StringIO) -> None:
    logs.setup(Log(), tmp_path, console=console)
    try:
        raise ValueError(NASTY)
    except ValueError:
        logging.getLogger("net.eo").exception("handler failed")
    first, *rest = console.getvalue().removesuffix("\n").split("\n")
    assert first.endswith("handler failed")
    assert rest
    assert all(line.startswith("    ") and line.isprintable() for line in rest)
    (entry,) = entries(tmp_path)
    assert "ValueError: Bob" in str(entry["traceback"])


def test_half_a_character_can_be_written() -> None:
    assert logs.escape("a\ud800b") == r"a\ud800b"


def test_ordinary_text_of_any_language_is_left_alone() -> None:
    assert logs.escape("Grüße, 世界 🗡") == "Grüße, 世界 🗡"


def test_a_message_has_a_ceiling(tmp_path: Path, console: io.StringIO) -> None:
    logs.setup(Log(), tmp_path, console=console)
    logging.getLogger("net.uo").info("frame: %s", "A" * 100_000)
    assert len(console.getvalue()) < logs.MESSAGE_LIMIT + 200
    assert "more characters)" in console.getvalue()


def test_a_badly_formatted_message_still_comes_out() -> None:
    record = logging.LogRecord("world", logging.ERROR, __file__, 1, "%d orcs", ("many",), None)
    assert "%d orcs ('many',) (badly formatted: " in logs._Lines(colour=False).format(record)


def test_colour_only_on_a_terminal(tmp_path: Path, console: io.StringIO) -> None:
    logs.setup(Log(), tmp_path, console=console)
    logging.getLogger("world").error("plain")
    assert "\x1b" not in console.getvalue()
    terminal = Terminal()
    logs.setup(Log(), tmp_path, console=terminal)
    logging.getLogger("world").error("bright")
    assert terminal.getvalue().startswith("\x1b[31m")
    assert terminal.getvalue().endswith("\x1b[0m\n")


def test_a_flood_of_bad_packets_stays_below_a_mebibyte(tmp_path: Path, console: io.StringIO) -> None:
    logs.setup(Log(), tmp_path, console=console)
    log = logging.getLogger("net.uo")
    for number in range(100_000):
        log.warning("bad packet from %s: %s", f"192.0.2.{number % 256}", NASTY)
    log.warning("another line")
    logs.close()
    assert sum(path.stat().st_size for path in (tmp_path / "logs").iterdir()) < 1024 * 1024
    assert len(console.getvalue()) < 1024 * 1024
    text = console.getvalue()
    assert "another line" in text
    held = [
        int(count)
        for count in re.findall(
            r"(\d+) more lines like this were held back: bad packet from 192\.0\.2\.", text
        )
    ]
    assert held
    assert text.count("bad packet from 192.0.2.") - len(held) + sum(held) == 100_000


def test_each_window_says_what_it_held_back() -> None:
    records: list[str] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(record.getMessage())

    now = 0.0
    gate = logs._Gate([Collector()], clock=lambda: now)
    flood = logging.makeLogRecord({"name": "net.uo", "levelno": logging.INFO, "msg": "bad"})
    for _ in range(logs.RATE_LIMIT + 3):
        gate.handle(flood)
    gate.handle(logging.makeLogRecord({"name": "net.eo", "levelno": logging.INFO, "msg": "bad"}))
    assert records == ["bad"] * (logs.RATE_LIMIT + 1)
    now = logs.RATE_SECONDS
    gate.handle(flood)
    assert records[logs.RATE_LIMIT + 1 :] == ["3 more lines like this were held back: bad", "bad"]


def test_what_was_held_back_is_told_by_an_example_that_is_harmless(
    tmp_path: Path, console: io.StringIO
) -> None:
    logs.setup(Log(), tmp_path, console=console)
    log = logging.getLogger("net.l2")
    for number in range(logs.RATE_LIMIT + 3):
        log.warning("%s said %d of %s", NASTY, number, "100 %s")
    logs.close()
    last = console.getvalue().splitlines()[-1]
    assert "3 more lines like this were held back: Bob\\x0a2026" in last
    assert last.endswith(f" said {logs.RATE_LIMIT} of 100 %s")
    assert last.isprintable()
    assert str(entries(tmp_path)[-1]["message"]).endswith(f" said {logs.RATE_LIMIT} of 100 %s")


def test_debug_lines_are_not_held_back(tmp_path: Path, console: io.StringIO) -> None:
    logs.setup(Log(level="TRACE"), tmp_path, console=console)
    for number in range(3 * logs.RATE_LIMIT):
        logs.trace(logging.getLogger("net.uo"), "packet %d", number)
    assert console.getvalue().count("TRACE    net.uo   packet ") == 3 * logs.RATE_LIMIT


def test_levels_per_category_change_while_running(tmp_path: Path, console: io.StringIO) -> None:
    uo, eo = logging.getLogger("net.uo"), logging.getLogger("net.eo")
    logs.setup(Log(level="INFO", levels={"net.uo": "TRACE", "net.eo": "ERROR"}), tmp_path, console=console)
    logs.trace(uo, "one")
    eo.warning("two")
    logs.apply_levels(Log(level="DEBUG", levels={"net.uo": "WARNING"}))
    uo.info("three")
    eo.debug("four")
    assert re.findall("one|two|three|four", console.getvalue()) == ["one", "four"]


def test_the_file_is_rotated_and_old_ones_go(
    tmp_path: Path, console: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "FILE_BYTES", 1_000)
    logs.setup(Log(level="DEBUG"), tmp_path, console=console)
    for number in range(500):
        logging.getLogger("world").debug("line %d", number)
    logs.close()
    files = list((tmp_path / "logs").iterdir())
    assert len(files) == logs.FILE_COUNT
    assert all(path.stat().st_size <= 1_000 for path in files)
    assert entries(tmp_path)[-1]["message"] == "line 499"


def test_a_full_disk_is_said_once_and_costs_only_the_file(
    tmp_path: Path, console: io.StringIO, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> bool:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(logs._File, "shouldRollover", full)
    logs.setup(Log(), tmp_path, console=console)
    logging.getLogger("world").info("one")
    logging.getLogger("world").info("two")
    assert re.findall("one|two", console.getvalue()) == ["one", "two"]
    assert capsys.readouterr().err.count("No space left on device") == 1


def test_setup_twice_logs_once(tmp_path: Path, console: io.StringIO) -> None:
    logs.setup(Log(), tmp_path, console=io.StringIO())
    logs.setup(Log(), tmp_path, console=console)
    logging.getLogger("world").info("hello")
    assert console.getvalue().count("hello") == 1
