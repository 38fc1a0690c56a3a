"""An account's characters: listing, making, deleting, and the way into the world and out of it.

One character is one object. While it is in memory it is never read from the database again: a new login takes
over the very object, whichever client played it before, so nothing can be loaded twice.

The problem: a character is in memory, on disk, or on its way between the two, and the wish for it may come
from two clients at once while the disk is slow. The idea: the world task decides, in one input, whether the
character is there; only if it is not is it read, and what was read counts only if nobody has taken that
character out of the world since (`server.people.departures`). If somebody has, it is read again.
"""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

import trio

from protocol.denials import Denial, Denied
from protocol.endings import Ending
from protocol.services import NOTE_LIMIT
from protocol.session import Phase
from server.people import home
from server.people.arrivals import info, newcomer, place, restore
from server.people.departures import ENDED_BY_US, LEAVES_AT_ONCE, Departures
from server.people.neighbours import ALONE, FORGO_SECONDS, all_here, claimed
from server.people.unavailable import denied_if_it_fails
from server.store.records import NoteRow, Refusal
from server.store.text import storable
from world import company, dialogs, fighting, hands, motion, names, quests, recovery, weather
from world.directory import Known
from world.events import Why
from world.snapshot import sheet
from world.targets import target
from world.timers import Priority

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection, Sequence

    from protocol.services import AccountInfo, CharacterInfo, NewCharacter
    from protocol.session import Session
    from server.people.neighbours import Neighbours, Rows
    from server.settings.config import Limits
    from server.store.writer import Storage
    from server.turn.loop import Loop
    from world.mobile import Mobile
    from world.realm import Realm
    from world.space import Sight
    from world.timers import Timer
    from world.world import World

log = logging.getLogger("world")

EXPIRY_SECONDS: Final = 60.0
"""How often those whose time is over are looked for."""


class CharacterService:
    """Implements `protocol.services.Characters`, and what happens to a character when its client is gone.

    Why it is one class of this size: to enter, to leave and to be deleted exclude one another, and each is a
    few lines in its client's task and a few in the world's. Apart they would need to know what the others are
    about to do.
    """

    def __init__(
        self,
        storage: Storage,
        loop: Loop,
        *,
        limit: Callable[[], int],
        limits: Callable[[], Limits],
        wall: Callable[[], float],
    ) -> None:
        self._storage = storage
        self._loop = loop
        self._limit = limit
        self._limits = limits
        self._wall = wall
        self._lingering: dict[int, Timer] = {}
        self._deleting: set[int] = set()
        """Characters that are being deleted; nobody enters with one of them."""
        self.departures = Departures()
        self.neighbours: Neighbours = ALONE
        self.goes_home: Callable[[Session], bool] = lambda _: False
        """Whether a client that comes in can go over a border (`server.people.home`)."""

    async def all(self, account: AccountInfo, *, doomed: bool = False) -> Sequence[CharacterInfo]:
        """In creation order; those that await deletion only with `doomed`. Raises Denied(UNAVAILABLE), as all
        of these do if the database fails."""
        with denied_if_it_fails(log):
            found = await self._storage.read(lambda database: database.characters(account.id))
        listed, now, world = [], self._wall(), self._loop.world
        for row, delete_at, worn in found:
            if delete_at is None:
                listed.append(info(sheet(row, world), worn, account.access))
            elif doomed and delete_at > now:
                listed.append(info(sheet(row, world), worn, account.access, delete_at - now))
        if any(summary.delete_at is not None and summary.delete_at <= now for summary in found):
            with suppress(Denied):  # they are not listed anyway
                await self._delete_expired()
        return listed

    async def create(self, session: Session, wish: NewCharacter) -> CharacterInfo:
        """Make a character: checked, dressed, placed, and durable when this returns. Raises Denied."""
        account = _account(session)
        name = names.proper_name(wish.name)
        if name is None:
            raise Denied(Denial.BAD_NAME)
        row, items = await self._loop.in_world(
            session, lambda world: newcomer(world, account.id, name, wish, self._wall())
        )
        with denied_if_it_fails(log):
            made = await self._storage.create_character(row, items, self._limit())
        if made is Refusal.TAKEN:
            raise Denied(Denial.EXISTS)
        if made is Refusal.FULL:
            raise Denied(Denial.FULL)
        self._loop.world.directory.note(Known(made.serial, made.name, made.short_name, made.account))
        self._storage.audit(account.name, "character created", name, self._loop.world.tick)
        log.info("%s made the character %s in %s", account.name, name, session.family.name)
        worn = [item for item in items if item.parent == row.serial]
        return info(sheet(made, self._loop.world), worn, account.access)

    async def delete(self, session: Session, serial: int) -> None:
        """Delete a character for good. Raises Denied."""
        account = _account(session)
        async with self._withdrawn(session, account, serial):
            owner = await self._storage.read(lambda database: database.owner(serial))
            if owner == account.id:
                await self._forget([serial])
            deleted = await self._storage.delete_character(account.id, serial)
        if not deleted:
            raise Denied(Denial.NO_CHARACTER)
        self._loop.world.directory.forget(serial)
        self._audit(account.name, "character deleted", serial)

    async def remove_all(self, account_id: int) -> None:
        """Delete all characters of an account that nobody can log in to any more. Raises Denied."""
        with denied_if_it_fails(log):
            found = await self._storage.read(lambda database: database.characters(account_id))
            serials = {one.row.serial for one in found}
            await all_here(self._storage, self.neighbours, account_id, serials)
        self._deleting |= serials
        try:
            await self._loop.in_world(None, lambda world: self._evict(world, account_id))
            with denied_if_it_fails(log):
                await self._forget(serials)
                for serial in serials:
                    await self._storage.delete_character(account_id, serial)
                    self._loop.world.directory.forget(serial)
        finally:
            self._deleting -= serials
            for serial in serials:
                self.departures.note(serial)

    async def schedule_deletion(self, session: Session, serial: int, seconds: float) -> None:
        """Delete a character in so many seconds; see `protocol.services.Characters`. Raises Denied if the
        account has no such character, or the database fails."""
        if seconds <= 0:
            await self.delete(session, serial)
            return
        account = _account(session)
        async with self._withdrawn(session, account, serial):
            at = self._wall() + seconds
            scheduled = await self._storage.schedule_deletion(account.id, serial, at)
        if not scheduled:
            raise Denied(Denial.NO_CHARACTER)
        self._audit(account.name, "character awaits deletion", serial)

    async def restore(self, session: Session, serial: int) -> None:
        """Call the deletion of a character off. Raises Denied if the account has no character that awaits it,
        or the database fails."""
        account, now = _account(session), self._wall()
        with denied_if_it_fails(log):
            restored = await self._storage.write(
                lambda database: database.restore_character(account.id, serial, now)
            )
        if not restored:
            raise Denied(Denial.NO_CHARACTER)
        self._audit(account.name, "character restored", serial)

    async def note(self, session: Session, serial: int, game: str, key: str) -> str | None:
        """The text that was kept last; None if there is none. Raises Denied if the account has no such
        character, or the database fails."""
        await self._require_own(session, serial)
        with denied_if_it_fails(log):
            return await self._storage.note(serial, game, key)

    async def keep(self, session: Session, serial: int, game: str, key: str, text: str) -> None:
        """Remember a text about a character; see `protocol.services.Characters`. Raises Denied(FULL) for a
        text of more than `NOTE_LIMIT` bytes."""
        text = storable(text)
        if len(text.encode()) > NOTE_LIMIT:
            raise Denied(Denial.FULL, f"a note of more than {NOTE_LIMIT} bytes")
        await self._require_own(session, serial)
        self._storage.keep_note(NoteRow(serial, game, key, text))

    async def delete_expired(self) -> None:
        """Delete the characters whose time is over, once a minute, until cancelled."""
        while True:
            await trio.sleep(EXPIRY_SECONDS)
            # What the database has to say about it is in the log; a minute later it is asked again.
            with suppress(Denied):
                await self._delete_expired()

    async def enter(self, session: Session, serial: int, welcome: Callable[[Mobile], None]) -> None:
        """Bring a character into the world for this session; see `protocol.services.Characters`. Raises
        Denied if the account has no such character, or the database fails."""
        account = _account(session)

        def arrive(world: World, rows: Rows | None) -> bool:
            mobile, far = world.mobiles.get(serial), False
            was_here = mobile is not None and mobile.online
            if mobile is None:
                if rows is None:
                    return False
                mobile = restore(world, rows)
                self._attach(world, session, mobile, account)
                place(world, mobile)
                recovery.recover(mobile)
                far = rows[0].realm not in world.realms
            else:
                if mobile.account != account.id:
                    raise Denied(Denial.NO_CHARACTER)
                self._attach(world, session, mobile, account)
            session.viewport = world.open_viewport(mobile, session.id, session.family.view.sight(session))
            welcome(mobile)
            quests.resume(mobile)
            weather.show(mobile)
            company.came(mobile, again=was_here)
            if far and rows is not None and self.goes_home(session):
                home.bring(session, mobile, rows[0])
            return True

        session.phase = Phase.ENTERING
        try:
            login, anywhere = self.neighbours.login_of(account.id), self.goes_home(session)
            await self.with_rows(arrive, session, serial, account.id, login=login, anywhere=anywhere)
        except Denied:
            session.phase = Phase.MENU
            raise

    async def with_rows(
        self,
        arrive: Callable[[World, Rows | None], bool],
        session: Session | None,
        serial: int,
        account_id: int,
        *,
        login: int,
        anywhere: bool = False,
    ) -> None:
        """Call `arrive` in the world task, for that session if there is one yet, until it returns True: first
        without rows, as the character may be in memory; if not, with its rows, and again if they are stale by
        then. Where there may be other worlds the database says first whether that login is the newest. Raises
        Denied if it is not, if the account has no such character, or the database fails."""
        rows: Rows | None = None
        read_at, departures, shared = -1, self.departures, self.neighbours is not ALONE

        def try_to(world: World) -> bool:
            if serial in self._deleting:
                raise Denied(Denial.NO_CHARACTER)
            if rows is None and shared:
                return False
            fresh = read_at == departures.count(serial) and not departures.passing(serial)
            return arrive(world, rows if fresh else None)

        with departures.awaited():
            try:
                while not await self._loop.in_world(session, try_to, join=session is not None):
                    await departures.settled(serial)
                    read_at = departures.count(serial)
                    with denied_if_it_fails(log):
                        of = self._storage, self.neighbours
                        rows = await claimed(*of, account_id, serial, login, anywhere=anywhere)
                    if rows is None or rows[0].account != account_id:
                        raise Denied(Denial.NO_CHARACTER)
            except BaseException as error:
                if shared and (rows or (read_at >= 0 and isinstance(error, trio.Cancelled))):
                    with trio.move_on_after(FORGO_SECONDS, shield=True):
                        await self.let_go(serial, None)
                raise

    def leave(self, session: Session) -> None:
        """The session's character leaves now; see `protocol.services.Characters`."""
        self.left(self._loop.world, session, Ending.CLIENT_LEFT)

    def left(self, world: World, session: Session, ending: Ending) -> None:
        """A client is gone: its character leaves now, or lingers in case the client comes back."""
        mobile = session.mobile
        session.mobile = session.viewport = None
        session.known.clear()
        if mobile is None or mobile.viewport is None or mobile.viewport.key != session.id:
            return  # never entered, or played by another session by now
        world.close_viewport(mobile)
        mobile.online = False
        dialogs.forget_all(mobile)
        motion.halt(mobile)
        hands.bounce(mobile)
        fighting.stop(mobile)
        company.went(mobile)
        limits = self._limits()
        seconds = 0.0 if ending in LEAVES_AT_ONCE else limits.linger_seconds
        if ending not in ENDED_BY_US and not mobile.dead and mobile.fighting_until > world.now:
            seconds = max(seconds, limits.linger_in_combat_seconds)
        if seconds > 0:
            self._lingering[mobile.serial] = world.timers.after(
                seconds, self._drop, world, mobile, priority=Priority.MS50
            )
        else:
            self._drop(world, mobile)

    async def let_go(self, serial: int, login: int | None) -> bool:
        """Give a character up to another world, to be played by a login of that number: it leaves, and its
        last rows are on disk when this returns. False if a newer login plays it, or it is being deleted; with
        None, for one that was this world's to enter and did not, also if it is here."""
        gone: bool | None = None
        while gone is None:
            await self.departures.settled(serial)
            with self.departures.passes(serial):
                gone = await self._loop.in_world(None, lambda world: self._lets_go(world, serial, login))
                if gone:
                    await self._storage.wait_durable()
                    # It was, with these; but not if its client hung up before it entered.
                    await self._storage.write(lambda database: database.release(serial))
        return gone

    def _lets_go(self, world: World, serial: int, login: int | None) -> bool | None:
        if self.departures.passing(serial) > 1:
            return None  # it goes over a border just now
        mobile = world.mobiles.get(serial)
        if mobile is None:
            return serial not in self._deleting
        if login is None or (mobile.online and not self.neighbours.outplay(mobile.account, login)):
            return False
        self._take_out(world, mobile, Ending.REPLACED)
        return True

    def may_come(self, world: World, serial: int) -> bool:
        """Whether a character may come over a border: it is not here, nor being deleted."""
        return serial not in world.mobiles and serial not in self._deleting

    def come(
        self, world: World, session: Session, mobile: Mobile, at: tuple[Realm, int, int] | None, sight: Sight
    ) -> None:
        """A character comes over a border, to be played by this session; or lingers here (`at` None). Who
        sees the place sees it appear; what its own client is told is the caller's matter. Raises Denied
        without an account."""
        self._attach(world, session, mobile, _account(session))
        if at is not None:
            world.enter(mobile, *at)
            world.scripts.entered(mobile)
        session.viewport = world.open_viewport(mobile, session.id, sight)

    def part(self, world: World, session: Session, *, given_away: bool = False) -> None:
        """The session's character goes over a border: it leaves as on a warp, and its rows are to be written,
        unless they were given away. Nobody enters with rows that were read before."""
        mobile = session.mobile
        session.mobile = session.viewport = None
        session.known.clear()
        if mobile is None:
            return
        world.close_viewport(mobile)
        mobile.online = False
        company.went(mobile, over=True)
        self.departures.note(mobile.serial)
        if not given_away:
            self._storage.release(world, mobile)
        world.leave(mobile, Why.WARPED)

    def all_leave(self, world: World, realm: Realm | None = None) -> None:
        """Everybody who is still there, or in a realm, leaves: the server stops, or the realm goes."""
        there = [mobile for mobile in world.mobiles.values() if mobile.is_character]
        characters = [mobile for mobile in there if realm is None or mobile.realm is realm]
        for mobile in characters:
            world.close_viewport(mobile)
            mobile.online = False
        for mobile in characters:
            company.went(mobile)
            self._drop(world, mobile)

    def _drop(self, world: World, mobile: Mobile) -> None:
        timer = self._lingering.pop(mobile.serial, None)
        if timer is not None:
            timer.cancel()
        if mobile.online or world.mobiles.get(mobile.serial) is not mobile:
            return
        self.departures.note(mobile.serial)
        hands.bounce(mobile)
        self._storage.release(world, mobile)
        world.leave(mobile)

    async def _delete_expired(self) -> None:
        now = self._wall()
        with denied_if_it_fails(log):
            over = await self._storage.read(lambda database: database.expired(now))
            if not over:
                return
            await self._forget([row.serial for row in over])
            expired = await self._storage.write(lambda database: database.delete_expired(now))
        for row in expired:
            log.info("the character %s of %s is deleted: its time is over", row.name, row.account)
            self._loop.world.directory.forget(row.serial)
            self._audit(row.account, "character deleted", row.serial)

    async def _forget(self, serials: Collection[int]) -> None:
        """Before characters are deleted: nothing on disk refers to them any more when this returns."""
        await self._loop.in_world(None, lambda world: company.forget(world, serials))
        await self._storage.wait_durable()

    @asynccontextmanager
    async def _withdrawn(self, session: Session, account: AccountInfo, serial: int) -> AsyncIterator[None]:
        """Around a question to the database that takes a character away: it is not in the world, and nobody
        enters with it meanwhile, nor later with rows that were read before."""
        self._deleting.add(serial)
        try:
            await self._loop.in_world(
                session, lambda world: self._release_for_deletion(world, account, serial)
            )
            with denied_if_it_fails(log):
                yield
        finally:
            self._deleting.discard(serial)
            self.departures.note(serial)

    async def _require_own(self, session: Session, serial: int) -> None:
        """Raises Denied if the character is none of the session's account."""
        account = _account(session)
        if session.mobile is not None and session.mobile.serial == serial:
            return
        with denied_if_it_fails(log):
            owner = await self._storage.read(lambda database: database.owner(serial))
        if owner != account.id:
            raise Denied(Denial.NO_CHARACTER)

    def _audit(self, who: str, what: str, serial: int) -> None:
        self._storage.audit(who, what, f"{serial:#x}", self._loop.world.tick)

    def _evict(self, world: World, account_id: int) -> None:
        """Out of the world with all of an account's."""
        for mobile in [one for one in world.mobiles.values() if one.account == account_id]:
            player = self._take_out(world, mobile, Ending.KICKED)
            if player is not None:
                player.end(Ending.KICKED, f"{mobile.name} is removed")

    def _take_out(self, world: World, mobile: Mobile, ending: Ending) -> Session | None:
        """It leaves at once, whoever plays it: returns the session that did."""
        player = self._loop.sessions.get(mobile.viewport.key) if mobile.viewport is not None else None
        if player is not None:
            self.left(world, player, ending)
        mobile.online = False
        self._drop(world, mobile)
        return player

    def _release_for_deletion(self, world: World, account: AccountInfo, serial: int) -> None:
        mobile = world.mobiles.get(serial)
        if mobile is None or mobile.account != account.id:
            return
        if mobile.online:
            raise Denied(Denial.IN_USE)
        self._drop(world, mobile)

    def _attach(self, world: World, session: Session, mobile: Mobile, account: AccountInfo) -> None:
        """The session plays this mobile from now on; whoever did before has lost it."""
        if mobile.viewport is not None:
            before = self._loop.sessions.get(mobile.viewport.key)
            world.close_viewport(mobile)
            if before is not None and before is not session:
                before.mobile = before.viewport = None
                before.known.clear()
                before.end(Ending.REPLACED, f"{mobile.name} is played from {session.peer}")
        timer = self._lingering.pop(mobile.serial, None)
        if timer is not None:
            timer.cancel()
        dialogs.forget_all(mobile)
        motion.halt(mobile)
        hands.bounce(mobile)
        mobile.online = True
        mobile.game = session.family.name
        mobile.opens_corpses = session.family.view.opens_corpses
        mobile.windows = session.family.view.windows
        mobile.visit = None
        mobile.access = account.access
        mobile.gait.walk_ms, mobile.gait.run_ms = session.family.view.gait_ms
        mobile.war = False  # a game without it could never end it
        target(mobile, None)
        mobile.hears_global = mobile.takes_gifts = True
        mobile.heard_from = 0
        session.mobile = mobile
        session.blind = True
        session.known.clear()
        session.postponed.clear()


def _account(session: Session) -> AccountInfo:
    if session.account is None or not session.claimed:
        raise Denied(Denial.BAD_CREDENTIALS, "this session does not play an account")
    return session.account
