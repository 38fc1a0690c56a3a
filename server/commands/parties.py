"""Verbs of parties, for all games: each is one call of a rule of `world.party`. A question of another player
is answered in its dialog, or by `party accept` and `party refuse`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from server.commands.machinery import CommandTable
from server.commands.verbs import verb_of
from world import invites, party, party_asking, speech
from world.companions import LootRule
from world.events import Speech
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from server.commands.machinery import Arguments
    from world.mobile import Mobile

TABLE: Final = CommandTable()

_verb = partial(verb_of, TABLE)

NO_RULE: Final = "The loot of a party is for its finder, by turns, or for its leader."


@_verb("party", "tells who is of your party; more verbs: party invite, join, accept, refuse, leave, kick ...")
def members(actor: Mobile, args: Arguments) -> Sequence[str]:
    """Tell who is of the party. Raises Cannot(NO_PARTY)."""
    party.show(actor)
    return []


@_verb("party invite NAME...", "asks somebody into your party")
def invite(actor: Mobile, args: Arguments) -> Sequence[str]:
    party_asking.invite(actor, args["name"])
    return []


@_verb("party join NAME...", "asks to be let into the party of somebody")
def join(actor: Mobile, args: Arguments) -> Sequence[str]:
    party_asking.apply(actor, args["name"])
    return []


@_verb("party accept", "says yes to who asks you into a party, or to be let into yours")
def accept(actor: Mobile, args: Arguments) -> Sequence[str]:
    invites.accept(actor, party.KIND)
    return []


@_verb("party refuse", "says no to who asks you into a party, or to be let into yours")
def refuse(actor: Mobile, args: Arguments) -> Sequence[str]:
    invites.refuse(actor, party.KIND)
    return ["You decline."]


@_verb("party leave", "leaves your party")
def leave(actor: Mobile, args: Arguments) -> Sequence[str]:
    party.leave(actor)
    return []


@_verb("party kick NAME...", "sends somebody out of your party, who may be away")
def kick(actor: Mobile, args: Arguments) -> Sequence[str]:
    party.expel(actor, party.called(actor, args["name"]).serial)
    return []


@_verb("party leader NAME...", "lets another lead your party")
def leader(actor: Mobile, args: Arguments) -> Sequence[str]:
    party.hand_over(actor, party.called(actor, args["name"]).serial)
    return []


@_verb("party loot RULE", "says whose it is what creatures leave: finder, turns or leader")
def loot(actor: Mobile, args: Arguments) -> Sequence[str]:
    """Set the rule for loot. Raises Cannot if it is none."""
    word = args["rule"].lower()
    if word not in {rule.value for rule in LootRule}:
        raise Cannot(Refusal.UNKNOWN, NO_RULE)
    party.set_loot(actor, LootRule(word))
    return []


@_verb("party disband", "ends your party")
def disband(actor: Mobile, args: Arguments) -> Sequence[str]:
    party.disband(actor)
    return []


@_verb("p TEXT...", "says something to your party, wherever it is")
def say(actor: Mobile, args: Arguments) -> Sequence[str]:
    speech.to_company(actor, Speech.PARTY, args["text"])
    return []
