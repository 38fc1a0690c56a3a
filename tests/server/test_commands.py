"""Commands: one table for staff in the game and for everybody outside of it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest
import trio

from protocol.endings import Ending
from server import exits
from server.commands.machinery import CommandError, CommandTable, seconds
from server.commands.players import MOST_NAMED
from server.commands.staff import TABLE
from server.commands.verbs import TABLE as VERBS
from tests.kit.office import CONFIG, Office
from tests.kit.worlds import person
from world import holding, life, motion, newcomers
from world.mobile import Access

if TYPE_CHECKING:
    from pathlib import Path

    from trio.testing import MockClock

    from tests.kit.office import Client
    from world.mobile import Mobile
    from world.world import World


@pytest.fixture
async def office(nursery: trio.Nursery) -> Office:
    return await Office().open(nursery)


async def run(office: Office, line: str) -> str:
    """A command from outside that succeeds."""
    answer = await office.commands.run("test", line)
    assert answer.ok, answer
    return "\n".join(answer.lines)


async def refused(office: Office, line: str) -> str:
    """A command from outside that fails."""
    answer = await office.commands.run("test", line)
    assert not answer.ok, answer
    return "\n".join(answer.lines)


# The table


def test_every_command_has_a_sentence_and_a_level() -> None:
    rows = list(TABLE)
    assert len(rows) >= 30
    for row in rows:
        assert row.about
        assert 0 <= row.access <= Access.OWNER
        assert row.usage.startswith(row.name)


def test_everything_that_changes_something_is_audited() -> None:
    looks = {"help", "who", "where", "status", "census", "profile", "account list", "info", "residents"}
    looks |= {"pleas"}
    assert {row.name for row in TABLE if not row.audited} == looks | {
        *("stuck", "gifts", "map"),
        *(row.name for row in VERBS),
    }


def test_who_may_do_what() -> None:
    def allowed(access: int) -> set[str]:
        return {row.name for row in TABLE if row.access <= access}

    verbs = {row.name for row in VERBS}
    assert allowed(Access.PLAYER) == {"help", "who", "where", "stuck", "give", "gifts", "map"} | verbs
    assert {"go", "goto", "hide", "msg", "info", "residents"} < allowed(Access.COUNSELOR)
    for_masters = {"bring", "kick", "ban", "unban", "broadcast", "save", "kill", "resurrect", "census"}
    for_masters |= {"shutdown", "restart", "abort", "heal", "set", "make", "remove", "gag", "ungag"}
    assert allowed(Access.GAME_MASTER) - allowed(Access.COUNSELOR) == for_masters
    assert {"reload", "account create", "account level"} <= allowed(Access.ADMIN) - allowed(Access.SEER)


@pytest.mark.parametrize("usage", ["name Odd", "name <PLAYER>", "twice"])
def test_a_bad_usage_line_is_found_at_import(usage: str) -> None:
    table = CommandTable()
    table.command("twice", access=0, about="")(lambda context, args: [])
    with pytest.raises(ValueError, match="bad usage line"):
        table.command(usage, access=0, about="")(lambda context, args: [])


@pytest.mark.parametrize(
    ("text", "span"),
    [("90s", 90), ("15m", 900), ("12h", 43_200), ("3d", 259_200), ("2w", 1_209_600)],
)
def test_durations(text: str, span: float) -> None:
    assert seconds(text) == span


@pytest.mark.parametrize("text", ["", "3", "d", "3 d", "-3d", "3D", "³d", "9999999d"])
def test_what_is_no_duration(text: str) -> None:
    assert seconds(text) is None


async def test_a_forbidden_command_looks_like_an_unknown_one(
    office: Office, autojump_clock: MockClock
) -> None:
    client, _ = await office.player("Alric")
    unknown = await office.order(client, "frobnicate all")
    assert "there is no such command" in unknown
    for line in ("shutdown", "account create evil secret1 owner", "help shutdown", "kill", "account", ""):
        assert await office.order(client, line) == unknown, line
    assert office.stopped == []
    assert office.audited == []
    assert await office.accounts.find("evil") is None


async def test_help_lists_what_one_may_do(office: Office, autojump_clock: MockClock) -> None:
    client, _ = await office.player("Alric")
    text = await office.order(client, "help")
    assert "where [CHARACTER]" in text
    assert "shutdown" not in text
    assert "shutdown [DELAY] [REASON...]" in await run(office, "HELP shutdown")
    assert "account create NAME PASSWORD [LEVEL]" in await run(office, "help account create")


@pytest.mark.parametrize(
    "line", ["kick", "msg bob", "save now", "account create onlyname", "account list all"]
)
async def test_wrong_arguments_are_answered_with_the_usage(
    office: Office, autojump_clock: MockClock, line: str
) -> None:
    assert (await refused(office, line)).startswith("usage: ")


async def test_arguments_by_name(office: Office, autojump_clock: MockClock) -> None:
    answer = await office.commands.run(
        "test", "account ban", {"name": "bobby", "reason": "two words", "duration": "1d"}
    )
    assert answer.lines == ["there is no account bobby"]
    assert not (await office.commands.run("test", "account ban", {"nam": "bobby"})).ok
    assert not (await office.commands.run("test", "account ban", {})).ok
    assert not (await office.commands.run("test", "account ban bobby", {})).ok


# In the world


async def test_who_and_where(office: Office, autojump_clock: MockClock) -> None:
    player, _ = await office.player("Alric", x=12)
    staff, _ = await office.player("Berta", Access.COUNSELOR)
    assert "2 online: Alric, Berta" in await office.order(player, "who")
    assert "plain 12 10" not in await office.order(player, "who")
    assert "Alric: plain 12 10, brook, account alricacct" in await office.order(staff, "who")
    assert "127.0.0.1" not in await office.order(staff, "who")
    assert "127.0.0.1" in await run(office, "who")
    assert "Alric is in plain 12 10" in await office.order(player, "where")
    await trio.sleep(5)
    assert "yourself" in await office.order(player, "where berta")
    assert "Alric is in plain 12 10" in await office.order(staff, "where alric")
    assert "only a character" in await refused(office, "where")


async def test_going_places(office: Office, autojump_clock: MockClock) -> None:
    client, mobile = await office.player("Alric", Access.COUNSELOR)
    await office.order(client, "go cave")
    assert mobile.realm is not None
    assert (mobile.realm.name, mobile.x, mobile.y) == ("cave", 5, 5)
    await office.order(client, "go 7 8")
    assert (mobile.realm.name, mobile.x, mobile.y) == ("cave", 7, 8)
    await office.order(client, "go plain 20 21")
    assert (mobile.realm.name, mobile.x, mobile.y) == ("plain", 20, 21)
    for line in ("go nowhere", "go plain 60 0", "go plain -1 0", "go plain x y", "go 5", "go plain 1 2 3"):
        answer = await office.order(client, line)
        assert answer, line
        assert (mobile.realm.name, mobile.x, mobile.y) == ("plain", 20, 21)


async def test_goto_and_bring(office: Office, autojump_clock: MockClock) -> None:
    staff, master = await office.player("Berta", Access.GAME_MASTER)
    _, target = await office.player("Alric", x=30, y=30)
    await office.order(staff, "goto alric")
    assert (master.x, master.y) == (30, 30)
    await office.order(staff, "go cave 3 3")
    await office.order(staff, "bring ALRIC")
    assert target.realm is master.realm
    assert (target.x, target.y) == (3, 3)
    assert "not online" in await office.order(staff, "bring nobody")


async def test_kill_and_resurrect(office: Office, autojump_clock: MockClock) -> None:
    staff, master = await office.player("Berta", Access.GAME_MASTER)
    _, target = await office.player("Alric")
    await office.order(staff, "kill")
    assert master.dead
    assert "already" in await office.order(staff, "kill")
    states = []
    for line in ("kill alric", "resurrect alric"):
        await office.order(staff, line)
        states.append((target.dead, target.hits))
    assert states == [(True, 0), (False, 10)]
    assert "not dead" in await refused(office, "resurrect alric")


async def test_hiding(office: Office, autojump_clock: MockClock) -> None:
    client, mobile = await office.player("Alric", Access.COUNSELOR)
    await office.order(client, "hide")
    hidden = [mobile.hidden]
    await office.order(client, "unhide")
    assert [*hidden, mobile.hidden] == [True, False]


async def test_talking(office: Office, autojump_clock: MockClock) -> None:
    staff, _ = await office.player("Berta", Access.GAME_MASTER)
    one, _ = await office.player("Alric")
    two, _ = await office.player("Carla")
    await office.order(staff, "msg alric come   here")
    assert b"Berta: come   here" in one.heard
    assert b"come" not in two.heard
    await run(office, "broadcast tea at five")
    assert b"tea at five" in one.heard
    assert b"tea at five" in two.heard


async def test_kick(office: Office, autojump_clock: MockClock) -> None:
    staff, _ = await office.player("Berta", Access.GAME_MASTER)
    peer, _ = await office.player("Carla", Access.GAME_MASTER)
    target, _ = await office.player("Alric")
    assert "not below you" in await office.order(staff, "kick carla")
    assert peer.ending is None
    await office.order(staff, "kick alric be nice")
    assert target.ending is Ending.KICKED
    assert b"be nice" in target.heard
    await run(office, "kick carla")
    assert peer.ending is Ending.KICKED


async def test_who_names_a_few_of_many(office: Office, autojump_clock: MockClock) -> None:
    client, _ = await office.player("Alric")
    crowd = [person(office.world, f"Dora{n:04}", 20, 20) for n in range(400)]
    office.world.online = lambda: iter(crowd)  # type: ignore[method-assign]
    text = await office.order(client, "who")
    assert "400 online: Dora0000, " in text
    assert " and 350 more" in text
    assert text.count("Dora") == MOST_NAMED


# Help for players


async def test_stuck_leads_back_to_where_everybody_begins(office: Office, autojump_clock: MockClock) -> None:
    client, mobile = await office.player("Alric", x=40, y=40)
    assert "In 10 seconds" in await office.order(client, "stuck")
    assert "on its way already" in await office.order(client, "stuck")
    await trio.sleep(8)
    assert (mobile.x, mobile.y) == (40, 40)
    await trio.sleep(2)
    assert mobile.realm is not None
    assert max(abs(mobile.x - x) + abs(mobile.y - y) for x, y in mobile.realm.chart.spawns[:1]) <= 6
    assert b"where everybody begins" in client.heard
    assert "In 10 seconds" in await office.order(client, "stuck")


@pytest.mark.parametrize("what", ["step", "die", "live", "leave"])
async def test_stuck_is_called_off(office: Office, autojump_clock: MockClock, what: str) -> None:
    client, mobile = await office.player("Alric", x=40, y=40)
    if what == "live":
        life.kill(mobile)
    await office.order(client, "stuck")
    await trio.sleep(5)
    before = len(client.heard)
    if what == "step":
        await office.in_world(None, lambda _: motion.step(mobile, 0))
    elif what == "die":
        await run(office, "kill alric")
    elif what == "live":
        await run(office, "resurrect alric")
    else:
        await office.in_world(None, lambda world: world.close_viewport(mobile))
    await trio.sleep(20)
    assert (mobile.x, mobile.y) == ((40, 39) if what == "step" else (40, 40))
    if what != "leave":
        assert b"must not move or die" in client.heard[before:]
        assert "In 10 seconds" in await office.order(client, "stuck")


async def test_a_ghost_can_be_stuck(office: Office, autojump_clock: MockClock) -> None:
    client, mobile = await office.player("Alric", x=40, y=40)
    life.kill(mobile)
    await office.order(client, "stuck")
    await trio.sleep(11)
    assert (mobile.x, mobile.y) != (40, 40)
    assert mobile.dead


async def two_beside_each_other(office: Office, access: int = Access.PLAYER) -> tuple[Client, Mobile, Mobile]:
    """Who gives, as client and mobile, and who takes; both with what newcomers have."""
    client, giver = await office.player("Alric", access)
    _, taker = await office.player("Berta", x=11)

    def dress(world: World) -> None:
        for mobile in (giver, taker):
            newcomers.outfit(mobile)
            world.register(mobile)
            mobile.online = True

    await office.in_world(None, dress)
    return client, giver, taker


async def test_who_gives_waits_a_second(office: Office, autojump_clock: MockClock) -> None:
    client, giver, _ = await two_beside_each_other(office)
    for _ in range(60):
        await office.in_world(client, lambda _: office.commands.in_game(client, "give berta 1 gold"))
    await trio.sleep(0.5)
    assert holding.gold(giver) == 99
    assert client.heard.count(b"not so fast") == 59
    await trio.sleep(0.5)
    assert "has 1 gold" in await office.order(client, "give berta 1 gold")


async def test_players_give_three_commands_in_five_seconds(office: Office, autojump_clock: MockClock) -> None:
    player, _ = await office.player("Alric")
    staff, _ = await office.player("Berta", Access.COUNSELOR)
    answers = [await office.order(player, line) for line in ("who", "where", "help", "who", "where")]
    assert ["not so fast" in answer for answer in answers] == [False] * 3 + [True] * 2
    assert "no such command" in await office.order(player, "frobnicate")
    await trio.sleep(2)
    assert "2 online" in await office.order(player, "who")
    assert "not so fast" not in "".join([await office.order(staff, "who") for _ in range(20)])


async def test_r68_gifts_of_players_are_no_audit_and_those_of_staff_are(
    office: Office, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    client, giver, _ = await two_beside_each_other(office)
    with caplog.at_level(logging.DEBUG, logger="admin"):
        await office.order(client, "give berta 20 gold")
    assert office.audited == []
    (record,) = [record for record in caplog.records if record.name == "admin"]
    assert record.levelno == logging.DEBUG
    assert "alricacct (Alric): give character='berta' amount='20'" in record.getMessage()
    giver.access = Access.COUNSELOR
    await office.order(client, "give berta 20 gold")
    assert [(who, what) for who, what, _ in office.audited] == [("alricacct (Alric)", "give")]


async def test_gifts_can_be_switched_off(office: Office, autojump_clock: MockClock) -> None:
    client, mobile = await office.player("Alric")
    taken = [mobile.takes_gifts]
    for line in ("gifts OFF", "gifts maybe", "gifts on"):
        await trio.sleep(5)
        await office.order(client, line)
        taken.append(mobile.takes_gifts)
    assert taken == [True, False, False, True]
    assert b"gifts on or gifts off" in client.heard


# Accounts


async def test_r55_ban_from_the_game(office: Office, autojump_clock: MockClock) -> None:
    staff, _ = await office.player("Berta", Access.GAME_MASTER)
    target, _ = await office.player("Alric")
    other, _ = await office.player("Carla", Access.ADMIN)
    assert "not below you" in await office.order(staff, "ban carla")
    text = await office.order(staff, "ban alric 3d rude words")
    assert "account alricacct is banned until 2023-11-17 22:13 UTC: rude words" in text
    assert target.ending is Ending.BANNED
    assert other.ending is None
    assert "banned no longer" in await office.order(staff, "unban alricacct")
    assert "not banned" in await office.order(staff, "unban alricacct")


async def test_an_account_is_removed_with_all_it_has(office: Office, autojump_clock: MockClock) -> None:
    client, _ = await office.player("Anna")
    assert "was removed, with" in await run(office, "account remove annaacct")
    assert client.ending is Ending.BANNED
    assert "no account" in await refused(office, "account remove annaacct")
    assert "annaacct" not in await run(office, "account list")


async def test_account_commands(office: Office, autojump_clock: MockClock) -> None:
    assert await run(office, "account create Bobby secret1") == "account bobby was made (player)"
    assert "exists" not in await run(office, "account create anna thirteenchars admin")
    assert "Endless Online" in await run(office, "account passwd anna anotherlongone")
    assert "there is an account bobby" in await refused(office, "account create bobby secret1")
    assert "3 to 16" in await refused(office, "account create b secret1")
    assert "passwords are" in await refused(office, "account create carla pw")
    assert await run(office, "account level bobby") == "account bobby is player"
    assert await run(office, "account level bobby 2") == "account bobby was player, is gamemaster"
    assert "none of the levels" in await refused(office, "account level bobby king")
    assert "banned for ever: rude words" in await run(office, "account ban bobby rude words")
    listed = await run(office, "account list")
    assert "bobby: gamemaster, never seen, banned" in listed
    assert "anna: admin, never seen" in listed
    await run(office, "account unban bobby")
    client = office.client()
    office.accounts.claim(client, await office.accounts.login(client, "bobby", "secret1"))
    await run(office, "account passwd bobby secret2")
    assert client.ending is Ending.KICKED


async def test_staff_cannot_rise_or_raise_above_itself(office: Office, autojump_clock: MockClock) -> None:
    admin, _ = await office.player("Berta", Access.ADMIN)
    await office.player("Carla", Access.ADMIN)
    await office.accounts.staff.create("bobby", "secret1")
    for line in (
        "account level bobby admin",
        "account level bertaacct owner",
        "account level carlaacct player",
        "account ban carlaacct",
    ):
        assert "not below you" in await office.order(admin, line), line
    await office.order(admin, "account level bobby seer")
    row = await office.accounts.find("bobby")
    assert row is not None
    assert row.access == Access.SEER


async def test_passwords_are_not_for_the_game(office: Office, autojump_clock: MockClock) -> None:
    staff, _ = await office.player("Berta", Access.OWNER)
    assert "causeway account create" in await office.order(staff, "account create evil Geheim1")
    assert await office.accounts.find("evil") is None
    answer = await office.order(staff, "account passwd bertaacct Geheim1")
    assert "causeway account passwd" in answer
    assert "Geheim1" not in answer
    await office.accounts.login(office.client(), "bertaacct", "secret1")


async def test_a_ban_whose_duration_is_none_bans_nobody(office: Office, autojump_clock: MockClock) -> None:
    await office.accounts.staff.create("bobby", "secret1")
    for duration in ("3 days", "3days", "1y", "soon", "-3d", ""):
        answer = await office.commands.run("test", "account ban", {"name": "bobby", "duration": duration})
        assert not answer.ok, duration
    for line in ("account ban bobby 3days rude", "account ban bobby 3 days", "account ban bobby -3d"):
        assert "no duration" in await refused(office, line)
    row = await office.accounts.find("bobby")
    assert row is not None
    assert row.banned_until is None


async def test_r68_staff_is_audited_and_passwords_are_not(office: Office, autojump_clock: MockClock) -> None:
    staff, _ = await office.player("Berta", Access.OWNER)
    await run(office, "account create bobby Geheim1 seer")
    await office.order(staff, "go 11 12")
    await office.order(staff, "who")
    assert office.audited == [
        (
            "test",
            "account create",
            "name='bobby' password='***' level='seer' -> account bobby was made (seer)",
        ),
        ("bertaacct (Berta)", "go", "realm='11' x='12' -> you were in plain 10 10, are in plain 11 12"),
    ]


# The server


async def test_status_save_reload(office: Office, autojump_clock: MockClock) -> None:
    await office.player("Alric")
    assert "1 connected, 1 online" in await run(office, "status")
    assert " turns" in await run(office, "status")
    assert await run(office, "save") == "everything is on disk"
    assert "was not started from a file" in await refused(office, "reload")


async def test_reload(
    nursery: trio.Nursery, autojump_clock: MockClock, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.getLogger().level)  # a reload sets it, and other tests are to find it as it was
    path = tmp_path / "config.toml"
    path.write_text(CONFIG)
    office = await Office(config_path=path).open(nursery)
    assert await run(office, "reload") == "the configuration was read again"
    path.write_text(CONFIG + "connections = 7\n[server]\nname = 'Elsewhere'\n")
    told = await run(office, "reload")
    assert told == "the configuration was read again\na restart is needed for: server.name"
    assert office.settings.limits.connections == 7
    path.write_text("[limits]\nconnections = 'many'\n")
    assert "nothing was changed" in await refused(office, "reload")
    assert office.settings.limits.connections == 7


async def test_where_the_time_goes(office: Office, autojump_clock: MockClock) -> None:
    assert "profile on, profile off" in await refused(office, "profile maybe")
    assert await run(office, "profile show")
    await run(office, "profile on")
    await run(office, "status")
    assert "turn" in await run(office, "profile show")
    await run(office, "profile off")


async def test_census(office: Office, autojump_clock: MockClock) -> None:
    _, mobile = await office.player("Alric")

    def dress(world: World) -> None:
        newcomers.outfit(mobile)
        world.register(mobile)

    await office.in_world(None, dress)
    text = await run(office, "census")
    assert text.startswith("gold 100\n")
    assert "gold: 100 in the database, 100 in the world" in text
    assert "dagger: 1 in the database, 1 in the world" in text
    await office.in_world(None, lambda _: holding.make(office.world, "gold", amount=7))


async def test_a_bug_in_a_command_is_answered_and_ends_nothing(
    office: Office, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(code: int) -> None:
        raise RuntimeError("a bug of ours")

    monkeypatch.setattr(office, "stop", fail)
    assert "the log says why" in await refused(office, "shutdown")
    assert await run(office, "status")


@pytest.mark.parametrize(("command", "code"), [("shutdown", exits.GOOD), ("restart", exits.RESTART)])
async def test_shutdown_now_and_restart(
    office: Office, autojump_clock: MockClock, command: str, code: int
) -> None:
    assert "no duration" in await refused(office, f"{command} soon")
    assert office.stopped == []
    await run(office, command)
    assert office.stopped == [code]
    await trio.sleep(1)
    assert office.exit_code == code


async def test_a_countdown_is_announced_and_can_be_called_off(
    office: Office, autojump_clock: MockClock
) -> None:
    client, _ = await office.player("Alric")
    other, _ = await office.player("Berta")
    await run(office, "shutdown 2m new content")
    await trio.sleep(118.5)
    assert client.heard.count(b"The server goes down in ") == 8
    for span in (b"2 minutes. new content", b"60 seconds", b"30 seconds", b"10 seconds", b"2 seconds"):
        assert span in client.heard
    assert b"stays up" not in client.heard
    assert "stays up" in await run(office, "abort")
    await trio.sleep(0.5)
    assert client.heard.count(b"The server stays up after all.") == 1
    assert other.heard.count(b"The server stays up after all.") == 1
    assert "nothing was under way" in await refused(office, "abort")
    await trio.sleep(60)
    assert office.stopped == []
    await run(office, "restart 10s")
    await run(office, "shutdown 30s")
    await trio.sleep(29)
    assert office.stopped == []
    await trio.sleep(2)
    assert office.stopped == [exits.GOOD]
    assert office.exit_code == exits.GOOD


def test_a_mistyped_command_gets_the_nearest_name() -> None:
    with pytest.raises(CommandError, match="did you mean 'residents'"):
        TABLE.find("residens", Access.ADMIN)
    with pytest.raises(CommandError, match="there is no such command; "):
        TABLE.find("xyzzy", Access.ADMIN)
