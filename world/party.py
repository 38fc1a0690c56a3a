"""Parties: up to five players of any games who go about together. (PLAY, section 3)

A party is one record that all its members hold (`world.parts.Party`), and it holds them by serials: who loses
its connection, leaves the world or comes back through another game is of it still, for five minutes. What
its members know of one another is not what they see, because they may be realms apart: each change of the
party is told to every member with the whole list (`PartyChanged`), and a pulse twice a second tells what has
become of hits, mana, level and place since (`MemberStirred`). A pulse and not the change itself: in a fight
hits change much oftener than anybody can read, and whoever is of no party pays nothing.

Experience of a kill is shared in `world.learning`, words to the party are in `world.speech`; whose the
remains of a creature are is decided here.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from world import audience, invites
from world.companions import LootRule, MemberState
from world.heading import apart
from world.names import is_called
from world.parts import Party
from world.party_events import LOOT_WORDS, MemberStirred, PartyChanged, PartyTurn
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

STIR_SECONDS: Final = 0.5
"""Seconds between two times at which members are told how the others fare."""

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
    if party is not None and party.members[0] != actor.serial:
        raise Cannot(Refusal.NO_LEADER)
    if other.party is not None:
        raise Cannot(Refusal.FELLOW if other.party is party else Refusal.IN_PARTY)
    if party is not None and len(party.members) >= MOST:
        raise Cannot(Refusal.PARTY_FULL)
    rule = (party.loot if party is not None else loot) or LootRule.FINDER
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
        leader = actor.world.mobiles.get(theirs.members[0])
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
    if party is not None and party.members[0] != leader.serial:
        raise Cannot(Refusal.NO_LEADER, f"{leader.name} leads no party any more.")
    if party is not None and len(party.members) >= MOST:
        raise Cannot(Refusal.PARTY_FULL)
    newcomers = [guest] if party is not None else [leader, guest]
    if party is None:
        party = Party(loot=loot)
    for mobile in newcomers:
        party.members.append(mobile.serial)
        party.known[mobile.serial] = state_of(mobile)
        mobile.world.parties[mobile.serial] = party
        mobile.party = party
    _watch(guest.world, party)
    _tell(guest.world, party, PartyTurn.JOINED, party.known[guest.serial], newcomers)


# Out of it


def leave(actor: Mobile) -> None:
    """Leave one's party. Raises Cannot(NO_PARTY)."""
    _take_out(actor.world, _of(actor), actor.serial, PartyTurn.LEFT)


def expel(actor: Mobile, serial: int) -> None:
    """Send a member out of one's party; who names itself leaves. Raises Cannot: NO_PARTY, NO_LEADER;
    NO_MEMBER if there is no such."""
    party = _of(actor) if serial == actor.serial else _led_by(actor)
    if serial not in party.members:
        raise Cannot(Refusal.NO_MEMBER)
    what = PartyTurn.LEFT if serial == actor.serial else PartyTurn.EXPELLED
    _take_out(actor.world, party, serial, what)


def disband(actor: Mobile) -> None:
    """End one's party. Raises Cannot: NO_PARTY, NO_LEADER."""
    _end(actor.world, _led_by(actor))


def _take_out(world: Surroundings, party: Party, serial: int, what: PartyTurn) -> None:
    """Let a member be none any more. Another leads if it was the leader, and one alone is no party."""
    led = party.members[0] == serial
    who = _forget(world, party, serial)
    member = world.mobiles.get(serial)
    if member is not None:
        _tell_one(member, party, what, who, ())
    if led:
        heir = next((one for one in party.members if party.known[one].online), party.members[0])
        _put_first(party, heir)
    _tell(world, party, what, who)
    if len(party.members) < 2:
        _end(world, party)
    elif led:
        _tell(world, party, PartyTurn.LED, party.known[party.members[0]])


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


def _forget(world: Surroundings, party: Party, serial: int) -> MemberState:
    """Strike a member off; returns what it was last."""
    party.members.remove(serial)
    timer = party.waits.pop(serial, None)
    if timer is not None:
        timer.cancel()
    world.parties.pop(serial, None)
    member = world.mobiles.get(serial)
    if member is not None:
        member.party = None
        party.known[serial] = state_of(member)
    return party.known.pop(serial)


# In it


def hand_over(actor: Mobile, serial: int) -> None:
    """Let another member lead one's party. Raises Cannot: NO_PARTY, NO_LEADER, ONESELF; NO_MEMBER if there is
    no such, NOBODY if it is away."""
    party = _led_by(actor)
    if serial == actor.serial:
        raise Cannot(Refusal.ONESELF)
    if serial not in party.members:
        raise Cannot(Refusal.NO_MEMBER)
    if not party.known[serial].online:
        raise Cannot(Refusal.NOBODY, "They are away.")
    _put_first(party, serial)
    _tell(actor.world, party, PartyTurn.LED, party.known[serial])


def set_loot(actor: Mobile, rule: LootRule) -> None:
    """Set whose the remains of creatures are that the party kills. Raises Cannot: NO_PARTY, NO_LEADER."""
    party = _led_by(actor)
    if rule is not party.loot:
        party.loot = rule
        _tell(actor.world, party, PartyTurn.LOOT, None)


def show(actor: Mobile) -> None:
    """Tell a player its whole party anew: its client asks. Raises Cannot(NO_PARTY)."""
    party = _of(actor)
    _tell_one(actor, party, PartyTurn.SHOWN, None, states(party), begins=True)


def states(party: Party) -> Sequence[MemberState]:
    """What the members of a party were told last of each, the leader first."""
    return tuple(party.known[serial] for serial in party.members)


def called(actor: Mobile, name: str) -> MemberState:
    """The member of one's party of that name, who may be away. Raises Cannot: NO_PARTY, NO_MEMBER."""
    party = _of(actor)
    for member in states(party):
        if is_called(member.name, member.short_name, name):
            return member
    raise Cannot(Refusal.NO_MEMBER)


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
    if party.loot is LootRule.LEADER:
        return frozenset([near[0].serial]) if near and near[0].serial == party.members[0] else everybody
    if party.loot is LootRule.FINDER or not near:
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
    who = party.known[mobile.serial] = state_of(mobile)
    _wait(mobile.world, party, mobile.serial)
    _tell(mobile.world, party, PartyTurn.AWAY, who)


def resumed(mobile: Mobile) -> None:
    """Note that a client plays a character, which was in a party perhaps: it is told of it, and the others
    that it is back."""
    party = mobile.party = mobile.world.parties.get(mobile.serial)
    if party is None:
        return
    timer = party.waits.pop(mobile.serial, None)
    if timer is not None:
        timer.cancel()
        party.known[mobile.serial] = state_of(mobile)
        _tell(mobile.world, party, PartyTurn.BACK, party.known[mobile.serial], but=mobile)
    _watch(mobile.world, party)
    _tell_one(mobile, party, PartyTurn.SHOWN, None, states(party), begins=True)


def _wait(world: Surroundings, party: Party, serial: int) -> None:
    party.waits[serial] = world.timers.after(
        AWAY_SECONDS, _take_out, world, party, serial, PartyTurn.LOST, priority=Priority.S1
    )


def _watch(world: Surroundings, party: Party) -> None:
    """Let the pulse of a party run."""
    if party.pulse is None:
        party.pulse = world.timers.every(STIR_SECONDS, _beat, world, party, priority=Priority.MS50)


def _beat(world: Surroundings, party: Party) -> None:
    """Tell the members what has changed of each; not any more once there is nobody to be told."""
    there = [member for serial in party.members if (member := world.mobiles.get(serial)) is not None]
    eyes = audience.members(there)
    if not eyes:
        if party.pulse is not None:
            party.pulse.cancel()
        party.pulse = None
        return
    for member in there:
        before = party.known[member.serial]
        if _is_as_told(member, before):
            continue
        now = party.known[member.serial] = state_of(member)
        world.events.append(MemberStirred(member, now, now.differs(before), eyes))


def _is_as_told(mobile: Mobile, told: MemberState) -> bool:
    """Whether nothing has changed that members are told of; most of the time nothing has."""
    return (
        mobile.hits == told.hits
        and mobile.x == told.x
        and mobile.y == told.y
        and mobile.mana == told.mana
        and mobile.stam == told.stam
        and mobile.level == told.level
        and mobile.hits_max == told.hits_max
        and mobile.mana_max == told.mana_max
        and mobile.stam_max == told.stam_max
        and mobile.dead == told.dead
        and mobile.game == told.game
        and (mobile.realm is None or mobile.realm.name == told.realm)
    )


def state_of(mobile: Mobile) -> MemberState:
    """What members of a party are told of a mobile, as it is now."""
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
    if party.members[0] != actor.serial:
        raise Cannot(Refusal.NO_LEADER)
    return party


def _put_first(party: Party, serial: int) -> None:
    party.members.remove(serial)
    party.members.insert(0, serial)


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
        change = PartyChanged(member, what, who, members, party.loot, eyes, begins)
        member.world.events.append(change)
