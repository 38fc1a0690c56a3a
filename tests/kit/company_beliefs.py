"""What clients believe of the trade and the party of their players (`tests.kit.beliefs`).

Not all that a window shows is what it was told: in some games a player's own gold, and that it agrees, are
the client's own, which nobody confirms. Those are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.kit.dealings import Offer, Table, offer, percent
from tests.kit.sight import differs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from protocol.session import Session
    from tests.kit.actor import Actor
    from world.bargain import TradeSide
    from world.companions import Fellow
    from world.mobile import Mobile

OWN_GOLD: Final = frozenset({"uo"})
"""Games whose clients fill in their player's gold themselves."""
OWN_YES: Final = frozenset({"eq2", "co"})
"""Games whose clients note themselves that their player agrees."""
ONLY_WHO_IS_HERE: Final = frozenset({"eo"})
"""Games whose lists do not have those members who are away."""
ROUNDED: Final = 1
"""Percent by which bars differ."""


def company_faults(actor: Actor, session: Session, mobile: Mobile) -> list[str]:
    """What a client wrongly believes of its trade and of its party."""
    return [*_trade_faults(actor, session, mobile), *_party_faults(actor, mobile)]


def _trade_faults(actor: Actor, session: Session, mobile: Mobile) -> list[str]:
    who, trade, shown = actor.name, mobile.trade, actor.trade_shown()
    if trade is None:
        return differs(who, "its window of a trade", shown, None)
    own, against = trade.side(mobile), trade.against(mobile)
    if against.mobile.serial not in session.known:
        return []  # out of sight, upon which it ends within half a second; or lost in a crowd
    if shown is None:
        return [f"{who} sees no window of its trade with {against.mobile.name}"]
    true = Table(_told(actor, own.copy()), _told(actor, against.copy()))
    faults = differs(who, "what is offered to it", shown.theirs, true.theirs)
    if actor.game == "co":  # what it does not know that it has it does not show
        return faults + [
            f"{who} believes to offer {kind}, and does not"
            for kind in shown.own.things
            if kind not in true.own.things
        ]
    faults += differs(who, "what it offers", shown.own.things, true.own.things)
    if actor.game not in OWN_GOLD:
        faults += differs(who, "the gold that it offers", shown.own.gold, true.own.gold)
    if actor.game not in OWN_YES:
        faults += differs(who, "whether it agrees", shown.own.agrees, true.own.agrees)
    return faults


def _told(actor: Actor, side: TradeSide) -> Offer:
    return offer(
        [(actor.called(one.template.key), one.amount) for one in side.things], side.gold, agrees=side.agreed
    )


def _party_faults(actor: Actor, mobile: Mobile) -> list[str]:
    who, party, shown = actor.name, mobile.party, actor.party_shown()
    fellows = {} if party is None else {one.name: one for one in _others(actor, mobile)}
    faults = differs(who, "its list of the party", sorted(shown), sorted(fellows))
    for name in shown.keys() & fellows.keys():
        state, member = fellows[name].state, mobile.world.mobiles.get(fellows[name].character)
        if not state.online or state.dead:
            continue
        # Who is in sight as well is shown at once, and to the party once a second.
        bars = {percent(one.hits, one.hits_max) for one in (state, member) if one is not None}
        health, level = shown[name].health, shown[name].level
        if health is not None and all(abs(health - bar) > ROUNDED for bar in bars):
            faults.append(f"{who} believes the bar of {name} to be at {health} %, not {bars}")
        if level is not None:
            faults += differs(who, f"the level of {name}", level, state.level)
    return faults


def _others(actor: Actor, mobile: Mobile) -> Iterator[Fellow]:
    party = mobile.party
    assert party is not None
    for serial, fellow in party.fellows.items():
        away = actor.game in ONLY_WHO_IS_HERE and not fellow.state.online
        if serial != mobile.serial and not away:
            yield fellow
