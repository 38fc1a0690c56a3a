"""Finds what the words of a command name: characters by name, mobiles and items by serial."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from server.commands.machinery import CommandError
from world import finding, presence
from world.item import Item
from world.names import is_called
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from protocol.session import Session
    from server.commands.machinery import Arguments, Context
    from world.mobile import Mobile
    from world.thing import Thing

NOTHING_CALLED: Final = "There is nothing called so here."

_SERIAL: Final = re.compile(r"0x[0-9a-fA-F]{1,8}|[0-9]{1,10}")
"""In decimal or hexadecimal; no name has a digit."""


def actor(context: Context) -> Mobile:
    """The character whose player gave the command. Raises CommandError if none did."""
    if context.actor is None or context.actor.realm is None:
        raise CommandError("only a character in the world can do that")
    return context.actor


def character(context: Context, args: Arguments) -> Mobile:
    """The character of that name in the world, online or lingering, or whoever gave the command. Raises
    CommandError."""
    if "character" not in args:
        return actor(context)
    return by_name(context, args["character"])


def player(context: Context, args: Arguments) -> Mobile:
    """The character of that name that a client plays now, or whoever gave the command. Raises
    CommandError."""
    if "character" not in args:
        return actor(context)
    found = context.world.online_by_name(args["character"])
    if found is None or not (context.actor is None or presence.finds(context.actor, found)):
        raise CommandError(f"{args['character']} is not online")
    return found


def online(actor: Mobile, name: str) -> Mobile:
    """The character of that name that a client plays now, for verbs. Raises Cannot(NOBODY)."""
    found = presence.by_name(actor, name)
    if found is None:
        raise Cannot(Refusal.NOBODY)
    return found


def thing(name: str, among: Iterable[Item]) -> Item:
    """The item of that name, or of which it is the beginning, for verbs. Raises Cannot(GONE)."""
    found = finding.by_name(name, among)
    if found is None:
        raise Cannot(Refusal.GONE, NOTHING_CALLED)
    return found


def session_of(context: Context, mobile: Mobile) -> Session:
    """The session that plays this mobile. Raises CommandError if none does."""
    for session in context.host.sessions():
        if session.mobile is mobile:
            return session
    raise CommandError(f"{mobile.name} is not online")


def by_name(context: Context, name: str) -> Mobile:
    """The character of that name or short name in the world, online or lingering. Raises CommandError."""
    for mobile in context.world.characters():
        if is_called(mobile.name, mobile.short_name, name):
            return mobile
    raise CommandError(f"{name} is not online")


def being(context: Context, args: Arguments) -> Mobile:
    """The character that is named, or whoever has that serial, or whoever gave the command. Raises
    CommandError."""
    if "character" not in args:
        return actor(context)
    found = anything(context, args["character"])
    if isinstance(found, Item):
        raise CommandError(f"{args['character']} is {found.label}")
    return found


def anything(context: Context, word: str) -> Mobile | Item:
    """The character of that name, or whoever or whatever has that serial. Raises CommandError."""
    return by_serial(context, word) if _SERIAL.fullmatch(word) else by_name(context, word)


def by_serial(context: Context, word: str) -> Mobile | Item:
    """The mobile or item with that serial. Raises CommandError if there is none, or the word is no number."""
    if not _SERIAL.fullmatch(word):
        raise CommandError(f"{word} is no serial")
    serial = int(word, 16 if word.startswith("0x") else 10)
    world = context.world
    found = world.mobiles.get(serial) or world.items.get(serial)
    if found is None:
        raise CommandError(f"nothing has the serial {word}")
    return found


def number(text: str) -> int:
    """A whole number, 0 or more. Raises CommandError."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise CommandError(f"{text} is no number")
    return int(text)


def place(thing: Thing) -> str:
    """Place of a mobile or item, in words."""
    return f"{thing.realm.name if thing.realm else 'no realm'} {thing.x} {thing.y}"
