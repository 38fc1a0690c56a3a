"""Looking at things: clicks, names, tooltips, paperdolls, containers. And moving them: the client takes an
item into its hand and puts it down, in two packets.

What may be done is decided by `world.reach` and `world.hands`, what can be asked about by `find`. The client
shows the result at once, without waiting for an answer: every refusal has to put its picture right again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.refusals import refused_in_words, tell_refusal
from protocol.uo import figures as look
from protocol.uo import menus, view
from protocol.uo.handlers.table import while_playing
from protocol.uo.packets.dialogs import MenuChoice, MenuRequest
from protocol.uo.packets.misc import Sound
from protocol.uo.packets.people import NameAnswer, NameRequest, Profile, ProfileRequest
from protocol.uo.packets.things import (
    DoubleClick,
    Drop,
    DropOld,
    Equip,
    Lift,
    LiftRefusal,
    LiftRefused,
    ObjectHelp,
    ObjectHelpRequest,
    PropertiesRequest,
    PropertiesRequestOld,
    Removed,
    SingleClick,
)
from protocol.wishes import Wish, tell
from world import hands, residents, signs, using
from world.item import Item
from world.mobile import Mobile
from world.reach import Cannot, Refusal, can_see
from world.serials import FIRST_ITEM, LAST_ITEM
from world.speech import notice

if TYPE_CHECKING:
    from collections.abc import Iterable

    from protocol.uo.scenery import Static
    from protocol.uo.session import UoSession

PAPERDOLL_BIT: Final = 0x80000000
"""In the serial of a double click: only the paperdoll is wanted, not what using a mobile does."""

SHOW_PROFILE: Final = 0

GROUND: Final = 0xFFFFFFFF
ANYWHERE: Final = 0xFFFF
"""Target, and x or y, of 0x08: the ground, and any place within a container."""

ONCE: Final = 1
LIFT_SOUND: Final = 0x57
"""ServUO, Server/Item.cs, GetLiftSound."""

_REASONS: Final = {
    Refusal.GONE: LiftRefusal.CANNOT_LIFT,
    Refusal.FIXED: LiftRefusal.CANNOT_LIFT,
    Refusal.FAR: LiftRefusal.OUT_OF_RANGE,
    Refusal.UNSEEN: LiftRefusal.OUT_OF_SIGHT,
    Refusal.NOT_YOURS: LiftRefusal.BELONGS_TO_ANOTHER,
    Refusal.BUSY: LiftRefusal.ARE_HOLDING,
}
"""What the client has words of its own for. It says nothing by itself for others."""

MOST_ASKED: Final = 64
"""Tooltips told for one request. ClassicUO asks for 15 at a time (Network/OutgoingPackets.cs,
Send_MegaClilocRequest)."""


def find(session: UoSession, serial: int) -> Mobile | Item | None:
    """A thing this client may ask about: its player and what that one has; whom and what it sees, what they
    wear, and what is in containers it has looked into."""
    player, world = session.player, session.world
    thing = world.mobiles.get(serial) or world.items.get(serial)
    if thing is None or not can_see(player, thing):
        return None
    root = thing.root if isinstance(thing, Item) else thing
    if root is player:
        return thing
    if root.serial not in session.known:
        return None
    if thing is root:
        return thing
    return thing if isinstance(thing, Item) and _shows(session, thing) else None


def _shows(session: UoSession, item: Item) -> bool:
    """Whether somebody else's item, or one in a container on the ground, is there for a client to see."""
    if isinstance(item.parent, Mobile):
        return item.layer != 0 and look.wears_visibly(item.parent, item.layer)
    return isinstance(item.root, Item) and item.parent is not None and item.parent.serial in session.opened


@while_playing(SingleClick)
def single_click(session: UoSession, packet: SingleClick) -> None:
    """Show its name over it."""
    thing = find(session, packet.serial)
    if isinstance(thing, Mobile):
        session.send(look.name_label(thing, session.view.appearance.body(thing)))
    elif thing is not None:
        session.send(
            look.thing_label(thing.serial, session.view.appearance.art(thing), look.item_label(thing))
        )
    else:
        static = session.view.scenery.find(packet.serial)
        if static is not None:
            session.send(look.thing_label(static.serial, static.art, static.name))


@while_playing(DoubleClick)
def double_click(session: UoSession, packet: DoubleClick) -> None:
    """Open a paperdoll, and talk to who is one of the realm's own, animals included; use a thing: a container
    within reach that is nobody else's opens."""
    thing = find(session, packet.serial & ~PAPERDOLL_BIT)
    if isinstance(thing, Mobile):
        shown = open_paperdoll(session, thing)
        if not (shown and (packet.serial & PAPERDOLL_BIT or thing.is_character)):
            with refused_in_words(session.player):
                residents.talk_to(session.player, thing)
    elif thing is not None:
        use(session, thing)
    elif (static := session.view.scenery.find(packet.serial)) is not None:
        _read(session.player, static)
    else:
        tell_refusal(session.player, Cannot(Refusal.UNSEEN))


def _read(player: Mobile, static: Static) -> None:
    """Read what stands written there: of all scenery only signs are good for something."""
    realm = player.realm
    if realm is None or realm.chart.name != static.realm:
        tell_refusal(player, Cannot(Refusal.UNSEEN))
        return
    y, x = divmod(static.tile, realm.chart.width)
    try:
        notice(player, signs.read(player, (x, y)))
    except Cannot as cannot:
        useless = cannot.why is Refusal.NO_SIGN
        tell_refusal(player, Cannot(Refusal.USELESS) if useless else cannot)


def open_paperdoll(session: UoSession, mobile: Mobile) -> bool:
    """Show what somebody wears; whether that body wears anything."""
    paperdoll = session.view.appearance.paperdoll(mobile, own=mobile is session.mobile)
    if paperdoll is not None:
        session.send(paperdoll)
    return paperdoll is not None


def use(session: UoSession, item: Item) -> None:
    """Do with a thing what it is for; a container shows what is in it."""
    try:
        deed = using.use(session.player, item)
    except Cannot as cannot:
        session.send(view.system_message(str(cannot)))
        return
    if deed is using.Deed.OPENED:
        appearance = session.view.appearance
        session.opened.add(item.serial)
        session.send(appearance.opened(item, session.dialect), appearance.content(item, session.dialect))
        if session.dialect.tooltips:
            session.send(*(look.revision(inner) for inner in item.contents.values()))


def seen(session: UoSession, serial: int) -> Mobile | Item | None:
    """As `find`; whoever cannot see it is told so."""
    thing = find(session, serial)
    if thing is None:
        tell_refusal(session.player, Cannot(Refusal.UNSEEN))
    return thing


@while_playing(MenuRequest)
def menu_request(session: UoSession, packet: MenuRequest) -> None:
    """Show what can be done with somebody or something. Of an animal that is nothing, so it has its name over
    it instead of an empty menu: the client asks for menus at every click."""
    thing = seen(session, packet.serial)
    if isinstance(thing, Mobile) and not menus.lines_of(session.player, thing):
        session.send(look.name_label(thing, session.view.appearance.body(thing)))
    elif thing is not None:
        session.send(menus.menu_of(session.player, thing, session.dialect))


@while_playing(MenuChoice)
def menu_choice(session: UoSession, packet: MenuChoice) -> None:
    """Do what was chosen, if it is in the menu of that thing; the rest of the world's rules hold as with a
    click."""
    player, thing = session.player, seen(session, packet.serial)
    if thing is None:
        return
    if packet.line not in menus.lines_of(player, thing):
        tell(session, Wish.UNASKED)
        return
    match menus.Line(packet.line):
        case menus.Line.PAPERDOLL if isinstance(thing, Mobile):
            open_paperdoll(session, thing)
        case menus.Line.BACKPACK if player.backpack is not None:
            use(session, player.backpack)
        case menus.Line.TALK if isinstance(thing, Mobile):
            with refused_in_words(player):
                residents.talk_to(player, thing)
        case menus.Line.USE if isinstance(thing, Item):
            use(session, thing)
        case line:
            tell(session, menus.WISHES.get(line, Wish.UNKNOWN))


@while_playing(ObjectHelpRequest)
def object_help(session: UoSession, packet: ObjectHelpRequest) -> None:
    """Say what a thing is."""
    thing = seen(session, packet.serial)
    if thing is not None:
        text = look.full_name(thing) if isinstance(thing, Mobile) else look.item_label(thing)
        session.send(ObjectHelp(thing.serial, text))


@while_playing(NameRequest)
def name_request(session: UoSession, packet: NameRequest) -> None:
    """Tell a mobile's name."""
    thing = find(session, packet.serial)
    if isinstance(thing, Mobile):
        session.send(NameAnswer(thing.serial, thing.name))


@while_playing(PropertiesRequest)
def properties_request(session: UoSession, packet: PropertiesRequest) -> None:
    """Tell tooltips."""
    _send_properties(session, packet.serials)


@while_playing(PropertiesRequestOld)
def properties_request_old(session: UoSession, packet: PropertiesRequestOld) -> None:
    """Tell a tooltip."""
    _send_properties(session, (packet.serial,))


def _send_properties(session: UoSession, serials: Iterable[int]) -> None:
    for serial in list(dict.fromkeys(serials))[:MOST_ASKED]:
        thing = find(session, serial)
        if thing is not None:
            session.send(look.properties(thing))
            continue
        static = session.view.scenery.find(serial)
        if static is not None:
            session.send(look.property_list(serial, look.ANY_TEXT, static.name))


@while_playing(ProfileRequest)
def profile_request(session: UoSession, packet: ProfileRequest) -> None:
    """Nobody has written about himself."""
    if packet.mode != SHOW_PROFILE:
        tell(session, Wish.PROFILE)
        return
    thing = find(session, packet.serial)
    if isinstance(thing, Mobile):
        session.send(Profile(thing.serial, look.full_name(thing), "", ""))
    else:
        tell_refusal(session.player, Cannot(Refusal.UNSEEN))


@while_playing(Lift)
def lift(session: UoSession, packet: Lift) -> None:
    """Take an item, or part of a stack, into the hand. The client shows it there already: 0x27 takes it out
    again, and whatever else it may hold."""
    player = session.player
    try:
        item = _liftable(session, packet.serial)
        # A client may count more than there are by now: all of them, then (ServUO, Server/Mobile.cs, Lift).
        hands.lift(player, item, min(packet.amount, item.amount))
    except Cannot as cannot:
        hands.bounce(player, let_go=True)
        session.send(LiftRefused(_REASONS.get(cannot.why, LiftRefusal.UNSPECIFIC)))
        if cannot.why not in _REASONS:
            session.send(view.system_message(cannot.why.value))
        _tell_again(session, packet.serial)
        return
    view.close(session, item)
    x, y, z = session.view.appearance.place(player)
    session.send(Sound(ONCE, LIFT_SOUND, 0, x, y, z))


@while_playing(Drop)
def drop(session: UoSession, packet: Drop) -> None:
    """Put what is in the hand somewhere."""
    _put_down(session, packet)


@while_playing(DropOld)
def drop_old(session: UoSession, packet: DropOld) -> None:
    """Put what is in the hand somewhere."""
    _put_down(session, packet)


@while_playing(Equip)
def equip(session: UoSession, packet: Equip) -> None:
    """Put on what is in the hand. The client's opinion about the layer does not count."""
    player = session.player
    if player.held is None or player.held.serial != packet.serial:
        return
    try:
        if packet.mobile != player.serial:
            raise Cannot(Refusal.NOT_YOURS)
        hands.wear(player)
    except Cannot as cannot:
        _bounce(session, cannot)


def _liftable(session: UoSession, serial: int) -> Item:
    """An item that the client may know of: as in `find`, and what lies on the ground in sight, though it was
    laid there in this turn; or lay there until this turn, for then `hands` says what is the matter. What it
    cannot know of is to it as what does not exist."""
    item = session.world.items.get(serial)
    if item is not None:
        lies = item.realm is not None and can_see(session.player, item)
        if lies or serial in session.known or find(session, serial) is item:
            return item
    raise Cannot(Refusal.GONE)


def _put_down(session: UoSession, packet: Drop | DropOld) -> None:
    """A client whose lift was refused drops all the same, if it was fast: that means nothing."""
    player = session.player
    held = player.held
    if held is None or held.serial != packet.serial:
        return
    try:
        if packet.target == GROUND:
            _lay(session, packet.x, packet.y)
            return
        target = find(session, packet.target)
        if isinstance(target, Mobile):
            hands.hand_over(player, target)
        elif target is not None:
            _put_onto(session, held, target, packet)
        else:
            raise Cannot(Refusal.UNSEEN)
    except Cannot as cannot:
        _bounce(session, cannot)


def _lay(session: UoSession, x: int, y: int) -> None:
    player = session.player
    if player.realm is None:
        raise Cannot(Refusal.BLOCKED)
    at = session.view.appearance.atlas(player.realm)
    hands.lay(player, x - at.x, y - at.y)


def _put_onto(session: UoSession, held: Item, target: Item, packet: Drop | DropOld) -> None:
    """Into a container; onto an equal stack; else beside whatever it was put on."""
    player = session.player
    place = None if ANYWHERE in (packet.x, packet.y) else (packet.x, packet.y)
    if target.template.container:
        _stow(player, target, place)
    elif target.template is held.template and target.template.stackable:
        try:
            hands.stack(player, target)
        except Cannot as cannot:
            if cannot.why not in (Refusal.FULL, Refusal.NESTED):
                raise
            _put_beside(player, target, place)
    else:
        _put_beside(player, target, place)


def _put_beside(player: Mobile, target: Item, place: tuple[int, int] | None) -> None:
    if isinstance(target.parent, Item):
        _stow(player, target.parent, place)
    elif target.realm is not None:
        hands.lay(player, target.x, target.y)
    else:
        raise Cannot(Refusal.NESTED)


def _stow(player: Mobile, container: Item, place: tuple[int, int] | None) -> None:
    if place is None:
        hands.stow(player, container)
    else:
        hands.stow(player, container, *look.clamp_slot(container, *place))


def _bounce(session: UoSession, cannot: Cannot) -> None:
    """The hand's item goes back where it was, and its player is told why. There is no packet for that: the
    client waits for news of the item, and gets them as of any change (recorded of ServUO)."""
    hands.bounce(session.player, let_go=True)
    session.send(view.system_message(cannot.why.value))


def _tell_again(session: UoSession, serial: int) -> None:
    """Where an item is that the client has just put back where it believed it to be; or that it is nowhere in
    sight. Scenery and hair stay what they are."""
    if not FIRST_ITEM <= serial <= LAST_ITEM:
        return
    appearance, dialect = session.view.appearance, session.dialect
    item = find(session, serial)
    if not isinstance(item, Item):
        session.send(Removed(serial))
        return
    view.close(session, item)
    if isinstance(item.parent, Mobile):
        session.send(appearance.worn_item(item, item.parent))
        if item is session.player.backpack:
            session.send(appearance.content(item, dialect))
    elif item.parent is None:
        session.send(appearance.on_ground(item, dialect))
    elif view.knows_content(session, item.parent):
        session.send(appearance.contained(item, item.parent, dialect))
    else:
        session.send(Removed(serial))
