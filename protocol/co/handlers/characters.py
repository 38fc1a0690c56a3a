"""Making characters, and changing from one to another.

The client knows one character for each account and has no way to ask for another. Who has none is shown a
form for a new one (Register). Who plays asks the town crier: for another character of the account, whichever
game it was made in, or for the form. That choice is noted, and counts from the next login on: the client is
told to log in again, and its connection ends.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final
from weakref import ref

from protocol.co import notes
from protocol.co.figures import NAMING
from protocol.co.handlers.login import can_come
from protocol.co.handlers.table import TABLE
from protocol.co.packets import ANSWER_OK, Channel, Register, Talk, said
from protocol.co.view import CoView
from protocol.denials import Denial, Denied
from protocol.endings import Ending
from protocol.session import NO_LINK, Phase
from world import news
from world.dialogs import Button, ask
from world.speech import notice

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from protocol.co.session import CoSession
    from protocol.services import CharacterInfo
    from world.dialog import Reply
    from world.mobile import Mobile
    from world.world import World

TRY_LATER: Final = "That cannot be done now. Please try again later."


# The form

CREATE_REASONS: Final[Mapping[Denial, str]] = {
    Denial.EXISTS: "That name is taken.",
    Denial.BAD_NAME: "Names have 3 to 15 letters, and nothing else.",
    Denial.FULL: "Your account has as many characters as it may have.",
    Denial.NOT_APPROVED: "There is no such body or profession.",
}
"""Words that the form shows below; for any other reason, to try again later."""


@TABLE.on(Register, during=Phase.MENU, secret=True)
async def register(session: CoSession, packet: Register) -> None:
    """Register: the filled-in form, whose name, body and profession are checked here and by the world. The
    form stays open after a refusal. A form that raises Denied is answered with a reason."""
    looks = CoView.of(session).figures.looks
    try:
        if not looks.offers(packet.body, packet.profession):
            raise Denied(Denial.NOT_APPROVED)
        NAMING.require(packet.name)
        made = await session.services.characters.create(session, looks.wish(packet.name, packet.body))
    except Denied as denied:
        session.send(register_line(CREATE_REASONS.get(denied.why, TRY_LATER)))
        return
    with suppress(Denied):  # it is made, be it of the usual build
        await notes.keep(session, made.serial, packet.body, packet.profession)
        await notes.prefer(session, made.serial)
    session.phase = Phase.ENTERING  # for this connection one is enough: the client logs in anew
    session.hang_up_means = Ending.RELAYED
    session.send(register_line(ANSWER_OK))


def register_line(words: str) -> Talk:
    """The answer to the form for a character; but for ANSWER_OK the client shows it."""
    return said(words, Channel.REGISTER)


# At the town crier's

WHICH: Final = "CharacterDialog"
"""Name of the dialog."""

MOST_OFFERED: Final = 8
"""Characters in one window."""

NO_OTHER: Final = "You have no other character that could come here."
NO_ROOM: Final = "Your account has as many characters as it may have."


def topics(session: CoSession, crier: Mobile) -> tuple[news.Topic, ...]:
    """Topics that the crier offers a player of this game besides news."""
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
