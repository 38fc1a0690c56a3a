"""The login door: versions, passwords, worlds, characters, and the key to the world."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from protocol.denials import Denial
from protocol.endings import Ending
from protocol.eq2.handlers.characters import MOST_LINES
from protocol.eq2.packets import (
    CharacterList,
    CharactersRequest,
    CrashLogUpload,
    CreateCharacter,
    CreateCode,
    CreateReply,
    DeleteCharacter,
    DeleteCode,
    DeleteReply,
    LoginByNum,
    LoginCode,
    LoginReply,
    LoginRequest,
    PlayCharacter,
    PlayCode,
    PlayReply,
    UiLoaded,
    VerifyLogUpload,
    WorldList,
    WorldListRequest,
    WorldStatusChange,
)
from protocol.services import NewCharacter
from protocol.session import Phase
from tests.kit.desk import PASSWORD
from tests.kit.eq2_desk import VERSION, Desk

if TYPE_CHECKING:
    from protocol.eq2.packets import Message


def form(name: str = "Berta", **changes: object) -> CreateCharacter:
    """A new character as the client asks for it."""
    fields: dict[str, object] = {"server_id": 1, "name": name, "race": 9, "gender": 0}
    return CreateCharacter(**(fields | changes))  # type: ignore[arg-type]


def looks(skin: tuple[float, ...], hair: tuple[float, ...], hair_file: bytes) -> bytes:
    """What follows the head of the form."""
    colours = struct.pack("<15f", *skin, 0.5, 0.5, 0.5, *hair, 0, 0, 0, 0, 0, 0)
    race = b"ec/pc/human/human_female"
    return b"\0\4" + _text(race) + colours + _text(hair_file) + bytes(24)


def _text(text: bytes) -> bytes:
    return len(text).to_bytes(2, "little") + text


# Who are you


async def test_a_right_password_opens_the_menu() -> None:
    desk = Desk()
    desk.account("alric")
    player = desk.connect()
    await player.says(LoginRequest(user="alric", password=PASSWORD, version=VERSION))
    assert [(reply.code, reply.account_id) for reply in player.took(LoginReply)] == [(LoginCode.OK, 1)]
    assert player.session.phase is Phase.MENU
    assert desk.claimed == [player.session.id]
    assert player.line.ending is None


@pytest.mark.parametrize("version", [283, 562, 1208, 0, 65535])
async def test_an_unknown_version_is_told_so_and_ends(version: int) -> None:
    desk = Desk()
    desk.account("alric")
    player = desk.connect()
    await player.says(LoginRequest(user="alric", password=PASSWORD, version=version))
    assert [reply.code for reply in player.took(LoginReply)] == [LoginCode.VERSION_MISMATCH]
    assert player.line.ending is Ending.REFUSED
    assert player.session.account is None


@pytest.mark.parametrize("version", [284, 546, 561])
async def test_the_numbers_of_the_table_get_its_version(version: int) -> None:
    desk = Desk()
    desk.account("alric")
    player = desk.connect()
    await player.says(LoginRequest(user="alric", password=PASSWORD, version=version))
    assert player.session.version.name == "546"
    assert player.session.codec.spoken == player.session.version.index  # type: ignore[attr-defined] # a Wire


async def test_a_wrong_name_and_a_wrong_password_are_told_by_the_same_code() -> None:
    desk = Desk()
    desk.account("alric")
    answers = []
    for name, password in (("alric", "wrong12"), ("nobody", PASSWORD)):
        player = desk.connect()
        await player.says(LoginRequest(user=name, password=password, version=VERSION))
        answers.append((player.got, player.line.ending, player.line.detail))
    assert answers[0] == answers[1]
    assert [reply.code for reply in answers[0][0] if isinstance(reply, LoginReply)] == [
        LoginCode.BAD_PASSWORD
    ]


@pytest.mark.parametrize(
    ("denial", "code", "ending"),
    [
        (Denial.BAD_CREDENTIALS, LoginCode.BAD_PASSWORD, Ending.REFUSED),
        (Denial.BAD_PASSWORD, LoginCode.BAD_PASSWORD, Ending.REFUSED),
        (Denial.BAD_NAME, LoginCode.BAD_PASSWORD, Ending.REFUSED),
        (Denial.BANNED, LoginCode.NO_PLAYTIME, Ending.BANNED),
        (Denial.NOT_APPROVED, LoginCode.NO_PLAYTIME, Ending.REFUSED),
        (Denial.BUSY, LoginCode.ALREADY_PLAYING, Ending.REFUSED),
        (Denial.IN_USE, LoginCode.ALREADY_PLAYING, Ending.REFUSED),
        (Denial.UNAVAILABLE, LoginCode.ALREADY_PLAYING, Ending.REFUSED),
    ],
)
async def test_every_denial_has_a_code(denial: Denial, code: LoginCode, ending: Ending) -> None:
    desk = Desk()
    desk.deny = denial
    player = desk.connect()
    await player.says(LoginRequest(user="alric", password=PASSWORD, version=VERSION))
    assert [reply.code for reply in player.took(LoginReply)] == [code]
    assert player.line.ending is ending


@pytest.mark.parametrize(
    "message", [WorldListRequest(), CharactersRequest(), form(), PlayCharacter(1, 1, "x"), UiLoaded()]
)
async def test_nothing_else_is_heard_before_login(message: Message) -> None:
    desk = Desk()
    player = desk.connect()
    await player.says(message)
    assert player.line.ending is Ending.WRONG_PHASE
    assert player.got == []


async def test_each_door_has_its_own_first_message() -> None:
    desk = Desk()
    world = desk.connect("world")
    await world.says(LoginRequest(user="alric", password=PASSWORD, version=VERSION))
    assert world.line.ending is Ending.BAD_PACKET
    login = desk.connect("login")
    await login.says(LoginByNum(1, 1, VERSION))
    assert login.line.ending is Ending.BAD_PACKET


async def test_what_carries_a_password_is_written_nowhere() -> None:
    desk = Desk()
    player = desk.connect()
    message = LoginRequest(user="alric", password=PASSWORD, version=VERSION)
    frame = b"\0" + player.session.version.encode(message)
    entry = desk.table.entry(desk.table.opcode_of_frame(frame))
    assert entry is not None
    assert PASSWORD not in entry.shown(frame)
    assert PASSWORD not in entry.shown(message)


async def test_old_logs_are_taken_and_dropped() -> None:
    desk = Desk()
    player = await desk.logged_in("alric")
    player.got.clear()
    await player.says(CrashLogUpload(4, 10, b"abcd"), VerifyLogUpload(0, 0, b""))
    assert player.got == []
    assert player.line.ending is None
    await player.says(CrashLogUpload(0x20001, 10, b"abcd"))
    assert player.line.ending is Ending.BAD_PACKET


# Worlds


async def test_the_list_has_this_world_and_the_characters_follow() -> None:
    desk = Desk()
    desk.make_character("alric", NewCharacter("alric", False, 3, 1104, 1003))
    await desk.enter("berta")
    player = await desk.logged_in("alric")
    assert player.kinds() == ["LoginReply", "WorldList", "CharacterList", "CharacterList"]
    entry = player.took(WorldList)[0].entries[0]
    assert (entry.id, entry.name, entry.players, entry.locked) == (1, "Causeway", 1, 0)


async def test_a_closed_world_is_locked() -> None:
    desk = Desk()
    player = await desk.logged_in("alric")
    player.got.clear()
    desk.app.shut = "the disk is behind"
    await player.says(WorldListRequest())
    assert player.took(WorldList)[0].entries[0].locked == 1


async def test_whoever_looks_at_the_list_is_told_every_ten_seconds() -> None:
    desk = Desk()
    player = await desk.logged_in("alric")
    await desk.wait(9)
    assert player.took(WorldStatusChange) == []
    await desk.wait(2)
    assert [(change.id, change.up, change.locked) for change in player.took(WorldStatusChange)] == [(1, 1, 0)]
    await desk.wait(40)
    assert 3 <= len(player.took(WorldStatusChange)) <= 4


async def test_whoever_looks_at_the_list_is_told_of_a_change_at_once() -> None:
    desk = Desk()
    player = await desk.logged_in("alric")
    await desk.wait(2)
    desk.app.shut = "the server is shutting down"
    await desk.wait(1.5)
    assert [change.locked for change in player.took(WorldStatusChange)] == [1]
    desk.app.shut = ""
    await desk.enter("berta")
    await desk.wait(1.5)
    assert [change.locked for change in player.took(WorldStatusChange)] == [0]


async def test_asking_twice_for_the_worlds_does_not_double_the_news() -> None:
    desk = Desk()
    player = await desk.logged_in("alric")
    await player.says(WorldListRequest(), WorldListRequest())
    await desk.wait(11.5)
    assert len(player.took(WorldStatusChange)) == 1


async def test_the_news_die_with_the_client() -> None:
    desk = Desk()
    before = len(desk.world.timers)
    player = await desk.logged_in("alric")
    player.hang_up()
    await desk.wait(1.5)
    assert len(desk.world.timers) == before
    assert player.took(WorldStatusChange) == []


# Characters


async def test_a_character_is_listed_with_its_looks() -> None:
    desk = Desk()
    mobile = desk.make_character("alric", NewCharacter("alric", False, 3, 1104, 1003), level=7)
    player = await desk.logged_in("alric")
    character_list = player.took(CharacterList)[-1]
    entry = character_list.entries[0]
    assert (entry.id, entry.server_id, entry.name, entry.level) == (mobile.serial, 1, "Alric", 7)
    assert (entry.zone, entry.zone_description) == ("antonica", "The Plain")
    assert (entry.created, entry.last_played) == (1_700_000_000, 1_700_000_000)
    figures = desk.view.figures
    assert entry.appearance.model == figures.looks.model("player", female=False)
    assert entry.appearance.hair.model == figures.looks.hair_model(3)
    assert any(worn.model for worn in entry.appearance.equipment)
    assert (character_list.account_id, character_list.max_characters) == (1, 3)


async def test_a_new_character_gets_what_the_form_says() -> None:
    desk = Desk()
    player = await desk.logged_in("alric")
    player.got.clear()
    palette = desk.view.looks.hair_colours
    hair = tuple(part / 255 for part in palette.colours[2])
    rest = looks((1.0, 0.9, 0.8), hair, b"ec/pc/human/hair/hair007.voc")
    await player.says(form("berta", rest=rest))
    made = desk.owned("alric")[0]
    assert (made.name, made.female, made.hair, made.hair_hue) == ("Berta", True, 7, palette.hues[2])
    assert made.skin_hue in desk.view.looks.skins.hues
    assert player.kinds() == ["CreateReply", "CharacterList", "PlayReply"]
    reply = player.took(CreateReply)[0]
    assert (reply.code, reply.name, reply.account_id) == (CreateCode.OK, "Berta", 1)
    assert [entry.name for entry in player.took(CharacterList)[0].entries] == ["Berta"]
    assert player.took(PlayReply)[0].code == PlayCode.OK


@pytest.mark.parametrize("rest", [b"", b"\0", b"\0\4\xff\xff", b"\0\4\0\0" + b"\xff" * 60, b"\xff" * 300])
async def test_a_form_whose_looks_cannot_be_read_makes_a_character_all_the_same(rest: bytes) -> None:
    desk = Desk()
    player = await desk.logged_in("alric")
    await player.says(form(rest=rest))
    assert player.took(CreateReply)[0].code == CreateCode.OK
    assert len(desk.owned("alric")) == 1


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        (form("A"), CreateCode.NAME_LENGTH),
        (form("Alricthesecondson"), CreateCode.NAME_LENGTH),
        (form("Alric2"), CreateCode.NAME_LETTERS),
        (form("Älrik"), CreateCode.NAME_LETTERS),
        (form("Admin"), CreateCode.NAME_RESERVED),
        (form("Otherone"), CreateCode.NAME_TAKEN),
        (form(race=16), CreateCode.BAD_RACE),
        (form(profession=200), CreateCode.BAD_CLASS),
        (form(gender=7), CreateCode.BAD_GENDER),
        (form(server_id=2), CreateCode.UNKNOWN),
    ],
)
async def test_what_is_wrong_with_a_form_has_a_code(wish: CreateCharacter, code: CreateCode) -> None:
    desk = Desk()
    desk.make_character("other", NewCharacter("otherone", False, 3, 1104, 1003))
    player = await desk.logged_in("alric")
    player.got.clear()
    await player.says(wish)
    assert [(reply.code, reply.name) for reply in player.took(CreateReply)] == [(code, wish.name)]
    assert player.got == []
    assert not desk.owned("alric")


@pytest.mark.parametrize(
    ("denial", "code"),
    [
        (Denial.FULL, CreateCode.TOO_MANY),
        (Denial.EXISTS, CreateCode.NAME_TAKEN),
        (Denial.BUSY, CreateCode.OVERLOADED),
        (Denial.UNAVAILABLE, CreateCode.OVERLOADED),
        (Denial.NOT_APPROVED, CreateCode.UNKNOWN),
    ],
)
async def test_what_the_server_has_against_a_character_has_a_code(denial: Denial, code: CreateCode) -> None:
    desk = Desk()
    player = await desk.logged_in("alric")
    desk.deny = denial
    await player.says(form())
    assert [reply.code for reply in player.took(CreateReply)] == [code]


async def test_a_deleted_character_stays_on_the_list_under_another_name() -> None:
    """Clients up to 561 crash if it vanishes."""
    desk = Desk()
    first, second = (
        desk.make_character("alric", NewCharacter(name, False, 3, 1104, 1003)) for name in ("anna", "bert")
    )
    player = await desk.logged_in("alric")
    player.got.clear()
    await player.says(DeleteCharacter(first.serial, 1, "Anna"))
    assert desk.owned("alric") == [second]
    assert player.kinds() == ["DeleteReply", "CharacterList"]
    reply = player.took(DeleteReply)[0]
    assert (reply.code, reply.id, reply.server_id, reply.name) == (DeleteCode.OK, first.serial, 1, "Anna")
    for _ in range(2):
        entries = player.took(CharacterList)[-1].entries
        assert [(entry.name, entry.id) for entry in entries] == [
            ("(deleted)", 0xFFFFFFFF),
            ("Bert", second.serial),
        ]
        await player.says(CharactersRequest())


async def test_whoever_makes_and_deletes_for_ever_is_stopped_before_the_list_is_too_long() -> None:
    desk = Desk()
    player = await desk.logged_in("alric")
    for _ in range(MOST_LINES + 2):
        await player.says(form("Berta"))
        for made in list(desk.owned("alric")):
            await player.says(DeleteCharacter(made.serial, 1, "Berta"))
    assert player.line.ending is None
    assert [reply.code for reply in player.took(CreateReply)][-3:] == [
        CreateCode.OK,
        CreateCode.TOO_MANY,
        CreateCode.TOO_MANY,
    ]
    assert len(player.took(CharacterList)[-1].entries) == MOST_LINES


async def test_nobody_deletes_what_is_not_on_the_list() -> None:
    desk = Desk()
    mine = desk.make_character("alric", NewCharacter("anna", False, 3, 1104, 1003))
    theirs = desk.make_character("berta", NewCharacter("bert", False, 3, 1104, 1003))
    player = await desk.logged_in("alric")
    await player.says(
        DeleteCharacter(theirs.serial, 1, "Bert"),
        DeleteCharacter(mine.serial, 2, "Anna"),
        DeleteCharacter(mine.serial, 1, "Bert"),
    )
    assert [reply.code for reply in player.took(DeleteReply)] == [DeleteCode.NOT_FOUND] * 3
    desk.deny = Denial.IN_USE
    await player.says(DeleteCharacter(mine.serial, 1, "Anna"))
    assert [reply.code for reply in player.took(DeleteReply)] == [DeleteCode.NOT_FOUND]
    assert (desk.owned("alric"), desk.owned("berta")) == ([mine], [theirs])


# To the world


async def test_whoever_plays_gets_an_address_and_a_key() -> None:
    desk = Desk()
    player, reply = await desk.sent_on("alric")
    assert (reply.code, reply.address, reply.port, reply.account_id) == (PlayCode.OK, "127.0.0.1", 9001, 1)
    assert reply.access_code
    assert player.session.hang_up_means is Ending.RELAYED
    assert player.line.ending is None
    await desk.wait(12)
    assert player.took(WorldStatusChange) == []


async def test_whoever_asks_again_and_again_has_one_key() -> None:
    desk = Desk()
    player, _ = await desk.sent_on("alric")
    serial = desk.owned("alric")[0].serial
    for _ in range(50):
        await player.says(PlayCharacter(serial, 1, "Alric"))
    assert [reply.code for reply in player.took(PlayReply)] == [PlayCode.OK] * 50
    assert len(desk.tickets) == 1


@pytest.mark.parametrize(
    ("serial", "server", "code"), [(0x999, 1, PlayCode.NOT_FOUND), (0, 7, PlayCode.NO_WORLD)]
)
async def test_whoever_cannot_play_is_told_why(serial: int, server: int, code: PlayCode) -> None:
    desk = Desk()
    desk.make_character("alric", NewCharacter("anna", False, 3, 1104, 1003))
    player = await desk.logged_in("alric")
    await player.says(PlayCharacter(serial, server, "Anna"))
    assert [(reply.code, reply.address) for reply in player.took(PlayReply)] == [(code, None)]
    assert player.session.hang_up_means is Ending.CONNECTION_LOST
    assert len(desk.tickets) == 0


async def test_nobody_plays_somebody_elses_character() -> None:
    desk = Desk()
    theirs = desk.make_character("berta", NewCharacter("bert", False, 3, 1104, 1003))
    player = await desk.logged_in("alric")
    await player.says(PlayCharacter(theirs.serial, 1, "Bert"))
    assert [reply.code for reply in player.took(PlayReply)] == [PlayCode.NOT_FOUND]
