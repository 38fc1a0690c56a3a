"""Context menus: what one click with the menu on shows of somebody or something, and what is chosen there.

One table (`LINES`) says of each line which of the client's own texts it is, of whom or what it is offered to
a player, and what it does. A line's place in the table is its number in the packets, so a choice means the
same however late it comes; whether it is offered is asked again then, and the world's rules hold as with a
click.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from protocol.uo.handlers.looking import open_paperdoll, seen, show_name, use
from protocol.uo.handlers.table import TABLE
from protocol.uo.packets.dialogs import Menu, MenuChoice, MenuLine, MenuLineOld, MenuOld, MenuRequest
from protocol.wishes import Wish, tell
from world import counters, friends, guilds, party, residents, trade
from world.item import Item
from world.mobile import Mobile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from protocol.uo.session import UoSession
    from protocol.uo.versions import UoVersion

    Fits = Callable[[Mobile, Mobile | Item], bool]
    Deed = Callable[[UoSession, Mobile, Mobile], None]

FIRST_OLD_TEXT: Final = 3_000_000
LAST_OLD_TEXT: Final = FIRST_OLD_TEXT + 0xFFFF
"""Texts that the older form can name."""


@attrs.frozen
class Line:
    """A line: the number of its text, to whom it `fits`, and what it does with somebody; without that it uses
    an item."""

    text: int
    fits: Fits
    deed: Deed | None = None


# Whose menus there are


def _is_item(player: Mobile, thing: Mobile | Item) -> bool:
    return isinstance(thing, Item)


def _is_oneself(player: Mobile, thing: Mobile | Item) -> bool:
    return thing is player


def _is_other_player(player: Mobile, thing: Mobile | Item) -> bool:
    return isinstance(thing, Mobile) and thing.is_character and thing is not player


def _is_resident(player: Mobile, thing: Mobile | Item) -> bool:
    return isinstance(thing, Mobile) and not (thing.is_character or thing.template.creature)


def _is_person(player: Mobile, thing: Mobile | Item) -> bool:
    return isinstance(thing, Mobile) and (thing.is_character or not thing.template.creature)


def _has_role(role: str) -> Fits:
    def fits(player: Mobile, thing: Mobile | Item) -> bool:
        return _is_resident(player, thing) and isinstance(thing, Mobile) and role in thing.template.roles

    return fits


def _may_be_asked_into_guild(player: Mobile, thing: Mobile | Item) -> bool:
    return _is_other_player(player, thing) and guilds.may_invite(player)


def _is_no_friend_yet(player: Mobile, thing: Mobile | Item) -> bool:
    return _is_other_player(player, thing) and thing.serial not in friends.friends_of(player)


# What is done


def _show_paperdoll(session: UoSession, player: Mobile, other: Mobile) -> None:
    open_paperdoll(session, other)


def _befriend(session: UoSession, player: Mobile, other: Mobile) -> None:
    friends.befriend(player, other.name)


def _open_pack(session: UoSession, player: Mobile, other: Mobile) -> None:
    if player.backpack is not None:
        use(session, player, player.backpack)


def _talk(session: UoSession, player: Mobile, other: Mobile) -> None:
    session.selling = False
    residents.talk_to(player, other)


def _at_shop(*, selling: bool) -> Deed:
    def deed(session: UoSession, player: Mobile, other: Mobile) -> None:
        session.selling = selling
        counters.at_shop(player, other)

    return deed


LINES: Final = (
    Line(3006123, _is_person, _show_paperdoll),
    Line(3006145, _is_oneself, _open_pack),
    Line(3006146, _is_resident, _talk),
    Line(3000362, _is_item),
    Line(3006105, _has_role("banker"), lambda _, player, other: counters.at_bank(player, other)),
    Line(3006103, _has_role("merchant"), _at_shop(selling=False)),
    Line(3006104, _has_role("merchant"), _at_shop(selling=True)),
    Line(3000197, _is_other_player, lambda _, player, other: party.invite(player, other)),
    Line(1077728, _is_other_player, lambda _, player, other: trade.ask(player, other)),
    Line(1062992, _may_be_asked_into_guild, lambda _, player, other: guilds.invite(player, other)),
    Line(1011244, _is_no_friend_yet, _befriend),
)
"""By number. Texts: ServUO, Server/ContextMenus and Scripts/Context Menus; 3000362 is "Open", 1077728 "Trade"
(Scripts/Mobiles/PlayerMobile.cs), 1062992 "Invite Player", of the guild's roster (Scripts/Gumps/Guilds), and
1011244 "Add a Friend" (Scripts/Gumps/HouseGumpAOS.cs)."""


# The packets


def offered(player: Mobile, thing: Mobile | Item) -> Iterator[int]:
    """Numbers of the lines of a menu of that thing, as a player sees it, in the order shown."""
    return (number for number, line in enumerate(LINES) if line.fits(player, thing))


def menu_of(player: Mobile, thing: Mobile | Item, version: UoVersion) -> Menu | MenuOld:
    """0xBF 0x14. Clients before 6.0.0.0 read the older form, which names a part of their texts alone; the
    first range of ours that is newer begins with 6.0.1.7."""
    lines = [(number, LINES[number].text) for number in offered(player, thing)]
    if version.grid:
        return Menu(thing.serial, tuple(MenuLine(text, number, 0) for number, text in lines))
    old = [
        MenuLineOld(number, text - FIRST_OLD_TEXT, 0)
        for number, text in lines
        if FIRST_OLD_TEXT <= text <= LAST_OLD_TEXT
    ]
    return MenuOld(thing.serial, tuple(old))


@TABLE.while_playing(MenuRequest)
def menu_request(session: UoSession, mobile: Mobile, packet: MenuRequest) -> None:
    """Show what can be done with somebody or something. Of an animal that is nothing, so it has its name over
    it instead of an empty menu: the client asks for menus at every click."""
    thing = seen(session, packet.serial)
    if isinstance(thing, Mobile) and not any(True for _ in offered(mobile, thing)):
        show_name(session, thing)
    else:
        session.send(menu_of(mobile, thing, session.dialect))


@TABLE.while_playing(MenuChoice)
def menu_choice(session: UoSession, mobile: Mobile, packet: MenuChoice) -> None:
    """Do what was chosen, if it is in the menu of that thing; the rest of the world's rules hold as with a
    click."""
    thing = seen(session, packet.serial)
    if packet.line not in offered(mobile, thing):
        tell(session, Wish.UNASKED)
        return
    deed = LINES[packet.line].deed
    if isinstance(thing, Item):
        use(session, mobile, thing)
    elif deed is not None:
        deed(session, mobile, thing)
