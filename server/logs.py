"""Logging: lines for people on the console, JSON for programs in a rotated file.

Stdlib logging; a category is a logger's name ("net.uo", "world", "store"). Part of what is logged was written
by strangers, and a log must not become their tool, so three things are added:

- escaping: what could forge a line or drive a terminal is written as \\x1b and the like;
- a ceiling: a message is cut at MESSAGE_LIMIT characters;
- a rate: of one category and format string, RATE_LIMIT records pass in RATE_SECONDS, and one line says how
  many did not. So write log.info("left: %s", name), never an f-string: the format string is what identifies a
  line. DEBUG and TRACE are exempt, since whoever turns them on wants all of it.
"""

import json
import logging
import logging.handlers
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from server.settings import config

TRACE = 5  # below logging.DEBUG (10): every packet

MESSAGE_LIMIT = 2_000
RATE_LIMIT = 50
RATE_SECONDS = 10.0
RATE_KEYS = 1_000  # format strings remembered; they come from our code, so more than this is a bug of ours

FILE_BYTES = 10 * 1024 * 1024
FILE_COUNT = 10

# Libraries whose INFO is of no interest to an operator. [log.levels] overrides.
_QUIET = {"alembic": "WARNING", "sqlalchemy": "WARNING"}

_COLOURS = {
    logging.DEBUG: "\x1b[2m",
    logging.WARNING: "\x1b[33m",
    logging.ERROR: "\x1b[31m",
    logging.CRITICAL: "\x1b[1;31m",
}
_RESET = "\x1b[0m"

_gate: "_Gate | None" = None
_levelled: set[str] = set()


def setup(settings: config.Log, state_dir: Path, *, console: TextIO | None = None) -> None:
    """Log to `console` (standard error) and, with `settings.json`, to the file.

    Raises OSError if the file cannot be opened.
    """
    global _gate
    close()
    logging.addLevelName(TRACE, "TRACE")
    stream = sys.stderr if console is None else console
    people = logging.StreamHandler(stream)
    people.setFormatter(_Lines(colour=stream.isatty()))
    handlers: list[logging.Handler] = [people]
    if settings.json:
        path = state_dir / settings.file
        path.parent.mkdir(parents=True, exist_ok=True)
        programs = _File(path)
        programs.setFormatter(_Json())
        handlers.append(programs)
    _gate = _Gate(handlers)
    logging.getLogger().addHandler(_gate)
    logging.captureWarnings(True)
    apply_levels(settings)


def close() -> None:
    """Say what was held back, close the file, and undo `setup`."""
    global _gate
    if _gate is None:
        return
    logging.getLogger().removeHandler(_gate)
    logging.captureWarnings(False)
    _gate.close()
    _gate = None
    _set_levels("WARNING", {})


def apply_levels(settings: config.Log) -> None:
    """Take over the levels, also while running. Categories no longer named return to the general level."""
    _set_levels(settings.level, {**_QUIET, **settings.levels})


def _set_levels(general: str, categories: dict[str, str]) -> None:
    logging.getLogger().setLevel(general)
    for name in _levelled - categories.keys():
        logging.getLogger(name).setLevel(logging.NOTSET)
    for name, level in categories.items():
        logging.getLogger(name).setLevel(level)
    _levelled.clear()
    _levelled.update(categories)


def trace(logger: logging.Logger, message: str, *values: object) -> None:
    """Log below DEBUG. Costs one call and one comparison when it is off."""
    if logger.isEnabledFor(TRACE):
        logger.log(TRACE, message, *values, stacklevel=2)


# Control characters (C0, DEL, C1), Unicode's own line ends, and the marks that reorder the text around them.
_UNSAFE = [*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_ESCAPES = {code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" for code in _UNSAFE}
# Half a character cannot be written as UTF-8.
_ESCAPES |= {code: f"\\u{code:04x}" for code in range(0xD800, 0xE000)}


def escape(text: str) -> str:
    """Text of any origin, on one line and harmless to a terminal."""
    return text.translate(_ESCAPES)


def _message(record: logging.LogRecord) -> str:
    try:
        message = record.getMessage()
    except Exception as error:  # a wrong %-format is our bug; the line must come out all the same
        message = f"{record.msg!s} {record.args!r} (badly formatted: {error})"
    if len(message) > MESSAGE_LIMIT:
        message = f"{message[:MESSAGE_LIMIT]}... ({len(message) - MESSAGE_LIMIT} more characters)"
    return escape(message)


class _Lines(logging.Formatter):
    """Time, level, category, message. A traceback is set in: no line of it passes for a new record."""

    def __init__(self, *, colour: bool) -> None:
        super().__init__(datefmt="%Y-%m-%d %H:%M:%S")
        self._colour = colour

    def format(self, record: logging.LogRecord) -> str:
        moment = f"{self.formatTime(record, self.datefmt)}.{int(record.msecs):03}"
        text = f"{moment} {record.levelname:<8} {record.name:<8} {_message(record)}"
        text = "\n    ".join([text, *_traceback(self, record)])
        colour = _COLOURS.get(record.levelno) if self._colour else None
        return f"{colour}{text}{_RESET}" if colour else text


class _Json(logging.Formatter):
    """One object a line: time (UTC), level, category, message and, if there is one, traceback."""

    def format(self, record: logging.LogRecord) -> str:
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        entry: dict[str, object] = {
            "time": f"{moment}.{int(record.msecs):03}Z",
            "level": record.levelname,
            "category": record.name,
            "message": _message(record),
        }
        if lines := _traceback(self, record):
            entry["traceback"] = lines
        return json.dumps(entry)


def _traceback(formatter: logging.Formatter, record: logging.LogRecord) -> list[str]:
    text = formatter.formatException(record.exc_info) if record.exc_info else ""
    if record.stack_info:
        text = f"{text}\n{record.stack_info}".lstrip()
    return [escape(line[:MESSAGE_LIMIT]) for line in text.split("\n")] if text else []


class _File(logging.handlers.RotatingFileHandler):
    """The rotated file. A full disk costs the lines, not the server, and is said once."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=FILE_BYTES, backupCount=FILE_COUNT - 1, encoding="utf-8")
        self._complained = False

    def handleError(self, record: logging.LogRecord) -> None:  # the name is logging's
        if not self._complained:
            self._complained = True
            sys.stderr.write(f"log file {self.baseFilename}: {sys.exc_info()[1]}; its lines are lost\n")


class _Gate(logging.Handler):
    """The one handler of the root logger: limits the rate, then hands the record to the others."""

    def __init__(
        self, handlers: Sequence[logging.Handler], clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self._handlers = handlers
        self._clock = clock
        self._seen: dict[tuple[str, str], int] = {}
        self._held: dict[tuple[str, str], str] = {}
        """The message of the first record of a key that was held back, as an example of them all."""
        self._window_ends = 0.0

    def emit(self, record: logging.LogRecord) -> None:
        if self._passes(record):
            self._hand_on(record)

    def close(self) -> None:
        self._summarise()
        for handler in self._handlers:
            handler.close()
        super().close()

    def _passes(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.INFO:
            return True
        now = self._clock()
        if now >= self._window_ends or len(self._seen) >= RATE_KEYS:
            self._summarise()
            self._window_ends = now + RATE_SECONDS
        key = (record.name, str(record.msg))
        count = self._seen[key] = self._seen.get(key, 0) + 1
        if count == RATE_LIMIT + 1:
            self._held[key] = _message(record)
        return count <= RATE_LIMIT

    def _summarise(self) -> None:
        """One window serves all keys. There is no timer: the next record, or `close`, notices its end."""
        seen, self._seen = self._seen, {}
        held, self._held = self._held, {}
        for key, message in held.items():
            values = (seen[key] - RATE_LIMIT, message)
            summary = "%d more lines like this were held back: %s"
            self._hand_on(logging.LogRecord(key[0], logging.WARNING, __file__, 0, summary, values, None))

    def _hand_on(self, record: logging.LogRecord) -> None:
        for handler in self._handlers:
            handler.handle(record)
