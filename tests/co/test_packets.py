"""Conquer Online's packets as others send them: examples and a recorded server, bit for bit, by field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from protocol.co import packets as co
from protocol.co.packets import decode_client, decode_server, type_of
from protocol.co.packets.base import StringPack
from protocol.co.versions import CoVersion
from world.heading import OFFSETS

if TYPE_CHECKING:
    from protocol.co.packets import Message

GOLDEN: Final = Path(__file__).parents[1] / "golden" / "co"
EXAMPLES: Final = json.loads((GOLDEN / "packets_5017.json").read_text())
SAMPLES: Final = {row["name"]: bytes.fromhex(row["hex"]) for row in EXAMPLES["packets"]}
CAPTURE: Final = json.loads((GOLDEN / "java_server_capture_5017.json").read_text())
RECORDED: Final = [
    bytes.fromhex(row["hex"]) for part in ("existing_character", "new_character") for row in CAPTURE[part]
]
SECTORS: Final = json.loads((GOLDEN / "direction_sector.json").read_text())
MAGIC: Final = json.loads((GOLDEN / "magic_attack_obfuscation.json").read_text())["cases"]

OLD: Final = CoVersion.V5017
HERO: Final = 1_000_000

SURPLUS: Final = {
    co.Talk.type: bytes(3),
    co.UserInfo.type: bytes(1),
    co.ItemAction.type: bytes(4),
}
"""Zeros behind the last field that only the recorded server sends."""

ODD: Final = bytes.fromhex("1800 5604 2f7d24f7 40420f00 ffffffff 7e01 5501 0000 6800")
"""The recorded server's Action MAP_COLOUR has the type of a MapInfo."""

MEANT: Final[dict[str, Message]] = {
    "MsgAccount 5017": co.Account(
        account="Player", password=bytes.fromhex("6422c85d887752500da6084df367eb73"), server="Meteor"
    ),
    "MsgConnectEx accept": co.ConnectEx(token_low=HERO, token_high=5, address="127.000.000.001", port=5816),
    "MsgConnectEx reject code 1": co.ConnectReject(zero=0, code=co.RejectCode.BAD_PASSWORD),
    "MsgConnect game 5017": co.Connect(
        token_low=HERO, token_high=5, build=123, language="En", mac=bytes(8), contents=10
    ),
    "MsgTalk ANSWER_OK login channel 5017": co.said(co.ANSWER_OK, co.Channel.LOGIN),
    "MsgUserInfo 5017": co.UserInfo(
        id=HERO,
        look=co.Body.SLIM_MAN + 67 * co.FACE,
        hair=535,
        silver=1000,
        conquer_points=0,
        experience=0,
        strength=4,
        agility=6,
        vitality=12,
        spirit=0,
        free_points=0,
        life=318,
        mana=0,
        pk_points=0,
        level=1,
        profession=co.Profession.TROJAN,
        names=("Hero", co.NOBODY),
    ),
    "MsgAction location reply (74)": co.Action.of(
        co.ActionType.ENTER_MAP, HERO, data=1010, x=61, y=109, timestamp=1234
    ),
    "MsgAction jump from 61,109 to 64,112 (133)": co.Action.of(
        co.ActionType.JUMP, HERO, data=co.pack_xy(64, 112), x=61, y=109, direction=7, timestamp=1234
    ),
    "MsgWalk dir 3 run": co.Walk(id=HERO, direction=3, mode=co.Pace.RUN),
    "MsgMapInfo": co.MapInfo(
        map=1002, document=1002, flags=co.MapFlag.BLESSED_REVIVAL | co.MapFlag.NEWBIE_PROTECTION
    ),
    "MsgPlayer player 5017": co.Player(
        id=HERO,
        look=671003,
        armour=132005,
        right_hand=410301,
        life=318,
        monster_level=1,
        x=61,
        y=109,
        hair=535,
        direction=0,
        pose=co.Emotion.STAND,
        level=1,
        id_again=HERO,
        names=("Hero",),
    ),
    "MsgNpcInfo Storekeeper": co.NpcInfo(id=1, x=415, y=351, look=10, kind=co.NpcKind.SHOP),
    "MsgItemInfo 5017 (36 bytes)": co.ItemInfo(
        id=1, item_type=410301, durability=799, durability_limit=799, position=co.ItemPosition.RIGHT_HAND
    ),
    "MsgUserAttrib life=100": co.UserAttrib(id=HERO, attributes=(co.AttributeEntry(co.Attribute.LIFE, 100),)),
    "MsgTaskDialog text": co.TaskDialog(
        task_id=0, value=0, option=co.NO_ANSWER, action=co.DialogAction.TEXT, strings=("Hello",)
    ),
    "MsgTaskDialog option 1": co.TaskDialog(
        task_id=0, value=0, option=1, action=co.DialogAction.OPTION, strings=("Bye",)
    ),
    "MsgTaskDialog face 47": co.TaskDialog(
        task_id=0, value=47, option=co.NO_ANSWER, action=co.DialogAction.FACE
    ),
    "MsgTaskDialog show": co.TaskDialog(task_id=0, value=0, option=co.NO_ANSWER, action=co.DialogAction.SHOW),
}


# Examples


def test_all_examples_are_looked_at() -> None:
    assert MEANT.keys() == SAMPLES.keys()


@pytest.mark.parametrize("name", MEANT)
def test_examples_say_what_was_meant(name: str) -> None:
    frame, message = SAMPLES[name], MEANT[name]
    assert type(message).decode(frame, OLD) == message
    assert message.encode(OLD) == frame
    decode = decode_server if type(message) in co.SERVER_MESSAGES else decode_client
    assert decode(frame, OLD) == message


@pytest.mark.parametrize(
    ("frame", "meant"),
    [
        pytest.param(
            "1400 0304 40420f00 01000000 02000000 0100 0000",
            co.GemEmbed(hero=HERO, item=1, gem=2, socket=1, action=0),
            id="a gem goes in",
        ),
        pytest.param(
            "1400 0304 40420f00 01000000 00000000 0200 0100",
            co.GemEmbed(hero=HERO, item=1, gem=0, socket=2, action=1),
            id="and out",
        ),
        pytest.param("0800 f407 02 00 0000", co.DataArray(action=2), id="no items"),
        pytest.param(
            "1400 f407 00 03 0000 01000000 02000000 40420f00",
            co.DataArray(action=0, items=(1, 2, HERO)),
            id="three items are made into one",
        ),
    ],
)
def test_packets_as_their_description_has_them(frame: str, meant: Message) -> None:
    """Nobody has recorded these: the bytes are made by the offsets of a description (conquer-online/wiki:
    msggemembed.md; Redux: ComposePacket)."""
    raw = bytes.fromhex(frame)
    assert decode_client(raw, OLD) == meant
    assert meant.encode(OLD) == raw


def test_the_example_of_a_string_pack() -> None:
    example = EXAMPLES["string_pack_example"]
    raw, texts = bytes.fromhex(example["hex"]), tuple(example["strings"])
    assert StringPack().read(raw, 0) == (texts, len(raw))
    out = bytearray()
    StringPack().write(out, texts)
    assert out == raw


# A recorded server


@pytest.mark.parametrize("frame", RECORDED, ids=[f"{n}-{type_of(one)}" for n, one in enumerate(RECORDED)])
def test_recorded_packets_are_written_the_same(frame: bytes) -> None:
    if frame == ODD:
        return
    again = decode_server(frame, OLD).encode(OLD)
    assert frame[4:] == again[4:] + SURPLUS.get(type_of(frame), b"")
    assert again[:4] == len(again).to_bytes(2, "little") + frame[2:4]


def recorded(cls: type[Message]) -> list[Message]:
    """All recorded packets of a class."""
    found = [decode_server(frame, OLD) for frame in RECORDED if frame != ODD]
    return [one for one in found if type(one) is cls]


def test_the_recorded_way_to_the_game() -> None:
    assert recorded(co.ConnectEx) == [MEANT["MsgConnectEx accept"]]
    words = [one.words for one in recorded(co.Talk) if isinstance(one, co.Talk)]
    assert words == ["ANSWER_OK", "Guild bulletin!", "Players online 1", "NEW_ROLE", "ANSWER_OK"]
    first = recorded(co.Talk)[0]
    assert first == co.said(co.ANSWER_OK, co.Channel.LOGIN, colour=0xFFFFFFFF)
    assert isinstance(first, co.Talk)
    assert (first.speaker, first.hearer, first.emotion) == (co.SYSTEM, co.ALL_USERS, "")


def test_the_recorded_hero() -> None:
    assert recorded(co.UserInfo) == [
        co.UserInfo(
            id=HERO,
            look=3 * co.FACE + 9003,
            hair=315,
            silver=1111,
            conquer_points=215,
            experience=0,
            strength=180,
            agility=50,
            vitality=50,
            spirit=50,
            free_points=67,
            life=2040,
            mana=0,
            pk_points=0,
            level=130,
            profession=15,
            names=("jackpotsvr", "None"),
        )
    ]


def test_recorded_actions() -> None:
    told = [one for one in recorded(co.Action) if isinstance(one, co.Action)]
    kind = co.ActionType
    assert [one.action for one in told] == [
        *(kind.ENTER_MAP, kind.PK_MODE, kind.WEAPON_SKILLS, kind.MAGIC, kind.FRIENDS),
        *(kind.GUILD, kind.LOGIN_COMPLETE, kind.JUMP),
    ]
    assert {one.id for one in told} == {HERO}
    assert told[0] == co.Action.of(kind.ENTER_MAP, HERO, data=1002, x=382, y=341, timestamp=told[0].timestamp)
    assert co.unpack_xy(told[-1].data) == (385, 345)
    assert recorded(co.Walk) == [MEANT["MsgWalk dir 3 run"]]
    assert recorded(co.ItemAction) == [
        co.ItemAction(id=HERO, data=0, action=co.ItemActionType.PING, timestamp=1234)
    ]


def test_the_recorded_map() -> None:
    assert recorded(co.MapInfo) == [co.MapInfo(map=1002, document=1002)]
    assert recorded(co.Weather) == [
        co.Weather(kind=co.WeatherKind.SNOW, intensity=30, direction=75, colour=1)
    ]
    assert recorded(co.NameMessage) == [
        co.NameMessage(subject=HERO, kind=co.NameKind.ROLE_EFFECT, strings=("letter7",))
    ]


def test_recorded_items_and_skills() -> None:
    items = [one for one in recorded(co.ItemInfo) if isinstance(one, co.ItemInfo)]
    place = co.ItemPosition
    assert [one.position for one in items] == [
        *(place.BAG, place.BAG, place.ARMOUR, place.RIGHT_HAND, place.LEFT_HAND)
    ]
    assert items[2] == co.ItemInfo(
        id=3,
        item_type=135999,
        durability=5000,
        durability_limit=5000,
        mode=co.ItemInfoMode.ADD,
        position=place.ARMOUR,
        gem1=13,
        gem2=3,
        plus=9,
        bless=4,
        enchant=154,
    )
    assert recorded(co.WeaponSkill)[1] == co.WeaponSkill(weapon=420, level=12, experience=65000)
    assert recorded(co.Magic)[2] == co.Magic(experience=0, magic=7020, level=8)


def test_recorded_numbers() -> None:
    # The recorded server counts in u32 and leaves something in the upper half of each number.
    (told,) = recorded(co.UserAttrib)
    assert isinstance(told, co.UserAttrib)
    assert {one.attribute: one.value & 0xFFFFFFFF for one in told.attributes} == {
        co.Attribute.STAMINA: 100,
        co.Attribute.XP: 0,
        0xFF: 0,
        co.Attribute.MAX_LIFE: 2841,
        co.Attribute.LIFE: 2040,
        co.Attribute.MAX_MANA: 250,
        co.Attribute.MANA: 0,
        co.Attribute.LEVEL: 130,
        co.Attribute.STATUS: 0,
    }


def test_recorded_people() -> None:
    people = recorded(co.Player)
    assert len(people) == 5
    assert people[0] == co.Player(
        id=400001, look=117, life=55000, monster_level=112, x=370, y=344, pose=0, names=("BullMessenger",)
    )
    assert people[4] == co.Player(
        id=HERO,
        look=39003,
        armour=135999,
        right_hand=410339,
        left_hand=410339,
        life=2040,
        x=382,
        y=341,
        hair=315,
        pose=0,
        level=130,
        names=("jackpotsvr",),
    )


# Directions


def test_directions_are_the_world_s_headings() -> None:
    assert {int(key): tuple(step) for key, step in SECTORS["step_table"].items()} == dict(enumerate(co.STEPS))
    for heading, offset in enumerate(OFFSETS):
        assert co.STEPS[co.to_wire(heading)] == offset
        assert co.to_world(co.to_wire(heading)) == heading


def test_clients_add_eights_to_their_directions() -> None:
    assert [co.to_world(direction) for direction in (3, 11, 243, 251)] == [co.to_world(3)] * 4


def test_facing_is_the_client_s() -> None:
    for dy, row in enumerate(SECTORS["rows"], -18):
        for dx, direction in enumerate(row, -18):
            assert co.facing(dx, dy) == (int(direction) if dx or dy else None), (dx, dy)


def test_coordinates_in_one_number() -> None:
    assert co.pack_xy(64, 112) == 0x00700040
    assert co.unpack_xy(0xFFFF0001) == (1, 0xFFFF)
    assert co.pack_xy(-1, 1 << 16) == 0xFFFF


# Magic


@pytest.mark.parametrize("case", MAGIC, ids=[f"{case['magic_type']}" for case in MAGIC])
def test_magic_is_disguised_as_clients_do(case: dict[str, int | str]) -> None:
    plain = co.Interact(
        timestamp=int(case["timestamp"]),
        sender=int(case["sender"]),
        target=int(case["target"]),
        x=int(case["x"]),
        y=int(case["y"]),
        kind=co.InteractType.MAGIC,
        data=int(case["magic_level"]) << 16 | int(case["magic_type"]),
    )
    body = bytes.fromhex(str(case["body_hex"]))
    assert co.disguised(plain).encode(OLD)[4:28] == body
    assert co.revealed(co.Interact.decode(bytes.fromhex("1c00fe03") + body, OLD)) == plain
