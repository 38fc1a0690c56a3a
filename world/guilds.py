"""Guilds: companies with ranks, a bank, allies and enemies, to which players of all games belong. (PLAY,
section 3)

A guild is founded for a fee, and who is asked into it has to agree (`world.invites`). What a member may do is
said by its rank (`world.guild.RIGHTS`), and nobody does anything to those of its own rank or a higher one.
The bank is in `world.guild_bank`, alliances and wars are in `world.guild_ties`, and how it is all shown to
those whose game has no window for it in `world.guild_hall`.

Members who are away are rows like the others: one may be promoted, or expelled, without being there.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Final

from world import hands, holding, invites
from world.arms import level_of
from world.audience import one
from world.guild import Entry, Guild, Member, Rank, Right, Tie
from world.guild_books import BOOK
from world.guild_events import GuildMemberChanged
from world.guild_rolls import (
    SHOWN,
    assemble,
    bank,
    by_name,
    check_right,
    line_of,
    member_called,
    note,
    of_character,
    online,
    own,
    recolour,
    renew,
    renew_member,
    show,
    tell,
    utc,
)
from world.names import is_reserved, name_key
from world.promises import promise
from world.reach import Cannot, Refusal
from world.speech import TO_COMPANY, check_voice, notice
from world.wording import GOLD, coins
from world.words import LONGEST, clean, masked

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from world.mobile import Mobile
    from world.records import Record
    from world.thing import Surroundings
    from world.world import World

log = logging.getLogger("world")

FEE: Final = 10_000
"""Gold for founding a guild. Endless Online's servers take 50,000 (facts/eo-play.md, 12), where a monster
leaves several times as much as here."""

NAME: Final = range(3, 16)
"""Letters of a guild's name: the field of Conquer Online's client has 16 bytes with the one that ends it."""

STAFF_TAGS: Final = frozenset({"GM"})
"""Tags that say beside a name, in every game, that one is of the staff."""

MOST_MEMBERS: Final = 100
"""Beyond which a list of them is too long for the windows of half of the games."""

LONGEST_NOTICE: Final = LONGEST
"""Letters of a notice: as much as one may say at once."""

GUILD: Final = "guild"
"""The name of the question whether one wants to join."""

APPLICATION: Final = "application"
"""What that question is about, if it is one to a member: whether to let somebody in."""

RANKS: Final = {
    Rank.RECRUIT: "a recruit",
    Rank.MEMBER: "a member",
    Rank.OFFICER: "an officer",
    Rank.LEADER: "the leader",
}

_NAME: Final = re.compile(r"[A-Za-z]+(?: [A-Za-z]+)*")
_TAG: Final = re.compile(r"[A-Za-z]{2,3}")


# Founding and ending


def found(actor: Mobile, name: str, tag: str) -> Guild:
    """Found a guild and lead it. Raises Cannot: DEAD; IN_GUILD; GUILD_NAME or GUILD_TAG for what is no name
    or tag; GUILD_TAKEN; POOR; LATER where no records are kept."""
    world, (name, tag) = actor.world, check_found(actor, name, tag)
    hands.destroy_kind(actor, GOLD, FEE)
    guild = world.records.add(Guild(name=name, tag=tag, founded_at=utc(world)))
    _enlist(actor, guild, Rank.LEADER)
    note(world, guild, actor.name, "founded the guild")
    promise(actor, f"You have founded {name} [{tag}].")
    show(actor)
    return guild


def check_found(actor: Mobile, name: str, tag: str) -> tuple[str, str]:
    """Check that somebody could found a guild of that name and tag now; returns both as they would be
    written. Raises Cannot, as `found`."""
    world, name, tag = actor.world, " ".join(name.split()), tag.strip().upper()
    if not world.records.kept:
        raise Cannot(Refusal.LATER, "Guilds are founded in another part of this world.")
    if actor.dead:
        raise Cannot(Refusal.DEAD)
    if actor.guild is not None:
        raise Cannot(Refusal.IN_GUILD)
    if len(name) not in NAME or not _NAME.fullmatch(name) or is_reserved(name):
        raise Cannot(Refusal.GUILD_NAME)
    if not _TAG.fullmatch(tag):
        raise Cannot(Refusal.GUILD_TAG)
    if tag in STAFF_TAGS:
        raise Cannot(Refusal.GUILD_TAG, "A tag like that is for the staff alone.")
    for guild in world.records.all(Guild).values():
        theirs = guild.name.casefold(), guild.tag.casefold()  # by both one is looked up
        if name_key(guild.name) == name_key(name) or name.casefold() in theirs or tag.casefold() in theirs:
            raise Cannot(Refusal.GUILD_TAKEN)
    if holding.gold(actor) < FEE:
        raise Cannot(Refusal.POOR, f"To found a guild costs {fee(world)}.")
    return name, tag


def fee(world: Surroundings) -> str:
    """Words for the gold that founding a guild costs."""
    return coins(world, FEE)


@BOOK.kept
def disband(actor: Mobile) -> None:
    """Let the guild that one leads cease to exist. Raises Cannot: NO_GUILD, NO_RIGHT; BANK_LEFT while
    anything lies in its bank."""
    guild, _ = check_right(actor, Right.LEAD)
    box = bank(actor.world, guild)
    if box is not None and box.contents:
        raise Cannot(Refusal.BANK_LEFT)
    for mobile in online(actor.world, guild):
        promise(mobile, f"{guild.name} is no more.")
    dissolve(actor.world, guild)


# Who belongs to it


def invite(actor: Mobile, other: Mobile) -> None:
    """Ask another player into one's guild. Raises Cannot: NO_GUILD, NO_RIGHT, GUILD_FULL; THEY_IN_GUILD; and
    as `invites.ask`."""
    guild, _ = _check_invite(actor, other)
    invites.ask(
        actor,
        other,
        GUILD,
        title="Guild",
        text=f"{actor.name} asks you to join the guild {guild.name} [{guild.tag}].",
        told=f"You ask {other.name} to join {guild.name}.",
        accepted=lambda: _join(actor, other, guild),
    )


def may_invite(actor: Mobile) -> bool:
    """Whether somebody is in a guild and may ask others into it, by its rank."""
    return actor.guild is not None and Right.INVITE in own(actor)[1].rights


def apply(actor: Mobile, other: Mobile, name: str = "") -> None:
    """Ask a member of a guild to be let into it; `name`: the name or tag of the one that is meant, if the
    actor says it. Raises Cannot: as `invites.ask`; IN_GUILD; NO_SUCH_GUILD if none is called so, or the other
    is in none; THEY_NO_MEMBER if it is in another; NO_RIGHT if it may ask nobody into it, GUILD_FULL."""
    invites.check_asks(actor, other)
    if name and by_name(actor.world, name) is not other.guild:
        raise Cannot(Refusal.THEY_NO_MEMBER)
    if invites.meets(actor, other, GUILD):
        return
    guild = other.guild
    if actor.guild is not None:
        raise Cannot(Refusal.IN_GUILD)
    if guild is None:
        raise Cannot(Refusal.NO_SUCH_GUILD, "They are in no guild.")
    if Right.INVITE not in guild.members[other.serial].rights:
        raise Cannot(Refusal.NO_RIGHT, "They may let nobody into their guild.")
    _check_invite(other, actor)
    invites.ask(
        actor,
        other,
        GUILD,
        title="Guild",
        text=f"{actor.name} asks to join the guild {guild.name} [{guild.tag}].",
        told=f"You ask {other.name} to be let into {guild.name}.",
        accepted=lambda: _let_in(other, actor, guild),
        yes="Let in",
        about=APPLICATION,
    )


@BOOK.kept
def leave(actor: Mobile) -> None:
    """Leave one's guild. Raises Cannot: NO_GUILD; LEADS, whoever leads it hands it over first."""
    guild, member = own(actor)
    if member.rank == Rank.LEADER:
        raise Cannot(Refusal.LEADS)
    remove(actor.world, guild, actor.serial)
    _gone(actor.world, guild, actor.name, "has left the guild")
    promise(actor, f"You have left {guild.name}.")


@BOOK.kept
def expel(actor: Mobile, name: str) -> None:
    """Expel a member of a lower rank, who may be away. Raises Cannot: NO_GUILD, NO_RIGHT, NO_MEMBER."""
    guild, member = _below(actor, name, Right.EXPEL)
    mobile = actor.world.mobiles.get(member.character)
    remove(actor.world, guild, member.character)
    _gone(actor.world, guild, member.name, f"was expelled by {actor.name}")
    if mobile is not None:
        promise(mobile, f"{actor.name} has expelled you from {guild.name}.")


@BOOK.kept
def promote(actor: Mobile, name: str) -> None:
    """Give a member the next higher rank, which is below one's own. Raises Cannot: NO_GUILD, NO_RIGHT,
    NO_MEMBER."""
    _, member = _below(actor, name, Right.PROMOTE)
    set_rank(actor, name, Rank(member.rank + 1))


@BOOK.kept
def demote(actor: Mobile, name: str) -> None:
    """Give a member of a lower rank the next lower one. Raises Cannot: NO_GUILD, NO_RIGHT, NO_MEMBER;
    LOWEST."""
    _, member = _below(actor, name, Right.PROMOTE)
    if member.rank == Rank.RECRUIT:
        raise Cannot(Refusal.LOWEST)
    set_rank(actor, name, Rank(member.rank - 1))


@BOOK.kept
def set_rank(actor: Mobile, name: str, rank: Rank) -> None:
    """Give a member of a lower rank another one below one's own. Raises Cannot: NO_GUILD, NO_RIGHT,
    NO_MEMBER."""
    guild, member = _below(actor, name, Right.PROMOTE)
    if rank >= guild.members[actor.serial].rank:
        raise Cannot(Refusal.NO_RIGHT)
    if rank != member.rank:
        member.rank = rank
        _raised(actor, guild, member)


@BOOK.kept
def hand_over(actor: Mobile, name: str) -> None:
    """Let another member lead the guild, and be an officer oneself. Raises Cannot: NO_GUILD, NO_RIGHT,
    NO_MEMBER; ONESELF."""
    guild, leader = check_right(actor, Right.LEAD)
    member = member_called(actor.world, guild, name)
    if member is leader:
        raise Cannot(Refusal.ONESELF)
    leader.rank, member.rank = Rank.OFFICER, Rank.LEADER
    _raised(actor, guild, member)
    renew_member(actor.world, guild, leader)


@BOOK.kept
def set_notice(actor: Mobile, text: str) -> None:
    """Write what members read when they come; nothing, if it is empty. They read it now, too, so it is as
    words to the guild. Raises Cannot: NO_GUILD, NO_RIGHT; TOO_LONG; GAGGED or FLOODING."""
    guild, _ = check_right(actor, Right.NOTICE)
    if len(text.strip()) > LONGEST_NOTICE:
        raise Cannot(Refusal.TOO_LONG, "That is too long for a notice.")
    text = masked(clean(text), actor.world.content.conduct.filtered)
    if text:
        check_voice(actor, TO_COMPANY)
    guild.notice = text
    tell(actor.world, guild, f"{actor.name} writes on the guild's notice: {text or '(nothing)'}")
    renew(actor.world, guild)


# As players come and go


def came(mobile: Mobile) -> None:
    """A character is played from now on: it is told of its guild, and the guild of it."""
    world = mobile.world
    guild = of_character(world, mobile.serial)
    mobile.guild = guild
    if guild is None:
        return
    member = guild.members[mobile.serial]
    _update(mobile, member)
    if guild.notice:
        notice(mobile, f"[{guild.name}] {guild.notice}")
    if not member.here:
        member.here = True
        _tell_others(mobile, guild, member, f"{mobile.name} of your guild has come.")
    show(mobile)


def went(mobile: Mobile) -> None:
    """A character is played no more: its guild is told."""
    guild = mobile.guild
    if guild is None:
        return
    member = guild.members[mobile.serial]
    _update(mobile, member)
    member.here = False
    _tell_others(mobile, guild, member, f"{mobile.name} of your guild has gone.")


# The store, and what becomes of a guild


def settle(world: World) -> None:
    """Make of the stored records what the rules look things up in. Those of a guild that is not there are
    dropped."""
    records = world.records
    guilds = records.all(Guild)
    kinds: Sequence[type[Member | Tie | Entry]] = (Member, Tie, Entry)
    for kind in kinds:
        _drop(world, [one for one in records.all(kind).values() if one.guild not in guilds])
    _drop(world, [tie for tie in records.all(Tie).values() if tie.other not in guilds])
    assemble(world)
    if not records.kept:
        return
    for guild in list(guilds.values()):
        if guild.box and bank(world, guild) is None:
            log.error("the bank of %s (%#x) is not there", guild.name, guild.box)
        if not guild.members:
            dissolve(world, guild)


def forget(world: World, serial: int) -> None:
    """A character ceases to exist: it is in no guild any more. If it led one, whoever comes next leads it;
    with the last of its members a guild ends, and what lies in its bank goes the way of what that one had."""
    for guild in list(world.records.all(Guild).values()):
        member = guild.members.get(serial)
        if member is not None:
            remove(world, guild, serial)
            if guild.members:
                _gone(world, guild, member.name, "is no more")
            if guild.members and member.rank == Rank.LEADER:
                heir = next(one for one in guild.members.values() if one.rank == Rank.LEADER)
                note(world, guild, heir.name, "leads from now on")
                tell(world, guild, f"{heir.name} is the leader of {guild.name} now.")
                renew_member(world, guild, heir)


def remove(world: Surroundings, guild: Guild, serial: int) -> None:
    """Take a member out of its guild, which has another leader then, or ends."""
    member = guild.members.pop(serial)
    world.records.delete(member)
    _untie(world, serial)
    if not guild.members:
        dissolve(world, guild)
    elif member.rank == Rank.LEADER:
        heir = max(guild.members.values(), key=lambda one: (one.rank, -one.number))
        heir.rank = Rank.LEADER


def dissolve(world: Surroundings, guild: Guild) -> None:
    """Let a guild cease to exist, with all that it had."""
    others = [world.records.all(Guild)[number] for number in guild.ties]
    recolour(world, guild)
    for other in others:
        other.ties.pop(guild.number, None)
    for serial in guild.members:
        _untie(world, serial)
    parts: Sequence[Iterable[Record]] = (guild.members.values(), guild.ties.values(), guild.log, [guild])
    for records in parts:
        _drop(world, list(records))
    box = bank(world, guild)
    if box is not None:
        world.delete(box)
    guild.members, guild.ties, guild.log = {}, {}, []
    for other in others:
        tell(world, other, f"{guild.name} is no more.")
        renew(world, other)


# Inside


def _check_invite(actor: Mobile, other: Mobile) -> tuple[Guild, Member]:
    guild, member = check_right(actor, Right.INVITE)
    if len(guild.members) >= MOST_MEMBERS:
        raise Cannot(Refusal.GUILD_FULL)
    if other.guild is not None and other is not actor:
        raise Cannot(Refusal.THEY_IN_GUILD)
    return guild, member


def _join(actor: Mobile, other: Mobile, guild: Guild, how: str = "asked") -> None:
    """What was agreed to, as far as it still holds; `how` the actor had part in it. Raises Cannot, as
    `invite`."""
    if actor.guild is not guild:
        raise Cannot(Refusal.NO_SUCH_GUILD)
    if other.guild is not None:
        raise Cannot(Refusal.IN_GUILD)
    _check_invite(actor, other)
    BOOK.send(actor, _welcome.__name__, how, other=other.serial)
    _enlist(other, guild, Rank.RECRUIT)
    note(other.world, guild, other.name, f"joined, {how} by {actor.name}")
    tell(other.world, guild, f"{other.name} has joined {guild.name}.")
    renew(other.world, guild)
    if guild.notice:
        notice(other, f"[{guild.name}] {guild.notice}")


@BOOK.sent_for
def _welcome(actor: Mobile, other: Mobile, how: str) -> None:
    """As `_join`, of two in another world who have agreed there. Raises Cannot, as that; NO_GUILD."""
    _join(actor, other, own(actor)[0], how)


def _let_in(actor: Mobile, other: Mobile, guild: Guild) -> None:
    """As `_join`, of which who lets somebody in reads. Raises Cannot, as that; THEY_IN_GUILD."""
    if other.guild is not None:
        raise Cannot(Refusal.THEY_IN_GUILD)
    _join(actor, other, guild, "let in")


def _enlist(mobile: Mobile, guild: Guild, rank: Rank) -> None:
    now = utc(mobile.world)
    member = Member(guild=guild.number, character=mobile.serial, rank=rank, joined_at=now)
    _update(mobile, member)
    member.here = True
    guild.members[mobile.serial] = mobile.world.records.add(member)
    mobile.guild = guild
    recolour(mobile.world, guild)


def _update(mobile: Mobile, member: Member) -> None:
    member.name, member.level, member.seen_at = mobile.name, level_of(mobile), utc(mobile.world)


def _tell_others(mobile: Mobile, guild: Guild, member: Member, text: str) -> None:
    """Tell and show the other members that one of them has come or gone."""
    line = line_of(mobile.world, member)
    for other in online(mobile.world, guild):
        if other is not mobile:
            notice(other, text)
            mobile.world.events.append(GuildMemberChanged(other, line, one(other)))


def _untie(world: Surroundings, serial: int) -> None:
    mobile = world.mobiles.get(serial)
    if mobile is not None and mobile.guild is not None:
        mobile.guild = None
        mobile.mark(SHOWN)
        show(mobile)


def _gone(world: Surroundings, guild: Guild, name: str, how: str) -> None:
    """Somebody is in a guild no more: tell those who are."""
    note(world, guild, name, how)
    tell(world, guild, f"{name} {how}.")
    recolour(world, guild)
    renew(world, guild)


def _below(actor: Mobile, name: str, right: Right) -> tuple[Guild, Member]:
    """A member to whom somebody may do something. Raises Cannot: NO_GUILD, NO_RIGHT or NO_MEMBER."""
    guild, own_place = check_right(actor, right)
    member = member_called(actor.world, guild, name)
    if member.rank >= own_place.rank:
        raise Cannot(Refusal.NO_RIGHT)
    return guild, member


def _raised(actor: Mobile, guild: Guild, member: Member) -> None:
    """A member has another rank: tell them all."""
    rank = RANKS[Rank(member.rank)]
    note(actor.world, guild, member.name, f"was made {rank} by {actor.name}")
    tell(actor.world, guild, f"{member.name} is {rank} of {guild.name} now.")
    renew_member(actor.world, guild, member)


def _drop(world: Surroundings, records: Iterable[Record]) -> None:
    for record in records:
        world.records.delete(record)
