"""R-48, R-52 to R-57: passwords, tickets, double logins and staff, at the doors of a whole server."""

from __future__ import annotations

import base64
import hashlib
import random
import re
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import argon2
import pytest
import trio
import trio.testing

from protocol.endings import Ending
from server.people.administration import FOREVER
from server.people.passwords import Argon2Passwords
from server.people.tickets import LIFETIME, MOST
from server.store.backup import back_up
from server.store.check import check_database
from tests.kit.actor import Actor, CannotEnter
from tests.kit.actors import make_actor
from tests.kit.disk import Disk
from tests.kit.logins import EVERYBODY, FAR, HOME, an_account, is_kept_out, playing
from tests.kit.players import EoPlayer, UoPlayer
from world.mobile import Access

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from trio.testing import MockClock

    from tests.kit.town import Town

    T = TypeVar("T")


class HashedInline(Argon2Passwords):
    """The real hasher, in the calling task."""

    async def _work(self, call: Callable[[], T]) -> T:
        await trio.lowlevel.checkpoint()
        return call()


def hash_indeed(town: Town) -> None:
    """Passwords are hashed as on a real server, whoever makes or proves them."""
    accounts = town.app.accounts
    for part in (accounts, accounts._joining, accounts.staff):
        part._passwords = HashedInline()


# hashes

NIST_SHA1 = "A9993E364706816ABA3E25717850C26C9CD0D89D"
NIST_SHA256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
NIST_SHA512 = (
    "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
    "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
)
"""Digests of "abc": FIPS 180-2, appendices A to C. Here "ab" comes before the password."""

FOREIGN = {
    # RFC 1321, section A.5: MD5 ("message digest")
    "runuo md5": ("$foreign$md5$$F96B697D7CB7938D525A2F31AAF161D0", "message digest"),
    "runuo sha1": (f"$foreign$sha1${b'ab'.hex()}${NIST_SHA1}", "c"),
    "runuo sha512": (f"$foreign$sha512${b'ab'.hex()}${NIST_SHA512.upper()}", "c"),
    # The account "admin" of a public L2J dump; CryptoJS tests its SHA1 with the same words.
    "l2j": (f"$foreign$sha1$${base64.b64decode('0DPiKuNIrrVmD8IUCuw1hQxNqZc=').hex()}", "admin"),
    "eoserv": (f"$foreign$sha256${b'ab'.hex()}${NIST_SHA256}", "c"),
}


@pytest.mark.parametrize("kind", FOREIGN)
async def test_r48_hashes_of_other_servers_are_understood(kind: str) -> None:
    stored, password = FOREIGN[kind]
    passwords = HashedInline()
    assert await passwords.verify(stored, password)
    assert not await passwords.verify(stored, password + "x")
    assert not await passwords.verify(stored, "")
    assert passwords.outdated(stored)
    assert not await passwords.verify(stored[:-1], password)
    assert not await passwords.verify(stored.replace("$foreign$", "$foreign$x"), password)


@pytest.mark.parametrize(
    "stored",
    ["$foreign$md5$$", "$foreign$md5$$AB-CD", "$foreign$sha1$xy$00", "$foreign$", "$foreign$no$$00"],
)
async def test_r48_what_is_no_digest_admits_nobody(stored: str) -> None:
    passwords = HashedInline()
    assert not await passwords.verify(stored, "")
    assert not await passwords.verify(stored, "admin")


async def test_r48_an_import_by_sql_as_the_manual_shows_it(town: Town, autojump_clock: MockClock) -> None:
    hash_indeed(town)
    manual = (Path(__file__).parents[2] / "docs" / "admin.md").read_text(encoding="utf-8")
    digest = hashlib.sha1(b"Lillygeheim7", usedforsecurity=False).hexdigest().upper()
    dashed = "-".join(digest[at : at + 2] for at in range(0, 40, 2))
    (statement,) = re.findall(r"^ {4}(INSERT INTO account .*?;)$", manual, re.DOTALL | re.MULTILINE)
    assert "D7-6A-..." in statement
    with town.database.write() as connection:
        connection.exec_driver_sql(statement.replace("D7-6A-...", dashed))
    actor = make_actor("uo", town)
    await actor.enters("lilly", "Lilly", password="geheim7")
    await trio.sleep(1)
    row = town.database.account("lilly")
    assert row is not None
    assert row.password.startswith("$argon2id$")


class Counting(argon2.PasswordHasher):
    """Counts its work."""

    checks = 0

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:  # noqa: A002 # its name there
        Counting.checks += 1
        return super().verify(hash, password)


async def test_r48_the_work_is_the_same_for_an_imported_account() -> None:
    passwords = HashedInline(memory_kib=8)
    passwords._hasher = Counting(1, 8, 1)
    stored = await passwords.hash("secret1")
    for hashed in (stored, None, FOREIGN["l2j"][0], "nonsense"):
        before = Counting.checks
        await passwords.verify(hashed, "admin")
        assert Counting.checks - before == 1


@pytest.mark.parametrize("game", ["uo", "eo"])
async def test_r48_an_imported_account_is_upgraded_by_its_first_login(
    town: Town, autojump_clock: MockClock, game: str
) -> None:
    hash_indeed(town)
    digest = hashlib.sha1(b"geheim7", usedforsecurity=False).hexdigest()
    town.database.create_account("lineage", f"$foreign$sha1$${digest}", 1.0)
    actor = make_actor(game, town)
    with pytest.raises(CannotEnter):
        await actor.enters("lineage", "Lilly", password="geheim8")
    await actor.enters("lineage", "Lilly", password="geheim7")
    await trio.sleep(1)
    row = town.database.account("lineage")
    assert row is not None
    assert row.password.startswith("$argon2id$v=19$m=16384,t=1,p=1$")
    actor.leaves()
    await actor.enters("lineage", "Lilly", password="geheim7")


# tickets


async def a_key(town: Town, name: str = "anna", peer: str = HOME) -> tuple[UoPlayer, bytes]:
    """A client that was sent on to the game server, and its key."""
    player = UoPlayer(town, peer=peer)
    await player.does(player.client.login_bytes(name, "secret1"), wait=0.1)
    await player.does(player.client.select_server_bytes(0), wait=0.1)
    assert player.client.relay is not None
    player.leaves()
    return player, player.client.relay[2]


async def shows(town: Town, key: bytes, *, name: str = "anna", peer: str = HOME) -> bool:
    """Whether the game server lets in who shows that key."""
    player = UoPlayer(town, peer=peer)
    player.client.relay = "127.0.0.1", 2593, key
    await player.does(player.client.game_bytes(name, "secret1"), wait=0.1)
    let_in = any(packet[0] == 0xA9 for packet in player.client.packets)
    player.leaves()
    await trio.sleep(0.1)
    return let_in


async def test_r52_a_ticket_is_good_once_soon_and_for_its_owner(
    town: Town, autojump_clock: MockClock
) -> None:
    town.change("accounts", auto_create=False)
    town.change("limits", exempt=EVERYBODY, login_failures_per_address=1000)
    await an_account(town)
    await an_account(town, "bert")
    _, key = await a_key(town)
    assert not await shows(town, key, name="bert"), "another's"
    assert await shows(town, key)
    assert not await shows(town, key), "used"
    _, key = await a_key(town)
    assert await shows(town, key, peer=FAR), "not bound to an address unless that is wished"
    town.change("limits", bind_tickets=True)
    _, key = await a_key(town)
    assert not await shows(town, key, peer=FAR)
    assert await shows(town, key)
    _, key = await a_key(town)
    await trio.sleep(LIFETIME + 1)
    assert not await shows(town, key), "too late"
    dice = random.Random(5)
    guesses = [dice.randbytes(4) for _ in range(300)]
    _, key = await a_key(town)
    assert not any([await shows(town, guess) for guess in guesses if guess != key])
    assert len(town.app.tickets) <= MOST


# the same account twice


def belongings(town: Town) -> Counter[str]:
    """Everything characters and the ground hold, in memory and in the database, by kind."""
    world = town.app.world
    rows: dict[int, tuple[str, int]] = {}
    with town.database.read() as connection:
        for serial, template, amount in connection.exec_driver_sql(
            "SELECT serial, template, amount FROM item"
        ):
            rows[serial] = template, amount
    for item in world.items.values():
        if item.stored:
            rows[item.serial] = item.template.key, item.amount
    total: Counter[str] = Counter()
    for template, amount in rows.values():
        total[template] += amount
    return total


async def try_to_enter(actor: Actor, account: str, name: str) -> None:
    """Whoever is replaced on the way fails somewhere; that is the point."""
    try:
        await actor.enters(account, name)
    except CannotEnter:
        return


@pytest.mark.parametrize("seed", range(3))
async def test_r53_ten_logins_at_once_in_both_games_leave_one(
    town: Town, autojump_clock: MockClock, seed: int
) -> None:
    town.change("limits", exempt=EVERYBODY)
    dice = random.Random(seed)
    maker = make_actor("eo", town)
    await maker.enters("anna", "Anna")
    mobile = town.mobile("Anna")
    before = belongings(town)
    games = ["uo", "eo"] * 5
    dice.shuffle(games)

    async def later(actor: Actor) -> None:
        await trio.sleep(dice.choice([0, 0, 0.001, 0.01, 0.1]))
        await try_to_enter(actor, "anna", "Anna")

    async with trio.open_nursery() as crowd:
        for game in games:
            crowd.start_soon(later, make_actor(game, town))
    await trio.sleep(30)
    assert len(playing(town)) == 1
    assert town.mobile("Anna") is mobile
    assert [m.name for m in town.app.world.mobiles.values() if m.is_character] == ["Anna"]
    assert belongings(town) == before
    assert check_database(town.database) == []


@pytest.mark.parametrize(
    ("relogs", "seconds"),
    [
        (70, 0.0),
        (35, 0.5),
        pytest.param(700, 0.0, marks=pytest.mark.soak),
        pytest.param(300, 0.5, marks=pytest.mark.soak),
    ],
)
async def test_r54_a_thousand_relogs_lose_and_make_nothing(
    town: Town, autojump_clock: MockClock, relogs: int, seconds: float
) -> None:
    """With `seconds` the previous logout is always still being written. The thousand are those of `make
    soak`."""
    town.change("limits", exempt=EVERYBODY, linger_seconds=0.0, packets_per_second=10_000.0)
    disk = Disk()
    town.app.storage._runner = disk
    dice = random.Random(1)
    actors = [make_actor(game, town) for game in ("uo", "eo")]
    await actors[0].enters("anna", "Anna")
    before, place = belongings(town), (town.mobile("Anna").x, town.mobile("Anna").y)
    disk.seconds = seconds
    for _ in range(relogs):
        actor = dice.choice(actors)
        await actor.enters("anna", "Anna")
        mobile = town.mobile("Anna")
        assert (mobile.x, mobile.y) == place
        if dice.random() < 0.3:
            await actor.step(dice.choice([0, 2, 4, 6]))
            await actor.echo()
        for carried in list(actor.carries())[:1]:
            await actor.drop(carried)
            await actor.echo()
        for lying in list(actor.lying())[:1]:
            await actor.take(lying)
            await actor.echo()
        if dice.random() < 0.5:
            await actor.logs_out()
        else:
            actor.leaves()
            await trio.sleep(dice.choice([0, 0.001, 0.1]))
        place = mobile.x, mobile.y
        assert len(playing(town)) <= 1
    disk.seconds = 0.0
    await trio.sleep(15)
    assert belongings(town) == before
    assert check_database(town.database) == []


# staff, and people who are connected


async def test_r55_a_ban_ends_every_client_of_the_account_at_once(
    town: Town, autojump_clock: MockClock
) -> None:
    town.change("limits", exempt=EVERYBODY)
    row = await an_account(town)
    plays = make_actor("eo", town)
    await plays.enters("anna", "Anna")
    on_the_way, key = await a_key(town)
    mobile, (session,) = town.mobile("Anna"), playing(town)
    connection = town.app.gateway.connections[session.id]
    turns = town.app.loop.stats.turns
    await town.app.accounts.staff.ban(row, FOREVER, "rude")
    await town.app.loop.in_world(None, lambda _: None)
    assert connection.ending is Ending.BANNED
    assert town.app.loop.stats.turns <= turns + 2
    await trio.sleep(0.2)
    assert mobile.serial not in town.app.world.mobiles
    assert not await shows(town, key)
    for player in (UoPlayer(town, peer=HOME), EoPlayer(town, peer=HOME)):
        await is_kept_out(player)
    assert not on_the_way.client.in_world


@pytest.mark.parametrize("game", ["uo", "eo"])
async def test_r55_a_level_is_in_force_in_the_next_turn(
    town: Town, autojump_clock: MockClock, game: str
) -> None:
    actor = make_actor(game, town)
    await actor.enters("anna", "Anna")
    row = await town.app.accounts.find("anna")
    assert row is not None
    mobile, (session,) = town.mobile("Anna"), playing(town)
    for level in (Access.GAME_MASTER, Access.PLAYER):
        turns = town.app.loop.stats.turns
        await town.app.accounts.staff.set_access(row, level)
        assert mobile.access == level
        assert session.account is not None
        assert session.account.access == level
        assert town.app.loop.stats.turns <= turns + 1
    assert actor.online


async def test_r55_a_changed_password_ends_who_plays_and_who_is_on_the_way(
    town: Town, autojump_clock: MockClock
) -> None:
    town.change("limits", exempt=EVERYBODY)
    row = await an_account(town)
    plays = make_actor("uo", town)
    await plays.enters("anna", "Anna")
    _, key = await a_key(town)
    (session,) = playing(town)
    connection = town.app.gateway.connections[session.id]
    await town.app.accounts.staff.set_password(row, "another1")
    assert connection.ending is Ending.KICKED
    assert not await shows(town, key)
    with pytest.raises(CannotEnter):
        await plays.enters("anna", "Anna")
    await plays.enters("anna", "Anna", password="another1")


#


async def test_r56_no_file_holds_a_password(town: Town, autojump_clock: MockClock, tmp_path: Path) -> None:
    hash_indeed(town)
    for game, account in (("uo", "anna"), ("eo", "bert")):
        actor = make_actor(game, town)
        await actor.enters(account, account.title(), password="Hunter2x")
        with pytest.raises(CannotEnter):
            await make_actor(game, town).enters(account, account.title(), password="Hunter2y")
    answers = [
        await town.app.commands.run("test", "account passwd", {"name": "anna", "password": "Hunter2staff"}),
        await town.app.commands.run("test", "account create", {"name": "carol", "password": "Hunter2carol"}),
    ]
    assert all(answer.ok for answer in answers)
    await town.app.storage.wait_durable()
    path = tmp_path / "world.db"
    town.database._sqlite().execute("VACUUM INTO ?", (str(path),)).close()
    backup = back_up(path, tmp_path / "backups", "test")
    for file in (path, backup):
        content = file.read_bytes()
        assert b"$argon2id$" in content
        assert b"Hunter2" not in content
        assert b"account passwd" in content, "the audit tells that it was changed"
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM account").fetchone() == (3,)


async def test_r57_nobody_is_there_to_begin_with_and_who_joins_is_a_player(
    town: Town, autojump_clock: MockClock
) -> None:
    assert town.database.accounts() == []
    for name in ("admin", "owner", "root", "causeway"):
        for password in (name, "password", "admin123"):
            stranger = UoPlayer(town, peer=f"198.51.100.{len(name)}{len(password)}")
            await stranger.does(stranger.client.login_bytes(name, password), wait=0.1)
            assert stranger.client.rejected is not None
    assert town.database.accounts() == []
    for game in ("uo", "eo"):
        actor = make_actor(game, town)
        await actor.enters(f"admin{game}", "Anna" if game == "uo" else "Bert")
    assert {row.access for row in town.database.accounts()} == {Access.PLAYER}
    assert all(mobile.access == Access.PLAYER for mobile in town.app.online())
