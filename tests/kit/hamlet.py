"""A small world with its store, whose process can be killed at any moment: for machines that ask whether
anything is doubled or lost.

    hamlet = Hamlet(Ground(("Anna", "Bert"), {"gold": 100}))
    hamlet.comes("Anna")
    ...                        # any rules of the world
    hamlet.turn(0.1)           # timers; what has changed is offered to the store
    hamlet.writes()            # it gets to disk
    hamlet.kill()              # and only that is left

The parts are the server's own: the store behind the world (`server.store.writer`), the way in and out
(`server.people.characters`), what a start finds. There is no clock, no task and no client. `living` is who
has what according to memory, with those who are away; `stored` is the same according to the disk. `made` is
what there has to be, of which whoever makes or uses up something is to tell (`noted`).
"""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, TypeVar, cast

import attrs
import trio

from protocol.services import AccountInfo
from protocol.session import Session
from server.people.characters import CharacterService
from server.settings.config import Limits
from server.store.check import check_database
from server.store.database import Database
from server.store.writer import Storage
from tests.kit import audits, stored
from tests.kit.besieged import fill
from tests.kit.disk import Disk
from tests.kit.toys import brook
from tests.kit.worlds import plain_content
from world import newcomers
from world.content import Creature, ItemTemplate, Loot, MobileTemplate, Resident
from world.item import KEPT, Item, Layer
from world.mobile import Mobile
from world.serials import Serials
from world.snapshot import CharacterRow, character_row, item_row
from world.world import World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from protocol.endings import Ending
    from protocol.family import Codec
    from protocol.services import Services
    from server.turn.loop import Loop
    from world.content import Content
    from world.thing import Surroundings

T = TypeVar("T")

EPOCH: Final = 1_700_000_000.0
BANKER: Final = "banker"
WOLF: Final = "wolf"
BY_ITSELF: Final = frozenset({"corpse", "bank_box"})
"""Kinds that deaths make, and whoever needs a box: nobody counts them."""


class Held(NamedTuple):
    """What an item is, and who has it: the serial of a character or of a record's box; 0 is the ground."""

    kind: str
    amount: int
    owner: int


Holdings: TypeAlias = Mapping[int, Held]
"""By the serials of items."""


def amounts(holdings: Holdings) -> Counter[str]:
    """The sum of each kind."""
    found: Counter[str] = Counter()
    for held in holdings.values():
        if held.kind not in BY_ITSELF:
            found[held.kind] += held.amount
    return found


def content() -> Content:
    """The plain with a banker, and wolves that leave something; what the dead carried is in their corpses."""
    plain = plain_content(width=24, height=24, residents=(Resident(BANKER, 11, 10, wander=0),))
    loot = (Loot("gold", 20, 40), Loot("bread", 1, 2, 0.5), Loot("shirt", 1, 1, 0.3))
    fights = Creature(level=1, hits=20, armour=0, skill=20.0, least=1, most=1, loot=loot)
    corpse = ItemTemplate("corpse", "corpse", container=True, movable=False)
    return attrs.evolve(
        plain,
        items={**plain.items, "corpse": corpse},
        mobiles={
            **plain.mobiles,
            WOLF: MobileTemplate(WOLF, "a wolf", hits=20, creature=True, fights=fights),
        },
    )


CONTENT: Final = content()


@attrs.define
class _Inputs:
    """The server's loop as far as characters need one: every input is one of this very moment."""

    world: World
    sessions: dict[int, Session] = attrs.field(factory=dict)

    async def in_world(self, session: Session | None, run: Callable[[World], T], *, join: bool = False) -> T:
        """Run it."""
        return run(self.world)


class Ground:
    """A database in which players are that have never been in the world. It is used for one hamlet after the
    other: to make one costs more than a life in it."""

    def __init__(self, names: Sequence[str], carried: Mapping[str, int]) -> None:
        """Each of these has a character with a newcomer's belongings and that in its pack."""
        self.database = Database("sqlite://")
        self.accounts: dict[str, AccountInfo] = {}
        self.serials: dict[str, int] = {}
        world = _new_world(self.database, 0.0)
        for name in names:
            self._create(world, name, carried)
        self._untouched = sqlite3.connect(":memory:")
        self._raw.backup(self._untouched)

    @property
    def _raw(self) -> sqlite3.Connection:
        raw = self.database._connection.connection.driver_connection
        assert isinstance(raw, sqlite3.Connection)
        return raw

    def clear(self) -> None:
        """Forget all that has happened."""
        self._untouched.backup(self._raw)

    def close(self) -> None:
        """There is no further one."""
        self._untouched.close()
        self.database.close()

    def _create(self, world: World, name: str, carried: Mapping[str, int]) -> None:
        account = stored.an_account(self.database, f"{name.lower()}s")
        mobile = Mobile(
            world.serials.mobile(),
            world,
            name,
            template=world.content.mobiles["player"],
            account=account.id,
            short_name=name,
            realm=world.realms["plain"],
            x=10,
            y=9,
        )
        mobile.endow()
        mobile.strength = 3_000
        newcomers.outfit(mobile)
        fill(mobile.worn[Layer.BACKPACK], carried)
        rows = [item_row(item) for item in newcomers.all_items(mobile)]
        made = self.database.create_character(character_row(mobile), rows, 7)
        assert isinstance(made, CharacterRow)
        self.accounts[name] = AccountInfo(account.id, account.name)
        self.serials[name] = mobile.serial


class Hamlet:
    """A few players and their world. `made` may be changed by whoever makes something."""

    world: World
    storage: Storage
    people: CharacterService

    def __init__(self, ground: Ground) -> None:
        """On that ground, as it was first; nobody is there yet."""
        ground.clear()
        self.now = 0.0
        self.database = ground.database
        self.accounts, self.serials = ground.accounts, ground.serials
        self.disk = Disk()
        self.sessions: dict[str, Session] = {}
        self.away: dict[int, Holdings] = {}
        """What those have who are not in the world, by their serials."""
        self._sessions = 0
        self._handed: tuple[Holdings, Counter[str]] | None = None
        """What is on its way to disk: how it was, and what there had to be, at the end of that turn."""
        self._kept = amounts(self.stored())
        """What there has to be on disk."""
        self.made: Counter[str] = Counter()
        self.kill()

    # The process

    def _begin(self) -> None:
        self.world = stored.settled(_new_world(self.database, self.now), self.database)
        self.world.take_changes()
        self.sessions.clear()
        self.storage = Storage(
            self.database,
            self.disk,
            wake=lambda: None,
            flush_seconds=lambda: 0.0,
            max_pending_rows=lambda: 1_000_000,
            max_lag_seconds=lambda: 1e9,
            clock=lambda: self.now,
            wall=lambda: EPOCH + self.now,
        )
        self.storage.due_at(self.world)
        release = self.storage.release

        def released(world: World, mobile: Mobile) -> None:
            self.away[mobile.serial] = self._holdings_of(mobile)
            release(world, mobile)

        self.storage.release = released  # type: ignore[method-assign] # to know what they leave with
        self.people = CharacterService(
            self.storage,
            cast("Loop", _Inputs(self.world)),
            limit=lambda: 7,
            limits=Limits,
            wall=lambda: EPOCH + self.now,
        )

    def turn(self, seconds: float) -> None:
        """Time passes, and a turn ends."""
        self.now += seconds
        world = self.world
        world.begin(self.now)
        world.run_timers()
        world.take_changes()
        world.promises.clear()
        before = self.storage._handed
        self.storage.offer(world, self.now)
        if self.storage._handed is not before:
            self._handed = self.living(), Counter(self.made)

    def writes(self, *, fails: bool = False) -> None:
        """What is on its way gets to disk, or does not."""
        if self._handed is None:
            return
        self.disk.broken = fails
        trio.run(self.storage._write_handed)
        (holdings, made), self._handed = self._handed, None
        if not fails:
            self._kept = made
            found = self.stored()
            assert found == holdings, _differences(found, holdings)
            assert amounts(found) == +made

    def flush(self) -> None:
        """Everything gets to disk."""
        self.writes()
        self.turn(60)  # after failures it tries again in its own time
        while self._handed is not None:
            self.writes()
            self.turn(0.0)

    def kill(self) -> None:
        """The process is gone, and another one starts over what it left."""
        self._handed = None
        self.made = Counter(self._kept)
        on_disk = self.stored()
        self._begin()
        self.away = {
            serial: {number: held for number, held in on_disk.items() if held.owner == serial}
            for serial in self.serials.values()
        }
        assert self.living() == on_disk, _differences(self.living(), on_disk)

    def end(self) -> None:
        """Let all get to disk, and look at everything once more."""
        self.flush()
        assert self.faults() == []
        self.kill()
        assert self.faults() == []
        findings = check_database(self.database, realms=CONTENT.charts, templates=CONTENT.items)
        assert findings == []

    def noted(self, _: Surroundings, kind: str, amount: int) -> None:
        """So many more of a kind there have to be from now on, or fewer."""
        self.made[kind] += amount

    # People

    def mobile(self, name: str) -> Mobile | None:
        """Somebody's character, if it is in the world."""
        return self.world.mobiles.get(self.serials[name])

    @property
    def banker(self) -> Mobile:
        """The one there is."""
        return next(one for one in self.world.mobiles.values() if one.template.key == BANKER)

    def comes(self, name: str) -> Mobile:
        """Somebody logs in, or takes over what it plays already."""
        serial = self.serials[name]
        if serial in self.storage._leaving:
            self.flush()
        self._sessions += 1
        session = Session(
            number=self._sessions,
            family=brook(),
            door="game",
            peer="",
            local="",
            codec=cast("Codec", None),
            services=cast("Services", None),
        )
        session.account, session.claimed = self.accounts[name], True
        trio.run(partial(self.people.enter, session, serial, lambda mobile: None))
        self.sessions[name] = session
        mobile = self.mobile(name)
        assert mobile is not None
        left_with = self.away.pop(serial, None)
        if left_with is not None:
            assert self._holdings_of(mobile) == left_with
        return mobile

    def goes(self, name: str, ending: Ending) -> None:
        """Somebody's client is gone."""
        session = self.sessions.pop(name, None)
        if session is not None:
            self.people.left(self.world, session, ending)

    # Who has what

    def faults(self) -> list[str]:
        """All that is wrong with this moment."""
        faults = audits.holder_faults(self.world)
        faults += audits.census_faults(amounts(self.living()), +self.made)
        return faults

    def living(self) -> Holdings:
        """Who has what, by what the server knows."""
        found = {item.serial: _held(item) for item in self.world.items.values() if item.stored}
        for serial, holdings in self.away.items():
            assert serial not in self.world.mobiles
            twice = found.keys() & holdings.keys()
            assert not twice, f"{twice} are in two places"
            found.update(holdings)
        return found

    def stored(self) -> Holdings:
        """Who has what, by what is on disk."""
        with self.database.read() as connection:
            query = "SELECT serial, parent, layer, realm, template, amount FROM item"
            rows = {row[0]: row for row in connection.exec_driver_sql(query)}
        return {serial: Held(row[4], row[5], _owner(serial, rows)) for serial, row in rows.items()}

    @staticmethod
    def _holdings_of(mobile: Mobile) -> Holdings:
        return {item.serial: _held(item) for item in newcomers.kept_items(mobile)}


def _new_world(database: Database, now: float) -> World:
    reserved = database.reserve_serials()
    marks = reserved.mobile_first, reserved.item_first, reserved.mobile_mark, reserved.item_mark
    world = World(CONTENT, Serials(*marks), chance=random.Random(now), now=now)
    world.epoch = EPOCH
    return world


def _held(item: Item) -> Held:
    root = item.root
    if isinstance(root, Mobile):
        owner = root.serial
    elif root.keeper:
        owner = root.serial if root.keeper == KEPT else root.keeper
    else:
        owner = 0
    return Held(item.template.key, item.amount, owner)


def _owner(serial: int, rows: Mapping[int, Sequence[object]]) -> int:
    while (parent := rows[serial][1]) in rows:
        serial = cast("int", parent)
    _, parent, layer, *_ = rows[serial]
    if parent is not None:
        return cast("int", parent)
    return serial if layer == Layer.BANK else 0


def _differences(found: Holdings, wanted: Holdings) -> str:
    lines: Iterable[str] = (
        f"{serial:#x} is {found.get(serial)} and not {wanted.get(serial)}"
        for serial in sorted(found.keys() | wanted.keys())
        if found.get(serial) != wanted.get(serial)
    )
    return "; ".join(lines)
