"""Notes that are kept with a character for this game alone: its body, its profession, when it was played
last, and whether its player wants another one made.

Each is one note (`protocol.services.Characters.note`). What cannot be read, because it was written by hand or
by an older server, counts as not there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.co.looks import BODIES, PROFESSIONS, usual_body

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.co.session import CoSession
    from protocol.services import CharacterInfo

GAME: Final = "co"

BODY: Final = "body"
PROFESSION: Final = "profession"
PLAYED: Final = "played"
"""A count: the character of an account with the highest was played last."""
WANTS_NEW: Final = "wants_new"
"""1 if the next login of its account is to be shown the form for a new character. Keys of the notes."""


async def read(session: CoSession, info: CharacterInfo) -> tuple[int, int]:
    """Body and profession; what was never kept is the usual."""
    body = await _number(session, info.serial, BODY)
    profession = await _number(session, info.serial, PROFESSION)
    return (
        body
        if body in BODIES and BODIES[body] is info.character.female
        else usual_body(female=info.character.female),
        profession if profession in PROFESSIONS else PROFESSIONS[0],
    )


async def keep(session: CoSession, serial: int, body: int, profession: int) -> None:
    """Remember them. Raises Denied."""
    await _keep(session, serial, BODY, body)
    await _keep(session, serial, PROFESSION, profession)


async def last_played(session: CoSession, infos: Sequence[CharacterInfo]) -> CharacterInfo | None:
    """The one of these that was played last, or chosen to be next; the first of those that this game never
    played; None of none. Raises Denied."""
    best, highest = None, -1
    for info in infos:
        count = await _played(session, info.serial)
        if count > highest:
            best, highest = info, count
    return best


async def prefer(session: CoSession, serial: int) -> None:
    """From now on this is the account's character that was played last. Raises Denied."""
    if session.account is None:
        return
    counts = {
        info.serial: await _played(session, info.serial)
        for info in await session.services.characters.all(session.account)
    }
    own = counts.pop(serial, 0)
    others = max(counts.values(), default=0)
    if own <= others:
        await _keep(session, serial, PLAYED, others + 1)


async def order_new(session: CoSession, serial: int) -> None:
    """The next login of the account of this character is to be shown the form for a new one. Raises
    Denied."""
    await _keep(session, serial, WANTS_NEW, 1)


async def takes_order(session: CoSession, infos: Sequence[CharacterInfo]) -> bool:
    """Whether that was ordered; from now on it is not. Raises Denied."""
    ordered = False
    for info in infos:
        if await _number(session, info.serial, WANTS_NEW) == 1:
            await _keep(session, info.serial, WANTS_NEW, 0)
            ordered = True
    return ordered


async def _played(session: CoSession, serial: int) -> int:
    """Its count; 0 if this game never played it."""
    return max(0, await _number(session, serial, PLAYED))


async def _number(session: CoSession, serial: int, key: str) -> int:
    """A note as a number; -1 if it is none."""
    text = await session.services.characters.note(session, serial, GAME, key)
    return int(text) if text is not None and text.isdecimal() and len(text) < 19 else -1


async def _keep(session: CoSession, serial: int, key: str, number: int) -> None:
    await session.services.characters.keep(session, serial, GAME, key, str(number))
