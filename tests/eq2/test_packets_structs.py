"""Messages of shop, bank, journal and way beside the public emulator's own structs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from tests.kit.eq2_player import newest_version
from tests.kit.plain import plain

RECORDED: Final = json.loads(
    (Path(__file__).parents[1] / "golden" / "eq2" / "windows_v546.json").read_text()
)["messages"]
NUMBERS: Final = {
    "UpdateMerchant": 450,
    "UpdateBank": 455,
    "QuestJournalUpdate": 447,
    "QuestJournalReply": 448,
    "HelpPath": 453,
}


@pytest.mark.parametrize("row", RECORDED, ids=lambda row: f"{row['name']} {row['struct_version']}")
def test_structs_have_the_same_bytes(row: dict[str, object]) -> None:
    version, name = newest_version(), str(row["name"])
    body = b"\xff" + NUMBERS[name].to_bytes(2, "little") + bytes.fromhex(str(row["hex"]))
    whole = b"\x32" + len(body).to_bytes(4, "little") + body
    (message,) = version.decode_server(whole)
    assert type(message).__name__ == name
    assert plain(message) == row["fields"]
    assert version.encode(message) == whole
