"""How somebody at the page does the errand of newcomers: what the test of it and its pictures share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.guests import ERRAND, FIND

if TYPE_CHECKING:
    from tests.browser.guests import Guest


def accepts(visitor: Guest, *, touch: bool, name: str = "") -> None:
    """Into the world, and the question that newcomers are asked there."""
    page = visitor.page
    if touch:
        page.tap("#panel-handle")
    visitor.tries(name, asked=True)
    page.locator("#dialog-title", has_text=ERRAND).wait_for()
    page.locator("#dialog").get_by_role("button", name="Yes, I will do it.").click()
    visitor.hears(f"New quest: {ERRAND}")
    visitor.until("() => causeway.canvas.pointers.length === 1")


def toggles(visitor: Guest, label: str) -> None:
    """One of the buttons that open something beside the map."""
    visitor.page.locator("#actions").get_by_role("button", name=label).click()


def talks(visitor: Guest, name: str) -> None:
    """Look at somebody in sight and talk to them; one goes up to them first."""
    visitor.knows(name)
    visitor.page.locator("#near button", has_text=name).first.evaluate("it => it.click()")
    visitor.page.locator("#card").get_by_role("button", name="Talk").click()


def opens_shop(visitor: Guest) -> None:
    """The baker's."""
    talks(visitor, "Greta")
    visitor.page.locator("#dialog").get_by_role("button", name="Show me what you have.").click()
    visitor.page.locator("#counter").wait_for()


def goes_to_edwin(visitor: Guest) -> None:
    """With a click on the small map, where the errand has its ring; he has a mark over his head."""
    toggles(visitor, "Map")
    canvas = visitor.page.locator("#small-map canvas")
    canvas.scroll_into_view_if_needed()
    visitor.until("() => document.querySelector('#small-map canvas').style.aspectRatio !== ''")
    x, y, width, height = visitor.ask(
        """() => {
            const [{ x, y }] = causeway.canvas.pointers;
            const { width, height } = causeway.canvas.realm;
            return [x, y, width, height];
        }""",
        list,
    )
    box = canvas.bounding_box()
    assert box is not None
    spot = ((x + 0.5) / width * box["width"], (y + 0.5) / height * box["height"])
    canvas.click(position={"x": spot[0], "y": spot[1]})
    visitor.until("() => causeway.canvas.target !== null")
    visitor.page.locator("#small-map").get_by_role("button", name="Close").click()
    visitor.until(f"name => ({FIND})?.mark === 'awaits'", "Edwin")
    visitor.until("() => causeway.canvas.target === null")
