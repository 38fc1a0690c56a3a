"""Messages beside two public servers' own classes, which wrote and read them (tests/golden/l2/README.md)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest

from tests.kit.l2_recorded import GOLDEN, VERSION
from tests.kit.plain import plain

if TYPE_CHECKING:
    from protocol.l2.versions import Message

RECORDED: Final = json.loads((GOLDEN / "windows_java.json").read_text())


def check(message: Message, row: dict[str, object]) -> None:
    assert type(message).__name__ == row["name"]
    assert plain(message) == row["fields"]
    assert VERSION.encode(message).hex() == row["hex"]


@pytest.mark.parametrize("row", RECORDED["server"], ids=lambda row: row["name"])
def test_servers_write_the_same_bytes(row: dict[str, object]) -> None:
    check(VERSION.decode_server(bytes.fromhex(str(row["hex"]))), row)


@pytest.mark.parametrize("row", RECORDED["client"], ids=lambda row: row["name"])
def test_servers_read_the_same_from_clients(row: dict[str, object]) -> None:
    check(VERSION.decode_client(bytes.fromhex(str(row["hex"]))), row)
