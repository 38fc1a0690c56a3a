"""Layouts of a version against the client's own tables of sizes and the recorded sessions; its lengths
against ClassicUO's for ten versions, ServUO's registrations and the list of 7.0.x."""

import json
from pathlib import Path

import pytest

from protocol.uo.packets.login import Features, FeaturesOld
from protocol.uo.packets.things import (
    ContainedItem,
    ContainedItemOld,
    ContainerOpened,
    ContainerOpenedOld,
    GroundItem,
    GroundItemSA,
)
from protocol.uo.versions import (
    VARIABLE,
    VERSIONS,
    Ground,
    Status,
    VersionNumber,
    client_lengths,
    format_version,
    parse_version,
    server_lengths,
    version_of,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/uo/packet_lengths.json").read_text())
TABLES: dict[str, dict[str, int]] = GOLDEN["by_client_version"]
SERVUO: dict[int, int] = {int(row["op"], 16): row["len"] for row in GOLDEN["servuo_incoming"]}
SENT: dict[int, int] = {
    int(op, 16): max(length, 0) for op, length in GOLDEN["sent_by_client_7_0_102"].items()
}
NEWEST = (7, 0, 106, 21)
SESSIONS = [
    json.loads(path.read_text())
    for path in sorted((Path(__file__).parents[1] / "golden/uo/sessions").glob("login_*.json"))
]
NUMBERS: list[VersionNumber] = [
    (major, 0, revision, patch)
    for major, revisions in ((2, 8), (3, 9), (4, 12), (5, 10), (6, 15), (7, 110))
    for revision in range(revisions)
    for patch in range(10)
]


def test_the_layouts_are_as_long_as_the_clients_own_tables_say() -> None:
    for version in NUMBERS:
        layouts, lengths = version_of(version), server_lengths(version)
        assert (Features if layouts.wide_features else FeaturesOld).length == lengths[0xB9]
        assert (ContainedItem if layouts.grid else ContainedItemOld).length == lengths[0x25]
        opened = ContainerOpened if layouts.high_seas else ContainerOpenedOld
        assert opened.length == lengths[0x24]
        if layouts.ground is not Ground.OLD:
            ground = GroundItem if layouts.ground is Ground.HS else GroundItemSA
            assert ground.length == lengths[0xF3]


@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session["client_version"])
def test_the_layouts_are_what_servuo_chose(session: dict[str, list[dict[str, str]]]) -> None:
    version = parse_version(str(session["client_version"]))
    assert version is not None
    layouts = version_of(version)
    packets = [bytes.fromhex(step["packet"]) for step in session["steps"] if step["dir"] == "server"]
    status = next(packet for packet in packets if packet[0] == 0x11)
    assert Status(status[42]) is layouts.status
    characters = next(packet for packet in packets if packet[0] == 0xA9)
    assert characters.endswith(b"\xff\xff") is layouts.placed_cities
    features = next(packet for packet in packets if packet[0] == 0xB9)
    assert (len(features) == 5) is layouts.wide_features


@pytest.mark.parametrize(
    ("version", "since"),
    [
        ((7, 0, 102, 3), (7, 0, 45, 65)),
        ((7, 0, 45, 64), (7, 0, 33, 1)),
        ((7, 0, 35, 0), (7, 0, 33, 1)),
        ((7, 0, 33, 0), (7, 0, 30, 0)),
        ((7, 0, 15, 1), (7, 0, 13, 0)),
        ((7, 0, 9, 0), (7, 0, 9, 0)),
        ((7, 0, 8, 2), (7, 0, 0, 0)),
        ((6, 0, 14, 2), (6, 0, 14, 2)),
        ((6, 0, 14, 1), (6, 0, 1, 7)),
        ((5, 0, 9, 1), (5, 0, 0, 1)),
        ((0, 0, 0, 0), (0, 0, 0, 0)),
        ((0xFFFFFFFF,) * 4, (7, 0, 45, 65)),
    ],
)
def test_a_range_of_versions_has_the_same_layouts(version: VersionNumber, since: VersionNumber) -> None:
    assert version_of(version).since == since


def test_versions_with_the_same_layouts_share_what_is_made_for_them() -> None:
    assert version_of((7, 0, 60, 0)) is version_of((7, 0, 102, 3))
    assert len({version_of(version) for version in NUMBERS}) == len(VERSIONS) == 11


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("7.0.102.3", (7, 0, 102, 3)),
        ("4.0.11c", (4, 0, 11, 3)),
        ("5.0.9.1 Patch 2", (5, 0, 9, 1)),
        ("2.0.0", (2, 0, 0, 0)),
        ("UO:3D 4.0.0A", (4, 0, 0, 1)),
        ("newest", None),
        ("", None),
        ("999999999999.0.0", None),
    ],
)
def test_versions_as_text(text: str, version: VersionNumber | None) -> None:
    assert parse_version(text) == version


def test_a_version_reads_as_people_write_it() -> None:
    assert format_version((7, 0, 102, 3)) == "7.0.102.3"
    assert format_version(None) == "unknown"


def parse(text: str) -> VersionNumber:
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
    opcode: int, first: VersionNumber, before: int, after: int
) -> None:
    major, minor, revision, patch = first
    just_older = (major, minor, revision, patch - 1) if patch else (major, minor, revision - 1, 99)
    assert (server_lengths(just_older)[opcode], server_lengths(first)[opcode]) == (before, after)


def test_any_version_has_a_table() -> None:
    assert client_lengths((0, 0, 0, 0)) == client_lengths((1, 26, 4, 0))
    assert client_lengths((0xFFFFFFFF,) * 4) == client_lengths(NEWEST)


def test_tables_are_shared_not_made_per_call() -> None:
    assert client_lengths((7, 0, 102, 3)) is client_lengths((7, 0, 102, 4))
