"""Would the simulation notice a window of a trade or a bar of a party that is not told, or a trade in which
only one gives?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.kit import simulation
from tests.kit.actors import ACTORS
from tests.kit.habits import COMPANY
from tests.kit.simulation import Plan, found_by, simulate
from world import barter, dealing, party, party_pulse
from world.party_events import PartyStirred

if TYPE_CHECKING:
    from world.bargain import Trade
    from world.companions import Party
    from world.mobile import Mobile, Viewport
    from world.party_events import Stirred

CLOSE: Final = Plan(seconds=15, people=4, faults=False, pace=(0.2, 0.6))


@pytest.fixture(autouse=True)
def _together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody does anything but deal with the others."""
    monkeypatch.setattr(simulation, "HABITS", COMPANY)


def test_all_is_well_without_a_bug() -> None:
    evening = simulate(0, CLOSE)
    assert evening.done["exchange"] > 0
    assert evening.done["enlist"] > 1


def test_a_change_of_an_offer_that_nobody_is_shown_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    show = dealing.show

    def shows_who_agrees(trade: Trade[Mobile]) -> None:
        if trade.first.agreed or trade.second.agreed:
            show(trade)

    monkeypatch.setattr(dealing, "show", shows_who_agrees)
    _, report = found_by(CLOSE)
    assert "what is offered to it is" in report or "offers is" in report, report


def test_a_trade_in_which_only_one_gives_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    swap = barter.swap

    def takes_of_one(trade: Trade[Mobile]) -> None:
        giver = trade.first if trade.first.offers or trade.first.gold else trade.second
        giver.offers, giver.gold = {}, 0
        swap(trade)

    monkeypatch.setattr(barter, "swap", takes_of_one)
    _, report = found_by(CLOSE)
    assert " gave " in report, report


def test_a_member_whose_bar_is_not_told_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two games that do not show it as they show the bars of all in sight."""
    enlist = party._enlist

    def comes_to_harm(of: Party, mobile: Mobile) -> None:
        enlist(of, mobile)
        mobile.hits = mobile.hits_max // 2

    def told_to_nobody(thing: None, of: int, stirred: list[Stirred], eyes: list[Viewport]) -> PartyStirred:
        return PartyStirred(thing, of, stirred, [])

    monkeypatch.setattr(simulation, "ACTORS", {game: ACTORS[game] for game in ("eo", "l2")})
    monkeypatch.setattr(party, "_enlist", comes_to_harm)
    monkeypatch.setattr(party_pulse, "PartyStirred", told_to_nobody)
    _, report = found_by(CLOSE)
    assert "believes the bar of" in report, report
