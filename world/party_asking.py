"""Asking somebody into a party by name, or to be let into one, also where that one plays in another world.

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
from world.speech import notice

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
    invites.ask_there(actor, person, party.ASKS.format(person.name), loot=rule.value)


def apply(actor: Mobile, name: str) -> None:
    """Ask to be let into the party of whoever has that name, or to make one with that one as its leader.
    Raises Cannot: as `party.apply`; NOBODY as `invite`."""
    other = presence.by_name(actor, name)
    if other is not None:
        party.apply(actor, other)
        return
    world = actor.world
    person = world.elsewhere.find(name)
    if person is None or not presence.finds_afar(actor, person):
        raise Cannot(Refusal.NOBODY)
    theirs = world.parties.get(person.serial)
    if actor.party is not None:
        raise Cannot(Refusal.FELLOW if actor.party is theirs else Refusal.HAS_PARTY)
    leader = world.mobiles.get(theirs.leader) if theirs is not None else None
    if leader is not None:
        party.apply(actor, leader)
    else:
        there = person if theirs is None else world.elsewhere.people.get(theirs.leader)
        party.apply_there(actor, there)


def hear(
    world: Surroundings,
    asker: Person,
    hearer: int,
    loot: str,
    answered: Callable[[str, str], None],
    *,
    joins: bool = False,
) -> None:
    """Ask one who is here into the party of somebody elsewhere, or (`joins`) whether it lets that one into
    its own. `answered` is called once: with "" if it accepts, else with the name of a `Refusal` and the words
    for the asker. Raises Cannot instead: NOBODY if it is not played here, as far as the asker may know;
    IGNORED, ENGAGED; IN_PARTY; FELLOW, NO_LEADER and PARTY_FULL where it is to let somebody in."""
    mobile = _asked(world, asker, hearer, joins=joins)
    rule = LootRule(loot)

    def replied(mobile: Mobile, reply: Reply) -> None:
        timer.cancel()
        if reply.button != invites.YES:
            answered(Refusal.NOBODY.name, invites.DECLINED.format(mobile.name))
            return
        try:
            (party.let_in_afar if joins else party.accept_afar)(mobile, asker.serial, rule)
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
        text=(party.JOIN_QUESTION if joins else party.QUESTION).format(asker.name, LOOT_WORDS[rule]),
        buttons=(Button(invites.YES, "Let in" if joins else "Join"), Button(0, "No")),
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


def _asked(world: Surroundings, asker: Person, hearer: int, *, joins: bool) -> Mobile:
    """Find one who may be asked. Raises Cannot, as `hear`."""
    mobile = world.mobiles.get(hearer)
    if mobile is None or mobile.viewport is None or not mobile.online:
        raise Cannot(Refusal.NOBODY)
    if presence.sneaks(mobile) and asker.access < Access.COUNSELOR:
        raise Cannot(Refusal.NOBODY)
    if ignores_afar(mobile, asker):
        raise Cannot(Refusal.IGNORED)
    if joins:
        _check_lets_in(mobile, asker)
    elif mobile.party is not None:
        raise Cannot(Refusal.IN_PARTY)
    if invites.pending(mobile, party.KIND) is not None:
        raise Cannot(Refusal.ENGAGED)
    return mobile


def _check_lets_in(mobile: Mobile, asker: Person) -> None:
    """Check that somebody may be asked to let another into its party."""
    of = mobile.party
    if of is None:
        return
    if asker.serial in of.members:
        raise Cannot(Refusal.FELLOW)
    if of.leader != mobile.serial:
        raise Cannot(Refusal.NO_LEADER, party.NO_LEADER.format(mobile.name))
    if len(of.members) >= party.MOST:
        raise Cannot(Refusal.PARTY_FULL)
