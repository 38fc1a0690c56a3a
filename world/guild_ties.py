"""Alliances and wars of guilds. (PLAY, section 6)

Members of one guild and of its allies are green to one another, those of guilds at war orange, in every game
that has colours for it (`world.audience.relation`). A war is declared by one and is there for both; it is
ended by whoever declared it, or when the other leader agrees. An alliance needs both, and ends when one of
them wishes. In a war it is no crime to strike, to kill and to loot one another, where players may fight at
all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import invites
from world.guild import Bond, Guild, Right, Tie
from world.guild_books import BOOK, check_kept
from world.guild_rolls import by_name, check_right, note, online, recolour, renew, tell, utc
from world.reach import Cannot, Refusal
from world.speech import Limit, check_pace

if TYPE_CHECKING:
    from world.mobile import Mobile
    from world.thing import Surroundings

MOST: Final = 10
"""Allies and enemies of one guild, together."""

WARS: Final = Limit("wars", 3, 600.0)
"""Wars that one leader may declare. Each is a line that all members of both guilds read, and one in the log
of the other."""

ALLIANCE: Final = "alliance"
PEACE: Final = "peace"
"""Names of the questions to another guild's leader."""


@BOOK.kept
def declare_war(actor: Mobile, name: str) -> None:
    """Declare war on another guild. Raises Cannot: NO_GUILD, NO_RIGHT, NO_SUCH_GUILD, ONESELF, BOND, BONDS;
    ASKING if the actor has declared too many of late."""
    guild, other = _check_new(actor, name)
    check_pace(actor, WARS, Refusal.ASKING)
    _bind(actor.world, guild, other, Bond.WAR)
    _told(actor.world, guild, other, f"declared war on {other.name}", actor)


def ask_alliance(actor: Mobile, name: str) -> None:
    """Ask the leader of another guild for an alliance. Raises Cannot: NO_GUILD, NO_RIGHT, NO_SUCH_GUILD,
    ONESELF, BOND, BONDS; NO_ENVOY; and as `invites.ask`."""
    check_kept(actor)
    guild, other = _check_new(actor, name)
    envoy = _envoy(actor.world, other)

    def accepted() -> None:
        _check_envoys((actor, guild), (envoy, other))
        _check_bonds(guild, other)
        _bind(actor.world, guild, other, Bond.ALLIED)
        _told(actor.world, guild, other, f"made an alliance with {other.name}", actor)

    invites.ask(
        actor,
        envoy,
        ALLIANCE,
        title="Alliance",
        text=f"{actor.name} asks for an alliance of {other.name} with {guild.name}.",
        told=f"You ask {other.name} for an alliance.",
        accepted=accepted,
    )


@BOOK.kept
def end(actor: Mobile, name: str, only: Bond | None = None) -> None:
    """End an alliance, or a war that one's own guild has declared; else ask the other leader for peace.
    `only`: of what is between them nothing but that. Raises Cannot: NO_GUILD, NO_RIGHT, NO_SUCH_GUILD,
    NO_BOND; NO_ENVOY; and as `invites.ask`."""
    guild, other = _own_and_other(actor, name)
    bond = guild.bond(other)
    if bond is None or only not in (None, bond):
        raise Cannot(Refusal.NO_BOND)
    if bond is Bond.ALLIED:
        _unbind(actor.world, guild, other)
        _told(actor.world, guild, other, f"ended the alliance with {other.name}", actor)
    elif guild.ties[other.number].guild == guild.number:
        _make_peace(actor, guild, other)
    else:
        envoy = _envoy(actor.world, other)

        def accepted() -> None:
            _check_envoys((actor, guild), (envoy, other))
            _make_peace(actor, guild, other)

        invites.ask(
            actor,
            envoy,
            PEACE,
            title="Peace",
            text=f"{actor.name} asks for peace between {other.name} and {guild.name}.",
            told=f"You ask {other.name} for peace.",
            accepted=accepted,
        )


@BOOK.kept
def end_alliances(actor: Mobile) -> None:
    """End all alliances of one's own guild. Raises Cannot: NO_GUILD, NO_RIGHT; NO_ALLIANCE if it has none."""
    guild, _ = check_right(actor, Right.TIES)
    allies = [number for number, tie in guild.ties.items() if tie.bond == Bond.ALLIED]
    if not allies:
        raise Cannot(Refusal.NO_ALLIANCE)
    for number in allies:
        end(actor, actor.world.records.all(Guild)[number].name, Bond.ALLIED)


def _make_peace(actor: Mobile, guild: Guild, other: Guild) -> None:
    if guild.bond(other) is not Bond.WAR:
        raise Cannot(Refusal.NO_BOND)
    _unbind(actor.world, guild, other)
    _told(actor.world, guild, other, f"made peace with {other.name}", actor)


def _own_and_other(actor: Mobile, name: str) -> tuple[Guild, Guild]:
    guild, _ = check_right(actor, Right.TIES)
    other = by_name(actor.world, name)
    if other is guild:
        raise Cannot(Refusal.ONESELF)
    return guild, other


def _check_new(actor: Mobile, name: str) -> tuple[Guild, Guild]:
    guild, other = _own_and_other(actor, name)
    _check_bonds(guild, other)
    return guild, other


def _check_bonds(guild: Guild, other: Guild) -> None:
    if guild.bond(other) is not None:
        raise Cannot(Refusal.BOND)
    if len(guild.ties) >= MOST or len(other.ties) >= MOST:
        raise Cannot(Refusal.BONDS)


def _check_envoys(*envoys: tuple[Mobile, Guild]) -> None:
    """Check that those who asked and answered speak for these guilds still: by now they may be in others, or
    a guild may be no more, whose name another has."""
    for mobile, guild in envoys:
        if mobile.guild is not guild:
            raise Cannot(Refusal.NO_SUCH_GUILD)
        if Right.TIES not in guild.members[mobile.serial].rights:
            raise Cannot(Refusal.NO_RIGHT)


def _envoy(world: Surroundings, guild: Guild) -> Mobile:
    """Whoever may answer for a guild, and is here. Raises Cannot(NO_ENVOY)."""
    for mobile in online(world, guild):
        if Right.TIES in guild.members[mobile.serial].rights:
            return mobile
    raise Cannot(Refusal.NO_ENVOY)


def _bind(world: Surroundings, guild: Guild, other: Guild, bond: Bond) -> None:
    tie = Tie(guild=guild.number, other=other.number, bond=bond.value, since=utc(world))
    guild.ties[other.number] = other.ties[guild.number] = world.records.add(tie)


def _unbind(world: Surroundings, guild: Guild, other: Guild) -> None:
    world.records.delete(guild.ties.pop(other.number))
    other.ties.pop(guild.number)


def _told(world: Surroundings, guild: Guild, other: Guild, deed: str, actor: Mobile) -> None:
    for one in (guild, other):
        note(world, one, guild.name, deed)
        tell(world, one, f"{guild.name} has {deed}.")
        renew(world, one)
    recolour(world, guild, other)
