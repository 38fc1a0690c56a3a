"""Where the fields of Conquer Online's packets lie in each version."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

import pytest

from protocol.co import packets as co
from protocol.co.packets import decode_client, decode_server, type_of
from protocol.co.packets.base import HEADER_SIZE, StringPack
from protocol.co.packets.describe import documents
from protocol.co.versions import CoVersion
from protocol.endings import WireError
from protocol.wire.fields import Blob, Constant, Integer, Listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.co.packets import Message

OLD: Final = CoVersion.V5017
NEW: Final = CoVersion.V5065
EVERY: Final = tuple(dict.fromkeys((*co.CLIENT_MESSAGES, *co.SERVER_MESSAGES)))


def plainest(cls: type[Message]) -> Message:
    """A packet of nothing but zeros, as short as it can be."""
    return cls.decode(bytes(HEADER_SIZE))


SIZES: Final[Mapping[type[Message], tuple[int, int, int]]] = {
    co.Register: (1001, 60, 60),
    co.Talk: (1004, 25, 25),
    co.Walk: (1005, 10, 12),
    co.UserInfo: (1006, 68, 72),
    co.ItemInfo: (1008, 36, 44),
    co.ItemAction: (1009, 24, 24),
    co.Action: (1010, 24, 24),
    co.Tick: (1012, 32, 32),
    co.Player: (1014, 81, 91),
    co.NameMessage: (1015, 10, 10),
    co.Weather: (1016, 20, 20),
    co.UserAttrib: (1017, 12, 12),
    co.Friend: (1019, 36, 36),
    co.Interact: (1022, 28, 32),
    co.Team: (1023, 12, 12),
    co.Allot: (1024, 8, 8),
    co.WeaponSkill: (1025, 16, 16),
    co.TeamMember: (1026, 36, 36),
    co.GemEmbed: (1027, 20, 20),
    co.Date: (1033, 36, 36),
    co.Account: (1051, 52, 52),
    co.FileReport: (1052, 28, 28),
    co.Connect: (1052, 28, 28),
    co.ConnectEx: (1055, 32, 32),
    co.ConnectReject: (1055, 12, 12),
    co.Trade: (1056, 12, 12),
    co.MapItem: (1101, 20, 20),
    co.PickUp: (1101, 20, 20),
    co.Package: (1102, 16, 16),
    co.PackageList: (1102, 16, 16),
    co.Magic: (1103, 12, 12),
    co.FlushExp: (1104, 12, 12),
    co.MagicEffect: (1105, 20, 20),
    co.GuildAttributes: (1106, 40, 40),
    co.Guild: (1107, 12, 12),
    co.GuildMember: (1112, 28, 28),
    co.ItemInfoEx: (1108, 44, 52),
    co.NpcInfoEx: (1109, 27, 27),
    co.MapInfo: (1110, 16, 16),
    co.MessageBoard: (1111, 10, 10),
    co.NpcInfo: (2030, 19, 21),
    co.Npc: (2031, 16, 16),
    co.TaskDialog: (2032, 13, 13),
    co.FriendInfo: (2033, 36, 40),
    co.DataArray: (2036, 8, 8),
}
"""Type, and bytes without any texts or elements in 5017 and 5065."""


def test_every_packet_has_its_type_and_its_size() -> None:
    assert {
        cls: (cls.type, *(len(plainest(cls).encode(version)) for version in (OLD, NEW))) for cls in EVERY
    } == SIZES


OFFSETS: Final[Mapping[type[Message], str]] = {
    co.Account: "account 4, password 20, server 36",
    co.ConnectEx: "token_low 4, token_high 8, address 12, port 28",
    co.ConnectReject: "code 8",
    co.Connect: "build 12, language 14, mac 16, contents 24",
    co.Register: "account 4, name 20, password 36, body 52, profession 54, account_id 56",
    co.Talk: "colour 4, channel 8, style 10, time 12, hearer_look 16, speaker_look 20, strings 24",
    co.UserInfo: (
        "id 4, look 8, hair 12, silver 14, conquer_points 18, experience 22, strength 46/50, agility 48/52, "
        "vitality 50/54, spirit 52/56, free_points 54/58, life 56/60, mana 58/62, pk_points 60/64, "
        "level 62/66, profession 63/67, previous_profession 64/68, rebirths 65/69, shows_name 66/70, "
        "names 67/71"
    ),
    co.Walk: "id 4, direction 8, mode 9",
    co.Action: "timestamp 4, id 8, data 12, x 16, y 18, direction 20, action 22",
    co.Player: (
        "id 4, look 8, flags 12, guild 20, guild_rank 23, garment 24, helmet 28, armour 32, right_hand 36, "
        "left_hand 40, life 48, monster_level 50, x 52, y 54, hair 56, direction 58, pose 59, rebirths 60, "
        "level 62, nobility_rank 68, id_again 72, nobility_position 76, names 80/90"
    ),
    co.NpcInfo: "id 4, x 8, y 10, look 12, kind 14, sort 16, names 18/20",
    co.NpcInfoEx: "max_life 8, life 12, x 16, y 18, look 20, kind 22, sort 24, names 26",
    co.MapItem: "id 4, item_type 8, x 12, y 14, action 16/18",
    co.PickUp: "x 12, y 14, first 16, second 18",
    co.ItemInfo: (
        "id 4, item_type 8, durability 12, durability_limit 14, mode 16, ident 17, position 18, "
        "socket_progress 20, gem1 24, gem2 25, magic1 26, magic2 27, plus 28, bless 29, enchant 30, "
        "restrain 32"
    ),
    co.ItemInfoEx: (
        "id 4, owner 8, price 12, item_type 16, durability 20, durability_limit 22, mode 24, ident 25, "
        "position 26, socket_progress 28, gem1 32, restrain 40"
    ),
    co.ItemAction: "id 4, data 8, action 12, timestamp 16, amount 20",
    co.Interact: "timestamp 4, sender 8, target 12, x 16, y 18, kind 20, data 24",
    co.Date: "year 8, month 12, day_of_year 16, day 20, hour 24, minute 28, second 32",
    co.Weather: "kind 4, intensity 8, direction 12, colour 16",
    co.MapInfo: "map 4, document 8, flags 12",
    co.Npc: "id 4, data 8, event 12, kind 14",
    co.TaskDialog: "task_id 4, value 8, option 10, action 11, strings 12",
    co.NameMessage: "subject 4, kind 8, strings 9",
    co.Tick: "id 4, time 8, noise 12, checksum 28",
    co.TeamMember: "name 8, id 24, look 28, max_life 32, life 34",
    co.Friend: "action 8, online 9, nobility_rank 12, flower_rank 16, name 20",
    co.FriendInfo: "look 8, level 12, profession 13, pk_points 14, guild 16, guild_rank 19, mate 20",
    co.GuildAttributes: "guild 4, donation 8, fund 12, members 16, rank 20, leader 21",
    co.Package: "npc 4, action 8, kind 9, first 10, second 12, third 14",
    co.PackageList: "npc 4, action 8, kind 9",
    co.GemEmbed: "hero 4, item 8, gem 12, socket 16, action 18",
    co.DataArray: "action 4",
    co.MessageBoard: "index 4, channel 6, action 8, strings 9",
    co.Allot: "strength 4, agility 5, vitality 6, spirit 7",
    co.WeaponSkill: "weapon 4, level 8, experience 12",
    co.Magic: "experience 4, magic 8, level 10",
    co.FlushExp: "experience 4, skill 8, kind 10",
    co.Team: "action 4, id 8",
    co.Trade: "data 4, action 8",
    co.Guild: "action 4, target 8",
    co.GuildMember: "donation 4, rank 8, name 9",
    co.FileReport: "account_id 4, contents 8, file 12",
}
"""Where fields begin, size and type included, as the community writes it down; of two numbers the second one
is for 5065."""


def marked(cls: type[Message], name: str) -> tuple[Message, bytes]:
    """A packet of zeros but for one field, and how that field should lie."""
    message = plainest(cls)
    field = next(member.field for member in cls.MEMBERS if member.name == name)
    if isinstance(field, Integer):
        raw = b"\xa1\xb2\xc3\x54\xe5\xf6\x97\x18"[: field.size]
        setattr(message, name, int.from_bytes(raw, "little", signed=field.signed))
    elif isinstance(field, StringPack):
        raw = b"\1\2Al"
        setattr(message, name, ("Al",))
    else:
        raw = b"Al"
        setattr(message, name, raw.ljust(field.minimum, b"\0") if isinstance(field, Blob) else "Al")
    return message, raw


@pytest.mark.parametrize("cls", OFFSETS)
def test_fields_lie_where_they_should(cls: type[Message]) -> None:
    for name, places in (entry.split() for entry in OFFSETS[cls].split(", ")):
        message, raw = marked(cls, name)
        older, _, newer = places.partition("/")
        for version, at in ((OLD, int(older)), (NEW, int(newer or older))):
            frame = message.encode(version)
            assert frame[at : at + len(raw)] == raw, (name, version)
            assert frame[4:].count(0) == len(frame) - 4 - len(raw), (name, version)


@pytest.mark.parametrize(
    ("message", "name", "at"),
    [
        (co.Player(id=0, look=0, pose=0, names=(), helmet_colour=0x0304), "helmet_colour", 84),
        (co.Player(id=0, look=0, pose=0, names=(), armour_colour=0x0304), "armour_colour", 86),
        (co.MapItem(id=0, item_type=0, x=0, y=0, colour=0x0304, action=0), "colour", 16),
        (co.ItemInfo(0, 0, 0, 0, mode=0, colour=0, suspicious=0x0304), "suspicious", 36),
        (co.ItemInfo(0, 0, 0, 0, mode=0, colour=0, locked=0x0304), "locked", 38),
        (co.ItemInfo(0, 0, 0, 0, mode=0, colour=0x0304), "colour", 40),
        (co.ItemInfoEx(0, 0, 0, 0, 0, 0, mode=0, colour=0x0304), "colour", 48),
    ],
)
def test_what_only_the_newer_version_has(message: Message, name: str, at: int) -> None:
    newer, older = message.encode(NEW), message.encode(OLD)
    assert newer[at : at + 2] == b"\4\3"
    assert not any(older[4:])
    cls = type(message)
    assert getattr(cls.decode(newer, NEW), name) == 0x0304
    default = {"colour": co.DEFAULT_COLOUR} if cls in (co.ItemInfo, co.ItemInfoEx) else {}
    assert getattr(cls.decode(older, OLD), name) == default.get(name, 0)


def test_a_resident_without_a_name_has_none_in_either_reading() -> None:
    resident = co.NpcInfo(id=1, x=415, y=351, look=10, kind=co.NpcKind.SHOP)
    assert resident.encode(NEW) == bytes.fromhex("1500ee07 01000000 9f01 5f01 0a00 0100 0000 0000 00")
    # With one, a client that has no such two bytes still reads an empty list at 18.
    named = co.NpcInfo(id=1, x=415, y=351, look=10, kind=co.NpcKind.SHOP, names=("Al",))
    assert named.encode(NEW)[18:] == b"\0\0\1\2Al"
    assert named.encode(OLD)[18:] == b"\1\2Al"


def test_what_a_pick_up_wants_depends_on_the_version() -> None:
    wanted = bytes.fromhex("1400 4d04 07000000 10bf1000 3d00 6d00")
    assert co.PickUp.decode(wanted + b"\3\0\0\0").action(OLD) == co.MapItemAction.PICK
    assert co.PickUp.decode(wanted + b"\5\0\3\0").action(NEW) == co.MapItemAction.PICK


def test_several_numbers() -> None:
    told = co.UserAttrib(
        id=5,
        attributes=(
            co.AttributeEntry(co.Attribute.LIFE, 100),
            co.AttributeEntry(co.Attribute.STATUS, co.StatusFlag.PRAYING | co.StatusFlag.DEAD),
        ),
    )
    assert told.encode(OLD) == told.encode(NEW)
    assert told.encode(OLD)[4:] == bytes.fromhex(
        "05000000 02000000 00000000 6400000000000000 1a000000 0004008000000000"
    )


def test_what_a_spell_hit() -> None:
    effect = co.MagicEffect(1, co.pack_xy(2, 3), 1001, 4, (co.MagicHit(7, 90),))
    assert effect.encode(OLD)[4:] == bytes.fromhex(
        "01000000 02000300 e903 0400 01000000 07000000 5a000000 00000000"
    )


def test_only_what_holds_a_token_or_a_password_is_secret_and_nothing_may_be_lost() -> None:
    secret = {co.Account, co.ConnectEx, co.FileReport, co.Connect, co.Register}
    assert {cls for cls in EVERY if cls.secret} == secret
    assert not [cls for cls in EVERY if cls.droppable]


def test_what_clients_send_lies_alike_in_all_versions() -> None:
    # Zeros at the end aside: a step has two more of them, a deed to somebody four.
    for cls in co.CLIENT_MESSAGES:
        kept = [
            [member for member in cls.layouts[version].members if not isinstance(member.field, Constant)]
            for version in CoVersion
        ]
        assert kept[0] == kept[1] == [m for m in cls.MEMBERS if not isinstance(m.field, Constant)]
        filler = [
            [at for at, m in enumerate(cls.layouts[version].members) if m not in kept[0]]
            for version in CoVersion
        ]
        assert filler[0] == filler[1] or cls in (co.Walk, co.Interact)


def test_lists_hold_declared_structures() -> None:
    held = {m.field.element for cls in EVERY for m in cls.MEMBERS if isinstance(m.field, Listed)}
    assert held == {co.AttributeEntry, co.MagicHit, co.StoredItem, co.ColouredItem}


# By type


def test_unknown_types_are_refused() -> None:
    for frame in (b"", b"\4\0\1", b"\4\0\0\0", struct.pack("<HH", 4, 9999)):
        with pytest.raises(WireError):
            decode_client(frame)
        with pytest.raises(WireError):
            decode_server(frame, OLD)
    assert (type_of(b"\4\0\1"), type_of(b"\4\0\1\4")) == (-1, 1025)


def test_types_have_the_names_of_what_servers_send() -> None:
    assert [co.name_of_type(kind) for kind in (1055, 1101, 1010, 2036, 7)] == [
        *("ConnectEx", "MapItem", "Action", "DataArray", "7")
    ]


def test_packets_of_one_type_are_told_apart_by_who_sends_them() -> None:
    item = co.MapItem(id=1, item_type=2, x=3, y=4)
    assert isinstance(decode_server(item.encode(OLD), OLD), co.MapItem)
    assert isinstance(decode_client(item.encode(OLD)), co.PickUp)
    with pytest.raises(WireError):
        decode_client(co.MapInfo(1, 1).encode(OLD))
    with pytest.raises(WireError):
        decode_server(co.Allot(1, 0, 0, 0).encode(OLD), OLD)


def test_the_reference_names_every_packet_with_its_offsets() -> None:
    pages = list(documents())
    titles = [page.splitlines()[0] for page in pages]
    assert len(titles) == len(EVERY) + len([co.AttributeEntry, co.MagicHit, co.StoredItem, co.ColouredItem])
    assert "### 1101 PickUp (from the client)" in titles
    assert "### 1101 MapItem (from the server)" in titles
    assert "### 1010 Action (both ways)" in titles
    user = next(page for page in pages if " UserInfo " in page.splitlines()[0])
    assert "| 5017 | 5065 | field | type | notes |" in user
    assert "| 46 | 50 | strength | u16 LE |" in user
    item = next(page for page in pages if " MapItem " in page.splitlines()[0])
    assert "| - | 16 | colour | u16 LE |" in item
