"""Players whose world ends: their clients' edge keeps them, and the world that has their realm next goes on.

The problem: a world may end at any moment, and its clients are to go on in the next process that has their
realm, on the connections that they have. The idea: what only the world knows of a client beside its rows is
told to its edge now and then (`Keeper`), of all its parts those that have changed; and whoever goes on takes
the character from the database, as at a login, and the session from that value (`go_on`). A world that ends
in order tells it last of all, with everything taken away from the client that it saw
(`server.people.crossing.freeze`); after a crash it may be as old as `KEEP_SECONDS`, and the client is told
that what it saw is gone.

Rows never go by way of an edge: what was changed meanwhile stands in the database alone.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, cast

import attrs
import msgspec

from protocol import carrying
from protocol.denials import Denied
from server.people import arrivals
from server.people.crossing import CLOSED, Spot, Unwelcome, resumed, sight_of, tell
from server.people.presence import REPLACED
from server.store.errors import Outplayed
from world import passage
from world.speech import notice

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Self

    from protocol.carriers import Plain
    from protocol.family import Codec
    from protocol.session import Session
    from server.people.crossing import Carried, Host
    from server.people.neighbours import Rows
    from world.mobile import Mobile
    from world.realm import Realm
    from world.world import World

log = logging.getLogger("world")

SCHEMA: Final = 4
"""Of what a `Kept` has beside the session's state."""

KEEP_SECONDS: Final = 3.0
"""From one time that an edge is told of a client to the next."""

AWAY: Final = "The world is away for a moment. Please wait."
GONE: Final = "The world does not come back."
SAID: Final = (AWAY, GONE, REPLACED)
"""What a client's edge says when there is no world to say it, in this order."""
BACK: Final = "The world is back."


class Played(Unwelcome):
    """Somebody plays it by now, as its account's newest session."""


@attrs.frozen
class Kept:
    """A player as its edge keeps it: what its rows do not say."""

    serial: int
    account: int
    origin: Spot
    """Where it stood."""
    sky: str
    sight: int
    in_party: bool
    in_guild: bool
    session: dict[str, Plain]
    on_it: dict[str, Plain]
    """See `server.people.crossing.Carried`, as of the five before."""
    saw: Plain
    """What its client saw (`protocol.carrying.sees`); None if all was taken away."""
    parted: bool
    """Whether it was let go in order."""
    login: int
    """See `server.people.crossing.Carried`."""

    @property
    def game(self) -> str:
        """Through which it is played."""
        return cast("str", self.session["game"])

    def parts(self) -> dict[str, bytes]:
        """All of it in parts by name, packed for a message."""
        who = [SCHEMA, *(getattr(self, name) for name in _WHO), [*attrs.astuple(self.origin)]]
        parts: dict[str, Plain] = {"who": who, "on_it": self.on_it, "saw": self.saw, "session": self.session}
        return {name: _PACK(part) for name, part in parts.items()}

    @classmethod
    def of_parts(cls, packed: Mapping[str, bytes]) -> Self:
        """Read all that `parts` or a `Keeper` wrote, of each part the last one. Raises Unwelcome for another
        schema."""
        parts = {name: _UNPACK(part) for name, part in packed.items()}
        schema, *who, origin = parts["who"]
        if schema != SCHEMA:
            raise Unwelcome(CLOSED)
        return cls(
            **dict(zip(_WHO, who, strict=True)),
            origin=Spot(*origin),
            session=parts["session"] if "session" in parts else carrying.whole(parts),
            on_it=parts["on_it"],
            saw=parts["saw"],
        )


_WHO: Final = ("serial", "account", "sky", "sight", "in_party", "in_guild", "login", "parted")
_PACK: Final = msgspec.msgpack.Encoder().encode
_UNPACK: Final = msgspec.msgpack.Decoder().decode


class Keeper:
    """Knows what an edge was told of one player that goes on here, in case its world ends, so that it is told
    only what has changed."""

    __slots__ = ("_session", "_state", "_told")

    def __init__(self, session: Session) -> None:
        self._session = session
        self._state = carrying.Diary(session)
        self._told: dict[str, Plain] = {}

    def changed(self, mobile: Mobile, realm: Realm, login: int) -> dict[str, bytes]:
        """Write down those parts of a `Kept` that have changed since this was asked last; all of them the
        first time. `mobile` is the session's, stands in `realm`, and is played by a login of that number."""
        session, told = self._session, self._told
        sight = session.viewport.sight.radius if session.viewport is not None else 0
        company = mobile.party is not None, mobile.guild is not None
        sky = realm.weather.value
        origin: Plain = [realm.name, mobile.x, mobile.y]
        changed = self._state.write()
        parts: dict[str, Plain] = {
            "who": [SCHEMA, mobile.serial, mobile.account, sky, sight, *company, login, False, origin],
            "on_it": passage.taken(mobile),
            "saw": carrying.sees(session),
        }
        for name, part in parts.items():
            if name not in told or told[name] != part:
                changed[name] = told[name] = part
        return {name: _PACK(part) for name, part in changed.items()}


def parted(carried: Carried) -> Kept:
    """Write down a player who was frozen, and whose rows were written."""
    return Kept(
        serial=carried.serial,
        account=carried.character.account,
        origin=carried.origin,
        sky=carried.sky,
        sight=carried.sight,
        in_party=carried.in_party,
        in_guild=carried.in_guild,
        session=carried.session,
        on_it=carried.on_it,
        saw=None,
        parted=True,
        login=carried.login,
    )


async def go_on(
    host: Host,
    one: Kept,
    frames: list[bytes],
    *,
    number: int,
    codec: Codec,
    attach: Callable[[Session], None],
) -> None:
    """Go on with a player whose world is gone: it stands where its rows say, or where it lingers here. The
    arguments are those of `server.people.crossing.thaw`. Raises Unwelcome, with nothing changed, if it cannot
    be here now, Played if it never can be, and Denied as a login."""
    family = host.families.get(one.game)
    if family is None:
        raise Unwelcome(CLOSED)
    if why := carrying.refused(family, one.session):
        log.error("character %#x cannot go on here: %s", one.serial, why)
        raise Unwelcome(CLOSED)

    def arrive(world: World, rows: Rows | None) -> bool:
        if host.closed():
            raise Unwelcome(CLOSED)
        mobile, place = world.mobiles.get(one.serial), None
        if mobile is None:
            if rows is None:
                return False
            mobile, place = _restored(world, rows)
        elif mobile.online:
            raise Played(REPLACED)
        session = resumed(
            host, family, one.session, login=one.login, number=number, codec=codec, attach=attach
        )
        host.characters.come(world, session, mobile, place, sight_of(session, one.sight))
        if place is not None:
            passage.given(mobile, one.on_it)
        _show(host, session, mobile, one)
        carrying.put_back(session, frames)
        host.loop.ready(session)
        log.info("%s goes on here", mobile.name)
        return True

    try:
        await host.characters.with_rows(arrive, None, one.serial, one.account, login=one.login)
    except Denied as denied:
        if isinstance(denied.__cause__, Outplayed):
            raise Played(REPLACED) from denied
        raise


def _show(host: Host, session: Session, mobile: Mobile, one: Kept) -> None:
    """Take away what its client saw, unless that is done, and have it see what is here."""
    if not one.parted:
        carrying.lost(session, one.saw)
    carrying.arrive(session, mobile, one.session)
    tell(host, mobile, one)
    notice(mobile, BACK)


def _restored(world: World, rows: Rows) -> tuple[Mobile, tuple[Realm, int, int]]:
    """A character of its rows, and where it can stand. Raises Unwelcome."""
    row = rows[0]
    realm = world.realms.get(row.realm or "")
    spot = next(realm.free_near(cast("int", row.x), cast("int", row.y)), None) if realm is not None else None
    if realm is None or spot is None:
        raise Unwelcome(CLOSED)
    try:
        return arrivals.restore(world, rows), (realm, *spot)
    except Denied as denied:
        raise Unwelcome(CLOSED) from denied
