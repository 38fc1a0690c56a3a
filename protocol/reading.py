"""Files that people wrote, read within bounds: a damaged one, or one that means harm, costs a line.

`open` waits for ever on a FIFO, `read` has no end on a device, and a parser trusts that nobody nests a
thousand tables or writes a number of a thousand digits: Python answers with a RecursionError here and a plain
ValueError there, or not at all for minutes. So whatever reads a file of data/ reads it here, and catches one
exception, whose message is the rest of the line behind the file's name.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import tomllib
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

TABLE_BYTES: Final = 512 << 10
"""Of a table of TOML; the largest here has 41 KiB. tomllib reads some 2 MiB a second."""

KEPT: Final = 64
"""Tables of TOML that are kept; data/ has 25 files here."""

DEEPEST: Final = 32
"""Tables and lists within one another."""

DOTS: Final = 200
"""Dots in a line of TOML: each may be a table within the one before it, which takes tomllib ever longer."""

WHOLE: Final = 2**64
"""Whole numbers lie between it and its negative; some of the clients' own are 64 bit without a sign."""

DIGITS: Final = 25
"""A number that is written with so many is none that a program wrote: 17 tell any two fractions apart."""

_LONG_NUMBER: Final = re.compile(rf"\d{{{DIGITS}}}")


HINTS: Final = {
    "Illegal character '\\n'": ": a quotation mark is missing at the end of the line",
    "Illegal character '\\r'": ": a quotation mark is missing at the end of the line",
    "Unterminated string": ": a quotation mark is missing",
    "Invalid value (at line": ': a text stands in straight quotation marks, "like this"',
    "Unclosed array": ": a comma or a ] is missing, here or before",
    "Unclosed inline table": ": a comma or a } is missing; all in { } stands on one line",
    "Invalid initial character for a key part": ": all in { } stands on one line, without a comma at its end",
    "Expected '=' after a key": ": a line is like this: key = value",
    "Cannot overwrite a value": ": this key is there twice",
    "Duplicate inline table key": ": this key is there twice",
    "Cannot declare": ": this table is there twice",
    "Unescaped '\\' in a string": ": write \\\\ for one \\",
}
"""What people did, by how the parser's word for it begins."""


class UnreadableError(Exception):
    """A file cannot be used; the message says why, in one line and without the file's name."""


def read_bytes(path: Path, most: int) -> bytes:
    """A regular file of at most `most` bytes. Raises UnreadableError for all else that may have its name."""
    try:
        # Whoever opens a FIFO so does not wait for its other end; on a regular file it changes nothing.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise UnreadableError("is no regular file") from None
        raise UnreadableError(error.strerror or str(error)) from None
    except ValueError as error:  # a name with a null character
        raise UnreadableError(str(error)) from None
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise UnreadableError("is a directory")
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableError("is no regular file")
        if status.st_size > most:
            raise UnreadableError(f"is larger than {most} bytes")
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(most + 1)
    except OSError as error:
        raise UnreadableError(error.strerror or str(error)) from None
    finally:
        os.close(descriptor)
    if len(data) > most:
        raise UnreadableError(f"is larger than {most} bytes")
    return data


def read_text(path: Path, most: int) -> str:
    """The same as UTF-8 text, with one kind of line ends. Raises UnreadableError."""
    try:
        text = read_bytes(path, most).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError(f"is not UTF-8 text (byte {error.start})") from None
    return text.replace("\r\n", "\n")


def read_toml(path: Path) -> dict[str, object]:
    """A table of TOML, which nobody may change: files with the same text are one table, so that what was not
    saved since is not parsed again. Raises UnreadableError, with line and column where the text is no
    TOML."""
    return _toml_of(read_text(path, TABLE_BYTES))


@lru_cache(maxsize=KEPT)
def _toml_of(text: str) -> dict[str, object]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > DOTS:
            raise UnreadableError(f"line {number}: more than {DOTS} dots")
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        said = str(error)
        hint = next((hint for begin, hint in HINTS.items() if said.startswith(begin)), "")
        raise UnreadableError(said + hint) from None
    except RecursionError:
        raise UnreadableError(f"nested more than {DEEPEST} deep") from None
    except ValueError:  # of int() and date(), which tomllib lets through
        raise UnreadableError("has a number or a date that is too long") from None
    _check_values(table)
    return table


def _check_values(table: dict[str, object]) -> None:
    """Raises UnreadableError for what is nested too deep or is too large a number. Not by recursion, which is
    what it guards against."""
    waiting: list[tuple[object, int, str]] = [(value, 1, key) for key, value in table.items()]
    while waiting:
        value, depth, key = waiting.pop()
        if isinstance(value, dict | list):
            if depth > DEEPEST:
                raise UnreadableError(f"{key}: nested more than {DEEPEST} deep")
            inner = value.values() if isinstance(value, dict) else value
            waiting += ((one, depth + 1, key) for one in inner)
        elif type(value) is int and not -WHOLE < value < WHOLE:
            raise UnreadableError(f"{key}: a whole number of more than 64 bits")
        elif type(value) is float and not -1e300 < value < 1e300:
            raise UnreadableError(f"{key}: is no finite number")


def read_json(path: Path, most: int) -> object:
    """A file of JSON. Raises UnreadableError, with line and column where the text is no JSON."""
    text = read_text(path, most)
    if _LONG_NUMBER.search(text):
        raise UnreadableError(f"has a number of more than {DIGITS} digits")
    try:
        return json.loads(text, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise UnreadableError(f"is no JSON: {error}") from None
    except RecursionError:
        raise UnreadableError("is nested too deep") from None


def _no_number(word: str) -> object:
    raise UnreadableError(f"has {word}, which is no number")


def one_line(text: str, longest: int = 300) -> str:
    """A message of one line: what it quotes of a file may be as long as that, and have lines of its own."""
    plain = "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in text[:longest])
    return plain + (" ..." if len(text) > longest else "")
