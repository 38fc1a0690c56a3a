"""Questions about what one sees: clicks, names, tooltips, paperdolls, what is in containers, status bars
and skills, and whether these may rise.

What can be asked about is decided by `find`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.uo import combat, parties, sheets, trading
from protocol.uo import figures as look
from protocol.uo.counters import tooltip
from protocol.uo.handlers.table import TABLE
from protocol.uo.packets.people import NameAnswer, NameRequest, Profile, ProfileRequest
from protocol.uo.packets.status import SKILL_NAMES, SkillLock, Skills, StatLock, StatusRequest
from protocol.uo.packets.things import (
    DoubleClick,
    ObjectHelp,
    ObjectHelpRequest,
    PropertiesRequest,
    PropertiesRequestOld,
    SingleClick,
)
from protocol.uo.view import UoView
from protocol.uo.viewers import notoriety, viewer_of
from protocol.uo.words import name_label, system_message, thing_label
from protocol.wishes import Wish, tell
from world import fighting, law, residents, safes, shops, signs, training, using
from world.item import Item
from world.mobile import Mobile
from world.reach import Cannot, Refusal, at_vault, can_see
from world.speech import notice

if TYPE_CHECKING:
    from collections.abc import Iterable

    from protocol.uo.scenery import Static
    from protocol.uo.session import UoSession
    from protocol.wire.body import Body


PAPERDOLL_BIT: Final = 0x80000000
"""In the serial of a double click: only the paperdoll is wanted, not what using a mobile does."""

SHOW_PROFILE: Final = 0

STATUS_BAR, SKILLS = 4, 5

MOST_ASKED: Final = 64
"""Tooltips told for one request. ClassicUO asks for 15 at a time (Network/OutgoingPackets.cs,
Send_MegaClilocRequest)."""


def find(session: UoSession, serial: int) -> Mobile | Item | None:
    """A thing this client may ask about: its player and what that one has, in the bank as well while it is
    there; whom and what it sees, what they wear, and what is in containers it has looked into."""
    player, world = session.mobile, session.world
    thing = world.mobiles.get(serial) or world.items.get(serial)
    if player is None or thing is None:
        return None
    root = thing.root if isinstance(thing, Item) else thing
    if root is at_vault(player):
        return None if thing is safes.gold_stack(player) else thing
    if not can_see(player, thing):
        return None
    if root is player:
        return thing
    if root.serial not in session.known:
        return None
    if thing is root:
        return thing
    return thing if isinstance(thing, Item) and _shows(session, thing) else None


def seen(session: UoSession, serial: int) -> Mobile | Item:
    """As `find`. Raises Cannot if it cannot be seen."""
    thing = find(session, serial)
    if thing is None:
        raise Cannot(Refusal.UNSEEN)
    return thing


def _shows(session: UoSession, item: Item) -> bool:
    """Whether somebody else's item, or one in a container on the ground, is there for a client to see."""
    if isinstance(item.parent, Mobile):
        return item.layer != 0 and look.wears_visibly(item.parent, item.layer)
    return isinstance(item.root, Item) and item.parent is not None and item.parent.serial in session.opened


@TABLE.while_playing(SingleClick)
def single_click(session: UoSession, mobile: Mobile, packet: SingleClick) -> None:
    """Show its name over it."""
    thing = find(session, packet.serial)
    if isinstance(thing, Mobile):
        show_name(session, thing)
    elif thing is not None:
        session.send(thing_label(thing.serial, UoView.of(session).figures.art(thing), look.item_label(thing)))
    elif (offer := trading.offered(mobile, packet.serial)) is not None:
        art, _ = UoView.of(session).figures.picture(offer[0].template)
        session.send(thing_label(packet.serial, art, trading.label(offer[0], mobile)))
    else:
        static = UoView.of(session).scenery.find(packet.serial)
        if static is not None:
            session.send(thing_label(static.serial, static.art, static.name))


def show_name(session: UoSession, mobile: Mobile) -> None:
    """Show somebody's name over it, in the colour in which the player sees it."""
    body = UoView.of(session).figures.body(mobile)
    session.send(name_label(mobile, body, notoriety(mobile, viewer_of(session.mobile, mobile))))


@TABLE.while_playing(DoubleClick)
def double_click(session: UoSession, mobile: Mobile, packet: DoubleClick) -> None:
    """With the weapon drawn, attack whom one may; else open a paperdoll, and talk to who is one of the
    realm's own, animals included; use a thing: a container within reach that is nobody else's opens. Raises
    Cannot(UNSEEN) if there is nothing of that number, and as the attack or the use does."""
    thing = find(session, packet.serial & ~PAPERDOLL_BIT)
    if isinstance(thing, Mobile):
        if mobile.war and not packet.serial & PAPERDOLL_BIT and _is_enemy(mobile, thing):
            fighting.attack(mobile, thing)
            return
        shown = open_paperdoll(session, thing)
        if not (shown and (packet.serial & PAPERDOLL_BIT or thing.is_character)):
            session.selling = False
            residents.talk_to(mobile, thing)
    elif thing is not None:
        use(session, mobile, thing)
    elif (static := UoView.of(session).scenery.find(packet.serial)) is not None:
        _read(mobile, static)
    else:
        raise Cannot(Refusal.UNSEEN)


def _is_enemy(actor: Mobile, other: Mobile) -> bool:
    """Whether one may attack another at all."""
    try:
        law.check_enemy(actor, other)
    except Cannot:
        return False
    return True


def _read(player: Mobile, static: Static) -> None:
    """Read what stands written there: of all scenery only signs are good for something. Raises Cannot."""
    realm = player.realm
    if realm is None or realm.chart.name != static.realm:
        raise Cannot(Refusal.UNSEEN)
    y, x = divmod(static.tile, realm.chart.width)
    try:
        notice(player, signs.read(player, (x, y)))
    except Cannot as cannot:
        if cannot.why is Refusal.NO_SIGN:
            raise Cannot(Refusal.USELESS) from None
        raise


def open_paperdoll(session: UoSession, mobile: Mobile) -> bool:
    """Show what somebody wears; whether that body wears anything."""
    paperdoll = UoView.of(session).figures.paperdoll(mobile, own=mobile is session.mobile)
    if paperdoll is not None:
        session.send(paperdoll)
    return paperdoll is not None


def use(session: UoSession, mobile: Mobile, item: Item) -> None:
    """Do with a thing what it is for; a container shows what is in it."""
    try:
        deed = using.use(mobile, item)
    except Cannot as cannot:
        session.send(system_message(str(cannot)))
        return
    if deed is using.Deed.OPENED:
        figures = UoView.of(session).figures
        session.opened.add(item.serial)
        session.send(figures.opened(item, session.dialect), figures.content(item, session.dialect))
        session.send(*combat.corpse_wears(figures, item))
        if session.dialect.tooltips:
            session.send(*(look.revision(inner) for inner in item.contents.values()))


@TABLE.while_playing(ObjectHelpRequest)
def object_help(session: UoSession, mobile: Mobile, packet: ObjectHelpRequest) -> None:
    """Say what a thing is."""
    thing = seen(session, packet.serial)
    text = sheets.full_name(thing) if isinstance(thing, Mobile) else look.item_label(thing)
    session.send(ObjectHelp(thing.serial, text))


@TABLE.while_playing(NameRequest)
def name_request(session: UoSession, mobile: Mobile, packet: NameRequest) -> None:
    """Tell a mobile's name."""
    thing = find(session, packet.serial)
    if isinstance(thing, Mobile):
        session.send(NameAnswer(thing.serial, thing.name))


@TABLE.while_playing(PropertiesRequest)
def properties_request(session: UoSession, mobile: Mobile, packet: PropertiesRequest) -> None:
    """Tell tooltips."""
    _send_properties(session, packet.serials)


@TABLE.while_playing(PropertiesRequestOld)
def properties_request_old(session: UoSession, mobile: Mobile, packet: PropertiesRequestOld) -> None:
    """Tell a tooltip."""
    _send_properties(session, (packet.serial,))


def _send_properties(session: UoSession, serials: Iterable[int]) -> None:
    for serial in list(dict.fromkeys(serials))[:MOST_ASKED]:
        thing = find(session, serial)
        if thing is not None:
            session.send(look.properties(thing))
            continue
        ware = _ware(session, serial)
        if ware is not None:
            session.queue(ware)
            continue
        offer = trading.tooltip(session.mobile, serial) if session.mobile is not None else None
        if offer is not None:
            session.send(offer)
            continue
        static = UoView.of(session).scenery.find(serial)
        if static is not None:
            session.send(look.property_list(serial, look.ANY_TEXT, static.name))


def _ware(session: UoSession, serial: int) -> Body | None:
    """Tooltip of a ware in the shop where its player is."""
    visit = session.mobile.visit if session.mobile is not None else None
    if visit is None or visit.service != shops.SHOP:
        return None
    return tooltip(visit.host, shops.catalogue(visit.host), serial)


@TABLE.while_playing(ProfileRequest)
def profile_request(session: UoSession, mobile: Mobile, packet: ProfileRequest) -> None:
    """Tell who that is, its guild, and a player what no window shows of it; nobody has written about himself.
    Raises Cannot(UNSEEN) if there is nobody of that number."""
    if packet.mode != SHOW_PROFILE:
        tell(session, Wish.PROFILE)
        return
    thing = find(session, packet.serial)
    if isinstance(thing, Mobile):
        session.send(Profile(thing.serial, sheets.titled(thing), sheets.profile(thing, mobile), ""))
    else:
        raise Cannot(Refusal.UNSEEN)


@TABLE.while_playing(StatusRequest)
def status_request(session: UoSession, mobile: Mobile, packet: StatusRequest) -> None:
    """Tell a status bar, the player's own in full and with the locks of its attributes; or the player's
    skills. Of its party it may ask wherever they are."""
    thing = find(session, packet.serial)
    if not isinstance(thing, Mobile):
        fellow = mobile.party.fellows.get(packet.serial) if mobile.party is not None else None
        if fellow is not None and packet.kind == STATUS_BAR:
            session.send(parties.status(fellow.state))
        return
    own = thing is session.mobile
    if packet.kind == SKILLS and own:
        session.send(Skills(sheets.skill_lines(mobile, session.dialect.skills)))
    elif packet.kind == STATUS_BAR:
        session.send(sheets.full_status(thing, session.dialect) if own else sheets.compact_status(thing))
        if own:
            session.send(sheets.stat_locks(mobile))


@TABLE.while_playing(StatLock)
def stat_lock(session: UoSession, mobile: Mobile, packet: StatLock) -> None:
    """Lock an attribute, or let it rise or fall; the turn shows how it is now. The client has drawn what it
    asked for: what cannot be it is told at once."""
    try:
        training.lock(mobile, sheets.STATS.get(packet.stat, ""), packet.lock)
    except Cannot:
        session.send(sheets.stat_locks(mobile))
        raise


@TABLE.while_playing(SkillLock)
def skill_lock(session: UoSession, mobile: Mobile, packet: SkillLock) -> None:
    """Lock a skill, or let it rise or fall; the turn shows how it is now. The client has drawn what it asked
    for: of a skill that the world does not have it is told that it stays as it is."""
    try:
        training.lock(mobile, SKILL_NAMES.get(packet.number, ""), packet.lock)
    except Cannot:
        if packet.number < session.dialect.skills:
            session.send(sheets.skill_changed(mobile, packet.number))
        raise
