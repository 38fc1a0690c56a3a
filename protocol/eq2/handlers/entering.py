"""From the key of the login server into the world: what a client is told while its loading screen is up.

    client                          server
    LoginByNum                      LoginReply, bars, macros, words, commands; ZoneInfo        ZONING
    ZoneResourcesDone               what is around, EntitiesSent                               SHOWN
    EntityResourcesLoaded           its own character, sheet, books, bags                      OWN
    UiLoaded                        books and bags again, UiLoaded                             READY

Some clients leave out one of the first two. So what is around is sent with the first of them, or some seconds
after ZoneInfo; its own character with the second, or with the first if that is the only one to come. A client
must not hear of anything that it has no ghost of, so until it is READY the turn sends it nothing.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final
from weakref import ref

from protocol.denials import Denied
from protocol.endings import Ending, Refused
from protocol.eq2 import acquaintances, guilds
from protocol.eq2.belongings import Belongings, Worn
from protocol.eq2.figures import NAMING
from protocol.eq2.handlers.characters import CHARACTER_NOTE, LEFT_NOTE, issue_key, share_key
from protocol.eq2.handlers.login import login_denied
from protocol.eq2.handlers.looking import aim_at
from protocol.eq2.handlers.table import NAMES, ROWS, WORLD_DOOR, require_door
from protocol.eq2.journals import whole
from protocol.eq2.packets import (
    BioUpdate,
    ChangeZone,
    EntitiesSent,
    EntityResourcesLoaded,
    FactionUpdate,
    FlightPaths,
    GameWorldTime,
    Inventory,
    KnowledgeSlots,
    KnownLanguages,
    LoginByNum,
    LoginCode,
    LoginReply,
    MacroInit,
    Motd,
    PlacementCriteria,
    QuickbarInit,
    ReadyToZone,
    RemoteCmds,
    SkillBook,
    SpellBook,
    TitleUpdate,
    UiLoaded,
    ZoneInfo,
    ZoneResourcesDone,
)
from protocol.eq2.session import ZoneStage
from protocol.eq2.view import Eq2View
from protocol.hours import every_hour
from protocol.session import Phase
from world import journals, motion
from world.audience import Relation
from world.daytime import daytime
from world.timers import Priority

if TYPE_CHECKING:
    from protocol.eq2.session import Eq2Session
    from world.mobile import Mobile
    from world.thing import Surroundings

log = logging.getLogger("net.eq2")

LOADING_SECONDS: Final = 3.0
"""After ZoneInfo, for clients that do not say that they have loaded the zone."""

FIRST_YEAR, YEARS, MONTHS, DAYS = 3800, 200, 12, 30
"""The calendar that clients are shown: years of twelve months of thirty days, after two hundred of them from
the beginning again."""

_NEW: Final = frozenset({Phase.GREETING, Phase.LOGIN})


@ROWS.on(LoginByNum, during=_NEW, secret=True)
async def enter(session: Eq2Session, packet: LoginByNum) -> None:
    """LoginByNum: the key of the login server, or of the zone that the client comes from. Raises Refused if
    the version is not known, the key is not good or the character cannot enter."""
    require_door(session, WORLD_DOOR)
    services = session.services
    session.phase = Phase.LOGIN
    version = Eq2View.of(session).versions.of_number(packet.version)
    if version is None:
        raise Refused(f"client version {packet.version}", LoginReply(code=LoginCode.VERSION_MISMATCH))
    session.version = version
    key = packet.access_code.to_bytes(4, "big")
    try:
        ticket = await services.tickets.redeem(session, key, str(packet.account_id), "")
    except Denied as denied:
        raise Refused(str(denied), login_denied(denied)) from None
    _let_go(ticket.notes.get(LEFT_NOTE))
    session.account = ticket.account
    session.access_code = packet.access_code
    await services.accounts.claim(session, ticket.account)
    serial = ticket.notes.get(CHARACTER_NOTE)
    log.debug("%s continues as %s, client %d", session.peer, ticket.account.name, packet.version)
    try:
        await services.characters.enter(
            session, serial if isinstance(serial, int) else 0, partial(welcome, session)
        )
    except Denied as denied:
        raise Refused(str(denied), login_denied(denied)) from None


def _let_go(left: object) -> None:
    """The connection that the client comes from has done its work, and may not know yet that it is left."""
    before = left() if isinstance(left, ref) else None
    if before is not None:
        before.end(Ending.RELAYED, "went on")


def welcome(session: Eq2Session, mobile: Mobile) -> None:
    """The character stands in the world: tell its client which zone to load. Nothing of the world until it
    has."""
    places = Eq2View.of(session).places
    places.forget(mobile)
    Eq2View.of(session).figures.lead(mobile, 0)
    aim_at(session, mobile, None)  # whoever played it before may have aimed at something
    atlas, place = places.atlas(mobile.realm), places.of(mobile)
    if atlas is None or place is None:
        session.send(LoginReply(code=LoginCode.MISSING_FEATURES))
        session.end(Ending.REFUSED, f"{mobile.name} stands where EverQuest II has no zone")
        return
    motion.halt(mobile)
    session.phase = Phase.IN_WORLD
    session.loading = True
    session.stage = ZoneStage.ZONING
    session.zone = atlas.zone
    session.rezone = partial(rezone, ref(session))
    name, time = session.services.server_name, clock(mobile.world)
    session.send(
        LoginReply(code=LoginCode.OK),
        QuickbarInit(),
        MacroInit(),
        Motd(text=f"Welcome to {name}, {mobile.name}."),
        RemoteCmds(names=NAMES),
        KnownLanguages(),
        BioUpdate(),
        FactionUpdate(),
        ZoneInfo(
            server=name,
            server_label=name,
            zone=atlas.zone,
            zone_again=atlas.zone,
            zone_description=atlas.description,
            character=NAMING.of(mobile),
            x=place.x,
            y=place.y,
            z=place.z,
            year=time.year,
            month=time.month,
            day=time.day,
            hour=time.hour,
            minute=time.minute,
        ),
        FlightPaths(),
    )
    session.queue(*acquaintances.as_they_are(mobile, Eq2View.of(session).figures))
    session.fallback = mobile.world.timers.after(
        LOADING_SECONDS, _show_late, ref(session), priority=Priority.MS250, owner=mobile
    )


@ROWS.on(ZoneResourcesDone, during=Phase.IN_WORLD)
def zone_is_loaded(session: Eq2Session, packet: ZoneResourcesDone) -> None:
    """ZoneResourcesDone: the zone's files are loaded. Once is enough."""
    _show_around(session)


@ROWS.on(EntityResourcesLoaded, during=Phase.IN_WORLD)
def models_are_loaded(session: Eq2Session, packet: EntityResourcesLoaded) -> None:
    """EntityResourcesLoaded: the models of what is around, too. Once is enough."""
    _show_around(session)
    _show_own(session)


@ROWS.on(UiLoaded, during=Phase.IN_WORLD)
def windows_are_loaded(session: Eq2Session, packet: UiLoaded) -> None:
    """UiLoaded: all is loaded. The same word takes the loading screen away."""
    if session.stage is ZoneStage.READY:
        session.send(UiLoaded())  # it may not have heard
        return
    _show_around(session)
    _show_own(session)
    if session.stage is not ZoneStage.OWN or session.mobile is None:
        return
    session.send(SpellBook(count=0, packed=b""))
    _send_inventory(session)
    session.send(UiLoaded())
    # What became of its own character while it loaded, nobody has told it yet.
    session.queue(*Eq2View.of(session).changed(session.mobile, ~0, Relation.SELF, session.version))
    if session.mobile.dead:
        session.queue(*Eq2View.of(session).dead(session.version))
    if kept := journals.entries(session.mobile):
        session.queue(*whole(Eq2View.of(session).figures, session.mobile, kept))
    session.queue(*guilds.as_it_is(Eq2View.of(session), session.mobile, session.version))
    session.stage = ZoneStage.READY
    session.loading = False
    session.blind = True
    session.untidy = True
    every_hour(session, tell_time)


def clock(world: Surroundings) -> GameWorldTime:
    """The time in the world, in the game's calendar."""
    now = daytime(world)
    months, day = divmod(now.day, DAYS)
    years, month = divmod(months, MONTHS)
    return GameWorldTime(
        year=FIRST_YEAR + years % YEARS, month=month + 1, day=day + 1, hour=now.hour, minute=now.minute
    )


def tell_time(session: Eq2Session) -> None:
    """The hour is over: set the client's clock right. One that loads another zone is told with that."""
    if session.stage is ZoneStage.READY:
        session.send(clock(session.world))


def _show_late(reference: ref[Eq2Session]) -> None:
    """The client has not said that it loaded the zone: it is one that does not say so, or not in this
    order."""
    session = reference()
    if session is not None:
        session.fallback = None
        _show_around(session)
        _show_own(session)


def _show_around(session: Eq2Session) -> None:
    """Send what is around, and that this was all; once."""
    if session.stage is not ZoneStage.ZONING or session.mobile is None:
        return
    fallback, session.fallback = session.fallback, None
    if fallback is not None:
        fallback.cancel()
    session.stage = ZoneStage.SHOWN
    session.send(PlacementCriteria(), KnowledgeSlots(), clock(session.world))
    session.queue(*Eq2View.of(session).around(session))
    session.send(EntitiesSent())


def _show_own(session: Eq2Session) -> None:
    """Send its own character, and what it has; once."""
    if session.stage is not ZoneStage.SHOWN or session.mobile is None:
        return
    session.stage = ZoneStage.OWN
    session.queue(*Eq2View.of(session).own(session.mobile, session.version))
    session.send(SkillBook(count=0, packed=b""), SpellBook(count=0, packed=b""))
    _send_inventory(session, first=True)
    session.send(TitleUpdate())


def _send_inventory(session: Eq2Session, *, first: bool = False) -> None:
    """Send what it carries, and, when it is sent first, what it wears."""
    view = Eq2View.of(session)
    if view.figures.rendering.inventory:
        session.queue(Belongings(view.looks, first=first, always=True))
        if first:
            session.queue(Worn(view.looks, first=True))
        return
    session.send(Inventory(count=0, packed=b""))
    if first:
        session.send(Inventory(count=0, packed=b"", equipped=1))


# On to another zone


def rezone(reference: ref[Eq2Session]) -> None:
    """Its character is in a realm that lies in another zone: the client loads that one over a new connection,
    with a new key."""
    session = reference()
    if session is None or session.account is None or session.mobile is None or session.loading:
        return
    code = issue_key(session, session.account, session.mobile.serial)
    host, port = session.services.relay_address(session, door=WORLD_DOOR)
    session.loading = True
    session.stage = ZoneStage.NONE
    session.known.clear()
    word = ChangeZone(account_id=session.account.id, access_code=code, address=host, port=port)
    session.hang_up_means = Ending.RELAYED
    if not session.services.tickets.shared:
        session.send(word)
        return

    async def send_on() -> None:
        await share_key(session)
        session.send(word)

    session.later(send_on)


@ROWS.on(ReadyToZone, during=Phase.IN_WORLD)
def leaves_for_zone(session: Eq2Session, packet: ReadyToZone) -> None:
    """ReadyToZone: the client is about to hang up and come back."""
