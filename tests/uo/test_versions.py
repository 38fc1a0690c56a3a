"""Which layouts a version gets: against the client's own tables of sizes and the recorded sessions."""

import json
from pathlib import Path

import pytest

from protocol.uo.lengths import Version, server_lengths
from protocol.uo.packets.login import CharacterList, Features
from protocol.uo.packets.status import StatusAos, StatusHs, StatusMl
from protocol.uo.packets.things import (
    ContainedItem,
    ContainedItemOld,
    ContainerOpened,
    ContainerOpenedOld,
    GroundItem,
    GroundItemSA,
)
from protocol.uo.versions import DIALECTS, Ground, dialect_of, format_version, parse_version

SESSIONS = [
    json.loads(path.read_text())
    for path in sorted((Path(__file__).parents[1] / "golden/uo/sessions").glob("login_*.json"))
]
VERSIONS: list[Version] = [
    (major, 0, revision, patch)
    for major, revisions in ((2, 8), (3, 9), (4, 12), (5, 10), (6, 15), (7, 110))
    for revision in range(revisions)
    for patch in range(10)
]


def test_the_dialects_write_what_the_clients_own_tables_say() -> None:
    for version in VERSIONS:
        dialect, lengths = dialect_of(version), server_lengths(version)
        assert dialect.features.length == lengths[0xB9]
        assert (ContainedItem if dialect.grid else ContainedItemOld).length == lengths[0x25]
        opened = ContainerOpened if dialect.high_seas else ContainerOpenedOld
        assert opened.length == lengths[0x24]
        if dialect.ground is not Ground.OLD:
            ground = GroundItem if dialect.ground is Ground.HS else GroundItemSA
            assert ground.length == lengths[0xF3]


@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session["client_version"])
def test_the_dialects_are_what_servuo_chose(session: dict[str, list[dict[str, str]]]) -> None:
    version = parse_version(str(session["client_version"]))
    assert version is not None
    dialect = dialect_of(version)
    packets = [bytes.fromhex(step["packet"]) for step in session["steps"] if step["dir"] == "server"]
    status = next(packet for packet in packets if packet[0] == 0x11)
    assert {4: StatusAos, 5: StatusMl, 6: StatusHs}[status[42]] is dialect.status
    characters = next(packet for packet in packets if packet[0] == 0xA9)
    assert characters.endswith(b"\xff\xff") is (dialect.character_list is CharacterList)
    features = next(packet for packet in packets if packet[0] == 0xB9)
    assert (len(features) == 5) is (dialect.features is Features)


@pytest.mark.parametrize(
    ("version", "since"),
    [
        ((7, 0, 102, 3), (7, 0, 33, 1)),
        ((7, 0, 35, 0), (7, 0, 33, 1)),
        ((7, 0, 33, 0), (7, 0, 30, 0)),
        ((7, 0, 15, 1), (7, 0, 13, 0)),
        ((7, 0, 9, 0), (7, 0, 9, 0)),
        ((7, 0, 8, 2), (7, 0, 0, 0)),
        ((6, 0, 14, 2), (6, 0, 14, 2)),
        ((6, 0, 14, 1), (6, 0, 1, 7)),
        ((5, 0, 9, 1), (5, 0, 0, 1)),
        ((0, 0, 0, 0), (0, 0, 0, 0)),
        ((0xFFFFFFFF,) * 4, (7, 0, 33, 1)),
    ],
)
def test_a_dialect_serves_a_range_of_versions(version: Version, since: Version) -> None:
    assert dialect_of(version).since == since


def test_versions_with_the_same_layouts_share_what_is_made_for_them() -> None:
    assert dialect_of((7, 0, 35, 0)) is dialect_of((7, 0, 102, 3))
    assert len({dialect_of(version) for version in VERSIONS}) == len(DIALECTS) == 10


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
def test_versions_as_text(text: str, version: Version | None) -> None:
    assert parse_version(text) == version


def test_a_version_reads_as_people_write_it() -> None:
    assert format_version((7, 0, 102, 3)) == "7.0.102.3"
    assert format_version(None) == "unknown"
