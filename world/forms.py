"""Forms: the check of an answer against an open question, and questions put one step after the other for
clients that cannot show a whole form.

The stages of a dialog: each page but the last; each input, the first of them below the last page; and the
buttons. A player who answers in stages ends with the same values as one who fills in a form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import attrs

from world.dialog import Choice, Draft, Line, Number
from world.reach import Cannot, Refusal
from world.words import clean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from world.dialog import Input, Value
    from world.mobile import Dialog

MOST_SHOWN: Final = 6
"""Options of one step: with those to go on and to close, what a window of Conquer Online shows at once."""

LONGEST_NUMBER: Final = 10
"""Digits of a number that somebody types."""

GO_ON: Final = "Go on."
MORE: Final = "What else is there?"
ENOUGH: Final = "That is all."

Given: TypeAlias = "int | str | Sequence[int]"
"""What a client says of one input: a number may come as digits, options by their numbers."""


@attrs.frozen
class Way:
    """One answer of a step, and where it leads: the next draft, or the button that it presses."""

    number: int
    label: str
    leads: Draft | int


@attrs.frozen
class Step:
    """The next question of a dialog: some text and answers to choose from, or something to be `typed`."""

    text: str
    ways: Sequence[Way]
    typed: Number | Line | None = None

    @property
    def wanted(self) -> str:
        """Description of the words to be typed, for the player."""
        return wanted(self.typed) if self.typed is not None else ""


def filled_in(dialog: Dialog, given: Mapping[str, Given]) -> dict[str, Value]:
    """The valid value of each input, by its key. Raises Cannot(UNFIT) for the first that does not fit, and
    says what would."""
    return {one.key: taken(one, given.get(one.key, ())) for one in dialog.inputs}


def fitting(dialog: Dialog, given: Mapping[str, Given]) -> dict[str, Value]:
    """As many of the given values as fit, by the keys of their inputs."""
    kept = {}
    for one in dialog.inputs:
        try:
            kept[one.key] = taken(one, given.get(one.key, ()))
        except Cannot:
            continue
    return kept


def taken(question: Input, given: Given) -> Value:
    """The valid value of one input. Raises Cannot(UNFIT) if the given one does not fit."""
    value = _taken(question, given)
    if value is None:
        raise Cannot(Refusal.UNFIT, wanted(question))
    return value


def _taken(question: Input, given: Given) -> Value | None:
    match question:
        case Choice(options=options, several=several):
            numbers = tuple(dict.fromkeys(given)) if isinstance(given, (list, tuple)) else ()
            known = {option.number for option in options}
            fits = known.issuperset(numbers) and (several or len(numbers) == 1)
            return numbers if fits else None
        case Number(least=least, most=most):
            number = _number(given)
            return number if number is not None and least <= number <= most else None
        case Line(longest=longest, shortest=shortest):
            line = clean(given, longest) if isinstance(given, str) else ""
            return line if len(line) >= shortest else None


def _number(given: Given) -> int | None:
    if isinstance(given, str):
        digits = given.strip()
        plain = digits.removeprefix("-")
        return int(digits) if plain.isascii() and plain.isdecimal() and len(plain) <= LONGEST_NUMBER else None
    return given if isinstance(given, int) else None


def wanted(question: Input) -> str:
    """Description of what an input takes, in words."""
    match question:
        case Choice(prompt=prompt, several=several):
            return f"Choose {'what you like of this' if several else 'one of these'}: {prompt}"
        case Number(least=least, most=most):
            return f"A number from {least} to {most}, please."
        case Line(longest=longest):
            return f"Up to {longest} characters, please."


def step_of(dialog: Dialog) -> Step:
    """The next step for a player who cannot be shown all at once. Of a plain dialog that is all there is."""
    draft, pages = dialog.draft, dialog.pages
    unread = len(pages) - 1 - draft.stage
    closing = Way(0, dialog.closing.label, 0)
    if unread > 0:
        return Step(pages[draft.stage], (Way(1, GO_ON, Draft(draft.stage + 1)), closing))
    place = -unread
    if place >= len(dialog.inputs):
        text = _summary(dialog) if dialog.inputs else pages[-1]
        return Step(text, tuple(Way(one.number, one.label, one.number) for one in dialog.buttons))
    question = dialog.inputs[place]
    text = question.prompt if place else f"{pages[-1]} {question.prompt}".strip()
    if not isinstance(question, Choice):
        return Step(text, (closing,), question)
    ways = [Way(number, label, leads) for number, (label, leads) in enumerate(_ways(question, draft), 1)]
    return Step(text, (*ways, closing))


def typed(dialog: Dialog, text: str) -> Draft:
    """The draft after the player typed the words that the step asks for. Raises Cannot(UNFIT)."""
    question = step_of(dialog).typed
    if question is None:
        raise Cannot(Refusal.UNFIT)
    values = {**dialog.draft.values, question.key: taken(question, text)}
    return Draft(dialog.draft.stage + 1, values=values)


def _ways(question: Choice, draft: Draft) -> list[tuple[str, Draft]]:
    """Answers about options, and where they lead."""
    key, values, stage, first = question.key, draft.values, draft.stage, draft.first
    before = values.get(key, ())
    marked = before if isinstance(before, tuple) else ()
    found = []
    for option in question.options[first : first + MOST_SHOWN]:
        number = option.number
        if not question.several:
            found.append((option.words, Draft(stage + 1, values={**values, key: (number,)})))
        elif number in marked:
            rest = tuple(one for one in marked if one != number)
            found.append((f"[x] {option.words}", Draft(stage, first, {**values, key: rest})))
        else:
            found.append((f"[ ] {option.words}", Draft(stage, first, {**values, key: (*marked, number)})))
    if len(question.options) > MOST_SHOWN:
        behind = first + MOST_SHOWN
        found.append((MORE, Draft(stage, behind if behind < len(question.options) else 0, values)))
    if question.several:
        found.append((ENOUGH, Draft(stage + 1, values={**values, key: marked})))
    return found


def _summary(dialog: Dialog) -> str:
    """What was filled in, in words."""
    told = []
    for question in dialog.inputs:
        value = dialog.draft.values.get(question.key, ())
        if isinstance(question, Choice) and isinstance(value, tuple):
            labels = [one.words for one in question.options if one.number in value]
            told.append(f"{question.prompt} {', '.join(labels) or 'Nothing.'}")
        else:
            told.append(f"{question.prompt} {value}")
    return " ".join(told)


def in_words(dialog: Dialog, word: str = "answer") -> list[str]:
    """The next step as lines of text, for a client without windows; a command answers it."""
    step = step_of(dialog)
    lines = [dialog.title] if dialog.title else []
    lines += [line.strip() for line in step.text.splitlines() if line.strip()]
    lines += [f"{word} {way.number}: {way.label}" for way in step.ways if way.number or step.typed is None]
    if step.typed is not None:
        lines.append(f"{word} ...: {step.wanted}")
    return lines
