"""What a town is for, at the page: the bank, the notice board, a chest and its key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser import errands
from tests.browser.scripts import LOAD
from tests.browser.settlers import CUSTOMER, DELVER, TOWNSFOLK

if TYPE_CHECKING:
    from playwright.sync_api import Locator

    from tests.browser.conftest import Door
    from tests.browser.guests import Guest, Host

BAD = "<img src=x onerror=bad()>"

PACK = (
    "async () => {"
    + LOAD
    + """
    const { Pack } = await load("pack.js");
    const pack = new Pack(() => {});
    document.body.append(pack.node);
    const thing = { id: 1, name: "ruby", amount: 9, look: {} };
    const content = { id: 5, name: "chest", things: [thing, { ...thing, id: 2 }] };
    const had = document.getElementById("map");
    const opens = () => [pack.content(content), pack.shows(5), document.activeElement === had];
    had.focus();
    const told = [opens()]; // nobody asked
    pack.expect(5);
    told.push(opens()); // its player did, and has the keyboard there
    had.focus();
    const field = pack.node.querySelector("input");
    field.value = "4";
    field.dispatchEvent(new Event("input"));
    told.push(opens()); // others took of it
    told.push(pack.node.querySelector("input").value);
    pack.close(5);
    told.push(opens());
    pack.node.remove();
    return told;
}"""
)


def told(visitor: Guest, words: str) -> None:
    """Wait until the open counter says that."""
    visitor.page.locator("#counter .told", has_text=words).wait_for()


def looks_at(visitor: Guest, name: str) -> Locator:
    """The card of something in sight."""
    visitor.knows(name)
    visitor.page.locator("#near button", has_text=name).first.evaluate("it => it.click()")
    return visitor.page.locator("#card")


def test_gold_and_things_go_into_the_bank_and_a_note_on_the_board(guest: Door, host: Host) -> None:
    visitor = guest()
    page = visitor.page
    visitor.returns(TOWNSFOLK, CUSTOMER)
    # So much gold, all of a stack with Enter, and a thing with one press.
    errands.talks(visitor, "Osric")
    counter = page.locator("#counter")
    page.get_by_label("How many: gold").last.fill("40")
    counter.get_by_role("button", name="Put in: gold").click()
    told(visitor, "You put 40 gold coins into the bank")
    page.get_by_label("How many: bread loaf").press("Enter")
    told(visitor, "You put 3 bread loaves into the bank")
    counter.get_by_role("button", name="Put in: dagger").click()
    told(visitor, "You put 1 dagger into the bank")
    # More than there is is not asked for, and what was typed stays to be mended.
    page.get_by_label("How many: gold").first.fill("400")
    counter.get_by_role("button", name="Take out: gold").click()
    told(visitor, "From 1 to 40")
    page.get_by_label("How many: gold").first.fill("10")
    page.keyboard.press("Enter")
    told(visitor, "You take 10 gold coins")
    page.get_by_label("How many: bread loaf").fill("1")
    # Pressed twice, so slowly that the answer to the first press lies between.
    counter.get_by_role("button", name="Take out: bread loaf").dblclick(delay=200)
    told(visitor, "You take 1 bread loaf")
    headings = counter.locator("h3").all_inner_texts()
    assert headings == ["In the vault: 30 gold", "In your pack: 70 gold"]
    assert page.get_by_label("How many: bread loaf").first.get_attribute("max") == "2"
    counter.get_by_role("button", name="Close").click()
    counter.wait_for(state="hidden")
    # A note, of which nothing is markup.
    looks_at(visitor, "notice board").get_by_role("button", name="Read").click()
    dialog = page.locator("#dialog")
    dialog.get_by_role("button", name="Pin a note.").click()
    dialog.get_by_label("Its subject").fill(BAD)
    dialog.get_by_label("Its words").fill("Who <b>plays</b>?")
    page.keyboard.press("Enter")
    visitor.hears(f'Your note "{BAD}" is pinned')
    looks_at(visitor, "notice board").get_by_role("button", name="Read").click()
    dialog.get_by_role("button", name="Read a note.").click()
    dialog.get_by_label(BAD).check()
    dialog.get_by_role("button", name="Read it.").click()
    page.locator("#dialog-text", has_text="Who <b>plays</b>?").wait_for()
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    assert page.locator("#dialog img, #dialog b, #chat img").count() == 0


def test_a_chest_opens_to_its_key_and_stays_closed_when_it_is_closed(guest: Door, host: Host) -> None:
    visitor = guest(width=390, height=844, touch=True)
    page = visitor.watches()
    page.tap("#panel-handle")
    page.click("#play-now")
    visitor.fills(TOWNSFOLK, "secret1")
    page.click("#log-in")
    visitor.enters(DELVER)
    looks_at(visitor, "iron chest").get_by_role("button", name="Open").click()
    chest = page.locator("#pack section", has=page.locator("h3", has_text="In the iron chest"))
    chest.wait_for()
    assert visitor.ask("() => document.getElementById('panel').dataset.open", str) == "yes"
    take = chest.get_by_role("button", name="Take: healing potion")
    take.click()
    take.wait_for(state="detached")
    chest.get_by_role("button", name="Close the iron chest").click()
    assert chest.count() == 0
    # What others do with it opens it to nobody, and takes the keyboard from nobody.
    unasked, asked, changed, typed, closed = visitor.ask(PACK, list)
    assert (unasked, asked) == ([False, False, True], [True, True, False])
    assert (changed, typed) == ([False, True, True], "4")
    assert closed == [False, False, True]
