"""The post as dialogs, for every game whose own window does not do all of it, and all that is said of letters
in words.

    come up to a banker or a board  ->  read a letter   ->  take what it brings, send it back, throw it away
                                    ->  write a letter
                                    ->  send a parcel   ->  which things, how much gold, for how much

A refusal is told.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Final

from world import hands, holding, mail, speech
from world.containers import counted
from world.dialogs import Button, Choice, Line, Number, Option, Reply, ask
from world.wording import GOLD, amount_of, coins, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from world.letter import Letter
    from world.mobile import Mobile
    from world.social_events import Envelope
    from world.thing import Surroundings

POST_DIALOG: Final = "PostDialog"

READ, WRITE, PARCEL = 1, 2, 3
TAKE, SEND_BACK, THROW_AWAY, ANOTHER = 1, 2, 3, 4

TITLE: Final = "Letters and parcels"
BACK: Final = Button(0, "Never mind.")
LEAVE: Final = Button(0, "Nothing, thank you.")

NAMED: Final = 5
"""Letters that are told of at once."""

NONE_WAIT: Final = "No letters wait for you."


def at_counter(actor: Mobile) -> None:
    """Come up to whoever has the letters: its game's own window opens, or a dialog asks. Raises Cannot, as
    `mail.check_counter`."""
    mail.show(actor, mail.counter(actor))
    if mail.MAIL_OPENS in actor.windows:
        return
    envelopes = mail.envelopes(actor)
    buttons = [Button(READ, "Read a letter.")] if envelopes else []
    buttons += [Button(WRITE, "Write a letter."), Button(PARCEL, "Send a parcel.")]
    asks = {READ: _ask_which, WRITE: _ask_words, PARCEL: _ask_things}

    def answered(mobile: Mobile, reply: Reply) -> None:
        if reply.button:
            speech.or_tell(mobile, lambda: asks[reply.button](mobile))

    lines = [outside(actor.world, one) for one in envelopes]
    text = "; ".join(lines[:NAMED]) if lines else NONE_WAIT
    if len(lines) > NAMED:
        text = f"{text}; and {len(lines) - NAMED} more"
    ask(actor, POST_DIALOG, title=TITLE, text=text, buttons=(*buttons, LEAVE), answered=answered)


def outside(world: Surroundings, envelope: Envelope) -> str:
    """Line of a letter in a list: its number, the sender, the subject, and whether it brings something."""
    brings = ""
    if envelope.parcel:
        brings = f", for {coins(world, envelope.price)}" if envelope.price else ", with a parcel"
    new = "" if envelope.read else " (new)"
    return f"{envelope.number}. {envelope.sender}: {envelope.subject}{brings}{new}"


def inside(world: Surroundings, envelope: Envelope) -> Sequence[str]:
    """All of a letter, in lines."""
    lines = [f"From {envelope.sender}, {_day(envelope.at)}: {envelope.subject}"]
    if envelope.text:
        lines.append(envelope.text)
    if envelope.parcel:
        brings = listed([amount_of(world, kind, amount) for kind, amount in envelope.parcel])
        cost = f", for {coins(world, envelope.price)}" if envelope.price else ""
        until = f", until {_day(envelope.until)}" if envelope.until else ""
        lines.append(f"It brings {brings}{cost}{until}.")
    return lines


def _day(at: float) -> str:
    return datetime.datetime.fromtimestamp(at, datetime.UTC).strftime("%Y-%m-%d")


# Reading


def _ask_which(actor: Mobile) -> None:
    letters, envelopes = mail.letters_of(actor), mail.envelopes(actor)
    options = [Option(one.number, outside(actor.world, one)) for one in envelopes]

    def given(mobile: Mobile, reply: Reply) -> None:
        (number,) = reply.chosen("letter")
        _open(mobile, letters[number - 1])

    _form(actor, "Which one?", "Read it.", (Choice("letter", "Which one?", options),), given)


def _open(actor: Mobile, letter: Letter) -> None:
    """Read one letter, and ask what becomes of it."""
    envelope = mail.read(actor, letter)
    buttons = [Button(THROW_AWAY, "Throw it away.")]
    if envelope.parcel:
        price = coins(actor.world, envelope.price)
        buttons = [Button(TAKE, f"Pay {price} and take it." if envelope.price else "Take what it brings.")]
        if not letter.returned:
            buttons.append(Button(SEND_BACK, "Send it back."))
    deeds = {TAKE: mail.take, SEND_BACK: mail.refuse, THROW_AWAY: mail.discard}

    def answered(mobile: Mobile, reply: Reply) -> None:
        def deal() -> None:
            if reply.button in deeds:
                deeds[reply.button](mobile, letter)
            if reply.button:
                at_counter(mobile)

        speech.or_tell(mobile, deal)

    first, *more = inside(actor.world, envelope)
    buttons += [Button(ANOTHER, "Read another."), BACK]
    ask(
        actor,
        POST_DIALOG,
        title=envelope.subject,
        text=first,
        more=more,
        buttons=buttons,
        answered=answered,
    )


# Writing


def _ask_words(actor: Mobile) -> None:
    def given(mobile: Mobile, reply: Reply) -> None:
        mail.send(mobile, reply.line("to"), reply.line("text"), subject=reply.line("subject"))

    inputs = (
        Line("to", "To whom?", longest=32),
        Line("subject", "About what?", longest=mail.LONGEST_SUBJECT),
        Line("text", "What shall it say?"),
    )
    _form(actor, "A letter.", "Send it.", inputs, given)


def _ask_things(actor: Mobile) -> None:
    carried = [
        item
        for item in hands.carried_items(actor)
        if item.template.movable and not item.contents and item.template.key != GOLD
    ]
    most, things = holding.gold(actor), dict(enumerate(carried, 1))
    options = [Option(at, counted(item), item.template) for at, item in things.items()]

    def given(mobile: Mobile, reply: Reply) -> None:
        chosen = [things[at] for at in reply.chosen("things")] if options else []
        mail.send(
            mobile,
            reply.line("to"),
            reply.line("text"),
            things=[(item, item.amount) for item in chosen],
            gold=reply.number("gold"),
            price=reply.number("price"),
        )

    inputs = (
        Line("to", "To whom?", longest=32),
        Line("text", "What shall the letter say?"),
        *((Choice("things", "Which things?", options, several=True),) if options else ()),
        Number("gold", "How much gold goes with it?", 0, most, 0),
        Number("price", "How much gold shall they pay for it?", 0, mail.MOST_PRICE, 0),
    )
    _form(actor, "A parcel.", "Send it.", inputs, given)


def _form(
    actor: Mobile,
    text: str,
    label: str,
    inputs: Sequence[Choice | Line | Number],
    given: Callable[[Mobile, Reply], None],
) -> None:
    """Ask for values, and do what they say or tell why not."""

    def answered(mobile: Mobile, reply: Reply) -> None:
        speech.or_tell(mobile, lambda: given(mobile, reply) if reply.button else at_counter(mobile))

    ask(
        actor,
        POST_DIALOG,
        title=TITLE,
        text=text,
        buttons=(Button(1, label), BACK),
        answered=answered,
        inputs=inputs,
    )
