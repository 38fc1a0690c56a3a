"""Help: what a player may want to know or to have done by somebody, as dialogs. The buttons for help of games
lead here, and a word does in all games (`server.commands`).

    ask for help  ->  how things are done here
                  ->  report somebody            ->  `conduct.report`
                  ->  call for the staff         ->  `speech.plead`
                  ->  out of where one is stuck  ->  `world.rescue`
                  ->  one's place, who is here   ->  `world.news`
                  ->  friends, those ignored, letters, guild

A refusal is told, and the question asked again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import acquaintances, conduct, guild_hall, mail, news, postage, rescue, speech
from world.dialogs import Button, Line, Reply, ask
from world.reach import Cannot

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from world.mobile import Mobile

HELP: Final = "HelpDialog"
"""The name of all these questions."""

HOW, REPORT, STAFF, STUCK, WHERE, PEOPLE = range(1, 7)
FRIENDS, IGNORED, LETTERS, GUILD = range(1, 5)
BACK: Final = 9

TITLE: Final = "Help"
CLOSE: Final = Button(0, "Close.")
GO_BACK: Final = Button(BACK, "Back.")

HOW_IT_IS: Final = (
    "Not everybody here plays the same game as you. You see one another all the same, talk, trade, fight and "
    "go together. The healer, the banker and the crier of a town know their way: talk to them.",
    "What your client has no button for can be said as an order. The order help tells all of them, with a "
    "word more about that one.",
    "Who has died looks for a healer: healers hear ghosts. Where players may fight, whoever strikes an "
    "innocent is a criminal for a while.",
    "Other players can be asked to trade, into a party of up to five, into a guild, and to a duel "
    "of which nobody dies. Whoever is asked may decline, and whom you ignore asks you nothing.",
    "Letters and parcels to players who are away are taken by bankers and at boards, and given out there.",
)
"""How this world works, a page each."""


def at_help(actor: Mobile) -> None:
    """Ask somebody what it needs."""
    topics = {
        HOW: _tell_how,
        REPORT: _ask_whom_to_report,
        STAFF: _ask_for_plea,
        STUCK: _rescue,
        WHERE: _tell_where,
        PEOPLE: _ask_about_people,
    }
    labels = {
        HOW: "How does this world work?",
        REPORT: "I want to report somebody.",
        STAFF: "I want to call for the staff.",
        STUCK: "I am stuck.",
        WHERE: "Where am I, and who is here today?",
        PEOPLE: "Friends, letters and my guild.",
    }
    buttons = [*(Button(number, label) for number, label in labels.items()), CLOSE]
    _ask(actor, "What do you need?", buttons, topics)


def _ask_about_people(actor: Mobile) -> None:
    topics = {
        FRIENDS: acquaintances.show_friends,
        IGNORED: acquaintances.show_ignored,
        LETTERS: _show_letters,
        GUILD: guild_hall.at_guild,
        BACK: at_help,
    }
    labels = {
        FRIENDS: "My friends.",
        IGNORED: "Those of whom I hear nothing.",
        LETTERS: "My letters.",
        GUILD: "My guild.",
    }
    buttons = [*(Button(number, label) for number, label in labels.items()), GO_BACK, CLOSE]
    _ask(actor, "Whom is it about?", buttons, topics)


def _tell_how(actor: Mobile) -> None:
    _ask(actor, HOW_IT_IS[0], (GO_BACK, CLOSE), {BACK: at_help}, more=HOW_IT_IS[1:])


def _tell_where(actor: Mobile) -> None:
    _ask(actor, f"{news.where(actor)} {news.who(actor)}", (GO_BACK, CLOSE), {BACK: at_help})


def _rescue(actor: Mobile) -> None:
    speech.notice(actor, rescue.TOLD if rescue.begin(actor) else f"{rescue.UNDER_WAY.capitalize()}.")


def _show_letters(actor: Mobile) -> None:
    """Ask what to do with one's letters; away from where they are given out, tell which there are."""
    try:
        postage.at_counter(actor)
    except Cannot as cannot:
        lines = [postage.outside(actor.world, one) for one in mail.envelopes(actor)]
        text = "; ".join(lines) if lines else postage.NONE_WAIT
        _ask(actor, f"{text} {cannot}", (GO_BACK, CLOSE), {BACK: _ask_about_people})


def _ask_whom_to_report(actor: Mobile) -> None:
    inputs = (Line("name", "Who is it?", acquaintances.LONGEST_NAME), Line("text", "What happened?"))
    text = "The staff reads what you write, and what was said around you last."
    _form(
        actor,
        text,
        "Report it.",
        inputs,
        lambda mobile, reply: conduct.report(mobile, reply.line("name"), reply.line("text")),
        again=_ask_whom_to_report,
    )


def _ask_for_plea(actor: Mobile) -> None:
    _form(
        actor,
        "The staff reads it now, or when somebody is here.",
        "Call them.",
        (Line("text", "What do you need the staff for?"),),
        lambda mobile, reply: speech.plead(mobile, reply.line("text")),
        again=_ask_for_plea,
    )


def _ask(
    actor: Mobile,
    text: str,
    buttons: Sequence[Button],
    topics: Mapping[int, Callable[[Mobile], None]],
    *,
    more: Sequence[str] = (),
) -> None:
    """Ask something, each answer of which leads somewhere."""

    def answered(mobile: Mobile, reply: Reply) -> None:
        if reply.button in topics:
            topics[reply.button](mobile)

    ask(actor, HELP, title=TITLE, text=text, buttons=buttons, answered=answered, anywhere=True, more=more)


def _form(
    actor: Mobile,
    text: str,
    label: str,
    inputs: Sequence[Line],
    deed: Callable[[Mobile, Reply], object],
    *,
    again: Callable[[Mobile], None],
) -> None:
    """Ask for words and do something with them. What cannot be done is told, and asked `again`."""

    def answered(mobile: Mobile, reply: Reply) -> None:
        if not reply.button:
            at_help(mobile)
            return
        try:
            deed(mobile, reply)
        except Cannot as cannot:
            speech.notice(mobile, str(cannot))
            again(mobile)

    ask(
        actor,
        HELP,
        title=TITLE,
        text=text,
        buttons=(Button(1, label), Button(0, "Back.")),
        answered=answered,
        anywhere=True,
        inputs=inputs,
    )
