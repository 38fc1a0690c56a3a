"""One account, one list of characters, both games; the newest login wins and the living object moves over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio
from eolib import CharacterReplyServerPacket, LoginReply, LoginReplyServerPacket

from protocol.endings import Ending
from server.people.characters import CharacterService
from server.turn.loop import SessionGone
from tests.kit.players import EoPlayer, UoPlayer

if TYPE_CHECKING:
    from trio.testing import MockClock

    from protocol.session import Session
    from tests.kit.town import Town


def playing(town: Town) -> list[Session]:
    """Sessions with a character."""
    return [session for session in town.app.sessions() if session.mobile is not None]


async def test_a_character_made_in_uo_is_played_from_eo_and_keeps_everything(
    town: Town, autojump_clock: MockClock
) -> None:
    at_uo = UoPlayer(town)
    await at_uo.enters("anna", "Anna")
    mobile = town.mobile("Anna")
    look = mobile.name, mobile.female, mobile.hair, mobile.hair_hue, mobile.skin_hue
    for heading in (4, 4, 2, 2):
        await at_uo.does(at_uo.client.walk_bytes(heading))
    place = mobile.x, mobile.y
    await at_uo.does(at_uo.client.logout_bytes())
    at_uo.leaves()
    await trio.sleep(1)
    assert not town.here("Anna")
    at_eo = EoPlayer(town)
    await at_eo.enters("anna")
    assert at_eo.client.menu[0].name.lower() == "anna"
    again = town.mobile("Anna")
    assert again is not mobile
    assert (again.x, again.y) == place == (at_eo.client.me.x, at_eo.client.me.y)
    assert (again.name, again.female, again.hair, again.hair_hue, again.skin_hue) == look
    assert len(again.worn) >= 4


async def test_a_character_made_in_eo_is_played_from_uo_with_the_same_hair(
    town: Town, autojump_clock: MockClock
) -> None:
    at_eo = EoPlayer(town)
    await at_eo.enters("bert", "Bert")
    mobile = town.mobile("Bert")
    look = mobile.hair, mobile.hair_hue, mobile.skin_hue, mobile.female
    info = at_eo.client.me.info
    assert info is not None
    at_eo.leaves()
    await trio.sleep(15)
    assert not town.here("Bert")
    at_uo = UoPlayer(town, (5, 0, 9, 1))
    await at_uo.enters("bert")
    assert at_uo.client.characters == ["Bert"]
    again = town.mobile("Bert")
    assert (again.hair, again.hair_hue, again.skin_hue, again.female) == look
    await at_uo.does(at_uo.client.logout_bytes())
    at_uo.leaves()
    back = EoPlayer(town)
    await back.enters("bert")
    seen = back.client.me.info
    assert seen is not None
    assert (seen.hair_style, seen.hair_color, seen.skin, seen.gender) == (
        info.hair_style,
        info.hair_color,
        info.skin,
        info.gender,
    )


async def test_the_newest_login_wins_and_the_same_object_moves_over(
    town: Town, autojump_clock: MockClock
) -> None:
    first = UoPlayer(town)
    await first.enters("anna", "Anna")
    mobile = town.mobile("Anna")
    (old,) = playing(town)
    connection = town.app.gateway.connections[old.id]
    second = EoPlayer(town)
    await second.enters("anna")
    assert connection.ending is Ending.REPLACED
    assert first.gone
    assert town.mobile("Anna") is mobile
    assert [session.family.name for session in playing(town)] == ["eo"]
    third = UoPlayer(town)
    await third.enters("anna")
    assert second.gone
    assert town.mobile("Anna") is mobile
    await trio.sleep(30)
    assert town.mobile("Anna") is mobile, "the linger of the replaced client must not take it away"
    assert mobile.online


async def test_r53_ten_logins_at_once_leave_one_session_and_one_object(
    town: Town, autojump_clock: MockClock
) -> None:
    town.change("limits", exempt=("127.0.0.0/8",))
    maker = EoPlayer(town)
    await maker.enters("anna", "Anna")
    items = len(town.app.world.items)
    players: list[UoPlayer | EoPlayer] = [UoPlayer(town) if n % 2 else EoPlayer(town) for n in range(10)]

    async def try_to_enter(player: UoPlayer | EoPlayer) -> None:
        # Whoever is replaced on the way fails somewhere; that is the point.
        try:
            await player.enters("anna")
        except (AssertionError, IndexError, OSError):
            return

    async with trio.open_nursery() as crowd:
        for player in players:
            crowd.start_soon(try_to_enter, player)
    await trio.sleep(30)
    assert len(playing(town)) == 1
    assert sum(m.name == "Anna" for m in town.app.world.mobiles.values()) == 1
    assert len(town.app.world.items) == items


async def test_a_vanished_client_lingers_and_is_taken_over(town: Town, autojump_clock: MockClock) -> None:
    first = EoPlayer(town)
    await first.enters("anna", "Anna")
    mobile = town.mobile("Anna")
    first.leaves()
    await trio.sleep(5)
    assert town.mobile("Anna") is mobile
    assert not mobile.online
    second = UoPlayer(town)
    await second.enters("anna")
    assert town.mobile("Anna") is mobile
    await trio.sleep(20)
    assert town.mobile("Anna") is mobile
    second.leaves()
    await trio.sleep(11)
    assert not town.here("Anna")


async def test_r54_relogin_while_the_logout_is_being_written_loses_nothing(
    town: Town, autojump_clock: MockClock
) -> None:
    town.change("limits", exempt=("127.0.0.0/8",), linger_seconds=0.0)
    items: set[int] = set()
    place = None
    for n in range(15):
        player: UoPlayer | EoPlayer = UoPlayer(town) if n % 2 else EoPlayer(town)
        await player.enters("anna", "Anna")
        mobile = town.mobile("Anna")
        held = {item.serial for item in mobile.worn.values()}
        assert not items or held == items
        assert place is None or (mobile.x, mobile.y) == place
        items = held
        heading = 2 if n % 4 < 2 else 6
        if isinstance(player, UoPlayer):
            await player.walks(heading)
        place = mobile.x, mobile.y
        player.leaves()
        await trio.sleep(0.001)


async def test_r49_an_unknown_name_and_a_wrong_password_get_the_same_answer_and_the_same_work(
    town: Town, autojump_clock: MockClock
) -> None:
    town.change("accounts", auto_create=False)
    await town.app.accounts.staff.create("anna", "secret1")
    answers: dict[str, list[object]] = {"uo": [], "eo": []}
    checks = []
    for name in ("anna", "nobody"):
        uo = UoPlayer(town)
        before = town.passwords.checks
        await uo.does(uo.client.login_bytes(name, "wrong12"))
        checks.append(town.passwords.checks - before)
        answers["uo"].append(uo.client.rejected)
        eo = EoPlayer(town)
        await eo.greets()
        before = town.passwords.checks
        await eo.does(eo.client.login(name, "wrong12"))
        checks.append(town.passwords.checks - before)
        answers["eo"].append(eo.of(LoginReplyServerPacket)[-1].reply_code)
    assert answers == {"uo": [3, 3], "eo": [LoginReply.WrongUserPassword] * 2}
    assert checks == [1, 1, 1, 1]


async def test_a_stranger_cannot_join_and_a_neighbour_just_does(
    town: Town, autojump_clock: MockClock
) -> None:
    here = EoPlayer(town)
    await here.logs_in("newcomer")
    assert here.of(LoginReplyServerPacket)[-1].reply_code is LoginReply.Ok
    stranger = EoPlayer(town, peer="203.0.113.7")
    await stranger.logs_in("stranger")
    assert stranger.of(LoginReplyServerPacket)[-1].reply_code is LoginReply.WrongUserPassword
    assert await town.app.accounts.find("stranger") is None


async def test_a_ban_ends_the_client_and_keeps_it_out(town: Town, autojump_clock: MockClock) -> None:
    player = EoPlayer(town)
    await player.enters("anna", "Anna")
    row = await town.app.accounts.find("anna")
    assert row is not None
    (session,) = playing(town)
    connection = town.app.gateway.connections[session.id]
    await town.app.accounts.staff.ban(row, float("inf"), "for the test")
    await trio.sleep(1)
    assert connection.ending is Ending.BANNED
    assert player.gone
    assert not town.here("Anna")
    again = UoPlayer(town)
    await again.does(again.client.login_bytes("anna", "secret1"))
    assert again.client.rejected == 2


async def test_a_deleted_character_is_gone_for_good_and_its_name_is_free(
    town: Town, autojump_clock: MockClock
) -> None:
    player = UoPlayer(town)
    await player.enters("anna", "Anna")
    await player.does(player.client.logout_bytes())
    player.leaves()
    again = UoPlayer(town)
    await again.logs_in("anna")
    assert again.client.characters == ["Anna"]
    await again.does(again.client.delete_bytes(0))
    assert again.client.characters == []
    other = EoPlayer(town)
    await other.enters("bert", "Anna")
    assert town.here("Anna")


async def test_a_fourth_character_and_a_taken_name_are_refused(town: Town, autojump_clock: MockClock) -> None:
    player = EoPlayer(town)
    await player.logs_in("anna")
    for name in ("Annaone", "Annatwo", "Annathree"):
        await player.does(player.client.request_character())
        await player.does(player.client.create_character(name))
    assert len(player.client.menu) == 3
    await player.does(player.client.request_character())
    assert player.of(CharacterReplyServerPacket)[-1].reply_code.name in ("Full", "Full3")
    other = EoPlayer(town)
    await other.logs_in("bert")
    await other.does(other.client.request_character())
    await other.does(other.client.create_character("aNNaone"))
    assert other.of(CharacterReplyServerPacket)[-1].reply_code.name == "Exists"


@pytest.mark.parametrize("moment", range(1, 40, 3))
async def test_r26_a_client_that_vanishes_at_any_moment_of_entering_leaves_no_half_login(
    town: Town, autojump_clock: MockClock, moment: int
) -> None:
    assert isinstance(town.app.characters, CharacterService)
    player = EoPlayer(town)
    await player.logs_in("anna")
    await player.does(player.client.request_character())
    await player.does(player.client.create_character("Anna"))
    await player.end.send_all(player.client.select(player.client.menu[0].id))
    await trio.sleep(1)
    await player.end.send_all(player.client.enter())
    for _ in range(moment):
        await trio.lowlevel.checkpoint()
    player.leaves()
    await trio.sleep(20)
    assert not town.here("Anna")
    assert not town.app.gateway.connections
    again = UoPlayer(town)
    await again.enters("anna")
    assert again.client.in_world
    assert len(town.mobile("Anna").worn) >= 4


@pytest.mark.parametrize("wish", ["Oldy", "System", "Sir  Galahad", "Test1", ""])
async def test_a_uo_player_whose_name_cannot_be_had_gets_another_and_is_told(
    town: Town, autojump_clock: MockClock, wish: str
) -> None:
    first = UoPlayer(town)
    await first.enters("first", "Oldy")
    second = UoPlayer(town)
    await second.logs_in("second")
    await second.does(second.client.create_bytes(wish))
    assert second.client.in_world
    (mobile,) = [m for m in town.app.world.mobiles.values() if m.is_character and m.name != "Oldy"]
    assert 4 <= len(mobile.name) <= 16
    assert any(mobile.name in line and "cannot be had" in line for line in second.client.said())


async def test_r53_a_login_connection_brings_no_character_into_the_world(
    town: Town, autojump_clock: MockClock
) -> None:
    player = UoPlayer(town)
    await player.enters("anna", "Anna")
    side_door = UoPlayer(town)
    await side_door.does(side_door.client.login_bytes("anna", "secret1"))
    connection = list(town.app.gateway.connections.values())[-1]
    await side_door.does(side_door.client.create_bytes("Second"))
    assert connection.ending is Ending.BAD_PACKET
    assert not town.here("Second")
    assert len(playing(town)) == 1
    assert not player.gone


async def test_who_is_being_deleted_does_not_enter(
    town: Town, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    maker = UoPlayer(town)
    await maker.enters("anna", "Anna")
    await maker.does(maker.client.logout_bytes())
    maker.leaves()
    delete = town.app.storage.delete_character

    async def slowly(account: int, serial: int) -> bool:
        # Like a statement that a thread has begun: it ends whatever becomes of its caller.
        with trio.CancelScope(shield=True):
            await trio.sleep(30)
            deleted = await delete(account, serial)
        return deleted

    monkeypatch.setattr(town.app.storage, "delete_character", slowly)
    deleter = UoPlayer(town)
    await deleter.logs_in("anna")
    await deleter.does(deleter.client.delete_bytes(0), wait=0.5)
    racer = EoPlayer(town)
    await racer.logs_in("anna")
    if racer.client.menu:
        await racer.does(racer.client.select(racer.client.menu[0].id))
        if racer.client.selected is not None and not racer.gone:
            await racer.does(racer.client.enter())
    assert not town.here("Anna")
    await trio.sleep(40)
    assert not town.here("Anna")
    again = UoPlayer(town)
    await again.logs_in("anna")
    assert again.client.characters == []


async def test_a_call_for_a_client_that_has_departed_fails_and_nobody_waits_for_ever(
    town: Town, autojump_clock: MockClock
) -> None:
    player = UoPlayer(town)
    await player.enters("anna", "Anna")
    (session,) = playing(town)
    player.leaves()
    await trio.sleep(1)
    with trio.fail_after(5), pytest.raises(SessionGone):
        await town.app.in_world(session, lambda world: world.tick)
