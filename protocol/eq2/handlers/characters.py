"""The character screen: listing, making, deleting, and the way to the world's door.

A client crashes when a line of its list goes away, so what was deleted stays on it, marked, for as long as
the list is shown. Whoever plays (or has just made) a character gets address and key of the world's door,
hangs up and comes there: the connection here is over then, whether it said so or not. The form of a new
character is read as far as the world has such things; its race and class are checked and not kept.
"""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING, Final
from weakref import ref

from protocol.denials import Denial, Denied
from protocol.endings import Ending
from protocol.eq2.figures import FEMALE, MALE, NAMING
from protocol.eq2.handlers.table import LOGIN_DOOR, ROWS, WORLD_DOOR, require_door
from protocol.eq2.looks import HUMAN
from protocol.eq2.packets import (
    Appearance,
    CharacterEntry,
    CharacterList,
    CharactersRequest,
    CreateCharacter,
    CreateCode,
    CreateReply,
    DeleteCharacter,
    DeleteCode,
    DeleteReply,
    PlayCharacter,
    PlayCode,
    PlayReply,
    Worn,
)
from protocol.eq2.view import Eq2View
from protocol.services import NewCharacter
from protocol.session import Phase
from world import names

if TYPE_CHECKING:
    from protocol.eq2.looks import Eq2Looks
    from protocol.eq2.session import Eq2Session
    from protocol.services import AccountInfo, CharacterInfo

WORLD_ID: Final = 1
"""The one world."""

MOST_LINES: Final = 100
"""Lines on the character screen, deleted ones among them: the list says how many it has in one byte. Whoever
makes and deletes more has to log in again."""

GENDERS: Final = {MALE: False, FEMALE: True, 2: True}
"""Whether a form says that it is a woman. Public servers write women as 0 and, of NPCs, as 2."""

RACES: Final = range(16)
"""Barbarian to wood elf. The world knows people only, so all of them are: which one is not kept."""

CLASSES: Final = range(40)
"""Commoner to assassin; the world has no classes."""

NO_CLASS: Final = 0

DELETED: Final = "(deleted)"
DELETED_ID: Final = 0xFFFFFFFF
"""The entry of a character that was deleted while the list was shown."""


def account_of(session: Eq2Session) -> AccountInfo:
    """The account of a client that is logged in. Raises Denied(BAD_CREDENTIALS) if it is not."""
    if session.account is None:
        raise Denied(Denial.BAD_CREDENTIALS, "not logged in")
    return session.account


@ROWS.on(CharactersRequest, during=Phase.MENU)
async def list_characters(session: Eq2Session, packet: CharactersRequest) -> None:
    """CharactersRequest: the list once more."""
    require_door(session, LOGIN_DOOR)
    await send_characters(session)


async def send_characters(session: Eq2Session) -> None:
    """The account's characters, read anew. What was on the client's list stays on it, as "(deleted)" if need
    be: clients up to version 561 crash otherwise."""
    account = account_of(session)
    session.characters = await session.services.characters.all(account)
    there = {info.serial: info for info in session.characters}
    lines = session.lines
    lines += [serial for serial in there if serial not in lines]
    entries = [_entry(session, there[line]) if line in there else _deleted() for line in lines]
    session.send(
        CharacterList(
            entries=tuple(entries),
            account_id=account.id,
            max_characters=session.services.character_limit,
        )
    )


def _entry(session: Eq2Session, info: CharacterInfo) -> CharacterEntry:
    """One line. When a character was last played is not kept, so that is when it was made."""
    atlas = Eq2View.of(session).places.atlas(session.world.realms.get(info.realm))
    created = int(max(0.0, info.character.created_at))
    description = atlas.description if atlas is not None else ""
    return CharacterEntry(
        id=info.serial,
        server_id=WORLD_ID,
        name=NAMING.of(info.character),
        race=HUMAN,
        profession=NO_CLASS,
        gender=FEMALE if info.character.female else MALE,
        level=max(1, info.character.level),
        zone=atlas.zone if atlas is not None else "",
        created=created,
        last_played=created,
        zone_name=description,
        zone_description=description,
        appearance=_appearance(Eq2View.of(session).looks, info),
    )


def _deleted() -> CharacterEntry:
    return CharacterEntry(
        id=DELETED_ID,
        server_id=DELETED_ID,
        name=DELETED,
        race=HUMAN,
        profession=NO_CLASS,
        gender=MALE,
        level=1,
        zone="",
    )


def _appearance(looks: Eq2Looks, info: CharacterInfo) -> Appearance:
    """The looks of a character on the screen: body, hair and what it wears."""
    model = looks.model("player", female=info.character.female)
    skin = bytes(looks.skins.colour(info.character.skin_hue))
    hair_colour = bytes(looks.hair_colours.colour(info.character.hair_hue))
    hair = Worn(looks.hair_model(info.character.hair), hair_colour, hair_colour)
    equipment = [Worn()] * len(Appearance().equipment)
    for layer in sorted(info.worn):
        look = looks.items.get(info.worn[layer])
        if look is not None and look.worn:
            equipment[look.slot] = Worn(look.worn)
    return Appearance(
        model=model,
        skin=skin,
        equipment=tuple(equipment),
        hair=hair,
        hair_color1=hair_colour,
        soga_model=model,
        soga_skin=skin,
        soga_hair=hair,
        soga_hair_color1=hair_colour,
    )


_CREATE_CODES: Final = {
    Denial.FULL: CreateCode.TOO_MANY,
    Denial.EXISTS: CreateCode.NAME_TAKEN,
    Denial.BUSY: CreateCode.OVERLOADED,
    Denial.UNAVAILABLE: CreateCode.OVERLOADED,
}


@ROWS.on(CreateCharacter, during=Phase.MENU)
async def create(session: Eq2Session, packet: CreateCharacter) -> None:
    """CreateCharacter: the filled-in form. Who made a character goes right into the world with it: clients of
    this age wait for that, and the public server does so (emagi/eq2emu: LoginServer/client.cpp,
    CharacterApproved)."""
    require_door(session, LOGIN_DOOR)
    account = account_of(session)
    code, made = _problem(packet), None
    if len(session.lines) >= MOST_LINES:
        code = CreateCode.TOO_MANY
    if code is None:
        wish = _wish(Eq2View.of(session).looks, packet)
        try:
            NAMING.require(packet.name)
            made = await session.services.characters.create(session, wish)
        except Denied as denied:
            code = _name_problem(packet.name) if denied.why is Denial.BAD_NAME else None
            code = code or _CREATE_CODES.get(denied.why, CreateCode.UNKNOWN)
    session.send(
        CreateReply(
            account_id=account.id,
            code=code or CreateCode.OK,
            name=NAMING.of(made.character) if made is not None else packet.name,
        )
    )
    if made is not None:
        await send_characters(session)
        await _send_on(session, account, made.serial)


def _problem(packet: CreateCharacter) -> CreateCode | None:
    """The code for what nobody may choose. What there is to say about the name the server knows best."""
    if packet.server_id != WORLD_ID:
        return CreateCode.UNKNOWN
    if packet.race not in RACES:
        return CreateCode.BAD_RACE
    if packet.profession not in CLASSES:
        return CreateCode.BAD_CLASS
    if packet.gender not in GENDERS:
        return CreateCode.BAD_GENDER
    return None


def _name_problem(name: str) -> CreateCode | None:
    """The code for why the world does not take a name."""
    name = name.strip()
    if not names.SHORTEST <= len(name) <= names.LONGEST:
        return CreateCode.NAME_LENGTH
    if not (name.isascii() and name.isalpha()):
        return CreateCode.NAME_LETTERS
    return CreateCode.NAME_RESERVED if names.is_reserved(name) else None


# What the form says of looks

_COLOURS: Final = struct.Struct("<3f")
_LENGTH: Final = struct.Struct("<H")
_HEAD: Final = 2
"""A byte of no known meaning and the version of the form."""
_SKIN, _HAIR_COLOUR, _COLOUR_COUNT = 0, 2, 5
"""Places among the five colours between the files of race and hair: skin, eyes, hair (two), highlight."""
_NUMBER: Final = re.compile(rb"(\d+)\D*$")


def _wish(looks: Eq2Looks, packet: CreateCharacter) -> NewCharacter:
    """The common sheet. The form names files of the client; a hair's number there is taken for the style."""
    skin, hair_colour, hair_file = _looks(packet.rest)
    number = _NUMBER.search(hair_file)
    return NewCharacter(
        name=packet.name,
        female=GENDERS[packet.gender],
        hair=min(int(number[1][-4:]), len(looks.hair) - 1) if number is not None else 1,
        hair_hue=looks.hair_colours.hue(hair_colour)
        if hair_colour is not None
        else looks.hair_colours.hues[0],
        skin_hue=looks.skins.hue(skin) if skin is not None else looks.skins.hues[0],
    )


def _looks(form: bytes) -> tuple[tuple[int, int, int] | None, tuple[int, int, int] | None, bytes]:
    """Colour of skin and hair and the file of the hair, as far as the form can be read: clients of one
    version differ here, so nothing of it is worth refusing a character."""
    try:
        place = _HEAD + _LENGTH.size + _LENGTH.unpack_from(form, _HEAD)[0]
        colours = [_colour(form, place + number * _COLOURS.size) for number in range(_COLOUR_COUNT)]
        place += _COLOUR_COUNT * _COLOURS.size
        length = _LENGTH.unpack_from(form, place)[0]
    except struct.error:
        return None, None, b""
    return colours[_SKIN], colours[_HAIR_COLOUR], form[place + 2 : place + 2 + length]


def _colour(form: bytes, place: int) -> tuple[int, int, int] | None:
    """A colour of three floats from 0 to 1."""
    parts = _COLOURS.unpack_from(form, place)
    if not all(0.0 <= part <= 1.0 for part in parts):
        return None
    red, green, blue = (round(255 * part) for part in parts)
    return red, green, blue


# Deleting, and playing


@ROWS.on(DeleteCharacter, during=Phase.MENU)
async def delete(session: Eq2Session, packet: DeleteCharacter) -> None:
    """DeleteCharacter: gone for good; its line stays, marked."""
    require_door(session, LOGIN_DOOR)
    info = _listed(session, packet.id)
    code = DeleteCode.NOT_FOUND
    named = info is not None and NAMING.of(info.character).casefold() == packet.name.casefold()
    if info is not None and named and packet.server_id == WORLD_ID:
        try:
            await session.services.characters.delete(session, info.serial)
            code = DeleteCode.OK
        except Denied:
            pass  # the game has one word for all that can be the matter
    session.send(DeleteReply(code=code, server_id=packet.server_id, id=packet.id, name=packet.name))
    await send_characters(session)


def _listed(session: Eq2Session, serial: int) -> CharacterInfo | None:
    return next((info for info in session.characters if info.serial == serial), None)


@ROWS.on(PlayCharacter, during=Phase.MENU)
async def play(session: Eq2Session, packet: PlayCharacter) -> None:
    """PlayCharacter: where the world is, and the key to it. A client hangs up then and comes to that door."""
    require_door(session, LOGIN_DOOR)
    account = account_of(session)
    if packet.server_id != WORLD_ID:
        session.send(PlayReply(code=PlayCode.NO_WORLD))
        return
    if _listed(session, packet.id) is None:
        # A client may know its characters from before; only the store knows which are there now.
        session.characters = await session.services.characters.all(account)
    if _listed(session, packet.id) is None:
        session.send(PlayReply(code=PlayCode.NOT_FOUND))
        return
    await _send_on(session, account, packet.id)


async def _send_on(session: Eq2Session, account: AccountInfo, serial: int) -> None:
    services = session.services
    key = issue_key(session, account, serial)
    await share_key(session)
    host, port = services.relay_address(session, door=WORLD_DOOR)
    session.send(PlayReply(code=PlayCode.OK, address=host, port=port, account_id=account.id, access_code=key))
    session.hang_up_means = Ending.RELAYED


def issue_key(session: Eq2Session, account: AccountInfo, serial: int) -> int:
    """A key to the world's door for one character, in place of an earlier one. Whoever comes with it has left
    this connection behind, whether it said so or not."""
    session.services.tickets.revoke(account.id)
    notes = {CHARACTER_NOTE: serial, LEFT_NOTE: ref(session)}
    key = session.services.tickets.issue(session, "", notes, name=str(account.id))
    session.access_code = int.from_bytes(key, "big")
    return session.access_code


async def share_key(session: Eq2Session) -> None:
    """Have the world's door know the key that was issued last, whichever world it belongs to. Raises
    Denied."""
    await session.services.tickets.share(session.access_code.to_bytes(4, "big"))


CHARACTER_NOTE: Final = "character"
LEFT_NOTE: Final = "left"
"""Notes of a ticket for the world's door: whom the player chose, and the connection that it came from."""
