"""The character screen: listing, making, deleting."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import attrs

from protocol.denials import Denial, Denied
from protocol.endings import WireError
from protocol.services import CharacterInfo, NewCharacter
from protocol.session import Phase
from protocol.uo.handlers.entering import enter
from protocol.uo.handlers.table import TABLE
from protocol.uo.looks import HAIR_HUES, SKIN_HUES, clip
from protocol.uo.packets.login import (
    CharacterList,
    CharacterListOld,
    CharacterListUpdate,
    CharacterSlot,
    City,
    CityOld,
    CreateCharacter,
    CreateCharacterFourSkills,
    DeleteCharacter,
    DeleteRefused,
    DeletionRefusal,
    Features,
    FeaturesOld,
    PlayCharacter,
    Popup,
    PopupReason,
    VersionRequest,
)
from protocol.uo.sheets import chosen_skills
from protocol.uo.view import UoView
from world.names import LONGEST
from world.speech import clean

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from protocol.uo.session import UoSession


FEWEST_SLOTS: Final = 5
"""Clients expect at least so many lines: ServUO, Server/Network/Packets.cs, CharacterList."""

NO_ROOM: Final = "(room for {} only)"
"""The name of lines on which no character can be made. The client offers a new one while fewer lines have
names than it takes for its most: one, five, six or seven (ClassicUO: CharacterSelectionGump.cs)."""

FEATURES: Final = 0x805F
"""0xB9: everything up to Samurai Empire, no elves and no gargoyles: ServUO, Server/ExpansionInfo.cs."""
SIXTH_SLOT_FEATURE, SEVENTH_SLOT_FEATURE = 0x20, 0x1000

LIST_FLAGS: Final = 0xAA
"""0xA9: context menus (0x08), tooltips (0x20), Samurai Empire (0x80), and a client that says 0xD1 when it
quits (0x02: without it ClassicUO just hangs up). Without tooltips a client asks for names by single
clicks."""
SIXTH_SLOT_FLAG, SEVENTH_SLOT_FLAG = 0x40, 0x1000

ONE_SLOT_FLAGS: Final = 0x14
"""0xA9: there is room for one character. Of a limit of two to four there is no flag (ServUO,
Server/Network/Packets.cs, CharacterList), so there the lines themselves say it (`NO_ROOM`)."""

CITY_DESCRIPTION: Final = 1150168
"""The client's own text about the starting place: New Haven's."""


NAME_ATTEMPTS: Final = 8
NAME_LETTERS: Final = "abdehkmnorstuvxz"
"""Letters of made-up endings: none that looks like another."""


async def send_characters(session: UoSession) -> None:
    """0xB9 and 0xA9: what the client may show, and the account's characters."""
    slots = await _slots(session)
    flags, features = LIST_FLAGS, FEATURES
    if len(slots) > 5:
        flags, features = flags | SIXTH_SLOT_FLAG, features | SIXTH_SLOT_FEATURE
    if len(slots) > 6:
        flags, features = flags | SEVENTH_SLOT_FLAG, features | SEVENTH_SLOT_FEATURE
    if session.services.character_limit == 1 and len(session.characters) <= 1:
        flags |= ONE_SLOT_FLAGS
    chart = session.services.content.charts[session.services.content.start_realm]
    name, building = chart.title, session.services.server_name
    version = session.dialect
    session.send(Features(features) if version.wide_features else FeaturesOld(features & 0xFFFF))
    if version.placed_cities:
        at = chart.place("uo")
        x, y = chart.spawns[0] if chart.spawns else (0, 0)
        city = City(
            0, name, building, at["x"] + x, at["y"] + y, at.get("z", 0), at["map"], CITY_DESCRIPTION, 0
        )
        session.send(CharacterList(slots, (city,), flags, -1))
    else:
        session.send(CharacterListOld(slots, (CityOld(0, name, building),), flags))


async def _slots(session: UoSession) -> tuple[CharacterSlot, ...]:
    """The account's characters read anew, and slots behind them: empty while there is room for another. Those
    that await deletion take room, but are not shown."""
    limit, full = session.services.character_limit, False
    if session.account is not None:
        found = await session.services.characters.all(session.account, doomed=True)
        session.characters = [character for character in found if character.deleted_in is None]
        full = len(found) >= limit
    count = max(FEWEST_SLOTS, limit, len(session.characters))
    filled = [CharacterSlot(character.name, "") for character in session.characters]
    rest = CharacterSlot(NO_ROOM.format(limit) if full else "", "")
    return (*filled, *[rest] * (count - len(filled)))


@TABLE.on(PlayCharacter, during=Phase.MENU)
async def play(session: UoSession, packet: PlayCharacter) -> None:
    """Enter the world with an existing character."""
    _require_game_connection(session)
    if packet.slot >= len(session.characters):
        # One of `NO_ROOM`. The words of 0x53 are that it has to be made again; these, that there is none.
        session.send(DeleteRefused(DeletionRefusal.NO_CHARACTER))
        return
    await _once_version_is_known(session, partial(enter, session, session.characters[packet.slot].serial))


@TABLE.on(CreateCharacter, during=Phase.MENU)
async def create(session: UoSession, packet: CreateCharacter) -> None:
    """Make a character and enter the world with it."""
    _require_game_connection(session)
    await _once_version_is_known(session, partial(_create, session, packet))


@TABLE.on(CreateCharacterFourSkills, during=Phase.MENU)
async def create_with_four_skills(session: UoSession, packet: CreateCharacterFourSkills) -> None:
    """Make a character and enter the world with it."""
    _require_game_connection(session)
    await _once_version_is_known(session, partial(_create, session, packet))


@TABLE.on(DeleteCharacter, during=Phase.MENU, secret=True)
async def delete(session: UoSession, packet: DeleteCharacter) -> None:
    """Delete a character and show the others."""
    _require_game_connection(session)
    if packet.slot >= len(session.characters):
        session.send(DeleteRefused(DeletionRefusal.NO_CHARACTER))
        return
    try:
        await session.services.characters.delete(session, session.characters[packet.slot].serial)
    except Denied as denied:
        reasons = {
            Denial.NO_CHARACTER: DeletionRefusal.NO_CHARACTER,
            Denial.IN_USE: DeletionRefusal.BEING_PLAYED,
        }
        session.send(DeleteRefused(reasons.get(denied.why, DeletionRefusal.BAD_REQUEST)))
        return
    session.send(CharacterListUpdate(await _slots(session)))


def _require_game_connection(session: UoSession) -> None:
    """The login connection has no characters: what went on there would be neither claimed nor compressed."""
    if not session.claimed:
        raise WireError("a packet of the character screen on a login connection")


async def _once_version_is_known(session: UoSession, wanted: Callable[[], Awaitable[None]]) -> None:
    """Go on, or first ask a client that has not said its version: all that is sent from here on depends on
    it."""
    if session.version is not None:
        await wanted()
        return
    session.once_known = wanted
    session.send(VersionRequest())


async def _create(session: UoSession, packet: CreateCharacter | CreateCharacterFourSkills) -> None:
    looks = UoView.of(session).figures.looks
    wish = NewCharacter(
        name=packet.name,
        female=bool(packet.race_sex & 1),
        hair=looks.hair_style(packet.hair),
        hair_hue=clip(packet.hair_hue, HAIR_HUES),
        skin_hue=clip(packet.skin_hue, SKIN_HUES),
        beard=looks.beard_style(packet.beard),
        shirt_hue=_cloth_hue(packet.shirt_hue),
        pants_hue=_cloth_hue(packet.pants_hue),
        strength=packet.strength,
        dexterity=packet.dexterity,
        intelligence=packet.intelligence,
        skills=chosen_skills(packet.skills),
    )
    try:
        made = await _create_under_some_name(session, wish)
    except Denied as denied:
        if denied.why is Denial.FULL:
            # 0x53 has no words for it; those of this reason, "Couldn't carry out your request.", clients show
            # here, too (ClassicUO: LoginScene.cs, HandleErrorCode).
            session.send(DeleteRefused(DeletionRefusal.BAD_REQUEST))
            return
        taken = denied.why in (Denial.EXISTS, Denial.BAD_NAME)
        session.send(Popup(PopupReason.EXISTS if taken else PopupReason.SYNC))
        return
    if made.name.casefold() != packet.name.strip().casefold():
        session.told_at_entry = f"The name {clean(packet.name)} cannot be had here; you are {made.name} now."
    await enter(session, made.serial)


async def _create_under_some_name(session: UoSession, wish: NewCharacter) -> CharacterInfo:
    """The character under the name wished for, or one made of its letters if that cannot be had.

    This client knows no answer that lets the player type another name: whoever is refused has to fill in
    everything again. ServUO renames, too (Scripts/Misc/CharacterCreation.cs, SetName). Raises Denied.
    """
    for attempt in range(NAME_ATTEMPTS):
        try:
            return await session.services.characters.create(session, wish)
        except Denied as denied:
            if denied.why not in (Denial.EXISTS, Denial.BAD_NAME) or attempt == NAME_ATTEMPTS - 1:
                raise
        letters = "".join(letter for letter in wish.name if letter.isascii() and letter.isalpha())
        ending = "".join(NAME_LETTERS[byte % len(NAME_LETTERS)] for byte in session.services.entropy(4))
        wish = attrs.evolve(wish, name=letters[: LONGEST - len(ending)] + ending)
    raise Denied(Denial.EXISTS)


def _cloth_hue(hue: int) -> int:
    """Hues of dyed cloth: ServUO, Server/Utility.cs, ClipDyedHue."""
    return max(2, min(1001, hue & 0x3FFF)) if hue else 0
