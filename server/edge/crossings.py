"""Players of edges who go from one world to another: what each of the two worlds does about it.

    here   hold the client's frames, freeze the player (its last rows are the other's with them), ask
    edge   hands all of it on to the other world, and switches the client's route if that has taken it in
    there  accept the player in the database, thaw it

Whose the player is stands in the database alone (`server.cluster.claims`): the other world has it from
`accept` on, and this one again from `take_back` on, and one of the two is granted. So whatever gets lost
between the three, nobody is in both worlds and nobody in none.
"""

from __future__ import annotations

import logging
import math
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar, cast

import attrs
import msgspec
import trio

from protocol import carrying
from protocol.denials import Denied
from protocol.endings import Ending
from server.cluster.claims import BACK_SECONDS
from server.edge.remote import Remote, RemoteConnection
from server.edge.twin import as_codec
from server.edge.words import Adopted, End, Return
from server.people.account_store import info_of
from server.people.crossing import CLOSED, Border, Carried, Spot, Unwelcome, check, freeze_all, is_here, thaw
from server.people.keeping import KEEP_SECONDS, Kept, Played, go_on, parted
from server.store.database import Database
from server.store.errors import STORAGE_ERRORS, DatabaseHeld, WorldLost
from server.store.together import Together
from world.timers import Priority

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from protocol.carriers import Plain
    from protocol.family import Codec
    from protocol.session import Link, Session
    from server.cluster.claims import Claims
    from server.edge.port import EdgeLink
    from server.edge.words import Adopt, Open, TakeUp
    from server.net.connection import Connection
    from server.net.gateway import Gateway
    from server.people.crossing import Host
    from server.store.records import AccountRow
    from server.store.writer import Storage
    from world.mobile import Mobile
    from world.world import World

T = TypeVar("T")
log = logging.getLogger("edge")

LOOK_SECONDS: Final = 0.5
"""From one look for who has which realm to the next, unless it hears of one before (`Crossings.given`)."""

AGAIN_SECONDS: Final = 0.2
"""From one question to a database that is away to the next."""

RELEASE_SECONDS: Final = 10.0
"""For which one is asked that has to hear something before the server may end. A world among others that does
not reach its database for as long ends anyway."""

SAW_SECONDS: Final = 60.0

STEPS: Final = 20
"""In which all players are written down, so that not all are in one turn."""


class Crossings:
    """The border of a world whose clients are at edges."""

    def __init__(
        self,
        host: Host,
        storage: Storage,
        claims: Claims,
        gateway: Gateway,
        *,
        start: Callable[[Callable[[], Awaitable[None]]], None],
        world: int,
        look: Callable[[Mapping[str, int]], Awaitable[None]],
    ) -> None:
        """`world` is its id; `look` hears now and then which living world has which realm."""
        self.owners: Mapping[str, int] = {}
        """Worlds by the realms that they have, other ones than this."""
        self._host = host
        self._storage = storage
        self._claims = claims
        self._accounts = Together(self._accounts_of)
        self._gateway = gateway
        self._world = world
        self._look = look
        self._given = trio.Event()
        """Set when it is to look at once."""
        self._saw: dict[int, tuple[float, Plain]] = {}
        """When clients of characters were cut off that linger here, and what these saw."""
        self._kept: set[int] = set()
        """Numbers of sessions of which edges were told, and of some that are gone."""
        self._kept_to = 0
        """The first of the steps since the world's time began (`STEPS`) that has not been done."""
        self.border = Border(
            host,
            storage,
            hand_over=self._hand_over,
            give_back=self._give_back,
            start=start,
            ready=self._ready,
            hold=self._hold,
            send=self._send,
        )

    async def look(self) -> None:
        """Keep knowing who has which realm, for ever."""
        while True:
            try:
                owners = await self._storage.read(Database.realm_owners)
                elsewhere = {realm: world for realm, world in owners.items() if world != self._world}
                # Those that are not heard of stay: who is on the way there is told that it is closed.
                self.owners = {**self.owners, **elsewhere}
                await self._look(owners)
            except Exception as error:
                log.warning("it is not known which worlds have which realms: %s", error)
            with trio.move_on_after(LOOK_SECONDS):
                await self._given.wait()
            self._given = trio.Event()

    def given(self) -> None:
        """Another world may have given this one a realm: look."""
        self._given.set()

    # Here

    def _ready(self, link: Link, realm: str | None) -> bool:
        return isinstance(link, RemoteConnection) and (realm is None or realm in self.owners)

    async def _hold(self, link: Link) -> bool:
        with trio.move_on_after(BACK_SECONDS) as patience:
            await _remote(link).hold()
        return not patience.cancelled_caught

    def _send(self, world: World, mobile: Mobile, realm: str) -> str:
        return self._claims.begin_transfer(world, mobile, self.owners[realm])

    async def _hand_over(self, carried: Carried, link: Link, codec: Codec) -> str:
        remote = _remote(link)
        frames = remote.unhandled()
        remote.move(self.owners[carried.to.realm], frames, msgspec.msgpack.encode(carried.plain()))
        remote.frames = frames
        with trio.move_on_after(BACK_SECONDS):
            await remote.moved.wait()
            if not remote.why:
                self._let_go(remote, link)
                return ""
        if await _answered(partial(self._claims.take_back, carried.transfer)):
            return remote.why or CLOSED
        self._let_go(remote, link)
        if remote.why:  # it was accepted there, and has not come in
            remote.link.say(End(remote.client, Ending.OUR_BUG, remote.why))
        return ""

    def _let_go(self, remote: Remote, link: Link) -> None:
        remote.leave()
        link.end(Ending.RELAYED, "went on in another world")

    async def _give_back(self, carried: Carried, link: Link, codec: Codec) -> None:
        remote = _remote(link)
        gone = remote.gone
        self._let_go(remote, link)
        edge = cast("EdgeLink", remote.link)
        edge.say(Return(remote.client, len(remote.frames)))
        back = attrs.evolve(carried, transfer="")
        try:
            after = await self._go_on(edge, remote.word, remote.frames, back, back=True)
        except BaseException as error:
            with trio.move_on_after(RELEASE_SECONDS, shield=True):
                await self._forgo(carried.serial)
            if not isinstance(error, Unwelcome):
                raise
            # Somebody else plays it by now, or there is no room left where it stood.
            log.info("%s cannot come back: %s", carried.character.name, error)
            edge.say(End(remote.client, Ending.REPLACED, str(error)))
            return
        if gone:
            after.end(Ending.CONNECTION_LOST, "closed by the client")

    # There

    async def welcome(self, edge: EdgeLink, word: Adopt) -> None:
        """Take a player in whom another world let go, and say whether it is here."""
        try:
            await self._take_in(edge, word)
        except Unwelcome as no:
            edge.say(Adopted(word.client, str(no) or CLOSED))
        except Exception:
            log.exception("%s cannot be taken in", word.game)
            edge.say(Adopted(word.client, CLOSED))
        else:
            edge.say(Adopted(word.client, ""))

    async def _take_in(self, edge: EdgeLink, word: Adopt) -> None:
        carried = Carried.of_plain(cast("dict[str, Plain]", msgspec.msgpack.decode(word.carried)))
        departures = self._host.characters.departures
        if departures.passing(carried.serial):
            raise Unwelcome(CLOSED)
        with departures.passes(carried.serial):
            await self._accept(edge, word, carried)

    async def _accept(self, edge: EdgeLink, word: Adopt, carried: Carried) -> None:
        await self._host.loop.in_world(None, lambda world: check(self._host, carried))
        state = await _answered(partial(self._as_it_is, carried.session))
        carried = attrs.evolve(carried, session=state)
        if await _answered(partial(self._claims.accept, carried.transfer)) is None:
            raise Unwelcome(CLOSED)
        try:
            await self._go_on(edge, word, word.frames, carried)
        except BaseException:
            with trio.move_on_after(RELEASE_SECONDS, shield=True):
                await self._forgo(carried.serial)
            raise

    async def _as_it_is(self, state: Mapping[str, Plain]) -> dict[str, Plain]:
        """The state of a session, with its account as that is by now: whoever changed it meanwhile found no
        session. Raises Played if its client may not go on, and what the database raises."""
        came = carrying.account_of(state)
        if came is None:
            raise Unwelcome(CLOSED)
        row = await self._accounts.answer(came.id)
        if why := self._host.accounts.objection(row, came):
            raise Played(why)
        return carrying.with_account(state, came if row is None else info_of(row))

    async def _accounts_of(self, numbers: Sequence[int]) -> list[AccountRow | None]:
        rows = await self._storage.read(partial(Database.accounts_of, numbers=numbers))
        return [rows.get(number) for number in numbers]

    async def _forgo(self, serial: int) -> None:
        """Give up a character that is this world's and cannot be here; but not if it is here already."""
        if not await self._host.loop.in_world(None, lambda world: serial in world.mobiles):
            await _answered(partial(self._claims.release, serial))

    async def go_on(self, edge: EdgeLink, word: TakeUp) -> None:
        """Go on with a player whose world is gone, and say whether it is here."""
        try:
            await self._take_up(edge, word)
        except (Unwelcome, Denied) as no:
            log.info("%s %d cannot go on here: %s", word.game, word.client, no)
            edge.say(Adopted(word.client, str(no) or CLOSED, isinstance(no, Played)))
        except Exception:
            log.exception("%s cannot be taken up", word.game)
            edge.say(Adopted(word.client, CLOSED))
        else:
            edge.say(Adopted(word.client, ""))

    async def _take_up(self, edge: EdgeLink, word: TakeUp) -> None:
        one = Kept.of_parts(word.kept)
        try:
            one = attrs.evolve(one, session=await self._as_it_is(one.session))
        except (DatabaseHeld, *STORAGE_ERRORS) as error:
            log.warning("it is not known who may go on here: %s", error)
            raise Unwelcome(CLOSED) from error
        if one.serial in self._saw:
            one = attrs.evolve(one, saw=self._saw.pop(one.serial)[1])
        remote = edge.brought(word)
        remote.twin.frames.extend(word.frames)
        number, attach, made = self._gateway.next_number(), *self._attaching(edge, remote)
        try:
            await go_on(self._host, one, [], number=number, codec=as_codec(remote.twin), attach=attach)
        except BaseException:
            edge.forget(word.client, remote)
            raise
        edge.serve(remote, made[0])

    def _attaching(
        self, edge: EdgeLink, remote: Remote
    ) -> tuple[Callable[[Session], None], list[Connection]]:
        """What gives a session its link, and the connection that this makes."""
        made: list[Connection] = []

        def attach(session: Session) -> None:
            remote.begun(session)
            made.append(self._gateway.adopt(session, remote, ports=edge.ports, kind=RemoteConnection))

        return attach, made

    def cut_off(self, session: Session) -> None:
        """Remember what a client sees whose edge is gone: it may come back with it, and knows less."""
        if is_here(session) and session.mobile is not None:
            now = trio.current_time()
            self._saw = {serial: one for serial, one in self._saw.items() if one[0] > now - SAW_SECONDS}
            self._saw[session.mobile.serial] = now, carrying.sees(session)

    def keep(self, world: World) -> None:
        """Tell edges from now on how another process can go on with their players, should this one end."""
        self._kept_to = self._step_of(world)
        world.timers.every(KEEP_SECONDS / STEPS, self._keep_some, world, priority=Priority.MS50)

    @staticmethod
    def _step_of(world: World) -> int:
        return int(world.now * STEPS / KEEP_SECONDS)

    def _keep_some(self, world: World) -> None:
        """Those whose turn it is, and who came in just now."""
        # A timer may come late; who was due meanwhile is due now.
        since, self._kept_to = self._kept_to, self._step_of(world)
        due = {step % STEPS for step in range(max(since, self._kept_to - STEPS), self._kept_to)}
        sessions, kept = self._host.loop.sessions, self._kept
        for number, session in sessions.items():
            if (
                (number % STEPS in due or number not in kept)
                and isinstance(session.link, RemoteConnection)
                and is_here(session)
            ):
                kept.add(number)
                self._keep(session)
        if len(kept) > 2 * len(sessions):
            kept &= sessions.keys()

    def _keep(self, session: Session) -> None:
        """One that cannot be written down costs the others nothing."""
        mobile = session.mobile
        if mobile is None or mobile.realm is None:
            return
        try:
            login = self._host.accounts.login_of(mobile.account)
            _remote(session.link).keep(mobile, mobile.realm, login)
        except Exception:
            log.exception("%r cannot be kept", session)

    # The end

    async def part(self, realm: str = "", then: Callable[[World], None] = lambda _: None) -> bool:
        """The server stops, or a realm goes to another world: let all players go, or those there, whom an
        edge can keep until another process goes on. `then` is called in the same input of the world. If the
        server stops: False if the database does not take what they are by now, so that it may be lost."""
        if not realm and self._storage.lost:
            return False
        sessions = self._host.loop.sessions

        def is_leaving(session: Session) -> bool:
            here = session.mobile.realm if session.mobile is not None else None
            return (
                is_here(session) and self.border.ready(session) and (not realm or here is realms.get(realm))
            )

        realms = self._host.loop.world.realms
        async with trio.open_nursery() as nursery:
            for session in sessions.values():
                if is_leaving(session):
                    nursery.start_soon(self._hold, session.link)

        def freeze_them(world: World) -> list[tuple[Link, Carried]]:
            leaving, links = [], {}
            for session in list(sessions.values()):
                mobile = session.mobile
                if not is_leaving(session) or mobile is None or mobile.realm is None:
                    continue
                if not _remote(session.link).kept:
                    self._keep(session)  # it came in just now
                leaving.append((session, Spot(mobile.realm.name, mobile.x, mobile.y)))
                links[session.id] = session.link
            frozen = freeze_all(self._host, leaving)
            then(world)
            return [(links[session.id], carried) for session, carried in frozen]

        frozen = await self._host.loop.in_world(None, freeze_them)
        with trio.move_on_after(math.inf if realm else RELEASE_SECONDS) as patience:
            await self._storage.wait_durable()
        if patience.cancelled_caught:
            log.error("%d players are left at their edges as they were written last", len(frozen))
            return False
        for link, carried in frozen:
            remote = _remote(link)
            remote.part(parted(carried), carried.frames + remote.unhandled())
            self._let_go(remote, link)
        log.info("%d players are left at their edges", len(frozen))
        return True

    async def _go_on(
        self,
        edge: EdgeLink,
        word: Open | Adopt | TakeUp,
        frames: list[bytes],
        carried: Carried,
        *,
        back: bool = False,
    ) -> Connection:
        """Raises Unwelcome."""
        remote = edge.brought(word)
        remote.twin.frames.extend(frames)
        number, attach, made = self._gateway.next_number(), *self._attaching(edge, remote)

        def go_on(_: World) -> None:
            codec = as_codec(remote.twin)
            thaw(self._host, carried, number=number, codec=codec, attach=attach, back=back)

        try:
            await self._host.loop.in_world(None, go_on)
        except Unwelcome:
            edge.forget(word.client, remote)
            raise
        edge.serve(remote, made[0])
        return made[0]


async def _answered(ask: Callable[[], Awaitable[T]]) -> T:
    """Ask the database until it answers. While it is away nobody else gets the player either; and whoever
    asks again is answered the same. Raises WorldLost."""
    while True:
        try:
            return await ask()
        except WorldLost:
            raise
        except (DatabaseHeld, *STORAGE_ERRORS) as error:
            log.warning("a player waits at the border for the database: %s", error)
            await trio.sleep(AGAIN_SECONDS)


def _remote(link: Link) -> Remote:
    connection = cast("RemoteConnection", link)
    return connection.remote
