"""Over a border: a player's character goes to a realm of another world while its client stays connected.

The problem: two worlds must not both have a character, nor neither, and its client is to see an ordinary
warp. The idea: it is frozen in one input of its world's turn. What binds it there is ended and told,
everything its client sees is taken away, and then all of it is in one value (`Carried`) and nowhere else:
state of the session, of the character, its rows, and packets that waited. What comes meanwhile waits, too.
When the rows are on disk, `hand_over` has another world take it, which thaws it in one input of its own turn:
the client reads that it was warped and is shown what is there. If that world refuses, the same value is
thawed where it came from, and the player reads why.

How a `Carried` comes to another process, and which of two worlds has the character by right, is not known
here. Creatures and things never cross, and whoever follows a character stays.
"""

from __future__ import annotations

import logging
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, cast

import attrs
import trio

from protocol import carrying
from protocol.denials import Denied
from protocol.endings import Ending, WireError
from protocol.session import NO_LINK, Phase
from server.people import arrivals
from server.people.abroad import Abroad
from server.people.presence import REPLACED
from server.turn.calls import SessionGone
from server.turn.rendering import Rendering
from world import audience, company, motion, party_memory, passage, quests, weather
from world.events import GuildChanged, Warped, Why
from world.item import Item
from world.newcomers import kept_items
from world.snapshot import CharacterParts, CharacterRow, ItemRow, RecordRow, character_row, item_row
from world.space import Sight
from world.speech import notice

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping
    from typing import Self

    from protocol.carriers import Plain
    from protocol.family import Codec, Family
    from protocol.services import Services
    from protocol.session import Link, Session
    from server.people.accounts import AccountService
    from server.people.characters import CharacterService
    from server.store.writer import Storage
    from server.turn.loop import Loop
    from world.mobile import Mobile, Viewport
    from world.realm import Realm
    from world.space import Sight
    from world.world import World

log = logging.getLogger("world")

SCHEMA: Final = 4
"""Of what a `Carried` has beside the session's state."""

CLOSED: Final = "The way is closed now."

Send: TypeAlias = "Callable[[World, Mobile, str], str]"
"""Gives the rows of a character away to the world that has a realm; the name under which it did."""


class Unwelcome(Exception):
    """A world does not take what comes over a border; the message says why, for its player."""


@attrs.frozen
class Spot:
    """A tile of a realm by its key; the realm may be another world's."""

    realm: str
    x: int
    y: int


@attrs.frozen
class Carried:
    """A player between two worlds: all there is of it."""

    to: Spot
    origin: Spot
    """Where it stood, and stands again if nobody takes it."""
    sky: str
    """Weather that its client shows, a value of `world.realm.Weather`."""
    sight: int
    """Radius of its field of view in tiles."""
    in_party: bool
    in_guild: bool
    session: dict[str, Plain]
    """See `protocol.carrying.carried`."""
    on_it: dict[str, Plain]
    """See `world.passage.taken`."""
    character: CharacterRow
    """As in `world.snapshot`, with its lists, but at the place where it goes."""
    items: list[ItemRow]
    frames: list[bytes]
    """Packets that waited, oldest first."""
    transfer: str = ""
    """Under which its rows were given away; empty where there is one database for each world."""
    login: int = 0
    """Number of the login by which it is played; 0 where there is one database for each world."""

    @property
    def serial(self) -> int:
        """Of the character."""
        return self.character.serial

    @property
    def game(self) -> str:
        """Through which it is played."""
        return cast("str", self.session["game"])

    @property
    def door(self) -> str:
        """Of that game through which its client came."""
        return cast("str", cast("dict[str, Plain]", self.session["common"])["door"])

    def plain(self) -> dict[str, Plain]:
        """All of it as plain values, for a message."""
        values = attrs.asdict(self, recurse=False)
        *columns, parts = self.character
        values["to"], values["origin"] = [[*attrs.astuple(spot)] for spot in (self.to, self.origin)]
        values["character"] = [columns, [[row and [*row] for row in part] for part in parts]]  # type: ignore[attr-defined] # rows of parts
        values["items"] = [[*row] for row in self.items]
        return {"schema": SCHEMA, **values}

    @classmethod
    def of_plain(cls, values: Mapping[str, Plain]) -> Self:
        """Read a value that `plain` wrote. Raises Unwelcome for another schema."""
        if values.get("schema") != SCHEMA:
            raise Unwelcome(CLOSED)
        held = {name: value for name, value in values.items() if name != "schema"}
        held["to"], held["origin"] = (Spot(*held[name]) for name in ("to", "origin"))  # type: ignore[assignment, misc] # read as written
        columns, parts = cast("tuple[list[object], list[list[list[object] | None]]]", held["character"])
        *rows, following = (tuple(row and tuple(row) for row in part) for part in parts)
        records = tuple(RecordRow(table, tuple(row)) for table, row in following)  # type: ignore[misc, arg-type] # the same
        made = CharacterParts(*rows)._replace(records=records)  # type: ignore[arg-type] # read as written
        held["character"] = CharacterRow((*columns, made))  # type: ignore[assignment] # the same
        held["items"] = [ItemRow(*row) for row in cast("list[list[object]]", held["items"])]  # type: ignore[arg-type] # read as written
        return cls(**held)  # type: ignore[arg-type] # read as written


class Brought(Protocol):
    """A player who comes, as far as `tell` asks for it."""

    @property
    def origin(self) -> Spot:
        """See `Carried`, as for the others."""

    @property
    def sky(self) -> str:
        """A value of `world.realm.Weather`."""

    @property
    def in_party(self) -> bool: ...
    @property
    def in_guild(self) -> bool: ...


@attrs.frozen
class Host:
    """The world on one side of a border, as far as whoever comes and goes needs it."""

    loop: Loop
    characters: CharacterService
    accounts: AccountService
    families: Mapping[str, Family]
    services: Services
    closed: Callable[[], str]
    """Why nobody may come in now; empty if they may."""
    abroad: Abroad = attrs.field(factory=Abroad)
    """From where those come who go over the border."""


class Server(Protocol):
    """A running server with a world (`server.boot.app.App`), as far as a border goes."""

    loop: Loop
    characters: CharacterService
    accounts: AccountService
    families: Mapping[str, Family]

    @property
    def closed(self) -> str:
        """Why nobody may come in now; empty if they may."""


def host_of(server: Server) -> Host:
    """One side of a border: the world of a server."""
    services = cast("Services", server)
    return Host(
        server.loop, server.characters, server.accounts, server.families, services, lambda: server.closed
    )


def freeze(host: Host, session: Session, to: Spot, send: Send | None = None) -> Carried | None:
    """Take a player out of its world; see `freeze_all`. None, with nothing changed, if it plays nobody or
    loads."""
    frozen = freeze_all(host, [(session, to)], send)
    return frozen[0][1] if frozen else None


def freeze_all(
    host: Host, leaving: Iterable[tuple[Session, Spot]], send: Send | None = None
) -> list[tuple[Session, Carried]]:
    """Take players out of their world, each to where it goes, in the world task. Their clients have been sent
    all that was queued, and believe in nothing but themselves; their sessions are none any more. Left out,
    with nothing changed, are those who play nobody or load. `send` gives their rows away with the next batch;
    else they are written."""
    going = []
    for session, to in leaving:
        mobile = session.mobile
        if not is_here(session) or mobile is None or mobile.realm is None or session.viewport is None:
            continue
        going.append((session, to, mobile, mobile.party is not None, mobile.guild is not None))
        passage.prepare(mobile)
        carrying.leave(session)
    host.loop.tell()
    # All see nobody before the first of them is gone: it is not told to each of the others.
    for session, *_ in going:
        _blind(session)
        session.flush()
    return [
        (session, _taken_out(host, session, mobile, to, party=party, guild=guild, send=send))
        for session, to, mobile, party, guild in going
    ]


def _taken_out(
    host: Host, session: Session, mobile: Mobile, to: Spot, *, party: bool, guild: bool, send: Send | None
) -> Carried:
    world, realm, viewport = host.loop.world, cast("Realm", mobile.realm), cast("Viewport", session.viewport)
    row = character_row(mobile)._replace(realm=to.realm, x=to.x, y=to.y, z=0)
    carried = Carried(
        to=to,
        origin=Spot(realm.name, mobile.x, mobile.y),
        sky=realm.weather.value,
        sight=viewport.sight.radius,
        in_party=party,
        in_guild=guild,
        session=carrying.carried(session),
        on_it=passage.taken(mobile),
        character=row,
        items=[item_row(item) for item in kept_items(mobile)],
        frames=carrying.frames_waiting(session),
        login=host.accounts.login_of(mobile.account),
    )
    if send is not None:
        carried = attrs.evolve(carried, transfer=send(world, mobile, to.realm))
    host.characters.part(world, session, given_away=send is not None)
    host.loop.sessions.pop(session.id, None)
    host.accounts.release(session)
    carrying.gone(session)
    if session.clock is not None:
        session.clock.cancel()
    session.link = NO_LINK
    return carried


def is_here(session: Session) -> bool:
    """Whether a session plays somebody and shows the world, so that it can go over a border."""
    return (
        session.phase is Phase.IN_WORLD
        and not session.loading
        and session.mobile is not None
        and session.mobile.viewport is session.viewport
    )


def _blind(session: Session) -> None:
    """Take away all that a client sees, as a warp does."""
    view, known = session.family.view, session.known
    for thing in list(known.values()):
        if isinstance(thing, Item):
            view.forget(session, thing)
        if not (view.loads_on_warp and view.forgets_by_loading):
            Rendering(thing, lambda view, *group, thing=thing: view.hide(thing, Why.WARPED, *group)).queue(
                session
            )
    known.clear()


def thaw(
    host: Host,
    carried: Carried,
    *,
    number: int,
    codec: Codec,
    attach: Callable[[Session], None],
    back: bool = False,
) -> Session:
    """Have a frozen player go on in this world, in the world task: it stands where it goes, its client is
    told that it was warped there, and packets that waited are handled next. `number`: of the new session;
    `codec`: that of its connection; `attach` gives the session its link; `back`: see `check`. Raises
    Unwelcome, with nothing changed, if it cannot be here."""
    family, place = check(host, carried, back=back)
    world = host.loop.world
    try:
        mobile = arrivals.restore(world, (carried.character._replace(realm=place[0].name), carried.items))
    except Denied as denied:
        raise Unwelcome(CLOSED) from denied
    session = resumed(
        host, family, carried.session, login=carried.login, number=number, codec=codec, attach=attach
    )
    host.characters.come(world, session, mobile, place, sight_of(session, carried.sight))
    passage.given(mobile, carried.on_it)
    carrying.arrive(session, mobile, carried.session)
    tell(host, mobile, carried)
    carrying.put_back(session, carried.frames)
    host.loop.ready(session)
    return session


def resumed(
    host: Host,
    family: Family,
    state: dict[str, Plain],
    *,
    login: int,
    number: int,
    codec: Codec,
    attach: Callable[[Session], None],
) -> Session:
    """Make a session of this world of the state of one that was (`protocol.carrying.carried`), in the world
    task. It plays its account, by a login of that number, and nobody yet. The other arguments are those of
    `thaw`."""
    door = cast("str", cast("dict[str, Plain]", state["common"])["door"])
    session = family.doors[door].session(
        number=number,
        family=family,
        door=door,
        peer="",
        local="",
        codec=codec,
        services=host.services,
    )
    carrying.resume(session, state)
    attach(session)
    host.loop.sessions[session.id] = session
    if session.account is not None and session.claimed:
        host.accounts.comes(session, session.account, login)
    return session


def sight_of(session: Session, radius: int) -> Sight:
    """The field of view of a resumed session: its game's shape, or as wide as it was."""
    shape = session.family.view.sight(session)
    return shape if shape.shape is not None else attrs.evolve(shape, radius=radius)


def check(host: Host, carried: Carried, *, back: bool = False) -> tuple[Family, tuple[Realm, int, int]]:
    """Look whether a player can come, or come `back`, for which the world needs not be open. Returns its
    game, and where it will stand. Raises Unwelcome."""
    world, family = host.loop.world, host.families.get(carried.game)
    realm = world.realms.get(carried.to.realm)
    shut = not back and host.closed()
    if shut or family is None or realm is None or carried.door not in family.doors:
        raise Unwelcome(CLOSED)
    if host.accounts.is_older(carried.character.account, carried.login):
        raise Unwelcome(REPLACED)
    spot = next(realm.free_near(carried.to.x, carried.to.y), None)
    if spot is None:
        raise Unwelcome("There is no room on the other side.")
    if not host.characters.may_come(world, carried.serial) or any(
        row.serial in world.items for row in carried.items
    ):
        log.error("%s cannot come over the border: it is here already", carried.character.name)
        raise Unwelcome(CLOSED)
    if why := carrying.refused(family, carried.session):
        log.error("%s cannot come over the border: %s", carried.character.name, why)
        raise Unwelcome(CLOSED)
    return family, (realm, *spot)


def tell(host: Host, mobile: Mobile, carried: Brought) -> None:
    """Tell what a warp tells, and what a character that comes in has to know."""
    world, here = host.loop.world, mobile.realm
    if here is None:
        return
    origin = host.abroad.realm(world.content, carried.origin.realm, carried.sky) or here
    world.events.append(Warped(mobile, origin, carried.origin.x, carried.origin.y, ()))
    weather.show(mobile, origin)
    quests.go_on(mobile)
    company.came(mobile, again=True, over=True)
    # What it had over there and has not here its window shows no more.
    if carried.in_party and mobile.party is None:
        party_memory.unknown(mobile)
    if carried.in_guild and mobile.guild is None:
        world.events.append(GuildChanged(mobile, None, audience.one(mobile)))


def _say(world: World, serial: int, why: str) -> None:
    mobile = world.mobiles.get(serial)
    if mobile is not None:
        notice(mobile, why)


class Border:
    """Takes players out of one world and into it. `hand_over` has another world take one whose rows are on
    disk: it gets the link of the connection as well, and returns why not, or nothing if it is done."""

    def __init__(
        self,
        host: Host,
        storage: Storage,
        *,
        hand_over: Callable[[Carried, Link, Codec], Awaitable[str]],
        give_back: Callable[[Carried, Link, Codec], Awaitable[None]],
        start: Callable[[Callable[[], Awaitable[None]]], None],
        ready: Callable[[Link, str | None], bool] = lambda *_: True,
        hold: Callable[[Link], Awaitable[bool]] | None = None,
        send: Send | None = None,
    ) -> None:
        """`give_back` thaws one here whom nobody took; `start` runs a job that outlives its client. `ready`
        says whether a connection can go on in a world with that realm (None: in any), `hold` has it say
        nothing more before its player is frozen, and `send` gives that one's rows away, under a name that it
        returns."""
        self._host = host
        self._storage = storage
        self._hand_over = hand_over
        self._give_back = give_back
        self._start = start
        self._ready = ready
        self._hold = hold
        self._send = send
        self._going: set[int] = set()
        """Sessions that are about to go."""

    def ready(self, session: Session) -> bool:
        """Whether a client is where it can go over a border from."""
        return self._ready(session.link, None)

    def cross(self, mobile: Mobile, realm: str, x: int, y: int) -> bool:
        """See `World.cross`."""
        viewport = mobile.viewport
        session = self._host.loop.sessions.get(viewport.key) if viewport is not None else None
        if session is None or not is_here(session) or not self._ready(session.link, realm):
            notice(mobile, CLOSED)
            return False
        if session.id in self._going:
            return True
        over = trio.Event()
        try:
            session.later(over.wait)  # whatever its client says now, it says there
        except (WireError, RuntimeError):
            notice(mobile, CLOSED)
            return False
        motion.halt(mobile)
        self._going.add(session.id)
        self._start(partial(self._go, session, Spot(realm, x, y), over))
        return True

    async def _go(self, session: Session, to: Spot, over: trio.Event) -> None:
        link, codec, passes = session.link, session.codec, ExitStack()
        try:
            if self._hold is not None and not await self._hold(link):
                log.error("%r cannot cross: its edge does not hold", session)
                link.end(Ending.CONNECTION_LOST, "its edge does not answer")
                return
            carried = await self._host.loop.in_world(session, lambda world: self._freeze(session, to, passes))
            if carried is None:
                return
            log.info("%s goes over the border to %s", carried.character.name, to.realm)
            await self._storage.wait_durable()
            why = await self._hand_over(carried, link, codec)
            if why:
                log.info("%s comes back from the border: %s", carried.character.name, why)
                back = attrs.evolve(carried, to=carried.origin)
                await self._give_back(back, link, codec)
                await self._host.loop.in_world(None, lambda world: _say(world, carried.serial, why))
        except SessionGone:
            return
        except Exception:
            # Its character is in the database, whoever has it there.
            log.exception("%r was lost at the border", session)
            link.end(Ending.OUR_BUG, "at the border")
        finally:
            passes.close()
            self._going.discard(session.id)
            over.set()

    def _freeze(self, session: Session, to: Spot, passes: ExitStack) -> Carried | None:
        """As `freeze`; and nobody has the character meanwhile, until `passes` is closed."""
        carried = freeze(self._host, session, to, self._send)
        if carried is not None:
            passes.enter_context(self._host.characters.departures.passes(carried.serial))
        return carried
