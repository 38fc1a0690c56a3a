"""Recorded messages of Lineage II, field by field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import pytest

from protocol.l2 import packets as l2
from tests.kit.l2_recorded import FROM_CLIENT, FROM_SERVER, VERSION

if TYPE_CHECKING:
    from protocol.l2.packets import Message

BOBBY: Final = 268477650
ATTACK_SPEED: Final = 1.525333285331726  # 416 * 1.1 / 300 in single precision


def test_user_info_field_by_field() -> None:
    info = VERSION.decode_server(FROM_SERVER["UserInfo"][0])
    assert info == l2.UserInfo(
        x=-71338,
        y=258271,
        z=-3104,
        object_id=BOBBY,
        name="Bobby",
        race=0,
        sex=0,
        base_class=0,
        level=1,
        exp=0,
        strength=40,
        dexterity=30,
        constitution=43,
        intelligence=21,
        wit=11,
        mentality=25,
        max_hp=126,
        hp=126,
        max_mp=38,
        mp=38,
        sp=0,
        load=7821,
        max_load=109020,
        armed=40,
        paperdoll_objects=(0, 0, 0, 0, 0, 0, 0, BOBBY + 4, 0, 0, BOBBY + 2, BOBBY + 1, 0, 0, 0, 0, 0),
        paperdoll_items=(0, 0, 0, 0, 0, 0, 0, 2369, 0, 0, 1146, 1147, 0, 0, 0, 0, 0),
        p_atk=6,
        p_atk_spd=416,
        p_def=75,
        evasion=33,
        accuracy=33,
        critical=88,
        m_atk=2,
        m_atk_spd=213,
        p_atk_spd_again=416,
        m_def=47,
        run_speed=126,
        walk_speed=88,
        swim_run_speed=126,
        swim_walk_speed=88,
        float_run_speed=126,
        float_walk_speed=88,
        fly_run_speed=126,
        fly_walk_speed=88,
        move_multiplier=1.0,
        attack_speed_multiplier=ATTACK_SPEED,
        collision_radius=9.0,
        collision_height=23.0,
        inventory_limit=80,
        max_cp=50,
        name_color=0xFFFFFF,
        running=1,
        title_color=0xFFFF77,
    )


def test_char_info_field_by_field() -> None:
    info = VERSION.decode_server(FROM_SERVER["CharInfo"][0])
    assert info == l2.CharInfo(
        x=-71338,
        y=258271,
        z=-3104,
        object_id=268477678,
        name="Gracie",
        race=0,
        sex=0,
        base_class=0,
        items=(0, 0, 2369, 0, 0, 1146, 1147, 0, 0, 0, 0, 0),
        m_atk_spd=213,
        p_atk_spd=416,
        run_speed=126,
        walk_speed=88,
        swim_run_speed=126,
        swim_walk_speed=88,
        float_run_speed=126,
        float_walk_speed=88,
        fly_run_speed=126,
        fly_walk_speed=88,
        move_multiplier=1.0,
        attack_speed_multiplier=ATTACK_SPEED,
        collision_radius=9.0,
        collision_height=23.0,
        standing=1,
        running=1,
        max_cp=50,
    )


def test_npc_info_field_by_field() -> None:
    info = VERSION.decode_server(FROM_SERVER["NpcInfo"][0])
    assert info == l2.NpcInfo(
        object_id=268465563,
        npc_id=1018342,
        attackable=1,
        x=-71354,
        y=257772,
        z=-3148,
        heading=0,
        run_speed=55,
        walk_speed=22,
        swim_run_speed=55,
        swim_walk_speed=22,
        float_run_speed=55,
        float_walk_speed=22,
        fly_run_speed=55,
        fly_walk_speed=22,
        move_multiplier=1.1,
        attack_speed_multiplier=1.0018800000016155,
        collision_radius=10.0,
        collision_height=15.0,
        collision_radius_again=10.0,
        collision_height_again=15.0,
    )


def test_the_list_of_characters_field_by_field() -> None:
    listed = VERSION.decode_server(FROM_SERVER["CharSelectInfo"][1])
    assert listed == l2.CharSelectInfo(
        (
            l2.CharSelectEntry(
                name="Bobby",
                object_id=199546,
                account="bob",
                session_id=3488875689,
                clan_id=0,
                sex=0,
                race=0,
                base_class=0,
                x=0,
                y=0,
                z=0,
                hp=126.0,
                mp=38.0,
                sp=0,
                exp=0,
                level=1,
                paperdoll_objects=(0, 0, 0, 0, 0, 0, 0, BOBBY + 4, 0, 0, BOBBY + 2, BOBBY + 1, 0, 0, 0, 0, 0),
                paperdoll_items=(0, 0, 0, 0, 0, 0, 0, 2369, 0, 0, 1146, 1147, 0, 0, 0, 0, 0),
                max_hp=126.0,
                max_mp=38.0,
                last_used=1,
            ),
        )
    )
    assert VERSION.decode_server(FROM_SERVER["CharSelectInfo"][0]) == l2.CharSelectInfo(())


def test_the_selected_character_field_by_field() -> None:
    assert VERSION.decode_server(FROM_SERVER["CharSelected"][0]) == l2.CharSelected(
        name="Bobby",
        object_id=BOBBY,
        title="",
        session_id=3488875689,
        clan_id=0,
        sex=0,
        race=0,
        class_id=0,
        x=-71338,
        y=258271,
        z=-3104,
        hp=126.0,
        mp=38.0,
        sp=0,
        exp=0,
        level=1,
        karma=0,
        pk_kills=0,
        intelligence=21,
        strength=40,
        constitution=43,
        mentality=25,
        dexterity=30,
        wit=11,
        game_time=383,
        class_id_again=0,
    )


def test_templates_field_by_field() -> None:
    templates = cast("l2.CharTemplates", VERSION.decode_server(FROM_SERVER["CharTemplates"][0])).templates
    # C6 names the human fighter twice.
    assert [(one.race, one.class_id) for one in templates[1:]] == [
        (0, 0),
        (0, 10),
        (1, 18),
        (1, 25),
        (2, 31),
        (2, 38),
        (3, 44),
        (3, 49),
        (4, 53),
    ]
    assert templates[2] == l2.CharTemplate(
        race=0, class_id=10, strength=22, dexterity=21, constitution=27, intelligence=41, wit=20, mentality=39
    )


def test_items_field_by_field() -> None:
    listed = cast("l2.ItemList", VERSION.decode_server(FROM_SERVER["ItemList"][1]))
    assert listed.show_window == 1
    assert listed.items[1] == l2.ItemEntry(
        type1=l2.ItemClass.WEAPON_OR_JEWEL,
        object_id=BOBBY + 4,
        item_id=2369,
        count=1,
        type2=l2.ItemKind.WEAPON,
        equipped=1,
        body_part=l2.BodyPart.RIGHT_HAND,
    )
    assert [item.body_part for item in listed.items] == [0, 0x80, 0x80, 0x400, 0x800]
    gone = cast("l2.InventoryUpdate", VERSION.decode_server(FROM_SERVER["InventoryUpdate"][0])).changes
    assert [(one.change, one.item.item_id) for one in gone] == [(l2.Change.REMOVED, 5588)]
    assert VERSION.decode_server(FROM_SERVER["DropItem"][0]) == l2.DropItem(
        dropper_id=268477662,
        object_id=268477671,
        item_id=57,
        x=-86375,
        y=243300,
        z=-3717,
        stackable=1,
        count=100,
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "MoveToLocation",
            l2.MoveToLocation(
                object_id=268465572,
                to_x=-70987,
                to_y=258003,
                to_z=-3148,
                from_x=-71152,
                from_y=258128,
                from_z=-3148,
            ),
        ),
        (
            "MoveToPawn",
            l2.MoveToPawn(object_id=BOBBY, target_id=268465563, distance=40, x=-71238, y=258321, z=-3104),
        ),
        ("StopMove", l2.StopMove(object_id=BOBBY, x=-71325, y=257902, z=-3124, heading=46862)),
        (
            "ValidateLocation",
            l2.ValidateLocation(object_id=268465563, x=-71354, y=257772, z=-3148, heading=0),
        ),
        (
            "TeleportToLocation",
            l2.TeleportToLocation(object_id=BOBBY, x=-86385, y=243300, z=-3707, heading=0),
        ),
        ("ChangeMoveType", l2.ChangeMoveType(object_id=BOBBY, running=1)),
        (
            "ChangeWaitType",
            l2.ChangeWaitType(object_id=BOBBY, wait=l2.Wait.SITTING, x=-71325, y=257902, z=-3124),
        ),
        ("SocialAction", l2.SocialAction(object_id=BOBBY, action=l2.Social.HELLO)),
        ("TargetSelected", l2.TargetSelected(object_id=BOBBY, target_id=BOBBY, x=-71338, y=258271, z=-3104)),
        ("TargetUnselected", l2.TargetUnselected(object_id=BOBBY, x=-71338, y=258271, z=-3104)),
        ("MyTargetSelected", l2.MyTargetSelected(object_id=268465563, color=0)),
        ("DeleteObject", l2.DeleteObject(268465563)),
        ("RelationChanged", l2.RelationChanged(268477678)),
        ("GetItem", l2.GetItem(player_id=268477662, object_id=268477671, x=-86375, y=243300, z=-3717)),
        ("Die", l2.Die(BOBBY, to_village=1)),
        ("Revive", l2.Revive(BOBBY)),
        ("ClientSetTime", l2.ClientSetTime(383)),
        ("RestartResponse", l2.RestartResponse(ok=0, text="ok merong~ khaha")),
        ("SystemMessage", l2.SystemMessage(l2.SystemMessageId.WELCOME)),
        ("SendMacroList", l2.SendMacroList(revision=2, count=0)),
        ("HennaInfo", l2.HennaInfo(slots=0)),
        ("QuestList", l2.QuestList((l2.QuestEntry(quest_id=-1, state=0),) * 2)),
        ("EtcStatusUpdate", l2.EtcStatusUpdate()),
        ("ExStorageMaxCount", l2.ExStorageMaxCount(freight=20, private_sell=4)),
        ("FriendList", l2.FriendList(())),
        (
            "SkillList",
            l2.SkillList(
                (
                    l2.SkillEntry(passive=1, level=1, skill_id=194),
                    l2.SkillEntry(passive=1, level=1, skill_id=1320),
                    l2.SkillEntry(passive=0, level=1, skill_id=1322),
                )
            ),
        ),
        (
            "ShortCutInit",
            l2.ShortCutInit(
                (
                    l2.ShortCutEntry(type=l2.ShortCutType.ACTION, slot=0, id=2),
                    l2.ShortCutEntry(type=l2.ShortCutType.ACTION, slot=3, id=5),
                    l2.ShortCutEntry(type=l2.ShortCutType.ACTION, slot=10, id=0),
                    l2.ShortCutEntry(type=l2.ShortCutType.ITEM, slot=11, id=268477655),
                )
            ),
        ),
    ],
)
def test_recorded_messages_say_what_was_meant(name: str, message: Message) -> None:
    assert VERSION.decode_server(FROM_SERVER[name][0]) == message


def test_recorded_speech() -> None:
    said = [VERSION.decode_server(sample) for sample in FROM_SERVER["CreatureSay"]]
    assert said[2] == l2.CreatureSay(object_id=BOBBY, type=l2.ChatType.ALL, name="Bobby", text="hello world")
    assert cast("l2.CreatureSay", said[1]).type == l2.ChatType.ANNOUNCEMENT
    html = cast("l2.NpcHtmlMessage", VERSION.decode_server(FROM_SERVER["NpcHtmlMessage"][0]))
    assert (html.object_id, html.item_id) == (268466315, 0)
    assert html.html.startswith("<html><body>Trader Lector:<br>")


def test_recorded_texts_with_parameters() -> None:
    texts = [cast("l2.SystemMessage", VERSION.decode_server(one)) for one in FROM_SERVER["SystemMessage"]]
    assert texts[2].parameters == (l2.number(11),)
    assert texts[3].parameters == (l2.text("Gremlin"),)


def test_status_update_field_by_field() -> None:
    update = cast("l2.StatusUpdate", VERSION.decode_server(FROM_SERVER["StatusUpdate"][0]))
    told = {l2.Attribute(one.attribute): one.value for one in update.attributes}
    assert update.object_id == BOBBY
    assert told[l2.Attribute.STRENGTH] == 40
    assert told[l2.Attribute.MENTALITY] == 25
    assert (told[l2.Attribute.HP], told[l2.Attribute.MAX_HP]) == (126, 126)
    assert (told[l2.Attribute.MP], told[l2.Attribute.MAX_MP]) == (38, 38)
    assert (told[l2.Attribute.LOAD], told[l2.Attribute.MAX_LOAD]) == (7821, 109020)
    assert told[l2.Attribute.MAX_CP] == 50


@pytest.mark.parametrize(
    ("at", "message"),
    [
        (0, l2.ProtocolVersion(746)),
        (
            1,
            l2.AuthLogin(
                account="bob",
                play_key2=222433293,
                play_key1=3488875689,
                login_key1=3266213224,
                login_key2=1932097532,
                language=1,
            ),
        ),
        (3, l2.CharacterCreate(name="Bobby", race=0, sex=0, class_id=0)),
        (4, l2.CharacterSelect(0)),
        (
            8,
            l2.MoveBackwardToLocation(
                to_x=-71238,
                to_y=258321,
                to_z=-3104,
                origin_x=-71338,
                origin_y=258271,
                origin_z=-3104,
                by_mouse=1,
            ),
        ),
        (9, l2.ValidatePosition(x=-71278, y=258301, z=-3104, heading=0, vehicle_id=0)),
        (10, l2.Say2(text="hello world", type=l2.ChatType.ALL)),
        (11, l2.Action(object_id=268465563, origin_x=-71338, origin_y=258271, origin_z=-3104, shift=0)),
        (14, l2.RequestSocialAction(l2.Social.HELLO)),
        (15, l2.RequestActionUse(0)),
    ],
)
def test_recorded_requests_field_by_field(at: int, message: Message) -> None:
    assert VERSION.decode_client(bytes.fromhex(FROM_CLIENT[at]["plain"])) == message


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Say2 TELL", l2.Say2(text="psst", type=l2.ChatType.TELL, target="Gracie")),
        ("RequestDropItem", l2.RequestDropItem(object_id=268477683, count=1, x=-71338, y=258271, z=-3104)),
        ("UseItem (toggle equip)", l2.UseItem(268477682)),
        ("ActionUse walk/run", l2.RequestActionUse(1)),
        ("RequestTargetCanceld", l2.RequestTargetCancel(1)),
        ("RequestRestartPoint village", l2.RequestRestartPoint(0)),
        ("SendBypassBuildCmd invul", l2.SendBypassBuildCmd("invul")),
        ("RequestBypassToServer npc_268466315_Buy 1", l2.RequestBypassToServer("npc_268466315_Buy 1")),
        ("RequestMagicSkillUse heal", l2.RequestMagicSkillUse(1011)),
        ("AddTradeItem", l2.AddTradeItem(trade_id=1, object_id=268477677, count=1)),
    ],
)
def test_other_recorded_requests_field_by_field(name: str, message: Message) -> None:
    row = next(row for row in FROM_CLIENT if row["name"] == name)
    assert VERSION.decode_client(bytes.fromhex(row["plain"])) == message
