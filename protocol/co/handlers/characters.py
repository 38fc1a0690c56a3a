"""The town crier lets a player change its character: to another of its account, whichever game it was made
in, or to a new one.

The client knows one character for each account and has no way to ask for another. So the choice is noted, and
counts from the next login on: the client is told to log in again, and its connection ends.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final
from weakref import ref

from protocol.co import notes
from protocol.co.figures import NAMING
from protocol.co.handlers.login import TRY_LATER, can_come
from protocol.co.packets import Channel, said
from protocol.endings import Ending
from protocol.services import Denied
from protocol.session import NO_LINK
from world import news
from world.dialogs import Button, ask
from world.speech import notice

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from protocol.co.session import CoSession
    from protocol.services import CharacterInfo
    from world.dialog import Reply
    from world.mobile import Mobile
    from world.world import World

WHICH: Final = "CharacterDialog"
"""Name of the dialog."""

MOST_OFFERED: Final = 8
"""Characters in one window."""

NO_OTHER: Final = "You have no other character that could come here."
NO_ROOM: Final = "Your account has as many characters as it may have."


def topics(session: CoSession, crier: Mobile) -> tuple[news.Topic, ...]:
    """What the crier offers a player of this game besides news."""
    mine = ref(session)
    return (
        news.Topic("Another character.", partial(_begin, mine, crier, _offer_others)),
        news.Topic("A new character.", partial(_begin, mine, crier, _order_new)),
    )


def _begin(
    mine: ref[CoSession],
    crier: Mobile,
    job: Callable[[CoSession, Mobile], Awaitable[None]],
    mobile: Mobile,
) -> None:
    """Begin what takes the store's time. What the client says next waits for that."""
    session = mine()
    if session is not None and session.mobile is mobile and session.link is not NO_LINK:
        session.later(partial(job, session, crier))


async def _offer_others(session: CoSession, crier: Mobile) -> None:
    """Ask which one."""
    infos: Sequence[CharacterInfo] = ()
    if session.account is not None:
        try:
            infos = await session.services.characters.all(session.account)
        except Denied:
            await _tell(session, TRY_LATER)
            return
    await session.services.in_world(session, partial(_ask_which, session, crier, infos))


def _ask_which(session: CoSession, crier: Mobile, infos: Sequence[CharacterInfo], world: World) -> None:
    mobile = session.mobile
    if mobile is None:
        return
    others = [info for info in infos if info.serial != mobile.serial and can_come(session, info)]
    if not others:
        notice(mobile, NO_OTHER)
        return
    others = others[:MOST_OFFERED]

    def answered(player: Mobile, reply: Reply) -> None:
        if reply.button:
            _begin(mine, crier, partial(_choose, others[reply.button - 1]), player)

    mine = ref(session)
    ask(
        mobile,
        WHICH,
        title=news.name_of(crier),
        text="Who would you like to be?",
        buttons=(
            *(Button(number, _label(info)) for number, info in enumerate(others, 1)),
            Button(0, f"I would rather stay {NAMING.of(mobile)}."),
        ),
        answered=answered,
        asker=crier,
    )


def _label(info: CharacterInfo) -> str:
    return f"{NAMING.of(info.character)}, level {max(1, info.character.level)}"


async def _choose(info: CharacterInfo, session: CoSession, crier: Mobile) -> None:
    """That one is the account's from the next login on."""
    try:
        await notes.prefer(session, info.serial)
    except Denied:
        await _tell(session, TRY_LATER)
        return
    await _part(session, f"You are {NAMING.of(info.character)} from now on. Please log in again.")


async def _order_new(session: CoSession, crier: Mobile) -> None:
    """The next login is shown the form for a new character, if there is room for one."""
    account, mobile, services = session.account, session.mobile, session.services
    if account is None or mobile is None:
        return
    try:
        if len(await services.characters.all(account, doomed=True)) >= services.character_limit:
            await _tell(session, NO_ROOM)
            return
        await notes.order_new(session, mobile.serial)
    except Denied:
        await _tell(session, TRY_LATER)
        return
    await _part(session, "You may make a new character when you log in again. Please do so now.")


async def _tell(session: CoSession, words: str) -> None:
    """A line, in the world's own time."""

    def tell(world: World) -> None:
        if session.mobile is not None:
            notice(session.mobile, words)

    await session.services.in_world(session, tell)


async def _part(session: CoSession, words: str) -> None:
    """A last line, once the choice is on disk. The character goes at once, as of who takes its leave."""
    await session.services.durable()

    def part(world: World) -> None:
        if session.mobile is not None:
            session.send(said(words, Channel.SYSTEM))
            session.end(Ending.CLIENT_LEFT, "changes its character")

    await session.services.in_world(session, part)
