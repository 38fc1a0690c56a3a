"""Client versions: numbers from data, roles for handlers, the client's own texts, mistakes in files."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Final, cast

import pytest

from protocol.endings import WireError
from protocol.l2 import packets as l2
from protocol.l2.packets import CATALOGUE, CLIENT_MESSAGES, SERVER_MESSAGES, Message, SystemMessageId
from protocol.l2.packets.describe import documents
from protocol.l2.versions import UNKNOWN, L2Versions, role_of_class
from protocol.tables import LookError
from tests.kit.l2_versions import all_versions, newest, tables

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION: Final = newest()


def with_changes(changes: Mapping[str, object]) -> dict[str, dict[str, dict[str, object]]]:
    """The files with some keys of 746 replaced: a path of file and keys; None takes a key out."""
    files = copy.deepcopy(tables())
    for path, value in changes.items():
        *folders, last = path.split("/")
        table = cast("dict[str, object]", files["746"])
        for folder in folders:
            table = cast("dict[str, object]", table[folder])
        if value is None:
            del table[last]
        else:
            table[last] = value
    return files


def problems(changes: Mapping[str, object]) -> list[str]:
    with pytest.raises(LookError) as wrong:
        L2Versions.from_tables(with_changes(changes), CATALOGUE)
    return wrong.value.problems


@pytest.mark.parametrize(
    ("cls", "number"),
    [
        (l2.ProtocolVersion, 0x00),
        (l2.MoveBackwardToLocation, 0x01),
        (l2.AuthLogin, 0x08),
        (l2.Say2, 0x38),
        (l2.RequestManorList, 0xD0 << 16 | 0x08),
        (l2.KeyPacket, 0x00),
        (l2.UserInfo, 0x04),
        (l2.AuthLoginFail, 0x14),
        (l2.ExStorageMaxCount, 0xFE << 16 | 0x2E),
    ],
)
def test_numbers_of_the_facts(cls: type[Message], number: int) -> None:
    assert VERSION.number_of(cls) == number


def test_every_message_has_a_role_of_its_own() -> None:
    roles = [cls.role for cls in (*CLIENT_MESSAGES, *SERVER_MESSAGES)]
    assert len(set(roles)) == len(roles)
    assert min(roles) == 0
    assert role_of_class(l2.Say2) == l2.Say2.role
    with pytest.raises(TypeError):
        role_of_class(l2.Init)
    with pytest.raises(TypeError):
        role_of_class(Message)


def test_roles_and_names_of_frames() -> None:
    assert VERSION.role_of(b"\x38") == l2.Say2.role
    assert VERSION.role_of(b"\xd0\x08\x00") == l2.RequestManorList.role
    assert VERSION.role_of(b"\x57") == l2.RequestShowBoard.role
    assert VERSION.role_of(b"\x22") == UNKNOWN + 0x22
    assert VERSION.role_of(b"\xd0\x27\x00abc") == UNKNOWN + 0xD00027
    assert VERSION.role_of(b"\xd0\x08") == VERSION.role_of(b"") == UNKNOWN + 0xFFFFFF
    assert VERSION.name_of(b"\x38") == "Say2"
    assert VERSION.name_of(b"\x57") == "RequestShowBoard"
    assert VERSION.name_of(b"\xd0\x27\x00") == "RequestDuelStart"
    assert VERSION.name_of(b"\x75") == "0x75"
    assert VERSION.name_of(b"\xd0\x99\x00") == "0xd0:0099"
    assert VERSION.name_of(b"") == "without opcode"


def test_unknown_messages_are_told_by_their_names() -> None:
    with pytest.raises(WireError, match="0x22 RequestBBSwrite"):
        VERSION.decode_client(b"\x22")
    with pytest.raises(WireError, match=r"0x75$"):
        VERSION.decode_client(b"\x75")
    with pytest.raises(WireError, match="without opcode"):
        VERSION.decode_client(b"")
    with pytest.raises(WireError, match="0xfe:0031 ExPCCafePointInfo"):
        VERSION.decode_server(b"\xfe\x31\0")


def test_what_clients_of_another_chronicle_mean() -> None:
    versions = all_versions()
    assert [one.name for one in versions.others] == ["273"]
    assert versions.name_of(b"\x2b") == "RequestWithDrawalParty"
    assert versions.name_of(b"\x5c") == "RequestMoveToLocationInVehicle"
    assert versions.name_of(b"\x75") == "0x75 (273: RequestMoveToLocationInVehicle)"
    assert versions.name_of(b"\xd0\x36\x00") == "0xd0:0036 (273: RequestGotoLobby)"
    assert versions.name_of(b"\xff") == "0xff"
    assert versions.elsewhere(b"\x0e\x11\x01\0\0") == ["273: ProtocolVersion"]
    assert versions.elsewhere(b"\xff") == []


def test_versions_by_protocol() -> None:
    versions = all_versions()
    assert versions.all == (versions.newest,)
    assert (versions.newest.name, versions.newest.index) == ("746", 0)
    for protocol, name in ((740, "746"), (746, "746"), (267, "273"), (273, "273")):
        found = versions.for_protocol(protocol)
        assert found is not None
        assert found.name == name
    assert versions.for_protocol(747) is None
    assert versions.for_protocol(-2) is None


def test_frames_are_read_for_the_newest_version() -> None:
    versions = all_versions()
    frame = VERSION.encode(l2.RequestDropItem(1, 2, 3, 4, 5))
    assert versions.role_of(frame) == l2.RequestDropItem.role
    assert versions.decode(frame) == l2.RequestDropItem(1, 2, 3, 4, 5)
    assert versions.decoder(l2.RequestDropItem)(frame) == l2.RequestDropItem(1, 2, 3, 4, 5)
    assert versions.decoder(l2.RequestManorList)(b"\xd0\x08\0more") == l2.RequestManorList()


def test_another_chronicle_has_its_own_numbers() -> None:
    files = tables()
    other = copy.deepcopy(files["746"])
    other["profile"] |= {"protocols": [656, 660], "title": "C5"}
    numbers = cast("dict[str, dict[str, object]]", other["opcodes"])
    numbers["client"]["Say2"], numbers["client"]["UseItem"] = [0xD0, 0x20], 0x38
    del numbers["client"]["RequestPCCafeCouponUse"]
    versions = L2Versions.from_tables({"660": other, "746": files["746"]}, CATALOGUE)
    old, new = versions.all
    assert (old.index, new.index) == (0, 1)
    assert old.encode(l2.Say2("a", 0, ""))[:3] == b"\xd0\x20\x00"
    assert old.decode_client(old.encode(l2.Say2("a", 0, ""))) == l2.Say2("a", 0, "")
    assert old.decode_client(b"\x38\x05\0\0\0") == l2.UseItem(5)
    assert new.decode_client(new.encode(l2.Say2("a", 0, ""))) == l2.Say2("a", 0, "")
    assert old.role_of(b"\x38") == new.role_of(b"\x14") == l2.UseItem.role


# The client's own texts


def test_texts_get_what_they_have_places_for() -> None:
    VERSION.encode(l2.SystemMessage(SystemMessageId.WELCOME))
    VERSION.encode(l2.SystemMessage(SystemMessageId.FRIEND_ADDED, (l2.text("Al"),)))
    for wrong in (
        l2.SystemMessage(SystemMessageId.WELCOME, (l2.number(1),)),
        l2.SystemMessage(SystemMessageId.FRIEND_ADDED),
        l2.SystemMessage(SystemMessageId.FRIEND_ADDED, (l2.number(1),)),
        l2.SystemMessage(SystemMessageId.OBTAINED_SEVERAL, (l2.number(1), l2.item_name(57))),
        l2.ConfirmDlg(SystemMessageId.FRIEND_ADDED, (l2.player_name("Al"),)),
        l2.SystemMessage(9999),
    ):
        with pytest.raises(ValueError, match=r"must have|no such text"):
            VERSION.encode(wrong)


def test_every_text_can_be_sent() -> None:
    samples = {
        l2.ParameterKind.TEXT: l2.text("Al"),
        l2.ParameterKind.NUMBER: l2.number(3),
        l2.ParameterKind.ITEM_NAME: l2.item_name(57),
    }
    assert VERSION.texts.keys() == set(SystemMessageId)
    for number, kinds in VERSION.texts.items():
        message = l2.SystemMessage(number, tuple(samples[l2.ParameterKind(kind)] for kind in kinds))
        assert VERSION.decode_server(VERSION.encode(message)) == message


# Wrong files


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({"opcodes/client/Say2": None}, "l2/746/opcodes.toml: client: Say2: is missing"),
        ({"opcodes/server/UserInfo": None}, "l2/746/opcodes.toml: server: UserInfo: is missing"),
        (
            {"opcodes/client/Say2": 0x14},
            "l2/746/opcodes.toml: client.Say2: 0x14 is the number of UseItem",
        ),
        (
            {"opcodes/client/Say2": 0x100},
            "l2/746/opcodes.toml: client.Say2: must be a byte or [0xd0, u16], is 256",
        ),
        (
            {"opcodes/client/Say2": 0xD0},
            "l2/746/opcodes.toml: client.Say2: must be a byte or [0xd0, u16], is 208",
        ),
        (
            {"opcodes/server/UserInfo": [0xD0, 1]},
            "l2/746/opcodes.toml: server.UserInfo: must be a byte or [0xfe, u16], is [208, 1]",
        ),
        ({"opcodes/both": {}}, "l2/746/opcodes.toml: both: must be [client] or [server]"),
        (
            {"profile/protocols": [746, 740]},
            "l2/746/profile.toml: protocols: must be the first and the last, is [746, 740]",
        ),
        ({"profile/served": 1}, "l2/746/profile.toml: served: must be true or false, is 1"),
        ({"system_messages": None}, "l2/746/system_messages.toml: is missing"),
        ({"opcods": {}}, "l2/746/opcods.toml: no such file, did you mean 'opcodes'?"),
        (
            {"system_messages/welcome/id": 35},
            "l2/746/system_messages.toml: welcome: id: must be 34, is 35",
        ),
        ({"system_messages/welcome": None}, "l2/746/system_messages.toml: welcome: is missing"),
        (
            {"system_messages/welcom": {"id": 34}},
            "l2/746/system_messages.toml: welcom: nothing uses it, did you mean 'welcome'?",
        ),
        (
            {"system_messages/welcome/parameters": ["txt"]},
            "l2/746/system_messages.toml: welcome: parameters: no kind 'txt', did you mean 'text'?",
        ),
    ],
)
def test_mistakes_are_told(changes: Mapping[str, object], wanted: str) -> None:
    assert wanted in problems(changes)


def test_every_mistake_is_told_at_once() -> None:
    assert len(problems({"opcodes/client/Say2": None, "system_messages/welcome/id": 35})) == 2


def test_without_a_version_that_is_served_there_is_no_game() -> None:
    with pytest.raises(LookError, match="no version that is served"):
        L2Versions.from_tables({}, CATALOGUE)
    with pytest.raises(LookError, match="no version that is served"):
        L2Versions.from_tables({"273": tables()["273"]}, CATALOGUE)


# The documentation


def test_every_message_is_documented() -> None:
    pages = list(documents(VERSION))
    text = "\n".join(pages)
    for cls in (*CLIENT_MESSAGES, *SERVER_MESSAGES):
        assert f" {cls.__name__} (from the " in text
    assert "### 0xd0:0008 RequestManorList (from the client, 0 bytes of body)" in text
    assert "| loot_rule | s32 LE |" in text
    assert "### ItemEntry (structure, 36 bytes of body)" in text
    assert all((cls.__doc__ or "").strip() for cls in (*CLIENT_MESSAGES, *SERVER_MESSAGES))
