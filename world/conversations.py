"""Conversations: residents' dialogs as they are led. What conditions and effects there are says
`world.clauses`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from world import dialogs, news, speech
from world.clauses import all_hold, carry_out
from world.dialogs import Button
from world.reach import Cannot, Refusal
from world.talks import START, filled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from world.clauses import Condition, Effect
    from world.dialog import Reply
    from world.mobile import Mobile
    from world.talks import Answer, Passage, Talk

TALK: Final = "TalkDialog"
"""Name of all these dialogs."""

FAREWELL: Final = Button(0, "Farewell.")
"""Where no other answer ends the talk."""

HAS_CHANGED: Final = "That is not so any more."


def begin(player: Mobile, speaker: Mobile) -> None:
    """Open the dialog of a resident that has one. Who is dead is not talked to. Raises Cannot(DEAD)."""
    talk = speaker.template.talk
    if player.dead:
        raise Cannot(Refusal.DEAD)
    if talk is not None:
        _show(player, speaker, talk, talk.passages[START])


def hail(speaker: Mobile, player: Mobile) -> None:
    """Answer a greeting: with a line, if there is one, and the dialog."""
    if player.realm is None or player.realm is not speaker.realm or player.dead:
        return
    if speaker.template.says:
        speech.say(speaker, filled(speaker.template.says, player.name, speaker.name))
    begin(player, speaker)


def offered(passage: Passage, player: Mobile, speaker: Mobile) -> Iterator[tuple[int, Answer]]:
    """Answers of a passage that this player may give now, with their numbers, from 1."""
    for number, answer in enumerate(passage.answers, 1):
        if all_hold(cast("Sequence[Condition]", answer.needs), player, speaker):
            yield number, answer


def _show(player: Mobile, speaker: Mobile, talk: Talk, passage: Passage) -> None:
    buttons: list[Button] = []
    closing: Button | None = None
    for number, answer in offered(passage, player, speaker):
        words = filled(answer.text, player.name, speaker.name)
        if answer.closes and closing is None:
            closing = Button(0, words)
        else:
            buttons.append(Button(number, words))
    dialogs.ask(
        player,
        TALK,
        title=news.name_of(speaker),
        text=filled(passage.text, player.name, speaker.name),
        buttons=(*buttons, closing or FAREWELL),
        answered=lambda mobile, reply: _answered(mobile, speaker, talk, passage, reply),
        asker=speaker,
    )


def _answered(player: Mobile, speaker: Mobile, talk: Talk, passage: Passage, reply: Reply) -> None:
    """Do what an answer does, and go on where it leads. What is refused is said, and asked anew."""
    if not reply.button:
        return
    answer = dict(offered(passage, player, speaker)).get(reply.button)
    try:
        if player.dead:
            raise Cannot(Refusal.DEAD)
        if answer is None:
            raise Cannot(Refusal.UNFIT, HAS_CHANGED)
        carry_out(cast("Sequence[Effect]", answer.does), player, speaker)
    except Cannot as cannot:
        if not cannot.told:
            speech.notice(player, str(cannot))
        if not player.dead:
            _show(player, speaker, talk, passage)
        return
    if answer.to:
        _show(player, speaker, talk, talk.passages[answer.to])
