"""Commands: one table for staff in the game and for everybody outside of it, and what acts in the world."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from protocol.endings import Ending
from server.commands.dealing import TABLE as TRADES
from server.commands.guilds import TABLE as GUILDS
from server.commands.machinery import CommandTable, seconds
from server.commands.mail import TABLE as MAIL
from server.commands.parties import TABLE as PARTIES
from server.commands.players import MOST_NAMED
from server.commands.social import TABLE as SOCIAL
from server.commands.staff import TABLE
from server.commands.trading import TABLE as COUNTERS
from server.commands.verbs import TABLE as VERBS
from tests.kit.commands import refused, run
from tests.kit.office import Office
from tests.kit.worlds import person
from world.mobile import Access

if TYPE_CHECKING:
    from trio.testing import MockClock


@pytest.fixture
async def office(nursery: trio.Nursery) -> Office:
    return await Office().open(nursery)


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
    looks |= {"pleas", "reports", "report", "helpdesk", "sentences"}
    assert {row.name for row in TABLE if not row.audited} == looks | {
        *("stuck", "gifts", "map", "board", "pin", "unpin"),
        *(row.name for row in (*VERBS, *COUNTERS, *TRADES, *PARTIES, *GUILDS, *SOCIAL, *MAIL)),
    }


def test_who_may_do_what() -> None:
    def allowed(access: int) -> set[str]:
        return {row.name for row in TABLE if row.access <= access}

    verbs = {row.name for row in (*VERBS, *COUNTERS, *TRADES, *PARTIES, *GUILDS, *SOCIAL, *MAIL)}
    everybody = {
        "help",
        "who",
        "where",
        "stuck",
        "give",
        "gifts",
        "map",
        "report",
        "helpdesk",
        "time",
        "weather",
        "board",
        "pin",
        "unpin",
    }
    assert allowed(Access.PLAYER) == everybody | verbs
    assert {"go", "goto", "hide", "msg", "info", "residents"} < allowed(Access.COUNSELOR)
    for_masters = {"bring", "kick", "ban", "unban", "broadcast", "save", "kill", "resurrect", "census"}
    for_masters |= {"shutdown", "restart", "abort", "heal", "set", "make", "remove", "gag", "ungag"}
    for_masters |= {"spawn", "skill", "mute", "unmute", "jail", "unjail", "send"}
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
    assert "account create NAME PASSWORD [LEVEL]" in await run(office, "help account")
    guild = await office.order(client, "help guild")
    assert "guild: shows your guild" in guild
    assert "guild war NAME..." in guild
    assert "account" not in guild
    assert "there is no such command" in await office.order(client, "help guil")


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


async def test_the_surroundings_in_letters(office: Office, autojump_clock: MockClock) -> None:
    client, _ = await office.player("Alric", x=12)
    _, hidden = await office.player("Berta", x=13)
    await office.player("Carla", x=11)
    hidden.hidden = True
    text = await office.order(client, "map")
    assert "_" * 9 + "P@" + "_" * 10 in text
    assert text.count("_" * 21) == 10
    assert "@ you, P player, _ free" in text
    assert "live map" not in text
    assert "map on or map off" in await office.order(client, "map maybe")
    assert "may show you" in await office.order(client, "map on")
    assert "only a character" in await refused(office, "map")


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
    assert "Alric was in cave 3 3, is in cave 5 4" in await office.order(staff, "send alric CAVE 5 4")
    assert "there is no realm moon" in await office.order(staff, "send alric moon 5 4")
    assert (target.x, target.y) == (5, 4)


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
