"""The first minutes of a newcomer at the page, with a mouse and with fingers: an errand, a shop, pay and what
it is spent on, in company of somebody who came by another game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser import errands
from tests.browser.guests import ERRAND

if TYPE_CHECKING:
    from tests.browser.conftest import Door
    from tests.browser.guests import Company


@pytest.mark.parametrize(
    ("width", "height", "touch"), [(1280, 800, False), (390, 844, True)], ids=["desktop", "phone"]
)
def test_the_first_errand_from_the_offer_to_the_spending(
    guest: Door, company: Company, width: int, height: int, touch: bool
) -> None:
    visitor = guest(width=width, height=height, touch=touch)
    page, friend = visitor.watches(), company.invite("uo")
    # The offer stands beside the map; whoever has read it goes on, and is not alone.
    errands.accepts(visitor, touch=touch)
    visitor.knows(friend.name)
    friend.says("Greta has bread.")
    visitor.hears(f"{friend.name}: Greta has bread.")
    # Bread, in the panel of the shop.
    errands.opens_shop(visitor)
    counter = page.locator("#counter")
    page.get_by_label("How many: bread loaf").fill("2")
    assert "Together: 8 gold" in counter.inner_text()
    counter.get_by_role("button", name="Buy", exact=True).click()
    visitor.hears("You buy 2 bread loaves for 8 gold coins.")
    page.locator("#counter .told", has_text="You buy 2 bread loaves").wait_for()
    page.locator("#counter .purse", has_text="You have 92 gold.").wait_for()
    counter.get_by_role("button", name="Close").click()
    counter.wait_for(state="hidden")
    # The journal says what is to be done, and the small map where.
    errands.toggles(visitor, "Quests")
    page.locator("#journal", has_text="Take five bread loaves").wait_for()
    page.locator("#journal").get_by_role("button", name="Close").click()
    errands.goes_to_edwin(visitor)
    errands.talks(visitor, "Edwin")
    visitor.hears(f"{ERRAND}: done. You receive 25 gold coins.")
    visitor.until("() => causeway.canvas.pointers.length === 0")
    # And back to where it is spent.
    visitor.says(".stuck")
    visitor.knows("Greta")
    errands.opens_shop(visitor)
    page.locator("#counter .purse", has_text="You have 117 gold.").wait_for()
    page.get_by_label("How many: healing potion").fill("1")
    page.keyboard.press("Enter")
    page.locator("#counter .purse", has_text="You have 92 gold.").wait_for()
    # More than one has is not offered. What one has is sold, and once by whoever presses twice.
    counter.get_by_role("button", name="Sell something").click()
    page.get_by_label("How many: apple").fill("3")
    page.locator("#counter .total", has_text="You have only 2 of that: apple.").wait_for()
    sell = counter.get_by_role("button", name="Sell", exact=True)
    assert sell.is_disabled()
    page.get_by_label("How many: apple").fill("1")
    sell.dblclick()
    page.locator("#counter .told", has_text="You sell 1 apple for 1 gold coin.").wait_for()
    page.locator("#counter .purse", has_text="You have 93 gold.").wait_for()
    assert page.get_by_label("How many: apple").get_attribute("max") == "1"
