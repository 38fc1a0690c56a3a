"""Quests as this client can show them: it has no journal of its own (facts/co-play.md, section 10), so theirs
is a window of the kind that residents talk in, with an answer for each quest; and what is to be done now
stands at the top of the screen as well as among the lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from protocol.co.counters import MORE, NEVER_MIND, ROWS
from protocol.co.dialogs import MenuWindow
from protocol.co.looks import USUAL_FACE
from protocol.co.packets import LONGEST_WORDS, Channel
from protocol.co.packets import said as talk
from protocol.co.session import Leads, Menu, Way
from protocol.wire.body import Body
from world.errands import Change, State
from world.wording import listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from protocol.co.session import CoSession
    from protocol.co.versions import CoVersion
    from protocol.outgoing import Outgoing
    from world.errands import Entry
    from world.events import JournalOpened, QuestChanged
    from world.mobile import Mobile

FIRST_PAGE: Final = Way(Leads.QUESTS)

CLOSE: Final = "Close"

SHOWN_IN: Final[Mapping[Change, Channel]] = {
    Change.BEGUN: Channel.TOP_LEFT,
    Change.ADVANCED: Channel.TOP_LEFT,
    Change.STEP: Channel.TOP_LEFT,
    Change.FINISHED: Channel.CENTRE,
    Change.GIVEN_UP: Channel.TOP_LEFT,
}
"""Where a change stands beside the line that is read again: what is to be done at the top left, and in the
middle of the screen what is done."""


def changed(event: QuestChanged, version: CoVersion) -> Sequence[Outgoing]:
    """A line among all others, and the same where its player cannot miss it."""
    words = (event.words(own=True) or "")[:LONGEST_WORDS]
    channels = (Channel.SYSTEM, SHOWN_IN[event.what])
    return tuple(Body(talk(words, channel).encode(version)) for channel in channels)


class JournalWindow:
    """The list of quests, or the one that its player chose."""

    __slots__ = ("_entries", "_mobile", "_version")
    droppable = False

    def __init__(self, version: CoVersion, event: JournalOpened) -> None:
        self._version = version
        self._mobile = event.thing
        self._entries = event.entries

    def bind(self, session: CoSession) -> bytes:
        """The packets. Notes what its player may choose now."""
        menu = session.menu
        page = menu.page if menu is not None and menu.host is None else FIRST_PAGE
        chosen = next((entry for entry in self._open() if entry.quest.key == page.what), None)
        made = (
            self._list(page) if page.leads is not Leads.QUEST or chosen is None else self._one(chosen, page)
        )
        return made.bind(session)

    def _open(self) -> list[Entry]:
        return [entry for entry in self._entries if entry.state is State.OPEN]

    def _list(self, page: Way) -> MenuWindow:
        ongoing = self._open()
        done = [entry.quest.name for entry in self._entries if entry.state is State.DONE]
        first = page.first if page.first < len(ongoing) else 0
        answers = [
            (f"{entry.quest.name}: {entry.line}", Way(Leads.QUEST, entry.quest.key, first=first))
            for entry in ongoing[first : first + ROWS]
        ]
        if len(ongoing) > ROWS:
            behind = first + ROWS
            answers.append((MORE, Way(Leads.QUESTS, first=behind if behind < len(ongoing) else 0)))
        answers.append((CLOSE, Way(Leads.LEAVE)))
        says = "What you are asked to do." if ongoing else "You have no quests."
        if done:
            says = f"{says} Done: {listed(done)}."
        return self._made(says, answers, Way(Leads.QUESTS, first=first))

    def _one(self, entry: Entry, page: Way) -> MenuWindow:
        back = attrs.evolve(page, leads=Leads.QUESTS, what="")
        answers = []
        if entry.step is not None:
            answers.append(("I give it up.", attrs.evolve(page, leads=Leads.GIVE_UP)))
        answers += [(NEVER_MIND, back), (CLOSE, Way(Leads.LEAVE))]
        return self._made(f"{entry.quest.name}: {entry.line}{_where(self._mobile, entry)}", answers, page)

    def _made(self, says: str, answers: Sequence[tuple[str, Way]], page: Way) -> MenuWindow:
        return MenuWindow(self._version, f"Your quests: {says}", answers, Menu(None, page), USUAL_FACE)


def _where(mobile: Mobile, entry: Entry) -> str:
    """Sentence with the place of a step, if it has one."""
    if entry.place is None:
        return ""
    realm, x, y = entry.place
    charts = mobile.world.content.charts
    return f" Go to {x}, {y} in {charts[realm].title}." if realm in charts else ""
