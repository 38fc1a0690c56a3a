"""Rows of the matrix (`tests.kit.verbs`) of what players do with one another: trades, parties, guilds, lists,
letters, duels and reports. Besides the states of all verbs there are two that count here: that one fights,
and that the other wants to hear nothing of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.kit.cells import DONE, Cell, Row, Verb
from tests.kit.verbs import STATES, settle_banker, slay
from world import (
    conduct,
    dealing,
    dialogs,
    duels,
    friends,
    guilds,
    holding,
    ignoring,
    invites,
    life,
    mail,
    party,
    trade,
)
from world.events import Asked, TradeOpened
from world.reach import Refusal
from world.trade_events import Off

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

GOODS: Final = "lantern"
"""What is offered."""


# Columns


def _fights(cell: Cell) -> None:
    cell.mobile.fighting_until = cell.world.now + 1000


def _is_ignored(cell: Cell) -> None:
    ignoring.ignore(cell.whom, cell.mobile.name)


TOGETHER: Final[Mapping[str, Callable[[Cell], object]]] = {
    **STATES,
    "fighting": _fights,
    "ignored": _is_ignored,
}


def apart(cell: Cell) -> None:
    """Undo what players have begun with one another, and all that a row has laid out for it."""
    world = cell.world
    for one in cell.others:
        one.spoken, one.fighting_until = None, 0.0
        if one.trade is not None:
            dealing.end(one, Off.CLOSED)
        for dialog in list(one.dialogs.values()):
            dialogs.withdraw(one, dialog)
        if one.party is not None:
            party.leave(one)
        if one.guild is not None:
            guilds.disband(one)
        for names, forget in (
            (friends.friends_of(one), friends.unfriend),
            (ignoring.ignored_by(one), ignoring.heed),
        ):
            for name in list(names.values()):
                forget(one, name)
    for report in list(conduct.reports(world)):
        conduct.resolve(world, report)


# Rows

DONE_ANYHOW: Final[Row] = dict.fromkeys(TOGETHER, DONE)
"""Of what needs nobody to be near, nor alive."""

ASKS: Final[Row] = {**DONE_ANYHOW, "flooding": Refusal.ASKING, "ignored": Refusal.IGNORED}

IN_TALK: Final[Row] = {**ASKS, "ghost": Refusal.DEAD, "far": Refusal.FAR, "hidden": Refusal.UNSEEN}
"""Of what one asks somebody with whom one could talk."""

BARGAINS: Final[Row] = {
    **DONE_ANYHOW,
    "ghost": Refusal.NO_TRADE,
    **dict.fromkeys(("far", "hidden", "fighting", "ignored"), None),
}
"""Of what one does in a trade, which a distance ends, and a blow."""

VOICED: Final[Row] = {**DONE_ANYHOW, "gagged": Refusal.GAGGED, "flooding": Refusal.FLOODING}

NAMES_IT: Final = "its client names whom it asks, and one need not be seen for that"
HAND_IS_FULL: Final = "its client asks and offers by what is in its hand"
NO_WINDOW: Final = "its client drags into a window, and there is none"


def _is_asked(cell: Cell, kind: str) -> bool:
    """Whether the other has the question, or was asked nothing and is at it already."""
    return any(
        (isinstance(one, Asked) and one.thing is cell.whom and one.dialog.name == kind)
        or (isinstance(one, TradeOpened) and one.thing is cell.whom and kind == trade.TRADE)
        for one in cell.events
    )


def _begin_trade(cell: Cell) -> None:
    """Both trade, unless one is dead; each has something to offer."""
    cell.carry(GOODS)
    if not cell.mobile.dead:
        dealing.begin(cell.mobile, cell.whom)


def _offer_to(cell: Cell) -> None:
    """The other has offered something."""
    _begin_trade(cell)
    if cell.mobile.trade is not None:
        trade.set_gold(cell.whom, 1)


def _agrees(cell: Cell) -> bool:
    going = cell.mobile.trade
    return going is not None and going.side(cell.mobile).agreed


def _offers(cell: Cell) -> bool:
    going = cell.mobile.trade
    return going is not None and cell.thing.serial in going.side(cell.mobile).offers


def _join(cell: Cell) -> None:
    """One's own party with the one who stands beside it."""
    party.invite(cell.mobile, cell.actor.near)
    invites.accept(cell.actor.near, party.KIND)


def _found_guild(cell: Cell) -> None:
    """One's own guild, which only the living found."""
    was_dead = cell.mobile.dead
    life.resurrect(cell.mobile)
    pack = cell.mobile.backpack
    assert pack is not None
    cell.world.register(coins := holding.make(cell.world, "gold", amount=guilds.FEE))
    holding.put(pack, coins)
    guilds.found(cell.mobile, f"Band {chr(ord('A') + list(cell.others).index(cell.mobile))}", "BD")
    if was_dead:
        slay(cell.mobile)


def _waits_for(cell: Cell, text: str) -> bool:
    return any(letter.text == text for letter in mail.letters_of(cell.whom))


VERBS_TOGETHER: Final[Mapping[str, Verb]] = {
    "ask for a trade": Verb(
        "ask for a trade",
        lambda cell: cell.actor.wishes.ask_to_trade(cell.whom, cell.thing),
        lambda cell: _is_asked(cell, trade.TRADE),
        {**IN_TALK, "fighting": Refusal.FIGHTING},
        lambda cell: cell.carry(GOODS),
        skipped={("uo", "hands full"): HAND_IS_FULL},
    ),
    "offer": Verb(
        "offer",
        lambda cell: cell.actor.wishes.offer(cell.thing),
        _offers,
        BARGAINS,
        _begin_trade,
        skipped={("uo", "hands full"): HAND_IS_FULL, ("uo", "ghost"): NO_WINDOW},
    ),
    "agree": Verb("agree", lambda cell: cell.actor.wishes.agree(), _agrees, BARGAINS, _offer_to),
    "invite to the party": Verb(
        "invite to the party",
        lambda cell: cell.actor.wishes.invite(cell.whom),
        lambda cell: _is_asked(cell, party.KIND),
        {**ASKS, "hidden": Refusal.UNSEEN},
        skipped={("eq2", "hidden"): NAMES_IT, ("l2", "hidden"): NAMES_IT},
    ),
    "leave the party": Verb(
        "leave the party",
        lambda cell: cell.actor.wishes.leave_party(),
        lambda cell: cell.mobile.party is None,
        DONE_ANYHOW,
        _join,
    ),
    "invite to the guild": Verb(
        "invite to the guild",
        lambda cell: cell.actor.wishes.invite_to_guild(cell.whom),
        lambda cell: _is_asked(cell, guilds.GUILD),
        ASKS,
        _found_guild,
    ),
    "befriend": Verb(
        "befriend",
        lambda cell: cell.actor.wishes.befriend(cell.whom),
        lambda cell: cell.whom.serial in friends.friends_of(cell.mobile),
        DONE_ANYHOW,
    ),
    "ignore": Verb(
        "ignore",
        lambda cell: cell.actor.wishes.ignore(cell.whom),
        lambda cell: cell.whom.serial in ignoring.ignored_by(cell.mobile),
        DONE_ANYHOW,
    ),
    "send a letter": Verb(
        "send a letter",
        lambda cell: cell.actor.wishes.write_to(cell.whom, cell.words),
        lambda cell: _waits_for(cell, cell.words),
        {**VOICED, "ghost": Refusal.DEAD, "far": Refusal.NO_COUNTER, "hidden": None}
        | {"ignored": Refusal.IGNORED},
        settle_banker,
        words={Refusal.NO_COUNTER: mail.NO_COUNTER},
    ),
    "challenge to a duel": Verb(
        "challenge to a duel",
        lambda cell: cell.actor.wishes.challenge(cell.whom),
        lambda cell: _is_asked(cell, duels.DUEL),
        IN_TALK,
    ),
    "report": Verb(
        "report",
        lambda cell: cell.actor.wishes.report(cell.whom, cell.words),
        lambda cell: any(
            one.text == cell.words and one.about == cell.whom.name
            for one in conduct.reports(cell.world).values()
        ),
        VOICED,
    ),
}
