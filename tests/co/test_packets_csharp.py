"""Packets of windows beside two public servers' own classes (tests/golden/co/README.md)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from protocol.co.packets.base import declared
from protocol.co.versions import CoVersion
from tests.kit.plain import plain

RECORDED: Final = json.loads(
    (Path(__file__).parents[1] / "golden" / "co" / "windows_csharp.json").read_text()
)["packets"]
CLASSES: Final = {cls.__name__: cls for side in declared() for cls in side}


@pytest.mark.parametrize("row", RECORDED, ids=lambda row: f"{row['name']} {row['by']}")
def test_servers_write_the_same_bytes(row: dict[str, object]) -> None:
    version, raw = CoVersion[str(row["version"])], bytes.fromhex(str(row["hex"]))
    packet = CLASSES[str(row["name"])].decode(raw, version)
    assert plain(packet) == row["fields"]
    assert packet.encode(version) == raw
