"""In company of somebody who came by another game: a trade with a mouse, a party with fingers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.browser.conftest import Door
    from tests.browser.guests import Company


def test_a_trade_with_a_player_of_another_game(guest: Door, company: Company) -> None:
    visitor = guest()
    page, friend = visitor.watches(), company.invite("uo")
    visitor.tries()
    visitor.knows(friend.name)
    # Who is asked answers beside the map, and there the trade opens.
    friend.says(f".trade {visitor.name}")
    asked = page.locator("#dialog", has_text=f"{friend.name} would like to trade")
    asked.get_by_role("button", name="Trade.").click()
    trading = page.locator("#trading")
    trading.locator("h2", has_text=f"Trade with {friend.name}").wait_for()
    friend.says(".offer 3")
    trading.locator(".coins", has_text="Gold: 3").wait_for()
    trading.get_by_label("How many: bread loaf").fill("2")
    trading.get_by_role("button", name="Offer: bread loaf").click()
    trading.get_by_role("button", name="Take back: bread loaf").wait_for()
    friend.says(".agree")
    trading.locator("h3", has_text=f"{friend.name} offers \N{CHECK MARK} agreed").wait_for()
    trading.get_by_role("button", name="Agree", exact=True).click()
    trading.wait_for(state="hidden")
    visitor.hears(f"You give {friend.name} 2 bread loaves and receive 3 gold coins.")


def test_a_party_with_a_player_of_another_game(guest: Door, company: Company) -> None:
    visitor = guest(width=390, height=844, touch=True)
    page, friend = visitor.watches(), company.invite("uo")
    page.tap("#panel-handle")
    visitor.tries()
    visitor.knows(friend.name)
    # Whoever asks first leads; the other's bars stand below one's own.
    page.locator("#actions").get_by_role("button", name="Party").click()
    party = page.locator("#party")
    party.get_by_label("Name of whom to ask").fill(friend.name)
    page.keyboard.press("Enter")
    party.locator(".told", has_text=f"You ask {friend.name} into your party.").wait_for()
    friend.says(".party accept")
    party.locator(".members li", has_text=friend.name).wait_for()
    party.get_by_role("button", name="Close").click()
    frame = page.locator("#party-frames li", has_text=friend.name)
    frame.wait_for()
    assert frame.get_by_role("meter", name=f"Health of {friend.name}").get_attribute("aria-valuenow") != "0"
    frame.get_by_role("button").click()
    page.locator("#card-title", has_text=friend.name).wait_for()
    buttons = page.locator("#card").get_by_role("button").all_inner_texts()
    assert "Trade" in buttons
    assert "Invite to party" not in buttons, "they are together already"
    friend.says(".party leave")
    page.locator("#party-frames").wait_for(state="hidden")
    visitor.hears("The party is no more.")
