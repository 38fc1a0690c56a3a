"""From the first byte to the character menu, with eolib as the client."""

from __future__ import annotations

import pytest
from eolib import (
    AccountAgreeClientPacket,
    AccountReply,
    AccountReplyServerPacket,
    CharacterPlayerServerPacket,
    CharacterRemoveClientPacket,
    CharacterReply,
    CharacterReplyServerPacket,
    CharacterTakeClientPacket,
    ConnectionAcceptClientPacket,
    InitBanType,
    InitInitServerPacket,
    InitReply,
    LoginReply,
    LoginReplyServerPacket,
)

from protocol.denials import Denial
from protocol.endings import Ending
from protocol.eo.seam import goodbye
from protocol.session import Phase
from tests.kit.desk import PASSWORD
from tests.kit.eo_desk import Desk, Player


async def test_the_handshake_agrees_on_everything() -> None:
    desk = Desk()
    player = desk.connect()
    await player.sends(player.client.init())

    data = player.client.last(InitInitServerPacket).reply_code_data
    assert isinstance(data, InitInitServerPacket.ReplyCodeDataOk)
    assert data.player_id >= 10
    assert 6 <= data.server_encryption_multiple <= 12
    assert 6 <= data.client_encryption_multiple <= 12
    phases = [player.phase]

    await player.sends(player.client.accept())
    assert [*phases, player.phase] == [Phase.GREETING, Phase.LOGIN]
    assert player.line.ending is None


async def test_every_connection_has_its_own_number() -> None:
    desk = Desk()
    numbers = set()
    for _ in range(5):
        player = await desk.greeted()
        numbers.add(player.client.player_id)
    assert len(numbers) == 5


async def test_an_old_client_is_told_the_version() -> None:
    player = Desk().connect()
    await player.sends(player.client.init(version=(0, 0, 27)))

    reply = player.client.last(InitInitServerPacket)
    assert reply.reply_code == InitReply.OutOfDate
    assert isinstance(reply.reply_code_data, InitInitServerPacket.ReplyCodeDataOutOfDate)
    assert reply.reply_code_data.version.patch == 28
    assert player.line.ending is Ending.REFUSED


@pytest.mark.parametrize(("seconds", "minutes"), [(0.5, 1), (60, 1), (61, 2), (10**6, 252)])
async def test_who_is_kept_out_is_told_for_how_long(
    seconds: float, minutes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk()
    monkeypatch.setattr(desk.app.accounts, "kept_out", lambda _: seconds)
    player = desk.connect()
    await player.sends(player.client.init())

    reply = player.client.last(InitInitServerPacket)
    assert reply.reply_code == InitReply.Banned
    banned = reply.reply_code_data
    assert isinstance(banned, InitInitServerPacket.ReplyCodeDataBanned)
    assert banned.ban_type == InitBanType.Temporary
    left = banned.ban_type_data
    assert isinstance(left, InitInitServerPacket.ReplyCodeDataBanned.BanTypeDataTemporary)
    assert left.minutes_remaining == minutes
    assert player.line.ending is Ending.REFUSED


@pytest.mark.parametrize(("at", "value"), [(8, 1), (8, 114)])
async def test_a_stranger_without_the_constant_is_cut_off(at: int, value: int) -> None:
    player = Desk().connect()
    frame = bytearray(player.client.init())
    frame[2 + at] = value
    await player.sends(bytes(frame))
    assert player.line.ending is Ending.BAD_PACKET
    assert not player.client.received


async def test_a_challenge_no_client_draws_is_refused() -> None:
    player = Desk().connect()
    player.client.challenge = 11_092_111
    await player.sends(player.client.init())
    assert player.line.ending is Ending.BAD_PACKET


async def test_greeting_twice_is_refused() -> None:
    desk = Desk()
    player = desk.connect()
    first = player.client.init()
    await player.sends(first)
    await player.sends(first)
    assert player.line.ending is Ending.BAD_PACKET


@pytest.mark.parametrize("wrong", ["client_encryption_multiple", "server_encryption_multiple", "player_id"])
async def test_the_client_must_repeat_what_it_was_told(wrong: str) -> None:
    player = Desk().connect()
    client = player.client
    await player.sends(client.init())
    told = {
        "client_encryption_multiple": client.client_multiple,
        "server_encryption_multiple": client.server_multiple,
        "player_id": client.player_id,
    }
    told[wrong] += 1
    await player.sends(client.bytes_of(ConnectionAcceptClientPacket(**told)))
    assert player.line.ending is Ending.BAD_PACKET


async def test_nothing_but_the_greeting_before_the_greeting() -> None:
    player = Desk().connect()
    await player.sends(player.client.init())
    await player.sends(player.client.login("alric", PASSWORD))
    assert player.line.ending is Ending.WRONG_PHASE


async def test_a_wrong_sequence_number_ends_the_client() -> None:
    player = await Desk().greeted()
    player.client.sequencer.next_sequence()
    await player.sends(player.client.login("alric", PASSWORD))
    assert player.line.ending is Ending.BAD_PACKET


# Pings


# Accounts


def account_reply(player: Player) -> AccountReply:
    return player.client.last(AccountReplyServerPacket).reply_code


async def test_a_new_account() -> None:
    desk = Desk()
    player = await desk.greeted()
    await player.sends(player.client.request_account("Alric7"))
    assert player.client.session_id >= 10
    await player.sends(player.client.create_account("Alric7", PASSWORD))
    assert account_reply(player) == AccountReply.Created
    assert desk.passwords == {"alric7": PASSWORD}

    await player.sends(player.client.login("ALRIC7", PASSWORD))
    assert player.phase is Phase.MENU
    assert player.client.last(LoginReplyServerPacket).reply_code == LoginReply.Ok


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("alric", AccountReply.Exists),
        ("abc", AccountReply.NotApproved),
        ("a" * 15, AccountReply.NotApproved),
        ("al ric", AccountReply.NotApproved),
        ("älric", AccountReply.NotApproved),
    ],
)
async def test_names_that_cannot_be_taken(name: str, code: AccountReply) -> None:
    desk = Desk()
    desk.account("alric")
    player = await desk.greeted()
    await player.sends(player.client.request_account(name))
    assert account_reply(player) == code


@pytest.mark.parametrize("password", ["short", "x" * 13, "with blank", "pässword"])
async def test_passwords_that_the_rule_does_not_allow(password: str) -> None:
    desk = Desk()
    player = await desk.greeted()
    await player.sends(player.client.request_account("alric"))
    await player.sends(player.client.create_account("alric", password))
    assert account_reply(player) == AccountReply.NotApproved
    assert not desk.passwords


async def test_the_form_counts_once_and_only_when_asked_for() -> None:
    desk = Desk()
    player = await desk.greeted()
    await player.sends(player.client.create_account("alric", PASSWORD))
    assert account_reply(player) == AccountReply.NotApproved
    await player.sends(player.client.request_account("alric"))
    token = player.client.session_id
    await player.sends(player.client.create_account("alric", PASSWORD))
    player.client.session_id = token
    await player.sends(player.client.create_account("berta", PASSWORD))
    assert account_reply(player) == AccountReply.NotApproved
    assert list(desk.passwords) == ["alric"]


@pytest.mark.parametrize(
    ("why", "code"),
    [
        (Denial.NOT_APPROVED, AccountReply.NotApproved),
        (Denial.EXISTS, AccountReply.Exists),
        (Denial.UNAVAILABLE, AccountReply.RequestDenied),
    ],
)
async def test_what_the_server_says_about_a_new_account(why: Denial, code: AccountReply) -> None:
    desk = Desk()
    desk.deny = why
    player = await desk.greeted()
    await player.sends(player.client.request_account("alric"))
    assert account_reply(player) == code


async def test_another_password() -> None:
    desk = Desk()
    player = await desk.logged_in("alric")

    async def change(name: str, old: str, new: str) -> AccountReply:
        packet = AccountAgreeClientPacket(username=name, old_password=old, new_password=new)
        await player.sends(player.client.bytes_of(packet))
        return account_reply(player)

    desk.account("berta")
    assert await change("berta", PASSWORD, "another1") == AccountReply.ChangeFailed
    assert await change("alric", "wrong", "another1") == AccountReply.ChangeFailed
    assert await change("alric", PASSWORD, "tiny") == AccountReply.ChangeFailed
    assert await change("alric", PASSWORD, "another1") == AccountReply.Changed
    assert desk.passwords == {"alric": "another1", "berta": PASSWORD}


# Login


async def test_an_unknown_name_and_a_wrong_password_sound_alike() -> None:
    desk = Desk()
    desk.change("accounts", auto_create=False)
    desk.account("alric")
    player = await desk.greeted()
    for name, password in (("alric", "wrong1"), ("nobody", PASSWORD)):
        await player.sends(player.client.login(name, password))
        assert player.client.last(LoginReplyServerPacket).reply_code == LoginReply.WrongUserPassword
    assert player.line.ending is None
    await player.sends(player.client.login("x", "y"))
    assert player.client.last(LoginReplyServerPacket).reply_code == LoginReply.WrongUserPassword
    assert player.line.ending is Ending.REFUSED


@pytest.mark.parametrize(
    ("why", "code", "ending"),
    [
        (Denial.BANNED, LoginReply.Banned, Ending.BANNED),
        (Denial.BUSY, LoginReply.Busy, Ending.REFUSED),
        (Denial.IN_USE, LoginReply.LoggedIn, None),
    ],
)
async def test_why_nobody_gets_in(why: Denial, code: LoginReply, ending: Ending | None) -> None:
    desk = Desk()
    player = await desk.greeted()
    desk.deny = why
    await player.sends(player.client.login("alric", PASSWORD))
    assert player.client.last(LoginReplyServerPacket).reply_code == code
    assert player.line.ending is ending


# The menu


def character_reply(player: Player) -> CharacterReply:
    return player.client.last(CharacterReplyServerPacket).reply_code


async def test_a_new_character_looks_as_it_was_chosen() -> None:
    desk = Desk()
    player = await desk.logged_in("alric")
    assert not player.client.menu
    await player.sends(player.client.request_character())
    await player.sends(player.client.create_character("Alric", hair=7, colour=4, skin=2))

    assert character_reply(player) == CharacterReply.Ok
    (entry,) = player.client.menu
    assert (entry.name, entry.hair_style, entry.hair_color, entry.skin) == ("alric", 7, 4, 2)
    assert (entry.equipment.armor, entry.equipment.boots) == (16, 4), "pictures, not item ids"


@pytest.mark.parametrize(
    ("hair", "colour", "skin"), [(0, 0, 0), (21, 0, 0), (1, 10, 0), (1, 0, 4), (64000, 64000, 64000)]
)
async def test_looks_that_the_form_does_not_offer(hair: int, colour: int, skin: int) -> None:
    desk = Desk()
    player = await desk.logged_in("alric")
    await player.sends(player.client.request_character())
    await player.sends(player.client.create_character("Alric", hair=hair, colour=colour, skin=skin))
    assert character_reply(player) == CharacterReply.NotApproved
    assert not desk.owned("alric")


@pytest.mark.parametrize(
    ("why", "code"),
    [
        (Denial.EXISTS, CharacterReply.Exists),
        (Denial.FULL, CharacterReply.Full),
        (Denial.BAD_NAME, CharacterReply.NotApproved),
        (Denial.UNAVAILABLE, CharacterReply.NotApproved),
    ],
)
async def test_what_the_server_says_about_a_new_character(why: Denial, code: CharacterReply) -> None:
    desk = Desk()
    player = await desk.logged_in("alric")
    await player.sends(player.client.request_character())
    desk.deny = why
    await player.sends(player.client.create_character("Alric"))
    assert character_reply(player) == code


async def test_three_are_enough() -> None:
    desk = Desk()
    player = await desk.logged_in("alric")
    for name in ("Alric", "Berta", "Cuno"):
        await player.sends(player.client.request_character())
        await player.sends(player.client.create_character(name))
    assert [entry.name for entry in player.client.menu] == ["alric", "berta", "cuno"]
    await player.sends(player.client.request_character())
    assert character_reply(player) == CharacterReply.Full3


async def test_deleting_takes_two_packets_about_the_same_character() -> None:
    desk = Desk()
    player = await desk.logged_in("alric")
    for name in ("Alric", "Berta"):
        await player.sends(player.client.request_character())
        await player.sends(player.client.create_character(name))
    alric, berta = player.client.menu

    async def remove(token: int, serial: int) -> CharacterReply:
        packet = CharacterRemoveClientPacket(session_id=token, character_id=serial)
        await player.sends(player.client.bytes_of(packet))
        return character_reply(player)

    assert await remove(10, alric.id) == CharacterReply.NotApproved
    await player.sends(player.client.bytes_of(CharacterTakeClientPacket(character_id=alric.id)))
    token = player.client.last(CharacterPlayerServerPacket).session_id
    assert await remove(token, berta.id) == CharacterReply.NotApproved
    await player.sends(player.client.bytes_of(CharacterTakeClientPacket(character_id=alric.id)))
    token = player.client.last(CharacterPlayerServerPacket).session_id
    assert await remove(token, alric.id) == CharacterReply.Deleted
    assert [entry.id for entry in player.client.menu] == [berta.id]


async def test_a_farewell_has_words_where_the_game_has_some() -> None:
    desk = Desk()
    player = desk.connect()
    goodbye(player.session, "shutdown")
    assert not player.session.outbox
    player = await desk.greeted()
    goodbye(player.session, "shutdown")
    player.flush()
    assert player.client.last(LoginReplyServerPacket).reply_code == LoginReply.Busy
