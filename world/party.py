"""Parties: up to five players of any games who go about together. (PLAY, section 3)

A party is one record that all its members hold (`world.companions.Party`), and it holds them by serials: who
loses its connection, leaves the world or comes back through another game is of it still, for five minutes,
and after a start of the server all have these five minutes. What its members know of one another is not what
they see, because they may be realms apart: each change of the party is told to every member with the whole
list (`PartyChanged`), and a pulse once a second tells what has become of hits, mana, level and place since
(`PartyStirred`). A pulse and not the change itself: in a fight hits change much oftener than anybody can
read, and whoever is of no party pays nothing.

Experience of a kill is shared in `world.learning`, words to the party are in `world.speech`; whose the
remains of a creature are is decided here.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from world import audience, invites
from world.companions import Fellow, LootRule, MemberState, Party
from world.heading import apart
from world.names import is_called
from world.party_events import LOOT_WORDS, PartyChanged, PartyStirred, PartyTurn, Stirred
from world.reach import Cannot, Refusal
from world.speech import notice
from world.timers import Priority

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.mobile import Mobile
    from world.thing import Surroundings

MOST: Final = 5
"""Members: all that Conquer Online's window shows; EverQuest II's sheet has room for five others."""

AWAY_SECONDS: Final = 300.0
"""Seconds for which a party waits for a member that nobody plays."""

STIR_SECONDS: Final = 1.0
"""Seconds between two times at which members are told how the others fare."""

SLOW_BEATS: Final = 2
"""So many of these pass until they are told of mana and stamina alone, which come back bit by bit and are
spent with each blow: of what is told in a fight that would be half."""

KIND: Final = "party"
"""Name of the dialogs in which somebody is asked into a party, or asks to be let in."""

INVITE: Final = "invite"
JOIN: Final = "join"
"""What such a dialog is about: to come into the asker's party, or to let the asker in."""

THEIRS: Final = "These remains are for {}."


# Into a party


def invite(actor: Mobile, other: Mobile, loot: LootRule | None = None) -> None:
    """Ask somebody into one's party, or to make one with oneself as its leader and a rule for loot. Raises
    Cannot: as `invites.ask`; NO_LEADER; FELLOW or IN_PARTY if the other is in one; PARTY_FULL."""
    invites.check_asks(actor, other)
    if invites.meets(actor, other, KIND):
        return
    party = actor.party
    if party is not None and party.leader != actor.serial:
        raise Cannot(Refusal.NO_LEADER)
    if other.party is not None:
        raise Cannot(Refusal.FELLOW if other.party is party else Refusal.IN_PARTY)
    if party is not None and len(party.members) >= MOST:
        raise Cannot(Refusal.PARTY_FULL)
    rule = party.rule if party is not None else loot or LootRule.FINDER
    invites.ask(
        actor,
        other,
        KIND,
        title="Party",
        text=f"{actor.name} asks you into a party. Loot: {LOOT_WORDS[rule]}.",
        told=f"You ask {other.name} into your party.",
        accepted=partial(_let_in, actor, other, other, rule),
        yes="Join",
        about=INVITE,
    )


def apply(actor: Mobile, other: Mobile) -> None:
    """Ask to be let into the party of somebody, or to make one with that one as its leader. The leader is
    asked. Raises Cannot: as `invites.ask`; HAS_PARTY, FELLOW; PARTY_FULL; NOBODY if the leader is away."""
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
    if leader is None or not leader.online:
        raise Cannot(Refusal.NOBODY, "Their leader is away.")
    invites.ask(
        actor,
        leader,
        KIND,
        title="Party",
        text=f"{actor.name} asks to join your party.",
        told=f"You ask {leader.name} to be let into the party.",
        accepted=partial(_let_in, leader, actor, leader, LootRule.FINDER),
        yes="Let in",
        about=JOIN,
    )


def _let_in(leader: Mobile, guest: Mobile, reader: Mobile, loot: LootRule) -> None:
    """Bring a guest into the leader's party, after one of both accepted it: the `reader`."""
    party = leader.party
    if guest.party is not None:
        raise Cannot(Refusal.HAS_PARTY if reader is guest else Refusal.IN_PARTY)
    if party is not None and party.leader != leader.serial:
        raise Cannot(Refusal.NO_LEADER, f"{leader.name} leads no party any more.")
    if party is not None and len(party.members) >= MOST:
        raise Cannot(Refusal.PARTY_FULL)
    newcomers = [guest] if party is not None else [leader, guest]
    if party is not None:
        _beat(guest.world, party)  # who comes is told how they are now, not how they were a second ago
    if party is None:
        party = guest.world.records.add(Party(leader=leader.serial, loot=loot.value))
    for mobile in newcomers:
        _enlist(party, mobile)
    _watch(guest.world, party)
    _tell(guest.world, party, PartyTurn.JOINED, party.fellows[guest.serial].state, newcomers)


def _enlist(party: Party, mobile: Mobile) -> None:
    world, serial = mobile.world, mobile.serial
    who = Fellow(party.number, serial, mobile.name, mobile.short_name, mobile.female, mobile.level)
    fellow = party.fellows[serial] = world.records.add(who)
    fellow.state = state_of(mobile)
    party.members.append(serial)
    mobile.party = world.parties[serial] = party


# Out of it


def leave(actor: Mobile) -> None:
    """Leave one's party. Raises Cannot(NO_PARTY)."""
    _take_out(actor.world, _of(actor), actor.serial, PartyTurn.LEFT)


def expel(actor: Mobile, serial: int) -> None:
    """Send a member out of one's party; who names itself leaves. Raises Cannot: NO_PARTY, NO_LEADER;
    NO_FELLOW if there is no such."""
    party = _of(actor) if serial == actor.serial else _led_by(actor)
    if serial not in party.members:
        raise Cannot(Refusal.NO_FELLOW)
    what = PartyTurn.LEFT if serial == actor.serial else PartyTurn.EXPELLED
    _take_out(actor.world, party, serial, what)


def disband(actor: Mobile) -> None:
    """End one's party. Raises Cannot: NO_PARTY, NO_LEADER."""
    _end(actor.world, _led_by(actor))


def _take_out(world: Surroundings, party: Party, serial: int, what: PartyTurn) -> None:
    """Let a member be none any more. Another leads if it was the leader, and one alone is no party."""
    led = party.leader == serial
    who = _forget(world, party, serial)
    member = world.mobiles.get(serial)
    if member is not None:
        _tell_one(member, party, what, who, ())
    if led and party.members:
        fellows = party.fellows
        _lead(party, next((one for one in fellows if fellows[one].state.online), party.members[0]))
    _tell(world, party, what, who)
    if len(party.members) < 2:
        _end(world, party)
    elif led:
        _tell(world, party, PartyTurn.LED, party.fellows[party.leader].state)


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
            _tell_one(member, party, PartyTurn.ENDED, None, ())
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
    _lead(party, serial)
    _tell(actor.world, party, PartyTurn.LED, party.fellows[serial].state)


def set_loot(actor: Mobile, rule: LootRule) -> None:
    """Set whose the remains of creatures are that the party kills. Raises Cannot: NO_PARTY, NO_LEADER."""
    party = _led_by(actor)
    if rule is not party.rule:
        party.loot = rule.value
        _tell(actor.world, party, PartyTurn.LOOT, None)


def show(actor: Mobile) -> None:
    """Tell a player its whole party anew: its client asks. Raises Cannot(NO_PARTY)."""
    party = _of(actor)
    _beat(actor.world, party)
    _tell_one(actor, party, PartyTurn.SHOWN, None, states(party), begins=True)


def states(party: Party) -> Sequence[MemberState]:
    """States of all members of a party as they were told last, the leader first."""
    return tuple(party.fellows[serial].state for serial in party.members)


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
    fellow.level, fellow.state = mobile.level, state_of(mobile)
    _wait(mobile.world, party, fellow)
    _tell(mobile.world, party, PartyTurn.AWAY, fellow.state)


def resumed(mobile: Mobile) -> None:
    """Note that a client plays a character, which was in a party perhaps: it is told of it, and the others
    that it is back."""
    party = mobile.party = mobile.world.parties.get(mobile.serial)
    if party is None:
        return
    fellow = party.fellows[mobile.serial]
    if fellow.wait is not None:
        fellow.wait.cancel()
        fellow.wait, fellow.state = None, state_of(mobile)
        _tell(mobile.world, party, PartyTurn.BACK, fellow.state, but=mobile)
    _beat(mobile.world, party, but=mobile)
    _watch(mobile.world, party)
    _tell_one(mobile, party, PartyTurn.SHOWN, None, states(party), begins=True)


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
        fellow.state = MemberState(serial, fellow.name, fellow.short_name, fellow.female, fellow.level)
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


def _watch(world: Surroundings, party: Party) -> None:
    """Let the pulse of a party run."""
    if party.pulse is None:
        party.pulse = world.timers.every(STIR_SECONDS, _pulse, world, party, priority=Priority.MS50)


def _pulse(world: Surroundings, party: Party) -> None:
    party.beats += 1
    _beat(world, party, all_bars=party.beats % SLOW_BEATS == 1)


def _beat(world: Surroundings, party: Party, *, but: Mobile | None = None, all_bars: bool = True) -> None:
    """Tell the members, but for one that is to be told of all, what has changed of each; not any more once
    there is nobody to be told."""
    there = [member for serial in party.members if (member := world.mobiles.get(serial)) is not None]
    eyes = audience.members([member for member in there if member is not but])
    if not eyes:
        if party.pulse is not None:
            party.pulse.cancel()
        party.pulse = None
        return
    stirred: list[Stirred] = []
    for member in there:
        fellow = party.fellows[member.serial]
        before = fellow.state
        if _is_as_told(member, before) and not (all_bars and _spent(member, before)):
            continue
        now = fellow.state = state_of(member)
        stirred.append(Stirred(now, now.differs(before)))
    if stirred:
        world.events.append(PartyStirred(None, party.number, stirred, eyes))


def _is_as_told(mobile: Mobile, told: MemberState) -> bool:
    """Whether nothing has changed that members are told of at once; most of the time nothing has."""
    return (
        mobile.hits == told.hits
        and mobile.x == told.x
        and mobile.y == told.y
        and mobile.level == told.level
        and mobile.hits_max == told.hits_max
        and mobile.mana_max == told.mana_max
        and mobile.stam_max == told.stam_max
        and mobile.dead == told.dead
        and mobile.game == told.game
        and (mobile.realm is None or mobile.realm.name == told.realm)
    )


def _spent(mobile: Mobile, told: MemberState) -> bool:
    """Whether mana or stamina are not what members were told last."""
    return mobile.mana != told.mana or mobile.stam != told.stam


def state_of(mobile: Mobile) -> MemberState:
    """State of a mobile now, as members of a party are told of it."""
    return MemberState(
        mobile.serial,
        mobile.name,
        mobile.short_name,
        mobile.female,
        mobile.level,
        mobile.hits,
        mobile.hits_max,
        mobile.mana,
        mobile.mana_max,
        mobile.stam,
        mobile.stam_max,
        mobile.dead,
        mobile.realm.name if mobile.realm is not None else "",
        mobile.x,
        mobile.y,
        mobile.game,
        mobile.online,
    )


# The record


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


def _lead(party: Party, serial: int) -> None:
    """Let a member lead the party."""
    if party.leader != serial:
        party.leader = serial
    party.members = [serial, *(one for one in party.fellows if one != serial)]


def _tell(
    world: Surroundings,
    party: Party,
    what: PartyTurn,
    who: MemberState | None,
    newcomers: Sequence[Mobile] = (),
    but: Mobile | None = None,
) -> None:
    """Tell all members what became of their party."""
    members = states(party)
    for serial in party.members:
        member = world.mobiles.get(serial)
        if member is not None and member is not but:
            _tell_one(member, party, what, who, members, begins=member in newcomers)


def _tell_one(
    member: Mobile,
    party: Party,
    what: PartyTurn,
    who: MemberState | None,
    members: Sequence[MemberState],
    *,
    begins: bool = False,
) -> None:
    eyes = audience.one(member)
    if eyes:
        change = PartyChanged(member, what, who, members, party.rule, eyes, begins)
        member.world.events.append(change)
