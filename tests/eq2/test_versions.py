"""Versions: numbers and layouts from data, roles for handlers, and what is said of wrong files."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Final, cast

import pytest

from protocol.endings import WireError
from protocol.eq2 import packets as eq2
from protocol.eq2.packets import CATALOGUE, CLIENT_MESSAGES, RECORDS, SERVER_MESSAGES
from protocol.eq2.versions import UNKNOWN, Eq2Versions, documents, role_of_class
from protocol.tables import LookError
from tests.kit.eq2_strategies import newest, tables

GOLDEN: Final = Path(__file__).parents[1] / "golden" / "eq2"
NEWEST: Final = newest()
NUMBERS: Final = {
    int(number): name
    for number, name in json.loads((GOLDEN / "opcodes_v546.json").read_text())["root"].items()
}
NESTED: Final = {
    int(number): name
    for number, name in json.loads((GOLDEN / "opcodes_v546.json").read_text())[
        "nested_in_ClientCmd_50"
    ].items()
}


def other_version() -> dict[str, dict[str, dict[str, object]]]:
    """546, and another in which two numbers are swapped and a message has its fields the other way round."""
    files = tables()
    other = copy.deepcopy(files["546"])
    other["build"] |= {"versions": [562, 842], "reverse": False}
    root = cast("dict[str, int]", other["opcodes"]["root"])
    root["Target"], root["Camp"] = root["Camp"], root["Target"]
    cast("dict[str, list[object]]", other["messages"]["RemoteCmd"])["fields"].reverse()
    return {"546": files["546"], "562": other}


def test_every_number_of_the_vectors_is_there() -> None:
    later = {173, 206, 213, 255, *range(270, 277), 279, 288, 289, 290, 291, 313, 330, *range(98, 106)}
    assert NUMBERS.keys() | NESTED.keys() | later == NEWEST.names.keys()
    for cls in {*CLIENT_MESSAGES, *SERVER_MESSAGES}:
        assert NEWEST.is_nested(cls) == (NEWEST.number_of(cls) in NESTED)


@pytest.mark.parametrize(
    ("cls", "number"),
    [
        (eq2.LoginRequest, 0),
        (eq2.LoginByNum, 1),
        (eq2.LoginReply, 4),
        (eq2.WorldStatusChange, 6),
        (eq2.WorldListRequest, 7),
        (eq2.CharactersRequest, 9),
        (eq2.CharacterList, 10),
        (eq2.PlayReply, 19),
        (eq2.ZoneInfo, 29),
        (eq2.ZoneResourcesDone, 30),
        (eq2.EntitiesSent, 31),
        (eq2.EntityResourcesLoaded, 32),
        (eq2.UiLoaded, 33),
        (eq2.Movement, 34),
        (eq2.RemoteCmds, 35),
        (eq2.Target, 53),
        (eq2.ChangeZone, 67),
        (eq2.ReadyToZone, 73),
        (eq2.VerifyLogUpload, 217),
        (eq2.KnowledgeSlots, 300),
        (eq2.HearChat, 411),
        (eq2.CreateGhost, 413),
        (eq2.UpdateGhost, 417),
        (eq2.UpdateTarget, 484),
    ],
)
def test_numbers(cls: type[eq2.Message], number: int) -> None:
    assert NEWEST.number_of(cls) == number


@pytest.mark.parametrize(
    ("number", "name"), [(283, None), (284, "546"), (546, "546"), (561, "546"), (562, None), (65535, None)]
)
def test_versions_by_the_number_of_the_client(number: int, name: str | None) -> None:
    version = Eq2Versions.from_tables(tables(), CATALOGUE).of_number(number)
    assert (version and version.name) == name


def test_another_version_is_another_folder() -> None:
    versions = Eq2Versions.from_tables(other_version(), CATALOGUE)
    old, new = versions.all
    assert (old.index, new.index, versions.newest.name) == (0, 1, "562")
    assert versions.of_number(700) is new
    assert (old.reverse, new.reverse) == (True, False)
    message = eq2.RemoteCmd(3, "hi")
    assert old.encode(message) == b"\x24\x03\x00\x02\x00hi"
    assert new.encode(message) == b"\x24\x02\x00hi\x03\x00"
    for version in versions.all:
        frame = bytes((version.index,)) + version.encode(eq2.Target(9))
        assert versions.role_of(frame) == eq2.Target.role
        assert versions.decode(frame) == eq2.Target(9)
        assert versions.decoder(eq2.Target)(frame) == eq2.Target(9)
    assert old.encode(eq2.Target(9))[0] == new.number_of(eq2.Camp)


def test_roles_name_classes() -> None:
    roles = {cls.role for cls in {*CLIENT_MESSAGES, *SERVER_MESSAGES}}
    assert len(roles) == len({*CLIENT_MESSAGES, *SERVER_MESSAGES})
    assert min(roles) == 0
    assert role_of_class(eq2.Target) == eq2.Target.role
    for cls in (*RECORDS, int, eq2.Message):
        with pytest.raises(TypeError):
            role_of_class(cls)


@pytest.mark.parametrize(
    ("payload", "number"),
    [
        (b"\x2e", 46),
        (b"\x08", 8),  # a server's message
        (b"\xff\x2c\x01", None),
        (b"\xff\x0a\x05", 0x50A),
        (b"\xff\x9b\x01", 411),
        (b"", 0xFFFF),
        (b"\xff", 0xFFFF),
        (b"\xff\x01", 0xFFFF),
    ],
)
def test_unknown_messages_have_numbers_of_their_own(payload: bytes, number: int | None) -> None:
    role = NEWEST.role_of(b"\0" + payload)
    assert role == (eq2.KnowledgeSlots.role if number is None else UNKNOWN + number)


def test_a_decoder_reads_only_its_class() -> None:
    decode = Eq2Versions.from_tables(tables(), CATALOGUE).decoder(eq2.Target)
    with pytest.raises(WireError, match="RemoteCmd"):
        decode(b"\0" + NEWEST.encode(eq2.RemoteCmd(1, "")))


def test_an_error_names_what_has_a_name() -> None:
    with pytest.raises(WireError, match=r"unknown message 231 QuickbarUpdate$"):
        NEWEST.decode_client(bytes([231]))
    with pytest.raises(WireError, match=r"unknown message 1234$"):
        NEWEST.decode_client(b"\xff" + (1234).to_bytes(2, "little"))


def problems_of(files: dict[str, dict[str, dict[str, object]]]) -> list[str]:
    with pytest.raises(LookError) as caught:
        Eq2Versions.from_tables(files, CATALOGUE)
    return caught.value.problems


def test_mistakes_are_said_with_file_and_key() -> None:
    files = tables()
    root = cast("dict[str, object]", files["546"]["opcodes"]["root"])
    del root["Target"]
    root["Camp"] = 34
    root["Motd"] = "38"
    files["546"]["opcodes"]["more"] = 5
    cast("dict[str, int]", files["546"]["opcodes"]["nested"])["RemoteCmd"] = 490 + 1
    files["546"]["build"]["versions"] = [9, 5]
    files["546"]["build"]["revers"] = True
    del files["546"]["messages"]["Teleport"]
    problems = problems_of(files)
    for line in (
        "eq2/546/opcodes.toml: Target: must have one number",
        "eq2/546/opcodes.toml: root.Camp: 34 is the number of Movement",
        "eq2/546/opcodes.toml: root.Motd: must be 0 to 65534, is '38'",
        "eq2/546/opcodes.toml: more: must be [root] or [nested]",
        "eq2/546/opcodes.toml: nested.RemoteCmd: can only be a root message",
        "eq2/546/opcodes.toml: RemoteCmd: must have one number",
        "eq2/546/build.toml: unknown key 'revers', did you mean 'reverse'?",
        "eq2/546/messages.toml: Teleport: is missing",
    ):
        assert line in problems


def test_versions_have_to_ascend() -> None:
    files = tables()
    files["546"]["build"]["versions"] = [9, 5]
    assert problems_of(files) == ["eq2/546/build.toml: versions: must be the first and the last, is [9, 5]"]


def test_files_have_to_be_there() -> None:
    files = tables()
    files["546"]["mesages"] = files["546"].pop("messages")
    assert problems_of(files) == [
        "eq2/546/messages.toml: is missing",
        "eq2/546/mesages.toml: no such file, did you mean 'messages'?",
    ]
    assert problems_of({}) == ["eq2/: no version"]


def test_every_message_is_documented() -> None:
    texts = list(documents(NEWEST))
    assert len(texts) == len(CLIENT_MESSAGES) + len(SERVER_MESSAGES) + len(RECORDS)
    for direction, words in ((CLIENT_MESSAGES, "from the client"), (SERVER_MESSAGES, "from the server")):
        for cls in direction:
            title = f"### {NEWEST.number_of(cls)} {cls.__name__} ({words},"
            assert any(text.startswith(title) for text in texts)
    for described in (*CLIENT_MESSAGES, *SERVER_MESSAGES, *RECORDS):
        assert described.__doc__
    nested = sum(NEWEST.is_nested(cls) for cls in SERVER_MESSAGES)
    assert sum(", in ClientCmd, " in text for text in texts) == nested
    target = next(text for text in texts if text.startswith("### 53 Target "))
    assert "(from the client, 2 bytes)" in target
    assert "| index | u16 |" in target
