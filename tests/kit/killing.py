"""A server that is killed again and again while people play, and the questions asked of what it left.

    siege = Siege(tmp_path, seed=1)
    for number in range(10):
        assert await siege.round(number) == []

Of forty-eight people (eight of each game) about half come to a round, drawn by its dice. They walk, talk,
carry things about, hand them to one another, log out and in; others hunt (`tests.kit.hunting`) or trade and
bank (`tests.kit.market`). At a random moment the server process gets SIGKILL. Then its database has to be
sound, all things that were made are there exactly once, and whatever the server had said to be durable is
true, of those who stayed away, too. The next round begins with what this one left.

What people do is chosen by seeded dice, and the moment too; how far the server has come by then is the
machine's business, so a failing seed fails often rather than always. `Siege.keep` tells where the database of
a failing round is.
"""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from math import floor
from typing import TYPE_CHECKING

import argon2
import trio

from server.operate import admin
from server.store.check import check_database
from server.store.database import Database
from server.store.migrate import upgrade
from server.store.records import AccountRow, Batch
from tests.kit.actor import PATIENCE, Actor
from tests.kit.actors import make_actor
from tests.kit.besieged import (
    BAGGED,
    COMMIT_SECONDS,
    CONFIG,
    FLUSHES,
    GAMES,
    HEIRLOOM,
    KIT,
    LONGEST_ARRIVAL,
    MOST_TOLD,
    PARTINGS,
    PER_GAME,
    PRESENT,
    STREWN,
    Couple,
    Newcomer,
    Person,
    census,
    characters,
    embodied,
    fill,
    hang_up,
    newcomers_kit,
    whereabouts,
)
from tests.kit.deeds import ACTS, DEEDS
from tests.kit.diary import Diary
from tests.kit.hunting import Hunt, hunts
from tests.kit.market import Market
from tests.kit.marketplace import MarketProcess
from tests.kit.players import PASSWORD
from tests.kit.sockets import Ports
from tests.kit.town import shipped_content
from world import holding, newcomers
from world.item import Item, Layer
from world.serials import FIRST_ITEM, Serials
from world.snapshot import character_row, item_row
from world.world import World

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path


class Siege:
    """A world that outlives its server. `people` were made before the first round."""

    def __init__(self, folder: Path, seed: int, *, per_game: int = PER_GAME) -> None:
        self.folder = folder
        self.seed = seed
        self.dice = random.Random(seed)
        self.server = MarketProcess(folder, CONFIG.format(flush=0.0))
        self.path = self.server.state / "causeway.db"
        self.content = shipped_content()
        self.people: list[Person] = []
        self.couples: list[Couple] = []
        self.newcomers: list[Newcomer] = []
        self.hunt = Hunt(self.content)
        self.market = Market(self.content)
        self.told: list[tuple[str, int]] = []
        """Announcements that were promised to be in the audit, each with a tick that was over by then."""
        self.deeds: Counter[str] = Counter()
        """What people have done, and how many things were elsewhere after a round, so that a test can see
        that the rounds were worth their while."""
        self._dying = False
        self._thrown_out: list[str] = []
        """What ended the play of those who left before the server did."""
        self._inside: set[int] = set()
        self._expected = 0
        """How many come to this round."""
        self._all_inside = trio.Event()
        self._saving = trio.Event()
        """Set, and replaced, when the server is asked to write."""
        self._settle(per_game)
        self.total = census(self.path, self.content)
        self.hunt.bag = self.hunt.look(self.path)
        self.market.begin(self.path)
        self.where = whereabouts(self.path)
        self.known = characters(self.path)

    # Before the first round

    def _settle(self, per_game: int) -> None:
        self.server.state.mkdir()
        upgrade(f"sqlite:///{self.path}", self.folder / "backups")
        database = Database(f"sqlite:///{self.path}")
        reserved = database.reserve_serials(items=5000)
        world = World(
            self.content,
            Serials(reserved.mobile_first, reserved.item_first, reserved.mobile_mark, reserved.item_mark),
            chance=random.Random(self.seed),
        )
        heirlooms: list[Item] = []
        realm, x, y = newcomers.spawn_place(world)
        places = list(realm.free_near(x, y, 3))
        # One hash for all: making them is most of the work otherwise.
        password = argon2.PasswordHasher(1, 16 * 1024, 1).hash(PASSWORD)
        for number in range(per_game):
            for game in GAMES:
                account = database.create_account(f"{game}player{number}", password, 1.0)
                assert isinstance(account, AccountRow)
                name = f"{game.title()}person{'abcdefghkmnoprstuvxz'[number]}"
                place = places[len(self.people) % len(places)]
                mobile, _ = embodied(world, account, name, realm.name, place, KIT)
                pack = mobile.worn[Layer.BACKPACK]
                fill(next(item for item in pack.contents.values() if item.template.key == "bag"), BAGGED)
                if game == "uo" and number in (0, 2, 4):
                    fill(pack, {HEIRLOOM: 1})
                made = database.create_character(
                    character_row(mobile), [item_row(item) for item in newcomers.all_items(mobile)], 3
                )
                assert made == character_row(mobile)
                diary = Diary(name, mobile.serial, place)
                self.people.append(Person(game, account.name, name, mobile.serial, diary))
                heirlooms += [item for item in pack.contents.values() if item.template.key == HEIRLOOM]
        self.hunt.settle(database, world, password, realm, x, y)
        self.market.settle(database, world, password)
        strewn = [
            holding.make(world, template, amount=amount)
            for _ in places[::5]
            for template, amount in STREWN.items()
        ]
        for number, item in enumerate(strewn):
            world.enter(item, realm, *places[5 * (number // len(STREWN))])
        database.commit_batch(Batch(1, 1.0, (), [item_row(item) for item in strewn], (), None, ()))
        database.mark_clean()
        database.close()
        couples = [person for person in self.people if person.game == "uo"]
        for number, item in enumerate(heirlooms):
            diary = Diary(f"heirloom {number}", item.serial, item.root.serial)
            self.couples.append(Couple(couples[2 * number], couples[2 * number + 1], diary))

    # One round

    async def round(self, number: int) -> list[str]:
        """Start the server, play, kill it at some moment; what is wrong with what it left."""
        self._configure(self.dice.choice(FLUSHES))
        # A quarter of the rounds ends while people are still on their way in.
        early = number % 4 == 3
        seconds = self.dice.uniform(0.1, 0.8) if early else self.dice.uniform(0.2, 1.2)
        # Every other one while something is being written for sure.
        at_a_commit = number % 2 == 0
        self._dying = False
        self._thrown_out.clear()
        self.told.clear()
        self.newcomers.clear()
        await trio.to_thread.run_sync(self.server.start)
        for line in self.hunt.orders():
            await trio.to_thread.run_sync(admin.ask, self.server.state, line)
        async with trio.open_nursery() as nursery:
            ports = Ports(nursery, self.server.addresses())
            try:
                self._play(ports, nursery, number)
                if not early:
                    with trio.move_on_after(LONGEST_ARRIVAL):
                        await self._all_inside.wait()
                await trio.sleep(seconds)
                if at_a_commit:
                    with trio.move_on_after(LONGEST_ARRIVAL):
                        await self._saving.wait()
                    await trio.sleep(self.dice.uniform(0, COMMIT_SECONDS))
                # From here on nobody hears of anything that is not yet on its way.
                self._dying = True
                await trio.to_thread.run_sync(self.server.kill)
            finally:
                nursery.cancel_scope.cancel()
                ports.hang_up()
                self.server.close()
        return self.verdict()

    def _configure(self, flush: float) -> None:
        text = self.server.config.read_text()
        self.server.config.write_text(re.sub(r"flush_seconds = .*", f"flush_seconds = {flush}", text))

    def keep(self, folder: Path) -> Path:
        """Copy the database as it is now."""
        return shutil.copytree(self.server.state, folder / f"left-by-seed-{self.seed}")

    def _play(self, ports: Ports, nursery: trio.Nursery, number: int) -> None:
        self._inside, self._all_inside = set(), trio.Event()
        couples, singles = self._company()
        self._expected = 2 * len(couples) + len(singles) + len(self.hunt.people) + len(self.market.people)
        for person in self.hunt.people:
            chase = self._chase(ports, person, random.Random(self.dice.random()))
            nursery.start_soon(self._until_the_end, chase)
        for person in self.market.people:
            deals = self._trade(ports, person, random.Random(self.dice.random()))
            nursery.start_soon(self._until_the_end, deals)
        for couple in couples:
            nursery.start_soon(
                self._until_the_end, self._marriage(ports, couple, random.Random(self.dice.random()))
            )
        for person in singles:
            life = self._life(ports, person, random.Random(self.dice.random()))
            nursery.start_soon(self._until_the_end, life)
        nursery.start_soon(self._until_the_end, self._arrival(ports, number))
        nursery.start_soon(self._until_the_end, self._notary(number))

    def _company(self) -> tuple[list[Couple], list[Person]]:
        """Who comes to this round: all couples but one, and some of the others of each game."""
        couples = self.dice.sample(self.couples, max(1, len(self.couples) - 1))
        wed = {person.serial for couple in self.couples for person in (couple.first, couple.second)}
        singles: list[Person] = []
        for game in GAMES:
            here = [person for person in self.people if person.game == game and person.serial not in wed]
            singles += self.dice.sample(here, min(len(here), self.dice.randint(*PRESENT)))
        return couples, singles

    async def _until_the_end(self, life: Callable[[], Awaitable[None]]) -> None:
        """Whoever is under way when the server dies finds a dead line; nobody should before."""
        why = "was thrown out"
        try:
            await life()
        except PARTINGS as error:
            why = str(error)
        if not self._dying:
            self._thrown_out.append(why)

    # What people do

    def _life(self, ports: Ports, person: Person, dice: random.Random) -> Callable[[], Awaitable[None]]:
        async def live() -> None:
            actor = make_actor(person.game, ports)
            await self._enter(actor, person)
            while actor.online:
                await self._do_something(actor, person, dice)

        return live

    def _chase(self, ports: Ports, person: Person, dice: random.Random) -> Callable[[], Awaitable[None]]:
        async def chase() -> None:
            actor = make_actor(person.game, ports)
            await self._enter(actor, person)
            while actor.online:
                self.deeds[f"{person.game} hunt"] += await hunts(actor, dice)

        return chase

    def _trade(self, ports: Ports, person: Person, dice: random.Random) -> Callable[[], Awaitable[None]]:
        async def trade() -> None:
            actor = make_actor(person.game, ports)
            await self._enter(actor, person)
            while actor.online and (verb := await self.market.deal(actor, person, dice)):
                self.deeds[f"{person.game} {verb}"] += 1

        return trade

    async def _enter(self, actor: Actor, person: Person) -> None:
        """Raises CannotEnter."""
        await actor.enters(person.account, person.name)
        self.deeds["enter"] += 1
        self._inside.add(person.serial)
        if len(self._inside) == self._expected:
            self._all_inside.set()
        self._note_place(actor, person)

    def _note_place(self, actor: Actor, person: Person) -> None:
        if actor.online:
            person.walks_up = False
            person.place.note(self._tile_of(actor, person))

    def _tile_of(self, actor: Actor, person: Person) -> tuple[int, int]:
        """Where it believes to stand."""
        row = self.content.charts[self.content.start_realm].atlas.get(person.game, {})
        x, y = (floor(float(str(row.get(axis, 0)))) for axis in actor.axes)
        place = actor.place()
        return (place.x - x) // actor.unit, (place.y - y) // actor.unit

    async def _do_something(self, actor: Actor, person: Person, dice: random.Random) -> None:
        verb = dice.choices(list(DEEDS), list(DEEDS.values()))[0]
        if verb in ("relog", "vanish"):
            # What is left is written with who leaves: half of them give something away just before.
            if "give" in actor.can and dice.random() < 0.5 and await ACTS["give"](actor, dice):
                self.deeds[f"{person.game} give and go"] += 1
            await (actor.logs_out() if verb == "relog" else hang_up(actor))
            await self._enter(actor, person)
        elif verb not in actor.can:
            return
        else:
            person.sets_out(verb)
            if not await ACTS[verb](actor, dice):
                return
            await self._hear(actor, person, stepped=verb == "step")
        self.deeds[f"{person.game} {verb}"] += 1

    async def _hear(self, actor: Actor, person: Person, *, stepped: bool) -> None:
        """What came of it, and where somebody stands now, if that is known for certain.

        A client of Ultima Online or Conquer Online, or in a browser, believes to stand where the server has
        let it go. The others go ahead: one of EverQuest II or Lineage II asks until it is followed (or put
        back), one of Endless Online hears only what was refused. While one of Lineage II draws its step
        nothing is certain: both may still have it on the tile that it leaves.
        """
        settled = await actor.echo() and not person.walks_up
        if person.game in ("uo", "co", "web"):
            if settled and await actor.until(lambda: not actor.in_flight()):
                self._note_place(actor, person)
        elif person.game in ("eq2", "l2") and stepped:
            with trio.move_on_after(PATIENCE) as patience:
                while (stands := await actor.stands()) is not None:
                    drawn = person.game == "l2" and actor.in_flight()
                    if stands == self._tile_of(actor, person) and not drawn:
                        person.place.note(stands)
                        return
            if patience.cancelled_caught:
                self._thrown_out.append(f"{person.name} was not followed to {actor.place()}: {person.place}")

    def _marriage(self, ports: Ports, couple: Couple, dice: random.Random) -> Callable[[], Awaitable[None]]:
        """Hand the heirloom over, and log out right behind it: whoever gave it away is written at once."""

        async def live() -> None:
            actors = {}
            for person in (couple.first, couple.second):
                actors[person.serial] = make_actor(person.game, ports)
                await self._enter(actors[person.serial], person)
            diary = couple.heirloom
            while all(actor.online for actor in actors.values()):
                giver = couple.first if diary.entries[-1] == couple.first.serial else couple.second
                taker = couple.second if giver is couple.first else couple.first
                diary.pending = taker.serial
                await actors[giver.serial].give(diary.serial, taker.serial)
                if not await actors[giver.serial].echo() or not await actors[taker.serial].echo():
                    return
                if diary.serial in actors[taker.serial].carries():
                    diary.note(taker.serial)
                    self.deeds["hand over"] += 1
                else:
                    diary.pending = None
                if dice.random() < 0.5:
                    await self._give_and_leave(actors[giver.serial], giver, taker, dice)

        return live

    async def _give_and_leave(self, actor: Actor, giver: Person, taker: Person, dice: random.Random) -> None:
        """R-65, the depot trick (opentibiabr/canary, issue 468): give part of a stack away and log out. What
        stays behind is written with who leaves, and must not get to disk without what was given."""
        stacks = {handle: owned.amount for handle, owned in actor.carries().items() if owned.amount > 1}
        if stacks:
            handle = dice.choice(list(stacks))
            await actor.give(handle, taker.serial, dice.randint(1, stacks[handle] - 1))
        await actor.logs_out()
        self.deeds["hand over and log out"] += 1
        await self._enter(actor, giver)

    def _arrival(self, ports: Ports, number: int) -> Callable[[], Awaitable[None]]:
        """Somebody new in every round; the game tells only when the character is durable."""

        async def arrive() -> None:
            game = GAMES[(number + self.seed) % len(GAMES)]
            actor = make_actor(game, ports)
            word = "".join("abcdefghkm"[int(digit)] for digit in str(number))
            await actor.enters(f"newcomer{number}", f"Newc{word}")
            self.newcomers.append(Newcomer(f"Newc{word}"))
            self.deeds["arrive"] += 1
            dice = random.Random(number)
            while actor.online:
                verb = dice.choice(["drop", "take", "take_off", "step"])
                await ACTS[verb](actor, dice)
                await actor.echo()

        return arrive

    def _notary(self, number: int) -> Callable[[], Awaitable[None]]:
        """Ask over and over until when everything is on disk."""

        async def attest() -> None:
            async def ask(command: str) -> str:
                answer = await trio.to_thread.run_sync(
                    admin.ask, self.server.state, command, abandon_on_cancel=True
                )
                return " ".join(answer.lines)

            diaries = [person.place for person in self.people] + [couple.heirloom for couple in self.couples]
            for count in range(1_000_000):
                found = re.search(r"tick (\d+)", await ask("status"))
                tick = int(found[1]) if found else 0
                text = f"claim {number} {count}"
                await ask(f"broadcast {text}")
                marks = [diary.mark() for diary in diaries]
                self._saving.set()
                self._saving = trio.Event()
                if "everything is on disk" not in await ask("save"):
                    continue  # the server was too busy to promise anything
                for diary, mark in zip(diaries, marks, strict=True):
                    diary.promised(mark)
                self.told.append((text, tick))
                self.deeds["promise"] += 1

        return attest

    # What is left

    def verdict(self) -> list[str]:
        """Everything that is wrong with the database; also takes it as the beginning of the next round."""
        database = Database(f"sqlite:///{self.path}")
        try:
            found = check_database(database, realms=self.content.charts, templates=self.content.items)
            wrong = [f"{fault.kind} {fault.serial:#x}: {fault.detail}" for fault in found]
            tick = database.meta().tick
        finally:
            database.close()
        return [*wrong, *self._amounts(), *self._promises(tick), *self._complaints()]

    def _amounts(self) -> Sequence[str]:
        found = characters(self.path)
        for name in found.keys() - self.known.keys():
            self.total += newcomers_kit(self.content, female=found[name])
        lost = self.known.keys() - found.keys()
        self.known = found
        now = census(self.path, self.content)
        traded = self.market.verdict(self.path, self.total)
        killed = self.hunt.bag.kills
        hunted = self.hunt.verdict(self.path, self.total, now)
        self.deeds["kill"] += self.hunt.bag.kills - killed
        wrong = traded + hunted + [f"the character {name} is gone" for name in sorted(lost)]
        wrong += [
            f"there were {self.total[template]} {template}, now there are {now[template]}"
            for template in sorted(self.total.keys() | now.keys())
            if self.total[template] != now[template]
        ]
        self.total = now
        where = whereabouts(self.path)
        self.deeds["moved"] += sum(self.where.get(serial) != place for serial, place in where.items())
        self.where = where
        return wrong

    def _promises(self, tick: int) -> Sequence[str]:
        wrong = []
        with closing(sqlite3.connect(self.path)) as connection:
            places = {
                serial: (x, y) for serial, x, y in connection.execute("SELECT serial, x, y FROM character")
            }
            parents = dict(connection.execute("SELECT serial, parent FROM item"))
            announced = " ".join(detail for (detail,) in connection.execute("SELECT detail FROM audit"))
        for person in self.people:
            diary, found = person.place, places.get(person.serial)
            if not diary.allows(found):
                wrong.append(f"{diary.whose} stands at {found}, was promised {diary}")
            diary.begin_again(found)
        for couple in self.couples:
            diary = couple.heirloom
            at: int | None = diary.serial
            while at is not None and at >= FIRST_ITEM:
                at = parents.get(at)
            if not diary.allows(at):
                wrong.append(f"{diary.whose} is with {at}, was promised {diary}")
            diary.begin_again(at)
        missing = [newcomer.name for newcomer in self.newcomers if newcomer.name not in self.known]
        wrong += [f"{name} was promised and is not there" for name in missing]
        for text, over in self.told:
            if f"'{text}'" not in announced:
                wrong.append(f"the announcement {text!r} was promised and is not in the audit")
            if over > tick:
                wrong.append(f"tick {over} was promised, the database is at {tick}")
        return wrong

    def _complaints(self) -> Sequence[str]:
        """Errors that the server itself has noticed, or people who were thrown out."""
        output = self.server.output()
        (self.server.folder / "output.txt").unlink()
        noticed = any(word in output for word in ("ERROR", "Traceback"))
        return [*([output[-MOST_TOLD:]] if noticed else []), *self._thrown_out]
