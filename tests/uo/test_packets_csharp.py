"""Packets of shops, boards, light and weather beside ServUO's and ClassicUO's own code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from protocol.uo.packets import boards, counters, dialogs, sky, things
from protocol.uo.packets.boards import WrittenLine, WrittenNote
from tests.kit.plain import plain

RECORDED: Final = json.loads(
    (Path(__file__).parents[1] / "golden" / "uo" / "windows_csharp.json").read_text()
)["packets"]
MODULES: Final = (boards, counters, dialogs, sky, things)


@pytest.mark.parametrize("row", RECORDED, ids=lambda row: f"{row['name']} {row['by']}")
def test_they_write_the_same_bytes(row: dict[str, object]) -> None:
    cls = next(getattr(module, str(row["name"])) for module in MODULES if hasattr(module, str(row["name"])))
    raw = bytes.fromhex(str(row["hex"]))
    packet = cls.decode(raw)
    assert plain(packet) == row["fields"]
    assert packet.encode() == raw


def test_a_subject_whose_letters_were_counted_is_read_to_its_end() -> None:
    """What ClassicUO sends for "Brot für alle", one byte longer than it has letters, and "x"."""
    rest = bytes.fromhex("0e42726f742066c3bc7220616c6c650001027800")
    assert WrittenNote.read(rest, 0) == (WrittenNote("Brot für alle", (WrittenLine("x"),)), len(rest))


def test_a_board_s_name_ends_within_its_field() -> None:
    """What ServUO sends for a longer name: 29 bytes and a NUL; and a letter of two bytes is not cut."""
    long = "the notice board of the inn of Confluence"
    wanted = "7100260040000030746865206e6f7469636520626f617264206f662074686520696e6e206f00"
    assert boards.BoardShown(0x40000030, long).encode().hex() == wanted
    assert boards.BoardShown(1, "x" * 28 + "ü").encode()[-2:] == b"\0\0"
