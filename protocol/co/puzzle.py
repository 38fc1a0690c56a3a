"""The picture of a map's ground, as Conquer Online's client has it: square pieces in files of their own, a
text that lists those (`.ani`), and which piece lies where (`.pul`)::

    "PUZZLE2", 0   ani char[256]   columns u32   rows u32   pieces u16 row by row   speed i32 i32

The middle of the picture is the middle of the map. A cell is 64 x 32 points, cell (x + 1, y) lies right and
below of (x, y), cell (x, y + 1) left and below. (SantasCode/Tiled2Dmap: PuzzleFile.cs, AniFile.cs,
CoordConverter.cs.)
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

PIECE: Final = 256
"""Points from one side of a piece to the other."""

CELL_WIDTH: Final = 64
CELL_HEIGHT: Final = 32

NO_PIECE: Final = 0xFFFF
"""Here is nothing but black."""

_PUZZLE: Final = struct.Struct("<8s256sII")
_SPEED: Final = struct.pack("<ii", 0, 0)
_DDS: Final = struct.Struct("<4s7I44x8I4I4x")
_HAS: Final = 0x100F
"""DDSD_CAPS, HEIGHT, WIDTH, PITCH and PIXELFORMAT (Microsoft: DDS_HEADER)."""
_RGB: Final = 0x40
_TEXTURE: Final = 0x1000


def picture_size(width: int, height: int) -> tuple[int, int]:
    """Points of the picture of a map of so many cells, in whole pieces: columns and rows of points."""
    side = max(width, height)
    return _whole(CELL_WIDTH * side), _whole(CELL_HEIGHT * (side + 2))


def cell_point(x: int, y: int, width: int, height: int) -> tuple[int, int]:
    """The middle of a cell in the picture of a map of so many cells."""
    columns, rows = picture_size(width, height)
    across = CELL_WIDTH // 2 * (x - y) + columns // 2
    down = CELL_HEIGHT // 2 * (x + y - height) + rows // 2
    return across, down + (0 if height % 2 else CELL_HEIGHT // 2)


def write_puzzle(ani: str, pieces: Sequence[Sequence[int]]) -> bytes:
    """The file that says where the pieces lie: numbers by row, NO_PIECE for none."""
    head = _PUZZLE.pack(b"PUZZLE2\0", ani.encode("latin-1"), len(pieces[0]), len(pieces))
    numbers = [number for row in pieces for number in row]
    return head + struct.pack(f"<{len(numbers)}H", *numbers) + _SPEED


def write_ani(files: Sequence[str]) -> str:
    """The list of the pieces' files, piece 0 first."""
    return "".join(
        f"[Puzzle{number}]\r\nFrameAmount=1\r\nFrame0={file}\r\n\r\n" for number, file in enumerate(files)
    )


def write_piece(points: bytes) -> bytes:
    """The file of a piece, from its points row by row: 16 bits each, five of red, six of green, five of
    blue."""
    head = _DDS.pack(
        *(b"DDS ", 124, _HAS, PIECE, PIECE, 2 * PIECE, 0, 0),
        *(32, _RGB, 0, 16, 0xF800, 0x07E0, 0x001F, 0),
        *(_TEXTURE, 0, 0, 0),
    )
    return head + points


def _whole(points: int) -> int:
    return -(-points // PIECE) * PIECE
