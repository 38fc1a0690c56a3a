"""Verbs of guilds, for all games. Each is one call of a rule of `world.guilds`, `world.guild_bank` or
`world.guild_ties`; `guild` alone opens the window of whoever's game has one, and asks the others."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from server.commands import named
from server.commands.machinery import LONGEST_LINE, CommandTable
from server.commands.trading import NO_BANKER, is_number, nearest
from server.commands.verbs import verb_of
from world import finding, guild_bank, guild_hall, guild_ties, guilds, hands, speech, vaults
from world.events import Speech

if TYPE_CHECKING:
    from collections.abc import Sequence

    from server.commands.machinery import Arguments
    from world.mobile import Mobile

TABLE: Final = CommandTable()

_verb = partial(verb_of, TABLE)


# Looking


@_verb("guild", "shows your guild and what you may do for it, or asks whether to found one")
def guild(actor: Mobile, args: Arguments) -> Sequence[str]:
    guild_hall.at_guild(actor)
    return []


@_verb("guild info", "tells in words what your guild is")
def info(actor: Mobile, args: Arguments) -> Sequence[str]:
    return guild_hall.summary(actor)


@_verb("guild members", "tells who is in your guild, and who is here")
def members(actor: Mobile, args: Arguments) -> Sequence[str]:
    return _joined(guild_hall.roll(actor))


@_verb("guild log", "tells what has happened in your guild, and in its bank")
def log(actor: Mobile, args: Arguments) -> Sequence[str]:
    return guild_hall.log(actor)


# Belonging


@_verb("guild found TAG NAME...", "founds a guild, for a fee: guild found WV Weavers")
def found(actor: Mobile, args: Arguments) -> Sequence[str]:
    guilds.found(actor, args["name"], args["tag"])
    return []


@_verb("guild invite NAME...", "asks a player who is online into your guild")
def invite(actor: Mobile, args: Arguments) -> Sequence[str]:
    """Ask somebody into the guild. Raises Cannot, as `guilds.invite`, and if nobody is called so."""
    guilds.invite(actor, named.online(actor, args["name"]))
    return []


@_verb("guild leave", "leaves your guild")
def leave(actor: Mobile, args: Arguments) -> Sequence[str]:
    guilds.leave(actor)
    return []


@_verb("guild expel NAME...", "expels a member of a lower rank than yours")
def expel(actor: Mobile, args: Arguments) -> Sequence[str]:
    guilds.expel(actor, args["name"])
    return []


@_verb("guild promote NAME...", "gives a member of your guild the next higher rank")
def promote(actor: Mobile, args: Arguments) -> Sequence[str]:
    guilds.promote(actor, args["name"])
    return []


@_verb("guild demote NAME...", "gives a member of your guild the next lower rank")
def demote(actor: Mobile, args: Arguments) -> Sequence[str]:
    guilds.demote(actor, args["name"])
    return []


@_verb("guild leader NAME...", "lets another member lead your guild")
def leader(actor: Mobile, args: Arguments) -> Sequence[str]:
    guilds.hand_over(actor, args["name"])
    return []


@_verb("guild notice [TEXT...]", "writes what members of your guild read when they come")
def notice(actor: Mobile, args: Arguments) -> Sequence[str]:
    guilds.set_notice(actor, args.get("text", ""))
    return []


@_verb("guild disband", "lets the guild that you lead cease to exist")
def disband(actor: Mobile, args: Arguments) -> Sequence[str]:
    guilds.disband(actor)
    return []


@_verb("g TEXT...", "says something to your guild, wherever its members are")
def to_guild(actor: Mobile, args: Arguments) -> Sequence[str]:
    speech.to_company(actor, Speech.GUILD, args["text"])
    return []


@_verb("a TEXT...", "says something to your guild and those that are allied with it")
def to_alliance(actor: Mobile, args: Arguments) -> Sequence[str]:
    speech.to_company(actor, Speech.ALLIANCE, args["text"])
    return []


# The bank


@_verb("guild deposit THING... [AMOUNT]", "puts gold or a thing into your guild's bank: guild deposit 50")
def deposit(actor: Mobile, args: Arguments) -> Sequence[str]:
    """Put something into the guild's bank. Raises Cannot, as `guild_bank.deposit`."""
    banker, text = nearest(actor, vaults.BANKER, NO_BANKER), args["thing"]
    if is_number(text):
        guild_bank.deposit_gold(actor, banker, named.number(text))
        return []
    name, amount = finding.name_and_amount(text)
    guild_bank.deposit(actor, banker, named.thing(name, hands.carried_items(actor)), amount)
    return []


@_verb("guild withdraw THING... [AMOUNT]", "takes gold or a thing out of your guild's bank")
def withdraw(actor: Mobile, args: Arguments) -> Sequence[str]:
    """Take something out of the guild's bank. Raises Cannot, as `guild_bank.withdraw`."""
    banker, text = nearest(actor, vaults.BANKER, NO_BANKER), args["thing"]
    if is_number(text):
        guild_bank.withdraw_gold(actor, banker, named.number(text))
        return []
    name, amount = finding.name_and_amount(text)
    guild_bank.withdraw(actor, banker, named.thing(name, guild_bank.things(actor)), amount)
    return []


# Others


@_verb("guild war NAME...", "declares war on another guild, by its name or tag")
def war(actor: Mobile, args: Arguments) -> Sequence[str]:
    guild_ties.declare_war(actor, args["name"])
    return []


@_verb("guild ally NAME...", "asks the leader of another guild for an alliance")
def ally(actor: Mobile, args: Arguments) -> Sequence[str]:
    guild_ties.ask_alliance(actor, args["name"])
    return []


@_verb("guild peace NAME...", "ends an alliance or a war with another guild")
def peace(actor: Mobile, args: Arguments) -> Sequence[str]:
    guild_ties.end(actor, args["name"])
    return []


def _joined(parts: Sequence[str]) -> Sequence[str]:
    """Several to a line, as far as a client shows one."""
    lines = [""]
    for part in parts:
        longer = f"{lines[-1]}; {part}" if lines[-1] else part
        if len(longer) > LONGEST_LINE:
            lines.append(part)
        else:
            lines[-1] = longer
    return lines
