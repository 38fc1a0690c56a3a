"""Asking somebody into a party by name, also one who plays in another world.

There the question is a dialog like any other; that it has no asker who is there means that no window of a
game draws one. Who accepts sends for it as for every deed (`world.books`), and the asker is told what it
would be told of somebody here. Questions may be lost on the way, and are then as if nobody had answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import dialogs, invites, party, presence
from world.companions import LootRule
from world.dialogs import Button, Reply
from world.ignoring import ignores_afar
from world.mobile import Access
from world.party_events import LOOT_WORDS
from world.reach import Cannot, Refusal
from world.speech import check_pace, notice

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.elsewhere import Person
    from world.mobile import Mobile
    from world.thing import Surroundings

AFAR: Final = "afar"
"""What such a dialog is about."""

LOOK_SECONDS: Final = 1.0
"""From one look whether it is still open to the next."""


def invite(actor: Mobile, name: str, loot: LootRule | None = None) -> None:
    """Ask whoever has that name into one's party, or to make one. Raises Cannot: as `party.invite`; NOBODY if
    nobody of that name plays, as far as the actor may know, or there is no way there now."""
    other = presence.by_name(actor, name)
    if other is not None:
        party.invite(actor, other, loot)
        return
    elsewhere = actor.world.elsewhere
    person = elsewhere.find(name)
    if person is None or not presence.finds_afar(actor, person):
        raise Cannot(Refusal.NOBODY)
    rule = party.check_invites(actor, actor.world.parties.get(person.serial), loot)
    check_pace(actor, invites.LIMIT, Refusal.ASKING)

    def answered(why: str, words: str) -> None:
        if why and actor.viewport is not None:
            notice(actor, words or Refusal.__members__.get(why, Refusal.NOBODY).value)

    if not elsewhere.ways.invite(presence.person_of(actor), person, rule.value, answered):
        raise Cannot(Refusal.NOBODY)
    notice(actor, party.ASKS.format(person.name))


def hear(
    world: Surroundings, asker: Person, hearer: int, loot: str, answered: Callable[[str, str], None]
) -> None:
    """Ask one who is here into the party of somebody elsewhere. `answered` is called once: with "" if it
    accepts, else with the name of a `Refusal` and the words for the asker. Raises Cannot instead: NOBODY if
    it is not played here, as far as the asker may know; IGNORED, IN_PARTY, ENGAGED."""
    mobile = world.mobiles.get(hearer)
    if mobile is None or mobile.viewport is None or not mobile.online:
        raise Cannot(Refusal.NOBODY)
    if presence.sneaks(mobile) and asker.access < Access.COUNSELOR:
        raise Cannot(Refusal.NOBODY)
    if ignores_afar(mobile, asker):
        raise Cannot(Refusal.IGNORED)
    if mobile.party is not None:
        raise Cannot(Refusal.IN_PARTY)
    if invites.pending(mobile, party.KIND) is not None:
        raise Cannot(Refusal.ENGAGED)
    rule = LootRule(loot)

    def replied(mobile: Mobile, reply: Reply) -> None:
        timer.cancel()
        if reply.button != invites.YES:
            answered(Refusal.NOBODY.name, invites.DECLINED.format(mobile.name))
            return
        try:
            party.accept_afar(mobile, asker.serial, rule)
        except Cannot as cannot:
            notice(mobile, str(cannot))
            silent = invites.NO_ANSWER.format(mobile.name)
            answered(cannot.why.name, str(cannot) if cannot.says_more else silent)
        else:
            answered("", "")

    dialog = dialogs.ask(
        mobile,
        party.KIND,
        title=party.TITLE,
        text=party.QUESTION.format(asker.name, LOOT_WORDS[rule]),
        buttons=(Button(invites.YES, "Join"), Button(0, "No")),
        answered=replied,
        anywhere=True,
        about=AFAR,
    )
    until = world.now + invites.ANSWER_SECONDS

    def look() -> None:
        # Whose client is gone, or who goes over a border, answers nothing any more.
        if world.now >= until or mobile.dialogs.get(dialog.serial) is not dialog:
            timer.cancel()
            dialogs.withdraw(mobile, dialog)
            answered(Refusal.NOBODY.name, invites.NO_ANSWER.format(mobile.name))

    timer = world.timers.every(LOOK_SECONDS, look)
