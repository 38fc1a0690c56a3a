"""The character menu: the list, a new character, deleting one and taking that back, choosing one.

A client names a character by its place in the list it was sent last, so that list is kept with its session,
and every answer that changes it sends a new one. Who deletes one has some days to think again; until then the
list shows how many seconds are left. The class, which no other game knows, is a note beside the character; in
all else a character made here is one of every game.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from protocol.denials import Denial, Denied
from protocol.l2 import notes
from protocol.l2.figures import NAMING, NOWHERE
from protocol.l2.handlers.table import CHARACTER_SELECT, ROWS
from protocol.l2.looks import CALLINGS, COLOURS, FACES, calling_of
from protocol.l2.packets import (
    CharacterCreate,
    CharacterDelete,
    CharacterRestore,
    CharacterSelect,
    CharCreateFail,
    CharCreateFailReason,
    CharCreateOk,
    CharDeleteFail,
    CharDeleteFailReason,
    CharDeleteOk,
    CharSelected,
    CharSelectInfo,
    CharTemplate,
    CharTemplates,
    RequestManorList,
)
from protocol.l2.packets import NewCharacter as CreationForm
from protocol.l2.sheets import NEWCOMER, attribute
from protocol.l2.view import L2View
from protocol.services import NewCharacter
from protocol.session import Phase
from world.daytime import daytime
from world.names import LONGEST

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.l2.looks import L2Looks
    from protocol.l2.places import Place
    from protocol.l2.session import L2Session
    from protocol.services import AccountInfo, CharacterInfo

MOST_SHOWN: Final = 7
"""Places in the client's menu."""

DELETE_DAYS: Final = "delete_days"
"""The listener's key: days until a deleted character is gone; 0: at once."""

DAY_SECONDS: Final = 24 * 60 * 60

FEMALE: Final = 1
SEXES: Final = (0, FEMALE)
"""What the client calls man and woman."""

CREATE_REASONS: Final[Mapping[Denial, CharCreateFailReason]] = {
    Denial.FULL: CharCreateFailReason.TOO_MANY_CHARACTERS,
    Denial.EXISTS: CharCreateFailReason.NAME_EXISTS,
    Denial.BAD_NAME: CharCreateFailReason.NAME_NOT_ALLOWED,
    Denial.NOT_APPROVED: CharCreateFailReason.NOT_ALLOWED,
}
"""The client's word for a reason; for any other, that it failed."""


def account_of(session: L2Session) -> AccountInfo:
    """The account of a client that is logged in. Raises Denied(BAD_CREDENTIALS) if it is not."""
    if session.account is None:
        raise Denied(Denial.BAD_CREDENTIALS, "not logged in")
    return session.account


async def send_characters(session: L2Session) -> None:
    """The account's characters, read anew. The one it played last is the one that is chosen at first; on a
    new connection, the first that may be played."""
    found = await session.services.characters.all(account_of(session), doomed=True)
    session.characters = found[:MOST_SHOWN]
    alive = [info.serial for info in session.characters if info.deleted_in is None]
    chosen = session.last_played if session.last_played in alive else next(iter(alive), 0)
    lines = []
    for info in session.characters:
        class_id = await notes.read_class(session, info.serial)
        if info.serial not in session.world.mobiles:  # else others would have to see it change
            L2View.of(session).figures.remember(info.serial, calling_of(class_id))
        line = L2View.of(session).character_line(info, class_id)
        line.account = session.account_name
        line.session_id = _session_id(session)
        line.last_used = int(info.serial == chosen)
        lines.append(line)
    session.send(CharSelectInfo(tuple(lines)))


def _session_id(session: L2Session) -> int:
    """The number by which the client knows this login."""
    return session.keys.play1 & 0xFFFFFFFF if session.keys is not None else 0


def _listed(session: L2Session, slot: int) -> CharacterInfo | None:
    """The character that a client means by its place in the list; None if there is none."""
    return session.characters[slot] if 0 <= slot < len(session.characters) else None


# Making one


@ROWS.on(CreationForm, during=Phase.MENU)
async def send_templates(session: L2Session, packet: CreationForm) -> None:
    """NewCharacter: the player wants to make one. What classes there are, and what they begin with."""
    session.send(
        CharTemplates(
            tuple(
                CharTemplate(
                    race=calling.race,
                    class_id=calling.class_id,
                    strength=NEWCOMER,
                    dexterity=NEWCOMER,
                    constitution=NEWCOMER,
                    intelligence=NEWCOMER,
                    wit=NEWCOMER,
                    mentality=NEWCOMER,
                )
                for calling in CALLINGS.values()
            )
        )
    )


@ROWS.on(CharacterCreate, during=Phase.MENU)
async def create(session: L2Session, packet: CharacterCreate) -> None:
    """CharacterCreate: the filled-in form. What cannot be shown in the other games, the class, is kept for
    this one. A form that raises Denied here is answered with CharCreateFail."""
    services, looks = session.services, L2View.of(session).figures.looks
    try:
        if not _fits(looks, packet):
            raise Denied(Denial.NOT_APPROVED, "a form that the client does not offer")
        NAMING.require(packet.name)
        made = await services.characters.create(session, _wish(looks, packet))
    except Denied as denied:
        reason = CREATE_REASONS.get(denied.why, CharCreateFailReason.CREATION_FAILED)
        if denied.why is Denial.BAD_NAME and len(packet.name) > LONGEST:
            reason = CharCreateFailReason.NAME_TOO_LONG
        session.send(CharCreateFail(reason))
        return
    with suppress(Denied):  # it is made, be it as a human fighter
        await notes.keep_class(session, made.serial, packet.class_id)
    session.send(CharCreateOk())
    await send_characters(session)


def _fits(looks: L2Looks, packet: CharacterCreate) -> bool:
    """Whether the client's form offers this."""
    calling = CALLINGS.get(packet.class_id)
    return (
        calling is not None
        and calling.race == packet.race
        and packet.sex in SEXES
        and packet.hair_style in range(looks.styles(female=packet.sex == FEMALE).count)
        and packet.hair_color in range(COLOURS)
        and packet.face in range(FACES)
    )


def _wish(looks: L2Looks, packet: CharacterCreate) -> NewCharacter:
    """The common sheet: a face is a colour of the skin there."""
    female = packet.sex == FEMALE
    return NewCharacter(
        name=packet.name,
        female=female,
        hair=looks.styles(female=female).world(packet.hair_style),
        hair_hue=looks.hair_colours.hue(packet.hair_color),
        skin_hue=looks.faces.hue(packet.face),
    )


# Deleting one


@ROWS.on(CharacterDelete, during=Phase.MENU)
async def delete(session: L2Session, packet: CharacterDelete) -> None:
    """CharacterDelete: the player was asked whether it means it. Who is doomed already keeps its time."""
    info = _listed(session, packet.slot)
    if info is None or info.deleted_in is not None:
        session.send(CharDeleteFail(CharDeleteFailReason.DELETION_FAILED))
        return
    characters = session.services.characters
    days = session.settings.get(DELETE_DAYS, 0.0)
    seconds = float(days) * DAY_SECONDS if isinstance(days, int | float) else 0.0
    try:
        if seconds > 0:
            await characters.schedule_deletion(session, info.serial, seconds)
        else:
            await characters.delete(session, info.serial)
    except Denied:
        session.send(CharDeleteFail(CharDeleteFailReason.DELETION_FAILED))
    else:
        session.send(CharDeleteOk())
    await send_characters(session)


@ROWS.on(CharacterRestore, during=Phase.MENU, every=CHARACTER_SELECT.seconds)
async def restore(session: L2Session, packet: CharacterRestore) -> None:
    """CharacterRestore: it shall live. The list tells whether it does."""
    info = _listed(session, packet.slot)
    if info is not None and info.deleted_in is not None:
        with suppress(Denied):  # too late; the client has no word for that but the list
            await session.services.characters.restore(session, info.serial)
    await send_characters(session)


# Choosing one


@ROWS.on(CharacterSelect, during=Phase.MENU, every=CHARACTER_SELECT.seconds)
async def select(session: L2Session, packet: CharacterSelect) -> None:
    """CharacterSelect: this character. The client loads the world around it and says EnterWorld.

    Some clients choose the first place of an empty list before they make a character; that is nothing, and
    neither is one that is doomed.
    """
    info = _listed(session, packet.slot)
    if info is None or info.deleted_in is not None:
        return
    session.selected = info
    session.phase = Phase.ENTERING
    class_id = await notes.read_class(session, info.serial)
    session.send(_selected(session, info, class_id))


def _selected(session: L2Session, info: CharacterInfo, class_id: int) -> CharSelected:
    """Describe the character that the client shows while it loads."""
    line = L2View.of(session).character_line(info, class_id)
    now, place, character = daytime(session.world), _place(session, info), info.character
    return CharSelected(
        name=line.name,
        object_id=line.object_id,
        title="",
        session_id=_session_id(session),
        clan_id=0,
        sex=line.sex,
        race=line.race,
        class_id=line.class_id,
        x=place.x,
        y=place.y,
        z=place.z,
        hp=line.hp,
        mp=line.mp,
        sp=line.sp,
        exp=line.exp,
        level=line.level,
        karma=line.karma,
        pk_kills=0,
        intelligence=attribute(character.intelligence),
        strength=attribute(character.strength),
        constitution=attribute(character.vitality),
        mentality=attribute(character.intelligence),
        dexterity=attribute(character.dexterity),
        wit=attribute(character.intelligence),
        game_time=60 * now.hour + now.minute,
        class_id_again=line.class_id,
    )


def _place(session: L2Session, info: CharacterInfo) -> Place:
    """About where a character stands, so that the client loads the right part of its map: where it is, if it
    is still in the world, else a place of its realm where newcomers appear. UserInfo says it exactly."""
    world, places = session.world, L2View.of(session).figures.places
    mobile = world.mobiles.get(info.serial)
    if mobile is not None:
        return places.of(mobile) or NOWHERE
    known, start = world.realms, world.content.start_realm
    realm = known.get(info.realm) or known.get(start) or next(iter(known.values()))
    spawns = realm.chart.spawns
    x, y = spawns[0] if spawns else (realm.chart.width // 2, realm.chart.height // 2)
    return places.at(realm, x, y) or NOWHERE


@ROWS.on(RequestManorList, during=frozenset({Phase.MENU, Phase.ENTERING, Phase.IN_WORLD}))
async def no_manors(session: L2Session, packet: RequestManorList) -> None:
    """RequestManorList: there are no castles here."""
