"""The character menu: the list, a new character, deleting one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eolib import (
    CharacterCreateClientPacket,
    CharacterPlayerServerPacket,
    CharacterRemoveClientPacket,
    CharacterReply,
    CharacterReplyServerPacket,
    CharacterRequestClientPacket,
    CharacterTakeClientPacket,
    Gender,
)

from protocol.denials import Denial, Denied
from protocol.endings import WireError
from protocol.eo.figures import NAMING
from protocol.eo.handlers.table import TABLE
from protocol.eo.view import EoView
from protocol.services import NewCharacter
from protocol.session import Phase

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eolib import CharacterSelectionListEntry

    from protocol.eo.session import EoSession
    from protocol.services import AccountInfo, CharacterInfo

MOST_SHOWN: Final = 3
"""Places in the client's menu."""

HAIR_STYLES: Final = range(1, 21)
HAIR_COLOURS: Final = range(10)
SKINS: Final = range(4)
"""The choices of the client's form."""


def listed(session: EoSession, characters: Sequence[CharacterInfo]) -> list[CharacterSelectionListEntry]:
    """The lines of the menu."""
    return [EoView.of(session).figures.list_entry(info) for info in characters[:MOST_SHOWN]]


def account_of(session: EoSession) -> AccountInfo:
    """The account of a client that is logged in. Raises WireError if it is not."""
    if session.account is None:
        raise WireError("not logged in")
    return session.account


_REFUSALS: Final[Mapping[CharacterReply, Callable[[], CharacterReplyServerPacket.ReplyCodeData]]] = {
    CharacterReply.Exists: CharacterReplyServerPacket.ReplyCodeDataExists,
    CharacterReply.Full: CharacterReplyServerPacket.ReplyCodeDataFull,
    CharacterReply.Full3: CharacterReplyServerPacket.ReplyCodeDataFull3,
    CharacterReply.NotApproved: CharacterReplyServerPacket.ReplyCodeDataNotApproved,
}
_ALLOWED: Final[Callable[[], CharacterReplyServerPacket.ReplyCodeData]] = (
    CharacterReplyServerPacket.ReplyCodeDataDefault
)
_WORDS: Final = {Denial.EXISTS: CharacterReply.Exists, Denial.FULL: CharacterReply.Full}


def _reply(code: CharacterReply) -> CharacterReplyServerPacket:
    return CharacterReplyServerPacket(reply_code=code, reply_code_data=_REFUSALS[code]())


@TABLE.on(CharacterRequestClientPacket, during=Phase.MENU)
async def request_character(session: EoSession, packet: CharacterRequestClientPacket) -> None:
    """Character_Request: is there room for another? The answer allows one Character_Create."""
    services = session.services
    made = len(await services.characters.all(account_of(session)))
    if made >= MOST_SHOWN:
        session.send(_reply(CharacterReply.Full3))
    elif made >= services.character_limit:
        session.send(_reply(CharacterReply.Full))
    else:
        session.character_token = session.new_token()
        session.send(
            CharacterReplyServerPacket(
                reply_code=CharacterReply(session.character_token),
                reply_code_data=_ALLOWED(),
            )
        )


@TABLE.on(CharacterCreateClientPacket, during=Phase.MENU)
async def create_character(session: EoSession, packet: CharacterCreateClientPacket) -> None:
    """Character_Create: the filled-in form. A form that raises Denied is answered with a code."""
    services, looks = session.services, EoView.of(session).figures.looks
    token, session.character_token = session.character_token, 0
    fits = packet.hair_style in HAIR_STYLES and packet.hair_color in HAIR_COLOURS and packet.skin in SKINS
    try:
        if not token or packet.session_id != token or not fits:
            raise Denied(Denial.NOT_APPROVED)
        NAMING.require(packet.name)
        wish = NewCharacter(
            name=packet.name,
            female=packet.gender == Gender.Female,
            hair=packet.hair_style,
            hair_hue=looks.hair.hue(packet.hair_color),
            skin_hue=looks.skins.hue(packet.skin),
        )
        await services.characters.create(session, wish)
    except Denied as denied:
        session.send(_reply(_WORDS.get(denied.why, CharacterReply.NotApproved)))
        return
    characters = await services.characters.all(account_of(session))
    session.send(
        CharacterReplyServerPacket(
            reply_code=CharacterReply.Ok,
            reply_code_data=CharacterReplyServerPacket.ReplyCodeDataOk(
                characters=listed(session, characters)
            ),
        )
    )


@TABLE.on(CharacterTakeClientPacket, during=Phase.MENU)
async def take_character(session: EoSession, packet: CharacterTakeClientPacket) -> None:
    """Character_Take: the player wants to delete one; the answer allows one Character_Remove of it."""
    characters = await session.services.characters.all(account_of(session))
    if any(info.serial == packet.character_id for info in characters):
        session.character_token = session.new_token()
        session.doomed_character = packet.character_id
        session.send(
            CharacterPlayerServerPacket(session_id=session.character_token, character_id=packet.character_id)
        )


@TABLE.on(CharacterRemoveClientPacket, during=Phase.MENU)
async def remove_character(session: EoSession, packet: CharacterRemoveClientPacket) -> None:
    """Character_Remove: the player is sure. A removal that raises Denied is answered with a code."""
    services = session.services
    token, session.character_token = session.character_token, 0
    doomed, session.doomed_character = session.doomed_character, 0
    try:
        if not token or packet.session_id != token or not doomed or packet.character_id != doomed:
            raise Denied(Denial.NOT_APPROVED)
        await services.characters.delete(session, doomed)
    except Denied:
        session.send(_reply(CharacterReply.NotApproved))
        return
    characters = await services.characters.all(account_of(session))
    session.send(
        CharacterReplyServerPacket(
            reply_code=CharacterReply.Deleted,
            reply_code_data=CharacterReplyServerPacket.ReplyCodeDataDeleted(
                characters=listed(session, characters)
            ),
        )
    )
