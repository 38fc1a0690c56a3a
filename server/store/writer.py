"""Write-behind: how the world gets to disk without ever waiting for it.

The world collects changed things in a dirty map. At the end of a turn, when a flush is due and the last one
has ended, `offer` swaps that map for an empty one, turns the things into rows and leaves them to the storage
task. A slow disk only makes the map coalesce for longer; a failed commit goes back under whatever changed
since, and is tried again. A batch always holds whole ticks, in one transaction, so the database is the world
at the end of some tick, never a mixture; and it is at most `flush_seconds` behind, unless the disk itself
fails.

What was not done: to write each change at once (a turn would wait for the disk), to write a log of
changes and replay it (every change would need a form that an old log can be read in), and to write each
object when it seems worth it (a trade could be on disk by halves).
"""

from __future__ import annotations

import logging
import time
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import attrs
import trio

from server.counters import COMMIT_BOUNDS, Histogram
from server.store.database import Database
from server.store.errors import DatabaseGivenUp, DatabaseReplaced, WorldLost
from server.store.health import Health
from server.store.lookups import Lookups
from server.store.pending import Pending
from server.store.records import AuditRow, Refusal, TransferRow, Wish
from server.store.text import storable
from world.deliveries import boxed_items
from world.newcomers import kept_items

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from server.store.records import Batch, NoteRow, ParcelRow, Reservation
    from server.store.runner import Runner
    from world.mobile import Mobile
    from world.snapshot import CharacterRow, ItemRow
    from world.thing import Thing
    from world.world import World

T = TypeVar("T")
log = logging.getLogger("server.store")

CROWDED: Final = 20_000
"""With more dirty rows than this a flush is due at once, so that no single one holds up a turn."""
SHORTEST_PAUSE: Final = 0.1
LONGEST_PAUSE: Final = 5.0
"""Seconds between tries while commits fail; the pause doubles from the one to the other."""
MARK_TRIES: Final = 6
"""For the mark of an orderly end; the pauses between them double from the shortest."""
LONGEST_KEY: Final = 64
"""Characters in the name of a game, and in the name of a note."""
BEAT_SECONDS: Final = 1.0
"""Between two looks of an idle world at whether it still is this server's."""


@attrs.define
class _Handed:
    """A batch on its way to disk."""

    batch: Batch
    pending: Pending
    generation: int


class Storage:
    """The server's store. `offer`, `due_at`, `release` and `audit` never wait; the rest does.

    Why it is one class of this size: the world task hands over, the storage task writes, all others wait for
    what was written, and what they share is one state (pending, handed, which generation is on disk). Rows
    that change, the thread and the statements are elsewhere (`server.store.pending`, `runner`, `batch`).

    `wake` makes the world task take a turn; `alarm` tells staff that trouble begins or ends, once each;
    `lost` hears, once, that another server has this world now: nothing more is written then, whoever waits
    for it. `clock` is the world's time, `wall` seconds UTC. `flush_seconds`, `max_pending_rows` and
    `max_lag_seconds` are asked every time, since a reload may change them.
    """

    def __init__(
        self,
        database: Database,
        runner: Runner,
        *,
        wake: Callable[[], None],
        flush_seconds: Callable[[], float],
        max_pending_rows: Callable[[], int],
        max_lag_seconds: Callable[[], float],
        alarm: Callable[[str], None] = lambda _: None,
        lost: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = trio.current_time,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.durable_tick = 0
        """Everything up to the end of this tick is on disk."""
        self.commit_seconds = Histogram(COMMIT_BOUNDS)
        """How long batches took to get to disk."""
        self.failed_commits = 0
        """Batches that did not, and were put back."""
        self.rows_written = 0
        self.lost = False
        """Whether another server has this world now."""
        self._database = database
        self._runner = runner
        self._lookups = Lookups(self.read, self.write, shared=database.epoch is not None)
        self._wake = wake
        self._flush_seconds = flush_seconds
        self._max_pending_rows = max_pending_rows
        self._max_lag_seconds = max_lag_seconds
        self._alarm = alarm
        self._say_lost = lost
        self._clock = clock
        self._wall = wall

        self._world: World | None = None
        self._kept = Pending()
        """Rows made before the next batch: of those who left, and of batches that failed."""
        self._handed: _Handed | None = None
        """Waits for the storage task to take it."""
        self._flying: _Handed | None = None
        """Handed over and not yet known to be on disk."""
        self._to_do = trio.Event()
        self._settled = trio.Event()
        self._patience = trio.CancelScope()  # of the end

        # Batches are counted: a waiter waits for a generation to be on disk, and may want it begun at once.
        self._begun = self._on_disk = self._wanted = 0
        self._leaving: dict[int, int] = {}
        """Characters that left, with the generation that takes their rows to disk."""

        self._last_flush = -float("inf")
        self._oldest: float | None = None
        self._oldest_flying: float | None = None
        self._failures = 0
        self._error = ""
        self._rescued: Path | None = None  # the copy that the log has named
        self._retry_at = 0.0
        self._heard_at = clock()
        """When the last transaction began that the database is known to have."""

    # The world task

    def offer(self, world: World, now: float) -> None:
        """End of a turn: begin a flush if one is due and the last one has ended. Costs nothing otherwise."""
        self._world = world
        if not self._anything(world):
            if self._flying is None:
                self.durable_tick = world.tick
                self._wanted = self._begun
            return
        if self._oldest is None:
            self._oldest = now
        due = self._due_at(world)
        if due is not None and due <= now:
            self._begin(world, now)

    def due_at(self, world: World) -> float | None:
        """The time at which the world task should take a turn for the store's sake (0 is at once), or None.

        While a commit is under way that is None: its end wakes the world task.
        """
        self._world = world
        return self._due_at(world) if self._anything(world) else None

    def release(self, world: World, mobile: Mobile) -> None:
        """Take the rows of a character that is about to leave, while it still stands in its realm.

        The world may forget it right after. `character` waits until everything changed so far is on disk, not
        only what was taken: a thing it gave away is with its new holder there, before anybody reads the old.
        """
        things: dict[int, Thing] = {}
        following = world.records.following(mobile.serial)
        for thing in (mobile, *kept_items(mobile), *boxed_items(world, following)):
            changed = world.dirty.pop(thing.serial, None)
            if changed is not None:
                things[thing.serial] = changed
        self._kept.add(things, set())
        self._kept.add_records(world.records.withdraw(following), set())
        if self._database.epoch is not None and mobile.serial not in self._kept.transfers:
            self._kept.left.add(mobile.serial)
        if self._anything(world):
            self._leaving[mobile.serial] = self._begun + 1
        elif self._flying is not None:
            self._leaving[mobile.serial] = self._begun

    def send_away(self, world: World, mobile: Mobile, to_world: int, transfer_id: str) -> None:
        """As `release`, of a character that passes to another world with its last rows: it stands where it is
        to appear there. `server.store.ownership` has what may happen next."""
        self._kept.transfers[mobile.serial] = TransferRow(transfer_id, mobile.serial, to_world)
        self.release(world, mobile)
        self._wake()

    def send_parcel(self, row: ParcelRow) -> None:
        """Send a parcel with the batch that has this turn's changes. Who asks has seen to it that it was not
        sent before (`server.cluster.parcels`)."""
        self._kept.sent[row.id] = row
        self._wake()

    def take_parcel(self, parcel_id: str) -> None:
        """Take a parcel with the batch that has this turn's changes."""
        self._kept.taken[parcel_id] = None
        self._wake()

    def audit(self, who: str, what: str, detail: str, tick: int) -> None:
        """Note something that must be explainable later; it is written with the tick it belongs to.

        The world may be asleep, and a note alone is due as any change is: the world task is woken for it.
        """
        self._kept.audit.append(AuditRow(self._wall(), tick, who, what, detail))
        self._wake()

    def keep_note(self, row: NoteRow) -> None:
        """Write a note about a character with the next batch, in the place of the one before. Raises
        ValueError if game and key are not short plain words: they come from the program."""
        for word in row.game, row.key:
            if not (word.isascii() and word.isprintable() and 0 < len(word) <= LONGEST_KEY):
                raise ValueError(f"{word!r} names no note")
        self._kept.notes[row[:3]] = row._replace(text=storable(row.text))
        self._wake()

    @property
    def shared(self) -> bool:
        """Whether other worlds may have the same database."""
        return self._database.epoch is not None

    @property
    def health(self) -> Health:
        """State of the disk right now."""
        rows = len(self._kept)
        if self._world is not None:
            rows += _changed(self._world)
        if self._flying is not None:
            rows += len(self._flying.pending)
        since = self._oldest if self._oldest_flying is None else self._oldest_flying
        lag = 0.0 if since is None else max(0.0, self._clock() - since)
        void = rows > self._max_pending_rows() or lag > self._max_lag_seconds()
        unheard = max(0.0, self._clock() - self._heard_at)
        silent = unheard if self._database.neighbours else 0.0
        return Health(rows, lag, self._failures, self._error, void, silent, unheard)

    # Any other task

    async def wait_durable(self) -> None:
        """Return when everything changed so far is on disk: at once if nothing is, else a flush is due."""
        world = self._world
        if world is not None and self._anything(world):
            target = self._begun + 1
            self._wanted = target
            self._wake()
        else:
            target = self._begun
        await self._wait_for(target)

    async def read(self, call: Callable[[Database], T]) -> T:
        """Ask the database something: `await storage.read(lambda database: database.account(name))`."""
        run: Callable[[], T] = partial(call, self._database)
        return await self._runner.read(run)

    async def write(self, call: Callable[[Database], T]) -> T:
        """Have the database do something in a transaction of its own; it is durable when this returns."""
        run: Callable[[], T] = partial(call, self._database)
        try:
            return await self._runner.write(run)
        except WorldLost as error:
            self._lose(error)
            raise

    async def character(
        self,
        serial: int,
        *,
        account_id: int | None = None,
        session: int | None = None,
        anywhere: bool = False,
    ) -> tuple[CharacterRow, list[ItemRow]] | None:
        """A character that is not in the world, with all it has, as it was when it left; None also if it
        awaits deletion. Where there may be other worlds it is this one's then: see `Database.claim_all`, also
        for the arguments; what that finds in the way is raised."""
        await self._until_left(serial)
        return await self._lookups.character(Wish(serial, account_id, session, anywhere))

    async def create_character(
        self, row: CharacterRow, items: list[ItemRow], limit: int
    ) -> CharacterRow | Refusal:
        """Create a character; see `Database.create_character`."""
        return await self.write(lambda database: database.create_character(row, items, limit))

    async def delete_character(self, account_id: int, serial: int) -> bool:
        """Delete a character that is not in the world, with all it has; False if there is no such one."""
        await self._until_left(serial)
        return await self.write(lambda database: database.delete_character(account_id, serial))

    async def schedule_deletion(self, account_id: int, serial: int, at: float) -> bool:
        """Have a character that is not in the world deleted at that time (seconds UTC); False if there is no
        such one. No row of it or of what it has is written any more: deleting it later needs no care."""
        await self._until_left(serial)
        return await self.write(lambda database: database.schedule_deletion(account_id, serial, at))

    async def note(self, serial: int, game: str, key: str) -> str | None:
        """The text that was kept last, on disk or on its way there."""
        on_the_way = [self._kept] if self._flying is None else [self._kept, self._flying.pending]
        for pending in on_the_way:
            row = pending.notes.get((serial, game, key))
            if row is not None:
                return row.text
        return await self.read(lambda database: database.note(serial, game, key))

    # The storage task

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Write what `offer` hands over, until cancelled. A batch that was handed over is finished first."""
        task_status.started()
        try:
            while True:
                await self._to_do.wait()
                await self._write_handed()
        finally:
            with trio.CancelScope(shield=True):
                await self._write_handed()

    async def beat(self) -> None:
        """Look every second whether the world still is this server's, until it is not; at once done where
        others are kept out by the lock of a file. A commit under way looks by itself."""
        while self._database.epoch is not None and not self.lost:
            await trio.sleep(BEAT_SECONDS)
            if self._flying is None:
                began = self._clock()
                try:
                    await self.write(Database.beat)
                    self._heard_at = began
                except Exception as error:
                    # Lost, or away: of that the next change has to say more.
                    log.debug("no beat: %s", error)

    async def finish(self, world: World, within: float = 30.0) -> bool:
        """Write everything and mark the database clean, trying for `within` seconds even if cancelled.

        Call it when the world has come to rest. False if the disk did not take it all, or the world is
        another server's.
        """
        with trio.move_on_after(within, shield=True) as self._patience:
            while not self.lost and (self._flying is not None or self._anything(world)):
                await trio.sleep_until(min(self._retry_at, self._clock() + within / 4))
                if self._flying is None:
                    self._begin(world, self._clock())
                if self._handed is not None:
                    await self._write_handed()
                elif self._flying is not None:
                    await self._settled.wait()
        if self._patience.cancelled_caught:
            log.error("%d rows could not be written: %s", self.health.pending_rows, self._error)
            return False
        with trio.CancelScope(shield=True):
            if self.lost or not await self._mark_clean():
                return False
        self.durable_tick = world.tick
        return True

    def give_up(self, *, writes: bool) -> None:
        """Wait for nothing any more that the database was asked, or with `writes` was to write."""
        self._runner.give_up(writes=writes)
        if writes:
            self._patience.cancel()

    async def _mark_clean(self) -> bool:
        """Whether what was written is there. The mark alone is worth a few tries: it may be the first that
        a database server hears of us since it was restarted."""
        pause = SHORTEST_PAUSE
        for left in reversed(range(MARK_TRIES)):
            try:
                await self.write(Database.mark_clean)
            except DatabaseReplaced as error:
                log.critical("what was written is not in its place: %s", error)
                return False
            except (WorldLost, DatabaseGivenUp):
                return False
            except Exception as error:
                if not left:
                    log.error("everything is written, but not the mark that says so: %s", error)
                    break
                await trio.sleep(pause)
                pause *= 2
            else:
                break
        return True

    # Inside

    def _anything(self, world: World) -> bool:
        return bool(_changed(world) or self._kept or world.serials.wanted() is not None)

    def _due_at(self, world: World) -> float | None:
        """When the next flush of something may begin: 0 is at once, None while one is under way, and when
        there will be none any more."""
        if self._flying is not None or self.lost:
            return None
        if self._failures:
            return self._retry_at
        if self._wanted > self._begun or _changed(world) > CROWDED:
            return 0.0
        return max(0.0, self._last_flush + self._flush_seconds())

    def _begin(self, world: World, now: float) -> None:
        pending, self._kept = self._kept, Pending()
        dirty, world.dirty = world.dirty, {}
        deleted, world.deleted = world.deleted, set()
        pending.add(dirty, deleted)
        pending.add_records(*world.records.take(), self._database.keeps)
        batch = pending.batch(world.tick, self._wall(), world.serials.wanted())
        self._begun += 1
        self._flying = self._handed = _Handed(batch, pending, self._begun)
        self._oldest_flying, self._oldest = self._oldest, None
        self._last_flush = now
        self._to_do.set()

    async def _write_handed(self) -> None:
        handed, self._handed = self._handed, None
        self._to_do = trio.Event()
        if handed is None:
            return
        began = self._clock()
        try:
            # Once begun, a batch is finished whatever ends around it.
            with trio.CancelScope(shield=True):
                reserved = await self._runner.write(partial(self._database.commit_batch, handed.batch))
        except WorldLost as error:
            self._kept.put_back(handed.pending)
            self._lose(error)
        except Exception as error:
            self._failed(handed, error)
        else:
            self.commit_seconds.observe(self._clock() - began)
            self.rows_written += len(handed.pending)
            self._heard_at = began
            self._succeeded(handed, reserved)
        self._flying = None
        self._settled.set()
        self._settled = trio.Event()
        self._wake()

    def _succeeded(self, handed: _Handed, reserved: Reservation | None) -> None:
        self.durable_tick = handed.batch.tick
        self._on_disk = handed.generation
        self._oldest_flying = None
        if reserved is not None and self._world is not None:
            self._world.serials.reserved(reserved.mobiles, reserved.items)
        for serial in [s for s, generation in self._leaving.items() if generation <= handed.generation]:
            del self._leaving[serial]
        if self._failures:
            log.warning("the database takes writes again after %d failures", self._failures)
            self._alarm("The database takes writes again. Nothing was lost.")
            self._failures = 0
            self._error = ""

    def _lose(self, error: WorldLost) -> None:
        if not self.lost:
            self.lost = True
            log.critical("%s, stopping", error)
            self._say_lost()

    def _failed(self, handed: _Handed, error: Exception) -> None:
        self._kept.put_back(handed.pending)
        if self._oldest_flying is not None:
            self._oldest, self._oldest_flying = self._oldest_flying, None
        self._failures += 1
        self.failed_commits += 1
        self._error = str(error).partition("\n")[0]
        pause = min(SHORTEST_PAUSE * 2 ** min(self._failures - 1, 10), LONGEST_PAUSE)
        self._retry_at = self._clock() + pause
        for serial, generation in self._leaving.items():
            self._leaving[serial] = max(generation, self._begun + 1)
        level = logging.ERROR if self._failures == 1 else logging.DEBUG
        log.log(level, "the database does not take writes, play goes on meanwhile: %s", self._error)
        if self._failures == 1:
            self._alarm(f"The database does not take writes, changes are kept in memory: {self._error}")
        if isinstance(error, DatabaseReplaced) and error.rescued not in (None, self._rescued):
            self._rescued = error.rescued
            log.error("everything up to tick %d was saved to %s", handed.batch.tick, error.rescued)

    async def _wait_for(self, generation: int) -> None:
        await trio.lowlevel.checkpoint()
        while self._on_disk < generation:
            await self._settled.wait()

    async def _until_left(self, serial: int) -> None:
        """Wait until the rows of a character that left are on disk."""
        while serial in self._leaving:
            if self._leaving[serial] > self._begun:
                self._wanted = self._begun + 1
                self._wake()
            await self._settled.wait()


def _changed(world: World) -> int:
    return len(world.dirty) + len(world.deleted) + world.records.waiting
