"""News of the town crier, as a conversation in windows: the player's own place, and the other players of all
games. (In games without such windows he says it aloud, see `world.residents`.)"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from world import presence
from world.daytime import daytime
from world.dialogs import Button, Line, ask
from world.mobile import Access

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from world.dialog import Reply
    from world.mobile import Dialog, Mobile

NEWS: Final = "NewsDialog"
SOUGHT: Final = "SoughtDialog"
"""Names of the dialogs."""

WHERE: Final = 1
WHO: Final = 2
SEEK: Final = 3
FIRST_TOPIC: Final = 4
FAREWELL: Final = 0

LONGEST_NAME: Final = 30
"""Letters of a name that one looks for: what the longest of all games may have."""

MOST_NAMED: Final = 40
"""Names of one answer."""


@attrs.frozen
class Topic:
    """A further answer in the crier's window for the players of one game: its label, and the function it
    calls."""

    label: str
    chosen: Callable[[Mobile], None]


def offer_news(mobile: Mobile, crier: Mobile, topics: Sequence[Topic] = ()) -> Dialog:
    """Open the crier's window for a player. `topics` follow the news."""
    place = crier.realm.chart.title if crier.realm is not None else "the realm"
    return _ask(mobile, crier, f"Welcome to {place}, {mobile.name}! What would you like to know?", topics)


def where(mobile: Mobile) -> str:
    """Line that tells a player its place and the time of day."""
    now = daytime(mobile.world)
    place = mobile.realm.chart.title if mobile.realm is not None else "nowhere"
    return f"You are at {mobile.x}, {mobile.y} in {place}, and it is {now.hour:02}:{now.minute:02}."


def who(mobile: Mobile) -> str:
    """Line that tells a player who is online. Hidden players are in it for staff only."""
    others = [
        other.name
        for other in mobile.world.online()
        if other is not mobile and (not other.hidden or mobile.access >= Access.COUNSELOR)
    ]
    others = sorted([*others, *(person.name for person in presence.listed_afar(mobile))])
    if not others:
        return "You have the realm to yourself today."
    more = f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
    return f"About today: {', '.join(others[:MOST_NAMED])}{more}."


def whereabouts(mobile: Mobile, name: str) -> str:
    """Line that tells a player where another one is; hidden players are found by staff only."""
    sought = mobile.world.online_by_name(name)
    hides = sought is not None and sought.hidden and mobile.access < Access.COUNSELOR
    if sought is None and (title := _title_afar(mobile, name)):
        return title
    if sought is None or sought.realm is None or (hides and sought is not mobile):
        return f"{name} is not here today."
    return f"{sought.name} is in {sought.realm.chart.title}."


def _title_afar(mobile: Mobile, name: str) -> str:
    """As `whereabouts`, of somebody in another world; empty if nobody of that name may be found there."""
    person = mobile.world.elsewhere.find(name)
    if person is None or person not in presence.listed_afar(mobile):
        return ""
    chart = mobile.world.content.charts.get(person.realm)
    return f"{person.name} is in {chart.title}." if chart is not None else ""


def name_of(crier: Mobile) -> str:
    """Title of the crier's window."""
    return f"{crier.name}, {crier.template.title}" if crier.template.title else crier.name


def _ask(mobile: Mobile, crier: Mobile, text: str, topics: Sequence[Topic]) -> Dialog:
    def answered(player: Mobile, reply: Reply) -> None:
        button = reply.button
        if button == WHERE:
            _ask(player, crier, where(player), topics)
        elif button == WHO:
            _ask(player, crier, who(player), topics)
        elif button == SEEK:
            seek(player, crier, topics)
        elif button >= FIRST_TOPIC:
            topics[button - FIRST_TOPIC].chosen(player)

    return ask(
        mobile,
        NEWS,
        title=name_of(crier),
        text=text,
        buttons=(
            Button(WHERE, "Where am I?"),
            Button(WHO, "Who is here today?"),
            Button(SEEK, "I am looking for somebody."),
            *(Button(number, topic.label) for number, topic in enumerate(topics, FIRST_TOPIC)),
            Button(FAREWELL, "Farewell."),
        ),
        answered=answered,
        asker=crier,
    )


def seek(mobile: Mobile, crier: Mobile, topics: Sequence[Topic] = ()) -> Dialog:
    """Let the crier ask for a name, and tell where the player of that name is."""

    def answered(player: Mobile, reply: Reply) -> None:
        if reply.button:
            _ask(player, crier, whereabouts(player, reply.line("name")), topics)

    return ask(
        mobile,
        SOUGHT,
        title=name_of(crier),
        text="",
        buttons=(Button(1, "Where is that one?"), Button(FAREWELL, "Never mind.")),
        inputs=(Line("name", "Whom are you looking for?", longest=LONGEST_NAME),),
        answered=answered,
        asker=crier,
    )
