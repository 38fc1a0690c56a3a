"""An office without sockets, for the tests of one game's handlers and view: accounts and characters in dicts,
the world and the fan-out the server's own. Each game's desk (`tests.kit.<game>_desk`) adds its clients.

Nothing here runs a task: a message is handled, then there is a turn, then everybody has got what they are
sent.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Generic, TypeVar, cast

import trio

from protocol.endings import Ending
from protocol.services import AccountInfo, CharacterInfo, Denial, Denied, NewCharacter
from protocol.session import Phase, Session
from server.config import Limits
from server.fanout import Fanout
from server.limiter import LoginLimiter
from server.tickets import TicketService
from world import newcomers
from world.mobile import Mobile
from world.serials import Serials
from world.world import World

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from protocol.family import Family
    from world.content import Content

T = TypeVar("T")
S = TypeVar("S", bound=Session)

PASSWORD = "secret1"


class Line:
    """A session's connection: remembers how it ended, and what is to run beside the client."""

    busy = False

    def __init__(self, flush: Callable[[], None]) -> None:
        self.ending: Ending | None = None
        self.detail = ""
        self.jobs: list[Callable[[], Awaitable[None]]] = []
        """What handlers gave to `later`; runs when they have returned."""
        self._flush = flush

    def flush(self, *, force: bool = False) -> None:
        self._flush()

    def end(self, ending: Ending, detail: str) -> None:
        if self.ending is None:
            self.ending, self.detail = ending, detail

    def later(self, job: Callable[[], Awaitable[None]]) -> None:
        self.jobs.append(job)

    def drained(self) -> None:
        return


class Office(Generic[S]):
    """Services, accounts, characters and the turn in one. `start` is where a character enters that was never
    in the world."""

    server_name = "Causeway"
    character_limit = 3
    ports: dict[str | None, int]
    """Where a client is sent on to, by door."""

    def __init__(self, content: Content, family: Family, start: tuple[int, int]) -> None:
        self.content = content
        self.family = family
        self.start_at = start
        self.now = 0.0
        self.world = World(content, Serials(), chance=random.Random(1))
        self.dice = random.Random(2)
        self.tickets = TicketService(
            limits=Limits, limiter=LoginLimiter(Limits), clock=lambda: self.now, entropy=self.dice.randbytes
        )
        self.sessions: dict[int, S] = {}
        self.ports = {}
        self.passwords: dict[str, str] = {}
        self.owned: dict[str, list[Mobile]] = {}
        """Characters by account."""
        self.deleting: dict[int, float] = {}
        """When a character is gone for good, by serial."""
        self.notes: dict[tuple[int, str, str], str] = {}
        """What a game keeps of a character, by serial, game and key."""
        self.deny: Denial | None = None
        """Why the next request about accounts or characters is refused."""
        self.closed = ""
        self.orders: list[str] = []
        """Staff commands."""
        self.claimed: list[int] = []
        """Sessions that claimed an account, in their order."""
        self.waits = 0.0
        """Seconds for which nobody may log in."""
        self.durables = 0
        """How often somebody waited for the store."""

    # Accounts

    async def login(self, session: Session, name: str, password: str) -> AccountInfo:
        self._refuse()
        if self.passwords.get(name) != password:
            raise Denied(Denial.BAD_CREDENTIALS)
        return AccountInfo(sorted(self.passwords).index(name) + 1, name)

    def claim(self, session: Session, account: AccountInfo) -> None:
        """The newest wins, as at the real office."""
        for other in self.sessions.values():
            if other is not session and other.claimed and other.account == account:
                other.claimed = False
                other.end(Ending.REPLACED, "")
        session.account, session.claimed = account, True
        self.claimed.append(session.id)

    def player(self, account: AccountInfo) -> Session | None:
        found = [other for other in self.sessions.values() if other.claimed and other.account == account]
        return found[0] if found else None

    async def resume(self, session: Session, name: str) -> AccountInfo:
        account = await self.named(name)
        if account is None:
            raise Denied(Denial.BAD_CREDENTIALS)
        return account

    async def named(self, name: str) -> AccountInfo | None:
        return AccountInfo(sorted(self.passwords).index(name) + 1, name) if name in self.passwords else None

    def played(self) -> list[str]:
        return [session.account.name for session in self._players() if session.account is not None]

    def replace(self, name: str) -> None:
        for session in self._players():
            if session.account is not None and session.account.name == name:
                session.claimed = False
                session.end(Ending.REPLACED, "")

    def _players(self) -> list[S]:
        return [
            session
            for session in self.sessions.values()
            if session.claimed and session.door != "login" and getattr(session.link, "ending", None) is None
        ]

    def kept_out(self, session: Session) -> float:
        return self.waits

    # Characters

    async def all(self, account: AccountInfo, *, doomed: bool = False) -> list[CharacterInfo]:
        self._forget_deleted()
        return [
            self.line_of(mobile, account)
            for mobile in self.owned.get(account.name, ())
            if doomed or mobile.serial not in self.deleting
        ]

    def line_of(self, mobile: Mobile, account: AccountInfo) -> CharacterInfo:
        """What a list of characters says of one."""
        until = self.deleting.get(mobile.serial)
        return CharacterInfo(
            mobile.serial,
            mobile.name,
            mobile.level,
            mobile.female,
            mobile.hair,
            mobile.hair_hue,
            mobile.skin_hue,
            account.access,
            {layer: item.template.key for layer, item in mobile.worn.items()},
            experience=mobile.experience,
            hits=mobile.hits,
            hits_max=mobile.hits_max,
            mana=mobile.mana,
            mana_max=mobile.mana_max,
            realm=mobile.realm.name if mobile.realm is not None else self.content.start_realm,
            created_at=1_700_000_000.5,
            deleted_in=None if until is None else until - self.now,
        )

    async def create(self, session: Session, wish: NewCharacter) -> CharacterInfo:
        self._refuse()
        assert session.account is not None
        if newcomers.proper_name(wish.name) is None:
            raise Denied(Denial.BAD_NAME)
        if any(mobile.name.lower() == wish.name.lower() for mine in self.owned.values() for mobile in mine):
            raise Denied(Denial.EXISTS)
        if len(self.owned.get(session.account.name, ())) >= self.character_limit:
            raise Denied(Denial.FULL)
        return self.line_of(self.make_character(session.account.name, wish), session.account)

    async def delete(self, session: Session, serial: int) -> None:
        self._refuse()
        self._mine(session, serial)
        self._drop(serial)

    async def schedule_deletion(self, session: Session, serial: int, seconds: float) -> None:
        self._refuse()
        self._mine(session, serial)
        self.deleting[serial] = self.now + seconds

    async def restore(self, session: Session, serial: int) -> None:
        self._refuse()
        self._mine(session, serial)
        self.deleting.pop(serial, None)

    async def note(self, session: Session, serial: int, game: str, key: str) -> str | None:
        self._mine(session, serial)
        return self.notes.get((serial, game, key))

    async def keep(self, session: Session, serial: int, game: str, key: str, text: str) -> None:
        self._mine(session, serial)
        assert len(text.encode()) <= 64 * 1024
        self.notes[serial, game, key] = text

    async def enter_world(self, session: Session, serial: int, welcome: Callable[[Mobile], None]) -> None:
        self._refuse()
        mobile = self._mine(session, serial)
        if serial in self.deleting:
            raise Denied(Denial.NO_CHARACTER)
        session.phase = Phase.ENTERING
        self.attach(cast("S", session), mobile, welcome)

    def _mine(self, session: Session, serial: int) -> Mobile:
        assert session.account is not None
        self._forget_deleted()
        for mobile in self.owned.get(session.account.name, ()):
            if mobile.serial == serial:
                return mobile
        raise Denied(Denial.NO_CHARACTER)

    def _forget_deleted(self) -> None:
        for serial in [serial for serial, until in self.deleting.items() if until <= self.now]:
            self._drop(serial)

    def _drop(self, serial: int) -> None:
        self.deleting.pop(serial, None)
        for mine in self.owned.values():
            mine[:] = [mobile for mobile in mine if mobile.serial != serial]

    # The rest of what handlers may ask

    async def in_world(self, session: Session | None, call: Callable[[World], T]) -> T:
        return call(self.world)

    def entropy(self, size: int) -> bytes:
        return self.dice.randbytes(size)

    def relay_address(self, session: Session, door: str | None = None) -> tuple[str, int]:
        return "127.0.0.1", self.ports[door]

    def command(self, session: Session, line: str) -> None:
        self.orders.append(line)

    def online(self) -> list[Mobile]:
        return list(self.world.online())

    async def durable(self) -> None:
        self.durables += 1

    def _refuse(self) -> None:
        if self.deny is not None:
            raise Denied(self.deny)

    # Setting the scene

    def make_character(self, account: str, wish: NewCharacter) -> Mobile:
        """A character that is not in the world."""
        mobile = Mobile(
            self.world.serials.mobile(),
            self.world,
            wish.name.capitalize(),
            template=self.content.mobiles["player"],
            account=1,
            female=wish.female,
            hair=wish.hair,
            hair_hue=wish.hair_hue,
            skin_hue=wish.skin_hue,
        )
        newcomers.outfit(mobile, stored=False)
        self.owned.setdefault(account, []).append(mobile)
        return mobile

    def attach(self, session: S, mobile: Mobile, welcome: Callable[[Mobile], None]) -> None:
        """As the server does: the session plays this mobile from now on."""
        view = self.family.view
        if mobile.realm is None:
            self.world.enter(mobile, self.world.realms[self.content.start_realm], *self.start_at)
        elif mobile.eyes is not None:
            before = self.sessions[mobile.eyes.key]
            self.detach(before)
            before.end(Ending.REPLACED, "")
        mobile.online = mobile.hears_global = True
        session.mobile = mobile
        session.blind = True
        session.known.clear()
        mobile.gait.walk_ms, mobile.gait.run_ms = view.gait_ms
        session.eyes = self.world.open_eyes(mobile, session.id, view.sight(session))
        welcome(mobile)

    def detach(self, session: S) -> None:
        """As the server does: the session plays nobody any more; its mobile stays where it is."""
        mobile = session.mobile
        if mobile is not None and mobile.eyes is not None and mobile.eyes.key == session.id:
            self.world.close_eyes(mobile)
        session.mobile = session.eyes = None
        session.known.clear()

    def leave(self, session: Session) -> None:
        """Its character leaves the world at once; the session stays."""
        mobile = session.mobile
        self.detach(cast("S", session))
        if mobile is not None and mobile.eyes is None:
            mobile.online = False
            self.world.leave(mobile)
            newcomers.outfit(mobile, stored=False)  # as the store would bring it back

    def resident(self, template: str, x: int, y: int) -> Mobile:
        """Somebody who lives here."""
        kind = self.content.mobiles[template]
        mobile = Mobile(self.world.serials.mobile(), self.world, kind.name, template=kind)
        self.world.enter(mobile, self.world.realms[self.content.start_realm], x, y)
        return mobile

    # The turn

    def turn(self, woken: Sequence[S] = (), *, begun: bool = False) -> None:
        """Timers, changes, flush."""
        if not begun:
            self.world.begin(self.now)
        self.world.run_timers()
        blind = [s for s in woken if s.blind and s.eyes is not None and not s.loading]
        Fanout(cast("dict[int, Session]", self.sessions), self.world.take_changes()).run(blind)
        for session in self.sessions.values():
            session.flush()

    async def wait(self, seconds: float) -> None:
        """Time passes, in turns of 10 ms, or of 50 ms if it is long."""
        turn = 0.01 if seconds < 3 else 0.05
        for _ in range(round(seconds / turn)):
            self.now += turn
            self.turn()


class OfficeServices:
    """An office by the names of `protocol.services.Services`: two of its methods are called `enter`."""

    def __init__(self, office: Office[S]) -> None:
        self._office = office
        self.accounts = office
        self.characters = _Characters(office)
        self.tickets = office.tickets
        self.world = office.world
        self.content = office.content
        self.server_name = office.server_name
        self.character_limit = office.character_limit
        self.entropy = office.entropy
        self.in_world = office.in_world
        self.relay_address = office.relay_address
        self.command = office.command
        self.online = office.online
        self.durable = office.durable

    @property
    def closed(self) -> str:
        return self._office.closed

    async def aside(self, call: Callable[[], T]) -> T:
        await trio.lowlevel.checkpoint()
        return call()


class _Characters:
    def __init__(self, office: Office[S]) -> None:
        self.all = office.all
        self.create = office.create
        self.delete = office.delete
        self.schedule_deletion = office.schedule_deletion
        self.restore = office.restore
        self.note = office.note
        self.keep = office.keep
        self.enter = office.enter_world
        self.leave = office.leave
