"""Verbs about letters and parcels."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from server.commands import named
from server.commands.machinery import CommandTable
from server.commands.named import number
from server.commands.verbs import verb_of
from world import finding, hands, mail, postage
from world.reach import Cannot
from world.wording import GOLD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from server.commands.machinery import Arguments
    from world.mobile import Mobile

TABLE: Final = CommandTable()

_verb = partial(verb_of, TABLE)


@_verb("mail [NAME] [TEXT...]", "lists your letters, or sends one: mail bob see you at the inn")
def mail_(actor: Mobile, args: Arguments) -> Sequence[str]:
    """Send a letter; or list them, and ask what to do with them if the actor stands where they are given
    out. Raises Cannot, as `mail.send`."""
    if "name" in args:
        mail.send(actor, args["name"], args.get("text", ""))
        return []
    try:
        postage.at_counter(actor)
    except Cannot:
        listed = [postage.outside(actor.world, one) for one in mail.envelopes(actor)]
        return [*(listed or [postage.NONE_WAIT]), mail.NO_COUNTER]
    return []


@_verb("letter NUMBER", "reads one of your letters")
def letter(actor: Mobile, args: Arguments) -> Sequence[str]:
    envelope = mail.read(actor, mail.numbered(actor, number(args["number"])))
    return postage.inside(actor.world, envelope)


@_verb("parcel NAME THING...", "sends something out of your pack: parcel bob bread 2, or parcel bob gold 50")
def parcel(actor: Mobile, args: Arguments) -> Sequence[str]:
    _send(actor, args["name"], args["thing"], 0)
    return []


@_verb("charge NAME PRICE THING...", "sends something for which the other has to pay: charge bob 50 dagger")
def charge(actor: Mobile, args: Arguments) -> Sequence[str]:
    _send(actor, args["name"], args["thing"], number(args["price"]))
    return []


@_verb("collect NUMBER", "takes what one of your letters brings, and pays what is asked for it")
def collect(actor: Mobile, args: Arguments) -> Sequence[str]:
    mail.take(actor, mail.numbered(actor, number(args["number"])))
    return []


@_verb("sendback NUMBER", "sends what one of your letters brings back")
def sendback(actor: Mobile, args: Arguments) -> Sequence[str]:
    mail.refuse(actor, mail.numbered(actor, number(args["number"])))
    return []


@_verb("tear NUMBER", "throws one of your letters away")
def tear(actor: Mobile, args: Arguments) -> Sequence[str]:
    mail.discard(actor, mail.numbered(actor, number(args["number"])))
    return ["You throw it away."]


def _send(actor: Mobile, name: str, thing: str, price: int) -> None:
    wanted, amount = finding.name_and_amount(thing)
    item = named.thing(wanted, hands.carried_items(actor))
    if item.template.key == GOLD:
        mail.send(actor, name, "", gold=amount, price=price)
        return
    mail.send(actor, name, "", things=[(item, item.amount if wanted == thing else amount)], price=price)
