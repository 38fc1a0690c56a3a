"""The framing tables against ClassicUO's for ten versions, ServUO's registrations and the list of 7.0.x."""

import json
from pathlib import Path

import pytest

from protocol.uo.lengths import VARIABLE, Version, client_lengths, server_lengths

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/uo/packet_lengths.json").read_text())
TABLES: dict[str, dict[str, int]] = GOLDEN["by_client_version"]
SERVUO: dict[int, int] = {int(row["op"], 16): row["len"] for row in GOLDEN["servuo_incoming"]}
SENT: dict[int, int] = {
    int(op, 16): max(length, 0) for op, length in GOLDEN["sent_by_client_7_0_102"].items()
}
NEWEST = (7, 0, 106, 21)


def parse(text: str) -> Version:
    major, minor, revision, patch = map(int, text.split("."))
    return major, minor, revision, patch


@pytest.mark.parametrize("text", TABLES)
def test_server_lengths_are_the_clients_table(text: str) -> None:
    expected = {int(op, 16): max(length, VARIABLE) for op, length in TABLES[text].items()}
    assert server_lengths(parse(text)) == expected


@pytest.mark.parametrize("text", TABLES)
def test_client_lengths_agree_with_the_clients_table(text: str) -> None:
    table = {int(op, 16): max(length, VARIABLE) for op, length in TABLES[text].items()}
    lengths = client_lengths(parse(text))
    assert lengths == {op: table[op] for op in lengths} | {0x00: 104}


@pytest.mark.parametrize("text", TABLES)
def test_client_lengths_hold_what_clients_send_and_servuo_takes(text: str) -> None:
    mahjong = 0xDA  # registered by ServUO's scripts (MahjongPacketHandlers.cs)
    assert set(client_lengths(parse(text))) == set(SENT) | set(SERVUO) | {mahjong}


def test_client_lengths_of_7_0_102_are_the_documented_ones() -> None:
    lengths = client_lengths((7, 0, 102, 3))
    assert {op: lengths[op] for op in SENT} == SENT


def test_client_lengths_agree_with_servuo() -> None:
    # ServUO keeps 14 for 0x08 and a second table with 15; it frames 0xCF as variable, the client has 78.
    lengths = client_lengths((7, 0, 102, 3))
    assert {op: (lengths[op], length) for op, length in SERVUO.items() if lengths[op] != length} == {
        0x08: (15, 14),
        0xCF: (78, VARIABLE),
    }


@pytest.mark.parametrize(
    ("opcode", "first", "before", "after"),
    [
        (0x0B, (5, 0, 0, 1), 266, 7),
        (0x16, (5, 0, 0, 1), 1, VARIABLE),
        (0xE1, (5, 0, 9, 0), 9, VARIABLE),
        (0xE3, (6, 0, 1, 3), 77, VARIABLE),
        (0x08, (6, 0, 1, 7), 14, 15),
        (0x25, (6, 0, 1, 7), 20, 21),
        (0xB9, (6, 0, 14, 2), 3, 5),
        (0xEE, (7, 0, 0, 0), VARIABLE, 10),
        (0xF3, (7, 0, 9, 0), 24, 26),
        (0x99, (7, 0, 9, 0), 26, 30),
        (0x00, (7, 0, 18, 0), 104, 106),
        (0xFA, (7, 0, 64, 0), VARIABLE, 1),
        (0xD5, (7, 0, 104, 0), VARIABLE, 9),
    ],
)
def test_lengths_change_with_exactly_this_version(
    opcode: int, first: Version, before: int, after: int
) -> None:
    major, minor, revision, patch = first
    just_older = (major, minor, revision, patch - 1) if patch else (major, minor, revision - 1, 99)
    assert (server_lengths(just_older)[opcode], server_lengths(first)[opcode]) == (before, after)


def test_any_version_has_a_table() -> None:
    assert client_lengths((0, 0, 0, 0)) == client_lengths((1, 26, 4, 0))
    assert client_lengths((0xFFFFFFFF,) * 4) == client_lengths(NEWEST)


def test_tables_are_shared_not_made_per_call() -> None:
    assert client_lengths((7, 0, 102, 3)) is client_lengths((7, 0, 102, 4))
