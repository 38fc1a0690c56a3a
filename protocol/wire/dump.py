"""Bytes for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

BYTES_PER_LINE: Final = 16

_PRINTABLE: Final = bytes(code if 0x20 <= code < 0x7F else ord(".") for code in range(256))


def hex_dump(data: bytes) -> Iterator[str]:
    """Sixteen bytes a line: offset, hexadecimal, ASCII with a dot for what is none."""
    for at in range(0, len(data), BYTES_PER_LINE):
        line = data[at : at + BYTES_PER_LINE]
        text = line.translate(_PRINTABLE).decode("ascii")
        yield f"{at:04x}: {line.hex(' '):<{3 * BYTES_PER_LINE - 1}}  {text}"
