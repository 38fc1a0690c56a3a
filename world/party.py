"""Parties: up to five players of any games who go about together. (PLAY, section 3)

A party is one record that all its members hold (`world.companions.Party`), and it holds them by serials: who
loses its connection, leaves the world or comes back through another game is of it still, for five minutes,
and after a start of the server all have these five minutes. What its members know of one another is not what
they see, because they may be realms apart: each change of the party is told to every member with the whole
list (`PartyChanged`), and a pulse once a second tells what has become of hits, mana, level and place since
(`world.party_pulse`).

Of several worlds one keeps the parties, does each deed and decides who has been away for too long; elsewhere
deeds are sent for (`world.books`), and there are copies (`world.party_copies`). Who plays in another world is
not away (`world.party_afar`).

Experience of a kill is shared in `world.learning`, words to the party are in `world.speech`; whose the
remains of a creature are is decided here.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import attrs

from world import invites, party_memory, presence
from world.books import Book
from world.companions import Fellow, LootRule, MemberState, Party
from world.heading import apart
from world.names import is_called
from world.party_events import LOOT_WORDS, PartyTurn
from world.party_pulse import beat, state_of, tell, tell_one, watch
from world.party_pulse import states as states
from world.reach import Cannot, Refusal
from world.speech import notice
from world.timers import Priority

if TYPE_CHECKING:
    from world.elsewhere import Person
    from world.mobile import Mobile
    from world.thing import Surroundings

MOST: Final = 5
"""Members: all that Conquer Online's window shows; EverQuest II's sheet has room for five others."""

AWAY_SECONDS: Final = 300.0
"""Seconds for which a party waits for a member that nobody plays."""

KIND: Final = "party"
"""Name of the dialogs in which somebody is asked into a party, or asks to be let in."""

INVITE: Final = "invite"
JOIN: Final = "join"
"""What such a dialog is about: to come into the asker's party, or to let the asker in."""

TITLE: Final = "Party"
QUESTION: Final = "{} asks you into a party. Loot: {}."
ASKS: Final = "You ask {} into your party."
JOIN_QUESTION: Final = "{} asks to join your party."
JOIN_ASKS: Final = "You ask {} to be let into the party."

THEIRS: Final = "These remains are for {}."

SENT: Final = "Word of it goes to where the parties are kept, in another part of this world."
AWAY: Final = "The parties are kept in another part of this world, and nobody answers there now."
NO_LEADER: Final = "{} leads no party any more."
LEADER_ELSEWHERE: Final = "Their leader is in another part of this world."


# What other worlds send for


def _of(actor: Mobile) -> Party:
    """The actor's party. Raises Cannot(NO_PARTY)."""
    if actor.party is None:
        raise Cannot(Refusal.NO_PARTY)
    return actor.party


def _led_by(actor: Mobile) -> Party:
    """The party that the actor leads. Raises Cannot: NO_PARTY, NO_LEADER."""
    party = _of(actor)
    if party.leader != actor.serial:
        raise Cannot(Refusal.NO_LEADER)
    return party


def _place(mobile: Mobile) -> None:
    mobile.party = mobile.world.parties.get(mobile.serial)


BOOK: Final = Book("party", sent=SENT, away=AWAY, done="", own=_of, place=_place)


# Into a party


def invite(actor: Mobile, other: Mobile, loot: LootRule | None = None) -> None:
    """Ask somebody into one's party, or to make one with oneself as its leader and a rule for loot. Raises
    Cannot: as `invites.ask`; NO_LEADER; FELLOW or IN_PARTY if the other is in one; PARTY_FULL."""
    invites.check_asks(actor, other)
    if invites.meets(actor, other, KIND):
        return
    rule = check_invites(actor, other.party, loot)
    invites.ask(
        actor,
        other,
        KIND,
        title=TITLE,
        text=QUESTION.format(actor.name, LOOT_WORDS[rule]),
        told=ASKS.format(other.name),
        accepted=partial(_let_in, actor, other, other, rule),
        yes="Join",
        about=INVITE,
    )


def check_invites(actor: Mobile, theirs: Party | None, loot: LootRule | None) -> LootRule:
    """Check that somebody may ask one into its party whose own is `theirs`; returns the rule for loot there,
    `loot` if there is none yet. Raises Cannot: NO_LEADER, FELLOW, IN_PARTY, PARTY_FULL."""
    party = actor.party
    if party is not None and party.leader != actor.serial:
        raise Cannot(Refusal.NO_LEADER)
    if theirs is not None:
        raise Cannot(Refusal.FELLOW if theirs is party else Refusal.IN_PARTY)
    if party is not None and len(party.members) >= MOST:
        raise Cannot(Refusal.PARTY_FULL)
    return party.rule if party is not None else loot or LootRule.FINDER


def apply(actor: Mobile, other: Mobile) -> None:
    """Ask to be let into the party of somebody, or to make one with that one as its leader. The leader is
    asked, in another world if it plays there. Raises Cannot: as `invites.ask` and `invites.ask_there`;
    HAS_PARTY, FELLOW; PARTY_FULL; NOBODY if the leader is away, or may not be known to play elsewhere."""
    invites.check_asks(actor, other)
    if invites.meets(actor, other, KIND):
        return
    theirs = other.party
    if actor.party is not None:
        raise Cannot(Refusal.FELLOW if actor.party is theirs else Refusal.HAS_PARTY)
    leader: Mobile | None = other
    if theirs is not None:
        if len(theirs.members) >= MOST:
            raise Cannot(Refusal.PARTY_FULL)
        leader = actor.world.mobiles.get(theirs.leader)
        if leader is None and theirs.fellows[theirs.leader].state.online:
            apply_there(actor, actor.world.elsewhere.people.get(theirs.leader))
            return
    if leader is None or not leader.online:
        raise Cannot(Refusal.NOBODY, "Their leader is away.")
    invites.ask(
        actor,
        leader,
        KIND,
        title=TITLE,
        text=JOIN_QUESTION.format(actor.name),
        told=JOIN_ASKS.format(leader.name),
        accepted=partial(_let_in, leader, actor, leader, LootRule.FINDER),
        yes="Let in",
        about=JOIN,
    )


def apply_there(actor: Mobile, leader: Person | None) -> None:
    """As `apply`, of a leader in another world. Raises Cannot: NOBODY if nobody may know that it plays there;
    as `invites.ask_there`."""
    if leader is None or not presence.finds_afar(actor, leader):
        raise Cannot(Refusal.NOBODY, LEADER_ELSEWHERE)
    told = JOIN_ASKS.format(leader.name)
    invites.ask_there(actor, leader, told, loot=LootRule.FINDER.value, joins=True)


def _let_in(leader: Mobile, guest: Mobile, reader: Mobile, loot: LootRule) -> None:
    """Bring a guest into the leader's party, after one of both accepted it: the `reader`."""
    party = leader.party
    if guest.party is not None:
        raise Cannot(Refusal.HAS_PARTY if reader is guest else Refusal.IN_PARTY)
    if party is not None and party.leader != leader.serial:
        raise Cannot(Refusal.NO_LEADER, NO_LEADER.format(leader.name))
    if party is not None and len(party.members) >= MOST:
        raise Cannot(Refusal.PARTY_FULL)
    BOOK.send(leader, _welcome.__name__, loot.value, other=guest.serial)
    newcomers = [guest] if party is not None else [leader, guest]
    if party is not None:
        beat(guest.world, party)  # who comes is told how they are now, not how they were a second ago
    if party is None:
        party = guest.world.records.add(Party(leader=leader.serial, loot=loot.value))
    for mobile in newcomers:
        _enlist(party, mobile)
    watch(guest.world, party)
    tell(guest.world, party, PartyTurn.JOINED, party.fellows[guest.serial].state, newcomers)


@BOOK.agreed
def _welcome(actor: Mobile, other: Mobile, loot: str) -> None:
    """As `_let_in`, of two in another world who have agreed there. Raises Cannot, as that."""
    _let_in(actor, other, actor, LootRule(loot))


def accept_afar(actor: Mobile, leader: int, loot: LootRule) -> None:
    """Come into the party of somebody in another world, who has asked: that is sent for also where parties
    are kept. Raises Cannot if it is not, as `Book.order`."""
    BOOK.order(actor, _follow.__name__, loot.value, other=leader)
    notice(actor, SENT)


def let_in_afar(actor: Mobile, guest: int, loot: LootRule) -> None:
    """Let somebody in another world, who has asked, into one's party: as `accept_afar`."""
    BOOK.order(actor, _welcome.__name__, loot.value, other=guest)
    notice(actor, SENT)


@BOOK.agreed
def _follow(actor: Mobile, other: Mobile, loot: str) -> None:
    """As `_let_in`, of one who is asked, and accepts. Raises Cannot, as that."""
    _let_in(other, actor, actor, LootRule(loot))


def _enlist(party: Party, mobile: Mobile) -> None:
    world, serial = mobile.world, mobile.serial
    who = Fellow(party.number, serial, mobile.name, mobile.short_name, mobile.female, mobile.level)
    fellow = party.fellows[serial] = world.records.add(who)
    # Who is elsewhere, and has sent for this, was played just now.
    fellow.state = attrs.evolve(state_of(mobile), online=serial not in world.mobiles or mobile.online)
    party.members.append(serial)
    mobile.party = world.parties[serial] = party


# Out of it


# Each deed is checked where its actor is, and again where parties are kept.


@BOOK.sent_for
def leave(actor: Mobile) -> None:
    """Leave one's party. Raises Cannot: NO_PARTY; LATER elsewhere than where parties are kept, as the other
    deeds do."""
    party = _of(actor)
    BOOK.send(actor, leave.__name__)
    _take_out(actor.world, party, actor.serial, PartyTurn.LEFT)


@BOOK.sent_for
def expel(actor: Mobile, serial: int) -> None:
    """Send a member out of one's party; who names itself leaves. Raises Cannot: NO_PARTY, NO_LEADER;
    NO_FELLOW if there is no such."""
    party = _of(actor) if serial == actor.serial else _led_by(actor)
    if serial not in party.members:
        raise Cannot(Refusal.NO_FELLOW)
    BOOK.send(actor, expel.__name__, serial)
    what = PartyTurn.LEFT if serial == actor.serial else PartyTurn.EXPELLED
    _take_out(actor.world, party, serial, what)


@BOOK.sent_for
def disband(actor: Mobile) -> None:
    """End one's party. Raises Cannot: NO_PARTY, NO_LEADER."""
    party = _led_by(actor)
    BOOK.send(actor, disband.__name__)
    _end(actor.world, party)


def _take_out(world: Surroundings, party: Party, serial: int, what: PartyTurn) -> None:
    """Let a member be none any more. Another leads if it was the leader, and one alone is no party."""
    led = party.leader == serial
    who = _forget(world, party, serial)
    member = world.mobiles.get(serial)
    if member is not None:
        tell_one(member, party, what, who, ())
    if led and party.members:
        fellows = party.fellows
        _lead(party, next((one for one in fellows if fellows[one].state.online), party.members[0]))
    tell(world, party, what, who)
    if len(party.members) < 2:
        _end(world, party)
    elif led:
        tell(world, party, PartyTurn.LED, party.fellows[party.leader].state)


def _end(world: Surroundings, party: Party) -> None:
    members = list(party.members)
    for serial in members:
        _forget(world, party, serial)
    if party.pulse is not None:
        party.pulse.cancel()
        party.pulse = None
    for serial in members:
        member = world.mobiles.get(serial)
        if member is not None:
            tell_one(member, party, PartyTurn.ENDED, None, ())
    world.records.delete(party)


def _forget(world: Surroundings, party: Party, serial: int) -> MemberState:
    """Strike a member off; returns what it was last."""
    party.members.remove(serial)
    fellow = party.fellows.pop(serial)
    world.records.delete(fellow)
    if fellow.wait is not None:
        fellow.wait.cancel()
    world.parties.pop(serial, None)
    member = world.mobiles.get(serial)
    if member is None:
        return fellow.state
    member.party = None
    return state_of(member)


# In it


@BOOK.sent_for
def hand_over(actor: Mobile, serial: int) -> None:
    """Let another member lead one's party. Raises Cannot: NO_PARTY, NO_LEADER, ONESELF; NO_FELLOW if there is
    no such, NOBODY if it is away."""
    party = _led_by(actor)
    if serial == actor.serial:
        raise Cannot(Refusal.ONESELF)
    if serial not in party.members:
        raise Cannot(Refusal.NO_FELLOW)
    if not party.fellows[serial].state.online:
        raise Cannot(Refusal.NOBODY, "They are away.")
    BOOK.send(actor, hand_over.__name__, serial)
    _lead(party, serial)
    tell(actor.world, party, PartyTurn.LED, party.fellows[serial].state)


def set_loot(actor: Mobile, rule: LootRule) -> None:
    """Set whose the remains of creatures are that the party kills. Raises Cannot: NO_PARTY, NO_LEADER."""
    party = _led_by(actor)
    if rule is not party.rule:
        BOOK.send(actor, _share.__name__, rule.value)
        party.loot = rule.value
        tell(actor.world, party, PartyTurn.LOOT, None)


@BOOK.sent_for
def _share(actor: Mobile, loot: str) -> None:
    """As `set_loot`, with the rule as a word."""
    set_loot(actor, LootRule(loot))


def show(actor: Mobile) -> None:
    """Tell a player its whole party anew: its client asks. Raises Cannot(NO_PARTY)."""
    party = _of(actor)
    beat(actor.world, party)
    tell_one(actor, party, PartyTurn.SHOWN, None, states(party), begins=True)


def called(actor: Mobile, name: str) -> MemberState:
    """The member of one's party of that name, who may be away. Raises Cannot: NO_PARTY, NO_FELLOW."""
    party = _of(actor)
    for member in states(party):
        if is_called(member.name, member.short_name, name):
            return member
    raise Cannot(Refusal.NO_FELLOW)


def heirs(dead: Mobile, party: Party) -> frozenset[int]:
    """Members whose the remains of a creature are, which the party killed. By turns the next has had its turn
    then, and those who are near read whose they are."""
    world, reach = dead.world, dead.world.content.growth.party_tiles
    near = [
        member
        for member in (world.mobiles.get(serial) for serial in party.members)
        if member is not None and member.online and not member.dead and member.realm is dead.realm
        if apart(member, dead) <= reach
    ]
    everybody = frozenset(party.members)
    if party.rule is LootRule.LEADER:
        return frozenset([near[0].serial]) if near and near[0].serial == party.leader else everybody
    if party.rule is LootRule.FINDER or not near:
        return everybody
    places = {serial: place for place, serial in enumerate(party.members)}
    last = places.get(party.took, -1)
    chosen = min(near, key=lambda one: (places[one.serial] - last - 1) % len(places))
    party.took = chosen.serial
    for member in near:
        notice(member, THEIRS.format("you" if member is chosen else chosen.name))
    return frozenset([chosen.serial])


# Coming and going


def parted(mobile: Mobile) -> None:
    """Note that a member's client is gone, and it is `online` no more: the party waits for it."""
    party = mobile.party
    if party is None:
        return
    fellow = party.fellows[mobile.serial]
    fellow.state = state_of(mobile)
    gone(mobile.world, party, fellow)


def gone(world: Surroundings, party: Party, fellow: Fellow) -> None:
    """A member is played no more, in whatever world it was: the others are told. Where parties are kept they
    wait for it from now on."""
    fellow.state, fellow.missed = attrs.evolve(fellow.state, online=False), True
    if world.records.kept:
        if fellow.level != fellow.state.level:
            fellow.level = fellow.state.level
        if fellow.wait is None:
            _wait(world, party, fellow)
    tell(world, party, PartyTurn.AWAY, fellow.state)


def back(world: Surroundings, party: Party, fellow: Fellow, but: Mobile | None = None) -> None:
    """A member is played again; the others, but for one, are told. One of whom it was never said that it is
    away is not said to be back."""
    if fellow.wait is not None:
        fellow.wait.cancel()
    fellow.wait, fellow.state = None, attrs.evolve(fellow.state, online=True)
    what, who = (PartyTurn.BACK, fellow.state) if fellow.missed else (PartyTurn.SHOWN, None)
    fellow.missed = False
    tell(world, party, what, who, but=but)


def resumed(mobile: Mobile, *, over: bool = False) -> None:
    """Note that a client plays a character, which was in a party perhaps: it is told of it, and the others
    that it is back. `over`: it has come over a border, and brought along what it knows of them
    (`world.passage`)."""
    party = mobile.party = mobile.world.parties.get(mobile.serial)
    if party is None:
        return
    if not over:
        party_memory.recollect(mobile, party)
    fellow = party.fellows[mobile.serial]
    fellow.world, fellow.left, fellow.sought = 0, None, None
    if fellow.wait is not None or not fellow.state.online:
        fellow.state, fellow.missed = state_of(mobile), True
        back(mobile.world, party, fellow, mobile)
    beat(mobile.world, party, but=mobile)
    watch(mobile.world, party)
    tell_one(mobile, party, PartyTurn.SHOWN, None, states(party), begins=True)


def settle(world: Surroundings) -> None:
    """Make of the stored records what the rules look things up in, when the world begins: all are away. Those
    of a party that is not there are dropped, and so is a party of less than two."""
    parties = world.records.all(Party)
    for fellow in list(world.records.all(Fellow).values()):
        party, serial = parties.get(fellow.party), fellow.character
        if party is None or serial in world.parties:
            world.records.delete(fellow)
            continue
        world.parties[serial] = party
        party.fellows[serial] = fellow
        fellow.state = fellow.unseen(online=False)
        _wait(world, party, fellow)
    for party in list(parties.values()):
        if party.loot not in {rule.value for rule in LootRule}:
            party.loot = LootRule.FINDER.value
        party.members = list(party.fellows)
        if party.fellows:
            _lead(party, party.leader if party.leader in party.fellows else party.members[0])
        if len(party.members) < 2:
            _end(world, party)


def forget(world: Surroundings, serial: int) -> None:
    """A character ceases to exist: it is in no party any more."""
    party = world.parties.get(serial)
    if party is not None:
        _take_out(world, party, serial, PartyTurn.LEFT)


def _wait(world: Surroundings, party: Party, fellow: Fellow) -> None:
    fellow.wait = world.timers.after(
        AWAY_SECONDS, _take_out, world, party, fellow.character, PartyTurn.LOST, priority=Priority.S1
    )


# The record


def _lead(party: Party, serial: int) -> None:
    """Let a member lead the party."""
    if party.leader != serial:
        party.leader = serial
    party.members = [serial, *(one for one in party.fellows if one != serial)]
