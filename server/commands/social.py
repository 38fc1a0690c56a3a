"""Verbs about others: friends, those of whom one wants to hear nothing, duels."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from server.commands import named
from server.commands.machinery import CommandTable
from server.commands.verbs import verb_of
from world import duels, friends, ignoring

if TYPE_CHECKING:
    from collections.abc import Sequence

    from server.commands.machinery import Arguments
    from world.mobile import Mobile

TABLE: Final = CommandTable()

_verb = partial(verb_of, TABLE)


# Friends


@_verb("friends", "lists your friends, and who of them is here")
def friends_(actor: Mobile, args: Arguments) -> Sequence[str]:
    return friends.roll(actor)


@_verb("friend NAME...", "puts somebody on your list of friends, who need not be here")
def friend(actor: Mobile, args: Arguments) -> Sequence[str]:
    friends.befriend(actor, args["name"])
    return []


@_verb("unfriend NAME...", "takes somebody off your list of friends")
def unfriend(actor: Mobile, args: Arguments) -> Sequence[str]:
    friends.unfriend(actor, args["name"])
    return []


# Those who are not heard


@_verb("ignore [NAME...]", "hears nothing of somebody any more, or lists of whom you hear nothing")
def ignore(actor: Mobile, args: Arguments) -> Sequence[str]:
    """Ignore somebody, or list those whom one ignores. Raises Cannot, as `ignoring.ignore`."""
    if "name" in args:
        ignoring.ignore(actor, args["name"])
        return []
    return [ignoring.roll(actor)]


@_verb("unignore NAME...", "hears of somebody again")
def unignore(actor: Mobile, args: Arguments) -> Sequence[str]:
    ignoring.heed(actor, args["name"])
    return []


# Duels


@_verb("duel NAME...", "asks somebody to a duel, or accepts one: nobody dies of it")
def duel(actor: Mobile, args: Arguments) -> Sequence[str]:
    duels.ask(actor, named.online(actor, args["name"]))
    return []


@_verb("yield", "gives up in a duel")
def yield_(actor: Mobile, args: Arguments) -> Sequence[str]:
    duels.give_up(actor)
    return []
