"""Commands about whoever and whatever is in the world: asking, killing, healing, setting, making, removing.

Tools outside read what they print (`causeway do`, docs/admin.md), so words and columns are fixed.

Each command finds whom it means, makes one call of a rule in `world/` that staff may use, and says what
was so before and what is so now. The alternative, to set attributes here, would be shorter and would let
staff make states that the world does not know: two owners of one thing, a corpse that walks.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from server.commands.machinery import CommandError, CommandTable
from server.commands.named import actor, anything, being, by_serial, character, number, place
from world import conduct, granting, hands, holding, life, party, safes, sheet
from world.directory import Known
from world.item import Item
from world.mobile import Access, Mobile
from world.reach import Cannot
from world.roles import ROLES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from server.commands.machinery import Arguments, Context

TABLE: Final = CommandTable()
_command = TABLE.command

GAG_MINUTES: Final = 10
"""How long somebody is silenced if nobody says."""
MOST_GAG_MINUTES: Final = 7 * 24 * 60


# Asking


@_command(
    "info [NAME]",
    access=Access.COUNSELOR,
    audited=False,
    about="tells all about a character, or whoever or whatever has a serial, or you, as JSON",
)
def info(context: Context, args: Arguments) -> Sequence[str]:
    found = anything(context, args["name"]) if "name" in args else actor(context)
    about = _about_item(found) if isinstance(found, Item) else _about_mobile(found)
    return [json.dumps({key: about.get(key) for key in _KEYS})]


_KEYS: Final = (
    *("kind", "serial", "name", "realm", "x", "y", "level", "experience", "hits", "hits_max", "mana"),
    *("mana_max", "stamina", "stamina_max", "gold", "bank_gold", "dead", "war", "target", "party", "skills"),
)
"""What `info` tells, in this order; null where there is no such thing."""


def _about_mobile(mobile: Mobile) -> Mapping[str, object]:
    return {
        "kind": _kind(mobile),
        "serial": mobile.serial,
        "name": mobile.name,
        "realm": mobile.realm.name if mobile.realm is not None else None,
        "x": mobile.x,
        "y": mobile.y,
        "level": mobile.level if mobile.template.fights is None else mobile.template.fights.level,
        "experience": mobile.experience,
        "hits": mobile.hits,
        "hits_max": mobile.hits_max,
        "mana": mobile.mana,
        "mana_max": mobile.mana_max,
        "stamina": mobile.stam,
        "stamina_max": mobile.stam_max,
        "gold": holding.gold(mobile),
        "bank_gold": safes.gold(mobile) if mobile.is_character else None,
        "dead": mobile.dead,
        "war": mobile.war,
        "target": _enemy(mobile),
        "party": _party(mobile),
        "skills": _skills(mobile),
    }


def _enemy(mobile: Mobile) -> int | None:
    """Serial of whom it fights, else of whom it aims at, if that one is still there."""
    target = mobile.enemy or mobile.target
    return target if target in mobile.world.mobiles else None


def _party(mobile: Mobile) -> Sequence[str] | None:
    """Names of all of its party, the leader first; None if it is in none."""
    return None if mobile.party is None else [one.name for one in party.states(mobile.party)]


def _skills(mobile: Mobile) -> Mapping[str, float] | None:
    """Skills of a character in points, those that it has begun to learn."""
    if mobile.learner is None or not mobile.is_character:
        return None
    return {name: skill.value / 10 for name, skill in mobile.learner.skills.items() if skill.value}


def _about_item(item: Item) -> Mapping[str, object]:
    root = item.root
    return {
        "kind": "item",
        "serial": item.serial,
        "name": item.label,
        "realm": root.realm.name if root.realm is not None else None,
        "x": root.x,
        "y": root.y,
    }


def _kind(mobile: Mobile) -> str:
    if mobile.is_character:
        return "player"
    return "creature" if mobile.template.creature else "resident"


@_command(
    "residents [ROLE]",
    access=Access.COUNSELOR,
    audited=False,
    about="lists the realms' people, or those of a role: serial, template, name, roles, realm, x, y",
)
def residents(context: Context, args: Arguments) -> Sequence[str]:
    """List the residents. Raises CommandError for an unknown role."""
    role = args.get("role")
    if role is not None and role not in ROLES:
        raise CommandError(f"there is no role {role}; there are {', '.join(ROLES)}")
    return [
        "\t".join(
            (
                str(mobile.serial),
                mobile.template.key,
                mobile.name,
                ",".join(mobile.template.roles),
                mobile.realm.name if mobile.realm is not None else "",
                str(mobile.x),
                str(mobile.y),
            )
        )
        for mobile in context.world.mobiles.values()
        if _kind(mobile) == "resident" and (role is None or mobile.has_role(role))
    ]


# Life and death


@_command(
    "kill [CHARACTER]",
    access=Access.GAME_MASTER,
    about="makes a ghost of a character or of you; or lets whoever has a serial die",
)
def kill(context: Context, args: Arguments) -> Sequence[str]:
    """Kill somebody. Raises CommandError if that one is dead already or does not exist."""
    target = being(context, args)
    hits = target.hits
    if not life.kill(target):
        raise CommandError(f"{target.name} is dead already")
    return [f"{target.name} had {hits} hits, is dead"]


@_command(
    "heal [CHARACTER]", access=Access.GAME_MASTER, about="gives somebody back all hits, mana and stamina"
)
def heal(context: Context, args: Arguments) -> Sequence[str]:
    """Give somebody back all hits, mana and stamina. Raises CommandError for the dead."""
    target = being(context, args)
    if target.dead:
        raise CommandError(f"{target.name} is dead")
    before = f"{target.hits} hits, {target.mana} mana and {target.stam} stamina"
    life.restore(target)
    return [f"{target.name} had {before}, has {target.hits}, {target.mana} and {target.stam}"]


@_command("resurrect [CHARACTER]", access=Access.GAME_MASTER, about="gives a ghost its life back")
def resurrect(context: Context, args: Arguments) -> Sequence[str]:
    """Give a ghost its life back. Raises CommandError for the living."""
    target = being(context, args)
    if not life.resurrect(target):
        raise CommandError(f"{target.name} is not dead")
    return [f"{target.name} was dead, lives with {target.hits} hits"]


# Numbers and things


@_command(
    "set CHARACTER FIELD VALUE",
    access=Access.GAME_MASTER,
    about=f"sets a number of a character: {', '.join(sheet.FIELDS)}",
)
def set_(context: Context, args: Arguments) -> Sequence[str]:
    """Set a number of a character. Raises CommandError if it is no number, or the world's rules refuse it."""
    target, name = character(context, args), args["field"].lower()
    text = args["value"]
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    if not (digits.isascii() and digits.isdigit() and len(digits) < 16):
        raise CommandError(f"{text} is no whole number")
    value = int(sign + digits)
    try:
        before = sheet.put(target, name, value)
    except Cannot as refused:
        raise CommandError(str(refused)) from refused
    return [f"{target.name} had {name} {before}, has {value}"]


@_command(
    "skill CHARACTER NAME VALUE",
    access=Access.GAME_MASTER,
    about="sets a skill of a character, in points",
)
def skill(context: Context, args: Arguments) -> Sequence[str]:
    """Set a skill of a character. Raises CommandError if it is no number, or the world's rules refuse it."""
    target, name = character(context, args), args["name"].lower()
    if not re.fullmatch(r"[0-9]{1,3}(\.[0-9])?", args["value"]):
        raise CommandError(f"{args['value']} is no number of points, 0 to 100")
    try:
        before, after = sheet.put_skill(target, name, round(float(args["value"]) * 10))
    except Cannot as refused:
        raise CommandError(str(refused)) from refused
    return [f"{target.name} had {name} {before / 10:.1f}, has {after / 10:.1f}"]


@_command(
    "make ITEM [AMOUNT] [for CHARACTER]",
    access=Access.GAME_MASTER,
    about="puts new things into your pack or another's: make gold 20 for bob",
)
def make(context: Context, args: Arguments) -> Sequence[str]:
    """Put new items into a pack. Raises CommandError for an unknown kind, or if the world's rules refuse
    it."""
    target, kind = character(context, args), _item_kind(context, args["item"])
    amount = number(args["amount"]) if "amount" in args else 1
    before = hands.carried(target).get(kind, 0)
    try:
        granting.make(target, kind, amount)
    except Cannot as refused:
        raise CommandError(str(refused)) from refused
    return [f"{target.name} had {before} {kind}, has {hands.carried(target)[kind]}"]


def _item_kind(context: Context, word: str) -> str:
    """The key of a kind of item, by that or by what it is called."""
    items, wanted = context.world.content.items, word.lower()
    if wanted in items:
        return wanted
    for key, template in items.items():
        if template.name.lower() == wanted:
            return key
    raise CommandError(f"there is no item {word}")


@_command(
    "remove SERIAL",
    access=Access.GAME_MASTER,
    about="lets an item with all in it cease to exist, or a resident or creature until the next start",
)
def remove(context: Context, args: Arguments) -> Sequence[str]:
    """Take an item or a resident out of the world. Raises CommandError for characters of players, or if the
    world's rules refuse it."""
    found = by_serial(context, args["serial"])
    where = place(found.root if isinstance(found, Item) else found)
    if isinstance(found, Mobile):
        if found.is_character:
            raise CommandError(f"{found.name} is somebody's character")
        context.world.leave(found)
        return [f"{found.name} was in {where}, is gone"]
    amount, name = found.amount, found.label
    try:
        granting.remove(found)
    except Cannot as refused:
        raise CommandError(str(refused)) from refused
    return [f"{amount} {name} was in {where}, is gone"]


# Silence


@_command(
    "gag CHARACTER [MINUTES]",
    access=Access.GAME_MASTER,
    about=f"silences the account of a character, for {GAG_MINUTES} minutes or as many as you say",
)
def gag(context: Context, args: Arguments) -> Sequence[str]:
    """Silence an account. Raises CommandError for staff of equal rank, and for a time out of range."""
    target = character(context, args)
    context.require_over(target.access, target.name)
    minutes = number(args["minutes"]) if "minutes" in args else GAG_MINUTES
    if not 1 <= minutes <= MOST_GAG_MINUTES:
        raise CommandError(f"from 1 to {MOST_GAG_MINUTES} minutes, not {minutes}")
    before = _silence(context, target)
    conduct.mute(context.world, _known(target), 60.0 * minutes, by=context.who)
    return [f"{target.name} {before}, is silenced for {minutes} minutes"]


@_command("ungag CHARACTER", access=Access.GAME_MASTER, about="lets a silenced account speak again")
def ungag(context: Context, args: Arguments) -> Sequence[str]:
    """Let an account speak again. Raises CommandError if it is not silenced."""
    target = character(context, args)
    context.require_over(target.access, target.name)
    before = _silence(context, target)
    try:
        conduct.unmute(context.world, _known(target))
    except Cannot as cannot:
        raise CommandError(f"{target.name} is not silenced") from cannot
    return [f"{target.name} {before}, may speak"]


def _known(mobile: Mobile) -> Known:
    return Known(mobile.serial, mobile.name, mobile.short_name, mobile.account)


def _silence(context: Context, mobile: Mobile) -> str:
    left = context.world.gags.get(mobile.account, 0.0) - context.world.now
    return f"was silenced for {-(-left // 60):.0f} minutes more" if left > 0 else "could speak"
