"""What axe-core finds in the page, in every state it has: nothing that is serious or critical."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

import pytest

from tests.browser.guests import ERRAND, PASSWORD, fresh_name
from tests.browser.prey import PREY, comes
from tests.browser.scripts import PANES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.browser.conftest import Door
    from tests.browser.guests import Guest, Host


@cache
def axe() -> str:
    """The script."""
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


OF_COLOURS: Final = ["color-contrast", "link-in-text-block"]
"""The rules of axe that look at colours."""


def faults(visitor: Guest, state: str) -> list[str]:
    """What is wrong, each with where; where no finger is used in dark colours, too."""
    found = _faults(visitor, state, {})
    if not visitor.touch:
        visitor.page.emulate_media(color_scheme="dark")
        assert visitor.ask("() => matchMedia('(prefers-color-scheme: dark)').matches", bool)
        found += _faults(visitor, f"{state}, in the dark", {"runOnly": OF_COLOURS})
        visitor.page.emulate_media(color_scheme="light")
    return found


def _faults(visitor: Guest, state: str, options: Mapping[str, object]) -> list[str]:
    # What is still fading in has colours of no meaning.
    visitor.until(
        "() => document.getAnimations()"
        ".every(it => it.playState !== 'running' || it.effect.getTiming().iterations > 9)"
    )
    if not visitor.ask("() => 'axe' in window", bool):
        visitor.page.evaluate(axe())
    return visitor.ask(
        """async ([state, options]) => (await axe.run({ resultTypes: ["violations"], ...options })).violations
            .filter(({ impact }) => ["serious", "critical"].includes(impact))
            .map(({ id, nodes }) => `${state}: ${id}: ${nodes.map(node => node.html.slice(0, 150))}`)""",
        list,
        [state, options],
    )


def _fight(visitor: Guest, host: Host, *, touch: bool) -> list[str]:
    """In a fight, dead, and with the sheet of a character open."""
    page = visitor.page
    if touch:
        page.tap("#panel-handle")
    comes(visitor, host, 2)
    page.focus("#map")
    page.keyboard.press("f")
    page.locator("#target", has_text=PREY).wait_for()
    found = faults(visitor, "a fight")
    host.order(f"remove {visitor.serial(PREY)}")
    host.order(f"kill {visitor.name}")
    page.wait_for_selector("#death:visible")
    found += faults(visitor, "death")
    page.get_by_role("button", name="Stay here").click()
    if touch:
        page.tap("#panel-handle")
    page.locator("#character summary").click()
    return found + faults(visitor, "the sheet of a character")


def _panels(visitor: Guest, width: int, height: int, *, touch: bool) -> list[str]:
    """What is wrong with what stands beside the map, all of it at once."""
    page = visitor.page
    if touch:
        page.tap("#panel-handle")
    # All of it is to be seen at once.
    page.set_viewport_size({"width": width, "height": 3600})
    page.click("#open-map")
    page.wait_for_selector("#small-map")
    visitor.ask(PANES, list, "a word")
    assert page.locator(".window:visible").count() == 11
    # Axe does not judge colours before a picture, which can be seen through them.
    page.evaluate("() => document.querySelectorAll('.window').forEach(it => it.style.background = '#11161d')")
    found = faults(visitor, "what stands beside the map")
    page.set_viewport_size({"width": width, "height": height})
    if touch:
        page.tap("#panel-handle")
        found += faults(visitor, "an open chest")
    return found


@pytest.mark.parametrize(
    ("width", "height", "touch"), [(1280, 800, False), (390, 844, True)], ids=["desktop", "phone"]
)
def test_axe_has_nothing_serious_to_say(
    guest: Door, host: Host, width: int, height: int, touch: bool
) -> None:
    visitor = guest(width=width, height=height, touch=touch)
    page = visitor.watches()
    page.locator("#people li").first.wait_for(state="attached")
    found = faults(visitor, "the map")
    if touch:
        page.tap("#panel-handle")
        found += faults(visitor, "the sheet")
    page.click("#tab-connect")
    page.wait_for_selector("#connect-games details")
    found += faults(visitor, "how to connect")
    page.click("#tab-play")
    page.click("#play-button")
    page.wait_for_selector("#login-form")
    found += faults(visitor, "the way in")
    visitor.fills(fresh_name("axe").lower(), PASSWORD)
    page.click("#register")
    page.wait_for_selector("#create-form")
    found += faults(visitor, "a first character")
    visitor.creates(fresh_name())
    visitor.says("Hello")
    visitor.hears(f"{visitor.name}: Hello")
    visitor.page.fill("#chat-form [name=words]", "")
    page.focus("#map")
    found += faults(visitor, "the world")
    if touch:
        page.tap("#panel-handle")
    page.locator("#near button", has_text="Barnaby").click()
    page.locator("#card .lines li").first.wait_for()
    found += faults(visitor, "somebody looked at")
    page.locator("#card").get_by_role("button", name="Talk").click()
    page.locator("#dialog-title", has_text="Barnaby").wait_for()
    found += faults(visitor, "a dialog")
    page.keyboard.press("Escape")
    page.locator("#dialog-title", has_text=ERRAND).wait_for()
    page.locator("#dialog").get_by_role("button", name="Not now.").click()
    page.wait_for_selector("#dialog", state="hidden")
    found += _fight(visitor, host, touch=touch)
    found += _panels(visitor, width, height, touch=touch)
    page.locator("#leave").click()
    page.wait_for_selector("#characters")
    found += faults(visitor, "the characters")
    assert not found, "\n".join(found)
    # It finds what is wrong, or its silence would say nothing.
    page.evaluate("() => document.querySelector('#characters .enter').replaceChildren()")
    page.evaluate("() => document.querySelector('#characters .enter').removeAttribute('aria-label')")
    (fault,) = faults(visitor, "spoilt")
    assert fault.startswith("spoilt: button-name: ")
    page.evaluate(
        "() => document.querySelectorAll('#characters *')"
        ".forEach(({ style }) => { style.color = '#888'; style.background = '#777'; })"
    )
    unreadable = "".join(faults(visitor, "spoilt"))
    assert "spoilt: color-contrast: " in unreadable
    assert touch or "spoilt, in the dark: color-contrast: " in unreadable
