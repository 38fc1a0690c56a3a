"""The game's door: the key, and which character it is."""

from __future__ import annotations

import pytest

from protocol.co.exchange import ExchangeReply
from protocol.co.handlers.login import NO_PLACE
from protocol.co.packets import (
    Action,
    ActionType,
    Body,
    Connect,
    ConnectEx,
    Date,
    Message,
    Profession,
    UserInfo,
)
from protocol.co.session import GAME_DOOR
from protocol.co.versions import CoVersion
from protocol.denials import Denial, Denied
from protocol.endings import Ending
from protocol.session import Phase
from server.settings.config import Limits
from tests.kit.co_desk import BUILD, FIRST_PLAYER, Desk, answers, form, logs_in

VERSIONS = list(CoVersion)


def shows(token: ConnectEx) -> Connect:
    return Connect(token.token_low, token.token_high, BUILD)


# The key


async def test_the_key_of_the_account_server_opens_the_door_once() -> None:
    desk = Desk()
    desk.makes("alric")
    token = await desk.token("alric")
    player = desk.connect(GAME_DOOR)
    await player.says(shows(token))
    assert player.kinds() == ["Talk", "UserInfo"]
    assert answers(player) == ["ANSWER_OK"]
    assert player.session.phase is Phase.ENTERING
    assert player.session.account is not None
    assert player.session.account.name == "alric"
    assert desk.claimed == [player.session.id]
    again = desk.connect(GAME_DOOR)
    await again.says(shows(token))
    assert again.line.ending is Ending.REFUSED
    assert answers(again) == ["wrong name or password"]
    assert player.line.ending is None, "whoever shows an old key ends nobody's game"


@pytest.mark.parametrize("wrong", ["low", "high", "swapped", "zero", "late"])
async def test_a_key_that_does_not_fit_opens_nothing(wrong: str) -> None:
    desk = Desk()
    desk.makes("alric")
    token = await desk.token("alric")
    low, high = token.token_low, token.token_high
    match wrong:
        case "low":
            low ^= 1
        case "high":
            high ^= 1
        case "swapped":
            low, high = high, low
        case "zero":
            low, high = 0, 0
        case "late":
            desk.now += 30.1
    player = desk.connect(GAME_DOOR)
    await player.says(Connect(low, high, BUILD))
    assert player.kinds() == ["Talk"]
    assert len(answers(player)) == 1
    assert player.line.ending is Ending.REFUSED
    assert player.session.account is None
    assert player.session.phase is Phase.GREETING


async def test_a_key_lives_for_half_a_minute() -> None:
    desk = Desk()
    desk.makes("alric")
    token = await desk.token("alric")
    desk.now += 29.9
    player = desk.connect(GAME_DOOR)
    await player.says(shows(token))
    assert player.session.phase is Phase.ENTERING


@pytest.mark.parametrize("bound", [True, False])
async def test_a_key_from_another_address(bound: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk()
    desk.makes("alric")
    monkeypatch.setattr(desk.tickets, "_limits", lambda: Limits(bind_tickets=bound))
    token = await desk.token("alric", peer="192.0.2.1")
    player = desk.connect(GAME_DOOR, peer="192.0.2.2")
    await player.says(shows(token))
    assert (player.line.ending is Ending.REFUSED) is bound
    owner = desk.connect(GAME_DOOR, peer="192.0.2.1")
    await owner.says(shows(token))
    assert (owner.session.phase is Phase.ENTERING) is bound, "a key stays its owner's"


async def test_who_guesses_keys_is_kept_out() -> None:
    desk = Desk()
    desk.makes("alric")
    token = await desk.token("alric", peer="192.0.2.9")
    for guess in range(40):
        player = desk.connect(GAME_DOOR, peer="192.0.2.9")
        await player.says(Connect(guess + 1, guess, BUILD))
        assert player.line.ending is Ending.REFUSED
    assert "too many failed logins" in player.line.detail
    player = desk.connect(GAME_DOOR, peer="192.0.2.9")
    await player.says(shows(token))
    assert player.session.phase is Phase.ENTERING, "who has one is no stranger"


async def test_nobody_gets_in_while_the_server_is_closed() -> None:
    desk = Desk()
    desk.makes("alric")
    token = await desk.token("alric")
    desk.app.shut = "going down"
    player = desk.connect(GAME_DOOR)
    await player.says(shows(token))
    assert answers(player) == ["going down"]
    assert player.line.ending is Ending.REFUSED


async def test_the_newest_login_counts_from_the_key_on() -> None:
    desk = Desk()
    first = await desk.enter("alric")
    token = await desk.token("alric")
    assert first.ended() is None, "a key alone ends nobody's game"
    second = desk.connect(GAME_DOOR)
    await second.says(shows(token))
    assert first.line.ending is Ending.REPLACED
    await second.loads()
    assert second.mobile.name == "Alric"


async def test_the_key_is_written_nowhere() -> None:
    player = Desk().connect(GAME_DOOR)
    entry = player.table.entry(Connect.type)
    assert entry is not None
    message = Connect(0x12345678, 0x9ABCDEF0, BUILD)
    for shown in (entry.shown(message), entry.shown(message.encode(player.desk.version))):
        assert "305419896" not in shown
        assert "78563412" not in shown


@pytest.mark.parametrize(
    "message", [form("Alric"), Action.of(ActionType.ENTER_MAP, FIRST_PLAYER + 1)], ids=["form", "map"]
)
async def test_nothing_else_is_heard_before_the_key(message: Message) -> None:
    player = Desk().connect(GAME_DOOR)
    await player.says(message)
    assert player.line.ending is Ending.WRONG_PHASE


@pytest.mark.parametrize("failing", ["all", "note", "keep"])
async def test_a_store_that_fails_is_a_farewell_in_the_clients_words(
    failing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: object, **__: object) -> None:
        raise Denied(Denial.UNAVAILABLE)

    desk = Desk()
    mobile = desk.makes("alric")
    desk.keep(mobile.serial, "co", "wants_new", "1")
    player = desk.connect(GAME_DOOR)
    token = await desk.token("alric")
    monkeypatch.setattr(player.session.services.characters, failing, fails)
    await player.says(shows(token))
    assert answers(player) == ["temporarily unavailable"]
    assert player.line.ending is Ending.REFUSED


# The exchange of keys


async def test_where_keys_are_exchanged_the_server_speaks_first() -> None:
    for version in VERSIONS:
        desk = Desk(version=version)
        player = desk.connect(GAME_DOOR)
        opened = desk.family.doors[GAME_DOOR].opened
        assert opened is not None
        await opened(player.session)
        assert player.wire.begun == 1


async def test_the_exchange_is_done_once_and_only_where_there_is_one() -> None:
    desk = Desk(version=CoVersion.V5065)
    player = desk.connect(GAME_DOOR)
    await player.says(ExchangeReply(public_key="AB" * 64))
    assert player.wire.agreed
    assert player.ended() is None
    await player.says(ExchangeReply(public_key="AB" * 64))
    assert player.line.ending is Ending.BAD_PACKET
    player = Desk().connect(GAME_DOOR)
    await player.says(ExchangeReply(public_key="AB" * 64))
    assert player.line.ending is Ending.BAD_PACKET


async def test_a_public_key_that_gives_the_secret_away_ends_the_client() -> None:
    player = Desk(version=CoVersion.V5065).connect(GAME_DOOR)
    await player.says(ExchangeReply(public_key="01"))
    assert player.line.ending is Ending.BAD_PACKET
    assert not player.wire.agreed


# Which character


@pytest.mark.parametrize("version", VERSIONS)
async def test_what_the_client_is_told_of_its_character(version: CoVersion) -> None:
    desk = Desk(version=version)
    mobile = desk.makes("alric")
    desk.keep(mobile.serial, "co", "body", "1004")
    desk.keep(mobile.serial, "co", "profession", "40")
    player = await desk.at_the_door("alric")
    dates = player.took(Date)
    assert len(dates) == (1 if version >= CoVersion.V5065 else 0)
    told = player.only(UserInfo)
    assert told.id == FIRST_PLAYER + mobile.serial
    assert told.look % 10_000 == Body.BIG_MAN
    assert told.profession == Profession.ARCHER
    assert told.names == ("Alric", "None")
    assert (told.life, told.level) == (mobile.hits, 1)
    assert player.screen.faults == []
    assert player.screen.me is not None
    assert player.screen.me.name == "Alric"


async def test_the_order_of_5065_has_the_date_before_the_character() -> None:
    desk = Desk(version=CoVersion.V5065)
    desk.makes("alric")
    player = await desk.at_the_door("alric")
    assert player.kinds() == ["Talk", "Date", "UserInfo"]


@pytest.mark.parametrize(
    ("body", "profession"), [("2001", "10"), ("0", "0"), ("many", "-1"), ("1" * 30, "\u0661\u0660\u0661")]
)
async def test_notes_that_make_no_sense_are_none(body: str, profession: str) -> None:
    desk = Desk()
    mobile = desk.makes("alric")
    desk.keep(mobile.serial, "co", "body", body)
    desk.keep(mobile.serial, "co", "profession", profession)
    player = await desk.at_the_door("alric")
    told = player.only(UserInfo)
    assert (told.look % 10_000, told.profession) == (Body.SLIM_MAN, Profession.TROJAN)


async def test_an_account_plays_its_first_character_until_it_played_another_one() -> None:
    desk = Desk()
    for name in ("anna", "berta", "clara"):
        desk.makes("alric", name=name, female=True)
    _, name = await logs_in(desk, "alric")
    assert name == "Anna"
    clara = desk.owned("alric")[2]
    desk.keep(clara.serial, "co", "played", "7")
    player, name = await logs_in(desk, "alric")
    assert name == "Clara"
    await player.loads()
    assert await desk.note(clara.serial, "co", "played") == "7", "nothing has to be written again"
    assert player.mobile.name == "Clara"


async def test_who_enters_was_played_last() -> None:
    desk = Desk()
    anna, berta = (desk.makes("alric", name=name) for name in ("anna", "berta"))
    desk.keep(anna.serial, "co", "played", "3")
    desk.keep(berta.serial, "co", "played", "3")
    player, name = await logs_in(desk, "alric")
    assert name == "Anna"
    await player.loads()
    assert await desk.note(anna.serial, "co", "played") == "4"


async def test_a_character_that_stands_where_this_game_has_no_place_is_passed_over() -> None:
    desk = Desk()
    anna, _ = (desk.makes("alric", name=name) for name in ("anna", "berta"))
    desk.keep(anna.serial, "co", "played", "3")
    desk.world.warp(anna, desk.world.realms["void"], 5, 5)
    _, name = await logs_in(desk, "alric")
    assert name == "Berta"


async def test_an_account_whose_characters_all_stand_elsewhere_is_told_so() -> None:
    desk = Desk()
    desk.world.warp(desk.makes("alric"), desk.world.realms["void"], 5, 5)
    player, words = await logs_in(desk, "alric")
    assert words == NO_PLACE
    assert player.line.ending is Ending.REFUSED


async def test_characters_that_await_deletion_are_not_played() -> None:
    desk = Desk()
    anna, _ = (desk.makes("alric", name=name) for name in ("anna", "berta"))
    desk.keep(anna.serial, "co", "played", "3")
    desk.dooms("alric", anna.serial, 100.0)
    _, name = await logs_in(desk, "alric")
    assert name == "Berta"
