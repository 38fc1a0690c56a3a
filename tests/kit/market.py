"""Those who buy, sell and bank on a server that is killed again and again, and what has to be true of them.

One of each game, with a merchant and a banker of their own far from everybody else. All that one has, its
gold, its goods and what lies in its vault, is worth the same whatever it does: what it buys is counted at the
price that it paid, and what it sells at the price that it was paid. Gold that left and wares that came are
changes of one moment, and so are what left a pack and what came into a vault. So whatever moment the disk
knows, the sum is right; a ware without its price, or a price without its ware, makes it wrong.

They do one thing after the other, and each waits until it is told that it is done, which the server says when
it is on disk (`world.promises`). So the disk has what was told last, or the one deed after it.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Final

import attrs

from server.store.records import AccountRow
from tests.kit.actor import PATIENCE, TOO_SOON
from tests.kit.besieged import GAMES, Person, embodied
from tests.kit.co_actor import CoActor
from tests.kit.diary import Diary
from tests.kit.games import GAMES as PLAYED
from tests.kit.marketplace import MERCHANT, STALLS
from world.item import Layer
from world.reach import Refusal
from world.snapshot import character_row, item_row

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping
    from pathlib import Path

    from server.store.database import Database
    from tests.kit.actor import Actor
    from tests.kit.besieged import Census
    from world.content import Content
    from world.world import World

PURSE: Final = {"gold": 400, "hide": 40, "feather": 40}
"""What each begins with: gold, and what a merchant buys."""

BUYS: Final = ("bread", "apple", "bandage")
SELLS: Final = ("hide", "feather")

TOLD: Final = {"buy": "You buy ", "sell": "You sell ", "deposit": "You put ", "withdraw": "You take "}
"""How the lines begin that are told when a deed is on disk (`world.shops`, `world.vaults`)."""

_REFUSALS: Final = (TOO_SOON, *(refusal.value for refusal in Refusal))


@attrs.frozen
class Estate:
    """What one has. `pack` and `vault`: kinds and amounts, sorted."""

    pack: tuple[tuple[str, int], ...]
    vault: tuple[tuple[str, int], ...]

    @property
    def all(self) -> Counter[str]:
        """Of both."""
        return Counter(dict(self.pack)) + Counter(dict(self.vault))


def estate(pack: Mapping[str, int], vault: Mapping[str, int]) -> Estate:
    """Of amounts; none of a kind counts as none."""
    both = [tuple(sorted((kind, n) for kind, n in part.items() if n)) for part in (pack, vault)]
    return Estate(*both)


@attrs.frozen
class Deed:
    """One order, and what it makes of an estate."""

    verb: str
    kind: str
    amount: int

    @property
    def line(self) -> str:
        """What a player types."""
        return (
            f"{self.verb} {self.amount}" if self.kind == "gold" else f"{self.verb} {self.kind} {self.amount}"
        )

    def done(self, before: Estate, prices: Mapping[str, int]) -> Estate:
        """What one has then."""
        pack, vault = Counter(dict(before.pack)), Counter(dict(before.vault))
        there = {"buy": 1, "sell": -1, "deposit": -1, "withdraw": 1}[self.verb]
        pack[self.kind] += there * self.amount
        if self.verb in ("buy", "sell"):
            pack["gold"] -= there * self.amount * prices[self.kind]
        else:
            vault[self.kind] -= there * self.amount
        return estate(pack, vault)


class Market:
    """The customers of a siege."""

    def __init__(self, content: Content) -> None:
        shop = content.mobiles[MERCHANT].offers.shop
        assert shop is not None
        self.prices = dict(shop.buys) | {ware.item: ware.price for ware in shop.sells}
        self.realm = content.start_realm
        self.people: list[Person] = []
        self.diaries: dict[int, Diary] = {}
        """What each was told to have, by serial."""
        self.worth: dict[int, int] = {}

    def settle(self, database: Database, world: World, password: str) -> None:
        """Make them, around their place."""
        near = world.realms[self.realm].free_near(*STALLS[MERCHANT], 2)
        places = [place for place in near if place not in STALLS.values()]
        for number, game in enumerate(GAMES):
            account = database.create_account(f"{game}customer", password, 1.0)
            assert isinstance(account, AccountRow)
            name = f"{game.title()}customer"
            mobile, items = embodied(world, account, name, self.realm, places[number], PURSE)
            rows = [item_row(item) for item in items]
            assert database.create_character(character_row(mobile), rows, 3) == character_row(mobile)
            place = Diary(name, mobile.serial, (mobile.x, mobile.y))
            self.people.append(Person(game, account.name, name, mobile.serial, place))

    def begin(self, path: Path) -> None:
        """The first round starts from what is on disk."""
        for person in self.people:
            found = self.look(path, person.serial)
            self.diaries[person.serial] = Diary(f"what {person.name} has", person.serial, found)
            self.worth[person.serial] = self.value(found)

    def value(self, has: Estate) -> int:
        """What all of that is worth."""
        return sum(amount * self.prices.get(kind, kind == "gold") for kind, amount in has.all.items())

    def look(self, path: Path, serial: int) -> Estate:
        """What the disk says that one has: gold, and what is bought and sold."""
        counted = {"gold", *BUYS, *SELLS}
        with closing(sqlite3.connect(path)) as connection:
            rows = {
                number: rest
                for number, *rest in connection.execute(
                    "SELECT serial, parent, layer, template, amount FROM item"
                )
            }
        has: tuple[Counter[str], Counter[str]] = Counter(), Counter()
        for number, (_, _, template, amount) in rows.items():
            at, kept = number, False
            while at in rows:
                kept = kept or rows[at][1] == Layer.BANK
                at = rows[at][0]
            if at == serial and template in counted:
                has[kept][template] += amount
        return estate(*has)

    def verdict(self, path: Path, total: Census) -> list[str]:
        """Everything that does not belong together of what they have, and all that they were told and have
        not; what has changed hands is added to what there has to be."""
        wrong = []
        for person in self.people:
            diary, found = self.diaries[person.serial], self.look(path, person.serial)
            if not diary.allows(found):
                wrong.append(f"{person.name} has {found}, was promised {diary}")
            if self.value(found) != self.worth[person.serial]:
                worth = self.worth[person.serial]
                wrong.append(f"all that {person.name} has is worth {self.value(found)} gold and not {worth}")
            total.subtract(self._first(diary).all)
            total.update(found.all)
            diary.begin_again(found)
        with closing(sqlite3.connect(path)) as connection:
            query = "SELECT count(*) FROM item WHERE layer = ?"
            (total["bank_box"],) = connection.execute(query, (Layer.BANK,)).fetchone()
        return wrong

    @staticmethod
    def _first(diary: Diary) -> Estate:
        first = diary.entries[0]
        assert isinstance(first, Estate)
        return first

    def wish(self, has: Estate, dice: random.Random) -> Deed:
        """Something that one can afford."""
        pack, vault = Counter(dict(has.pack)), Counter(dict(has.vault))
        verb = dice.choice(list(TOLD))
        amount = dice.randint(1, 3)
        kind = dice.choice({"buy": BUYS, "sell": SELLS}.get(verb, ("gold", "gold", *BUYS)))
        there = {"deposit": pack, "withdraw": vault, "sell": pack}.get(verb)
        if there is not None and there[kind] < amount:
            return Deed("deposit", "gold", amount)
        return Deed(verb, kind, amount)

    async def deal(self, actor: Actor, person: Person, dice: random.Random) -> str:
        """Do one thing and wait until it was told or refused; the verb, or "refused". Empty if the connection
        ends before: what it was at stays the diary's `pending`. Raises AssertionError without an answer."""
        diary = self.diaries[person.serial]
        has = diary.entries[-1]
        assert isinstance(has, Estate)
        deed = self.wish(has, dice)
        diary.pending = deed.done(has, self.prices)
        before = self._told(actor, deed)
        refused = self._refused(actor)
        await actor.orders(deed.line)
        answered = await actor.until(
            lambda: self._told(actor, deed) > before or self._refused(actor) > refused, PATIENCE
        )
        if not answered:
            assert not actor.online, f"{person.name} heard nothing of {deed.line!r}"
            return ""
        if self._told(actor, deed) == before:
            diary.pending = None
            return "refused"
        diary.note(diary.pending)
        diary.promised(diary.mark())
        return deed.verb

    @staticmethod
    def _told(actor: Actor, deed: Deed) -> int:
        return sum(line.startswith(TOLD[deed.verb]) for line in told_to(actor))

    @staticmethod
    def _refused(actor: Actor) -> int:
        return sum(any(words in line for words in _REFUSALS) for line in told_to(actor))


def told_to(actor: Actor) -> list[str]:
    """All that it was told. Conquer Online's screen keeps the server's own lines apart."""
    more = actor.client.screen.notices if isinstance(actor, CoActor) else []
    return [*PLAYED[actor.game].heard(actor.player), *more]


def write_estate(path: Path, has: Estate) -> None:
    """A disk that knows nothing but what one character, of serial 1, has."""
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE item (serial, parent, layer, template, amount)")
        holders = [(10, 1, int(Layer.BACKPACK), "backpack", 1), (11, 1, int(Layer.BANK), "bank_box", 1)]
        inside = [(10, *one) for one in has.pack] + [(11, *one) for one in has.vault]
        rows = [(number, parent, 0, kind, n) for number, (parent, kind, n) in enumerate(inside, 20)]
        connection.executemany("INSERT INTO item VALUES (?, ?, ?, ?, ?)", holders + rows)
        connection.commit()
