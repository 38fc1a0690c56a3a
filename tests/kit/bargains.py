"""Trades on a server that dies in the middle of them, round after round over one database.

    bargains = Bargains(tmp_path)
    for number in range(20):
        assert await bargains.round(number) == []

There are two of each game. In each round one of them trades with one of the other six: a cloak of its own and
gold for a robe and other gold, in words that every client has. At the step whose turn it is the server gets
SIGKILL, from itself (`tests.kit.doomed`). Then its database has to be sound, each of both things is with one
of the two, and so is all the gold; everything has changed hands or nothing, whichever that step says; and
whoever was told that it is done has it.
"""

from __future__ import annotations

import contextlib
import random
import signal
import sqlite3
import subprocess
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Final, NamedTuple

import argon2
import attrs
import trio

from server.store.check import check_database
from server.store.database import Database
from server.store.migrate import upgrade
from server.store.records import AccountRow
from tests.kit.actors import make_actor
from tests.kit.besieged import CONFIG, GAMES, MOST_TOLD, PARTINGS, embodied
from tests.kit.doomed import AFTER, DONE, POINTS, DoomedProcess
from tests.kit.in_memory import shipped_content
from tests.kit.market import told_to
from tests.kit.players import PASSWORD
from tests.kit.sockets import Ports
from world import newcomers
from world.bargain import GOLD
from world.serials import Serials
from world.snapshot import character_row, item_row
from world.world import World

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.kit.actor import Actor

PATIENCE: Final = 20.0
"""Seconds within which a server has come to where it dies."""
SILENCE: Final = 0.2
"""Seconds in which what the dead had sent is read."""

PURSE: Final = 500
OFFERED: Final = (30, 7)
"""Gold that the first and the second offer."""
HEIRLOOMS: Final = ("skirt", "robe")
"""What people have of which there is one of each: those who sit first, and the others."""


@attrs.frozen
class Trader:
    """Somebody who trades."""

    game: str
    account: str
    name: str
    serial: int


class Estate(NamedTuple):
    """What a trader has, by what is on disk: its heirlooms by serial, and its gold."""

    heirlooms: dict[int, str]
    gold: int


class Bargains:
    """Twelve traders, two of each game, and a server for each round."""

    def __init__(self, folder: Path) -> None:
        self.server = DoomedProcess(folder, CONFIG.format(flush=0.0))
        self.path = self.server.state / "causeway.db"
        self.content = shipped_content()
        self.seats: tuple[list[Trader], list[Trader]] = ([], [])
        """Who sits first, by the games, and who sits across."""
        self.died: Counter[str] = Counter()
        """How often it was where it should."""
        self.told = 0
        """How many were told that it is done."""
        self._settle(folder)

    def _settle(self, folder: Path) -> None:
        self.server.state.mkdir()
        upgrade(f"sqlite:///{self.path}", folder / "backups")
        database = Database(f"sqlite:///{self.path}")
        reserved = database.reserve_serials()
        marks = reserved.mobile_first, reserved.item_first, reserved.mobile_mark, reserved.item_mark
        world = World(self.content, Serials(*marks), chance=random.Random(1))
        password = argon2.PasswordHasher(1, 16 * 1024, 1).hash(PASSWORD)
        realm, x, y = newcomers.spawn_place(world)
        places = iter(list(realm.free_near(x, y, 3)))
        for seat, heirloom in enumerate(HEIRLOOMS):
            for game in GAMES:
                account = database.create_account(f"{game}trader{seat}", password, 1.0)
                assert isinstance(account, AccountRow)
                name = f"{game.title()}trader{'ab'[seat]}"
                kit = {"gold": PURSE, heirloom: 1}
                mobile, items = embodied(world, account, name, realm.name, next(places), kit)
                rows = [item_row(item) for item in items]
                assert database.create_character(character_row(mobile), rows, 3) == character_row(mobile)
                self.seats[seat].append(Trader(game, account.name, name, mobile.serial))
        database.mark_clean()
        database.close()

    async def round(self, number: int) -> list[str]:
        """One trade, up to where its server dies; what is wrong with what that left."""
        point = POINTS[number % len(POINTS)]
        games, first = len(GAMES), number // len(POINTS) + number
        pair = self.seats[0][first % games], self.seats[1][(first + number // games) % games]
        before = [self.estate(one) for one in pair]
        self.server.dies(point)
        self.server.serves({one.game for one in pair})
        await trio.to_thread.run_sync(self.server.start)
        async with trio.open_nursery() as nursery:
            ports = Ports(nursery, self.server.addresses())
            try:
                actors = [make_actor(one.game, ports) for one in pair]
                nursery.start_soon(self._play, actors, pair, before)
                code = await self._ended()
                # What it had sent is read to the end, where a connection has one.
                with trio.move_on_after(SILENCE):
                    for actor in actors:
                        await actor.until(lambda: False, PATIENCE)
            finally:
                nursery.cancel_scope.cancel()
                ports.hang_up()
                self.server.close()
        told = [any(line.startswith(DONE) for line in told_to(actor)) for actor in actors]
        self.told += sum(told)
        self.died[point] += code == -signal.SIGKILL
        what = f"round {number}, {pair[0].name} with {pair[1].name}, {point}"
        wrong = [] if code == -signal.SIGKILL else [f"the server ended with {code}"]
        wrong += self.verdict(pair, before, point, told)
        return [f"{what}: {one}" for one in wrong]

    async def _ended(self) -> int | None:
        """The exit code of the server, if it has come to its end."""
        child = self.server.process
        assert child is not None
        try:
            return await trio.to_thread.run_sync(child.wait, PATIENCE)
        except subprocess.TimeoutExpired:
            return None

    async def _play(self, actors: Sequence[Actor], pair: Sequence[Trader], has: Sequence[Estate]) -> None:
        """Both come and trade; whoever is under way when the server dies finds a dead line."""
        with contextlib.suppress(*PARTINGS):
            for actor, one in zip(actors, pair, strict=True):
                await actor.enters(one.account, one.name)
            await self._trade(actors, has)

    @staticmethod
    async def _trade(actors: Sequence[Actor], has: Sequence[Estate]) -> None:
        """One does something, both have heard of it, the next one does something."""
        first, second = actors
        lines = [(first, f"trade {second.name}"), (second, f"trade {first.name}")]
        for actor, estate, gold in zip(actors, has, OFFERED, strict=True):
            (heirloom,) = estate.heirlooms.values()
            lines += [(actor, f"offer {gold}"), (actor, f"offer {heirloom}")]
        for actor, line in [*lines, (first, "agree"), (second, "agree")]:
            await actor.orders(line)
            for one in actors:
                await one.echo(PATIENCE)

    # What is left

    def estate(self, trader: Trader) -> Estate:
        """What somebody has, by what is on disk."""
        with closing(sqlite3.connect(self.path)) as connection:
            rows = {
                serial: rest
                for serial, *rest in connection.execute("SELECT serial, parent, template, amount FROM item")
            }
        heirlooms, gold = {}, 0
        for serial, (parent, template, amount) in rows.items():
            while parent in rows:
                parent = rows[parent][0]
            if parent == trader.serial and template in HEIRLOOMS:
                heirlooms[serial] = template
            elif parent == trader.serial and template == GOLD:
                gold += amount
        return Estate(heirlooms, gold)

    def verdict(
        self, pair: Sequence[Trader], before: Sequence[Estate], point: str, told: Sequence[bool]
    ) -> list[str]:
        """What is wrong with the database, and with what the two have."""
        database = Database(f"sqlite:///{self.path}")
        try:
            found = check_database(database, realms=self.content.charts, templates=self.content.items)
        finally:
            database.close()
        wrong = [f"{fault.kind} {fault.serial:#x}: {fault.detail}" for fault in found]
        has = [self.estate(one) for one in pair]
        (ours, our_gold), (theirs, their_gold) = before
        given, received = OFFERED
        swapped = [Estate(theirs, our_gold - given + received), Estate(ours, their_gold + given - received)]
        if has != (swapped if point in AFTER else list(before)):
            wrong.append(f"they had {before}, and have {has}")
        if any(told) and has != swapped:
            wrong.append("it was told that all of it is done")
        if any(told) != (point == "told"):
            wrong.append(f"who was told: {told}")
        output = self.server.output()
        (self.server.folder / "output.txt").unlink()
        if any(word in output for word in ("ERROR", "Traceback")):
            wrong.append(output[-MOST_TOLD:])
        return wrong
